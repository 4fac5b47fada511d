"""What one tool call would do: its effects, and the places on disk where they would land (contract section 7)."""

from __future__ import annotations

from harness_guard.kernel.questions import (
    PlacesOf,
    PlantedProgram,
    ProgramFolders,
    RealPath,
    ShellFactsFor,
    WhereShell,
    ask,
)
from harness_guard.policy.boundary import covers
from harness_guard.records import dataclass, replace
from harness_guard.shell.effects import Effects, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.tools import ToolCall
    from harness_guard.policy.control_plane import ControlPlane
    from harness_guard.policy.place import Place
    from harness_guard.shell.effects import Relied, ReliedKind, Write

QUOTED: Final = 160  # characters of a path or command in a reason; the first line of a reason stands alone


@dataclass(frozen=True, slots=True)
class Judged:
    """A call with everything that the checks need.

    Attributes:
        event: The event.
        call: The classified call.
        effects: What it would do.
        places: Each write with the places where it would land.
        plane: What no tool call may write.
        is_exact: Whether the human approved exactly this command or tool.
    """

    event: Event
    call: ToolCall
    effects: Effects
    places: tuple[tuple[Write, tuple[Place, ...]], ...]
    plane: ControlPlane
    is_exact: bool


def read_effects(event: Event, call: ToolCall) -> Asking[Effects]:
    """Read a call into effects, asking for what only the world knows."""
    if call.family == "patch":
        from harness_guard.shell.patch import effects_of_patch

        return effects_of_patch(call.text, event.cwd)
    if call.family != "shell":
        return call.effects
    from harness_guard.shell.analysis import ShellFacts, analyse

    surroundings = yield from ask(WhereShell(event.cwd))
    facts = ShellFacts()
    found = analyse(call.text, surroundings, facts)
    while not isinstance(found, Effects):
        facts = yield from ask(ShellFactsFor(call.text, found, facts))
        found = analyse(call.text, surroundings, facts)
    return (yield from _with_planted(found))


def _with_planted(effects: Effects) -> Asking[Effects]:
    """Take a program for unknown if a file that the run could have written stands in its place on the PATH."""
    names = tuple(dict.fromkeys(name for program in effects.programs for name in program.argv[:1] if name is not None))
    if not names:
        return effects
    folders = yield from ask(ProgramFolders())
    if not folders:
        return effects
    planted = yield from ask(PlantedProgram(folders, names))
    if planted is None:
        return effects
    unknown = Unknown("a file of the repository stands in its place on the PATH", planted)
    return replace(effects, unknown=(*effects.unknown, unknown))


def find_places(effects: Effects, plane: ControlPlane) -> Asking[tuple[tuple[Write, tuple[Place, ...]], ...]]:
    """Find where each write lands; what is harmless (a stream, a folder that stands already) is no write.

    Git's own files, written by a git subcommand of the table, are no place that a boundary covers: the write stays as
    a mutation without one (promise P7). Only this repository's are meant.
    """
    found: list[tuple[Write, tuple[Place, ...]]] = []
    for write in effects.writes:
        if write.is_git_own and write.path in plane.git_dirs:
            found.append((write, ()))
            continue
        places = yield from ask(PlacesOf(write))
        real = tuple(place for place in places if not place.is_harmless)
        # What a search will find need not be there yet; only what is called otherwise then is new.
        if real or (write.search is not None and write.search.add):
            found.append((write, real))
    return tuple(found)


def settled(effects: Effects, places: tuple[tuple[Write, tuple[Place, ...]], ...], state: RunState) -> Asking[Effects]:
    """Take for unknown what goes by something on disk that may change before it is gone by.

    The call itself may change it, or, where the run may write it, another call that runs at the same time.
    """
    reached = [(write, place) for write, found in places for place in found if write.kind != "meta"]
    policies = [policy for policy in (state.accepted_policy, state.active_policy) if policy is not None]
    entries = tuple(entry for policy in policies for entry in policy.boundary)
    for relied in effects.relies:
        real = yield from ask(RealPath(relied.path))
        if any(_changes(place, real, relied) for write, place in reached if not _leaves(write, place, relied)):
            return _unsettled(effects, "the call itself may change", relied)
        if _may_be_written(real, relied, entries, state):
            return _unsettled(effects, "the run may change at the same time", relied)
    return effects


