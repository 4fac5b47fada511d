"""Text of ``brief.md``: plan, criteria, foreign changes, the whole diff, for the Reviewer to read (contract 8)."""

from __future__ import annotations

from harness_guard.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.evidence.diff import WorkingTree
    from harness_guard.kernel.state import RunState


def brief_text(state: RunState, tree: WorkingTree, *, head: str, plan: str, amendment: str) -> str:
    """Write the brief.

    Args:
        state: A run with an accepted plan.
        tree: Its working tree.
        head: What the Reviewer is told at its start.
        plan: Text of the accepted Plan.
        amendment: Text of the Plan Amendment that was approved last, ``""`` if there is none.

    Raises:
        HarnessError: If the tree cannot be had.
    """
    baseline, policy = state.baseline, state.active_policy
    if baseline is None or policy is None:
        raise StateError("evidence.brief", "the run has no accepted plan", "Emit the Plan again.")
    now = tree.against(baseline, policy.caches)
    criteria = "\n".join(f"- {identifier}: {text}" for identifier, text in state.criteria)
    foreign = "\n".join(f"- {path}" for path in state.foreign) or "None"
    parts = (
        head,
        "\n---\n\nThe accepted criteria:\n",
        criteria,
        "\nFiles outside the boundary that changed meanwhile (they are not in the diff):\n",
        foreign,
        f"\n---\n\nThe accepted Plan, {state.accepted_plan_hash}:\n",
        plan,
        *([f"\n---\n\nIts Amendment in force, {state.accepted_amendment_hash}:\n", amendment] if amendment else ()),
        f"\n---\n\nThe whole diff, {now.diff_revision}:\n",
        tree.diff_text(baseline, now.tree),
    )
    return "\n".join(parts)
