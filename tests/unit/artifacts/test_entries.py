"""Code spans, characters, quotes and gates: each byte that is approved is one that the human sees (contract 4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_guard.artifacts.characters import check_characters, is_plain
from harness_guard.artifacts.entries import read_boundary, read_commands
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.gate import check_gate
from harness_guard.artifacts.policy_text import verification_text
from harness_guard.artifacts.registry import parse_artifact, recognise
from harness_guard.artifacts.sections import Section
from harness_guard.artifacts.values import Completion, NearMiss
from harness_guard.policy.model import Check, Policy

CASES = Path(__file__).resolve().parents[3] / "tests" / "cases" / "artifacts"


def section(text: str) -> Section:
    return Section("Any", 10, tuple(text.split("\n")))


BLANKS = "a command with blanks at the end of a line or around it, which no reader sees"


@pytest.mark.contract("C4.20")
@pytest.mark.parametrize(
    ("line", "command", "found"),
    [
        ("- `a b`", "a b", ""),
        ("`a b`", "a b", ""),
        ("- `` a`b ``", "a`b", ""),
        ("- ``a`b``", "a`b", ""),
        ("- `a``b`", "a``b", ""),
        ("- ` a `", "a", ""),
        ("- `a`b`", "", "`- `a`b``"),
        ("- ``a``b``", "", "`- ``a``b```"),
        ("- ` ab`", "", BLANKS),
        ("- `ab `", "", BLANKS),
        ("- `  a `", "", BLANKS),
        ("- `  `", "", BLANKS),
        ("```\n a\n```", "", BLANKS),
        ("```\na \nb\n```", "", BLANKS),
        ("```\n```", "", "an empty block"),
    ],
)
def test_a_command_is_the_bytes_that_are_shown(line: str, command: str, found: str) -> None:
    if command:
        assert read_commands(section(line)) == ((command,), ())
        return
    with pytest.raises(LineError) as caught:
        read_commands(section(line))
    assert caught.value.rule == "plan.exact-commands"
    if found in (BLANKS, "an empty block"):
        assert caught.value.seen.startswith(f"found {found}, expected")
    else:
        assert "which is not one code span" in caught.value.seen


@pytest.mark.parametrize(
    ("entry", "remedy"),
    [
        ("/etc", "Write it relative to the repository root."),
        ("a//b", "Write one `/` between two names."),
    ],
)
def test_an_entry_that_is_refused_says_in_a_sentence_what_to_write(entry: str, remedy: str) -> None:
    with pytest.raises(LineError) as caught:
        read_boundary(section(f"\n- `src/`\n- `{entry}`"))
    assert (caught.value.remedy, caught.value.line) == (remedy, 13)


@pytest.mark.contract("C4.8")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", True),
        ("\u00e4\u6f22", True),
        ("a\tb", False),
        ("\u200b", False),
        ("\u3164", False),
        ("\u2800", False),
        ("\ufdff", True),
        ("\ufe00", False),
        ("\ufe0f", False),
        ("\ufe10", True),
        ("\U000e0100", False),
        ("\U000e01ef", False),
        ("\U000e01f0", False),
        ("\U000e00ff", False),
    ],
)
def test_a_character_that_shows_nothing_is_none(text: str, *, expected: bool) -> None:
    assert is_plain(text) is expected


def test_the_first_character_that_cannot_be_read_is_named() -> None:
    with pytest.raises(LineError) as caught:
        check_characters(("a", "ab\u200bc\u200d", "\t"))
    assert (caught.value.line, caught.value.rule) == (2, "artifact.character")
    assert caught.value.seen == "found U+200B in column 3, expected characters that a reader can see"
    check_characters(("a", "b"))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a", "`a`"),
        ("", "``"),
        ("a`b", '"a`b"'),
        ("a\nb", "`a\\u{a}b`"),
        ("x" * 80, f"`{'x' * 80}`"),
        ("x" * 81, f"`{'x' * 80}…`"),
        ("x" * 80 + "`", f"`{'x' * 80}…`"),
    ],
)
def test_foreign_text_is_quoted_on_one_line_and_cut(text: str, quoted: str) -> None:
    assert shown(text) == quoted


@pytest.mark.contract("C4.26")
@pytest.mark.parametrize(
    ("text", "line"),
    [("y?", None), ("\ny?\n", None), ("n?", 11), ("y?\ny?", 12), ("y?\n\nmore", 13), ("y? ", 11)],
)
def test_a_gate_is_its_one_line_once(text: str, line: int | None) -> None:
    if line is None:
        check_gate(section(text), "y?")
        return
    with pytest.raises(LineError) as caught:
        check_gate(section(text), "y?")
    assert (caught.value.rule, caught.value.line) == ("artifact.gate", line)


@pytest.mark.contract("C4.12")
@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("- Size: Small", ""),
        ("Small", "found `Small`, expected `- Size: ` and one of"),
        ("- Size: small", "found `- Size: small`, expected `- Size: ` and one of"),
        ("* Size: Small", "found `* Size: Small`, expected `- Size: ` and one of"),
    ],
)
def test_a_classification_is_its_two_lines(size: str, found: str) -> None:
    text = (CASES / "plan" / "ok-full.md").read_text().replace("- Size: Small", size)
    parsed = recognise(text)
    if not found:
        assert not isinstance(parsed, NearMiss)
        return
    assert isinstance(parsed, NearMiss)
    assert parsed.rule == "plan.classification"
    assert parsed.seen.startswith(found)


def test_a_completion_may_link() -> None:
    names = sorted((CASES / "completion").glob("ok*.md"))
    text = names[0].read_text()
    linked = text.replace("## Remaining Risks\n", "See [the notes](docs/notes.md).\n\n## Remaining Risks\n")
    parsed = recognise(linked)
    assert isinstance(parsed, Completion)
    assert parsed.changes.endswith("See [the notes](docs/notes.md).")


def test_a_repair_plan_is_gated_and_may_not() -> None:
    text = (CASES / "repair-plan" / "ok-full.md").read_text()
    parse_artifact("repair-plan", text)
    linked = text.replace("## Approval", "See [the notes](docs/notes.md).\n\n## Approval")
    with pytest.raises(LineError) as caught:
        parse_artifact("repair-plan", linked)
    assert caught.value.rule == "artifact.link"


@pytest.mark.parametrize(
    ("optional", "text"),
    [((), "[]"), ((Check("V2", "make", 5),), '[\n      {"id": "V2", "command": "make", "timeout_s": 5}\n    ]')],
)
def test_verification_as_a_human_reads_it(optional: tuple[Check, ...], text: str) -> None:
    policy = Policy((), (), (), (), "tdd", (Check("V1", "a", 60),), optional, 3, 2, 2, "")
    assert verification_text(policy) == (
        '{\n    "kind": "tdd",\n    "required": [\n      {"id": "V1", "command": "a", "timeout_s": 60}\n    ],\n'
        f'    "optional": {text}\n  }}'
    )


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("# Plan", "artifact.alone"),
        ("# Another", "artifact.alone"),
        ("> # Another", "artifact.heading"),
        (" ## Another", "artifact.heading"),
        ("- ## Another", "artifact.heading"),
        ("> ### Another", None),
        ("### Another", None),
        ("---", "artifact.heading"),
        ("===", "artifact.heading"),
        ("-", "artifact.heading"),
        ("> =", "artifact.heading"),
        ("1. ---", "artifact.heading"),
        ("* ===", "artifact.heading"),
        ("- a", None),
        ("a ---", None),
        ("--- a", None),
        ("#Another", None),
        ("## Another", "artifact.section-order"),
    ],
)
def test_what_is_shown_as_a_heading(line: str, rule: str | None) -> None:
    text = (CASES / "plan" / "ok-full.md").read_text()
    parsed = recognise(text.replace("## Acceptance Criteria\n", f"{line}\n\n## Acceptance Criteria\n"))
    assert (parsed.rule if isinstance(parsed, NearMiss) else None) == rule


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        ("```\n~~~\n```", None),
        ("````\n```\n````", None),
        ("```\n``` a\n```", None),
        ("```\n# A\n## B\n```", None),
        ("```\na", "artifact.section-order"),  # the next block closes it, and the sections between are its text
        ("~~~\na\n~~~", "artifact.fence"),
        ("```\na\n ```", "artifact.fence"),
    ],
)
def test_what_a_fence_holds_is_no_text_of_the_artifacts(block: str, rule: str | None) -> None:
    text = (CASES / "plan" / "ok-full.md").read_text()
    parsed = recognise(text.replace("## Acceptance Criteria\n", f"{block}\n\n## Acceptance Criteria\n"))
    assert (parsed.rule if isinstance(parsed, NearMiss) else None) == rule


def test_a_resume_is_gated_and_may_not_link() -> None:
    name = min((CASES / "repair-resume").glob("ok*.md"))
    text = name.read_text()
    assert not isinstance(recognise(text), NearMiss)
    parsed = recognise(text.replace("## Approval", "See [the notes](docs/notes.md).\n\n## Approval"))
    assert isinstance(parsed, NearMiss)
    assert parsed.rule == "artifact.link"
