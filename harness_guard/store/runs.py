"""The runs of a data folder: load a state, commit the next one, markers, turns, artifacts (contract section 9).

``state.json`` is the only authority. A commit names the bytes that it decided on; if others stand there by now, nothing
is written and the caller decides again.
"""

from __future__ import annotations

import os

from harness_guard.canonical import canonical
from harness_guard.errors import StateError, StoreError
from harness_guard.kernel.state import SCHEMA, state_from_json, state_to_json
from harness_guard.rawjson import JsonError, loads
from harness_guard.records import dataclass
from harness_guard.sha256 import sha256_hex
from harness_guard.store.files import make_folders, read_whole, remove, sync_folder, write_atomically
from harness_guard.store.lock import Lock, is_held
from harness_guard.store.seal import load_key, seal, verify_seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.state import RunState
    from harness_guard.places import Places

_MEND: Final = "End the run with `$harness cancel` and activate a new one; nothing of the old run is deleted."
_FOLDERS: Final = ("answers", "artifacts", "evidence", "turns", "archive")


class Conflict(Exception):
    """The state has changed since it was loaded."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A state as it lies on disk: the value and the exact bytes that a commit has to replace."""

    state: RunState
    stored: bytes


class RunStore:
    """One session's run in one data folder."""

    __slots__ = ("_key", "folder", "places", "session_id")

    def __init__(self, places: Places, session_id: str) -> None:
        """Take the data folder and a session id that ``places.is_session_id`` accepts."""
        self.places = places
        self.session_id = session_id
        self.folder = places.run(session_id)
        self._key: bytes | None = None

    @property
    def key(self) -> bytes:
        """The sealing key.

        Raises:
            StateError: If it cannot be read.
        """
        if self._key is None:
            self._key = load_key(self.places.key)
        return self._key

    @property
    def state_file(self) -> str:
        """Path of ``state.json``."""
        return f"{self.folder}/state.json"

    @property
    def engine_lock(self) -> str:
        """Path of the lock that an engine run holds from its start until its commit."""
        return f"{self.folder}/engine.lock"

    def has_marker(self) -> bool:
        """Whether the session has an active run: a marker without a readable state is one too."""
        return os.path.lexists(self.places.marker(self.session_id))

    def stored(self) -> bytes | None:
        """Give the bytes of the state as they lie on disk, unverified; ``None`` if there are none.

        Raises:
            StoreError: If something stands there that is no readable file.
        """
        return read_whole(self.state_file)

    def load(self) -> Loaded | None:
        """Read and verify the state; ``None`` if there is none.

        Raises:
            StateError: If it is unreadable, tampered with, of another schema or another session's.
            StoreError: If the disk does not give it.
        """
        stored = self.stored()
        if stored is None:
            return None
        value = self._verified(stored)
        if value.get("schema") != SCHEMA:
            seen = f"the state has schema {value.get('schema')!r}"
            raise StateError("store.schema", seen, f"This version reads {SCHEMA}. {_MEND}")
        if value.get("session_id") != self.session_id:
            raise StateError("store.session", "the state belongs to another session", _MEND)
        try:
            return Loaded(state_from_json(value), stored)
        except (TypeError, KeyError, ValueError) as error:
            raise StateError("store.shape", f"the state cannot be read: {error}", _MEND) from error

    def _verified(self, stored: bytes) -> dict[str, object]:
        """Verify the seal; what another version of the guard wrote is named as that, sealed our way or not."""
        problem: StateError | None = None
        try:
            value = _object(verify_seal(stored, self.key))
        except StateError as error:
            problem = error
        if problem is None and value.get("schema") == SCHEMA:
            return value
        from harness_guard.store.schemas import other_version

        other = other_version(stored) or problem
        if other is not None:
            raise other
        return value

    def commit(self, state: RunState, expected: bytes | None) -> None:
        """Replace the state, if the expected bytes still stand there.

        Args:
            state: The next state.
            expected: The bytes that it was decided on; ``None`` if there was none.

        Raises:
            Conflict: If other bytes stand there by now.
            StateError: If the next state is malformed.
            StoreError: If it cannot be locked or written; the old state then still stands.
        """
        from harness_guard.store.schema import check_state

        value = state_to_json(state)
        check_state(canonical(value).encode())
        stored = seal(value, self.key)
        self.make_folders()
        with Lock(f"{self.folder}/lock"):
            if read_whole(self.state_file) != expected:
                raise Conflict
            write_atomically(self.state_file, stored)

    def make_folders(self) -> None:
        """Make the run's folder and those in it."""
        for name in _FOLDERS:
            make_folders(f"{self.folder}/{name}")

    def raise_marker(self) -> None:
        """Mark the session as one with an active run."""
        make_folders(self.places.active)
        write_atomically(self.places.marker(self.session_id), b"")

    def drop_marker(self) -> None:
        """Let the session fall silent."""
        remove(self.places.marker(self.session_id))

    def is_turn_seen(self, turn_id: str) -> bool:
        """Whether an earlier event of the session carried this turn or prompt id."""
        return os.path.lexists(self._turn_file(turn_id))

    def note_turn(self, turn_id: str) -> None:
        """Remember a turn or prompt id.

        Raises:
            StoreError: If it cannot be kept.
        """
        path = self._turn_file(turn_id)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise StoreError("store.turns", f"{path}: {error.strerror}", "Make room, then try again.") from error

    def _turn_file(self, turn_id: str) -> str:
        return f"{self.folder}/turns/{sha256_hex(turn_id.encode())}"

    def engine_runs(self) -> bool:
        """Whether an engine run of this session is under way."""
        return is_held(self.engine_lock)

    def begin_archive(self) -> str | None:
        """Copy the state of an earlier run into ``archive/NNNN/``, read or unread; nothing is deleted.

        Copied, not moved: until the new state replaces it, it still stands (promise P4).

        Returns:
            The folder, for :meth:`finish_archive`; ``None`` if no earlier run has left anything.

        Raises:
            StoreError: If it cannot be copied.
        """
        self.make_folders()
        if not any(self._is_of_run(name) for name in os.listdir(self.folder)):
            return None
        target = self._new_archive()
        try:
            stored = self.stored()
        except StoreError:
            if self._is_readable():
                raise  # a whole state that only this one try did not read stays where it is (P4)
            self._move("state.json", target)  # a link, a folder, or a file that nobody may read: nothing is lost
            return target
        if stored is not None:
            write_atomically(f"{target}/state.json", stored)
        return target

    def finish_archive(self, target: str) -> None:
        """Move what else an earlier run has left into its archive, after the new state stands.

        Raises:
            StoreError: If something cannot be moved; it then lies beside the new run's files, and nothing is lost.
        """
        for name in os.listdir(self.folder):
            if name != "state.json" and self._is_of_run(name):
                self._move(name, target)
        self.make_folders()

    def _is_readable(self) -> bool:
        path = self.state_file
        return os.path.isfile(path) and not os.path.islink(path) and os.access(path, os.R_OK)

    def _move(self, name: str, target: str) -> None:
        try:
            os.rename(f"{self.folder}/{name}", f"{target}/{name}")
            sync_folder(self.folder)
        except OSError as error:
            raise StoreError("store.archive", f"{target}: {error.strerror}", "Repair its permissions.") from error

    def _new_archive(self) -> str:
        """Make the next numbered folder below ``archive/``, which no earlier run has filled."""
        number = max((int(name) for name in os.listdir(f"{self.folder}/archive") if name.isdecimal()), default=0)
        while True:
            number += 1
            target = f"{self.folder}/archive/{number:04d}"
            try:
                os.mkdir(target, 0o700)
            except FileExistsError:
                continue  # another hook archives at the same time
            except OSError as error:
                seen = f"{target}: {error.strerror}"
                raise StoreError("store.archive", seen, "Make room, then try again.") from error
            return target

    def _is_of_run(self, name: str) -> bool:
        if name in ("archive", "turns", "answers", "lock", "engine.lock") or name.endswith(".tmp"):
            return False
        path = f"{self.folder}/{name}"
        return not os.path.isdir(path) or bool(os.listdir(path))

    def keep_text(self, digest: str, text: str) -> None:
        """Keep an artifact's text under its hash."""
        self.make_folders()
        write_atomically(self._text_file(digest), text.encode())

    def load_text(self, digest: str) -> str:
        """Read an artifact's text, if it still has its hash.

        Raises:
            StateError: If it is missing or changed.
        """
        stored = read_whole(self._text_file(digest))
        if stored is None or f"sha256:{sha256_hex(stored)}" != digest:
            raise StateError("store.artifact", f"the kept text of {digest} is missing or changed", _MEND)
        return stored.decode()

    def _text_file(self, digest: str) -> str:
        return f"{self.folder}/artifacts/{digest.removeprefix('sha256:')}.md"

    def save_sealed(self, name: str, value: dict[str, object]) -> None:
        """Write a sealed side file below ``evidence/``; its value needs a member ``schema``.

        Raises:
            StoreError: If it is malformed or cannot be written.
        """
        from harness_guard.store.side_schemas import check_side

        check_side(value)
        self.make_folders()
        write_atomically(f"{self.folder}/evidence/{name}", seal(value, self.key))

    def load_sealed(self, name: str) -> dict[str, object] | None:
        """Read a sealed side file; ``None`` if there is none.

        Raises:
            StateError: If it is not what the guard wrote.
        """
        stored = read_whole(f"{self.folder}/evidence/{name}")
        return None if stored is None else _object(verify_seal(stored, self.key))

    def remove_side(self, name: str) -> None:
        """Remove a side file below ``evidence/``.

        Raises:
            StoreError: If it stays.
        """
        remove(f"{self.folder}/evidence/{name}")


def _object(text: bytes) -> dict[str, object]:
    try:
        value = loads(text.decode())
    except (JsonError, UnicodeDecodeError) as error:
        raise StateError("store.shape", f"the state cannot be read: {error}", _MEND) from error
    if not isinstance(value, dict):
        raise StateError("store.shape", "the state is no object", _MEND)
    return value
