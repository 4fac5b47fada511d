"""git: which subcommand is meant, and whether git would run nothing but itself.

What git might run (hooks, filters, textconv, external diff, fsmonitor, signing, a promisor's transport) comes in as
``GitFacts``. git's own folder is written by every writer. The subcommands stand in modules of their own, loaded when
one of theirs is met. Sources: git(1), githooks(5), git-config(1), version 2.39 and later.
"""

from __future__ import annotations

from harness_guard.shell.commands.git_verbs import own, plain
from harness_guard.shell.commands.model import Call, Options, Row, options_of
from harness_guard.shell.commands.running import read_named, undashed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from harness_guard.shell.commands.git_verbs import Does, Verb
    from harness_guard.shell.facts import GitFacts
    from harness_guard.shell.words import Field

# Module -> the subcommands that it holds. A test compares this with the modules.
MODULES: Final = {
    "git_reading": "status diff log show whatchanged rev-list diff-tree diff-index diff-files shortlog ls-files "
    "ls-tree blame annotate grep cat-file merge-base name-rev describe for-each-ref show-ref "
    "count-objects check-ignore check-attr cherry range-diff show-branch verify-pack get-tar-commit-id "
    "stripspace fsck check-ref-format check-mailmap patch-id fast-export commit-graph.verify "
    "multi-pack-index.verify show-index bisect.log bisect.terms rerere.status rerere.diff "
    "rerere.remaining submodule submodule.status bundle.list-heads merge-file rev-parse version var "
    "bundle.verify hash-object clean help",
    "git_refs": "branch tag remote remote.get-url stash.list stash.show stash.drop stash.clear stash.create "
    "stash.store worktree.list worktree.prune worktree.lock worktree.unlock reflog reflog.expire "
    "reflog.delete reflog.exists config config.get config.list symbolic-ref update-ref notes notes.list "
    "notes.show notes.add notes.append notes.remove notes.copy rerere.forget rerere.gc rerere.clear "
    "merge-tree mktree mktag write-tree commit-tree gc prune repack prune-packed pack-refs "
    "update-server-info commit-graph.write multi-pack-index.write multi-pack-index.expire "
    "multi-pack-index.repack maintenance.run",
    "git_writing": "add restore rm mv reset update-index apply archive format-patch bundle.create init worktree.add "
    "commit",
    "git_moving": "checkout switch merge rebase cherry-pick revert stash stash.push stash.save stash.pop stash.apply",
    "git_asking": "ls-remote fetch remote.show remote.prune remote.update clone",
}

# Every other command that git brings along: no alias and no program ``git-…`` stands for one of these.
OTHERS: Final = (
    "am backfill bugreport checkout--worker checkout-index citool column credential credential-cache "
    "credential-cache--daemon credential-store cvsexportcommit cvsimport cvsserver daemon diagnose difftool "
    "fast-import fetch-pack filter-branch fmt-merge-msg for-each-repo fsmonitor--daemon gitk gui hook http-backend "
    "http-fetch http-push imap-send index-pack init-db instaweb interpret-trailers last-modified mailinfo mailsplit "
    "merge-index merge-octopus merge-one-file merge-ours merge-recursive merge-resolve merge-subtree mergetool p4 "
    "pack-objects pack-redundant pull push quiltimport read-tree receive-pack refs replace replay repo "
    "request-pull scalar send-email send-pack sh-i18n sh-setup shell sparse-checkout stage svn unpack-file "
    "unpack-objects upload-archive upload-pack verify-commit verify-tag web--browse"
)
KNOWN_WRITERS: Final = (
    "pull am submodule push update-index read-tree filter-branch bundle sparse-checkout mergetool "
    "checkout-index worktree stash remote notes bisect rerere replace"
)
_SAYS: Final = {
    "verify-commit": "git verify-commit runs the signing program",
    "verify-tag": "git verify-tag runs the signing program",
    "pull": "git pull merges what is not here yet",
    "push": "git push sends to another machine",
}

# What no call of another kind runs; any other hook, or one that is not known here, may run in every call.
_HOOKS: Final = (
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg "
    "post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update "
    "push-to-checkout post-rewrite sendemail-validate"
)
_COMMITS: Final = "pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit post-rewrite post-merge"
_MAY_RUN: Final = {
    "commit": _COMMITS,
    "merge": f"{_COMMITS} post-checkout",
    "cherry-pick": f"{_COMMITS} post-checkout",
    "revert": f"{_COMMITS} post-checkout",
    "rebase": f"{_COMMITS} post-checkout pre-rebase applypatch-msg pre-applypatch post-applypatch",
    **dict.fromkeys(
        ("checkout", "switch", "restore", "worktree.add", "clone", "stash", "stash.push", "stash.save", "stash.pop",
         "stash.apply"), "post-checkout",
    ),
}  # fmt: skip
_SIGNS: Final = frozenset(("commit", "merge", "cherry-pick", "revert", "rebase", "tag"))

