"""What the analysis of a text has to know of the world: values that ``evidence/shell_facts.py`` gathers."""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, Never

    from harness_guard.shell.effects import Write
    from harness_guard.shell.names import NameSource

    GitAsked = Literal[
        "commit", "apply", "archive", "checkout", "merge", "rebase", "pick", "revert", "stash", "unstash"
    ]

NOTHING: Mapping[str, Never] = {}  # never written to
NO_NAMES: Mapping[NameSource, Never] = {}


@dataclass(frozen=True, slots=True)
class Readings:
    """What the reader processes said of one text.

    Attributes:
        tree: shfmt's JSON tree, ``""`` if it refused the text.
        refusal: shfmt's first line of complaint, ``""`` if it read the text.
        is_bash: Whether ``bash -n`` accepts the text.
    """

    tree: str
    refusal: str
    is_bash: bool


@dataclass(frozen=True, slots=True)
class GitQuestion:
    """What a call of git would write in the working tree, which only the repository tells.

    Attributes:
        folder: Where git would be started.
        kind: The move; ``commit`` only asks whether the word is one.
        words: What the move is about: a commit's name or a stash's number first, then what the options say.
    """

    folder: str
    kind: GitAsked
    words: tuple[str, ...] = ()


NO_ANSWERS: Mapping[GitQuestion, Never] = {}


@dataclass(frozen=True, slots=True)
class GitFacts:
    """What git would run, beyond itself, when it is started in a folder.

    Attributes:
        top: The working tree's root, ``""`` if the folder is in no working tree.
        git_folder: The repository's own folder (``git rev-parse --absolute-git-dir``).
        common_folder: What linked worktrees share.
        reading: Why a reading subcommand may run foreign code or reach the network; empty for "nothing does".
        writing: The same for a subcommand that writes (hooks, filters, signing).
        moving: What else one that merges, or writes the files of commits, may run or do by its settings.
        asking: What else one that asks another machine may run, or be led to, by the repository's settings.
        remotes: The URLs that each configured remote may be asked at.
        has_submodules: Whether the working tree names submodules.
        answers: What was asked beside that; ``None`` where it cannot be told.
    """

    top: str
    git_folder: str
    common_folder: str
    reading: tuple[str, ...] = ()
    writing: tuple[str, ...] = ()
    moving: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    remotes: tuple[tuple[str, str], ...] = ()
    has_submodules: bool = False
    answers: Mapping[GitQuestion, tuple[Write, ...] | None] = NO_ANSWERS


@dataclass(frozen=True, slots=True)
class FileText:
    """What a file holds.

    Attributes:
        is_there: Whether anything stands at the path.
        text: The text; ``None`` for what is no short regular file of UTF-8 text.
    """

    is_there: bool
    text: str | None = None


NO_FILES: Mapping[str, Never] = {}


@dataclass(frozen=True, slots=True)
class ShellFacts:
    """Everything gathered so far.

    Attributes:
        readings: What the reader processes said, by text.
        git: Git's facts, by folder.
        names: Whether all names of a source are what its kind asks for.
        files: What files hold, by absolute path.
    """

    readings: Mapping[str, Readings] = NOTHING
    git: Mapping[str, GitFacts] = NOTHING
    names: Mapping[NameSource, bool] = NO_NAMES
    files: Mapping[str, FileText] = NO_FILES


@dataclass(frozen=True, slots=True)
class Needs:
    """What the analysis has to know before it can answer.

    Attributes:
        texts: Texts to read with the reader processes.
        folders: Folders whose git facts are wanted.
        names: Sources whose names are to be looked at.
        moves: Questions about what git would write, in folders whose facts are known.
        files: Absolute paths of files whose text is wanted.
    """

    texts: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    names: tuple[NameSource, ...] = ()
    moves: tuple[GitQuestion, ...] = ()
    files: tuple[str, ...] = ()
