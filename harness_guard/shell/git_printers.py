"""Which commands of git print names out of its history, the index or its references, and what to look at for them.

Git is asked the same, or for more, before the command runs (``evidence/git_printed.py``): where all that it prints is
plain, each word that is made of it is a relative name below the folder. Sources: git-diff(1), git-show(1), git-log(1),
git-ls-tree(1), git-rev-list(1), git-status(1), git-branch(1), git-rev-parse(1), git-describe(1) of 2.39.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Row, options_of
from harness_guard.shell.names import NameSource, Printed
from harness_guard.shell.values import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, Literal

    from harness_guard.shell.commands.model import Options

    Asked = tuple[tuple[str, ...], ...]

# The whole index, from the root: that is how ``diff`` and ``status`` name files, wherever they run.
_INDEX: Final = ("ls-files", "--full-name", "--", ":/")
_UNTRACKED: Final = ("ls-files", "--others", "--exclude-standard", "--full-name", "--", ":/")
_REFS: Final = (
    ("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads", "refs/tags", "refs/remotes"),
    ("branch", "--show-current"),  # one without a commit is no reference yet
)
# These print a branch: such a name is never made with a dash in front but by what the table refuses.
_OF_BRANCHES: Final = frozenset(("branch", "rev-parse", "symbolic-ref"))
_AT_ROOT: Final = ("rev-parse", "--show-cdup")  # names above the folder would start with ``..``
_DIFF: Final = Row("git diff", flags="z", longs="name-only cached staged diff-filter=! no-renames no-color")
_SHOW: Final = Row("git show", flags="z", longs="name-only format=! pretty=! diff-filter=! no-renames no-color")
_CHOSEN: Final = (
    "max-count= skip=! since= until= after= before= author= grep= no-merges merges first-parent all reverse no-color"
)
_LOG: Final = Row(
    "git log", flags="z0123456789", valued="n", longs=f"name-only format=! pretty=! diff-filter=! {_CHOSEN}"
)
_HASHES: Final = Row("git log", flags="0123456789", valued="n", longs=f"format=! pretty=! oneline abbrev=! {_CHOSEN}")
_TREE: Final = Row("git ls-tree", flags="rtz", longs="name-only full-tree full-name")
_STATUS: Final = Row("git status", flags="s", longs="short porcelain=? untracked-files=?")
_CODES: Final = ("s", "an", "ae", "ad", "ar", "as", "ai", "cd", "cr", "cs", "ci", "cn", "d", "D")  # one line each


def printed_by_git(words: list[str], cwds: tuple[str, ...]) -> Printed | None:
    """Tell which names git prints, one on each line.

    Args:
        words: The words behind ``git``.
        cwds: The folders it may run in.

    Returns:
        The names; ``None`` if it may print anything else.
    """
    make = _VERBS.get(words[0] if words else "")
    found = None if make is None else make(words[1:])
    if found is None:
        return None
    asked, is_nul = found
    kind: Literal["refs", "history"] = "refs" if words[0] in _OF_BRANCHES else "history"
    sources = tuple(NameSource(kind, cwd, each) for cwd in cwds for each in asked)
    if not asked:
        sources = tuple(NameSource("unlinked", cwd) for cwd in cwds)
    return Printed(None, sources, is_nul, is_walked=False)


def printed_in_columns(words: list[str], cwds: tuple[str, ...]) -> tuple[tuple[str, int], Printed] | None:
    """Tell which names git prints in one column of each line: what parts the columns, which one, and the names."""
    if words[:1] == ["log"]:
        options = _options(_HASHES, words[1:])
        texts = _formats(options) if options is not None else []
        is_first = options is not None and (options.has("--oneline") or any(map(_starts_with_hash, texts)))
        if is_first and len(texts) <= 1 and not (texts and options is not None and options.has("--oneline")):
            return (" ", 1), Printed(None, tuple(NameSource("unlinked", cwd) for cwd in cwds), is_walked=False)
    if words[:1] == ["status"]:
        options = _options(_STATUS, words[1:])
        if options is None or not options.has("-s", "--short", "--porcelain") or options.operands:
            return None
        if any((field.text or "") not in {"v1", "1", "no", "normal", "all"} for _, field in options.given if field):
            return None
        # A setting has it begin with the branch.
        asked = (_INDEX, _UNTRACKED, ("diff", "--cached", "--name-only", "--no-renames"), _AT_ROOT, *_REFS)
        sources = tuple(NameSource("history", cwd, each) for cwd in cwds for each in asked)
        return ("", 2), Printed(None, sources, is_walked=False)
    return None


def matches_of_git(words: list[str], cwds: tuple[str, ...]) -> tuple[tuple[str, int], Printed] | None:
    """``git grep -n PATTERN [-- PATH…]``: a file's name stands in front of each match."""
    before, paths = _parted(words)
    options = [word for word in before if word.startswith("-")]
    letters = {letter for word in options if not word.startswith("--") for letter in word[1:]}
    is_known = letters <= set("nciwFEIvo") and all(word == "--line-number" for word in options if word[:2] == "--")
    is_numbered = not letters.isdisjoint("nc") or "--line-number" in options
    if not (is_known and is_numbered) or len(before) != len(options) + 1:  # a revision would stand in front
        return None
    if any(".." in path.split("/") or path.startswith((":", "/")) for path in paths):
        return None
    sources = [NameSource("history", cwd, _INDEX) for cwd in cwds] + [NameSource("unlinked", cwd) for cwd in cwds]
    return (":", 1), Printed(None, tuple(sources), is_walked=False)


