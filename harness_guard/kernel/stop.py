"""Stop: what the root's last message is, and whether the root may end its turn (contract sections 4, 6 and 8)."""

from __future__ import annotations

from harness_guard.kernel.accept import plan_problem, policy_of
from harness_guard.kernel.decision import PASS, Decision, Reason
from harness_guard.kernel.near_miss import binding_problem, near_miss
from harness_guard.kernel.outcome import DropAttestation, EndMarker, KeepText, Outcome
from harness_guard.kernel.pause import pause, resume_for
from harness_guard.kernel.provenance import check_provenance, is_cancel_proved
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import Now, PendingAttestation, TreeNow
from harness_guard.kernel.state import STARTING, Gate, StopCount
from harness_guard.kernel.sweep import sweep
from harness_guard.kernel.texts import bindings_text, choices_text, next_step, spawn_block
from harness_guard.kernel.tool_effects import short
from harness_guard.kernel.transitions import step
from harness_guard.policy.order import derive_child
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.values import Completion, Plan, Resume, Review
    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.transitions import Happening

_FINDINGS: Final = 450  # characters of findings in a pause's reason; the whole list stands beside it
BLOCK_LIMIT: Final = 3  # contract section 6: one host never tires of blocks, the other overrides the ninth
_UNFINISHED: Final = ("executing", "verifying", "reviewing")


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
    state, breach = yield from sweep(state)
    if breach is not None and state.is_paused:
        # It waits for the human already; whatever was emitted or asked is about another tree.
        right = yield from resume_for(state)
        return _refuse(replace(state, pending_gate=None), replace(breach, more=choices_text(right)))
    if breach is not None:
        return (yield from pause(state, "tree changed outside the boundary", "block", breach))
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
    from harness_guard.artifacts.values import Completion, NearMiss, Plan, Resume, Review

    if isinstance(found, NearMiss):
        return _refuse(replace(state, pending_gate=None), near_miss(found))
    if isinstance(found, Review | Completion):
        # INVARIANT (P1): what a Review or a Completion leads to rests on the approval; its author is checked here too.
        state, lost = yield from check_provenance(event, state)
        if lost is not None:
            return _unproved(state, lost)
    if isinstance(found, Plan):
        return (yield from _plan(state, found))
    if isinstance(found, Resume):
        return (yield from _resume(state, found))
    if isinstance(found, Review):
        return (yield from _review(state, found))
    if isinstance(found, Completion):
        return (yield from _completion(event, state, found))
    return _no_artifact(event, state)


def _unproved(state: RunState, lost: Outcome) -> Outcome:
    """Turn the refusal of an unproved approval into one at Stop."""
    reason = lost.decision.reason
    if reason is None:
        raise RuntimeError("a refusal without a reason")
    if lost.state is not None:
        return Outcome(Decision("block", reason), lost.state, note=lost.note)
    return _refuse(state, reason)


def _refuse(state: RunState, reason: Reason) -> Outcome:
    """Block, at most three times without a permitted call or a transition between them; then pass as incomplete."""
    count = state.stop
    if count.blocks >= BLOCK_LIMIT:
        return Outcome(PASS, replace(state, stop=replace(count, is_incomplete=True)), note="incomplete")
    counted = replace(state, stop=replace(count, blocks=count.blocks + 1))
    return Outcome(Decision("block", reason), counted)


def _not_now(state: RunState, kind: str) -> Outcome:
    reason = Reason("artifact.not-now", f"no {kind} is due: the run is {state.state}", next_step(state))
    return _refuse(replace(state, pending_gate=None), reason)


def _no_artifact(event: Event, state: RunState) -> Outcome:
    if state.pending_gate is not None:
        kind = state.pending_gate.kind
        seen = f"this message closed the open question to the human about the {kind}"
        reason = Reason("gate.closed", seen, f"Emit the {kind} again, alone, as your whole message.")
        return _refuse(replace(state, pending_gate=None), reason)
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
    return _refuse(replace(state, stop=_reminded(state, event)), _due(state))


