"""Finds the runs of a data folder, for verbs that tell about them; reads only."""

from __future__ import annotations

import os

from harness_guard.errors import StateError
from harness_guard.places import is_session_id
from harness_guard.store.runs import RunStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

    from harness_guard.places import Places

# What the hosts set in the environment of the model's commands (host facts).
_SESSION_VARIABLES: Final = ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID")
_START: Final = "start one: type $harness and the task in Codex or Claude Code"


def all_runs(searched: Sequence[Places]) -> list[RunStore]:
    """Give every session's run in the data folders, newest first; a marker without a folder counts."""
    return sorted((store for places in searched for store in _runs_in(places)), key=_changed_at, reverse=True)


def named(searched: Sequence[Places]) -> str:
    """Name the folders that were looked in."""
    return ", ".join(places.data for places in searched)


def _runs_in(places: Places) -> list[RunStore]:
    marked = [name.removeprefix("run-") for name in _names(places.active) if name.startswith("run-")]
    sessions = {name for name in (*_names(places.runs), *marked) if is_session_id(name)}
    return [RunStore(places, session) for session in sorted(sessions)]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StateError("cli.data-folder", f"{folder}: {error.strerror}", "make it readable for this user") from error


def _changed_at(store: RunStore) -> int:
    for path in (store.state_file, store.folder, store.places.marker(store.session_id)):
        try:
            return os.lstat(path).st_mtime_ns
        except OSError:
            continue
    return 0


def one_run(searched: Sequence[Places], session: str | None, environ: Mapping[str, str]) -> RunStore:
    """Give the run that a command is about: the named one, the one of this session, or the only active one.

    Args:
        searched: The data folders to look in.
        session: The session that the user named, if any.
        environ: Where a host names the session.

    Raises:
        StateError: If there is no such run, or more than one might be meant.
    """
    stores = all_runs(searched)
    if session is not None:
        found = [store for store in stores if store.session_id == session]
        if not found:
            raise StateError("cli.no-run", f"session `{session}` has no run in {named(searched)}", _listing(stores))
        return found[0]
    active = [store for store in stores if store.has_marker()]
    own = {environ.get(name) for name in _SESSION_VARIABLES}
    meant = [store for store in active if store.session_id in own] or active
    if not meant:
        seen = f"no run is active in {named(searched)}"
        raise StateError("cli.no-run", seen, _START)
    if len(meant) > 1:
        raise StateError("cli.which-run", f"{len(meant)} runs are active", _listing(meant))
    return meant[0]


def _listing(stores: list[RunStore]) -> str:
    sessions = ", ".join(store.session_id for store in stores)
    return f"give --session with one of: {sessions}" if sessions else _START