# Formats that let git run the signing program; a sign or a blank may stand behind the percent sign.
_SIGNING: Final = ("%G", "%+G", "%-G", "% G")

_HARMLESS_SETTINGS: Final = (
    "color.", "core.quotepath=", "core.pager=cat", "log.showsignature=false", "advice.", "core.fsmonitor=false",
    "diff.renames=", "user.name=", "user.email=", "commit.gpgsign=false", "pager.log=false", "core.abbrev=",
    "diff.context=", "column.", "core.autocrlf=", "core.safecrlf=", "log.date=", "log.decorate=", "log.abbrevcommit=",
    "status.short=", "status.branch=", "diff.algorithm=", "diff.mnemonicprefix=", "diff.noprefix=", "diff.colormoved=",
    "diff.statgraphwidth=", "diff.interhunkcontext=", "grep.linenumber=", "grep.patterntype=", "init.defaultbranch=",
    "tag.gpgsign=false", "pager.diff=false", "pager.show=false", "pager.branch=false", "pager.status=false",
    "gc.auto=0", "maintenance.auto=false", "i18n.logoutputencoding=",
)  # fmt: skip


class Verbs:
    """Subcommands by name."""

    __slots__ = ("_homes", "_loaded", "groups")

    def __init__(self) -> None:
        """Load nothing yet."""
        self._homes = {name: module for module, names in MODULES.items() for name in names.split()}
        self._loaded: dict[str, Verb] = {}
        self.groups = frozenset(name.partition(".")[0] for name in self._homes if "." in name)

    def get(self, name: str) -> Verb | None:
        """Give a subcommand, ``None`` for one that the table does not hold."""
        module = self._homes.get(name)
        if module is not None and name not in self._loaded:
            self._loaded.update((verb.row.name, verb) for verb in verbs_of(module))
        return self._loaded.get(name) if module is not None else None

    def is_known(self, name: str) -> bool:
        """Whether git itself has a command of that name."""
        return name in self._homes or name in self.groups or name in OTHERS.split()

    def items(self) -> Iterator[tuple[str, Verb]]:
        """Give every subcommand; this loads all modules."""
        for module in MODULES:
            yield from ((verb.row.name, verb) for verb in verbs_of(module))


def verbs_of(module: str) -> tuple[Verb, ...]:
    """Give the subcommands of one module."""
    loaded = __import__(f"harness_guard.shell.commands.{module}", fromlist=["VERBS"])
    found: tuple[Verb, ...] = loaded.VERBS
    return found


VERBS: Final = Verbs()
# ``git`` alone with one of these tells about itself.
_TELLS: Final = frozenset(
    ("--version", "-v", "--help", "-h", "--exec-path", "--html-path", "--man-path", "--info-path")
)  # fmt: skip


def _git(call: Call, _options: Options) -> None:
    args, folder = _behind_globals(call)
    name = plain(args[0]) if args else None
    if not args or name is None:
        call.opaque("git with a subcommand that is not known")
        return
    if len(args) == 1 and name in _TELLS:
        return
    if [field.text for field in args[1:]] == ["-h"] and VERBS.is_known(name) and not args[1].is_pattern:
        return  # its usage
    verb, rest = _find(name, args[1:])
    if verb is None:
        _refuse(call, name)
        return
    _run(call, verb, tuple(rest), folder)


