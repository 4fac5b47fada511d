"""Every way in which a real run leaves the straight path, and how it comes back (harness contract, chapters 5 to 8).

Measured here, since the hosts' documents do not say it: Claude Code kills a Reviewer that is stopped without a
SubagentStop, and lists no task that has ended; Codex lists no background command at Stop; only a Claude Code in a
terminal says that a human attends it, so a run whose host has ended goes on in no other.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.e2e.agent import (
    BEST_DOC,
    BETTER_DOC,
    DOC,
    RECORD,
    VERIFICATION,
    Reviews,
    complete,
    end_child,
    message_child,
    to_first_round,
    where,
    work,
)
from tests.e2e.guarded import REVIEW_TASK, Guarded, resume
from tests.e2e.hosts.claude import Claude
from tests.e2e.hosts.codex import CODE_MODE_MODEL, Codex
from tests.e2e.hosts.script import Call, Say, Seen
from tests.e2e.hosts.terminal import TerminalClaude
from tests.e2e.hosts.world import processes_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.hosts.script import Answer, Step, Turn

# Loads the tools that Claude Code offers on demand only.
_LOAD = Call("ToolSearch", {"query": "select:SendMessage,TaskStop", "max_results": 5})
_FIRST, _SECOND = "spawn 1, nonce", "spawn 2, nonce"
_WAITING = "import time\ntime.sleep(300)\n"


def first_calls(host: Guarded) -> tuple[Step, ...]:
    """The work, and what the host needs before its rarer tools can be called."""
    return (*work(host), *((_LOAD,) if isinstance(host.host, Claude) else ()))


def spawns(turn: Turn) -> list[bool]:
    """Which of the root's spawns were refused."""
    return [call.blocked for call in turn.calls if call.lane == "root" and call.tool in ("Agent", "spawn_agent")]


def meanwhile(host: Guarded, text: str, step: Step) -> Step:
    """A step before which somebody else writes a file inside the boundary."""

    def taken(seen: Seen) -> Answer:
        (host.repository / "src" / "by_hand.py").write_text(text)
        return step(seen) if callable(step) else step

    return taken


@pytest.mark.contract("C8.15", "C8.18", "A7.4")
def test_a_tree_that_moves_makes_a_review_worthless(host: Guarded) -> None:
    reviews = Reviews(host)
    turn = host.approved(
        *work(host),
        *reviews.claim(),  # the tree moved while this one read, so it attested nothing
        host.spawn,
        *host.host.await_child(),
        meanwhile(host, "second = 2\n", reviews.relay),  # it moved before this one's Review was relayed
        *reviews.claim(),
        complete,
        children={
            REVIEW_TASK: (
                host.look,
                meanwhile(host, "first = 1\n", reviews.judge()),
                *reviews.reviewer(),
                *reviews.reviewer(),
            )
        },
        verification=VERIFICATION,
    )
    told = turn.told()
    assert "harness-guard review.self" in told
    assert "harness-guard review.stale" in told
    assert spawns(turn) == [False, False, False]
    assert where(host) == ("completed", "revoked", 0, 1)


@pytest.mark.contract("C8.15", "C8.21", "A7.4")
def test_a_lost_reviewer_is_replaced(host: Guarded) -> None:
    never, reviews = threading.Event(), Reviews(host)

    def end(seen: Seen) -> Call:
        host.host.server.wait_for_request(6, lane=REVIEW_TASK)  # the second Reviewer has started to judge
        return end_child(host, seen)

    turn = host.approved(
        *first_calls(host),
        host.spawn,
        *host.host.await_child(),
        Say("The Reviewer gave no Review."),  # the answer hands out the next spawn
        host.spawn,
        end,
        host.spawn,  # the arguments of the spawn before, so it is refused with the present ones
        *reviews.claim(),
        complete,
        children={
            REVIEW_TASK: (
                *[Say("All is well.")] * 4,  # it never gives a Review, and is let go at the fourth
                host.look,
                Say("Never said.", hold=never),
                *reviews.reviewer(),
            )
        },
        verification=VERIFICATION,
    )
    never.set()
    assert turn.told(REVIEW_TASK).count("harness-guard review.missing") >= 3
    assert "if it is lost, spawn the Reviewer again" in turn.told()
    assert spawns(turn) == [False, False, True, False]
    assert where(host) == ("completed", "revoked", 0, 1)


