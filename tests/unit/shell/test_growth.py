"""The steps of the analysis grow with the length of the text, not faster; counted as calls, so that no clock is asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.shell_growth import KINDS, WHERE, text_of
from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.analysis import LONGEST_TEXT, Needs, ShellFacts, analyse
from harness_guard.shell.effects import Effects
from harness_guard.shell.facts import Readings

SHFMT = str(Path(sys.executable).parent / "shfmt")
LENGTHS = (4_200, 8_400)  # longer than what the lane of plain words takes, shorter than where bashlex is left out
MOST_GROWTH = 2.6  # from one length to the next, which is twice as long


def steps_of(text: str) -> int:
    """Count the calls of one analysis whose facts are known."""
    facts = ShellFacts()
    while not isinstance(found := analyse(text, WHERE, facts), Effects):
        facts = gather(text, Needs(found.texts, found.folders), facts, shfmt=SHFMT)
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        analyse(text, WHERE, facts)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.contract("E2.1")
@pytest.mark.parametrize("kind", KINDS)
def test_steps_grow_with_the_length(kind: str) -> None:
    steps = [steps_of(text_of(kind, length)) for length in LENGTHS]
    floor = 2_000  # what is done for every text, and what a limit cut short
    assert steps[1] / max(steps[0], floor) <= MOST_GROWTH, steps


def test_a_megabyte_is_answered_unread() -> None:
    found = analyse("a" * (LONGEST_TEXT + 1), WHERE, ShellFacts())
    assert isinstance(found, Effects)
    assert found.unknown


@pytest.mark.parametrize("kind", KINDS)
def test_a_megabyte_that_no_reader_reads_is_refused(kind: str) -> None:
    text = text_of(kind, LONGEST_TEXT)
    found = analyse(text, WHERE, ShellFacts({text: Readings("", "too slow", is_bash=False)}))
    assert isinstance(found, Effects)
    assert found.unknown
