"""What the kernel asks of the world while it decides, each with the type of its answer.

A decision is a generator: it yields questions and is sent their answers, so it reads like straight code and still
touches nothing. Whoever drives it (``dispatch.py``, or a test) looks the answers up. A question is asked only when
its answer matters, so an event pays for no fact that it does not need.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Generic, Literal, TypeVar

    from harness_guard.policy.place import Place  # noqa: F401  named in the brackets of a Question
    from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings  # noqa: F401  as above
    from harness_guard.shell.effects import Link, Write

    T = TypeVar("T")
    T_co = TypeVar("T_co", covariant=True)

    class Question(Generic[T_co]):
        """A question whose answer is of the type in brackets."""

    Author = Literal["human", "forged", "missing", "unreadable", "unknown"]
    Asking = Generator[Question[object], object, T]
else:

    class Question:
        """A question whose answer is of the type in brackets."""

        __slots__ = ()

        def __class_getitem__(cls, _item: object) -> type[Question]:
            """Take the answer's type, which only type checkers read."""
            return cls


def ask(question: Question[T]) -> Asking[T]:
    """Ask one question; to be used with ``yield from``."""
    return (yield question)  # type: ignore[return-value]  # the world answers a Question[T] with a T


def drive(asking: Asking[T], answer: Callable[[Question[object]], object]) -> T:
    """Send a decision the answers to its questions until it has come to its end.

    Args:
        asking: The decision, not begun.
        answer: Gives the answer to one question; what it raises ends the decision.

    Returns:
        What was decided.
    """
    reply: object = None
    while True:
        try:
            question = asking.send(reply)
        except StopIteration as done:
            decided: T = done.value
            return decided
        reply = answer(question)


@dataclass(frozen=True, slots=True)
class AuthorOf(Question["Author"]):
    """Who wrote the prompt, as the host's transcript tells; ``unknown`` where the host names no author.

    A prompt that was handed to the host before ``after_ms`` counts as ``forged``: it answers what nobody could read.
    """

    host: str
    transcript_path: str | None
    turn_id: str
    after_ms: int


@dataclass(frozen=True, slots=True)
class ShellFactsFor(Question["ShellFacts"]):
    """What the shell analysis lacks: the readers' trees, git's settings."""

    command: str
    needs: Needs
    known: ShellFacts


@dataclass(frozen=True, slots=True)
class WhereShell(Question["Surroundings"]):
    """Facts around a shell command that runs in this folder."""

    cwd: str


@dataclass(frozen=True, slots=True)
class PlacesOf(Question["tuple[Place, ...]"]):
    """Where a write would land, through every link."""

    write: Write


@dataclass(frozen=True, slots=True)
class LinkPlaces(Question["tuple[Place, Place]"]):
    """Where a new link would stand and what it would lead to."""

    link: Link


@dataclass(frozen=True, slots=True)
class CarriedAlong(Question["str | None"]):
    """A link or a protected name at or below a path, which a copy with its links would bring along."""

    path: str


@dataclass(frozen=True, slots=True)
class OddName(Question["str | None"]):
    """A name at or below a path that is odd, or the path itself if it lies below ``scratch`` and is more than a file.

    With ``is_pattern`` the names that it matches are meant; with ``is_deep`` folders come along.
    """

    path: str
    is_pattern: bool
    is_deep: bool
    scratch: str


@dataclass(frozen=True, slots=True)
class OddDeleted(Question["str | None"]):
    """A name that git's index has at or below a path, that is gone from there, and that is no single plain word."""

    path: str


@dataclass(frozen=True, slots=True)
class IsThere(Question["bool"]):
    """Whether anything stands at a real path."""

    real: str


@dataclass(frozen=True, slots=True)
class ProgramFolders(Question["tuple[str, ...]"]):
    """Real folders of the PATH in which the run itself may write: below its root or its scratch folder."""


@dataclass(frozen=True, slots=True)
class PlantedProgram(Question["str | None"]):
    """A file in one of these folders that would be started under one of these names."""

    folders: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RealPath(Question["str"]):
    """Real path of something that is read."""

    path: str


@dataclass(frozen=True, slots=True)
class EngineRuns(Question["bool"]):
    """Whether an engine run of this session is under way."""
