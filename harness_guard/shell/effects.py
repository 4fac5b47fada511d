"""What a call would do, as far as reading can tell: the vocabulary that tools, patches and shell commands share.

Paths in here are absolute but not resolved: links and ``..`` behind links are the kernel's and the disk's business
(``evidence/resolve.py``), because only the disk knows them.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    WriteKind = Literal["file", "tree", "entry", "meta"]
    ReliedKind = Literal["file", "modules", "dashes", "names", "listed", "settings", "programs", "links"]


PLAIN_COPY = "cp, of files alone"  # ``Write.by``: no link comes along
MOVED_AWAY = "mv, away from there"  # ``Write.by``: the old name makes no link


@dataclass(frozen=True, slots=True)
class Search:
    """Names that a search below a path gives, or names made of them.

    Attributes:
        names: Globs of the last segment, of which one matches; letter case does not count.
        skips_git: Whether nothing below a folder ``.git`` is given.
        cut: A text that is taken off the end of a name that ends with it.
        add: A text that is then put behind; without ``cut`` and ``add`` the name is there already.
    """

    names: tuple[str, ...] = ("*",)
    skips_git: bool = False
    cut: str = ""
    add: str = ""

    @property
    def is_there(self) -> bool:
        """Whether the names are those that were found, and no new ones."""
        return not (self.cut or self.add)


@dataclass(frozen=True, slots=True)
class Write:
    """A path that the call would create, change or remove.

    Attributes:
        path: Absolute path, not normalized; with ``is_pattern`` a bash glob over absolute paths.
        kind: ``file``: the content behind the path (a final link is followed). ``entry``: the name itself (a final link
            is not followed: rm, mv, ln). ``tree``: the path and everything below it. ``meta``: mode, owner or times.
        by: The program or tool that would do it, for the reason.
        is_pattern: Whether ``path`` is a glob that has to be expanded on disk.
        is_git_own: Whether it is git's own folder, written through a git subcommand of the table (contract P7).
        search: Then not ``path`` itself is meant but what a search at and below it gives, links not followed.
        is_cache: Whether it is a cache that the program keeps by nature, of what no word of the call chooses.
    """

    path: str
    kind: WriteKind
    by: str
    is_pattern: bool = False
    is_git_own: bool = False
    search: Search | None = None
    is_cache: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A path that the call would read (needed for the key, which no tool call may read).

    Attributes:
        path: Absolute path, not normalized; with ``is_pattern`` a bash glob. ``/`` with ``is_tree`` says that it may
            be any file: the name comes out of another program or an unknown variable.
        by: The program or tool that would do it.
        is_pattern: Whether ``path`` is a glob that has to be expanded on disk.
        is_tree: Whether everything below the path is read too.
        is_listing: Whether only names, attributes or sizes of what lies there are shown.
        is_flat: Whether the program certainly goes into no folder: of one it shows nothing.
    """

    path: str
    by: str
    is_pattern: bool = False
    is_tree: bool = False
    is_listing: bool = False
    is_flat: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic or hard link that the call would make.

    Attributes:
        target: What it points to: for a symbolic link as written (relative to the link's folder), else absolute.
        path: Where the link would stand, absolute.
        is_hard: Whether it is a hard link; then ``target`` becomes writable through ``path``.
    """

    target: str
    path: str
    is_hard: bool


@dataclass(frozen=True, slots=True)
class Connection:
    """Another machine or a service that the call would ask, and get an answer from; what it *sends* is unknown instead.

    Attributes:
        to: Host and port, or the service, as the call names it.
        by: The program.
        is_local: Whether it is, or may be, on this machine: there the host's own sockets are.
    """

    to: str
    by: str
    is_local: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something whose effects reading cannot tell.

    Attributes:
        why: One phrase in lower case.
        seen: The words it is about, as written.
        is_writer: True for a known writer whose target cannot be known (that pauses), false for an opaque program or
            text (that is refused without a pause).
    """

    why: str
    seen: str
    is_writer: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """One program that the text would start, with its words as far as they are known; ``None`` for an unknown word.

    Attributes:
        argv: Program and arguments.
        cwd: The folder it starts in, ``""`` if unknown.
        text: The words as far as they are known, for the reason.
        group: Programs with the same number may feed one another: a pipeline, or a substitution inside a command.
        writes_to: Where its output is redirected to, as far as that is known.
        variables: Names of the variables that its words show whole and whose values come from outside the text.
        prints: Names of variables of the environment that it looks up itself, and may print.
    """

    argv: tuple[str | None, ...]
    cwd: str
    text: str
    group: int = 0
    writes_to: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    prints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relied:
    """Something on disk that was looked at to tell the effects; they hold while nothing of the call changes it.

    Attributes:
        path: Absolute path, not normalized.
        what: ``file``: what stands there, or that nothing does. Of a folder: ``modules``: its names that Python may
            take for modules; ``dashes``: those that start with a dash; ``names``: those below it that are not one
            plain word; ``listed``: those that git has, or that may be taken for others; ``settings``: the settings of
            tools in, above and below it; ``programs``: all of them, which the PATH finds there; ``links``: those below
            it that lead out.
    """

    path: str
    what: ReliedKind = "file"

    @property
    def is_folder(self) -> bool:
        """Whether it is about names that stand in a folder."""
        return self.what != "file"


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything that one call would do.

    Attributes:
        reads: Paths read, as far as they matter.
        writes: Paths written.
        links: Links made.
        unknown: What could not be told; non-empty means the call is not allowed without an exact approval.
        programs: Programs started, for the danger rules.
        connects: What it would ask over the network.
        relies: What was looked at on disk to tell all this.
    """

    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    links: tuple[Link, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    programs: tuple[Program, ...] = ()
    connects: tuple[Connection, ...] = ()
    relies: tuple[Relied, ...] = ()

    @property
    def is_read_only(self) -> bool:
        """Whether the call provably changes nothing."""
        return not (self.writes or self.links or self.unknown)


NO_EFFECTS = Effects()
