"""Which files of the working tree a checkout, merge, pick or stash would write, asked of git's plumbing.

A three-way merge writes the paths that the other side changed, as long as renames, directory renames (which carry new
files along) and conflicts of a file with a folder cannot interfere; where they might, the question has no answer. Nor
has it where a link, a submodule or a file that steers git would change, or where a folder on the way is none.

Sources: git-diff-tree, git-diff-index, git-merge ("fast-forward", "directory rename detection" in
Documentation/technical/directory-rename-detection.txt), git-stash ("the structure of a stash entry"), version 2.39.
"""

from __future__ import annotations

import os
from _stat import S_ISDIR

from harness_guard.evidence.git_facts import git_job
from harness_guard.evidence.jobs import run, text_of
from harness_guard.records import dataclass
from harness_guard.shell.effects import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Final

    from harness_guard.shell.facts import GitFacts, GitQuestion

MOST_PATHS: Final = 1_000  # of one move; each is judged by itself
MOST_PICKS: Final = 30  # commits of one rebase
_PLAIN_MODES: Final = frozenset(("000000", "100644", "100755"))
_STEERING: Final = frozenset((".gitattributes", ".gitmodules"))
# Writes are called by a name that the shell room knows for one that may bring any name and link into being.
_BY: Final = "checkout"


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs between two trees.

    Attributes:
        path: Relative to the working tree's root.
        status: ``A``, ``D``, ``M`` or ``T``.
        modes: Both modes, in octal.
    """

    path: str
    status: str
    modes: tuple[str, str]


class _Unanswered(Exception):
    """What the move would write cannot be told."""


class _Asking:
    """One question, with the repository that it is about."""

    def __init__(self, question: GitQuestion, top: str, deadline: float) -> None:
        """Take the question, the working tree's root and when an answer has to be there."""
        self.question = question
        self.words = question.words
        self.top = top
        self.deadline = deadline

    def git(self, *words: str, text: str = "", may_fail: bool = False) -> str:
        """Run git at the root and give what it prints."""
        job = git_job(self.top, *words, text=os.fsencode(text))
        if job is None:
            raise _Unanswered
        run([job], self.deadline)
        if job.status != 0 and not may_fail:
            raise _Unanswered
        return text_of(job)

    def commits(self, *names: str) -> list[str]:
        """Give the commits that names stand for, ``""`` for one that stands for none.

        Names are asked for as they are written: behind a ``@{…}``, git may take what is put at the end for a date.
        """
        found = self._objects(names)
        tags = [oid for oid, kind in found if kind == "tag"]
        if tags:
            peeled = dict(zip(tags, self._objects([f"{oid}^{{commit}}" for oid in tags]), strict=True))
            found = [peeled.get(oid, (oid, kind)) for oid, kind in found]
        return [oid if kind == "commit" else "" for oid, kind in found]

    def _objects(self, names: Sequence[str]) -> list[tuple[str, str]]:
        lines = self.git("cat-file", "--batch-check", text="".join(f"{name}\n" for name in names)).split("\n")
        if len(lines) != len(names) + 1:
            raise _Unanswered
        words = [line.split(" ") for line in lines[:-1]]
        return [(each[0], each[1]) if len(each) == len(("id", "type", "size")) else ("", "") for each in words]

    def target(self) -> str:
        """Give the commit that the first word names; a branch and something else of one name are too many."""
        name = self.words[0]
        branch, any_ = self.commits(f"refs/heads/{name}", name)
        if branch and any_ and branch != any_:
            raise _Unanswered
        return branch or any_

    def between(self, before: str, after: str) -> list[Change]:
        """Give what differs between two commits."""
        return _changes(self.git("diff-tree", "-r", "--raw", "-z", "--no-renames", before, after))

    def staged(self, base: str) -> list[Change]:
        """Give what differs between a commit and the index."""
        return _changes(self.git("diff-index", "--cached", "--raw", "-z", "--no-renames", base))


