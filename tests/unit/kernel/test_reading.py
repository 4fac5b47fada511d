"""Whether the Reviewer has looked at the diff: which calls show it, which only seem to (C8.22)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import FakeWorld, ShellWorld, call, in_state, review

from harness_guard.kernel.state import Reviewer
from harness_guard.records import replace
from harness_guard.shell.effects import Effects, Program, Read

BRIEF = "/data/runs/s/brief.md"


def unread(**changes: Any) -> Any:
    state = in_state("verifying")
    return replace(state, reviewer=Reviewer(spawns=1, agent_id="a-1", **changes))


def program(*argv: str) -> Program:
    return Program(argv, "/repo", " ".join(argv))


def test_what_goes_elsewhere_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = replace(program("cat", BRIEF), writes_to=("/dev/null",))
    world = ShellWorld(monkeypatch, Effects(reads=(Read(BRIEF, "cat"),), programs=(hidden,)))
    assert world.decide(call("Bash", {"command": "x"}, agent_id="a-1"), unread()).state is None


@pytest.mark.parametrize(
    ("tool", "path", "agent", "is_noted"),
    [
        ("Read", BRIEF, "a-1", True),
        ("Read", "/repo/src/a.py", "a-1", False),
        ("Grep", BRIEF, "a-1", False),
        ("Read", BRIEF, "a-2", False),
        ("Read", BRIEF, None, False),
    ],
)
def test_a_file_tool_shows_the_brief(tool: str, path: str, agent: str | None, *, is_noted: bool) -> None:
    argument = "path" if tool == "Grep" else "file_path"
    found = FakeWorld().decide(call(tool, {argument: path}, agent_id=agent), unread())
    assert found.decision.verdict == "pass"
    assert (found.state is not None and found.state.reviewer.has_read_diff) is is_noted


@pytest.mark.parametrize(
    ("argv", "reads", "is_noted"),
    [
        (("cat", BRIEF), (BRIEF,), True),
        (("/usr/bin/sed", "-n", "1,400p", BRIEF), (BRIEF,), True),
        (("wc", "-l", BRIEF), (BRIEF,), False),
        (("ls", BRIEF), (BRIEF,), False),
        (("cat", "src/a.py"), ("/repo/src/a.py",), False),
        (("nl", "-ba", BRIEF), (BRIEF,), True),
        (("head", "-n", "400", BRIEF), (BRIEF,), True),
        (("head", "-c", "0", BRIEF), (BRIEF,), False),
        (("tail", "-n0", BRIEF), (BRIEF,), False),
        (("sed", "-n", "", BRIEF), (BRIEF,), False),
        (("sed", "s/a/b/", BRIEF), (BRIEF,), True),
        (("cat", "README.md"), ("/repo/README.md", BRIEF), False),
        (("git", "diff"), (), False),
        (("echo", BRIEF), (), False),
    ],
)
def test_a_shell_text_shows_the_diff(
    argv: tuple[str, ...], reads: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, is_noted: bool
) -> None:
    effects = Effects(reads=tuple(Read(path, argv[0]) for path in reads), programs=(program(*argv),))
    world = ShellWorld(monkeypatch, effects)
    found = world.decide(call("Bash", {"command": " ".join(argv)}, agent_id="a-1"), unread())
    assert found.decision.verdict == "pass"
    assert (found.state is not None and found.state.reviewer.has_read_diff) is is_noted


@pytest.mark.contract("C8.22")
@pytest.mark.parametrize(
    ("verdict", "has_read", "rule"),
    [("PASS", False, "review.unread"), ("PASS", True, None), ("BLOCKED", False, None), ("BLOCKED", True, None)],
)
def test_a_verdict_without_a_look_at_the_diff(verdict: str, rule: str | None, *, has_read: bool) -> None:
    from fake_world import event

    state = unread(has_read_diff=has_read)
    found = FakeWorld().decide(event("SubagentStop", agent_id="a-1", message=review(verdict)), state)
    assert (found.decision.reason.rule if found.decision.reason is not None else None) == rule


def test_a_new_reviewer_has_read_nothing() -> None:
    from harness_guard.kernel.spawn import next_spawn

    state = in_state("verifying")
    arguments = next_spawn(state).for_host("claude")
    found = FakeWorld().decide(call("Agent", arguments), state)
    assert found.state is not None
    assert (found.state.reviewer.is_awaited, found.state.reviewer.has_read_diff) == (True, False)
