"""What the walker knows of the shell at one point of the text: its folders and its variables."""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.words import NUMBER, NUMBERS, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_FOLDERS = 8
_SHIFTING = frozenset(("COLUMNS", "LINES"))  # bash sets them anew after a program, where there is a terminal


@dataclass(frozen=True, slots=True)
class State:
    """One abstract state.

    Attributes:
        cwds: Folders that the shell may be in, not normalized; ``None`` if unknown.
        values: Variables whose value is known.
    """

    cwds: tuple[str, ...] | None
    values: Mapping[str, Value]

    def with_value(self, name: str, value: Value | None) -> State:
        """The state after an assignment; ``None`` forgets the variable."""
        values = {key: old for key, old in self.values.items() if key != name}
        if value is not None and name not in _SHIFTING:
            values[name] = value
        return State(self.cwds, values)

    def with_cwds(self, cwds: tuple[str, ...] | None) -> State:
        """The state after a change of folder."""
        if cwds is not None:
            cwds = tuple(dict.fromkeys(cwds))
            cwds = None if len(cwds) > MOST_FOLDERS else cwds
        values = {key: old for key, old in self.values.items() if key not in {"PWD", "OLDPWD"}}
        if cwds is not None and len(cwds) == 1 and ".." not in cwds[0].split("/"):
            values["PWD"] = Value(cwds[0])
        return State(cwds, values)


@dataclass(frozen=True, slots=True)
class Ends:
    """States after a statement that succeeded and after one that failed; ``None`` where that cannot be."""

    ok: State | None
    failed: State | None


def start(cwd: str, home: str) -> State:
    """The state that a text begins in."""
    values = {"PWD": Value(cwd), **dict.fromkeys(NUMBERS, NUMBER)}
    if home:
        values["HOME"] = Value(home)
    return State((cwd,), values)


def merge(first: State | None, second: State | None) -> State | None:
    """The state that covers both; ``None`` is a point that is never reached."""
    if first is None or second is None:
        return first if second is None else second
    if first == second:
        return first
    values = {}
    for name, value in first.values.items():
        other = second.values.get(name)
        if other == value:
            values[name] = value
        elif other is not None and other.is_number and value.is_number:
            values[name] = NUMBER
    cwds = None
    if first.cwds is not None and second.cwds is not None:
        cwds = tuple(dict.fromkeys((*first.cwds, *second.cwds)))
        cwds = None if len(cwds) > MOST_FOLDERS else cwds
    return State(cwds, values)


def changed_folder(cwd: str, name: str) -> tuple[str, ...] | None:
    """Where ``cd NAME`` may lead from a folder.

    bash takes ``..`` out of the text; where the folder so named does not exist, it tries the name as written, which the
    kernel follows through links (bash 5, ``change_to_directory``). So a name with ``..`` has two outcomes.

    Returns:
        The folders, ``None`` if reading cannot tell.
    """
    whole = name if name.startswith("/") else f"{cwd.rstrip('/')}/{name}"
    if ".." not in name.split("/"):
        return (whole,)
    if ".." in cwd.split("/") and not name.startswith("/"):
        return None
    kept: list[str] = []
    for part in whole.split("/"):
        if part == "..":
            kept = kept[:-1]
        elif part not in {"", "."}:
            kept.append(part)
    return ("/" + "/".join(kept), whole)
