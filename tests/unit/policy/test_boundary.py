"""What a Write Boundary covers, path by path, tree by tree and pattern by pattern."""

from __future__ import annotations

import pytest

from harness_guard.policy.boundary import (
    covers,
    covers_folder,
    covers_pattern,
    covers_reach,
    covers_tree,
    disagreements,
    entry_within,
    explain,
    matcher,
)

FILES = [
    ("src/a.py", "src/a.py", True),
    ("src/a.py", "src/a.pyc", False),
    ("src/a.py", "src/a.py/b", False),
    ("src/a.py", "x/src/a.py", False),
    ("src", "src", True),
    ("src", "src/a.py", False),
    ("src/", "src/a.py", True),
    ("src/", "src/a/b/c", True),
    ("src/", "src", False),
    ("src/", "srcs/a", False),
    ("src/*", "src/a", True),
    ("src/*", "src/a/b", False),
    ("src/*", "src", False),
    ("*", "a", True),
    ("*", "a/b", False),
    ("src/**", "src/a", True),
    ("src/**", "src/a/b", True),
    ("src/**", "src", False),
    ("**", "a", True),
    ("**", "a/b/c", True),
    ("**/", "a", True),
    ("a/**/", "a/b", True),
    ("**/**/", "a", True),
    ("**/**/", "a/b/c", True),
    ("a/**/", "a", False),
    ("**/*", "a", True),
    ("**/*", "a/b/c", True),
    ("**/x", "x", True),
    ("**/x", "a/b/x", True),
    ("**/x", "a/xx", False),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "a/x/y/bb", False),
    ("a/**/b", "b", False),
    ("a/**/*/b", "a/b", False),
    ("a/**/*/b", "a/x/b", True),
    ("a/**/**/b", "a/b", True),
    ("**/a/**", "a/x", True),
    ("**/a/**", "a/b/a/x", True),
    ("**/a/**", "x/a", False),
    ("src/*.py", "src/.py", True),
    ("src/*.py", "src/a.b.py", True),
    ("src/*.py", "src/a.js", False),
    ("src/t*t/*", "src/test/x", True),
    ("[id]/p", "[id]/p", True),
    ("[id]/p", "i/p", False),
    ("a?c", "abc", False),
    ("a?c", "a?c", True),
    ("A", "a", False),
    ("#x", "#x", True),
    ("a b", "a b", True),
    ("caf\xe9", "cafe\u0301", True),
    ("**", ".git", False),
    ("**", ".git/config", False),
    ("**", "a/.GIT/x", False),
    ("**", ".claude/settings.json", False),
    ("**", "sub/.mcp.json", False),
    ("**", ".gitignore", True),
    ("*/**", "a/.codex/x", False),
    (".*", ".git", False),
    (".*/**", ".agents/x", False),
    ("**", "", False),
    ("**", "..", False),
    ("**", "a/../b", False),
    ("**", "/a", False),
    ("**", "a//b", False),
    ("**", "./a", False),
]


@pytest.mark.contract("C4.16")
@pytest.mark.parametrize(("entry", "path", "is_inside"), FILES)
def test_covers(entry: str, path: str, *, is_inside: bool) -> None:
    assert covers((entry,), path) is is_inside
    assert covers(("nothing/here", entry), path) is is_inside
    assert covers_reach((entry,), path, reach="path") is is_inside


@pytest.mark.parametrize(
    ("entry", "path"), [(entry, path) for entry, path, _ in FILES if path[:1] not in ("", "/", ".")]
)
def test_pathspec_reads_the_same(entry: str, path: str) -> None:
    if ".." not in path and "//" not in path:
        assert disagreements((entry,), (path,)) == ()


@pytest.mark.contract("C4.16")
@pytest.mark.parametrize(("entry", "path", "is_inside"), FILES)
def test_a_matcher_for_many_paths_judges_each_alike(entry: str, path: str, *, is_inside: bool) -> None:
    is_covered = matcher(("nothing/here", entry))
    assert [is_covered(path), is_covered("nothing/here"), is_covered(path)] == [is_inside, True, is_inside]


def test_nothing_is_inside_nothing() -> None:
    assert not covers((), "a")
    assert not covers_tree((), "")
    assert not covers_pattern((), "*")
    assert disagreements((), ("a", "b/c")) == ()


def test_a_disagreement_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.policy.boundary.compile_with_pathspec", lambda _: lambda path: path == "b")
    assert disagreements(("a",), ("a", "b", "c")) == ("a", "b")


