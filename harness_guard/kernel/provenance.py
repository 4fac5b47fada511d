"""Who is behind a call: the author of the approval it would use, the host process it comes from (contract 5)."""

from __future__ import annotations

from harness_guard.kernel.decision import deny
from harness_guard.kernel.outcome import Outcome
from harness_guard.kernel.questions import AuthorOf, ask
from harness_guard.kernel.state import AT_WORK
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.kernel.decision import Decision
    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState


def check_provenance(event: Event, state: RunState) -> Asking[tuple[RunState, Outcome | None]]:
    """Check the author of the approval at the first call that would use it (contract section 5).

    Returns:
        The state with the check noted, and the refusal if the check did not pass.
    """
    approval = state.approval
    if approval is None or approval.is_verified:
        return state, None
    author = yield from ask(AuthorOf(event.host, event.transcript_path, approval.turn_id, approval.gate_opened_at_ms))
    if author in ("human", "unknown"):
        return replace(state, approval=replace(approval, is_verified=True)), None
    if author == "forged":
        from harness_guard.kernel.transitions import step

        seen = "the host's transcript says that no human wrote the approval"
        refusal = deny("provenance.forged", seen, "Emit the Plan again and wait for the human's own y.")
        return state, Outcome(refusal, step(state, "provenance failed"), note="provenance failed")
    seen = f"the host's transcript does not show yet who wrote the approval ({author})"
    refusal = deny("provenance.unproved", seen, "Try the same call again; if it stays so, tell the human.")
    return state, Outcome(refusal)


def is_cancel_proved(event: Event, state: RunState) -> Asking[bool]:
    """Tell whether a human wrote the cancel that ended a run (contract section 3).

    Args:
        event: The event whose host is asked.
        state: A cancelled run; its open turn is the one of the cancel, ``None`` once its stop was judged.
    """
    if state.open_turn is None:
        return True
    # Nothing was asked, so there is no moment before which the cancel could have been too early.
    author = yield from ask(AuthorOf(event.host, event.transcript_path, state.open_turn, 0))
    return author in ("human", "unknown")


def check_process(event: Event, state: RunState) -> Decision | None:
    """Refuse a call from another host process than the run's; ``None`` if it is the same or the host does not tell."""
    process, host = event.process, state.host
    if process is not None and host.pid and (process.pid, process.started) != (host.pid, host.started):
        seen = f"this call comes from host process {process.pid}, the run belongs to process {host.pid}"
        # A run moves to a host that a human attends and to no other (contract section 5).
        remedy = "Type a prompt in this host after the other one has ended."
        if not process.attended:
            remedy = "Resume the session in a terminal, where a human attends, and type a prompt there."
        return deny("identity.process", seen, remedy)
    return None


def prompting_problem(name: str, state: RunState) -> Decision | None:
    """Refuse a call that would make a prompt or reach a child while an answer could be forged (contract section 5)."""
    if state.state in AT_WORK and state.has_authority:
        return None
    from harness_guard.kernel.texts import next_step

    seen = f"`{name}` would make a prompt or reach a child while the run is {state.state}"
    return deny("prompt.not-now", seen, next_step(state))
