"""P1, P2 and P6, checked on each step of the kernel with an account of the test's own: who said ``y``, what was green."""

from __future__ import annotations

from naive.kernel_side import KernelSide
from naive.values import Content, lies_within

from harness_guard.kernel.state import RunState
from harness_guard.policy.model import Policy


def is_within(child: Policy, parent: Policy) -> bool:
    """P2: paths, commands and limits are the parent's or fewer, and it verifies as much."""
    checks = {(check.id, check.command): check.timeout_s for check in child.required}
    return (
        child.plan_hash == parent.plan_hash
        and all(any(lies_within(entry, wider) for wider in parent.boundary) for entry in child.boundary)
        and set(child.commands) <= set(parent.commands)
        and set(child.tools) <= set(parent.tools)
        and set(child.caches) <= set(parent.caches)
        and child.max_rounds <= parent.max_rounds
        and child.repeated_finding_limit <= parent.repeated_finding_limit
        and child.no_progress_limit <= parent.no_progress_limit
        and all(checks.get((check.id, check.command), 0) >= check.timeout_s for check in parent.required)
    )


class Promises:
    """What has to hold of one session's kernel after each step."""

    def __init__(self, kernel: KernelSide) -> None:
        self.kernel = kernel
        self.before: RunState | None = None
        self.shown: list[Policy] = []  # what a human answered with ``y`` in this run
        self.passed: Content | None = None  # the tree of the last attested Review that passes

    def hold(self, *, is_yes: bool, attested: str = "") -> None:
        """Check one step.

        Args:
            is_yes: Whether it was a human's fresh ``y``.
            attested: The verdict of the Review that was attested in it.
        """
        before, now = self.before, self.kernel.state
        self.before = now
        if now is None:
            return
        if before is None or before.run_id != now.run_id:
            before, self.shown, self.passed = None, [], None
        if before is not None and is_yes and before.pending_gate is not None and now.revision != before.revision:
            self.shown.append(before.pending_gate.policy)
        if attested:
            self.passed = self.kernel.tree if attested.startswith("PASS") else None
        self._p1(now)
        self._p2(before, now, is_yes=is_yes)
        if now.state == "completed" and (before is None or before.state != "completed"):
            self._p6()

    def _p1(self, now: RunState) -> None:
        if now.has_authority:
            assert now.state in ("executing", "auto_repairing")
        if now.accepted_policy is not None:
            assert now.accepted_policy in self.shown

    def _p2(self, before: RunState | None, now: RunState, *, is_yes: bool) -> None:
        if now.active_policy is None:
            return
        assert now.accepted_policy is not None
        assert is_within(now.active_policy, now.accepted_policy)
        if before is not None and not is_yes:
            assert before.active_policy is not None
            assert is_within(now.active_policy, before.active_policy)

    def _p6(self) -> None:
        assert self.passed == self.kernel.tree
        assert self.kernel.record is not None
        _, _, tree, found = self.kernel.record
        assert (tree, found.outcome) == (self.kernel.tree, "green")
