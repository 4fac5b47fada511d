"""Whether a row holds for a line: each thing that a row may ask for, alone and with its neighbour."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from cases.danger.rows import told

from harness_guard.policy.danger import danger_of, match
from harness_guard.policy.danger.line import Line
from harness_guard.policy.danger.match import Pipelines, first_path, first_row, holds, rows_for
from harness_guard.policy.danger.model import Rule, Softener
from harness_guard.shell.effects import Effects, Program, Read


def is_x(word: str, _cwd: str) -> bool:
    """Tell whether a word is the letter that these rows look for."""
    return word == "x"


def row(**asked: Any) -> Rule:
    return Rule("danger.test", "test", "it would be tested", **{"programs": "p", **asked})


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ({}, "p", True),
        ({}, "p --help", False),
        ({}, "p a --help", True),
        ({"path": "a"}, "p a", True),
        ({"path": "a"}, "p b", False),
        ({"path": "a"}, "p a --help", False),
        ({"path": "a b|c"}, "p c", True),
        ({"options": ("-f --force",)}, "p -f", True),
        ({"options": ("-f --force",)}, "p --force", True),
        ({"options": ("-f --force",)}, "p", False),
        ({"options": ("-f", "-g")}, "p -fg", True),
        ({"options": ("-f", "-g")}, "p -f", False),
        ({"options": ("-f", "-g")}, "p -g", False),
        ({"without": "-n"}, "p -n", False),
        ({"without": "-n"}, "p -m", True),
        ({"options": ("-f",), "without": "-n"}, "p -f -n", False),  # what a row asks for takes no value
        ({"options": ("-f", "-g"), "without": "-n"}, "p -f -g -n", False),
        ({"options": ("-f",), "without": "-n"}, "p -f -o -n", True),
        ({"is_bare": True}, "p", True),
        ({"is_bare": True}, "p a", False),
        ({"is_bare": True, "path": "a"}, "p a", True),
        ({"is_bare": True, "path": "a"}, "p a b", False),
        ({"operand": is_x}, "p a x", True),
        ({"operand": is_x}, "p a b", False),
        ({"operand": is_x}, "p", False),
        ({"operand": is_x, "path": "x"}, "p x a", False),
        ({"operand": is_x, "among": "first"}, "p x a", True),
        ({"operand": is_x, "among": "first"}, "p a x", False),
        ({"operand": is_x, "among": "last"}, "p a x", True),
        ({"operand": is_x, "among": "last"}, "p x a", False),
        ({"operand": is_x, "among": "leading"}, "p x -name a", True),
        ({"operand": is_x, "among": "leading"}, "p a -name x", False),
        ({"operand": is_x, "among": "sources"}, "p x a", True),
        ({"operand": is_x, "among": "sources"}, "p a x", False),
        ({"operand": is_x, "among": "sources"}, "p -t a b x", True),
        ({"operand": is_x, "among": "sources"}, "p --target-directory=a b x", True),
        ({"operand": is_x, "among": "files"}, "p a x", True),
        ({"operand": is_x, "among": "files"}, "p x a", False),
        ({"operand": is_x, "among": "files"}, "p -e a x", True),
        ({"operand": is_x, "among": "files"}, "p --regexp=a x", True),
        ({"operand": is_x, "among": "files"}, "p -- x", False),
        ({"operand": is_x, "among": "values"}, "p --a=x", True),
        ({"operand": is_x, "among": "values"}, "p x", False),
        ({"operand": is_x, "among": "words"}, "p x", True),
        ({"operand": is_x, "among": "words"}, "p --a=x", False),
        ({"operand": is_x, "among": "targets"}, "p x", False),
    ],
)
def test_a_row_holds_if_all_that_it_asks_for_is_there(asked: dict[str, Any], text: str, *, expected: bool) -> None:
    assert holds(row(**asked), Line(shlex.split(text), "/repo")) is expected


def test_a_row_may_look_at_where_the_output_goes() -> None:
    assert holds(row(operand=is_x, among="targets"), Line(["p"], "/repo", ("a", "x")))
    assert not holds(row(operand=is_x, among="targets"), Line(["p", "x"], "/repo", ("a",)))


@pytest.mark.parametrize(
    ("programs", "spares", "text", "expected"),
    [
        ("p", "", "p", True),
        ("p", "", "/bin/P.exe", True),
        ("p", "", "p3.1", True),
        ("q", "", "p", False),
        ("q p", "", "p", True),
        ("*", "", "p", True),
        ("*", "p", "p", False),
        ("*", "q p", "p3", False),
        ("*", "q", "p", True),
    ],
)
def test_which_rows_look_at_a_program(
    programs: str, spares: str, text: str, monkeypatch: pytest.MonkeyPatch, *, expected: bool
) -> None:
    one = row(programs=programs, spares=spares)
    monkeypatch.setattr(match, "BY_NAME", {name: [one] for name in programs.split()})
    assert list(rows_for(Line([text], "/repo"))) == ([one] if expected else [])


@pytest.mark.parametrize(
    ("among", "programs", "spares", "by", "path", "expected"),
    [
        ("read", "*", "", "cat", "x", True),
        ("read", "*", "", "cat", "y", False),
        ("read", "cat less", "", "less", "x", True),
        ("read", "cat less", "", "head", "x", False),
        ("read", "*", "ls cat", "cat", "x", False),
        ("read", "*", "ls", "cat", "x", True),
        ("written", "*", "", "cat", "x", False),
    ],
)
def test_which_rows_look_at_a_path(
    among: str, programs: str, spares: str, by: str, path: str, monkeypatch: pytest.MonkeyPatch, *, expected: bool
) -> None:
    one = row(among=among, programs=programs, spares=spares, operand=is_x)
    monkeypatch.setattr(match, "ON_PATHS", (row(among=among, programs="*"), one))
    found = first_path((Read("a", by), Read(path, by)), "read")
    assert found == ((one, f"{by} {path}") if expected else None)


@pytest.mark.parametrize(
    ("softener", "text", "is_found"),
    [
        (Softener("s"), "p", True),
        (Softener("s"), "p | s", False),
        (Softener("r s"), "s | p", False),
        (Softener("s"), "p ;; s", True),
        (Softener("s"), "p | t", True),
        (Softener("s", options="-q"), "p | s", True),
        (Softener("s", options="-q -r"), "p | s -r", False),
        (Softener("s", without="-v"), "p | s", False),
        (Softener("s", without="-v"), "p | s -v", True),
        (Softener("s", options="-q", without="-v"), "p | s -qv", True),
        (Softener("s", first=is_x), "p | s x", False),
        (Softener("s", first=is_x), "p | s a", True),
        (Softener("s", first=is_x), "p | s", True),
        (Softener("s", options="-q"), "p | s | s -q", False),
    ],
)
def test_what_softens_a_row_in_its_pipeline(
    softener: Softener, text: str, monkeypatch: pytest.MonkeyPatch, *, is_found: bool
) -> None:
    one = row(softened_by=(softener,))
    monkeypatch.setattr(match, "BY_NAME", {"p": [one]})
    assert first_row(Pipelines(told(text))) == ((one, "p") if is_found else None)


@pytest.mark.parametrize(
    ("text", "started"),
    [
        ("echo a b | xargs rm -f", ["rm -f a b"]),
        ("printf 'a\\nb' | xargs rm", ["rm a b"]),
        ("echo 'a b' | xargs rm", ["rm a b"]),
        ("echo rm | parallel", ["rm", "rm"]),
        ("echo a ;; xargs rm", []),
        ("cat a | xargs rm", []),
        ("echo a | rm", []),
        ("echo rm | sudo", []),
        ("echo | xargs rm", []),
    ],
)
def test_what_xargs_starts_with_the_words_that_are_printed(text: str, started: list[str]) -> None:
    lines = Pipelines(told(text)).lines
    before = sum(1 for _ in Pipelines(told(text.replace("echo", "cat").replace("printf", "cat"))).lines)
    fed = [" ".join(word for word in (line.names[0], *line.words) if word) for line, _, _ in lines[before:]]
    assert fed == started


def test_a_word_that_nobody_knows_is_empty() -> None:
    [(line, group, text)] = Pipelines(Effects(programs=(Program(("rm", None, "a"), "/repo", "rm … a", 3),))).lines
    assert (line.words, group, text) == (["", "a"], 3, "rm … a")


@pytest.mark.contract("C7.4")
@pytest.mark.parametrize(
    ("command", "is_danger"),
    [
        ("declare -x", True),
        ("export -p", True),
        ("declare -x A=b", False),
        ("export A=b", False),
        ("env", True),
        ("env A=b make", False),
    ],
)
def test_only_a_bare_word_prints_every_variable(command: str, *, is_danger: bool) -> None:
    assert (danger_of(command, told(command)) is not None) is is_danger
