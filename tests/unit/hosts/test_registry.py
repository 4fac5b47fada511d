"""decode(): every captured payload, and every way in which a payload can be wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness_guard.errors import PayloadError
from harness_guard.hosts import claude, codex
from harness_guard.hosts.registry import decode
from harness_guard.kernel.event import Event, HostProcess

CASES = Path(__file__).parents[2] / "cases" / "payloads"
ROWS = [json.loads(line) for line in (CASES / "expected.jsonl").read_text().splitlines()]
SESSION = "50e1b4aa-5165-4922-98c7-9ebc737ec892"

CLAUDE_TOOL: dict[str, object] = {
    "session_id": SESSION,
    "transcript_path": "/home/user/t.jsonl",
    "cwd": "/repo",
    "prompt_id": "p1",
    "hook_event_name": "PreToolUse",
    "tool_name": "Write",
    "tool_input": {"file_path": "/repo/b.txt", "content": "b\n"},
    "tool_use_id": "toolu_1",
}
CODEX_TOOL: dict[str, object] = {
    "session_id": SESSION,
    "turn_id": "t1",
    "transcript_path": None,
    "cwd": "/repo",
    "hook_event_name": "PreToolUse",
    "model": "gpt-5.5",
    "tool_name": "Bash",
    "tool_input": {"command": "pwd"},
    "tool_use_id": "call_1",
}
PROMPT: dict[str, object] = {
    "session_id": SESSION,
    "cwd": "/repo",
    "prompt_id": "p1",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "y",
}
STOP: dict[str, object] = {
    "session_id": SESSION,
    "cwd": "/repo",
    "prompt_id": "p1",
    "hook_event_name": "Stop",
    "last_assistant_message": "done",
    "background_tasks": [],
}
CHILD: dict[str, object] = {
    "session_id": SESSION,
    "cwd": "/repo",
    "prompt_id": "p1",
    "hook_event_name": "SubagentStop",
    "agent_id": "a1",
    "agent_type": "",
}
CONFIG: dict[str, object] = {
    "session_id": SESSION,
    "cwd": "/repo",
    "hook_event_name": "ConfigChange",
    "source": "user_settings",
}


def raw(payload: dict[str, object], **changes: object) -> bytes:
    return json.dumps({**payload, **changes}).encode()


def without(payload: dict[str, object], name: str) -> bytes:
    return json.dumps({key: value for key, value in payload.items() if key != name}).encode()


def refusal(payload: bytes, **environ: str) -> tuple[str, str]:
    with pytest.raises(PayloadError) as caught:
        decode(payload, environ)
    return caught.value.rule, caught.value.seen


def test_every_captured_payload_has_its_row() -> None:
    assert sorted(row["file"] for row in ROWS) == sorted(
        str(path.relative_to(CASES)) for host in ("claude", "codex") for path in (CASES / host).glob("*.json")
    )


@pytest.mark.contract("C2.2", "D3.3")
@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_captured_payload(row: dict[str, object]) -> None:
    payload = (CASES / str(row["file"])).read_bytes()
    if "error" in row:
        assert refusal(payload)[0] == row["error"] == "payload.event"
        return
    fields = dict(row["event"])  # type: ignore[call-overload]
    for name in ("live_agents", "live_tasks"):
        if name in fields:
            fields[name] = tuple(fields[name])
    assert decode(payload, {}) == Event(**fields)


@pytest.mark.contract("C2.2", "D3.2")
@pytest.mark.parametrize(
    ("payload", "name"),
    [
        (payload, name)
        for payload, names in (
            (CLAUDE_TOOL, ("session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_use_id")),
            (CODEX_TOOL, ("session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_use_id")),
            (PROMPT, ("session_id", "cwd", "hook_event_name", "prompt")),
            (STOP, ("session_id", "cwd", "hook_event_name")),
            (CHILD, ("session_id", "cwd", "hook_event_name", "agent_id")),
        )
        for name in names
    ],
)
def test_missing_field_is_named(payload: dict[str, object], name: str) -> None:
    rule, seen = refusal(without(payload, name))
    assert rule == "payload.field"
    assert seen.startswith(f"payload field `{name}`: found nothing, expected ")


@pytest.mark.contract("C2.2", "C2.4", "D3.2")
@pytest.mark.parametrize(
    ("payload", "name", "value", "seen"),
    [
        (CLAUDE_TOOL, "session_id", 7, "found a number, expected a text"),
        (CLAUDE_TOOL, "session_id", None, "found null, expected a text"),
        (
            CLAUDE_TOOL,
            "session_id",
            "../x",
            "found other characters or length, expected 1 to 128 letters, digits, `-` and `_`",
        ),
        (
            CLAUDE_TOOL,
            "session_id",
            "",
            "found other characters or length, expected 1 to 128 letters, digits, `-` and `_`",
        ),
        (CLAUDE_TOOL, "cwd", "repo", "found a relative path, expected an absolute path"),
        (CLAUDE_TOOL, "cwd", "/re\0po", "found an empty text or a NUL, expected a text"),
        (CLAUDE_TOOL, "transcript_path", "t.jsonl", "found a relative path, expected an absolute path"),
        (CLAUDE_TOOL, "prompt_id", ["p"], "found a list, expected a text"),
        (CLAUDE_TOOL, "agent_id", "", "found an empty text or a NUL, expected a text"),
        (CLAUDE_TOOL, "agent_id", False, "found a boolean, expected a text"),
        (CLAUDE_TOOL, "agent_type", {}, "found an object, expected a text"),
        (CLAUDE_TOOL, "tool_name", "", "found an empty text or a NUL, expected a text"),
        (CLAUDE_TOOL, "tool_input", None, "found null, expected an object"),
        (CLAUDE_TOOL, "tool_input", [], "found a list, expected an object"),
        (CLAUDE_TOOL, "tool_input", "x", "found a text, expected an object"),
        (CODEX_TOOL, "turn_id", 1.5, "found a number, expected a text"),
        (PROMPT, "prompt", ["y"], "found a list, expected a text"),
        (PROMPT, "source", 1, "found a number, expected a text"),
        (STOP, "last_assistant_message", 3, "found a number, expected a text"),
        (STOP, "background_tasks", {}, "found an object, expected a list"),
        (STOP, "background_tasks", ["b1"], "found a text, expected a list of objects"),
        (CHILD, "agent_id", None, "found null, expected a text"),
    ],
)
def test_ill_typed_field_is_named(payload: dict[str, object], name: str, value: object, seen: str) -> None:
    assert refusal(raw(payload, **{name: value})) == ("payload.field", f"payload field `{name}`: {seen}")


@pytest.mark.contract("D3.2", "D3.3")
def test_a_prompt_needs_its_turn_and_a_tool_call_does_not() -> None:
    assert refusal(without(PROMPT, "prompt_id"), CLAUDE_PID="7") == (
        "payload.field",
        "payload field `prompt_id`: found nothing, expected a text",
    )
    assert decode(without(CLAUDE_TOOL, "prompt_id"), {"CLAUDE_PID": "7"}).turn_id is None


@pytest.mark.contract("C2.2")
def test_unknown_fields_are_dropped() -> None:
    assert decode(raw(CLAUDE_TOOL, effort={"level": "high"}, approved=True), {}) == decode(raw(CLAUDE_TOOL), {})
    assert decode(raw(STOP, stop_hook_active=True), {}) == decode(raw(STOP), {})


@pytest.mark.contract("D3.5")
def test_whole_tool_event() -> None:
    assert decode(raw(CODEX_TOOL, agent_id="a", agent_type="default"), {"CLAUDE_PID": "9"}) == Event(
        host="codex",
        name="PreToolUse",
        session_id=SESSION,
        cwd="/repo",
        turn_id="t1",
        agent_id="a",
        agent_type="default",
        tool_name="Bash",
        tool_input={"command": "pwd"},
        tool_use_id="call_1",
    )


@pytest.mark.contract("D3.5")
@pytest.mark.parametrize(
    ("environ", "process"),
    [
        ({"CLAUDE_PID": "41", "CLAUDE_CODE_SESSION_ATTENDED": "1"}, HostProcess(41, "", attended=True)),
        ({"CLAUDE_PID": "41", "CLAUDE_CODE_SESSION_ATTENDED": "0"}, HostProcess(41, "", attended=False)),
        ({"CLAUDE_PID": "41", "CLAUDE_CODE_SESSION_ATTENDED": "yes"}, HostProcess(41, "")),
        ({"CLAUDE_PID": "41"}, HostProcess(41, "")),
        ({"CLAUDE_PID": "0"}, None),
        ({"CLAUDE_PID": "-4"}, None),
        ({"CLAUDE_PID": "4\u0661"}, None),
        ({"CLAUDE_PID": "12345678901"}, None),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "1"}, None),
    ],
)
def test_host_process(environ: dict[str, str], process: HostProcess | None) -> None:
    assert decode(raw(CLAUDE_TOOL), environ).process == process


@pytest.mark.contract("C2.3", "D3.4")
@pytest.mark.parametrize(
    ("payload", "environ", "host"),
    [
        (raw(CONFIG), {"CLAUDE_PID": "7"}, "claude"),
        (raw(CONFIG), {"PLUGIN_ROOT": "/p"}, "codex"),
        (raw(CONFIG, prompt_id="p"), {"PLUGIN_ROOT": "/p"}, "claude"),
        (raw(CONFIG, model="m"), {"CLAUDE_PID": "7"}, "codex"),
        (raw(CONFIG, model="m", prompt_id="p"), {"CLAUDE_PID": "7"}, "claude"),
        (raw(CONFIG, model="m", prompt_id="p"), {"PLUGIN_ROOT": "/p"}, "codex"),
    ],
)
def test_the_payload_tells_the_host_and_the_environment_breaks_ties(
    payload: bytes, environ: dict[str, str], host: str
) -> None:
    assert decode(payload, environ).host == host


@pytest.mark.contract("C2.3", "D3.4")
@pytest.mark.parametrize("environ", [{}, {"CLAUDE_PID": "7", "PLUGIN_ROOT": "/p"}])
def test_what_stays_open_is_judged_as_the_stricter_host(environ: dict[str, str]) -> None:
    assert decode(raw(CONFIG), environ).host == "claude"


@pytest.mark.contract("D3.1")
@pytest.mark.parametrize(
    ("payload", "rule"),
    [
        (b"", "payload.json"),
        (b"null", "payload.json"),
        (b"[]", "payload.json"),
        (b"{", "payload.json"),
        (b'{"a": NaN}', "payload.json"),
        (b'{"a": 1, "a": 1}', "payload.json"),
        (b"{}{}", "payload.json"),
        (b"[" * 200_000, "payload.json"),
        (b'{"a":' * 200_000, "payload.json"),
        (b"\xef\xbb\xbf{}", "payload.json"),
        (b"\xff", "payload.encoding"),
        (raw(CLAUDE_TOOL).decode().encode("utf-16"), "payload.encoding"),
        (raw(CLAUDE_TOOL, hook_event_name="PostToolUse"), "payload.event"),
        (raw(CLAUDE_TOOL, hook_event_name="pretooluse"), "payload.event"),
        (raw(CLAUDE_TOOL, tool_name="\ud800"), "payload.encoding"),
        (raw(CLAUDE_TOOL, tool_input={"a": [{"\udfff": 1}]}), "payload.encoding"),
        (raw(CLAUDE_TOOL).replace(b'"toolu_1"', b'"\\uD834"'), "payload.encoding"),
    ],
)
def test_no_json_object_of_ours(payload: bytes, rule: str) -> None:
    assert refusal(payload)[0] == rule


def test_a_whole_surrogate_pair_is_text() -> None:
    assert decode(raw(PROMPT, prompt="\U0001d11e"), {}).prompt == "\U0001d11e"


@pytest.mark.contract("D3.2")
def test_a_tool_that_is_not_known_may_come_without_arguments() -> None:
    event = decode(raw(CLAUDE_TOOL, tool_name="mcp__x__y", tool_input=None), {})
    assert (event.tool_name, event.tool_input) == ("mcp__x__y", None)
    assert decode(without({**CODEX_TOOL, "tool_name": "mcp__x__y"}, "tool_input"), {}).tool_input is None


@pytest.mark.contract("D3.6")
def test_live_work_is_sorted_and_the_unknown_counts_as_an_agent() -> None:
    kinds = ("shell", "subagent", "monitor", "workflow", "MCP task", "teammate", "something new")
    tasks = [{"id": f"{at}", "type": kind, "status": "running"} for at, kind in enumerate(kinds)]
    event = decode(raw(STOP, background_tasks=tasks), {})
    assert (event.live_agents, event.live_tasks) == (("1", "3", "5", "6"), ("0", "2", "4"))


@pytest.mark.contract("D3.6")
def test_a_host_that_lists_no_work_is_told_from_one_that_lists_none() -> None:
    assert decode(raw(STOP), {}).live_agents == ()
    assert decode(without(STOP, "background_tasks"), {}).live_agents is None
    assert decode(without(STOP, "last_assistant_message"), {}).message == ""
    assert decode(raw(STOP, last_assistant_message=None), {}).message == ""


def test_known_tools_of_both_hosts_are_those_captured() -> None:
    seen: dict[str, set[str]] = {"claude": set(), "codex": set()}
    for row in ROWS:
        event = row.get("event", {})
        if event.get("tool_name") and not event["tool_name"].startswith("mcp__"):
            seen[event["host"]].add(event["tool_name"])
    assert seen["claude"] <= claude.KNOWN_TOOLS
    assert seen["codex"] <= codex.KNOWN_TOOLS
