"""The family of errors: every one carries a rule id, what was seen and what to do next.

An error here means "could not decide" or "this input is not what it claims to be". A refusal is no error: it is a
decision (kernel/decision.py). Misuse by our own code is a plain ``RuntimeError``.
"""

from __future__ import annotations


class HarnessError(Exception):
    """Something could not be decided, read or done.

    Attributes:
        rule: Stable id of the rule, ``room.what``.
        seen: What was found, one sentence without a full stop.
        remedy: What to do next, a sentence that starts with a verb.
    """

    def __init__(self, rule: str, seen: str, remedy: str) -> None:
        """Take the three parts that every answer of the guard has (contract P9)."""
        super().__init__(f"{rule}: {seen}; {remedy}")
        self.rule = rule
        self.seen = seen
        self.remedy = remedy


class PayloadError(HarnessError):
    """A host's payload is not what contract section 2 requires of it."""


class StateError(HarnessError):
    """The state of a run cannot be read, is sealed wrongly or is of another schema."""


class StoreError(HarnessError):
    """The store cannot be locked or written."""


class EvidenceError(HarnessError):
    """Git, the engine or a reader of the world could not give a fact."""


class ArtifactError(HarnessError):
    """A text that has an artifact's heading breaks one of the artifact's rules."""


class ProvisionError(HarnessError):
    """The runtime cannot be prepared on this machine."""