def answer(question: GitQuestion, facts: GitFacts, deadline: float) -> tuple[Write, ...] | None:
    """Answer one question about the working tree.

    Args:
        question: The question.
        facts: What git would run there; the question is only asked where that is nothing.
        deadline: Time of the monotonic clock at which the answer has to be there.

    Returns:
        Every write of the move, none for a move that writes nothing; ``None`` if it cannot be told.
    """
    if not facts.top or facts.reading or facts.moving:
        return None
    try:
        return _KINDS[question.kind](_Asking(question, facts.top, deadline))
    except (_Unanswered, OSError):
        return None


def _changes(listing: str) -> list[Change]:
    """Read ``--raw -z``: ``:mode mode id id status``, NUL, path, NUL."""
    items = listing.split("\0")
    found = []
    for meta, path in zip(items[::2], items[1::2], strict=False):
        old, new, _, _, status = meta.removeprefix(":").split(" ")
        found.append(Change(path, status[:1], (old, new)))
    return found


# --- the moves ------------------------------------------------------------------------------------------------------


def _commit(asking: _Asking) -> tuple[Write, ...]:
    if not asking.target():
        raise _Unanswered
    return ()


def _archive(asking: _Asking) -> tuple[Write, ...]:
    """An archive writes nothing here; it must put no format in place of a file's marks."""
    name = asking.words[0]
    if not asking.target():
        raise _Unanswered
    found = asking.git("grep", "-l", "-e", "export-subst", name, "--", ":(glob)**/.gitattributes", may_fail=True)
    local = asking.git("rev-parse", "--git-path", "info/attributes").rstrip("\n")
    path = local if local.startswith("/") else f"{asking.top}/{local}"
    if found or (os.path.lexists(path) and b"export-subst" in _content(path)):
        raise _Unanswered
    return ()


def _checkout(asking: _Asking) -> tuple[Write, ...]:
    head = asking.commits("HEAD")[0]
    target = asking.target()
    if not head:
        raise _Unanswered
    if target:
        return _writes(asking, asking.between(head, target))
    if "detach" in asking.words:
        raise _Unanswered
    return _guessed(asking, head)


def _guessed(asking: _Asking, head: str) -> tuple[Write, ...]:
    """A word that is no commit: the branch of one remote, or a path."""
    name = asking.words[0]
    place = f"{asking.question.folder}/{name}"
    refs = asking.git("for-each-ref", "--format=%(refname)").split("\n")
    remotes = [ref for ref in refs if ref.endswith(f"/{name}") and not ref.startswith(("refs/heads/", "refs/tags/"))]
    if not remotes:
        if set(name) & set("*?[\\") or name.startswith(":"):
            raise _Unanswered
        return (Write(place, "tree", _BY),)
    if len(remotes) > 1 or not remotes[0].startswith("refs/remotes/") or os.path.lexists(place):
        raise _Unanswered
    target = asking.commits(remotes[0])[0]
    if not target:
        raise _Unanswered
    return _writes(asking, asking.between(head, target))


def _merge(asking: _Asking) -> tuple[Write, ...]:
    head, target = asking.commits("HEAD")[0], asking.target()
    if not head or not target:
        raise _Unanswered
    bases = asking.git("merge-base", "--all", head, target).split()
    if bases == [target]:
        return ()
    is_forward = bases == [head] and "no-ff" not in asking.words
    if "quiet" not in asking.words:
        # A merge that makes a commit would open an editor, if there is a terminal.
        setting = asking.git("config", "--get", "merge.ff", may_fail=True).strip().lower()
        if not is_forward or setting not in {"", "true", "only"}:
            raise _Unanswered
    if len(bases) != 1:
        raise _Unanswered
    found = _three_way(asking, asking.between(bases[0], head), asking.between(bases[0], target))
    # A merge that fails puts back what was not committed, by way of a stash.
    return found if is_forward else (*found, *_stash(asking))


def _rebase(asking: _Asking) -> tuple[Write, ...]:
    """Go to the target, then pick each own commit; none of them may be a merge."""
    head, target = asking.commits("HEAD")[0], asking.target()
    if not head or not target:
        raise _Unanswered
    bases = asking.git("merge-base", "--all", head, target).split()
    if bases == [target]:
        return ()
    if len(bases) != 1:
        raise _Unanswered
    theirs = asking.between(bases[0], target)
    found = list(_writes(asking, asking.between(head, target)))
    lines = asking.git("rev-list", "--parents", f"--max-count={MOST_PICKS + 1}", f"{bases[0]}..{head}").split("\n")
    commits = [line.split(" ") for line in lines if line]
    if len(commits) > MOST_PICKS or any(len(words) != len(("commit", "parent")) for words in commits):
        raise _Unanswered
    for commit, parent in commits:
        found += _three_way(asking, theirs, asking.between(parent, commit))
    return tuple(dict.fromkeys(found))


