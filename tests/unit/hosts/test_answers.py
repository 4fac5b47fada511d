"""encode(): the whole answer for every verdict at every event."""

from __future__ import annotations

import json

import pytest

from harness_guard.hosts.answers import Answer, encode
from harness_guard.kernel.decision import PASS, Decision, Reason, block, context, deny
from harness_guard.kernel.event import EVENT_NAMES

REASON = Reason("boundary.outside", "write to `docs/é`\x1b is outside", "emit a Plan Amendment", "one\ntwo\ttabs")
TEXT = "harness-guard boundary.outside: write to `docs/é`\\x1b is outside.\nNext: emit a Plan Amendment\none\ntwo\ttabs"
JSON = json.dumps(TEXT)
DENIED = Answer(
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    f'"permissionDecisionReason":{JSON}}}}}',
    TEXT + "\n",
    2,
)
DENIED_SKILL = Answer(DENIED.stdout.replace("PreToolUse", "PreSkillShellCommand"), TEXT + "\n", 2)
BLOCKED = Answer(f'{{"decision":"block","reason":{JSON}}}', "", 0)
REFUSED_CHANGE = Answer(BLOCKED.stdout, TEXT + "\n", 2)
SILENCE = Answer("", "", 0)


def told(event: str, text: str) -> Answer:
    return Answer(
        f'{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":{json.dumps(text)}}}}}', "", 0
    )


@pytest.mark.contract("D4.1", "D4.2", "D4.3", "D4.4", "D4.5")
@pytest.mark.parametrize(
    ("decision", "event", "answer"),
    [
        *[(PASS, event, SILENCE) for event in EVENT_NAMES],
        (Decision("deny", REASON), "PreToolUse", DENIED),
        (Decision("deny", REASON), "PreSkillShellCommand", DENIED_SKILL),
        (Decision("block", REASON), "Stop", BLOCKED),
        (Decision("block", REASON), "SubagentStop", BLOCKED),
        (Decision("block", REASON), "ConfigChange", REFUSED_CHANGE),
        (context("brief\nline"), "SubagentStart", told("SubagentStart", "brief\nline")),
        (context("hello"), "UserPromptSubmit", told("UserPromptSubmit", "hello")),
        (context(""), "UserPromptSubmit", SILENCE),
    ],
)
def test_answer(decision: Decision, event: str, answer: Answer) -> None:
    assert encode(decision, event) == answer


@pytest.mark.contract("C3.12")
@pytest.mark.parametrize(
    ("decision", "event"),
    [
        *[
            (deny("a.b", "s", "r"), event)
            for event in EVENT_NAMES
            if event not in ("PreToolUse", "PreSkillShellCommand")
        ],
        *[
            (block("a.b", "s", "r"), event)
            for event in EVENT_NAMES
            if event not in ("Stop", "SubagentStop", "ConfigChange")
        ],
        *[(context("x"), event) for event in EVENT_NAMES if event not in ("UserPromptSubmit", "SubagentStart")],
        (Decision("deny"), "PreToolUse"),
        (Decision("block"), "Stop"),
        (deny("a.b", "s", "r"), "SessionStart"),
    ],
)
def test_a_verdict_that_the_event_does_not_know_is_our_mistake(decision: Decision, event: str) -> None:
    with pytest.raises(RuntimeError, match=f"no answer of form {decision.verdict} at {event}"):
        encode(decision, event)
