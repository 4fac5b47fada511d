"""git: subcommands that only read, and the plain writers, where git would run nothing but itself.

What git might run (hooks, filters, textconv, external diff, fsmonitor, signing, a promisor's transport) comes in as
``GitFacts``. git's own folder is written by every writer; a reader may refresh ``.git/index``, which by rule counts as
no write (docs/adr/0001-shell-readers.md). Sources: git's man pages, version 2.39 and later.
"""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.commands.model import Call, Options, Row, options_of, read_named
from harness_guard.shell.effects import Write
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from harness_guard.shell.facts import GitFacts

_DIFF_LONGS = (
    "stat=? numstat shortstat name-only name-status cached staged no-color color=? color-words=? word-diff=? "
    "unified=! summary dirstat=? check full-index binary abbrev=? find-renames=? find-copies=? no-renames "
    "diff-filter=! exit-code quiet ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol "
    "function-context no-ext-diff no-textconv raw patch no-patch minimal patience histogram diff-algorithm=! "
    "relative=? no-relative text inter-hunk-context=! src-prefix=! dst-prefix=! no-prefix patch-with-stat "
    "compact-summary merge-base no-index ignore-submodules=? submodule=? pickaxe-all pickaxe-regex color-moved=? "
    "ita-visible-in-index find-object=! ignore-cr-at-eol indent-heuristic no-indent-heuristic "
    "ws-error-highlight=! default-prefix skip-to=! rotate-to=! break-rewrites=? irreversible-delete anchored=! "
    "line-prefix=!"
)
_LOG_LONGS = (
    "oneline graph all branches=? tags=? remotes=? decorate=? no-decorate max-count= skip= since= until= after= "
    "before= author= committer= grep= invert-grep all-match regexp-ignore-case format=! pretty=? abbrev-commit "
    "no-abbrev-commit date= follow merges no-merges first-parent reverse topo-order date-order author-date-order "
    "left-right cherry-pick cherry-mark cherry full-history simplify-by-decoration ancestry-path=? no-walk=? "
    "walk-reflogs parents children source not min-parents=! max-parents=! full-diff show-pulls boundary dense "
    "sparse relative-date perl-regexp fixed-strings extended-regexp basic-regexp clear-decorations "
    "decorate-refs=! decorate-refs-exclude=! exclude=! glob= notes=? no-notes root no-expand-tabs expand-tabs=? "
    "remove-empty simplify-merges encoding= stdin reflog bisect merge objects disk-usage=? count timestamp "
    "header no-commit-header no-object-names use-bitmap-index"
)
_DIFF_FLAGS = "pusRabwWzD0123456789rtcm"
_DIFF_VALUED = "SGlO"
_EITHER = "MCBUX"  # take an attached value or none

