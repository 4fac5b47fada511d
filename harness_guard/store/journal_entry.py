"""What the journal says of one event: who asked, what was seen, what was answered, what changed; secrets left out."""

from __future__ import annotations

import time

from harness_guard.store.redaction import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.event import Event
    from harness_guard.kernel.outcome import Outcome
    from harness_guard.kernel.state import RunState

_TEXT_LIMIT: Final = 2000  # characters of a command or message; the rest is told by its length
_NAMING: Final = (
    "command",
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "url",
    "skill",
    "subagent_type",
    "task_name",
)


def entry_of(event: Event, outcome: Outcome, *, before: RunState | None, after: RunState | None) -> dict[str, object]:
    """Give the journal's entry as a JSON object.

    Args:
        event: What the host asked.
        outcome: What was decided.
        before: The run before, ``None`` if there was none.
        after: The run afterwards.
    """
    entry: dict[str, object] = {
        "at_ms": time.time_ns() // 1_000_000,
        "event": event.name,
        "verdict": outcome.decision.verdict,
    }
    optional = {
        "turn": event.turn_id,
        "agent": event.agent_id,
        "tool": event.tool_name,
        "call": event.tool_use_id,
        "input": _named(event),
        "prompt": _text(event.prompt),
        "message": _text(event.message),
        "note": outcome.note,
    }
    entry.update({name: value for name, value in optional.items() if value})
    reason = outcome.decision.reason
    if reason is not None:
        entry.update(rule=reason.rule, seen=_text(reason.seen))
    if after is not None:
        entry.update(run=after.run_id, revision=after.revision, state=after.state)
        if before is None or before.state != after.state:
            entry["from"] = before.state if before is not None else None
    return entry


def _named(event: Event) -> dict[str, object]:
    arguments = event.tool_input or {}
    return {name: _text(value) for name in _NAMING if isinstance(value := arguments.get(name), str)}


def _text(text: str) -> str:
    if not text:
        return ""
    cut = text if len(text) <= _TEXT_LIMIT else f"{text[:_TEXT_LIMIT]}… ({len(text)} characters)"
    return redact(cut.encode(errors="replace").decode())
