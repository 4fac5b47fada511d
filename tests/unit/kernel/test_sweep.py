"""The sweep: what changed outside the boundary is foreign, or told once and paused on (C7.17)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import DIFF, TREE, FakeWorld, in_state

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.kernel.state import Baseline
from harness_guard.kernel.sweep import sweep
from harness_guard.records import replace

MANY = tuple(f"p{number:02}" for number in range(25))


def swept(state: Any, changed: tuple[str, ...]) -> tuple[Any, Reason | None, list[str]]:
    world = FakeWorld(TreeNow=Snapshot(DIFF, changed, TREE))
    asking, asked = sweep(state), []
    reply: Any = None
    while True:
        try:
            question = asking.send(reply)
        except StopIteration as done:
            return *done.value, asked
        asked.append(type(question).__name__)
        reply = world.answers[asked[-1]]


@pytest.mark.parametrize("missing", ["active_policy", "baseline"])
def test_without_a_policy_or_a_baseline_nothing_is_asked(missing: str) -> None:
    state = replace(in_state("executing"), **{missing: None})
    assert swept(state, ("README.md",)) == (state, None, [])


@pytest.mark.contract("C7.17")
@pytest.mark.parametrize(
    ("changed", "told"),
    [((), ()), (("src/a.py", "docs/x.md"), ()), (("README.md",), ("README.md",)), (("a\udcff",), ("a\\udcff",))],
)
def test_what_is_inside_or_told_already_is_no_matter(changed: tuple[str, ...], told: tuple[str, ...]) -> None:
    state = in_state("executing", wrote_unseen=True, told_outside=told)
    assert swept(state, changed) == (state, None, ["TreeNow"])


@pytest.mark.contract("C7.17")
def test_a_foreign_change_goes_into_the_baseline_and_is_named_to_the_reviewer() -> None:
    state = in_state("executing", foreign=("z",))
    after, reason, asked = swept(state, ("b", "src/a.py", "a\udcff"))
    assert state.baseline is not None
    foreign = ("a\\udcff", "b", "z")
    assert after == replace(state, foreign=foreign, baseline=Baseline(state.baseline.head, "2" * 40))
    assert (reason, asked) == (None, ["TreeNow", "AbsorbForeign"])


@pytest.mark.contract("C7.17")
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("b",), "`b`"),
        (("b", "src/a.py", "a"), "`b`, `a`"),
        (MANY[:20], ", ".join(f"`{path}`" for path in MANY[:20])),
        (MANY[:21], ", ".join(f"`{path}`" for path in MANY[:20]) + " and 1 more"),
        (MANY, ", ".join(f"`{path}`" for path in MANY[:20]) + " and 5 more"),
    ],
)
def test_what_the_run_may_have_changed_is_told_once(changed: tuple[str, ...], told: str) -> None:
    state = in_state("executing", wrote_unseen=True, told_outside=("z",))
    after, reason, asked = swept(state, changed)
    outside = tuple(sorted({"z", *(path for path in changed if not path.startswith("src/"))}))
    assert after == replace(state, told_outside=outside)
    seen = f"an approved command or the engine's run changed what is outside `src/`, `docs/*.md`: {told}"
    assert reason == Reason("sweep.outside", seen, "Put the files back as they were, or ask the human.")
    assert asked == ["TreeNow"]
    assert swept(after, changed)[1] is None
