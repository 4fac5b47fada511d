"""Any reason at all becomes an answer that both hosts take: strict JSON, known keys, visible text, within the limit."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness_guard import rawjson
from harness_guard.hosts.answers import Answer, encode
from harness_guard.kernel.decision import Decision, Reason
from harness_guard.kernel.event import EVENT_NAMES
from harness_guard.runtime.failure import failure

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=300)
LONG_TEXT = st.builds(lambda text, times: text * times, ANY_TEXT, st.sampled_from((1, 3, 400)))
REASONS = st.builds(Reason, ANY_TEXT, LONG_TEXT, LONG_TEXT, LONG_TEXT)
VERDICTS = {
    "PreToolUse": "deny",
    "PreSkillShellCommand": "deny",
    "ConfigChange": "block",
    "Stop": "block",
    "SubagentStop": "block",
}


def check(answer: Answer, event: str) -> None:
    assert answer.stdout.isascii()
    assert answer.stdout.isprintable()
    shown = [answer.stderr.removesuffix("\n")]
    if answer.stdout:
        value = rawjson.loads(answer.stdout)
        assert isinstance(value, dict)
        own = value.get("hookSpecificOutput")
        if own is None:
            assert (sorted(value), value["decision"]) == (["decision", "reason"], "block")
            shown.append(value["reason"])
        else:
            assert (list(value), own["hookEventName"]) == (["hookSpecificOutput"], event)
            texts = {"permissionDecisionReason", "additionalContext"} & own.keys()
            assert own.keys() - texts <= {"hookEventName", "permissionDecision"}
            assert own.get("permissionDecision", "deny") == "deny"
            shown += [own[name] for name in texts]
    for text in shown:
        assert len(text.encode()) < 9_000
        assert not {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {
            "\n",
            "\t",
        }
    if answer.status == 2:
        assert shown[0].strip()
        assert shown[0] == shown[1]


@pytest.mark.contract("D4.6", "D4.7")
@given(reason=REASONS, event=st.sampled_from(sorted(VERDICTS)))
@example(reason=Reason("\ud800", '"}', "\x00", "\\"), event="PreToolUse")
def test_any_reason(reason: Reason, event: str) -> None:
    check(encode(Decision(VERDICTS[event], reason), event), event)  # type: ignore[arg-type]


@given(seen=LONG_TEXT, remedy=LONG_TEXT, rule=ANY_TEXT, event=st.sampled_from(EVENT_NAMES))
@example(seen="\u6f22" * 5_000, remedy='"\\' * 5_000, rule="\u202e", event="PreToolUse")
def test_any_failure(seen: str, remedy: str, rule: str, event: str) -> None:
    check(Answer(*failure(event, seen, remedy, rule=rule)), event)


@given(text=LONG_TEXT, event=st.sampled_from(("UserPromptSubmit", "SubagentStart")))
def test_any_context(text: str, event: str) -> None:
    answer = encode(Decision("context", context=text), event)
    assert (answer.stderr, answer.status) == ("", 0)
    check(answer, event)
