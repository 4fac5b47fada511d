"""Patch text: every file that a header names, and no line that could hide one."""

from __future__ import annotations

import pytest

from harness_guard.shell.patch import effects_of_patch


def patch(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch"))


@pytest.mark.contract("E4.3")
@pytest.mark.parametrize(
    ("lines", "writes"),
    [
        (("*** Add File: a", "+x"), ["/repo/a"]),
        (("*** Update File: src/a", "@@", "-x", "+y"), ["/repo/src/a"]),
        (("*** Delete File: /etc/x",), ["/etc/x"]),
        (("*** Update File: a", "*** Move to: ../b", "+y"), ["/repo/a", "/repo/a", "/repo/../b"]),
        (("  *** Add File:   a b  ", "+x"), ["/repo/a b"]),
        (("*** Add File: a", "+*** Add File: b"), ["/repo/a"]),
        (("*** Add File: a", "*** End of File"), ["/repo/a"]),
    ],
)
def test_the_headers_name_the_files(lines: tuple[str, ...], writes: list[str]) -> None:
    found = effects_of_patch(patch(*lines), "/repo")
    assert ([write.path for write in found.writes], found.unknown) == (writes, ())


@pytest.mark.contract("E4.3")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "*** Add File: a\n+x",
        patch("+x"),
        patch("*** Add File: a", "*** add file: b"),
        patch("*** Add File:a", " *** Copy File: b"),
        patch("*** Add File:"),
        patch("*** Add File: a\x00b"),
        patch("*** Add File: a\u202eb"),
    ],
)
def test_a_line_that_may_hide_a_file_makes_the_target_unknown(text: str) -> None:
    found = effects_of_patch(text, "/repo")
    assert found.writes == ()
    assert [unknown.is_writer for unknown in found.unknown] == [True]
