"""Which sed scripts only print and change text."""

from __future__ import annotations

import pytest

from harness_guard.shell.sed_script import is_harmless


@pytest.mark.parametrize(
    "script",
    ["p", "1,5p", "$d", "/a/p", "/a/,/b/d", "s/a/b/", "s/a/b/g", "s|a|b|gI", "s/a\\/b/c/", "/x/{p;q}", "1d;2d", "y/abc/def/",
     ":a;N;$!ba;s/\\n/ /g", "=", "1!G;h;$!d", "2q", "a text", "s/a/b/2p", "s/[/]/x/", "s/[^/]*$//", "/[/]/p",
     "s/[[:space:]]*$//", "s/[^\\n]*//", "s/\\[/x/", "$!{N;ba}", ":x\n$!bx", "bx # w out", "tx;p\n:x", "s,/,_,", "1~2d", "2,+3p",
     "l 5", "s/a/b/ ; p"],
)  # fmt: skip
def test_harmless(script: str) -> None:
    assert is_harmless(script)


@pytest.mark.parametrize(
    "script",
    ["w out", "1w out", "s/a/b/w out", "s/a/b/gw out", "e", "1e touch x", "s/a/b/e", "s/a/b/ge", "r /etc/passwd", "R x", "W x",
     "p;w x", "/a/{w x\n}", "s/a/b/;w x", "{p;e}", "\\,a,w x", "s/a/b", "p\nw x", "F;e", "v", "s/[/]/b/w x", "}e", "$!{e\n}", "tx e\n:x", ":x e", ":x;tx w out", "tx w sedw\n:x", "bx\te\n:x", ":a}", "T w out", "s/a/b/ w out", "p w out",
     "s/[/x/w out]/y/", "s/[/]/w out/", "s/[[:alpha:]/]/x/w out/", "s/[a\\]/]/w out/", "s/[\\][/]/w out/", "y/[/w out/", "a\\",
     "a\nw out", "s/a/\\\nb/;w out", "s/é/\\/w out/", "s/[[.x.]/]/w out/", "0r /etc/passwd", "$R x", "{p}w out", "Q 3 w out"],
)  # fmt: skip
def test_not_harmless(script: str) -> None:
    assert not is_harmless(script)
