"""The head of the Reviewer's brief, from the template: bindings and the answer's form first, then what the engine ran.

At most 8,000 bytes, so that both hosts hand it over whole (contract section 8); never a claim of the implementer.
"""

from __future__ import annotations

from harness_guard.artifacts.templates import binding_fields, brief_fields, fill
from harness_guard.artifacts.values import Bindings
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import BriefFile, TemplateText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.run_questions import CommandRun
    from harness_guard.kernel.state import RunState

BRIEF_BYTES: Final = 8000
_TAIL_BYTES: Final = 400  # of each command's output; the whole tail is in the engine's record


def brief_head(state: RunState, runs: tuple[CommandRun, ...]) -> Asking[str]:
    """Write what a Reviewer is told at its start.

    Args:
        state: The run, in ``verifying``.
        runs: The engine's record of the required commands.

    Returns:
        The text, at most :data:`BRIEF_BYTES` bytes; what does not fit stands in ``brief.md``.
    """
    path = yield from ask(BriefFile())
    review = yield from ask(TemplateText("review"))
    brief = yield from ask(TemplateText("reviewer-brief"))
    fields = brief_fields(
        run_id=state.run_id,
        review=fill(review, binding_fields(bindings_of(state))),
        open_findings="\n".join(f"- {name} {path}: {message}" for name, path, message in state.open_findings) or "None",
        engine_record="\n".join(_run_text(run) for run in runs) or "None",
        diff_command=f"git diff {state.baseline.head}" if state.baseline and state.baseline.head else "git status",
        brief_path=path,
    )
    return _clipped(fill(brief, fields))


def bindings_of(state: RunState) -> Bindings:
    """Give the values that a Review or a Completion of this run must carry."""
    return Bindings(
        accepted_plan_hash=state.accepted_plan_hash or "",
        accepted_amendment_hash=state.accepted_amendment_hash,
        diff_revision=state.diff_revision or "",
        verification_fingerprint=state.integrity_fingerprint or "",
        review_round=state.review_round,
    )


def _run_text(run: CommandRun) -> str:
    tail = run.tail.encode()[-_TAIL_BYTES:].decode(errors="ignore").strip()
    return f"- {run.id} `{run.command}` exited {run.exit_status}" + (f"\n{tail}" if tail else "")


def _clipped(text: str) -> str:
    encoded = text.encode()
    if len(encoded) <= BRIEF_BYTES:
        return text
    mark = "\n[cut; the whole is in brief.md]"
    return encoded[: BRIEF_BYTES - len(mark)].decode(errors="ignore") + mark
