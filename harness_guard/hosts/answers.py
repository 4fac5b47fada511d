"""Decisions to the one answer that means the same on both hosts, in every one of their failures (contract section 2).

A deny is said three times (object on standard output, reason on standard error, status 2), because each host has a
failure in which it hears only one of them. Codex refuses an answer with an unknown key: the shapes hold nothing else.
"""

from __future__ import annotations

from harness_guard.hosts.wording import context_text, reason_text
from harness_guard.records import dataclass

try:
    from _json import encode_basestring_ascii as _quote
except ImportError:  # another interpreter
    from json.encoder import py_encode_basestring_ascii as _quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.decision import Decision

DENY_STATUS: Final = 2

_DENY_EVENTS: Final = frozenset(("PreToolUse", "PreSkillShellCommand"))
_STOP_EVENTS: Final = frozenset(("Stop", "SubagentStop"))
_CONTEXT_EVENTS: Final = frozenset(("UserPromptSubmit", "SubagentStart"))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a hook writes and how it ends.

    Attributes:
        stdout: Text for standard output, ASCII; empty for none.
        stderr: Text for standard error; empty for none.
        status: Exit status.
    """

    stdout: str
    stderr: str
    status: int


_SILENCE: Final = Answer("", "", 0)


def encode(decision: Decision, event_name: str) -> Answer:
    """Give a decision its form for both hosts.

    Args:
        decision: What was decided.
        event_name: The event that is answered.

    Returns:
        The answer.

    Raises:
        RuntimeError: If the event knows no such verdict, or a refusal has no reason: a mistake in our own code.
    """
    # Silence is the only way to pass: an explicit allow would skip the host's own permission question.
    if decision.verdict == "pass":
        return _SILENCE
    if decision.verdict == "context" and event_name in _CONTEXT_EVENTS:
        return _context(decision.context, event_name)
    if decision.reason is not None:
        reason = reason_text(decision.reason)
        if decision.verdict == "deny" and event_name in _DENY_EVENTS:
            return _deny(reason, event_name)
        if decision.verdict == "block" and event_name in _STOP_EVENTS:
            return Answer(_block_object(reason), "", 0)  # one host reads words of standard error here
        if decision.verdict == "block" and event_name == "ConfigChange":
            return Answer(_block_object(reason), reason + "\n", DENY_STATUS)
    raise RuntimeError(f"no answer of form {decision.verdict} at {event_name}")


def _deny(reason: str, event_name: str) -> Answer:
    shape = '{"hookSpecificOutput":{"hookEventName":%s,"permissionDecision":"deny","permissionDecisionReason":%s}}'
    return Answer(shape % (_quote(event_name), _quote(reason)), reason + "\n", DENY_STATUS)


def _block_object(reason: str) -> str:
    return f'{{"decision":"block","reason":{_quote(reason)}}}'


def _context(text: str, event_name: str) -> Answer:
    if not text:
        return _SILENCE
    shape = '{"hookSpecificOutput":{"hookEventName":%s,"additionalContext":%s}}'
    return Answer(shape % (_quote(event_name), _quote(context_text(text))), "", 0)
