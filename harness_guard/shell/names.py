"""Names of files that a command prints, and what is looked at before such a name is believed.

Such a name, taken apart at its blanks by the shell or by ``xargs``, could still become another file's name: the name
``x /etc/passwd`` does. So the folder's names are looked at (``evidence/plain_names.py``) before they are believed.
"""

from __future__ import annotations

from harness_guard.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from harness_guard.shell.values import Found

_BRACKETS = frozenset("?[\\")
_SPECIAL = frozenset("'\"\\*?[]{}$`")


def is_plain(path: str) -> bool:
    """Tell whether a relative path is one plain word that climbs nowhere."""
    if not path or path[0] in "-/~" or not _SPECIAL.isdisjoint(path) or ".." in path.split("/"):
        return False
    if any("\ud800" <= character <= "\udfff" for character in path):
        return False  # some filters take what is no text for a binary file, and say so among the names
    return not any(character.isspace() or ord(character) < ord(" ") for character in path)


@dataclass(frozen=True, slots=True)
class NameSource:
    """Names that are looked at.

    Attributes:
        kind: What is looked at, and asked: ``disk``: all names at and below a folder, ``index``: all in the index of
            git below it; whether they are plain. ``tangled`` as ``disk``, for names of which one that is made anew
            may be taken for another by the shell. ``direct`` as ``disk``, of the names directly in the folder alone.
            ``inside``: all links at and below a folder; whether none leads out.
            ``undashed``: the names directly in a folder; whether none starts with a dash. ``absent``: one path, as
            that of a program's options file; whether nothing stands there. ``regular``: one path; whether a file
            stands there that has no other name, and no link. ``unshadowed``: the names directly in a folder; whether
            Python finds its own library's modules there, and none of the folder's instead. ``untuned``: a folder;
            whether ruff finds only plain settings in it, and none above or below. ``database``: one path; whether a
            SQLite database stands there that asking changes nothing of. ``history``: what git prints in a folder for
            some words; whether each line is plain and none leads out. ``refs``: the same of names of branches, which
            stay so. ``unlinked``: the names directly in a folder; whether no link leads out.
            ``ruff``: one path; whether plain settings of ruff stand there.
            ``programs``: a folder of the PATH, of which is asked only that the run cannot write there.
        folder: The folder, or the path.
        words: What git is asked. Of ``tangled``: globs of the last segments that count, all without any.
    """

    kind: Literal[
        "disk", "direct", "tangled", "index", "inside", "undashed", "absent", "regular", "unshadowed", "untuned",
        "database", "history", "refs", "unlinked", "programs", "ruff"
    ]  # fmt: skip
    folder: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Printed:
    """Names that a pipeline prints.

    Attributes:
        found: Where they lie and what they are called; ``None``: they need not be there.
        sources: What has to be plain if they are taken apart at blanks or line ends; ``None``: nothing helps.
        is_nul: Whether a NUL stands behind each of them, and no line end.
        is_walked: Whether they were found on disk, no link followed on the way, and start with a place that was named:
            those of the index may be neither.
        is_below: Whether each is relative and stays below the folder.
        may_follow: Whether links may have been followed on the way after all; then none may lead out.
        at: A folder that they lie directly in, and that is not written in front of them.
        lines: All that is printed, line by line, where it is known: then it need be no names.
    """

    found: Found | None
    sources: tuple[NameSource, ...] | None
    is_nul: bool = False
    is_walked: bool = True
    is_below: bool = True
    may_follow: bool = False
    at: str = ""
    lines: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether each word that a reader makes of them is one of them, whatever they are called."""
        return self.is_nul and self.is_walked

    @property
    def wanted(self) -> tuple[NameSource, ...] | None:
        """What has to be plain for each word that a reader makes of them to be one of them; ``None``: nothing helps."""
        if self.is_exact:
            return ()
        if self.sources is None or self.found is None:
            return self.sources
        if self.is_nul and "." not in self.found.tops and {one.kind for one in self.sources} == {"index"}:
            return self.linked  # each word is such a name, and starts with a folder's
        if not all(is_plain(top) for top in self.found.tops):
            return None
        if all(glob.count("*") <= 1 and _BRACKETS.isdisjoint(glob) for glob in self.found.search.names):
            return self.sources
        # ``[Ax]GENTS.md`` is found by ``*x*``, and the shell makes another name of it.
        return tuple(replace(one, kind="tangled") if one.kind == "disk" else one for one in self.sources)

    @property
    def narrowed(self) -> tuple[NameSource, ...]:
        """What has to be plain if only names with the search's endings count: where they are read at once."""
        globs = self.found.search.names if self.found is not None else ("*",)
        kinds = {source.kind for source in self.sources or ()}
        if "*" in globs or kinds != {"disk"} or self.wanted is None:
            return ()
        return tuple(NameSource("tangled", source.folder, globs) for source in self.sources or ())

    @property
    def linked(self) -> tuple[NameSource, ...]:
        """Where no link may lead out for each of them to stay below the folder."""
        return tuple(NameSource("inside", source.folder) for source in self.sources or ())


def sources_of_roots(roots: list[str], cwd: str) -> list[NameSource]:
    """Give the sources of a search from these folders, or from ``.`` if none is named."""
    return [NameSource("disk", cwd if root in {".", "./"} else f"{cwd.rstrip('/')}/{root}") for root in roots or ["."]]


def with_followed(tops: Iterable[str]) -> tuple[str, ...]:
    """Give the starts of a search that goes through a link that is named itself, but through no other."""
    return tuple(dict.fromkeys(name for top in tops for name in (top, f"{top.rstrip('/')}/")))
