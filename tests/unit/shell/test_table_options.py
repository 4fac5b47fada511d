"""The table's options against the installed programs: which of them take the next word as their value.

A word that the table takes for a value and the program for an option is an option that nobody judged.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness_guard.shell.commands.model import Row, longs_of
from harness_guard.shell.commands.registry import TABLE
from harness_guard.shell.find_search import ARITY

MARK = "--zz-no-such"
COMPLAINTS = (
    "unrecognized option",
    "unknown option",
    "Bad flag",
    "Unrecognized switch",
    "not supported",
    ": is unknown",
    "invalid option",
)
# Bash's own commands, and programs whose options are read by no ``getopt``.
SKIPPED = frozenset(
    ("command", "builtin", "wait", "times", "hash", "jobs", "xxd", "tree", "rg", "fd", "fdfind", "yq", "bat", "zstd",
     "unzstd", "zstdcat", "zstdmt", "zip", "unzip", "zipinfo", "dos2unix", "unix2dos", "mac2unix", "unix2mac",
     "ssh", "ssh-keygen", "ssh-keyscan", "psql")
)  # fmt: skip
ROWS = dict(TABLE.items())
AWKS = frozenset(("awk", "mawk", "nawk"))  # they stop at what they do not know, in words of their own
PROGRAMS = sorted(
    name for name, row in ROWS.items() if not row.is_free and name not in SKIPPED and shutil.which(name) is not None
)


def taking(row: Row) -> list[str]:
    """The options that the table lets take the next word."""
    return [f"-{letter}" for letter in row.valued] + [name for name, kind in longs_of(row).items() if kind == "="]


def complains(argv: list[str], folder: Path) -> str:
    """Give what a program says of the mark, ``""`` if it took it for a value."""
    done = subprocess.run(
        argv,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=20,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if "zz-no-such" in line]
    return next((line for line in said if any(word in line for word in COMPLAINTS)), "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_value_of_the_table_is_one_of_the_program(name: str, tmp_path: Path) -> None:
    assert complains([name, MARK], tmp_path) or name in AWKS
    taken = {option: complains([name, option, MARK], tmp_path) for option in taking(ROWS[name])}
    assert {option: said for option, said in taken.items() if said} == {}


@pytest.mark.parametrize("name", sorted(name for name in ARITY if name[0] == "-" and len(name) > len("-o")))
def test_the_words_of_find(name: str, tmp_path: Path) -> None:
    operator = ["-true"] if name in {"-or", "-and"} else []
    # ``d`` is a type, ``emacs`` a dialect; what find says is wrong with a value, it says of a value.
    value = {"-type": "d", "-xtype": "d", "-regextype": "emacs"}.get(name, "1")
    argv = ["find", ".", "-maxdepth", "0", *operator, name, *[value] * ARITY[name], *["-true"] * (name == "-not")]
    done = subprocess.run([*argv, "-zznosuch"], cwd=tmp_path, capture_output=True, text=True, timeout=20, check=False)
    said = done.stderr.splitlines()[-1]
    assert "-zznosuch" in said or (ARITY[name] == 1 and value in said)
