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

# Programs that show a whole file, given its name alone or with one of these options.
_WHOLE: Final = {"cat": ("-n", "-A", "-v"), "nl": ("-ba",), "bat": ("-p", "--plain", "--paging=never")}
# Characters by which a shell text may show the file to nobody, or not at all: lists, pipes, redirections, expansions.
_JOINING: Final = frozenset("|&;<>()`$\n\\")


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
    is_tool = call.name == "Read" and brief in call.reads
    is_shown = _reads_whole(event) if is_tool else _prints_whole(call, effects, brief)
    return replace(state, reviewer=replace(reviewer, has_read_diff=True)) if is_shown else None


def _reads_whole(event: Event) -> bool:
    """Tell whether a file tool starts at the beginning and goes on as far as the host shows at once."""
    arguments = event.tool_input or {}
    return arguments.get("offset") in (None, 0, 1) and arguments.get("limit") is None


def _prints_whole(call: ToolCall, effects: Effects, path: str) -> bool:
    """Tell whether a shell text is one program that prints the whole file."""
    if call.family != "shell" or len(effects.programs) != 1 or _JOINING.intersection(call.text):
        return False
    name, *words = [word or "" for word in effects.programs[0].argv]
    name = name.rpartition("/")[2]
    if name == "sed":
        # ``sed -n '1,400p' FILE``: from the first line on.
        return len(words) == _SED_WORDS and words[0] == "-n" and words[2] == path and _is_from_first(words[1])
    return name in _WHOLE and words[-1:] == [path] and all(word in _WHOLE[name] for word in words[:-1])


_SED_WORDS: Final = 3


def _is_from_first(script: str) -> bool:
    first, _, last = script.removesuffix("p").partition(",")
    return script.endswith("p") and first == "1" and last.isdigit()
