"""What opens a gate: Amendments and Resumes that fit the run as it stands (L4.3 to L4.9)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_world import DIFF, HASH, PAUSED, POLICY, STATE_NAMES, FakeWorld, filled_resume, in_state, stop

from harness_guard.policy.digest import policy_id
from harness_guard.records import replace

NAMES = ("objective", "acceptance_criteria", "scope", "write_boundary", "verification", "risk")
ACCEPTED = tuple(name for name in STATE_NAMES if name not in ("planning", "completed", "cancelled"))


def amendment(
    *,
    boundary: tuple[str, ...] = ("src/", "docs/*.md"),
    material: tuple[str, ...] = ("risk",),
    criteria: str = "- AC1: it works",
    commands: str = "- `make test`\n- `mcp__files__put`",
    checks: tuple[dict[str, Any], ...] = ({"id": "V1", "command": "sh check.sh", "timeout_s": 20},),
    kind: str = "regression_first",
    **context: str,
) -> str:
    """An Amendment that is what is in force, but for what the test changes."""
    deltas = {name: {"material": name in material, "summary": "see below"} for name in NAMES}
    bound = {"source_plan_hash": HASH, "source_policy_id": policy_id(POLICY), "deltas": deltas, **context}
    strategy = {"verification_strategy": {"kind": kind, "required": list(checks), "optional": []}}
    entries = "\n".join(f"- `{entry}`" for entry in boundary) or "None"
    return (
        f"# Plan Amendment\n\n## Amendment Context\n\n```json\n{json.dumps({'amendment_context': bound})}\n```\n\n"
        f"## Acceptance Criteria\n\n{criteria}\n\n## Write Boundary\n\n{entries}\n\n## Exact Commands\n\n{commands}\n\n"
        f"## Verification Strategy\n\n```json\n{json.dumps(strategy)}\n```\n\n## Risks\n\nNone\n\n"
        "## Approval\n\nProceed with this Plan Amendment? [y/N]\n"
    )


def decide(text: str, state: Any = None, **answers: Any) -> Any:
    return FakeWorld(**answers).decide(stop(text), state if state is not None else in_state("executing"))


def rule(found: Any) -> str:
    assert found.decision.verdict == "block", found
    assert found.state.pending_gate is None
    return str(found.decision.reason.rule)


@pytest.mark.contract("L4.6")
@pytest.mark.parametrize("name", ACCEPTED)
def test_an_amendment_opens_its_gate_wherever_a_plan_is_accepted(name: str) -> None:
    state = in_state(name)
    found = decide(amendment(source_policy_id=str(state.active_policy_id)), state)
    gate = found.state.pending_gate
    assert (found.decision.verdict, gate.kind, gate.revision) == ("pass", "Plan Amendment", state.revision)
    assert gate.policy == replace(POLICY, commands=("make test", "sh check.sh"), parent=state.active_policy_id)
    assert (gate.criteria, gate.max_helpers, gate.added_rounds) == ((("AC1", "it works"),), state.max_helpers, 0)
    assert (found.state.state, found.state.active_policy) == (name, state.active_policy)


@pytest.mark.contract("L4.6")
@pytest.mark.parametrize("name", ["planning"])
def test_no_amendment_without_a_plan(name: str) -> None:
    assert rule(decide(amendment(), in_state(name))) == "artifact.not-now"


V2 = {"id": "V2", "command": "sh more.sh", "timeout_s": 9}


@pytest.mark.contract("L4.7")
@pytest.mark.parametrize(
    ("changes", "material", "opens"),
    [
        ({}, ("risk",), True),
        ({"boundary": ("docs/*.md", "src/")}, ("risk",), True),
        ({"boundary": ("src/",)}, ("write_boundary",), True),
        ({"boundary": ("src/",)}, ("risk",), False),
        ({}, ("write_boundary",), False),
        ({"criteria": "- AC1: it works well"}, ("acceptance_criteria",), True),
        ({"criteria": "- AC1: it works well"}, ("risk",), False),
        ({}, ("acceptance_criteria",), False),
        ({"checks": ({"id": "V1", "command": "sh check.sh", "timeout_s": 21},)}, ("verification",), True),
        ({"checks": ({"id": "V1", "command": "sh check.sh", "timeout_s": 21},)}, ("risk",), False),
        ({"kind": "tdd"}, ("verification",), True),
        ({"kind": "tdd"}, ("risk",), False),
        ({"checks": ({"id": "V1", "command": "sh check.sh", "timeout_s": 20}, V2)}, ("verification",), True),
        ({}, ("verification",), False),
        ({"commands": "- `make test`\n- `make docs`\n- `mcp__files__put`"}, ("scope",), True),
        ({"commands": "- `make test`\n- `make docs`\n- `mcp__files__put`"}, ("risk",), False),
        ({"commands": "- `make test`"}, ("risk",), False),
        ({"commands": "None"}, ("scope",), True),
        ({}, ("scope",), True),
    ],
)
def test_declared_deltas_are_what_they_are(changes: dict[str, Any], material: tuple[str, ...], *, opens: bool) -> None:
    found = decide(amendment(material=material, **changes))
    if opens:
        assert found.state.pending_gate.kind == "Plan Amendment"
    else:
        assert rule(found) == "amendment.delta"


@pytest.mark.contract("L4.8")
@pytest.mark.parametrize(
    ("boundary", "answers", "expected"),
    [
        (("hooks/",), {}, "plan.control-plane"),
        (("src/*",), {"TrackedPaths": ("src/a.py",)}, None),
    ],
)
def test_an_amended_boundary_passes_the_checks_of_a_plan(
    boundary: tuple[str, ...], answers: dict[str, Any], expected: str | None
) -> None:
    found = decide(amendment(boundary=boundary, material=("write_boundary",)), **answers)
    if expected is None:
        assert found.state.pending_gate is not None
    else:
        assert rule(found) == expected


@pytest.mark.contract("L4.8")
def test_an_amended_boundary_that_two_readers_read_differently_opens_no_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.kernel.accept.disagreements", lambda *_: ("src/odd",))
    found = decide(amendment(boundary=("src/*",), material=("write_boundary",)))
    assert rule(found) == "plan.ambiguous"
    assert found.decision.reason.seen.startswith("Plan Amendment: ")


def test_an_amendment_rests_on_the_approval_before() -> None:
    state = in_state("executing")
    assert state.approval is not None
    unproved = replace(state, approval=replace(state.approval, is_verified=False))
    assert decide(amendment(), unproved, AuthorOf="missing").decision.reason.rule == "provenance.unproved"
    assert decide(amendment(), unproved, AuthorOf="forged").state.state == "planning"


@pytest.mark.contract("L4.5")
@pytest.mark.parametrize(("asked", "opens"), [(0, False), (1, True), (3, True)])
def test_a_resume_before_a_round_brings_its_budget(asked: int, *, opens: bool) -> None:
    state = in_state("paused_budget")
    text = filled_resume(state).replace('"additional_rounds": 1', f'"additional_rounds": {asked}')
    found = decide(text, state)
    if opens:
        assert found.state.pending_gate.added_rounds == asked
    else:
        assert rule(found) == "repair.rounds"
        assert '"additional_rounds": 1' in found.decision.reason.more


@pytest.mark.contract("L4.3")
@pytest.mark.parametrize("name", PAUSED)
def test_a_stale_resume_names_what_moved_and_gives_the_right_one(name: str) -> None:
    state = in_state(name)
    text = filled_resume(state).replace(DIFF, "sha256:" + "0" * 64)
    found = decide(text, state)
    assert rule(found) == "artifact.binding"
    assert "`diff_revision`" in found.decision.reason.seen
    assert decide(found.decision.reason.more, state).state.pending_gate.kind == "Repair Resume"


@pytest.mark.contract("L4.6")
@pytest.mark.parametrize("name", ["source_plan_hash", "source_policy_id"])
def test_a_stale_amendment_names_what_moved_and_gives_the_current_values(name: str) -> None:
    found = decide(amendment(**{name: "sha256:" + "0" * 64}))  # type: ignore[arg-type]
    assert rule(found) == "artifact.binding"
    assert f"`{name}`" in found.decision.reason.seen
    assert found.decision.reason.more == f"source_plan_hash: {HASH}\nsource_policy_id: {policy_id(POLICY)}"
