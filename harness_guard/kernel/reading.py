"""Whether the Reviewer has looked at the diff: one that never did can pass nothing (contract section 8)."""

from __future__ import annotations

from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import BriefFile
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.tools import ToolCall
    from harness_guard.shell.effects import Effects

# Programs that show a file's text; one that counts or lists it has shown nothing.
_SHOWING: Final = ("cat", "head", "tail", "sed", "nl", "bat")
_DIFFS: Final = ("diff", "show", "diff-index", "diff-tree")
# Options that leave the changed lines out (git-diff(1)).
_WITHOUT_LINES: Final = (
    "--cumulative", "--dirstat", "--name-only", "--name-status", "--no-patch", "--numstat", "--quiet", "--raw",
    "--shortstat", "--stat", "--summary", "-s",
)  # fmt: skip


def note_reading(event: Event, state: RunState, call: ToolCall, effects: Effects) -> Asking[RunState | None]:
    """Note that the Reviewer's call shows it the diff.

    Args:
        event: A call that is let pass.
        state: The run.
        call: The call, classified.
        effects: What it does.

    Returns:
        The state with the note; ``None`` if there is nothing to note.
    """
    reviewer = state.reviewer
    if not event.is_child or event.agent_id != reviewer.agent_id or reviewer.has_read_diff:
        return None
    brief = yield from ask(BriefFile())
    shows_brief = call.name == "Read" and brief in call.reads
    for program in effects.programs:
        words = [word or "" for word in program.argv]
        name = words[0].rpartition("/")[2] if words else ""
        shows_brief = shows_brief or (name in _SHOWING and any(read.path == brief for read in effects.reads))
        shows_brief = shows_brief or (name == "git" and _shows_lines(words[1:]))
    return replace(state, reviewer=replace(reviewer, has_read_diff=True)) if shows_brief else None


def _shows_lines(words: list[str]) -> bool:
    if any(word.partition("=")[0] in _WITHOUT_LINES for word in words):
        return False
    plain = [word for word in words if not word.startswith("-")]
    return bool(plain) and plain[0] in _DIFFS
