"""Facts that the shell room asks for: what the readers say of a text, what git would run in a folder.

Reader processes get the text on standard input and a cleaned environment; ``bash -n`` executes nothing of it. All
processes of one round run side by side, under one time limit; what does not answer in time counts as a refusal.
"""

from __future__ import annotations

import os
import stat
import time

from harness_guard.evidence.jobs import Job, run
from harness_guard.records import replace
from harness_guard.shell.facts import FileText, Needs, Readings, ShellFacts
from harness_guard.shell.tables import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Final

    from harness_guard.shell.facts import GitFacts
    from harness_guard.shell.names import NameSource

LONGEST_FILE = 64 * 1024  # bytes of a script or an options file that is read
TIME_LIMIT_S = 4.0  # well under the 10 s in which the entry has to answer (contract section 2)
BASH: Final = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash")
_ASKED_GIT: Final = frozenset(("history", "refs"))
_CLEAN: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def gather(
    command: str, needs: Needs, facts: ShellFacts, *, shfmt: str, time_limit_s: float = TIME_LIMIT_S
) -> ShellFacts:
    """Gather what the analysis of a command lacks.

    Args:
        command: The command's text (named in nothing; kept for the caller's symmetry with ``analyse``).
        needs: What is wanted.
        facts: What is known already.
        shfmt: Absolute path of the ``shfmt`` program.
        time_limit_s: Seconds for all processes together.

    Returns:
        The known facts and the new ones; every need is answered, with a refusal where nothing could be found out.
    """
    del command
    deadline = time.monotonic() + time_limit_s
    bash = next((path for path in BASH if os.access(path, os.X_OK)), BASH[0])
    readers = {text: _reader_jobs(text, shfmt, bash) for text in needs.texts}
    lookups = _lookups(needs)
    indexes = {source: _index_jobs(source.folder) for source in needs.names if source.kind == "index"}
    if readers:
        _warm_up()  # while the processes work
    run([job for jobs in (*readers.values(), *lookups.values(), *indexes.values()) for job in jobs], deadline)
    readings = {text: _readings(jobs) for text, jobs in readers.items()}
    git = {**facts.git, **_git_facts(lookups)}
    looked_at = [source for source in needs.names if source.kind not in _ASKED_GIT]
    names = {source: _are_plain(source, indexes.get(source, [])) for source in looked_at}
    names.update(_of_history([source for source in needs.names if source.kind in _ASKED_GIT], git, deadline))
    if needs.moves:
        git = _answered(git, needs, deadline)
    files = {path: read_text(path) for path in needs.files}
    return ShellFacts({**facts.readings, **readings}, git, {**facts.names, **names}, {**facts.files, **files})


def read_text(path: str) -> FileText:
    """Read a short text file; links are followed, as whoever runs it would."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return FileText(is_there=False)
    except (OSError, ValueError):
        return FileText(is_there=True)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return FileText(is_there=True)
        data = os.read(opened, LONGEST_FILE + 1)
    except OSError:
        return FileText(is_there=True)
    finally:
        os.close(opened)
    if len(data) > LONGEST_FILE or b"\0" in data:
        return FileText(is_there=True)
    try:
        return FileText(is_there=True, text=data.decode())
    except UnicodeDecodeError:
        return FileText(is_there=True)


def _lookups(needs: Needs) -> dict[str, list[Job]]:
    if not needs.folders:
        return {}
    from harness_guard.evidence.git_facts import git_jobs

    return {folder: git_jobs(folder) for folder in needs.folders}


def _git_facts(lookups: dict[str, list[Job]]) -> dict[str, GitFacts]:
    if not lookups:
        return {}
    from harness_guard.evidence.git_facts import git_facts

    return {folder: git_facts(folder, jobs) for folder, jobs in lookups.items()}


def _of_history(sources: list[NameSource], git: dict[str, GitFacts], deadline: float) -> dict[NameSource, bool]:
    if not sources:
        return {}
    from harness_guard.evidence.git_printed import are_plain_in_history

    return are_plain_in_history(sources, git, deadline)


def _answered(git: dict[str, GitFacts], needs: Needs, deadline: float) -> dict[str, GitFacts]:
    """Put the answers to the questions into the facts of their folders."""
    from harness_guard.evidence.git_moves import answer

    found = dict(git)
    for question in needs.moves:
        facts = found.get(question.folder)
        if facts is not None:
            answers = {**facts.answers, question: answer(question, facts, deadline)}
            found[question.folder] = replace(facts, answers=answers)
    return found


def _warm_up() -> None:
    try:
        load()
    except ImportError:
        return  # the analysis then finds that it has no second reader, and goes by the others


def _reader_jobs(text: str, shfmt: str, bash: str) -> list[Job]:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return []
    if b"\0" in data:
        return []
    return [
        Job((shfmt, "-tojson", "-ln", "bash"), _CLEAN, data),
        Job((bash, "--norc", "--noprofile", "-n"), _CLEAN, data),
    ]


def _readings(jobs: Sequence[Job]) -> Readings:
    if not jobs:
        return Readings("", "the text is not plain UTF-8", is_bash=False)
    tree, check = jobs
    is_read = tree.status == 0
    text = bytes(tree.answer).decode("utf-8", "replace") if is_read else ""
    return Readings(text, "" if is_read else "shfmt cannot read it", is_bash=check.status == 0)


def _index_jobs(folder: str) -> list[Job]:
    from harness_guard.evidence.git_facts import git_job

    job = git_job(folder, "ls-files", "-z")
    return [] if job is None else [job]


def _are_plain(source: NameSource, jobs: Sequence[Job]) -> bool:
    if "\0" in source.folder:
        return False
    if source.kind not in {"index", "tangled"}:
        return _look(source.kind)(source.folder)
    from harness_guard.evidence.plain_names import are_plain_in_index, are_plain_on_disk

    if source.kind == "tangled":
        return are_plain_on_disk(source.folder, source.words)
    listing = bytes(jobs[0].answer).decode("utf-8", "surrogateescape") if jobs and jobs[0].status == 0 else None
    return listing is not None and are_plain_in_index(listing, source.folder)


def _look(kind: str) -> Callable[[str], bool]:
    """Give what looks at a folder or a path for a kind of source, loaded where it is wanted."""
    from harness_guard.evidence import plain_names

    looks = {
        "absent": plain_names.is_absent,
        "regular": plain_names.is_regular,
        "undashed": plain_names.are_undashed,
        "inside": plain_names.are_inside,
        "direct": plain_names.are_plain_in,
        "disk": plain_names.are_plain_on_disk,
    }
    return looks.get(kind) or _look_of_a_program(kind)


def _look_of_a_program(kind: str) -> Callable[[str], bool]:
    if kind == "database":
        from harness_guard.evidence.sqlite_file import is_plain_database

        return is_plain_database
    if kind == "unlinked":
        from harness_guard.evidence.git_printed import is_unlinked

        return is_unlinked
    if kind in {"untuned", "ruff"}:
        from harness_guard.evidence.ruff_settings import are_plain_settings, is_untuned

        return is_untuned if kind == "untuned" else are_plain_settings
    from harness_guard.evidence.interpreter import is_unshadowed

    return is_unshadowed
