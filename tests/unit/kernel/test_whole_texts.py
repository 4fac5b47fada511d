"""Whole answers: the status of a run, what an approval tells, the ways out of a pause, line by line (P9)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import COMMAND, DIFF, FINGERPRINT, GATE, HASH, POLICY, RED, RED_RUN, FakeWorld, in_state, planning

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.run_questions import Verification
from harness_guard.kernel.state import HostBinding, Repair
from harness_guard.kernel.texts import (
    activation_text,
    approval_text,
    bindings_text,
    choices_text,
    findings_text,
    next_step,
    policy_bindings_text,
    review_text,
    spawn_block,
    status_text,
)
from harness_guard.kernel.verification import after_engine, recorded, red, unavailable, without_evidence
from harness_guard.policy.digest import policy_id
from harness_guard.records import replace

POLICY_ID = policy_id(POLICY)


def bare(**changes: Any) -> Any:
    """A run whose policy allows nothing."""
    empty = replace(POLICY, boundary=(), commands=(), tools=())
    return in_state("executing", active_policy=empty, scratch="", **changes)


def test_the_status_of_a_run_that_has_just_begun() -> None:
    state = planning(task="")
    assert status_text(state).split("\n") == [
        "harness-guard run r1: planning, authority revoked",
        "repository: /repo",
        "plan: none accepted",
        "verification: not run yet",
        f"Next: {next_step(state)}",
    ]


def test_the_status_of_a_run_with_a_policy_that_allows_nothing() -> None:
    state = bare(task="")
    assert status_text(state).split("\n") == [
        "harness-guard run r1: executing, authority active",
        "repository: /repo",
        f"plan: {HASH}",
        "boundary: None",
        "exact commands: None",
        f"policy in force: {POLICY_ID}, number 1 of its line",
        "verification: not run yet",
        "repair: round 0 of 3; the same finding came again 0 times, Records without progress 0",
        f"Next: {next_step(state)}",
    ]


def test_the_status_of_a_run_in_which_everything_has_happened() -> None:
    state = in_state(
        "paused_budget",
        accepted_amendment_hash="sha256:" + "b" * 64,
        pending_gate=replace(GATE, kind="Repair Resume"),
        repair=Repair(round=2, max_rounds=3, repeated=3, no_progress=1),
        open_findings=(("R1-F1", "src/a.py", "wrong"), ("R1-F2", "src/b.py", "odd")),
        foreign=("x", "y"),
        told_outside=("z",),
        evidence_green=False,
        pause_reason="review.findings: wrong",
    )
    assert status_text(state).split("\n") == [
        "harness-guard run r1: paused_budget, authority revoked",
        "repository: /repo",
        "task: keep digits",
        f"plan: {HASH}",
        "boundary: src/, docs/*.md",
        "exact commands: make test; sh check.sh",
        "approved tools: mcp__files__put",
        "amended by: sha256:" + "b" * 64,
        f"policy in force: {state.active_policy_id}, number {len(state.lineage)} of its line",
        f"verification: red at {DIFF}",
        "review round: 1",
        (
            "repair: round 2 of 3; the same finding came again 2 times, Records without progress 1; "
            "open findings: R1-F1 (src/a.py), R1-F2 (src/b.py)"
        ),
        "waiting for the human's y to the Repair Resume",
        f"paused: review.findings: wrong (from {state.paused_from})",
        "changed by others: x, y",
        "changed outside by the run: z",
        f"Next: {next_step(state)}",
    ]


@pytest.mark.contract("C5.15")
def test_what_an_approval_tells() -> None:
    state = in_state("executing")
    assert approval_text(state, "Plan") == "\n".join(
        (
            "harness-guard: Approval activated (Plan). The run is executing.",
            "You may write: `src/`, `docs/*.md`.",
            "Exact commands, byte for byte, from /repo:\n- make test\n- sh check.sh",
            "Approved tools: mcp__files__put",
            "Scratch folder of this run: /tmp/harness-guard-r1",
            review_text(state),
        )
    )


@pytest.mark.contract("C5.15")
@pytest.mark.parametrize("policy", [replace(POLICY, boundary=(), commands=(), tools=()), None])
def test_what_an_approval_tells_where_it_allows_nothing(policy: Any) -> None:
    state = in_state("executing", active_policy=policy, scratch="")
    assert approval_text(state, "Plan") == "\n".join(
        (
            "harness-guard: Approval activated (Plan). The run is executing.",
            "You may write: nothing.",
            review_text(state),
        )
    )


@pytest.mark.parametrize("name", ["auto_repairing", "verifying", "reviewing"])
def test_what_an_approval_tells_behind_a_round(name: str) -> None:
    state = in_state(name, active_policy=None, scratch="")
    parts = {
        "auto_repairing": [f"Next: {next_step(state)}", findings_text(state)],
        "verifying": [review_text(state)],
        "reviewing": [f"Next: {next_step(state)}"],
    }
    first = f"harness-guard: Approval activated (Repair Resume). The run is {name}.\nYou may write: nothing."
    assert approval_text(state, "Repair Resume") == "\n".join((first, *parts[name]))


def test_how_to_claim() -> None:
    state = in_state("executing")
    assert review_text(state) == (
        "When the work is done, spawn the Reviewer with exactly these arguments and no others; the engine runs the\n"
        "required verification first, and the spawn is refused while it is red:\n" + spawn_block(state)
    )
    assert spawn_block(state).startswith(
        '```json\n{"description":"Clean-context review","prompt":"Clean-context read-only'
    )
    assert spawn_block(state).endswith('"subagent_type":"harness:clean-context-reviewer"}\n```')
    codex = spawn_block(replace(state, host=HostBinding("codex")))
    assert codex.startswith('```json\n{"fork_turns":"none","message":"Clean-context read-only')
    assert codex.endswith("```\nWhere your spawn tool has no task_name, pass message alone.")


def test_an_activation_names_files_template_and_command() -> None:
    installed = FakeWorld().answers["Installed"]
    assert activation_text(planning(), installed).split("\n") == [
        "harness-guard: run r1 is open in planning; nothing may be written before a Plan is approved.",
        "Read these two files now, and no other of the guard's:",
        "- /plugin/skill.md",
        "- /plugin/contract.md",
        "Then fill in the template of this phase: /plugin/templates/plan.md",
        f"The guard's command line has one spelling: {COMMAND}",
        f"It may run in every state: {COMMAND} status, {COMMAND} artifact plan",
        "Look around with read-only commands, then emit the # Plan as your whole message and end your turn.",
    ]


def test_what_artifacts_bind_to() -> None:
    state = in_state("reviewing")
    assert bindings_text(state).split("\n") == [
        f"accepted_plan_hash: {HASH}",
        "accepted_amendment_hash: null",
        f"diff_revision: {DIFF}",
        f"verification_fingerprint: {FINGERPRINT}",
        "review_round: 1",
    ]
    amended = replace(state, accepted_amendment_hash="sha256:2")
    assert 'accepted_amendment_hash: "sha256:2"' in bindings_text(amended).split("\n")
    assert policy_bindings_text(state) == f"source_plan_hash: {HASH}\nsource_policy_id: {POLICY_ID}"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), ""),
        (("R1-F1",), "Findings of this round:\n- R1-F1 src/a.py: wrong"),
        (
            ("V1", "R1-F1"),
            "Findings of this round:\n- V1: required verification is red\n- R1-F1 src/a.py: wrong",
        ),
    ],
)
def test_the_findings_of_a_round(names: tuple[str, ...], told: str) -> None:
    assert findings_text(in_state("auto_repairing", latest_finding_ids=names)) == told


@pytest.mark.contract("L4.2")
@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"repair": Repair(round=1, is_due=True)}, "repair round 2 begins"),
        ({"repair": Repair(), "paused_from": "verifying"}, "the run goes on in verifying"),
        ({"repair": Repair(), "paused_from": None}, "the work goes on"),
    ],
)
@pytest.mark.parametrize("command", ["", COMMAND])
def test_the_three_ways_out(changes: dict[str, Any], where: str, command: str) -> None:
    amendment = f"{command or 'harness-guard'} artifact plan-amendment"
    assert choices_text(in_state("paused_danger", command=command, **changes), "RESUME").split("\n") == [
        "The run is paused and its authority revoked. Three ways out:",
        f"- Repair Resume: the same boundary and verification stay in force and {where}. Emit the text below,",
        "  alone and unchanged, end your turn, and the human answers exactly y.",
        f"- Plan Amendment: another boundary, other commands or verification. `{amendment}` prints it with what is",
        "  in force; change it, emit it alone, the human answers exactly y. Work goes on, with rounds anew.",
        "- Cancel: the human types `$harness cancel`; the run ends and nothing more is written.",
        "",
        "RESUME",
    ]


# What the engine found.

PATHS = tuple(f"p{number}" for number in range(25))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Verification("green"), None),
        (RED, None),
        (Verification("unavailable"), None),
        (
            Verification("busy", detail="it runs since noon"),
            Reason("evidence.busy", "it runs since noon", "Wait until the other engine run has ended."),
        ),
        (
            Verification("moved", detail="src/a.py changed"),
            Reason(
                "evidence.moved",
                "the tree moved while the engine ran, so the run is no evidence: src/a.py changed",
                "Keep still and do it again.",
            ),
        ),
        (
            Verification("moved", paths=PATHS),
            Reason(
                "evidence.moved",
                f"the tree moved while the engine ran, so the run is no evidence: {', '.join(PATHS[:20])}",
                "Keep still and do it again.",
            ),
        ),
    ],
)
def test_what_is_no_evidence(found: Verification, expected: Reason | None) -> None:
    assert without_evidence(found, "do it again") == expected


def test_how_required_verification_failed() -> None:
    tail = "The end of its output:\nassertion failed\n"
    assert red(RED, "Fix it.") == Reason(
        "evidence.red", "required verification is red: V1 `sh check.sh` exited 3", "Fix it.", tail
    )
    failed = Verification("unavailable", failed=replace(RED_RUN, exit_status=None))
    assert unavailable(failed) == Reason(
        "evidence.unavailable",
        "required verification cannot be run: V1 `sh check.sh` could not be started",
        "Make the command available and claim again.",
        tail,
    )


@pytest.mark.parametrize(("outcome", "noted"), [("busy", False), ("moved", True), ("red", True), ("green", True)])
def test_an_engine_that_ran_is_noted(outcome: Any, *, noted: bool) -> None:
    state = in_state("executing")
    assert after_engine(state, Verification(outcome)) == replace(state, wrote_unseen=noted)


@pytest.mark.parametrize("outcome", ["green", "red"])
def test_a_record_is_taken_into_the_state(outcome: Any) -> None:
    state = in_state("executing")
    assert recorded(state, Verification(outcome, "sha256:1", "sha256:2", "sha256:3")) == replace(
        state,
        diff_revision="sha256:1",
        integrity_fingerprint="sha256:2",
        progress_fingerprint="sha256:3",
        evidence_green=outcome == "green",
        wrote_unseen=True,
    )
