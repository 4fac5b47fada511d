"""What an awk program opens; and real awk opens nothing else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness_guard.shell.awk_script import Opened, read

NOTHING = Opened()
ROWS = [
    ("{print $1}", NOTHING),
    ('BEGIN { FS = ":.*##" } /^[a-z/]+:/ { print }', None),  # awks disagree about a slash in brackets
    ('/^[$()% a-zA-Z_-]+:.*?##/ { printf "%-15s %s\\n", $1, $2 }', NOTHING),
    ("/^[[:alpha:]]+$/ || /a\\/b/ { n++ } END { print n > 3 ? 1 : 2 }", None),
    ("/^[[:alpha:]]+$/ || /a\\/b/ { n++ } END { print (n > 3 ? 1 : 2) }", NOTHING),
    ("$5 > 5 { print $1 / 2 }", NOTHING),
    ('{ if ($1 > 2) print; else print "no|>" }', NOTHING),
    ("{ s += $1 / 2 / 3 } END { print s }", NOTHING),
    ('{ print > "f" }', Opened(writes=("f",))),
    ('{ print $1, $2 >> "a b"; close("a b") }', Opened(writes=("a b",))),
    ('{ printf("%s\\n", $1) > "f" }', Opened(writes=("f",))),
    ('{ print $1,\n $2 > "f" }', Opened(writes=("f",))),
    ('{ print($1 > 2) > "f" }', Opened(writes=("f",))),
    ('{ print "a" > "/dev/stderr" }', Opened(writes=("/dev/stderr",))),
    ("{ print > $1 }", None),
    ('{ print > "a" "b" }', None),
    ('{ print > "a" NR }', None),
    ('{ print > ("a" NR) }', None),
    ('{ print > "\\x66" }', None),
    ('{ print > "/inet/tcp/0/h/1" }', None),
    ('{ print.5 > "f" }', Opened(writes=("f",))),
    ('{ print | "sort -u" }', Opened(commands=("sort -u",))),
    ('{ print | "cat 1>&2" }', NOTHING),
    ("{ print | $1 }", None),
    ('{ print |& "cat" }', None),
    ("{ print $1 || $2 }", NOTHING),
    ('BEGIN { system("ls -l") }', Opened(commands=("ls -l",))),
    ('BEGIN { system("ls " $1) }', None),
    ('BEGIN { 1e5system("x") }', None),
    ('BEGIN { x = 0x1system("x") }', None),
    ('BEGIN { "date" | getline d; print d }', Opened(commands=("date",))),
    ('BEGIN { while (("ls" | getline f) > 0) print f }', Opened(commands=("ls",))),
    ('BEGIN { "echo " "x" | getline }', None),
    ('BEGIN { c = "ls"; c | getline }', None),
    ('BEGIN { while ((getline l < "f") > 0) n++; print n }', Opened(reads=("f",))),
    ('BEGIN { getline a[1] < "f" }', Opened(reads=("f",))),
    ('BEGIN { getline a[1][2] < "f" }', None),
    ("BEGIN { getline < ARGV[1] }", None),
    ('BEGIN { getline < "a" "b" }', None),
    ("{ getline; print }", NOTHING),
    ("BEGIN { @f(1) }", None),
    ('@load "x"', None),
    ('BEGIN { f = "system"; SYMTAB[f] }', None),
    ('{ print ? 1 :\n 2 > "f" }', None),
    ('{ if (x) /"/; print > "f" } # "', None),
    ('{ print x++ /"/ 1 > "f" } # "/', None),
    ('{ print length /"/ 1 > "f" } # "/', None),
    ('# print > "f"\n{ print }', NOTHING),
    ('{ print "\\"" > "f" }', Opened(writes=("f",))),
    ('{ print "a', None),
    ('{ print "a\\\nb" > "f" }', None),
    ('{ print "\u00e9\\" > \\"" }', None),  # some encodings take the backslash for half of a character
    ('{ ENVIRON["PATH"] = "."; system("ls") }', None),
    ("function f(a, b) { return a / b }\n{ print f(1, 2) }", NOTHING),
    ('END { for (i = NF; i > 0; i--) printf("%s ", $i); printf("%s\\n", $1) }', NOTHING),
]  # fmt: skip
AWKS = [path for name in ("mawk", "gawk", "original-awk") if (path := shutil.which(name))]


@pytest.mark.parametrize(("program", "opened"), ROWS)
def test_read(program: str, opened: Opened | None) -> None:
    assert read(program) == opened


@pytest.mark.parametrize("awk", AWKS)
@pytest.mark.parametrize("program", [program for program, opened in ROWS if opened is not None])
def test_awk_writes_nothing_else(awk: str, program: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("1 2\n3 4\n")
    subprocess.run(
        [awk, program, "in"], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
    )
    opened = read(program)
    assert opened is not None
    assert {path.name for path in tmp_path.iterdir()} - {"in"} <= set(opened.writes)


def test_a_long_program_is_read_in_one_pass() -> None:
    assert read("{ print $1 }\n" * 5_000) == NOTHING
    assert read("{ print $1 }\n" * 6_000) is None
