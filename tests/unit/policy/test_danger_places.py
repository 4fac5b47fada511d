"""Paths that matter to danger rules: what is vital wherever one stands, what holds the folder one stands in, git's own."""

from __future__ import annotations

import pytest

from harness_guard.policy.danger.places import is_around, is_git_own, is_precious, is_precious_to_move, is_vital

REPO = "/home/dev/repo"


@pytest.mark.contract("C7.4")
@pytest.mark.parametrize(
    ("word", "cwd", "expected"),
    [
        ("/", REPO, True),
        ("//", REPO, True),
        ("/*", REPO, True),
        ("/.*", REPO, True),
        ("/..", REPO, True),
        ("/[]", REPO, True),
        ("/root", REPO, True),
        ("/root/a", REPO, False),
        ("/bin", REPO, True),
        ("/bin/ls", REPO, True),
        ("/usr", REPO, True),
        ("/usr/lib/a/b", REPO, True),
        ("/usr/src", REPO, True),
        ("/usr/src/app", REPO, True),
        ("/usr/src/app/a", REPO, False),
        ("/usr/local/app/a", REPO, True),
        ("/System/x", REPO, True),
        ("/private/etc/x", REPO, True),
        ("/private/etc/x/y", REPO, True),
        ("/private", REPO, True),
        ("/home", REPO, True),
        ("/home/dev", REPO, True),
        ("/home/dev/a", REPO, False),
        ("/home/dev/*", REPO, True),
        ("/Users/dev", REPO, True),
        ("~", REPO, True),
        ("~/", REPO, True),
        ("~/*", REPO, True),
        ("~/a", REPO, False),
        ("~x", REPO, False),
        ("$HOME", REPO, True),
        ("${HOME}", REPO, True),
        ("$HOME/a", REPO, False),
        ("/var", REPO, True),
        ("/var/log", REPO, True),
        ("/var/lib", REPO, True),
        ("/var/log/a/b", REPO, True),
        ("/var/tmp", REPO, False),
        ("/var/tmp/a", REPO, False),
        ("/var/lib/a", REPO, False),
        ("/opt", REPO, True),
        ("/opt/a", REPO, False),
        ("/tmp", REPO, False),
        ("/tmp/*", REPO, False),
        ("/data", REPO, True),
        # What is written against the folder one stands in.
        ("..", "/home/dev", True),
        ("../..", REPO, True),
        ("../../../etc", REPO, True),
        ("../x", REPO, False),
        (".", REPO, False),
        ("build", REPO, False),
        ("*.o", REPO, False),
        ("x", "/", False),
        ("../x", "/a", True),
        (".", "/etc", True),
        ("a", "/etc", True),
        ("", REPO, False),
        ("", "", False),
        ("", "/etc", False),
        ("root", "/", True),
        # Nothing is known of the folder.
        ("a", "", False),
        ("..", "", False),
        ("/etc", "", True),
        ("~", "", True),
        ("$HOME", "", True),
        # A folder around the present one is another test's.
        ("/srv", "/srv/repo", False),
        ("/srv", "/srvx/repo", True),
    ],
)
def test_what_is_vital(word: str, cwd: str, *, expected: bool) -> None:
    assert is_vital(word, cwd) is expected


@pytest.mark.parametrize(
    ("word", "cwd", "expected"),
    [
        (".git", REPO, True),
        (".git/", REPO, True),
        (".git/*", REPO, True),
        ("a/.git", REPO, True),
        (".", f"{REPO}/.git", True),
        ("", f"{REPO}/.git", False),
        (".git/objects", REPO, True),
        (".git/objects/aa/b", REPO, True),
        (".git/refs/heads/x", REPO, True),
        (".git/hooks", REPO, True),
        (".git/config", REPO, True),
        (".git/HEAD", REPO, True),
        (".git/worktrees/x", REPO, True),
        (".git/ref*", REPO, True),
        (".git/index.lock", REPO, False),
        (".git/COMMIT_EDITMSG", REPO, False),
        ("/srv/a.git/objects", REPO, True),
        ("/srv/a.git", REPO, False),
        (".gitignore", REPO, False),
        ("git/objects", REPO, False),
        ("/", REPO, False),
        (".git", "", True),
    ],
)
def test_what_is_gits_own(word: str, cwd: str, *, expected: bool) -> None:
    assert is_git_own(word, cwd) is expected
    assert not expected or is_vital(word, cwd)


@pytest.mark.parametrize(
    ("word", "cwd", "is_lost", "is_moved", "holds"),
    [
        # Word, folder; precious to remove, precious to move, around the folder.
        (".", REPO, True, True, True),
        (".", "/etc", True, True, True),
        ("./", "/etc", True, True, True),
        ("./", REPO, True, True, True),
        ("*", REPO, True, False, True),
        ("./*", REPO, True, False, True),
        ("..", REPO, True, True, False),  # a home
        ("..", "/srv/a/b", True, True, True),
        ("../*", "/srv/a/b", True, True, True),
        ("../../*", "/srv/a/b", True, True, True),
        ("/srv/a", "/srv/a/b", True, True, True),
        ("/srv/a/.*", "/srv/a/b", True, True, True),
        ("/private/srv/a", "/srv/a/b", True, True, True),
        ("/srv/ab", "/srv/a/b", False, False, False),
        ("/srv/a/b/c", "/srv/a/b", False, False, False),
        (REPO, REPO, True, True, True),
        ("build", REPO, False, False, False),
        ("/etc", REPO, True, True, False),
        ("", REPO, False, False, False),
        # Nothing is known of the folder.
        (".", "", True, True, True),
        ("./", "", True, True, True),
        ("..", "", True, True, True),
        ("../", "", True, True, True),
        ("*", "", True, False, True),
        ("./*", "", True, False, True),
        ("../*", "", True, True, True),
        (".*", "", True, True, True),
        ("../..", "", True, True, True),
        ("a", "", False, False, False),
        ("a/..", "", False, False, False),
        ("/etc", "", True, True, False),
    ],
)
def test_what_is_not_to_be_lost(word: str, cwd: str, *, is_lost: bool, is_moved: bool, holds: bool) -> None:
    assert (is_precious(word, cwd), is_precious_to_move(word, cwd), is_around(word, cwd)) == (is_lost, is_moved, holds)