def _pick(asking: _Asking) -> tuple[Write, ...]:
    commit, parent = _with_parent(asking)
    return _three_way(asking, asking.staged(parent), asking.between(parent, commit))


def _revert(asking: _Asking) -> tuple[Write, ...]:
    commit, parent = _with_parent(asking)
    return _three_way(asking, asking.staged(commit), asking.between(commit, parent))


def _with_parent(asking: _Asking) -> tuple[str, str]:
    commit = asking.target()
    if not commit:
        raise _Unanswered
    parent, second = asking.commits(f"{commit}^1", f"{commit}^2")
    if not parent or second:
        raise _Unanswered
    return commit, parent


def _stash(asking: _Asking) -> tuple[Write, ...]:
    """All that differs from HEAD is put back; what was staged as new is removed, and with ``-u`` what is untracked."""
    staged = asking.staged("HEAD")
    changed = _changes(asking.git("diff-files", "--raw", "-z", "--no-renames"))
    back = {change.path: Change(change.path, "M", change.modes) for change in changed}
    for change in staged:
        back[change.path] = Change(change.path, "D" if change.status == "A" else "M", change.modes)
    others: list[str] = []
    if "untracked" in asking.words:
        listing = asking.git("ls-files", "-o", "--exclude-standard", "--directory", "-z")
        others = [path for path in listing.split("\0") if path]
    gone = [Change(path.rstrip("/"), "D", ("100644", "000000")) for path in others]
    trees = {path.rstrip("/") for path in others if path.endswith("/")}
    return _writes(asking, [*back.values(), *gone], trees)


def _unstash(asking: _Asking) -> tuple[Write, ...]:
    name = f"refs/stash@{{{asking.words[0]}}}"
    stash, base, index, untracked = asking.commits(name, f"{name}^1", f"{name}^2", f"{name}^3")
    if not stash or not base or not index:
        raise _Unanswered
    found = list(_three_way(asking, asking.staged(base), asking.between(base, stash)))
    if untracked:
        listing = asking.git("ls-tree", "-r", "-z", "--full-tree", untracked)
        entries = [entry.partition("\t") for entry in listing.split("\0") if entry]
        found += _writes(asking, [Change(path, "A", ("000000", meta.split(" ")[0])) for meta, _, path in entries])
    return tuple(found)


def _apply(asking: _Asking) -> tuple[Write, ...]:
    """Ask how git reads a patch's names; renames, which it shows by one name, have no answer."""
    at = asking.words.index("--")
    if asking.question.folder != asking.top:
        raise _Unanswered
    options, names = asking.words[:at], asking.words[at + 1 :]
    typed = names[1] if names[:1] == ("-",) else ""
    for text in [os.fsencode(typed)] if typed else map(_content, names):
        if len(text) > LARGEST_PATCH or any(mark in b"\n" + text for mark in _ODD_IN_PATCHES):
            raise _Unanswered
    files = () if typed else ("--", *names)
    # A change of a file may name another one as the old file, which goes: read backwards, that one is shown.
    listings = [asking.git("apply", *way, "--numstat", "-z", *options, *files, text=typed) for way in ((), ("-R",))]
    paths = list(dict.fromkeys(line.split("\t", 2)[-1] for listing in listings for line in listing.split("\0") if line))
    if any(path.startswith("/") or not {"", ".", ".."}.isdisjoint(path.split("/")) for path in paths):
        raise _Unanswered
    return _writes(asking, [Change(path, "D", ("100644", "100644")) for path in paths])


def _content(name: str) -> bytes:
    with open(name, "rb") as handle:
        return handle.read(LARGEST_PATCH + 1)


LARGEST_PATCH: Final = 4 * 1024 * 1024  # bytes
_ODD_IN_PATCHES: Final = (b"\nrename ", b"\ncopy ", b" 120000", b" 160000", b"\nsimilarity ", b"\r")


