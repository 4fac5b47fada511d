"""The sweep: what changed outside the boundary, and whether a call of this run could have done it (contract 7)."""

from __future__ import annotations

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import AbsorbForeign, TreeNow
from harness_guard.paths import shown_path
from harness_guard.policy.boundary import explain, matcher
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState

_NAMED: Final = 20  # as many paths are named in a reason; `status` and the brief have them all


def sweep(state: RunState) -> Asking[tuple[RunState, Reason | None]]:
    """Look for changes outside the boundary.

    Args:
        state: A run with an accepted policy and a baseline.

    Returns:
        The state afterwards, and the reason for a pause if a call of this run could have made such a change. Such a
        change stays in the reviewed diff and is told once: the human who resumes has read of it in the Repair Resume.
        A foreign change is recorded, named to the Reviewer and taken into the baseline instead.
    """
    if state.active_policy is None or state.baseline is None:
        return state, None
    boundary = state.active_policy.boundary
    tree = yield from ask(TreeNow())
    told = frozenset(state.told_outside)
    is_covered = matcher(boundary)
    outside = tuple(path for path in tree.changed if shown_path(path) not in told and not is_covered(path))
    if not outside:
        return state, None
    if not state.wrote_unseen:
        baseline_tree = yield from ask(AbsorbForeign(outside))
        foreign = tuple(sorted({*state.foreign, *map(shown_path, outside)}))
        return replace(state, foreign=foreign, baseline=replace(state.baseline, tree=baseline_tree)), None
    # Once an exact command or the engine has run, what it left running may write at any time: nothing is foreign then.
    known = replace(state, told_outside=tuple(sorted({*state.told_outside, *map(shown_path, outside)})))
    named = ", ".join(f"`{shown_path(path)}`" for path in outside[:_NAMED])
    more = f" and {len(outside) - _NAMED} more" if len(outside) > _NAMED else ""
    seen = f"an approved command or the engine's run changed what is outside {explain(boundary)}: {named}{more}"
    return known, Reason("sweep.outside", seen, "Put the files back as they were, or ask the human.")