def _reminded(state: RunState, event: Event) -> StopCount:
    return replace(state.stop, reminded_turn=event.turn_id)


def _due(state: RunState) -> Reason:
    more = ""
    if state.state in ("executing", "verifying"):
        more = f"Arguments of the Reviewer's spawn:\n{spawn_block(state)}"
    if state.state == "reviewing":
        more = bindings_text(state)
    remedy = next_step(state)
    if state.state == "verifying":
        remedy = "Relay the Reviewer's Review unchanged; if it is lost, spawn the Reviewer again with these arguments."
    return Reason("stop.unfinished", f"the accepted Plan is unfinished: the run is {state.state}", remedy, more)


def _plan(state: RunState, plan: Plan) -> Asking[Outcome]:
    if state.state != "planning":
        return _not_now(state, "Plan")
    problem = yield from plan_problem(plan, state)
    if problem is not None:
        return _refuse(replace(state, pending_gate=None), problem)
    now = yield from ask(Now())
    gate = Gate(
        kind="Plan",
        artifact_hash=plan.digest,
        revision=state.revision,
        opened_at_ms=now,
        policy=policy_of(plan),
        criteria=tuple((criterion.id, criterion.text) for criterion in plan.criteria),
        max_helpers=plan.execution.max_helpers,
    )
    opened = replace(state, pending_gate=gate, stop=StopCount())
    return Outcome(PASS, opened, (KeepText(plan.digest, plan.text),), note="Plan gate opened")


def _resume(state: RunState, resume: Resume) -> Asking[Outcome]:
    accepted = state.active_policy
    if not state.is_paused or accepted is None or state.active_policy_id is None:
        return _not_now(state, "Repair Resume")
    tree = yield from ask(TreeNow())
    bound = resume.context
    wanted = (
        ("accepted_plan_hash", bound.accepted_plan_hash, state.accepted_plan_hash),
        ("paused_revision", bound.paused_revision, state.revision),
        ("diff_revision", bound.diff_revision, tree.diff_revision),
        ("verification_fingerprint", bound.verification_fingerprint, state.integrity_fingerprint),
    )
    for name, given, current in wanted:
        if given != current:
            right = yield from resume_for(state)
            reason = Reason(
                "artifact.binding", f"`{name}` is `{given}`, but the run has `{current}`", "Emit this:", right
            )
            return _refuse(replace(state, pending_gate=None), reason)
    now = yield from ask(Now())
    gate = Gate(
        kind="Repair Resume",
        artifact_hash=resume.digest,
        revision=state.revision,
        opened_at_ms=now,
        policy=derive_child(accepted, state.active_policy_id),
        added_rounds=bound.additional_rounds,
        diff_revision=tree.diff_revision,
    )
    opened = replace(state, pending_gate=gate, stop=StopCount())
    return Outcome(PASS, opened, (KeepText(resume.digest, resume.text),), note="Repair Resume gate opened")


def _review(state: RunState, review: Review) -> Asking[Outcome]:
    if state.state != "verifying":
        return _not_now(state, "Clean-context Review")
    attested = yield from ask(PendingAttestation())
    if attested is None:
        seen = "no Reviewer has attested this Review: a Review of one's own does not count"
        remedy = "Spawn the Reviewer with exactly these arguments, or wait for the one at work."
        return _refuse(state, Reason("review.self", seen, remedy, spawn_block(state)))
    from harness_guard.artifacts.registry import recognise
    from harness_guard.artifacts.values import Review as ReviewValue

    given = recognise(attested)
    if not isinstance(given, ReviewValue) or given.content != review.content:
        seen = "this is not the Review that the Reviewer gave"
        return _refuse(state, Reason("review.changed", seen, "Relay this text unchanged:", attested))
    tree = yield from ask(TreeNow())
    if tree.diff_revision != state.diff_revision:
        seen = f"the tree moved after the Review, from {state.diff_revision} to {tree.diff_revision}"
        remedy = "Spawn the Reviewer again with exactly these arguments."
        return _refuse(state, Reason("review.stale", seen, remedy, spawn_block(state)))
    return (yield from _take_review(state, review))


