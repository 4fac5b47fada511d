"""Subcommands of git that bring other files into the working tree: checkout, switch, merge, picks and stashes.

Which files such a call may write only the repository tells, so it is asked for (``GitQuestion``): the answer names
every path, or says that it cannot be told. An answer holds for the repository as it stands now. So it counts only where
the text writes git's own files with this one call, once. Sources: git-checkout, git-switch, git-merge, git-cherry-pick,
git-revert, git-stash, gitrevisions, version 2.39 and later.
"""

from __future__ import annotations

from harness_guard.shell.commands.git_verbs import (
    MOVES,
    WRITES,
    Does,
    Verb,
    are_names,
    ask,
    move,
    pathspecs,
    plain,
    revision,
    verbs,
)
from harness_guard.shell.commands.model import Call, Options, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.facts import GitAsked
    from harness_guard.shell.words import Field


def _target(call: Call, kind: GitAsked, field: Field, *words: str) -> None:
    name = revision(field)
    if name is None:
        call.opaque(f"git {call.name} of a commit that reading cannot tell", is_writer=True)
    else:
        move(call, kind, name, *words)


def _checkout(call: Call, options: Options) -> Does | None:
    """A commit, paths, or a new branch; without the dashes git guesses what a word is, and so does this."""
    texts = [field.text for field in call.args]
    if options.has("-b", "-c", "--create"):
        return _new_branch(call, options)
    if "--" in texts:
        before = len(options.operands) - (len(texts) - 1 - texts.index("--"))
        paths = options.operands[before:]
        if before > 1 or texts.count("--") != 1 or options.has("-d", "--detach", "-t", "--track"):
            call.opaque("git checkout with words that the table does not list", is_writer=True)
        elif paths:
            pathspecs(call, paths)
            return WRITES
        elif before:
            _target(call, "checkout", options.operands[0])
        return None
    if len(options.operands) > 1:
        return _guessed(call, options)
    for field in options.operands:
        _target(call, "checkout", field, *(["detach"] if options.has("-d", "--detach") else []))
    return None


def _guessed(call: Call, options: Options) -> Does:
    """``git checkout WORD PATH…``: the first word is a commit, or a path like the others."""
    name = revision(options.operands[0])
    is_commit = name is not None and ask(call, "commit", name) is not None
    pathspecs(call, options.operands[1:] if is_commit else options.operands)
    return WRITES


def _new_branch(call: Call, options: Options) -> Does | None:
    """``-b NAME [START]``: where the working tree stands already, git's own files alone change."""
    if "--" in [field.text for field in call.args] or not are_names(call, options.operands, most=1):
        call.opaque(f"git {call.name} with words that the table does not list", is_writer=True)
        return None
    if not options.operands or plain(options.operands[0]) in {"HEAD", "@"}:
        return WRITES
    _target(call, "checkout", options.operands[0], "detach")
    return None


def _switch(call: Call, options: Options) -> Does | None:
    if options.has("-c", "--create"):
        return _new_branch(call, options)
    if len(options.operands) > 1 or "--" in [field.text for field in call.args]:
        call.opaque("git switch with words that the table does not list", is_writer=True)
    for field in options.operands:
        _target(call, "checkout", field, *(["detach"] if options.has("-d", "--detach") else []))
    return None


def _merge(call: Call, options: Options) -> None:
    strategies = [plain(field) for field in options.values("-s", "--strategy", "-X", "--strategy-option")]
    if len(options.operands) != 1 or any(name not in _STRATEGIES for name in strategies):
        call.opaque("git merge with words that the table does not list", is_writer=True)
        return
    # A true merge opens an editor at a terminal.
    is_quiet = options.has("--no-edit", "-m", "-F", "--file", "--ff-only", "--squash", "--no-commit")
    words = [*(["quiet"] if is_quiet else []), *(["no-ff"] if options.has("--no-ff") else [])]
    _target(call, "merge", options.operands[0], *words)


_STRATEGIES: Final = frozenset(("ort", "recursive", "ours", "theirs"))


def _rebase(call: Call, options: Options) -> None:
    """On a commit that is named: without one git asks the log of the other branch where this one left it."""
    if len(options.operands) != 1:
        call.opaque("git rebase with words that the table does not list", is_writer=True)
        return
    _target(call, "rebase", options.operands[0])


def _pick(call: Call, options: Options) -> None:
    is_revert = call.name == "revert"
    if len(options.operands) != 1 or (is_revert and not options.has("--no-edit")):
        call.opaque(f"git {call.name} of several commits, or with an editor", is_writer=True)
        return
    _target(call, "revert" if is_revert else "pick", options.operands[0])


def _stash(call: Call, options: Options) -> None:
    """All that was changed; a pathspec would only narrow it."""
    untracked = options.has("-u", "--include-untracked")
    move(call, "stash", *(["untracked"] if untracked else []))


def _unstash(call: Call, options: Options) -> None:
    text = plain(options.operands[0]) if options.operands else "0"
    number = (text or "").removeprefix("stash@{").removesuffix("}")
    if len(options.operands) > 1 or not number.isascii() or not number.isdigit():
        call.opaque(f"git {call.name} of a stash that reading cannot tell", is_writer=True)
        return
    move(call, "unstash", number)


_STASH = "include-untracked keep-index no-keep-index quiet message= staged"
_PICK = "no-commit no-edit allow-empty allow-empty-message keep-redundant-commits signoff no-gpg-sign ff"

VERBS: Final = verbs(
    Verb(
        Row("checkout", flags="qdt", valued="b",
            longs="quiet progress no-progress detach track=? no-track guess no-guess"),
        MOVES,
        _checkout,
    ),
    Verb(
        Row("switch", flags="qdt", valued="c",
            longs="quiet progress no-progress detach create= track=? no-track guess no-guess"),
        MOVES,
        _switch,
    ),
    Verb(
        Row(
            "merge",
            flags="nqv",
            valued="mFsX",
            files="-F --file",
            longs="ff no-ff ff-only no-edit no-commit commit squash no-squash stat no-stat quiet verbose progress "
            "no-progress file= strategy= strategy-option= signoff no-signoff no-gpg-sign no-verify-signatures "
            "no-autostash log=? no-log",
        ),
        MOVES,
        _merge,
    ),
    Verb(
        Row(
            "rebase",
            flags="qvn",
            longs="quiet verbose stat no-stat no-autostash no-autosquash no-fork-point no-gpg-sign no-update-refs "
            "committer-date-is-author-date reset-author-date merge no-rebase-merges",
        ),
        MOVES,
        _rebase,
    ),
    Verb(Row("cherry-pick", flags="xs", longs=_PICK), MOVES, _pick),
    Verb(Row("revert", flags="s", longs=_PICK), MOVES, _pick),
    Verb(Row("stash", flags="ukq", valued="m", longs=_STASH), MOVES, _stash, has_operands=False),
    Verb(Row("stash.push", flags="ukq", valued="m", longs=_STASH), MOVES, _stash),
    Verb(Row("stash.save", flags="ukq", longs="include-untracked keep-index quiet"), MOVES, _stash),
    Verb(Row("stash.pop", flags="q", longs="index quiet"), MOVES, _unstash),
    Verb(Row("stash.apply", flags="q", longs="index quiet"), MOVES, _unstash),
)  # fmt: skip
