"""What is answered to an artifact that does not parse or binds to something else (contract section 4)."""

from __future__ import annotations

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.texts import bindings_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.values import Bindings, NearMiss
    from harness_guard.kernel.state import RunState


def near_miss(found: NearMiss) -> Reason:
    """Give the reason for a near miss: line, rule and mend; nothing has changed."""
    return Reason(found.rule, f"{found.kind} line {found.line}: {found.seen}", found.remedy)


def binding_problem(bound: Bindings, state: RunState) -> Reason | None:
    """Compare an artifact's bindings with the run's; ``None`` if all of them hold."""
    wanted = (
        ("accepted_plan_hash", bound.accepted_plan_hash, state.accepted_plan_hash),
        ("accepted_amendment_hash", bound.accepted_amendment_hash, state.accepted_amendment_hash),
        ("diff_revision", bound.diff_revision, state.diff_revision),
        ("verification_fingerprint", bound.verification_fingerprint, state.integrity_fingerprint),
        ("review_round", bound.review_round, state.review_round),
    )
    for name, given, current in wanted:
        if given != current:
            seen = f"`{name}` is `{given}`, but the run has `{current}`"
            return Reason("artifact.binding", seen, "Use the current values:", bindings_text(state))
    return None