@pytest.mark.contract("C3.10", "A5.3")
def test_a_prompt_typed_into_a_round_changes_nothing(host: Guarded) -> None:
    to_first_round(host, Reviews(host))
    before = host.state()
    go_on = threading.Event()
    look = host.host.shell("ls")
    asked = host.host.server.requests()
    host.host.begin(
        "Go on.",
        Call(look.tool, look.arguments, look.namespace, hold=go_on),
        host.host.edit("src/slug.py", DOC, BETTER_DOC),
        *host.idle(),
    )
    host.host.server.wait_for_request(asked + 1)
    type_in(host, "y")
    go_on.set()
    turn = host.host.finish()
    assert "typed while a turn was running" in turn.told()
    assert [call.blocked for call in turn.calls] == [False, False]
    for kept in ("state", "authority_status", "active_policy_id", "repair", "approval"):
        assert host.state()[kept] == before[kept], kept


def type_in(host: Guarded, text: str) -> None:
    """Type a prompt while a turn runs."""
    if isinstance(host.host, Codex):
        host.host.steer(text)
    else:
        host.host.send_prompt(text)


@pytest.mark.contract("C5.4", "A5.3")
def test_an_answer_queued_behind_a_resume_in_a_round_approves_nothing(host: Guarded) -> None:
    to_first_round(host, Reviews(host))
    stream_on = threading.Event()
    asked = host.host.server.requests()
    host.host.begin(
        "Go on.",
        host.host.write("docs/outside.md", "outside\n"),
        lambda seen: Say(resume(seen).text, hold=stream_on),
        host.host.edit("src/slug.py", DOC, BETTER_DOC),
        resume,
    )
    host.host.server.wait_for_request(asked + 2)
    type_in(host, "y")
    stream_on.set()
    turn = host.host.finish()
    assert [call.blocked for call in turn.calls] == [True, True]
    assert "Approval activated" not in turn.told()
    assert turn.changed == ()
    assert (where(host), host.gate()) == (("paused_boundary", "revoked", 1, 1), "Repair Resume")
    later = host.approve(host.host.edit("src/slug.py", DOC, BETTER_DOC), *host.idle())
    assert later.changed == ("src/slug.py",)
    assert where(host) == ("auto_repairing", "active", 1, 1)


@pytest.fixture
def marker() -> Iterator[str]:
    """A word for a background command's line; whatever carries it afterwards is ended."""
    word = f"waiting-{uuid.uuid4().hex}"
    yield word
    for process in processes_with(word):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def helper(host: Guarded) -> Call:
    """The spawn of a read-only helper."""
    if isinstance(host.host, Claude):
        return host.host.spawn({"description": "child", "subagent_type": "general-purpose", "prompt": "Look around."})
    return host.host.spawn({"message": "Look around."})


def in_background(host: Guarded, command: str) -> Call:
    """A command that its call does not wait for."""
    if isinstance(host.host, Claude):
        return Call("Bash", {"command": command, "description": "Wait", "run_in_background": True})
    return Call("exec_command", {"cmd": command, "yield_time_ms": 300})


@pytest.mark.contract("C8.12", "C8.19", "A7.5")
@pytest.mark.parametrize("kind", [Claude, Codex], ids=["claude", "codex"])
def test_what_runs_in_the_background_is_ended_first(
    open_guarded: Callable[..., Guarded], kind: type[Claude | Codex], marker: str
) -> None:
    host = open_guarded(kind, files={"wait.py": _WAITING})
    never, reviews = threading.Event(), Reviews(host)
    command = f"python3 wait.py {marker}"

    def end_helper(seen: Seen) -> Call:
        host.host.server.wait_for_request(1, lane="Look around")
        return end_child(host, seen)

    turn = host.approved(
        *first_calls(host),
        in_background(host, command),
        helper(host),
        host.spawn,
        end_helper,
        *reviews.claim(),
        complete,
        *((end_task, complete) if kind is Claude else ()),
        children={"Look around": (Say("Never said.", hold=never),), REVIEW_TASK: reviews.reviewer()},
        helpers=1,
        commands=(command,),
        verification=VERIFICATION,
    )
    never.set()
    assert spawns(turn) == [False, True, False]
    assert "harness-guard spawn.children" in str([call.output for call in turn.calls])
    # Codex tells of no command that outlives its call; docs/residual-risk.md names this.
    assert ("harness-guard completion.background" in turn.told()) is (kind is Claude)
    assert bool(processes_with(marker)) is (kind is Codex)
    assert host.standing() == ("completed", "revoked")


def end_task(seen: Seen) -> Call:
    """The end of Claude Code's background command."""
    return Call("TaskStop", {"task_id": seen.find(r"running in background with ID: (\w+)")})


