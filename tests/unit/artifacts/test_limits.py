"""The numbers and names that an artifact may hold: each limit with what lies on it and what lies beyond."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_world import completion, filled_resume, finding, in_state, review
from simulator import PLAN

from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.plan_amendment import DELTAS
from harness_guard.artifacts.registry import parse_artifact, recognise
from harness_guard.artifacts.repair_plan import NO_DELTA
from harness_guard.artifacts.values import NearMiss

CASES = Path(__file__).resolve().parents[3] / "tests" / "cases" / "artifacts"
AMENDMENT, RECORD, REPAIR_PLAN = (
    (CASES / kind / "ok-full.md").read_text() for kind in ("plan-amendment", "repair-record", "repair-plan")
)
RESUME = filled_resume(in_state("paused_danger"))
LONG = "A" + "b" * 31


def rule(text: str) -> str | None:
    found = recognise(text)
    assert found is not None
    return found.rule if isinstance(found, NearMiss) else None


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.contract("C4.21", "C4.23", "C4.24")
@pytest.mark.parametrize(
    ("old", "good", "bad"),
    [
        ('"timeout_s": 20', ('"timeout_s": 1', '"timeout_s": 3600'), ('"timeout_s": 0', '"timeout_s": 3601')),
        ('"max_helpers": 1', ('"max_helpers": 0', '"max_helpers": 2'), ('"max_helpers": -1', '"max_helpers": 3')),
        ('"max_delegation_depth": 1', (), ('"max_delegation_depth": 0', '"max_delegation_depth": 2')),
        ('"parallel_writers": 0', (), ('"parallel_writers": 1',)),
        ('"implementer": "root"', (), ('"implementer": "child"',)),
        ('"native"', ('"guided"',), ('"auto"', '""')),
        ('"max_rounds": 3', ('"max_rounds": 1',), ('"max_rounds": 0', '"max_rounds": 4')),
        ('"repeated_finding_limit": 2', ('"repeated_finding_limit": 1',), ('"repeated_finding_limit": 3',)),
        ('"no_progress_limit": 2', ('"no_progress_limit": 1',), ('"no_progress_limit": 0', '"no_progress_limit": 3')),
        ('"same_write_boundary_only": true', (), ('"same_write_boundary_only": false',)),
        ('"verification_must_not_weaken": true', (), ('"verification_must_not_weaken": false',)),
        ('"material_delta_requires_approval": true', (), ('"material_delta_requires_approval": false',)),
    ],
)
def test_values_of_a_plan(old: str, good: tuple[str, ...], bad: tuple[str, ...]) -> None:
    assert [rule(changed(PLAN, old, new)) for new in good] == [None] * len(good)
    for new in bad:
        assert rule(changed(PLAN, old, new)) == "artifact.json-value"


@pytest.mark.contract("C4.14")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A", None),
        ("a-1_b", None),
        (LONG, None),
        (LONG + "b", "plan.acceptance-criteria"),
        ("1A", "plan.acceptance-criteria"),
        ("-A", "plan.acceptance-criteria"),
        ("A.1", "plan.acceptance-criteria"),
        ("Ä", "plan.acceptance-criteria"),
    ],
)
def test_ids_of_criteria(name: str, expected: str | None) -> None:
    assert rule(changed(PLAN, "- AC1:", f"- {name}:")) == expected


@pytest.mark.contract("C4.14")
@pytest.mark.parametrize(
    ("more", "expected"),
    [("\n  and more", None), ("\n and more", "plan.acceptance-criteria"), ("\nand more", "plan.acceptance-criteria")],
)
def test_a_criterion_goes_on_behind_two_blanks(more: str, expected: str | None) -> None:
    assert rule(changed(PLAN, "returns `release-2-1`.", f"returns `release-2-1`.{more}")) == expected


@pytest.mark.contract("C4.12", "C4.13")
@pytest.mark.parametrize(
    ("kind", "strategy"),
    [
        ("bug_fix", "regression_first"),
        ("behavior_change", "tdd"),
        ("behaviour_change", "tdd"),
        ("refactor", "characterization"),
        *((kind, "verification_first") for kind in ("docs", "ci_config", "ci", "config", "packaging", "migration")),
    ],
)
def test_a_kind_has_one_strategy(kind: str, strategy: str) -> None:
    plan = changed(PLAN, "- Kind: bug_fix", f"- Kind: {kind}")
    for other in ("regression_first", "tdd", "characterization", "verification_first"):
        found = rule(changed(plan, '"regression_first"', f'"{other}"'))
        assert found == (None if other == strategy else "plan.strategy-mismatch")


@pytest.mark.contract("C4.12")
@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("Tiny", None),
        ("Small", None),
        ("Non-trivial", None),
        ("Large", "plan.classification"),
        ("small", "plan.classification"),
    ],
)
def test_sizes(size: str, expected: str | None) -> None:
    assert rule(changed(PLAN, "- Size: Small", f"- Size: {size}")) == expected


@pytest.mark.contract("C4.32")
@pytest.mark.parametrize(
    ("rounds", "expected"), [(0, None), (3, None), (-1, "artifact.json-value"), (4, "artifact.json-value")]
)
def test_rounds_that_a_resume_asks_for(rounds: int, expected: str | None) -> None:
    assert rule(changed(RESUME, '"additional_rounds": 0', f'"additional_rounds": {rounds}')) == expected


@pytest.mark.contract("C4.36")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"repair_round": 2', '"repair_round": 1', None),
        ('"repair_round": 2', '"repair_round": 0', "artifact.json-value"),
        ('"repair_round": 2', '"repair_round": true', "artifact.json-type"),
        ('"source_review_round": 1', '"source_review_round": 9', None),
        ('"source_review_round": 1', '"source_review_round": -1', "artifact.json-value"),
        ('"R1-F1", "V1"', f'"{LONG}"', None),
        ('"R1-F1", "V1"', f'"{LONG}b"', "artifact.json-value"),
        ('"R1-F1", "V1"', '"R1.F1"', "artifact.json-value"),
        ('"R1-F1", "V1"', '"r1", "R1"', None),
        ('"src/sizes.py"', '"a"', None),
        ('"src/sizes.py"', '"ä b/[c].py"', None),
        ('"src/sizes.py"', '"./a"', "record.changed-file"),
        ('"src/sizes.py"', '"a//b"', "record.changed-file"),
        ('"src/sizes.py"', '"a\u200b"', "artifact.character"),
        ('"src/sizes.py"', '" a"', "artifact.json-value"),
        ("6e" * 20, "x" * 200, None),
        ("6e" * 20, "x" * 201, "artifact.json-value"),
    ],
)
def test_values_of_a_record(old: str, new: str, expected: str | None) -> None:
    assert rule(changed(RECORD, old, new)) == expected


@pytest.mark.contract("C4.36")
@pytest.mark.parametrize(
    ("kind", "old", "new", "where", "example"),
    [
        ("repair-record", '"R1-F1"', '"1"', "repair_context.finding_ids.0", "R1-F1"),
        ("repair-plan", '"finding": "R1-F1"', '"finding": "1"', "repair_context.finding", "R1-F1"),
        ("plan-amendment", '"id": "V1"', '"id": "1"', "verification_strategy.required.0.id", "V1"),
    ],
)
def test_a_wrong_id_is_answered_with_what_one_looks_like(
    kind: str, old: str, new: str, where: str, example: str
) -> None:
    text = {"repair-record": RECORD, "repair-plan": REPAIR_PLAN, "plan-amendment": AMENDMENT}[kind]
    with pytest.raises(LineError) as caught:
        parse_artifact(kind, changed(text, old, new))
    assert caught.value.seen == f"found `1` as `{where}`, expected an id such as `{example}`"


SUMMARY = '"the tables are written anew"'


@pytest.mark.contract("C4.35")
@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ('"x"', None),
        (f'"{"x" * 300}"', None),
        (f'"{"漢" * 300}"', None),
        (f'"{"x" * 301}"', "amendment.summary"),
        ('""', "artifact.json-value"),
        ('" "', "artifact.json-value"),
        ('"a\\nb"', "artifact.character"),
        ("null", "artifact.json-type"),
    ],
)
def test_a_summary_is_one_readable_line(summary: str, expected: str | None) -> None:
    assert rule(changed(AMENDMENT, SUMMARY, summary)) == expected


@pytest.mark.contract("C4.35")
@pytest.mark.parametrize("name", DELTAS)
def test_one_material_delta_of_any_name_is_enough(name: str) -> None:
    none = AMENDMENT.replace('"material": true', '"material": false')
    assert rule(none) == "amendment.no-delta"
    assert rule(changed(none, f'"{name}": {{"material": false', f'"{name}": {{"material": true')) is None


@pytest.mark.contract("C4.35")
@pytest.mark.parametrize("kind", ["regression_first", "tdd", "characterization", "verification_first"])
def test_an_amendment_may_have_any_of_the_four_strategies(kind: str) -> None:
    assert rule(changed(AMENDMENT, '"kind": "regression_first"', f'"kind": "{kind}"')) is None
    assert rule(changed(AMENDMENT, '"kind": "regression_first"', f'"kind": "{kind}_"')) == "artifact.json-value"


@pytest.mark.contract("C4.3")
@pytest.mark.parametrize("name", NO_DELTA)
@pytest.mark.parametrize("value", ["false", "null", "1", '"true"'])
def test_every_condition_of_a_repair_plan_is_true(name: str, value: str) -> None:
    with pytest.raises(LineError) as caught:
        parse_artifact("repair-plan", changed(REPAIR_PLAN, f'"{name}": true', f'"{name}": {value}'))
    assert caught.value.rule == "artifact.json-value"
    assert name in caught.value.seen


@pytest.mark.contract("C4.29")
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"line": 1}, None),
        ({"line": 0}, "artifact.json-value"),
        ({"severity": "critical"}, None),
        ({"severity": "minor"}, "artifact.json-value"),
        ({"classification": "MATERIAL_AMENDMENT"}, None),
        ({"classification": "OTHER"}, "artifact.json-value"),
        ({"path": "a/b.py"}, None),
        ({"path": "/a"}, "review.finding-path"),
        ({"path": "a/../b"}, "review.finding-path"),
        ({"path": "./a"}, "review.finding-path"),
        ({"path": "a\\b"}, "review.finding-path"),
        ({"message": ""}, "artifact.json-value"),
    ],
)
def test_values_of_a_finding(changes: dict[str, object], expected: str | None) -> None:
    assert rule(review("REPAIR_REQUIRED", (finding(**changes),))) == expected


@pytest.mark.contract("C4.28")
@pytest.mark.parametrize(
    ("verdict", "severities", "expected"),
    [
        ("PASS", (), None),
        ("PASS", ("suggestion",), "review.verdict-findings"),
        ("PASS_WITH_NOTES", ("suggestion",), None),
        ("PASS_WITH_NOTES", ("important",), "review.verdict-findings"),
        ("REPAIR_REQUIRED", ("suggestion",), None),
        ("REPAIR_REQUIRED", (), "review.verdict-findings"),
        ("BLOCKED", (), None),
        ("BLOCKED", ("critical",), None),
        ("FAIL", (), "review.verdict"),
        ("PASS.", (), "review.verdict"),
        ("PASS BLOCKED", (), "review.verdict"),
    ],
)
def test_verdicts(verdict: str, severities: tuple[str, ...], expected: str | None) -> None:
    findings = tuple(finding(id=f"R1-F{n}", severity=severity) for n, severity in enumerate(severities, 1))
    assert rule(review(verdict, findings)) == expected


@pytest.mark.contract("C4.31")
@pytest.mark.parametrize("letter", ["x", "ä"])
@pytest.mark.parametrize(("size", "expected"), [(8000, None), (8001, "review.size")])
def test_the_size_of_a_review(size: int, expected: str | None, letter: str) -> None:
    text = review().removesuffix("\n")  # as it is hashed
    count, odd = divmod(size - len(text.encode()) - 1, len(letter.encode()))
    grown = changed(text, "Read it.", "Read it. " + letter * count + "x" * odd)
    assert len(grown.encode()) == size
    assert rule(grown) == expected


@pytest.mark.contract("C4.27")
@pytest.mark.parametrize("text", [review(), completion()], ids=["review", "completion"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"accepted_amendment_hash": null, ', ""),
        ('"accepted_amendment_hash": null', '"accepted_amendment_hash": ""'),
        ('"review_round": 1', '"review_round": 0'),
        ('"review_round": 1', '"review_round": 1, "more": 1'),
    ],
)
def test_bindings_are_all_there_and_no_other(text: str, old: str, new: str) -> None:
    assert rule(text) is None
    assert str(rule(changed(text, old, new))).startswith("artifact.json-")
