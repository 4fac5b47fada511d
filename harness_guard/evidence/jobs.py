"""Processes run side by side under one time limit, for facts that only a program can tell."""

from __future__ import annotations

import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LARGEST_ANSWER = 16 * 1024 * 1024  # bytes; shfmt's tree is some 150 times its text


class Job:
    """One process with its pipes."""

    __slots__ = ("answer", "into", "out", "pid", "rest", "status")

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], text: bytes) -> None:
        """Start it; a program that cannot be started counts as one that failed."""
        read_end, self.into = os.pipe()
        self.out, write_end = os.pipe()
        actions = [
            (os.POSIX_SPAWN_DUP2, read_end, 0),
            (os.POSIX_SPAWN_DUP2, write_end, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        self.pid, self.status, self.answer, self.rest = -1, -1, bytearray(), memoryview(text)
        try:
            self.pid = os.posix_spawn(argv[0], list(argv), dict(environ), file_actions=actions)
        except OSError:
            os.close(self.into)
            self.into = -1
        os.close(read_end)
        os.close(write_end)
        if self.into >= 0:
            os.set_blocking(self.into, False)

    def feed(self) -> None:
        """Write some more of the text."""
        try:
            self.rest = self.rest[os.write(self.into, self.rest) :] if self.rest else self.rest
        except BlockingIOError:
            return
        except OSError:
            self.rest = memoryview(b"")
        if not self.rest:
            os.close(self.into)
            self.into = -1

    def take(self) -> None:
        """Read some more of the answer."""
        piece = os.read(self.out, 1 << 16)
        self.answer += piece
        if not piece or len(self.answer) > LARGEST_ANSWER:
            os.close(self.out)
            self.out = -1

    def end(self) -> None:
        """Close what is open and collect the process; one that did not finish is killed and counts as failed."""
        is_done = self.out < 0 and len(self.answer) <= LARGEST_ANSWER
        for end in (self.into, self.out):
            if end >= 0:
                os.close(end)
        if self.pid < 0:
            return
        if not is_done:
            os.kill(self.pid, 9)
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status) if is_done else -1


def run(jobs: Sequence[Job], deadline: float) -> None:
    """Run the processes until all have answered, or the deadline of the monotonic clock is over."""
    try:
        while any(job.out >= 0 for job in jobs):
            left = deadline - time.monotonic()
            poll = select.poll()
            ends = {}
            for job in jobs:
                if job.into >= 0:
                    poll.register(job.into, select.POLLOUT)
                    ends[job.into] = job.feed
                if job.out >= 0:
                    poll.register(job.out, select.POLLIN)
                    ends[job.out] = job.take
            ready = poll.poll(left * 1000) if left > 0 else []
            if not ready:
                return
            for end, _ in ready:
                ends[end]()
    finally:
        for job in jobs:
            job.end()


def text_of(job: Job) -> str:
    """Give a process's answer as a text, ``""`` if it failed."""
    return bytes(job.answer).decode("utf-8", "surrogateescape") if job.status == 0 else ""