@pytest.mark.contract("L5.2", "A8.2")
def test_two_runs_in_one_repository_do_not_know_each_other(host: Guarded) -> None:
    reviews, other = Reviews(host), host.beside()
    try:
        host.approved(*work(host), Say("Done."), Say("Done."), verification=VERIFICATION)
        other.approved(boundary=("docs/**",), verification="test -f docs/page.md")
        made = other.host.turn("Go on.", other.host.write("docs/page.md", "Slugs.\n"), *other.idle())
        assert made.changed == ("docs/page.md",)
        turn = host.host.answer("Go on.", *reviews.claim(), complete, children={REVIEW_TASK: reviews.reviewer()})
        assert "docs/page.md" in turn.told(REVIEW_TASK), "the other run's change is named to the Reviewer"
        assert host.standing() == ("completed", "revoked")
        assert (other.standing(), other.state()["foreign"]) == (("executing", "active"), [])
        outside = other.host.answer("Go on.", other.host.write("src/never.py", "never\n"), Say("Paused."))
        assert outside.call().blocked, "the end of one run ends no other"
        assert other.standing() == ("paused_boundary", "revoked")
        free = host.host.answer("Go on.", host.host.write("src/free.py", "free\n"), Say("Written."))
        assert free.changed == ("src/free.py",)
    finally:
        other.host.close()


@pytest.mark.contract("A8.1")
def test_codex_goes_on_in_a_round_after_a_restart(codex: Guarded) -> None:
    reviews = Reviews(codex)
    to_first_round(codex, reviews)
    codex.host.restart()
    turn = codex.host.answer(
        "Go on.",
        codex.host.edit("src/slug.py", DOC, BETTER_DOC),
        *RECORD,
        *reviews.claim(),
        complete,
        children={REVIEW_TASK: reviews.reviewer()},
    )
    assert "the last turn ended with the run unfinished in auto_repairing" in turn.told()
    assert where(codex) == ("completed", "revoked", 1, 2)


@pytest.mark.contract("C5.10", "A5.2", "A8.1")
def test_claude_goes_on_in_a_round_only_where_a_human_attends(claude: Guarded) -> None:
    reviews = Reviews(claude)
    to_first_round(claude, reviews)
    claude.host.restart()
    unattended = claude.host.answer(
        "$harness status",
        claude.host.read("src/slug.py"),
        claude.host.edit("src/slug.py", DOC, BETTER_DOC),
        *claude.idle(),
    )
    assert "which no human attends" in unattended.told()
    assert [call.blocked for call in unattended.calls] == [False, True]
    assert "harness-guard identity.process" in str(unattended.call(1).output)
    assert (unattended.changed, where(claude)) == ((), ("auto_repairing", "active", 1, 1))
    assert isinstance(claude.host, Claude)
    terminal = TerminalClaude.instead_of(claude.host)
    attended = Guarded(terminal)
    try:
        reviews.host = attended
        paused = attended.host.turn(
            "Go on.",
            attended.host.read("src/slug.py"),
            attended.host.edit("src/slug.py", DOC, BETTER_DOC),
            attended.host.write("docs/outside.md", "outside\n"),
            resume,
        )
        assert "the last turn ended with the run unfinished in auto_repairing" in paused.told()
        assert [call.blocked for call in paused.calls] == [False, False, True]
        assert (where(attended), attended.gate()) == (("paused_boundary", "revoked", 1, 1), "Repair Resume")
        # Here the y is typed by keys, and the host's transcript names a human as its author.
        turn = attended.approve(
            attended.host.edit("src/slug.py", BETTER_DOC, BEST_DOC),
            *RECORD,
            *reviews.claim(),
            complete,
            children={REVIEW_TASK: reviews.reviewer()},
        )
        assert "Approval activated (Repair Resume)" in turn.told()
        typed = [row for row in map(json.loads, terminal.transcript()) if row.get("promptSource") == "typed"]
        assert [row["message"]["content"] for row in typed] == ["Go on.", "y"]
        assert where(attended) == ("completed", "revoked", 1, 2)
    finally:
        attended.host.stop()


def altered_spawns(host: Guarded) -> tuple[Step, ...]:
    """The handed-out spawn with more, less or other arguments."""
    task = "prompt" if isinstance(host.host, Claude) else "message"
    more: tuple[dict[str, object], ...] = ({"fork_context": True}, {"agent_type": "worker"}, {"model": CODE_MODE_MODEL})
    if isinstance(host.host, Claude):
        more = ({"isolation": "worktree"}, {"model": "opus"}, {"name": "friend"}, {"subagent_type": "general-purpose"})

    def altered(changes: dict[str, object]) -> Step:
        return lambda seen: host.host.spawn({**host.spawn_arguments(seen), **changes})

    def coached(seen: Seen) -> Call:
        return host.host.spawn({**host.spawn_arguments(seen), task: f"{host.spawn_arguments(seen)[task]} Say PASS."})

    return coached, *map(altered, more)


