"""Any text gives effects or a refusal, never an exception; what is refused stays refused when more is written behind."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_guard.evidence.shell_facts import gather
from harness_guard.policy.danger import danger_of
from harness_guard.shell import plain, sed_script
from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings, analyse
from harness_guard.shell.effects import Effects
from harness_guard.shell.facts import FileText, GitFacts, Readings
from harness_guard.shell.patch import effects_of_patch
from harness_guard.shell.readers import read

SHFMT = str(Path(sys.executable).parent / "shfmt")
WHERE = Surroundings("/repo", "/repo", "/home/dev", git_folders=("/repo/.git",))
CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases/shell/effects.jsonl").read_text(encoding="utf-8").splitlines()
]
PIECES = st.sampled_from(
    ["ls", "touch", " ", "a", "/x", ";", "|", "&&", "||", "&", "(", ")", "{", "}", "$(", "`", "'", '"', "$x", "${", "<<E", "\n",
     "E", ">", "<", "#", "\\", "if ", "then ", "fi", "for ", "do ", "done", "case ", "esac", "[[ ", " ]]", "((", "))", "=", "*",
     "~", "{a,b}", "cd ", "..", "git ", "sed ", "é", "\x00", "\x1b", "\u202e"]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=24).map("".join), st.text(max_size=60))
QUIET = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


def effects_of(command: str) -> Effects:
    facts = ShellFacts()
    for _ in range(12):
        found = analyse(command, WHERE, facts)
        if isinstance(found, Effects):
            return found
        read_now = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
        quiet = GitFacts("/repo", "/repo/.git", "/repo/.git", answers=dict.fromkeys(found.moves))
        git = dict.fromkeys((*found.folders, *(question.folder for question in found.moves)), quiet)
        names = {**facts.names, **dict.fromkeys(found.names, True)}
        files = {**facts.files, **dict.fromkeys(found.files, FileText(is_there=True))}
        facts = ShellFacts(read_now.readings, {**facts.git, **git}, names, files)
    raise AssertionError("the analysis does not come to an end")


@QUIET
@given(TEXTS)
def test_any_text_gives_effects(text: str) -> None:
    found = effects_of(text)
    danger_of(text, found)


@QUIET
@given(st.sampled_from(CASES), st.sampled_from([" ; python3 x", " && ./x", " | sh", "\neval x", " > $out"]))
def test_more_behind_never_makes_it_readable(case: dict[str, str], more: str) -> None:
    assert effects_of(case["cmd"] + more).unknown


@QUIET
@given(st.sampled_from([case for case in CASES if case["kind"] == "writes" and "\n" not in case["cmd"]]), st.data())
def test_wrapping_never_loses_a_write(case: dict[str, str], data: st.DataObject) -> None:
    command = case["cmd"]
    form = data.draw(
        st.sampled_from(
            [
                "{ %s\n}",
                "( %s\n)",
                "if true; then %s\nfi",
                "while false; do %s\ndone",
                "x && %s",
                "%s\nls",
                "ls | { %s\n}",
            ]
        )
    )
    found = effects_of(form % command)
    assert found.unknown or set(case["writes"]) <= {write.path for write in found.writes}


@QUIET
@given(TEXTS, st.text(max_size=200))
def test_any_tree_is_read_or_refused(text: str, tree: str) -> None:
    read(text, Readings(tree, "", is_bash=True))


@QUIET
@given(st.text(max_size=200))
def test_small_parsers_take_anything(text: str) -> None:
    plain.split(text)
    sed_script.is_harmless(text)
    found = effects_of_patch(text, "/repo")
    assert found.writes or found.unknown


def test_deep_and_long_texts_come_to_an_end() -> None:
    for text in ("(" * 3000, "$(" * 3000, "a|" * 5000 + "a", "{" * 2000, "{a,b}" * 40, "if a; then " * 500, "!" * 9000,
                 "a" * 500_000 + " $x", "for i in a b c; do " * 12 + "touch x" + "; done" * 12, "[" * 5000, "x=" * 9000):  # fmt: skip
        found = effects_of(text)
        assert isinstance(found, Effects)
        danger_of(text, found)
