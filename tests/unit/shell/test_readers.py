"""Two readers that must agree, and the lane of plain words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness_guard.evidence.shell_facts import gather
from harness_guard.shell import ansi, plain
from harness_guard.shell.facts import Needs, Readings, ShellFacts
from harness_guard.shell.readers import read
from harness_guard.shell.syntax import Script, Unparsed

SHFMT = str(Path(sys.executable).parent / "shfmt")


def tree_of(text: str) -> Script | Unparsed:
    return read(text, gather(text, Needs((text,)), ShellFacts(), shfmt=SHFMT).readings[text])


@pytest.mark.contract("E1.1")
@pytest.mark.parametrize(
    "text", ["a b | c > d", "for x in a b; do c; done", "( ( a ) )", "a $(b c) <(d)", "é 'ü' > ß", "time a"]
)
def test_agreed(text: str) -> None:
    assert isinstance(tree_of(text), Script)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a 'b", "no reader of bash can read it"),
        ("if true; then a; # b\nfi; c; # d\ne", ""),
        ("echo ${x:-$(touch a)}", ""),
    ],
)
def test_refused_or_agreed(text: str, why: str) -> None:
    found = tree_of(text)
    assert isinstance(found, Script) if not why else found == Unparsed(why, "shfmt cannot read it")


@pytest.mark.contract("E1.2")
def test_bash_has_a_veto() -> None:
    tree = gather("ls", Needs(("ls",)), ShellFacts(), shfmt=SHFMT).readings["ls"].tree
    assert read("ls", Readings(tree, "", is_bash=False)) == Unparsed("bash itself refuses it", "")


@pytest.mark.contract("E1.1", "E1.2")
def test_disagreement_is_refused() -> None:
    tree = gather("ls a", Needs(("ls a",)), ShellFacts(), shfmt=SHFMT).readings["ls a"].tree
    assert read("ls | b", Readings(tree, "", is_bash=True)) == Unparsed(
        "two readers of bash disagree about it", "ls | b"
    )


@pytest.mark.contract("E1.2")
@pytest.mark.parametrize(
    ("tree", "seen"),
    [
        ('{"Type":"File","Stmts":[{"Cmd":{"Type":"NewCmd"}}]}', "NewCmd"),
        ('{"Type":"File","Stmts":[{"Cmd":{"Type":"CallExpr","New":1}}]}', "CallExpr with New"),
        ('{"Type":"File","Stmts":3}', "a list that is none"),
    ],
)
def test_what_is_not_listed_is_refused(tree: str, seen: str) -> None:
    found = read("(( 1 ))", Readings(tree, "", is_bash=True))
    assert found == Unparsed("it holds a construct that is not modelled", seen)


@pytest.mark.contract("E1.1")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("git status", (("git", False), ("status", False))),
        ("grep  -n 'a b' \"c d\"", (("grep", False), ("-n", False), ("a b", True), ("c d", True))),
        ("echo a'b'c", (("echo", False), ("abc", True))),
        ("time ls", None),
        ("x=1 ls", None),
        ("ls ~", None),
        ("ls $x", None),
        ('ls "$x"', None),
        ("ls a*", None),
        ("ls =git", None),
        ("'ls' a", None),
        ("ls 'a", None),
        ("ls\nrm", None),
        ("ls;rm", None),
        ("", None),
        ("ls é", None),
    ],
)
def test_plain_words(text: str, words: tuple[tuple[str, bool], ...] | None) -> None:
    assert plain.split(text) == words


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a\\nb", "a\nb"),
        ("\\x2f", "/"),
        ("\\057", "/"),
        ("\\u00e9", "é"),
        ("\\'", "'"),
        ("\\0", None),
        ("\\cA", None),
        ("\\xff", None),
    ],
)
def test_ansi(text: str, value: str | None) -> None:
    assert ansi.decode(text) == value
