"""``brief.md`` in the run's folder: what the Reviewer reads, written by the guard alone (contract section 8)."""

from __future__ import annotations

import os

from harness_guard.errors import StateError
from harness_guard.evidence.diff import WorkingTree
from harness_guard.evidence.git import Git
from harness_guard.store.files import write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.kernel.state import RunState
    from harness_guard.store.runs import RunStore


def write_brief(store: RunStore, state: RunState, head: str) -> None:
    """Write the brief: the head, the accepted Plan, its criteria, the whole diff.

    Raises:
        HarnessError: If the plan's text, the tree or the file cannot be had.
    """
    baseline, plan, policy = state.baseline, state.accepted_plan_hash, state.active_policy
    if baseline is None or plan is None or policy is None:
        raise StateError("evidence.brief", "the run has no accepted plan", "Emit the Plan again.")
    tree = WorkingTree(Git(state.repository_root, os.environ), f"{store.folder}/tree")
    now = tree.against(baseline, policy.caches)
    criteria = "\n".join(f"- {identifier}: {text}" for identifier, text in state.criteria)
    foreign = "\n".join(f"- {path}" for path in state.foreign) or "None"
    text = "\n".join(
        (
            head,
            "\n---\n\nThe accepted criteria:\n",
            criteria,
            "\nFiles that changed without a call of this run (they are not in the diff):\n",
            foreign,
            f"\n---\n\nThe accepted Plan, {plan}:\n",
            store.load_text(plan),
            f"\n---\n\nThe whole diff, {now.diff_revision}:\n",
            tree.diff_text(baseline, now.tree),
        )
    )
    write_atomically(f"{store.folder}/brief.md", text.encode(errors="replace"))