_READING: Final = (
    Row(
        "status",
        flags="sbvzu",
        longs="short branch porcelain=? long verbose untracked-files=? ignored=? ignore-submodules=? "
        "column=? no-column "
        "ahead-behind no-ahead-behind renames no-renames show-stash null find-renames=?",
    ),
    Row("diff", flags=_DIFF_FLAGS, attached=_EITHER, valued=_DIFF_VALUED, longs=_DIFF_LONGS, files="-O"),
    *(
        Row(
            name,
            flags=_DIFF_FLAGS + "Eiq",
            attached=_EITHER,
            # Only those that print commits one by one follow the lines that ``-L`` names.
            valued=_DIFF_VALUED + ("nL" if name in {"log", "show", "whatchanged"} else "n"),
            longs=f"{_DIFF_LONGS} {_LOG_LONGS}",
            files="-O",
        )
        for name in ("log", "show", "whatchanged", "rev-list", "diff-tree", "diff-index", "diff-files")
    ),
    Row(
        "shortlog",
        flags="nsec",
        attached="w",
        longs="numbered summary email committer group=! no-merges all since= until= format=! author=",
    ),
    Row(
        "rev-parse",
        longs="show-toplevel show-cdup show-prefix git-dir git-common-dir absolute-git-dir is-inside-work-tree "
        "is-inside-git-dir is-bare-repository is-shallow-repository short=? verify quiet abbrev-ref=? symbolic "
        "symbolic-full-name branches=? tags=? remotes=? all revs-only no-revs flags no-flags default= since= until= "
        "show-object-format=? show-superproject-working-tree path-format=! git-path= not exclude=! glob=",
        flags="q",
    ),
    Row(
        "ls-files",
        flags="cdmoiskutvfz",
        valued="xX",
        files="-X --exclude-from",
        longs="cached deleted modified others ignored stage killed unmerged exclude-standard exclude=! exclude-from=! "
        "directory no-empty-directory error-unmatch full-name recurse-submodules abbrev=? debug eol deduplicate "
        "with-tree=! exclude-per-directory=! format=! sparse resolve-undo",
    ),
    Row("ls-tree", flags="drtlz", longs="name-only name-status object-only full-name full-tree abbrev=? long format=!"),
    Row(
        "blame",
        flags="bltfnsewpc",
        attached="MC",
        valued="LS",
        files="-S --ignore-revs-file",
        longs="date= porcelain line-porcelain root show-stats show-name show-number show-email since= reverse abbrev=! "
        "ignore-rev=! ignore-revs-file=! color-lines color-by-age incremental encoding= first-parent",
    ),
    Row("annotate", flags="bltfnsew", valued="L"),
    Row(
        "grep",
        flags="aIiwvhHEGPFnlLcopWqz",
        valued="efmABC",
        files="-f",
        longs="cached no-index untracked text ignore-case word-regexp invert-match full-name extended-regexp "
        "basic-regexp "
        "perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match null count "
        "color=? no-color break heading show-function context=! after-context=! before-context=! "
        "function-context max-depth=! "
        "recursive no-recursive and or not all-match quiet max-count= only-matching exclude-standard "
        "recurse-submodules "
        "threads=!",
    ),
    Row("cat-file", flags="tsep", longs="batch=? batch-check=? batch-all-objects buffer unordered allow-unknown-type"),
    Row("merge-base", flags="a", longs="all octopus is-ancestor independent fork-point"),
    Row("name-rev", longs="tags refs=! exclude=! all name-only no-undefined always annotate-stdin"),
    Row(
        "describe",
        longs="all tags contains abbrev=? candidates=! exact-match long match=! exclude=! always first-parent "
        "dirty=? broken=?",
    ),
    Row(
        "for-each-ref",
        flags="spq",
        longs="count=! format=! sort=! points-at=! merged=? no-merged=? contains=? no-contains=? shell perl python tcl "
        "ignore-case color=? omit-empty exclude=!",
    ),
    Row(
        "show-ref",
        flags="qdsh",
        longs="head heads tags branches dereference hash=? verify abbrev=? exclude-existing=? quiet exists",
    ),
    Row("count-objects", flags="vH", longs="verbose human-readable"),
    Row("check-ignore", flags="vqnz", longs="verbose quiet non-matching stdin no-index"),
    Row("check-attr", flags="az", longs="all stdin cached source=!"),
    Row("cherry", flags="v", longs="abbrev=? verbose"),
    Row("range-diff", longs="no-color color=? creation-factor=! no-dual-color left-only right-only stat=?"),
    Row("version", longs="build-options"),
    Row("var"),
    Row(
        "show-branch",
        flags="ar",
        longs="all remotes current topo-order date-order sparse more=! list merge-base independent",
    ),
    Row("verify-pack", flags="vs", longs="verbose stat-only"),
    Row("get-tar-commit-id"),
    Row("stripspace", flags="sc"),
)


