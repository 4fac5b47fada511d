"""What the artifacts parse to, as whole values."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_guard.artifacts.digest import message_hash, normalized
from harness_guard.artifacts.registry import parse_artifact, recognise
from harness_guard.artifacts.values import (
    Acceptance,
    Amendment,
    AutoRepair,
    Bindings,
    Completion,
    Criterion,
    Delta,
    Execution,
    Finding,
    NearMiss,
    Plan,
    Record,
    RecordContext,
    RepairPlan,
    Resume,
    ResumeContext,
    Review,
    VerificationCommand,
    VerificationStrategy,
)
from harness_guard.records import replace

CASES = Path(__file__).resolve().parents[3] / "tests" / "cases" / "artifacts"
PLAN_HASH = "sha256:" + "3f" * 32
FINGERPRINT = "sha256:" + "9c" * 32
DIFF = "5d" * 20
V1 = VerificationCommand(
    "V1", "python3 -m pytest -q 'tests/sizes'", 120, ("python3", "-m", "pytest", "-q", "tests/sizes")
)


def text(name: str) -> str:
    return (CASES / name).read_bytes().decode()


@pytest.mark.contract("C4.12", "C4.14", "C4.20", "C4.21", "C4.23")
def test_plan() -> None:
    message = text("plan/ok-full.md")
    assert recognise(message) == Plan(
        digest=message_hash(message),
        size="Small",
        kind="bug_fix",
        objective="`parse_size` reads `1.5G` as one byte. Fractions of a unit are to count.",
        criteria=(
            Criterion("AC1", '`parse_size("1.5G")` gives 1610612736.'),
            Criterion("AC2", "Whole numbers are read as before, with and without a unit."),
        ),
        scope="- In: the size parser and its tests.\n- Out: the command line.",
        boundary=("src/sizes.py", "tests/sizes/", "docs/**/*.md"),
        commands=("make tables", "printf '%s\\n' `date`", "python3 tools/gen.py --out src/units.py\ngit diff --stat"),
        tools=("mcp__notes__append",),
        strategy="regression_first",
        required=(V1,),
        optional=(VerificationCommand("V2", "ruff check src", 60, ("ruff", "check", "src")),),
        execution=Execution("guided", 2, 1),
        auto_repair=AutoRepair(True, 2, 2, 1),  # noqa: FBT003
        risks="Sizes beyond 2 ** 53 lose digits; `a < b` holds for them still.",
        text=message.removesuffix("\n"),
    )


@pytest.mark.contract("C4.23")
def test_a_plan_without_a_mode_has_none() -> None:
    found = recognise(text("plan/ok-no-mode.md"))
    assert isinstance(found, Plan)
    assert found.execution == Execution(None, 2, 1)


@pytest.mark.contract("C4.15")
def test_nothing_to_write_is_an_empty_boundary() -> None:
    found = recognise(text("plan/ok-nothing-to-write.md"))
    assert isinstance(found, Plan)
    assert found.boundary == ()


@pytest.mark.contract("C4.10")
def test_line_ends_change_neither_hash_nor_value() -> None:
    assert recognise(text("plan/ok-crlf.md")) == recognise(text("plan/ok-full.md"))


@pytest.mark.contract("C4.27", "C4.28", "C4.29")
def test_review() -> None:
    message = text("review/ok-full.md")
    assert recognise(message) == Review(
        digest=message_hash(message),
        context=Bindings(PLAN_HASH, None, DIFF, FINGERPRINT, 2),
        verdict="REPAIR_REQUIRED",
        findings=(
            Finding("R1-F1", "important", "IN_PLAN_REPAIR", "src/sizes.py", 14, "1.5 without a unit still fails."),
            Finding(
                "R2-F1",
                "suggestion",
                "IN_PLAN_REPAIR",
                "tests/sizes/test_parse.py",
                3,
                "The table has no negative row.",
            ),
        ),
        evidence="Read `src/sizes.py` and the record: V1 is green and has no such row.",
        text=message.removesuffix("\n"),
    )


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ("\n  Read `src/sizes.py` and the record: V1 is green and has no such row.  \n", True),
        ("Read `src/sizes.py` and the record: V1 is green and has such a row.", False),
    ],
)
def test_a_relay_keeps_the_content_whatever_the_host_framed(change: str, is_same: bool) -> None:
    review = recognise(text("review/ok-full.md"))
    assert isinstance(review, Review)
    assert (replace(review, evidence=change, digest="", text="").content == review.content) is is_same


@pytest.mark.contract("C4.35")
def test_amendment() -> None:
    message = text("plan-amendment/ok-full.md")
    assert recognise(message) == Amendment(
        digest=message_hash(message),
        source_plan_hash=PLAN_HASH,
        source_policy_id="sha256:" + "a1" * 32,
        deltas=(
            Delta("objective", material=False, summary="unchanged"),
            Delta("acceptance_criteria", material=False, summary="unchanged"),
            Delta("scope", material=True, summary="the tables are written anew"),
            Delta("write_boundary", material=True, summary="adds `src/units.py`"),
            Delta("verification", material=False, summary="unchanged"),
            Delta("risk", material=False, summary="unchanged"),
        ),
        criteria=(
            Criterion("AC1", '`parse_size("1.5G")` gives 1610612736.'),
            Criterion("AC2", "Whole numbers are read as before, with and without a unit."),
        ),
        boundary=("src/sizes.py", "src/units.py", "tests/sizes/"),
        commands=("make tables",),
        tools=("mcp__notes__append",),
        strategy="regression_first",
        required=(V1,),
        optional=(VerificationCommand("V2", "ruff check src", 60, ("ruff", "check", "src")),),
        risks="None",
        text=message.removesuffix("\n"),
    )


@pytest.mark.contract("C4.35")
def test_the_deltas_stand_in_one_order_however_they_are_written() -> None:
    message = text("plan-amendment/ok-full.md")
    lines = message.split("\n")
    first = next(index for index, line in enumerate(lines) if '"objective"' in line)
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    found, original = recognise("\n".join(lines)), recognise(message)
    assert isinstance(found, Amendment)
    assert isinstance(original, Amendment)
    assert found.deltas == original.deltas
    assert found.digest != original.digest


@pytest.mark.contract("C4.36")
def test_record() -> None:
    message = text("repair-record/ok-full.md")
    assert recognise(message) == Record(
        digest=message_hash(message),
        context=RecordContext(
            accepted_plan_hash=PLAN_HASH,
            source_review_round=1,
            repair_round=2,
            finding_ids=("R1-F1", "V1"),
            changed_files=("src/sizes.py", "tests/sizes/test_parse.py"),
            diff_revision_before=DIFF,
            diff_revision_after="6e" * 20,
            verification_before=FINGERPRINT,
            verification_after="sha256:" + "7e" * 32,
        ),
        changes="Fractions of a unit count; a case for `1.5G` was added.",
        verification="V1 is green on the tree above; see [the record](docs/record.md).",
        text=message.removesuffix("\n"),
    )


@pytest.mark.contract("C4.36")
def test_a_record_may_be_about_nothing_and_change_nothing() -> None:
    found = recognise(text("repair-record/ok-nothing-changed.md"))
    assert isinstance(found, Record)
    assert (found.context.finding_ids, found.context.changed_files) == ((), ())


@pytest.mark.contract("C4.3")
def test_repair_plan() -> None:
    message = text("repair-plan/ok-full.md")
    assert parse_artifact("repair-plan", message) == RepairPlan(
        digest=message_hash(message),
        source_plan_hash=PLAN_HASH,
        finding="R1-F1",
        change="strengthened",
        scope=("src/sizes.py", "tests/sizes/"),
        strategy=VerificationStrategy(
            "regression_first", (V1, VerificationCommand("V3", "ruff check src", 60, ("ruff", "check", "src"))), ()
        ),
        text=message.removesuffix("\n"),
    )


@pytest.mark.contract("C4.32")
def test_resume() -> None:
    message = text("repair-resume/ok-full.md")
    assert recognise(message) == Resume(
        digest=message_hash(message),
        context=ResumeContext(PLAN_HASH, 17, DIFF, None, 0),
        reason="A write to `docs/index.html` was refused; the work goes on without it.",
        text=message.removesuffix("\n"),
    )


@pytest.mark.contract("C4.27", "C4.33")
def test_completion() -> None:
    message = text("completion/ok-full.md")
    assert recognise(message) == Completion(
        digest=message_hash(message),
        context=Bindings(PLAN_HASH, PLAN_HASH, DIFF, FINGERPRINT, 2),
        acceptance=(Acceptance("AC1", ("V1",)), Acceptance("AC2", ("V1", "V2"))),
        changes="- `src/sizes.py`: fractions count.",
        remaining_risks="None",
        text=message.removesuffix("\n"),
    )


@pytest.mark.contract("C4.10")
@pytest.mark.parametrize(
    ("message", "same"),
    [("a\r\nb\r\n", "a\nb"), ("a\nb\n", "a\nb"), ("a\nb", "a\nb"), ("a\n\n", "a\n"), ("", ""), ("\r\n", "")],
)
def test_the_hash_covers_the_normalized_text(message: str, same: str) -> None:
    assert normalized(message) == same


@pytest.mark.contract("C4.10")
def test_the_hash_is_sha256_over_utf8() -> None:
    assert message_hash("abc\r\n") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert message_hash("ä") == "sha256:33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc"
    assert message_hash("\ud800") != message_hash("")


HOSTILE = {
    "backticks": "`" * 1_000_000,
    "pairs of backticks": "`a" * 300_000,
    "runs of growing length": " ".join("`" * length for length in range(1_000)),
    "nested lists": "- " * 300_000 + "a",
    "nested empty lists": "- " * 300_000,
    "nested quotes": ">" * 500_000,
    "open tags": "<a " * 300_000,
    "blanks": " " * 500_000 + "x",
    "brackets in JSON": "```json\n" + "[" * 300_000 + "\n```",
    "objects in JSON": "```json\n" + '{"a":' * 100_000 + "\n```",
    "quotes in JSON": "```json\n" + '"' * 300_000 + "\n```",
    "backslashes in JSON": '```json\n"' + "\\" * 300_001 + "\n```",
    "digits in JSON": "```json\n" + '{"verification_strategy": ' + "1" * 100_000 + "}\n```",
    "fences": "```\n" * 200_000,
    "numbers": "1" * 300_000,
    "headings": "# Plan\n" * 100_000,
}


# Odd, but a reader sees it as it is: where ordinary text may stand, it is ordinary text.
READABLE = {"nested lists", "nested quotes", "blanks", "numbers", "pairs of backticks", "fences"}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("section", ["Objective", "Exact Commands", "Verification Strategy"])
def test_hostile_text_is_answered_and_raises_nothing(name: str, section: str) -> None:
    message = text("plan/ok-full.md").replace(f"## {section}\n", f"## {section}\n\n{HOSTILE[name]}\n", 1)
    is_plan = section == "Objective" and (name in READABLE or "JSON" in name)
    assert type(recognise(message)) is (Plan if is_plan else NearMiss)


@pytest.mark.parametrize("command", ["''a" * 200_000, "'" * 200_001, '"\\' * 200_000, "a=" * 200_000, "\\" * 200_001])
def test_a_hostile_command_is_answered(command: str) -> None:
    quoted = command.replace("\\", "\\\\").replace('"', '\\"')
    message = text("plan/ok-full.md").replace("ruff check src", quoted, 1)
    assert isinstance(recognise(message), Plan | NearMiss)
