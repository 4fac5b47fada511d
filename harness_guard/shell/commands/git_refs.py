"""Subcommands of git that list or write what only git's own folder holds: references, notes, stashes, objects, packs.

Such a writer touches no file of the working tree; where one form of it would, that form is not in the table. Sources:
git's man pages, version 2.39 and later.
"""

from __future__ import annotations

from harness_guard.shell.commands.git_reading import DIFF_FLAGS, DIFF_LONGS, LOG_LONGS
from harness_guard.shell.commands.git_verbs import MOVES, READS, WRITES, Verb, are_names, plain, plain_first, verbs
from harness_guard.shell.commands.model import Call, Options, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.git_verbs import Does

_LISTING_BY: Final = (
    "-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at",
)  # fmt: skip
_MESSAGE: Final = ("-m", "--message", "-F", "--file", "-C", "--reuse-message")


def _branch(call: Call, options: Options) -> Does | None:
    if options.has("-d", "-D", "--delete", "-m", "--move", "-c", "--copy", "--unset-upstream"):
        are_names(call, options.operands, most=64)
        return WRITES
    if options.has("-u", "--set-upstream-to"):
        are_names(call, options.operands, most=1)
        return WRITES
    if options.has(*_LISTING_BY) or not options.operands:
        return None
    # A new branch, at HEAD or at the commit that the second word names.
    are_names(call, options.operands, most=2)
    return WRITES


def _tag(call: Call, options: Options) -> Does | None:
    if options.has("-d", "--delete"):
        are_names(call, options.operands, most=64)
        return WRITES
    if options.has(*_LISTING_BY, "-n") or not options.operands:
        return None
    are_names(call, options.operands, most=2)
    if options.has("-a", "--annotate") and not options.has("-m", "--message", "-F", "--file"):
        call.opaque("git tag that would open an editor")
    return WRITES


def _config(call: Call, options: Options) -> None:
    reading = options.has("--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--get-color")
    first = plain_first(options)
    is_name = len(options.operands) == 1 and first not in {None, "set", "unset", "edit", "rename-section"}
    if not reading and not is_name:
        call.opaque("git config that writes", is_writer=True)


def _symbolic_ref(call: Call, options: Options) -> Does | None:
    if len(options.operands) == 1 and options.operands[0].is_one and not options.has("-m"):
        return None
    name = plain_first(options) or ""
    if are_names(call, options.operands, most=2) and name != "HEAD" and not name.startswith("refs/"):
        # Older versions write whatever file of git's folder the name stands for.
        call.opaque("git symbolic-ref of a name outside of refs/", is_writer=True)
    _refuse_dashes(call, options)
    return WRITES


def _refuse_dashes(call: Call, options: Options) -> None:
    """Refuse a reference that git's own commands would not make: printed, its short name looks like an option."""
    if any("/-" in (plain(field) or "") for field in options.operands):
        call.opaque(f"git {call.name} makes a name that starts with a dash", is_writer=True)


def _update_ref(call: Call, options: Options) -> None:
    _names(call, options)
    if not options.has("-d"):
        _refuse_dashes(call, options)


def _reflog(call: Call, options: Options) -> Does | None:
    first = plain_first(options)
    if first is None:
        call.opaque("git reflog with a subcommand that is not known", is_writer=True)
    return WRITES if first in {"expire", "delete", "drop", "write"} else None


def _notes(call: Call, options: Options) -> None:
    are_names(call, options.operands, most=1)
    if not options.has(*_MESSAGE):
        call.opaque(f"git {call.name} that would open an editor")


def _names(call: Call, options: Options) -> None:
    are_names(call, options.operands, most=64)


def _prune(_call: Call, options: Options) -> Does | None:
    return READS if options.has("-n", "--dry-run") else None


def _maintenance(call: Call, options: Options) -> None:
    """Without the tasks that connect; without the schedule, whose tasks are the configuration's."""
    tasks = options.values("--task")
    if any(plain(field) not in _TASKS for field in tasks) or options.has("--schedule"):
        call.opaque("git maintenance with a task that the table does not list")


_TASKS: Final = frozenset(("gc", "commit-graph", "loose-objects", "incremental-repack", "pack-refs"))


