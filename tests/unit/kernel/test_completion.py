"""A Completion at Stop: what it must say of criteria and evidence, and in which words it is refused (contract 4, 8)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import DIFF, TREE, FakeWorld, completion, in_state, stop

from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.render import CHANGES_HINT, RISKS_HINT
from harness_guard.artifacts.values import Acceptance, Completion
from harness_guard.kernel.completion import take_completion
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.policy.model import Check
from harness_guard.records import replace

EVIDENCE = "Name at least one of: V1."
CRITERIA = "List every acceptance criterion of the Plan exactly once."
HINT = "a hint of the template still stands in Changes or Remaining Risks"


def refused(text: str, state: Any = None, tree: str = DIFF, **fields: Any) -> tuple[str, str, str] | None:
    """Give rule, sight and remedy of a refusal; nothing if the run is completed."""
    world = FakeWorld(TreeNow=Snapshot(tree, (), TREE))
    found = world.decide(stop(text, **fields), state or in_state("reviewing"))
    if found.decision.reason is None:
        assert found.state is not None
        assert (found.state.state, found.note) == ("completed", "completed")
        return None
    assert found.decision.verdict == "block"
    return found.decision.reason.rule, found.decision.reason.seen, found.decision.reason.remedy


@pytest.mark.contract("C4.33")
@pytest.mark.parametrize(
    ("criteria", "evidence", "expected"),
    [
        (("AC1",), ("V1",), None),
        (
            ("AC1", "AC2"),
            ("V1",),
            ("completion.criteria", "the acceptance lists AC1, AC2, but the Plan has AC1", CRITERIA),
        ),
        (("AC2",), ("V1",), ("completion.criteria", "the acceptance lists AC2, but the Plan has AC1", CRITERIA)),
        (
            ("AC1",),
            ("V2",),
            ("completion.evidence", "criterion AC1 names no green required verification: V2", EVIDENCE),
        ),
        (
            ("AC1",),
            ("V3", "V1", "V2"),
            ("completion.evidence", "criterion AC1 names no green required verification: V3, V2", EVIDENCE),
        ),
    ],
)
def test_criteria_and_evidence(
    criteria: tuple[str, ...], evidence: tuple[str, ...], expected: tuple[str, str, str] | None
) -> None:
    assert refused(completion(criteria, evidence)) == expected


@pytest.mark.contract("C4.33")
@pytest.mark.parametrize(
    ("acceptance", "expected"),
    [
        ((), ("completion.criteria", "the acceptance lists nothing, but the Plan has AC1", CRITERIA)),
        (
            (Acceptance("AC1", ()),),
            ("completion.evidence", "criterion AC1 names no green required verification: none", EVIDENCE),
        ),
    ],
)
def test_what_names_nothing_proves_nothing_whoever_has_parsed_it(
    acceptance: tuple[Acceptance, ...], expected: tuple[str, str, str]
) -> None:
    parsed = recognise(completion())
    assert isinstance(parsed, Completion)
    with pytest.raises(StopIteration) as done:
        next(take_completion(stop(), in_state("reviewing"), replace(parsed, acceptance=acceptance)))
    reason = done.value.value.decision.reason
    assert (reason.rule, reason.seen, reason.remedy) == expected


@pytest.mark.contract("C4.33")
def test_optional_verification_is_no_evidence() -> None:
    state = in_state("reviewing")
    assert state.active_policy is not None
    policy = replace(state.active_policy, optional=(Check("V2", "make docs", 9),))
    assert refused(completion(evidence=("V2",)), replace(state, active_policy=policy)) == (
        "completion.evidence",
        "criterion AC1 names no green required verification: V2",
        EVIDENCE,
    )


@pytest.mark.parametrize(
    ("changes", "risks", "is_refused"),
    [
        (CHANGES_HINT, "None", True),
        (f"- done\n{CHANGES_HINT}", RISKS_HINT, True),
        ("- done", RISKS_HINT, True),
        ("- done", "None", False),
    ],
)
def test_a_hint_of_the_template_says_nothing(changes: str, risks: str, *, is_refused: bool) -> None:
    text = completion().replace("- `src/a.py`: done.", changes).replace("Risks\n\nNone", f"Risks\n\n{risks}")
    remedy = "Say in your own words what changed and what risks remain."
    assert refused(text) == (("completion.hint", HINT, remedy) if is_refused else None)


@pytest.mark.contract("C8.19")
@pytest.mark.parametrize(
    ("children", "tasks", "still"),
    [
        ((), (), None),
        (("c-1",), (), "c-1"),
        ((), ("t-1", "t-2"), "t-1, t-2"),
        (("c-1",), ("t-1",), "t-1, c-1"),
    ],
)
def test_nothing_runs_on_behind_a_completion(
    children: tuple[str, ...], tasks: tuple[str, ...], still: str | None
) -> None:
    state = in_state("reviewing", children=children)
    seen = ("completion.background", f"background work still runs: {still}", "End it or wait for it.")
    assert refused(completion(), state, live_tasks=tasks) == (seen if still else None)


def test_what_a_completion_says_wrongly_is_told_before_what_still_runs() -> None:
    state = in_state("reviewing", children=("c-1",))
    found = refused(completion(("AC2",)), state)
    assert found is not None
    assert found[0] == "completion.criteria"


@pytest.mark.contract("C8.19")
@pytest.mark.parametrize(("tree", "is_green"), [("sha256:" + "e" * 64, True), (DIFF, False), (DIFF, None)])
def test_a_completion_rests_on_this_very_tree_and_on_green_evidence(tree: str, *, is_green: bool | None) -> None:
    state = in_state("reviewing", evidence_green=is_green)
    assert refused(completion(), state, tree) == (
        "completion.stale",
        f"the tree moved after the Review, from {DIFF} to {tree}",
        "Spawn the Reviewer again with exactly these arguments.",
    )
