"""The control plane: what no tool call may edit, as absolute real paths and as names protected everywhere (P7)."""

from __future__ import annotations

from harness_guard.errors import StateError
from harness_guard.paths import folded, names_control_plane
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

GUARD_FILES: Final = "the guard's own files"
GUARD_DATA: Final = "the guard's data"
HOST_SETTINGS: Final = "the hosts' settings"
GIT_FILES: Final = "git's own files"
GIT_HOOKS: Final = "git hooks"

_TEXTS: Final = ("root", "plugin_root", "data")
_LISTS: Final = ("homes", "git_dirs", "hook_dirs", "files")


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """Where the control plane lies on this machine, gathered at activation.

    Attributes:
        root: The repository root.
        plugin_root: The plugin's own folder.
        data: The plugin's data folder; the sealing key is ``key`` in it.
        homes: Folders of the hosts: settings, hooks, plugins, transcripts.
        git_dirs: Git's folders of this repository (a worktree has two) and git's configuration files.
        hook_dirs: Folders that git's configuration names for hooks.
        files: Single settings files of the hosts.
    """

    root: str
    plugin_root: str
    data: str
    homes: tuple[str, ...] = ()
    git_dirs: tuple[str, ...] = ()
    hook_dirs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def protected_by(plane: ControlPlane, real: str) -> str | None:
    """Tell what protects a path.

    Args:
        plane: Where the control plane lies.
        real: Absolute path with links resolved, as the write would reach it.

    Returns:
        What is protected, in words for the reason; ``None`` if the path is not part of the control plane.
    """
    # Folded on every system: which one takes two spellings for one name is known to the file system alone.
    path = folded(real)
    for place, what in _places(plane):
        if _is_below(path, place):
            return what
    return _named(plane, real)


def named_in(plane: ControlPlane, text: str) -> str | None:
    """Tell whether a text holds a path of the control plane anywhere: a command or a patch inside an argument.

    Args:
        plane: Where the control plane lies.
        text: Any text.

    Returns:
        What is protected, ``None`` if no protected place is named.
    """
    whole = folded(text)
    return next((what for place, what in _places(plane) if len(place) > 1 and place in whole), None)


def reaches(plane: ControlPlane, real: str) -> str | None:
    """Tell what a write to a folder and everything below it would reach of the control plane.

    Protected names that lie deeper on disk are not known here: ``evidence/resolve.py`` finds them (``Place.below``).

    Args:
        plane: Where the control plane lies.
        real: Absolute real path of the folder.
    """
    inside = protected_by(plane, real)
    if inside is not None:
        return inside
    path = folded(real)
    # The other way round here: a folder that is written whole takes what lies below it along.
    for place, what in _places(plane):
        if _is_below(place, path):
            return what
    return None


def key_read_by(plane: ControlPlane, real: str, *, recursive: bool = True) -> bool:
    """Tell whether reading a path would read the sealing key.

    Args:
        plane: Where the control plane lies.
        real: Absolute real path that is read.
        recursive: Whether the reader goes into folders (grep -r, a glob over a tree); assumed if not known.
    """
    key = folded(f"{plane.data}/key")
    path = folded(real)
    return _is_below(path, key) or (recursive and _is_below(key, path))


def to_json(plane: ControlPlane) -> dict[str, object]:
    """Give the control plane as a JSON object."""
    texts: dict[str, object] = {name: getattr(plane, name) for name in _TEXTS}
    return texts | {name: list(getattr(plane, name)) for name in _LISTS}


def from_json(value: Mapping[str, object]) -> ControlPlane:
    """Read the control plane back.

    Raises:
        StateError: If a member is missing, unknown, ill-typed or no absolute path.
    """
    if sorted(value) != sorted(_TEXTS + _LISTS):
        raise _malformed(f"members {', '.join(sorted(value))}")
    root, plugin_root, data = (_path(value[name]) for name in _TEXTS)
    homes, git_dirs, hook_dirs, files = (_paths(value[name]) for name in _LISTS)
    return ControlPlane(root, plugin_root, data, homes, git_dirs, hook_dirs, files)


def _malformed(found: str) -> StateError:
    return StateError(
        "state.control-plane",
        f"the stored control plane is malformed: found {found}",
        "send `$harness cancel`, then activate again",
    )


def _path(value: object) -> str:
    if not isinstance(value, str) or not value.startswith("/"):
        raise _malformed("a value that is no absolute path")
    return value


def _paths(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise _malformed("a value that is no list")
    return tuple([_path(item) for item in value])


def _places(plane: ControlPlane) -> list[tuple[str, str]]:
    """List the protected places in folded form, the ones that name most precisely first."""
    found = [(plane.plugin_root, GUARD_FILES), (plane.data, GUARD_DATA)]
    found += [(path, GIT_HOOKS) for path in plane.hook_dirs]
    found += [(path, HOST_SETTINGS) for path in plane.homes + plane.files]
    found += [(path, GIT_FILES) for path in plane.git_dirs]
    return [(folded(path), what) for path, what in found]


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(place if place.endswith("/") else place + "/")


def _named(plane: ControlPlane, real: str) -> str | None:
    # The root itself may lie below such a name (a host keeps worktrees in `.claude/worktrees/`): only what is below
    # the root counts there; elsewhere every segment counts, because another project's hooks run as well.
    prefix = plane.root.rstrip("/") + "/"
    tail = real[len(prefix) :] if real.startswith(prefix) else real if real != plane.root else ""
    for segment in tail.split("/"):
        if names_control_plane(segment):
            return GIT_FILES if folded(segment) == ".git" else HOST_SETTINGS
    return None