def _take_review(state: RunState, review: Review) -> Asking[Outcome]:
    noted = replace(
        state,
        latest_finding_ids=tuple(finding.id for finding in review.findings),
        open_findings=tuple((finding.id, finding.path, finding.message) for finding in review.findings),
    )
    if review.verdict in ("PASS", "PASS_WITH_NOTES"):
        passed = step(noted, "review passed")
        seen = f"the Review is taken: {review.verdict}"
        remedy = f"{next_step(passed)} These are its bindings:"
        reason = Reason("review.taken", seen, remedy, bindings_text(passed))
        return Outcome(Decision("block", reason), passed, (DropAttestation(),), note="review passed")
    on: Happening = "review blocked"
    if review.verdict == "REPAIR_REQUIRED":
        material = any(finding.classification != "IN_PLAN_REPAIR" for finding in review.findings)
        on = "review asks for a material change" if material else "review asks for repair inside the plan"
    findings = "\n".join(f"- {finding.id} {finding.path}: {finding.message}" for finding in review.findings)
    # The human at the gate reads the reason of the pause in the Repair Resume, so the findings stand in it.
    found = "; ".join(f"{finding.id} in {finding.path}: {finding.message}" for finding in review.findings)
    seen = short(f"the Review is taken: {review.verdict}{': ' if found else ''}{found}", _FINDINGS)
    reason = Reason("review.findings", seen, "Work on the findings inside the boundary.", findings)
    outcome = yield from pause(noted, on, "block", reason)
    return replace(outcome, duties=(DropAttestation(),))


def _completion(event: Event, state: RunState, completion: Completion) -> Asking[Outcome]:
    if state.state != "reviewing":
        return _not_now(state, "Completion")
    problem = binding_problem(completion.context, state) or _acceptance_problem(completion, state)
    if problem is None and (event.live_tasks or state.children):
        still = ", ".join((*event.live_tasks, *state.children))
        problem = Reason("completion.background", f"background work still runs: {still}", "End it or wait for it.")
    if problem is not None:
        return _refuse(state, problem)
    tree = yield from ask(TreeNow())
    if tree.diff_revision != state.diff_revision or not state.evidence_green:
        seen = f"the tree moved after the Review, from {state.diff_revision} to {tree.diff_revision}"
        remedy = "Spawn the Reviewer again with exactly these arguments."
        return _refuse(state, Reason("completion.stale", seen, remedy, spawn_block(state)))
    done = step(state, "completion accepted")
    return Outcome(PASS, done, (KeepText(completion.digest, completion.text), EndMarker()), note="completed")


def _acceptance_problem(completion: Completion, state: RunState) -> Reason | None:
    from harness_guard.artifacts.render import CHANGES_HINT, RISKS_HINT

    if CHANGES_HINT in completion.changes or RISKS_HINT in completion.remaining_risks:
        seen = "a hint of the template still stands in Changes or Remaining Risks"
        return Reason("completion.hint", seen, "Say in your own words what changed and what risks remain.")
    policy = state.active_policy
    green = {check.id for check in policy.required} if policy is not None else set()
    wanted = sorted(identifier for identifier, _ in state.criteria)
    given = sorted(item.criterion for item in completion.acceptance)
    if given != wanted:
        seen = f"the acceptance lists {', '.join(given) or 'nothing'}, but the Plan has {', '.join(wanted)}"
        return Reason("completion.criteria", seen, "List every acceptance criterion of the Plan exactly once.")
    for item in completion.acceptance:
        strange = [identifier for identifier in item.evidence if identifier not in green]
        if strange or not item.evidence:
            seen = f"criterion {item.criterion} names no green required verification: {', '.join(strange) or 'none'}"
            return Reason("completion.evidence", seen, f"Name at least one of: {', '.join(sorted(green))}.")
    return None