# What a command goes by, and how it would not.
_WENT_BY: Final[dict[str, str]] = {
    "file": "what stands there",
    "modules": "the Python modules there (with `python3 -I` it would not)",
    "dashes": "the names there (`./*` instead of `*` gives no options)",
    "listed": "the names there (a NUL behind each, as with `-z` and `xargs -0`, keeps them whole)",
    "names": "the names there (a NUL behind each, as with `-print0` and `xargs -0`, keeps them whole)",
    "programs": "the programs there",
    "links": "the links there",
    "settings": "the settings there (`--isolated` leaves them out, `--config FILE` names which to take)",
}


def _unsettled(effects: Effects, who: str, relied: Relied) -> Effects:
    why = f"it goes by {_WENT_BY[relied.what]}, which {who}"
    return replace(effects, unknown=(*effects.unknown, Unknown(why, relied.path)))


_LOOKED_OVER: Final = frozenset(
    ("names", "listed", "dashes", "links")
)  # the reader of the text sees to what it makes itself


def _leaves(write: Write, place: Place, relied: Relied) -> bool:
    """Whether a write changes nothing of what was looked at, wherever it lands: what a program keeps for itself."""
    if relied.what in _LOOKED_OVER:
        return True
    is_kept = write.is_cache or place.real.rpartition("/")[2] == "__pycache__"
    return relied.is_folder and (is_kept or (relied.what == "settings" and write.by == "ruff"))


def _changes(place: Place, real: str, relied: Relied) -> bool:
    top = place.real.partition("*")[0].rpartition("/")[0] if place.reach == "pattern" else place.real
    if f"{real}/".startswith(f"{top.rstrip('/')}/") or (place.has_other_names and not relied.is_folder):
        return True
    return relied.is_folder and place.reach in {"tree", "pattern"} and f"{top}/".startswith(f"{real.rstrip('/')}/")


def _may_be_written(real: str, relied: Relied, entries: tuple[str, ...], state: RunState) -> bool:
    scratch, root = state.scratch, state.repository_root.rstrip("/")
    if scratch and f"{real}/".startswith(f"{scratch}/"):
        return True
    if real != root and not real.startswith(f"{root}/"):
        return False
    if relied.what == "programs":
        return True  # as for the folders of the PATH that the host has (C7.21)
    relative = real[len(root) + 1 :]
    if not relied.is_folder:
        return covers(entries, relative)
    return any(_may_bring(entry, relative, relied.what) for entry in entries)


_PLAIN_MARKS: Final = {ord(mark): None for mark in "/.-_"}  # beside letters and digits, in a name of one plain word


def _may_bring(entry: str, folder: str, what: ReliedKind) -> bool:
    """Whether an entry lets a name be written that changes what was found in a folder."""
    from harness_guard.policy.odd_name import lets_names_stray, spells_odd

    start = entry.partition("*")[0]
    if what == "links":
        return False  # none is made that leads out (C11.6), nor moved or copied (C7.22)
    if what == "settings":
        return "*" in entry or entry.rpartition("/")[2].endswith((".toml", ".cfg", ".ini"))
    if what in {"names", "listed"}:
        is_near = start.startswith(f"{folder}/" if folder else "") or f"{folder}/".startswith(start)
        # Other new names that would come apart are refused, whoever makes them (``kernel/new_names.py``).
        return is_near and (
            not entry.translate(_PLAIN_MARKS).isalnum() if what == "listed" else lets_names_stray(entry)
        )
    if folder and not start.startswith(f"{folder}/"):
        return f"{folder}/".startswith(start)
    child = entry[len(folder) + 1 if folder else 0 :].partition("/")[0]
    if what == "dashes":
        return child.startswith("-") or ("*" in child and spells_odd(entry))
    return "*" in child or _is_module(child)


def _is_module(name: str) -> bool:
    from harness_guard.shell.python_library import is_library

    return is_library(name)


def short(text: str, limit: int = QUOTED) -> str:
    """Cut a text that a reason quotes."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
