"""What an artifact costs grows as its length does: the steps of the parser are counted, for each part that can repeat."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.registry import parse_artifact

CASES = Path(__file__).resolve().parents[3] / "tests" / "cases" / "artifacts"
GOOD = {path.parent.name: path.read_text() for path in CASES.glob("*/ok-full.md")}
FEW = 60


def steps(kind: str, text: str) -> int:
    """Parse a text and count the lines of Python that ran."""
    count = 0

    def trace(_frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        parse_artifact(kind, text)
    except LineError:
        pass
    finally:
        sys.settrace(before)
    return count


def rows(form: str, count: int, between: str = "\n") -> str:
    return between.join([form.replace("%", str(number)) for number in range(count)])


# Kind, a piece of its case file, and what repeats in its place; ``%`` is a number.
REPEATED = {
    "criteria": ("plan-amendment", '- AC1: `parse_size("1.5G")` gives 1610612736.', "- A%: x\n  y", "\n"),
    "criteria that are none": ("plan-amendment", '- AC1: `parse_size("1.5G")` gives 1610612736.', "  y%", "\n"),
    "entries": ("plan-amendment", "- `src/units.py`", "- `src/%.py`", "\n"),
    "commands": ("plan-amendment", "- `make tables`", "- `make %`", "\n"),
    "blocks": ("plan-amendment", "- `make tables`", "```\nmake %\n```", "\n"),
    "tools": ("plan-amendment", "- `make tables`", "- `mcp__a__t%`", "\n"),
    "checks": (
        "plan-amendment",
        '{"id": "V2", "command": "ruff check src", "timeout_s": 60}',
        '{"id": "W%", "command": "x", "timeout_s": 1}',
        ",",
    ),
    "words of a check": ("plan-amendment", "ruff check src", "'a'%", " "),
    "checks of one id": (
        "plan-amendment",
        '{"id": "V2", "command": "ruff check src", "timeout_s": 60}',
        '{"id": "W", "command": "x", "timeout_s": 1}',
        ",",
    ),
    "deltas": ("plan-amendment", '"risk": {"material": false, "summary": "unchanged"}', '"risk%": 1', ","),
    "a summary": ("plan-amendment", "the tables are written anew", "w%", " "),
    "lines of prose": ("plan-amendment", "None\n\n## Approval", "a `b` c%", "\n"),
    "quotes in prose": ("plan-amendment", "None\n\n## Approval", "> - `%`", " "),
    "findings": ("repair-record", '"R1-F1"', '"R1-F%"', ","),
    "finding ids that are none": ("repair-record", '"R1-F1"', '"%"', ","),
    "files": ("repair-record", '"src/sizes.py"', '"src/%.py"', ","),
    "one file": ("repair-record", '"src/sizes.py"', '"src/a.py"', ","),
    "folders of a file": ("repair-record", "src/sizes.py", "d%", "/"),
    "changes": ("repair-record", "Fractions of a unit count;", "- `a%`: b", "\n"),
    "keys": ("repair-record", '"repair_round": 2', '"r%": 2', ","),
    "nested arrays": ("repair-record", '"repair_round": 2', '"a": [', ""),
    "conditions": ("repair-plan", '"api_unchanged": true', '"c%": true', ","),
    "scope": ("repair-plan", "- `src/sizes.py`", "- `src/%.py`", "\n"),
    "findings of a Review": ("review", "[\n", '[{"id": "R1-F%"},', ""),
    "criteria of a Completion": (
        "completion",
        '{"criterion": "AC1", "evidence": ["V1"]}',
        '{"criterion": "B%", "evidence": ["V1"]}',
        ",",
    ),
    "words of a reason": ("repair-resume", "A write to", "word%", " "),
}


@pytest.mark.parametrize("name", REPEATED)
def test_four_times_as_much_costs_at_most_four_times_as_much(name: str) -> None:
    kind, piece, form, between = REPEATED[name]
    assert piece in GOOD[kind]
    once, more = (GOOD[kind].replace(piece, rows(form, count, between), 1) for count in (FEW, 4 * FEW))
    # What does not repeat costs the same in both; a parser that looks at each pair would come near sixteen times.
    assert steps(kind, once) <= steps(kind, more) <= 4 * steps(kind, once)
