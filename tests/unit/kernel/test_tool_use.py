"""PreToolUse: the checks in the contract's order, each family of tools in each state (contract 7)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import (
    AT_WORK,
    DIFF,
    GATE,
    PROCESS,
    ROOT,
    STATE_NAMES,
    FakeWorld,
    ShellWorld,
    call,
    event,
    in_state,
    place,
)

from harness_guard.errors import EvidenceError
from harness_guard.hosts import claude, codex
from harness_guard.kernel.outcome import DropAttestation
from harness_guard.kernel.state import Approval, HostBinding
from harness_guard.kernel.tools import classify
from harness_guard.policy.digest import policy_id
from harness_guard.records import replace
from harness_guard.shell.effects import NO_EFFECTS, Connection, Effects, Link, Program, Read, Relied, Unknown, Write

INSIDE = {"file_path": f"{ROOT}/src/a.py", "content": "x"}
OUTSIDE = {"file_path": f"{ROOT}/README.md", "content": "x"}
WITHOUT_AUTHORITY = tuple(name for name in STATE_NAMES if name not in (*AT_WORK, "completed"))


def rule(found: Any) -> str:
    assert found.decision.reason is not None, found
    assert found.decision.verdict == "deny"
    assert found.decision.reason.seen
    assert found.decision.reason.remedy
    return str(found.decision.reason.rule)


def shell(command: str = "x", **fields: Any) -> Any:
    return call("Bash", {"command": command}, **fields)


def writes(path: str, **changes: Any) -> Effects:
    return Effects(writes=(Write(path, "file", "tee", **changes),))


@pytest.mark.contract("C7.13")
def test_a_write_inside_passes_and_removes_the_attestation() -> None:
    state = in_state("executing", opaque_denies=2)
    state = replace(state, stop=replace(state.stop, blocks=2))
    found = FakeWorld().decide(call("Write", INSIDE), state)
    assert (found.decision.verdict, found.duties) == ("pass", (DropAttestation(),))
    assert found.state is not None
    assert (found.state.opaque_denies, found.state.stop.blocks, found.state.wrote_unseen) == (0, 0, False)


@pytest.mark.contract("C3.9")
@pytest.mark.contract("C6.1", "C6.7", "C7.5")
@pytest.mark.parametrize("name", WITHOUT_AUTHORITY)
def test_no_write_without_authority(name: str) -> None:
    found = FakeWorld().decide(call("Write", INSIDE), in_state(name))
    assert rule(found) == "state.no-authority"
    assert found.state is None  # a call that is denied without authority pauses nothing


@pytest.mark.contract("C6.1")
def test_no_write_after_a_cancel_was_asked() -> None:
    found = FakeWorld().decide(call("Write", INSIDE), in_state("executing", cancel_asked=True))
    assert rule(found) == "state.no-authority"


@pytest.mark.contract("C7.9", "C7.10")
@pytest.mark.parametrize("name", STATE_NAMES)
@pytest.mark.parametrize(
    "tool",
    [
        "Read",
        "Glob",
        "Grep",
        "TodoWrite",
        "WebFetch",
        "TaskStop",
        "view_image",
        "update_plan",
        "close_agent",
        "wait_agent",
        "collaboration.wait_agent",
    ],
)
def test_reading_and_waiting_pass_in_every_state(name: str, tool: str) -> None:
    found = FakeWorld().decide(call(tool, {"file_path": f"{ROOT}/x", "path": ROOT}), in_state(name))
    assert (found.decision.verdict, found.state) == ("pass", None)


@pytest.mark.contract("C7.9")
@pytest.mark.parametrize("name", STATE_NAMES)
def test_a_read_only_command_passes_in_every_state(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ShellWorld(monkeypatch, NO_EFFECTS).decide(shell(), in_state(name))
    assert (found.decision.verdict, found.state) == ("pass", None)


KNOWN = (*claude.KNOWN_TOOLS, *codex.KNOWN_TOOLS)


@pytest.mark.contract("C10.3", "E7.1", "E7.2")
@pytest.mark.contract("C7.9")
@pytest.mark.parametrize("name", STATE_NAMES)
@pytest.mark.parametrize(("is_local", "passes"), [(False, STATE_NAMES), (True, (*AT_WORK, "completed"))])
def test_asking_this_machine_needs_authority_and_asking_another_does_not(
    name: str, is_local: bool, passes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    effects = Effects(connects=(Connection("localhost:8080", "curl", is_local),))
    found = ShellWorld(monkeypatch, effects).decide(shell(), in_state(name))
    assert found.decision.verdict == ("pass" if name in passes else "deny")
    if name not in passes:
        assert rule(found) == "state.connects"


def test_an_approved_command_does_not_ask_this_machine_while_a_question_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    effects = Effects(connects=(Connection("localhost:8080", "curl", is_local=True),))
    state = in_state("executing", pending_gate=GATE)
    assert rule(ShellWorld(monkeypatch, effects).decide(shell("make test"), state)) == "state.connects"
    asked = ShellWorld(monkeypatch, effects).decide(shell("make test"), in_state("executing"))
    assert asked.decision.verdict == "pass"


def test_this_machine_is_not_asked_once_a_cancel_was(monkeypatch: pytest.MonkeyPatch) -> None:
    effects = Effects(connects=(Connection("localhost:8080", "curl", is_local=True),))
    state = in_state("executing", cancel_asked=True)
    assert rule(ShellWorld(monkeypatch, effects).decide(shell(), state)) == "state.connects"


@pytest.mark.contract("C7.10")
@pytest.mark.parametrize("tool", sorted(set(KNOWN)))
@pytest.mark.parametrize("name", [name for name in WITHOUT_AUTHORITY if name != "cancelled"])
def test_every_tool_of_the_hosts_is_a_row_or_refused(tool: str, name: str) -> None:
    family = classify(call(tool)).family
    if family in ("shell", "patch"):
        return
    found = FakeWorld().decide(call(tool), in_state(name))
    if family == "quiet":
        assert found.decision.verdict == "pass"
    elif family != "spawn" or name != "planning":
        rule(found)


@pytest.mark.contract("C7.11")
@pytest.mark.parametrize("tool", ["Frobnicate", "write", "WRITE", "mcp__files__delete", "Write2", ""])
def test_an_unknown_tool_is_denied(tool: str) -> None:
    assert rule(FakeWorld().decide(call(tool), in_state("executing"))) == "effects.unknown"


@pytest.mark.contract("C7.10")
@pytest.mark.parametrize(
    "arguments", [{}, {"file_path": ""}, {"file_path": 7}, {"file_path": "a\0b"}, {"path": f"{ROOT}/src/a"}]
)
@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
def test_a_writer_without_a_target_pauses(tool: str, arguments: dict[str, Any]) -> None:
    found = FakeWorld().decide(call(tool, arguments), in_state("executing"))
    assert rule(found) == "effects.target"
    assert found.state is not None
    assert found.state.state == "paused_unmodeled"


@pytest.mark.contract("C7.11")
def test_an_approved_mcp_tool_passes_by_its_full_name() -> None:
    found = FakeWorld().decide(call("mcp__files__put", {"a": 1}), in_state("executing"))
    assert found.decision.verdict == "pass"
    assert found.state is not None
    assert found.state.wrote_unseen


@pytest.mark.contract("C7.3")
def test_an_approved_mcp_tool_never_names_the_control_plane() -> None:
    found = FakeWorld().decide(call("mcp__files__put", {"deep": {"path": ["/data/key"]}}), in_state("executing"))
    assert rule(found) == "control-plane.write"


# The order: each call breaks a rule and all later ones; the first is told.


@pytest.mark.contract("C1.7", "C7.3")
def test_the_control_plane_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.policy.danger.danger_of", lambda *_: pytest.fail("asked too early"))
    world = ShellWorld(monkeypatch, writes("/data/state.json"))
    found = world.decide(shell(agent_id="a-1"), in_state("planning"))
    assert rule(found) == "control-plane.write"


class Danger:
    """A danger rule that fires."""

    rule = "danger.x"
    seen = "it formats the disk"


@pytest.mark.contract("C7.4")
def test_danger_comes_before_state_and_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.policy.danger.danger_of", lambda *_: Danger)
    world = ShellWorld(monkeypatch, writes(f"{ROOT}/README.md"))
    assert rule(world.decide(shell(agent_id="a-1"), in_state("planning"))) == "danger.x"


@pytest.mark.contract("C7.4")
def test_danger_pauses_even_an_approved_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.policy.danger.danger_of", lambda *_: Danger)
    world = ShellWorld(monkeypatch, Effects(unknown=(Unknown("x", "make test"),)))
    found = world.decide(shell("make test"), in_state("executing"))
    assert rule(found) == "danger.x"
    assert found.state is not None
    assert found.state.state == "paused_danger"
    assert "# Repair Resume" in found.decision.reason.more  # type: ignore[union-attr]


@pytest.mark.contract("C5.11")
@pytest.mark.parametrize(("author", "state"), [("forged", "planning"), ("missing", None), ("unreadable", None)])
def test_an_unchecked_approval_is_not_carried_into_a_pause(
    author: str, state: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness_guard.policy.danger.danger_of", lambda *_: Danger)
    before = in_state("executing", approval=Approval("t", 1, is_verified=False))
    found = ShellWorld(monkeypatch, NO_EFFECTS, AuthorOf=author).decide(shell(), before)
    assert (found.state.state if found.state else None) == state


@pytest.mark.parametrize(("author", "state"), [("forged", "planning"), ("missing", None), ("unreadable", None)])
def test_a_danger_under_an_unchecked_approval(author: str, state: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.policy.danger.danger_of", lambda *_: Danger)
    before = in_state("executing", approval=Approval("t", 1, is_verified=False))
    found = ShellWorld(monkeypatch, writes(f"{ROOT}/src/a"), AuthorOf=author).decide(shell(), before)
    rule(found)
    assert (found.state.state if found.state else None) == state


@pytest.mark.contract("C7.5")
def test_state_comes_before_identity() -> None:
    assert rule(FakeWorld().decide(call("Write", INSIDE, agent_id="a-1"), in_state("planning"))) == "state.no-authority"


@pytest.mark.contract("C6.7", "C7.6")
def test_identity_comes_before_effects() -> None:
    found = FakeWorld().decide(call("Write", OUTSIDE, agent_id="a-1"), in_state("executing"))
    assert (rule(found), found.state) == ("identity.child", None)


@pytest.mark.contract("C2.6", "C5.14")
@pytest.mark.parametrize("tool", ["Write", "Edit", "Frobnicate", "mcp__files__put", "SendMessage", "Agent"])
def test_a_child_may_only_read(tool: str) -> None:
    found = FakeWorld().decide(call(tool, INSIDE, agent_id="a-1"), in_state("executing"))
    assert rule(found) in ("identity.child", "spawn.depth")
    assert found.state is None


@pytest.mark.contract("C7.6")
@pytest.mark.parametrize(
    ("attended", "step"),
    [(True, "Type a prompt in this host"), (False, "Resume the session in a terminal"), (None, "Resume the session")],
)
def test_another_process_may_not_write(attended: bool | None, step: str) -> None:
    state = in_state("executing", host=HostBinding("claude", 1, "2"))
    found = FakeWorld().decide(call("Write", INSIDE, process=replace(PROCESS, attended=attended)), state)
    assert rule(found) == "identity.process"
    assert found.decision.reason.remedy.startswith(step)


@pytest.mark.contract("C7.14")
def test_nothing_is_written_while_the_engine_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rule(FakeWorld(EngineRuns=True).decide(call("Write", INSIDE), in_state("executing"))) == "state.engine-runs"
    world = ShellWorld(monkeypatch, NO_EFFECTS, EngineRuns=True)
    assert (
        rule(FakeWorld(EngineRuns=True).decide(call("mcp__files__put"), in_state("executing"))) == "state.engine-runs"
    )
    assert world.decide(shell(), in_state("executing")).decision.verdict == "pass"


# Provenance of the approval, at its first use.


@pytest.mark.parametrize("author", ["human", "unknown"])
def test_a_checked_approval_is_not_asked_again(author: str) -> None:
    before = in_state("executing", approval=Approval("t", 1, is_verified=False))
    world = FakeWorld(AuthorOf=author)
    found = world.decide(call("Write", INSIDE), before)
    assert found.decision.verdict == "pass"
    assert found.state is not None
    assert found.state.approval == Approval("t", 1, is_verified=True)
    again = FakeWorld()
    again.decide(call("Write", INSIDE), found.state)
    assert ("AuthorOf" in world.asked, "AuthorOf" in again.asked) == (True, False)


@pytest.mark.contract("C5.11")
def test_a_forged_approval_is_taken_back() -> None:
    before = in_state("executing", approval=Approval("t", 1, is_verified=False))
    found = FakeWorld(AuthorOf="forged").decide(call("Write", INSIDE), before)
    assert rule(found) == "provenance.forged"
    assert found.state is not None
    assert (found.state.state, found.state.authority_status, found.state.accepted_policy) == (
        "planning",
        "revoked",
        None,
    )


@pytest.mark.contract("C5.12")
@pytest.mark.parametrize("author", ["missing", "unreadable"])
@pytest.mark.parametrize(
    "happened", [call("Write", INSIDE), call("Write", OUTSIDE), call("mcp__files__put"), call("Frobnicate")]
)
def test_an_approval_that_cannot_be_checked_denies_and_stands(author: str, happened: Any) -> None:
    before = in_state("executing", approval=Approval("t", 1, is_verified=False))
    found = FakeWorld(AuthorOf=author).decide(happened, before)
    assert (rule(found), found.state) == ("provenance.unproved", None)


# Effects and boundary.


@pytest.mark.contract("C1.5", "C7.8", "C7.15", "C11.6")
@pytest.mark.parametrize(
    ("path", "changes", "expected"),
    [
        (f"{ROOT}/src/a.py", {}, None),
        (f"{ROOT}/docs/a.md", {}, None),
        ("/tmp/harness-guard-r1/x", {}, None),
        ("/tmp/harness-guard-r1", {"reach": "tree"}, None),
        (f"{ROOT}/docs/a/b.md", {}, "boundary.outside"),
        (f"{ROOT}/docs/a.txt", {}, "boundary.outside"),
        (f"{ROOT}/srcx/a.py", {}, "boundary.outside"),
        (f"{ROOT}/src/../README.md", {"relative": "README.md"}, "boundary.outside"),
        (ROOT, {"relative": "", "reach": "tree"}, "control-plane.write"),
        ("/etc/passwd", {}, "boundary.outside"),
        ("/tmp/harness-guard-r1x/y", {}, "boundary.outside"),
        ("/tmp/harness-guard-r2/y", {}, "boundary.outside"),
        (f"{ROOT}/src/a.py", {"links": 2}, "boundary.hard-link"),
        (f"{ROOT}/src/n/a.py", {"nested": "src/n"}, "boundary.outside"),
        (f"{ROOT}/src/link", {"real": "/etc/passwd", "relative": None}, "boundary.outside"),
        ("/data/runs/x", {}, "control-plane.write"),
        ("/plugin/hooks/x", {}, "control-plane.write"),
        ("/home/u/.claude/settings.json", {}, "control-plane.write"),
        (f"{ROOT}/.git/config", {}, "control-plane.write"),
        (f"{ROOT}/src/.git/hooks/x", {}, "control-plane.write"),
        (f"{ROOT}/.claude/settings.json", {}, "control-plane.write"),
        (f"{ROOT}/.CODEX/config.toml", {}, "control-plane.write"),
        (f"{ROOT}/src/.mcp.json", {}, "control-plane.write"),
        (f"{ROOT}/hooks/pre-commit", {}, "control-plane.write"),
    ],
)
def test_where_a_write_lands(path: str, changes: dict[str, Any], expected: str | None) -> None:
    known = place(path)
    spot = replace(known, **changes)
    found = FakeWorld(PlacesOf=(spot,)).decide(call("Write", {"file_path": path}), in_state("executing"))
    if expected is None:
        assert found.decision.verdict == "pass"
    else:
        assert rule(found) == expected
    paused = expected is not None and expected.startswith("boundary")
    assert (found.state is not None and found.state.state == "paused_boundary") == paused


@pytest.mark.contract("C6.8")
def test_the_deny_that_pauses_carries_the_filled_in_resume() -> None:
    found = FakeWorld().decide(call("Write", OUTSIDE), in_state("executing"))
    assert found.state is not None
    assert found.decision.reason is not None
    more = found.decision.reason.more
    for part in (
        "# Repair Resume",
        f'"paused_revision": {found.state.revision}',
        DIFF,
        "Plan Amendment",
        "$harness cancel",
    ):
        assert part in more
    assert found.state.paused_from == "executing"
    assert found.state.pause_reason == f"boundary.outside: {found.decision.reason.seen}"


@pytest.mark.contract("C7.16")
def test_the_hosts_scratch_is_denied_without_a_pause() -> None:
    found = FakeWorld().decide(call("Write", {"file_path": "/tmp/claude-0/x"}), in_state("executing"))
    assert rule(found) == "boundary.host-scratch"
    assert found.state is not None
    assert found.state.state == "executing"


def test_a_harmless_place_is_no_write() -> None:
    spot = replace(place("/dev/null"), is_harmless=True)
    found = FakeWorld(PlacesOf=(spot,)).decide(call("Write", {"file_path": "/dev/null"}), in_state("planning"))
    assert found.decision.verdict == "pass"


@pytest.mark.contract("C11.6")
@pytest.mark.parametrize(
    ("stands", "leads", "expected"),
    [
        (f"{ROOT}/src/l", f"{ROOT}/src/a", None),
        (f"{ROOT}/src/l", f"{ROOT}/README.md", "boundary.link"),
        (f"{ROOT}/src/l", "/etc/passwd", "boundary.link"),
        (f"{ROOT}/README.l", f"{ROOT}/src/a", "boundary.link"),
        (f"{ROOT}/src/l", "/data/key", "control-plane.write"),
        (f"{ROOT}/src/l", "/", "control-plane.write"),
        (f"{ROOT}/src/l", f"{ROOT}/.git/config", "control-plane.write"),
    ],
)
@pytest.mark.parametrize("is_hard", [True, False])
def test_links(
    stands: str, leads: str, expected: str | None, *, is_hard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = ShellWorld(monkeypatch, Effects(links=(Link(leads, stands, is_hard),)))
    found = world.decide(shell(), in_state("executing"))
    assert (rule(found) if found.decision.reason else None) == expected


@pytest.mark.contract("C7.7")
def test_a_known_writer_without_a_known_target_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    world = ShellWorld(monkeypatch, Effects(unknown=(Unknown("a variable", "rm $X", is_writer=True),)))
    found = world.decide(shell(), in_state("executing"))
    assert rule(found) == "effects.target"
    assert found.state is not None
    assert found.state.state == "paused_unmodeled"


@pytest.mark.contract("C6.6", "C7.7")
def test_the_third_opaque_call_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    world = ShellWorld(monkeypatch, Effects(unknown=(Unknown("a script", "./x"),)))
    state = in_state("executing")
    seen = []
    for _ in range(3):
        found = world.decide(shell(), state)
        assert rule(found) == "effects.unknown"
        assert found.state is not None
        state = found.state
        seen.append(state.state)
    assert seen == ["executing", "executing", "paused_unmodeled"]


@pytest.mark.contract("C6.6")
def test_an_allowed_mutation_between_opaque_calls_starts_the_count_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    world = ShellWorld(monkeypatch, Effects(unknown=(Unknown("a script", "./x"),)))
    state: Any = in_state("executing")
    for happened in (shell(), shell(), call("Write", INSIDE), shell(), shell()):
        state = world.decide(happened, state).state
    assert state.state == "executing"


@pytest.mark.contract("C7.12")
@pytest.mark.parametrize(
    ("command", "fields", "is_exact"),
    [
        ("make test", {}, True),
        ("make  test", {}, False),
        ("make test ", {}, False),
        ("make test\n", {}, False),
        ("make test; ls", {}, False),
        ("Make test", {}, False),
        ("make test", {"cwd": f"{ROOT}/src"}, False),
        ("sh check.sh", {}, True),
    ],
)
def test_exact_commands_byte_for_byte(
    command: str, fields: dict[str, Any], *, is_exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = ShellWorld(monkeypatch, Effects(unknown=(Unknown("opaque", command),)))
    found = world.decide(shell(command, **fields), in_state("executing"))
    assert (found.decision.verdict == "pass") == is_exact
    assert found.state is not None
    assert found.state.wrote_unseen == is_exact


@pytest.mark.contract("C7.3")
def test_an_exact_command_never_passes_the_control_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    world = ShellWorld(monkeypatch, writes("/data/key"))
    assert rule(world.decide(shell("make test"), in_state("executing"))) == "control-plane.write"


# The key.


@pytest.mark.contract("C7.3")
@pytest.mark.parametrize("name", STATE_NAMES[:4])
@pytest.mark.parametrize(
    "happened",
    [
        call("Read", {"file_path": "/data/key"}),
        call("Read", {"file_path": "/DATA/KEY"}),
        call("Grep", {"pattern": "x", "path": "/data"}),
        call("Grep", {"pattern": "x", "path": "/"}),
        call("Glob", {"pattern": "*", "path": "/data"}),
        call("Grep", {"pattern": "x"}, cwd="/data"),
        call("view_image", {"path": "/data/key"}),
    ],
)
def test_no_tool_reads_the_key(name: str, happened: Any) -> None:
    assert rule(FakeWorld().decide(happened, in_state(name))) == "control-plane.key"


@pytest.mark.contract("C7.3")
@pytest.mark.parametrize(
    ("read", "places", "denied"),
    [
        (Read("/data/key", "cat"), (), True),
        (Read("/data", "grep", is_tree=True), (), True),
        (Read("/", "xargs", is_tree=True), (), True),
        (Read("/data/runs/x", "cat"), (), False),
        (Read("/data/k*", "cat", is_pattern=True), (place("/data/key"),), True),
        (Read("/data/[k]ey", "cat", is_pattern=True), (place("/data/key"),), True),
        (Read("/data/K?Y", "cat", is_pattern=True), (place("/data/key"),), True),
        (Read("/data/\\k*", "cat", is_pattern=True), (place("/data/key"),), True),
        (Read("/repo/l*/key", "cat", is_pattern=True), (place("/data/key"),), True),
        (Read("/d*", "grep", is_pattern=True, is_tree=True), (place("/data"),), True),
        (Read("/d*/", "ls", is_pattern=True), (place("/data"),), True),
        (Read("/repo/*.py", "cat", is_pattern=True), (), False),
        (Read("/repo/*", "cat", is_pattern=True), (place("/repo/a"),), False),
    ],
)
def test_no_command_reads_the_key(
    read: Read, places: tuple[Any, ...], *, denied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = ShellWorld(monkeypatch, Effects(reads=(read,)), PlacesOf=places)
    found = world.decide(shell(), in_state("executing"))
    assert (found.decision.verdict == "deny") == denied


def test_a_pattern_that_cannot_name_the_key_is_not_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_question: object) -> object:
        raise EvidenceError("r", "too many", "x")

    world = ShellWorld(monkeypatch, Effects(reads=(Read("/usr/*.so", "ls", is_pattern=True),)), PlacesOf=refuse)
    assert world.decide(shell(), in_state("planning")).decision.verdict == "pass"


# Git's own files, through its subcommands.


@pytest.mark.contract("C11.2")
@pytest.mark.parametrize(
    ("folder", "name", "expected"),
    [
        (f"{ROOT}/.git", "executing", None),
        (f"{ROOT}/.git", "planning", "state.no-authority"),
        (f"{ROOT}/sub/.git", "executing", "control-plane.write"),
        ("/other/.git", "executing", "control-plane.write"),
    ],
)
def test_gits_own_files(folder: str, name: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Effects(writes=(Write(folder, "tree", "git add", is_git_own=True),))
    found = ShellWorld(monkeypatch, own).decide(shell(), in_state(name))
    assert (rule(found) if found.decision.reason else None) == expected


# Texts that would come back as prompts.


@pytest.mark.contract("C5.13")
@pytest.mark.parametrize(
    "tool", ["CronCreate", "ScheduleWakeup", "SendMessage", "send_input", "followup_task", "multi_agent_v1.send_input"]
)
@pytest.mark.parametrize(
    "text",
    ["y", " y\n", "$harness x", "$harness cancel", "hello\n$harness status", "[@harness](plugin://harness@personal)"],
)
@pytest.mark.parametrize("name", STATE_NAMES[:4])
def test_a_prompt_that_acts_is_refused_in_every_state(tool: str, text: str, name: str) -> None:
    found = FakeWorld().decide(call(tool, {"a": {"b": [text]}}), in_state(name))
    assert rule(found) == "prompt.acts"


@pytest.mark.contract("C5.14")
@pytest.mark.parametrize("tool", ["CronCreate", "SendMessage"])
@pytest.mark.parametrize("name", WITHOUT_AUTHORITY)
def test_no_prompt_is_made_without_authority(tool: str, name: str) -> None:
    assert rule(FakeWorld().decide(call(tool, {"message": "hello"}), in_state(name))) == "prompt.not-now"


@pytest.mark.contract("C5.14")
def test_a_harmless_message_passes_while_work_goes_on() -> None:
    found = FakeWorld().decide(call("CronCreate", {"prompt": "Check the build."}), in_state("executing"))
    assert found.decision.verdict == "pass"


@pytest.mark.contract("C2.8")
def test_settings_do_not_change_in_an_active_run() -> None:
    for name in STATE_NAMES:
        found = FakeWorld().decide(event("ConfigChange"), in_state(name))
        assert found.decision.verdict == ("pass" if name == "completed" else "block")


def test_a_pause_names_the_policy_it_leaves() -> None:
    before = in_state("executing")
    found = FakeWorld().decide(call("Write", OUTSIDE), before)
    assert before.active_policy is not None
    assert found.state is not None
    assert found.state.active_policy_id == policy_id(before.active_policy)


@pytest.mark.contract("C6.8")
def test_a_pause_says_first_what_to_do_now_and_then_what_would_mend_it() -> None:
    found = FakeWorld().decide(call("Write", OUTSIDE), in_state("executing"))
    assert found.decision.reason is not None
    assert found.decision.reason.remedy == "Emit the Repair Resume below, alone, and end your turn."
    first, *_ = found.decision.reason.more.split("\n")
    assert first == "After a Resume: Write inside `src/`, `docs/*.md` or in the scratch folder /tmp/harness-guard-r1."


@pytest.mark.contract("C7.10")
@pytest.mark.parametrize("path", ["~", "~/a", "~root/a"])
def test_a_name_with_a_tilde_in_front_is_an_unknown_target(path: str) -> None:
    assert rule(FakeWorld().decide(call("Write", {"file_path": path}), in_state("executing"))) == "effects.target"
    inside = {"file_path": f"{ROOT}/src/{path}"}
    assert FakeWorld().decide(call("Write", inside), in_state("executing")).decision.verdict == "pass"


@pytest.mark.contract("C7.21")
@pytest.mark.parametrize(
    ("folders", "planted", "expected"),
    [
        ((), f"{ROOT}/bin/ls", None),
        ((f"{ROOT}/bin",), None, None),
        ((f"{ROOT}/bin",), f"{ROOT}/bin/ls", "effects.unknown"),
    ],
)
def test_a_program_that_the_run_may_have_planted(
    folders: tuple[str, ...], planted: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = Effects(programs=(Program(("ls",), ROOT, "ls"),))
    world = ShellWorld(monkeypatch, reads, ProgramFolders=folders, PlantedProgram=planted)
    found = world.decide(shell(), in_state("executing"))
    assert (rule(found) if found.decision.reason else None) == expected


@pytest.mark.contract("C7.21")
@pytest.mark.parametrize(
    ("path", "expected"),
    [("src/bin/ls", "boundary.path-folder"), ("src/bin", "boundary.path-folder"), ("src/binary", None)],
)
def test_nothing_is_put_into_a_folder_of_the_path(path: str, expected: str | None) -> None:
    world = FakeWorld(ProgramFolders=(f"{ROOT}/src/bin",))
    found = world.decide(call("Write", {"file_path": f"{ROOT}/{path}"}), in_state("executing"))
    assert (rule(found) if found.decision.reason else None) == expected


@pytest.mark.contract("C7.21")
def test_an_exact_command_may_write_into_a_folder_of_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    world = ShellWorld(monkeypatch, writes(f"{ROOT}/src/bin/tool"), ProgramFolders=(f"{ROOT}/src/bin",))
    assert world.decide(shell("make test"), in_state("executing")).decision.verdict == "pass"
    assert rule(world.decide(shell("make  test"), in_state("executing"))) == "boundary.path-folder"


@pytest.mark.contract("C7.22")
@pytest.mark.parametrize(
    ("read", "carried", "expected"),
    [
        (Read(f"{ROOT}/lib", "cp", is_tree=True), None, None),
        (Read(f"{ROOT}/lib", "cp", is_tree=True), f"{ROOT}/lib/link", "boundary.copied-link"),
        (Read(f"{ROOT}/l*", "cp", is_pattern=True), None, "boundary.copied-link"),
        (Read(f"{ROOT}/lib", "ls", is_tree=True), f"{ROOT}/lib/link", None),
    ],
)
def test_a_copy_that_would_bring_a_link_along(
    read: Read, carried: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = Effects(writes=(Write(f"{ROOT}/src/lib", "tree", "cp"),), reads=(read,))
    found = ShellWorld(monkeypatch, copies, CarriedAlong=carried).decide(shell(), in_state("executing"))
    assert (rule(found) if found.decision.reason else None) == expected


@pytest.mark.contract("C7.23")
@pytest.mark.parametrize("name", STATE_NAMES)
@pytest.mark.parametrize("tool", ["Monitor", "Bash"])
def test_what_comes_back_as_a_prompt_waits_until_work_goes_on(
    name: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ShellWorld(monkeypatch, NO_EFFECTS).decide(call(tool, {"command": "tail -f log"}), in_state(name))
    if tool == "Bash" or name in (*AT_WORK, "completed"):
        assert found.decision.verdict == "pass"
    else:
        assert rule(found) == "prompt.not-now"


@pytest.mark.contract("C7.6")
@pytest.mark.parametrize("hint", ["agent_id", "agent_type", "subagent_type", "delegated_by", "on_behalf_of"])
def test_a_call_in_another_agents_name_is_refused(hint: str) -> None:
    found = FakeWorld().decide(call("Write", {**INSIDE, hint: "planner"}), in_state("executing"))
    assert (rule(found), found.state) == ("identity.hint", None)
    assert FakeWorld().decide(call("Read", {"file_path": f"{ROOT}/a", hint: "x"}), in_state("executing")).state is None


@pytest.mark.contract("C7.20")
@pytest.mark.parametrize("tool", ["Read", "Grep"])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/u/.ssh/id_rsa", "danger.secret"),
        (f"{ROOT}/.env", "danger.secret"),
        ("/home/u/.aws/credentials", "danger.secret"),
        (f"{ROOT}/.env.example", ""),
        ("/home/u/.ssh/id_rsa.pub", ""),
        (f"{ROOT}/src/secrets.py", ""),
    ],
)
def test_a_file_tool_shows_no_credential(tool: str, path: str, expected: str) -> None:
    argument = "file_path" if tool == "Read" else "path"
    found = FakeWorld().decide(call(tool, {argument: path}), in_state("executing"))
    if expected:
        assert found.state is not None
        assert (rule(found), found.state.state) == (expected, "paused_danger")
    else:
        assert (found.decision.verdict, found.state) == ("pass", None)


@pytest.mark.contract("L4.10")
def test_a_write_while_a_question_is_open_names_the_question() -> None:
    state = in_state("executing", pending_gate=replace(GATE, kind="Plan Amendment"))
    reason = FakeWorld().decide(call("Write", INSIDE), state).decision.reason
    assert reason is not None
    assert reason.seen == "the human has not answered the Plan Amendment yet and nothing may be written meanwhile"
    planned = FakeWorld().decide(call("Write", INSIDE), in_state("planning", pending_gate=GATE)).decision.reason
    assert planned is not None
    assert planned.seen == "the run is planning and nothing may be written now"


def test_a_skills_own_shell_command_is_read_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    effects = Effects(writes=(Write(f"{ROOT}/README.md", "file", "tee"),))
    happened = event(
        "PreSkillShellCommand", tool_name="Skill", tool_input={"command": "tee README.md"}, tool_use_id="u1"
    )
    found = ShellWorld(monkeypatch, effects).decide(happened, in_state("executing"))
    assert rule(found) == "boundary.outside"


def test_a_copy_that_brings_a_link_along_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    effects = Effects(reads=(Read(f"{ROOT}/src/a", "cp"),), writes=(Write(f"{ROOT}/src/b", "tree", "cp"),))
    reason = (
        ShellWorld(monkeypatch, effects, CarriedAlong="src/a/link")
        .decide(shell(), in_state("executing"))
        .decision.reason
    )
    assert reason is not None
    assert reason.rule == "boundary.copied-link"
    assert "`src/a/link`" in reason.seen


@pytest.mark.contract("C7.3")
@pytest.mark.parametrize(
    ("by", "kind", "folder", "expected"),
    [
        ("tar", "tree", f"{ROOT}/src", "control-plane.unpack"),
        ("unzip", "tree", f"{ROOT}/src", "control-plane.unpack"),
        ("tar", "file", f"{ROOT}/src/out.tgz", None),
        ("rm", "tree", f"{ROOT}/src/old", None),
        ("tar", "tree", "/tmp/harness-guard-r1/x", None),
    ],
)
def test_an_archive_brings_no_protected_name(
    by: str, kind: Any, folder: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = ShellWorld(monkeypatch, Effects(writes=(Write(folder, kind, by),)), PlacesOf=(place(folder, reach="tree"),))
    found = world.decide(shell(), in_state("executing"))
    if expected is None:
        assert found.decision.verdict == "pass"
    else:
        assert (rule(found), found.state) == (expected, None)
    exact = ShellWorld(monkeypatch, Effects(writes=(Write(folder, kind, by),)), PlacesOf=(place(folder, reach="tree"),))
    assert exact.decide(shell("make test"), in_state("executing")).decision.verdict == "pass"


@pytest.mark.contract("C7.3")
def test_a_protected_name_below_a_folder_protects_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    spot = place(f"{ROOT}/src", reach="tree", below=("src/.claude",))
    effects = Effects(writes=(Write(f"{ROOT}/src", "tree", "rm"),))
    found = ShellWorld(monkeypatch, effects, PlacesOf=(spot,)).decide(shell(), in_state("executing"))
    assert rule(found) == "control-plane.write"


@pytest.mark.parametrize("tool", ["multi_agent_v1", "collaboration", "functions."])
def test_a_namespace_alone_is_no_tool(tool: str) -> None:
    happened = event("PreToolUse", tool_name=tool, tool_input=None, tool_use_id="u1")
    assert rule(FakeWorld().decide(happened, in_state("executing"))) == "effects.unknown"


@pytest.mark.contract("E6.2")
@pytest.mark.parametrize(
    ("relied", "boundary", "effects", "verdict"),
    [
        (Relied(f"{ROOT}/scripts/a.sh"), ("src/**",), Effects(), "pass"),
        (Relied(f"{ROOT}/scripts/a.sh"), ("**",), Effects(), "deny"),  # another call may be writing it
        (Relied(f"{ROOT}/src/a.sh"), ("src/**",), Effects(), "deny"),
        (Relied("/tmp/harness-guard-r1/a.sh"), ("src/**",), Effects(), "deny"),  # the run's scratch folder
        (Relied("/home/dev/.toolrc"), ("**",), Effects(), "pass"),
        (Relied(ROOT, "modules"), ("src/**",), Effects(), "pass"),
        (Relied(ROOT, "modules"), ("*.py",), Effects(), "deny"),
        (Relied(ROOT, "modules"), ("json/**",), Effects(), "deny"),
        (Relied(f"{ROOT}/src", "modules"), ("src/**",), Effects(), "deny"),
        (Relied(f"{ROOT}/src", "modules"), ("src/a/**",), Effects(), "pass"),
        (Relied(f"{ROOT}/src/a", "modules"), ("src/**",), Effects(), "deny"),
        (Relied(f"{ROOT}/src/a", "modules"), ("*/a/*.py",), Effects(), "deny"),
        (Relied(ROOT, "dashes"), ("src/**",), Effects(), "pass"),
        (Relied(ROOT, "dashes"), ("*.py",), Effects(), "pass"),  # no call makes such a name (C7.24)
        (Relied(ROOT, "dashes"), ("-x",), Effects(), "deny"),
        (Relied(f"{ROOT}/a b", "dashes"), ("a b/*",), Effects(), "deny"),
        (Relied(f"{ROOT}/src", "names"), ("src/**",), Effects(), "pass"),
        (Relied(f"{ROOT}/src", "listed"), ("src/**",), Effects(), "deny"),
        (Relied(ROOT, "settings"), ("src/a.py",), Effects(), "pass"),
        (Relied(ROOT, "settings"), ("pyproject.toml",), Effects(), "deny"),
        (Relied(ROOT, "settings"), ("src/**",), Effects(), "deny"),
    ],
)
def test_what_the_run_may_change_meanwhile_is_not_gone_by(
    relied: Relied, boundary: tuple[str, ...], effects: Effects, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = in_state("executing")
    assert state.active_policy is not None
    policy = replace(state.active_policy, boundary=boundary)
    state = replace(state, active_policy=policy, accepted_policy=policy, active_policy_id=policy_id(policy))
    world = ShellWorld(monkeypatch, replace(effects, relies=(relied,)), RealPath=relied.path)
    assert world.decide(shell(), state).decision.verdict == verdict


@pytest.mark.contract("E6.2")
@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (place("/home/dev/.toolrc"), "deny"),
        (place("/home/dev", reach="tree"), "deny"),
        (place("/home/dev/.tool*", reach="pattern"), "deny"),
        (place(f"{ROOT}/src/a.py"), "pass"),
        (place(f"{ROOT}/src/a.py", links=2), "deny"),
    ],
)
def test_what_the_call_itself_changes_is_not_gone_by(found: Any, verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    effects = replace(writes(f"{ROOT}/src/a.py"), relies=(Relied("/home/dev/.toolrc"),))
    world = ShellWorld(monkeypatch, effects, RealPath="/home/dev/.toolrc", PlacesOf=(found,))
    assert world.decide(shell(), in_state("executing")).decision.verdict == verdict


@pytest.mark.contract("C7.3")
def test_gits_own_folder_is_a_place_for_all_but_git(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Effects(writes=(Write(f"{ROOT}/.git", "tree", "git add", is_git_own=True),))
    foreign = Effects(writes=(Write(f"{ROOT}/.git", "tree", "cp"),))
    spot = (place(f"{ROOT}/.git", reach="tree"),)
    assert ShellWorld(monkeypatch, own, PlacesOf=spot).decide(shell(), in_state("executing")).decision.verdict == "pass"
    assert (
        rule(ShellWorld(monkeypatch, foreign, PlacesOf=spot).decide(shell(), in_state("executing")))
        == "control-plane.write"
    )
