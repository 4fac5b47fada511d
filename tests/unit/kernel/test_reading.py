"""Whether the Reviewer has looked at the diff: which calls show it, which only seem to (C8.22)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import FakeWorld, ShellWorld, call, in_state, review

from harness_guard.kernel.reading import note_reading
from harness_guard.kernel.state import Reviewer
from harness_guard.kernel.tools import classify
from harness_guard.records import replace
from harness_guard.shell.effects import Effects, Program

BRIEF = "/data/runs/s/brief.md"


def unread(**changes: Any) -> Any:
    state = in_state("verifying")
    return replace(state, reviewer=Reviewer(spawns=1, agent_id="a-1", **changes))


def program(*argv: str) -> Program:
    return Program(argv, "/repo", " ".join(argv))


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
    ("arguments", "is_noted"),
    [
        ({}, True),
        ({"offset": 0}, True),
        ({"offset": 1}, True),
        ({"offset": 999_999}, False),
        ({"limit": 1}, False),
        ({"offset": 1, "limit": 2000}, False),
    ],
)
def test_a_part_of_the_brief_is_not_the_brief(arguments: dict[str, int], *, is_noted: bool) -> None:
    found = FakeWorld().decide(call("Read", {"file_path": BRIEF, **arguments}, agent_id="a-1"), unread())
    assert (found.state is not None and found.state.reviewer.has_read_diff) is is_noted


@pytest.mark.parametrize(
    ("command", "is_noted"),
    [
        (f"cat {BRIEF}", True),
        (f"cat -n {BRIEF}", True),
        (f"nl -ba {BRIEF}", True),
        (f"sed -n '1,400p' {BRIEF}", True),
        (f"sed -n 1,$p {BRIEF}", False),
        (f"cat '{BRIEF}'", True),
        (f"cat {BRIEF} >/dev/null", False),
        (f"false && cat {BRIEF}", False),
        (f"if false; then cat {BRIEF}; fi", False),
        (f"cat {BRIEF} | wc -l", False),
        (f"cat {BRIEF} | head -c 0", False),
        (f"sed d {BRIEF}", False),
        (f"sed -n 200,400p {BRIEF}", False),
        (f"sed -n '' {BRIEF}", False),
        (f"head -n 400 {BRIEF}", False),
        (f"tail -n +999999 {BRIEF}", False),
        (f"wc -l {BRIEF}", False),
        (f"grep -c x {BRIEF}", False),
        (f"cat README.md {BRIEF}", False),
        ("cat README.md", False),
        ("git diff", False),
        (f"echo {BRIEF}", False),
    ],
)
def test_only_a_plain_command_shows_the_brief(command: str, *, is_noted: bool) -> None:
    """Read by the shell room itself; what it cannot read plainly is never taken for a look at the diff."""
    from harness_guard.kernel.reading import note_reading
    from harness_guard.kernel.tools import classify
    from harness_guard.shell.analysis import ShellFacts, Surroundings, analyse

    happened = call("Bash", {"command": command}, agent_id="a-1")
    found = analyse(command, Surroundings("/repo", "/repo"), ShellFacts())
    effects = found if isinstance(found, Effects) else Effects(programs=(program(*command.split()),))
    asking = note_reading(happened, unread(), classify(happened), effects)
    asking.send(None)
    with pytest.raises(StopIteration) as done:
        asking.send(BRIEF)
    assert (done.value.value is not None) is is_noted


@pytest.mark.parametrize("changes", [{"agent_id": "a-2"}, {"agent_id": "a-1", "has_read_diff": True}])
def test_nothing_is_noted_of_others_or_twice(changes: dict[str, Any]) -> None:
    state = in_state("verifying")
    reviewer = Reviewer(spawns=1, **changes)
    world = FakeWorld()
    found = world.decide(call("Read", {"file_path": BRIEF}, agent_id="a-1"), replace(state, reviewer=reviewer))
    assert found.state is None
    assert "BriefFile" not in world.asked


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


@pytest.mark.parametrize(
    ("agent", "reviewer"),
    [
        (None, Reviewer(spawns=1)),  # the root, while no Reviewer lives
        ("a-1", Reviewer(spawns=1)),
        ("a-1", Reviewer(spawns=1, agent_id="a-1", has_read_diff=True)),
        ("a-2", Reviewer(spawns=1, agent_id="a-1")),
    ],
)
def test_nobody_but_the_reviewer_is_asked_about_and_only_once(agent: str | None, reviewer: Reviewer) -> None:
    happened = call("Read", {"file_path": BRIEF}, agent_id=agent)
    asking = note_reading(happened, replace(unread(), reviewer=reviewer), classify(happened), Effects())
    with pytest.raises(StopIteration) as done:
        next(asking)
    assert done.value.value is None


@pytest.mark.parametrize(
    ("programs", "is_noted"),
    [
        ([("sed", "-n", "1,400p", BRIEF)], True),
        ([("/bin/sed", "-n", "1,400p", BRIEF)], True),
        ([("sed", "-n", "1,400p", BRIEF, "x")], False),
        ([("sed", "-e", "1,400p", BRIEF)], False),
        ([("sed", "-n", "1,400p", "/repo/a")], False),
        ([("sed", "-n", "2,400p", BRIEF)], False),
        ([("sed", "-n", "1,400", BRIEF)], False),
        ([("sed", "-n", "1,4xp", BRIEF)], False),
        ([("sed", "-n", "1p", BRIEF)], False),
        ([("cat", BRIEF)], True),
        ([("cat", "-n", "-A", BRIEF)], True),
        ([("cat", "-n", BRIEF, "-A")], False),
        ([("cat", "-q", BRIEF)], False),
        ([("cat", None, BRIEF)], False),
        ([(None, BRIEF)], False),
        ([("cat", BRIEF), ("cat", BRIEF)], False),
        ([], False),
    ],
)
def test_a_command_that_prints_the_whole_brief(
    programs: list[tuple[str | None, ...]], monkeypatch: pytest.MonkeyPatch, *, is_noted: bool
) -> None:
    effects = Effects(programs=tuple(Program(argv, "/repo", "x") for argv in programs))
    found = ShellWorld(monkeypatch, effects).decide(call("Bash", {"command": "x"}, agent_id="a-1"), unread())
    assert (found.state is not None and found.state.reviewer.has_read_diff) is is_noted


@pytest.mark.parametrize("letter", "|&;<>()`$\n\\")
def test_a_command_that_may_show_the_brief_to_nobody_is_no_reading(
    letter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    effects = Effects(programs=(Program(("cat", BRIEF), "/repo", "x"),))
    happened = call("Bash", {"command": f"cat {letter} x"}, agent_id="a-1")
    assert ShellWorld(monkeypatch, effects).decide(happened, unread()).state is None
