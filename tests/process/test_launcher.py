"""The launcher and the front door where nothing is broken: silence, markers, isolation, time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from plugin import SHELLS, SILENCE, Reply, StandIn
from test_failure_tables import DENY, assert_safe

from harness_guard.runtime.registration import FAILURE_ANSWERS, command

EVENTS = tuple(FAILURE_ANSWERS)
TOOL_EVENTS = ("PreToolUse", "PreSkillShellCommand", "ConfigChange")
DENIES = f"return Answer({DENY!r}, 'decided', 2)"
NOTES = "import os\nos.write(os.open(os.path.dirname(plugin_root) + '/seen', os.O_CREAT | os.O_WRONLY), {what})\nreturn Answer()"


@pytest.fixture
def plugin(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


def prompt(text: str) -> str:
    return json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": text})


@pytest.mark.contract("C1.8", "D2.1")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", TOOL_EVENTS)
def test_without_a_marker_a_tool_call_starts_no_process(plugin: StandIn, event: str, shell: str) -> None:
    plugin.decide(DENIES)
    # No program can be found and the interpreter would leave a trace: whatever is started shows.
    plugin.record(plugin.program("touch started"))
    plugin.environ["PATH"] = "/nowhere"
    assert plugin.hook(event, shell=shell) == SILENCE
    assert not (plugin.folder / "started").exists()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", EVENTS)
def test_without_a_data_folder_there_is_silence(plugin: StandIn, event: str, shell: str) -> None:
    plugin.environ["CLAUDE_PLUGIN_DATA"] = str(plugin.folder / "never made")
    assert plugin.hook(event, prompt("hello"), shell=shell) == SILENCE
    assert not (plugin.folder / "never made").exists()


def _folder_is_a_file(plugin: StandIn) -> None:
    (plugin.data / "active").rmdir()
    (plugin.data / "active").write_text("")


def _folder_is_a_broken_link(plugin: StandIn) -> None:
    (plugin.data / "active").rmdir()
    (plugin.data / "active").symlink_to("nowhere")


def _data_is_a_file(plugin: StandIn) -> None:
    path = plugin.folder / "file"
    path.write_text("")
    plugin.environ["CLAUDE_PLUGIN_DATA"] = str(path)


ACTIVE = {
    "a-run": lambda plugin: plugin.activate("run-1"),
    "a-prompt": lambda plugin: plugin.activate("prompt-77"),
    "any-file": lambda plugin: plugin.activate("x y"),
    "a-star": lambda plugin: plugin.activate("*"),
    "a-broken-link": lambda plugin: (plugin.data / "active" / "run-1").symlink_to("nowhere"),
    "folder-is-a-file": _folder_is_a_file,
    "folder-is-a-broken-link": _folder_is_a_broken_link,
    "data-folder-is-a-file": _data_is_a_file,
}


@pytest.mark.contract("D2.1")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("row", ACTIVE)
def test_what_counts_as_active(plugin: StandIn, row: str, shell: str) -> None:
    plugin.decide(DENIES)
    ACTIVE[row](plugin)
    assert plugin.hook("PreToolUse", shell=shell).status == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_that_expands_no_names_sees_the_markers(plugin: StandIn, shell: str) -> None:
    plugin.decide(DENIES)
    plugin.environ["SHELLOPTS"] = "noglob"
    argv = [shell, "-f", "-c", command("PreToolUse")]
    assert plugin.run(argv, b"{}") == SILENCE
    plugin.activate("run-1")
    assert plugin.run(argv, b"{}").status == 2


@pytest.mark.contract("D2.1")
def test_a_folder_that_cannot_be_listed_counts_as_active(plugin: StandIn) -> None:
    for path in (plugin.folder, *plugin.folder.parents[:-1]):
        path.chmod(path.stat().st_mode | 0o055)
    (plugin.data / "active").chmod(0o000)
    argv = ["/bin/sh", "-c", command("PreToolUse")]
    user = 65534 if os.geteuid() == 0 else None  # root lists every folder
    done = subprocess.run(argv, env=plugin.environ, user=user, capture_output=True, check=False, input=b"{}")
    (plugin.data / "active").chmod(0o700)
    assert done.returncode == 2


ACTIVATES = (
    "$harness do it",
    "first\n$harness do it",
    "first\r\n$harness do it",
    "$harness:harness",
    "see [x](/p/skills/harness/SKILL.md) now",
    "[@harness](plugin://harness@harness-guard) now",
)
INERT = ("hello", "run $harness", "the harness", " $harness", "price: $5", "harness: x", "/x/skills/other/SKILL.md")


@pytest.mark.contract("D2.2", "D2.3")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("text", ACTIVATES)
def test_a_prompt_that_may_activate_is_noted_before_it_is_judged(plugin: StandIn, text: str, shell: str) -> None:
    plugin.decide(NOTES.format(what="marker.encode() + b' ' + open(marker, 'rb').read() + b' ' + raw"))
    assert plugin.hook("UserPromptSubmit", prompt(text), shell=shell) == SILENCE
    (name,) = plugin.markers()  # the reader removes it, and this one does not
    marker = plugin.data / "active" / name
    assert name.startswith("prompt-")
    assert marker.stat().st_mode & 0o777 == 0o600
    assert (plugin.folder / "seen").read_text() == f"{marker} {prompt(text)} {prompt(text)}"


@pytest.mark.contract("D2.3")
@pytest.mark.parametrize(
    "escaped",
    ['"\\u0024harness x"', '"a\\u000a$harness x"', '"a\\u000D\\u0024harness x"', '"x skills\\/harness\\/SKILL.md"'],
)
def test_an_escaped_activation_is_noted_too(plugin: StandIn, escaped: str) -> None:
    plugin.hook("UserPromptSubmit", '{"prompt":' + escaped + "}")
    assert len(plugin.markers()) == 1


@pytest.mark.contract("D2.3")
@pytest.mark.parametrize("text", INERT)
def test_any_other_prompt_leaves_no_trace(plugin: StandIn, text: str) -> None:
    plugin.decide(NOTES.format(what="b''"))
    assert plugin.hook("UserPromptSubmit", prompt(text)) == SILENCE
    assert plugin.markers() == []
    assert not (plugin.folder / "seen").exists()


def test_an_inert_prompt_of_an_active_run_is_judged_without_a_marker(plugin: StandIn) -> None:
    plugin.activate()
    plugin.decide(NOTES.format(what="repr(marker).encode() + raw"))
    assert plugin.hook("UserPromptSubmit", prompt("y")) == SILENCE
    assert (plugin.folder / "seen").read_text() == "None" + prompt("y")
    assert plugin.markers() == ["run-1"]


def test_a_prompt_that_could_not_be_noted_is_told_so(plugin: StandIn) -> None:
    (plugin.data / "active").rmdir()
    (plugin.data / "active").write_text("")
    assert_safe("UserPromptSubmit", plugin.hook("UserPromptSubmit", prompt("$harness x")))


@pytest.mark.contract("D2.4")
def test_a_prompt_that_nobody_could_judge_keeps_tools_denied(plugin: StandIn) -> None:
    plugin.record("/nowhere")
    assert_safe("UserPromptSubmit", plugin.hook("UserPromptSubmit", prompt("$harness x")))
    assert_safe("PreToolUse", plugin.hook("PreToolUse"))
    assert "provision" in plugin.hook("PreToolUse").stderr


@pytest.mark.contract("D3.1")
@pytest.mark.parametrize("argv", ["launcher", "entry"])
def test_one_value_is_enough_when_the_pipe_stays_open(plugin: StandIn, argv: str) -> None:
    plugin.activate()
    plugin.decide("return Answer('{\"n\":%d}' % len(raw), 'r', 2)")
    entry = [sys.executable, str(plugin.root / "hooks" / "harness_guard.py")]
    start = ["/bin/sh", "-c", command("PreToolUse")] if argv == "launcher" else entry
    payload = json.dumps({"hook_event_name": "PreToolUse", "x": "}" * 200_000}).encode()
    with subprocess.Popen(
        start, env=plugin.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write(payload)
        running.stdin.flush()
        assert running.wait(timeout=60) == 2
        assert running.stdout.read() == b'{"n":%d}\n' % len(payload)


SLOW = {
    "sleeps": "import time\ntime.sleep(600)",
    "swallows": "import time\nwhile True:\n    try:\n        time.sleep(600)\n    except BaseException:\n        pass",
    "holds-the-interpreter": "import re\nre.match('(a+)+$', 'a' * 64 + 'b')",
    "waits-for-a-child": "import subprocess\nsubprocess.run(['sleep', '600'])",
}


def hurry(plugin: StandIn, seconds: float = 0.4) -> None:
    path = plugin.root / "harness_guard" / "runtime" / "deadline.py"
    text = path.read_text()
    for name, value in (
        ("DEADLINE_S: Final = 10.0", str(seconds)),
        ("GRACE_S: Final = 1.0", "0.3"),
        ("CPU_GRACE_S: Final = 3.0", "0.3"),
    ):
        assert name in text
        text = text.replace(name, f"{name.partition('=')[0]}= {value}")
    path.write_text(text)


@pytest.mark.contract("C2.7", "D5.5")
@pytest.mark.parametrize("event", ["PreToolUse", "Stop", "UserPromptSubmit", "ConfigChange"])
@pytest.mark.parametrize("row", SLOW)
def test_time_over(plugin: StandIn, row: str, event: str) -> None:
    hurry(plugin)
    plugin.activate()
    plugin.decide(SLOW[row])
    assert_safe(event, plugin.hook(event))


@pytest.mark.contract("D5.5")
def test_time_over_while_the_payload_does_not_come(plugin: StandIn) -> None:
    hurry(plugin)
    plugin.activate()
    with subprocess.Popen(
        ["/bin/sh", "-c", command("PreToolUse")],
        env=plugin.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.wait(timeout=60) == 2
        assert_safe("PreToolUse", Reply(running.stdout.read().decode(), running.stderr.read().decode(), 2))


@pytest.mark.contract("C2.7", "D5.6")
def test_an_extended_deadline_lets_the_engine_run(plugin: StandIn) -> None:
    hurry(plugin, 1.5)
    plugin.activate()
    plugin.decide(
        "from harness_guard.runtime.deadline import extend\nimport time\nextend(60)\ntime.sleep(3)\nreturn Answer()"
    )
    assert plugin.hook("PreToolUse") == SILENCE


def test_no_child_inherits_the_limits(plugin: StandIn) -> None:
    hurry(plugin, 1.5)
    plugin.activate()
    burn = "import time\nend = time.process_time() + 2.5\nwhile time.process_time() < end: pass\nprint('done')"
    body = "import os, subprocess\nfrom harness_guard.runtime.deadline import extend\nextend(60)\n"
    body += f"out = subprocess.run([{sys.executable!r}, '-c', {burn!r}], capture_output=True).stdout\n"
    body += "return Answer() if out == b'done\\n' else None"
    plugin.decide(body)
    assert plugin.hook("PreToolUse") == SILENCE


@pytest.mark.parametrize("flags", [(), ("-I",), ("-I", "-S")])
def test_the_entry_isolates_itself(plugin: StandIn, flags: tuple[str, ...]) -> None:
    evil = plugin.folder / "evil"
    evil.mkdir()
    for name in ("sitecustomize", "harness_guard", "json"):
        (evil / f"{name}.py").write_text("import os\nos._exit(0)\n")
    plugin.environ["PYTHONPATH"] = str(evil) if flags else ""
    plugin.activate()
    plugin.decide(
        f"import sys, json\nreturn Answer({DENY!r}, 'decided', 2) if sys.flags.isolated and sys.flags.no_site else None"
    )
    reply = plugin.direct(json.dumps({"hook_event_name": "PreToolUse"}), *flags)
    assert reply == Reply(DENY + "\n", "decided\n", 2)


@pytest.mark.contract("D2.6")
def test_the_repository_cannot_change_what_the_launcher_runs(plugin: StandIn) -> None:
    evil = plugin.folder
    for name in ("sitecustomize", "harness_guard", "posix", "json", "usercustomize"):
        (evil / f"{name}.py").write_text("import os\nos._exit(0)\n")
    plugin.environ.update(PYTHONPATH=str(evil), PYTHONSTARTUP=str(evil / "json.py"), PYTHONHOME="/nowhere")
    plugin.activate()
    plugin.decide(DENIES)
    assert plugin.hook("PreToolUse") == Reply(DENY + "\n", "decided\n", 2)


@pytest.mark.contract("D1.6", "D2.6")
def test_nothing_is_written_below_the_plugin(plugin: StandIn) -> None:
    before = sorted(str(path) for path in plugin.root.rglob("*"))
    plugin.activate()
    plugin.hook("PreToolUse")
    plugin.hook("UserPromptSubmit", prompt("$harness x"))
    plugin.direct(json.dumps({"hook_event_name": "PreToolUse"}))
    plugin.direct(json.dumps({"hook_event_name": "PreToolUse"}), "-I")
    assert sorted(str(path) for path in plugin.root.rglob("*")) == before


def test_an_unread_output_still_refuses(plugin: StandIn) -> None:
    plugin.activate()
    plugin.decide(DENIES)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        ["/bin/sh", "-c", command("PreToolUse")],
        env=plugin.environ,
        input=b"{}",
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == b"decided"
