"""The clock runs only where the front door has started it."""

from __future__ import annotations

import signal

from harness_guard.runtime import deadline


def test_extending_a_clock_that_was_never_started_arms_nothing() -> None:
    deadline.extend(120)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
