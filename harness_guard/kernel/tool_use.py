"""PreToolUse: the checks in the contract's order (section 7), each carrying its number.

(1) decode and (2) active run are behind us when we start. Then (3) control plane, (4) hard danger, (5) state,
(6) identity, (7) the tool's effects, (8) boundary. The effects are computed first, because (3) and (4) judge them.
"""

from __future__ import annotations

from harness_guard.kernel.boundary_check import HOST_SCRATCH, check_boundary, unlisted_cache
from harness_guard.kernel.decision import PASS, Decision, Reason, deny
from harness_guard.kernel.outcome import DropAttestation, Outcome
from harness_guard.kernel.protection import check_control_plane, check_reads
from harness_guard.kernel.provenance import check_process, check_provenance, prompting_problem
from harness_guard.kernel.questions import EngineRuns, ask
from harness_guard.kernel.state import AT_WORK, StopCount
from harness_guard.kernel.tool_effects import Judged, find_places, read_effects, settled, short
from harness_guard.kernel.tools import classify
from harness_guard.policy.control_plane import from_json
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.tools import ToolCall
    from harness_guard.kernel.transitions import Happening

_NO_APPROVAL: Final = "Reach the goal another way; no approval clears this rule, the human does such a thing by hand."
_CHILD_STEP: Final = "Only read; say what should change in your last message."
# Arguments by which a call would say that another agent stands behind it; no writing tool of a host has one of them.
_HINTS: Final = (
    "agent_id",
    "agent_name",
    "agent_type",
    "delegated_by",
    "delegated_to",
    "on_behalf_of",
    "subagent_type",
)
OPAQUE_LIMIT: Final = 3  # contract section 6: the third opaque call without an allowed mutation between them pauses


def decide_tool(event: Event, state: RunState) -> Asking[Outcome]:
    """Decide one tool call of a session with a run.

    Args:
        event: A PreToolUse or PreSkillShellCommand event.
        state: The run, terminal ones included (a cancelled run denies to the end of its turn).

    Returns:
        The outcome, through questions.
    """
    call = classify(event)
    if call.family == "spawn":
        from harness_guard.kernel.children import decide_spawn

        return (yield from decide_spawn(event, state))
    if call.family in ("prompt", "child"):
        from harness_guard.kernel.children import decide_prompting

        return (yield from decide_prompting(event, state, call))
    effects = yield from read_effects(event, call)
    plane = from_json(state.control_plane or {})
    refusal = yield from check_reads(call, effects, plane)
    if refusal is not None:
        return Outcome(refusal)
    places = yield from find_places(effects, plane)
    effects = yield from settled(effects, places, state)
    judged = Judged(event, call, effects, places, plane, _is_exact(event, state, call))
    refusal = yield from check_control_plane(judged)  # C7.3
    if refusal is not None:
        return Outcome(refusal)
    danger = _danger(judged)  # C7.4; reading a credential is one too
    if danger is not None:
        return (yield from _pause_or_deny(judged, state, "hard danger", danger))
    if call.wakes and (refusal := prompting_problem(call.name, state)) is not None:
        return Outcome(refusal)
    refusal = _check_connections(judged, state)
    if refusal is not None:
        return Outcome(refusal)
    if not (places or effects.links or effects.unknown):
        return (yield from _pass_reading(judged, state))
    return (yield from _decide_mutation(judged, state))


def _check_connections(judged: Judged, state: RunState) -> Decision | None:
    """Refuse to ask this very machine while nothing may be written: the host's own sockets are here (contract 5)."""
    local = next((found for found in judged.effects.connects if found.is_local), None)
    if local is None or state.has_authority:
        return None
    from harness_guard.kernel.texts import next_step

    seen = f"`{short(local.by)}` would ask `{short(local.to)}` on this machine while nothing may be written"
    return deny("state.connects", seen, _CHILD_STEP if judged.event.is_child else next_step(state))


def _pass_reading(judged: Judged, state: RunState) -> Asking[Outcome]:
    """Let a call pass that only reads or writes to streams; what the Reviewer looks at is noted."""
    noted = None
    if judged.event.is_child:
        from harness_guard.kernel.reading import note_reading

        noted = yield from note_reading(judged.event, state, judged.call, judged.effects)
    return Outcome(PASS, noted or _without_ended(state, judged.call))


def _without_ended(state: RunState, call: ToolCall) -> RunState | None:
    """Forget the children that a call ends: not every host tells of an end that the root brought about."""
    if not (state.reviewer.agent_id in call.ends or set(state.children).intersection(call.ends)):
        return None
    reviewer = state.reviewer
    if reviewer.agent_id in call.ends:
        reviewer = replace(reviewer, agent_id=None)
    return replace(
        state, children=tuple(child for child in state.children if child not in call.ends), reviewer=reviewer
    )


def _decide_mutation(judged: Judged, state: RunState) -> Asking[Outcome]:
    refusal = _check_state(judged.event, state) or _check_identity(judged.event, state)  # C7.5, C7.6
    if refusal is not None:
        return Outcome(refusal)
    if (yield from ask(EngineRuns())):
        return Outcome(deny("state.engine-runs", "the engine is running the verification", "Wait until it has ended."))
    state, lost = yield from check_provenance(judged.event, state)
    if lost is not None:
        return lost
    if judged.is_exact:
        return _allow(state, wrote_unseen=True)
    return (yield from _check_effects(judged, state))


