"""The machine as a table: every row walked from every state, every missing row refused, the promises P1 and P6 on all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fake_world import GATE, HASH, PAUSED, POLICY, STATE_NAMES, at_round_begin, in_state

from harness_guard.kernel import transitions
from harness_guard.kernel.effects import EFFECTS
from harness_guard.kernel.state import TERMINAL, Gate, Repair, Reviewer
from harness_guard.kernel.transitions import GUARDS, TRANSITIONS, Row, find_row, step
from harness_guard.policy.digest import policy_id
from harness_guard.policy.order import derive_child, is_subset
from harness_guard.records import replace

if TYPE_CHECKING:
    from harness_guard.kernel.state import RunState

AMENDED = "sha256:" + "b" * 64
HAPPENINGS = tuple(dict.fromkeys(row.on for row in TRANSITIONS))
# What a human has to answer with y; nothing else grants authority that was not there.
ANSWERS = ("plan approved", "amendment approved", "resume approved")
# A round that begins by itself is the one other way to active authority, under a child of the policy.
ROUNDS = ("review asks for repair inside the plan", "review claimed, verification red")
# What holds of a run when a guard of that name does.
GUARDED: dict[str, dict[str, int]] = {
    "": {},
    "same finding to the limit": {"repeated": 2},
    "no progress to the limit": {"no_progress": 2},
    "budget spent": {"max_rounds": 1, "round": 1},
}

# The whole machine once more, by hand, from the lifecycle table of the specification:
# (state, happening, guard) -> next state.
WORKING = ("executing", "auto_repairing")
JUDGED = ("verifying", "reviewing")
UNDER_WAY = (*WORKING, *JUDGED)
ASKS = "review asks for repair inside the plan"
RED = "review claimed, verification red"
EXPECTED: dict[tuple[str, str, str], str] = {
    ("planning", "plan approved", ""): "executing",
    **{(name, "amendment approved", ""): "executing" for name in (*UNDER_WAY, *PAUSED)},
    **{(name, "resume approved", ""): "paused_from" for name in PAUSED},
    **{(name, "provenance failed", ""): "planning" for name in ("planning", *UNDER_WAY, *PAUSED)},
    **{(name, "review claimed, verification green", ""): "verifying" for name in ("executing", *JUDGED)},
    ("executing", RED, ""): "executing",
    **{(name, RED, "budget spent"): "paused_budget" for name in JUDGED},
    **{(name, RED, ""): "auto_repairing" for name in JUDGED},
    ("auto_repairing", "record taken, verification green", "no progress to the limit"): "paused_no_progress",
    ("auto_repairing", "record taken, verification green", ""): "verifying",
    ("auto_repairing", "record taken, verification red", "no progress to the limit"): "paused_no_progress",
    ("auto_repairing", "record taken, verification red", ""): "auto_repairing",
    **{(name, "verification unavailable", ""): "paused_blocked" for name in UNDER_WAY},
    ("verifying", "review passed", ""): "reviewing",
    ("verifying", ASKS, "same finding to the limit"): "paused_no_progress",
    ("verifying", ASKS, "budget spent"): "paused_budget",
    ("verifying", ASKS, ""): "auto_repairing",
    ("verifying", "review asks for a material change", ""): "paused_material",
    ("verifying", "review blocked", ""): "paused_blocked",
    **{(name, "boundary exceeded", ""): "paused_boundary" for name in WORKING},
    **{(name, "writer's target unknown", ""): "paused_unmodeled" for name in WORKING},
    **{(name, "hard danger", ""): "paused_danger" for name in WORKING},
    **{(name, "third opaque call", ""): "paused_unmodeled" for name in WORKING},
    **{(name, "tree changed outside the boundary", ""): "paused_boundary" for name in UNDER_WAY},
    ("reviewing", "completion accepted", ""): "completed",
    **{(name, "cancelled", ""): "cancelled" for name in STATE_NAMES if name not in TERMINAL},
}
PAIRS = {(name, on) for name, on, _ in EXPECTED}


def ready(name: str, on: str, guard: str = "") -> RunState:
    """A state with whatever the row's effects need."""
    state = at_round_begin(in_state(name)) if name in JUDGED else in_state(name)
    state = replace(state, repair=replace(state.repair, **GUARDED[guard]))
    if on == "plan approved":
        return replace(state, pending_gate=GATE)
    if on == "amendment approved" and state.active_policy is not None:
        wider = replace(state.active_policy, boundary=("src/", "lib/"), parent=state.active_policy_id)
        gate = Gate("Plan Amendment", AMENDED, state.revision, 1, wider, (("AC2", "more"),), 1)
        return replace(state, pending_gate=gate)
    if on == "resume approved" and state.active_policy is not None:
        child = derive_child(state.active_policy, state.active_policy_id or "")
        return replace(state, pending_gate=Gate("Repair Resume", HASH, state.revision, 1, child, added_rounds=2))
    return state


