"""Our own small tree of a shell text: frozen values, every kind listed, nothing of any parser left in it.

What the tree cannot say is said by ``Odd``: a construct whose effects reading does not tell. A walker treats ``Odd`` as
unknown, so leaving a construct out of the tree can only refuse more, never less.
"""

from __future__ import annotations

from harness_guard.records import dataclass


@dataclass(frozen=True, slots=True)
class Bare:
    """Text outside quotes: backslashes, braces, globs and the tilde still mean something."""

    text: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text whose characters stand for themselves."""

    text: str


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter expansion.

    Attributes:
        name: The parameter.
        is_quoted: Whether it stands inside double quotes (no splitting, no globbing of its value).
        op: What is done with the value: ``""`` for just ``$name``; ``#`` in front for a length is ``length``, a part
            is ``slice``, a replacement ``/`` or ``//``, keys and names are ``names``, ``!`` names the variable by the
            value, ``@`` and a letter transforms it; else as written (``:-``, ``%%``).
        inner: Words inside the expansion, which are expanded too; of a slice its one or two numbers.
        index: The subscript: ``@``, ``*`` or digits, ``?`` for a word among ``inner``, ``""`` without one.
    """

    name: str
    is_quoted: bool
    op: str = ""
    inner: tuple[Word, ...] = ()
    index: str = ""

    @property
    def assigns(self) -> bool:
        """Whether the expansion may assign to the name (``${name:=word}``)."""
        return self.op in {"=", ":="}

    @property
    def is_many(self) -> bool:
        """Whether it stands for none, one or many words."""
        return self.op == "names" or self.index in {"@", "*"} or self.name in {"@", "*"}


@dataclass(frozen=True, slots=True)
class Subst:
    """A command or process substitution.

    Attributes:
        body: What runs.
        is_quoted: Whether it stands inside double quotes.
        process: ``<(`` or ``>(`` for a process substitution, else ``""``.
    """

    body: Script
    is_quoted: bool
    process: str = ""


@dataclass(frozen=True, slots=True)
class Arith:
    """Arithmetic over whole numbers and variables alone.

    bash evaluates the value of a variable as an expression again, so every name has to hold a number.

    Attributes:
        names: Variables whose value is looked at.
        assigned: Variables that it sets.
        expanded: Those of the names that stand behind a ``$``: an empty value leaves a gap in the expression.
        may_fail: Whether it may divide by zero, or take a negative power.
    """

    names: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    expanded: tuple[str, ...] = ()
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Glob:
    """An extended glob in a place where nothing but matching comes of it."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A construct that reading cannot follow.

    Attributes:
        why: One phrase in lower case.
        inner: Scripts found inside, read for the danger rules alone.
    """

    why: str
    inner: tuple[Script, ...] = ()


@dataclass(frozen=True, slots=True)
class Word:
    """One word as written: its parts in order, and its place in the text in bytes."""

    parts: tuple[Bare | Quoted | Param | Subst | Arith | Glob | Odd, ...]
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Assign:
    """``name=value``; ``value`` is ``None`` for ``name=`` and for a bare name of a declaration.

    Attributes:
        name: The variable.
        value: The word behind ``=``.
        is_append: Whether it is ``+=``.
        items: The words of ``name=(…)``.
        keys: Subscripts: of the name itself, or of the items.
        is_bare: Whether a declaration just names it.
    """

    name: str
    value: Word | None
    is_append: bool = False
    items: tuple[Word, ...] | None = None
    keys: tuple[Word, ...] = ()
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection: operator as written, descriptor or ``{name}`` in front, target, here-document."""

    op: str
    fd: str
    target: Word
    body: Word | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: assignments in front, then words.

    Attributes:
        assigns: In order.
        words: Program and arguments; empty for assignments alone.
        declares: ``export`` and the like, whose arguments are ``assigns`` and ``words``; else ``""``.
    """

    assigns: tuple[Assign, ...]
    words: tuple[Word, ...]
    declares: str = ""


@dataclass(frozen=True, slots=True)
class Pipe:
    """``a | b``: every part runs in a shell of its own."""

    parts: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class AndOr:
    """``left && right`` or ``left || right``."""

    op: str
    left: Statement
    right: Statement


@dataclass(frozen=True, slots=True)
class Block:
    """``{ …; }``, or ``( … )`` with ``is_subshell``."""

    body: Script
    is_subshell: bool


@dataclass(frozen=True, slots=True)
class If:
    """An if chain: pairs of condition and branch, then the branch for none of them (empty if there is none)."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script


@dataclass(frozen=True, slots=True)
class For:
    """``for name in words``, or ``select``; ``words`` is ``None`` for the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Script
    is_select: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """``for ((first; condition; step))``; ``None`` for a part that is left out."""

    first: Arith | Odd | None
    condition: Arith | Odd | None
    step: Arith | Odd | None
    body: Script


@dataclass(frozen=True, slots=True)
class While:
    """``while`` and ``until``."""

    condition: Script
    body: Script
    is_until: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """``case``: any number of the bodies may run, in order, because of ``;&`` and ``;;&``."""

    subject: Word
    patterns: tuple[Word, ...]
    bodies: tuple[Script, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """``[[ … ]]``: its words are expanded, nothing else happens.

    Attributes:
        words: Every word.
        numbers: Those compared as numbers, which bash evaluates as arithmetic expressions.
    """

    words: tuple[Word, ...]
    numbers: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function definition."""

    name: str
    body: Statement


@dataclass(frozen=True, slots=True)
class Statement:
    """A command with its redirections; ``!`` in front turns its success round."""

    command: Simple | Pipe | AndOr | Block | If | For | Count | While | Case | Test | Arith | Function | Odd
    redirects: tuple[Redirect, ...] = ()
    is_background: bool = False
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """Statements in order."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A text that is not read: why, and what was seen."""

    why: str
    seen: str = ""
