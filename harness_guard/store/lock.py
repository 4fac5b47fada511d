"""One writer at a time per run, by flock(2), with a time limit; a holder that dies lets go by itself."""

from __future__ import annotations

import fcntl
import os
import time

from harness_guard.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Final, Self

LOCK_TIMEOUT_S: Final = 5.0  # half of the front door's deadline, so that waiting ends in an answer
_PAUSE_S: Final = 0.005


class Lock:
    """A lock on a file, as a context manager."""

    __slots__ = ("_handle", "_path", "_timeout_s")

    def __init__(self, path: str, *, timeout_s: float = LOCK_TIMEOUT_S) -> None:
        """Name the lock file and how long to wait, in seconds; zero means not at all."""
        self._path = path
        self._timeout_s = timeout_s
        self._handle = -1

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            StoreError: If it is not free within the time limit, or the file cannot be opened.
        """
        remedy = "Try the same call again; if it stays so, look for a hanging hook process."
        try:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError("store.lock", f"{self._path}: {error.strerror}", remedy) from error
        limit = time.monotonic() + self._timeout_s
        try:
            while not self._try():
                if time.monotonic() >= limit:
                    raise StoreError("store.lock", f"{self._path} is held by another process", remedy)
                time.sleep(_PAUSE_S)
        except OSError as error:
            os.close(self._handle)
            raise StoreError("store.lock", f"{self._path}: {error.strerror}", remedy) from error
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go."""
        os.close(self._handle)

    def _try(self) -> bool:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def is_held(path: str) -> bool:
    """Tell whether some process holds the lock of a file now.

    Raises:
        StoreError: If the file is there and cannot be asked.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError("store.lock", f"{path}: {error.strerror}", "Repair its permissions.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
