"""The table of tools: names with and without a namespace, arguments to paths, texts and mentions (contract 7)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import ROOT, FakeWorld, ShellWorld, call, event, in_state

from harness_guard.kernel.tools import ToolCall, classify
from harness_guard.shell.effects import NO_EFFECTS, Effects, Program, Unknown, Write


def mcp(**arguments: Any) -> Any:
    return call("mcp__files__get", arguments)


@pytest.mark.parametrize(
    ("named", "family", "name"),
    [
        ("multi_agent_v1.spawn_agent", "spawn", "spawn_agent"),
        ("multi_agent_v1spawn_agent", "spawn", "spawn_agent"),
        ("collaborationspawn_agent", "spawn", "spawn_agent"),
        ("collaboration.wait_agent", "quiet", "wait_agent"),
        ("collaboration__send_input", "child", "send_input"),
        ("collaboration", "unknown", "collaboration"),
        ("multi_agent_v1", "unknown", "multi_agent_v1"),
        ("collaboration.", "unknown", ""),
        ("my_collaboration.wait_agent", "unknown", "my_collaboration.wait_agent"),
        ("read", "unknown", "read"),
    ],
)
def test_a_tool_is_known_by_its_name_with_or_without_the_hosts_namespace(named: str, family: str, name: str) -> None:
    found = classify(call(named))
    assert (found.family, found.name) == (family, name)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/a/b", "/a/b"),
        ("a/b", f"{ROOT}/a/b"),
        ("~/a", "~/a"),
        ("file:///a/b", "/a/b"),
        ("FILE:///a/b", "/a/b"),
        ("file:/a/b", "/a/b"),
        ("file://localhost/a", "/a"),
        ("file://localhost", f"{ROOT}/"),
        ("file:a/b", f"{ROOT}/a/b"),
        ("file:///a%20b%2Fc%c3", "/a b/c\u00c3"),
        ("file:///%41%5a%7E", "/AZ~"),
        ("file:///a%", "/a%"),
        ("file:///a%4", "/a%4"),
        ("file:///a%g0%0g", "/a%g0%0g"),
        ("file:///a%\x000%0\x00", "/a%\x000%0\x00"),
        ("/a%41", "/a%41"),
        ("http://h/a%41", f"{ROOT}/http://h/a%41"),
    ],
)
def test_an_address_of_a_file_is_read_as_its_path(text: str, path: str) -> None:
    assert classify(call("Read", {"file_path": text})).reads == (path,)


@pytest.mark.contract("C7.9")
@pytest.mark.parametrize(
    ("tool", "arguments", "reads"),
    [
        ("Read", {"file_path": "/a"}, ("/a",)),
        ("Read", {}, ()),
        ("Read", {"file_path": 3}, ()),
        ("Read", {"file_path": ""}, ()),
        ("LSP", {"filePath": "/a", "file_path": "/b"}, ("/a", "/b")),
        ("NotebookRead", {"notebook_path": "n"}, (f"{ROOT}/n",)),
        ("ReadMcpResourceTool", {"uri": "file:///a"}, ("/a",)),
        ("Grep", {"path": "/a"}, ("/a",)),
        ("Grep", {}, (ROOT,)),
        ("Glob", {"path": ""}, (ROOT,)),
        ("LS", {"path": None}, (ROOT,)),
        ("WebFetch", {"path": "/a"}, ()),
    ],
)
def test_what_a_quiet_tool_reads(tool: str, arguments: dict[str, Any], reads: tuple[str, ...]) -> None:
    assert classify(call(tool, arguments)) == ToolCall("quiet", tool, reads=reads)


@pytest.mark.parametrize(
    ("tool", "arguments", "ends"),
    [
        ("TaskStop", {"task_id": "t"}, ("t",)),
        ("KillShell", {"shell_id": "s"}, ("s",)),
        ("close_agent", {"target": "a", "id": "b"}, ("b", "a")),
        ("interrupt_agent", {"agent_id": "a", "id": 4}, ("a",)),
        ("TaskStop", {}, ()),
        ("TaskOutput", {"task_id": "t"}, ()),
    ],
)
def test_what_a_tool_ends(tool: str, arguments: dict[str, Any], ends: tuple[str, ...]) -> None:
    assert classify(call(tool, arguments)) == ToolCall("quiet", tool, ends=ends)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/a", "/a"),
        ("a", f"{ROOT}/a"),
        ("", None),
        ("~/a", None),
        ("a\0b", None),
        (None, None),
        (["a"], None),
    ],
)
@pytest.mark.parametrize(
    ("tool", "argument"),
    [("Write", "file_path"), ("Edit", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")],
)
def test_the_one_file_that_a_tool_writes(tool: str, argument: str, path: Any, written: str | None) -> None:
    unknown = Unknown("the call does not name its file by an absolute path", tool, is_writer=True)
    effects = Effects(unknown=(unknown,)) if written is None else Effects(writes=(Write(written, "file", tool),))
    assert classify(call(tool, {argument: path})) == ToolCall("file", tool, effects)


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        (call("Bash", {"command": "ls"}), ToolCall("shell", "Bash", text="ls")),
        (call("Monitor", {"command": "ls"}), ToolCall("shell", "Monitor", text="ls", wakes=True)),
        (call("apply_patch", {"command": "p"}), ToolCall("patch", "apply_patch", text="p")),
        (
            event("PreSkillShellCommand", tool_name="Skill", tool_input={"command": "ls"}),
            ToolCall("shell", "PreSkillShellCommand", text="ls"),
        ),
        (call("Skill", {"command": "ls"}), ToolCall("quiet", "Skill")),
        (
            call("Bash", {"command": ["ls"]}),
            ToolCall("unknown", "Bash", Effects(unknown=(Unknown("the call carries no command text", "Bash"),))),
        ),
        (
            call("apply_patch"),
            ToolCall(
                "unknown", "apply_patch", Effects(unknown=(Unknown("the call carries no command text", "apply_patch"),))
            ),
        ),
    ],
)
def test_the_text_that_a_tool_carries(happened: Any, expected: ToolCall) -> None:
    assert classify(happened) == expected


def test_texts_that_come_back_or_reach_a_child_are_all_read() -> None:
    arguments = {"prompt": "a", "more": {"k": ["b", 3, {"l": "c"}]}}
    texts = ("prompt", "a", "more", "k", "b", "l", "c")
    assert classify(call("CronCreate", arguments)) == ToolCall("prompt", "CronCreate", prompts=texts)
    assert classify(call("SendMessage", arguments)) == ToolCall("child", "SendMessage", prompts=texts)


def test_a_tool_without_a_model_mentions_every_line_of_every_text_once() -> None:
    found = classify(mcp(path="/a\n b \n\n/a", note={"file:///c%20d": ["~/e", "f\0"]}))
    assert found.mentions == (
        f"{ROOT}/path", "/a", f"{ROOT}/b", f"{ROOT}/note", "/c d", "~/e",
    )  # fmt: skip
    unknown = Unknown("what an MCP tool does cannot be read from its arguments", "mcp__files__get")
    assert (found.family, found.effects) == ("mcp", Effects(unknown=(unknown,)))


@pytest.mark.parametrize(
    ("arguments", "looked_up", "rule"),
    [
        ({"x": "\n".join(f"f{number}" for number in range(199))}, 200, "effects.unknown"),
        ({"x": "\n".join(f"f{number}" for number in range(200))}, 0, "control-plane.write"),
        ({"x": "/" + "y" * 4095}, 2, "effects.unknown"),
        ({"x": "/" + "y" * 4096}, 1, "effects.unknown"),
    ],
)
def test_what_a_tool_mentions_is_looked_up_as_long_as_it_can_be_a_path(
    arguments: dict[str, str], looked_up: int, rule: str
) -> None:
    world = FakeWorld()
    reason = world.decide(mcp(**arguments), in_state("executing")).decision.reason
    assert reason is not None
    assert (reason.rule, world.asked.count("RealPath")) == (rule, looked_up)


@pytest.mark.contract("C7.3")
def test_a_text_too_long_for_a_path_may_still_name_the_control_plane() -> None:
    reason = FakeWorld().decide(mcp(x="y" * 4097 + " /data/key"), in_state("executing")).decision.reason
    assert reason is not None
    assert reason.rule == "control-plane.write"


@pytest.mark.contract("C7.21")
@pytest.mark.parametrize(
    ("programs", "is_asked"),
    [
        ((), False),
        ((Program((), ROOT, ""),), False),
        ((Program((None, "x"), ROOT, "x"),), False),
        ((Program(("ls",), ROOT, "ls"),), True),
    ],
)
def test_only_a_command_that_starts_programs_asks_for_their_folders(
    programs: tuple[Program, ...], monkeypatch: pytest.MonkeyPatch, *, is_asked: bool
) -> None:
    world = ShellWorld(monkeypatch, Effects(programs=programs))
    world.decide(call("Bash", {"command": "x"}), in_state("executing"))
    assert ("ProgramFolders" in world.asked) == is_asked


def test_a_tool_of_no_row_is_unknown() -> None:
    unknown = Unknown("this tool is not in the guard's table", "Frobnicate")
    assert classify(call("Frobnicate", {"a": "b"})) == ToolCall(
        "unknown", "Frobnicate", Effects(unknown=(unknown,)), mentions=(f"{ROOT}/a", f"{ROOT}/b")
    )
    assert classify(call("Agent")) == ToolCall("spawn", "Agent", NO_EFFECTS)
