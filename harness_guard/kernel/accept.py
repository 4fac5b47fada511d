"""A parsed Plan or Amendment to the policy that its approval would put in force, with the checks that need the run."""

from __future__ import annotations

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import TrackedPaths, TreeNow
from harness_guard.kernel.texts import policy_bindings_text
from harness_guard.paths import shown_path
from harness_guard.policy.boundary import disagreements, matcher
from harness_guard.policy.caches import RECOGNISED, listed_caches
from harness_guard.policy.control_plane import from_json, protected_by
from harness_guard.policy.model import Check, Policy
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.values import Amendment, Plan, VerificationCommand
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


def amended_policy(amendment: Amendment, state: RunState) -> Policy:
    """Build the policy that an Amendment's approval would put in force.

    Its sections are the complete effective policy; what they do not hold (caches, repair limits) stays the Plan's.

    Raises:
        RuntimeError: If no policy is in force: there is nothing to amend.
    """
    accepted = state.accepted_policy
    if accepted is None:
        raise RuntimeError("an amendment without an accepted policy")
    checks = (*amendment.required, *amendment.optional)
    commands = dict.fromkeys((*amendment.commands, *(check.command for check in checks)))
    return replace(
        accepted,
        boundary=amendment.boundary,
        commands=tuple(commands),
        tools=amendment.tools,
        strategy=amendment.strategy,
        required=tuple(_check(check) for check in amendment.required),
        optional=tuple(_check(check) for check in amendment.optional),
        parent=state.active_policy_id,
    )


def amendment_problem(amendment: Amendment, state: RunState) -> Asking[Reason | None]:
    """Say why a well-formed Amendment cannot open a gate: stale bindings, false deltas, or what a Plan may not name."""
    bound = (
        ("source_plan_hash", amendment.source_plan_hash, state.accepted_plan_hash),
        ("source_policy_id", amendment.source_policy_id, state.active_policy_id),
    )
    for name, given, current in bound:
        if given != current:
            seen = f"Plan Amendment: `{name}` is `{given}`, but the run has `{current}`"
            return Reason("artifact.binding", seen, "Use the current values:", policy_bindings_text(state))
    problem = _delta_problem(amendment, state)
    if problem is None:
        problem = yield from _left_out_problem(amendment, state)
    if problem is not None:
        return problem
    return (yield from _boundary_problem("Plan Amendment", amendment.boundary, state))


def _left_out_problem(amendment: Amendment, state: RunState) -> Asking[Reason | None]:
    """Refuse a boundary that leaves out what the run has changed under the one in force: it would count as foreign."""
    if state.active_policy is None or state.baseline is None:
        return None
    was_covered, is_covered = matcher(state.active_policy.boundary), matcher(amendment.boundary)
    tree = yield from ask(TreeNow())
    left = next((path for path in tree.changed if was_covered(path) and not is_covered(path)), None)
    if left is None:
        return None
    seen = f"Plan Amendment: the boundary leaves out `{shown_path(left)}`, which this run has changed"
    return Reason("amendment.leaves-out", seen, "Keep its entry, or put the file back as it was first.")


def _delta_problem(amendment: Amendment, state: RunState) -> Reason | None:
    """Compare the declared deltas with the computed ones: the human reads the former at the gate."""
    declared: dict[str, bool] = {delta.name: delta.material for delta in amendment.deltas}
    for name, is_changed in _computed_deltas(amendment, state).items():
        if declared[name] != is_changed:
            truth = "something of it differs from" if is_changed else "it is the same as"
            seen = f"Plan Amendment: the delta `{name}` is declared otherwise: {truth} what is in force"
            remedy = f'Say `"material": {str(is_changed).lower()}` for `{name}` and what changes.'
            return Reason("amendment.delta", seen, remedy)
    return None


def _own_commands(policy: Policy) -> set[str]:
    """Give what a policy's exact commands hold beside its verification, tools included."""
    checks = {check.command for check in (*policy.required, *policy.optional)}
    return {command for command in policy.commands if command not in checks} | set(policy.tools)


def _computed_deltas(amendment: Amendment, state: RunState) -> dict[str, bool]:
    before, after = state.active_policy, amended_policy(amendment, state)
    criteria = tuple((criterion.id, criterion.text) for criterion in amendment.criteria)
    if before is None:
        raise RuntimeError("an amendment without a policy in force")
    deltas = {
        "acceptance_criteria": criteria != state.criteria,
        "write_boundary": set(after.boundary) != set(before.boundary),
        "verification": (after.strategy, after.required, after.optional)
        != (before.strategy, before.required, before.optional),
    }
    # What else a scope is stands in words, which no code compares; new commands, though, are always a new scope.
    return {**deltas, "scope": True} if _own_commands(before) != _own_commands(after) else deltas


def plan_problem(plan: Plan, state: RunState) -> Asking[Reason | None]:
    """Say why a well-formed Plan cannot open a gate in this repository; ``None`` if it can.

    Its boundary must not name the control plane as it lies on this disk, both readers of its patterns must agree on
    every tracked path, and its tool caches must be recognised names.
    """
    strange = listed_caches(plan.scope)[1]
    if strange:
        seen = f"Plan: `{strange[0]}` is no recognised tool cache"
        return Reason("plan.cache", seen, f"List only names among: {', '.join(RECOGNISED)}.")
    return (yield from _boundary_problem("Plan", plan.boundary, state))


def _boundary_problem(kind: str, boundary: tuple[str, ...], state: RunState) -> Asking[Reason | None]:
    plane = from_json(state.control_plane or {})
    for entry in boundary:
        literal = entry.split("*", 1)[0].rstrip("/")
        what = protected_by(plane, f"{state.repository_root}/{literal}") if literal else None
        if what is not None:
            seen = f"{kind}: the boundary entry `{entry}` names {what}"
            return Reason("plan.control-plane", seen, "Remove the entry; no plan covers the control plane.")
    tracked = yield from ask(TrackedPaths())
    unclear = disagreements(boundary, tracked)
    if unclear:
        seen = f"{kind}: the boundary can be read in two ways for `{unclear[0]}`"
        return Reason("plan.ambiguous", seen, "Write the entry as a plain path or with a trailing slash.")
    return None
