"""What a row of the table is, how a call's options are read against it, and how a call says what it would do.

A row lists every option that it knows; any other word that starts with ``-``, or that may start with it, makes the
effects of the call unknown. ``is_free`` rows are programs of which no option writes, runs or connects to anything.
"""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.effects import Connection, Link, Read, Unknown, Write
from harness_guard.shell.facts import NO_FILES, NO_NAMES, FileText
from harness_guard.shell.words import Field, escape, pattern_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal

    from harness_guard.shell.facts import GitFacts, GitQuestion
    from harness_guard.shell.names import NameSource, Printed

    WriteKind = Literal["file", "tree", "entry", "meta"]
    Act = Callable[["Call", "Options"], None]

DEVICES = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"))  # contract section 7
PER_PROCESS = ("/proc/", "/dev/fd/", "/dev/std", "/dev/tcp/", "/dev/udp/", "//")
LONGEST_SHOWN = 200  # characters of a command in a reason
ANYTHING = "/"
# What may change again before the text goes by it.
_BELIEVED = frozenset(
    ("absent", "direct", "disk", "history", "index", "regular", "ruff", "tangled", "unshadowed", "untuned")
)  # fmt: skip
SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh"))  # their ``-c`` texts are read


@dataclass(frozen=True, slots=True)
class Row:
    """One program, or one subcommand.

    Attributes:
        name: Its name as typed; several names with the same row are separated by blanks.
        flags: Short options without a value.
        valued: Short options with a value.
        longs: Long options separated by blanks: ``name``, ``name=`` with a value, ``name=?`` with an attached one or
            none, ``name=!`` with an attached one, ``name*`` for all that start so.
        is_free: Whether any option is harmless; operands are then read.
        reads: Whether operands are files that are read.
        act: What else it does; ``None`` for nothing.
        is_strict: Whether options end at the first operand.
        words: Long options with one dash, as ``xxd -ps``; one that ends with ``*`` stands for all that start so.
        attached: Short options whose value, if any, is attached, as ``sed -i.bak``.
        files: Options whose value names a file that is read, separated by blanks.
        is_apart: Whether each short option with a value is a word of its own, and its value another.
        is_wary: Whether a value in a word of its own must be known not to start with a dash.
        lists: ``operands``: of the files that are its operands no more is shown than that they are there, their
            attributes, or counts. ``words``: the same, and no option of it shows more.
    """

    name: str
    flags: str = ""
    valued: str = ""
    longs: str = ""
    is_free: bool = False
    reads: bool = True
    act: Act | None = None
    is_strict: bool = False
    words: str = ""
    attached: str = ""
    files: str = ""
    is_apart: bool = False
    is_wary: bool = False
    lists: Literal["", "operands", "words"] = ""


@dataclass(frozen=True, slots=True)
class Options:
    """A call's words, sorted.

    Attributes:
        given: Options in order, with their values; ``None`` for an option without one.
        operands: The other words.
    """

    given: tuple[tuple[str, Field | None], ...]
    operands: tuple[Field, ...]

    def has(self, *names: str) -> bool:
        """Whether one of the options was given."""
        return any(name in names for name, _ in self.given)

    def values(self, *names: str) -> tuple[Field, ...]:
        """The values given to the options, in order."""
        return tuple(value for name, value in self.given if name in names and value is not None)


