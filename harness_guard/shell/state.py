"""What the walker knows of the shell at one point of the text: its folders, its variables, its functions."""

from __future__ import annotations

from harness_guard.records import dataclass, replace
from harness_guard.shell.altered import SET_ANEW
from harness_guard.shell.values import COUNT, JOB, MAP, NUMBER, NUMBERS, Field, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness_guard.shell.syntax import Statement

    Folders = tuple[str, ...] | None
    Bodies = tuple[Statement | None, ...]
    Kept = tuple[Value | None, bool]

MOST_FOLDERS = 8
MOST_BODIES = 4  # that one function's name may stand for
_SHIFTING = SET_ANEW | {"COLUMNS", "LINES", "_"}  # bash sets them anew by itself
_NONE: Mapping[str, object] = {}  # never written to


@dataclass(frozen=True, slots=True)
class State:
    """One abstract state.

    Attributes:
        cwds: Folders that the shell may be in, not normalized; ``None`` if unknown.
        values: Variables whose value is known; ``@`` holds the positional parameters.
        old: Folders that ``cd -`` may lead to.
        stack: Folders below the present one on the stack of ``pushd``; ``None`` if unknown.
        functions: What each function's name may stand for; ``None`` among them where it may be no function.
        locals: Variables local to the running function: what they held outside, and whether they are surely local.
        outer: Variables that may be local to a function around.
        frozen: Variables that may be read-only.
        counted: Variables that may have the integer attribute, so that what they are set to is evaluated.
        altered: Variables that were set and that what comes later may go by.
    """

    cwds: Folders
    values: Mapping[str, Value]
    old: Folders = None
    stack: tuple[Folders, ...] | None = None
    functions: Mapping[str, Bodies] = _NONE  # type: ignore[assignment]  # empty
    locals: Mapping[str, Kept] = _NONE  # type: ignore[assignment]  # empty
    outer: frozenset[str] = frozenset()
    frozen: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    altered: frozenset[str] = frozenset()

    def with_value(self, name: str, value: Value | None) -> State:
        """The state after an assignment; ``None`` forgets the variable."""
        values = {key: old for key, old in self.values.items() if key != name}
        if value is not None and name not in _SHIFTING:
            values[name] = value
        return replace(self, values=values)

    def with_cwds(self, cwds: Folders, *, is_physical: bool = False) -> State:
        """The state after a change of folder; a physical one has another name, with no links in it."""
        if cwds is not None:
            cwds = tuple(dict.fromkeys(cwds))
            cwds = None if len(cwds) > MOST_FOLDERS else cwds
        values = {key: elsewhere(old) for key, old in self.values.items() if key not in {"PWD", "OLDPWD"}}
        known = {key: old for key, old in values.items() if old is not None}
        if cwds is not None and len(cwds) == 1 and not is_physical and _is_plain(cwds[0]):
            known["PWD"] = Value("/" + "/".join(part for part in cwds[0].split("/") if part not in {"", "."}))
        return replace(self, cwds=cwds, values=known, old=self.cwds)


def _is_plain(path: str) -> bool:
    return ".." not in path.split("/") and not path.startswith("//")


def elsewhere(value: Value) -> Value | None:
    """What a value still means in another folder: relative names that are known by a pattern alone mean nothing."""
    if value.is_inner or (value.found is not None and value.found.is_bound):
        return None
    if value.pattern is not None and not value.pattern.startswith("/"):
        return None
    if value.items is None or not any(_is_bound(item) for item in value.items):
        return value
    return replace(value, items=tuple(Field(None, is_one=False) if _is_bound(item) else item for item in value.items))


def _is_bound(item: Field) -> bool:
    is_found = item.found is not None and item.found.is_bound
    return item.is_inner or is_found or (item.is_pattern and not (item.text or "").startswith("/"))


@dataclass(frozen=True, slots=True)
class Ends:
    """States after a statement that succeeded and after one that failed; ``None`` where that cannot be."""

    ok: State | None
    failed: State | None


LOST = State(None, {})  # nothing is known any more: only behind something that made the effects unknown


def start(cwd: str, home: str) -> State:
    """The state that a text begins in."""
    values = {"PWD": Value(cwd), **dict.fromkeys(NUMBERS, NUMBER), "!": JOB}
    if home:
        values["HOME"] = Value(home)
    return State((cwd,), values, stack=())


def merge(first: State | None, second: State | None) -> State | None:
    """The state that covers both; ``None`` is a point that is never reached."""
    if first is None or second is None or first is second:
        return first if second is None else second
    if first == second:
        return first
    return State(
        _either(first.cwds, second.cwds),
        merge_values(first.values, second.values),
        _either(first.old, second.old),
        _stacks(first.stack, second.stack),
        _bodies(first.functions, second.functions),
        _kept(first.locals, second.locals),
        first.outer | second.outer,
        first.frozen | second.frozen,
        first.counted | second.counted,
        first.altered | second.altered,
    )


def merge_value(first: Value | None, second: Value | None) -> Value | None:
    """The value that covers both, ``None`` for unknown."""
    if first == second:
        return first
    if first is not None and second is not None and first.text == second.text == "":
        return Value("")
    if first is not None and second is not None and first.is_map and second.is_map:
        return MAP
    if first is not None and second is not None and _are_jobs(first) and _are_jobs(second):
        return Value(items=(Field(None, is_one=False, is_job=True),))
    if first is None or second is None or not (first.is_number and second.is_number):
        return None
    return COUNT if first.may_be_empty or second.may_be_empty else NUMBER


def _are_jobs(value: Value) -> bool:
    return value.items is not None and all(item.is_job for item in value.items)


def merge_values(first: Mapping[str, Value], second: Mapping[str, Value]) -> Mapping[str, Value]:
    """The variables that are known in both."""
    if first is second:
        return first
    merged = {name: merge_value(value, second.get(name)) for name, value in first.items()}
    return {name: value for name, value in merged.items() if value is not None}


def _either(first: Folders, second: Folders) -> Folders:
    if first is None or second is None:
        return None
    both = tuple(dict.fromkeys((*first, *second)))
    return None if len(both) > MOST_FOLDERS else both


def _stacks(first: tuple[Folders, ...] | None, second: tuple[Folders, ...] | None) -> tuple[Folders, ...] | None:
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple(_either(one, other) for one, other in zip(first, second, strict=True))


def _bodies(first: Mapping[str, Bodies], second: Mapping[str, Bodies]) -> Mapping[str, Bodies]:
    if first is second:
        return first
    none: Bodies = (None,)
    names = dict.fromkeys((*first, *second))
    return {name: joined(first.get(name, none), second.get(name, none)) for name in names}


def joined(first: Bodies, second: Bodies) -> Bodies:
    """Both functions' bodies, each once; told apart as objects, since comparing trees takes their size."""
    return (*first, *(body for body in second if not any(body is known for known in first)))


def _kept(first: Mapping[str, Kept], second: Mapping[str, Kept]) -> Mapping[str, Kept]:
    if first == second:
        return first
    made: dict[str, Kept] = {}
    for name in dict.fromkeys((*first, *second)):
        one, other = first.get(name), second.get(name)
        if one is not None and other is not None:
            made[name] = (merge_value(one[0], other[0]), one[1] and other[1])
        else:
            only = one or other
            made[name] = (only[0] if only else None, False)
    return made


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
