"""Git is asked beforehand for what a command will print: plain names, none of which a link leads out of the folder."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from harness_guard.evidence.git_printed import are_plain_in_history, is_unlinked
from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.facts import GitFacts, Needs, ShellFacts
from harness_guard.shell.names import NameSource

NAMES = ("diff", "--name-only", "--no-renames", "HEAD~1..HEAD", "--")


def git(folder: Path, *words: str, text: str = "") -> str:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        environ |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b"}
    found = subprocess.run(
        ["git", "-C", str(folder), *words], check=True, env=environ, capture_output=True, input=text, text=True
    )
    return found.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "src").mkdir()
    (tmp_path / "a.txt").write_text("a\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def is_plain(folder: Path, *words: str, known: dict[str, GitFacts] | None = None) -> bool:
    source = NameSource("history", str(folder), words)
    return are_plain_in_history([source], known or {}, time.monotonic() + 10)[source]


def commit(repository: Path, name: str) -> None:
    (repository / name).parent.mkdir(parents=True, exist_ok=True)
    (repository / name).write_text("x\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", name)


@pytest.mark.contract("E3.5")
@pytest.mark.parametrize("name", ["src/x.py", "\u00e4.txt", "src/deep/er/x", "v1.0/a-b_c"])
def test_plain_names(name: str, repository: Path) -> None:
    commit(repository, name)
    assert is_plain(repository, *NAMES)


@pytest.mark.parametrize("name", ["x /etc/passwd", "-x", "a\nb", 'a"b', "a\\b", "$x", "a*", "src/a b"])
def test_odd_names(name: str, repository: Path) -> None:
    commit(repository, name)
    assert not is_plain(repository, *NAMES)


def test_a_name_that_climbs(repository: Path) -> None:
    blob = git(repository, "rev-parse", "HEAD:a.txt")
    raw = b"100644 ../x\0" + bytes.fromhex(blob)
    environ = {**os.environ}
    made = subprocess.run(
        ["git", "-C", str(repository), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        input=raw,
        capture_output=True,
        env=environ,
        check=True,
    )
    tree = made.stdout.decode().strip()
    evil = git(repository, "commit-tree", tree, "-p", "HEAD", "-m", "evil")
    assert not is_plain(repository, "diff", "--name-only", "--no-renames", f"HEAD..{evil}", "--")


def test_a_link_that_leads_out(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    commit(repository, "sub/x")
    assert is_plain(repository, *NAMES)
    (repository / "sub/x").unlink()
    (repository / "sub").rmdir()
    (repository / "sub").symlink_to(tmp_path_factory.mktemp("out"))
    assert not is_plain(repository, *NAMES)


def test_what_git_does_not_know(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert not is_plain(repository, *NAMES)  # there is no commit before the first
    assert not is_plain(tmp_path_factory.mktemp("bare"), *NAMES)


def test_git_is_not_asked_where_it_may_run_something(repository: Path) -> None:
    commit(repository, "src/x.py")
    folder = str(repository)
    odd = GitFacts(folder, f"{folder}/.git", f"{folder}/.git", reading=("the setting core.fsmonitor",))
    assert not is_plain(repository, *NAMES, known={folder: odd})
    git(repository, "config", "extensions.partialClone", "origin")
    assert not is_plain(repository, *NAMES)


def test_the_root_is_told_from_a_folder_below(repository: Path) -> None:
    assert is_plain(repository, "rev-parse", "--show-cdup")
    assert not is_plain(repository / "src", "rev-parse", "--show-cdup")


def test_git_that_names_files_from_the_folder_on(repository: Path) -> None:
    commit(repository, "src/x.py")
    git(repository, "config", "diff.relative", "false")
    assert is_plain(repository, *NAMES)
    git(repository, "config", "diff.relative", "true")
    assert not is_plain(repository, *NAMES)


def test_a_branch_that_starts_with_a_dash(repository: Path) -> None:
    refs = ("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads", "refs/tags", "refs/remotes")
    assert is_plain(repository, *refs)
    git(repository, "update-ref", "refs/heads/--output=x", "HEAD")
    assert not is_plain(repository, *refs)
    git(repository, "symbolic-ref", "HEAD", "refs/heads/-y")
    assert not is_plain(repository, "branch", "--show-current")


def test_links_directly_in_a_folder(repository: Path) -> None:
    (repository / "abc123").symlink_to("a.txt")
    (repository / "src/out").symlink_to("/etc")
    assert is_unlinked(str(repository))
    assert not is_unlinked(str(repository / "src"))
    assert not is_unlinked(str(repository / "missing"))


def test_they_are_gathered(repository: Path) -> None:
    commit(repository, "src/x.py")
    sources = (
        NameSource("history", str(repository), NAMES),
        NameSource("refs", str(repository), ("branch", "--show-current")),
        NameSource("unlinked", str(repository)),
    )
    assert gather("", Needs(names=sources), ShellFacts(), shfmt="").names == dict.fromkeys(sources, True)
