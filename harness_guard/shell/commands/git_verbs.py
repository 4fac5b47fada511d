"""What a subcommand of git is to the table: its options, what git may run beside it, and whose files it changes.

A subcommand is known by its name, one with a word of its own below it by both with a dot between: ``stash.list``.
"""

from __future__ import annotations

from harness_guard.records import dataclass, replace
from harness_guard.shell.effects import Write
from harness_guard.shell.facts import GitQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, Literal

    from harness_guard.shell.commands.model import Call, Options, Row
    from harness_guard.shell.facts import GitAsked, GitFacts
    from harness_guard.shell.words import Field

    Gate = Literal["reading", "writing", "moving", "asking"]


@dataclass(frozen=True, slots=True)
class Does:
    """What kind of work a subcommand does.

    Attributes:
        gates: The facts that must hold nothing against it.
        is_own: Whether it writes git's own folder.
    """

    gates: tuple[Gate, ...]
    is_own: bool = False


READS: Final = Does(("reading",))
WRITES: Final = Does(("writing",), is_own=True)
MOVES: Final = Does(("writing", "moving"), is_own=True)  # merges, or writes files of commits
ASKS: Final = Does(("reading", "asking"))
FETCHES: Final = Does(("writing", "asking"), is_own=True)
PACKS: Final = Does(("reading", "moving"))  # writes files of commits elsewhere


@dataclass(frozen=True, slots=True)
class Verb:
    """One subcommand.

    Attributes:
        row: Its name and options; ``row.act`` is not used.
        does: What kind of work it is, unless ``act`` says otherwise.
        act: What it does with its words; may give another kind of work.
        has_operands: Whether it may have words that are no options.
        reads_operands: Whether they name files that it reads.
        names_output: Whether an option that names an output file is judged by ``act``.
    """

    row: Row
    does: Does = READS
    act: Callable[[Call, Options], Does | None] | None = None
    has_operands: bool = True
    reads_operands: bool = False
    names_output: bool = False


def verbs(*given: Verb) -> tuple[Verb, ...]:
    """Give subcommands whose values in words of their own must be known not to start with a dash.

    A word that the table takes for a value and git for an option would be an option that nobody judged.
    """
    return tuple(replace(verb, row=replace(verb.row, is_wary=True)) for verb in given)


def own(call: Call, facts: GitFacts) -> None:
    """Say that git's own folder is written, and what linked worktrees share."""
    for folder in dict.fromkeys((facts.git_folder, facts.common_folder)):
        call.writes.append(Write(folder, "tree", f"git {call.name}", is_git_own=True))


def plain(field: Field) -> str | None:
    """Give a word's text, ``None`` if it is not exactly one known word: a file's name may be anything."""
    return field.text if field.is_one and not field.is_pattern else None


def plain_first(options: Options) -> str | None:
    """Give the first operand, ``""`` if there is none, ``None`` if it is not exactly one known word."""
    return plain(options.operands[0]) if options.operands else ""


def are_names(call: Call, fields: tuple[Field, ...], *, most: int) -> bool:
    """Whether the words are known, no more than so many, and none looks like an option; refuses otherwise.

    Names of branches, tags, remotes and commits are meant: git's own files are named by them, none of the tree.
    """
    texts = [plain(field) for field in fields]
    is_sure = len(texts) <= most and all(text and not text.startswith("-") for text in texts)
    if not is_sure:
        call.opaque(f"git {call.name} with words that the table does not list", is_writer=True)
    return is_sure


def pathspecs(call: Call, fields: tuple[Field, ...], by: str = "") -> None:
    """Write below each pathspec; git's own globs and magic cross folders, so such a pathspec cannot be told."""
    for field in fields:
        text = field.text
        if text is None or field.is_pattern or text.startswith(":") or set(text) & set("*?[\\"):
            call.opaque(f"git {call.name} with a pathspec that reading cannot tell", is_writer=True)
        else:
            call.write(field, "tree", by)


_IN_NAMES: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-~^@{}+#=,%")
_IN_BRACES: Final = frozenset(("u", "upstream", "push", "commit"))


def revision(field: Field) -> str | None:
    """Give a word that may name one commit, whatever the time is; ``-`` is the branch before this one."""
    text = plain(field) or ""
    if text == "-":
        return "@{-1}"
    if not text or text.startswith("-") or ".." in text or not _IN_NAMES.issuperset(text):
        return None
    for piece in text.split("{")[1:]:
        inner, sign, _ = piece.partition("}")
        # ``@{yesterday}`` is another commit from one moment to the next.
        if not sign or not (inner in _IN_BRACES or inner.removeprefix("-").isdigit()):
            return None
    return text


def ask(call: Call, kind: GitAsked, *words: str) -> tuple[Write, ...] | None:
    """Ask what a move writes; ``None`` if it is not known, or not yet. It is asked for where git would run nothing."""
    folders = call.cwds or ()
    facts = call.git.get(folders[0]) if len(folders) == 1 else None
    if facts is None or facts.reading or facts.moving:
        return None
    question = GitQuestion(folders[0], kind, words)
    call.trusts_moves = True
    if question not in facts.answers:
        call.needs_moves.append(question)
    return facts.answers.get(question)


def move(call: Call, kind: GitAsked, *words: str) -> None:
    """Say that a call writes what the repository answers, or that it cannot be told."""
    found = ask(call, kind, *words)
    if found is None:
        call.opaque(f"git {call.name} writes files that reading cannot tell", is_writer=True)
    else:
        call.writes += found
