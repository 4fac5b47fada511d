"""The rows of tests/cases/shell/effects.jsonl: what each command reads, writes or leaves unknown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings, analyse, is_provably_silent
from harness_guard.shell.effects import Effects, Unknown
from harness_guard.shell.facts import GitFacts

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases/shell/effects.jsonl").read_text(encoding="utf-8").splitlines()
]
SHFMT = str(Path(sys.executable).parent / "shfmt")
QUIET_GIT = GitFacts("/repo", "/repo/.git", "/repo/.git")
WHERE = Surroundings("/repo", "/repo", "/home/dev", "/data/bin/harness-guard", ("/repo/.git",))


def effects_of(command: str, git: GitFacts = QUIET_GIT) -> Effects:
    facts = ShellFacts()
    for _ in range(8):
        found = analyse(command, WHERE, facts)
        if isinstance(found, Effects):
            return found
        read = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
        facts = ShellFacts(read.readings, {**facts.git, **dict.fromkeys(found.folders, git)})
    raise AssertionError("the analysis does not come to an end")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, object]) -> None:
    found = effects_of(str(case["cmd"]))
    kind = "unknown" if found.unknown else "writes" if found.writes or found.links else "reads"
    assert (kind, found.unknown if kind != "unknown" else ()) == (case["kind"], ())
    if kind == "writes":
        assert sorted({write.path for write in found.writes}) == sorted(case["writes"])  # type: ignore[call-overload]


def test_the_cases_are_there() -> None:
    assert len(CASES) == len({case["cmd"] for case in CASES}) > 150


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("/data/bin/harness-guard status", ()),
        ("/data/bin/harness-guard artifact plan | head", ()),
        ("/data/bin/harness-guard install", ("a program named by its path",)),
        ("/data/bin/../bin/harness-guard status", ("a program named by its path",)),
        ("/data/bin/harness-guard status $x", ("a program named by its path",)),
    ],
)
def test_own_command_line(command: str, rest: tuple[str, ...]) -> None:
    assert tuple(unknown.why for unknown in effects_of(command).unknown) == rest


def test_git_facts_decide() -> None:
    hooked = GitFacts("/repo", "/repo/.git", "/repo/.git", writing=("the hook pre-commit",))
    assert effects_of("git status", hooked).is_read_only
    assert effects_of("git commit -m x", hooked).unknown == (
        Unknown("git commit would run the hook pre-commit", "commit -m x"),
    )
    own = effects_of("git commit -m x").writes
    assert [(write.path, write.kind, write.is_git_own) for write in own] == [("/repo/.git", "tree", True)]


def test_asks_for_what_it_needs() -> None:
    assert analyse("ls && pwd", WHERE, ShellFacts()) == Needs(("ls && pwd",))
    assert analyse("git status", WHERE, ShellFacts()) == Needs((), ("/repo",))
    assert analyse("git status | cat", WHERE, ShellFacts()) == Needs(("git status | cat",), ("/repo",))


def test_a_text_that_is_too_long_is_refused_unread() -> None:
    found = analyse("ls " + "a" * 1_000_001, WHERE, ShellFacts())
    assert isinstance(found, Effects)
    assert found.unknown[0].why == "the text is too long or holds a NUL"


def test_silent_is_read_only() -> None:
    assert is_provably_silent(effects_of("ls | wc -l"))
    assert not is_provably_silent(effects_of("curl x"))
    assert not is_provably_silent(effects_of("touch a"))
