"""A command is split as every POSIX shell splits it, or refused; a real shell is the oracle of what is taken."""

from __future__ import annotations

import subprocess

import pytest

from harness_guard.artifacts.words import split_words
from harness_guard.errors import ArtifactError

TAKEN = [
    ("pytest", ("pytest",)),
    ("python3 -m pytest  -q", ("python3", "-m", "pytest", "-q")),
    ("a 'b c' d", ("a", "b c", "d")),
    ('a "b c" d', ("a", "b c", "d")),
    ("a x'y z'\"w\"v", ("a", "xy zwv")),
    ("a ''", ("a", "")),
    ("a '' \"\"b", ("a", "", "b")),
    (r"a b\ c", ("a", "b c")),
    (r"a \$HOME", ("a", "$HOME")),
    (r'a "\$b \"c\" \\ \d"', ("a", r'$b "c" \ \d')),
    ("a '$HOME `x` *'", ("a", "$HOME `x` *")),
    ('a "* ? [x] ; | > ~ #"', ("a", "* ? [x] ; | > ~ #")),
    ("a --x=1 k=v", ("a", "--x=1", "k=v")),
    ("a ' =' \" =x\"", ("a", " =", " =x")),
    (r"a '=x' \=x x'='", ("a", "=x", "=x", "x=")),
    ("./run-tests.sh a/b:c,d@e%f+g_h", ("./run-tests.sh", "a/b:c,d@e%f+g_h")),
    ("a ä€", ("a", "ä€")),
]
REFUSED = [
    *(f"a {text}" for text in "| || & && ; > >> < << () $x ${x} $(x) `x` * ? [x] {a,b} ~ ~/x #x !x x^y".split()),  # noqa: SIM905
    'a "$x"',
    'a "`x`"',
    'a "!x"',
    "a 'x",
    'a "x',
    "a \\",
    "A=1 b",
    "a =b",
    "a =",
    "a ''=b",
    "=b",
    "'' a",
    "if a",
    "time a",
    "",
]


@pytest.mark.contract("C4.22")
@pytest.mark.parametrize(("command", "argv"), TAKEN)
def test_words_and_quotes_are_taken(command: str, argv: tuple[str, ...]) -> None:
    assert split_words(command) == argv


@pytest.mark.contract("C4.22")
@pytest.mark.parametrize(("command", "argv"), TAKEN)
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_shell_splits_the_same_way(shell: str, command: str, argv: tuple[str, ...]) -> None:
    script = f"set -- {command}; printf '%s\\0' \"$@\""
    found = subprocess.run([shell, "-c", script], capture_output=True, check=True).stdout.decode()
    assert tuple(found.split("\0")[:-1]) == argv


@pytest.mark.contract("C4.22")
@pytest.mark.parametrize("command", REFUSED)
def test_everything_else_is_refused(command: str) -> None:
    with pytest.raises(ArtifactError) as caught:
        split_words(command)
    assert caught.value.rule == "plan.verification-command"


def test_an_equals_sign_behind_quotes_begins_no_word() -> None:
    assert split_words("make 'a'=b") == ("make", "a=b")
