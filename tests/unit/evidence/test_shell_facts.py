"""Facts from real processes: readers and git, in real folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.evidence.shell_facts import LONGEST_FILE, gather, read_text
from harness_guard.shell.facts import FileText, GitFacts, GitQuestion, Needs, Readings, ShellFacts

SHFMT = str(Path(sys.executable).parent / "shfmt")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "home").mkdir()
    folder = tmp_path / "repo"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def git_facts(folder: Path) -> GitFacts:
    return gather("", Needs((), (str(folder),)), ShellFacts(), shfmt=SHFMT).git[str(folder)]


def setting(folder: Path, name: str, value: str) -> None:
    subprocess.run(["git", "-C", str(folder), "config", name, value], check=True)


def test_readings() -> None:
    facts = gather("", Needs(("ls", "ls '", "a\0b")), ShellFacts(), shfmt=SHFMT)
    assert facts.readings["ls"].is_bash
    assert facts.readings["ls"].tree.startswith("{")
    assert facts.readings["ls '"] == Readings("", "shfmt cannot read it", is_bash=False)
    assert facts.readings["a\0b"] == Readings("", "the text is not plain UTF-8", is_bash=False)


def test_nothing_of_the_text_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    gather("", Needs((f"touch {mark}", f"set +n\ntouch {mark}")), ShellFacts(), shfmt=SHFMT)
    assert not mark.exists()


def test_a_missing_reader_refuses() -> None:
    facts = gather("", Needs(("ls",)), ShellFacts(), shfmt="/nonexistent/shfmt")
    assert facts.readings["ls"] == Readings("", "shfmt cannot read it", is_bash=True)


def test_a_slow_reader_is_ended(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    facts = gather("", Needs(("ls",)), ShellFacts(), shfmt=str(slow), time_limit_s=0.3)
    assert facts.readings["ls"].refusal == "shfmt cannot read it"


def test_known_facts_are_kept() -> None:
    known = ShellFacts({"x": Readings("", "y", is_bash=False)}, {})
    assert gather("", Needs(), known, shfmt=SHFMT) == known


def test_a_quiet_repository(repo: Path) -> None:
    assert git_facts(repo) == GitFacts(str(repo), f"{repo}/.git", f"{repo}/.git")


@pytest.mark.contract("E5.1")
@pytest.mark.parametrize(
    ("name", "value", "reads", "writes"),
    [
        ("core.fsmonitor", "./x", True, True),
        ("core.fsmonitor", "false", False, False),
        ("diff.external", "./x", True, True),
        ("diff.pdf.textconv", "./x", True, True),
        ("filter.x.clean", "./x", True, True),
        ("filter.lfs.clean", "git-lfs clean -- %f", False, False),
        ("filter.lfs.clean", "./x", True, True),
        ("commit.gpgsign", "true", False, True),
        ("user.name", "x", False, False),
        ("remote.origin.promisor", "true", True, True),
        ("log.showSignature", "true", True, True),
        ("pretty.signed", "%h %G?", True, True),
        ("format.pretty", "%h %s", False, False),
        ("trailer.sign.cmd", "./x", False, True),
        ("trailer.sign.key", "Sign", False, False),
        ("gpg.program", "./x", False, False),
        ("includeIf.onbranch:side.path", "x", False, True),
        ("gc.recentObjectsHook", "./x", False, True),
        ("gc.repackFilterTo", "/tmp", False, True),
    ],
)
def test_settings_that_run_something(repo: Path, *, name: str, value: str, reads: bool, writes: bool) -> None:
    setting(repo, name, value)
    found = git_facts(repo)
    assert (bool(found.reading), bool(found.writing)) == (reads, writes)


@pytest.mark.contract("E5.1")
@pytest.mark.parametrize(
    ("name", "value", "moves", "asks"),
    [
        ("merge.x.driver", "./x", True, False),
        ("merge.x.name", "x", False, False),
        ("merge.autoStash", "true", True, False),
        ("merge.autoStash", "false", False, False),
        ("rebase.autoStash", "true", True, False),
        ("merge.verifySignatures", "true", True, False),
        ("branch.main.mergeOptions", "-s x", True, False),
        ("submodule.recurse", "true", True, False),
        ("core.sparseCheckout", "true", True, False),
        ("gpg.program", "./x", True, False),
        ("gpg.ssh.program", "./x", True, False),
        ("tar.x.command", "./x", True, False),
        ("format.outputDirectory", "/tmp", True, False),
        ("format.suffix", "/../x", True, False),
        ("core.sshCommand", "./x", False, True),
        ("core.gitProxy", "./x", False, True),
        ("core.askPass", "./x", False, True),
        ("credential.helper", "!./x", False, True),
        ("credential.https://x.invalid.helper", "!./x", False, True),
        ("http.proxy", "x.invalid", False, True),
        ("url.ext::x.insteadOf", "https:", False, True),
        ("protocol.ext.allow", "always", False, True),
        ("remote.origin.uploadPack", "./x", False, True),
        ("remote.origin.vcs", "x", False, True),
        ("remotes.origin", "other", False, True),
        ("branch.main.remote", "ext::x", False, True),
        ("branch.main.remote", ".", False, False),
        ("core.alternateRefsCommand", "./x", False, True),
        ("init.templateDir", "./x", False, True),
        ("remote.origin.url", "https://x.invalid/y", False, False),
        ("merge.ff", "only", False, False),
    ],
)
def test_settings_that_steer_moves_and_remotes(repo: Path, *, name: str, value: str, moves: bool, asks: bool) -> None:
    setting(repo, name, value)
    found = git_facts(repo)
    assert (bool(found.moving), bool(found.asking), found.reading) == (moves, asks, ())


@pytest.mark.parametrize(
    ("name", "value", "asks"),
    [
        ("core.sshCommand", "ssh -i key", False),
        ("credential.helper", "store", False),
        ("url.git@x.invalid:.insteadOf", "https://x.invalid/", False),
        ("init.templateDir", "~/templates", True),
        ("remote.origin.uploadPack", "./x", True),
    ],
)
def test_the_users_own_settings_lead_where_the_user_wants(repo: Path, *, name: str, value: str, asks: bool) -> None:
    subprocess.run(["git", "config", "--global", name, value], check=True)
    assert bool(git_facts(repo).asking) is asks


def test_remotes_and_submodules(repo: Path) -> None:
    setting(repo, "remote.origin.url", "https://x.invalid/y")
    subprocess.run(["git", "-C", str(repo), "config", "--add", "remote.origin.url", "ext::x"], check=True)
    setting(repo, "remote.a.b.url", "git@x.invalid:y")
    found = git_facts(repo)
    assert found.remotes == (
        ("origin", "https://x.invalid/y"),
        ("origin", "ext::x"),
        ("a.b", "git@x.invalid:y"),
    )
    assert not found.has_submodules
    (repo / ".gitmodules").write_text("")
    assert git_facts(repo).has_submodules


def test_signing_of_tags(repo: Path) -> None:
    setting(repo, "tag.gpgSign", "true")
    assert git_facts(repo).writing == ("a signing program",)


def test_a_question_is_answered_beside_the_facts(repo: Path) -> None:
    folder = str(repo)
    question = GitQuestion(folder, "stash")
    known = gather("", Needs((), (folder,)), ShellFacts(), shfmt=SHFMT)
    found = gather("", Needs(moves=(question,)), known, shfmt=SHFMT)
    assert found.git[folder].answers == {question: None}  # there is no commit yet
    again = gather("", Needs(moves=(GitQuestion(folder, "commit", ("main",)),)), found, shfmt=SHFMT)
    assert set(again.git[folder].answers) == {question, GitQuestion(folder, "commit", ("main",))}
    elsewhere = GitQuestion("/elsewhere", "stash")
    assert gather("", Needs(moves=(elsewhere,)), known, shfmt=SHFMT) == known


@pytest.mark.contract("E5.1")
def test_hooks(repo: Path) -> None:
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    assert git_facts(repo).writing == ()
    hook.chmod(0o755)
    assert (git_facts(repo).reading, git_facts(repo).writing) == ((), ("the hook pre-commit",))
    setting(repo, "core.hooksPath", "elsewhere")
    assert git_facts(repo).writing == ()


def test_a_configuration_file_inside_the_working_tree(repo: Path) -> None:
    (repo / "more").write_text("[user]\n\tname = x\n")
    setting(repo, "include.path", str(repo / "more"))
    may = f"what a configuration file of the working tree may name: {repo}/more"
    assert git_facts(repo).reading == (may, f"what a configuration file of the working tree names: {repo}/more")


@pytest.mark.contract("E5.1")
@pytest.mark.parametrize(
    ("key", "value", "is_told"),
    [
        ("include.path", "../later", True),
        ("includeIf.onbranch:x.path", "../later", True),
        ("include.path", "own", False),
        ("include.path", "../../later", False),
        ("include.path", "/nowhere/later", False),
        ("include.path", "~/later", False),
    ],
)
def test_a_configuration_file_that_may_come_to_lie_in_the_working_tree(
    repo: Path, key: str, value: str, *, is_told: bool
) -> None:
    setting(repo, key, value)
    told = f"what a configuration file of the working tree may name: {value}"
    assert git_facts(repo).reading == ((told,) if is_told else ())


@pytest.mark.contract("E4.4")
def test_variables(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "./x")
    assert git_facts(repo).reading == ("what the variable GIT_EXTERNAL_DIFF names",)


def test_a_planted_repository_is_seen_by_its_folder(repo: Path) -> None:
    bare = repo / "src/bare"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    assert git_facts(bare).git_folder == str(bare)
    assert git_facts(bare / "refs").git_folder == str(bare)
    (repo / "link").mkdir()
    (repo / "link/.git").write_text("gitdir: ../src/bare\n")
    assert git_facts(repo / "link").git_folder == str(bare)


def test_a_repository_without_a_working_tree_has_no_top(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path)], check=True)
    found = git_facts(tmp_path)
    assert (found.top, found.git_folder, found.common_folder) == ("", str(tmp_path), str(tmp_path))


def test_outside_every_repository(tmp_path: Path) -> None:
    found = git_facts(tmp_path)
    assert (found.top, found.git_folder, found.common_folder) == ("", "", "")


@pytest.mark.parametrize("option", [(), ("--bare",)])
def test_a_line_end_in_a_folders_name_tells_nothing(tmp_path: Path, option: tuple[str, ...]) -> None:
    odd = tmp_path / "a\nb"
    odd.mkdir()
    subprocess.run(["git", "init", "-q", *option, str(odd)], check=True)
    found = git_facts(odd)
    seen = ("a folder that git does not tell, or that has a line end in its name",)
    assert (found.top, found.git_folder, found.reading, found.writing) == ("", "", seen, seen)


def test_the_text_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("touch x\n")
    (tmp_path / "link").symlink_to("a.sh")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "nul").write_bytes(b"a\0b")
    (tmp_path / "long").write_text("x" * (LONGEST_FILE + 1))
    os.mkfifo(tmp_path / "pipe")
    read = {
        name: read_text(str(tmp_path / name)) for name in ("a.sh", "link", "binary", "nul", "long", "pipe", ".", "no")
    }
    whole = FileText(is_there=True, text="touch x\n")
    unread = FileText(is_there=True)
    assert read == {
        "a.sh": whole,
        "link": whole,
        **dict.fromkeys(("binary", "nul", "long", "pipe", "."), unread),
        "no": FileText(is_there=False),
    }
