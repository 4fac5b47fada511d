"""The head of the Reviewer's brief: what its fields say, what stands in for what is not there, and where it is cut."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import DIFF, FINGERPRINT, HASH, RED_RUN, TREE, FakeWorld, in_state

from harness_guard.artifacts.values import Bindings
from harness_guard.kernel.brief import BRIEF_BYTES, bindings_of, brief_head
from harness_guard.kernel.run_questions import CommandRun
from harness_guard.kernel.state import Baseline

MARK = "\n[cut; the whole is in brief.md]"
FIELDS = ("run_id", "open_findings", "engine_record", "diff_command", "brief_path", "review")
BINDINGS = (
    "accepted_plan_hash",
    "accepted_amendment_hash",
    "diff_revision",
    "verification_fingerprint",
    "review_round",
)


def places(names: tuple[str, ...], between: str) -> str:
    return between.join(f"{{{{{name}}}}}" for name in names)


def head(state: Any, runs: tuple[CommandRun, ...] = (), before: str = "") -> str:
    """Write the brief from a template whose fields stand one below the other, with a text before them."""
    templates = {"review": places(BINDINGS, " "), "reviewer-brief": before + places(FIELDS, "\n--\n")}
    world = FakeWorld(TemplateText=lambda question: templates[question.name])
    asking = brief_head(state, runs)
    reply: Any = None
    while True:
        try:
            question = asking.send(reply)
        except StopIteration as done:
            return str(done.value)
        answer = world.answers[type(question).__name__]
        reply = answer(question) if callable(answer) else answer


def fields(state: Any, runs: tuple[CommandRun, ...] = ()) -> dict[str, str]:
    return dict(zip(FIELDS, head(state, runs).split("\n--\n"), strict=True))


@pytest.mark.contract("C8.13")
def test_a_brief_of_a_fresh_round_says_what_there_is_none_of() -> None:
    assert fields(in_state("verifying", open_findings=())) == {
        "run_id": "r1",
        "open_findings": "None",
        "engine_record": "None",
        "diff_command": f"git diff {'c' * 40}",
        "brief_path": "/data/runs/s/brief.md",
        "review": f'"{HASH}" null "{DIFF}" "{FINGERPRINT}" 1',
    }


@pytest.mark.contract("C8.13")
def test_a_brief_lists_findings_and_runs_one_below_the_other() -> None:
    findings = (("R1-F1", "src/a.py", "wrong"), ("R1-F2", "src/b.py", "odd"))
    quiet = CommandRun("V2", "make docs", 0, timed_out=False, tail=" \n")
    found = fields(in_state("verifying", open_findings=findings), (RED_RUN, quiet))
    assert found["open_findings"] == "- R1-F1 src/a.py: wrong\n- R1-F2 src/b.py: odd"
    assert found["engine_record"] == "- V1 `sh check.sh` exited 3\nassertion failed\n- V2 `make docs` exited 0"


@pytest.mark.parametrize(
    ("baseline", "command"),
    [(Baseline("c" * 40, TREE), f"git diff {'c' * 40}"), (Baseline("", TREE), "git status"), (None, "git status")],
)
def test_without_a_first_commit_there_is_nothing_to_compare_with(baseline: Baseline | None, command: str) -> None:
    assert fields(in_state("verifying", baseline=baseline))["diff_command"] == command


@pytest.mark.parametrize(
    ("tail", "shown"),
    [
        ("x" * 400, "x" * 400),
        ("y" + "x" * 400, "x" * 400),
        ("ä" + "x" * 399, "x" * 399),  # half a character is none
        ("y" * 300 + "\n" + "x" * 398 + "\n", "x" * 398),
    ],
)
def test_a_run_shows_the_last_400_bytes_of_its_output(tail: str, shown: str) -> None:
    run = CommandRun("V1", "sh check.sh", 3, timed_out=False, tail=tail)
    assert fields(in_state("verifying"), (run,))["engine_record"] == f"- V1 `sh check.sh` exited 3\n{shown}"


@pytest.mark.parametrize(
    ("size", "cut"),
    [
        (BRIEF_BYTES, ""),
        (BRIEF_BYTES + 1, MARK),
        (2 * BRIEF_BYTES, MARK),
    ],
)
@pytest.mark.parametrize("letter", ["x", "ä"])
def test_a_brief_is_as_long_as_a_host_hands_over_and_no_longer(size: int, cut: str, letter: str) -> None:
    state = in_state("verifying")
    room = size - len(head(state).encode())
    width = len(letter.encode())
    before = "-" * (room % width) + letter * (room // width)
    whole = (before + head(state)).encode()
    kept = BRIEF_BYTES - len(MARK) if cut else size
    assert head(state, before=before) == whole[:kept].decode(errors="ignore") + cut
    assert BRIEF_BYTES == 8000


def test_bindings_are_the_runs_own() -> None:
    amended = in_state("verifying", accepted_amendment_hash="sha256:" + "b" * 64, review_round=2)
    assert bindings_of(amended) == Bindings(HASH, "sha256:" + "b" * 64, DIFF, FINGERPRINT, 2)


def test_what_is_not_there_yet_is_bound_to_nothing() -> None:
    assert bindings_of(in_state("planning")) == Bindings("", None, "", "", 0)
