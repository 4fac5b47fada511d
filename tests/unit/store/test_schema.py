"""The shape of a state: what the table reaches is written, what no row reaches is refused (P1, P6)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import AT_WORK, GATE, HASH, POLICY, STATE_NAMES, in_state, planning

from harness_guard.canonical import canonical
from harness_guard.errors import StateError
from harness_guard.kernel.state import HostBinding, RunState, state_from_json, state_to_json
from harness_guard.records import replace
from harness_guard.store.schema import StateModel, check_state


def check(state: RunState, /, **changes: Any) -> None:
    check_state(canonical({**state_to_json(state), **changes}).encode())


@pytest.mark.parametrize("name", STATE_NAMES)
def test_every_state_of_the_table_is_well_formed(name: str) -> None:
    check(in_state(name))


def test_a_state_with_everything_in_it() -> None:
    state = in_state(
        "verifying", pending_gate=GATE, children=("a", "spawn u1"), foreign=("x\ny",), latest_finding_ids=("R1-F1",)
    )
    check(state)
    assert state_from_json(state_to_json(state)) == state


def test_the_model_has_the_states_fields_and_no_other() -> None:
    assert {field.alias or name for name, field in StateModel.model_fields.items()} == {
        "schema",
        *RunState.__match_args__,
    }


UNREACHABLE: list[tuple[str, RunState, str]] = [
    *((f"active in {name}", replace(in_state(name), authority_status="active"), "authority is active in") for name in STATE_NAMES if name not in AT_WORK),
    ("executing without a policy", replace(in_state("executing"), active_policy=None), "without an approved policy"),
    ("executing without an approval", replace(in_state("executing"), approval=None), "without an approved policy"),
    ("executing without a baseline", replace(in_state("executing"), baseline=None), "without an approved policy"),
    ("verifying without evidence", replace(in_state("verifying"), evidence_green=None), "without green evidence"),
    ("verifying on red", replace(in_state("verifying"), evidence_green=False), "without green evidence"),
    ("reviewing on red", replace(in_state("reviewing"), evidence_green=False), "without green evidence"),
    ("completed on red", replace(in_state("completed"), evidence_green=False), "without green evidence"),
    ("paused without a reason", replace(in_state("paused_danger"), pause_reason=None), "a pause without"),
    ("paused without an origin", replace(in_state("paused_danger"), paused_from=None), "a pause without"),
]  # fmt: skip


@pytest.mark.parametrize(("state", "seen"), [row[1:] for row in UNREACHABLE], ids=[row[0] for row in UNREACHABLE])
def test_a_state_that_no_row_reaches_is_refused(state: RunState, seen: str) -> None:
    with pytest.raises(StateError) as caught:
        check(state)
    assert caught.value.rule == "store.schema"
    assert seen in caught.value.seen


@pytest.mark.parametrize(
    "changes",
    [
        {"schema": "harness.state.v8"},
        {"revision": 0},
        {"revision": "1"},
        {"revision": True},
        {"run_id": ""},
        {"session_id": ""},
        {"repository_root": "relative"},
        {"state": "auto"},
        {"authority_status": "granted"},
        {"accepted_plan_hash": "sha256:xyz"},
        {"children": "a"},
        {"unknown": 1},
        {"control_plane": {"x": 1}},
        {"max_helpers": 3},
        {"evidence_green": "yes"},
        {"host": {"name": "other", "pid": 0, "started": ""}},
        {"host": {"name": "claude", "pid": -1, "started": ""}},
        {"approval": {"turn_id": "", "gate_opened_at_ms": 1, "is_verified": True}},
        {"approval": {"turn_id": "t", "gate_opened_at_ms": 1, "is_verified": 1}},
    ],
)
def test_a_malformed_member_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(StateError) as caught:
        check(planning(), **changes)
    assert caught.value.rule == "store.schema"


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "Repair Plan"},
        {"artifact_hash": "x"},
        {"added_rounds": 4},
        {"opened_at_ms": -1},
        {"policy": None},
        {"max_helpers": 3},
    ],
)
def test_a_malformed_gate_is_refused(changes: dict[str, Any]) -> None:
    gate: Any = state_to_json(planning(pending_gate=GATE))["pending_gate"]
    check(planning(), pending_gate=gate)
    with pytest.raises(StateError):
        check(planning(), pending_gate={**gate, **changes})


def test_a_policy_needs_verification() -> None:
    with pytest.raises(StateError):
        check(in_state("executing", active_policy=replace(POLICY, required=())))


def test_an_ended_run_of_another_host_is_well_formed() -> None:
    check(in_state("cancelled", host=HostBinding("codex"), accepted_plan_hash=HASH))