VERBS: Final = verbs(
    Verb(
        Row(
            "branch",
            flags="arvlqidDmc",
            valued="u",
            longs="list all remotes verbose show-current contains=? no-contains=? merged=? no-merged=? "
            "points-at=! sort=! format=! color=? no-color column=? no-column abbrev=? no-abbrev ignore-case quiet "
            "delete move copy set-upstream-to= unset-upstream track=? no-track create-reflog",
        ),
        act=_branch,
    ),
    Verb(
        Row(
            "tag",
            flags="lnida",
            valued="mF",
            files="-F --file",
            longs="list contains=? no-contains=? merged=? no-merged=? points-at=! sort=! format=! color=? column=? "
            "ignore-case delete annotate message= file= create-reflog cleanup=! no-sign",
        ),
        act=_tag,
    ),
    Verb(Row("remote", flags="v", longs="verbose"), has_operands=False),
    Verb(Row("remote.get-url", longs="push all")),
    Verb(Row("stash.list", flags=DIFF_FLAGS, longs=f"{DIFF_LONGS} {LOG_LONGS} oneline")),
    Verb(
        Row("stash.show", flags=DIFF_FLAGS, longs=f"{DIFF_LONGS} oneline include-untracked only-untracked"),
    ),
    Verb(Row("stash.drop", flags="q", longs="quiet"), WRITES, _names),
    Verb(Row("stash.clear"), WRITES, has_operands=False),
    Verb(Row("stash.create"), WRITES, _names),
    Verb(Row("stash.store", flags="q", valued="m", longs="message= quiet"), WRITES, _names),
    Verb(Row("worktree.list", flags="vz", longs="porcelain verbose expire="), has_operands=False),
    Verb(Row("worktree.prune", flags="nv", longs="dry-run verbose expire="), WRITES, _prune, has_operands=False),
    Verb(Row("worktree.lock", longs="reason="), WRITES, _names),
    Verb(Row("worktree.unlock"), WRITES, _names),
    Verb(Row("reflog", flags="pq0123456789", valued="n", longs=f"{LOG_LONGS} {DIFF_LONGS}"), act=_reflog),
    Verb(Row("reflog.expire", flags="nv", longs="dry-run verbose all expire= expire-unreachable=!"), WRITES, _names),
    Verb(Row("reflog.delete", flags="nv", longs="dry-run verbose rewrite updateref"), WRITES, _names),
    Verb(Row("reflog.exists"), READS),
    Verb(
        Row(
            "config",
            flags="lz",
            longs="get get-all get-regexp get-urlmatch list show-origin show-scope name-only null local global "
            "system worktree "
            "type=! bool int path default=! no-includes file= blob=!",
            files="--file",
        ),
        act=_config,
    ),
    *(
        Verb(
            Row(
                name,
                flags="z",
                longs="all show-origin show-scope show-names no-show-names name-only null local global system "
                "worktree regexp value=! url=! fixed-value type=! bool int path default=! no-includes file= "
                "blob=!",
                files="--file",
            ),
        )
        for name in ("config.get", "config.list")
    ),
    Verb(Row("symbolic-ref", flags="q", valued="m", longs="short quiet no-recurse"), act=_symbolic_ref),
    Verb(Row("update-ref", flags="d", valued="m", longs="no-deref create-reflog"), WRITES, _update_ref),
    Verb(Row("notes"), has_operands=False),
    Verb(Row("notes.list")),
    Verb(Row("notes.show")),
    *(
        Verb(
            Row(
                name,
                flags="f",
                valued="mFC",
                files="-F --file",
                longs="force message= file= reuse-message= allow-empty no-separator",
            ),
            WRITES,
            _notes,
        )
        for name in ("notes.add", "notes.append")
    ),
    Verb(Row("notes.remove", longs="ignore-missing"), WRITES, _names),
    Verb(Row("notes.copy", flags="f", longs="force"), WRITES, _names),
    Verb(Row("rerere.forget"), WRITES),
    Verb(Row("rerere.gc"), WRITES, has_operands=False),
    Verb(Row("rerere.clear"), WRITES, has_operands=False),
    # --- objects and packs --------------------------------------------------------------------------------------
    Verb(
        Row(
            "merge-tree",
            flags="z",
            longs="write-tree trivial-merge messages no-messages name-only quiet allow-unrelated-histories "
            "merge-base=!",
        ),
        MOVES,
    ),
    Verb(Row("mktree", flags="z", longs="missing batch"), WRITES, has_operands=False),
    Verb(Row("mktag", longs="strict no-strict"), WRITES, has_operands=False),
    Verb(Row("write-tree", longs="missing-ok prefix="), WRITES, has_operands=False),
    Verb(Row("commit-tree", valued="pmF", files="-F"), WRITES, _names),
    Verb(
        Row(
            "gc",
            flags="q",
            longs="aggressive auto quiet prune=? no-prune force keep-largest-pack cruft no-cruft detach no-detach",
        ),
        WRITES,
        has_operands=False,
    ),
    Verb(
        Row("prune", flags="nv", longs="dry-run verbose progress no-progress expire= exclude-promisor-objects"),
        WRITES,
        _prune,
    ),
    Verb(
        Row(
            "repack",
            flags="aAdfFlnqkbi",
            longs="cruft quiet local keep-unreachable unpack-unreachable=! write-bitmap-index write-midx "
            "delta-islands geometric=! window=! window-memory=! depth=! threads=! max-pack-size=! keep-pack=! "
            "pack-kept-objects",
        ),
        WRITES,
        has_operands=False,
    ),
    Verb(Row("prune-packed", flags="nq", longs="dry-run quiet"), WRITES, has_operands=False),
    Verb(Row("pack-refs", longs="all prune no-prune auto include=! exclude=!"), WRITES, has_operands=False),
    Verb(Row("update-server-info", flags="f", longs="force"), WRITES, has_operands=False),
    Verb(
        Row(
            "commit-graph.write",
            longs="reachable stdin-packs stdin-commits append changed-paths no-changed-paths progress no-progress "
            "split=? max-commits=! size-multiple=! expire-time=! max-new-filters=!",
        ),
        WRITES,
        has_operands=False,
    ),
    *(
        Verb(
            Row(f"multi-pack-index.{name}", longs="progress no-progress bitmap no-bitmap batch-size= stdin-packs"),
            WRITES,
            has_operands=False,
        )
        for name in ("write", "expire", "repack")
    ),
    Verb(
        Row("maintenance.run", longs="auto quiet task=! schedule=? detach no-detach"),
        WRITES,
        _maintenance,
        has_operands=False,
    ),
)
