"""The machine: one table of rows (state, happening, next state, authority), and its lookup. A missing row means no.

Every change of a run's state goes through :func:`step`; nothing else names a next state. The tables in contracts/ are
rendered from these rows, and a test walks every one of them (contract section 6, promises P1, P2, P6).
"""

from __future__ import annotations

from harness_guard.kernel.state import STATE_NAMES, Gate, Repair, Reviewer, StopCount, advance
from harness_guard.policy.digest import policy_id
from harness_guard.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, Literal

    from harness_guard.kernel.state import Authority, RunState, StateName

    Happening = Literal[
        "plan approved",
        "resume approved",
        "provenance failed",
        "review claimed, verification green",
        "review claimed, verification red",
        "verification unavailable",
        "review passed",
        "review asks for repair inside the plan",
        "review asks for a material change",
        "review blocked",
        "boundary exceeded",
        "writer's target unknown",
        "hard danger",
        "third opaque call",
        "tree changed outside the boundary",
        "completion accepted",
        "cancelled",
    ]


@dataclass(frozen=True, slots=True)
class Row:
    """One transition.

    Attributes:
        states: States it leaves; empty means every state that is not terminal.
        on: What happens.
        to: The next state; ``"="`` keeps state, authority and revision, ``"paused_from"`` is where the run paused.
        authority: Authority afterwards; ``"by state"``: active exactly in ``executing``.
        effects: Names of what else changes, in :data:`EFFECTS`.
    """

    states: tuple[StateName, ...]
    on: Happening
    to: StateName | Literal["=", "paused_from"]
    authority: Authority | Literal["by state"]
    effects: tuple[str, ...] = ()


_PAUSED: Final[tuple[StateName, ...]] = tuple(name for name in STATE_NAMES if name.startswith("paused_"))
_UNDER_WAY: Final[tuple[StateName, ...]] = ("executing", "verifying", "reviewing")

TRANSITIONS: Final = (
    Row(("planning",), "plan approved", "executing", "active", ("accept plan", "drop gate")),
    Row(_PAUSED, "resume approved", "paused_from", "by state", ("derive child", "drop gate")),
    Row(("planning", *_UNDER_WAY), "provenance failed", "planning", "revoked", ("discard policy", "drop gate")),
    Row(("executing", "verifying", "reviewing"), "review claimed, verification green", "verifying", "revoked"),
    Row(("executing",), "review claimed, verification red", "=", "active"),
    # No repair round is started by this version: what a repair round would do is asked of the human by the pause.
    Row(("verifying", "reviewing"), "review claimed, verification red", "paused_budget", "revoked", ("pause to work",)),
    Row(_UNDER_WAY, "verification unavailable", "paused_blocked", "revoked", ("pause",)),
    Row(("verifying",), "review passed", "reviewing", "revoked"),
    Row(("verifying",), "review asks for repair inside the plan", "paused_budget", "revoked", ("pause to work",)),
    Row(("verifying",), "review asks for a material change", "paused_material", "revoked", ("pause to work",)),
    Row(("verifying",), "review blocked", "paused_blocked", "revoked", ("pause to work",)),
    Row(("executing",), "boundary exceeded", "paused_boundary", "revoked", ("pause",)),
    Row(("executing",), "writer's target unknown", "paused_unmodeled", "revoked", ("pause",)),
    Row(("executing",), "hard danger", "paused_danger", "revoked", ("pause",)),
    Row(("executing",), "third opaque call", "paused_unmodeled", "revoked", ("pause",)),
    Row(_UNDER_WAY, "tree changed outside the boundary", "paused_boundary", "revoked", ("pause",)),
    Row(("reviewing",), "completion accepted", "completed", "revoked", ("drop gate",)),
    Row((), "cancelled", "cancelled", "revoked", ("drop gate",)),
)


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


def _derive_child(state: RunState) -> RunState:
    gate = _gate_of(state)
    child = policy_id(gate.policy)
    rounds = replace(state.repair, max_rounds=state.repair.max_rounds + gate.added_rounds, repeated=0, no_progress=0)
    return replace(
        state,
        active_policy=gate.policy,
        active_policy_id=child,
        lineage=(*state.lineage, child),
        repair=rounds,
        paused_from=None,
        pause_reason=None,
    )


def _discard_policy(state: RunState) -> RunState:
    return replace(
        state,
        accepted_plan_hash=None,
        accepted_policy=None,
        active_policy=None,
        active_policy_id=None,
        lineage=(),
        criteria=(),
        approval=None,
        baseline=None,
        diff_revision=None,
        integrity_fingerprint=None,
        progress_fingerprint=None,
        evidence_green=None,
        review_round=0,
        latest_finding_ids=(),
        open_findings=(),
        max_helpers=0,
        repair=Repair(),
        reviewer=Reviewer(spawns=state.reviewer.spawns),
        told_outside=(),
    )


def _gate_of(state: RunState) -> Gate:
    if state.pending_gate is None:
        raise RuntimeError("a transition that needs a gate was taken without one")
    return state.pending_gate


def _drop_gate(state: RunState) -> RunState:
    return replace(state, pending_gate=None)


def _pause(state: RunState) -> RunState:
    return replace(state, paused_from=state.state, pending_gate=None)


def _pause_to_work(state: RunState) -> RunState:
    # After a Review the human resumes into work on its findings, not into the revoked state that waited for it.
    return replace(state, paused_from="executing", pending_gate=None)


EFFECTS: Final = {
    "accept plan": _accept_plan,
    "derive child": _derive_child,
    "discard policy": _discard_policy,
    "drop gate": _drop_gate,
    "pause": _pause,
    "pause to work": _pause_to_work,
}


def find_row(state: RunState, on: Happening) -> Row | None:
    """Look up the row for a state and a happening; ``None`` means that nothing may change."""
    for row in TRANSITIONS:
        if row.on == on and (state.state in row.states or (not row.states and not state.is_terminal)):
            return row
    return None


def step(state: RunState, on: Happening, *, reason: str | None = None) -> RunState:
    """Take one transition.

    Args:
        state: Where the run stands.
        on: What happened.
        reason: Why it pauses, for ``pause_reason``.

    Returns:
        The next state, one revision on; the count of refused stops starts anew.

    Raises:
        RuntimeError: If the table has no such row: a fault of ours, never an answer to input.
    """
    row = find_row(state, on)
    if row is None:
        raise RuntimeError(f"no transition from {state.state} on {on}")
    moved = state
    for name in row.effects:
        moved = EFFECTS[name](moved)
    if row.to == "=":
        return replace(moved, stop=StopCount())
    target = state.paused_from if row.to == "paused_from" else row.to
    if target is None:
        raise RuntimeError("a paused run does not know where it paused")
    authority: Authority = row.authority if row.authority != "by state" else _authority_in(target)
    if state.state == "verifying" and target != "verifying":
        # The Reviewer of a round that is over attests nothing any more, and no later child may be taken for it.
        moved = replace(moved, reviewer=Reviewer(spawns=moved.reviewer.spawns))
    pause = reason if target.startswith("paused_") else None
    return advance(
        moved, state=target, authority_status=authority, stop=StopCount(), pause_reason=pause, opaque_denies=0
    )


def _authority_in(state: StateName) -> Authority:
    return "active" if state == "executing" else "revoked"
