"""A session whose state cannot be read, as a value: what is wrong with it, and whether its run counts as active."""

from __future__ import annotations

from harness_guard.records import dataclass


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a session's state cannot be read.

    Attributes:
        rule: Rule id of the store's error.
        seen: What was seen.
        remedy: What to do.
        is_active: Whether the session has the marker of an active run.
    """

    rule: str
    seen: str
    remedy: str
    is_active: bool
