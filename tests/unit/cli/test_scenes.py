"""The demonstration's table: it compares verdict, words and state, and covers what has to be shown."""

from __future__ import annotations

import pytest

from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.values import NearMiss, Plan
from harness_guard.cli.registered import Fired
from harness_guard.cli.rehearsal.material import NEAR_MISS, PLAN, reviewed
from harness_guard.cli.rehearsal.scenes import SCENES, Scene

SCENE = Scene("PreToolUse", "something", lambda play: play.answer(), "denied", "executing", "boundary.outside")
REFUSED = Fired("denied", "harness-guard boundary.outside: seen.")


@pytest.mark.parametrize(
    ("fired", "state", "problem"),
    [
        (REFUSED, "executing", None),
        (Fired("silent", ""), "executing", "the verdict is silent, expected denied"),
        (Fired("denied", "harness-guard entry.failed: x"), "executing", "the answer does not say `boundary.outside`"),
        (REFUSED, "planning", "the run is planning, expected executing"),
    ],
)
def test_a_difference_is_told(fired: Fired, state: str, problem: str | None) -> None:
    assert SCENE.problem(fired, state) == problem


def test_every_refusal_names_what_it_must_say() -> None:
    assert [scene.tried for scene in SCENES if scene.verdict != "silent" and not scene.says] == []


def test_the_run_passes_through_every_state_of_the_path() -> None:
    states = list(dict.fromkeys(scene.state for scene in SCENES))
    assert states == [
        "none",
        "planning",
        "executing",
        "paused_boundary",
        "verifying",
        "auto_repairing",
        "reviewing",
        "completed",
    ]


def test_the_material_is_what_it_is_called() -> None:
    assert isinstance(recognise(PLAN), Plan)
    found = recognise(NEAR_MISS)
    assert isinstance(found, NearMiss)
    assert (found.rule, found.line) == ("artifact.section-order", NEAR_MISS.split("\n").index("## Approval") + 1)


def test_a_template_without_its_place_is_a_fault_of_ours() -> None:
    with pytest.raises(RuntimeError, match="the template has no place"):
        reviewed("# Clean-context Review\n")