class Call:
    """One start of a program while its effects are gathered."""

    __slots__ = (
        "acts_on_names",
        "args",
        "connects",
        "cwds",
        "fed",
        "files",
        "git",
        "home",
        "is_git_below",
        "links",
        "name",
        "names",
        "needs_files",
        "needs_git",
        "needs_moves",
        "needs_names",
        "prints",
        "program",
        "reads",
        "runs",
        "starts",
        "trusted",
        "trusts_dashes",
        "trusts_moves",
        "trusts_names",
        "trusts_places",
        "unknown",
        "writes",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913  a call, where it runs, and each kind of fact about that
        self,
        name: str,
        args: tuple[Field, ...],
        *,
        cwds: tuple[str, ...] | None,
        home: str,
        git: Mapping[str, GitFacts],
        names: Mapping[NameSource, bool] = NO_NAMES,
        files: Mapping[str, FileText] = NO_FILES,
    ) -> None:
        """Take the program, its arguments, the folders it may run in (``None``: unknown) and the known git facts."""
        self.name = name
        self.args = args
        self.cwds = cwds
        self.home = home
        self.git = git
        self.reads: list[Read] = []
        self.writes: list[Write] = []
        self.links: list[Link] = []
        self.connects: list[Connection] = []
        self.unknown: list[Unknown] = []
        self.needs_git: list[str] = []
        self.needs_moves: list[GitQuestion] = []
        self.trusts_moves = False
        self.names = names
        self.needs_names: list[NameSource] = []
        self.files = files
        self.needs_files: list[str] = []
        self.trusted: list[str] = []  # globs of names that the disk was asked about before the text runs
        self.trusts_dashes: list[str] = []  # folders in which no name starts with a dash
        self.trusts_places: list[NameSource] = []  # what stands at a path, or does not, is believed to stay so
        self.trusts_names: list[NameSource] = []  # the same of names that a search gives, if more than reading is done
        self.acts_on_names = False  # a program of which an option does more than read is given such names
        self.program: str | None = None  # the here-document that an interpreter runs
        self.is_git_below = False  # git runs in a folder that is no working tree's root
        self.fed: Printed | None = None  # names on standard input, and nothing else
        self.runs: list[tuple[Field, ...]] = []
        self.prints: list[str] = []  # variables of the environment that it may show
        self.starts: list[str] = []  # programs that it starts for itself

    @property
    def seen(self) -> str:
        """The call as far as its words are known."""
        return shown((Field(self.name), *self.args))

    def opaque(self, why: str, *, is_writer: bool = False) -> None:
        """Say that its effects cannot be told."""
        self.unknown.append(Unknown(why, self.seen, is_writer))

    def paths(self, field: Field) -> list[tuple[str, bool]] | None:
        """Give the absolute paths that a field may mean, each with whether it is a pattern; ``None`` if unknown."""
        if field.text is None or field.text == "":
            return None if field.text is None else []
        texts = [(field.text, field.is_pattern)]
        if field.is_pattern and field.literal:
            texts.append((field.literal, False))
        made = []
        for text, is_pattern in texts:
            if text.startswith("/"):
                made.append((text, is_pattern))
            elif self.cwds is None:
                return None
            else:
                made += [(join(cwd, text, is_pattern=is_pattern), is_pattern) for cwd in self.cwds]
        return made

    def believes(self, sources: Iterable[NameSource], *, is_lasting: bool = True) -> bool:
        """Whether all names of the sources were found plain; asks for what is not known yet.

        Args:
            sources: What is looked at.
            is_lasting: Whether it has to stay so in any case, or only if more is done with the names than that files
                of these names are read.
        """
        wanted = list(sources)
        self.needs_names += [source for source in wanted if source not in self.names]
        into = self.trusts_places if is_lasting else self.trusts_names
        into += [source for source in wanted if source.kind in _BELIEVED]
        return all(self.names.get(source, False) for source in wanted)

    def text_of(self, path: str) -> FileText:
        """Give what a file holds, and ask for it if that is not known yet: then as what cannot be read."""
        from harness_guard.shell.names import NameSource

        self.trusts_places.append(NameSource("regular", path))
        if path not in self.files:
            self.needs_files.append(path)
        return self.files.get(path, FileText(is_there=True))

    def read(self, field: Field, *, is_tree: bool = False, is_listing: bool = False, is_flat: bool = False) -> None:
        """Say that it reads the files that a word names; with ``is_listing`` nothing that stands in them is shown."""
        found = self.paths(field)
        tops = self._tops(field) if found is None else None
        if found is None and field.is_inner and self.cwds is not None:
            self.trusted += field.found.search.names if field.found is not None else ("*",)
            self.reads += [Read(cwd, self.name, is_tree=True, is_listing=is_listing) for cwd in self.cwds]
        elif tops is not None:
            self.reads += [Read(top, self.name, is_tree=True, is_listing=is_listing) for top in tops]
        elif found is not None:
            self.reads += [
                Read(path, self.name, is_pattern, is_tree, is_listing, is_flat) for path, is_pattern in found
            ]
        elif not is_listing:
            self.reads.append(Read(ANYTHING, self.name, is_tree=True))

    def _tops(self, field: Field) -> list[str] | None:
        """Give what the search starts from of which a word is one of the names, ``None`` of any other word."""
        if field.found is None or (self.cwds is None and not _are_absolute(field.found.tops)):
            return None
        return [path for top in field.found.tops for path, _ in self.paths(Field(top)) or ()]

    def write(self, field: Field, kind: WriteKind, by: str = "") -> None:
        """Say that it writes what a word names; ``by`` where that is not simply the program's name."""
        found = self.paths(field)
        tops = self._tops(field) if found is None else None
        if tops is not None and field.found is not None:
            self.trusted += field.found.search.names
            self.writes += [Write(top, kind, by or self.name, search=field.found.search) for top in tops]
            return
        if found is None and field.is_inner and self.cwds is not None:
            self.trusted.append("*")
            for cwd in self.cwds:
                self.write(Field(cwd), "tree", by)
            return
        if found is None:
            self.opaque(f"{self.name} writes to a path that reading cannot tell", is_writer=True)
            return
        if field.is_made:
            self._write_made(field, kind, by)
        for path, is_pattern in found:
            if path.startswith(PER_PROCESS) and path not in DEVICES:
                # What lies there differs from process to process: the guard cannot look it up for another one.
                self.opaque(f"{self.name} writes through a path that each process sees differently", is_writer=True)
            elif path not in DEVICES:
                self.writes.append(Write(path, kind, by or self.name, is_pattern))

    def keep_cache(self, name: str) -> None:
        """Say that it keeps a cache in the folder that it starts in: no word of the call names it, or its files."""
        if self.cwds is None:
            self.opaque(f"{self.name} keeps a cache in a folder that reading cannot tell", is_writer=True)
            return
        self.writes += [Write(join(cwd, name), "tree", self.name, is_cache=True) for cwd in self.cwds]

    def write_new(self, field: Field) -> None:
        """Say that it makes files of which only a pattern tells the names; what matches it already is written too.

        The pattern is written down as a name with stars in it, which a boundary covers only by a star or a folder.
        """
        if field.text is None:
            self.write(field, "tree")
        elif self._write_made(field, "file", ""):
            self.write(field, "file")

    def _write_made(self, field: Field, kind: WriteKind, by: str) -> bool:
        """Write what a pattern may come to name; whether the pattern's matches are still to be written."""
        head, _, last = (field.text or "").rpartition("/")
        if pattern_start(head) != unescaped(head):
            start = field.start.rpartition("/")[0] or ("/" if field.start.startswith("/") else ".")
            self.write(Field(start), "tree", by)
            return False
        name = f"{unescaped(head)}{(field.text or '')[len(head) : -len(last) or None]}{_starred(last)}"
        for each in dict.fromkeys((kind, "file", "entry")):
            self.write(Field(name), each, by)
        return True

    def connect(self, to: str, *, is_local: bool = False) -> None:
        """Say that it asks a service, or a machine over the network, for something."""
        self.connects.append(Connection(to, self.name, is_local))

    def link(self, target: Field, path: Field, *, is_hard: bool) -> None:
        """Say that it makes a link."""
        targets = self.paths(target) if is_hard else [(target.text, target.is_pattern)]
        places = self.paths(path)
        if targets is None or places is None or any(text is None or odd for text, odd in (*targets, *places)):
            self.opaque(f"{self.name} makes a link that reading cannot tell", is_writer=True)
            return
        for place, _ in places:
            self.writes.append(Write(place, "entry", self.name))
            self.links += [Link(text, place, is_hard) for text, _ in targets if text is not None]
        if is_hard:
            self.write(target, "file")


