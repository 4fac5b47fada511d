"""The parts of a policy as the sections that its readers read back: criteria, boundary, commands, verification."""

from __future__ import annotations

import re

from harness_guard.artifacts.entries import NOTHING
from harness_guard.canonical import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from harness_guard.artifacts.values import Criterion

    class Command(Protocol):
        """A verification command."""

        @property
        def id(self) -> str:
            """Its id."""

        @property
        def command(self) -> str:
            """Its text, byte for byte."""

        @property
        def timeout_s(self) -> int:
            """Seconds, at least 1."""

    class EffectivePolicy(Protocol):
        """What is in force; a parsed Plan and the kernel's policy have these fields, and this room knows neither."""

        @property
        def boundary(self) -> tuple[str, ...]:
            """Entries as written."""

        @property
        def commands(self) -> tuple[str, ...]:
            """Exact commands, with the verification commands or without."""

        @property
        def tools(self) -> tuple[str, ...]:
            """Full names of MCP tools."""

        @property
        def strategy(self) -> str:
            """Kind of the verification strategy."""

        @property
        def required(self) -> Sequence[Command]:
            """At least one."""

        @property
        def optional(self) -> Sequence[Command]:
            """May be empty."""


def criteria_text(criteria: Sequence[Criterion]) -> str:
    """Give the body of Acceptance Criteria."""
    return "\n".join([f"- {item.id}: {item.text}" for item in criteria])


def entries_text(entries: Sequence[str]) -> str:
    """Give the body of a Write Boundary or a Repair Scope."""
    return "\n".join([f"- `{entry}`" for entry in entries]) or NOTHING


def commands_text(policy: EffectivePolicy) -> str:
    """Give the body of Exact Commands.

    A policy holds its verification commands among its exact commands; they stand in a section of their own, and said
    twice they would outlive an amendment that takes them out there.
    """
    verifying = {check.command for check in (*policy.required, *policy.optional)}
    others = [text for text in policy.commands if text not in verifying]
    return "\n".join([_command(text) for text in (*others, *policy.tools)]) or NOTHING


def _command(text: str) -> str:
    # More backticks than the text has in a row: nothing inside can end the span or the block.
    longest = max([len(run) for run in re.findall("`+", text)], default=0)
    if "\n" in text:
        ticks = "`" * max(3, longest + 1)
        return f"{ticks}sh\n{text}\n{ticks}"
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"- {ticks}{pad}{text}{pad}{ticks}"


def verification_text(policy: EffectivePolicy) -> str:
    """Give the object of a ``verification_strategy``, indented as in the templates."""
    return (
        f'{{\n    "kind": {canonical(policy.strategy)},\n'
        f'    "required": {_checks(policy.required)},\n'
        f'    "optional": {_checks(policy.optional)}\n  }}'
    )


def _checks(checks: Sequence[Command]) -> str:
    if not checks:
        return "[]"
    # Canonical JSON sorts keys; a human reads these, so the order is the template's.
    rows = [
        f'      {{"id": {canonical(check.id)}, "command": {canonical(check.command)}, "timeout_s": {check.timeout_s}}}'
        for check in checks
    ]
    return "[\n" + ",\n".join(rows) + "\n    ]"