def _check_effects(judged: Judged, state: RunState) -> Asking[Outcome]:
    outside = yield from check_boundary(judged, state)  # C7.8: known targets first, they say the most
    if outside is not None:
        if outside.seen == HOST_SCRATCH:
            return Outcome(Decision("deny", outside), state)
        return (yield from _pause_or_deny(judged, state, "boundary exceeded", outside))
    writers = [unknown for unknown in judged.effects.unknown if unknown.is_writer]  # C7.7
    if writers:
        seen = f"where `{short(writers[0].seen)}` writes cannot be known: {writers[0].why}"
        reason = Reason("effects.target", seen, "Name the target literally, or use another command.")
        return (yield from _pause_or_deny(judged, state, "writer's target unknown", reason))
    from harness_guard.kernel.new_names import check_names  # what only reads does not pay for it

    opaque = _opaque(judged) or unlisted_cache(judged, state) or (yield from check_names(judged, state))
    if opaque is not None:
        return (yield from _deny_opaque(judged, state, opaque))
    return _allow(state, wrote_unseen=state.wrote_unseen)


def _opaque(judged: Judged) -> Reason | None:
    if not judged.effects.unknown:
        return None
    unknown = judged.effects.unknown[0]
    seen = f"what `{short(unknown.seen)}` does is not known: {unknown.why}"
    remedy = "Use the file tools or a command of the table, or have the exact command approved in a Plan."
    return Reason("effects.unknown", seen, remedy)


def _deny_opaque(judged: Judged, state: RunState, reason: Reason) -> Asking[Outcome]:
    counted = replace(state, opaque_denies=state.opaque_denies + 1)
    if counted.opaque_denies >= OPAQUE_LIMIT:
        return (yield from _pause_or_deny(judged, counted, "third opaque call", reason))
    return Outcome(Decision("deny", reason), counted)


def _allow(state: RunState, *, wrote_unseen: bool) -> Outcome:
    """Let a mutation pass: the pending attestation goes first, the counters start anew."""
    after = replace(state, opaque_denies=0, stop=StopCount(), wrote_unseen=wrote_unseen)
    return Outcome(PASS, after, (DropAttestation(),))


def _pause_or_deny(judged: Judged, state: RunState, on: Happening, reason: Reason) -> Asking[Outcome]:
    """Refuse a call; where the run has authority it pauses. Of a child only a hard danger gets here."""
    if not state.has_authority:
        return Outcome(Decision("deny", reason))
    from harness_guard.kernel.pause import pause

    # INVARIANT (P1): an approval that was never checked is not carried over into a pause, where a Resume renews it.
    state, lost = yield from check_provenance(judged.event, state)
    if lost is not None:
        return lost if lost.state is not None else Outcome(Decision("deny", reason))
    return (yield from pause(state, on, "deny", reason))


def _danger(judged: Judged) -> Reason | None:
    call = judged.call
    if call.family != "shell" and not call.reads:
        return None
    if call.family != "shell":
        from harness_guard.policy.credentials import first_secret

        secret = first_secret(call.reads)
        return None if secret is None else Reason("danger.secret", f"`{short(secret)}` holds credentials", _NO_APPROVAL)
    from harness_guard.policy.danger import danger_of

    danger = danger_of(call.text, judged.effects)
    return None if danger is None else Reason(danger.rule, danger.seen, _NO_APPROVAL)


def _check_state(event: Event, state: RunState) -> Decision | None:
    if state.state in AT_WORK and state.has_authority:
        return None
    from harness_guard.kernel.texts import next_step

    seen = f"the run is {state.state} and nothing may be written now"
    if state.pending_gate is not None and state.authority_status == "active":
        seen = f"the human has not answered the {state.pending_gate.kind} yet and nothing may be written meanwhile"
    if state.cancel_asked or state.state == "cancelled":
        seen = "the run is cancelled and nothing may be written until this turn has ended"
    return deny("state.no-authority", seen, _CHILD_STEP if event.is_child else next_step(state))


def _check_identity(event: Event, state: RunState) -> Decision | None:
    if event.is_child:
        seen = f"child agent {event.agent_id} may only read; the root is the only writer"
        return deny("identity.child", seen, _CHILD_STEP)
    hints = [name for name in _HINTS if name in (event.tool_input or {})]
    if hints:
        seen = f"the call says by `{hints[0]}` that it is another agent's work, and the root is the only writer"
        return deny("identity.hint", seen, "Do it as the root, without that argument.")
    return check_process(event, state)


def _is_exact(event: Event, state: RunState, call: ToolCall) -> bool:
    policy = state.active_policy
    if policy is None:
        return False
    if call.family == "mcp":
        return event.tool_name in policy.tools
    # The human read the command as one that runs at the root; elsewhere the same bytes do something else.
    return call.family == "shell" and event.cwd == state.repository_root and call.text in policy.commands
