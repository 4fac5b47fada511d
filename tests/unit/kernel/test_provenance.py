"""Who is behind a call: the process it comes from, the author of a cancel, and what may prompt whom (contract 5)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import GATE, FakeWorld, event, in_state, stop

from harness_guard.kernel.decision import PASS, deny
from harness_guard.kernel.event import HostProcess
from harness_guard.kernel.outcome import EndMarker, Outcome
from harness_guard.kernel.provenance import check_process, prompting_problem
from harness_guard.kernel.questions import AuthorOf
from harness_guard.kernel.state import HostBinding
from harness_guard.kernel.texts import next_step

HERE = "Type a prompt in this host after the other one has ended."
TERMINAL = "Resume the session in a terminal, where a human attends, and type a prompt there."


@pytest.mark.parametrize(
    ("process", "host", "remedy"),
    [
        (None, HostBinding("claude"), None),
        (None, HostBinding("claude", 7, "1"), None),
        (HostProcess(7, "1", attended=True), HostBinding("claude"), None),
        (HostProcess(7, "1", attended=True), HostBinding("claude", 7, "1"), None),
        (HostProcess(8, "1", attended=True), HostBinding("claude", 7, "1"), HERE),
        (HostProcess(7, "2", attended=True), HostBinding("claude", 7, "1"), HERE),
        (HostProcess(8, "1", attended=False), HostBinding("claude", 7, "1"), TERMINAL),
        (HostProcess(8, "1"), HostBinding("claude", 7, "1"), TERMINAL),
    ],
)
def test_which_process_a_call_may_come_from(process: HostProcess | None, host: HostBinding, remedy: str | None) -> None:
    found = check_process(event("PreToolUse", process=process), in_state("executing", host=host))
    if remedy is None or process is None:
        assert found is None
        return
    seen = f"this call comes from host process {process.pid}, the run belongs to process 7"
    assert found == deny("identity.process", seen, remedy)


@pytest.mark.parametrize(
    ("name", "changes", "passes"),
    [
        ("executing", {}, True),
        ("auto_repairing", {}, True),
        ("executing", {"pending_gate": GATE}, False),
        ("executing", {"cancel_asked": True}, False),
        ("planning", {}, False),
        ("verifying", {}, False),
        ("verifying", {"authority_status": "active"}, False),
        ("paused_danger", {}, False),
    ],
)
def test_only_work_that_goes_on_prompts(name: str, changes: dict[str, Any], *, passes: bool) -> None:
    state = in_state(name, **changes)
    seen = f"`CronCreate` would make a prompt or reach a child while the run is {name}"
    assert prompting_problem("CronCreate", state) == (
        None if passes else deny("prompt.not-now", seen, next_step(state))
    )


@pytest.mark.contract("C3.9")
def test_a_cancel_whose_stop_was_judged_is_not_asked_about_again() -> None:
    world = FakeWorld(AuthorOf="missing")
    state = in_state("cancelled", open_turn=None)
    assert world.decide(stop("Done."), state) == Outcome(PASS, state, (EndMarker(),))
    assert world.asked == []


@pytest.mark.contract("C3.9")
def test_who_wrote_a_cancel_is_asked_of_its_own_turn_from_the_beginning() -> None:
    asked: list[AuthorOf] = []

    def author_of(question: AuthorOf) -> str:
        asked.append(question)
        return "human"

    FakeWorld(AuthorOf=author_of).decide(stop("Done."), in_state("cancelled", open_turn="turn-9"))
    assert asked == [AuthorOf("claude", "/t.jsonl", "turn-9", 0)]
