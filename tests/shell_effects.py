"""What a command would do in /repo, where no option file stands in the home folder, for the tests of single programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings, analyse
from harness_guard.shell.effects import Effects
from harness_guard.shell.facts import FileText, GitFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness_guard.shell.names import NameSource

SHFMT = str(Path(sys.executable).parent / "shfmt")
NO_FILES: dict[str, str] = {}
QUIET_GIT = GitFacts("/repo", "/repo/.git", "/repo/.git")
WHERE = Surroundings("/repo", "/repo", "/home/dev", "/data/bin/harness-guard", ("/repo/.git",))


def effects_of(
    command: str,
    *,
    where: Surroundings = WHERE,
    believed: Callable[[NameSource], bool] = lambda _source: True,
    files: Mapping[str, str] = NO_FILES,
) -> Effects:
    """Analyse a command; every fact that it asks for is as harmless as can be, but for what the test says.

    Args:
        command: The text.
        where: The surroundings.
        believed: Whether names of a source are what they should be.
        files: The texts of the files that are there.
    """
    facts = ShellFacts()
    for _ in range(8):
        found = analyse(command, where, facts)
        if isinstance(found, Effects):
            return found
        read = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
        names = {**facts.names, **{source: believed(source) for source in found.names}}
        texts = {path: FileText(is_there=path in files, text=files.get(path)) for path in found.files}
        git = {**facts.git, **dict.fromkeys(found.folders, QUIET_GIT)}
        facts = ShellFacts(read.readings, git, names, {**facts.files, **texts})
    raise AssertionError("the analysis does not come to an end")


def wanted_by(command: str) -> Needs:
    """Give what the analysis asks for once it has the readers' trees."""
    asked = analyse(command, WHERE, ShellFacts())
    assert isinstance(asked, Needs)
    found = analyse(command, WHERE, gather(command, Needs(asked.texts), ShellFacts(), shfmt=SHFMT))
    assert isinstance(found, Needs)
    return found


def verdict_of(command: str) -> str:
    """Say in one word what is known of a command: unknown, writes, local or reads."""
    found = effects_of(command)
    if found.unknown:
        return "unknown"
    if found.writes or found.links:
        return "writes"
    return "local" if any(connection.is_local for connection in found.connects) else "reads"
