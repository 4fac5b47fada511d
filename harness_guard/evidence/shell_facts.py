"""Facts that the shell room asks for: what the readers say of a text, what git would run in a folder.

Reader processes get the text on standard input and a cleaned environment; ``bash -n`` executes nothing of it. All
processes of one round run side by side, under one time limit; what does not answer in time counts as a refusal.
"""

from __future__ import annotations

import os
import select
import time

from harness_guard.shell.facts import GitFacts, Needs, Readings, ShellFacts
from harness_guard.shell.tables import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

    from harness_guard.shell.names import NameSource

TIME_LIMIT_S = 4.0  # well under the 10 s in which the entry has to answer (contract section 2)
LARGEST_ANSWER = 16 * 1024 * 1024  # bytes; shfmt's tree is some 150 times its text
BASH: Final = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash")
_CLEAN: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
_GIT_LFS: Final = {
    "clean": ("git-lfs clean -- %f",),
    "smudge": ("git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"),
    "process": ("git-lfs filter-process", "git-lfs filter-process --skip"),
}
_STEERING: Final = (
    "GIT_EXTERNAL_DIFF",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_TRACE",
    "GIT_DIFF_OPTS",
    "GIT_CONFIG",
    "GIT_REDIRECT",
    "GIT_EXEC_PATH",
)  # each also as a beginning; settings that come in by variables are seen among the settings
_SEEN: Final = (
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
)
_NO: Final = frozenset(("", "false", "no", "off", "0"))


