"""``hooks/hooks.json``: valid for both hosts at once, by the fields that each is known to accept."""

from __future__ import annotations

import json
import subprocess

import pytest

from harness_guard.runtime.registration import FAILURE_ANSWERS, command, hooks_json

HOOKS = json.loads(hooks_json())["hooks"]


@pytest.mark.contract("C2.1", "D1.1")
def test_the_events_are_those_of_the_contract() -> None:
    assert set(HOOKS) == {
        "UserPromptSubmit",
        "PreToolUse",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "PreSkillShellCommand",
        "ConfigChange",
    }


@pytest.mark.contract("C2.1", "D1.1", "D1.2")
@pytest.mark.parametrize("event", HOOKS)
def test_an_entry_has_the_fields_that_both_hosts_read(event: str) -> None:
    entry = {"type": "command", "command": command(event), "timeout": 7200, "statusMessage": "harness-guard"}
    if event != "UserPromptSubmit":
        entry["onFailure"] = "block"
    assert HOOKS[event] == [{"hooks": [entry]}]


@pytest.mark.contract("D1.4")
@pytest.mark.parametrize("event", FAILURE_ANSWERS)
def test_the_line_reaches_the_shell_as_it_stands(event: str) -> None:
    line = command(event)
    assert "${" not in line  # both hosts would paste a path in as text
    assert "\n" not in line
    for shell in ("sh", "bash"):
        subprocess.run([shell, "-n", "-c", line], check=True)
