"""A host's payload, as bytes, to the one event (contract section 2): decoded whole or refused with the field's name.

Nothing is guessed. Unknown fields are dropped, required ones must be there and of the right type, and the host is told
by fields that only it sends; the environment decides only where the payload does not.
"""

from __future__ import annotations

from harness_guard import rawjson
from harness_guard.errors import PayloadError
from harness_guard.hosts import claude, codex, fields
from harness_guard.kernel.event import EVENT_NAMES, Event
from harness_guard.places import is_session_id
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from harness_guard.kernel.event import EventName, HostName

_TOOL_EVENTS: Final = frozenset(("PreToolUse", "PreSkillShellCommand"))
_CHILD_EVENTS: Final = frozenset(("SubagentStart", "SubagentStop"))
_STOP_EVENTS: Final = frozenset(("Stop", "SubagentStop"))
_KNOWN_TOOLS: Final = {"claude": claude.KNOWN_TOOLS, "codex": codex.KNOWN_TOOLS}


def decode(raw: bytes, environ: Mapping[str, str]) -> Event:
    """Decode one payload.

    Args:
        raw: What the host wrote to the hook's standard input, whole.
        environ: The hook's environment.

    Returns:
        The event; ``process.started`` is empty, because only the operating system knows it.

    Raises:
        PayloadError: If it is no strict JSON object in UTF-8 (``payload.encoding``, ``payload.json``), of an event that
            is not registered (``payload.event``), or a field that the event needs is missing or ill-typed
            (``payload.field``).
    """
    payload = _object(raw)
    name = _event_name(payload)
    host = _host(payload, environ)
    if b"\\ud" in raw or b"\\uD" in raw:
        _check_surrogates(payload)
    session_id = fields.text(payload, "session_id")
    if not is_session_id(session_id):
        raise fields.malformed("session_id", "other characters or length", "1 to 128 letters, digits, `-` and `_`")
    event = Event(
        host=host,
        name=name,
        session_id=session_id,
        cwd=fields.absolute(payload, "cwd"),
        turn_id=_turn_id(payload, host, name=name),
        agent_id=_agent_id(payload, name),
        agent_type=fields.optional_text(payload, "agent_type"),
        transcript_path=_transcript(payload),
        process=claude.process(environ) if host == "claude" else None,
    )
    return _with_own_fields(event, payload)


def _with_own_fields(event: Event, payload: Mapping[str, object]) -> Event:
    """Add what only this kind of event has. Elsewhere the same name may mean something else (ConfigChange's source)."""
    if event.name == "UserPromptSubmit":
        source = fields.optional_word(payload, "source")
        return replace(event, source=source, prompt=fields.text(payload, "prompt"))
    if event.name in _TOOL_EVENTS:
        return replace(
            event,
            tool_name=fields.word(payload, "tool_name"),
            tool_input=_tool_input(payload, event.host),
            tool_use_id=fields.word(payload, "tool_use_id"),
        )
    if event.name in _STOP_EVENTS:
        agents, tasks = claude.live(payload) if event.host == "claude" else (None, ())
        message = fields.optional_text(payload, "last_assistant_message") or ""
        return replace(event, message=message, live_agents=agents, live_tasks=tasks)
    return event


def _object(raw: bytes) -> dict[str, object]:
    try:
        text = raw.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        seen = f"the payload is no UTF-8 at byte {error.start}"
        raise PayloadError("payload.encoding", seen, fields.REMEDY) from None
    try:
        value = rawjson.loads(text)
    except rawjson.JsonError as error:
        raise PayloadError("payload.json", f"the payload is no strict JSON: {error}", fields.REMEDY) from None
    except RecursionError:
        raise PayloadError("payload.json", "the payload is nested too deeply", fields.REMEDY) from None
    if not isinstance(value, dict):
        seen = f"the payload is {fields.kind_of(value)}, expected an object"
        raise PayloadError("payload.json", seen, fields.REMEDY)
    return value


def _event_name(payload: Mapping[str, object]) -> EventName:
    found = fields.text(payload, "hook_event_name")
    for name in EVENT_NAMES:
        if name == found:
            return name
    raise PayloadError(
        "payload.event",
        f"event `{found[:80]}` is none that this plugin registers",
        "install the plugin again with `harness-guard install`, so that its registered events are its own",
    )


def _host(payload: Mapping[str, object], environ: Mapping[str, str]) -> HostName:
    is_claude = any(mark in payload for mark in claude.MARKS)
    is_codex = any(mark in payload for mark in codex.MARKS)
    if is_claude != is_codex:
        return "claude" if is_claude else "codex"
    # The payload does not decide (Claude Code's prompt_id is absent until the first prompt). Only Codex sets
    # PLUGIN_ROOT, only Claude Code CLAUDE_PID; both hand their own environment down, so a host that was started by
    # the other one shows both. What stays open is judged as Claude Code's: there an approval needs a witness more.
    is_codex = bool(environ.get("PLUGIN_ROOT")) and not environ.get("CLAUDE_PID")
    return "codex" if is_codex else "claude"


def _turn_id(payload: Mapping[str, object], host: HostName, *, name: EventName) -> str | None:
    field = claude.TURN_ID if host == "claude" else codex.TURN_ID
    if name == "UserPromptSubmit":  # whatever a prompt can do depends on its id being new (contract section 5)
        return fields.word(payload, field)
    return fields.optional_word(payload, field)


def _agent_id(payload: Mapping[str, object], name: EventName) -> str | None:
    if name in _CHILD_EVENTS:
        return fields.word(payload, "agent_id")
    return fields.optional_word(payload, "agent_id")


def _transcript(payload: Mapping[str, object]) -> str | None:
    return None if payload.get("transcript_path") is None else fields.absolute(payload, "transcript_path")


def _tool_input(payload: Mapping[str, object], host: HostName) -> Mapping[str, object] | None:
    value = payload.get("tool_input")
    if isinstance(value, dict):
        return value
    if value is None and payload["tool_name"] not in _KNOWN_TOOLS[host]:
        return None  # an MCP tool without arguments
    raise fields.malformed("tool_input", fields.kind_of(value) if "tool_input" in payload else "nothing", "an object")


def _check_surrogates(payload: dict[str, object]) -> None:
    """Refuse lone surrogates: no path, program or digest can be made of them.

    A payload is UTF-8, so they can come from escapes only; the walk has no recursion to run out of.
    """
    pending: list[object] = [payload]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            try:
                value.encode("utf-8", "strict")
            except UnicodeEncodeError:
                seen = "the payload holds half of a surrogate pair"
                raise PayloadError("payload.encoding", seen, fields.REMEDY) from None
        elif isinstance(value, dict):
            pending.extend(value)
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
