"""The Responses API as Codex speaks it, streaming."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.e2e.hosts.model_server import Request
from tests.e2e.hosts.script import Call, JsonObject, Parallel, Result, Say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.hosts.script import Answer

_USAGE = {
    "input_tokens": 90,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 100,
}
_CHILD_MARK = "x-openai-subagent"


class ResponsesApi:
    """Reads requests of `POST /v1/responses` and writes their event streams."""

    path = "/responses"

    def read(self, body: JsonObject) -> Request:
        """Understand a request: the client's metadata tells a child."""
        pieces: list[str] = []
        results: dict[str, Result] = {}
        task: list[str] = []
        for item in body.get("input") or []:
            kind = item.get("type", "message")
            if str(kind).endswith("_output"):
                text = "\n".join(_strings(item.get("output")))
                results[item["call_id"]] = Result(text, failed=False)
                pieces.append(text)
            elif kind in ("message", "agent_message"):
                text = "\n".join(_strings(item.get("content")))
                pieces.append(text)
                if kind == "agent_message" or item.get("role") == "user":
                    task.append(text)
        child = _CHILD_MARK in (body.get("client_metadata") or {})
        return Request(child=child, side=False, task="\n".join(task), pieces=tuple(pieces), results=results)

    def stream(self, answer: Answer, ids: tuple[str, ...], body: JsonObject) -> Iterator[bytes]:
        """One response of messages or calls."""
        del body
        parts = answer.calls if isinstance(answer, Parallel) else (answer,)
        response = f"resp_{ids[0]}"
        yield _event("response.created", response={"id": response})
        for index, (part, ident) in enumerate(zip(parts, ids, strict=True)):
            item = _item(part, ident)
            yield _event("response.output_item.added", output_index=index, item=item)
            yield _event("response.output_item.done", output_index=index, item=item)
        yield _event("response.completed", response={"id": response, "usage": _USAGE, "end_turn": None})


def _item(part: Say | Call, ident: str) -> JsonObject:
    if isinstance(part, Say):
        content = [{"type": "output_text", "text": part.text}]
        return {"type": "message", "id": f"msg_{ident}", "role": "assistant", "content": content}
    item: JsonObject = {"call_id": ident, "name": part.tool}
    if isinstance(part.arguments, str):
        return item | {"type": "custom_tool_call", "id": f"ctc_{ident}", "status": "completed", "input": part.arguments}
    item |= {"type": "function_call", "id": f"fc_{ident}", "arguments": json.dumps(part.arguments)}
    return item if part.namespace is None else item | {"namespace": part.namespace}


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _strings(node: object) -> list[str]:
    if isinstance(node, str):
        return [node]
    if isinstance(node, list):
        return [text for child in node for text in _strings(child)]
    if isinstance(node, dict):
        return [text for key, child in node.items() if key != "type" for text in _strings(child)]
    return []
