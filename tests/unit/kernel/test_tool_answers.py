"""What a tool call is answered: the words of each refusal, what pauses, what is counted, what is exact (contract 7)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import DIFF, GATE, ROOT, TREE, FakeWorld, ShellWorld, call, event, in_state

from harness_guard.kernel.decision import PASS
from harness_guard.kernel.outcome import DropAttestation, Outcome
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.kernel.state import Approval, Reviewer, StopCount
from harness_guard.kernel.texts import next_step
from harness_guard.records import replace
from harness_guard.shell.effects import Connection, Effects, Program, Unknown, Write

INSIDE = call("Write", {"file_path": f"{ROOT}/src/a.py"})
CHILD = "Only read; say what should change in your last message."
UNKNOWN = Effects(unknown=(Unknown("a script", "./x"),))
TARGET = Effects(unknown=(Unknown("a variable", "rm $X", is_writer=True),))
WIPE = Effects(programs=(Program(("rm", "-rf", "/"), ROOT, "rm -rf /"),))


def told(found: Any) -> tuple[str, str, str] | None:
    reason = found.decision.reason
    return (reason.rule, reason.seen, reason.remedy) if reason else None


def shell(command: str = "x", **fields: Any) -> Any:
    return call("Bash", {"command": command}, **fields)


@pytest.mark.contract("C7.5")
@pytest.mark.parametrize(
    ("name", "changes", "seen"),
    [
        ("planning", {}, "the run is planning and nothing may be written now"),
        ("verifying", {}, "the run is verifying and nothing may be written now"),
        ("planning", {"pending_gate": GATE}, "the run is planning and nothing may be written now"),
        (
            "executing",
            {"pending_gate": GATE},
            "the human has not answered the Plan yet and nothing may be written meanwhile",
        ),
        ("executing", {"authority_status": "revoked"}, "the run is executing and nothing may be written now"),
        (
            "executing",
            {"cancel_asked": True},
            "the run is cancelled and nothing may be written until this turn has ended",
        ),
        (
            "executing",
            {"cancel_asked": True, "pending_gate": GATE},
            "the run is cancelled and nothing may be written until this turn has ended",
        ),
        ("cancelled", {}, "the run is cancelled and nothing may be written until this turn has ended"),
    ],
)
@pytest.mark.parametrize("agent", [None, "a-9"])
def test_why_nothing_may_be_written(name: str, changes: dict[str, Any], seen: str, agent: str | None) -> None:
    state = in_state(name, **changes)
    found = FakeWorld().decide(replace(INSIDE, agent_id=agent), state)
    assert told(found) == ("state.no-authority", seen, CHILD if agent else next_step(state))
    assert found.state is None


@pytest.mark.contract("C7.6")
@pytest.mark.parametrize(
    ("fields", "arguments", "expected"),
    [
        (
            {"agent_id": "a-9"},
            {},
            ("identity.child", "child agent a-9 may only read; the root is the only writer", CHILD),
        ),
        (
            {},
            {"on_behalf_of": "x", "agent_name": "y"},
            (
                "identity.hint",
                "the call says by `agent_name` that it is another agent's work, and the root is the only writer",
                "Do it as the root, without that argument.",
            ),
        ),
        ({}, {}, None),
    ],
)
def test_who_may_not_write(fields: dict[str, Any], arguments: dict[str, Any], expected: Any) -> None:
    happened = call("Write", {"file_path": f"{ROOT}/src/a.py", **arguments}, **fields)
    assert told(FakeWorld().decide(happened, in_state("executing"))) == expected


@pytest.mark.contract("C7.13")
@pytest.mark.parametrize("wrote_unseen", [True, False])
def test_an_allowed_write_begins_the_counts_anew_and_drops_the_attestation(*, wrote_unseen: bool) -> None:
    state = in_state(
        "executing", opaque_denies=2, stop=StopCount(2, "t", is_incomplete=True), wrote_unseen=wrote_unseen
    )
    after = replace(state, opaque_denies=0, stop=StopCount())
    assert FakeWorld().decide(INSIDE, state) == Outcome(PASS, after, (DropAttestation(),))


@pytest.mark.contract("C7.9")
@pytest.mark.parametrize(
    ("name", "command", "agent", "is_local", "remedy"),
    [
        ("planning", "x", None, True, "step"),
        ("planning", "x", "a-9", True, CHILD),
        ("planning", "x", None, False, None),
        ("executing", "x", None, True, None),
        ("executing", "x", "a-9", True, None),
        ("verifying", "make test", None, True, "step"),  # approved byte for byte: for the run's own verification
    ],
)
def test_asking_this_very_machine(
    name: str, command: str, agent: str | None, remedy: str | None, monkeypatch: pytest.MonkeyPatch, *, is_local: bool
) -> None:
    state = in_state(name)
    both = (Connection("h:1", "curl"), Connection("localhost:8080", "wget", is_local))
    found = ShellWorld(monkeypatch, Effects(connects=both)).decide(shell(command, agent_id=agent), state)
    seen = "`wget` would ask `localhost:8080` on this machine while nothing may be written"
    remedy = next_step(state) if remedy == "step" else remedy
    assert told(found) == (("state.connects", seen, remedy) if remedy else None)


@pytest.mark.contract("C6.6", "C7.7")
@pytest.mark.parametrize(
    ("before", "state", "counted"), [(0, "executing", 1), (1, "executing", 2), (2, "paused_unmodeled", 0)]
)
def test_the_third_opaque_call_pauses(before: int, state: str, counted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ShellWorld(monkeypatch, UNKNOWN).decide(shell("./x"), in_state("executing", opaque_denies=before))
    seen = "what `./x` does is not known: a script"
    assert found.state is not None
    assert (found.state.state, found.state.opaque_denies) == (state, counted)
    assert found.decision.reason is not None
    assert (found.decision.reason.rule, found.decision.reason.seen) == ("effects.unknown", seen)
    remedy = "Use the file tools or a command of the table, or have the exact command approved in a Plan."
    told_later = found.decision.reason.more.startswith(f"After a Resume: {remedy}")
    assert (found.decision.reason.remedy == remedy, told_later) == (state == "executing", state != "executing")


@pytest.mark.contract("C7.7")
def test_a_target_that_cannot_be_known_is_told_before_what_is_opaque(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Effects(unknown=(*UNKNOWN.unknown, *TARGET.unknown))
    found = ShellWorld(monkeypatch, both).decide(shell(), in_state("executing"))
    assert found.state is not None
    assert found.decision.reason is not None
    assert (found.state.state, found.decision.reason.rule, found.decision.reason.seen) == (
        "paused_unmodeled", "effects.target", "where `rm $X` writes cannot be known: a variable",
    )  # fmt: skip
    assert found.decision.reason.more.startswith("After a Resume: Name the target literally, or use another command.")


@pytest.mark.contract("C7.4")
@pytest.mark.parametrize(
    ("name", "changes", "agent", "to"),
    [
        ("executing", {}, None, "paused_danger"),
        ("auto_repairing", {}, None, "paused_danger"),
        ("executing", {}, "a-9", "paused_danger"),
        ("executing", {"pending_gate": GATE}, None, None),
        ("executing", {"cancel_asked": True}, None, None),
        ("planning", {}, None, None),
        ("verifying", {}, None, None),
        ("cancelled", {}, None, None),
    ],
)
def test_a_hard_danger_pauses_who_has_authority(
    name: str, changes: dict[str, Any], agent: str | None, to: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ShellWorld(monkeypatch, WIPE).decide(shell("rm -rf /", agent_id=agent), in_state(name, **changes))
    assert found.decision.reason is not None
    assert (found.decision.verdict, found.decision.reason.rule) == ("deny", "danger.destroy")
    assert (found.state.state if found.state else None) == to
    if to is None:
        remedy = "Reach the goal another way; no approval clears this rule, the human does such a thing by hand."
        assert found.decision.reason.remedy == remedy


@pytest.mark.parametrize("effects", [UNKNOWN, TARGET, Effects(writes=(Write("/srv/x", "file", "tee"),))])
def test_a_child_pauses_nothing_but_by_danger(effects: Effects, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ShellWorld(monkeypatch, effects).decide(shell(agent_id="a-9"), in_state("executing", opaque_denies=2))
    assert found.state is None
    assert found.decision.reason is not None
    assert found.decision.reason.rule == "identity.child"


@pytest.mark.contract("C7.20")
@pytest.mark.parametrize(
    ("tool", "path", "is_secret"),
    [("Read", "/home/u/.ssh/id_rsa", True), ("Read", f"{ROOT}/a", False), ("Write", f"{ROOT}/src/.env", False)],
)
def test_only_what_is_shown_can_be_a_secret(tool: str, path: str, *, is_secret: bool) -> None:
    found = FakeWorld().decide(call(tool, {"file_path": path}), in_state("planning"))
    seen = f"`{path}` holds credentials"
    assert (found.decision.reason is not None and found.decision.reason.seen == seen) == is_secret


@pytest.mark.contract("C7.12")
@pytest.mark.parametrize(
    ("happened", "policy", "is_exact"),
    [
        (shell("make test"), True, True),
        (shell("make test "), True, False),
        (shell("make test", cwd=f"{ROOT}/src"), True, False),
        (shell("make test"), False, False),
        (call("mcp__files__put", {}), True, True),
        (call("mcp__files__get", {}), True, False),
        (call("mcp__files__put", {}), False, False),
        (call("mcp__files__put", {}, cwd="/elsewhere"), True, True),
        (call("apply_patch", {"command": "make test"}), True, False),
    ],
)
def test_what_is_approved_byte_for_byte(
    happened: Any, monkeypatch: pytest.MonkeyPatch, *, policy: bool, is_exact: bool
) -> None:
    state = in_state("executing")
    state = state if policy else replace(state, active_policy=None)
    found = ShellWorld(monkeypatch, UNKNOWN).decide(happened, state)
    assert (found.decision.verdict == "pass") == is_exact
    if is_exact:
        assert found == Outcome(PASS, replace(state, wrote_unseen=True), (DropAttestation(),))


@pytest.mark.contract("C8.21")
@pytest.mark.parametrize(
    ("ended", "children", "agent"),
    [("b", ("c",), "a-1"), ("a-1", ("b", "c"), None), ("c", ("b",), "a-1")],
)
def test_who_is_ended_is_forgotten(ended: str, children: tuple[str, ...], agent: str | None) -> None:
    state = in_state("verifying", children=("b", "c"))
    found = FakeWorld().decide(call("TaskStop", {"task_id": ended}), state)
    reviewer = replace(state.reviewer, agent_id=agent)
    assert found == Outcome(PASS, replace(state, children=children, reviewer=reviewer))


def test_nobody_is_forgotten_by_a_call_that_ends_nobody() -> None:
    state = in_state("executing", children=("b",), reviewer=Reviewer())
    for arguments in ({"task_id": "z"}, {}):
        assert FakeWorld().decide(call("TaskStop", arguments), state) == Outcome(PASS)


@pytest.mark.parametrize(
    ("author", "expected"),
    [("forged", "provenance.forged"), ("missing", "danger.destroy"), ("human", "danger.destroy")],
)
def test_an_unchecked_approval_before_a_pause(author: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = in_state("executing", approval=Approval("t", 1, is_verified=False))
    found = ShellWorld(monkeypatch, WIPE, AuthorOf=author).decide(shell("rm -rf /"), state)
    assert found.decision.reason is not None
    assert found.decision.reason.rule == expected
    after = {"forged": "planning", "missing": None, "human": "paused_danger"}[author]
    assert (found.state.state if found.state else None) == after
    if author == "human":
        assert found.state is not None
        assert found.state.approval == Approval("t", 1, is_verified=True)


def test_a_call_without_its_command_is_opaque() -> None:
    found = FakeWorld(TreeNow=Snapshot(DIFF, (), TREE)).decide(
        event("PreToolUse", tool_name="Monitor", tool_input={"command": 3}, tool_use_id="u"), in_state("executing")
    )
    assert told(found) == (
        "effects.unknown",
        "what `Monitor` does is not known: the call carries no command text",
        "Use the file tools or a command of the table, or have the exact command approved in a Plan.",
    )
