"""Which names come apart, or look like an option, and which entries of a boundary accept such names."""

from __future__ import annotations

import pytest

from harness_guard.policy.odd_name import is_odd, lets_names_stray, odd_part, spells_odd


@pytest.mark.parametrize(
    ("segment", "expected"),
    [
        ("a.py", False),
        ("a-b_c.d+e", False),
        ("[id].tsx", False),
        ("$param.tsx", False),
        ("(group)", False),
        ("@scope", False),
        ("~x", False),
        ("日本", False),
        ("*.txt", False),
        ("**", False),
        ("-x", True),
        ("--", True),
        ("a b", True),
        ("a\tb", True),
        ("a\nb", True),
        ("a\u00a0b", True),
        ("a\x01b", True),
        ("a\x7fb", True),
        ("a\udfffb", True),
        ("a'b", True),
        ('a"b', True),
        ("a\\b", True),
        ("**.txt", True),
        ("x\ud800y", True),
        ("a\ue000b", True),
        ("a!b", False),
        ("HEAD", False),
    ],
)
def test_a_name_is_odd_where_it_comes_apart_or_looks_like_an_option(segment: str, *, expected: bool) -> None:
    assert is_odd(segment) == expected


@pytest.mark.parametrize(
    ("relative", "expected"),
    [
        ("", ""),
        ("src/a.py", ""),
        ("src/a b", "src/a b"),
        ("src/a b/c.py", "src/a b"),
        ("a b/c d/e", "a b/c d"),
        ("-x/y", "-x"),
        ("src/HEAD", "src/HEAD"),
        ("src/head", "src/head"),
        ("src/Head/a", ""),
    ],
)
def test_the_odd_part_ends_with_the_last_odd_segment(relative: str, expected: str) -> None:
    assert odd_part(relative) == expected


@pytest.mark.parametrize(
    ("entry", "spells", "strays"),
    [
        ("src/**", False, False),
        ("**", False, False),
        ("src/*.py", False, False),
        ("src/**/*_test.py", False, False),
        ("src/a*b*", False, True),
        ("src/a b/**", True, True),
        ("src/* copy.txt", True, True),
        ("-x", True, True),
        ("src/HEAD", True, True),
        ("src/HEAD/**", False, False),
    ],
)
def test_what_an_entry_accepts(entry: str, *, spells: bool, strays: bool) -> None:
    assert (spells_odd(entry), lets_names_stray(entry)) == (spells, strays)
