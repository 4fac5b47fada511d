"""The sections of a policy as text: byte for byte what the readers read back."""

from __future__ import annotations

import pytest

from harness_guard.artifacts.entries import read_boundary, read_commands
from harness_guard.artifacts.policy_text import commands_text, criteria_text, entries_text, verification_text
from harness_guard.artifacts.sections import Section
from harness_guard.artifacts.values import Criterion
from harness_guard.policy.model import Check, Policy


def policy(commands: tuple[str, ...] = (), tools: tuple[str, ...] = ()) -> Policy:
    """The kernel's policy, which this room knows only by its fields."""
    return Policy(
        boundary=("src/a.py", "docs/**"),
        commands=commands,
        tools=tools,
        caches=(),
        strategy="tdd",
        required=(Check("V1", "pytest -q", 60), Check("V2", 'printf "a\\\\b"', 5)),
        optional=(Check("V3", "ruff check", 30),),
        max_rounds=3,
        repeated_finding_limit=2,
        no_progress_limit=2,
        plan_hash="",
    )


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("make", "- `make`"),
        ("a `b`", "- `` a `b` ``"),
        ("`` x", "- ``` `` x ```"),
        ("a\nb", "```sh\na\nb\n```"),
        ("a\n```\nb", "````sh\na\n```\nb\n````"),
        ("None", "- `None`"),
    ],
)
def test_a_command_is_read_back(command: str, text: str) -> None:
    assert commands_text(policy((command,))) == text
    assert read_commands(Section("Exact Commands", 1, tuple(text.split("\n")))) == ((command,), ())


def test_what_verifies_is_not_said_twice() -> None:
    found = commands_text(policy(("pytest -q", "make", "ruff check"), ("mcp__a__b",)))
    assert found == "- `make`\n- `mcp__a__b`"
    assert commands_text(policy(("ruff check",))) == "None"


def test_entries_and_criteria() -> None:
    assert entries_text(("src/a.py", "docs/**")) == "- `src/a.py`\n- `docs/**`"
    assert entries_text(()) == "None"
    assert read_boundary(Section("Write Boundary", 1, ("- `src/a.py`", "- `docs/**`"))) == ("src/a.py", "docs/**")
    assert criteria_text((Criterion("AC1", "one"), Criterion("AC2", "two"))) == "- AC1: one\n- AC2: two"


def test_the_verification_strategy() -> None:
    assert verification_text(policy()) == (
        '{\n    "kind": "tdd",\n    "required": [\n'
        '      {"id": "V1", "command": "pytest -q", "timeout_s": 60},\n'
        '      {"id": "V2", "command": "printf \\"a\\\\\\\\b\\"", "timeout_s": 5}\n'
        '    ],\n    "optional": [\n      {"id": "V3", "command": "ruff check", "timeout_s": 30}\n    ]\n  }'
    )
