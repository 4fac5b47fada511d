"""Prompts: activation, verbs and answers, each only with provenance (contract 3 and 5)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import DIFF, GATE, HASH, NOW, PAUSED, PROCESS, STATE_NAMES, FakeWorld, in_state, planning, prompt, stop

from harness_guard.kernel.event import HostProcess
from harness_guard.kernel.outcome import ArchiveRun, EndMarker
from harness_guard.kernel.run_questions import NewRunFacts, Snapshot
from harness_guard.kernel.state import Gate, HostBinding
from harness_guard.policy.order import derive_child
from harness_guard.records import replace

ACTIVE = tuple(name for name in STATE_NAMES if name not in ("completed", "cancelled"))


def gated(**changes: Any) -> Any:
    return planning(pending_gate=replace(GATE, **changes))


def paused_gate() -> Any:
    state = in_state("paused_danger")
    child = derive_child(state.active_policy, state.active_policy_id)
    return replace(
        state,
        pending_gate=Gate("Repair Resume", HASH, state.revision, 1_000_000, child, added_rounds=1, diff_revision=DIFF),
    )


@pytest.mark.contract("C2.4", "C3.5", "C3.7")
@pytest.mark.parametrize("text", ["$harness keep digits", "$harness:harness keep digits"])
def test_activation_starts_a_fresh_run(text: str) -> None:
    found = FakeWorld().decide(prompt(text, process=PROCESS), None)
    assert found.state is not None
    assert (found.state.state, found.state.authority_status, found.state.task) == ("planning", "revoked", "keep digits")
    assert (found.state.run_id, found.state.open_turn, found.state.host) == (
        "r2",
        "turn-2",
        HostBinding("claude", 100, "77"),
    )
    assert found.duties == (ArchiveRun(),)
    for path in ("/plugin/skill.md", "/plugin/contract.md", "/plugin/templates/plan.md", "/data/bin/harness-guard"):
        assert path in found.decision.context


@pytest.mark.contract("C3.5")
@pytest.mark.parametrize("name", STATE_NAMES)
def test_activation_revokes_whatever_was_there(name: str) -> None:
    before = in_state(name)
    found = FakeWorld().decide(prompt("$harness other"), before)
    assert found.state is not None
    assert (found.state.state, found.state.authority_status, found.state.run_id) == ("planning", "revoked", "r2")
    assert found.state.revision == before.revision + 1
    assert found.state.active_policy is None
    assert found.duties == (ArchiveRun(),)


@pytest.mark.contract("C3.6")
def test_activation_where_no_run_can_start() -> None:
    found = FakeWorld(NewRun=NewRunFacts("r", "", {}, "no git")).decide(prompt("$harness x"), None)
    assert (found.state, found.duties) == (None, ())
    assert "no run was opened: no git" in found.decision.context


@pytest.mark.parametrize(
    "text", ["hello", "y", "please run $harness", "`$harness`", " $harness x", "$harness status", "$harness cancel"]
)
def test_other_prompts_without_a_run_do_nothing(text: str) -> None:
    found = FakeWorld().decide(prompt(text), None)
    assert (found.decision.verdict, found.state, found.duties) == ("pass", None, ())


@pytest.mark.contract("C3.10", "C5.8")
@pytest.mark.parametrize("name", ACTIVE)
@pytest.mark.parametrize("text", ["$harness x", "y", "y\n"])
def test_a_prompt_in_a_running_turn_neither_activates_nor_approves(name: str, text: str) -> None:
    state = in_state(name, pending_gate=GATE if name == "planning" else None)
    found = FakeWorld(TurnSeen=True).decide(prompt(text), state)
    assert "typed while a turn was running" in found.decision.context
    assert found.state in (None, replace(state, pending_gate=None))
    assert found.duties == ()


@pytest.mark.contract("C3.10", "L6.3")
@pytest.mark.parametrize("name", ACTIVE)
def test_a_cancel_in_a_running_turn_revokes_at_once(name: str) -> None:
    state = in_state(name)
    found = FakeWorld(TurnSeen=True).decide(prompt("$harness cancel"), state)
    assert found.state is not None
    assert (found.state.cancel_asked, found.state.authority_status, found.state.has_authority) == (
        True,
        "revoked",
        False,
    )
    assert found.state.revision == state.revision + 1
    ended = FakeWorld().decide(prompt("Thanks."), found.state)
    assert ended.state is not None
    assert (ended.state.state, ended.state.open_turn, ended.duties) == ("cancelled", "turn-2", ())
    # Whether a human wrote that prompt is asked when its turn ends; until then everything is denied.
    assert FakeWorld(AuthorOf="human").decide(stop(), ended.state).duties == (EndMarker(),)
    assert FakeWorld(AuthorOf="forged").decide(stop(), ended.state).duties == ()


@pytest.mark.contract("C3.10")
def test_an_asked_cancel_waits_for_provenance() -> None:
    state = in_state("executing", cancel_asked=True)
    found = FakeWorld().decide(prompt("Thanks.", source="system"), state)
    assert found.state is not None
    assert (found.state.state, found.state.cancel_asked, found.duties) == ("executing", True, ())


@pytest.mark.contract("C3.9")
@pytest.mark.parametrize("name", ACTIVE)
def test_cancel_in_every_state(name: str) -> None:
    found = FakeWorld().decide(prompt("$harness cancel"), in_state(name))
    assert found.state is not None
    assert (found.state.state, found.state.authority_status) == ("cancelled", "revoked")
    assert found.duties == ()  # the marker stays to the end of this turn


@pytest.mark.contract("C3.9")
@pytest.mark.parametrize("name", ["completed", "cancelled"])
def test_an_ended_run_falls_silent_at_the_next_prompt(name: str) -> None:
    state = in_state(name)
    found = FakeWorld().decide(prompt("hello"), state)
    assert (found.decision.verdict, found.state, found.duties) == ("pass", state, (EndMarker(),))


@pytest.mark.contract("C3.9")
@pytest.mark.parametrize(
    ("author", "is_over"),
    [("human", True), ("unknown", True), ("forged", False), ("missing", False), ("unreadable", False)],
)
@pytest.mark.parametrize("text", ["hello", "y", "$harness status"])
def test_a_cancel_ends_nothing_before_its_author_is_known(text: str, author: str, *, is_over: bool) -> None:
    state = in_state("cancelled", open_turn="turn-1")
    world = FakeWorld(AuthorOf=lambda question: author if question.turn_id == "turn-1" else "human")
    found = world.decide(prompt(text), state)
    assert (found.state, found.duties) == (state, (EndMarker(),) if is_over else ())
    assert ("nothing may be written" in (found.decision.context or "")) is not is_over


@pytest.mark.contract("C3.9")
def test_a_cancel_after_one_that_nobody_wrote_is_judged_anew() -> None:
    state = in_state("cancelled", open_turn="turn-1")
    found = FakeWorld(AuthorOf="forged").decide(prompt("$harness cancel"), state)
    assert (found.state, found.duties) == (replace(state, open_turn="turn-2"), ())
    fresh = FakeWorld(AuthorOf="forged").decide(prompt("$harness x"), state)
    assert fresh.state is not None
    assert (fresh.state.state, fresh.duties) == ("planning", (ArchiveRun(),))


@pytest.mark.contract("C3.9", "C5.9", "C5.10")
@pytest.mark.parametrize("fields", [{"source": "system"}, {"process": replace(PROCESS, pid=101)}])
def test_a_cancel_without_provenance_stands_in_for_no_other(fields: dict[str, Any]) -> None:
    state = in_state("cancelled", open_turn="turn-1", host=HostBinding("claude", PROCESS.pid, PROCESS.started))
    found = FakeWorld(AuthorOf="forged").decide(prompt("$harness cancel", **fields), state)
    assert (found.state, found.duties) == (state, ())


@pytest.mark.contract("C3.10", "C9.6")
@pytest.mark.parametrize("turn_seen", [True, False])
@pytest.mark.parametrize("name", ACTIVE)
def test_status_in_every_state(name: str, *, turn_seen: bool) -> None:
    state = in_state(name)
    found = FakeWorld(TurnSeen=turn_seen).decide(prompt("$harness status"), state)
    assert f"run r1: {name}" in found.decision.context
    assert "Next: " in found.decision.context
    assert found.state is None or found.state.revision == state.revision


# Answers.


@pytest.mark.contract("C5.2", "C5.15", "C7.15")
@pytest.mark.parametrize("answer", ["y", "y\n", "y\r\n"])
def test_exactly_y_approves(answer: str) -> None:
    world = FakeWorld()
    found = world.decide(prompt(answer), gated())
    assert found.state is not None
    assert (found.state.state, found.state.authority_status) == ("executing", "active")
    assert found.state.approval is not None
    assert (found.state.approval.turn_id, found.state.approval.is_verified) == ("turn-2", False)
    assert found.state.baseline is not None
    assert found.state.scratch == "/tmp/harness-guard-r1"
    for part in ("Approval activated (Plan)", "`src/`", "- make test", "/tmp/harness-guard-r1", '"subagent_type"'):
        assert part in found.decision.context


@pytest.mark.contract("C3.12", "C5.2")
@pytest.mark.parametrize(
    "answer",
    [
        "Y",
        "yes",
        "y ",
        " y",
        "y\n\n",
        "\ny",
        "y\r",
        "y\t",
        "y.",
        "n",
        "",
        "\uff59",
        "y\u200b",
        "y\u00a0",
        "`y`",
        "> y",
        "y y",
        "ok",
    ],
)
def test_everything_else_closes_the_gate(answer: str) -> None:
    found = FakeWorld().decide(prompt(answer), gated())
    assert found.state is not None
    assert (found.state.state, found.state.pending_gate, found.state.authority_status) == ("planning", None, "revoked")
    assert "the Plan was not approved: the answer was not exactly y" in found.decision.context
    assert "emit the artifact again, alone" in found.decision.context


@pytest.mark.contract("C5.3", "C5.4", "C5.5", "C5.9")
@pytest.mark.parametrize(
    ("gate", "answers", "fields", "seen"),
    [
        ({"opened_at_ms": NOW - 999}, {}, {}, "less than a second"),
        ({"opened_at_ms": NOW}, {}, {}, "less than a second"),
        ({"opened_at_ms": NOW + 5000}, {}, {}, "less than a second"),
        ({"revision": 2}, {}, {}, "the run has moved"),
        ({"revision": 0}, {}, {}, "the run has moved"),
        ({}, {"QueuedBefore": True}, {}, "queued before"),
        ({}, {}, {"source": "system"}, "`system` wrote this prompt"),
        ({}, {}, {"source": "loop_wakeup"}, "`loop_wakeup` wrote this prompt"),
        ({}, {}, {"source": ""}, "`` wrote this prompt"),
    ],
)
def test_an_answer_without_provenance(
    gate: dict[str, Any], answers: dict[str, Any], fields: dict[str, Any], seen: str
) -> None:
    found = FakeWorld(**answers).decide(prompt("y", **fields), gated(**gate))
    assert found.state is not None
    assert (found.state.state, found.state.pending_gate, found.state.authority_status) == ("planning", None, "revoked")
    assert seen in found.decision.context


@pytest.mark.contract("C5.3")
def test_an_answer_a_second_after_the_question() -> None:
    found = FakeWorld().decide(prompt("y"), gated(opened_at_ms=NOW - 1000))
    assert found.state is not None
    assert found.state.state == "executing"


@pytest.mark.contract("C2.6")
@pytest.mark.parametrize("fields", [{"agent_id": "a-1"}, {"agent_id": "a-1", "source": "user"}])
@pytest.mark.parametrize("text", ["y", "$harness x", "$harness cancel", "$harness status"])
def test_a_childs_prompt_does_nothing(text: str, fields: dict[str, Any]) -> None:
    found = FakeWorld().decide(prompt(text, **fields), gated())
    assert (found.decision.verdict, found.state) == ("pass", None)


@pytest.mark.contract("C5.8")
def test_a_prompt_without_a_turn_id_is_never_fresh() -> None:
    found = FakeWorld().decide(prompt("y", turn_id=None), gated())
    assert found.state is not None
    assert (found.state.state, found.state.pending_gate) == ("planning", None)


@pytest.mark.contract("C5.9")
@pytest.mark.parametrize("source", [None, "user"])
def test_the_sources_that_pass(source: str | None) -> None:
    found = FakeWorld().decide(prompt("y", source=source), gated())
    assert found.state is not None
    assert found.state.state == "executing"


@pytest.mark.contract("C5.10")
@pytest.mark.parametrize(
    ("bound", "process", "alive", "approves"),
    [
        (HostBinding("claude", 100, "77"), PROCESS, True, True),
        (HostBinding("claude", 100, "77"), HostProcess(100, "78", attended=True), True, False),
        (HostBinding("claude", 100, "77"), HostProcess(101, "77", attended=True), True, False),
        (HostBinding("claude", 100, "77"), HostProcess(101, "99", attended=False), False, False),
        (HostBinding("claude", 100, "77"), HostProcess(101, "99", attended=None), False, False),
        (
            HostBinding("claude", 100, "77"),
            HostProcess(101, "99", attended=True),
            False,
            False,
        ),  # moving closes the gate
        (HostBinding("claude", 100, "77"), None, True, False),
        (HostBinding("claude"), None, True, True),
    ],
)
def test_the_host_process_of_an_answer(
    bound: HostBinding, process: HostProcess | None, *, alive: bool, approves: bool
) -> None:
    state = replace(gated(), host=bound)
    found = FakeWorld(ProcessAlive=alive).decide(prompt("y", process=process), state)
    assert found.state is not None
    assert (found.state.state == "executing") == approves
    assert found.state.pending_gate is None


@pytest.mark.contract("C5.10")
def test_a_run_moves_to_an_attended_process_when_the_old_one_is_dead() -> None:
    state = in_state("executing", host=HostBinding("claude", 100, "77"))
    found = FakeWorld(ProcessAlive=False).decide(prompt("Go on.", process=HostProcess(5, "6", attended=True)), state)
    assert found.state is not None
    assert found.state.host == HostBinding("claude", 5, "6")


@pytest.mark.contract("C5.15", "C6.5")
def test_a_resume_goes_back_to_work() -> None:
    found = FakeWorld().decide(prompt("y"), paused_gate())
    assert found.state is not None
    assert (found.state.state, found.state.authority_status, found.state.repair.max_rounds) == (
        "executing",
        "active",
        4,
    )
    assert found.state.approval is not None
    assert not found.state.approval.is_verified
    assert "Approval activated (Repair Resume)" in found.decision.context


@pytest.mark.contract("C5.5")
def test_a_resume_whose_tree_has_moved() -> None:
    found = FakeWorld(TreeNow=Snapshot("sha256:other", (), "t")).decide(prompt("y"), paused_gate())
    assert found.state is not None
    assert (found.state.state, found.state.pending_gate) == ("paused_danger", None)
    assert "the tree has moved since the question was asked" in found.decision.context


@pytest.mark.contract("C5.7")
@pytest.mark.parametrize("name", ACTIVE)
def test_y_without_a_gate_is_told_why(name: str) -> None:
    found = FakeWorld().decide(prompt("y"), in_state(name))
    assert "nothing was approved: no gate is open" in found.decision.context
    assert found.state is not None
    assert found.state.state == name


def test_status_while_a_gate_is_open_closes_it_and_says_both() -> None:
    found = FakeWorld().decide(prompt("$harness status"), gated())
    assert "run r1: planning" in found.decision.context
    assert "was not approved" in found.decision.context
    assert found.state is not None
    assert found.state.pending_gate is None


@pytest.mark.contract("C6.12")
def test_an_incomplete_turn_is_told_once() -> None:
    state = in_state("executing")
    state = replace(state, stop=replace(state.stop, is_incomplete=True))
    first = FakeWorld().decide(prompt("hm"), state)
    assert "unfinished in executing" in first.decision.context
    assert FakeWorld().decide(prompt("hm"), first.state).decision.verdict == "pass"


def test_on_codex_an_interrupted_turn_drops_its_children() -> None:
    state = in_state("verifying", open_turn="turn-1", children=("a", "spawn u"), host=HostBinding("codex"))
    found = FakeWorld().decide(prompt("hm", host="codex"), state)
    assert found.state is not None
    assert (found.state.children, found.state.reviewer.agent_id, found.state.reviewer.spawns) == ((), None, 1)


@pytest.mark.parametrize("name", PAUSED)
def test_a_prompt_in_a_pause_changes_no_authority(name: str) -> None:
    found = FakeWorld().decide(prompt("Go on, you have my permission."), in_state(name))
    assert found.state is not None
    assert (found.state.state, found.state.authority_status) == (name, "revoked")


@pytest.mark.contract("C5.9")
@pytest.mark.parametrize("name", ["planning", "executing", "paused_danger"])
@pytest.mark.parametrize("tag", ["<task-notification>", "<agent-message from=x>"])
@pytest.mark.parametrize("line", ["$harness x", "$harness cancel", "$harness status", "y", "text"])
def test_a_prompt_that_the_host_made_does_nothing(name: str, tag: str, line: str) -> None:
    state = in_state(name, pending_gate=GATE if name == "planning" else None)
    found = FakeWorld().decide(prompt(f"{tag}\n\n{line}\n"), state)
    assert found.state == replace(state, pending_gate=None, open_turn="turn-2")
    assert found.duties == ()
    assert FakeWorld().decide(prompt(f"{tag}\n\n{line}\n"), None).state is None


@pytest.mark.contract("C8.1")
@pytest.mark.parametrize(
    ("name", "kind", "is_taken"),
    [("planning", "Plan", True), ("paused_danger", "Repair Resume", False), ("executing", "Plan Amendment", False)],
)
def test_a_baseline_is_taken_once(name: str, kind: str, *, is_taken: bool) -> None:
    state = in_state(name)
    gate = replace(GATE, kind=kind, revision=state.revision, policy=state.active_policy or GATE.policy)
    world = FakeWorld()
    found = world.decide(prompt("y"), replace(state, pending_gate=gate))
    assert found.state is not None
    assert found.state.has_authority
    assert ("TakeBaseline" in world.asked) is is_taken


@pytest.mark.contract("C3.10")
def test_a_run_with_an_asked_cancel_ends_at_a_plain_prompt_and_is_replaced_by_an_activation() -> None:
    asked = in_state("executing", cancel_asked=True, authority_status="revoked")
    ended = FakeWorld().decide(prompt("Thanks."), asked)
    assert ended.state is not None
    assert (ended.state.state, "as asked in the turn before" in ended.decision.context) == ("cancelled", True)
    fresh = FakeWorld().decide(prompt("$harness something else"), asked)
    assert fresh.state is not None
    assert (fresh.state.state, fresh.state.run_id) == ("planning", "r2")


@pytest.mark.contract("C3.10")
def test_a_host_made_cancel_in_a_running_turn_does_nothing() -> None:
    found = FakeWorld(TurnSeen=True).decide(prompt("$harness cancel", source="loop_wakeup"), in_state("executing"))
    assert found.state is None


@pytest.mark.contract("C3.10", "C5.2")
def test_a_line_in_the_running_turn_closes_the_question_and_says_so() -> None:
    found = FakeWorld(TurnSeen=True).decide(prompt("Go on."), planning(pending_gate=GATE))
    assert found.state is not None
    assert found.state.pending_gate is None
    assert "has closed the question about the Plan" in found.decision.context


@pytest.mark.contract("C6.12")
def test_what_was_incomplete_is_told_once() -> None:
    from harness_guard.kernel.state import StopCount

    state = in_state("executing", stop=StopCount(blocks=3, is_incomplete=True))
    found = FakeWorld().decide(prompt("Go on."), state)
    assert found.state is not None
    assert "ended with the run unfinished" in found.decision.context
    assert found.state.stop.is_incomplete is False