def _are_absolute(paths: Iterable[str]) -> bool:
    return all(path.startswith("/") for path in paths)


def join(folder: str, name: str, *, is_pattern: bool = False) -> str:
    """Put a relative name behind a folder, as a pattern where the name is one."""
    head = escape(folder) if is_pattern else folder
    return f"{head.rstrip('/')}/{name}"


def unescaped(pattern: str) -> str:
    """Take the backslashes out of a text in which nothing but they is special."""
    made = []
    index = 0
    while index < len(pattern):
        index += pattern[index] == "\\" and index + 1 < len(pattern)
        made.append(pattern[index])
        index += 1
    return "".join(made)


def _starred(pattern: str) -> str:
    made: list[str] = []
    index = 0
    while index < len(pattern):
        if pattern[index] == "[":
            return "".join(made) + "*"
        if pattern[index] in "*?":
            made.append("*")
        else:
            index += pattern[index] == "\\" and index + 1 < len(pattern)
            made.append(pattern[index])
        index += 1
    return "".join(made)


def shown(fields: tuple[Field, ...]) -> str:
    """Write words down for a reason: ``…`` for what is not known."""
    parts = [field.text if field.text is not None else f"{field.prefix}…" for field in fields]
    text = " ".join(parts)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def refuse_responses(call: Call, _options: Options | None = None) -> None:
    """Refuse a call of which a word is, or may be, ``@FILE``: further options are read from that file."""
    if any(field.start[:1] in {"", "@"} and field.text != "" and not field.is_operand for field in call.args):
        call.opaque(f"{call.name} may read further options from a file")


