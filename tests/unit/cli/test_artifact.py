"""``artifact KIND``: what is printed parses, and carries the run's current bindings."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness_guard.artifacts.registry import parse_artifact, recognise
from harness_guard.artifacts.values import (
    Acceptance,
    Amendment,
    Bindings,
    Completion,
    Plan,
    Record,
    RecordContext,
    RepairPlan,
    Resume,
    ResumeContext,
    Review,
)
from harness_guard.cli.rehearsal.material import completed
from harness_guard.cli.verbs.artifact import KINDS
from harness_guard.kernel.texts import next_step
from tests.simulator import PLAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator import Simulator

    Command = Callable[..., tuple[int, str, str]]


def bindings(run: Simulator) -> Bindings:
    state = run.state
    return Bindings(
        state.accepted_plan_hash, None, state.diff_revision, state.integrity_fingerprint, state.review_round
    )


def to_repairing(run: Simulator) -> None:
    """Play a run up to its first repair round."""
    run.to_verifying()
    assert run.bash("git diff", agent="a-1").is_silent
    row = {"id": "R1-F1", "severity": "important", "classification": "IN_PLAN_REPAIR", "path": "src/new.py", "line": 1}
    review = run.review("REPAIR_REQUIRED", [{**row, "message": "It is `empty`."}])
    assert run.child("SubagentStop", last_assistant_message=review, stop_hook_active=False).is_silent
    run.stop(review)
    assert run.state.state == "auto_repairing"


def test_the_plan_needs_no_run(run: Simulator, command: Command) -> None:
    status, out, err = command("artifact", "plan")
    assert (status, err) == (0, "")
    assert isinstance(recognise(out), Plan)


def test_the_kind_may_be_spelled_in_any_case(run: Simulator, command: Command) -> None:
    assert command("artifact", "PLAN") == command("artifact", "plan")


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_that_has_no_run(run: Simulator, command: Command, kind: str) -> None:
    assert command("artifact", kind, "--session", "nobody") == (
        1,
        "",
        (
            f"harness-guard cli.no-run: session `nobody` has no run in {run.data}\n"
            "Next: start one: type $harness and the task in Codex or Claude Code\n"
        ),
    )


def test_the_review_carries_the_bindings(run: Simulator, command: Command) -> None:
    run.to_verifying()
    status, out, _ = command("artifact", "review")
    found = recognise(out)
    assert status == 0
    assert isinstance(found, Review)
    assert (found.context, found.verdict) == (bindings(run), "BLOCKED")


def test_the_completion_names_every_criterion_and_required_id(run: Simulator, command: Command) -> None:
    run.to_reviewing()
    status, out, _ = command("artifact", "completion")
    found = recognise(out)
    assert status == 0
    assert isinstance(found, Completion)
    assert (found.context, found.acceptance) == (bindings(run), (Acceptance("AC1", ("V1",)),))
    assert run.stop(completed(out)).is_silent
    assert run.state.state == "completed"


def test_the_resume_is_the_one_that_the_refusal_handed_out(run: Simulator, command: Command) -> None:
    run.approve()
    refused = run.write("README.md")
    status, out, _ = command("artifact", "repair-resume")
    assert status == 0
    assert out.strip() in refused.text
    found = recognise(out)
    assert isinstance(found, Resume)
    state = run.state
    assert found.context == ResumeContext(
        state.accepted_plan_hash, state.revision, found.context.diff_revision, state.integrity_fingerprint, 0
    )
    assert run.stop(out).is_silent
    run.age_gate()
    assert "Approval activated (Repair Resume)" in run.prompt("y").text


def test_the_resume_follows_the_tree(run: Simulator, command: Command) -> None:
    run.approve()
    run.write("README.md")
    _, before, _ = command("artifact", "repair-resume")
    (run.root / "src" / "slug.py").write_text("x = 2\n")
    _, after, _ = command("artifact", "repair-resume")
    first, second = recognise(before), recognise(after)
    assert isinstance(first, Resume)
    assert isinstance(second, Resume)
    assert first.context.diff_revision != second.context.diff_revision


@pytest.mark.parametrize("kind", ["review", "completion", "repair-record", "repair-resume", "pause-report"])
def test_what_is_not_due_is_refused_with_the_next_step(run: Simulator, command: Command, kind: str) -> None:
    run.approve()
    assert command("artifact", kind) == (
        1,
        "",
        (
            f"harness-guard cli.not-due: the run is executing and has nothing that a {kind} could bind to\n"
            f"Next: {next_step(run.state)}\n"
        ),
    )


@pytest.mark.parametrize("kind", ["plan-amendment", "repair-plan"])
def test_before_a_plan_is_accepted_there_is_nothing_to_amend_or_repair(
    run: Simulator, command: Command, kind: str
) -> None:
    run.prompt("$harness keep digits")
    status, out, err = command("artifact", kind)
    assert (status, out) == (1, "")
    assert err.startswith(f"harness-guard cli.not-due: the run is planning and has nothing that a {kind} could bind to")


@pytest.mark.parametrize("end", ["executing", "paused"])
def test_the_amendment_holds_what_is_in_force(run: Simulator, command: Command, end: str) -> None:
    run.approve()
    if end == "paused":
        run.write("README.md")
    status, out, err = command("artifact", "plan-amendment")
    found, plan, state = recognise(out), recognise(PLAN), run.state
    assert (status, err) == (0, "")
    assert isinstance(found, Amendment)
    assert isinstance(plan, Plan)
    assert (found.source_plan_hash, found.source_policy_id) == (state.accepted_plan_hash, state.active_policy_id)
    assert [delta.name for delta in found.deltas if delta.material] == ["scope"]
    assert (found.criteria, found.boundary, found.commands, found.tools) == (
        plan.criteria,
        plan.boundary,
        plan.commands,
        plan.tools,
    )
    assert (found.strategy, found.required, found.optional) == (plan.strategy, plan.required, plan.optional)


def test_the_record_carries_the_round_and_the_present_tree(run: Simulator, command: Command) -> None:
    to_repairing(run)
    before = run.state
    (run.root / "src" / "new.py").write_text("y\n")
    status, out, err = command("artifact", "repair-record")
    found = recognise(out)
    assert status == 0
    assert err.startswith("harness-guard: the tree has changed since the engine ran")
    assert isinstance(found, Record)
    assert found.context == RecordContext(
        accepted_plan_hash=before.accepted_plan_hash,
        source_review_round=before.review_round,
        repair_round=1,
        finding_ids=("R1-F1",),
        changed_files=("src/new.py",),
        diff_revision_before=before.diff_revision,
        diff_revision_after=found.context.diff_revision_after,
        verification_before=before.integrity_fingerprint,
        verification_after=before.integrity_fingerprint,
    )
    assert found.context.diff_revision_after != before.diff_revision


def test_where_the_tree_has_not_moved_the_record_needs_no_word_beside_it(run: Simulator, command: Command) -> None:
    to_repairing(run)
    status, out, err = command("artifact", "repair-record")
    found = recognise(out)
    assert (status, err) == (0, "")
    assert isinstance(found, Record)
    assert found.context.changed_files == ()
    assert found.context.diff_revision_after == found.context.diff_revision_before == run.state.diff_revision


def test_a_file_that_no_artifact_can_name_is_left_out_of_the_record(run: Simulator, command: Command) -> None:
    to_repairing(run)
    for name in ("a\\b.py", "tab\t.py", "c.py"):
        (run.root / "src" / name).write_text("")
    _, out, _ = command("artifact", "repair-record")
    found = recognise(out)
    assert isinstance(found, Record)
    assert found.context.changed_files == ("src/c.py",)


def test_the_repair_plan_is_about_the_first_finding(run: Simulator, command: Command) -> None:
    to_repairing(run)
    status, out, err = command("artifact", "repair-plan")
    found = parse_artifact("repair-plan", out)
    assert (status, err) == (0, "")
    assert isinstance(found, RepairPlan)
    assert (found.finding, found.source_plan_hash) == ("R1-F1", run.state.accepted_plan_hash)
    assert found.scope == run.state.active_policy.boundary
    before = run.state
    run.stop(out)
    assert (run.state.revision, run.state.state, run.state.pending_gate) == (before.revision, before.state, None)


def test_before_a_review_the_repair_plan_is_about_verification(run: Simulator, command: Command) -> None:
    run.approve()
    found = parse_artifact("repair-plan", command("artifact", "repair-plan")[1])
    assert isinstance(found, RepairPlan)
    assert found.finding == "V1"


def test_the_repair_plan_needs_something_to_write(run: Simulator, command: Command) -> None:
    plan = recognise(PLAN)
    assert isinstance(plan, Plan)
    entries = "\n".join(f"- `{entry}`" for entry in plan.boundary)
    assert PLAN.count(entries) == 1
    run.approve(PLAN.replace(entries, "None"))
    status, out, err = command("artifact", "repair-plan")
    assert (status, out) == (1, "")
    assert err.startswith("harness-guard cli.not-due: ")


def test_the_pause_report_tells_what_is_left_and_is_not_read(run: Simulator, command: Command) -> None:
    to_repairing(run)
    run.write("README.md")
    assert run.state.is_paused
    status, out, err = command("artifact", "pause-report")
    assert (status, err) == (0, "")
    assert "- R1-F1: src/new.py: It is `empty`.\n" in out
    assert '"remaining_findings": ["R1-F1"],' in out
    assert '"rounds_done": 1,' in out
    assert f'"diff_revision": "{run.state.diff_revision}",' in out
    assert "- The engine's last record: green.\n" in out
    assert recognise(out) is None


def test_what_would_not_parse_is_not_handed_out(
    run: Simulator, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "plan.md").write_text("# Plan\n\nLater.\n")
    monkeypatch.setattr("harness_guard.cli.verbs.artifact.plugin_root", lambda: str(tmp_path))
    assert command("artifact", "plan") == (
        1,
        "",
        (
            "harness-guard cli.unfit: plan line 3: found `Later.` before the first section, expected "
            "`## Classification`\nNext: Let the first section follow the heading.\n"
        ),
    )


def test_between_two_active_runs_the_session_decides(
    run: Simulator, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.to_verifying()
    shutil.copytree(run.data / "runs" / run.session, run.data / "runs" / "other")
    (run.data / "active" / "run-other").touch()
    status, out, err = command("artifact", "review")
    assert (status, out) == (1, "")
    assert "cli.which-run: 2 runs are active" in err
    assert command("artifact", "review", "--session", run.session)[0] == 0
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", run.session)
    assert command("artifact", "review")[0] == 0
    assert command("artifact", "review", "--session", "other")[0] == 1


def test_a_tampered_state_fills_nothing(run: Simulator, command: Command) -> None:
    run.to_verifying()
    with open(run.store.state_file, "a") as file:
        file.write(" ")
    status, out, err = command("artifact", "review")
    assert (status, out) == (1, "")
    assert err.startswith("harness-guard store.seal: the state is not what the guard wrote\nNext: ")
