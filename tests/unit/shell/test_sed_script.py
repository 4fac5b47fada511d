"""Which sed scripts only print and change text."""

from __future__ import annotations

import pytest

from harness_guard.shell.sed_script import Opened, is_harmless, read


@pytest.mark.parametrize(
    "script",
    ["p", "1,5p", "$d", "/a/p", "/a/,/b/d", "s/a/b/", "s/a/b/g", "s|a|b|gI", "s/a\\/b/c/", "/x/{p;q}", "1d;2d", "y/abc/def/",
     ":a;N;$!ba;s/\\n/ /g", "=", "1!G;h;$!d", "2q", "a text", "s/a/b/2p", "s/[/]/x/", "s/[^/]*$//", "/[/]/p",
     "s/[[:space:]]*$//", "s/[^\\n]*//", "s/\\[/x/", "$!{N;ba}", ":x\n$!bx", "bx # w out", "tx;p\n:x", "s,/,_,", "1~2d", "2,+3p",
     "l 5", "s/a/b/ ; p", "s/é/\\/w out/", "1i\\head", "$a\\  foot", "a tab\\there", "i\\\ntext w out\np", "c\\\na\\\nw out",
     "s/→ x/é/g"],
)  # fmt: skip
def test_harmless(script: str) -> None:
    assert is_harmless(script)


@pytest.mark.parametrize(
    "script",
    ["w out", "1w out", "s/a/b/w out", "s/a/b/gw out", "e", "1e touch x", "s/a/b/e", "s/a/b/ge", "r /etc/passwd", "R x", "W x",
     "p;w x", "/a/{w x\n}", "s/a/b/;w x", "{p;e}", "\\,a,w x", "s/a/b", "p\nw x", "F;e", "v", "s/[/]/b/w x", "}e", "$!{e\n}", "tx e\n:x", ":x e", ":x;tx w out", "tx w sedw\n:x", "bx\te\n:x", ":a}", "T w out", "s/a/b/ w out", "p w out",
     "s/[/x/w out]/y/", "s/[/]/w out/", "s/[[:alpha:]/]/x/w out/", "s/[a\\]/]/w out/", "s/[\\][/]/w out/", "y/[/w out/", "a\\",
     "a\nw out", "s/a/\\\nb/;w out", "s/é\\/w out/x/", "s/[é]/w out/", "s/[[.x.]/]/w out/", "0r /etc/passwd", "$R x", "{p}w out", "Q 3 w out"],
)  # fmt: skip
def test_not_harmless(script: str) -> None:
    assert not is_harmless(script)


@pytest.mark.parametrize(
    ("script", "opened"),
    [
        ("w out", Opened(writes=("out",))),
        ("/a/,$W docs/a b; p", Opened(writes=("docs/a b; p",))),
        ("s/a/b/gw out}", Opened(writes=("out}",))),
        ("s/a/b/w out\ns/c/d/w /dev/stdout", Opened(writes=("out", "/dev/stdout"))),
        ("/x/r a.txt\nR b", Opened(reads=("a.txt", "b"))),
        ("{p;w x\n}", Opened(writes=("x",))),
        ("w a\\b", None),
        ("w", None),
        ("s/a/b/ew out", None),
        ("s/a/b/wo\nute", None),
        ("i\\\ntext\nw out", Opened(writes=("out",))),
        ("i\\\ntext\\\nw out", Opened()),
        ("i\\\ntext\\\\\nw out", None),
        ("i\\ \nw out", None),
        ("i\\", None),
    ],
)
def test_opened(script: str, opened: Opened | None) -> None:
    assert read(script) == opened
