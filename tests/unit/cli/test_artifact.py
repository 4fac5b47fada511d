"""``artifact KIND``: what is printed parses, and carries the run's current bindings."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.values import Acceptance, Bindings, Completion, Plan, Resume, ResumeContext, Review
from harness_guard.cli.rehearsal.material import completed
from harness_guard.kernel.texts import next_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator import Simulator

    Command = Callable[..., tuple[int, str, str]]


def bindings(run: Simulator) -> Bindings:
    state = run.state
    return Bindings(
        state.accepted_plan_hash, None, state.diff_revision, state.integrity_fingerprint, state.review_round
    )


def test_the_plan_needs_no_run(run: Simulator, command: Command) -> None:
    status, out, err = command("artifact", "plan")
    assert (status, err) == (0, "")
    assert isinstance(recognise(out), Plan)


def test_the_kind_may_be_spelled_in_any_case(run: Simulator, command: Command) -> None:
    assert command("artifact", "PLAN") == command("artifact", "plan")


@pytest.mark.parametrize("kind", ["plan", "review", "repair-resume", "completion"])
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


@pytest.mark.parametrize("kind", ["review", "completion", "repair-resume"])
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
