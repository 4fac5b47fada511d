"""One line of the doctor's report."""

from __future__ import annotations

from harness_guard.records import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and what was found.

    Attributes:
        title: What was looked at, a few words.
        is_ok: Whether it is as it has to be.
        seen: What was found.
        mend: What to do, a sentence that starts with a verb; ``""`` if nothing is to be done.
    """

    title: str
    is_ok: bool
    seen: str
    mend: str = ""


def fine(title: str, seen: str) -> Check:
    """Make the line of something that is as it has to be."""
    return Check(title, is_ok=True, seen=seen)


def wrong(title: str, seen: str, mend: str) -> Check:
    """Make the line of something that is not."""
    return Check(title, is_ok=False, seen=seen, mend=mend)
