"""P8: a session without an active run is untouched: no output, no file, whatever the payload."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator import PLAN, Simulator, small_plugin

from harness_guard import dispatch
from harness_guard.artifacts.activation import Activation, read_prompt
from harness_guard.errors import PayloadError

if TYPE_CHECKING:
    from pathlib import Path

prompts = st.sampled_from(
    [
        "y",
        "hello",
        "$harness status",
        "$harness cancel",
        " $harness x",
        "`$harness`",
        "> $harness",
        "say $harness",
        "```\n$harness\n```",
        PLAN,
    ]
) | st.text(max_size=60)
arguments = st.dictionaries(
    st.sampled_from(["command", "file_path", "prompt", "message", "subagent_type", "x"]),
    st.text(max_size=30) | st.integers() | st.sampled_from(["rm -rf /", "/data/key", "y", "$harness x"]),
    max_size=4,
)
tools = st.sampled_from(
    ["Write", "Edit", "Bash", "Read", "Agent", "spawn_agent", "apply_patch", "mcp__x__y", "Frobnicate", "CronCreate"]
)
ids = st.sampled_from(["t1", "t2", "../../x", "ä"])


class Session:
    """A data folder in which another session has a run."""

    def __init__(self, folder: Path, host: str) -> None:
        (folder / "plugin").mkdir()
        self.plugin = str(small_plugin(folder / "plugin"))
        self.sim = Simulator(folder, host)
        self.sim.approve()
        self.sim.session = "another-session"

    def listing(self) -> list[tuple[str, int, int]]:
        found = []
        for top, folders, names in os.walk(self.sim.data):
            for name in (*folders, *names):
                status = os.lstat(os.path.join(top, name))
                found.append((os.path.join(top, name), status.st_size, status.st_mtime_ns))
        return sorted(found)


@pytest.fixture(scope="module", params=["claude", "codex"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    return Session(tmp_path_factory.mktemp("p8"), request.param)


def send(session: Session, event: str, fields: dict[str, Any]) -> None:
    if session.sim.host == "codex":
        fields = {**fields, "model": "gpt-5.5"}
    raw = session.sim.payload(event, **fields)
    before = session.listing()
    try:
        found = dispatch.answer(raw, session.sim.environ, session.plugin, None)
    except PayloadError:
        found = None  # the front door lets it pass where no run is active, and that is for it to say
    assert found in (None, dispatch.SILENCE)
    assert session.listing() == before


@pytest.mark.contract("C1.8")
@given(prompts, ids)
def test_prompts(session: Session, text: str, turn: str) -> None:
    if isinstance(read_prompt(text, skill_path="", marketplace="test"), Activation):
        return
    send(
        session, "UserPromptSubmit", {"prompt": text, "prompt_id" if session.sim.host == "claude" else "turn_id": turn}
    )


@pytest.mark.contract("C1.8", "C7.2")
@given(tools, arguments, ids)
def test_tool_calls(session: Session, tool: str, given_arguments: dict[str, Any], turn: str) -> None:
    fields = {"tool_name": tool, "tool_input": given_arguments, "tool_use_id": "u1"}
    send(session, "PreToolUse", {**fields, "prompt_id" if session.sim.host == "claude" else "turn_id": turn})


@pytest.mark.contract("C1.8")
@given(st.sampled_from(["Stop", "SubagentStop", "SubagentStart", "ConfigChange"]), prompts, st.booleans())
def test_other_events(session: Session, event: str, message: str, active: bool) -> None:
    fields: dict[str, Any] = {"last_assistant_message": message, "stop_hook_active": active}
    if event.startswith("Subagent"):
        fields |= {"agent_id": "a-1", "agent_type": "x"}
    send(session, event, fields)


@pytest.mark.contract("C7.2")
def test_an_ended_run_is_silent_too(tmp_path: Path) -> None:
    (tmp_path / "plugin").mkdir()
    plugin = str(small_plugin(tmp_path / "plugin"))
    sim = Simulator(tmp_path)
    sim.approve()
    sim.prompt("$harness cancel")
    sim.stop("Bye.")
    before = json.dumps(sorted(os.listdir(sim.data / "active")))
    raw = sim.payload("PreToolUse", tool_name="Write", tool_input={"file_path": "/etc/passwd"}, tool_use_id="u")
    assert dispatch.answer(raw, sim.environ, plugin, None) == dispatch.SILENCE
    assert json.dumps(sorted(os.listdir(sim.data / "active"))) == before
