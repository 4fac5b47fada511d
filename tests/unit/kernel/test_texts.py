"""The next step in every state, as answers name it (promise P9)."""

from __future__ import annotations

import pytest
from fake_world import COMMAND, GATE, STATE_NAMES, in_state, planning

from harness_guard.kernel.run_questions import CommandRun
from harness_guard.kernel.texts import approval_text, next_step, status_text
from harness_guard.kernel.verification import tail_of
from harness_guard.records import replace

WORDS = {
    "planning": "Fill in the # Plan",
    "executing": "spawn the Reviewer",
    "auto_repairing": "emit the # Repair Record",
    "verifying": "relay its Review",
    "reviewing": "Fill in the # Completion",
    "completed": "the run is complete",
    "cancelled": "the run is cancelled",
}


@pytest.mark.parametrize("name", STATE_NAMES)
def test_every_state_names_its_next_step(name: str) -> None:
    told = next_step(in_state(name, command=COMMAND))
    assert WORDS.get(name, "Emit the Repair Resume") in told
    if name.startswith("paused_"):
        assert "# Plan Amendment" in told
        assert "$harness cancel" in told


@pytest.mark.parametrize("kind", ["Plan", "Plan Amendment", "Repair Resume"])
def test_an_open_question_comes_first(kind: str) -> None:
    state = planning(pending_gate=replace(GATE, kind=kind))  # type: ignore[type-var]
    assert next_step(state) == f"End your turn and wait for the human's answer to the {kind}."


def test_an_asked_cancel_comes_before_everything() -> None:
    state = in_state("executing", cancel_asked=True, pending_gate=GATE)
    assert next_step(state).startswith("End your turn; the run ends")


@pytest.mark.contract("C5.15")
def test_an_approval_names_what_it_has_put_in_force() -> None:
    told = approval_text(in_state("executing"), "Plan Amendment")
    for words in (
        "Approval activated (Plan Amendment)",
        "`src/`, `docs/*.md`",
        "- make test",
        "mcp__files__put",
        "/tmp/",
    ):
        assert words in told
    assert "spawn the Reviewer" in told
    assert "Findings of this round:\n- R1-F1 src/a.py: wrong" in approval_text(
        in_state("auto_repairing"), "Repair Resume"
    )


def test_a_person_reads_the_whole_run_in_its_status() -> None:
    told = status_text(in_state("auto_repairing", accepted_amendment_hash="sha256:" + "b" * 64))
    for words in (
        "auto_repairing, authority active",
        "boundary: src/, docs/*.md",
        "exact commands: make test; sh check.sh",
        "approved tools: mcp__files__put",
        "amended by: sha256:bbbb",
        "number 2 of its line",
        "review round: 1",
        "repair: round 1 of 3; the same finding came again 0 times, Records without progress 0",
        "open findings: R1-F1 (src/a.py)",
    ):
        assert words in told
    assert "waiting for the human's y to the Plan" in status_text(planning(pending_gate=GATE))
    assert "exact commands" not in status_text(planning())


def test_a_verifying_run_without_a_reviewer_asks_for_one() -> None:
    from harness_guard.kernel.state import Reviewer

    assert next_step(in_state("verifying", reviewer=Reviewer(spawns=1))).startswith("Spawn the Reviewer")
    assert next_step(in_state("verifying")).startswith("Wait for the Reviewer")


def test_a_round_of_a_red_claim_is_about_its_command_alone() -> None:
    state = in_state("auto_repairing", latest_finding_ids=("V1",), open_findings=(("R1-F1", "src/a.py", "old"),))
    assert approval_text(state, "Repair Resume").endswith("Findings of this round:\n- V1: required verification is red")


@pytest.mark.parametrize(("tail", "told"), [("x\n", "The end of its output:\nx\n"), ("", "")])
def test_no_output_is_not_quoted(tail: str, told: str) -> None:
    assert tail_of(CommandRun("V1", "sh check.sh", 1, timed_out=False, tail=tail)) == told
    assert tail_of(None) == ""


@pytest.mark.parametrize(("host", "is_told"), [("codex", True), ("claude", False)])
def test_only_codex_is_told_of_spawn_tools_without_a_task_name(host: str, *, is_told: bool) -> None:
    from harness_guard.kernel.state import HostBinding
    from harness_guard.kernel.texts import spawn_block

    told = spawn_block(in_state("executing", host=HostBinding(host)))
    assert ("no task_name" in told) is is_told


def test_an_empty_boundary_is_named_as_nothing() -> None:
    state = in_state("executing")
    assert state.active_policy is not None
    empty = replace(state, active_policy=replace(state.active_policy, boundary=()))
    assert "You may write: nothing." in approval_text(empty, "Plan")


@pytest.mark.parametrize(
    ("status", "timed_out", "told"),
    [
        (3, False, "V1 `sh check.sh` exited 3"),
        (None, False, "V1 `sh check.sh` could not be started"),
        (-9, True, "V1 `sh check.sh` was ended at its time limit"),
    ],
)
def test_how_a_command_ended(status: int | None, told: str, *, timed_out: bool) -> None:
    from harness_guard.kernel.verification import name_of

    assert name_of(CommandRun("V1", "sh check.sh", status, timed_out=timed_out, tail="")) == told
    assert name_of(None) == "no command"


@pytest.mark.parametrize(
    ("green", "told"),
    [(None, "verification: not run yet"), (True, "verification: green at d"), (False, "verification: red at d")],
)
def test_the_status_tells_how_verification_stands(told: str, *, green: bool | None) -> None:
    assert told in status_text(in_state("executing", evidence_green=green, diff_revision="d"))


@pytest.mark.parametrize(("command", "told"), [(COMMAND, f"`{COMMAND} artifact"), ("", "`harness-guard artifact")])
def test_the_ways_out_name_the_one_command(command: str, told: str) -> None:
    from harness_guard.kernel.texts import choices_text

    assert f"{told} plan-amendment`" in choices_text(in_state("paused_danger", command=command), "RESUME")


@pytest.mark.contract("L4.2")
@pytest.mark.parametrize(
    ("name", "told"),
    [("paused_budget", "repair round 1 begins"), ("paused_danger", "the run goes on in executing")],
)
def test_the_ways_out_say_what_a_resume_does(name: str, told: str) -> None:
    from harness_guard.kernel.texts import choices_text

    assert told in choices_text(in_state(name), "RESUME")
