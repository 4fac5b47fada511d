"""Stop opens a gate: a valid Plan, Plan Amendment or Repair Resume that fits the run as it stands (contract 4 to 6)."""

from __future__ import annotations

from harness_guard.kernel.accept import amended_policy, amendment_problem, plan_problem, policy_of
from harness_guard.kernel.blocks import not_now, refuse_without_gate
from harness_guard.kernel.decision import PASS, Reason
from harness_guard.kernel.outcome import KeepText, Outcome
from harness_guard.kernel.pause import missing_rounds, resume_for, why
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import Now, TreeNow
from harness_guard.kernel.state import Gate, StopCount
from harness_guard.policy.order import derive_child
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.values import Amendment, Plan, Resume
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState


def open_plan(state: RunState, plan: Plan) -> Asking[Outcome]:
    """Open the gate of a Plan, in ``planning`` only."""
    if state.state != "planning":
        return not_now(state, "Plan")
    problem = yield from plan_problem(plan, state)
    if problem is not None:
        return refuse_without_gate(state, problem)
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
    return _opened(state, gate, plan.text)


def open_amendment(state: RunState, amendment: Amendment) -> Asking[Outcome]:
    """Open the gate of a Plan Amendment, wherever a Plan is accepted and the run has not ended."""
    if state.active_policy is None or state.is_terminal:
        return not_now(state, "Plan Amendment")
    problem = yield from amendment_problem(amendment, state)
    if problem is not None:
        return refuse_without_gate(state, problem)
    now = yield from ask(Now())
    gate = Gate(
        kind="Plan Amendment",
        artifact_hash=amendment.digest,
        revision=state.revision,
        opened_at_ms=now,
        policy=amended_policy(amendment, state),
        criteria=tuple((criterion.id, criterion.text) for criterion in amendment.criteria),
        max_helpers=state.max_helpers,
    )
    return _opened(state, gate, amendment.text)


def open_resume(state: RunState, resume: Resume) -> Asking[Outcome]:
    """Open the gate of a Repair Resume, in a pause only."""
    accepted = state.active_policy
    if not state.is_paused or accepted is None or state.active_policy_id is None:
        return not_now(state, "Repair Resume")
    tree = yield from ask(TreeNow())
    problem = _resume_problem(state, resume, tree.diff_revision)
    if problem is not None:
        right = yield from resume_for(state)
        return refuse_without_gate(state, replace(problem, more=right))
    now = yield from ask(Now())
    gate = Gate(
        kind="Repair Resume",
        artifact_hash=resume.digest,
        revision=state.revision,
        opened_at_ms=now,
        policy=derive_child(accepted, state.active_policy_id),
        added_rounds=resume.context.additional_rounds,
        diff_revision=tree.diff_revision,
    )
    return _opened(state, gate, resume.text)


def _resume_problem(state: RunState, resume: Resume, diff_revision: str) -> Reason | None:
    bound = resume.context
    wanted = (
        ("accepted_plan_hash", bound.accepted_plan_hash, state.accepted_plan_hash),
        ("paused_revision", bound.paused_revision, state.revision),
        ("diff_revision", bound.diff_revision, diff_revision),
        ("verification_fingerprint", bound.verification_fingerprint, state.integrity_fingerprint),
    )
    for name, given, current in wanted:
        if given != current:
            return Reason("artifact.binding", f"`{name}` is `{given}`, but the run has `{current}`", "Emit this:")
    from harness_guard.artifacts.templates import plain_line

    if not resume.reason.startswith(plain_line(why(state))):
        seen = "the Reason does not begin with why the run paused, which the human has to read"
        return Reason("repair.reason", seen, "Add your own words behind it; emit this:")
    missing = missing_rounds(state)
    if bound.additional_rounds < missing:
        seen = f"round {state.repair.round + 1} is due and the budget is {state.repair.max_rounds}"
        return Reason("repair.rounds", seen, f"Ask for at least {missing} additional rounds; emit this:")
    return None


def _opened(state: RunState, gate: Gate, text: str) -> Outcome:
    opened = replace(state, pending_gate=gate, stop=StopCount())
    return Outcome(PASS, opened, (KeepText(gate.artifact_hash, text),), note=f"{gate.kind} gate opened")
