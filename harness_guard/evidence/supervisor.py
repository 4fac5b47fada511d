"""A process of its own between the engine and one command: it ends everything the command started (contract section 8).

Standard library only, started as a script. Both hosts kill the hook when the user interrupts; this process then sees
its standard input end, or gets the parent-death signal, and kills the command's whole process tree. It is a child
subreaper (prctl(2)), so that a process which left the command's session still becomes its child and is found.

Reads one JSON line ``{"argv", "cwd", "env", "timeout_s"}``; writes one JSON line ``{"exit_status", "timed_out",
"tail", "digest", "error"}``.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import select
import signal
import subprocess
import sys
import time

TAIL_BYTES = 4000  # what a reason can carry beside its own words
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36
_POLL_S = 0.2
_is_gone = False


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _children() -> list[int]:
    """List our living children, those of /proc that name us as their parent."""
    if not os.path.isdir("/proc/self"):
        return []
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as handle:
                    parent = int(handle.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            if parent == os.getpid():
                found.append(int(name))
    return found


def end_all(group: int) -> None:
    """Kill the command's process group and every orphan that has become our child, until none is left."""
    limit = time.monotonic() + 5
    while time.monotonic() < limit:
        for target in (-group, *_children()):
            try:
                os.kill(target, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            if not _children():
                return
        time.sleep(0.01)


class Output:
    """The end and the digest of what a command prints."""

    def __init__(self) -> None:
        """Start empty."""
        self.tail = b""
        self._digest = hashlib.sha256()

    def add(self, chunk: bytes) -> None:
        """Take more output."""
        self._digest.update(chunk)
        self.tail = (self.tail + chunk)[-TAIL_BYTES:]

    def digest(self) -> str:
        """Give the digest of everything printed."""
        return f"sha256:{self._digest.hexdigest()}"


def watch(process: subprocess.Popen[bytes], output: Output, timeout_s: float) -> bool:
    """Read a command's output until it ends, its time is over or the engine is gone.

    Returns:
        Whether its time was over.

    Raises:
        EOFError: If the engine is gone.
    """
    limit = time.monotonic() + timeout_s
    stream = process.stdout
    if stream is None:
        raise RuntimeError("the command was started without a pipe")
    sources = [stream.fileno(), 0]
    while process.poll() is None:
        if _is_gone:
            raise EOFError
        if time.monotonic() >= limit:
            return True
        ready, _, _ = select.select(sources, [], [], _POLL_S)
        if 0 in ready and not os.read(0, 1):
            raise EOFError
        if stream.fileno() in ready:
            chunk = os.read(stream.fileno(), 65536)
            output.add(chunk)
            if not chunk:
                sources = [0]
    _drain(stream.fileno(), output)
    return False


def _drain(handle: int, output: Output) -> None:
    while select.select([handle], [], [], 0)[0]:
        chunk = os.read(handle, 65536)
        if not chunk:
            return
        output.add(chunk)


def run(order: dict[str, object]) -> dict[str, object]:
    """Run one command to its end.

    Raises:
        EOFError: If the engine is gone; everything is ended then.
    """
    output = Output()
    try:
        process = subprocess.Popen(
            order["argv"],  # type: ignore[call-overload]  # the engine sent it
            cwd=order["cwd"],
            env=order["env"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return {"exit_status": None, "timed_out": False, "tail": "", "digest": output.digest(), "error": str(error)}
    try:
        timed_out = watch(process, output, float(str(order["timeout_s"])))
        status = process.poll()
    finally:
        end_all(process.pid)
    return {
        "exit_status": -signal.SIGKILL if status is None else status,
        "timed_out": timed_out,
        "tail": output.tail.decode(errors="replace"),
        "digest": output.digest(),
        "error": "",
    }


def main() -> int:
    """Read the order, obey it, report."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, _gone)
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            return 1
        line += byte
    try:
        result = run(json.loads(line))
    except EOFError:
        return 1
    os.write(1, json.dumps(result).encode() + b"\n")
    return 0


def _gone(_number: int, _frame: object) -> None:
    # No exception: it could come while the command's processes are being ended, and leave one alive.
    global _is_gone  # noqa: PLW0603  a signal handler has no other place to remember
    _is_gone = True


if __name__ == "__main__":
    sys.exit(main())
