"""P9: every refusal is explained and journaled; a second delivery changes nothing and gets the first answer."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulator import PLAN, Simulator, small_plugin

from harness_guard import dispatch
from harness_guard.records import replace

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = st.sampled_from(
    [
        ("Write", {"file_path": "src/new.py", "content": "x"}),
        ("Write", {"file_path": "README.md", "content": "x"}),
        ("Write", {"file_path": ".git/config", "content": "x"}),
        ("Edit", {}),
        ("Read", {"file_path": "README.md"}),
        ("Frobnicate", {"a": 1}),
        ("mcp__a__b", {}),
        ("Bash", {"command": "ls"}),
        ("Bash", {"command": "make all"}),
        ("Bash", {"command": "sh check.sh"}),
        ("Bash", {"command": "echo x > README.md"}),
        ("CronCreate", {"prompt": "y"}),
        ("Agent", {"prompt": "Read.", "subagent_type": "Explore"}),
    ]
)  # fmt: skip
STAGES = ("planning", "gate", "executing", "paused", "cancelled")


class Stages:
    """Copies of one data folder in several stages of a run."""

    def __init__(self, folder: Path) -> None:
        (folder / "plugin").mkdir()
        self.plugin = str(small_plugin(folder / "plugin"))
        self.sim = sim = Simulator(folder)
        self.folder = folder
        sim.prompt("$harness x")
        self.keep("planning")
        sim.stop(PLAN)
        sim.age_gate()
        self.keep("gate")
        sim.prompt("y")
        self.keep("executing")
        sim.write("README.md")
        self.keep("paused")
        sim.prompt("$harness cancel")
        self.keep("cancelled")

    def keep(self, name: str) -> None:
        shutil.copytree(self.sim.data, self.folder / name)

    def restore(self, name: str) -> None:
        shutil.rmtree(self.sim.data)
        shutil.copytree(self.folder / name, self.sim.data)

    def journal(self) -> list[Any]:
        with open(f"{self.sim.store.folder}/journal.jsonl") as handle:
            return [json.loads(line) for line in handle]

    def stored(self) -> bytes:
        with open(self.sim.store.state_file, "rb") as handle:
            return handle.read()

    def answer(self, raw: bytes) -> Any:
        before = os.getcwd()
        os.chdir(self.sim.root)
        try:
            return dispatch.answer(raw, self.sim.environ, self.plugin, None)
        finally:
            os.chdir(before)


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    return Stages(tmp_path_factory.mktemp("p9"))


def payload(stages: Stages, tool: tuple[str, dict[str, Any]], number: int, agent: str | None = None) -> bytes:
    name, arguments = tool
    fields = {} if agent is None else {"agent_id": agent, "agent_type": "x"}
    return stages.sim.payload(
        "PreToolUse",
        tool_name=name,
        tool_input=arguments,
        tool_use_id=f"u{number}",
        transcript_path=str(stages.sim.transcript),
        **fields,
    )


@pytest.mark.contract("C2.9", "D6.2")
@given(st.sampled_from(STAGES), TOOLS, st.sampled_from([None, None, "a-1"]))
def test_a_second_delivery_changes_nothing(
    stages: Stages, stage: str, tool: tuple[str, dict[str, Any]], agent: str | None
) -> None:
    stages.restore(stage)
    raw = payload(stages, tool, 1, agent)
    first = stages.answer(raw)
    state = stages.stored()
    assert stages.answer(raw) == first
    assert stages.stored() == state


@pytest.mark.contract("C1.9", "C9.7")
@settings(max_examples=max(20, settings.default.max_examples // 4))
@given(st.sampled_from(STAGES), st.lists(st.tuples(TOOLS, st.sampled_from([None, "a-1"])), min_size=1, max_size=4))
def test_every_refusal_is_explained_and_every_decision_journaled(stages: Stages, stage: str, calls: list[Any]) -> None:
    stages.restore(stage)
    for number, (tool, agent) in enumerate(calls):
        before = stages.journal()
        given_answer = stages.answer(payload(stages, tool, number, agent))
        after = stages.journal()
        assert after[: len(before)] == before
        assert len(after) == len(before) + 1
        entry = after[-1]
        assert (entry["event"], entry["tool"], entry["call"]) == ("PreToolUse", tool[0], f"u{number}")
        if given_answer.status == 0:
            assert (given_answer, entry["verdict"]) == (dispatch.SILENCE, "pass")
            continue
        body = json.loads(given_answer.stdout)["hookSpecificOutput"]
        reason = body["permissionDecisionReason"]
        assert (given_answer.status, body["permissionDecision"], given_answer.stderr) == (2, "deny", reason + "\n")
        first, following = reason.split("\n")[:2]
        assert first.startswith(f"harness-guard {entry['rule']}: ")
        assert following.startswith("Next: ")
        assert len(following) > len("Next: ")
        assert len(reason.encode()) <= 9000


@settings(max_examples=max(20, settings.default.max_examples // 4))
@given(st.sampled_from(STAGES), TOOLS)
def test_the_same_input_gives_the_same_decision(stages: Stages, stage: str, tool: tuple[str, dict[str, Any]]) -> None:
    stages.restore(stage)
    first = stages.answer(payload(stages, tool, 1))
    stages.restore(stage)
    assert stages.answer(payload(stages, tool, 1)) == first


@pytest.mark.contract("C2.9", "D6.2")
@pytest.mark.parametrize("text", ["y", "$harness again", "$harness cancel", "hello"])
@pytest.mark.parametrize("stage", STAGES[:4])
def test_a_second_delivery_of_a_prompt_changes_nothing(stages: Stages, stage: str, text: str) -> None:
    stages.restore(stage)
    raw = stages.sim.payload(
        "UserPromptSubmit", prompt=text, prompt_id="fresh", transcript_path=str(stages.sim.transcript)
    )
    first = stages.answer(raw)
    state = stages.stored()
    again = stages.answer(raw)
    assert stages.stored() == state
    assert again == first


@pytest.mark.contract("C2.9", "D6.2")
def test_an_allow_holds_only_while_the_revision_is_the_same(stages: Stages) -> None:
    stages.restore("executing")
    raw = payload(stages, ("Write", {"file_path": "src/new.py", "content": "x"}), 1)
    assert stages.answer(raw) == dispatch.SILENCE
    loaded = stages.sim.store.load()
    assert loaded is not None
    stages.sim.store.commit(
        replace(loaded.state, authority_status="revoked", revision=loaded.state.revision + 1), loaded.stored
    )
    assert stages.answer(raw).status == 2


@pytest.mark.contract("D6.2")
def test_a_deny_stays_the_first_answer(stages: Stages) -> None:
    stages.restore("planning")
    raw = payload(stages, ("Write", {"file_path": "src/new.py", "content": "x"}), 1)
    first = stages.answer(raw)
    stages.sim.stop(PLAN)
    stages.sim.age_gate()
    stages.sim.prompt("y")
    assert stages.answer(raw) == first


@pytest.mark.contract("D6.1")
def test_the_same_id_with_another_input_is_another_call(stages: Stages) -> None:
    stages.restore("executing")
    assert stages.answer(payload(stages, ("Write", {"file_path": "src/new.py", "content": "x"}), 1)) == dispatch.SILENCE
    assert stages.answer(payload(stages, ("Write", {"file_path": "README.md", "content": "x"}), 1)).status == 2
