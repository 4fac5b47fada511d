"""The failure answers, and the form in which the launcher takes an answer."""

from __future__ import annotations

import json

import pytest

from harness_guard.runtime.failure import describe, failure, framed

TEXT = 'harness-guard entry.cannot-decide: it "broke".\nNext: run `x`'


@pytest.mark.contract("D5.1", "D5.2")
def test_each_event_has_its_answer() -> None:
    seen, remedy = 'it "broke"', "run `x`"
    for event in ("Stop", "SubagentStop", "SubagentStart"):
        assert failure(event, seen, remedy) == ("", "", 0)
    out, err, status = failure("UserPromptSubmit", seen, remedy)
    told = TEXT + "\nThis prompt activated nothing and approved nothing."
    inner = {"hookEventName": "UserPromptSubmit", "additionalContext": told}
    assert (json.loads(out), err, status) == ({"hookSpecificOutput": inner}, "", 0)
    out, err, status = failure("ConfigChange", seen, remedy)
    assert (json.loads(out), err, status) == ({"decision": "block", "reason": TEXT}, TEXT, 2)
    for event, name in (
        ("PreToolUse", "PreToolUse"),
        ("PreSkillShellCommand", "PreSkillShellCommand"),
        ("New", "PreToolUse"),
    ):
        out, err, status = failure(event, seen, remedy)
        inner = {"hookEventName": name, "permissionDecision": "deny", "permissionDecisionReason": TEXT}
        assert (json.loads(out), err, status) == ({"hookSpecificOutput": inner}, TEXT, 2)


@pytest.mark.contract("D5.4")
@pytest.mark.parametrize("odd", ["\x00\x1b[31m", "\ud800", "\u202e", "\U0001f600", "\\u0041", "x" * 100_000])
def test_whatever_was_seen_the_answer_is_short_json_without_controls(odd: str) -> None:
    out, err, _ = failure("PreToolUse", odd, "go on")
    assert json.loads(out)
    assert out.isascii()
    assert len(out) < 9_000
    assert err.isascii()
    assert all(line.isprintable() for line in err.split("\n"))


def test_what_is_too_long_is_cut_from_the_middle_with_a_mark() -> None:
    _, err, _ = failure("PreToolUse", "a" * 10_000 + "z", "\x1b go on")
    first, second = err.split("\n")
    assert first == f"harness-guard entry.cannot-decide: {'a' * 933} [... 8101 bytes cut here ...] {'a' * 966}z."
    assert second == "Next: \\x1b go on"


@pytest.mark.contract("D5.4")
def test_describe_is_one_line() -> None:
    assert describe(ValueError("a\nb")) == "ValueError: a b"
    assert describe(MemoryError()) == "MemoryError"


@pytest.mark.contract("D2.7")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (("", "", 0), "harness-guard:pass\n"),
        (("", "said", 0), "harness-guard:pass\n"),
        (('{\n"a":1}\n', "", 0), '{ "a":1}\nharness-guard:answer\n'),
        (("{}", "first\n\nlast\n", 2), "{}\n|first\n|\n|last\nharness-guard:deny\n"),
        (("{}", " \n", 2), None),
        (("", "why", 2), None),
        (("{}", "why", 1), None),
        (("", "", 1), None),
    ],
)
def test_framed(answer: tuple[str, str, int], expected: str | None) -> None:
    assert framed(*answer) == expected
