"""The guard's longer answers: what an activation, an approval or a pause tells, and what is due next.

Short, plain, in the order in which the reader needs it; every text names the next step (promise P9).
"""

from __future__ import annotations

from harness_guard.canonical import canonical
from harness_guard.kernel.spawn import next_spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.kernel.run_questions import Installation
    from harness_guard.kernel.state import RunState


def activation_text(state: RunState, installed: Installation) -> str:
    """Tell the model that a run is open and what to read (contract section 3)."""
    return "\n".join(
        (
            f"harness-guard: run {state.run_id} is open in planning; nothing may be written before a Plan is approved.",
            "Read these two files now, and no other of the guard's:",
            f"- {installed.skill}",
            f"- {installed.contract}",
            f"Then fill in the template of this phase: {installed.templates}/plan.md",
            f"The guard's command line has one spelling: {installed.command}",
            f"It may run in every state: {installed.command} status, {installed.command} artifact plan",
            "Look around with read-only commands, then emit the # Plan as your whole message and end your turn.",
        )
    )


def approval_text(state: RunState, gate: str) -> str:
    """Tell the model what a ``y`` has put in force (contract section 5)."""
    policy = state.active_policy
    boundary = ", ".join(f"`{entry}`" for entry in policy.boundary) if policy and policy.boundary else "nothing"
    commands = "\n".join(f"- {command}" for command in policy.commands) if policy else ""
    parts = [
        f"harness-guard: Approval activated ({gate}). The run is {state.state}.",
        f"You may write: {boundary}.",
        f"Exact commands, byte for byte, from {state.repository_root}:\n{commands}" if commands else "",
        f"Approved tools: {', '.join(policy.tools)}" if policy and policy.tools else "",
        f"Scratch folder of this run: {state.scratch}" if state.scratch else "",
        review_text(state) if state.state in ("executing", "verifying") else f"Next: {next_step(state)}",
        findings_text(state) if state.state == "auto_repairing" else "",
    ]
    return "\n".join(part for part in parts if part)


def review_text(state: RunState) -> str:
    """Tell the model how to claim that the work is done: the Reviewer's spawn (contract section 8)."""
    return "\n".join(
        (
            "When the work is done, spawn the Reviewer with exactly these arguments and no others; the engine runs the",
            "required verification first, and the spawn is refused while it is red:",
            spawn_block(state),
        )
    )


def spawn_block(state: RunState) -> str:
    """Give the handed-out arguments as one fenced JSON block."""
    block = f"```json\n{canonical(next_spawn(state).for_host(state.host.name))}\n```"
    if state.host.name == "codex":
        block += "\nWhere your spawn tool has no task_name, pass message alone."
    return block


def next_step(state: RunState) -> str:
    """Name the one thing that is due now, as a sentence that starts with a verb."""
    if state.cancel_asked:
        return "End your turn; the run ends at the human's next prompt."
    if state.pending_gate is not None:
        return f"End your turn and wait for the human's answer to the {state.pending_gate.kind}."
    artifact = f"`{state.command} artifact" if state.command else "`harness-guard artifact"
    if state.is_paused:
        resume = f"Emit the Repair Resume ({artifact} repair-resume` prints it) as your whole message"
        return f"{resume}, or a # Plan Amendment ({artifact} plan-amendment`), or ask the human for `$harness cancel`."
    steps = {
        "planning": f"Fill in the # Plan ({artifact} plan` prints it), emit it as your whole message, end your turn.",
        "executing": "Finish the work inside the boundary, then spawn the Reviewer with the handed-out arguments.",
        "auto_repairing": f"Repair the findings inside the boundary, then emit the # Repair Record ({artifact} "
        "repair-record` prints it) as your whole message.",
        "verifying": "Wait for the Reviewer and relay its Review unchanged as your whole message."
        if state.reviewer.is_running
        else "Spawn the Reviewer with the handed-out arguments, or relay the Review that it gave, unchanged.",
        "reviewing": f"Fill in the # Completion ({artifact} completion` prints it) and emit it as your whole message.",
        "completed": "Report to the human; the run is complete.",
        "cancelled": "Report to the human; the run is cancelled.",
    }
    return steps[state.state]


