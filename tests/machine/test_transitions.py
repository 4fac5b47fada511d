"""The machine as a table: every row walked from every state, every missing row refused, the promises P1 and P6 on all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fake_world import GATE, HASH, PAUSED, POLICY, STATE_NAMES, in_state

from harness_guard.kernel import transitions
from harness_guard.kernel.state import TERMINAL, Gate
from harness_guard.kernel.transitions import EFFECTS, TRANSITIONS, Row, find_row, step
from harness_guard.policy.digest import policy_id
from harness_guard.policy.order import derive_child, is_subset
from harness_guard.records import replace

if TYPE_CHECKING:
    from harness_guard.kernel.state import RunState

HAPPENINGS = tuple(dict.fromkeys(row.on for row in TRANSITIONS))
# What a human has to answer with y; nothing else may lead to active authority.
ANSWERS = ("plan approved", "resume approved")

# The whole machine once more, by hand, from the lifecycle table of the specification: (state, happening) -> next state.
WORKING = ("executing", "verifying", "reviewing")
EXPECTED: dict[tuple[str, str], str] = {
    ("planning", "plan approved"): "executing",
    **{(name, "resume approved"): "paused_from" for name in PAUSED},
    **{(name, "provenance failed"): "planning" for name in ("planning", *WORKING)},
    **{(name, "review claimed, verification green"): "verifying" for name in WORKING},
    ("executing", "review claimed, verification red"): "executing",
    ("verifying", "review claimed, verification red"): "paused_budget",
    ("reviewing", "review claimed, verification red"): "paused_budget",
    **{(name, "verification unavailable"): "paused_blocked" for name in WORKING},
    ("verifying", "review passed"): "reviewing",
    ("verifying", "review asks for repair inside the plan"): "paused_budget",
    ("verifying", "review asks for a material change"): "paused_material",
    ("verifying", "review blocked"): "paused_blocked",
    ("executing", "boundary exceeded"): "paused_boundary",
    ("executing", "writer's target unknown"): "paused_unmodeled",
    ("executing", "hard danger"): "paused_danger",
    ("executing", "third opaque call"): "paused_unmodeled",
    **{(name, "tree changed outside the boundary"): "paused_boundary" for name in WORKING},
    ("reviewing", "completion accepted"): "completed",
    **{(name, "cancelled"): "cancelled" for name in STATE_NAMES if name not in TERMINAL},
}


def ready(name: str, on: str) -> RunState:
    """A state with whatever the row's effects need."""
    state = in_state(name)
    if on == "plan approved":
        return replace(state, pending_gate=GATE)
    if on == "resume approved" and state.active_policy is not None:
        child = derive_child(state.active_policy, state.active_policy_id or "")
        return replace(state, pending_gate=Gate("Repair Resume", HASH, state.revision, 1, child, added_rounds=2))
    return state


def walk(table: tuple[Row, ...], monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], RunState]:
    """Take every row of a table from every state it leaves."""
    monkeypatch.setattr(transitions, "TRANSITIONS", table)
    found = {}
    for row in table:
        for name in row.states or tuple(state for state in STATE_NAMES if state not in TERMINAL):
            found[name, row.on] = step(ready(name, row.on), row.on, reason="rule: why")
    return found


def broken_promises(table: tuple[Row, ...], monkeypatch: pytest.MonkeyPatch) -> list[str]:  # noqa: C901  one promise a branch
    """Say which promise a table breaks."""
    problems = []
    for (name, on), after in walk(table, monkeypatch).items():
        where = f"{name} on {on}"
        if after.authority_status == "active" and after.state != "executing":
            problems.append(f"{where}: active in {after.state}")
        # Authority is only ever granted by an answer; "=" keeps what the answer gave.
        if after.authority_status == "active" and on not in ANSWERS and name != "executing":
            problems.append(f"P1 {where}: authority without an answer")
        if after.is_paused and not (after.pause_reason and after.paused_from):
            problems.append(f"{where}: a pause without reason or origin")
        if name in TERMINAL:
            problems.append(f"{where}: a way out of a terminal state")
        if after.state == "reviewing" and on != "resume approved" and (name, on) != ("verifying", "review passed"):
            problems.append(f"P6 {where}: reviewing without a passed review")
        if after.state == "completed" and (name != "reviewing" or not after.evidence_green):
            problems.append(f"P6 {where}: completed without review or green evidence")
        if after.state == "verifying" and on not in ("review claimed, verification green", "resume approved"):
            problems.append(f"P6 {where}: verifying without green evidence")
        before = ready(name, on)
        if after.active_policy is not None and before.accepted_policy is not None and on != "plan approved":
            assert before.active_policy is not None
            if not is_subset(after.active_policy, before.active_policy):
                problems.append(f"P2 {where}: the policy grew")
    return problems


@pytest.mark.contract("C6.2")
def test_the_table_is_the_specification() -> None:
    found = {}
    for on in HAPPENINGS:
        for name in STATE_NAMES:
            row = find_row(in_state(name), on)
            if row is not None:
                found[name, on] = name if row.to == "=" else row.to
    assert found == EXPECTED


def test_every_happening_has_a_row() -> None:
    import ast
    import inspect

    tree = ast.parse(inspect.getsource(transitions))
    named: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "Happening":
            named = {item.value for item in ast.walk(node.value) if isinstance(item, ast.Constant)}  # type: ignore[misc]
    assert named == set(HAPPENINGS)


def test_no_two_rows_answer_the_same_pair() -> None:
    pairs = [
        (name, row.on)
        for row in TRANSITIONS
        for name in row.states or tuple(state for state in STATE_NAMES if state not in TERMINAL)
    ]
    assert len(pairs) == len(set(pairs))


