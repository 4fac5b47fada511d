"""The front door's own time limit, which ends before any host's and answers instead of dying (contract section 2).

Both hosts let the tool run when their limit expires. So the guard has its own: first an exception that lets locks and
children be cleaned up, then, for code that swallows it, the answer itself and the end of the process. Code that holds
the interpreter without returning to it (a regular expression, a parser written in C) never runs a Python handler: for
that the kernel ends the process after the same amount of CPU time, and the launcher answers for it. The two timers
belong to the process alone; no child inherits them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from types import FrameType
    from typing import Final
else:
    import _signal  # ``signal`` itself imports ``enum``, which alone costs most of a bare start

DEADLINE_S: Final = 10.0
GRACE_S: Final = 1.0  # what cleaning up may take
CPU_GRACE_S: Final = 3.0  # CPU time never runs ahead of the clock in a process with one thread


class DeadlineError(BaseException):
    """The time is over; no ``Exception``, so that no handler of failures keeps it."""


_answer: Callable[[], None] | None = None
_expired = False


def _expire(_number: int, _frame: FrameType | None) -> None:
    global _expired  # noqa: PLW0603  a signal handler has no other place to remember
    if _expired:
        if _answer is not None:
            _answer()
        return
    _expired = True
    raise DeadlineError


def start(answer: Callable[[], None]) -> None:
    """Start the clock.

    Args:
        answer: Writes the failure answer and ends the process; called when the exception was not heeded.
    """
    global _answer  # noqa: PLW0603
    _answer = answer
    _signal.signal(_signal.SIGALRM, _expire)
    _signal.signal(_signal.SIGPROF, _signal.SIG_DFL)
    extend(0.0)


def extend(seconds: float) -> None:
    """Allow ``seconds`` more than ``DEADLINE_S`` from now on: for an engine run, whose limit is the plan's.

    Without a started clock nothing happens: the command line and tests use the same code and have no host to answer.

    Args:
        seconds: Wall-clock seconds on top of the usual limit, not negative.
    """
    if _answer is None:
        return  # an alarm that nobody handles would end the process
    limit = DEADLINE_S + seconds
    # The interval fires again after the grace: that is the second alarm, which ends what swallowed the first.
    _signal.setitimer(_signal.ITIMER_REAL, limit, GRACE_S)
    _signal.setitimer(_signal.ITIMER_PROF, limit + CPU_GRACE_S)


def stop() -> None:
    """Stop the clock: the decision is made and only has to be written."""
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    _signal.setitimer(_signal.ITIMER_PROF, 0)
