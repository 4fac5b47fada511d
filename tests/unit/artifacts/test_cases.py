"""The case files: whole messages with the rule and the line that they have to be answered with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.values import Completion, NearMiss, Plan, Resume, Review

ROOT = Path(__file__).resolve().parents[3]
CASES = ROOT / "tests" / "cases" / "artifacts"
TYPES = {"plan": Plan, "review": Review, "repair-resume": Resume, "completion": Completion}
EXPECTED = [row.split("\t") for row in (CASES / "expected.tsv").read_text().splitlines()[1:]]
# Every rule id stands as a literal where it is raised; the file of path rules raises for boundary entries.
RULE = re.compile(r'"((?:artifact|plan|review)\.[a-z0-9-]+)"')


def message(path: Path) -> str:
    return path.read_bytes().decode()


@pytest.mark.contract("C4.17")
@pytest.mark.contract(
    "C4.1",
    "C4.4",
    "C4.5",
    "C4.6",
    "C4.9",
    "C4.11",
    "C4.12",
    "C4.13",
    "C4.14",
    "C4.15",
    "C4.20",
    "C4.21",
    "C4.23",
    "C4.24",
    "C4.26",
    "C4.27",
    "C4.28",
    "C4.29",
    "C4.30",
    "C4.31",
    "C4.32",
)
@pytest.mark.parametrize(("name", "rule", "line"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_a_bad_message_is_a_near_miss_with_its_rule_and_line(name: str, rule: str, line: str) -> None:
    found = recognise(message(CASES / name))
    assert isinstance(found, NearMiss)
    assert (found.kind, found.rule, found.line) == (name.partition("/")[0], rule, int(line))
    assert found.where == f"{found.kind} line {line}: {found.seen}"
    assert (found.seen + found.remedy).isprintable()
    assert found.remedy.endswith(".")
    assert found.remedy[0].isupper()


@pytest.mark.contract("C4.1", "C4.2")
@pytest.mark.parametrize("path", sorted(CASES.glob("*/ok-*.md")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_good_message_is_its_artifact(path: Path) -> None:
    found = recognise(message(path))
    assert type(found) is TYPES[path.parent.name]


@pytest.mark.contract("C4.3")
@pytest.mark.parametrize("path", sorted(CASES.glob("inert/*.md")), ids=lambda path: path.name)
def test_an_inert_message_is_nothing(path: Path) -> None:
    assert recognise(message(path)) is None


def test_every_bad_file_is_expected_and_none_is_missing() -> None:
    files = {f"{path.parent.name}/{path.name}" for path in CASES.glob("*/bad-*.md")}
    assert files == {row[0] for row in EXPECTED}
    assert len(files) == 137


def test_every_rule_has_a_bad_case() -> None:
    sources = [*(ROOT / "harness_guard" / "artifacts").glob("*.py"), ROOT / "harness_guard" / "paths.py"]
    defined = {rule for path in sources for rule in RULE.findall(path.read_text())}
    # Not an artifact's rule: templates and code of different versions, tested in test_templates.py.
    assert defined - {"artifact.template"} == {row[1] for row in EXPECTED}