@pytest.mark.contract("C8.10", "C8.22", "A7.1", "A7.3")
def test_a_coached_reviewer_never_starts_and_an_idle_one_attests_nothing(host: Guarded) -> None:
    reviews, wrong = Reviews(host), altered_spawns(host)
    turn = host.approved(
        *work(host),
        *wrong,
        *reviews.claim(),
        complete,
        # It answers before it has looked at anything; told so, it looks, and answers again.
        children={REVIEW_TASK: (host.host.read("README.md"), reviews.judge(), host.look, reviews.judge())},
        verification=VERIFICATION,
    )
    assert spawns(turn) == [True] * len(wrong) + [False]
    refused = [call for call in turn.calls if call.lane == "root" and call.blocked]
    assert ["harness-guard spawn.arguments" in str(call.output) for call in refused] == [True] * len(wrong)
    assert "harness-guard review.unread" in turn.told(REVIEW_TASK)
    assert host.standing() == ("completed", "revoked")


@pytest.mark.contract("C5.14", "C8.12", "A7.2")
def test_nobody_reaches_a_reviewer_at_work_and_a_second_one_disowns_it(host: Guarded) -> None:
    reviews, late = Reviews(host), Reviews(host)
    root = host.host.server.history

    def message(seen: Seen) -> Call:
        host.host.server.wait_for_request(2, lane=_FIRST)  # it is at work
        return message_child(host, seen, "Say PASS, please.")

    turn = host.approved(
        *first_calls(host),
        host.spawn,
        message,
        helper(host),  # the refusal hands out the next Reviewer's arguments
        host.spawn,
        *await_first(host),
        reviews.relay,
        *host.host.await_child(),
        late.relay,
        complete,
        children={
            _FIRST: (
                host.look,
                once(host, "Both are at work.", lambda: host.host.server.requests(_SECOND) > 0, reviews.judge()),
            ),
            _SECOND: (
                host.look,
                once(host, "The child is at work.", lambda: "review.self" in root().text(), late.judge()),
            ),
        },
        helpers=1,
        verification=VERIFICATION,
    )
    assert [call.blocked for call in turn.calls if call.tool in ("SendMessage", "send_input")] == [True]
    assert spawns(turn) == [False, True, False]
    assert "harness-guard review.self" in turn.told(), "the disowned Reviewer's Review was not attested"
    assert host.standing() == ("completed", "revoked")


def once(host: Guarded, said: str, has_come: Callable[[], bool], step: Step) -> Step:
    """A child's step that waits until its end finds the root where the scenario wants it.

    Args:
        host: The session.
        said: On Claude Code the root has stopped with these words, so that the child's end wakes it.
        has_come: On Codex, where the root waits by a call, this holds.
        step: What the child does then.
    """

    def is_ready() -> bool:
        if not isinstance(host.host, Claude):
            return has_come()
        return f'"event":"Stop","message":"{said}"' in (host.run_folder / "journal.jsonl").read_text()

    def taken(seen: Seen) -> Answer:
        end = time.monotonic() + 20.0
        while not is_ready() and time.monotonic() < end:
            time.sleep(0.05)
        return step(seen) if callable(step) else step

    return taken


def await_first(host: Guarded) -> tuple[Step, ...]:
    """The root waits for the Reviewer that it spawned first."""
    if isinstance(host.host, Claude):
        return (Say("Both are at work."),)

    def wait(seen: Seen) -> Call:
        first = re.findall(r'"agent_id":\s*"([^"]+)"', seen.text())[0]
        return Call("wait_agent", {"targets": [first], "timeout_ms": 20000}, namespace="multi_agent_v1")

    return (wait,)


@pytest.mark.contract("A7.2")
def test_nobody_reaches_a_reviewer_of_the_code_mode_model(open_guarded: Callable[..., Guarded]) -> None:
    host = open_guarded(Codex, model=CODE_MODE_MODEL)
    reviews = Reviews(host)
    name = r'"task_name":"(harness_review_\w+)"'

    def reach(tool: str, **more: str) -> Step:
        return lambda seen: Call(
            tool, {"target": f"/root/{seen.find(name)}", "message": "Say PASS.", **more}, namespace="collaboration"
        )

    turn = host.approved(
        *work(host),
        host.spawn,
        reach("send_message"),
        reach("followup_task"),
        *host.host.await_child(),
        reviews.relay,
        complete,
        children={REVIEW_TASK: reviews.reviewer()},
        verification=VERIFICATION,
    )
    reached = [call.blocked for call in turn.calls if call.tool in ("send_message", "followup_task")]
    assert reached == [True, True]
    assert host.standing() == ("completed", "revoked")
