"""What earlier commands of a text may have changed under later ones: new names that are links, and git's repository."""

from __future__ import annotations

from harness_guard.paths import glob_matches
from harness_guard.shell.commands.model import DEVICES
from harness_guard.shell.effects import MOVED_AWAY, PLAIN_COPY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness_guard.shell.effects import Write
    from harness_guard.shell.names import NameSource
    from harness_guard.shell.values import Field

MAKES_NAMES = frozenset(("mv", "ln", "git mv", "restore", "checkout"))
BRINGS_NAMES = frozenset(("tar", "unzip", "patch"))  # names and links that only a file's content tells
COMPLETES_GIT = frozenset(("objects", "refs"))
STEERS_GIT = frozenset(
    ("HEAD", "config", "config.worktree", "commondir", "gitdir", ".git", ".gitattributes", ".gitconfig")
)


_MAKES_PARENTS = frozenset(("mkdir", "install"))
_ADDS_NO_NAME = frozenset((MOVED_AWAY, "rm", "rmdir", "unlink", "chmod", "chown", "chgrp", "shred", "fallocate"))


def makes_names(writes: list[Write], globs: list[str]) -> bool:
    """Whether commands that write these may bring a name into being that one of the globs matches."""
    makers = [write for write in writes if write.by not in _ADDS_NO_NAME and write.kind != "meta"]
    return any(_may_be_called(write, glob.casefold()) for glob in dict.fromkeys(globs) for write in makers)


def _may_be_called(write: Write, glob: str) -> bool:
    if write.search is not None:
        if write.search.is_there:
            return False
        end = tail(glob)
        return any(end.endswith(ending) or ending.endswith(end) for ending in _endings(write))
    if write.kind == "tree" or write.is_pattern or "*" in write.path:
        return True
    names = _segments(write.path)
    return any(glob_matches(glob, name) for name in (names if write.by in _MAKES_PARENTS else names[-1:]))


def tail(glob: str) -> str:
    """Give what every match of a glob certainly ends with."""
    end = glob.casefold()
    for special in "*?]\\":
        end = end.rpartition(special)[2]
    return "" if "[" in end else end


def _endings(write: Write) -> tuple[str, ...]:
    """Give what the names that a write means certainly end with: those of a glob, of a search, or made of these."""
    search = write.search
    if search is None:
        return (tail(write.path),)
    return (search.add.casefold(),) if search.add else ("",) if search.cut else tuple(map(tail, search.names))


def _means_many(write: Write) -> bool:
    return write.search is not None or write.is_pattern or "*" in write.path.rpartition("/")[2]


def _all_cut(write: Write) -> bool:
    """Whether each name that is found ends with what is cut off: then no two of them become the same."""
    search = write.search
    return search is not None and all(tail(glob).endswith(search.cut.casefold()) for glob in search.names)


def makes_options(writes: list[Write], folders: list[str]) -> bool:
    """Whether commands that write these may bring a name that starts with a dash into one of the folders.

    A glob's matches are there, and so is what a search gives; a name that is made by changing their endings starts as
    they do. Whatever is brought with a folder lies at or below that folder's name.
    """
    makers = [write for write in writes if write.by not in _ADDS_NO_NAME and write.kind != "meta"]
    wanted = [_segments(folder) for folder in folders]
    return any(
        "/-" in write.path or write.by in _MAKES_LINKS or (write.kind == "tree" and _brings_into(write, folder))
        for write in makers
        for folder in wanted
    )


_MAKES_LINKS = frozenset(("ln", "git", "restore", "checkout"))


def _brings_into(write: Write, folder: list[str]) -> bool:
    if write.search is not None or (write.is_pattern and write.by in {"mv", PLAIN_COPY}):
        return False
    path = _segments(write.path)
    return write.is_pattern or ".." in path or ".." in folder or path == folder[: len(path)]


def unsettles(write: Write, source: NameSource) -> bool:
    """Whether a write may change what was found at a path, or bring a name that Python takes for a module's."""
    if write.is_git_own:
        return source.kind == "history"
    if write.kind == "meta" or write.path in DEVICES or _is_apart(write, source):
        return False
    if write.search is not None or write.is_pattern or "*" in write.path:
        return _may_name(write, source)
    last = _last(write.path)
    wanted = _last(source.folder)
    if write.kind == "tree" or write.by in MAKES_NAMES or write.by in BRINGS_NAMES or write.by in {"cp", "install"}:
        is_below = source.kind in _FOLDERS and _holds(source.folder, write.path)
        return is_below or _holds(write.path, source.folder) or last == wanted
    if source.kind == "unshadowed":
        from harness_guard.shell.python_library import SUFFIXES, is_library

        return (last.endswith(SUFFIXES) and is_library(last)) or last.startswith("__init__")
    return last in _RUFF_SETTINGS if source.kind == "untuned" else last == wanted


