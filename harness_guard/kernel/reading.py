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
    from harness_guard.shell.effects import Effects, Program

# Programs that show a file's text; one that counts or lists it has shown nothing.
_SHOWING: Final = ("cat", "head", "tail", "sed", "nl", "bat")
# Words by which these show nothing of it after all: none of its lines, or none but what a script prints.
_NOTHING: Final = ("0", "-0", "-n0", "-c0", "--lines=0", "--bytes=0")


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
    shows_brief = shows_brief or any(_shows(program, brief) for program in effects.programs)
    return replace(state, reviewer=replace(reviewer, has_read_diff=True)) if shows_brief else None


def _shows(program: Program, path: str) -> bool:
    """Tell whether a program shows a file's text to whoever started it, as far as its words tell."""
    words = [word or "" for word in program.argv]
    name = words[0].rpartition("/")[2] if words else ""
    if name not in _SHOWING or path not in words[1:] or program.writes_to:
        return False
    if any(word in _NOTHING for word in words[1:]):
        return False
    is_quiet = name == "sed" and any(word.startswith("-") and "n" in word for word in words[1:])
    return not is_quiet or any(word.endswith("p") for word in words[1:] if word != path)
