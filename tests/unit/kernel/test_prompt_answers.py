"""What a prompt is answered with: whose it is, whether its turn is new, and what follows, in whole outcomes (contract 5)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import (
    COMMAND,
    DIFF,
    GATE,
    HASH,
    PLANE,
    PROCESS,
    ROOT,
    SESSION,
    TREE,
    FakeWorld,
    event,
    in_state,
    planning,
    prompt,
)

from harness_guard.kernel.decision import PASS, context
from harness_guard.kernel.event import HostProcess
from harness_guard.kernel.outcome import ArchiveRun, EndMarker, Outcome
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.kernel.state import Baseline, Gate, HostBinding, Reviewer, RunState, StopCount
from harness_guard.kernel.texts import next_step, status_text
from harness_guard.policy.order import derive_child
from harness_guard.records import replace

MID_TURN = context(
    "harness-guard: this line was typed while a turn was running, so it neither activates nor approves anything. "
    "Next: let the turn end; the human types it again as a prompt of its own."
)
AGAIN = "Next: Answer the human first; then emit the artifact again, alone, as your whole message."
NOTHING_HERE = "harness-guard: this prompt can do nothing here: "
HOST_MADE = "<task-notification>\nend\n</task-notification>"


def gated(**changes: Any) -> Any:
    return planning(pending_gate=GATE, **changes)


def paused_gate() -> Any:
    state = in_state("paused_danger")
    assert state.active_policy is not None
    child = derive_child(state.active_policy, str(state.active_policy_id))
    gate = Gate("Repair Resume", HASH, state.revision, 1_000_000, child, added_rounds=1, diff_revision=DIFF)
    return replace(state, pending_gate=gate)


@pytest.mark.parametrize("name", ["Stop", "SubagentStart", "SubagentStop", "PreToolUse", "ConfigChange"])
def test_a_session_without_a_run_is_left_alone(name: str) -> None:
    world = FakeWorld()
    assert world.decide(event(name, tool_name="Write", agent_id="a"), None) == Outcome(PASS)
    assert world.asked == []


# Whether its turn is new.


@pytest.mark.parametrize(
    ("turn", "open_turn", "is_seen", "is_fresh"),
    [
        ("turn-2", None, False, True),
        ("turn-2", "turn-1", False, True),
        ("turn-2", "turn-2", False, False),
        ("turn-2", None, True, False),
        (None, "turn-1", False, False),
    ],
)
def test_only_a_new_turn_answers(turn: str | None, open_turn: str | None, *, is_seen: bool, is_fresh: bool) -> None:
    found = FakeWorld(TurnSeen=is_seen).decide(prompt("y", turn_id=turn), gated(open_turn=open_turn))
    assert found.state is not None
    assert (found.state.state == "executing", found.decision == MID_TURN) == (is_fresh, not is_fresh)
    assert found.state.pending_gate is None


@pytest.mark.parametrize(("turn", "is_seen"), [(None, False), ("turn-2", True)])
def test_no_run_begins_in_a_running_turn(turn: str | None, *, is_seen: bool) -> None:
    assert FakeWorld(TurnSeen=is_seen).decide(prompt("$harness x", turn_id=turn), None) == Outcome(MID_TURN)


def test_no_run_begins_by_anyone_but_the_user() -> None:
    assert FakeWorld().decide(prompt("$harness x", source="assistant"), None) == Outcome(PASS)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("completed", "$harness status", None),
        ("completed", "$harness cancel", Outcome(MID_TURN)),
        ("completed", "hello", Outcome(PASS)),
        ("executing", "hello", Outcome(PASS)),
        ("executing", f"{HOST_MADE}\n\n$harness status", Outcome(PASS)),
        ("executing", "y", Outcome(MID_TURN)),
    ],
)
def test_a_line_in_a_running_turn(name: str, text: str, expected: Outcome | None) -> None:
    state = in_state(name, open_turn="turn-2")
    assert FakeWorld().decide(prompt(text), state) == (expected or Outcome(context(status_text(state))))


@pytest.mark.parametrize("author", ["missing", "forged", "human"])
def test_a_completed_run_falls_silent_whoever_wrote_what_before(author: str) -> None:
    state = in_state("completed", open_turn="turn-1")
    world = FakeWorld(AuthorOf=author)
    assert world.decide(prompt("hello"), state) == Outcome(PASS, state, (EndMarker(),))
    assert "AuthorOf" not in world.asked


@pytest.mark.contract("C3.5")
@pytest.mark.parametrize(("before", "revision"), [(None, 1), ("completed", 8), ("executing", 8)])
def test_a_run_begins_with_nothing_but_its_task(before: str | None, revision: int) -> None:
    ended = in_state(before, revision=7) if before else None
    found = FakeWorld(ProcessAlive=False).decide(prompt("$harness keep digits", process=PROCESS), ended)
    assert found.state == RunState(
        revision=revision,
        run_id="r2",
        session_id=SESSION,
        repository_root=ROOT,
        state="planning",
        authority_status="revoked",
        host=HostBinding("claude", PROCESS.pid, PROCESS.started),
        task="keep digits",
        control_plane=dict(PLANE),
        open_turn="turn-2",
        plugin_version="0.1.0",
        command=COMMAND,
        templates="/plugin/templates",
    )
    assert (found.duties, found.note) == ((ArchiveRun(),), "activated")


# Whose it is.


@pytest.mark.contract("C5.9")
@pytest.mark.parametrize(
    ("text", "gate", "is_told"),
    [
        ("hello", None, False),
        ("y", None, True),
        ("$harness status", None, True),
        ("$harness x", None, True),
        ("hello", GATE, True),
        ("y", GATE, True),
    ],
)
def test_a_prompt_of_another_author_is_told_only_if_it_would_do_something(
    text: str, gate: Gate | None, *, is_told: bool
) -> None:
    state = planning(pending_gate=gate, stop=StopCount(is_incomplete=True))
    found = FakeWorld().decide(prompt(text, source="assistant"), state)
    closed = replace(state, pending_gate=None, open_turn="turn-2")
    told = context(f"{NOTHING_HERE}the host says that `assistant` wrote this prompt, not the user. {AGAIN}")
    assert found == (Outcome(told, closed, note="no provenance") if is_told else Outcome(PASS, closed))


def test_a_prompt_that_the_host_made_closes_the_question_in_the_hosts_name() -> None:
    found = FakeWorld().decide(prompt(HOST_MADE), gated())
    assert found.decision == context(f"{NOTHING_HERE}the host itself made this prompt. {AGAIN}")
    incomplete = planning(stop=StopCount(is_incomplete=True))
    after = FakeWorld().decide(prompt(HOST_MADE), incomplete)
    assert after == Outcome(PASS, replace(incomplete, open_turn="turn-2"))  # not told, so the human still will be


@pytest.mark.parametrize(
    ("attended", "is_alive", "is_moved", "problem"),
    [
        (True, False, True, None),
        (False, False, False, "it comes from host process 100, which no human attends"),
        (None, False, False, "it comes from host process 100, which no human attends"),
        (True, True, False, "it comes from host process 100, and the run's own process 7 still runs"),
    ],
)
def test_a_run_moves_only_to_an_attended_process_and_only_from_a_dead_one(
    attended: bool | None, problem: str | None, *, is_alive: bool, is_moved: bool
) -> None:
    state = in_state("executing", host=HostBinding("claude", 7, "1"))
    process = HostProcess(100, "77", attended)
    found = FakeWorld(ProcessAlive=is_alive).decide(prompt("$harness status", process=process), state)
    assert found.state is not None
    assert found.state.host == (HostBinding("claude", 100, "77") if is_moved else state.host)
    if problem is not None:
        assert found.decision == context(f"{NOTHING_HERE}{problem}. {AGAIN}")


@pytest.mark.parametrize(
    ("host", "open_turn", "is_dropped"),
    [("codex", "turn-1", True), ("codex", None, False), ("claude", "turn-1", False), ("claude", None, False)],
)
def test_only_codex_drops_children_with_an_interrupted_turn(
    host: str, open_turn: str | None, *, is_dropped: bool
) -> None:
    state = in_state("verifying", children=("c",), open_turn=open_turn, host=HostBinding(host))
    after = FakeWorld().decide(prompt("hello", host=host), state).state
    assert after is not None
    assert after.children == (() if is_dropped else ("c",))
    assert after.reviewer == (Reviewer(spawns=1) if is_dropped else state.reviewer)


# What follows.


@pytest.mark.parametrize(
    ("name", "is_told", "says"),
    [("planning", False, True), ("planning", True, False), ("executing", False, False), ("paused_danger", True, False)],
)
def test_an_activation_that_was_judged_in_silence_is_told_while_it_matters(
    name: str, *, is_told: bool, says: bool
) -> None:
    state = in_state(name, is_told=is_told)
    found = FakeWorld().decide(prompt("hello"), state)
    assert found.state == replace(state, is_told=True, open_turn="turn-2")
    assert (found.decision.verdict == "context", "/plugin/skill.md" in found.decision.context) == (says, says)


@pytest.mark.parametrize("name", ["planning", "executing", "paused_danger"])
@pytest.mark.parametrize("is_incomplete", [True, False])
def test_what_was_left_unfinished_is_told_at_the_next_prompt_and_no_more(name: str, *, is_incomplete: bool) -> None:
    state = in_state(name, stop=StopCount(blocks=1, is_incomplete=is_incomplete))
    after = replace(state, open_turn="turn-2", stop=StopCount(blocks=1))
    text = f"harness-guard: the last turn ended with the run unfinished in {name}. Next: {next_step(state)}"
    assert FakeWorld().decide(prompt("hello"), state) == Outcome(context(text) if is_incomplete else PASS, after)


@pytest.mark.parametrize(
    ("text", "fields", "changes", "answers", "problem"),
    [
        ("yes", {}, {}, {}, "the answer was not exactly y"),
        ("y", {"is_late": True}, {}, {}, "the y was judged later than it was typed"),
        ("y", {}, {"host": HostBinding("claude", 7)}, {}, "the host does not say which process the y came from"),
        (
            "y",
            {},
            {},
            {"Now": 1_000_999},
            "the y came less than a second after the question, so it was typed before it could be read",
        ),
        ("y", {}, {"revision": 2}, {}, "the run has moved since the question was asked"),
        (
            "y",
            {},
            {},
            {"QueuedBefore": True},
            "the host's transcript shows the y as queued before the question was asked",
        ),
        ("$harness status", {}, {}, {}, "the answer was not exactly y"),
    ],
)
def test_why_a_plan_was_not_approved(
    text: str, fields: dict[str, Any], changes: dict[str, Any], answers: dict[str, Any], problem: str
) -> None:
    state = gated(**changes)
    closed = replace(state, pending_gate=None, open_turn="turn-2")
    told = f"harness-guard: the Plan was not approved: {problem}. {AGAIN}"
    if text == "$harness status":
        told = f"{status_text(closed)}\n{told}"
    expected = Outcome(context(told), closed, note="gate closed")
    assert FakeWorld(**answers).decide(prompt(text, **fields), state) == expected


def test_a_resume_that_was_not_approved_is_handed_out_anew() -> None:
    moved = "sha256:" + "e" * 64
    found = FakeWorld(TreeNow=Snapshot(moved, (), TREE)).decide(prompt("y"), paused_gate())
    told = (
        "harness-guard: the Repair Resume was not approved: the tree has moved since the question was asked, "
        f"from {DIFF} to {moved}. {AGAIN}\n# Repair Resume\n"
    )
    assert found.decision.context.startswith(told)
    assert moved in found.decision.context.removeprefix(told)
    assert found.note == "gate closed"


@pytest.mark.parametrize("baseline", [None, Baseline("e" * 40, "2" * 40)])
def test_a_baseline_that_is_there_stays(baseline: Baseline | None) -> None:
    world = FakeWorld()
    after = world.decide(prompt("y"), gated(baseline=baseline, scratch="/tmp/old")).state
    assert after is not None
    assert after.baseline == (baseline or Baseline("c" * 40, TREE))
    assert after.scratch == ("/tmp/old" if baseline else "/tmp/harness-guard-r1")
    assert ("TakeBaseline" in world.asked) == (baseline is None)


def test_a_resume_takes_no_baseline() -> None:
    world = FakeWorld()
    after = world.decide(prompt("y"), replace(paused_gate(), baseline=None)).state
    assert after is not None
    assert (after.state, after.baseline) == ("executing", None)
    assert "TakeBaseline" not in world.asked


def test_a_process_that_is_known_says_where_an_answer_comes_from() -> None:
    state = gated(host=HostBinding("claude", PROCESS.pid, PROCESS.started))
    after = FakeWorld().decide(prompt("y", process=PROCESS), state).state
    assert after is not None
    assert after.state == "executing"
