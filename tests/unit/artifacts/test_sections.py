"""Where an exact heading stands outside code, and what ordinary text may hold."""

from __future__ import annotations

import pytest

from harness_guard.artifacts.characters import UNSEEN, is_plain
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.prose import check_prose, outside_code
from harness_guard.artifacts.sections import find_heading, read_document
from harness_guard.artifacts.strict_json import Block

HEADINGS = ("# Plan", "# Completion")


@pytest.mark.contract("C4.4")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Plan", (1, "# Plan")),
        ("a\n\n# Completion\n# Plan", (3, "# Completion")),
        ("- a\n# Plan", (2, "# Plan")),
        ("```\n# Plan\n```\n# Plan", (4, "# Plan")),
        ("```\n# Plan", None),
        ("````\n```\n# Plan\n````", None),
        ("~~~\n```\n# Plan\n~~~\n", None),
        ("   ```\n# Plan", None),
        ("    ```\n# Plan", (2, "# Plan")),
        ("```a`b\n# Plan", (2, "# Plan")),
        ("~~~a`b\n# Plan", None),
        ("```\n``` x\n# Plan", None),
        ("> # Plan\n # Plan\n## Plan\n# Plan.\n# plan", None),
    ],
)
def test_find_heading(text: str, found: tuple[int, str] | None) -> None:
    assert find_heading(text.split("\n"), HEADINGS) == found


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("plain", "plain"),
        ("a `b` c", "a   c"),
        ("``a`b`` c", "  c"),
        ("`a``b` c", "  c"),
        ("`<b>`", " "),
    ],
)
def test_code_spans_are_taken_out(line: str, rest: str) -> None:
    assert outside_code(line, 1).split() == rest.split()


@pytest.mark.contract("C4.7")
@pytest.mark.parametrize("line", ["`a", "a``b`", "\\`a`", "`a` `"])
def test_an_open_code_span_is_refused(line: str) -> None:
    with pytest.raises(LineError) as caught:
        outside_code(line, 7)
    assert (caught.value.line, caught.value.rule) == (7, "artifact.code-span")


@pytest.mark.parametrize("line", ["a < b", "1 <2", "R&D", "a & b;", "[x]", "(see [x])", "x: y", "a [1] : b", "<- a"])
def test_ordinary_text_passes(line: str) -> None:
    check_prose(line, 1, is_gated=True)


@pytest.mark.contract("C4.7")
@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("<b>", "artifact.html"),
        ("</b", "artifact.html"),
        ("<!-- a", "artifact.html"),
        ("<?x", "artifact.html"),
        ("<https://example.org>", "artifact.html"),
        ("&amp;", "artifact.html"),
        ("&#x202e;", "artifact.html"),
        ("[a]: b", "artifact.link-definition"),
        ("> [a]: b", "artifact.link-definition"),
        ("[a](b)", "artifact.link"),
        ("![a](b)", "artifact.link"),
        ("[a][b]", "artifact.link"),
    ],
)
def test_what_a_renderer_hides_is_refused(line: str, rule: str) -> None:
    with pytest.raises(LineError) as caught:
        check_prose(line, 1, is_gated=True)
    assert caught.value.rule == rule


@pytest.mark.contract("C4.7")
def test_a_link_may_stand_where_no_human_approves() -> None:
    check_prose("[a](b)", 1, is_gated=False)


@pytest.mark.contract("C4.8")
@pytest.mark.parametrize("text", ["", "abc", "ä€漢字😀", "e\u0301"])
def test_visible_characters_are_plain(text: str) -> None:
    assert is_plain(text)


@pytest.mark.contract("C4.8")
@pytest.mark.parametrize(
    "text",
    [
        "\t",
        "\x00",
        "\x1b[1m",
        "\x7f",
        "\u00a0",
        "\u00ad",
        "\u200d",
        "\u2066",
        "\ufeff",
        "\ue000",
        "\ud800",
        *sorted(UNSEEN),
    ],
)
def test_other_characters_are_not(text: str) -> None:
    assert not is_plain(f"a{text}b")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a", "`a`"),
        ("a`b", '"a`b"'),
        ("\x1b[1m", "`\\u{1b}[1m`"),
        ("x" * 81, "`" + "x" * 80 + "…`"),
    ],
)
def test_foreign_text_is_shown_escaped_and_cut(text: str, quoted: str) -> None:
    assert shown(text) == quoted


@pytest.mark.parametrize(
    ("path", "line"),
    [((), 10), (("a",), 11), (("a", 1), 13), (("a", 1, "b"), 14), (("c",), 16), (("missing",), 10), (("a", 9), 11)],
)
def test_json_values_know_their_lines(path: tuple[str | int, ...], line: int) -> None:
    block = Block('{\n"a": [\n1,\n{\n"b": "}, \\" ]"\n}],\n"c": null}', 10)
    assert block.line_of(path) == line


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ('{"a": {\n}}', ("a", ""), 1),  # a bracket is no key
        ('["x",\n"y"]', (1,), 2),  # nor is a text in an array
        ("[\n]", (0,), 1),  # nor is a bracket a value
        ("\n ", ("x",), 1),
        ('\n{"a": 1}', ("a",), 2),
    ],
)
def test_what_is_not_there_is_told_where_it_would_be(text: str, path: tuple[str | int, ...], line: int) -> None:
    assert Block(text, 1).line_of(path) == line


def test_a_bare_word_that_is_not_there_is_told_at_the_start() -> None:
    assert Block("\n1", 1).line_of_word("NaN") == 1


@pytest.mark.parametrize(
    "line",
    ["```a`b", " ```", "~~~", "```sh"],
)
def test_a_fence_that_does_not_hold_is_named_by_its_own_line(line: str) -> None:
    text = f"# Plan\n\n## A\n\ntext\n{line}\nx"
    with pytest.raises(LineError) as caught:
        read_document(text, ("A",), is_gated=False)
    assert (caught.value.line, caught.value.rule) == (6, "artifact.fence")
    assert caught.value.seen.startswith("found the fence ")
    assert line.strip() in caught.value.seen


def test_a_backtick_behind_a_fence_makes_it_none_even_where_it_is_closed() -> None:
    with pytest.raises(LineError) as caught:
        read_document("# Plan\n\n## A\n\n```a`b\nx\n```", ("A",), is_gated=False)
    assert (caught.value.line, caught.value.rule) == (5, "artifact.fence")
