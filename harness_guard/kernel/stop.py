"""Stop: what the root's last message is, and whether the root may end its turn (contract sections 4, 6 and 8)."""

from __future__ import annotations

from harness_guard.kernel.blocks import refuse, refuse_without_gate
from harness_guard.kernel.decision import PASS, Decision, Reason
from harness_guard.kernel.near_miss import near_miss
from harness_guard.kernel.outcome import EndMarker, Outcome
from harness_guard.kernel.pause import REASON_LENGTH, pause, resume_for
from harness_guard.kernel.provenance import check_provenance, is_cancel_proved
from harness_guard.kernel.state import AT_WORK, STARTING, StopCount
from harness_guard.kernel.sweep import sweep
from harness_guard.kernel.texts import bindings_text, choices_text, findings_text, next_step, spawn_block
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.values import Amendment, Plan, Record, Resume, Review
    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState

_UNFINISHED: Final = (*AT_WORK, "verifying", "reviewing")


def decide_stop(event: Event, state: RunState) -> Asking[Outcome]:
    """Decide one stop of the root.

    Args:
        event: A Stop event.
        state: The session's run.

    Returns:
        The outcome, through questions.
    """
    if event.is_child:
        return Outcome(PASS)
    if state.state == "cancelled" and not (yield from is_cancel_proved(event, state)):
        return Outcome(PASS, state, note="cancel unproved")  # its turn stays open, so the run does not fall silent
    state = _settle(event, state)
    if state.is_terminal:
        return Outcome(PASS, state, (EndMarker(),))
    if state.cancel_asked:
        return Outcome(PASS, state)
    from harness_guard.artifacts.registry import recognise

    found = recognise(event.message)
    before = state
    state, breach = yield from sweep(before)
    if breach is not None and state.is_paused:
        # It waits for the human already; whatever was emitted or asked is about another tree.
        told = f"{breach.rule}: {breach.seen}; before: {state.pause_reason}"
        state = replace(state, pause_reason=told[:REASON_LENGTH])  # the human reads it in the Resume
        right = yield from resume_for(state)
        # Each path is told once, so this refusal is never swallowed by the count of those before it.
        told_now = replace(breach, more=choices_text(state, right))
        return Outcome(Decision("block", told_now), replace(state, pending_gate=None), note="changed in a pause")
    if breach is not None:
        # INVARIANT (P1): an approval that was never checked is not carried over into a pause, where a Resume renews it.
        checked, lost = yield from check_provenance(event, before)
        if lost is not None:
            return _unproved(before, lost)
        proved = replace(state, approval=checked.approval)
        return (yield from pause(proved, "tree changed outside the boundary", "block", breach))
    return (yield from _dispatch(event, state, found))


def _settle(event: Event, state: RunState) -> RunState:
    """Note that the turn has ended, and which children the host still knows."""
    begun = tuple(child for child in state.children if not child.startswith(STARTING))
    settled = replace(state, open_turn=None, children=begun)
    if event.live_agents is None:
        return settled
    children = tuple(child for child in begun if child in event.live_agents)
    reviewer = state.reviewer
    if reviewer.agent_id not in event.live_agents:
        # One that never started is lost as well: the host lists every agent that runs or is about to.
        reviewer = replace(reviewer, agent_id=None, is_awaited=reviewer.is_awaited and bool(event.live_agents))
    return replace(settled, children=children, reviewer=reviewer)


def _dispatch(event: Event, state: RunState, found: object) -> Asking[Outcome]:
    from harness_guard.artifacts.values import Amendment, Completion, NearMiss, Plan, Record, Resume, Review

    if isinstance(found, NearMiss):
        return refuse_without_gate(state, near_miss(found))
    if isinstance(found, Review | Record | Completion):
        state = replace(state, pending_gate=None)  # whatever comes of it, the human would answer to another text
    if isinstance(found, Review | Record | Amendment | Resume | Completion):
        # INVARIANT (P1): what these lead to rests on the approval before; its author is checked here too.
        state, lost = yield from check_provenance(event, state)
        if lost is not None:
            return _unproved(state, lost)
    if isinstance(found, Completion):
        from harness_guard.kernel.completion import take_completion

        return (yield from take_completion(event, state, found))
    if isinstance(found, Review | Record):
        return (yield from _judged(state, found))
    if isinstance(found, Plan | Amendment | Resume):
        return (yield from _asked(state, found))
    return _no_artifact(event, state)


def _judged(state: RunState, found: Review | Record) -> Asking[Outcome]:
    from harness_guard.artifacts.values import Review as ReviewValue

    if isinstance(found, ReviewValue):
        from harness_guard.kernel.review import take_review

        return (yield from take_review(state, found))
    from harness_guard.kernel.repair import take_record

    return (yield from take_record(state, found))


def _asked(state: RunState, found: Plan | Amendment | Resume) -> Asking[Outcome]:
    """Open the gate of an artifact that asks the human."""
    from harness_guard.artifacts.values import Amendment as AmendmentValue
    from harness_guard.artifacts.values import Plan as PlanValue
    from harness_guard.kernel.gates import open_amendment, open_plan, open_resume

    if isinstance(found, PlanValue):
        return (yield from open_plan(state, found))
    if isinstance(found, AmendmentValue):
        return (yield from open_amendment(state, found))
    return (yield from open_resume(state, found))


def _unproved(state: RunState, lost: Outcome) -> Outcome:
    """Turn the refusal of an unproved approval into one at Stop."""
    reason = lost.decision.reason
    if reason is None:
        raise RuntimeError("a refusal without a reason")
    if lost.state is not None:
        return Outcome(Decision("block", reason), lost.state, note=lost.note)
    return refuse(state, reason)


def _no_artifact(event: Event, state: RunState) -> Outcome:
    if state.pending_gate is not None:
        kind = state.pending_gate.kind
        seen = f"this message closed the open question to the human about the {kind}"
        reason = Reason("gate.closed", seen, f"Emit the {kind} again, alone, as your whole message.")
        return refuse_without_gate(state, reason)
    if state.state not in _UNFINISHED:
        return Outcome(PASS, state)
    if state.state == "verifying" and state.reviewer.is_running:
        if event.host == "claude":
            return Outcome(PASS, state)  # the host wakes the root when the child ends
        remedy = "Wait for the Reviewer, then relay its Review; if it never started or has ended, spawn it again so:"
        reason = Reason("review.running", "the Reviewer is at work", remedy, spawn_block(state))
        return Outcome(Decision("block", reason), state)  # waiting does not count
    if event.turn_id is not None and state.stop.reminded_turn == event.turn_id:
        return Outcome(PASS, replace(state, stop=replace(state.stop, is_incomplete=True)), note="incomplete")
    return refuse(replace(state, stop=_reminded(state, event)), _due(state))


def _reminded(state: RunState, event: Event) -> StopCount:
    return replace(state.stop, reminded_turn=event.turn_id)


def _due(state: RunState) -> Reason:
    more = f"Arguments of the Reviewer's spawn:\n{spawn_block(state)}"
    if state.state == "reviewing":
        more = bindings_text(state)
    if state.state == "auto_repairing":
        more = findings_text(state)
    remedy = next_step(state)
    if state.state == "verifying":
        remedy = "Relay the Reviewer's Review unchanged; if it is lost, spawn the Reviewer again with these arguments."
    return Reason("stop.unfinished", f"the accepted Plan is unfinished: the run is {state.state}", remedy, more)
