"""Strict JSON in: the standard library's values, and its refusals, and the stricter ones of the contract."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_guard.rawjson import JsonError, loads

ROOT = Path(__file__).parents[2]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from((None, 1)))
def test_reads_what_the_standard_library_writes(value: object, *, ascii_only: bool, indent: int | None) -> None:
    assert loads(json.dumps(value, ensure_ascii=ascii_only, indent=indent)) == value


@given(text=st.text(alphabet='{}[]",:0123456789.eE+-\\untrfalsNI \n\x00', max_size=20))
def test_accepts_no_more_than_the_standard_library(text: str) -> None:
    try:
        ours = loads(text)
    except JsonError:
        return
    assert json.loads(text) == ours


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "}",
        "[1,]",
        "[1 2]",
        '{"a" 1}',
        '{"a":1,}',
        "{1:2}",
        "{'a':1}",
        '"',
        '"\\x"',
        '"\\u12"',
        '"a\nb"',
        '"\x00"',
        "nul",
        "True",
        "01",
        "1.",
        ".5",
        "+1",
        "1 2",
        "{} {}",
        "NaN",
        "Infinity",
        "-Infinity",
        "[NaN]",
        '{"a":1,"a":1}',
        '{"a":1,"\\u0061":2}',
        '[{"b":{"a":1,"a":2}}]',
        "// c\n1",
        "\ufeff1",
        "\xa01",
        "1\x0c",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(JsonError):
        loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1,"a":1}', "duplicate key 'a'"),
        ("[NaN]", "NaN is no JSON"),
        ("{} x", "text behind the JSON value at character 2"),
        ("", "no JSON value at character 0"),
    ],
)
def test_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(JsonError, match=f"^{message}$"):
        loads(text)


def test_more_text_may_be_allowed() -> None:
    assert loads(' {"a": 1} {"b"', allow_more=True) == {"a": 1}
    with pytest.raises(JsonError):
        loads('{"a": 1', allow_more=True)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000])
def test_endless_nesting_is_an_error_and_no_crash(text: str) -> None:
    with pytest.raises(RecursionError):
        loads(text)


@pytest.mark.parametrize("text", ["{", "nul", '"\\x"', "[1,]", '{"a":1,"a":1}', "NaN"])
def test_refuses_the_same_while_the_json_package_is_not_loaded(text: str) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from harness_guard.rawjson import JsonError, loads\n"
        "assert 'json' not in sys.modules\n"
        "try: loads(sys.argv[2])\nexcept JsonError: print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(ROOT), text],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_reading_loads_no_slow_module() -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from harness_guard.rawjson import loads\n"
        "assert loads('{\"a\": [1, 2.5, true, null]}') == {'a': [1, 2.5, True, None]}\n"
        "print(sorted({'json', 're', 'enum', 'typing'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(ROOT)], check=True, capture_output=True, text=True
    )
    assert done.stdout == "[]\n"
