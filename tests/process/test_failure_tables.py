"""Every row of both hosts' failure tables against the launcher: whatever the inside does, each event gets its answer.

A row is something that the interpreter, the entry or the decision may do. Both hosts let the tool run in most of them;
none of them may reach a host.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from plugin import SHELLS, SILENCE, Reply, StandIn

from harness_guard.runtime.registration import FAILURE_ANSWERS

DENY = (
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}'
)
ALLOW = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
SAYS = "printf '%s\\n' "

# What a broken interpreter does: id -> shell script run in its place.
PROGRAMS = {
    "exit-0-empty": "exit 0",
    "exit-0-plain-text": "echo all fine",
    "exit-0-empty-object": "echo '{}'",
    "exit-0-array": "echo '[]'",
    "exit-0-truncated-deny": "printf '%s' '{\"hookSpecificOutput\":{\"hookEv'",
    "exit-0-text-before-json": f"echo warning; {SAYS}'{DENY}'",
    "exit-0-text-after-json": f"{SAYS}'{DENY}'; echo done",
    "exit-0-two-objects": f"{SAYS}'{DENY}' '{DENY}'",
    "exit-0-byte-order-mark": f"printf '\\357\\273\\277'; {SAYS}'{DENY}'",
    "exit-0-invalid-bytes": "printf '\\377\\376{}'",
    "exit-0-deny-without-verdict": f"{SAYS}'{DENY}'",
    "exit-0-allow": f"{SAYS}'{ALLOW}'",
    "exit-0-pass-with-text-before-it": f"{SAYS}'{ALLOW}' harness-guard:pass",
    "exit-0-pass-not-last": "printf 'harness-guard:pass\\nmore\\n'",
    "exit-0-pass-with-blank": "printf 'harness-guard:pass \\n'",
    "exit-0-answer-of-nothing": "echo harness-guard:answer",
    "exit-0-5-mb-of-text": "head -c 5000000 /dev/zero | tr '\\0' x",
    "exit-0-stderr-only": "echo reason >&2",
    "exit-1": "exit 1",
    "exit-1-with-deny": f"{SAYS}'{DENY}'; exit 1",
    "exit-1-with-pass": "echo harness-guard:pass; exit 1",
    "exit-2-empty": "exit 2",
    "exit-2-stderr-only": "echo reason >&2; exit 2",
    "exit-2-deny-without-verdict": f"{SAYS}'{DENY}'; exit 2",
    "exit-2-deny-without-reason": f"{SAYS}'{DENY}' harness-guard:deny; exit 2",
    "exit-2-pass": "echo harness-guard:pass; exit 2",
    "exit-3": "exit 3",
    "exit-70": "exit 70",
    "exit-126": "exit 126",
    "exit-127": "exit 127",
    "killed": "kill -9 $$",
    "terminated": "kill -15 $$",
    "terminated-after-pass": "echo harness-guard:pass; kill -9 $$",
    "cpu-time-over": "kill -PROF $$",
    "syntax-error": "if then",
}

# What a broken decision does: id -> body of ``answer``.
DECISIONS = {
    "exception": "raise KeyError('x')",
    "import-error": "import no_such_module",
    "system-exit-0": "raise SystemExit(0)",
    "system-exit-2": "raise SystemExit(2)",
    "keyboard-interrupt": "raise KeyboardInterrupt",
    "generator-exit": "raise GeneratorExit",
    "memory": "return [0] * (1 << 60)",
    "recursion": "return answer(raw, environ, plugin_root, marker)",
    "no-answer": "return None",
    "answer-of-wrong-shape": "return ('', '', 0)",
    "status-1": "return Answer(status=1)",
    "status-2-without-reason": f"return Answer({DENY!r}, '', 2)",
    "status-2-without-object": "return Answer('', 'reason', 2)",
    "status-none": "return Answer(status=None)",
    "os-exit-0": "import os\nos._exit(0)",
    "os-exit-2": "import os\nos._exit(2)",
    "prints-and-exits": "import os\nos.write(1, b'{}')\nos._exit(0)",
    "killed": "import os\nos.kill(os.getpid(), 9)",
    "aborted": "import os\nos.abort()",
    "closed-output": "import os\nos.close(1)\nraise ValueError('x')",
    "lone-surrogate": "raise ValueError('\\ud800')",
    "own-error": "from harness_guard.errors import StateError\nraise StateError('state.torn', 'x', 'do y')",
    "traceback-text": "raise ValueError('line\\nTraceback\\n\\x1b[31m')",
}

EVENTS = tuple(FAILURE_ANSWERS)


@pytest.fixture
def plugin(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


def assert_safe(event: str, reply: Reply) -> None:
    """Check the failure answer of contract section 2, in the one shape that both hosts honour."""
    if event in ("Stop", "SubagentStop", "SubagentStart"):
        assert reply == SILENCE
        return
    assert reply.stdout.count("\n") == 1
    assert "Traceback (most recent" not in reply.stderr
    if event == "UserPromptSubmit":
        assert (reply.status, reply.stderr) == (0, "")
        inner = reply.parsed["hookSpecificOutput"]
        assert isinstance(inner, dict)
        assert set(inner) == {"hookEventName", "additionalContext"}
        assert inner["hookEventName"] == event
        text = inner["additionalContext"]
    elif event == "ConfigChange":
        assert reply.status == 2
        assert set(reply.parsed) == {"decision", "reason"}
        assert reply.parsed["decision"] == "block"
        text = reply.parsed["reason"]
    else:
        assert reply.status == 2
        inner = reply.parsed["hookSpecificOutput"]
        assert isinstance(inner, dict)
        assert set(inner) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
        assert (inner["hookEventName"], inner["permissionDecision"]) == (event, "deny")
        text = inner["permissionDecisionReason"]
    assert isinstance(text, str)
    first, second = text.split("\n")[:2]
    assert first.startswith("harness-guard ")
    assert second.startswith("Next: ")
    if reply.status == 2:
        assert reply.stderr.startswith(first.partition(":")[0])


@pytest.mark.contract("D2.8", "A6.2")
@pytest.mark.contract("D2.7")
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("row", PROGRAMS)
def test_broken_interpreter(plugin: StandIn, event: str, row: str) -> None:
    plugin.activate()
    plugin.record(plugin.program(PROGRAMS[row]))
    assert_safe(event, plugin.hook(event))


@pytest.mark.contract("C1.3", "D5.1", "D5.4", "A6.2")
@pytest.mark.parametrize("event", ["PreToolUse", "Stop", "UserPromptSubmit"])
@pytest.mark.parametrize("row", DECISIONS)
def test_broken_decision(plugin: StandIn, event: str, row: str) -> None:
    plugin.activate()
    plugin.decide(DECISIONS[row])
    assert_safe(event, plugin.hook(event))


@pytest.mark.contract("A6.2")
@pytest.mark.parametrize(
    "row", sorted(set(DECISIONS) - {"os-exit-0", "os-exit-2", "prints-and-exits", "killed", "aborted"})
)
def test_broken_decision_without_the_launcher(plugin: StandIn, row: str) -> None:
    plugin.activate()
    plugin.decide(DECISIONS[row])
    reply = plugin.direct(json.dumps({"hook_event_name": "PreToolUse"}))
    if row == "closed-output":
        assert (reply.stdout, reply.status) == ("", 2)
        assert reply.stderr.startswith("harness-guard ")
    else:
        assert_safe("PreToolUse", reply)


def _unset(name: str) -> object:
    return lambda plugin: plugin.environ.pop(name)


def _missing(path: str) -> object:
    return lambda plugin: (plugin.folder / path).unlink()


def _empty(path: str) -> object:
    return lambda plugin: (plugin.folder / path).write_text("")


# How the installation may be broken: id -> what is done to it.
INSTALLATIONS = {
    "interpreter-gone": lambda plugin: plugin.record("/nowhere/python3"),
    "interpreter-is-a-folder": lambda plugin: plugin.record("/tmp"),
    "interpreter-not-executable": lambda plugin: plugin.record(__file__),
    "interpreter-relative": lambda plugin: plugin.record("python3"),
    "interpreter-empty": lambda plugin: plugin.record(""),
    "interpreter-not-a-program": lambda plugin: (
        os.chmod(_write(plugin.folder / "p", "\x7fELF"), 0o755) or plugin.record(str(plugin.folder / "p"))
    ),
    "never-provisioned": _missing("the data folder/interpreter"),
    "packages-gone": lambda plugin: next((plugin.data / "runtime").iterdir()).rmdir(),
    "no-data-folder-named": _unset("CLAUDE_PLUGIN_DATA"),
    "data-folder-relative": lambda plugin: plugin.environ.update(CLAUDE_PLUGIN_DATA="data"),
    "plugin-folder-unnamed": _unset("CLAUDE_PLUGIN_ROOT"),
    "launcher-gone": _missing("the plugin's folder/hooks/launch.sh"),
    "launcher-broken": lambda plugin: _write(plugin.root / "hooks" / "launch.sh", "if then fi\n"),
    "launcher-empty": _empty("the plugin's folder/hooks/launch.sh"),
    "entry-gone": _missing("the plugin's folder/hooks/harness_guard.py"),
    "entry-empty": _empty("the plugin's folder/hooks/harness_guard.py"),
    "entry-broken": lambda plugin: _write(plugin.root / "hooks" / "harness_guard.py", "def"),
    "front-door-gone": _missing("the plugin's folder/harness_guard/runtime/frontdoor.py"),
    "front-door-broken": lambda plugin: _write(plugin.root / "harness_guard" / "runtime" / "frontdoor.py", "def"),
    "dispatch-gone": _missing("the plugin's folder/harness_guard/dispatch.py"),
    "dispatch-broken": lambda plugin: plugin.decide("return ("),
    "leaf-gone": _missing("the plugin's folder/harness_guard/rawjson.py"),
}


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.contract("D1.5", "A6.2")
@pytest.mark.contract("D5.1")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", ["PreToolUse", "ConfigChange", "Stop", "UserPromptSubmit"])
@pytest.mark.parametrize("row", INSTALLATIONS)
def test_broken_installation(plugin: StandIn, row: str, event: str, shell: str) -> None:
    plugin.activate()
    INSTALLATIONS[row](plugin)
    reply = plugin.hook(event, json.dumps({"hook_event_name": event}), shell=shell)
    if row == "launcher-broken" and event in ("PreToolUse", "ConfigChange") and reply.stdout == "":
        # This shell leaves on a syntax error before it gets to the answer behind; both hosts block on what it says.
        assert reply.status == 2
        assert reply.stderr
        return
    if row == "launcher-broken":
        reply = Reply(
            reply.stdout, reply.stderr[reply.stderr.find("harness-guard") :] if reply.stdout else "", reply.status
        )
    assert_safe(event, reply)


@pytest.mark.contract("D1.5")
@pytest.mark.contract("D5.3")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", ["PreToolUse", "Stop", "UserPromptSubmit"])
@pytest.mark.parametrize(
    "row", sorted(set(INSTALLATIONS) - {"no-data-folder-named", "data-folder-relative", "launcher-broken"})
)
def test_without_a_marker_a_broken_installation_is_silent(plugin: StandIn, row: str, event: str, shell: str) -> None:
    INSTALLATIONS[row](plugin)
    assert plugin.hook(event, json.dumps({"prompt": "good morning"}), shell=shell) == SILENCE
    assert plugin.markers() == []


PAYLOADS = {
    "empty": b"",
    "blank": b" \n",
    "truncated": b'{"hook_event_name":"PreToolUse","tool_na',
    "not-utf-8": b'{"hook_event_name":"PreToolUse","x":"\xff\xfe"}',
    "byte-order-mark": b"\xef\xbb\xbf{}",
    "null": b"null",
    "array": b"[]",
    "number": b"17",
    "deep": b"[" * 200_000,
    "two": b"{}{}",
    "huge": b'{"hook_event_name":"PreToolUse","x":"' + b"a" * 50_000_000 + b'"}',
    "too-huge": b'{"x":"' + b"a" * 70_000_000,
    "text": b"hello",
}
READS = (
    "from harness_guard.rawjson import loads\n"
    "value = loads(raw.decode())\n"
    f"return Answer({DENY!r}, 'decided', 2) if value['hook_event_name'] == 'PreToolUse' else Answer()"
)


@pytest.mark.contract("D3.1", "A6.2")
@pytest.mark.contract("C7.1")
@pytest.mark.parametrize("row", PAYLOADS)
def test_odd_payload_of_a_tool_call_is_denied(plugin: StandIn, row: str) -> None:
    plugin.activate()
    plugin.decide(READS)
    reply = plugin.hook("PreToolUse", PAYLOADS[row])
    if row == "huge":
        assert reply == Reply(DENY + "\n", "decided\n", 2)
    else:
        assert_safe("PreToolUse", reply)


@pytest.mark.contract("A6.2")
@pytest.mark.parametrize("row", sorted(set(PAYLOADS) - {"huge"}))
def test_odd_payload_without_the_launcher(plugin: StandIn, row: str) -> None:
    plugin.decide(READS)
    assert plugin.direct(PAYLOADS[row]) == SILENCE
    plugin.activate()
    assert_safe("PreToolUse", plugin.direct(PAYLOADS[row]))


@pytest.mark.contract("D4.1")
@pytest.mark.parametrize("event", EVENTS)
def test_a_pass_is_silent(plugin: StandIn, event: str) -> None:
    plugin.activate()
    assert plugin.hook(event) == SILENCE


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "UserPromptSubmit", "SubagentStart"])
def test_a_deny_where_status_2_would_be_a_block_is_no_answer(plugin: StandIn, event: str) -> None:
    plugin.activate()
    plugin.decide(f"return Answer({DENY!r}, 'decided', 2)")
    assert_safe(event, plugin.hook(event))


@pytest.mark.contract("D4.2")
@pytest.mark.parametrize("shell", SHELLS)
def test_answers_arrive_unchanged(plugin: StandIn, shell: str) -> None:
    plugin.activate()
    reason = "first\nsecond 'quoted' $HOME `x` \\n ü"
    plugin.decide(f"return Answer({DENY!r}, {reason!r}, 2)")
    assert plugin.hook("PreToolUse", shell=shell) == Reply(DENY + "\n", reason + "\n", 2)
    block = json.dumps({"decision": "block", "reason": "again\n\\n $x"})
    plugin.decide(f"return Answer({block!r})")
    assert plugin.hook("Stop", shell=shell) == Reply(block + "\n", "", 0)


@pytest.mark.contract("D2.6")
def test_the_interpreter_of_the_tests_is_the_one_that_is_started(plugin: StandIn) -> None:
    plugin.activate()
    plugin.decide("import sys\nreturn Answer('', '', 0) if sys.flags.isolated and sys.flags.no_site else None")
    assert plugin.hook("PreToolUse") == SILENCE
    assert sys.executable in (plugin.data / "interpreter").read_text()
