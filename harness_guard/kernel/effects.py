"""What a transition changes beside state and authority: each effect of the table as one pure function."""

from __future__ import annotations

from harness_guard.kernel.state import Repair, Reviewer
from harness_guard.policy.digest import policy_id
from harness_guard.policy.order import derive_child
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final

    from harness_guard.kernel.state import Gate, RunState
    from harness_guard.policy.model import Policy


def _accept_plan(state: RunState) -> RunState:
    gate = _gate_of(state)
    accepted = policy_id(gate.policy)
    return replace(
        state,
        accepted_plan_hash=gate.artifact_hash,
        accepted_policy=gate.policy,
        active_policy=gate.policy,
        active_policy_id=accepted,
        lineage=(accepted,),
        criteria=gate.criteria,
        max_helpers=gate.max_helpers,
        repair=Repair(max_rounds=gate.policy.max_rounds),
    )


def _accept_amendment(state: RunState) -> RunState:
    gate = _gate_of(state)
    accepted = policy_id(gate.policy)
    return replace(
        state,
        accepted_amendment_hash=gate.artifact_hash,
        accepted_policy=gate.policy,
        active_policy=gate.policy,
        active_policy_id=accepted,
        lineage=(*state.lineage, accepted),
        criteria=gate.criteria,
        repair=Repair(max_rounds=gate.policy.max_rounds),
        # What was verified and found, was so under another policy.
        diff_revision=None,
        integrity_fingerprint=None,
        progress_fingerprint=None,
        evidence_green=None,
        latest_finding_ids=(),
        reviewed_ids=(),
        reviewer=Reviewer(spawns=state.reviewer.spawns),
        paused_from=None,
        pause_reason=None,
    )


def _derive_child(state: RunState) -> RunState:
    parent, parent_id = _active(state)
    # INVARIANT (P2): whatever the gate or the round was about, what is put in force is within what was.
    child = derive_child(parent, parent_id)
    identifier = policy_id(child)
    return replace(state, active_policy=child, active_policy_id=identifier, lineage=(*state.lineage, identifier))


def _go_on(state: RunState) -> RunState:
    """Leave a pause: its rounds are added, and a round that was due begins."""
    gate = _gate_of(state)
    repair = replace(
        state.repair, max_rounds=state.repair.max_rounds + gate.added_rounds, repeated=0, no_progress=0, is_due=False
    )
    freed = replace(state, repair=repair, paused_from=None, pause_reason=None)
    return _begin_round(freed) if state.repair.is_due else freed


def _begin_round(state: RunState) -> RunState:
    if state.repair.round >= state.repair.max_rounds:
        raise RuntimeError("a repair round would begin beyond the budget")
    return replace(state, repair=replace(state.repair, round=state.repair.round + 1))


def _next_review(state: RunState) -> RunState:
    return replace(state, review_round=state.review_round + 1)


def _discard_policy(state: RunState) -> RunState:
    return replace(
        state,
        accepted_plan_hash=None,
        accepted_amendment_hash=None,
        accepted_policy=None,
        active_policy=None,
        active_policy_id=None,
        lineage=(),
        criteria=(),
        approval=None,
        diff_revision=None,
        integrity_fingerprint=None,
        progress_fingerprint=None,
        evidence_green=None,
        review_round=0,
        latest_finding_ids=(),
        open_findings=(),
        reviewed_ids=(),
        pause_reason=None,
        paused_from=None,
        max_helpers=0,
        repair=Repair(),
        reviewer=Reviewer(spawns=state.reviewer.spawns),
        told_outside=(),
    )


def _drop_gate(state: RunState) -> RunState:
    return replace(state, pending_gate=None)


def _pause(state: RunState) -> RunState:
    return replace(state, paused_from=state.state, pending_gate=None)


def _pause_before_round(state: RunState) -> RunState:
    # The human resumes into work on the findings, not into the revoked state that waited for the Review.
    return replace(state, paused_from="auto_repairing", repair=replace(state.repair, is_due=True), pending_gate=None)


EFFECTS: Final[Mapping[str, Callable[[RunState], RunState]]] = {
    "accept amendment": _accept_amendment,
    "accept plan": _accept_plan,
    "begin round": _begin_round,
    "derive child": _derive_child,
    "discard policy": _discard_policy,
    "drop gate": _drop_gate,
    "go on": _go_on,
    "next review": _next_review,
    "pause": _pause,
    "pause before round": _pause_before_round,
}


def _gate_of(state: RunState) -> Gate:
    if state.pending_gate is None:
        raise RuntimeError("a transition that needs a gate was taken without one")
    return state.pending_gate


def _active(state: RunState) -> tuple[Policy, str]:
    if state.active_policy is None or state.active_policy_id is None:
        raise RuntimeError("a transition that needs a policy was taken without one")
    return state.active_policy, state.active_policy_id
