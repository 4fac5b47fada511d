"""A Review relayed at Stop: is it the attested one, of this tree, and what follows from it (contract sections 6, 8)."""

from __future__ import annotations

from harness_guard.kernel.blocks import not_now, refuse
from harness_guard.kernel.decision import Decision, Reason
from harness_guard.kernel.outcome import DropAttestation, Outcome
from harness_guard.kernel.pause import pause
from harness_guard.kernel.questions import ask
from harness_guard.kernel.repair import at_round_begin
from harness_guard.kernel.run_questions import PendingAttestation, TreeNow
from harness_guard.kernel.texts import bindings_text, next_step, spawn_block
from harness_guard.kernel.tool_effects import short
from harness_guard.kernel.transitions import find_row, step
from harness_guard.paths import shown_path
from harness_guard.policy.material import material_path
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.values import Finding, Review
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState

_FINDINGS: Final = 450  # characters of findings in a pause's reason; the whole list stands beside it
_SPAWN_AGAIN: Final = "Spawn the Reviewer again with exactly these arguments."
# Next state -> what the answer says of it; a round that begins is no pause.
_WHY: Final = {
    "paused_no_progress": "the same finding is seen again",
    "paused_budget": "the repair budget is spent",
    "paused_material": "a finding needs more than the Plan allows",
    "paused_blocked": "the Reviewer is blocked",
}


def take_review(state: RunState, review: Review) -> Asking[Outcome]:
    """Decide a relayed Review.

    Args:
        state: The run.
        review: The parsed Review.

    Returns:
        The outcome, through questions.
    """
    if state.state != "verifying":
        return not_now(state, "Clean-context Review")
    problem = yield from _relay_problem(state, review)
    if problem is not None:
        # The Reviewer of the moved tree has to look at what this one found.
        kept = with_open_findings(state, review) if problem.rule == "review.stale" else state
        return refuse(kept, problem)
    if review.verdict in ("PASS", "PASS_WITH_NOTES"):
        return _passed(_noted(state, review), review)
    return (yield from _not_passed(state, review))


def _relay_problem(state: RunState, review: Review) -> Asking[Reason | None]:
    """Say why a Review is not the Reviewer's own of this tree."""
    attested = yield from ask(PendingAttestation())
    if attested is None:
        seen = "no Reviewer has attested this Review: a Review of one's own does not count"
        remedy = "Spawn the Reviewer with exactly these arguments, or wait for the one at work."
        return Reason("review.self", seen, remedy, spawn_block(state))
    from harness_guard.artifacts.registry import recognise
    from harness_guard.artifacts.values import Review as ReviewValue

    given = recognise(attested)
    if not isinstance(given, ReviewValue) or given.content != review.content:
        seen = "this is not the Review that the Reviewer gave"
        return Reason("review.changed", seen, "Relay this text unchanged:", attested)
    tree = yield from ask(TreeNow())
    if tree.diff_revision != state.diff_revision:
        seen = f"the tree moved after the Review, from {state.diff_revision} to {tree.diff_revision}"
        return Reason("review.stale", seen, _SPAWN_AGAIN, spawn_block(state))
    return None


def with_open_findings(state: RunState, review: Review) -> RunState:
    """Keep a Review's findings as open ones: the next Reviewer's brief lists them."""
    return replace(
        state, open_findings=tuple((finding.id, finding.path, finding.message) for finding in review.findings)
    )


def _noted(state: RunState, review: Review) -> RunState:
    heavy = tuple(finding.id for finding in review.findings if finding.severity != "suggestion")
    noted = replace(state, latest_finding_ids=tuple(finding.id for finding in review.findings), reviewed_ids=heavy)
    return with_open_findings(noted, review)


def _passed(state: RunState, review: Review) -> Outcome:
    passed = step(state, "review passed")
    seen = f"the Review is taken: {review.verdict}"
    remedy = f"{next_step(passed)} These are its bindings:"
    reason = Reason("review.taken", seen, remedy, bindings_text(passed))
    return Outcome(Decision("block", reason), passed, (DropAttestation(),), note="review passed")


def _not_passed(state: RunState, review: Review) -> Asking[Outcome]:
    material = yield from _material(state, review)
    counted = _noted(_count_repeated(state, review), review)
    noted = yield from at_round_begin(counted)
    if review.verdict == "BLOCKED":
        return (yield from _paused(noted, review, "review blocked", ""))
    if material:
        return (yield from _paused(noted, review, "review asks for a material change", material))
    row = find_row(noted, "review asks for repair inside the plan")
    if row is not None and row.to != "auto_repairing":
        return (yield from _paused(noted, review, "review asks for repair inside the plan", ""))
    begun = step(noted, "review asks for repair inside the plan")
    seen = (
        f"the Review is taken: {review.verdict}; repair round {begun.repair.round} of {begun.repair.max_rounds} begins"
    )
    reason = Reason("repair.begun", seen, next_step(begun), _listed(review))
    return Outcome(Decision("block", reason), begun, (DropAttestation(),), note="repair round begun")


def _count_repeated(state: RunState, review: Review) -> RunState:
    """Count consecutive Reviews that name the same finding (L2.5)."""
    if review.verdict != "REPAIR_REQUIRED":
        return state
    heavy = [finding.id for finding in review.findings if finding.severity != "suggestion"]
    is_again = any(name in state.reviewed_ids for name in heavy)
    repeated = state.repair.repeated + 1 if is_again else 1
    return replace(state, repair=replace(state.repair, repeated=repeated))


def _material(state: RunState, review: Review) -> Asking[str]:
    """Say why a repair would be more than the Plan allows, ``""`` if it is inside it; what is unclear is material."""
    policy = state.active_policy
    declared = next((item for item in review.findings if item.classification != "IN_PLAN_REPAIR"), None)
    if declared is not None:
        return f"{declared.id} is {declared.classification}"
    if policy is None:
        return "no policy is in force"
    tree = yield from ask(TreeNow())
    found = material_path(policy.boundary, (*(item.path for item in review.findings), *tree.changed))
    return f"`{shown_path(found[0])}` cannot be repaired inside the Plan: {found[1]}" if found is not None else ""


def _paused(state: RunState, review: Review, on: str, why: str) -> Asking[Outcome]:
    row = find_row(state, on)  # type: ignore[arg-type]  # callers pass the table's words
    said = why or _WHY.get(row.to if row is not None else "", "")
    # The human at the gate reads the reason of the pause in the Repair Resume, so the findings stand in it.
    findings = "; ".join(_short(finding) for finding in review.findings)
    told = "; ".join(part for part in (f"{review.verdict}: {said}", findings) if part)
    if review.verdict == "BLOCKED":
        told = f"{told}; {review.evidence}"
    remedy = "Work on the findings inside the boundary." if review.findings else "Give the Reviewer what it lacked."
    reason = Reason("review.findings", short(f"the Review is taken: {told}", _FINDINGS), remedy, _listed(review))
    outcome = yield from pause(state, on, "block", reason)  # type: ignore[arg-type]  # as above
    return replace(outcome, duties=(DropAttestation(),))


def _short(finding: Finding) -> str:
    return f"{finding.id} in {finding.path}: {finding.message}"


def _listed(review: Review) -> str:
    return "\n".join(
        f"- {item.id} ({item.severity}) {item.path}:{item.line}: {item.message}" for item in review.findings
    )
