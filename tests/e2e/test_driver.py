"""The drivers themselves, proved with a plugin that writes down what it sees and answers in every way."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.hosts.claude import Claude
from tests.e2e.hosts.codex import CODE_MODE_MODEL, Codex
from tests.e2e.hosts.script import Call, JsonObject, Parallel, Say, ScriptError, Seen
from tests.e2e.hosts.world import World, find_binary, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.hosts.conversation import Conversation

STANDIN = Path(__file__).parent / "standin"
ENVIRONMENT = {"WITNESS_TRANSCRIPT": "1"}
CHILD_TASKS = {"claude": "reader", "codex": "default"}


@pytest.fixture
def open_host(tmp_path: Path) -> Iterator[Callable[..., Conversation]]:
    """Open conversations with the stand-in, and close them."""
    opened: list[Conversation] = []

    def open_one(kind: type[Claude | Codex], **options: str) -> Conversation:
        world = World(tmp_path / "world", tmp_path / "repository", STANDIN)
        world.root.mkdir()
        world.repository.mkdir()
        make_repository(world.repository, {"notes.txt": "first line\nsecond line\n"})
        host = kind(world, environment=ENVIRONMENT, **options)  # type: ignore[arg-type]
        opened.append(host)
        host.start()
        return host

    yield open_one
    for host in opened:
        host.close()


@pytest.fixture(params=[Claude, Codex], ids=["claude", "codex"])
def host(request: pytest.FixtureRequest, open_host: Callable[..., Conversation]) -> Conversation:
    """Each host in turn."""
    return open_host(request.param)


def witnessed(host: Conversation, event: str) -> list[JsonObject]:
    """The payloads of one event, oldest first."""
    lines = (host.data / "witness.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [row["event"] for row in rows if row["event"]["hook_event_name"] == event]


@pytest.mark.contract("A1.3")
def test_a_turn_runs_its_calls_and_reports_them(host: Conversation) -> None:
    turn = host.turn(
        "Change the notes.",
        host.read("notes.txt"),
        host.edit("notes.txt", "second line", "another line"),
        Parallel((host.write("made.txt", "made\n"), host.shell("echo forbidden > never.txt"))),
        lambda seen: host.shell(f"echo {seen.find('(first) line')} > computed.txt"),
        Say("Done."),
    )
    assert turn.changed == ("computed.txt", "made.txt", "notes.txt")
    assert (host.world.repository / "computed.txt").read_text() == "first\n"
    assert [(call.blocked, call.ran) for call in turn.calls] == [
        (False, True), (False, True), (False, True), (True, False), (False, True),
    ]  # fmt: skip
    assert "standin says no" in str(turn.call(3).output)
    assert turn.said == (("root", "Done."),)
    assert "Change the notes." in turn.told()
    assert "WITNESSED-PROMPT" in turn.told()
    assert {hook.event for hook in turn.hooks} >= {"UserPromptSubmit", "PreToolUse", "Stop"}
    assert [event["prompt"] for event in witnessed(host, "UserPromptSubmit")] == ["Change the notes."]


def test_a_stop_that_is_blocked_goes_on(host: Conversation) -> None:
    turn = host.turn("Speak.", Say("once more"), Say("Enough."))
    assert "standin wants more" in turn.told()
    assert [event["last_assistant_message"] for event in witnessed(host, "Stop")] == ["once more", "Enough."]


def test_a_restart_resumes_the_session(host: Conversation) -> None:
    host.turn("Before.", Say("Yes."))
    before = host.session_id
    host.restart()
    turn = host.turn("After.", lambda seen: Say("Resumed." if "Before." in seen.text() else "Lost."))
    assert turn.said == (("root", "Resumed."),)
    assert host.session_id == before
    assert {event["session_id"] for event in witnessed(host, "UserPromptSubmit")} == {before}


def spawn_arguments(host: Conversation, task: str) -> dict[str, str]:
    """What starts a child on this host."""
    if isinstance(host, Claude):
        return {"description": "child", "subagent_type": "standin:reader", "prompt": task}
    if isinstance(host, Codex) and host.model == CODE_MODE_MODEL:
        return {"task_name": "child_1", "fork_turns": "none", "message": task}
    return {"message": task}


def child_scenario(host: Conversation) -> None:
    """A child with a script of its own: briefed, held, heard."""
    after = Say("The child has ended.")
    turn = host.turn(
        "Have it looked at.",
        host.spawn(spawn_arguments(host, "Look into the notes.")),
        *host.await_child(),
        after,
        children={"Look into": (host.shell("echo forbidden > never.txt"), Say("once more"), Say("All is well."))},
    )
    assert "WITNESSED-CHILD" in turn.told("Look into")
    assert turn.call(lane="Look into").blocked
    assert "standin wants more" in turn.told("Look into")
    assert "All is well." in turn.told() or isinstance(host, Codex)
    assert [bool(event.get("agent_id")) for event in witnessed(host, "SubagentStop")] == [True, True]
    assert turn.changed == ()


def test_a_child_has_its_own_script(host: Conversation) -> None:
    child_scenario(host)


def test_a_child_of_the_code_mode_model(open_host: Callable[..., Conversation]) -> None:
    child_scenario(open_host(Codex, model=CODE_MODE_MODEL))


def test_an_interrupt_ends_the_turn_without_stop(host: Conversation) -> None:
    never = threading.Event()
    host.begin("Take your time.", Say("Too late.", hold=never))
    host.server.wait_for_request(1)
    host.interrupt()
    host.finish(interrupted=True)
    never.set()
    assert witnessed(host, "Stop") == []
    assert host.turn("Go on.", Say("Here.")).said == (("root", "Here."),)


def test_a_prompt_in_a_running_turn(host: Conversation) -> None:
    go_on = threading.Event()
    host.begin("First.", Say("First answer.", hold=go_on), Say("Second answer."))
    host.server.wait_for_request(1)
    if isinstance(host, Codex):
        host.steer("y")
    else:
        host.send_prompt("y")
    go_on.set()
    host.finish()
    assert [event["prompt"] for event in witnessed(host, "UserPromptSubmit")] == ["First.", "y"]


def test_a_second_process_resumes_the_session(host: Conversation) -> None:
    host.turn("Here.", Say("Yes."))
    if isinstance(host, Codex):
        assert "already has an active writer" in host.resume_elsewhere("y")
        host.stop()
    host.server.extend("root", (Say("Elsewhere."),))
    printed = host.resume_elsewhere("y")
    assert "Elsewhere." in printed
    assert [(event["session_id"], event["prompt"]) for event in witnessed(host, "UserPromptSubmit")] == [
        (host.session_id, "Here."), (host.session_id, "y"),
    ]  # fmt: skip


@pytest.mark.contract("A1.3")
def test_a_script_that_is_not_followed_fails(host: Conversation) -> None:
    with pytest.raises(ScriptError, match="unscripted 1"):
        host.turn("Go.", Say("once more"))


def broken(seen: Seen) -> Call:
    """A step that looks for what was never said."""
    return Call("none", {"found": seen.find("never (said)")})


def test_a_step_that_cannot_be_computed_fails(host: Conversation) -> None:
    with pytest.raises(ScriptError, match="the model never saw"):
        host.turn("Go.", broken)


@pytest.mark.contract("A1.2")
def test_a_missing_binary_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HARNESS_GUARD_HOSTS", str(tmp_path))
    with pytest.raises(ScriptError, match="HARNESS_GUARD_HOSTS"):
        find_binary("claude")
