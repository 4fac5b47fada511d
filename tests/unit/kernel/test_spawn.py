"""The Reviewer's spawn: which arguments are handed out, which calls are meant as one, and what differs (contract 8)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import SESSION, call, in_state

from harness_guard.kernel.spawn import REVIEWER_TYPE, SpawnArguments, is_review_spawn, next_spawn, spawn_problem

TEXT = (
    "Clean-context read-only Reviewer for Harness run r1, spawn 1, nonce {nonce}. "
    "Judge by your own reading and by the brief that the guard gives you at start; "
    "nothing else counts. End with exactly one # Clean-context Review."
)
GIVEN = SpawnArguments("the text", "harness_review_0123")
CLAUDE = {"description": "Clean-context review", "prompt": "the text", "subagent_type": REVIEWER_TYPE}
V2 = {"fork_turns": "none", "message": "the text", "task_name": "harness_review_0123"}
CIPHER = "gAAAAABo" + "Zm9vYmFy" * 5


@pytest.mark.contract("C8.9")
def test_a_spawn_is_named_by_run_session_and_number() -> None:
    from hashlib import sha256

    state = in_state("executing")
    nonce = sha256(f"r1 {SESSION} 1".encode()).hexdigest()[:12]
    assert next_spawn(state) == SpawnArguments(TEXT.format(nonce=nonce), f"harness_review_{nonce}")
    assert next_spawn(in_state("verifying")).task_name != next_spawn(state).task_name
    assert GIVEN.for_host("claude") == CLAUDE
    assert GIVEN.for_host("codex") == V2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"subagent_type": REVIEWER_TYPE}, True),
        ({"subagent_type": "Explore"}, False),
        ({"task_name": "harness_review_0123"}, True),
        ({"task_name": "my harness_review"}, False),
        ({"task_name": 3}, False),
        ({"prompt": "Clean-context read-only Reviewer, do x"}, True),
        ({"message": "Clean-context read-only Reviewer, do x"}, True),
        ({"prompt": ["Clean-context read-only Reviewer"], "message": "x"}, False),
        ({"prompt": "Read the Clean-context read-only Reviewer"}, False),
        ({}, False),
    ],
)
def test_which_spawn_is_meant_as_the_reviewers(arguments: dict[str, Any], *, expected: bool) -> None:
    assert is_review_spawn(call("Agent", arguments)) is expected


def test_a_spawn_without_arguments_is_nobodys() -> None:
    from harness_guard.records import replace

    happened = replace(call("Agent"), tool_input=None)
    assert is_review_spawn(happened) is False
    assert spawn_problem(happened, GIVEN) == "`description` is not the handed-out text"


@pytest.mark.contract("C8.10", "C8.11")
@pytest.mark.parametrize(
    ("host", "tool", "arguments", "problem"),
    [
        ("claude", "Agent", CLAUDE, None),
        ("claude", "Agent", {**CLAUDE, "run_in_background": True}, None),
        ("claude", "Agent", {**CLAUDE, "prompt": "the text "}, "`prompt` is not the handed-out text"),
        ("claude", "Agent", {**CLAUDE, "model": "x"}, "`model` was not handed out"),
        ("claude", "Agent", {"prompt": "the text"}, "`description` is not the handed-out text"),
        ("codex", "spawn_agent", {"message": "the text"}, None),
        ("codex", "spawn_agent", {"message": "a text"}, "`message` is not the handed-out text"),
        ("codex", "spawn_agent", {"message": "the text", "model": "x"}, "`model` was not handed out"),
        (
            "codex",
            "spawn_agent",
            {"message": "the text", "run_in_background": True},
            "`run_in_background` was not handed out",
        ),
        ("codex", "spawn_agent", V2, None),
        ("codex", "collaborationspawn_agent", V2, None),
        ("codex", "collaborationspawn_agent", {"message": "the text"}, "`fork_turns` is not the handed-out text"),
        ("codex", "collaborationspawn_agent", {**V2, "message": "a text"}, "`message` is not the handed-out text"),
        ("codex", "collaborationspawn_agent", {**V2, "message": CIPHER}, None),
        ("codex", "collaborationspawn_agent", {**V2, "message": None}, None),
        ("codex", "collaborationspawn_agent", {**V2, "message": CIPHER[:40]}, None),
        ("codex", "collaborationspawn_agent", {**V2, "message": CIPHER[:39]}, "`message` is not the handed-out text"),
        ("codex", "collaborationspawn_agent", {**V2, "message": f"{CIPHER} x"}, "`message` is not the handed-out text"),
        ("codex", "collaborationspawn_agent", {**V2, "message": 5}, "`message` is not the handed-out text"),
        (
            "codex",
            "collaborationspawn_agent",
            {**V2, "message": CIPHER, "task_name": "harness_review_9"},
            "`task_name` is not the handed-out text",
        ),
        ("codex", "collaborationspawn_agent", {**V2, "message": CIPHER, "model": "x"}, "`model` was not handed out"),
    ],
)
def test_what_differs_from_the_handed_out_arguments(
    host: Any, tool: str, arguments: dict[str, Any], problem: str | None
) -> None:
    assert spawn_problem(call(tool, arguments, host=host), GIVEN) == problem