def _branch(call: Call, options: Options) -> None:
    listing = options.has("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
    if options.operands and not listing:
        call.opaque("git branch that makes or moves a branch")  # only in git's own files


def _tag(call: Call, options: Options) -> None:
    listing = options.has("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "-n")
    if options.operands and not listing:
        call.opaque("git tag that makes a tag", is_writer=True)


def _first_of(*allowed: str) -> Callable[[Call, Options], None]:
    def act(call: Call, options: Options) -> None:
        if _plain_first(options) not in allowed:
            call.opaque(f"git {call.name} with a subcommand that the table does not list", is_writer=True)

    return act


def _plain_first(options: Options) -> str | None:
    """The first operand, ``None`` if it is not exactly one known word: a file's name may be anything."""
    if not options.operands:
        return ""
    first = options.operands[0]
    return first.text if first.is_one and not first.is_pattern else None


def _config(call: Call, options: Options) -> None:
    reading = options.has("--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--get-color")
    first = _plain_first(options)
    is_name = len(options.operands) == 1 and first not in {None, "set", "unset", "edit", "rename-section"}
    if not reading and not is_name:
        call.opaque("git config that writes", is_writer=True)


def _symbolic_ref(call: Call, options: Options) -> None:
    if len(options.operands) != 1 or not options.operands[0].is_one:
        call.opaque("git symbolic-ref that writes", is_writer=True)


def _reflog(call: Call, options: Options) -> None:
    if _plain_first(options) in {"expire", "delete", "drop", "write", None}:
        call.opaque("git reflog that writes", is_writer=True)


# Formats that let git run the signing program; a sign or a blank may stand behind the percent sign.
_SIGNING: Final = ("%G", "%+G", "%-G", "% G", "signature")
_LISTING: Final = (
    Row(
        "branch",
        flags="arvlqi",
        longs="list all remotes verbose show-current contains=? no-contains=? merged=? no-merged=? "
        "points-at=! sort=! format=! "
        "color=? no-color column=? no-column abbrev=? no-abbrev ignore-case",
        act=_branch,
    ),
    Row(
        "tag",
        flags="lni",
        longs="list contains=? no-contains=? merged=? no-merged=? points-at=! sort=! format=! color=? column=? "
        "ignore-case",
        act=_tag,
    ),
    Row("remote", flags="v", longs="verbose", act=_first_of("", "get-url")),
    Row("stash", flags=_DIFF_FLAGS, longs=f"{_DIFF_LONGS} oneline", act=_first_of("list", "show")),
    Row("worktree", flags="vz", longs="porcelain verbose", act=_first_of("list")),
    Row(
        "reflog",
        flags="pq",
        valued="n",
        longs=f"{_LOG_LONGS} {_DIFF_LONGS}",
        act=_reflog,
    ),
    Row(
        "config",
        flags="lz",
        longs="get get-all get-regexp get-urlmatch list show-origin show-scope name-only null local global "
        "system worktree "
        "type=! bool int path default=! includes no-includes file= blob=!",
        files="--file",
        act=_config,
    ),
    Row("symbolic-ref", flags="q", longs="short quiet no-recurse", act=_symbolic_ref),
    Row("notes", act=_first_of("list", "show")),
)


def _own(call: Call, facts: GitFacts) -> None:
    for folder in dict.fromkeys((facts.git_folder, facts.common_folder)):
        call.writes.append(Write(folder, "tree", f"git {call.name}", is_git_own=True))


def _pathspecs(call: Call, fields: tuple[Field, ...], *, writes: bool) -> None:
    """Write below each pathspec; git's own globs and magic cross folders, so such a pathspec cannot be told."""
    for field in fields:
        text = field.text
        if writes and (text is None or field.is_pattern or text.startswith(":") or set(text) & set("*?[\\")):
            call.opaque(f"git {call.name} with a pathspec that reading cannot tell", is_writer=True)
        elif writes:
            call.write(field, "tree")


def _commit(call: Call, options: Options) -> None:
    has_message = options.has("-m", "--message", "-F", "--file", "-C", "--reuse-message", "--no-edit")
    if not has_message:
        call.opaque("git commit that would open an editor")


def _restore(call: Call, options: Options) -> None:
    if options.has("--staged", "-S") and not options.has("--worktree", "-W"):
        return
    _pathspecs(call, options.operands, writes=True)


def _checkout(call: Call, _options: Options) -> None:
    """Only ``git checkout [TREE] -- PATH…``: without the dashes git guesses what a word is."""
    texts = [field.text for field in call.args]
    if _makes_branch(texts, "-b"):
        call.opaque("git checkout that makes a branch")
        return
    if texts.count("--") != 1:
        call.opaque("git checkout of a branch rewrites the working tree", is_writer=True)
        return
    at = texts.index("--")
    if at > 1 or at == len(texts) - 1 or (at == 1 and call.args[0].start[:1] in {"", "-"}):
        call.opaque("git checkout with words that the table does not list", is_writer=True)
        return
    _pathspecs(call, call.args[at + 1 :], writes=True)


def _makes_branch(texts: list[str | None], *letters: str) -> bool:
    """Whether the words only make a branch where the working tree stands: git's own files, no file of the tree."""
    return len(texts) == len(("-b", "NAME")) and texts[0] in letters and not (texts[1] or "-").startswith("-")


def _rm(call: Call, options: Options) -> None:
    _pathspecs(call, options.operands, writes=not options.has("--cached"))


def _mv(call: Call, options: Options) -> None:
    _pathspecs(call, options.operands, writes=True)
    if options.operands:
        target = options.operands[-1]
        for source in options.operands[:-1]:
            name = (source.text or "").rstrip("/").rpartition("/")[2]
            call.write(Field(f"{target.text}/{name}"), "tree")


def _reset(call: Call, _options: Options) -> None:
    """``git reset [--] PATH…`` and ``git reset`` alone only touch the index; a commit could move the branch."""
    texts = [field.text for field in call.args]
    if texts in ([], ["HEAD"], ["-q"], ["--quiet"], ["--"]):
        return
    at = texts.index("--") if "--" in texts[:2] else -1
    # ``git reset COMMIT --`` without a path moves the branch.
    if at < 0 or not call.args[at + 1 :] or (at == 1 and call.args[0].start[:1] in {"", "-"}):
        call.opaque("git reset that may move the branch", is_writer=True)
    elif not any(field.is_one for field in call.args[at + 1 :]):
        call.opaque("git reset with paths that may be none", is_writer=True)


_WRITING: Final = (
    Row(
        "add",
        flags="AunvfN",
        longs="all update dry-run verbose force intent-to-add no-all ignore-removal refresh ignore-errors "
        "ignore-missing "
        "renormalize chmod=! sparse",
    ),
    Row(
        "commit",
        flags="aqvsnoi",
        valued="mFC",
        files="-F --file",
        longs="all message= file= quiet verbose signoff no-verify amend no-edit allow-empty "
        "allow-empty-message author= date= "
        "no-gpg-sign no-post-rewrite reset-author reuse-message= only include dry-run cleanup=! trailer=! no-status",
        act=_commit,
    ),
    Row("restore", flags="SWq", valued="s", longs="staged worktree source=! quiet progress no-progress", act=_restore),
    Row("checkout", is_free=True, act=_checkout),
    Row("rm", flags="rfnq", longs="force dry-run cached quiet ignore-unmatch", act=_rm),
    Row("mv", flags="fknv", longs="force dry-run verbose", act=_mv),
    Row("reset", flags="q", longs="quiet", act=_reset),
)


READERS: Final = {row.name: replace(row, is_wary=True) for row in (*_READING, *_LISTING)}
WRITERS: Final = {row.name: replace(row, is_wary=True) for row in _WRITING}

_HARMLESS_SETTINGS = (
    "color.", "core.quotepath=", "core.pager=cat", "log.showsignature=false", "advice.", "core.fsmonitor=false",
    "diff.renames=", "user.name=", "user.email=", "commit.gpgsign=false", "pager.log=false", "core.abbrev=",
    "diff.context=", "column.", "core.autocrlf=", "core.safecrlf=",
)  # fmt: skip


def _git(call: Call, _options: Options) -> None:
    args = list(call.args)
    folder: Field | None = None
    while args:
        text = args[0].text
        if args[0].is_pattern:
            break
        if text in {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}:
            args.pop(0)
        elif text == "-c" and len(args) > 1 and _is_harmless_setting(args[1]):
            del args[:2]
        elif text == "-C" and len(args) > 1 and args[1].text and not args[1].is_pattern and folder is None:
            folder = args[1]
            del args[:2]
        else:
            break
    if not args or args[0].text is None or args[0].is_pattern:
        call.opaque("git with a subcommand that is not known")
        return
    name = args[0].text
    if name == "--version":
        return
    if name == "switch" and _makes_branch([field.text for field in args[1:]], "-c", "--create"):
        call.opaque("git switch that makes a branch")
        return
    row = READERS.get(name) or WRITERS.get(name)
    if row is None:
        call.opaque(f"git {name} is not in the table", is_writer=name in _KNOWN_WRITERS)
        return
    _run(call, row, tuple(args[1:]), folder)


_READS_OPERANDS = frozenset(("diff", "grep", "blame", "annotate"))  # also of what git does not track


def _is_harmless_setting(field: Field) -> bool:
    if field.text is None or field.is_pattern:
        return False
    lowered = field.text.lower()
    return any(lowered == known or (known[-1] in ".=" and lowered.startswith(known)) for known in _HARMLESS_SETTINGS)


_KNOWN_WRITERS = frozenset(
    ("checkout", "switch", "merge", "rebase", "pull", "cherry-pick", "revert", "stash", "clean", "apply", "am", "clone",
     "init", "worktree", "submodule", "fetch", "push", "gc", "update-index", "read-tree", "write-tree", "filter-branch",
     "format-patch", "archive", "bundle", "sparse-checkout", "update-ref", "rebase", "mergetool", "config")
)  # fmt: skip


def _run(call: Call, row: Row, args: tuple[Field, ...], folder: Field | None) -> None:
    inner = Call(row.name, args, cwds=call.cwds, home=call.home, git=call.git)
    if folder is not None:
        found = call.paths(folder)
        inner.cwds = None if found is None else tuple(path for path, _ in found)
    if inner.cwds is None:
        call.opaque("git in a folder that is not known")
        return
    # Whatever else the words may mean to git, none of them may be an output file or a signature to be checked.
    if any(field.start.startswith("--output") for field in args):
        call.opaque(f"git {row.name} with an output file")
        return
    if any(mark in (field.text or "") for field in args for mark in _SIGNING):
        call.opaque(f"git {row.name} that may run the signing program")
        return
    options = Options((), args) if row.is_free else options_of(row, args)
    if isinstance(options, str):
        call.opaque(f"git {row.name}: {options}")
        return
    read_named(row, inner, options)
    if row.name in _READS_OPERANDS:
        has_pattern = row.name != "grep" or options.has("-e", "-f")
        for field in options.operands if has_pattern else options.operands[1:]:
            inner.read(field, is_tree=True)
    if row.act is not None:
        row.act(inner, options)
    _judge(inner, is_writer=row.name in WRITERS)
    call.reads += inner.reads
    call.writes += inner.writes
    call.unknown += inner.unknown
    call.connects += inner.connects
    call.needs_git += inner.needs_git
    call.is_git_below = inner.is_git_below


def _judge(call: Call, *, is_writer: bool) -> None:
    """Refuse where git would run something else, and add git's own writes."""
    for folder in call.cwds or ():
        facts = call.git.get(folder)
        if facts is None:
            call.needs_git.append(folder)
            continue
        call.is_git_below = call.is_git_below or facts.top != folder
        for why in facts.writing if is_writer else facts.reading:
            call.opaque(f"git {call.name} would run {why}")
        if is_writer and facts.git_folder:
            _own(call, facts)


COMMANDS: Final = (Row("git", is_free=True, reads=False, act=_git),)