_FOLDERS = frozenset(("inside", "unshadowed", "untuned"))  # what is found there depends on all that lies below
_RUFF_SETTINGS = frozenset((".ruff.toml", "ruff.toml", "pyproject.toml"))


_EDITORS = frozenset(("python", "python3", "sed", "perl"))  # of files that a search gives they change the content


def _is_apart(write: Write, source: NameSource) -> bool:
    """Whether a write of that kind, by that program or to that cache changes nothing of what was looked at."""
    last = _last(write.path)
    match source.kind:
        case "undashed" | "disk" | "direct" | "tangled" | "index" | "history":
            return True  # ``makes_options`` and ``makes_names`` see to these
        case "regular" | "database" | "ruff":
            return last == "__pycache__"
        case "inside":
            return write.by not in MAKES_NAMES and write.by not in BRINGS_NAMES and write.by != "cp"
        case "untuned":
            is_cache = write.by == "ruff" or last in {"__pycache__", ".mypy_cache"}
        case "absent":
            # A database that is only asked is made without a word in it.
            is_cache = last == "__pycache__" or write.by in {"sqlite3", "duckdb"}
        case "unshadowed":
            is_cache = write.by == "compileall" or last == "__pycache__"  # it counts only beside its source
            is_cache = is_cache or (write.search is not None and write.search.is_there and write.by in _EDITORS)
        case _:
            is_cache = last == "__pycache__"
    return is_cache or write.by in _ADDS_NO_NAME


def _may_name(write: Write, source: NameSource) -> bool:
    """Whether one of the names that a pattern or a search stands for may be the one that was looked at."""
    wanted = _last(source.folder)
    if source.kind not in {"absent", "regular"}:
        return True
    if write.search is not None and write.search.is_there:
        return any(glob_matches(glob.casefold(), wanted) for glob in write.search.names)
    if write.search is not None:
        return any(wanted.endswith(ending) for ending in _endings(write))
    return write.kind == "tree" or glob_matches(write.path.rpartition("/")[2].casefold(), wanted)


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].casefold()


def _holds(folder: str, path: str) -> bool:
    outer, inner = _segments(folder), _segments(path)
    return ".." in outer or ".." in inner or inner[: len(outer)] == outer  # a link may stand in front of ``..``


# Programs that read no standard input, and those that read none if they are given a file.
_LEAVES = frozenset(
    ("echo", "printf", "rm", "mv", "cp", "touch", "mkdir", "chmod", "rmdir", "unlink", "ln", "basename", "dirname",
     "test", "[", "true", "false", ":", "realpath", "readlink", "stat", "ls", "du", "continue", "break", "exit")
)  # fmt: skip
_LEAVES_WITH_FILE = {"sed": 2, "grep": 2, "cat": 1, "head": 1, "tail": 1, "wc": 1}  # with so many words at least


def leaves_input(fields: Sequence[Field]) -> bool:
    """Whether a program certainly reads nothing of the standard input that it shares with the one that started it."""
    name, rest = fields[0].text if fields else None, fields[1:]
    words = [field.text for field in rest if field.text is not None]
    if any(word == "-" or "dev/" in word or "proc/" in word or "files0" in word for word in words):
        return False
    letters = {letter for word in words if word[:1] == "-" for letter in word}
    if name in _LEAVES_WITH_FILE:
        is_known = all(field.text is not None and not field.is_pattern for field in rest[:-1])
        is_file = bool(rest) and (rest[-1].found is not None or (rest[-1].is_inner and rest[-1].is_one))
        return is_known and len(rest) >= _LEAVES_WITH_FILE[name] and is_file
    return name in _LEAVES and not (name in {"rm", "mv", "cp", "ln"} and ("i" in letters or "I" in letters))


def steers_git(write: Write, *, is_below: bool) -> bool:
    """Whether a write may change which repository git finds, or what that one tells it to run.

    Below the working tree's root a folder becomes a repository as soon as it has ``HEAD``, ``objects`` and ``refs``. At
    the root it is found in ``.git``, which the kernel protects from whatever a search or a folder may bring there.
    """
    if write.is_git_own or write.path in DEVICES:
        return False
    # What a move of git writes is asked for path by path; a pathspec stands for whatever lies there.
    brings = write.by in {"restore", "checkout", "git mv"} and write.kind != "entry"
    if is_below and (brings or not COMPLETES_GIT.isdisjoint(_segments(write.path))):
        return True
    if is_below and write.by in {"chmod", "chown", "chgrp"} and write.kind == "tree":
        return True
    if write.search is not None:
        if not is_below:
            return False
        steering = (*STEERS_GIT, *COMPLETES_GIT)
        return any(glob_matches(glob.casefold(), name.casefold()) for glob in write.search.names for name in steering)
    brings_any = write.by in BRINGS_NAMES or (is_below and write.by in {"cp", "mv", "ln", "install"})
    copies = brings_any and write.kind != "meta"
    if write.is_pattern and not is_below and not copies:
        return _may_be_steering(write.path.rstrip("/").rpartition("/")[2])
    return copies or write.is_pattern or write.path.rstrip("/").rpartition("/")[2] in STEERS_GIT


