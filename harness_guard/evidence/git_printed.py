"""What git prints now for a command that will be asked for names: each line has to be one plain word below a folder.

Git is only asked where its settings let a reader run nothing but git (``evidence/git_facts.py``).
"""

from __future__ import annotations

import os

from harness_guard.evidence.git_facts import git_facts, git_job, git_jobs
from harness_guard.evidence.jobs import run
from harness_guard.evidence.plain_names import are_plain_in_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from harness_guard.shell.facts import GitFacts
    from harness_guard.shell.names import NameSource

# Names are written as they are; what is still quoted holds a quote then, and is not plain.
_SETTINGS: Final = ("-c", "core.quotePath=false", "-c", "color.ui=false", "-c", "core.fsmonitor=false")


def are_plain_in_history(
    sources: Iterable[NameSource], known: dict[str, GitFacts], deadline: float
) -> dict[NameSource, bool]:
    """Ask git for each source, all side by side.

    Args:
        sources: What is asked where.
        known: Git's facts, by folder; those that are lacking are found out.
        deadline: Time of the monotonic clock at which the answers have to be there.
    """
    asked = list(sources)
    lookups = {source.folder: git_jobs(source.folder) for source in asked if source.folder not in known}
    run([job for jobs in lookups.values() for job in jobs], deadline)
    facts = {**known, **{folder: git_facts(folder, jobs) for folder, jobs in lookups.items()}}
    quiet = [source for source in asked if facts[source.folder].top and not facts[source.folder].reading]
    jobs = {source: git_job(source.folder, *_SETTINGS, *source.words) for source in quiet}
    # Told to, git names files from the folder on, and no longer from the root: then these are others.
    relative = {source.folder: git_job(source.folder, "config", "--get", "diff.relative") for source in quiet}
    run([job for job in (*jobs.values(), *relative.values()) if job is not None], deadline)
    found = dict.fromkeys(asked, False)
    for source, job in jobs.items():
        setting = relative[source.folder]
        is_rooted = setting is not None and setting.status in {0, 1} and bytes(setting.answer) in {b"", b"false\n"}
        if job is not None and job.status == 0 and is_rooted:
            lines = os.fsdecode(bytes(job.answer)).replace("\n", "\0")
            found[source] = are_plain_in_index(lines, source.folder)
    return found


def is_unlinked(folder: str) -> bool:
    """Tell whether no link that stands directly in a folder leads out of it."""
    top = os.path.realpath(folder)
    try:
        with os.scandir(folder) as entries:
            links = [entry.path for entry in entries if entry.is_symlink()]
    except OSError:
        return False
    return all(f"{os.path.realpath(link)}/".startswith(f"{top}/") for link in links)
