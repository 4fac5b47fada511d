"""The state as a value: what a fresh run holds, when it has authority, and its way through JSON."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import AT_WORK, GATE, SESSION, STATE_NAMES, in_state, planning

from harness_guard.kernel.state import SCHEMA, Gate, HostBinding, Reviewer, RunState, state_from_json, state_to_json
from harness_guard.records import replace

NONE_YET: dict[str, Any] = dict.fromkeys(
    (
        "accepted_plan_hash", "accepted_amendment_hash", "accepted_policy", "active_policy", "active_policy_id",
        "baseline", "diff_revision", "integrity_fingerprint", "progress_fingerprint", "evidence_green", "pause_reason",
        "paused_from", "pending_gate", "approval", "control_plane", "open_turn",
    )
)  # fmt: skip
NOTHING_YET: dict[str, Any] = dict.fromkeys(
    (
        "lineage",
        "criteria",
        "latest_finding_ids",
        "children",
        "open_findings",
        "reviewed_ids",
        "foreign",
        "told_outside",
    ),
    (),
)
FRESH: dict[str, Any] = {
    "schema": SCHEMA,
    "revision": 1,
    "run_id": "r1",
    "session_id": SESSION,
    "repository_root": "/repo",
    "state": "planning",
    "authority_status": "revoked",
    "host": {"name": "codex", "pid": 0, "started": ""},
    "task": "",
    **NONE_YET,
    **NOTHING_YET,
    "max_helpers": 0,
    "review_round": 0,
    "repair": {
        "round": 0,
        "max_rounds": 0,
        "repeated": 0,
        "no_progress": 0,
        "is_due": False,
        "tree_before": "",
        "diff_before": "",
        "verification_before": "",
        "progress_before": "",
    },
    "reviewer": {"spawns": 0, "is_awaited": False, "agent_id": None, "blocks": 0, "has_read_diff": False},
    "stop": {"blocks": 0, "reminded_turn": None, "is_incomplete": False},
    "opaque_denies": 0,
    "wrote_unseen": False,
    "cancel_asked": False,
    "scratch": "",
    "is_told": True,
    "plugin_version": "",
    "command": "",
    "templates": "",
}


def test_a_fresh_run_has_counted_accepted_and_found_nothing() -> None:
    fresh = RunState(1, "r1", SESSION, "/repo", "planning", "revoked", HostBinding("codex"))
    assert state_to_json(fresh) == FRESH


def test_a_gate_allows_no_helper_and_adds_no_round_unless_it_says_so() -> None:
    gate = Gate("Plan", "sha256:1", 1, 2, GATE.policy)
    assert (gate.criteria, gate.max_helpers, gate.added_rounds, gate.diff_revision) == ((), 0, 0, None)


@pytest.mark.parametrize("name", STATE_NAMES)
@pytest.mark.parametrize("gate", [None, GATE])
@pytest.mark.parametrize("extra", [{}, {"schema": SCHEMA}, {"seal": "s"}, {"schema": "x", "seal": "s"}])
def test_a_state_comes_back_as_it_was_without_what_the_store_adds(
    name: str, extra: dict[str, str], gate: Gate | None
) -> None:
    state = in_state(name, pending_gate=gate, open_findings=(("R1-F1", "a", "b"),), children=("c",), foreign=("d",))
    bare = {key: value for key, value in state_to_json(state).items() if key != "schema"}
    assert state_from_json({**bare, **extra}) == state


@pytest.mark.contract("C6.1")
@pytest.mark.parametrize("name", STATE_NAMES)
def test_authority_is_there_at_work_only(name: str) -> None:
    assert in_state(name).has_authority == (name in AT_WORK)


@pytest.mark.contract("C6.1")
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"authority_status": "revoked"}, False),
        ({"cancel_asked": True}, False),
        ({"pending_gate": GATE}, False),
    ],
)
def test_authority_waits_for_whatever_is_open(changes: dict[str, Any], *, expected: bool) -> None:
    assert replace(in_state("executing"), **changes).has_authority == expected


def test_only_two_states_are_the_end_and_only_pauses_are_paused() -> None:
    ended = [name for name in STATE_NAMES if replace(planning(), state=name).is_terminal]
    paused = [name for name in STATE_NAMES if replace(planning(), state=name).is_paused]
    assert ended == ["completed", "cancelled"]
    assert paused == [
        "paused_blocked", "paused_boundary", "paused_budget", "paused_danger", "paused_material", "paused_no_progress",
        "paused_unmodeled",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reviewer", "expected"),
    [
        (Reviewer(), False),
        (Reviewer(spawns=2, blocks=1, has_read_diff=True), False),
        (Reviewer(is_awaited=True), True),
        (Reviewer(agent_id="a-1"), True),
        (Reviewer(is_awaited=True, agent_id="a-1"), True),
    ],
)
def test_a_reviewer_runs_from_its_spawn_to_its_end(reviewer: Reviewer, *, expected: bool) -> None:
    assert reviewer.is_running is expected
