"""A pause: what it keeps, what it tells, and where it cuts, so that the whole Repair Resume reaches the model (C6.8)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import DIFF, HASH, TREE, in_state

from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.values import Resume
from harness_guard.kernel.decision import Decision, Reason
from harness_guard.kernel.pause import missing_rounds, pause, resume_for
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.kernel.state import Repair, RunState
from harness_guard.kernel.texts import choices_text
from harness_guard.records import replace


def answered(asking: Any, tree: str = DIFF) -> Any:
    """Drive a generator that asks for the tree and for nothing else."""
    assert type(asking.send(None)).__name__ == "TreeNow"
    with pytest.raises(StopIteration) as done:
        asking.send(Snapshot(tree, (), TREE))
    return done.value.value


def paused(more: str = "", seen: str = "something") -> Any:
    return answered(pause(in_state("executing"), "hard danger", "deny", Reason("rule.x", seen, "Mend it.", more)))


@pytest.mark.contract("C6.8")
def test_a_pause_answers_with_the_reason_the_ways_out_and_the_whole_resume() -> None:
    found = paused("What was printed.")
    state = found.state
    assert (state.state, state.paused_from, state.pause_reason) == ("paused_danger", "executing", "rule.x: something")
    resume = answered(resume_for(state))
    more = f"After a Resume: Mend it.\nWhat was printed.\n{choices_text(state, resume)}"
    remedy = "Emit the Repair Resume below, alone, and end your turn."
    assert found.decision == Decision("deny", Reason("rule.x", "something", remedy, more))
    assert found.note == "hard danger"
    assert paused().decision.reason.more == f"After a Resume: Mend it.\n{choices_text(state, resume)}"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("x" * 4000, "x" * 4000),
        ("x" * 4001, "x" * 4000 + "\n[cut]"),
        ("x" * 3999 + "ä", "x" * 3999 + "\n[cut]"),
        ("ä" * 2000, "ä" * 2000),
    ],
)
def test_what_stands_before_the_resume_is_cut(more: str, told: str) -> None:
    text = paused(more).decision.reason.more
    assert text.startswith(f"After a Resume: Mend it.\n{told}\nThe run is paused")


@pytest.mark.parametrize(("length", "kept"), [(491, 491), (492, 492), (493, 492)])
def test_a_reason_is_kept_to_500_characters(length: int, kept: int) -> None:
    assert paused(seen="y" * length).state.pause_reason == "rule.x: " + "y" * kept


@pytest.mark.contract("C4.32")
@pytest.mark.parametrize(
    ("repair", "missing"),
    [
        (Repair(round=1, max_rounds=1), 0),
        (Repair(round=1, max_rounds=1, is_due=True), 1),
        (Repair(round=1, max_rounds=2, is_due=True), 0),
        (Repair(round=0, max_rounds=0, is_due=True), 1),
        (Repair(round=1, max_rounds=3, is_due=True), 0),
        (Repair(round=3, max_rounds=1, is_due=True), 3),
    ],
)
def test_how_many_rounds_a_resume_has_to_add(repair: Repair, missing: int) -> None:
    assert missing_rounds(in_state("paused_budget", repair=repair)) == missing


@pytest.mark.parametrize("plan_hash", [HASH, None])
def test_a_resume_is_bound_to_the_run_as_it_stands(plan_hash: str | None) -> None:
    state: RunState = replace(in_state("paused_budget"), accepted_plan_hash=plan_hash)
    text = answered(resume_for(state), "sha256:" + "e" * 64)
    found = recognise(text)
    if plan_hash is None:
        assert '"accepted_plan_hash": ""' in text
        return
    assert isinstance(found, Resume)
    assert (found.context.accepted_plan_hash, found.context.paused_revision) == (HASH, state.revision)
    assert found.context.diff_revision == "sha256:" + "e" * 64
    assert found.context.verification_fingerprint == state.integrity_fingerprint
    assert found.context.additional_rounds == 1
    assert found.reason == f"Paused: {state.pause_reason}"
