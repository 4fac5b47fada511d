"""What the engine found, in the words of state and answers (contract section 8)."""

from __future__ import annotations

from harness_guard.kernel.decision import Reason
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.kernel.run_questions import CommandRun, Verification
    from harness_guard.kernel.state import RunState

_PATHS_NAMED = 20


def without_evidence(found: Verification, again: str) -> Reason | None:
    """Say why a run of the engine is no evidence at all; ``None`` if it is green, red or unavailable.

    Args:
        found: What the engine found.
        again: What to do to have it run again.
    """
    if found.outcome == "busy":
        return Reason("evidence.busy", found.detail, "Wait until the other engine run has ended.")
    if found.outcome == "moved":
        moved = found.detail or ", ".join(found.paths[:_PATHS_NAMED])
        seen = f"the tree moved while the engine ran, so the run is no evidence: {moved}"
        return Reason("evidence.moved", seen, f"Keep still and {again}.")
    return None


def unavailable(found: Verification) -> Reason:
    """Say that required verification cannot be run."""
    seen = f"required verification cannot be run: {name_of(found.failed)}"
    return Reason("evidence.unavailable", seen, "Make the command available and claim again.", tail_of(found.failed))


def red(found: Verification, remedy: str) -> Reason:
    """Say that required verification is red: command, exit status and the end of its output."""
    seen = f"required verification is red: {name_of(found.failed)}"
    return Reason("evidence.red", seen, remedy, tail_of(found.failed))


def after_engine(state: RunState, found: Verification) -> RunState:
    """Note that the engine has run: what the plan's commands left running may write at any time (contract 7)."""
    return state if found.outcome == "busy" else replace(state, wrote_unseen=True)


def recorded(state: RunState, found: Verification) -> RunState:
    """Take a green or red record into the state."""
    return replace(
        state,
        diff_revision=found.diff_revision,
        integrity_fingerprint=found.integrity_fingerprint,
        progress_fingerprint=found.progress_fingerprint,
        evidence_green=found.outcome == "green",
        wrote_unseen=True,
    )


def name_of(run: CommandRun | None) -> str:
    """Name a command and how it ended."""
    if run is None:
        return "no command"
    if run.exit_status is None:
        return f"{run.id} `{run.command}` could not be started"
    if run.timed_out:
        return f"{run.id} `{run.command}` was ended at its time limit"
    return f"{run.id} `{run.command}` exited {run.exit_status}"


def tail_of(run: CommandRun | None) -> str:
    """Quote the end of a command's output."""
    return f"The end of its output:\n{run.tail}" if run is not None and run.tail else ""