def test_effects_are_named_and_used() -> None:
    assert {name for row in TRANSITIONS for name in row.effects} == set(EFFECTS)


@pytest.mark.contract("C1.1", "C1.2", "C6.1")
def test_the_promises_hold_on_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken_promises(TRANSITIONS, monkeypatch) == []


@pytest.mark.parametrize(
    ("bad", "promise"),
    [
        (Row(("planning",), "review passed", "executing", "active"), "P1 planning on review passed"),  # type: ignore[arg-type]
        (Row(("paused_danger",), "review passed", "paused_from", "by state"), "P1 paused_danger on review passed"),
        (Row(("verifying",), "review blocked", "verifying", "active"), "active in verifying"),
        (Row(("executing",), "review passed", "reviewing", "revoked"), "P6 executing on review passed"),
        (Row(("executing",), "completion accepted", "completed", "revoked"), "P6 executing on completion accepted"),
        (Row(("verifying",), "completion accepted", "completed", "revoked"), "P6 verifying on completion accepted"),
        (Row(("executing",), "review blocked", "paused_blocked", "revoked"), "a pause without reason or origin"),
        (Row(("cancelled",), "review passed", "planning", "revoked"), "a way out of a terminal state"),
        (Row(("executing",), "cancelled", "verifying", "revoked"), "verifying without green evidence"),
    ],
)
def test_a_seeded_bad_row_is_found(bad: Row, promise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = broken_promises((bad, *TRANSITIONS), monkeypatch)
    assert any(promise in problem for problem in found), found


@pytest.mark.contract("C6.2")
@pytest.mark.parametrize("name", STATE_NAMES)
@pytest.mark.parametrize("on", HAPPENINGS)
def test_a_pair_without_a_row_raises_and_changes_nothing(name: str, on: Any) -> None:
    if (name, on) in EXPECTED:
        return
    state = ready(name, on)
    before = repr(state)
    with pytest.raises(RuntimeError, match="no transition"):
        step(state, on)
    assert repr(state) == before


@pytest.mark.parametrize("name", STATE_NAMES)
def test_a_made_up_happening_has_no_row(name: str) -> None:
    assert find_row(in_state(name), "approved") is None  # type: ignore[arg-type]


@pytest.mark.contract("C9.6")
@pytest.mark.parametrize(("name", "on"), sorted(EXPECTED))
def test_every_row_counts_one_revision_and_forgets_refusals(name: str, on: Any) -> None:
    before = ready(name, on)
    before = replace(before, stop=replace(before.stop, blocks=2), opaque_denies=2)
    after = step(before, on, reason="rule: why")
    kept = (name, on) == ("executing", "review claimed, verification red")
    assert after.revision == before.revision + (0 if kept else 1)
    assert after.stop.blocks == 0
    assert after.opaque_denies == (2 if kept else 0)


def test_plan_approved_puts_exactly_the_gates_policy_in_force() -> None:
    after = step(ready("planning", "plan approved"), "plan approved")
    assert (after.accepted_policy, after.active_policy, after.accepted_plan_hash) == (POLICY, POLICY, HASH)
    assert (after.lineage, after.active_policy_id) == ((policy_id(POLICY),), policy_id(POLICY))
    assert (after.pending_gate, after.repair.max_rounds, after.max_helpers) == (None, 3, 1)
    assert after.has_authority


@pytest.mark.contract("C6.4", "C6.5")
@pytest.mark.parametrize("name", PAUSED)
def test_resume_approved_goes_back_under_a_child_policy(name: str) -> None:
    before = ready(name, "resume approved")
    after = step(before, "resume approved")
    assert (after.state, after.pending_gate, after.pause_reason, after.paused_from) == ("executing", None, None, None)
    assert after.lineage == (*before.lineage, after.active_policy_id)
    assert after.active_policy is not None
    assert after.active_policy.parent == before.active_policy_id
    assert after.repair.max_rounds == before.repair.max_rounds + 2
    assert after.accepted_policy == before.accepted_policy


@pytest.mark.contract("C6.4")
@pytest.mark.parametrize("origin", ["verifying", "reviewing"])
def test_a_pause_of_a_revoked_state_resumes_without_authority(origin: str) -> None:
    paused = step(in_state(origin), "tree changed outside the boundary", reason="r: s")
    assert paused.active_policy is not None
    child = derive_child(paused.active_policy, paused.active_policy_id or "")
    asked = replace(paused, pending_gate=Gate("Repair Resume", HASH, paused.revision, 1, child))
    after = step(asked, "resume approved")
    assert (after.state, after.authority_status) == (origin, "revoked")


@pytest.mark.parametrize("name", ["executing", "verifying", "reviewing"])
def test_failed_provenance_leaves_no_policy(name: str) -> None:
    after = step(in_state(name), "provenance failed")
    assert (after.state, after.authority_status) == ("planning", "revoked")
    left = (
        after.accepted_plan_hash,
        after.accepted_policy,
        after.active_policy,
        after.active_policy_id,
        after.approval,
    )
    assert left == (None, None, None, None, None)
    assert (after.lineage, after.criteria, after.baseline, after.evidence_green) == ((), (), None, None)


@pytest.mark.parametrize("on", ANSWERS)
def test_an_answer_without_a_gate_is_our_own_fault(on: Any) -> None:
    name = "planning" if on == "plan approved" else "paused_danger"
    with pytest.raises(RuntimeError, match="needs a gate"):
        step(in_state(name), on)


def test_a_pause_that_lost_its_origin_cannot_be_resumed() -> None:
    with pytest.raises(RuntimeError, match="does not know where it paused"):
        step(replace(ready("paused_danger", "resume approved"), paused_from=None), "resume approved")
