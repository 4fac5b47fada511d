"""Which perl one-liners only match, substitute and print; and real perl does nothing else with them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness_guard.shell.perl_script import is_harmless

PERL = shutil.which("perl") or ""
HARMLESS = [
    "s/a/b/",
    "s/(a+)\\s*$/<$1>/g; s|x|y|i",
    "s/a/${1}b/ if /a/ and !/b/",
    "s,a\\,b,c,",
    "s/\\@x/\\$y/",
    "tr/a-z/A-Z/",
    "y/a/b/d;",
    "print if m/regex1/ and m/regex2/i",
    "print unless /^.*666$/",
    "print if $. == 2 || eof",
    "next if $. < 3; print",
    'print "$1\\n" if /(a.)/',
    "say $1 if m/before ( group_regex ) after/x",
    "print $_",
    "s/(?<n>a)(?=b)|c$/x/gi",
    "chomp; print",
]
REFUSED = [
    "s/a/b/e",
    "s/a/b/gee",
    "s/a/@{[`touch q`]}/",
    "s/@{[`touch q`]}/b/",
    "s/$x/b/",
    "s/a/$x/",
    "s/a/$1[`touch q`]/",
    "s/(a)/$12[system('touch q')]/",
    "s/a/$&{x}/",
    "s/a/$1->x/",
    "s/(?{`touch q`})/b/",
    "s/(??{`touch q`})/b/",
    "s/(*{`touch q`})/b/",
    "s{a}{b}",
    "s/a/b",
    "s/a/b/ for @x",
    "print `touch q`",
    "print if `touch q`",
    "print if /a/ and `touch q`",
    "print if -e 'q'",
    'print "@{[1]}"',
    'print "a" . `touch q`',
    "print F",
    "open F, '>q'",
    "BEGIN { print }",
    "system 'touch q'",
    "}{ print",
    "s/a/b/\n;print",
    "s/\u00e4/b/",
    "next LINE",
    "print $x",
]


@pytest.mark.parametrize("program", HARMLESS)
def test_harmless(program: str) -> None:
    assert is_harmless(program)


@pytest.mark.parametrize("program", REFUSED)
def test_refused(program: str) -> None:
    assert not is_harmless(program)


@pytest.mark.skipif(not PERL, reason="perl is not installed")
@pytest.mark.parametrize("program", HARMLESS)
def test_perl_takes_it_and_writes_nothing(program: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("a b\nab 666\nc\n")
    for option in ("-nE", "-pE"):
        done = subprocess.run([PERL, option, program, "in"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
