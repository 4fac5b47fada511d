"""What a transition changes beside state and authority: guards that no row of the table should ever meet."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import GATE, POLICY, SESSION, in_state, planning

from harness_guard.kernel.effects import EFFECTS
from harness_guard.kernel.state import Approval, Baseline, HostBinding, Repair, Reviewer, RunState, StopCount
from harness_guard.policy.digest import policy_id
from harness_guard.records import replace

NO_POLICY = "a transition that needs a policy was taken without one"
NO_GATE = "a transition that needs a gate was taken without one"


@pytest.mark.parametrize(
    ("effect", "changes", "message"),
    [
        ("derive child", {"active_policy": None}, NO_POLICY),
        ("derive child", {"active_policy_id": None}, NO_POLICY),
        ("derive child", {"active_policy": None, "active_policy_id": None}, NO_POLICY),
        ("accept plan", {}, NO_GATE),
        ("accept amendment", {}, NO_GATE),
        ("go on", {}, NO_GATE),
        ("begin round", {"repair": Repair(round=3, max_rounds=3)}, "a repair round would begin beyond the budget"),
    ],
)
def test_what_a_transition_needs_is_there_or_it_is_not_taken(
    effect: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        EFFECTS[effect](in_state("executing", **changes))


def test_the_last_round_of_the_budget_begins() -> None:
    state = in_state("executing", repair=Repair(round=2, max_rounds=3))
    assert EFFECTS["begin round"](state) == replace(state, repair=Repair(round=3, max_rounds=3))


def test_a_derived_policy_goes_on_the_lineage() -> None:
    state = in_state("executing")
    after = EFFECTS["derive child"](state)
    assert after.active_policy is not None
    assert after.active_policy.parent == state.active_policy_id == state.lineage[-1]
    assert after.active_policy_id == policy_id(after.active_policy)
    assert after.lineage == (*state.lineage, after.active_policy_id)


def test_an_accepted_plan_starts_lineage_and_budget() -> None:
    state = planning(pending_gate=replace(GATE, max_helpers=2), repair=Repair(round=9, max_rounds=9))
    after = EFFECTS["accept plan"](state)
    accepted = policy_id(GATE.policy)
    assert after == replace(
        state,
        accepted_plan_hash=GATE.artifact_hash,
        accepted_policy=GATE.policy,
        active_policy=GATE.policy,
        active_policy_id=accepted,
        lineage=(accepted,),
        criteria=GATE.criteria,
        max_helpers=2,
        repair=Repair(max_rounds=3),
    )


FRESH = RunState(1, "r1", SESSION, "/repo", "planning", "revoked", HostBinding("claude"))
# A run in which nothing is as in a fresh one.
USED = RunState(
    revision=9,
    run_id="r9",
    session_id="s9",
    repository_root="/other",
    state="paused_budget",
    authority_status="active",
    host=HostBinding("codex", 7, "t"),
    task="a task",
    accepted_plan_hash="sha256:1",
    accepted_amendment_hash="sha256:2",
    accepted_policy=POLICY,
    active_policy=POLICY,
    active_policy_id=policy_id(POLICY),
    lineage=("sha256:0", policy_id(POLICY)),
    criteria=(("AC9", "nine"),),
    max_helpers=2,
    repair=Repair(
        2, 3, 4, 5, is_due=True, tree_before="t", diff_before="d", verification_before="v", progress_before="p"
    ),
    latest_finding_ids=("R1-F1",),
    review_round=3,
    baseline=Baseline("h", "t"),
    diff_revision="sha256:3",
    integrity_fingerprint="sha256:4",
    progress_fingerprint="sha256:5",
    evidence_green=True,
    pause_reason="a reason",
    paused_from="executing",
    pending_gate=replace(GATE, kind="Plan Amendment", added_rounds=2, max_helpers=1),
    approval=Approval("turn", 1, is_verified=True),
    reviewer=Reviewer(spawns=4, is_awaited=True, agent_id="a", blocks=2, has_read_diff=True),
    children=("c",),
    opaque_denies=2,
    stop=StopCount(2, "turn", is_incomplete=True),
    open_findings=(("R1-F1", "a", "b"),),
    reviewed_ids=("R1-F1",),
    foreign=("f",),
    told_outside=("o",),
    wrote_unseen=True,
    cancel_asked=True,
    scratch="/tmp/s",
    control_plane={"root": "/other"},
    open_turn="turn",
    is_told=False,
    plugin_version="9",
    command="/c",
    templates="/t",
)
# What a run is, whatever policy it has.
ITS_OWN = (
    "revision", "run_id", "session_id", "repository_root", "state", "authority_status", "host", "task", "baseline",
    "pending_gate", "children", "opaque_denies", "stop", "foreign", "wrote_unseen", "cancel_asked", "scratch",
    "control_plane", "open_turn", "is_told", "plugin_version", "command", "templates",
)  # fmt: skip


@pytest.mark.contract("C5.11")
def test_nothing_that_rested_on_a_forged_approval_stays() -> None:
    kept = {name: getattr(USED, name) for name in ITS_OWN}
    assert EFFECTS["discard policy"](USED) == replace(FRESH, **kept, reviewer=Reviewer(spawns=4))


@pytest.mark.contract("C6.4")
def test_an_amendment_replaces_the_policy_and_all_that_was_found_under_the_old_one() -> None:
    assert USED.pending_gate is not None
    accepted = policy_id(GATE.policy)
    assert EFFECTS["accept amendment"](USED) == replace(
        USED,
        accepted_amendment_hash=GATE.artifact_hash,
        accepted_policy=GATE.policy,
        active_policy=GATE.policy,
        active_policy_id=accepted,
        lineage=(*USED.lineage, accepted),
        criteria=GATE.criteria,
        repair=Repair(max_rounds=3),
        diff_revision=None,
        integrity_fingerprint=None,
        progress_fingerprint=None,
        evidence_green=None,
        latest_finding_ids=(),
        reviewed_ids=(),
        reviewer=Reviewer(spawns=4),
        paused_from=None,
        pause_reason=None,
    )


@pytest.mark.parametrize(("is_due", "begun"), [(True, 3), (False, 2)])
def test_a_resume_adds_its_rounds_counts_anew_and_begins_what_was_due(begun: int, *, is_due: bool) -> None:
    state = replace(USED, repair=replace(USED.repair, is_due=is_due))
    repair = replace(USED.repair, round=begun, max_rounds=5, repeated=0, no_progress=0, is_due=False)
    assert EFFECTS["go on"](state) == replace(USED, repair=repair, paused_from=None, pause_reason=None)


@pytest.mark.parametrize(
    ("effect", "changes"),
    [
        ("drop gate", {"pending_gate": None}),
        ("next review", {"review_round": 4}),
        ("pause", {"paused_from": "paused_budget", "pending_gate": None}),
        (
            "pause before round",
            {"paused_from": "auto_repairing", "pending_gate": None, "repair": replace(USED.repair, is_due=True)},
        ),
    ],
)
def test_an_effect_changes_what_it_is_named_for_and_nothing_else(effect: str, changes: dict[str, Any]) -> None:
    state = replace(USED, repair=replace(USED.repair, is_due=False))
    assert EFFECTS[effect](state) == replace(state, **changes)
