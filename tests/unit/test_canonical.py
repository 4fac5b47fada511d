"""Canonical JSON, with the ``rfc8785`` package as the oracle."""

from __future__ import annotations

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from harness_guard.canonical import SAFE_INTEGER, canonical
from harness_guard.rawjson import loads

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-SAFE_INTEGER, SAFE_INTEGER) | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=20,
)


@given(value=VALUES)
@example(value={"\ue000": 1, "\U00010000": 2, "a": 3, "": 4, "\r": 5, "1": 6, "\u20ac": 7, "\x80": 8})
@example(value={"a": '\x00\x1f\x7f\x80\u2028"\\/\b\f\n\r\t'})
@example(value=[True, False, None, 0, -1, SAFE_INTEGER, -SAFE_INTEGER])
def test_the_same_bytes_as_the_oracle(value: object) -> None:
    assert canonical(value).encode() == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(value=VALUES)
def test_reading_it_back_gives_the_value(value: object) -> None:
    assert loads(canonical(value)) == value


def test_a_tuple_is_a_list() -> None:
    assert canonical((1, (2, "x"))) == '[1,[2,"x"]]'


def test_keys_are_ordered_by_utf_16_code_units() -> None:
    assert canonical({"\ue000": 1, "\U00010000": 2}) == '{"\U00010000":2,"\ue000":1}'


@pytest.mark.parametrize(
    "value", [1.0, [0.5], {"a": float("nan")}, {1: 2}, {None: 1}, b"x", {1, 2}, object(), [..., 1]]
)
def test_no_canonical_form(value: object) -> None:
    with pytest.raises(TypeError):
        canonical(value)


@pytest.mark.parametrize("value", [SAFE_INTEGER + 1, -SAFE_INTEGER - 1, ["\ud800"], {"\udfff": 1}])
def test_no_exact_form(value: object) -> None:
    with pytest.raises(ValueError, match=r"RFC 8785|surrogates"):
        canonical(value)
