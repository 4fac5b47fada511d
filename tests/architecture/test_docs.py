"""The documents say what is true: their commands, paths, rules, states and examples are held against the code."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import generate_docs
import pytest

from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.values import Plan
from harness_guard.cli.main import cli
from harness_guard.cli.rehearsal.scenes import SCENES
from harness_guard.kernel.state import STATE_NAMES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "contracts/*.md", "docs/**/*.md", "skills/*/*.md", "agents/*.md")
    for path in ROOT.glob(pattern)
)
# What a page may name in code that is no path of this repository.
PLACES = ("active/", "runs/", "bin/harness-guard", "evidence/", "archive/")

_FENCE = re.compile(r"^(`{3,})([a-z]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"\.?[A-Za-z0-9_-]+(?:/[A-Za-z0-9_.-]+)*/?")
_RULE = re.compile(r"[a-z]+(?:-[a-z]+)*\.[a-z][a-z0-9-]*")
_LOCAL = ("/" + "work/", "sha" + "red/", "hold" + "-out")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def table(text: str, first: str) -> list[list[str]]:
    """Give the rows of the table whose header starts with a cell, without its two head lines."""
    lines = text.split("\n")
    at = next(index for index, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def anchors(text: str) -> set[str]:
    """Give the anchors that a forge makes of headings."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {"#" + re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_two_commands_come_first() -> None:
    shell = [body.strip() for _, language, body in _FENCE.findall(README) if language == "sh"]
    assert shell[:2] == ["python3 hooks/harness_guard.py demo", "python3 tests/run.py"]


def test_the_plan_of_the_readme_is_a_plan() -> None:
    plans = [body for _, language, body in _FENCE.findall(README) if language == "markdown"]
    assert [type(recognise(body)) for body in plans] == [Plan]


def test_every_state_has_its_row() -> None:
    named = {state for row in table(README, "state") for state in _CODE.findall(row[0])}
    expected = {state for state in STATE_NAMES if not state.startswith("paused_")} | {"paused_…"}
    assert named == expected


def test_the_verbs_are_those_of_the_command_line() -> None:
    named = {_CODE.findall(row[0])[0].split(" ")[1] for row in table(README, "verb")}
    assert named == {*cli.commands, "provision"}


def test_the_readme_explains_rules_that_exist() -> None:
    named = {rule for row in table(README, "you see") for rule in _CODE.findall(row[0]) if rule != "y"}
    assert named <= set(generate_docs.rules())
    assert all(row[1] and row[2] for row in table(README, "you see"))


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    text = page(name)
    prose = _FENCE.sub("", text)
    wrong = []
    for target, anchor in _LINK.findall(_CODE.sub("", prose)):
        if target.startswith(("http:", "https:")):
            continue
        there = (ROOT / name).parent / target if target else ROOT / name
        if not there.exists() or (anchor and anchor not in anchors(there.read_text(encoding="utf-8"))):
            wrong.append(target + anchor)
    assert wrong == []


@pytest.mark.parametrize("name", ["docs/architecture.md", "docs/promises.md", "docs/residual-risk.md", "README.md"])
def test_paths_in_code_exist(name: str) -> None:
    prose = _FENCE.sub("", page(name))
    tops = {path.name for path in ROOT.iterdir()} - {".git"}
    named = {code for code in _CODE.findall(prose) if "/" in code and _PATH.fullmatch(code)}
    ours = {code for code in named if code.split("/")[0] in tops and code not in PLACES}
    assert [code for code in sorted(ours) if not (ROOT / code).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "docs/architecture.md", "SECURITY.md"])
def test_scripts_that_a_page_tells_to_run_exist(name: str) -> None:
    scripts = re.findall(r"python3 ([a-z_/]+\.py)", page(name))
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_page_speaks_of_another_place(name: str) -> None:
    assert [word for word in _LOCAL if word in page(name)] == []


def test_every_room_is_described() -> None:
    rooms = {path.name for path in (ROOT / "harness_guard").iterdir() if (path / "__init__.py").exists()}
    text = page("docs/architecture.md")
    assert [room for room in sorted(rooms) if f"`harness_guard/{room}/`" not in text] == []


@pytest.mark.contract("C1.10")
def test_gaps_are_numbered_and_each_has_a_case_and_a_size() -> None:
    rows = table(page("docs/residual-risk.md"), "id")
    assert [row[0] for row in rows] == [f"R{number}" for number in range(1, len(rows) + 1)]
    assert [row[0] for row in rows if len(row) != 5 or not all(row)] == []


def test_every_promise_has_tests_that_exist() -> None:
    rows = table(page("docs/promises.md"), "promise")
    assert [row[0] for row in rows] == [f"P{number}" for number in range(1, 11)]
    for row in rows:
        tests = _CODE.findall(row[3])
        assert tests, row[0]
        assert [test for test in tests if not (ROOT / test).is_file()] == []


def test_the_promises_of_the_contract_are_the_ten() -> None:
    assert len(re.findall(r"^- \*\*C1\.", page("contracts/harness-contract.md"), re.MULTILINE)) == 10


def test_rules_in_the_skill_exist() -> None:
    rooms = "|".join(room for room in generate_docs.ROOMS if room not in {"plan", "review", "completion", "state"})
    named = {code for code in _CODE.findall(page("skills/harness/SKILL.md")) if re.match(rf"(?:{rooms})\.", code)}
    assert {rule for rule in named if _RULE.fullmatch(rule)} <= set(generate_docs.rules())


def test_version_licence_and_hosts_are_the_ones_of_the_code() -> None:
    manifest = json.loads(page("plugin.json"))
    assert f"## [{manifest['version']}]" in page("CHANGELOG.md")
    assert f"{manifest['version'].rpartition('.')[0]}.x" in page("SECURITY.md")
    assert f"\n{manifest['license']}, see [LICENSE](LICENSE)" in README
    pinned: tuple[str, ...] = runpy.run_path(str(ROOT / "tests" / "run.py"))["HOSTS"]
    for host in pinned:
        version = host.rpartition("@")[2]
        assert version in page("SECURITY.md")
        assert version in page("contracts/hook-decision-protocol.md")


def picture() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "img" / "guarded_run.py"))


def test_the_picture_is_drawn_from_the_kept_output() -> None:
    assert picture()["main"](["--check"]) == 0


def test_the_kept_output_is_of_these_scenes_and_all_of_them_went_well() -> None:
    kept = page("docs/img/guarded-run.txt")
    told = re.findall(r"^ ?([0-9]+)\. ([A-Za-z]+): (.*)$", kept, re.MULTILINE)
    assert told == [(str(number), scene.event, scene.tried) for number, scene in enumerate(SCENES, 1)]
    assert "UNEXPECTED" not in kept
    assert kept.rstrip().split("\n")[-1] == f"All {len(SCENES)} answers are what they have to be."


def test_the_picture_is_plain_text_and_runs_nothing() -> None:
    tree = ET.parse(ROOT / "docs" / "img" / "guarded-run.svg")
    tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert tags == {"svg", "rect", "text"}
    names = {name.rpartition("}")[2] for element in tree.iter() for name in element.attrib}
    assert not {name for name in names if name.startswith("on") or name in {"href", "style"}}


def test_a_long_line_is_wrapped_and_foreign_text_escaped() -> None:
    draw = picture()["draw"]
    drawn = draw("    -> DENIED: " + "x<y> " * 60)
    texts = [element.text or "" for element in ET.fromstring(drawn).iter() if element.tag.endswith("text")]
    assert all(len(text) <= picture()["COLUMNS"] for text in texts)
    assert len(texts) > 2
    assert "x<y>" in texts[1]
