"""Subcommands of git that write files named by their words, or record what stands in the working tree.

Sources: git's man pages, version 2.39 and later.
"""

from __future__ import annotations

from harness_guard.shell.commands.git_verbs import (
    MOVES,
    PACKS,
    READS,
    WRITES,
    Verb,
    are_names,
    ask,
    move,
    pathspecs,
    plain,
    plain_first,
    revision,
    verbs,
)
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.names import NameSource
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.git_verbs import Does


def _commit(call: Call, options: Options) -> None:
    has_message = options.has("-m", "--message", "-F", "--file", "-C", "--reuse-message", "--no-edit")
    fixups = [field.text or "" for field in options.values("--fixup")]
    if options.has("--dry-run"):
        return
    if not has_message and (not fixups or any(":" in text for text in fixups)):
        call.opaque("git commit that would open an editor")


def _add(call: Call, options: Options) -> Does | None:
    """``-n`` shows what would be added; with ``-A`` and the rest the index alone changes."""
    del call
    return READS if options.has("-n", "--dry-run") else None


def _restore(call: Call, options: Options) -> None:
    if options.has("--staged", "-S") and not options.has("--worktree", "-W"):
        return
    pathspecs(call, options.operands)


def _submodules(call: Call) -> None:
    """A submodule that is removed or moved is so in ``.gitmodules`` too."""
    for facts in filter(None, map(call.git.get, call.cwds or ())):
        if facts.has_submodules:
            call.write(Field(f"{facts.top}/.gitmodules"), "file")


def _rm(call: Call, options: Options) -> Does | None:
    if options.has("-n", "--dry-run"):
        return READS
    if not options.has("--cached"):
        pathspecs(call, options.operands)
        _submodules(call)
    return None


def _mv(call: Call, options: Options) -> Does | None:
    if options.has("-n", "--dry-run"):
        return READS
    pathspecs(call, options.operands, "git mv")
    _submodules(call)
    if options.operands:
        target = options.operands[-1]
        for source in options.operands[:-1]:
            name = (source.text or "").rstrip("/").rpartition("/")[2]
            call.write(Field(f"{target.text}/{name}"), "tree", "git mv")
    return None


# --- patches and archives -------------------------------------------------------------------------------------------


def _apply(call: Call, options: Options) -> Does | None:
    """A patch in a file names what it writes; git tells how it reads the names."""
    for field in options.operands:
        call.read(field)
    if options.has("--stat", "--numstat", "--summary", "--check") and not options.has("--apply"):
        return READS
    passed = [field.text or "" for field in call.args if field.start.startswith(_STEERS_NAMES)]
    passed += [f"-p{plain(value) or 'x'}" for value in options.values("-p")]
    patch = _patch_of(call, options)
    if options.has("--cached"):
        return WRITES
    if patch is None:
        call.opaque("git apply writes the files that its input names", is_writer=True)
    else:
        move(call, "apply", *passed, "--", *patch)
    return MOVES if options.has("--index", "-3", "--3way") else PACKS


def _patch_of(call: Call, options: Options) -> list[str] | None:
    """Give the files with the patch, or ``-`` and its text; ``None`` if it is not known."""
    names = [plain(field) for field in options.operands]
    if names in ([], ["-"]):
        return None if call.program is None else ["-", call.program]
    if not all(name and not name.startswith("-") for name in names):
        return None
    places = [path for field in options.operands for path, _ in call.paths(field) or ()]
    is_sure = len(places) == len(names) and call.believes([NameSource("regular", place) for place in places])
    return places if is_sure else None


_STEERS_NAMES: Final = ("--directory=", "--recount", "--inaccurate-eof")


def _archive(call: Call, options: Options) -> None:
    """Files of a commit; one with the attribute ``export-subst`` may name a format that checks signatures."""
    if options.has("-l", "--list"):
        return
    name = revision(options.operands[0]) if options.operands else None
    if name is None or ask(call, "archive", name) is None:
        call.opaque("git archive of files whose attributes may let it run the signing program")
    for field in options.values("-o", "--output"):
        call.write(field, "file")


def _format_patch(call: Call, options: Options) -> None:
    """One file for each commit, in the folder or where ``-o`` says; settings that lead elsewhere are facts."""
    if options.has("--stdout"):
        return
    folders = options.values("-o", "--output-directory")
    if folders:
        call.write(folders[-1], "tree")
    elif options.has("--numbered-files"):
        call.write_new(Field("[0-9]*", is_pattern=True))
    else:
        call.write_new(Field("*.patch", is_pattern=True))


