"""Subcommands of git that only read, its plumbing among them, where git would run nothing but itself.

A reader may refresh ``.git/index``, which by rule counts as no write (docs/adr/0001-shell-readers.md). Sources: git's
man pages, version 2.39 and later.
"""

from __future__ import annotations

from harness_guard.shell.commands.git_verbs import WRITES, Verb, verbs
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.git_verbs import Does

DIFF_LONGS = (
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
LOG_LONGS = (
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
DIFF_FLAGS = "pusRabwWzD0123456789rtcm"
_DIFF_VALUED = "SGlO"
_EITHER = "MCBUX"  # take an attached value or none

_ROWS: Final = (
    Row(
        "status",
        flags="sbvzu",
        longs="short branch porcelain=? long verbose untracked-files=? ignored=? ignore-submodules=? "
        "column=? no-column "
        "ahead-behind no-ahead-behind renames no-renames show-stash null find-renames=?",
    ),
    Row("diff", flags=DIFF_FLAGS, attached=_EITHER, valued=_DIFF_VALUED, longs=DIFF_LONGS, files="-O"),
    *(
        Row(
            name,
            flags=DIFF_FLAGS + "Eiq",
            attached=_EITHER,
            # Only those that print commits one by one follow the lines that ``-L`` names.
            valued=_DIFF_VALUED + ("nL" if name in {"log", "show", "whatchanged"} else "n"),
            longs=f"{DIFF_LONGS} {LOG_LONGS}",
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
    Row(
        "show-branch",
        flags="ar",
        longs="all remotes current topo-order date-order sparse more=! list merge-base independent",
    ),
    Row("verify-pack", flags="vs", longs="verbose stat-only"),
    Row("get-tar-commit-id"),
    Row("stripspace", flags="sc"),
    Row(
        "fsck",
        flags="v",
        longs="unreachable dangling no-dangling root tags cache no-reflogs reflogs full no-full strict verbose "
        "progress no-progress connectivity-only name-objects references no-references",
    ),
    Row("check-ref-format", longs="branch allow-onelevel no-allow-onelevel refspec-pattern normalize"),
    Row(
        "check-mailmap",
        longs="stdin mailmap-file= mailmap-blob=",
        files="--mailmap-file",
    ),
    Row("patch-id", longs="stable unstable verbatim"),
    Row(
        "fast-export",
        attached="MC",
        longs="all progress=! signed-tags=! tag-of-filtered-object=! no-data full-tree use-done-feature "
        "reference-excluded-parents show-original-ids anonymize reencode=! branches=? tags=? remotes=?",
    ),
    Row("merge-file", flags="pq", valued="L", longs="stdout ours theirs union diff3 zdiff3 quiet"),
    Row("commit-graph.verify", longs="shallow progress no-progress"),
    Row("multi-pack-index.verify", longs="progress no-progress"),
    Row("show-index"),
    Row("bisect.log"),
    Row("bisect.terms", longs="term-good term-old term-bad term-new"),
    Row("rerere.status"),
    Row("rerere.diff"),
    Row("rerere.remaining"),
    Row("submodule", flags="q", longs="cached recursive quiet"),
    Row("submodule.status", flags="q", longs="cached recursive quiet"),
    Row("bundle.list-heads"),
)


def _stdout_only(call: Call, options: Options) -> None:
    """``git merge-file`` writes its first file unless it prints."""
    if not options.has("-p", "--stdout"):
        call.opaque(f"git {call.name} that writes its first file", is_writer=True)


def _hash_object(call: Call, options: Options) -> Does | None:
    if options.has("--stdin-paths"):
        call.read(Field(None))
    return WRITES if options.has("-w") else None


def _dry_run(call: Call, options: Options) -> None:
    if not options.has("-n", "--dry-run"):
        call.opaque(f"git {call.name} removes files that git does not know", is_writer=True)


def _help(call: Call, options: Options) -> None:
    """Lists alone: a page about a command is shown by ``man`` or a browser."""
    if options.operands:
        call.opaque("git help that starts a viewer")


_OPERANDS: Final = frozenset(("diff", "grep", "blame", "annotate", "merge-file", "bundle.list-heads", "patch-id"))
_BARE: Final = frozenset(("submodule", "bisect.log", "rerere.status", "rerere.diff", "rerere.remaining"))

VERBS: Final = verbs(
    *(
        Verb(row, reads_operands=row.name in _OPERANDS, has_operands=row.name not in _BARE)
        for row in _ROWS
        if row.name != "merge-file"
    ),
    *(Verb(row, act=_stdout_only, reads_operands=True) for row in _ROWS if row.name == "merge-file"),
    # No option of these two writes or runs anything: what is asked for is printed.
    Verb(Row("rev-parse", is_free=True)),
    Verb(Row("version", is_free=True)),
    Verb(Row("var", flags="l")),
    Verb(Row("bundle.verify", flags="q", longs="quiet"), reads_operands=True),
    Verb(
        Row("hash-object", flags="w", valued="t", longs="stdin stdin-paths no-filters path=! literally"),
        act=_hash_object,
        reads_operands=True,
    ),
    Verb(Row("clean", flags="ndfxXq", valued="e", longs="dry-run force quiet exclude=!"), act=_dry_run),
    Verb(
        Row(
            "help",
            flags="agcv",
            longs="all guides config verbose no-external-commands no-aliases user-interfaces developer-interfaces",
        ),
        act=_help,
    ),
)
