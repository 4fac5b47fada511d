"""Run accepted commands: argv without a shell, a time limit, nothing of them living on (contract section 8)."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time

from harness_guard.errors import EvidenceError
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness_guard.policy.model import Check


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one command did.

    Attributes:
        check: The command.
        exit_status: Negative for a signal, ``None`` if it could not be started.
        timed_out: Whether it was ended at its limit.
        tail: The end of its output.
        digest: Hash of all its output.
        started_at_ms: Wall clock, milliseconds since the epoch.
        ended_at_ms: The same at its end.
    """

    check: Check
    exit_status: int | None
    timed_out: bool
    tail: str
    digest: str
    started_at_ms: int
    ended_at_ms: int

    @property
    def is_green(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.exit_status == 0 and not self.timed_out


def run_check(check: Check, root: str, environ: Mapping[str, str]) -> RunResult:
    """Run one command at the repository's root under a supervisor that outlives no interruption.

    Args:
        check: The accepted command; its text is split as POSIX words.
        root: Absolute path of the repository.
        environ: The clean environment.

    Raises:
        EvidenceError: If the supervisor itself fails: nothing is known of the command then.
    """
    order = {"argv": shlex.split(check.command), "cwd": root, "env": dict(environ), "timeout_s": check.timeout_s}
    started = _now_ms()
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "supervisor.py")
    # The pipe stays open as long as this process lives; its end is what the supervisor watches. It has a session of
    # its own, because Codex kills the hook's process group with the hook, and then nobody would be left to clean up.
    with subprocess.Popen(
        [sys.executable, "-I", "-S", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin"},
        start_new_session=True,
    ) as supervisor:
        if supervisor.stdin is None or supervisor.stdout is None:
            raise RuntimeError("the supervisor was started without pipes")
        supervisor.stdin.write(json.dumps(order).encode() + b"\n")
        supervisor.stdin.flush()
        line = supervisor.stdout.readline()
    if not line:
        raise EvidenceError("evidence.engine", f"the run of {check.id} was cut short", "Spawn the Reviewer again.")
    found = json.loads(line)
    return RunResult(
        check=check,
        exit_status=found["exit_status"],
        timed_out=found["timed_out"],
        tail=found["tail"] or found["error"],
        digest=found["digest"],
        started_at_ms=started,
        ended_at_ms=_now_ms(),
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
