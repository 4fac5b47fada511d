"""The boundary's two readers agree, and its orders tell the truth, on generated entries and paths."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from harness_guard.errors import ArtifactError
from harness_guard.paths import check_entry
from harness_guard.policy.boundary import (
    covers,
    covers_folder,
    covers_pattern,
    covers_tree,
    disagreements,
    entry_within,
)

NAMES = st.sampled_from(("a", "b", "ab", "aab", "ba", ".a", "a.b", "?", "[a]", "a b", "#a", "!a", "é", "{a,b}"))
GLOBS = st.sampled_from(("*", "a*", "*b", "a*b", "*a*", "**", ".*", "*.b"))
ENTRIES = st.builds(
    lambda segments, end: "/".join(segments) + end,
    st.lists(NAMES | GLOBS, min_size=1, max_size=5),
    st.sampled_from(("", "/")),
)
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)
FEW = st.sampled_from(("a", "b", "ab", "*", "**", "a*", "*b"))
FEW_ENTRIES = st.lists(FEW, min_size=1, max_size=4).map("/".join)
MANY_PATHS = ["/".join(names) for count in (1, 2, 3, 4) for names in product(("a", "b", "ab"), repeat=count)]
ODD_TEXT = st.text(alphabet="ab*./~!\\ :?[]#\n\x00é\u202e", max_size=12)


def allowed(entry: str) -> bool:
    try:
        check_entry(entry)
    except ArtifactError:
        return False
    return True


@pytest.mark.contract("C4.19")
@given(boundary=st.lists(ENTRIES, max_size=3), paths=st.lists(PATHS, min_size=1, max_size=20))
@example(boundary=["a/**/**/b"], paths=["a/b", "a/x/b"])
@example(boundary=["a/**/*"], paths=["a", "a/b", "a/b/c"])
@example(boundary=["**/", "a/**/"], paths=["a", "a/b", "b"])
def test_pathspec_agrees(boundary: list[str], paths: list[str]) -> None:
    entries = tuple(entry for entry in boundary if allowed(entry))
    assert disagreements(entries, paths) == ()


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(entry=ODD_TEXT, path=PATHS)
def test_pathspec_agrees_on_whatever_entry_is_allowed(entry: str, path: str) -> None:
    assume(allowed(entry))
    assert disagreements((entry,), (path,)) == ()


@given(child=FEW_ENTRIES, parent=FEW_ENTRIES)
def test_within_means_that_nothing_is_covered_that_was_not(child: str, parent: str) -> None:
    if entry_within(child, parent):
        assert [path for path in MANY_PATHS if covers((child,), path) and not covers((parent,), path)] == []


@given(entry=ENTRIES)
def test_every_entry_is_within_itself_and_within_everything(entry: str) -> None:
    assume(allowed(entry))
    assert entry_within(entry, entry)
    assert entry_within(entry, "**")


@given(entry=FEW_ENTRIES)
def test_a_covered_tree_covers_all_below_it(entry: str) -> None:
    trees = [folder for folder in MANY_PATHS if covers_tree((entry,), folder)]
    assert [folder for folder in trees if not covers_folder((entry,), folder)] == []
    assert [folder for folder in trees for tail in ("a", "b/ab") if not covers((entry,), f"{folder}/{tail}")] == []


@given(entry=FEW_ENTRIES, pattern=st.lists(FEW.filter(lambda name: name != "**"), min_size=1, max_size=4).map("/".join))
def test_a_covered_pattern_covers_all_that_it_matches(entry: str, pattern: str) -> None:
    if covers_pattern((entry,), pattern):
        assert [path for path in MANY_PATHS if covers((pattern,), path) and not covers((entry,), path)] == []


@given(boundary=st.lists(ENTRIES, max_size=3), more=ENTRIES, path=PATHS)
def test_entries_only_add(boundary: list[str], more: str, path: str) -> None:
    entries = tuple(boundary)
    assert not covers(entries, path) or covers((*entries, more), path)


@pytest.mark.contract("C1.7", "C4.18")
@given(
    boundary=st.lists(ENTRIES, min_size=1, max_size=3),
    before=st.lists(NAMES, max_size=2),
    name=st.sampled_from((".git", ".GIT", ".claude", ".Codex", ".agents", ".mcp.json", ".MCP.json")),
    after=st.lists(NAMES, max_size=2),
)
def test_no_boundary_covers_the_control_plane(
    boundary: list[str], before: list[str], name: str, after: list[str]
) -> None:
    path = "/".join((*before, name, *after))
    assert not covers((*boundary, "**", path), path)
    assert not covers_tree((*boundary, "**", path + "/"), path)
    assert not covers_pattern((*boundary, "**"), path)
