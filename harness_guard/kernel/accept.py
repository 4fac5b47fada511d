"""A parsed Plan to the policy that its approval would put in force, with the checks that need the run's facts."""

from __future__ import annotations

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import TrackedPaths
from harness_guard.policy.boundary import disagreements
from harness_guard.policy.caches import RECOGNISED, listed_caches
from harness_guard.policy.control_plane import from_json, protected_by
from harness_guard.policy.model import Check, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.values import Plan, VerificationCommand
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState


def policy_of(plan: Plan) -> Policy:
    """Build the policy; the verification commands are exact commands too (contract section 4)."""
    checks = (*plan.required, *plan.optional)
    commands = dict.fromkeys((*plan.commands, *(check.command for check in checks)))
    repair = plan.auto_repair
    return Policy(
        boundary=plan.boundary,
        commands=tuple(commands),
        tools=plan.tools,
        caches=listed_caches(plan.scope)[0],
        strategy=plan.strategy,
        required=tuple(_check(check) for check in plan.required),
        optional=tuple(_check(check) for check in plan.optional),
        max_rounds=repair.max_rounds if repair.enabled else 0,
        repeated_finding_limit=repair.repeated_finding_limit,
        no_progress_limit=repair.no_progress_limit,
        plan_hash=plan.digest,
    )


def _check(command: VerificationCommand) -> Check:
    return Check(command.id, command.command, command.timeout_s)


def plan_problem(plan: Plan, state: RunState) -> Asking[Reason | None]:
    """Say why a well-formed Plan cannot open a gate in this repository; ``None`` if it can.

    Its boundary must not name the control plane as it lies on this disk, both readers of its patterns must agree on
    every tracked path, and its tool caches must be recognised names.
    """
    plane = from_json(state.control_plane or {})
    for entry in plan.boundary:
        literal = entry.split("*", 1)[0].rstrip("/")
        what = protected_by(plane, f"{state.repository_root}/{literal}") if literal else None
        if what is not None:
            seen = f"Plan: the boundary entry `{entry}` names {what}"
            return Reason("plan.control-plane", seen, "Remove the entry; no plan covers the control plane.")
    strange = listed_caches(plan.scope)[1]
    if strange:
        seen = f"Plan: `{strange[0]}` is no recognised tool cache"
        return Reason("plan.cache", seen, f"List only names among: {', '.join(RECOGNISED)}.")
    tracked = yield from ask(TrackedPaths())
    unclear = disagreements(plan.boundary, tracked)
    if unclear:
        seen = f"Plan: the boundary can be read in two ways for `{unclear[0]}`"
        return Reason("plan.ambiguous", seen, "Write the entry as a plain path or with a trailing slash.")
    return None
