"""The door of the shell room: a command's text to its effects, or to what has to be known first (contract section 7).

Pure: what the readers said of a text and what git would run come in as facts, gathered by ``evidence/shell_facts.py``.
The caller asks again with the facts until effects come back; at most ``MOST_QUESTIONS`` times, then they do.
"""

from __future__ import annotations

from harness_guard.records import dataclass, replace
from harness_guard.shell.builtins import Starter
from harness_guard.shell.effects import Effects, Unknown
from harness_guard.shell.facts import GitFacts, Needs, Readings, ShellFacts
from harness_guard.shell.readers import read, read_plain
from harness_guard.shell.state import start
from harness_guard.shell.syntax import Script, Unparsed
from harness_guard.shell.walk import Walk

__all__ = [
    "GitFacts",
    "Needs",
    "Readings",
    "ShellFacts",
    "Surroundings",
    "analyse",
]

LONGEST_TEXT = 1_000_000  # characters; a longer command is refused unread
MOST_TEXTS = 8  # nested texts that are read for one command


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a command would run.

    Attributes:
        cwd: Its working folder, absolute.
        root: The repository root of the run, absolute.
        home: The user's home folder, ``""`` if unknown.
        plugin_command: The one spelling of our own command line, ``""`` if unknown.
        git_folders: git's folders of the run's own repository; git in any other repository is unknown, because the
            run may have written its configuration.
    """

    cwd: str
    root: str
    home: str = ""
    plugin_command: str = ""
    git_folders: tuple[str, ...] = ()


def analyse(command: str, surroundings: Surroundings, facts: ShellFacts) -> Effects | Needs:
    """Tell what a shell command would do.

    Args:
        command: Its text, exactly as the host hands it to the shell.
        surroundings: Where it would run.
        facts: What is known so far.

    Returns:
        Its effects, or what has to be gathered before they can be told.
    """
    if len(command) > LONGEST_TEXT or "\0" in command:
        return _unread("the text is too long or holds a NUL", command)
    script = _read(command, facts)
    if script is None:
        # A text that names git will want git's facts next: ask for both at once.
        return Needs((command,), (surroundings.cwd,) if "git" in command and not facts.git else ())
    if isinstance(script, Unparsed):
        return _unread(script.why, script.seen or command)
    walk = Walk(
        home=surroundings.home,
        plugin_command=surroundings.plugin_command,
        git={folder: _only_own(found, surroundings.git_folders) for folder, found in facts.git.items()},
        names=facts.names,
        files=facts.files,
        read=lambda text: _nested(text, facts),
        start=lambda walk, redirects, targets: Starter(walk, redirects, targets).start,
    )
    walk.is_one_line = "\n" not in command.strip("\n")
    try:
        walk.script(script, start(surroundings.cwd, surroundings.home))
        Starter(walk, (), ()).finish()
    except RecursionError:
        return _unread("it is nested too deeply to be followed", command)
    gathered = walk.gathered
    if walk.texts or gathered.needs_git or gathered.needs_names or gathered.needs_moves or gathered.needs_files:
        texts, folders = tuple(dict.fromkeys(walk.texts)), tuple(dict.fromkeys(gathered.needs_git))
        names, moves = tuple(dict.fromkeys(gathered.needs_names)), tuple(dict.fromkeys(gathered.needs_moves))
        return Needs(texts, folders, names, moves, tuple(dict.fromkeys(gathered.needs_files)))
    return walk.effects()


def _only_own(facts: GitFacts, own: tuple[str, ...]) -> GitFacts:
    """Add to what git would run whatever a repository names that is not the run's own."""
    folders = tuple(f"{folder}/" for folder in own)
    places = (facts.git_folder, facts.common_folder)
    if not any(places) or all(f"{place}/".startswith(folders) for place in places):
        return facts
    foreign = f"what a repository that is not the run's own names: {facts.git_folder}"
    return replace(facts, reading=(*facts.reading, foreign), writing=(*facts.writing, foreign))


def _read(text: str, facts: ShellFacts) -> Script | Unparsed | None:
    plain = read_plain(text)
    if plain is not None:
        return plain
    readings = facts.readings.get(text)
    return None if readings is None else read(text, readings)


def _nested(text: str, facts: ShellFacts) -> Script | Unparsed | None:
    found = _read(text, facts)
    if found is None and len(facts.readings) >= MOST_TEXTS:
        return Unparsed("too many texts in one another", text[:200])
    return found


def _unread(why: str, seen: str) -> Effects:
    return Effects(unknown=(Unknown(why, seen[:200]),))
