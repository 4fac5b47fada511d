"""Prompts of a session whose state cannot be read (C3.11, L5.3, L5.4)."""

from __future__ import annotations

from typing import Any, cast

import pytest
from fake_world import PLANE, PROCESS, ROOT, SESSION, FakeWorld, prompt

from harness_guard.kernel.decide import decide_unreadable
from harness_guard.kernel.outcome import ArchiveRun, Outcome, RaiseMarker
from harness_guard.kernel.run_questions import NewRunFacts
from harness_guard.kernel.state import HostBinding, RunState
from harness_guard.kernel.unreadable import Unreadable


def decide(text: str, rule: str = "store.seal", *, is_active: bool = True, **fields: Any) -> Outcome:
    answers = {name: fields.pop(name) for name in list(fields) if name[:1].isupper()}
    world = FakeWorld(**answers)
    asking = decide_unreadable(prompt(text, **fields), Unreadable(rule, "it is odd", "Mend it.", is_active=is_active))
    reply: object = None
    while True:
        try:
            question = asking.send(reply)
        except StopIteration as done:
            return cast("Outcome", done.value)
        found = world.answers[type(question).__name__]
        reply = found(question) if callable(found) else found


@pytest.mark.contract("C3.11")
@pytest.mark.parametrize("rule", ["store.seal", "store.shape", "store.vanished", "store.schema-v8"])
def test_an_activation_replaces_it(rule: str) -> None:
    found = decide("$harness again", rule)
    assert found.state is not None
    assert (found.state.state, found.state.revision, found.duties) == ("planning", 1, (ArchiveRun(),))
    assert ("harness.state.v8 is archived" in found.decision.context) is (rule == "store.schema-v8")


@pytest.mark.contract("L5.4")
@pytest.mark.parametrize("rule", ["store.schema-older", "store.schema-newer"])
@pytest.mark.parametrize("is_active", [True, False])
def test_another_versions_state_is_not_replaced(rule: str, *, is_active: bool) -> None:
    found = decide("$harness again", rule, is_active=is_active)
    assert (found.state, found.duties) == (None, (RaiseMarker(),))
    assert "Next: Mend it." in found.decision.context


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("$harness again", {"source": "system"}),
        ("$harness again", {"TurnSeen": True}),
        ("$harness cancel", {"source": "system"}),
        ("$harness cancel", {"TurnSeen": True}),
        ("good morning", {}),
        ("y", {}),
        ("$harness status", {}),
    ],
)
def test_everything_else_is_told_what_is_wrong(text: str, fields: dict[str, Any]) -> None:
    found = decide(text, **fields)
    assert (found.state, found.duties) == (None, ())
    assert "store.seal" in found.decision.context
    assert "the human types `$harness cancel`" in found.decision.context


@pytest.mark.contract("C1.8")
@pytest.mark.parametrize("text", ["good morning", "y", "$harness status"])
def test_a_session_without_an_active_run_hears_nothing(text: str) -> None:
    found = decide(text, is_active=False)
    assert (found.decision.verdict, found.decision.context, found.state, found.duties) == ("pass", "", None, ())


@pytest.mark.contract("C3.11")
@pytest.mark.parametrize(("root", "expected"), [("/repo/real", "/repo/real"), ("", ROOT)])
def test_a_cancel_archives_it_unread(root: str, expected: str) -> None:
    found = decide("$harness cancel", NewRun=NewRunFacts("r9", root, {}))
    assert found.state is not None
    assert (found.state.state, found.state.authority_status, found.state.repository_root) == (
        "cancelled",
        "revoked",
        expected,
    )
    assert (found.state.open_turn, found.duties) == ("turn-2", (ArchiveRun(),))


@pytest.mark.contract("C3.11")
@pytest.mark.parametrize("plane", [dict(PLANE), {}])
@pytest.mark.parametrize("is_active", [True, False])
def test_what_a_cancelled_run_that_nobody_read_leaves(plane: dict[str, object], *, is_active: bool) -> None:
    found = decide("$harness cancel", is_active=is_active, NewRun=NewRunFacts("r9", "/real", plane), process=PROCESS)
    assert found.state == RunState(
        revision=1,
        run_id="r9",
        session_id=SESSION,
        repository_root="/real",
        state="cancelled",
        authority_status="revoked",
        host=HostBinding("claude", PROCESS.pid, PROCESS.started),
        control_plane=plane or None,
        open_turn="turn-2",
        plugin_version="0.1.0",
    )
    assert found.note == "cancelled unread"


def test_a_childs_prompt_does_nothing() -> None:
    found = decide("$harness again", agent_id="a-1")
    assert (found.decision.verdict, found.decision.context, found.state) == ("pass", "", None)
