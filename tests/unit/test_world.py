"""The world: every question of the kernel has its answer, and one decision sees one tree."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any

import pytest
from fake_world import event
from simulator import Simulator, small_plugin

from harness_guard.errors import EvidenceError, StateError
from harness_guard.kernel import questions as q
from harness_guard.kernel import run_questions as r
from harness_guard.records import replace
from harness_guard.world import _ANSWERS, World

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def sim(tmp_path: Path) -> Simulator:
    return Simulator(tmp_path)


def world(sim: Simulator, **fields: Any) -> World:
    (sim.home / "plugin").mkdir()
    plugin = str(small_plugin(sim.home / "plugin"))
    return World(event("Stop", session_id=sim.session, cwd=str(sim.root), **fields), sim.store, sim.environ, plugin)


def test_every_question_is_answered_and_no_other() -> None:
    asked = {
        name
        for name, kind in {**vars(q), **vars(r)}.items()
        if inspect.isclass(kind) and issubclass(kind, q.Question) and kind is not q.Question
    }
    assert asked == set(_ANSWERS)


def test_a_made_up_question_is_our_own_fault(sim: Simulator) -> None:
    with pytest.raises(RuntimeError, match="nobody answers int"):
        world(sim).answer(7)


def test_a_question_about_a_run_needs_one(sim: Simulator) -> None:
    with pytest.raises(RuntimeError, match="without one"):
        world(sim).answer(r.TreeNow())


def test_a_tree_is_looked_at_once_a_decision(sim: Simulator) -> None:
    sim.approve()
    found = world(sim)
    found.begin(sim.state)
    first = found.answer(r.TreeNow())
    (sim.root / "src" / "new.py").write_text("x")
    assert found.answer(r.TreeNow()) is first
    found.begin(sim.state)
    assert found.answer(r.TreeNow()) != first


def test_what_is_absorbed_is_gone_from_the_same_decision(sim: Simulator) -> None:
    sim.approve()
    (sim.root / "README.md").write_text("foreign")
    (sim.root / "src" / "new.py").write_text("x")
    found = world(sim)
    found.begin(sim.state)
    before = found.answer(r.TreeNow())
    assert isinstance(before, r.Snapshot)
    assert before.changed == ("README.md", "src/new.py")
    tree = found.answer(r.AbsorbForeign(("README.md",)))
    after = found.answer(r.TreeNow())
    assert isinstance(after, r.Snapshot)
    assert after.changed == ("src/new.py",)
    # What a later decision measures, on the baseline that was committed, is the same.
    state = sim.state
    found.begin(replace(state, baseline=replace(state.baseline, tree=tree)))
    assert found.answer(r.TreeNow()) == after


def test_a_run_without_a_baseline_has_no_tree(sim: Simulator) -> None:
    sim.prompt("$harness x")
    found = world(sim)
    found.begin(sim.state)
    for question in (r.TreeNow(), r.AbsorbForeign(("x",))):
        with pytest.raises(StateError):
            found.answer(question)


def test_a_turn_is_asked_once(sim: Simulator) -> None:
    found = world(sim)
    assert found.answer(r.TurnSeen("t")) is False
    sim.store.make_folders()
    sim.store.note_turn("t")
    assert found.answer(r.TurnSeen("t")) is False  # this very event has noted it
    (sim.home / "plugin").rename(sim.home / "old")
    assert world(sim).answer(r.TurnSeen("t")) is True


def test_two_engine_runs_at_once(sim: Simulator) -> None:
    sim.approve()
    first = world(sim)
    first.begin(sim.state)
    assert first.answer(q.EngineRuns()) is False
    policy = sim.state.active_policy
    assert isinstance(green := first.answer(r.Verified(policy)), r.Verification)
    assert green.outcome == "green"
    assert first.answer(q.EngineRuns()) is False  # its own run is no other
    (sim.home / "plugin").rename(sim.home / "old")
    second = world(sim)
    second.begin(sim.state)
    assert second.answer(q.EngineRuns()) is True
    busy = second.answer(r.Verified(policy))
    assert isinstance(busy, r.Verification)
    assert busy.outcome == "busy"
    first.close()
    first.close()
    assert second.answer(q.EngineRuns()) is False


def test_the_last_record_counts_only_if_it_is_whole_and_the_states(sim: Simulator) -> None:
    sim.to_verifying()
    found = world(sim)
    found.begin(sim.state)
    assert found.answer(r.LastVerification()) is not None
    found.begin(replace(sim.state, integrity_fingerprint="sha256:" + "0" * 64))
    assert found.answer(r.LastVerification()) is None
    found.begin(replace(sim.state, run_id="another"))
    assert found.answer(r.LastVerification()) is None
    found.begin(sim.state)
    with open(f"{sim.store.folder}/evidence/verification.json", "r+b") as handle:
        handle.write(b"x")
    assert found.answer(r.LastVerification()) is None


def test_a_home_folder_in_a_path(sim: Simulator) -> None:
    found = world(sim)
    assert found.answer(q.RealPath("~/x")) == f"{os.path.realpath(sim.home)}/x"
    assert found.answer(q.RealPath("src")) == f"{os.path.realpath(sim.root)}/src"


def test_scratch_in_a_place_that_cannot_be_written(sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    sim.prompt("$harness x")

    def refuse(*_arguments: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", refuse)
    from harness_guard.evidence.scratch import make_scratch

    with pytest.raises(EvidenceError, match="Read-only"):
        make_scratch("r9", "/repo", {})


@pytest.mark.contract("C2.5")
def test_a_runs_root_is_the_top_of_its_working_tree(sim: Simulator) -> None:
    found = world(sim).answer(r.NewRun(str(sim.root / "src")))
    assert isinstance(found, r.NewRunFacts)
    assert (found.root, found.problem) == (str(sim.root), "")


@pytest.mark.contract("C2.5")
@pytest.mark.parametrize(
    ("host", "project", "is_project"),
    [
        ("claude", "/elsewhere", True),
        ("claude", "relative", False),
        ("claude", "", False),
        ("codex", "/elsewhere", False),
    ],
)
def test_where_the_root_is_looked_for(
    sim: Simulator, monkeypatch: pytest.MonkeyPatch, host: str, project: str, *, is_project: bool
) -> None:
    found = world(sim, host=host)
    found.environ = {**sim.environ, "CLAUDE_PROJECT_DIR": project}
    monkeypatch.chdir(sim.home)
    assert found.installed().root == ("/elsewhere" if is_project else str(sim.home))


@pytest.mark.contract("C7.21")
def test_folders_of_the_path_inside_the_repository(sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    sim.approve()
    (sim.root / "bin").mkdir()
    (sim.root / "bin" / "ls").write_text("")
    (sim.home / "link").symlink_to(sim.root / "src")
    found = world(sim)
    found.begin(sim.state)
    path = f"{sim.root}/bin:/usr/bin:{sim.home}/link:{sim.root}/gone"
    found.environ = {**sim.environ, "PATH": path}
    assert found.answer(q.ProgramFolders()) == (f"{sim.root}/bin", f"{sim.root}/src")
    found.environ = {**sim.environ, "PATH": "/usr/bin:"}  # an empty entry is the working folder
    assert found.answer(q.ProgramFolders()) == (str(sim.root),)
    assert found.answer(q.PlantedProgram((f"{sim.root}/bin",), ("cat", "ls"))) == f"{sim.root}/bin/ls"
    assert found.answer(q.PlantedProgram((f"{sim.root}/bin",), ("cat",))) is None


@pytest.mark.contract("D5.6")
def test_the_baseline_has_time_of_its_own(sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    extended: list[float] = []
    monkeypatch.setattr("harness_guard.runtime.deadline.extend", extended.append)
    sim.prompt("$harness keep digits")
    found = world(sim)
    found.begin(sim.state)
    found.answer(r.TakeBaseline(()))
    assert extended == [120]


@pytest.mark.contract("D5.6")
def test_a_snapshot_has_time_of_its_own(sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    sim.approve()
    extended: list[float] = []
    monkeypatch.setattr("harness_guard.runtime.deadline.extend", extended.append)
    found = world(sim)
    found.begin(sim.state)
    assert found.answer(r.TreeNow()) is found.answer(r.TreeNow())
    assert extended == [120]
