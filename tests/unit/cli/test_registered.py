"""Answers of hooks, read as strictly as the stricter host reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness_guard.cli.registered import Fired, fire, load_commands, read_answer
from harness_guard.errors import ProvisionError
from harness_guard.runtime.registration import FAILURE_ANSWERS, command

ROOT = Path(__file__).resolve().parents[3]
REASON = "harness-guard boundary.outside: seen.\nNext: mend."
DENY = json.dumps(
    {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": REASON,
        }
    }
)
ALLOW = json.dumps(
    {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": REASON,
        }
    }
)
BLOCK = json.dumps({"decision": "block", "reason": REASON})
TOLD = json.dumps(
    {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "harness-guard: told"}}
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((0, "", ""), Fired("silent", "")),
        ((2, DENY, REASON), Fired("denied", REASON)),
        ((2, BLOCK, REASON), Fired("denied", REASON)),
        ((0, BLOCK, ""), Fired("blocked", REASON)),
        ((0, TOLD, ""), Fired("told", "harness-guard: told")),
    ],
)
def test_what_both_hosts_honour(answer: tuple[int, str, str], expected: Fired) -> None:
    assert read_answer(*answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param((0, DENY, REASON), id="a deny with status 0 alone"),
        pytest.param((2, DENY, ""), id="a deny without a word on standard error lets Codex pass"),
        pytest.param((2, "", REASON), id="a deny without its object"),
        pytest.param((2, ALLOW, REASON), id="an allow beside status 2"),
        pytest.param((0, ALLOW, ""), id="a bare allow"),
        pytest.param((1, "", ""), id="a crash"),
        pytest.param((0, "{", ""), id="half an object"),
        pytest.param((0, "[]", ""), id="a list"),
        pytest.param((0, "", "words"), id="silence with words"),
        pytest.param((0, TOLD + TOLD, ""), id="two objects"),
    ],
)
def test_what_one_of_them_would_not(answer: tuple[int, str, str]) -> None:
    assert read_answer(*answer).verdict == "broken"


def test_parts_of_a_reason() -> None:
    fired = Fired("denied", REASON)
    assert (fired.rule, fired.first_line) == ("boundary.outside", "harness-guard boundary.outside: seen.")
    assert Fired("told", "harness-guard: told").rule == ""


def test_the_commands_are_those_of_the_table() -> None:
    assert load_commands(str(ROOT)) == {event: (command(event),) for event in FAILURE_ANSWERS}


@pytest.mark.parametrize("text", ["", "{}", '{"hooks": []}', '{"hooks": {"Stop": [{"hooks": [{}]}]}}'])
def test_a_broken_hooks_file_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "hooks.json").write_text(text)
    with pytest.raises(ProvisionError, match=r"hooks/hooks\.json` cannot be read"):
        load_commands(str(tmp_path))


def test_it_fires_a_line_with_payload_environment_and_folder(tmp_path: Path) -> None:
    line = 'printf \'{"decision":"block","reason":"%s %s %s"}\' "$(grep -c session)" "$WHO" "$PWD"'
    fired = fire(line, {"session": 1}, {"WHO": "me", "PATH": "/usr/bin:/bin"}, cwd=str(tmp_path))
    assert fired == Fired("blocked", f"1 me {tmp_path}")


def test_a_shell_that_is_not_there_gives_a_broken_answer(tmp_path: Path) -> None:
    assert fire("true", {}, {}, cwd=str(tmp_path), shell="/nowhere/sh").verdict == "broken"