def bindings_text(state: RunState) -> str:
    """Give the current values that artifacts bind to; they are no secrets (contract section 4)."""
    return "\n".join(
        (
            f"accepted_plan_hash: {state.accepted_plan_hash}",
            f"accepted_amendment_hash: {canonical(state.accepted_amendment_hash)}",
            f"diff_revision: {state.diff_revision}",
            f"verification_fingerprint: {state.integrity_fingerprint}",
            f"review_round: {state.review_round}",
        )
    )


def choices_text(state: RunState, resume: str) -> str:
    """Tell the three ways out of a pause and what each does, with the filled-in Repair Resume (contract section 6).

    Args:
        state: The paused run.
        resume: The Repair Resume that fits it now.
    """
    artifact = f"{state.command or 'harness-guard'} artifact plan-amendment"
    repair = state.repair
    where = "the work goes on"
    if repair.is_due:
        where = f"repair round {repair.round + 1} begins"
    elif state.paused_from is not None:
        where = f"the run goes on in {state.paused_from}"
    return "\n".join(
        (
            "The run is paused and its authority revoked. Three ways out:",
            f"- Repair Resume: the same boundary and verification stay in force and {where}. Emit the text below,",
            "  alone and unchanged, end your turn, and the human answers exactly y.",
            f"- Plan Amendment: another boundary, other commands or verification. `{artifact}` prints it with what is",
            "  in force; change it, emit it alone, the human answers exactly y. Work goes on, with rounds anew.",
            "- Cancel: the human types `$harness cancel`; the run ends and nothing more is written.",
            "",
            resume,
        )
    )


def policy_bindings_text(state: RunState) -> str:
    """Give the values that a Plan Amendment binds to; they are no secrets (contract section 4)."""
    return f"source_plan_hash: {state.accepted_plan_hash}\nsource_policy_id: {state.active_policy_id}"


def findings_text(state: RunState) -> str:
    """List the findings of a repair round."""
    said = {name: f"- {name} {path}: {message}" for name, path, message in state.open_findings}
    listed = [said.get(name, f"- {name}: required verification is red") for name in state.latest_finding_ids]
    return "\n".join(("Findings of this round:", *listed)) if listed else ""


def status_text(state: RunState) -> str:
    """Describe a run for a person."""
    policy = state.active_policy
    lines = [
        f"harness-guard run {state.run_id}: {state.state}, authority {state.authority_status}",
        f"repository: {state.repository_root}",
        f"task: {state.task}" if state.task else "",
        f"plan: {state.accepted_plan_hash}" if state.accepted_plan_hash else "plan: none accepted",
        f"boundary: {', '.join(policy.boundary) or 'None'}" if policy else "",
        f"exact commands: {'; '.join(policy.commands) or 'None'}" if policy else "",
        f"approved tools: {', '.join(policy.tools)}" if policy and policy.tools else "",
        f"amended by: {state.accepted_amendment_hash}" if state.accepted_amendment_hash else "",
        f"policy in force: {state.active_policy_id}, number {len(state.lineage)} of its line" if policy else "",
        f"verification: {_evidence_text(state)}",
        f"review round: {state.review_round}" if state.review_round else "",
        _repair_text(state) if policy else "",
        f"waiting for the human's y to the {state.pending_gate.kind}" if state.pending_gate else "",
        f"paused: {state.pause_reason} (from {state.paused_from})" if state.is_paused else "",
        f"changed by others: {', '.join(state.foreign)}" if state.foreign else "",
        f"changed outside by the run: {', '.join(state.told_outside)}" if state.told_outside else "",
        f"Next: {next_step(state)}",
    ]
    return "\n".join(line for line in lines if line)


def _repair_text(state: RunState) -> str:
    repair = state.repair
    counted = f"repair: round {repair.round} of {repair.max_rounds}"
    again = max(repair.repeated - 1, 0)
    counts = f"the same finding came again {again} times, Records without progress {repair.no_progress}"
    findings = ", ".join(f"{name} ({path})" for name, path, _ in state.open_findings)
    return "; ".join(part for part in (counted, counts, f"open findings: {findings}" if findings else "") if part)


def _evidence_text(state: RunState) -> str:
    if state.evidence_green is None:
        return "not run yet"
    return f"{'green' if state.evidence_green else 'red'} at {state.diff_revision}"
