"""The journal and the first answers: whole lines under many writers, secrets left out, one answer a call."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from fake_world import call, in_state, planning, prompt, stop

from harness_guard.errors import StateError, StoreError
from harness_guard.kernel.decision import PASS, context, deny
from harness_guard.kernel.outcome import Outcome
from harness_guard.store.first_answers import FirstAnswer, call_digest, load_first, save_first
from harness_guard.store.journal import append
from harness_guard.store.journal_entry import entry_of
from harness_guard.store.redaction import HIDDEN, redact

if TYPE_CHECKING:
    from pathlib import Path

KEY = b"k" * 32


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_of_many_processes_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    children = []
    for writer in range(4):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                for number in range(50):
                    append(str(path), {"writer": writer, "number": number, "text": chr(65 + writer) * 9000})
                status = 0
            finally:
                os._exit(status)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4
    found = [(line["writer"], line["number"]) for line in lines(path)]
    assert sorted(found) == [(writer, number) for writer in range(4) for number in range(50)]
    for writer in range(4):
        assert [number for who, number in found if who == writer] == list(range(50))


@pytest.mark.parametrize("text", ["a\nb", "ä\u2028\u2029", "\0\x1b[31m", '"\\'])
def test_an_entry_is_one_line_whatever_it_holds(tmp_path: Path, text: str) -> None:
    path = tmp_path / "j"
    append(str(path), {"text": text})
    append(str(path), {"text": "next"})
    assert path.read_bytes().count(b"\n") == 2
    assert [json.loads(line)["text"] for line in path.read_bytes().split(b"\n")[:2]] == [text, "next"]


def test_a_line_cut_short_by_a_full_disk_spoils_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j"
    append(str(path), {"n": 1})
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: real(handle, bytes(data)[:4]))
        with pytest.raises(StoreError, match="full"):
            append(str(path), {"n": 2})
    append(str(path), {"n": 3})
    text = path.read_text().splitlines()
    assert [json.loads(line) for line in (text[0], text[2])] == [{"n": 1}, {"n": 3}]
    assert len(text) == 3


@pytest.mark.parametrize("kind", ["no folder", "link", "folder"])
def test_a_journal_that_cannot_be_written(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x" / "j" if kind == "no folder" else tmp_path / "j"
    if kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(StoreError) as caught:
        append(str(path), {})
    assert caught.value.rule == "store.journal"
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="No space left"):
        append(str(tmp_path / "j"), {})


# Entries.


def entry(happened: Any, outcome: Outcome, before: Any = None, after: Any = None) -> dict[str, object]:
    found = entry_of(happened, outcome, before=before, after=after)
    assert isinstance(found.pop("at_ms"), int)
    return found


@pytest.mark.contract("D6.4")
def test_an_entry_of_a_refusal() -> None:
    state = in_state("executing")
    refused = Outcome(deny("boundary.outside", "`Write` would write `token=hunter2`", "Write inside."))
    found = entry(call("Write", {"file_path": "/repo/x", "content": "secret text"}), refused, state, state)
    assert found == {
        "event": "PreToolUse",
        "verdict": "deny",
        "turn": "turn-2",
        "tool": "Write",
        "call": "u1",
        "input": {"file_path": "/repo/x"},
        "rule": "boundary.outside",
        "seen": f"`Write` would write `token={HIDDEN}`",
        "run": "r1",
        "revision": 2,
        "state": "executing",
    }


@pytest.mark.contract("D6.4")
def test_an_entry_of_a_transition() -> None:
    found = entry(prompt("y"), Outcome(context("ok"), note="Plan approved"), planning(), in_state("executing"))
    assert (found["prompt"], found["note"], found["from"], found["state"]) == (
        "y",
        "Plan approved",
        "planning",
        "executing",
    )
    assert entry(prompt("$harness x"), Outcome(context("ok")), None, planning())["from"] is None


@pytest.mark.contract("D6.5")
def test_a_long_text_is_cut_and_counted() -> None:
    found = entry(stop("x" * 5000), Outcome(PASS), planning(), planning())
    assert found["message"] == "x" * 2000 + "… (5000 characters)"


# Redaction.


@pytest.mark.contract("C9.7", "D6.5")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("curl -H 'Authorization: Bearer abcdef123456' x", f"curl -H 'Authorization: Bearer {HIDDEN}' x"),
        ("export GITHUB_TOKEN=abc", f"export GITHUB_TOKEN={HIDDEN}"),
        ("deploy --token abc --dry", f"deploy --token {HIDDEN} --dry"),
        ("deploy --token=abc", f"deploy --token={HIDDEN}"),
        ("mysql --password hunter2", f"mysql --password {HIDDEN}"),
        ('{"api_key": "abc"}', f'{{"api_key": "{HIDDEN}"}}'),
        ("echo ghp_0123456789abcdef", f"echo {HIDDEN}"),
        ("echo sk-ant-REDACTED", f"echo {HIDDEN}"),
        ("AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE", f"AWS_ACCESS_KEY_ID={HIDDEN}"),
        ("git clone https://me:pw@host/x", f"git clone https://{HIDDEN}@host/x"),
        ("git clone https://pw@host/x", f"git clone https://{HIDDEN}@host/x"),
        ("eyJhbGciOiJIUzI1NiJ9.e30.abc", HIDDEN),
        ("grep token src/lexer.py", f"grep token {HIDDEN}"),
        ("make tokens; ls", "make tokens; ls"),
        ("cat secret; ls", "cat secret; ls"),
        ("git commit -m 'sk-8 parks'", "git commit -m 'sk-8 parks'"),
        ("ssh git@host", "ssh git@host"),
        ("", ""),
        ("ä \n漢", "ä \n漢"),
    ],
)
def test_redaction(text: str, expected: str) -> None:
    assert redact(text) == expected


def test_redaction_of_hostile_text_is_linear() -> None:
    text = "token=" * 60_000
    assert redact(text + "x").endswith(HIDDEN)


# First answers.


def test_a_first_answer_comes_back(tmp_path: Path) -> None:
    digest = call_digest("s", "PreToolUse u1", "x")
    assert load_first(str(tmp_path), digest, KEY) is None
    answer = FirstAnswer(3, "out", "err\n", 2)
    save_first(str(tmp_path), digest, answer, key=KEY)
    assert load_first(str(tmp_path), digest, KEY) == answer


@pytest.mark.contract("D6.1")
@pytest.mark.parametrize(
    "parts",
    [
        ("t", "PreToolUse u1", "x"),
        ("s", "PreToolUse u2", "x"),
        ("s", "PreToolUse u1", "y"),
        ("sP", "reToolUse u1", "x"),
    ],
)
def test_a_call_is_named_by_session_id_and_input(parts: tuple[str, str, str]) -> None:
    assert call_digest(*parts) != call_digest("s", "PreToolUse u1", "x")
    assert call_digest(*parts) == call_digest(*parts)


@pytest.mark.contract("D6.3")
def test_an_answer_that_the_guard_did_not_write_is_refused(tmp_path: Path) -> None:
    digest = call_digest("s", "c", "x")
    save_first(str(tmp_path), digest, FirstAnswer(3, "", "", 0), key=KEY)
    path = tmp_path / digest
    path.write_bytes(path.read_bytes().replace(b'"revision":3', b'"revision":4'))
    with pytest.raises(StateError):
        load_first(str(tmp_path), digest, KEY)


def test_an_answer_of_another_call_is_refused(tmp_path: Path) -> None:
    one, other = call_digest("s", "c", "x"), call_digest("s", "c", "y")
    save_first(str(tmp_path), one, FirstAnswer(3, "", "", 0), key=KEY)
    os.rename(tmp_path / one, tmp_path / other)
    with pytest.raises(StateError) as caught:
        load_first(str(tmp_path), other, KEY)
    assert caught.value.rule == "store.first-answer"
