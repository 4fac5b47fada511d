"""The journal: one JSON line an event, decision and transition, only ever appended (contract section 9, promise P9)."""

from __future__ import annotations

import fcntl
import os

from harness_guard.canonical import canonical
from harness_guard.errors import StoreError
from harness_guard.store.files import FILE_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def append(path: str, entry: Mapping[str, object]) -> None:
    """Append one entry as one line.

    One ``write`` on a file opened for appending, under a lock that ends with it: lines of hooks that run side by side
    do not mix, and what a full disk cut short is told from what another hook is writing.

    Args:
        path: Absolute path of the journal; its folder exists.
        entry: A JSON object whose texts are redacted already.

    Raises:
        StoreError: If the line cannot be written.
    """
    line = canonical(dict(entry)).encode() + b"\n"
    try:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # A line that a full disk cut short stays a line of its own.
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                line = b"\n" + line
            if os.write(handle, line) != len(line):
                raise StoreError("store.journal", f"{path}: the disk is full", "Make room, then try again.")
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError("store.journal", f"{path}: {error.strerror}", "Make room, then try again.") from error
