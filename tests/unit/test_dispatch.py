"""One hook call from payload to answer, on a real repository and a real store: whole runs of both hosts, and every fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from simulator import PLAN, Simulator, small_plugin, write_sealed

from harness_guard import dispatch
from harness_guard.errors import HarnessError, PayloadError, StateError, StoreError
from harness_guard.kernel.state import HostBinding
from harness_guard.records import replace
from harness_guard.world import ATTESTATION

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EXACT = PLAN.replace("## Exact Commands\n\nNone", "## Exact Commands\n\n- `touch out.txt`")


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_plugin(tmp_path_factory.mktemp("plugin")))


@pytest.fixture(autouse=True)
def _own_plugin(plugin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.PLUGIN_ROOT", plugin)


@pytest.fixture(params=["claude", "codex"])
def sim(request: pytest.FixtureRequest, tmp_path: Path) -> Simulator:
    return Simulator(tmp_path, request.param)


@pytest.fixture
def claude(tmp_path: Path) -> Simulator:
    return Simulator(tmp_path)


@pytest.fixture
def codex(tmp_path: Path) -> Simulator:
    return Simulator(tmp_path, "codex")


@pytest.mark.contract("C8.19")
def test_a_whole_run(sim: Simulator) -> None:
    approved = sim.approve()
    assert "Approval activated (Plan)" in approved.text
    assert sim.write("src/new.py").is_silent
    (sim.root / "src" / "new.py").write_text("x\n")
    assert sim.spawn().is_silent
    assert sim.state.state == "verifying"
    brief = sim.child("SubagentStart")
    assert sim.state.diff_revision in brief.text
    review = sim.review()
    assert sim.child("SubagentStop", last_assistant_message=review, stop_hook_active=False).is_silent
    assert sim.stop(review).rule == "review.taken"
    assert sim.state.state == "reviewing"
    assert sim.stop(sim.completion()).is_silent
    assert sim.state.state == "completed"
    assert not sim.store.has_marker()
    assert sim.write("anywhere").is_silent  # the session is nobody's again


@pytest.mark.contract("C8.14")
def test_the_brief_holds_plan_criteria_and_diff(sim: Simulator) -> None:
    sim.to_verifying()
    with open(f"{sim.store.folder}/brief.md") as handle:
        text = handle.read()
    assert "# Plan" in text
    assert "- AC1: " in text
    assert "+++ b/src/new.py" in text


# Faults that were found once.


def test_a_stop_in_a_pause_after_an_unseen_change_still_answers(claude: Simulator) -> None:
    claude.approve(EXACT)
    assert claude.bash("touch out.txt").is_silent
    (claude.root / "out.txt").write_text("x")
    assert claude.write("README.md").rule == "boundary.outside"
    answered = claude.stop("What now?")
    assert (answered.rule, claude.state.state) == ("sweep.outside", "paused_boundary")
    assert "out.txt" in answered.text
    resume = answered.text[answered.text.index("# Repair Resume") :].rstrip("\n") + "\n"
    assert claude.stop(resume).is_silent
    claude.age_gate()
    assert "Approval activated" in claude.prompt("y").text
    assert claude.state.state == "executing"


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_one_emission_and_one_y_lead_out_of_a_pause_by_the_sweep(tmp_path: Path, host: str) -> None:
    sim = Simulator(tmp_path, host)
    sim.approve(EXACT)
    assert sim.bash("touch out.txt").is_silent
    (sim.root / "out.txt").write_text("x")
    answered = sim.stop("Done.")
    assert (answered.rule, sim.state.state) == ("sweep.outside", "paused_boundary")
    resume = answered.text[answered.text.index("# Repair Resume") :].rstrip("\n") + "\n"
    assert sim.stop(resume).is_silent
    sim.age_gate()
    assert "Approval activated" in sim.prompt("y").text
    assert sim.state.state == "executing"


@pytest.mark.contract("C8.14")
def test_a_foreign_change_at_the_claim_does_not_cost_the_review(sim: Simulator) -> None:
    sim.approve()
    (sim.root / "src" / "new.py").write_text("x\n")
    (sim.root / "README.md").write_text("the user's own edit\n")
    assert sim.spawn().is_silent
    sim.child("SubagentStart")
    assert sim.state.foreign == ("README.md",)
    with open(f"{sim.store.folder}/brief.md") as handle:
        assert "(they are not in the diff):\n\n- README.md\n" in handle.read()
    review = sim.review()
    assert sim.child("SubagentStop", last_assistant_message=review, stop_hook_active=False).is_silent
    assert sim.stop(review).rule == "review.taken"
    assert sim.stop(sim.completion()).is_silent
    assert sim.state.state == "completed"


@pytest.mark.parametrize("start_first", [True, False])
def test_a_helper_is_never_taken_for_the_reviewer(codex: Simulator, *, start_first: bool) -> None:
    codex.approve()
    assert codex.tool("spawn_agent", message="Say PASS.").is_silent
    refused = codex.spawn()  # before the helper's SubagentStart, which Codex sends late
    assert refused.rule == "spawn.children"
    assert codex.state.state == "executing"
    if start_first:
        codex.child("SubagentStart", agent="helper")
        assert codex.spawn().rule == "spawn.children"
        codex.child("SubagentStop", agent="helper", last_assistant_message="", stop_hook_active=False)
    else:
        codex.stop("waiting")  # the host never started it: with the turn's end it is gone
    assert codex.spawn().is_silent
    codex.child("SubagentStart", agent="reviewer")
    assert codex.state.reviewer.agent_id == "reviewer"


def test_a_message_that_may_wake_a_child_holds_the_claim(codex: Simulator) -> None:
    codex.approve()
    assert codex.tool("resume_agent", id="old").is_silent
    assert codex.spawn().rule == "spawn.children"


def test_helpers_are_counted_from_their_spawn_on(codex: Simulator) -> None:
    codex.approve()
    assert codex.tool("spawn_agent", message="Read this.").is_silent
    assert codex.tool("spawn_agent", message="Read that.").rule == "spawn.helpers"


@pytest.mark.contract("C2.4", "D2.5")
@pytest.mark.parametrize("text", ["$harness cancel", "$harness:harness cancel"])
def test_a_vanished_run_can_be_cancelled(sim: Simulator, text: str) -> None:
    sim.approve()
    os.unlink(sim.store.state_file)
    with pytest.raises(StateError, match="vanished"):
        sim.write("src/a.py")
    assert "cancelled" in sim.prompt(text).text
    sim.stop("Bye.")
    assert not sim.store.has_marker()
    assert sim.write("src/a.py").is_silent


def refused(call: Callable[[], Any]) -> str:
    """Give the next step that an unreadable run's answer names; a child's prompt is let pass and does nothing."""
    try:
        found = call()
    except HarnessError as error:
        return error.remedy
    assert found.is_silent or "Next: " in found.text
    return "nothing to do"


BROKEN: list[tuple[str, Callable[[Simulator], object]]] = [
    ("vanished", lambda s: os.unlink(s.store.state_file)),
    ("empty", lambda s: _overwrite(s, b"")),
    ("cut", lambda s: _overwrite(s, _stored(s)[:-40])),
    ("another byte", lambda s: _overwrite(s, _stored(s).replace(b'"state":"executing"', b'"state":"completed"'))),
    ("no seal", lambda s: _overwrite(s, b'{"schema":"harness.state.v9"}')),
    ("not UTF-8", lambda s: _overwrite(s, b"\xff\xfe")),
    ("a folder", lambda s: (os.unlink(s.store.state_file), os.mkdir(s.store.state_file))),
    ("a link", lambda s: (os.rename(s.store.state_file, s.store.state_file + "x"), os.symlink(s.store.state_file + "x", s.store.state_file))),
    ("another key", lambda s: (s.data / "key").write_bytes(os.urandom(32))),
    ("an open key", lambda s: (s.data / "key").chmod(0o644)),
    ("no key", lambda s: (s.data / "key").unlink()),
]  # fmt: skip


def _stored(sim: Simulator) -> bytes:
    with open(sim.store.state_file, "rb") as handle:
        return handle.read()


def _overwrite(sim: Simulator, data: bytes) -> None:
    with open(sim.store.state_file, "wb") as handle:
        handle.write(data)


@pytest.mark.contract("D2.5")
@pytest.mark.parametrize("damage", [row[1] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_damaged_run_denies_and_can_only_be_left_by_the_human(
    claude: Simulator, damage: Callable[[Simulator], object]
) -> None:
    claude.approve()
    damage(claude)
    for call in (
        lambda: claude.write("src/a.py"),
        lambda: claude.bash("ls"),
        lambda: claude.stop("Done."),
        claude.spawn_raw,
        lambda: claude.prompt("Go on."),
        lambda: claude.prompt("y"),
        lambda: claude.prompt("$harness status"),
        lambda: claude.prompt("$harness cancel", source="system"),
        lambda: claude.prompt("$harness cancel", agent_id="a-1"),
    ):
        assert refused(call)
    assert claude.store.has_marker()
    with pytest.raises(HarnessError):
        claude.write("src/a.py")  # no prompt but the human's own cancel or activation has changed anything


@pytest.mark.contract("C3.11")
@pytest.mark.parametrize("damage", [row[1] for row in BROKEN[:6]], ids=[row[0] for row in BROKEN[:6]])
def test_a_damaged_run_gives_way_to_a_new_one(claude: Simulator, damage: Callable[[Simulator], object]) -> None:
    claude.approve()
    damage(claude)
    assert "is open in planning" in claude.prompt("$harness another task").text
    assert (claude.state.state, claude.state.authority_status, claude.state.task) == (
        "planning",
        "revoked",
        "another task",
    )
    assert claude.write("src/a.py").rule == "state.no-authority"


@pytest.mark.contract("C3.11")
def test_an_activation_typed_in_a_running_turn_does_not_replace_a_damaged_run(claude: Simulator) -> None:
    claude.approve()
    os.unlink(claude.store.state_file)
    claude.prompt("$harness new", new_turn=False)
    with pytest.raises(StateError):
        claude.write("src/a.py")


@pytest.mark.contract("C3.11")
def test_what_is_damaged_is_archived_not_deleted(claude: Simulator) -> None:
    claude.approve()
    _overwrite(claude, b"damaged")
    claude.prompt("$harness cancel")
    with open(f"{claude.store.folder}/archive/0001/state.json", "rb") as handle:
        assert handle.read() == b"damaged"
    assert os.path.exists(f"{claude.store.folder}/archive/0001/journal.jsonl")


# Markers.


@pytest.mark.contract("D2.4")
def test_a_prompt_marker_is_dropped_by_its_reader(claude: Simulator, plugin: str) -> None:
    marker = claude.data / "active" / "prompt-1"
    marker.parent.mkdir()
    marker.write_bytes(b"{}")
    raw = claude.payload("UserPromptSubmit", prompt="$harness x", prompt_id="t")
    dispatch.answer(raw, claude.environ, plugin, str(marker))
    assert not marker.exists()


def test_a_prompt_marker_goes_also_when_the_payload_cannot_be_read(claude: Simulator, plugin: str) -> None:
    marker = claude.data / "active" / "prompt-1"
    marker.parent.mkdir()
    marker.write_bytes(b"{")
    with pytest.raises(PayloadError):
        dispatch.answer(b"{", claude.environ, plugin, str(marker))
    assert not marker.exists()


def test_a_marker_that_another_hook_has_dropped_costs_no_answer(claude: Simulator, plugin: str) -> None:
    raw = claude.payload("UserPromptSubmit", prompt="$harness x", prompt_id="t")
    given = dispatch.answer(raw, claude.environ, plugin, str(claude.data / "active" / "prompt-9"))
    assert "is open in planning" in given.stdout


def leave(sim: Simulator, name: str = "prompt-999999999", **fields: Any) -> Path:
    marker = sim.data / "active" / name
    marker.parent.mkdir(exist_ok=True)
    marker.write_bytes(sim.payload("UserPromptSubmit", **fields))
    return marker


@pytest.mark.contract("D2.4")
def test_a_prompt_left_behind_is_judged_by_the_next_reader(claude: Simulator) -> None:
    marker = leave(claude, prompt="$harness left", prompt_id="t")
    claude.turn = "t"
    assert claude.write("src/a.py").rule == "state.no-authority"
    assert claude.state.task == "left"
    assert not marker.exists()


def test_a_cancel_left_behind_revokes(claude: Simulator) -> None:
    claude.approve()
    leave(claude, prompt="$harness cancel", prompt_id="new")
    assert claude.write("src/a.py").rule == "state.no-authority"
    assert claude.state.state == "cancelled"


@pytest.mark.contract("D2.9")
def test_an_answer_left_behind_approves_nothing(claude: Simulator) -> None:
    claude.pid = os.getpid()
    claude.prompt("$harness x")
    claude.stop(PLAN)
    claude.age_gate()
    leave(claude, prompt="y", prompt_id="new")
    claude.pid = os.getpid()
    assert claude.write("src/a.py").rule == "state.no-authority"
    assert (claude.state.state, claude.state.pending_gate) == ("planning", None)


def test_a_prompt_under_judgement_is_left_to_its_reader(claude: Simulator) -> None:
    marker = leave(claude, name=f"prompt-{os.getpid()}", prompt="$harness left", prompt_id="t")
    assert claude.write("src/a.py").is_silent
    assert marker.exists()


def test_a_reader_that_hangs_for_minutes_is_no_reader(claude: Simulator) -> None:
    marker = leave(claude, name=f"prompt-{os.getpid()}", prompt="$harness left", prompt_id="t")
    old = time.time() - 3600
    os.utime(marker, (old, old))
    claude.write("src/a.py")
    assert claude.state.task == "left"


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[]", b'{"hook_event_name":"UserPromptSubmit"}'])
def test_a_marker_that_cannot_be_read_is_dropped(claude: Simulator, raw: bytes) -> None:
    marker = claude.data / "active" / "prompt-999999999"
    marker.parent.mkdir()
    marker.write_bytes(raw)
    assert claude.write("src/a.py").is_silent
    assert not marker.exists()


def test_a_prompt_left_behind_by_a_damaged_run_does_not_hold_other_sessions(claude: Simulator) -> None:
    claude.approve()
    _overwrite(claude, b"damaged")
    leave(claude, prompt="```\n$harness\n```", prompt_id="t")
    claude.session = "other"
    claude.turn = "u"
    assert claude.write("src/a.py").is_silent


def test_a_run_that_has_lost_its_marker_gets_it_back_at_the_next_prompt(claude: Simulator) -> None:
    claude.approve()
    claude.store.drop_marker()
    claude.prompt("Go on.")
    assert claude.store.has_marker()


# Two hooks at once.


@pytest.mark.contract("C9.4", "D5.7")
def test_a_decision_is_taken_again_on_the_newer_state(claude: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    claude.prompt("$harness x")
    real = claude.store.__class__.commit
    rivals = iter([True])

    def commit(store: Any, state: Any, expected: bytes | None) -> None:
        if next(rivals, False):
            loaded = store.load()
            real(store, replace(loaded.state, task="the other hook was here"), loaded.stored)
        real(store, state, expected)

    monkeypatch.setattr(claude.store.__class__, "commit", commit)
    assert claude.stop(PLAN).is_silent
    assert (claude.state.task, claude.state.pending_gate.kind) == ("the other hook was here", "Plan")


@pytest.mark.contract("D5.7")
def test_a_rival_at_the_relay_does_not_cost_the_attestation(claude: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    claude.to_verifying()
    review = claude.review()
    claude.child("SubagentStop", last_assistant_message=review, stop_hook_active=False)
    real = claude.store.__class__.commit
    rivals = iter([True])

    def commit(store: Any, state: Any, expected: bytes | None) -> None:
        if next(rivals, False):
            loaded = store.load()
            real(store, replace(loaded.state, task="rival"), loaded.stored)
        real(store, state, expected)

    monkeypatch.setattr(claude.store.__class__, "commit", commit)
    assert claude.stop(review).rule == "review.taken"
    assert not os.path.exists(f"{claude.store.folder}/evidence/{ATTESTATION}")


@pytest.mark.contract("C9.4")
def test_endless_rivals_end_in_a_refusal(claude: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    claude.prompt("$harness x")

    def commit(*_arguments: object) -> None:
        raise dispatch.Conflict

    monkeypatch.setattr(claude.store.__class__, "commit", commit)
    with pytest.raises(StoreError, match="again and again"):
        claude.stop(PLAN)


@pytest.mark.contract("C7.13")
def test_an_attestation_that_cannot_be_removed_denies_the_mutation(
    claude: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.approve()

    def refuse(*_arguments: object) -> None:
        raise StoreError("store.write", "read-only file system", "Repair it.")

    monkeypatch.setattr(claude.store.__class__, "remove_side", refuse)
    with pytest.raises(StoreError):
        claude.write("src/a.py")


@pytest.mark.contract("C7.13")
def test_a_permitted_mutation_removes_the_attestation(claude: Simulator) -> None:
    claude.approve()
    write_sealed(claude.store, ATTESTATION, {"schema": "x"})
    assert claude.bash("ls").is_silent
    assert os.path.exists(f"{claude.store.folder}/evidence/{ATTESTATION}")
    assert claude.write("README.md", agent="a-1").is_denied
    assert os.path.exists(f"{claude.store.folder}/evidence/{ATTESTATION}")
    assert claude.write("src/a.py").is_silent
    assert not os.path.exists(f"{claude.store.folder}/evidence/{ATTESTATION}")


# Attestations (contract 8): missing, modified, stale, replayed, cross-session.


def attested(sim: Simulator) -> str:
    sim.to_verifying()
    review = sim.review()
    assert sim.child("SubagentStop", last_assistant_message=review, stop_hook_active=False).is_silent
    return review


@pytest.mark.contract("C8.17")
def test_a_review_of_ones_own_is_refused(sim: Simulator) -> None:
    sim.to_verifying()
    assert sim.stop(sim.review()).rule == "review.self"
    assert sim.state.state == "verifying"


def test_a_child_that_is_not_the_reviewer_attests_nothing(sim: Simulator) -> None:
    sim.to_verifying()
    review = sim.review()
    assert sim.child("SubagentStop", agent="other", last_assistant_message=review, stop_hook_active=False).is_silent
    assert sim.stop(review).rule == "review.self"


BINDINGS = ("schema", "session_id", "run_id", "state_revision", "accepted_plan_hash", "accepted_amendment_hash", "diff_revision", "verification_fingerprint", "artifact_hash", "text")  # fmt: skip


@pytest.mark.contract("C8.16")
@pytest.mark.parametrize("name", BINDINGS)
def test_each_binding_of_an_attestation_counts(claude: Simulator, name: str) -> None:
    review = attested(claude)
    found = claude.store.load_sealed(ATTESTATION)
    assert found is not None
    value = {key: member for key, member in found.items() if key != "seal"}
    assert value.keys() == set(BINDINGS)
    value[name] = (
        99
        if name == "state_revision"
        else str(value[name]).replace("PASS", "BLOCKED") + ("" if name == "text" else "x")
    )
    write_sealed(claude.store, ATTESTATION, value)
    assert claude.stop(review).rule == "review.self"


@pytest.mark.contract("C8.16")
def test_an_attestation_with_a_broken_seal_is_missing(claude: Simulator) -> None:
    review = attested(claude)
    path = f"{claude.store.folder}/evidence/{ATTESTATION}"
    with open(path, "rb") as handle:
        data = handle.read()
    with open(path, "wb") as handle:
        handle.write(data.replace(b"PASS", b"pass"))
    assert claude.stop(review).rule == "review.self"


@pytest.mark.contract("C8.18")
def test_an_attestation_is_used_once(claude: Simulator) -> None:
    review = attested(claude)
    path = f"{claude.store.folder}/evidence/{ATTESTATION}"
    with open(path, "rb") as handle:
        kept = handle.read()
    assert claude.stop(review).rule == "review.taken"
    with open(path, "wb") as handle:
        handle.write(kept)
    assert claude.spawn().is_silent  # back to verifying, a revision on
    assert claude.state.state == "verifying"
    assert claude.stop(review).rule in ("review.self", "artifact.binding")


@pytest.mark.contract("C8.17")
def test_a_changed_relay_is_refused_with_the_exact_text(sim: Simulator) -> None:
    review = attested(sim)
    answered = sim.stop(review.replace("Read the diff.", "Read all of the diff."))
    assert answered.rule == "review.changed"
    assert review in answered.text
    assert sim.stop(review).rule == "review.taken"


@pytest.mark.contract("C8.17")
@pytest.mark.parametrize("frame", ["\n", "\r\n"])
def test_a_relay_may_differ_in_its_line_ends(sim: Simulator, frame: str) -> None:
    review = attested(sim)
    assert sim.stop(review.replace("\n", frame)).rule == "review.taken"


@pytest.mark.contract("C8.18")
def test_a_relay_after_the_tree_moved_is_stale(claude: Simulator) -> None:
    review = attested(claude)
    (claude.root / "src" / "new.py").write_text("y\n")
    answered = claude.stop(review)
    assert answered.rule == "review.stale"
    assert claude.state.state == "verifying"


@pytest.mark.contract("C8.19")
def test_a_completion_after_the_tree_moved_is_stale(claude: Simulator) -> None:
    claude.to_reviewing()
    (claude.root / "src" / "new.py").write_text("y\n")
    assert claude.stop(claude.completion()).rule == "completion.stale"
    assert claude.state.state == "reviewing"


# The claim.


@pytest.mark.contract("C8.9")
def test_a_red_verification_refuses_the_reviewer_and_changes_nothing(sim: Simulator) -> None:
    (sim.root / "check.sh").write_text("echo broken; exit 3\n")
    sim.approve()
    revision = sim.state.revision
    answered = sim.spawn()
    assert answered.rule == "evidence.red"
    assert "V1 `sh check.sh` exited 3" in answered.text
    assert "broken" in answered.text
    assert (sim.state.state, sim.state.authority_status, sim.state.revision) == ("executing", "active", revision)


def test_verification_that_cannot_start_pauses(sim: Simulator) -> None:
    sim.approve(PLAN.replace("sh check.sh", "no-such-program"))
    answered = sim.spawn()
    assert (answered.rule, sim.state.state) == ("evidence.unavailable", "paused_blocked")
    assert "# Repair Resume" in answered.text


def test_verification_that_writes_into_the_tree_is_no_evidence(sim: Simulator) -> None:
    (sim.root / "check.sh").write_text("date > src/out; exit 0\n")
    sim.approve()
    answered = sim.spawn()
    assert answered.rule == "evidence.moved"
    assert sim.state.state == "executing"


@pytest.mark.contract("C8.8")
def test_a_green_unmoved_tree_is_not_run_twice(claude: Simulator) -> None:
    (claude.root / "check.sh").write_text(f"echo run >> {claude.home}/runs; exit 0\n")
    claude.to_verifying()
    assert claude.spawn().is_silent
    assert (claude.home / "runs").read_text() == "run\n"
    (claude.root / "src" / "new.py").write_text("y\n")
    assert claude.spawn().is_silent
    assert (claude.home / "runs").read_text() == "run\nrun\n"


def test_a_red_tree_is_run_again(claude: Simulator) -> None:
    (claude.root / "check.sh").write_text(f"echo run >> {claude.home}/runs; test -e {claude.home}/ok\n")
    claude.approve()
    assert claude.spawn().rule == "evidence.red"
    (claude.home / "ok").write_text("")
    assert claude.spawn().is_silent


@pytest.mark.contract("C7.14")
def test_while_the_engine_runs_every_other_mutation_is_denied(claude: Simulator) -> None:
    claude.approve()
    held = "import fcntl, os, sys\nh = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)\nfcntl.flock(h, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", held, claude.store.engine_lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as rival:
        assert rival.stdout is not None
        rival.stdout.readline()
        assert claude.write("src/a.py").rule == "state.engine-runs"
        assert claude.spawn().rule == "state.engine-runs"
        assert claude.bash("ls").is_silent
        rival.communicate()
    assert claude.write("src/a.py").is_silent


# Calls without a session's run, and calls that cannot be placed.


def test_no_data_folder_is_an_error(claude: Simulator, plugin: str) -> None:
    with pytest.raises(PayloadError) as caught:
        dispatch.answer(claude.payload("Stop"), {"PATH": "/bin"}, plugin, None)
    assert caught.value.rule == "payload.data-folder"


@pytest.mark.contract("C3.6")
def test_outside_git_a_run_is_refused_with_the_reason(claude: Simulator) -> None:
    subprocess.run(["rm", "-rf", str(claude.root / ".git")], check=True)
    answered = claude.prompt("$harness x")
    assert "is in no git repository" in answered.text
    assert not claude.store.has_marker()
    assert not os.path.exists(claude.store.folder)


@pytest.mark.contract("C5.10")
def test_another_host_process_may_neither_answer_nor_write(claude: Simulator) -> None:
    claude.pid = os.getpid()
    claude.prompt("$harness x")
    claude.stop(PLAN)
    claude.age_gate()
    claude.pid = os.getppid()
    assert "still runs" in claude.prompt("y").text
    assert claude.state.pending_gate is None
    claude.pid = os.getpid()
    claude.stop(PLAN)
    claude.age_gate()
    assert "Approval activated" in claude.prompt("y").text
    claude.pid = os.getppid()
    assert claude.write("src/a.py").rule == "identity.process"
    assert claude.spawn().rule == "identity.process"


@pytest.mark.parametrize(("attended", "moves"), [("1", True), ("0", False), (None, False)])
def test_a_run_moves_from_a_dead_process_to_an_attended_one(
    claude: Simulator, attended: str | None, *, moves: bool
) -> None:
    claude.approve()
    loaded = claude.store.load()
    assert loaded is not None
    claude.store.commit(replace(loaded.state, host=HostBinding("claude", 999999999, "1")), loaded.stored)
    claude.pid = os.getpid()
    claude.attended = attended
    claude.prompt("Go on.")
    assert (claude.state.host.pid == os.getpid()) == moves
    assert claude.write("src/a.py").is_silent == moves


# Journal.


def journal(sim: Simulator) -> list[dict[str, Any]]:
    with open(f"{sim.store.folder}/journal.jsonl") as handle:
        return [json.loads(line) for line in handle]


def test_the_journal_tells_the_run(claude: Simulator) -> None:
    claude.approve()
    claude.write("README.md")
    claude.bash("TOKEN=ghp_0123456789abcdef0123 ls")
    found = journal(claude)
    assert [(line["event"], line["verdict"]) for line in found] == [
        ("UserPromptSubmit", "context"),
        ("Stop", "pass"),
        ("UserPromptSubmit", "context"),
        ("PreToolUse", "deny"),
        ("PreToolUse", found[-1]["verdict"]),
    ]
    assert (found[2]["from"], found[2]["state"]) == ("planning", "executing")
    assert (found[3]["rule"], found[3]["state"]) == ("boundary.outside", "paused_boundary")
    assert "ghp_" not in json.dumps(found)


@pytest.mark.contract("C2.5")
def test_a_payloads_folder_resolves_that_calls_paths_and_moves_no_root(sim: Simulator) -> None:
    sim.turn = "turn-first"
    sim.send("UserPromptSubmit", prompt="$harness keep digits", cwd=str(sim.home))
    assert sim.state.repository_root == str(sim.root)
    sim.stop(PLAN, cwd=str(sim.home))
    sim.age_gate()
    sim.prompt("y", cwd=str(sim.home))
    patch = {"command": "*** Begin Patch\n*** Add File: new.py\n+x\n*** End Patch\n"}
    verdicts = [
        sim.send(
            "PreToolUse", tool_name="apply_patch", tool_input=patch, tool_use_id=folder, cwd=str(sim.root / folder)
        )
        for folder in ("src", ".")
    ]
    assert [answered.rule for answered in verdicts] == ["", "boundary.outside"]
    assert sim.state.repository_root == str(sim.root)