def _behind_globals(call: Call) -> tuple[list[Field], Field | None]:
    """Give the words behind git's own options, and the folder of ``-C``; what is not known stays in front."""
    args = list(call.args)
    folder: Field | None = None
    while args and not args[0].is_pattern:
        text = args[0].text
        if text in {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-lazy-fetch"}:
            args.pop(0)
        elif text == "-c" and len(args) > 1 and _is_harmless_setting(args[1]):
            del args[:2]
        elif text == "-C" and len(args) > 1 and args[1].text and not args[1].is_pattern and folder is None:
            folder = args[1]
            del args[:2]
        else:
            break
    return args, folder


def _find(name: str, args: list[Field]) -> tuple[Verb | None, list[Field]]:
    """Give the subcommand that is meant, with the words behind it."""
    if name in VERBS.groups and args:
        second = plain(args[0])
        if second is None:
            return None, args
        verb = VERBS.get(f"{name}.{second}")
        if verb is not None:
            return verb, args[1:]
    return VERBS.get(name), args


def _refuse(call: Call, name: str) -> None:
    if name.startswith("-"):
        call.opaque(f"git {name} is not in the table")
    elif VERBS.is_known(name):
        call.opaque(_SAYS.get(name, f"git {name} is not in the table"), is_writer=name in KNOWN_WRITERS.split())
    else:
        call.opaque(f"git {name} is no command of git; an alias or a program git-{name} would run")


def _is_harmless_setting(field: Field) -> bool:
    if field.text is None or field.is_pattern:
        return False
    lowered = field.text.lower()
    return any(lowered == known or (known[-1] in ".=" and lowered.startswith(known)) for known in _HARMLESS_SETTINGS)


def _run(call: Call, verb: Verb, args: tuple[Field, ...], folder: Field | None) -> None:
    name = verb.row.name
    inner = Call(name, args, cwds=call.cwds, home=call.home, git=call.git, names=call.names, files=call.files)
    inner.program = call.program
    if folder is not None:
        found = call.paths(folder)
        inner.cwds = None if found is None else tuple(path for path, _ in found)
    if inner.cwds is None:
        call.opaque("git in a folder that is not known")
        return
    # Whatever else the words may mean to git, none of them may be an output file or a signature to be checked.
    if not verb.names_output and any(field.start.startswith("--output") for field in args):
        call.opaque(f"git {name} with an output file")
        return
    if "writing" not in verb.does.gates and any(_checks_signatures(field.text or "") for field in args):
        call.opaque(f"git {name} that may run the signing program")
        return
    options = Options((), args) if verb.row.is_free else options_of(verb.row, undashed(inner))
    if isinstance(options, str):
        inner.opaque(f"git {name}: {options}")
    else:
        _judge(inner, _act(inner, verb, options))
    _take(call, inner)


def _take(call: Call, inner: Call) -> None:
    call.reads += inner.reads
    call.writes += inner.writes
    call.unknown += inner.unknown
    call.connects += inner.connects
    call.needs_git += inner.needs_git
    call.needs_moves += inner.needs_moves
    call.needs_names += inner.needs_names
    call.trusted += inner.trusted
    call.trusts_dashes += inner.trusts_dashes
    call.trusts_places += inner.trusts_places
    call.trusts_moves = inner.trusts_moves
    call.is_git_below = call.is_git_below or inner.is_git_below


def _checks_signatures(text: str) -> bool:
    is_format = "(" in text or (text.startswith("--") and not text.startswith("--grep"))
    return any(mark in text for mark in _SIGNING) or ("signature" in text and is_format)


def _act(call: Call, verb: Verb, options: Options) -> Does:
    """Gather what the words say; gives the kind of work."""
    if options.operands and not verb.has_operands:
        group = call.name.partition(".")[0]
        is_writer = group in KNOWN_WRITERS.split()
        call.opaque(f"git {group} with a subcommand or a word that the table does not list", is_writer=is_writer)
    read_named(verb.row, call, options)
    if verb.reads_operands:  # they may name files that git does not track
        has_pattern = call.name != "grep" or options.has("-e", "-f")
        for field in options.operands if has_pattern else options.operands[1:]:
            call.read(field, is_tree=True)
    return (verb.act(call, options) if verb.act is not None else None) or verb.does


def _judge(call: Call, does: Does) -> None:
    """Refuse where git would run something else, and add git's own writes."""
    for folder in call.cwds or ():
        facts = call.git.get(folder)
        if facts is None:
            call.needs_git.append(folder)
            continue
        call.is_git_below = call.is_git_below or facts.top != folder
        for why in _against(call.name, does, facts):
            call.opaque(f"git {call.name.replace('.', ' ')} would run {why}")
        if does.is_own and facts.git_folder:
            own(call, facts)


def _against(name: str, does: Does, facts: GitFacts) -> tuple[str, ...]:
    found: list[str] = []
    if "reading" in does.gates:
        found += facts.reading
    if "writing" in does.gates:
        found += (why for why in facts.writing if _applies(name, why))
    if "moving" in does.gates:
        found += facts.moving
    if "asking" in does.gates:
        found += facts.asking
    return tuple(dict.fromkeys(found))


def _applies(name: str, why: str) -> bool:
    """Whether a reason against writers holds for this one: some run no hook, and sign nothing."""
    if why == "a signing program":
        return name in _SIGNS
    hook = why.removeprefix("the hook ")
    return hook == why or hook not in _HOOKS.split() or hook in _MAY_RUN.get(name, "").split()


COMMANDS: Final = (Row("git", is_free=True, reads=False, act=_git),)