def is_known(field: Field) -> bool:
    """Whether a word is one text that is known whole."""
    return field.text is not None and not field.is_pattern and field.is_one


def known(field: Field) -> str:
    """A word's text, empty if it is not known whole."""
    return field.text or "" if is_known(field) else ""


def is_listed(text: str, words: Iterable[str]) -> bool:
    """Whether a text is among some words, of which one that ends with ``*`` stands for all that start so."""
    return any(text.startswith(word[:-1]) if word.endswith("*") else text == word for word in words)


def longs_of(row: Row) -> dict[str, str]:
    """Give a row's long options: ``""`` without, ``=`` with, ``?`` with an attached value only."""
    made = {}
    for item in row.longs.split():
        name, sign, rest = item.partition("=")
        made[f"--{name}"] = "" if not sign else (rest or "=")
    return made


def options_of(row: Row, args: tuple[Field, ...]) -> Options | str:
    """Sort a call's words by the row's options.

    Args:
        row: The row.
        args: The words behind the program's name.

    Returns:
        The options, or why the words cannot be told apart: an option that the row does not list, or a word that may
        be an option.
    """
    longs = longs_of(row)
    given: list[tuple[str, Field | None]] = []
    operands: list[Field] = []
    index = 0
    while index < len(args):
        field = args[index]
        index += 1
        start = field.start
        if field.text == "--" and not field.is_pattern:
            operands += args[index:]
            break
        if start == "" and field.text != "" and not field.is_operand:
            return "a word that may be an option" + (" (`./*` is none)" if field.is_pattern else "")
        if not start.startswith("-") or field.text == "-":
            operands.append(field)
            if row.is_strict:
                operands += args[index:]
                break
            continue
        if field.text is None or field.is_pattern:
            return f"an option that is not known whole: {start}"
        found = _long(field, longs) if start.startswith("--") else _short(field, row)
        if isinstance(found, str):
            return found
        given += found[:-1]
        name, value = found[-1]
        if value is _PENDING:
            if index >= len(args) or not args[index].is_one or (row.is_wary and args[index].start[:1] in {"", "-"}):
                return f"option {name} without a value that is known"
            value = args[index]
            index += 1
        given.append((name, value))
    return Options(tuple(given), tuple(operands))


_PENDING = Field(None, prefix="\0")


def _long(field: Field, longs: Mapping[str, str]) -> list[tuple[str, Field | None]] | str:
    name, sign, value = (field.text or "").partition("=")
    kind = longs.get(name)
    if kind is None and is_listed(name, longs):
        kind = "?"
    if kind is None or (sign and kind == ""):
        return f"an option that the table does not list: {name}"
    if kind == "!" and not sign:
        return f"option {name} without an attached value"
    if sign:
        return [(name, Field(value))]
    return [(name, _PENDING if kind == "=" else None)]


def _short(field: Field, row: Row) -> list[tuple[str, Field | None]] | str:
    text = field.text or ""
    if is_listed(text[1:], row.words.split()):
        return [(text, None)]
    if row.is_apart and len(text) > len("-x") and not set(text[1:]).isdisjoint(row.valued):
        return f"an option that is joined with something: {text}"
    made: list[tuple[str, Field | None]] = []
    for index in range(1, len(text)):
        letter = text[index]
        if letter in row.flags:
            made.append((f"-{letter}", None))
        elif letter in row.attached:
            made.append((f"-{letter}", Field(text[index + 1 :]) if text[index + 1 :] else None))
            return made
        elif letter in row.valued:
            rest = text[index + 1 :]
            made.append((f"-{letter}", Field(rest) if rest else _PENDING))
            return made
        else:
            return f"an option that the table does not list: -{letter}"
    return made
