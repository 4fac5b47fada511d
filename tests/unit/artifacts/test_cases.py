"""The case files: whole messages with the rule and the line that they have to be answered with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.registry import DIRECT, PARSERS, parse_artifact, recognise
from harness_guard.artifacts.values import (
    Amendment,
    Completion,
    NearMiss,
    Plan,
    Record,
    RepairPlan,
    Resume,
    Review,
)

ROOT = Path(__file__).resolve().parents[3]
CASES = ROOT / "tests" / "cases" / "artifacts"
TYPES = {
    "plan": Plan,
    "plan-amendment": Amendment,
    "review": Review,
    "repair-record": Record,
    "repair-resume": Resume,
    "completion": Completion,
    "repair-plan": RepairPlan,
}
# What only the direct parser reads: the folder, and the kind that it is asked for.
UNREAD = {"repair-plan": "repair-plan", "direct": "completion"}
EXPECTED = [row.split("\t") for row in (CASES / "expected.tsv").read_text().splitlines()[1:]]
AT_STOP = [row for row in EXPECTED if row[0].partition("/")[0] not in UNREAD]
# Every rule id stands as a literal where it is raised; the file of path rules raises for boundary entries.
RULE = re.compile(r'"((?:artifact|plan|amendment|review|record|repair-plan)\.[a-z0-9-]+)"')


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
    "C4.35",
    "C4.36",
)
@pytest.mark.parametrize(("name", "rule", "line"), AT_STOP, ids=[row[0] for row in AT_STOP])
def test_a_bad_message_is_a_near_miss_with_its_rule_and_line(name: str, rule: str, line: str) -> None:
    found = recognise(message(CASES / name))
    assert isinstance(found, NearMiss)
    assert (found.kind, found.rule, found.line) == (name.partition("/")[0], rule, int(line))
    assert found.where == f"{found.kind} line {line}: {found.seen}"
    assert (found.seen + found.remedy).isprintable()
    assert found.remedy.endswith(".")
    assert found.remedy[0].isupper()


@pytest.mark.parametrize(("name", "rule", "line"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_the_direct_parser_refuses_it_the_same_way(name: str, rule: str, line: str) -> None:
    folder = name.partition("/")[0]
    text = message(CASES / name)
    kind = UNREAD.get(folder, folder)
    with pytest.raises(LineError) as caught:
        parse_artifact(kind, text)
    # Who asks for one kind is told what its first line has to be; Stop tells of the artifact behind other text.
    is_first = text.splitlines()[:1] == [DIRECT[kind][0]]
    assert (caught.value.rule, caught.value.line) == ((rule, int(line)) if is_first else ("artifact.title", 1))


@pytest.mark.contract("C4.3")
def test_the_direct_parser_says_which_heading_it_wanted() -> None:
    with pytest.raises(LineError) as caught:
        parse_artifact("completion", "# Completion Report\n")
    assert caught.value.seen == "found `# Completion Report`, expected `# Completion`"


@pytest.mark.contract("C4.1", "C4.2")
@pytest.mark.parametrize("path", sorted(CASES.glob("*/ok-*.md")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_good_message_is_its_artifact(path: Path) -> None:
    kind, text = path.parent.name, message(path)
    found = parse_artifact(kind, text)
    assert type(found) is TYPES[kind]
    assert recognise(text) == (None if kind in UNREAD else found)


@pytest.mark.contract("C4.3")
@pytest.mark.parametrize(
    "path", sorted(path for folder in UNREAD for path in (CASES / folder).glob("*.md")), ids=lambda path: path.name
)
def test_what_only_the_direct_parser_reads_is_nothing_at_stop(path: Path) -> None:
    assert recognise(message(path)) is None


def test_the_kinds_that_are_parsed_are_those_of_stop_and_one_more() -> None:
    assert {kind for kind, _ in PARSERS.values()} | {"repair-plan"} == set(DIRECT) == set(TYPES)
    assert DIRECT["repair-plan"][0] not in PARSERS
    assert {heading: kind for kind, (heading, _) in DIRECT.items() if heading in PARSERS} == {
        heading: kind for heading, (kind, _) in PARSERS.items()
    }


@pytest.mark.contract("C4.3")
@pytest.mark.parametrize("path", sorted(CASES.glob("inert/*.md")), ids=lambda path: path.name)
def test_an_inert_message_is_nothing(path: Path) -> None:
    assert recognise(message(path)) is None


def test_every_bad_file_is_expected_and_none_is_missing() -> None:
    files = {f"{path.parent.name}/{path.name}" for path in CASES.glob("*/bad-*.md")}
    assert files == {row[0] for row in EXPECTED}
    assert len(files) == 190


def test_every_rule_has_a_bad_case() -> None:
    sources = [*(ROOT / "harness_guard" / "artifacts").glob("*.py"), ROOT / "harness_guard" / "paths.py"]
    defined = {rule for path in sources for rule in RULE.findall(path.read_text())}
    # Not an artifact's rule: templates and code of different versions, tested in test_templates.py.
    assert defined - {"artifact.template"} == {row[1] for row in EXPECTED}
