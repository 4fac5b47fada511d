"""The host's transcript as a witness: rows as the host really writes them, and what somebody else might."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from harness_guard.evidence.transcript import author_of, was_queued_before

if TYPE_CHECKING:
    from pathlib import Path

TURN = "11111111-aaaa"
GATE_MS = 1_796_043_427_500
SDK = {
    "promptId": TURN,
    "type": "user",
    "message": {"role": "user", "content": "y"},
    "promptSource": "sdk",
    "sentAtMs": GATE_MS + 1500,
    "turnOrigin": "sdk",
}
TYPED = {"promptId": TURN, "type": "user", "origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
# What a scheduled prompt gets, in stream-json mode and in the terminal; for a wake-up the source is another.
SCHEDULED = {
    **SDK,
    "isMeta": True,
    "promptSource": "system",
    "queueSkipSlashCommands": True,
    "wakeupSource": "schedule_wakeup",
    "rowSource": "recorded",
    "turnOrigin": "scheduled",
    "queueSkipAttachments": True,
}
IN_TERMINAL = {"scheduledTaskId": "a520cff9", "scheduledFireId": "812bd4cd-eea5", "queuePriority": "later"}
RESULT = {"promptId": TURN, "type": "user", "message": {"role": "user", "content": [{"type": "tool_result"}]}}


def written(folder: Path, *rows: Any) -> str:
    path = folder / "t.jsonl"
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.contract("C5.11")
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((SDK,), "human"),
        ((TYPED,), "human"),
        (({**SDK, "promptSource": "queued"},), "human"),
        ((RESULT,), "missing"),
        ((), "missing"),
        (({**SDK, "promptId": "another"},), "missing"),
        (({**SDK, "type": "assistant"},), "missing"),
        (({"type": "assistant", "message": json.dumps(SDK)},), "missing"),
        ((SDK, RESULT, RESULT), "human"),
        # Made by CronCreate, session-only or durable, and by ScheduleWakeup.
        ((SCHEDULED,), "forged"),
        (({**SCHEDULED, **IN_TERMINAL},), "forged"),
        (({**SCHEDULED, "wakeupSource": "loop_wakeup"},), "forged"),
        # Either of its two marks is enough.
        (({**SCHEDULED, "isMeta": False},), "forged"),
        (({**SCHEDULED, "promptSource": "sdk"},), "forged"),
        # A message to the host's socket, a finished background task, a prompt of the host.
        (({**SDK, "origin": {"kind": "peer"}, "promptSource": "system", "isMeta": True},), "forged"),
        (({**SDK, "origin": {"kind": "task-notification"}, "promptSource": "system"},), "forged"),
        (({**SDK, "promptSource": "system"},), "forged"),
        (({**TYPED, "origin": {"kind": "peer"}},), "forged"),
        (({**TYPED, "origin": {"kind": "Human"}},), "forged"),
        (({**TYPED, "isMeta": True},), "forged"),
        (({**SDK, "promptSource": "loop"},), "forged"),
        (({**SDK, "promptSource": 7},), "forged"),
        (({**SDK, "promptSource": ""},), "forged"),
        (({**TYPED, "origin": "peer"},), "forged"),
        (({**TYPED, "origin": {}},), "forged"),
        (({**TYPED, "origin": {"kind": None}},), "forged"),
        # Handed to the host before the question stood.
        (({**SDK, "sentAtMs": GATE_MS - 1},), "forged"),
        (({**SDK, "sentAtMs": float(GATE_MS) - 0.5},), "forged"),
        (({**SDK, "sentAtMs": GATE_MS},), "human"),
        ((SDK, {**SDK, "promptSource": "system"}), "forged"),
        (({**SDK, "promptSource": "system"}, SDK), "forged"),
        (('{"promptId": "11111111-aaaa", broken}\n', SDK), "unreadable"),
        (('{"promptId": "11111111-aaaa", "type": "user", "promptSource": "sdk"',), "missing"),
    ],
)
def test_who_wrote_a_prompt(tmp_path: Path, rows: tuple[Any, ...], expected: str) -> None:
    assert author_of("claude", written(tmp_path, *rows), TURN, after_ms=GATE_MS) == expected


@pytest.mark.contract("C5.12")
def test_codex_names_no_author(tmp_path: Path) -> None:
    assert author_of("codex", written(tmp_path, {**SDK, "promptSource": "system"}), TURN, after_ms=GATE_MS) == "unknown"


@pytest.mark.contract("C5.12")
def test_a_transcript_that_cannot_be_read(tmp_path: Path) -> None:
    assert author_of("claude", None, TURN, after_ms=0) == "unreadable"
    assert author_of("claude", str(tmp_path / "none"), TURN, after_ms=0) == "unreadable"
    assert author_of("claude", str(tmp_path), TURN, after_ms=0) == "unreadable"
    (tmp_path / "x").write_bytes(b'{"promptId":"11111111-aaaa\xff"}\n')
    assert author_of("claude", str(tmp_path / "x"), TURN, after_ms=0) == "unreadable"


def test_only_the_end_of_a_huge_transcript_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.evidence.transcript._TAIL_BYTES", 4000)
    filler = {"type": "assistant", "text": "x" * 3000}
    assert author_of("claude", written(tmp_path, SDK, filler, filler), TURN, after_ms=0) == "missing"
    assert author_of("claude", written(tmp_path, filler, filler, SDK), TURN, after_ms=0) == "human"


def at(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def queue(operation: str, ms: int, content: str | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {"type": "queue-operation", "operation": operation, "timestamp": at(ms), "sessionId": "s"}
    return row if content is None else {**row, "content": content}


@pytest.mark.contract("C5.4")
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((), False),
        # Every prompt of an idle host has these two rows.
        ((queue("enqueue", GATE_MS + 2000, "y"), queue("dequeue", GATE_MS + 2001)), False),
        ((queue("enqueue", GATE_MS + 2000, "y"),), False),
        # Typed while the Plan streamed: enqueued before the gate, delivered after it.
        ((queue("enqueue", GATE_MS - 300, "y"), queue("dequeue", GATE_MS + 150)), True),
        ((queue("enqueue", GATE_MS - 300, "y"),), True),
        ((queue("enqueue", GATE_MS - 300, "y\n"), queue("dequeue", GATE_MS + 150)), True),
        ((queue("enqueue", GATE_MS - 300, "y\r\n"),), True),
        # An earlier y, delivered before the gate, and one that was taken in by the running turn.
        ((queue("enqueue", GATE_MS - 900, "y"), queue("dequeue", GATE_MS - 800)), False),
        (
            (
                queue("enqueue", GATE_MS - 900, "y"),
                {**queue("remove", GATE_MS - 800, "y"), "reason": "absorbed_mid_turn"},
            ),
            False,
        ),
        # Others in the queue: first in, first out.
        (
            (
                queue("enqueue", GATE_MS - 900, "hello"),
                queue("enqueue", GATE_MS - 500, "y"),
                queue("dequeue", GATE_MS - 400),
                queue("dequeue", GATE_MS + 9),
            ),
            True,
        ),
        (
            (
                queue("enqueue", GATE_MS - 900, "hello"),
                queue("dequeue", GATE_MS + 9),
                queue("enqueue", GATE_MS + 2000, "y"),
            ),
            False,
        ),
        (({"type": "queue-operation", "operation": "enqueue", "content": "y"},), True),
        (({"type": "queue-operation", "operation": "enqueue", "content": "y", "timestamp": "yesterday"},), True),
        (('{"type":"queue-operation", broken}\n',), True),
    ],
)
def test_whether_a_prompt_was_queued_before_its_question(
    tmp_path: Path, rows: tuple[Any, ...], *, expected: bool
) -> None:
    assert was_queued_before(written(tmp_path, *rows), "y", GATE_MS) == expected


def test_no_transcript_shows_nothing(tmp_path: Path) -> None:
    assert not was_queued_before(None, "y", GATE_MS)
    assert not was_queued_before(str(tmp_path / "none"), "y", GATE_MS)
    assert was_queued_before(str(tmp_path), "y", GATE_MS)
