"""A Completion at Stop: everything fresh, everything matching, or nothing is complete (contract sections 4 and 8)."""

from __future__ import annotations

from harness_guard.kernel.blocks import not_now, refuse
from harness_guard.kernel.decision import PASS, Reason
from harness_guard.kernel.near_miss import binding_problem
from harness_guard.kernel.outcome import EndMarker, KeepText, Outcome
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import TreeNow
from harness_guard.kernel.texts import spawn_block
from harness_guard.kernel.transitions import step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.values import Completion
    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState


def take_completion(event: Event, state: RunState, completion: Completion) -> Asking[Outcome]:
    """Decide a Completion.

    Args:
        event: The Stop event; it tells of background work.
        state: The run.
        completion: The parsed Completion.

    Returns:
        The outcome, through questions.
    """
    if state.state != "reviewing":
        return not_now(state, "Completion")
    problem = binding_problem(completion.context, state) or _acceptance_problem(completion, state)
    if problem is None and (event.live_tasks or state.children):
        still = ", ".join((*event.live_tasks, *state.children))
        problem = Reason("completion.background", f"background work still runs: {still}", "End it or wait for it.")
    if problem is not None:
        return refuse(state, problem)
    tree = yield from ask(TreeNow())
    if tree.diff_revision != state.diff_revision or not state.evidence_green:
        seen = f"the tree moved after the Review, from {state.diff_revision} to {tree.diff_revision}"
        remedy = "Spawn the Reviewer again with exactly these arguments."
        return refuse(state, Reason("completion.stale", seen, remedy, spawn_block(state)))
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
