"""A pause, with the filled-in Repair Resume that leads out of it (contract section 6)."""

from __future__ import annotations

from harness_guard.kernel.decision import Decision, Reason
from harness_guard.kernel.outcome import Outcome
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import TreeNow
from harness_guard.kernel.texts import choices_text
from harness_guard.kernel.transitions import step
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.decision import Verdict
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.transitions import Happening

# A text for a model has at most 9,000 bytes (contract section 2), and the Repair Resume stands at its end.
_MORE_BYTES: Final = 4000
REASON_LENGTH: Final = 500


def pause(state: RunState, on: Happening, verdict: Verdict, reason: Reason) -> Asking[Outcome]:
    """Pause a run and answer with the reason and the whole Repair Resume.

    Args:
        state: The run.
        on: What happened; the table must pause on it.
        verdict: ``deny`` at a tool call, ``block`` at a stop.
        reason: Why; its first line stays in front.

    Returns:
        The outcome to commit.
    """
    paused = step(state, on, reason=f"{reason.rule}: {reason.seen}"[:REASON_LENGTH])
    resume = yield from resume_for(paused)
    # What would have been the mend can be done only after the human has resumed.
    later = f"After a Resume: {reason.remedy}"
    longer = "\n".join(part for part in (later, _cut(reason.more), choices_text(paused, resume)) if part)
    told = replace(reason, remedy="Emit the Repair Resume below, alone, and end your turn.", more=longer)
    return Outcome(Decision(verdict, told), paused, note=on)


def _cut(more: str) -> str:
    """Keep what stands in front of the Repair Resume short enough for the whole of it to reach the model."""
    encoded = more.encode()
    return more if len(encoded) <= _MORE_BYTES else f"{encoded[:_MORE_BYTES].decode(errors='ignore')}\n[cut]"


def resume_for(paused: RunState) -> Asking[str]:
    """Fill in the Repair Resume of a paused run with its current bindings."""
    from harness_guard.artifacts.render import render_resume
    from harness_guard.artifacts.values import ResumeContext

    tree = yield from ask(TreeNow())
    bound = ResumeContext(
        accepted_plan_hash=paused.accepted_plan_hash or "",
        paused_revision=paused.revision,
        diff_revision=tree.diff_revision,
        verification_fingerprint=paused.integrity_fingerprint,
        additional_rounds=missing_rounds(paused),
    )
    return render_resume(bound, why(paused))


def missing_rounds(paused: RunState) -> int:
    """Tell how many rounds a Resume has to add, so that the round that is due fits into the budget."""
    repair = paused.repair
    return max(0, repair.round + 1 - repair.max_rounds) if repair.is_due else 0


def why(paused: RunState) -> str:
    """Give the Reason of a Repair Resume: why the run paused, as the human has to read it."""
    return f"Paused: {paused.pause_reason}"