def walk(table: tuple[Row, ...], monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str, str], RunState]:
    """Take every row of a table from every state it leaves."""
    monkeypatch.setattr(transitions, "TRANSITIONS", table)
    found = {}
    for row in table:
        for name in row.states or tuple(state for state in STATE_NAMES if state not in TERMINAL):
            found[name, row.on, row.guard] = step(ready(name, row.on, row.guard), row.on, reason="rule: why")
    return found


def broken_promises(table: tuple[Row, ...], monkeypatch: pytest.MonkeyPatch) -> list[str]:  # noqa: C901  one promise a branch
    """Say which promise a table breaks."""
    problems = []
    for (name, on, guard), after in walk(table, monkeypatch).items():
        where = f"{name} on {on}"
        if after.authority_status == "active" and after.state not in WORKING:
            problems.append(f"{where}: active in {after.state}")
        # Authority is only ever granted by an answer; "=" keeps what the answer gave.
        is_round = on in ROUNDS and after.state == "auto_repairing" and name in JUDGED
        if after.authority_status == "active" and on not in ANSWERS and name not in WORKING and not is_round:
            problems.append(f"P1 {where}: authority without an answer")
        if after.is_paused and not (after.pause_reason and after.paused_from):
            problems.append(f"{where}: a pause without reason or origin")
        if name in TERMINAL:
            problems.append(f"{where}: a way out of a terminal state")
        if after.state == "reviewing" and on != "resume approved" and (name, on) != ("verifying", "review passed"):
            problems.append(f"P6 {where}: reviewing without a passed review")
        if after.state == "completed" and (name != "reviewing" or not after.evidence_green):
            problems.append(f"P6 {where}: completed without review or green evidence")
        green = ("review claimed, verification green", "record taken, verification green", "resume approved")
        if after.state == "verifying" and on not in green:
            problems.append(f"P6 {where}: verifying without green evidence")
        before = ready(name, on, guard)
        if after.repair.round > after.repair.max_rounds:
            problems.append(f"{where}: round {after.repair.round} of {after.repair.max_rounds}")
        asked_anew = ("plan approved", "amendment approved")
        if after.active_policy is not None and before.accepted_policy is not None and on not in asked_anew:
            assert before.active_policy is not None
            if not is_subset(after.active_policy, before.active_policy):
                problems.append(f"P2 {where}: the policy grew")
    return problems


@pytest.mark.contract("C6.2")
def test_the_table_is_the_specification() -> None:
    found = {}
    for on in HAPPENINGS:
        for name in STATE_NAMES:
            for guard in GUARDED:
                row = find_row(ready(name, on, guard), on)
                if row is not None and row.guard == guard:
                    found[name, on, guard] = name if row.to == "=" else row.to
    assert found == EXPECTED


def test_a_guarded_row_is_taken_only_where_its_guard_holds() -> None:
    for name, on, guard in EXPECTED:
        if guard:
            row = find_row(ready(name, on), on)
            assert row is not None
            assert row.guard == ""


@pytest.mark.contract("L2.3")
@pytest.mark.parametrize(
    ("held", "pause"),
    [
        ({"repeated": 2, "max_rounds": 1, "round": 1}, "paused_no_progress"),
        ({"repeated": 1, "max_rounds": 1, "round": 1}, "paused_budget"),
        ({"repeated": 1, "max_rounds": 0, "round": 0}, "paused_budget"),
        ({"repeated": 1, "max_rounds": 2, "round": 1}, "auto_repairing"),
    ],
)
def test_what_speaks_against_a_round_is_weighed_in_order(held: dict[str, int], pause: str) -> None:
    state = ready("verifying", ASKS)
    assert step(replace(state, repair=replace(state.repair, **held)), ASKS, reason="r: s").state == pause  # type: ignore[arg-type]


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
        (name, row.on, row.guard)
        for row in TRANSITIONS
        for name in row.states or tuple(state for state in STATE_NAMES if state not in TERMINAL)
    ]
    assert len(pairs) == len(set(pairs))


