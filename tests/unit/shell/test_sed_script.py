"""Which sed scripts only print and change text."""

from __future__ import annotations

import pytest

from harness_guard.shell.sed_script import is_harmless


@pytest.mark.parametrize(
    "script",
    ["p", "1,5p", "$d", "/a/p", "/a/,/b/d", "s/a/b/", "s/a/b/g", "s|a|b|gI", "s/a\\/b/c/", "/x/{p;q}", "1d;2d", "y/abc/def/",
     ":a;N;$!ba;s/\\n/ /g", "=", "1!G;h;$!d", "2q", "a text", "s/a/b/2p"],
)  # fmt: skip
def test_harmless(script: str) -> None:
    assert is_harmless(script)


@pytest.mark.parametrize(
    "script",
    ["w out", "1w out", "s/a/b/w out", "s/a/b/gw out", "e", "1e touch x", "s/a/b/e", "s/a/b/ge", "r /etc/passwd", "R x", "W x",
     "p;w x", "/a/{w x\n}", "s/a/b/;w x", "{p;e}", "\\,a,w x", "s/a/b", "p\nw x", "F;e", "v", "s/[/]/b/w x", "}e", "$!{e\n}"],
)  # fmt: skip
def test_not_harmless(script: str) -> None:
    assert not is_harmless(script)
