"""Atomic files below the data folder: temp file in the same folder, fsync, rename, fsync of the folder (promise P4)."""

from __future__ import annotations

import os

from harness_guard.errors import StoreError

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_folders(path: str) -> None:
    """Make a folder and what is missing above it, for the user alone.

    Raises:
        StoreError: If it cannot be made.
    """
    try:
        os.makedirs(path, FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise _failed(path, error) from error


def write_atomically(path: str, data: bytes) -> None:
    """Replace a file as a whole: afterwards, and after a crash at any instant, it is the old one or the new one.

    Args:
        path: Absolute path; its folder exists.
        data: Everything that the file will hold.

    Raises:
        StoreError: If any step fails; the old file then still stands.
    """
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
        try:
            _write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(temporary, path)
        sync_folder(os.path.dirname(path))
    except OSError as error:
        _forget(temporary)
        raise _failed(path, error) from error


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def sync_folder(path: str) -> None:
    """Make the names in a folder durable; until then a power failure may undo a rename (fsync(2))."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_whole(path: str) -> bytes | None:
    """Read a file that is no link; ``None`` if there is none.

    Raises:
        StoreError: If it is there and cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failed(path, error) from error
    try:
        found = b""
        while chunk := os.read(handle, 1 << 20):
            found += chunk
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        os.close(handle)
    return found


def remove(path: str) -> None:
    """Remove a file; that it is not there is fine.

    Raises:
        StoreError: If it stays.
    """
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _failed(path, error) from error


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # a leftover temp file is never read


def _failed(path: str, error: OSError) -> StoreError:
    seen = f"{path}: {error.strerror or error}"
    return StoreError("store.write", seen, "Make room or repair the permissions, then try again.")
