"""The words in which a scenario is written and read back: what the model does, and what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

JsonObject = dict[str, Any]


class ScriptError(AssertionError):
    """The conversation did not follow its script: a step was never asked for, failed to compute, or was missing."""


@dataclass(frozen=True)
class Say:
    """The model ends its turn with a text.

    Attributes:
        text: The whole message.
        hold: The answer has begun to stream, and goes on when this event is set.
    """

    text: str
    hold: threading.Event | None = None


@dataclass(frozen=True)
class Call:
    """The model calls one tool.

    Attributes:
        tool: The name by which the host offers it.
        arguments: Its JSON arguments; of a free-form tool, the text.
        namespace: Codex alone groups some tools in namespaces.
        hold: As in `Say`.
    """

    tool: str
    arguments: JsonObject | str
    namespace: str | None = None
    hold: threading.Event | None = None


@dataclass(frozen=True)
class Parallel:
    """The model calls several tools in one response."""

    calls: tuple[Call, ...]
    hold: threading.Event | None = None


Answer = Say | Call | Parallel


@dataclass(frozen=True)
class Seen:
    """Everything that one model request carried.

    Attributes:
        pieces: All texts (instructions, prompts, contexts, tool results), oldest first.
    """

    pieces: tuple[str, ...]

    def text(self) -> str:
        """All pieces as one text."""
        return "\n".join(self.pieces)

    def find(self, pattern: str) -> str:
        """Group 1 of the last match of a pattern (multi-line mode).

        Raises:
            ScriptError: Nothing matches; the script cannot go on.
        """
        hits = list(re.finditer(pattern, self.text(), re.MULTILINE))
        if not hits:
            message = f"the model never saw {pattern!r}; the newest text was:\n{self.pieces[-1] if self.pieces else ''}"
            raise ScriptError(message)
        return hits[-1].group(1)


if TYPE_CHECKING:
    Step = Answer | Callable[[Seen], Answer]


@dataclass(frozen=True)
class Result:
    """What the model got back for one call."""

    text: str
    failed: bool


@dataclass(frozen=True)
class ToolCall:
    """One call of the script and its fate.

    Attributes:
        lane: `root`, or the pattern by which the child's script was chosen.
        output: What the model got back; None if it was never told.
        blocked: A hook stopped it.
    """

    lane: str
    tool: str
    arguments: JsonObject | str
    output: str | None
    failed: bool
    blocked: bool

    @property
    def ran(self) -> bool:
        """The host executed it, as far as its answer tells; the disk is the better witness."""
        return self.output is not None and not self.blocked


@dataclass(frozen=True)
class HookRun:
    """One hook run as the host reports it: its event in CamelCase, the host's verdict on it, and what it shows."""

    event: str
    status: str
    text: str


@dataclass(frozen=True)
class Turn:
    """What came of one prompt, and of the turns that followed it by themselves.

    Attributes:
        status: The host's word for how it ended.
        saw: The texts that were new to a model in this turn, by lane, in order.
        said: What the scripted models said, by lane.
        changed: Paths below the repository that were added, changed or removed, git's folder left out.
        notices: What the host told its user besides.
    """

    prompt: str
    status: str
    saw: tuple[tuple[str, str], ...]
    said: tuple[tuple[str, str], ...]
    calls: tuple[ToolCall, ...]
    hooks: tuple[HookRun, ...]
    changed: tuple[str, ...]
    notices: tuple[str, ...] = ()

    def told(self, lane: str = "root") -> str:
        """All texts that were new to one lane, as one."""
        return "\n".join(text for where, text in self.saw if where == lane)

    def call(self, position: int = 0, *, lane: str = "root") -> ToolCall:
        """One call of a lane by its position."""
        return [call for call in self.calls if call.lane == lane][position]


@dataclass
class Lane:
    """The script of one conversation with a model, and how far it has come."""

    name: str
    steps: list[Step] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)

    def news(self, pieces: tuple[str, ...]) -> list[str]:
        """The pieces of a request that no earlier request of this lane carried, and note them as known."""
        left, fresh = dict(self.known), []
        for piece in pieces:
            if left.get(piece, 0) > 0:
                left[piece] -= 1
            else:
                fresh.append(piece)
                self.known[piece] = self.known.get(piece, 0) + 1
        return fresh


def arguments_text(arguments: JsonObject | str | Mapping[str, object]) -> str:
    """Arguments as one text, to look for words in them."""
    return arguments if isinstance(arguments, str) else repr(dict(arguments))
