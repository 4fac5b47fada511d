"""What a transition changes beside state and authority: guards that no row of the table should ever meet."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import GATE, in_state, planning

from harness_guard.kernel.effects import EFFECTS
from harness_guard.kernel.state import Repair
from harness_guard.policy.digest import policy_id
from harness_guard.records import replace

NO_POLICY = "a transition that needs a policy was taken without one"
NO_GATE = "a transition that needs a gate was taken without one"


@pytest.mark.parametrize(
    ("effect", "changes", "message"),
    [
        ("derive child", {"active_policy": None}, NO_POLICY),
        ("derive child", {"active_policy_id": None}, NO_POLICY),
        ("derive child", {"active_policy": None, "active_policy_id": None}, NO_POLICY),
        ("accept plan", {}, NO_GATE),
        ("accept amendment", {}, NO_GATE),
        ("go on", {}, NO_GATE),
        ("begin round", {"repair": Repair(round=3, max_rounds=3)}, "a repair round would begin beyond the budget"),
    ],
)
def test_what_a_transition_needs_is_there_or_it_is_not_taken(
    effect: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        EFFECTS[effect](in_state("executing", **changes))


def test_the_last_round_of_the_budget_begins() -> None:
    state = in_state("executing", repair=Repair(round=2, max_rounds=3))
    assert EFFECTS["begin round"](state) == replace(state, repair=Repair(round=3, max_rounds=3))


def test_a_derived_policy_goes_on_the_lineage() -> None:
    state = in_state("executing")
    after = EFFECTS["derive child"](state)
    assert after.active_policy is not None
    assert after.active_policy.parent == state.active_policy_id == state.lineage[-1]
    assert after.active_policy_id == policy_id(after.active_policy)
    assert after.lineage == (*state.lineage, after.active_policy_id)


def test_an_accepted_plan_starts_lineage_and_budget() -> None:
    state = planning(pending_gate=replace(GATE, max_helpers=2), repair=Repair(round=9, max_rounds=9))
    after = EFFECTS["accept plan"](state)
    accepted = policy_id(GATE.policy)
    assert after == replace(
        state,
        accepted_plan_hash=GATE.artifact_hash,
        accepted_policy=GATE.policy,
        active_policy=GATE.policy,
        active_policy_id=accepted,
        lineage=(accepted,),
        criteria=GATE.criteria,
        max_helpers=2,
        repair=Repair(max_rounds=3),
    )