def _options(row: Row, words: list[str]) -> Options | None:
    before, _ = _parted(words)
    options = options_of(row, tuple(map(Field, before)))
    return None if isinstance(options, str) or any("\0" in word for word in words) else options


def _parted(words: list[str]) -> tuple[list[str], list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _formats(options: Options) -> list[str]:
    return [(value.text or "").removeprefix("format:").removeprefix("tformat:")
            for value in options.values("--format", "--pretty")]  # fmt: skip


def _operands(options: Options) -> list[str]:
    return [field.text or "" for field in options.operands]


def _diff(words: list[str]) -> tuple[Asked, bool] | None:
    """``git diff --name-only``: what is left out of the files' trees may be asked for without the pathspecs.

    With paths that lie elsewhere it would compare these (git-diff(1), ``--no-index``).
    """
    options = _options(_DIFF, words)
    paths = _parted(words)[1]
    if options is None or not options.has("--name-only"):
        return None
    named = _operands(options)
    if any(path.startswith("/") or ".." in path.split("/") for path in (*paths, *named)):
        return None
    end = ("--",) if "--" in words else ()
    is_range = any(".." in name for name in named)
    plain: Asked
    if options.has("--cached", "--staged"):
        plain = (("diff", "--cached", "--name-only", "--no-renames", *named, *end),)
    elif not named:
        plain = (_INDEX,)
    elif len(named) == 1 and not is_range:
        plain = (_INDEX, ("diff", "--cached", "--name-only", "--no-renames", *named, *end))
    elif len(named) == 1 or (len(named) == len(("A", "B")) and not is_range):
        # Two names that are no commits make no range, and nothing is believed.
        plain = (("diff", "--name-only", "--no-renames", "..".join(named), "--"),)
    else:
        return None
    return plain, options.has("-z")


def _show(words: list[str]) -> tuple[Asked, bool] | None:
    """``git show --name-only --format=`` of the commit that is checked out, or one near: a tag has a text."""
    options = _options(_SHOW, words)
    if options is None or not options.has("--name-only") or _formats(options) != [""]:
        return None
    named = _operands(options)
    if not all(name.startswith("HEAD") and set(name[4:]) <= set("~^0123456789") for name in named):
        return None
    return (("show", "-m", "--name-only", "--no-renames", "--format=", *named, "--"),), options.has("-z")


def _log(words: list[str]) -> tuple[Asked, bool] | None:
    options = _options(_LOG, words)
    if options is not None and options.has("--name-only") and _formats(options) == [""]:
        return (("log", "--no-renames", *words),), options.has("-z")
    options = _options(_HASHES, words)
    is_hash = options is not None and _formats(options) in (["%h"], ["%H"]) and not options.has("--oneline")
    return ((), False) if is_hash else None


def _rev_list(words: list[str]) -> tuple[Asked, bool] | None:
    options = _options(_HASHES, words)
    return None if options is None or options.has("--format", "--pretty", "--oneline") else ((), False)


def _ls_tree(words: list[str]) -> tuple[Asked, bool] | None:
    options = _options(_TREE, words)
    if options is None or not options.has("--name-only"):
        return None
    return (("ls-tree", *words),), options.has("-z")


def _branch(words: list[str]) -> tuple[Asked, bool] | None:
    return (_REFS, False) if words == ["--show-current"] else None


def _rev_parse(words: list[str]) -> tuple[Asked, bool] | None:
    is_one = words[:1] == ["--abbrev-ref"] and words[1:] in (["HEAD"], ["@{u}"], ["@{upstream}"])
    return (_REFS, False) if is_one else None


def _symbolic_ref(words: list[str]) -> tuple[Asked, bool] | None:
    return (_REFS, False) if words in (["--short", "HEAD"], ["-q", "--short", "HEAD"]) else None


def _describe(words: list[str]) -> tuple[Asked, bool] | None:
    is_known = set(words) <= {"--tags", "--abbrev=0", "--always", "HEAD", "HEAD^", "HEAD~1"}
    return (_REFS, False) if is_known else None


def _starts_with_hash(text: str) -> bool:
    head, sign, rest = text.partition(" ")
    pieces = rest.split("%")[1:]
    is_line = all(piece.startswith(_CODES) and "x" not in piece[:1] for piece in pieces) and "%%" not in rest
    return bool(sign) and head in {"%h", "%H"} and is_line and "\n" not in rest


_VERBS: Final = {
    "diff": _diff,
    "show": _show,
    "log": _log,
    "rev-list": _rev_list,
    "ls-tree": _ls_tree,
    "branch": _branch,
    "rev-parse": _rev_parse,
    "symbolic-ref": _symbolic_ref,
    "describe": _describe,
}
