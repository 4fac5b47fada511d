"""Whole runs that leave the straight path: repair rounds, pauses, Resumes, Amendments, on both hosts' payloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from simulator import PLAN, Answered, Simulator, small_plugin

from harness_guard.policy.order import is_subset

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["claude", "codex"])
def sim(request: pytest.FixtureRequest, tmp_path: Path) -> Simulator:
    found = Simulator(tmp_path, request.param)
    (tmp_path / "plugin").mkdir()
    found.plugin = small_plugin(tmp_path / "plugin")
    return found


def finding(name: str = "R1-F1", path: str = "src/new.py", **changes: Any) -> dict[str, Any]:
    base = {"severity": "important", "classification": "IN_PLAN_REPAIR", "line": 1, "message": "wrong"}
    return {"id": name, "path": path, **base, **changes}


def change(sim: Simulator, text: str, path: str = "src/new.py") -> None:
    assert sim.write(path).is_silent
    (sim.root / path).write_text(text)


def start(sim: Simulator, plan: str = PLAN) -> None:
    sim.approve(plan)
    change(sim, "first\n")


def artifact_in(answered: Answered, heading: str) -> str:
    return answered.text[answered.text.index(heading) :]


def where(sim: Simulator) -> tuple[str, str, int, int]:
    state = sim.state
    return (state.state, state.authority_status, state.repair.round, state.review_round)


@pytest.mark.contract("C6.3", "L1.2", "L2.1", "L3.1", "L3.2", "L3.3", "L3.6")
def test_a_run_with_two_repair_rounds(sim: Simulator) -> None:
    start(sim)
    begun = sim.reviewed("REPAIR_REQUIRED", [finding()])
    assert (begun.rule, where(sim)) == ("repair.begun", ("auto_repairing", "active", 1, 1))
    assert "R1-F1" in begun.text
    assert is_subset(sim.state.active_policy, sim.state.accepted_policy)
    assert sim.state.active_policy_id == sim.state.lineage[-1] != sim.state.lineage[0]
    assert sim.state.active_policy.parent == sim.state.lineage[-2]
    assert sim.spawn().rule == "spawn.record-due"
    change(sim, "second\n")
    taken = sim.recorded()
    assert (taken.is_blocked, taken.rule, where(sim)) == (True, "repair.taken", ("verifying", "revoked", 1, 2))
    assert sim.write("src/new.py").rule == "state.no-authority"
    assert sim.reviewed("REPAIR_REQUIRED", [finding("R2-F1")]).rule == "repair.begun"
    assert where(sim) == ("auto_repairing", "active", 2, 2)
    change(sim, "third\n")
    assert sim.recorded().rule == "repair.taken"
    assert sim.reviewed().rule == "review.taken"
    assert sim.stop(sim.completion()).is_silent
    assert sim.state.state == "completed"
    assert len(sim.state.lineage) == 3


@pytest.mark.contract("L3.3", "L3.4")
@pytest.mark.parametrize(
    "wrong",
    [
        {"accepted_plan_hash": "sha256:" + "0" * 64},
        {"source_review_round": 2},
        {"repair_round": 2},
        {"finding_ids": ["R1-F2"]},
        {"finding_ids": []},
        {"changed_files": ["src/other.py"]},
        {"diff_revision_before": "sha256:" + "0" * 64},
        {"diff_revision_after": "sha256:" + "0" * 64},
        {"verification_before": "sha256:" + "0" * 64},
        {"verification_after": "sha256:" + "0" * 64},
    ],
)
def test_a_record_with_another_binding_is_answered_with_the_right_one(tmp_path: Path, wrong: dict[str, Any]) -> None:
    sim = Simulator(tmp_path)
    (tmp_path / "plugin").mkdir()
    sim.plugin = small_plugin(tmp_path / "plugin")
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    before = sim.state.repair
    answered = sim.stop(sim.record(**wrong))
    assert (answered.is_blocked, answered.rule) == (True, "artifact.binding")
    assert f"`{next(iter(wrong))}`" in answered.text
    assert (sim.state.state, sim.state.repair) == ("auto_repairing", before)
    right = artifact_in(answered, "# Repair Record")
    assert "What was wrong is right." in right
    assert sim.stop(right).rule == "repair.taken"


@pytest.mark.contract("L2.5")
def test_the_same_finding_twice_pauses_and_resumes(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    change(sim, "second\n")
    sim.recorded()
    paused = sim.reviewed("REPAIR_REQUIRED", [finding()])
    assert (paused.is_blocked, where(sim)) == (True, ("paused_no_progress", "revoked", 1, 2))
    assert sim.stop(artifact_in(paused, "# Repair Resume")).is_silent
    assert "Approval activated (Repair Resume)" in sim.say_y().text
    assert where(sim) == ("auto_repairing", "active", 2, 2)
    assert sim.state.repair.repeated == 0
    change(sim, "third\n")
    assert sim.recorded().rule == "repair.taken"
    assert sim.reviewed().rule == "review.taken"
    assert sim.stop(sim.completion()).is_silent


@pytest.mark.contract("L3.5", "L3.6")
def test_records_without_progress_pause(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    assert sim.recorded().rule == "repair.taken"  # nothing changed: counted once, and the Reviewer looks again
    assert sim.state.repair.no_progress == 1
    assert sim.reviewed("REPAIR_REQUIRED", [finding("R2-F1")]).rule == "repair.begun"
    paused = sim.recorded()
    assert (paused.rule, sim.state.state) == ("repair.no-progress", "paused_no_progress")
    assert sim.state.repair.is_due is False
    assert sim.stop(artifact_in(paused, "# Repair Resume")).is_silent
    sim.say_y()
    assert where(sim) == ("auto_repairing", "active", 2, 2)  # the same round goes on
    change(sim, "second\n")
    assert sim.recorded().rule == "repair.taken"
    assert sim.state.repair.no_progress == 0


@pytest.mark.contract("L3.5", "L3.6")
def test_a_red_record_leaves_the_round_and_the_second_without_progress_pauses(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    change(sim, "exit 3\n", "check.sh")
    red = sim.recorded()
    assert (red.is_blocked, red.rule, where(sim)) == (True, "evidence.red", ("auto_repairing", "active", 1, 1))
    assert "V1 `sh check.sh` exited 3" in red.text
    assert sim.state.repair.no_progress == 0  # something changed, if only for the worse
    assert (sim.recorded().rule, sim.state.repair.no_progress) == ("evidence.red", 1)
    assert (sim.recorded().rule, sim.state.state) == ("repair.no-progress", "paused_no_progress")


@pytest.mark.contract("L2.9")
def test_test_runs_are_no_rounds(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    before = sim.state.repair
    for text in ("second\n", "third\n", "fourth\n", "fifth\n"):
        change(sim, text)
        assert sim.bash("sh check.sh").is_silent
    assert sim.state.repair == before
    assert sim.recorded().rule == "repair.taken"


@pytest.mark.contract("L2.2", "L4.5")
def test_the_fourth_round_never_starts_on_three(sim: Simulator) -> None:
    start(sim)
    for number in (1, 2, 3):
        assert sim.reviewed("REPAIR_REQUIRED", [finding(f"R{number}-F1")]).rule == "repair.begun"
        change(sim, f"round {number}\n")
        assert sim.recorded().rule == "repair.taken"
    paused = sim.reviewed("REPAIR_REQUIRED", [finding("R4-F1")])
    assert (sim.state.state, sim.state.repair.round) == ("paused_budget", 3)
    resume = artifact_in(paused, "# Repair Resume")
    assert '"additional_rounds": 1' in resume
    refused = sim.stop(resume.replace('"additional_rounds": 1', '"additional_rounds": 0'))
    assert (refused.is_blocked, refused.rule, sim.state.pending_gate) == (True, "repair.rounds", None)
    assert sim.stop(resume).is_silent
    sim.say_y()
    assert (where(sim), sim.state.repair.max_rounds) == (("auto_repairing", "active", 4, 4), 4)


@pytest.mark.contract("L2.2")
def test_a_plan_without_auto_repair_asks_before_the_first_round(sim: Simulator) -> None:
    start(sim, PLAN.replace('"enabled": true', '"enabled": false'))
    paused = sim.reviewed("REPAIR_REQUIRED", [finding()])
    assert (sim.state.state, sim.state.repair.max_rounds) == ("paused_budget", 0)
    sim.stop(artifact_in(paused, "# Repair Resume"))
    sim.say_y()
    assert where(sim) == ("auto_repairing", "active", 1, 1)


@pytest.mark.contract("L2.4")
@pytest.mark.parametrize(
    ("plan", "touched", "found"),
    [
        (PLAN, "src/new.py", finding(path="README.md")),
        (PLAN, "src/new.py", finding(path="src/package.json")),
        (PLAN, "src/package.json", finding()),
        (PLAN, "src/new.py", finding(classification="MATERIAL_AMENDMENT")),
    ],
)
def test_what_is_more_than_a_repair_pauses(sim: Simulator, plan: str, touched: str, found: dict[str, Any]) -> None:
    sim.approve(plan)
    change(sim, "{}\n", touched)
    paused = sim.reviewed("REPAIR_REQUIRED", [found])
    assert (paused.rule, sim.state.state, sim.state.repair.round) == ("review.findings", "paused_material", 0)


@pytest.mark.contract("L2.4")
def test_a_dependency_file_that_the_plan_names_is_repaired_inside_it(sim: Simulator) -> None:
    start(sim, PLAN.replace("- `src/`", "- `src/`\n- `src/package.json`"))
    change(sim, "{}\n", "src/package.json")
    assert sim.reviewed("REPAIR_REQUIRED", [finding(path="src/package.json")]).rule == "repair.begun"


@pytest.mark.contract("C6.4", "L4.6", "L4.9", "L4.10")
def test_an_amendment_in_the_middle_of_the_work(sim: Simulator) -> None:
    start(sim)
    assert sim.stop(sim.amendment(("src/", "check.sh", "README.md"))).is_silent
    assert sim.state.pending_gate.kind == "Plan Amendment"
    held = sim.write("src/new.py")
    assert (held.is_denied, held.rule, sim.state.state) == (True, "state.no-authority", "executing")
    approved = sim.say_y()
    assert "Approval activated (Plan Amendment)" in approved.text
    assert (sim.state.state, len(sim.state.lineage)) == ("executing", 2)
    assert sim.state.accepted_policy.parent == sim.state.lineage[0]
    change(sim, "read me too\n", "README.md")
    assert sim.reviewed().rule == "review.taken"
    brief = (sim.data / "runs" / sim.session / "brief.md").read_text()
    assert "# Plan Amendment" in brief
    assert sim.stop(sim.completion()).is_silent
    assert sim.state.state == "completed"


@pytest.mark.contract("L4.6", "L4.9")
def test_an_amendment_out_of_a_pause_starts_counters_anew(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    change(sim, "second\n")
    sim.recorded()
    sim.reviewed("REPAIR_REQUIRED", [finding(path="README.md", name="R2-F1")])
    assert sim.state.state == "paused_material"
    assert sim.stop(sim.amendment(("src/", "check.sh", "README.md"))).is_silent
    sim.say_y()
    assert where(sim) == ("executing", "active", 0, 2)
    assert sim.state.open_findings == (("R2-F1", "README.md", "wrong"),)
    assert sim.state.evidence_green is None
    change(sim, "read me\n", "README.md")
    assert sim.reviewed().rule == "review.taken"
    assert sim.state.review_round == 3


@pytest.mark.contract("L4.6", "L4.7")
@pytest.mark.parametrize(
    ("boundary", "material", "changes", "rule"),
    [
        (("src/", "check.sh"), ("risk",), {"source_plan_hash": "sha256:" + "0" * 64}, "artifact.binding"),
        (("src/", "check.sh"), ("risk",), {"source_policy_id": "sha256:" + "0" * 64}, "artifact.binding"),
        (("src/", "lib/"), ("risk",), {}, "amendment.delta"),
        (("src/", "check.sh"), ("write_boundary",), {}, "amendment.delta"),
        (("check.sh", "src/"), ("risk", "verification"), {}, "amendment.delta"),
        (("check.sh", "src/"), ("risk", "acceptance_criteria"), {}, "amendment.delta"),
        ((".git/",), ("write_boundary",), {}, "artifact.boundary-entry"),
    ],
)
def test_a_stale_or_false_amendment_opens_no_gate(
    sim: Simulator, boundary: tuple[str, ...], material: tuple[str, ...], changes: dict[str, str], rule: str
) -> None:
    start(sim)
    answered = sim.stop(sim.amendment(boundary, material=material, **changes))
    assert (answered.is_blocked, answered.rule, sim.state.pending_gate) == (True, rule, None)


@pytest.mark.contract("L4.7")
def test_new_exact_commands_are_a_new_scope(sim: Simulator) -> None:
    start(sim)
    more = sim.amendment(("src/", "check.sh"), material=("risk",)).replace(
        "## Exact Commands\n\nNone", "## Exact Commands\n\n- `make docs`"
    )
    assert sim.stop(more).rule == "amendment.delta"
    assert sim.stop(more.replace('"scope": {"material": false', '"scope": {"material": true')).is_silent
    sim.say_y()
    assert sim.bash("make docs").is_silent


@pytest.mark.contract("L4.6")
def test_an_amendment_of_a_policy_that_has_moved_on_is_stale(sim: Simulator) -> None:
    start(sim)
    early = sim.amendment(("src/", "check.sh", "README.md"))
    sim.reviewed("REPAIR_REQUIRED", [finding()])  # a child policy is in force now
    answered = sim.stop(early)
    assert (answered.rule, sim.state.pending_gate) == ("artifact.binding", None)
    assert sim.state.active_policy_id in answered.text


def test_no_amendment_is_due_before_a_plan_or_after_the_end(sim: Simulator) -> None:
    start(sim)
    text = sim.amendment(("src/", "lib/"))
    sim.prompt("$harness another task")
    assert sim.stop(text).rule == "artifact.not-now"


@pytest.mark.contract("L3.1")
def test_no_record_is_due_elsewhere(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    text = sim.record()
    sim.recorded()
    assert (sim.stop(text).rule, sim.state.state) == ("artifact.not-now", "verifying")


@pytest.mark.contract("L2.1", "L2.6")
def test_a_red_claim_after_a_review_begins_a_round_about_the_command(sim: Simulator) -> None:
    sim.to_reviewing()
    (sim.root / "check.sh").write_text("exit 1\n")
    begun = sim.spawn()
    assert (begun.is_denied, begun.rule, where(sim)) == (True, "repair.begun", ("auto_repairing", "active", 1, 1))
    assert sim.state.latest_finding_ids == ("V1",)
    change(sim, "exit 0\n", "check.sh")
    assert sim.recorded().rule == "repair.taken"
    assert sim.reviewed().rule == "review.taken"


@pytest.mark.contract("L4.1", "L4.3", "L4.4")
def test_a_boundary_attempt_in_a_round_pauses_and_goes_on_in_the_round(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    paused = sim.write("README.md")
    assert where(sim) == ("paused_boundary", "revoked", 1, 1)
    resume = artifact_in(paused, "# Repair Resume")
    (sim.root / "src" / "new.py").write_text("moved\n")
    stale = sim.stop(resume)
    assert (stale.rule, sim.state.pending_gate) == ("artifact.binding", None)
    assert "`diff_revision`" in stale.text
    assert sim.stop(artifact_in(stale, "# Repair Resume")).is_silent
    sim.say_y()
    assert where(sim) == ("auto_repairing", "active", 1, 1)
    assert sim.recorded().rule == "repair.taken"


@pytest.mark.contract("L4.2")
def test_a_pause_names_the_three_ways_out(sim: Simulator) -> None:
    start(sim)
    paused = sim.write("README.md")
    for words in ("Repair Resume", "Plan Amendment", "artifact plan-amendment", "$harness cancel"):
        assert words in paused.text


@pytest.mark.contract("L4.10")
def test_no_completion_from_a_pause(sim: Simulator) -> None:
    sim.to_reviewing()
    completion = sim.completion()
    (sim.root / "check.sh").write_text("exit 1\n")
    sim.spawn()
    sim.write("README.md")
    assert sim.state.state == "paused_boundary"
    assert (sim.stop(completion).rule, sim.state.state) == ("artifact.not-now", "paused_boundary")


@pytest.mark.contract("L3.7")
def test_the_reviewer_never_gets_the_records_words(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    change(sim, "second\n")
    sim.recorded()
    sim.spawn()
    head = sim.child("SubagentStart", "r-9").text
    brief = (sim.data / "runs" / sim.session / "brief.md").read_text()
    assert "What was wrong is right." not in head + brief
    assert "R1-F1" in head


@pytest.mark.contract("L5.1", "L5.5")
def test_an_activation_in_a_round_archives_the_run(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    old = sim.state.run_id
    assert "is open in planning" in sim.prompt("$harness something else").text
    assert (sim.state.state, sim.state.run_id != old, sim.state.accepted_policy) == ("planning", True, None)
    archived = sim.data / "runs" / sim.session / "archive" / "0001"
    assert old in (archived / "state.json").read_text()
    assert sim.write("src/new.py").rule == "state.no-authority"


@pytest.mark.contract("L4.8")
def test_an_amendment_leaves_out_nothing_that_the_run_has_changed(sim: Simulator) -> None:
    start(sim)
    narrow = sim.amendment(("check.sh",))
    refused = sim.stop(narrow)
    assert (refused.rule, sim.state.pending_gate) == ("amendment.leaves-out", None)
    assert "`src/new.py`" in refused.text
    (sim.root / "src" / "new.py").unlink()
    assert sim.stop(narrow).is_silent


@pytest.mark.contract("L4.3")
def test_a_resume_says_why_the_run_paused(sim: Simulator) -> None:
    start(sim)
    resume = artifact_in(sim.write("README.md"), "# Repair Resume")
    reason = resume.partition("## Reason\n\n")[2].partition("\n")[0]
    refused = sim.stop(resume.replace(reason, "A short network hiccup."))
    assert (refused.rule, sim.state.pending_gate) == ("repair.reason", None)
    assert sim.stop(resume.replace(reason, f"{reason} It was a typing error.")).is_silent


@pytest.mark.contract("C7.19", "L4.3")
def test_what_changed_in_a_pause_stands_in_the_reason(sim: Simulator) -> None:
    sim.approve()
    assert sim.bash("sh check.sh").is_silent
    sim.write("README.md")
    (sim.root / "NOTE.md").write_text("by what the command left running\n")
    told = sim.stop("waiting")
    assert told.rule == "sweep.outside"
    assert "NOTE.md" in artifact_in(told, "# Repair Resume")


@pytest.mark.contract("L2.8")
@pytest.mark.parametrize("relays", [True, False])
def test_findings_about_a_tree_that_moved_stay_open(sim: Simulator, *, relays: bool) -> None:
    start(sim)
    sim.spawn()
    sim.child("SubagentStart", "r-1")
    review = sim.review("REPAIR_REQUIRED", [finding()])
    assert sim.child("SubagentStop", "r-1", last_assistant_message=review).is_silent
    (sim.root / "src" / "new.py").write_text("moved by itself\n")
    if relays:
        assert sim.stop(review).rule == "review.stale"
    assert sim.spawn().is_silent
    assert "R1-F1 src/new.py: wrong" in sim.child("SubagentStart", "r-2").text


@pytest.mark.contract("L2.5")
def test_a_red_claim_between_hides_no_repeated_finding(sim: Simulator) -> None:
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    change(sim, "second\n")
    sim.recorded()
    (sim.root / "check.sh").write_text("exit 1\n")
    assert sim.spawn().rule == "repair.begun"
    change(sim, "exit 0\n", "check.sh")
    assert sim.recorded().rule == "repair.taken"
    sim.reviewed("REPAIR_REQUIRED", [finding()])
    assert (sim.state.state, sim.state.repair.repeated) == ("paused_no_progress", 2)


@pytest.mark.contract("L2.5")
def test_a_repeated_suggestion_does_not_count(sim: Simulator) -> None:
    note = finding("R1-F2", severity="suggestion")
    start(sim)
    sim.reviewed("REPAIR_REQUIRED", [finding(), note])
    change(sim, "second\n")
    sim.recorded()
    assert sim.reviewed("REPAIR_REQUIRED", [finding("R2-F1"), note]).rule == "repair.begun"


@pytest.mark.contract("L4.9")
def test_an_amended_time_limit_is_verified_anew(sim: Simulator) -> None:
    sim.to_reviewing()
    before = sim.state.integrity_fingerprint
    text = sim.amendment(("src/", "check.sh"), material=("verification",)).replace('"timeout_s": 20', '"timeout_s": 30')
    assert sim.stop(text).is_silent
    sim.say_y()
    assert sim.spawn().is_silent
    assert sim.state.integrity_fingerprint not in (None, before)


@pytest.mark.contract("C8.1")
def test_what_a_failed_approval_has_let_change_stays_in_the_diff(tmp_path: Path) -> None:
    sim = Simulator(tmp_path)
    (tmp_path / "plugin").mkdir()
    sim.plugin = small_plugin(tmp_path / "plugin")
    start(sim)
    assert sim.stop(sim.amendment(("src/", "check.sh", "README.md"))).is_silent
    sim.say_y(row={"origin": {"kind": "peer"}, "promptSource": "system"})
    assert sim.write("src/new.py").rule == "provenance.forged"
    assert sim.stop(PLAN).is_silent
    sim.say_y()
    assert sim.reviewed().rule == "review.taken"
    assert "src/new.py" in (sim.data / "runs" / sim.session / "brief.md").read_text().partition("The whole diff")[2]


def test_a_name_that_is_no_utf8_keeps_no_review_from_being_taken(sim: Simulator) -> None:
    start(sim)
    with open(bytes(sim.root / "src") + b"/\xff.sql", "w") as handle:
        handle.write("x")
    assert sim.reviewed("REPAIR_REQUIRED", [finding()]).is_blocked
    assert sim.state.state == "paused_material"