def test_effects_and_guards_are_named_and_used() -> None:
    assert {name for row in TRANSITIONS for name in row.effects} == set(EFFECTS)
    assert {row.guard for row in TRANSITIONS} == set(GUARDS) == set(GUARDED)


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
@pytest.mark.parametrize(
    ("name", "on"), [(name, on) for on in HAPPENINGS for name in STATE_NAMES if (name, on) not in PAIRS]
)
def test_a_pair_without_a_row_raises_and_changes_nothing(name: str, on: Any) -> None:
    state = ready(name, on)
    before = repr(state)
    with pytest.raises(RuntimeError, match="no transition"):
        step(state, on)
    assert repr(state) == before


@pytest.mark.parametrize("name", STATE_NAMES)
def test_a_made_up_happening_has_no_row(name: str) -> None:
    assert find_row(in_state(name), "approved") is None  # type: ignore[arg-type]


@pytest.mark.contract("C9.6")
@pytest.mark.parametrize(("name", "on", "guard"), sorted(EXPECTED))
def test_every_row_counts_one_revision_and_forgets_refusals(name: str, on: Any, guard: str) -> None:
    before = ready(name, on, guard)
    before = replace(before, stop=replace(before.stop, blocks=2), opaque_denies=2)
    after = step(before, on, reason="rule: why")
    kept = (name, on) == ("executing", RED) or (name, on, guard) == (
        "auto_repairing",
        "record taken, verification red",
        "",
    )
    assert after.revision == before.revision + (0 if kept else 1)
    assert after.stop.blocks == 0
    assert after.opaque_denies == (2 if kept else 0)


def test_plan_approved_puts_exactly_the_gates_policy_in_force() -> None:
    after = step(ready("planning", "plan approved"), "plan approved")
    assert (after.accepted_policy, after.active_policy, after.accepted_plan_hash) == (POLICY, POLICY, HASH)
    assert (after.lineage, after.active_policy_id) == ((policy_id(POLICY),), policy_id(POLICY))
    assert (after.pending_gate, after.repair.max_rounds, after.max_helpers) == (None, 3, 1)
    assert after.has_authority


# Where a pause of the fake world stands before a round: its Resume begins it.
BEFORE_A_ROUND = ("paused_budget", "paused_material", "paused_no_progress")


@pytest.mark.contract("L1.4", "L4.4", "L4.5")
@pytest.mark.parametrize("name", PAUSED)
def test_resume_approved_goes_on_under_a_child_policy(name: str) -> None:
    before = ready(name, "resume approved")
    before = replace(before, repair=replace(before.repair, no_progress=1))
    after = step(before, "resume approved")
    target = "auto_repairing" if name in BEFORE_A_ROUND else "executing"
    assert (after.state, after.pending_gate, after.pause_reason, after.paused_from) == (target, None, None, None)
    assert after.has_authority
    assert after.lineage == (*before.lineage, after.active_policy_id)
    assert after.active_policy is not None
    assert before.active_policy is not None
    assert after.active_policy == replace(before.active_policy, parent=before.active_policy_id)
    begun = 1 if name in BEFORE_A_ROUND else 0
    assert after.repair == replace(
        before.repair,
        round=before.repair.round + begun,
        max_rounds=before.repair.max_rounds + 2,
        repeated=0,
        no_progress=0,
        is_due=False,
    )
    assert after.accepted_policy == before.accepted_policy


@pytest.mark.contract("L2.2", "L4.5")
def test_a_round_beyond_the_budget_is_our_own_fault() -> None:
    asked = ready("paused_budget", "resume approved")
    assert asked.pending_gate is not None
    with pytest.raises(RuntimeError, match="beyond the budget"):
        step(replace(asked, pending_gate=replace(asked.pending_gate, added_rounds=0)), "resume approved")


