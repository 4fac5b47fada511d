"""The words of ``find``: where it searches, what reaches each of its actions, and what it is called.

Source: the man page of findutils 4.9. A search gives names that lie below its roots, links not followed; which of them
reach an action is told as far as ``-name`` and its kin say it. Everything else only lets fewer names through.
"""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.effects import Search as Names
from harness_guard.shell.values import Field, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    Globs = tuple[str, ...] | None  # of the last segment; ``None``: any name

ROOTS_END: Final = frozenset("-(!,)")  # what the first word of an expression starts with
# Every test and action that only looks; with the number of words that follow.
ARITY: Final = {
    **dict.fromkeys(
        ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-type", "-xtype",
         "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer", "-cnewer", "-perm",
         "-user", "-group", "-uid", "-gid", "-maxdepth", "-mindepth", "-links", "-inum", "-samefile", "-lname",
         "-ilname", "-fstype", "-printf", "-regextype", "-used", "-newermt"], 1),
    **dict.fromkeys(
        ["-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-true", "-false",
         "-depth", "-d", "-xdev", "-mount", "-daystart", "-follow", "-noleaf",
         "-delete", "-readable", "-writable", "-executable",
         "-nouser", "-nogroup", "-ignore_readdir_race", "-nowarn", "-warn",
         "-noignore_readdir_race"], 0),
}  # fmt: skip
PRINTS: Final = {"-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}  # the first word names the file
RUNS: Final = frozenset(("-exec", "-ok"))
_LEADING: Final = frozenset(("-H", "-L", "-P", "-O0", "-O1", "-O2", "-O3"))
_FOLLOWS: Final = frozenset(("-L", "-H", "-follow"))
_NAMED: Final = frozenset(("-name", "-iname"))
_PATHED: Final = frozenset(("-path", "-ipath", "-wholename", "-iwholename"))
MOST_DEPTH: Final = 50
ANY_NAME: Final = ("*",)


class UnreadableError(Exception):
    """The words of a search cannot be told apart; the text says why."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a search does with what it finds.

    Attributes:
        name: The action's word.
        words: What belongs to it: file names, or a program with its words.
        names: What is found here is called, as globs.
    """

    name: str
    words: tuple[Field, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """A call of find, read.

    Attributes:
        roots: Where it starts.
        actions: What it does beside looking, in order; ``-print`` and ``-print0`` too.
        is_following: Whether links are followed, at least those that are named.
        names: What gets through all of it is called; without an action that is printed.
    """

    roots: tuple[Field, ...]
    actions: tuple[Action, ...]
    is_following: bool
    names: tuple[str, ...]


class _Reader:
    """Reads an expression from left to right, knowing at each point what a name that gets there is called."""

    def __init__(self, words: tuple[Field, ...]) -> None:
        self.words = words
        self.at = 0
        self.depth = 0
        self.actions: list[Action] = []

    def peek(self) -> str:
        """The next word, ``""`` at the end."""
        return self.words[self.at].text or "" if self.at < len(self.words) else ""

    def take(self) -> Field:
        """Take one word."""
        if self.at >= len(self.words):
            raise UnreadableError("find with a word that is not known")
        self.at += 1
        return self.words[self.at - 1]

    def listed(self, guard: Globs) -> Globs:
        """``a , b``: both are tried; the last one decides."""
        found = self.either(guard)
        while self.peek() == ",":
            self.at += 1
            found = self.either(guard)
        return found

    def either(self, guard: Globs) -> Globs:
        """``a -o b``."""
        found = self.both(guard)
        while self.peek() in {"-o", "-or"}:
            self.at += 1
            other = self.both(guard)
            found = None if found is None or other is None else tuple(dict.fromkeys((*found, *other)))
        return found

    def both(self, guard: Globs) -> Globs:
        """``a -a b`` or ``a b``: what stands behind a test gets only what it lets through."""
        found: Globs = None
        while self.at < len(self.words) and self.peek() not in {",", "-o", "-or", ")"}:
            if self.peek() in {"-a", "-and"}:
                self.at += 1
                continue
            one = self.one(found if found is not None else guard)
            found = one if found is None else found
        return found

    def one(self, guard: Globs) -> Globs:
        """One test or action, perhaps negated or in brackets."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise UnreadableError("find with an expression that is nested too deeply")
        word = self.take()
        found: Globs = None
        if word.text in {"!", "-not"}:
            self.one(guard)
        elif word.text == "(":
            found = self.listed(guard)
            if self.take().text != ")":
                raise UnreadableError("find with brackets that do not close")
        else:
            found = self.primary(word, guard)
        self.depth -= 1
        return found

    def primary(self, word: Field, guard: Globs) -> Globs:
        """One test or action with its words."""
        name = "" if word.text is None or word.is_pattern else word.text
        if name in {"-execdir", "-okdir"}:
            raise UnreadableError("find runs a program in folders that are not known")
        if name in RUNS:
            self.actions.append(Action(name, self.program(name), guard or ANY_NAME))
            return None
        arity = PRINTS.get(name, 1 if _is_newer(name) else ARITY.get(name))
        if arity is None:
            raise UnreadableError(f"find: an action or test that the table does not list: {word.start}")
        words = tuple(self.take() for _ in range(arity))
        if any(not field.is_one for field in words):
            raise UnreadableError("find with a word that is not known")
        if name in PRINTS or name in {"-delete", "-print", "-print0", "-printf", "-ls"}:
            self.actions.append(Action(name, words, guard or ANY_NAME))
        return _names_of(name, words[0].text) if name in _NAMED | _PATHED else None

    def program(self, action: str) -> tuple[Field, ...]:
        """Take a program's words up to ``;``, or for ``-exec`` up to ``+`` directly behind ``{}``."""
        words: list[Field] = []
        while True:
            field = self.words[self.at] if self.at < len(self.words) else Field(None)
            self.at += 1
            if field.text is None or field.is_pattern:
                raise UnreadableError("find -exec with a word that is not known, or without an end")
            if field.text == ";":
                return tuple(words)
            if action == "-exec" and field.text == "+" and words and words[-1].text == "{}":
                return (*words[:-1], Field("{}", is_one=False))
            if "{}" in field.text and field.text != "{}":
                raise UnreadableError("find -exec with a word that is built")
            words.append(field)


def _names_of(test: str, pattern: str | None) -> Globs:
    """Give what a test of the name lets through; of a path, what stands behind its last star and slash."""
    if pattern is None or not pattern:
        return None
    if test in _NAMED:
        return None if "/" in pattern else (pattern,)
    tail = pattern
    for special in "*?]\\":
        tail = tail.rpartition(special)[2]
    if "[" in tail:
        return None
    is_whole = "/" in tail
    tail = tail.rpartition("/")[2]
    return None if not tail else (tail,) if is_whole else (f"*{tail}",)


def read_search(args: tuple[Field, ...]) -> Search:
    """Read the words of a call.

    Args:
        args: The words behind ``find``.

    Returns:
        The search.

    Raises:
        UnreadableError: If an action or test is not listed, or a word may be one.
    """
    roots: list[Field] = []
    index = 0
    is_following = False
    while index < len(args):
        field = args[index]
        if (field.text is None or field.is_pattern) and (not field.start or field.start[0] in "-(!,"):
            raise UnreadableError("find with a word that may be an action")
        if field.text in _LEADING | {"--help", "--version"}:
            is_following = is_following or field.text in _FOLLOWS
        elif field.start[:1] in ROOTS_END:
            break
        else:
            roots.append(field)
        index += 1
    words = args[index:]
    reader = _Reader(words)
    names = reader.listed(None)
    if reader.at < len(words):
        raise UnreadableError("find with brackets that do not close")
    is_following = is_following or any(field.text == "-follow" for field in words)
    return Search(tuple(roots), tuple(reader.actions), is_following, names or ANY_NAME)


def found_by(search: Search, names: tuple[str, ...]) -> Found | None:
    """Give what one action gets; ``None`` if a link may lead out of the roots, or a root is not known."""
    texts = [field.text for field in search.roots]
    if search.is_following or any(text is None for text in texts) or any(field.is_pattern for field in search.roots):
        return None
    return Found(tuple(text or "" for text in texts) or (".",), Names(names))


def _is_newer(name: str) -> bool:
    return len(name) == len("-newerXY") and name.startswith("-newer") and set(name[-2:]) <= set("aBcmt")
