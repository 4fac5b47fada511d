"""What the guard answers: a decision with its reason, before any host's form of it (contract P9)."""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Verdict = Literal["pass", "deny", "block", "context"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, in the three parts that every answer has.

    Attributes:
        rule: Stable rule id, ``room.what``, lower case; its meaning never changes.
        seen: One sentence in lower case without a full stop: where, what was found, what was expected.
        remedy: What to do next, a sentence that starts with a verb.
        more: Longer text behind the first line (a filled-in artifact, a command's tail); ``""`` for none.
    """

    rule: str
    seen: str
    remedy: str
    more: str = ""

    @property
    def text(self) -> str:
        """The reason as an agent or a human reads it; the first line stands alone (contract section 2)."""
        first = f"harness-guard {self.rule}: {self.seen}."
        return "\n".join(part for part in (first, f"Next: {self.remedy}", self.more) if part)


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer.

    Attributes:
        verdict: ``pass`` (say nothing), ``deny`` (a tool call), ``block`` (a stop, or a settings change) or
            ``context`` (text for the model beside a prompt or a child's start).
        reason: Why; ``None`` only for ``pass`` and ``context``.
        context: The text of a ``context`` answer.
    """

    verdict: Verdict
    reason: Reason | None = None
    context: str = ""


PASS = Decision("pass")


def deny(rule: str, seen: str, remedy: str, more: str = "") -> Decision:
    """Refuse a tool call, with the three parts of the reason."""
    return Decision("deny", Reason(rule, seen, remedy, more))


def block(rule: str, seen: str, remedy: str, more: str = "") -> Decision:
    """Keep an agent from stopping (or a setting from changing), with the three parts of the reason."""
    return Decision("block", Reason(rule, seen, remedy, more))


def context(text: str) -> Decision:
    """Hand text to the model without objecting."""
    return Decision("context", context=text)
