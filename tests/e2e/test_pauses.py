"""Leaving the boundary, and coming back: the pause, the Resume that its deny hands out, and the cancel."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.e2e.guarded import resume
from tests.e2e.hosts.codex import Codex
from tests.e2e.hosts.script import Call, Say

if TYPE_CHECKING:
    from tests.e2e.guarded import Guarded


@pytest.mark.contract("C7.8", "A4.6")
def test_a_write_outside_pauses_and_a_resume_goes_on(host: Guarded) -> None:
    turn = host.approved(host.host.write("docs/outside.md", "outside\n"), resume)
    assert turn.call().blocked
    assert "# Repair Resume" in str(turn.call().output)
    assert turn.changed == ()
    assert (host.standing(), host.gate()) == (("paused_boundary", "revoked"), "Repair Resume")
    later = host.approve(
        host.host.write("src/inside.py", "inside = 1\n"),
        host.host.write("docs/outside.md", "outside\n"),
        Say("Stopped."),
    )
    assert "Approval activated" in later.told()
    assert [call.blocked for call in later.calls] == [False, True]
    assert later.changed == ("src/inside.py",), "the resume widened nothing"
    assert host.standing() == ("paused_boundary", "revoked")


def test_while_paused_nothing_is_written(host: Guarded) -> None:
    turn = host.approved(
        host.host.write("docs/outside.md", "outside\n"),
        host.host.write("src/inside.py", "inside\n"),
        host.host.shell("echo outside > docs/outside.md"),
        host.host.read("src/slug.py"),
        Say("Paused."),
    )
    assert [call.blocked for call in turn.calls] == [True, True, True, False]
    assert turn.changed == ()
    assert host.standing() == ("paused_boundary", "revoked")


def test_a_shell_command_that_writes_outside_pauses(host: Guarded) -> None:
    turn = host.approved(host.host.shell("mkdir -p docs && echo x > docs/outside.md"), Say("Paused."))
    assert turn.call().blocked
    assert not host.exists("docs")
    assert host.standing() == ("paused_boundary", "revoked")


@pytest.mark.contract("C5.3", "A5.1")
def test_an_answer_at_once_grants_nothing(host: Guarded) -> None:
    host.approved(host.host.write("docs/outside.md", "outside\n"), Say("Paused."))
    turn = host.host.at_once(
        "Show the way back.",
        lambda _seen: resume_on_record(host),
        then="y",
        after=(host.host.write("src/inside.py", "inside\n"), Say("Refused.")),
    )
    assert "Approval activated" not in turn.told()
    assert turn.call().blocked
    assert turn.changed == ()
    assert host.standing() == ("paused_boundary", "revoked")
    assert host.gate() is None


def resume_on_record(host: Guarded) -> Say:
    """The Resume again, from what the model saw in its history."""
    return resume(host.host.server.history())


@pytest.mark.contract("C3.10", "A4.5")
def test_a_cancel_in_mid_turn_revokes_at_once(host: Guarded) -> None:
    host.approved()
    go_on = threading.Event()
    before = host.host.server.requests()
    look = host.host.shell("ls")
    host.host.begin(
        "Work on.",
        Call(look.tool, look.arguments, look.namespace, hold=go_on),
        host.host.write("src/late.py", "late\n"),
        host.host.read("src/slug.py"),
        Say("Stopped."),
    )
    host.host.server.wait_for_request(before + 1)
    if isinstance(host.host, Codex):
        host.host.steer("$harness cancel")
    else:
        host.host.send_prompt("$harness cancel")
    go_on.set()
    turn = host.host.finish()
    assert [call.blocked for call in turn.calls] == [False, True, False]
    assert turn.changed == ()
    assert host.state()["authority_status"] == "revoked"
    ending = host.host.answer("Thank you.", host.host.write("src/late.py", "late\n"), Say("Nothing was written."))
    assert ending.call().blocked, "who wrote this prompt is asked when its turn ends"
    later = host.host.answer("Go on without.", host.host.write("src/free.py", "free\n"), Say("Written."))
    assert later.changed == ("src/free.py",), "the run is over, so the session is free"
    assert not list((host.host.data / "active").iterdir())


@pytest.mark.contract("C3.9", "A4.5")
def test_a_cancel_as_a_prompt_ends_the_run(host: Guarded) -> None:
    host.approved()
    turn = host.host.answer("$harness cancel", host.host.write("src/late.py", "late\n"), Say("Cancelled."))
    assert turn.call().blocked, "mutations stay denied to the end of that turn"
    assert turn.changed == ()
    later = host.host.answer("Go on without.", host.host.write("src/free.py", "free\n"), Say("Written."))
    assert later.changed == ("src/free.py",)


def test_a_status_changes_nothing(host: Guarded) -> None:
    host.approved()
    before = host.state()
    turn = host.host.answer("$harness status", Say("It is executing."), Say("Indeed."))
    assert "executing" in turn.told()
    assert host.standing() == ("executing", "active")
    assert host.state()["revision"] == before["revision"]