_KINDS: Final[dict[str, Callable[[_Asking], tuple[Write, ...]]]] = {
    "apply": _apply,
    "archive": _archive,
    "commit": _commit,
    "checkout": _checkout,
    "merge": _merge,
    "rebase": _rebase,
    "pick": _pick,
    "revert": _revert,
    "stash": _stash,
    "unstash": _unstash,
}


# --- three ways -----------------------------------------------------------------------------------------------------


def _three_way(asking: _Asking, ours: Sequence[Change], theirs: Sequence[Change]) -> tuple[Write, ...]:
    """Give what a merge writes: what they changed, unless one side may have renamed what the other one touches."""
    if _interfere(ours, theirs) or _interfere(theirs, ours) or _clash(ours, theirs):
        raise _Unanswered
    return _writes(asking, theirs)


def _paths(changes: Iterable[Change], statuses: str) -> set[str]:
    return {change.path for change in changes if change.status in statuses}


def _interfere(ours: Sequence[Change], theirs: Sequence[Change]) -> bool:
    """Whether something gone on our side may be a rename that their changes would follow."""
    gone, added = _paths(ours, "D"), _paths(theirs, "A")
    if not gone:
        return False
    if gone & _paths(theirs, "ADMT"):
        return True
    # A folder that is gone as a whole may be a renamed one: then their new files go along.
    tops = {path.partition("/")[0] for path in gone}
    return bool(added) and (any("/" not in path for path in gone) or any(p.partition("/")[0] in tops for p in added))


def _clash(ours: Sequence[Change], theirs: Sequence[Change]) -> bool:
    """Whether a new file of one side may stand where the other one has a folder, or kinds of files may differ."""
    touched = _paths(theirs, "ADMT")
    if any(change.path in touched and not _PLAIN_MODES.issuperset(change.modes) for change in ours):
        return True
    return _covers(_paths(ours, "AT"), _paths(theirs, "AT")) or _covers(_paths(theirs, "AT"), _paths(ours, "AT"))


def _covers(files: set[str], paths: Iterable[str]) -> bool:
    return any(not files.isdisjoint(_above(path)) for path in paths)


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


# --- paths ----------------------------------------------------------------------------------------------------------


def _writes(asking: _Asking, changes: Sequence[Change], trees: Iterable[str] = ()) -> tuple[Write, ...]:
    """Give the writes of changes, and of the folders that git removes because nothing is left in them."""
    if len(changes) > MOST_PATHS:
        raise _Unanswered
    for change in changes:
        name = change.path.rpartition("/")[2].lower()
        if not _PLAIN_MODES.issuperset(change.modes) or name in _STEERING or not _is_text(change.path):
            raise _Unanswered
    whole = set(trees)
    _check_places(asking.top, [change.path for change in changes if change.path not in whole])
    gone = {change.path for change in changes if change.status == "D"}
    paths = [(change.path, change.path in whole) for change in changes]
    paths += [(folder, False) for folder in _emptied(asking.top, gone)]
    return tuple(Write(f"{asking.top}/{path}", "tree" if is_tree else "entry", _BY) for path, is_tree in paths)


def _is_text(path: str) -> bool:
    return path.isprintable()


def _check_places(top: str, paths: Iterable[str]) -> None:
    """See that each folder on the way is one, or is not there yet, and that no folder stands in a file's place."""
    folders: set[str] = set()
    for path in paths:
        folders.update(_above(path))
        if _is_folder(f"{top}/{path}") is True:
            raise _Unanswered
    if any(_is_folder(f"{top}/{folder}") is False for folder in folders):
        raise _Unanswered


def _is_folder(path: str) -> bool | None:
    """Whether a folder stands there itself, ``None`` if nothing does."""
    try:
        return S_ISDIR(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _emptied(top: str, gone: set[str]) -> list[str]:
    """Give the folders of which all that stands there now goes."""
    found: list[str] = []
    left = set(gone)
    for folder in sorted({folder for path in gone for folder in _above(path)}, key=lambda path: -path.count("/")):
        if _is_folder(f"{top}/{folder}") and all(f"{folder}/{name}" in left for name in os.listdir(f"{top}/{folder}")):
            left.add(folder)
            found.append(folder)
    return found
