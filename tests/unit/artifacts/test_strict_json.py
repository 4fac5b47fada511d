"""A section that is one JSON block: its value with lines, or the rule that it breaks; no depth or size raises."""

from __future__ import annotations

import pytest

from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.sections import Section
from harness_guard.artifacts.strict_json import Block, Node, read_block


def section(text: str) -> Section:
    return Section("Context", 3, ("", "```json", *text.split("\n"), "```"))


def refused(text: str) -> tuple[int, str]:
    with pytest.raises(LineError) as caught:
        read_block(section(text), "key")
    return caught.value.line, caught.value.rule


def test_the_value_under_the_key_knows_its_line() -> None:
    node = read_block(section('{\n"key": [\n1]}'), "key")
    assert (node.value, node.path, node.line) == ([1], ("key",), 7)
    assert [item.line for item in node.items()] == [8]


@pytest.mark.contract("C4.9")
@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ('{"key":' + "[" * 200_000, 6, "artifact.json"),
        ('{"key":' + "[" * 200_000 + "]" * 200_000 + "}", 6, "artifact.json"),
        ('{"key":' * 100_000, 6, "artifact.json"),
        ('{"key": ' + "9" * 5_000 + "}", 6, "artifact.json"),
        ('{"key": 1}\n{}', 7, "artifact.json"),
        ('{"key": 1,\n"key": 2}', 7, "artifact.json"),
        ('{"key": [{"a": 1},\n{"a": 1, "b": [1,\n2], "a": 2}]}', 8, "artifact.json"),
        ('{"key": [1,\n-Infinity]}', 7, "artifact.json"),
        ('{"key": "NaN",\n"b": NaN}', 7, "artifact.json"),
        ('{"key": "a\\\\u0061"}\n,', 7, "artifact.json"),
        ('{"key": "\\\\\\u0061"}', 6, "artifact.json-escape"),
        ("[1]", 6, "artifact.json-type"),
        ("1", 6, "artifact.json-type"),
        ("{}", 6, "artifact.json-keys"),
        ('{"key": 1,\n"other": 2}', 7, "artifact.json-keys"),
        ('{"key": 1, "\x1b": 2}', 6, "artifact.json-keys"),
    ],
)
def test_a_bad_block(text: str, line: int, rule: str) -> None:
    assert refused(text.replace("\x1b", "é")) == (line, rule)


@pytest.mark.contract("C4.9")
@pytest.mark.parametrize(
    "lines",
    [
        ("```json", "{}", "```", "more"),
        ("more", "```json", "{}", "```"),
        ("```json", "```", "```json", "{}", "```"),
        ("```JSON", "{}", "```"),
        ("````json", "{}", "````"),
        ("```json", "{}", "````"),
        ("None",),
    ],
)
def test_a_section_is_one_block_and_nothing_else(lines: tuple[str, ...]) -> None:
    with pytest.raises(LineError) as caught:
        read_block(Section("Context", 3, lines), "key")
    assert caught.value.rule == "artifact.json-block"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("```json", "{}", "```", "more", "and more"), "more"),
        (("```json", "{}", "````"), "````"),
        (("first", "```json", "{}", "```"), "first"),
    ],
)
def test_what_stands_beside_the_block_is_told(lines: tuple[str, ...], told: str) -> None:
    with pytest.raises(LineError) as caught:
        read_block(Section("Context", 3, lines), "key")
    assert caught.value.seen.startswith(f"found {shown(told)}")


def node(value: object) -> Node:
    return Node(value, (), Block("", 1))


@pytest.mark.contract("C4.9")
@pytest.mark.parametrize("value", [None, 1, 1.5, "1", [], {}])
def test_only_true_and_false_are_booleans(value: object) -> None:
    with pytest.raises(LineError) as caught:
        node(value).boolean()
    assert caught.value.rule == "artifact.json-type"


@pytest.mark.parametrize("value", ["", " a", "a "])
def test_a_text_is_not_empty_and_has_no_blank_around_it(value: str) -> None:
    with pytest.raises(LineError) as caught:
        node(value).text()
    assert caught.value.rule == "artifact.json-value"


@pytest.mark.parametrize(("value", "expected"), [(True, 1), (0, False), (1.0, 1), ("1", 1), (1, True)])
def test_equal_values_of_another_type_are_not_equal(value: object, expected: int) -> None:
    with pytest.raises(LineError) as caught:
        node(value).check_equal(expected)
    assert caught.value.rule == "artifact.json-value"


def test_one_of_some_words() -> None:
    assert node("b").one_of(("a", "b")) == "b"


@pytest.mark.parametrize(
    ("value", "rule"), [("c", "artifact.json-value"), ("A", "artifact.json-value"), (1, "artifact.json-type")]
)
def test_another_word_is_refused_with_the_words_that_there_are(value: object, rule: str) -> None:
    with pytest.raises(LineError) as caught:
        node(value).one_of(("a", "b"))
    assert caught.value.rule == rule
    assert (rule == "artifact.json-type") or caught.value.seen.endswith("expected one of a, b")


def test_a_place_too_deep_to_be_located_has_the_line_of_what_is_around_it() -> None:
    text = "[\n" * 12 + "]" * 12
    assert Block(text, 1).line_of((0,) * 11) == 9


def test_a_text_that_is_no_json_has_lines_all_the_same() -> None:
    assert Block(']},:,"a\n"', 4).line_of(("a",)) == 4


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ({}, "an object"),
        ([], "an array"),
        (1, "an integer"),
        (1.5, "a number"),
    ],
)
def test_a_wrong_type_is_named(value: object, word: str) -> None:
    with pytest.raises(LineError) as caught:
        node(value).text()
    assert caught.value.seen.startswith(f"found {word} as ")


def test_a_wrong_value_is_shown_as_json_has_it() -> None:
    value: object = True
    with pytest.raises(LineError) as caught:
        node(value).check_equal("draft")
    assert caught.value.seen.startswith("found `true` as ")
    assert caught.value.seen.endswith("expected `draft`")


def test_a_key_that_stands_twice_too_deep_to_be_located_has_the_blocks_line() -> None:
    assert Block('{\n"a": 1,\n"a": 2}', 5).line_of_duplicate() == 7
    assert Block('{"a":' * 12 + '{"b": 1,\n"b": 2}' + "}" * 12, 5).line_of_duplicate() == 5
