"""The host's transcript as a witness: who wrote a prompt, and when it was handed to the host (contract section 5).

Only Claude Code names an author (Claude FACTS, section 6). Rows are JSON lines; the newest stand at the end.
"""

from __future__ import annotations

import os

from harness_guard.rawjson import JsonError, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from harness_guard.kernel.questions import Author

_TAIL_BYTES: Final = 16_000_000  # what one turn of a long run may have written before its first call
_HUMAN_SOURCES: Final = ("typed", "sdk", "queued")


def author_of(host: str, path: str | None, turn_id: str, *, after_ms: int) -> Author:
    """Tell who wrote a prompt.

    Args:
        host: Only Claude Code's transcript names authors.
        path: The transcript.
        turn_id: The prompt's id.
        after_ms: A prompt that was handed to the host before this moment counts as forged.

    Returns:
        ``human``, ``forged``, ``missing`` (no row yet), ``unreadable`` or ``unknown`` (the host names none).
    """
    if host != "claude":
        return "unknown"
    if path is None:
        return "unreadable"
    found: Author = "missing"
    try:
        for row in _rows(path, turn_id):
            if row.get("type") == "user" and row.get("promptId") == turn_id and not _is_tool_result(row):
                verdict = _judge(row, after_ms)
                if verdict == "forged":
                    return verdict
                found = verdict
    except (OSError, JsonError, UnicodeDecodeError, RecursionError):
        return "unreadable"
    return found


def _is_tool_result(row: dict[str, object]) -> bool:
    """Rows of tool results carry the prompt's id too; they have no author."""
    return "promptSource" not in row and "origin" not in row


def _judge(row: dict[str, object], after_ms: int) -> Author:
    origin = row.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    source = row.get("promptSource")
    if (origin is not None and kind != "human") or row.get("isMeta") is True:
        return "forged"
    if source is not None and source not in _HUMAN_SOURCES:
        return "forged"
    sent = row.get("sentAtMs")
    if isinstance(sent, int | float) and sent < after_ms:
        return "forged"
    return "human"


def _rows(path: str, needle: str) -> Iterator[dict[str, object]]:
    """Yield the rows of the transcript's end that hold a text."""
    with open(path, "rb") as handle:
        size = os.fstat(handle.fileno()).st_size
        handle.seek(max(0, size - _TAIL_BYTES))
        wanted = needle.encode()
        for line in handle.read().split(b"\n"):
            if wanted in line and line.endswith(b"}") and line.startswith(b"{"):
                row = loads(line.decode())
                if isinstance(row, dict):
                    yield row


def was_queued_before(path: str | None, prompt: str, before_ms: int) -> bool:
    """Tell whether the transcript shows a prompt as enqueued before a moment and delivered after it.

    Args:
        path: The transcript; ``None`` shows nothing.
        prompt: The prompt's text.
        before_ms: The moment, in milliseconds since the epoch.

    Returns:
        True also if the transcript cannot be read: an answer that may be older than its question is none.
    """
    if path is None or not os.path.exists(path):
        return False
    waiting: list[tuple[str, int]] = []
    delivered: list[tuple[str, int]] = []
    try:
        for row in _rows(path, "queue-operation"):
            _replay(row, waiting, delivered, before_ms=before_ms)
    except (OSError, JsonError, UnicodeDecodeError, RecursionError, ValueError):
        return True
    wanted = prompt.rstrip("\r\n")
    return any(text.rstrip("\r\n") == wanted and at < before_ms for text, at in (*waiting, *delivered))


def _replay(
    row: dict[str, object], waiting: list[tuple[str, int]], delivered: list[tuple[str, int]], *, before_ms: int
) -> None:
    """Play one row of the host's queue: enqueue, dequeue (in order) or remove (by text)."""
    operation, content = row.get("operation"), row.get("content")
    at = _milliseconds(row.get("timestamp"))
    if operation == "enqueue":
        waiting.append((content if isinstance(content, str) else "", at))
    elif operation == "dequeue" and waiting:
        item = waiting.pop(0)
        if at >= before_ms:
            delivered.append(item)
    elif operation == "remove":
        for item in waiting:
            if item[0] == content:
                waiting.remove(item)
                break


def _milliseconds(timestamp: object) -> int:
    from datetime import datetime

    if not isinstance(timestamp, str):
        raise ValueError("a queue row without a time")  # noqa: TRY004  bad data, not a wrong type of ours
    return int(datetime.fromisoformat(timestamp).timestamp() * 1000)