class _Job:
    """One process with its pipes."""

    __slots__ = ("answer", "into", "out", "pid", "rest", "status")

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], text: bytes) -> None:
        """Start it; a program that cannot be started counts as one that failed."""
        read_end, self.into = os.pipe()
        self.out, write_end = os.pipe()
        actions = [
            (os.POSIX_SPAWN_DUP2, read_end, 0),
            (os.POSIX_SPAWN_DUP2, write_end, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        self.pid, self.status, self.answer, self.rest = -1, -1, bytearray(), memoryview(text)
        try:
            self.pid = os.posix_spawn(argv[0], list(argv), dict(environ), file_actions=actions)
        except OSError:
            os.close(self.into)
            self.into = -1
        os.close(read_end)
        os.close(write_end)
        if self.into >= 0:
            os.set_blocking(self.into, False)

    def feed(self) -> None:
        """Write some more of the text."""
        try:
            self.rest = self.rest[os.write(self.into, self.rest) :] if self.rest else self.rest
        except BlockingIOError:
            return
        except OSError:
            self.rest = memoryview(b"")
        if not self.rest:
            os.close(self.into)
            self.into = -1

    def take(self) -> None:
        """Read some more of the answer."""
        piece = os.read(self.out, 1 << 16)
        self.answer += piece
        if not piece or len(self.answer) > LARGEST_ANSWER:
            os.close(self.out)
            self.out = -1

    def end(self) -> None:
        """Close what is open and collect the process; one that did not finish is killed and counts as failed."""
        is_done = self.out < 0 and len(self.answer) <= LARGEST_ANSWER
        for end in (self.into, self.out):
            if end >= 0:
                os.close(end)
        if self.pid < 0:
            return
        if not is_done:
            os.kill(self.pid, 9)
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status) if is_done else -1


def _run(jobs: Sequence[_Job], deadline: float) -> None:
    try:
        while any(job.out >= 0 for job in jobs):
            left = deadline - time.monotonic()
            poll = select.poll()
            ends = {}
            for job in jobs:
                if job.into >= 0:
                    poll.register(job.into, select.POLLOUT)
                    ends[job.into] = job.feed
                if job.out >= 0:
                    poll.register(job.out, select.POLLIN)
                    ends[job.out] = job.take
            ready = poll.poll(left * 1000) if left > 0 else []
            if not ready:
                return
            for end, _ in ready:
                ends[end]()
    finally:
        for job in jobs:
            job.end()


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
    lookups = {folder: _git_jobs(folder) for folder in needs.folders}
    indexes = {source: _index_jobs(source.folder) for source in needs.names if source.kind == "index"}
    if readers:
        _warm_up()  # while the processes work
    _run([job for jobs in (*readers.values(), *lookups.values(), *indexes.values()) for job in jobs], deadline)
    readings = {text: _readings(jobs) for text, jobs in readers.items()}
    git = {folder: _git_facts(folder, jobs) for folder, jobs in lookups.items()}
    names = {source: _are_plain(source, indexes.get(source, [])) for source in needs.names}
    return ShellFacts({**facts.readings, **readings}, {**facts.git, **git}, {**facts.names, **names})


def _warm_up() -> None:
    try:
        load()
    except ImportError:
        return  # the analysis then finds that it has no second reader, and goes by the others


def _reader_jobs(text: str, shfmt: str, bash: str) -> list[_Job]:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return []
    if b"\0" in data:
        return []
    return [
        _Job((shfmt, "-tojson", "-ln", "bash"), _CLEAN, data),
        _Job((bash, "--norc", "--noprofile", "-n"), _CLEAN, data),
    ]


def _readings(jobs: Sequence[_Job]) -> Readings:
    if not jobs:
        return Readings("", "the text is not plain UTF-8", is_bash=False)
    tree, check = jobs
    is_read = tree.status == 0
    text = bytes(tree.answer).decode("utf-8", "replace") if is_read else ""
    return Readings(text, "" if is_read else "shfmt cannot read it", is_bash=check.status == 0)


# --- git ------------------------------------------------------------------------------------------------------------


def _git_jobs(folder: str) -> list[_Job]:
    git = next((f"{place}/git" for place in _search_path() if os.access(f"{place}/git", os.X_OK)), "")
    if not git or not folder.startswith("/") or "\0" in folder:
        return []
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    where = (git, "-C", folder)
    return [
        _Job((*where, "rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir"), environ, b""),
        _Job((*where, "rev-parse", "--show-toplevel"), environ, b""),
        _Job((*where, "config", "--list", "-z", "--show-origin"), environ, b""),
    ]


def _index_jobs(folder: str) -> list[_Job]:
    git = next((f"{place}/git" for place in _search_path() if os.access(f"{place}/git", os.X_OK)), "")
    if not git or not folder.startswith("/") or "\0" in folder:
        return []
    return [_Job((git, "-C", folder, "ls-files", "-z"), {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}, b"")]


def _are_plain(source: NameSource, jobs: Sequence[_Job]) -> bool:
    from harness_guard.evidence.plain_names import are_plain_in_index, are_plain_on_disk, are_undashed

    if "\0" in source.folder:
        return False
    if source.kind == "absent":
        return not os.path.lexists(source.folder)
    if source.kind == "undashed":
        return are_undashed(source.folder)
    if source.kind == "disk":
        return are_plain_on_disk(source.folder)
    listing = bytes(jobs[0].answer).decode("utf-8", "surrogateescape") if jobs and jobs[0].status == 0 else None
    return listing is not None and are_plain_in_index(listing, source.folder)


def _search_path() -> list[str]:
    return [place for place in os.environ.get("PATH", "/usr/bin:/bin").split(":") if place.startswith("/")]


def _git_facts(folder: str, jobs: Sequence[_Job]) -> GitFacts:
    if not jobs:
        return GitFacts("", "", "", ("git, which was not found",), ("git, which was not found",))
    where, top, config = jobs
    lines = bytes(where.answer).decode("utf-8", "surrogateescape").split("\n") if where.status == 0 else []
    git_folder, common = (lines[0], lines[1]) if lines[1:] else ("", "")
    root = bytes(top.answer).decode("utf-8", "surrogateescape").rstrip("\n") if top.status == 0 else ""
    if config.status != 0:
        return GitFacts(root, git_folder, common, ("an unreadable configuration",), ("an unreadable configuration",))
    settings = _settings(bytes(config.answer).decode("utf-8", "surrogateescape"))
    reading = [*_environment(), *_from_settings(settings, root, git_folder, common)]
    writing = list(reading)
    hooks = _hooks(settings, root or folder, common)
    reading += [f"the hook {name}" for name in hooks if name in {"post-index-change", "fsmonitor-watchman"}]
    writing += [f"the hook {name}" for name in hooks]
    if settings.get("commit.gpgsign", ("false", ""))[0].lower() not in _NO:
        writing.append("a signing program")
    writing += [f"what the setting {key} names" for key in settings if _runs_in_commit(key.lower())]
    return GitFacts(root, git_folder, common, tuple(reading), tuple(writing))


def _settings(text: str) -> dict[str, tuple[str, str]]:
    """Give each setting's last value and the file it comes from; with ``-z`` the key ends at a newline."""
    items = text.split("\0")
    found = {}
    for origin, entry in zip(items[::2], items[1::2], strict=False):
        key, sign, value = entry.partition("\n")
        found[key] = (value if sign else "true", origin)
    return found


def _environment() -> list[str]:
    odd = [name for name in os.environ if name.startswith(_STEERING) and not name.startswith(_SEEN)]
    return [f"what the variable {name} names" for name in sorted(odd)]


def _from_settings(settings: Mapping[str, tuple[str, str]], root: str, git_folder: str, common: str) -> list[str]:
    found = []
    own = tuple(f"file:{place}/" for place in (git_folder, common) if place)
    for key, (value, origin) in settings.items():
        name = key.rpartition(".")[2].lower()
        section = key.partition(".")[0].lower()
        path = origin.removeprefix("file:")
        is_inside = (
            bool(root)
            and origin.startswith("file:")
            and (not path.startswith("/") or f"{path}/".startswith(f"{root}/"))
        )
        if is_inside and not origin.startswith(own) and not path.startswith(".git/"):
            found.append(f"what a configuration file of the working tree names: {path}")
        if _runs_something(section, name, key.lower(), value):
            found.append(f"what the setting {key} names")
    return found


def _runs_something(section: str, name: str, key: str, value: str) -> bool:
    if key == "core.fsmonitor":
        return value.lower() not in _NO | {"true", "yes", "on", "1"}
    if key in {"diff.external", "extensions.partialclone"} or section == "hook":
        return bool(value)
    if key == "log.showsignature":
        return value.lower() not in _NO
    if section in {"pretty", "format"}:
        return "%G" in value  # a format that checks signatures, with whatever ``gpg.program`` names
    if section == "remote" and name in {"promisor", "partialclonefilter"}:
        return value.lower() not in _NO
    if section == "diff" and name in {"textconv", "command"}:
        return bool(value)
    if section == "filter" and name in {"clean", "smudge", "process"}:
        return bool(value) and not (key.startswith("filter.lfs.") and value in _GIT_LFS[name])
    return False


def _runs_in_commit(key: str) -> bool:
    """Whether a writing subcommand runs the setting's value.

    Editors, credential helpers, transports and ``gpg.program`` are not among them: no subcommand of the table opens an
    editor, connects or checks a signature without being refused for that.
    """
    return key.startswith("trailer.") and key.endswith((".cmd", ".command"))


def _hooks(settings: Mapping[str, tuple[str, str]], top: str, common: str) -> list[str]:
    named = settings.get("core.hookspath", ("", ""))[0]
    folder = os.path.expanduser(named) if named else f"{common}/hooks"
    if not folder.startswith("/"):
        folder = f"{top}/{folder}"
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [name for name in sorted(names) if not name.endswith(".sample") and os.access(f"{folder}/{name}", os.X_OK)]
