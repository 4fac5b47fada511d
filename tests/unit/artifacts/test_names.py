"""Ids and paths of files: what artifacts have a spelling for."""

from __future__ import annotations

import pytest

from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.names import is_file_path, read_identifier
from harness_guard.artifacts.strict_json import Block, Node


@pytest.mark.contract("C4.29")
@pytest.mark.parametrize("path", ["a", ".env", "a/b.py", "a/...", "..a/b..", "a b/c", "ä/漢.py", "[x]/*.py", "a:b"])
def test_a_file_has_one_spelling(path: str) -> None:
    assert is_file_path(path)


@pytest.mark.contract("C4.29")
@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "./a",
        "a/.",
        "a/../b",
        "a\\b",
        " a",
        "a ",
        "a\tb",
        "a\nb",
        "a\u200bb",
        "\udcff",
    ],
)
def test_every_other_spelling_is_none(path: str) -> None:
    assert not is_file_path(path)


@pytest.mark.contract("C4.14")
@pytest.mark.parametrize("text", ["V1", "R1-F1", "a", "a_b-C", "A" * 32])
def test_an_id(text: str) -> None:
    assert read_identifier(Node(text, (), Block("", 1)), example="V1") == text


@pytest.mark.contract("C4.14")
@pytest.mark.parametrize("text", ["1", "-a", "_a", "a.b", "a b", "ä", "A" * 33])
def test_what_is_no_id(text: str) -> None:
    with pytest.raises(LineError) as caught:
        read_identifier(Node(text, ("id",), Block("", 1)), example="V1")
    assert caught.value.rule == "artifact.json-value"
    assert caught.value.seen == f"found `{text}` as `id`, expected an id such as `V1`"
