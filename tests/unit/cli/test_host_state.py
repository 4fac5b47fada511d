"""What the hosts say, each fault told: not installed, off, untrusted, silent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness_guard.cli.checks.host_state import check_installed, check_settings, check_trust
from harness_guard.cli.hosts.app_server import ListedHook, list_hooks
from harness_guard.cli.hosts.host import Host
from harness_guard.errors import ProvisionError
from harness_guard.runtime.registration import command

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[3]
EVENTS = ("userPromptSubmit", "preToolUse", "subagentStart", "subagentStop", "stop")
SERVER = """\
#!{python}
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request.get("id") == 1:
        print(json.dumps({{"method": "warning"}}), flush=True)
        print(json.dumps({{"id": 1, "result": {{}}}}), flush=True)
    elif request.get("id") == 2:
        assert request["method"] == "hooks/list" and request["params"] == {{"cwds": ["{cwd}"]}}
        print(json.dumps({answer}), flush=True)
"""


def listed(**changes: Any) -> list[dict[str, Any]]:
    """The hooks as Codex lists them when all is well, with changes to the one of PreToolUse."""
    found = []
    for name in EVENTS:
        event = name[:1].upper() + name[1:]
        row = {"eventName": name, "pluginId": "harness@harness-guard", "command": command(event), "enabled": True}
        found.append({**row, "trustStatus": "trusted", **(changes if name == "preToolUse" else {})})
    return found


@pytest.fixture
def codex(tmp_path: Path) -> Callable[[object], Host]:
    """A Codex whose app server gives one answer."""

    def make(answer: object) -> Host:
        path = tmp_path / "codex"
        path.write_text(SERVER.format(python=sys.executable, cwd=tmp_path, answer=repr(answer)))
        path.chmod(0o755)
        return Host("codex", str(path), str(tmp_path / "home"), {"PATH": "/usr/bin:/bin"})

    return make


def answer(hooks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": 2, "result": {"data": [{"cwd": "x", "hooks": hooks}]}}


def test_hooks_are_listed(codex: Callable[[object], Host], tmp_path: Path) -> None:
    (hook, *_) = list_hooks(codex(answer(listed())), str(tmp_path))
    assert hook == ListedHook(
        event="UserPromptSubmit",
        plugin="harness@harness-guard",
        command=command("UserPromptSubmit"),
        is_enabled=True,
        trust="trusted",
    )


@pytest.mark.parametrize(
    ("hooks", "seen"),
    [
        pytest.param(listed(), "UserPromptSubmit, PreToolUse, SubagentStart, SubagentStop, Stop", id="all is well"),
        pytest.param(listed(trustStatus="untrusted"), "the hook of PreToolUse is untrusted, so Codex lets every call pass", id="untrusted"),
        pytest.param(listed(trustStatus="modified"), "the hook of PreToolUse is modified, so Codex lets every call pass", id="modified"),
        pytest.param(listed(enabled=False), "the hook of PreToolUse is switched off", id="off"),
        pytest.param(listed(pluginId="other@x"), "Codex does not list the hook of PreToolUse", id="another plugin's"),
        pytest.param(listed(command="exit 0"), "Codex does not list the hook of PreToolUse", id="another command"),
        pytest.param([], "Codex does not list the hook of UserPromptSubmit", id="none"),
    ],
)  # fmt: skip
def test_trust(codex: Callable[[object], Host], tmp_path: Path, hooks: list[dict[str, Any]], seen: str) -> None:
    (found,) = check_trust(codex(answer(hooks)), str(ROOT), str(tmp_path))
    assert (found.is_ok, found.seen) == (hooks == listed(), seen)
    assert bool(found.mend) is not found.is_ok


@pytest.mark.parametrize(
    "said",
    [
        {"id": 2, "error": {"code": 1}},
        {"id": 2, "result": {"data": None}},
        {"id": 2, "result": {"data": [{"hooks": [1]}]}},
    ],
)
def test_an_answer_of_another_form(codex: Callable[[object], Host], tmp_path: Path, said: object) -> None:
    with pytest.raises(ProvisionError, match="answered hooks/list in an unknown form"):
        list_hooks(codex(said), str(tmp_path))


def test_a_server_that_ends_without_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "codex"
    path.write_text("#!/bin/sh\nread -r line\n")
    path.chmod(0o755)
    (found,) = check_trust(Host("codex", str(path), "/", {"PATH": "/usr/bin:/bin"}), str(ROOT), str(tmp_path))
    assert (found.is_ok, found.seen) == (False, "`codex app-server` does not answer")


def claude(tmp_path: Path, rows: object, *, status: int = 0) -> Host:
    path = tmp_path / "claude"
    path.write_text(f"#!/bin/sh\ncat <<'E'\n{json.dumps(rows)}\nE\nexit {status}\n")
    path.chmod(0o755)
    return Host("claude", str(path), str(tmp_path / "home"), {"PATH": "/usr/bin:/bin"})


def test_installed_and_enabled(tmp_path: Path) -> None:
    row = {"id": "harness@harness-guard", "version": "1.2", "enabled": True, "readFromFolder": str(ROOT)}
    check, found = check_installed(claude(tmp_path, [row]), str(tmp_path))
    assert (check.is_ok, check.seen) == (True, f"harness@harness-guard 1.2 runs from {ROOT}")
    assert found is not None
    check, found = check_installed(claude(tmp_path, [{**row, "enabled": False}]), str(tmp_path))
    assert (check.is_ok, check.mend) == (False, "run: claude plugin enable harness@harness-guard")
    assert found is not None, "the rest is looked at all the same"
    check, found = check_installed(claude(tmp_path, [{**row, "readFromFolder": "/gone"}]), str(tmp_path))
    assert (check.is_ok, check.seen, found) == (False, "its folder /gone is gone", None)
    check, found = check_installed(claude(tmp_path, []), str(tmp_path))
    assert (check.is_ok, check.mend, found) == (False, f"run `python3 '{ROOT}/hooks/harness_guard.py' install`", None)
    check, found = check_installed(claude(tmp_path, [], status=1), str(tmp_path))
    assert (check.is_ok, found) == (False, None)


def test_a_plugin_that_the_host_refuses(tmp_path: Path) -> None:
    accepted, readable = check_trust(claude(tmp_path, "Invalid hooks", status=1), str(ROOT), str(tmp_path))
    assert (accepted.is_ok, readable.is_ok) == (False, True)
    assert "Invalid hooks" in accepted.seen


def test_settings_name_the_file_or_say_that_nothing_is_wrong(tmp_path: Path) -> None:
    host = claude(tmp_path, [])
    (check,) = check_settings(host, str(tmp_path))
    assert (check.is_ok, check.seen) == (True, "nothing switches the hooks off in any file")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    (check,) = check_settings(host, str(tmp_path))
    assert (check.is_ok, check.mend) == (False, "remove it")
    assert check.seen == f"{tmp_path}/.claude/settings.json: `disableAllHooks` switches the hooks off"
