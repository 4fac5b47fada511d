"""What opens a gate: Amendments and Resumes that fit the run as it stands (L4.3 to L4.9)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_world import DIFF, HASH, PAUSED, POLICY, STATE_NAMES, TREE, FakeWorld, filled_resume, in_state, stop
from simulator import PLAN

from harness_guard.artifacts.digest import message_hash
from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.values import Amendment, Plan
from harness_guard.errors import StateError
from harness_guard.kernel.accept import amended_policy, amendment_problem, policy_of
from harness_guard.kernel.gates import open_amendment
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.kernel.state import StopCount
from harness_guard.policy.digest import policy_id
from harness_guard.policy.model import Check, Policy
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
    optional: tuple[dict[str, Any], ...] = (),
    kind: str = "regression_first",
    **context: str,
) -> str:
    """An Amendment that is what is in force, but for what the test changes."""
    deltas = {name: {"material": name in material, "summary": "see below"} for name in NAMES}
    bound = {"source_plan_hash": HASH, "source_policy_id": policy_id(POLICY), "deltas": deltas, **context}
    strategy = {"verification_strategy": {"kind": kind, "required": list(checks), "optional": list(optional)}}
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
V3 = {"id": "V3", "command": "sh slow.sh", "timeout_s": 30}


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
        ({"optional": (V2,)}, ("verification",), True),
        ({"optional": (V2,)}, ("risk",), False),
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


@pytest.mark.contract("L4.8")
@pytest.mark.parametrize(
    ("boundary", "changed", "left"),
    [
        (("docs/*.md",), ("README.md", "docs/a.md", "src/a.py"), "src/a.py"),
        (("docs/*.md",), ("docs/a.md", "src/a.py", "src/b.py"), "src/a.py"),
        (("src/a.py", "docs/*.md"), ("src/a.py",), None),
        (("docs/*.md",), (), None),
        (("docs/*.md",), ("README.md",), None),  # no entry held it before: a sweep is who tells of it
        (("src/", "docs/*.md", "README.md"), ("src/a.py", "README.md"), None),
    ],
)
def test_an_amendment_keeps_what_the_run_has_changed_under_the_plan(
    boundary: tuple[str, ...], changed: tuple[str, ...], left: str | None
) -> None:
    found = decide(amendment(boundary=boundary, material=("write_boundary",)), TreeNow=Snapshot(DIFF, changed, TREE))
    if left is None:
        assert found.state.pending_gate.policy.boundary == boundary
    else:
        assert rule(found) == "amendment.leaves-out"
        assert found.decision.reason.seen == (
            f"Plan Amendment: the boundary leaves out `{left}`, which this run has changed"
        )


def test_a_run_without_a_baseline_has_changed_nothing_that_an_amendment_could_leave_out() -> None:
    world = FakeWorld(TreeNow=Snapshot(DIFF, ("src/a.py",), TREE))
    text = amendment(boundary=("docs/*.md",), material=("write_boundary",))
    found = world.decide(stop(text), in_state("executing", baseline=None))
    assert found.state is not None
    assert found.state.pending_gate is not None
    assert "TreeNow" not in world.asked


def test_what_nothing_is_in_force_for_cannot_be_amended() -> None:
    found = recognise(amendment())
    assert isinstance(found, Amendment)
    with pytest.raises(RuntimeError, match="an amendment without an accepted policy"):
        amended_policy(found, in_state("planning"))
    accepted = in_state("executing", active_policy=None)
    with pytest.raises(RuntimeError, match="an amendment without a policy in force"):
        next(amendment_problem(found, accepted))


def test_an_amended_policy_is_the_amendments_sections_and_the_plans_rest() -> None:
    state = in_state("executing", accepted_policy=replace(POLICY, caches=(".tox",)))
    text = amendment(
        boundary=("lib/",), commands="- `make docs`\n- `mcp__files__get`", checks=(V2,), optional=(V3,), kind="tdd"
    )
    found = recognise(text)
    assert isinstance(found, Amendment)
    assert amended_policy(found, state) == Policy(
        boundary=("lib/",),
        commands=("make docs", "sh more.sh", "sh slow.sh"),
        tools=("mcp__files__get",),
        caches=(".tox",),
        strategy="tdd",
        required=(Check("V2", "sh more.sh", 9),),
        optional=(Check("V3", "sh slow.sh", 30),),
        max_rounds=3,
        repeated_finding_limit=2,
        no_progress_limit=2,
        plan_hash=HASH,
        parent=state.active_policy_id,
    )


@pytest.mark.parametrize(("is_enabled", "rounds"), [(True, 3), (False, 0)])
def test_a_plans_policy_is_its_sections(rounds: int, *, is_enabled: bool) -> None:
    text = (
        PLAN.replace("- In: the slug helper.", "- In: the slug helper.\n- Tool caches: `.tox/`, `.nox`")
        .replace("None\n\n## Verification", "- `make docs`\n- `mcp__files__put`\n\n## Verification")
        .replace('"optional": []', '"optional": [{"id": "V3", "command": "sh slow.sh", "timeout_s": 30}]')
        .replace('"enabled": true', f'"enabled": {str(is_enabled).lower()}')
    )
    found = recognise(text)
    assert isinstance(found, Plan)
    assert policy_of(found) == Policy(
        boundary=("src/", "check.sh"),
        commands=("make docs", "sh check.sh", "sh slow.sh"),
        tools=("mcp__files__put",),
        caches=(".tox", ".nox"),
        strategy="regression_first",
        required=(Check("V1", "sh check.sh", 20),),
        optional=(Check("V3", "sh slow.sh", 30),),
        max_rounds=rounds,
        repeated_finding_limit=2,
        no_progress_limit=2,
        plan_hash=message_hash(text),
    )


def test_no_gate_opens_over_a_control_plane_that_is_not_there() -> None:
    with pytest.raises(StateError) as caught:
        decide(amendment(), in_state("executing", control_plane=None))
    assert (caught.value.rule, caught.value.seen) == (
        "state.control-plane",
        "the stored control plane is malformed: found members ",
    )


@pytest.mark.parametrize("reason", ["I should like to go on.", "Paused", "paused: rule.x: something"])
def test_a_resume_says_why_the_run_paused_before_it_says_anything_else(reason: str) -> None:
    state = in_state("paused_danger", pause_reason="rule.x: something")
    text = filled_resume(state)
    assert "Paused: rule.x: something" in text
    found = decide(text.replace("Paused: rule.x: something", reason), state)
    assert rule(found) == "repair.reason"
    assert (found.decision.reason.seen, found.decision.reason.more) == (
        "the Reason does not begin with why the run paused, which the human has to read",
        text,
    )
    longer = text.replace("Paused: rule.x: something", "Paused: rule.x: something else happened; I shall mind it.")
    assert decide(longer, state).state.pending_gate.kind == "Repair Resume"


def test_a_resume_that_adds_too_little_says_which_round_is_due() -> None:
    state = in_state("paused_budget", repair=replace(in_state("paused_budget").repair, round=3, max_rounds=1))
    found = decide(filled_resume(state).replace('"additional_rounds": 3', '"additional_rounds": 2'), state)
    assert rule(found) == "repair.rounds"
    assert (found.decision.reason.seen, found.decision.reason.remedy) == (
        "round 4 is due and the budget is 1",
        "Ask for at least 3 additional rounds; emit this:",
    )


@pytest.mark.contract("L4.6")
@pytest.mark.parametrize("name", ["completed", "cancelled"])
def test_what_has_ended_is_not_amended(name: str) -> None:
    parsed = recognise(amendment())
    assert isinstance(parsed, Amendment)
    state = in_state(name)
    assert state.active_policy is not None
    with pytest.raises(StopIteration) as done:
        next(open_amendment(state, parsed))
    assert done.value.value.decision.reason.rule == "artifact.not-now"


def test_a_gate_begins_the_count_of_refused_stops_anew() -> None:
    state = in_state("executing", stop=StopCount(2, "turn-1", is_incomplete=True))
    assert decide(amendment(), state).state.stop == StopCount()


@pytest.mark.parametrize("missing", ["active_policy", "active_policy_id"])
def test_no_resume_without_a_policy_to_resume(missing: str) -> None:
    state = in_state("paused_danger")
    assert rule(decide(filled_resume(state), replace(state, **{missing: None}))) == "artifact.not-now"
