"""Which commands print names of files below the folder they run in, and nothing else.

Such a name, taken apart at its blanks by the shell or by ``xargs``, could still become another file's name: the name
``x /etc/passwd`` does. So the folder's names are looked at (``evidence/plain_names.py``) before they are believed.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from harness_guard.shell.words import Field

_LISTED = frozenset("cdmoiskutz")
_OTHERS = frozenset("oikd")  # what lies on disk or is gone from it
_LS_FILES = frozenset(
    ("--cached", "--deleted", "--modified", "--others", "--ignored", "--exclude-standard", "--deduplicate")
)  # fmt: skip
_TESTS = frozenset(
    ("-name", "-iname", "-path", "-ipath", "-type", "-size", "-mtime", "-mmin", "-newer", "-maxdepth", "-mindepth",
     "-perm", "-regex", "-iregex", "-user")
)  # fmt: skip
_PLAIN = frozenset(("-print", "-print0", "-prune", "-empty", "-not", "-and", "-or", "-a", "-o", "!", "(", ")", "-xdev"))


@dataclass(frozen=True, slots=True)
class NameSource:
    """Names that are looked at.

    Attributes:
        kind: ``disk``: all at and below a folder; ``index``: all in the index of git below it (both: whether they are
            plain). ``undashed``: those that stand directly in a folder (whether none starts with a dash). ``absent``:
            one path (whether nothing stands there, as the options file of a program).
        folder: The folder, or the path.
    """

    kind: Literal["disk", "index", "undashed", "absent"]
    folder: str


def sources_of(calls: Sequence[tuple[Field, ...]], cwds: tuple[str, ...] | None) -> tuple[NameSource, ...] | None:
    """Tell whose names a pipeline prints.

    Args:
        calls: Its commands in order, program and arguments.
        cwds: The folders it may run in.

    Returns:
        The sources, all relative to the folder and without ``..``; ``None`` if it may print anything else.
    """
    if cwds is None or not calls or any(field.text is None or field.is_pattern for call in calls for field in call):
        return None
    texts = [[field.text or "" for field in call] for call in calls]
    if not all(_only_drops_lines(words) for words in texts[1:]):
        return None
    found: list[NameSource] = []
    for cwd in cwds:
        made = _sources(texts[0], cwd)
        if made is None:
            return None
        found += made
    return tuple(found)


def _sources(words: list[str], cwd: str) -> list[NameSource] | None:
    if words[:2] == ["git", "ls-files"]:
        return _of_index(words[2:], cwd)
    if words[:1] == ["find"]:
        roots = roots_of(words[1:])
        if roots is not None and _is_plain_search(words[1 + len(roots) :]):
            return sources_of_roots(roots, cwd)
    return None


def _of_index(words: list[str], cwd: str) -> list[NameSource] | None:
    options = [word for word in words[: words.index("--") if "--" in words else len(words)] if word.startswith("-")]
    letters = {letter for word in options if not word.startswith("--") for letter in word[1:]}
    # Letters that print more than names stand for themselves in no word here; ``-s`` prints object ids.
    if letters - _LISTED or letters & set("stu") or any(word not in _LS_FILES for word in options if word[:2] == "--"):
        return None
    if any(".." in word.split("/") or word.startswith((":", "/")) for word in words):
        return None  # names above the folder start with ``..``
    on_disk = [NameSource("disk", cwd)] if letters & _OTHERS or {"--others", "--ignored"} & set(options) else []
    return [NameSource("index", cwd), *on_disk]


def roots_of(words: list[str]) -> list[str] | None:
    """Give the folders that ``find`` starts from, ``None`` if some is not below the folder it runs in."""
    roots = []
    for word in words:
        if word[:1] in {"-", "(", "!", ",", ")"}:
            break
        roots.append(word)
    is_below = all(root and not root.startswith("/") and ".." not in root.split("/") for root in roots)
    return roots if is_below else None


def sources_of_roots(roots: list[str], cwd: str) -> list[NameSource]:
    """Give the sources of a search from these folders, or from ``.`` if none is named."""
    return [NameSource("disk", cwd if root in {".", "./"} else f"{cwd.rstrip('/')}/{root}") for root in roots or ["."]]


def _is_plain_search(words: list[str]) -> bool:
    index = 0
    while index < len(words):
        if words[index] in _TESTS:
            index += 2
        elif words[index] in _PLAIN:
            index += 1
        else:
            return False
    return index == len(words)


def _only_drops_lines(words: list[str]) -> bool:
    """Whether a filter prints some of its lines whole, and nothing else."""
    name, rest = words[0], words[1:]
    if name in {"sort", "uniq"}:
        return all(word in {"-u", "-r", "-z"} for word in rest) and (name == "sort" or not rest)
    if name in {"head", "tail"}:
        joined = " ".join(rest)
        count = joined.removeprefix("-n").removeprefix("-").strip()
        return not rest or (joined.startswith("-") and count.isascii() and count.isdigit())
    if name == "grep":
        options = [word for word in rest if word.startswith("-")]
        return len(rest) == len(options) + 1 and all(not set(word[1:]) - set("viEFwx") for word in options)
    return False