@pytest.mark.contract("L1.3", "L4.9")
@pytest.mark.parametrize("name", [*UNDER_WAY, *PAUSED])
def test_amendment_approved_replaces_the_policy_and_starts_counters_anew(name: str) -> None:
    before = ready(name, "amendment approved")
    spent = replace(before.repair, round=2, max_rounds=3, repeated=1, no_progress=1)
    before = replace(before, repair=spent, review_round=2)
    after = step(before, "amendment approved")
    gate = before.pending_gate
    assert gate is not None
    assert (after.state, after.has_authority, after.pending_gate) == ("executing", True, None)
    assert (after.accepted_policy, after.active_policy) == (gate.policy, gate.policy)
    assert (after.accepted_plan_hash, after.accepted_amendment_hash) == (before.accepted_plan_hash, AMENDED)
    assert after.lineage == (*before.lineage, policy_id(gate.policy))
    assert after.active_policy_id == policy_id(gate.policy)
    assert (after.criteria, after.repair, after.review_round) == (gate.criteria, Repair(max_rounds=3), 2)
    assert (after.evidence_green, after.integrity_fingerprint, after.progress_fingerprint) == (None, None, None)
    assert (after.latest_finding_ids, after.pause_reason, after.paused_from) == ((), None, None)
    assert (after.baseline, after.open_findings, after.max_helpers) == (before.baseline, before.open_findings, 1)
    assert not after.reviewer.is_running


@pytest.mark.contract("L1.4", "L2.1")
@pytest.mark.parametrize("on", ROUNDS)
def test_a_round_begins_under_a_child_policy(on: Any) -> None:
    before = ready("verifying", on)
    after = step(before, on)
    assert (after.state, after.has_authority, after.repair.round) == ("auto_repairing", True, before.repair.round + 1)
    assert before.active_policy is not None
    assert after.active_policy == replace(before.active_policy, parent=before.active_policy_id)
    assert after.lineage == (*before.lineage, after.active_policy_id)
    assert after.accepted_policy == before.accepted_policy


@pytest.mark.contract("L3.6")
def test_a_green_record_leads_to_the_next_review() -> None:
    before = ready("auto_repairing", "record taken, verification green")
    after = step(before, "record taken, verification green")
    assert (after.state, after.authority_status, after.review_round) == (
        "verifying",
        "revoked",
        before.review_round + 1,
    )


@pytest.mark.contract("L4.4")
@pytest.mark.parametrize("origin", ["verifying", "reviewing"])
def test_a_pause_of_a_revoked_state_resumes_without_authority(origin: str) -> None:
    paused = step(in_state(origin), "tree changed outside the boundary", reason="r: s")
    assert paused.active_policy is not None
    child = derive_child(paused.active_policy, paused.active_policy_id or "")
    asked = replace(paused, pending_gate=Gate("Repair Resume", HASH, paused.revision, 1, child))
    after = step(asked, "resume approved")
    assert (after.state, after.authority_status) == (origin, "revoked")


@pytest.mark.parametrize("name", [*UNDER_WAY, *PAUSED])
def test_failed_provenance_leaves_no_policy(name: str) -> None:
    before = in_state(name)
    after = step(before, "provenance failed")
    assert (after.state, after.authority_status) == ("planning", "revoked")
    left = (
        after.accepted_plan_hash,
        after.accepted_policy,
        after.active_policy,
        after.active_policy_id,
        after.approval,
    )
    assert left == (None, None, None, None, None)
    assert (after.lineage, after.criteria, after.evidence_green) == ((), (), None)
    assert (after.pause_reason, after.paused_from, after.reviewed_ids) == (None, None, ())
    # What was changed under the failed approval has to show under the next one.
    assert after.baseline == before.baseline


@pytest.mark.parametrize("on", ANSWERS)
def test_an_answer_without_a_gate_is_our_own_fault(on: Any) -> None:
    name = "planning" if on == "plan approved" else "paused_danger"
    with pytest.raises(RuntimeError, match="needs a gate"):
        step(in_state(name), on)


def test_a_pause_that_lost_its_origin_cannot_be_resumed() -> None:
    with pytest.raises(RuntimeError, match="does not know where it paused"):
        step(replace(ready("paused_danger", "resume approved"), paused_from=None), "resume approved")


def test_the_reviewer_of_a_round_that_is_over_is_forgotten() -> None:
    reviewer = Reviewer(spawns=3, is_awaited=True, agent_id="a-1", blocks=1, has_read_diff=True)
    verifying = replace(in_state("verifying"), reviewer=reviewer)
    assert step(verifying, "review passed").reviewer == Reviewer(spawns=3)
    assert step(verifying, "review blocked").reviewer == Reviewer(spawns=3)
    reviewing = replace(in_state("reviewing"), reviewer=reviewer)
    assert step(reviewing, "cancelled").reviewer == reviewer
