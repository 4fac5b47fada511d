"""Every door through which a host can be made to write, tried while nothing may be written."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from tests.e2e.guarded import ACTIVATION
from tests.e2e.hosts.claude import Claude
from tests.e2e.hosts.codex import CODE_MODE_MODEL, Codex
from tests.e2e.hosts.script import Call, Parallel, Say

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.guarded import Guarded

_NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
_SKILL = """\
---
name: listing
description: Lists things.
---

!`echo skill > by_skill.txt`
"""
_PATCH = "*** Begin Patch\n*** Add File: by_patch.txt\n+patch\n*** End Patch\n"


@pytest.mark.contract("A3.3")
def test_no_door_of_claude_writes_while_planning(open_guarded: Callable[..., Guarded]) -> None:
    claude = open_guarded(Claude, files={"notes.ipynb": _NOTEBOOK, ".claude/skills/listing/SKILL.md": _SKILL})
    host = claude.host
    background = host.shell("echo background > by_background.txt")
    assert isinstance(background.arguments, dict)
    notebook = {"notebook_path": f"{claude.repository}/notes.ipynb", "new_source": "x", "edit_mode": "insert"}
    watch = {
        "command": "echo monitor > by_monitor.txt",
        "description": "watch",
        "timeout_ms": 1000,
        "persistent": False,
    }
    script = "export const meta = {name: 'w', description: 'w'}\nawait agent('Write by_workflow.txt')\n"
    turn = host.turn(
        ACTIVATION,
        host.read("src/slug.py"),
        host.read("notes.ipynb"),
        Call("ToolSearch", {"query": "select:Monitor,NotebookEdit,EnterWorktree", "max_results": 5}),
        Parallel((host.write("by_write.txt", "write\n"), host.edit("src/slug.py", "joined", "JOINED"))),
        host.shell("echo shell > by_shell.txt"),
        Call(background.tool, {**background.arguments, "run_in_background": True}),
        Call("Monitor", watch),
        Call("NotebookEdit", {**notebook, "cell_type": "code"}),
        Call("EnterWorktree", {"name": "elsewhere"}),
        Call("Workflow", {"script": script}),
        Call("Skill", {"skill": "listing"}),
        Say("Nothing worked."),
    )
    assert turn.changed == ()
    assert not list(claude.repository.glob(".claude/worktrees/*"))
    done = [call.tool for call in turn.calls if not call.blocked and not call.failed]
    assert set(done) <= {"Read", "ToolSearch", "Skill"}
    assert claude.standing() == ("planning", "revoked")


@pytest.mark.contract("C2.8", "A3.1")
def test_the_settings_cannot_be_changed_under_a_run_of_claude(open_guarded: Callable[..., Guarded]) -> None:
    claude = open_guarded(Claude, files={".claude/skills/listing/SKILL.md": _SKILL})
    go_on = threading.Event()
    look = claude.host.shell("ls")
    claude.planned()
    asked = claude.host.server.requests()
    claude.host.begin(
        "Wait.",
        Call("Skill", {"skill": "listing"}),
        Call(look.tool, look.arguments, hold=go_on),
        claude.host.write("by_write.txt", "write\n"),
        Say("Nothing worked."),
    )
    claude.host.server.wait_for_request(asked + 2)
    settings = claude.repository / ".claude" / "settings.json"
    settings.write_text('{"disableAllHooks": true}')
    journal = claude.run_folder / "journal.jsonl"
    claude.host.wait_for(lambda: '"event":"ConfigChange"' in journal.read_text(), "the host to see the change")
    go_on.set()
    turn = claude.host.finish()
    fired = {row["event"]: row["verdict"] for row in map(json.loads, journal.read_text().splitlines())}
    assert (fired["PreSkillShellCommand"], fired["ConfigChange"]) == ("deny", "block")
    assert turn.call(2).blocked, "the change is not in force"
    assert turn.changed == (".claude/settings.json",)


@pytest.mark.contract("A3.3")
def test_no_door_of_codex_writes_while_planning(codex: Guarded) -> None:
    host = codex.host
    turn = host.turn(
        ACTIVATION,
        host.write("by_tool.txt", "tool\n"),
        host.shell(f"apply_patch <<'EOF'\n{_PATCH}EOF\n"),
        host.shell(f"cd src && apply_patch <<'EOF'\n{_PATCH}EOF\n"),
        host.shell("cat > by_heredoc.txt <<'EOF'\nheredoc\nEOF\n"),
        Call("exec_command", {"cmd": "echo workdir > by_workdir.txt", "workdir": str(codex.repository / "src")}),
        Call("exec_command", {"cmd": "sh", "tty": True, "yield_time_ms": 250}),
        Say("Nothing worked."),
    )
    assert [call.blocked for call in turn.calls] == [True] * 6
    assert turn.changed == ()
    assert codex.standing() == ("planning", "revoked")


@pytest.mark.contract("A3.3")
def test_no_nested_call_of_code_mode_writes_while_planning(open_guarded: Callable[..., Guarded]) -> None:
    hidden = open_guarded(Codex, model=CODE_MODE_MODEL)
    quiet = "try { await CALL } catch (error) { text(String(error)) }"
    shell = quiet.replace("CALL", 'tools.exec_command({cmd: "echo nested > by_nested.txt"})')
    patch = quiet.replace("CALL", f"tools.apply_patch({_PATCH!r})")
    turn = hidden.host.turn(ACTIVATION, Call("exec", shell), Call("exec", patch), Say("Nothing worked."))
    assert all("harness-guard" in str(call.output) for call in turn.calls), "the guard saw both nested calls"
    assert turn.changed == ()
    assert hidden.standing() == ("planning", "revoked")


def helper(host: Guarded) -> Call:
    """The spawn of a child that is no Reviewer."""
    task = "Look around and write by_child.txt."
    if isinstance(host.host, Claude):
        return host.host.spawn({"description": "child", "subagent_type": "general-purpose", "prompt": task})
    return host.host.spawn({"message": task})


@pytest.mark.contract("C7.18")
def test_a_plan_without_helpers_allows_no_child(host: Guarded) -> None:
    turn = host.approved(helper(host), Say("Refused."), Say("Refused."))
    assert turn.call().blocked
    assert host.standing() == ("executing", "active")


def test_a_helper_only_reads(host: Guarded) -> None:
    host.approved(helpers=1)
    host.host.begin(
        "Have somebody look.",
        helper(host),
        *[Say("Waiting.")] * 8,
        children={
            "Look around": (
                host.host.read("src/slug.py"),
                host.host.write("src/by_child.py", "child\n"),
                host.host.shell("echo child > src/by_child.py"),
                Say("Done."),
            )
        },
    )
    host.host.wait_for(lambda: host.host.server.requests("Look around") == 4, "the child to end")
    turn = host.host.finish(interrupted=True)
    assert [call.blocked for call in turn.calls if call.lane == "Look around"] == [False, True, True]
    assert turn.changed == ()
