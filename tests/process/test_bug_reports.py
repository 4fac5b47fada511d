"""Cases from public bug reports of guards for coding agents, played against the real launcher as a host would.

``pytest --bug-reports FILE`` plays the cases of another file of that form too. What does not hold by design is listed,
argued, in ``tests/cases/bug-reports-exceptions.md``; nothing that is not understood passes.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from report_checks import Reply
from report_exceptions import EXCEPTIONS, exempt, exempt_rows
from report_form import HOSTS, Unknown, case_of, rows_of
from report_player import play
from report_world import Stage

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "tests" / "cases" / "bug-reports.jsonl"
ROWS = rows_of(REPORTS)
CASES = tuple(case_of(row) for row in ROWS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of every case on each of its hosts, those of the file that the command line names included."""
    if "played" not in metafunc.fixturenames:
        return
    named = metafunc.config.getoption("--bug-reports")
    known = {row["id"] for row in ROWS}
    more = [row for row in rows_of(Path(named)) if row["id"] not in known] if named else []
    played = [(row, host) for row in (*ROWS, *more) for host in HOSTS.get(row["host"], ("unknown",))]
    metafunc.parametrize("played", played, ids=[f"{row['kind']}-{row['id']}-{host}" for row, host in played])


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Stage:
    return Stage(tmp_path_factory.mktemp("stage"), runtime)


@pytest.mark.contract("C1.3", "C2.9", "C5.7", "C6.12", "D3.1", "D4.1")
def test_report(played: tuple[dict[str, Any], str], stage: Stage, tmp_path: Path) -> None:
    row, host = played
    case = case_of(row)
    missed = play(case, host, tmp_path, stage)
    exempted = exempt(case.id, host)
    assert [miss for miss in missed if (miss.step, miss.demand) not in exempted] == []
    assert exempted <= {(miss.step, miss.demand) for miss in missed}, f"{EXCEPTIONS} lists what holds"


def test_no_case_stands_twice() -> None:
    assert len({case.id for case in CASES}) == len(CASES) > 30


def test_every_exception_names_a_case_and_a_sentence() -> None:
    steps = {(case.id, host): len(case.steps) for case in CASES for host in case.hosts}
    contracts = "".join(path.read_text() for path in (ROOT / "contracts").glob("*.md"))
    assert exempt_rows()
    for row in exempt_rows():
        assert all(max(row.steps) <= steps[row.case, host] for host in row.hosts)
        assert f"- **{row.sentence}** " in contracts
        assert len(row.argument) > 40


@pytest.mark.parametrize(
    ("kind", "demands"),
    [
        ("B114", {"expect"}),  # a tool call
        ("B061", {"expect"}),  # an approval, and what it allows: the prompt approves nothing any more
        ("B008", {"expect", "stdout"}),  # a stop
        ("B105", {"expect"}),  # a payload that cannot be read
        ("B048", {"state"}),  # a review that nobody records
    ],
)
def test_a_guard_that_lets_all_pass_meets_no_refusal(
    kind: str, demands: set[str], stage: Stage, tmp_path: Path
) -> None:
    silent = stage.broken("silent", "harness_guard/dispatch.py", "def answer(*_, **__):\n    return SILENCE\n")
    case = next(case for case in CASES if case.kind == kind)
    assert {miss.demand for miss in play(case, case.hosts[0], tmp_path, stage, plugins=(silent,))} == demands


def test_a_guard_that_refuses_all_meets_no_allowance(stage: Stage, tmp_path: Path) -> None:
    seeded = "def answer(*_, **__):\n    raise StoreError('store.x', 'seeded', 'none')\n"
    refusing = stage.broken("refusing", "harness_guard/dispatch.py", seeded)
    case = next(case for case in CASES if case.kind == "B023")
    missed = play(case, "claude", tmp_path, stage, plugins=(refusing,))
    assert [(miss.step, miss.demand) for miss in missed] == [(1, "expect"), (2, "expect")]


@pytest.mark.parametrize(
    ("reply", "is_refusal"),
    [
        (Reply("PreToolUse", "codex", "", "why", 2), True),
        (Reply("PreToolUse", "codex", '{"decision":"block","reason":"x"}', "", 2), False),  # that host wants stderr
        (Reply("PreToolUse", "claude", "", "", 2), True),
        (Reply("PreToolUse", "codex", '{"decision":"block","reason":"x"}', "why", 1), False),
        (Reply("PreToolUse", "claude", '{"hookSpecificOutput":{"permissionDecision":"ask"}}'), False),
        (Reply("Stop", "claude", '{"decision":"block","reason":"x"}'), True),
        (Reply("Stop", "claude", '{"decision":"block","reason":" "}'), False),
        (Reply("Stop", "codex", "no JSON", "", 0), False),
    ],
)
def test_an_answer_is_read_as_its_host_reads_it(reply: Reply, is_refusal: bool) -> None:
    assert reply.is_refusal is is_refusal


# Where a case may say something new: path in the case -> value that nobody knows.
NEW = {
    "case": (("severity",), "high"),
    "host": (("host",), "another"),
    "setup": (("setup", "weather"), "fine"),
    "phase": (("setup", "phase"), "dreaming"),
    "root": (("setup", "root"), "/"),
    "plan": (("setup", "plan", "budget"), 3),
    "fault": (("setup", "fault"), "it is Monday"),
    "input": (("setup", "input"), "it is sung"),
    "note": (("setup", "note"), "nobody was there"),
    "fs": (("setup", "fs"), [{"path": "/proj/x", "socket": True}]),
    "evidence": (("setup", "evidence"), "hearsay"),
    "step": (("steps", 0, "mood"), "calm"),
    "expect": (("steps", 0, "expect"), "deny, politely"),
    "output": (("steps", 0, "output", "colour"), "red"),
    "stdout": (("steps", 0, "output", "stdout"), "two lines"),
    "state": (("steps", 0, "output", "state"), "as good as new"),
    "crash": (("steps", 0, "output", "crash"), "maybe"),
    "must": (("steps", 0, "output", "must"), "be nice"),
}


@pytest.mark.parametrize("row", NEW)
def test_what_nobody_understands_is_an_error(row: str, stage: Stage, tmp_path: Path) -> None:
    case = copy.deepcopy(next(row for row in ROWS if row["kind"] == "B008"))
    path, value = NEW[row]
    at: Any = case
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    with pytest.raises(Unknown):
        play(case_of(case), "claude", tmp_path, stage)
