"""The Anthropic Messages API as Claude Code speaks it, streaming."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.e2e.hosts.model_server import Request
from tests.e2e.hosts.script import Call, JsonObject, Parallel, Result, Say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.hosts.script import Answer

_USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
_CHILD_MARK = "cc_is_subagent=true"


class MessagesApi:
    """Reads requests of `POST /v1/messages` and writes their event streams."""

    path = "/v1/messages"

    def read(self, body: JsonObject) -> Request:
        """Understand a request: the billing line tells a child; a request without tools is the host's own."""
        system = [block.get("text", "") for block in body.get("system") or []]
        messages = body.get("messages", [])
        pieces: list[str] = []
        results: dict[str, Result] = {}
        for message in messages:
            for block in _blocks(message.get("content")):
                if block.get("type") == "tool_result":
                    text = "\n".join(_texts(block.get("content")))
                    results[block["tool_use_id"]] = Result(text, bool(block.get("is_error")))
                    pieces.append(text)
                elif block.get("type") == "text":
                    pieces.append(block.get("text", ""))
        first: JsonObject = next((m for m in messages if m.get("role") == "user"), {})
        return Request(
            child=any(_CHILD_MARK in text for text in system),
            side=not body.get("tools"),
            task="\n".join(_texts(first.get("content"))),
            pieces=tuple(pieces),
            results=results,
        )

    def stream(self, answer: Answer, ids: tuple[str, ...], body: JsonObject) -> Iterator[bytes]:
        """One message of text or tool-use blocks."""
        parts = answer.calls if isinstance(answer, Parallel) else (answer,)
        stop = "end_turn" if isinstance(answer, Say) else "tool_use"
        message: JsonObject = {
            "id": f"msg_{ids[0]}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [],
        }
        yield _event("message_start", message={**message, "stop_reason": None, "stop_sequence": None, "usage": _USAGE})
        for index, (part, ident) in enumerate(zip(parts, ids, strict=True)):
            block, delta = _block(part, ident)
            yield _event("content_block_start", index=index, content_block=block)
            yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        yield _event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage=_USAGE)
        yield _event("message_stop")


def _block(part: Say | Call, ident: str) -> tuple[JsonObject, JsonObject]:
    if isinstance(part, Say):
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": part.text}
    start = {"type": "tool_use", "id": ident, "name": part.tool, "input": {}}
    return start, {"type": "input_json_delta", "partial_json": json.dumps(part.arguments)}


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _blocks(content: object) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or [] if isinstance(block, dict)] if isinstance(content, list) else []


def _texts(content: object) -> list[str]:
    return [block.get("text", "") for block in _blocks(content) if block.get("type") == "text"]
