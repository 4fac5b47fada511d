"""What no tool call may edit: places by path, and names at any depth."""

from __future__ import annotations

import pytest

from harness_guard.errors import StateError
from harness_guard.policy.control_plane import (
    ControlPlane,
    from_json,
    key_read_by,
    named_in,
    protected_by,
    reaches,
    to_json,
)
from harness_guard.records import replace

PLANE = ControlPlane(
    root="/home/u/repo",
    plugin_root="/opt/plugin",
    data="/home/u/.claude/plugins/data/harness-m",
    homes=("/home/u/.claude", "/home/u/dotfiles/codex"),
    git_dirs=("/srv/main/.git/worktrees/repo", "/srv/main/.git", "/home/u/.gitconfig", "/home/u/.config/git"),
    hook_dirs=("/home/u/repo/.husky",),
    files=("/home/u/.claude.json",),
)


@pytest.mark.contract("C11.1")
@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/opt/plugin", "the guard's own files"),
        ("/opt/plugin/hooks/harness_guard.py", "the guard's own files"),
        ("/OPT/Plugin/x", "the guard's own files"),
        ("/home/u/.claude/plugins/data/harness-m/key", "the guard's data"),
        ("/home/u/.claude/settings.json", "the hosts' settings"),
        ("/home/u/.CLAUDE/settings.json", "the hosts' settings"),
        ("/home/u/dotfiles/codex/config.toml", "the hosts' settings"),
        ("/home/u/.claude.json", "the hosts' settings"),
        ("/home/u/repo/.husky/pre-commit", "git hooks"),
        ("/home/u/.gitconfig", "git's own files"),
        ("/home/u/.config/git/config", "git's own files"),
        ("/srv/main/.git/config", "git's own files"),
        ("/home/u/repo/.git", "git's own files"),
        ("/home/u/repo/sub/.Git/hooks/pre-commit", "git's own files"),
        ("/home/u/repo/.claude/settings.json", "the hosts' settings"),
        ("/home/u/repo/a/b/.codex", "the hosts' settings"),
        ("/home/u/repo/.agents/x", "the hosts' settings"),
        ("/home/u/repo/.mcp.json", "the hosts' settings"),
        ("/home/u/repo/.MCP.json", "the hosts' settings"),
        ("/home/u/other/.git/config", "git's own files"),
        ("/home/u/repository/.claude/x", "the hosts' settings"),
        ("/opt/plugins", None),
        ("/opt", None),
        ("/home/u/repo", None),
        ("/home/u/repo/src/a.py", None),
        ("/home/u/repo/.github/x", None),
        ("/home/u/.claudette", None),
        ("/home/u/.bashrc", None),
        ("/home/u/.config/gitx", None),
    ],
)
def test_protected_by(path: str, what: str | None) -> None:
    assert protected_by(PLANE, path) == what
    if what is not None:
        assert reaches(PLANE, path) == what


@pytest.mark.contract("C11.1")
def test_a_root_below_a_protected_name_is_judged_from_the_root_on() -> None:
    plane = ControlPlane("/r/.claude/worktrees/w", "/opt/p", "/opt/d")
    assert protected_by(plane, "/r/.claude/worktrees/w") is None
    assert protected_by(plane, "/r/.claude/worktrees/w/src/a.py") is None
    assert protected_by(plane, "/r/.claude/worktrees/w/.claude/a") == "the hosts' settings"
    assert protected_by(plane, "/r/.claude/worktrees/v/src/a.py") == "the hosts' settings"
    assert protected_by(plane, "/r/.claude/settings.json") == "the hosts' settings"


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/", "the guard's own files"),
        ("/opt", "the guard's own files"),
        ("/home/u", "the guard's data"),
        ("/home/u/.config", "git's own files"),
        ("/home/u/dotfiles", "the hosts' settings"),
        ("/home/u/repo", "git hooks"),
        ("/srv", "git's own files"),
        ("/home/u/repo/src", None),
        ("/home/u/rep", None),
    ],
)
def test_reaches(path: str, what: str | None) -> None:
    assert reaches(PLANE, path) == what


@pytest.mark.contract("C11.1")
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("/opt/plugin", "the guard's own files"),
        ("cat '/OPT/Plugin/hooks/x' > y", "the guard's own files"),
        ("x=/home/u/.claude/plugins/data/harness-m/key;", "the guard's data"),
        ("*** Update File: /home/u/.claude/settings.json", "the hosts' settings"),
        ("/home/u/.claude.json", "the hosts' settings"),
        ("see /home/u/.gitconfig", "git's own files"),
        ("core.hooksPath /home/u/repo/.husky", "git hooks"),
        ("/home/u/repo/src/a.py", None),
        ("opt/plugi /home/u", None),
        ("", None),
    ],
)
def test_named_in(text: str, what: str | None) -> None:
    assert named_in(PLANE, text) == what


def test_a_root_of_everything_is_named_by_no_text() -> None:
    assert named_in(replace(PLANE, hook_dirs=("/",)), "/etc/x and /home") is None
    assert named_in(replace(PLANE, hook_dirs=("/h",)), "a /h/x") == "git hooks"


@pytest.mark.parametrize(
    ("path", "recursive", "is_read"),
    [
        ("/home/u/.claude/plugins/data/harness-m/key", False, True),
        ("/home/u/.claude/plugins/data/harness-m/KEY", False, True),
        ("/home/u/.claude/plugins/data/harness-m/key/x", False, True),
        ("/home/u/.claude/plugins/data/harness-m", True, True),
        ("/home/u/.claude/plugins/data/harness-m", False, False),
        ("/", True, True),
        ("/", False, False),
        ("/home/u/.claude/plugins/data/harness-m/runs/s/state.json", True, False),
        ("/home/u/.claude/plugins/data/harness-m/keys", True, False),
        ("/home/u/repo", True, False),
    ],
)
def test_key_read_by(path: str, *, recursive: bool, is_read: bool) -> None:
    assert key_read_by(PLANE, path, recursive=recursive) is is_read


def test_a_reader_is_taken_for_recursive_unless_told_otherwise() -> None:
    assert key_read_by(PLANE, "/home/u")


def test_json_and_back() -> None:
    value = to_json(PLANE)
    assert list(value) == ["root", "plugin_root", "data", "homes", "git_dirs", "hook_dirs", "files"]
    assert from_json(value) == PLANE


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("root", "repo", "a value that is no absolute path"),
        ("data", None, "a value that is no absolute path"),
        ("homes", "/x", "a value that is no list"),
        ("files", [1], "a value that is no absolute path"),
        ("more", [], "members data, files, git_dirs, homes, hook_dirs, more, plugin_root, root"),
    ],
)
def test_malformed(name: str, value: object, found: str) -> None:
    with pytest.raises(StateError) as caught:
        from_json(to_json(PLANE) | {name: value})
    assert (caught.value.rule, caught.value.seen) == (
        "state.control-plane",
        f"the stored control plane is malformed: found {found}",
    )
    with pytest.raises(StateError):
        from_json({})