def _bundle(call: Call, options: Options) -> None:
    target = options.operands[:1]
    if not target:
        call.opaque("git bundle create without a file", is_writer=True)
    elif target[0].text != "-":
        call.write(target[0], "file")
        call.write(target[0], "entry")


# --- other working trees and repositories ---------------------------------------------------------------------------


def _init(call: Call, options: Options) -> None:
    """A new repository: its folder is no part of this one's, and its settings would steer git from then on."""
    if len(options.operands) > 1 or any(plain(field) in {None, ""} for field in options.operands):
        call.opaque("git init with words that are not known", is_writer=True)
        return
    folder = plain_first(options) or "."
    call.write(Field(f"{folder}/.git"), "tree")


def _worktree_add(call: Call, options: Options) -> None:
    if are_names(call, options.operands, most=2) and options.operands:
        call.write(options.operands[0], "tree", "checkout")


VERBS: Final = (
    *verbs(
        Verb(
            Row(
                "add",
                flags="AunvfN",
                longs="all update dry-run verbose force intent-to-add no-all ignore-removal refresh ignore-errors "
                "ignore-missing renormalize chmod= sparse",
            ),
            WRITES,
            _add,
        ),
        Verb(
            Row("restore", flags="SWq", valued="s", longs="staged worktree source=! quiet progress no-progress"),
            WRITES,
            _restore,
        ),
        Verb(Row("rm", flags="rfnq", longs="force dry-run cached quiet ignore-unmatch sparse"), WRITES, _rm),
        Verb(Row("mv", flags="fknv", longs="force dry-run verbose sparse"), WRITES, _mv),
        # Whether a word is a commit or a path: the branch or the index changes, and no file of the working tree.
        Verb(Row("reset", flags="qN", longs="quiet no-quiet mixed soft intent-to-add refresh no-refresh"), WRITES),
        Verb(
            Row("update-index", flags="q", longs="refresh really-refresh unmerged ignore-missing"),
            WRITES,
            has_operands=False,
        ),
        Verb(
            Row(
                "apply",
                flags="Rvqz3",
                valued="pC",
                longs="stat numstat summary check apply reverse verbose quiet index cached 3way recount "
                "unidiff-zero whitespace=! ignore-whitespace ignore-space-change inaccurate-eof allow-empty exclude=! "
                "include=! directory=!",
            ),
            MOVES,
            _apply,
        ),
        Verb(
            Row(
                "archive",
                flags="lv0123456789",
                valued="o",
                longs="format=! list verbose output= prefix=! add-file=! mtime=!",
                files="--add-file",
            ),
            PACKS,
            _archive,
            names_output=True,
        ),
        Verb(
            Row(
                "format-patch",
                flags="nNksqMCpW0123456789",
                valued="ov",
                longs="signoff stdout output-directory= cover-letter no-cover-letter subject-prefix= rfc "
                "start-number= numbered no-numbered numbered-files thread=? no-thread in-reply-to= to= cc= root "
                "zero-commit no-signature signature= quiet from=? reroll-count= no-stat progress no-binary "
                "keep-subject full-index ignore-if-in-upstream always base=! no-renames stat=? no-attach "
                "filename-max-length=! since=! until=! author=! max-count=! first-parent no-merges",
            ),
            PACKS,
            _format_patch,
            names_output=True,
        ),
        Verb(
            Row(
                "bundle.create",
                flags="q",
                longs="quiet progress no-progress all-progress all branches=? tags=? since=! until=! version=!",
            ),
            READS,
            _bundle,
        ),
        Verb(Row("init", flags="q", valued="b", longs="quiet initial-branch="), READS, _init),
        Verb(
            Row(
                "worktree.add",
                flags="dq",
                valued="b",
                longs="detach quiet checkout no-checkout lock reason= track no-track guess-remote no-guess-remote",
            ),
            MOVES,
            _worktree_add,
        ),
    ),
    # What follows one of its options is always its value, so a message may be any text.
    Verb(
        Row(
            "commit",
            flags="aqvsnoiz",
            valued="mFC",
            files="-F --file",
            longs="all message= file= quiet verbose signoff no-verify verify amend no-edit allow-empty "
            "allow-empty-message author= date= no-gpg-sign no-post-rewrite reset-author reuse-message= only include "
            "dry-run cleanup=! trailer=! no-status short porcelain long branch no-signoff fixup=!",
        ),
        WRITES,
        _commit,
    ),
)