@pytest.mark.contract("C11.5")
@pytest.mark.parametrize(
    ("entry", "folder", "is_inside"),
    [
        ("src/", "src", True),
        ("src/**", "src", True),
        ("src/**", "src/a/b", True),
        ("src/", "", False),
        ("**", "", True),
        ("**", "src", True),
        ("src/*", "src", False),
        ("src/*", "src/a", False),
        ("src/a", "src/a", False),
        ("src/**/x", "src", False),
        ("src/*/**", "src", False),
        ("src/*/**", "src/a", True),
        ("**/t/**", "a/t", True),
        ("**/t/**", "a", False),
        ("**", ".git", False),
        ("**", "a/.claude/b", False),
        ("src/**", "src/..", False),
        ("src/**/*", "src/a", True),
        ("src/**/**", "src", True),
        ("src/**/**/*", "src/a", True),
        ("src/**/*/**", "src", False),
    ],
)
def test_covers_tree(entry: str, folder: str, *, is_inside: bool) -> None:
    assert covers_tree((entry,), folder) is is_inside
    assert covers_reach((entry,), folder, reach="tree") is is_inside


@pytest.mark.parametrize(
    ("entry", "folder", "is_inside"),
    [
        ("src/", "src", True),
        ("src/**", "src", True),
        ("src/*", "src/a", True),
        ("src/*", "src", False),
        ("a/b", "a", False),
    ],
)
def test_covers_folder(entry: str, folder: str, *, is_inside: bool) -> None:
    assert covers_folder((entry,), folder) is is_inside
    assert covers_reach((entry,), folder, reach="folder") is is_inside


@pytest.mark.contract("C11.5")
@pytest.mark.parametrize(
    ("entry", "pattern", "is_inside"),
    [
        ("src/**", "src/*.py", True),
        ("src/**", "src/*/x", True),
        ("src/**", "src/*/**", True),
        ("src/*", "src/*", True),
        ("src/*", "src/a*", True),
        ("src/a*", "src/*", False),
        ("src/a*", "src/ab*", True),
        ("src/*.py", "src/*", False),
        ("src/*.py", "src/*x.py", True),
        ("src/*", "src/*/x", False),
        ("src/*", "src/**", False),
        ("**", "*", True),
        ("**", ".*", False),
        ("**", ".g*", False),
        ("**", "a/.*", False),
        ("**", ".github*", True),
        ("**", ".git/*", False),
        ("src/x", "*/x", False),
        ("**/x", "*/x", True),
        ("**", "../*", False),
        ("**", ".git/**", False),
        ("**", "\u200c.git/*", False),  # HFS+ skips the character, so that is the same folder
        ("**/a", "a/**", False),
        ("**/a/*", "a/**", False),
    ],
)
def test_covers_pattern(entry: str, pattern: str, *, is_inside: bool) -> None:
    assert covers_pattern((entry,), pattern) is is_inside
    assert covers_reach((entry,), pattern, reach="pattern") is is_inside


@pytest.mark.contract("C11.7")
@pytest.mark.parametrize(
    ("boundary", "is_inside"),
    [
        (("**",), False),
        (("vendor/**",), False),
        (("vendor/*/**",), False),
        (("**/lib/**",), False),
        (("vendor/lib/**",), True),
        (("vendor/lib/",), True),
        (("vendor/lib/a.py",), True),
        (("**", "vendor/lib/a.py"), True),
        (("vendor/lib",), False),
    ],
)
def test_another_repository_must_be_spelled_out(boundary: tuple[str, ...], *, is_inside: bool) -> None:
    assert covers(boundary, "vendor/lib/a.py", nested="vendor/lib") is is_inside
    assert covers_reach(boundary, "vendor/lib/a.py", reach="path", nested="vendor/lib") is is_inside


@pytest.mark.contract("L1.6")
@pytest.mark.parametrize(
    ("child", "parent", "is_within"),
    [
        ("a", "a", True),
        ("src/a.py", "src/**", True),
        ("src/", "src/**", True),
        ("src/**", "src/", True),
        ("src/**", "src/*", False),
        ("src/*", "src/**", True),
        ("src/**/x", "src/**", True),
        ("src/**/x", "**/x", True),
        ("**/x", "src/**/x", False),
        ("a/**/b", "a/**/b", True),
        ("a/**/c/b", "a/**/b", True),
        ("a/**/b", "a/**/c/b", False),
        ("a/*/b", "a/**/b", True),
        ("a/**/b", "a/*/b", False),
        ("*.py", "*", True),
        ("*", "*.py", False),
        ("a*b*", "a*", True),
        ("a*", "a*b*", False),
        ("**", "**", True),
        ("**", "*", False),
        ("src", "src/", False),
        ("src/", "src", False),
    ],
)
def test_entry_within(child: str, parent: str, *, is_within: bool) -> None:
    assert entry_within(child, parent) is is_within


def test_explain() -> None:
    assert explain(("src/**", "tests/**")) == "`src/**`, `tests/**`"
    assert explain(()) == "`None`"


def test_a_hostile_name_takes_no_time_to_match() -> None:
    assert not covers(("*a*a*a*a*a*a*b",), "a" * 3_000)
    assert not covers(("**/a/**/a/**/a/**/b",), "/".join("a" * 500))
