"""Processes as facts: when one started, whether it still runs. A process id alone may have been given away again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_START_FIELD: Final = 22  # proc(5): field 22 of /proc/PID/stat is the start time in clock ticks since boot


def started_at(pid: int) -> str:
    """Give when a process started, in the system's own words; ``""`` if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as handle:
            text = handle.read()
    except FileNotFoundError:
        return _from_ps(pid)
    except OSError:
        return ""
    # The program's name stands in parentheses and may hold anything; fields are counted behind the last one.
    fields = text.rpartition(b")")[2].split()
    return fields[_START_FIELD - 3].decode()


def _from_ps(pid: int) -> str:
    """Ask ps where there is no /proc (macOS)."""
    from os.path import exists

    if exists("/proc/self/stat"):
        return ""
    import subprocess

    argv = ["/bin/ps", "-o", "lstart=", "-p", str(pid)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=5)
    return done.stdout.strip()


def is_alive(pid: int, started: str) -> bool:
    """Tell whether the process with this id and this start still runs."""
    return bool(started) and started_at(pid) == started
