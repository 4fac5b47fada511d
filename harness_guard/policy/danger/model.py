"""What a danger rule is: a row of data over a parsed command line, and what the rules look at."""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, Protocol

    class Started(Protocol):
        """A program as the shell room gives it."""

        @property
        def argv(self) -> tuple[str | None, ...]:
            """Words; ``None`` for an unknown one."""

        @property
        def cwd(self) -> str:
            """Folder it starts in, ``""`` if unknown."""

        @property
        def text(self) -> str:
            """Its words for the reason."""

        @property
        def group(self) -> int:
            """Number of the pipeline."""

        @property
        def writes_to(self) -> tuple[str, ...]:
            """Where its output goes."""

        @property
        def variables(self) -> tuple[str, ...]:
            """Variables of the environment that its words show."""

        @property
        def prints(self) -> tuple[str, ...]:
            """Variables of the environment that it looks up itself."""

    class Touched(Protocol):
        """A path that is read or written."""

        @property
        def path(self) -> str:
            """Absolute path or pattern."""

        @property
        def by(self) -> str:
            """Name of the program."""

    class Untold(Protocol):
        """Something whose effects reading cannot tell."""

        @property
        def why(self) -> str:
            """The phrase that says why."""

        @property
        def seen(self) -> str:
            """The words it is about."""

    class Told(Protocol):
        """Effects, as far as these rules look at them."""

        @property
        def programs(self) -> Sequence[Started]:
            """Programs started."""

        @property
        def reads(self) -> Sequence[Touched]:
            """Paths read."""

        @property
        def writes(self) -> Sequence[Touched]:
            """Paths written."""

        @property
        def unknown(self) -> Sequence[Untold]:
            """What could not be told."""

    # A word and the folder that the program starts in.
    Test = Callable[[str, str], bool]
    # ``operands``: behind the subcommand. ``first``, ``last``: of these. ``leading``: in front of the first option that
    # has a name (find's folders). ``sources``: all but the last, which is where they go. ``files``: all but the first,
    # which is a pattern or a script. ``values``: what options are given. ``words``: all words. ``targets``: where the
    # output is redirected. ``read``, ``written``: paths of the whole text's effects.
    Among = Literal[
        "operands", "first", "last", "leading", "sources", "files", "values", "words", "targets", "read", "written"
    ]


@dataclass(frozen=True, slots=True)
class Danger:
    """A hard danger that was found.

    Attributes:
        rule: The rule's id.
        seen: What would happen, and the program that would do it.
    """

    rule: str
    seen: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: it holds when all that it asks for holds.

    Attributes:
        id: Stable id of the danger, ``danger.what``; several rows may share it.
        name: The row's own name.
        what: What would happen, for the reason.
        programs: Names it looks at, separated by blanks; ``*`` for any. For ``read`` and ``written`` whose doing it is.
        path: Subcommand paths, separated by ``|``: the operands have to start with one.
        options: Groups of options, separated by blanks: one of each group has to be given. ``--opt=value`` asks for
            that value. ``-x`` is found in a cluster too, a long option by any beginning of it.
        without: Options that make it harmless.
        among: Which words ``operand`` looks at.
        operand: What one of these words has to be.
        is_bare: Whether there may be no operand at all.
        is_alone: Whether there may be no word at all behind the program.
        spares: Names that ``*`` leaves out.
        softened_by: Programs that make it harmless when they stand in the same pipeline, with this test of theirs.
    """

    id: str
    name: str
    what: str
    programs: str
    path: str = ""
    options: tuple[str, ...] = ()
    without: str = ""
    among: Among = "operands"
    operand: Test | None = None
    is_bare: bool = False
    is_alone: bool = False
    spares: str = ""
    softened_by: tuple[Softener, ...] = ()


@dataclass(frozen=True, slots=True)
class Softener:
    """What makes a row harmless when it stands in the same pipeline.

    Attributes:
        programs: Names, separated by blanks.
        options: One of these options has to be given, if there are any.
        without: None of these options may be given.
        first: What the first operand has to be.
    """

    programs: str
    options: str = ""
    without: str = ""
    first: Test | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """One row over a pipeline: what one program prints, another one takes.

    Attributes:
        id: Stable id of the danger.
        name: The row's own name.
        what: What would happen, for the reason; ``{}`` stands for the source.
        sources: Names of programs that print.
        options: One of these options has to be given to the source, if there are any.
        word: What one of the source's words has to be.
        sinks: Names of programs that take it.
        takes_program: Whether the sink has to take its program from there.
    """

    id: str
    name: str
    what: str
    sources: str
    sinks: str
    options: str = ""
    word: Test | None = None
    takes_program: bool = False