def _may_be_steering(pattern: str) -> bool:
    """Whether a glob of one segment may match a name that steers git; one with more than stars in it counts so."""
    is_plain = not set(pattern) & set("?[](){}!\\+@")
    return not is_plain or any(glob_matches(pattern.casefold(), name.casefold()) for name in STEERS_GIT)


class NewNames:
    """Names that earlier commands of the same text may have made links of.

    The disk is looked at before the text runs. ``mv``, ``ln``, ``cp -r`` and git may put a link under a new name; a
    later path with that name in it, or with ``..``, then leads elsewhere than the disk says now. What an archive brings
    has no names that are known: behind it, only names in the folders above are certain to be where they were.
    """

    __slots__ = ("endings", "is_blind", "log", "names", "tops")

    def __init__(self) -> None:
        """Start with none."""
        self.names: set[str] = set()
        self.tops: list[str] = []
        self.endings: dict[str, set[object]] = {}  # of new names that were made of found ones: by which commands
        self.is_blind = False
        self.log: list[list[Write]] = []

    @property
    def count(self) -> int:
        """How many commands have been seen."""
        return len(self.log)

    def meets(self, writes: list[Write], by: object = None) -> bool:
        """Whether one of a command's writes may pass such a name; the command's own new names count from then on.

        Args:
            writes: What it writes.
            by: What tells it from other commands, where it runs once for each name that a single loop is given:
                of each name it makes another one, so it meets none that it made before. ``None`` elsewhere.

        Returns:
            Whether it may.
        """
        if not writes:
            return False
        self.log.append(writes)
        found = any(self._passes(write, by) for write in writes if not write.is_git_own)
        for write in writes:
            if write.by == "mv" and _means_many(write):
                for ending in _endings(write):
                    self.endings.setdefault(ending, set()).add(by or object())
            elif write.search is not None and (write.by in MAKES_NAMES or (write.by == "cp" and write.kind == "tree")):
                self.is_blind = True
            elif write.by in MAKES_NAMES or (write.by == "cp" and write.kind == "tree"):
                self.is_blind = self.is_blind or write.is_pattern or write.by in {"restore", "checkout"}
                self.names |= set() if write.path.endswith("/") else set(_segments(write.path)[-1:])
            elif write.by in BRINGS_NAMES and write.kind == "tree":
                self.tops.append(write.path)
        return found

    def crosses(self, first: int, later: int) -> bool:
        """Whether commands from ``first`` to ``later`` may pass a name that one from ``later`` on makes."""
        made = NewNames()
        for writes in self.log[later:]:
            made.meets(writes)
        earlier = (write for writes in self.log[first:later] for write in writes)
        return any(made._passes(write) for write in earlier if not write.is_git_own)

    def _passes(self, write: Write, by: object = None) -> bool:
        if self.endings and self._ends_so(write, by):
            return True
        if not (self.names or self.is_blind or self.tops):
            return False
        segments = _segments(write.path)
        if self.tops and not self._stays_above(write, segments):
            return True
        if self.names and write.by in BRINGS_NAMES and write.kind == "tree":
            return True  # it goes through whatever lies below the folder
        inner = segments[:-1] if write.kind == "entry" and not write.path.endswith("/") else segments
        is_changed = self.is_blind or not self.names.isdisjoint(inner)
        return is_changed or (bool(self.names) and (write.is_pattern or write.search is not None or ".." in segments))

    def _ends_so(self, write: Write, by: object) -> bool:
        """Whether a write goes through a name with one of the endings; none of them is a folder's that is gone into."""
        own = (
            {by}
            if by is not None and not (write.search is not None and write.search.cut and not _all_cut(write))
            else set()
        )
        others = [ending for ending, makers in self.endings.items() if makers - own]
        if _means_many(write):
            mine = _endings(write) if write.kind != "entry" else ()
            return any(one.endswith(other) or other.endswith(one) for one in mine for other in others)
        inner = _segments(write.path)
        inner = inner[:-1] if write.kind == "entry" and not write.path.endswith("/") else inner
        return any(name.endswith(ending) for name in inner for ending in others)

    def _stays_above(self, write: Write, segments: list[str]) -> bool:
        """Whether a name stands directly in a folder that each archive was unpacked into or below."""
        if write.kind != "entry" or write.is_pattern or write.path.endswith("/") or ".." in segments:
            return False
        tops = [_segments(top) for top in self.tops]
        return all(".." not in top and top[: len(segments) - 1] == segments[:-1] for top in tops)


def _segments(path: str) -> list[str]:
    return [part.casefold() for part in path.split("/") if part not in {"", "."}]
