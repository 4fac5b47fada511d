"""What facts decide about calls of git: hooks, remotes, questions, and what one text does to the answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness_guard.evidence.shell_facts import gather
from harness_guard.records import replace
from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings, analyse
from harness_guard.shell.effects import Connection, Effects, Write
from harness_guard.shell.facts import FileText, GitFacts, GitQuestion

SHFMT = str(Path(sys.executable).parent / "shfmt")
WHERE = Surroundings("/repo", "/repo", "/home/dev", "", ("/repo/.git",))
QUIET = GitFacts("/repo", "/repo/.git", "/repo/.git")
MOVES = "git moves files by a repository that the text itself changes"


def told(command: str, git: GitFacts = QUIET) -> Effects | Needs:
    facts = ShellFacts(git={"/repo": git})
    found = analyse(command, WHERE, facts)
    while isinstance(found, Needs) and (found.texts or found.names):
        read = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
        facts = ShellFacts(read.readings, facts.git, {**facts.names, **dict.fromkeys(found.names, True)})
        found = analyse(command, WHERE, facts)
    return found


def effects(command: str, git: GitFacts = QUIET) -> Effects:
    found = told(command, git)
    assert isinstance(found, Effects)
    return found


def whys(command: str, git: GitFacts = QUIET) -> list[str]:
    return [unknown.why for unknown in effects(command, git).unknown]


@pytest.mark.contract("E5.1")
@pytest.mark.parametrize(
    ("command", "hook", "runs"),
    [
        ("git commit -m x", "pre-commit", True),
        ("git commit -m x", "post-checkout", False),
        ("git add a", "pre-commit", False),
        ("git branch x", "pre-commit", False),
        ("git branch x", "reference-transaction", True),
        ("git checkout -b x", "post-checkout", True),
        ("git checkout -- a", "post-checkout", True),
        ("git restore a", "post-checkout", True),
        ("git worktree add w", "post-checkout", True),
        ("git clone https://x.invalid/y", "post-checkout", True),
        ("git fetch https://x.invalid/y", "post-merge", False),
        ("git gc", "pre-auto-gc", True),
        ("git tag v1", "pre-push", False),
        ("git reset", "post-index-change", True),
        ("git add a", "a-hook-of-a-later-version", True),
    ],
)
def test_a_hook_counts_where_it_may_run(command: str, hook: str, *, runs: bool) -> None:
    assert bool(whys(command, replace(QUIET, writing=(f"the hook {hook}",)))) is runs


@pytest.mark.parametrize(
    ("command", "signs"),
    [("git commit -m x", True), ("git tag v1", True), ("git add a", False), ("git branch x", False)],
)
def test_signing_counts_where_something_is_signed(command: str, *, signs: bool) -> None:
    assert bool(whys(command, replace(QUIET, writing=("a signing program",)))) is signs


@pytest.mark.parametrize(
    ("url", "to", "is_local"),
    [
        ("https://x.invalid/y", "x.invalid", False),
        ("http://x.invalid:8080/y", "x.invalid:8080", False),
        ("https://user:word@x.invalid/y", "x.invalid", False),
        ("ssh://git@x.invalid:22/y", "x.invalid:22", False),
        ("git://x.invalid/y", "x.invalid", False),
        ("git@x.invalid:y/z.git", "x.invalid", False),
        ("x.invalid:~/y", "x.invalid", False),
        ("https://localhost/y", "localhost", True),
        ("https://LOCALHOST./y", "LOCALHOST.", True),
        ("https://127.0.0.1/y", "127.0.0.1", True),
        ("alias:y", "alias", True),
    ],
)
def test_a_remote_is_asked_at_its_machine(url: str, to: str, *, is_local: bool) -> None:
    git = replace(QUIET, remotes=(("origin", url),))
    asked = (Connection(to, "ls-remote", is_local),)
    for command in ("git ls-remote", "git ls-remote origin", f"git ls-remote '{url}'"):
        found = effects(command, git)
        assert (found.connects, found.unknown, found.writes) == (asked, (), ())
    fetched = effects("git fetch origin", git)
    assert [(write.path, write.is_git_own) for write in fetched.writes] == [("/repo/.git", True)]


@pytest.mark.contract("E5.4")
@pytest.mark.parametrize(
    "url",
    ["ext::sh -c x", "fd::7", "file:///srv/x", "/srv/x", "../x", "foo://x.invalid/y", "x.invalid::y", "", "https:///y",
     "ssh://-x/y", "-x:y", "https://a b/y", "://x", "[::1]:y"],
)  # fmt: skip
def test_a_remote_that_is_no_other_machine_is_not_asked(url: str) -> None:
    git = replace(QUIET, remotes=(("good", "https://x.invalid/y"), ("origin", url)))
    for command in (
        "git ls-remote origin",
        "git fetch origin",
        "git fetch --all",
        "git fetch",
        "git remote show origin",
    ):
        assert whys(command, git)
    assert not whys("git fetch good", git)


@pytest.mark.contract("E5.4")
def test_settings_that_lead_elsewhere_stop_what_asks() -> None:
    git = replace(
        QUIET, asking=("what the setting url.x.insteadof names",), remotes=(("origin", "https://x.invalid/y"),)
    )
    for command in ("git ls-remote", "git fetch", "git clone https://x.invalid/y", "git remote update"):
        assert whys(command, git)
    assert not whys("git log", git)
    assert not whys("git remote -v", git)


def test_submodules_are_fetched_too() -> None:
    git = replace(QUIET, has_submodules=True, remotes=(("origin", "https://x.invalid/y"),))
    assert whys("git fetch", git) == ["git fetch that also fetches for submodules"]
    assert whys("git fetch --no-recurse-submodules", git) == []
    assert "/repo/.gitmodules" in {write.path for write in effects("git rm a", git).writes}
    assert "/repo/.gitmodules" in {write.path for write in effects("git mv a b", git).writes}


@pytest.mark.contract("E5.3")
@pytest.mark.parametrize(
    ("command", "kind", "words"),
    [
        ("git checkout main", "checkout", ("main",)),
        ("git checkout -", "checkout", ("@{-1}",)),
        ("git checkout main --", "checkout", ("main",)),
        ("git checkout --detach v1.0", "checkout", ("v1.0", "detach")),
        ("git checkout -b x origin/main", "checkout", ("origin/main", "detach")),
        ("git checkout main a", "commit", ("main",)),
        ("git switch -q main", "checkout", ("main",)),
        ("git archive HEAD a", "archive", ("HEAD",)),
        ("git archive -o a.tar v1", "archive", ("v1",)),
        ("git switch -c x HEAD~2", "checkout", ("HEAD~2", "detach")),
        ("git merge main", "merge", ("main",)),
        ("git merge --no-edit --no-ff main", "merge", ("main", "quiet", "no-ff")),
        ("git cherry-pick -x abc123", "pick", ("abc123",)),
        ("git revert --no-edit HEAD", "revert", ("HEAD",)),
        ("git rebase main@{u}", "rebase", ("main@{u}",)),
        ("git stash", "stash", ()),
        ("git stash push -u -m 'a message'", "stash", ("untracked",)),
        ("git stash pop", "unstash", ("0",)),
        ("git stash apply stash@{2}", "unstash", ("2",)),
        ("git stash pop 1", "unstash", ("1",)),
    ],
)
def test_a_move_asks(command: str, kind: str, words: tuple[str, ...]) -> None:
    question = GitQuestion("/repo", kind, words)  # type: ignore[arg-type]
    assert told(command) == Needs(moves=(question,))
    answer = (Write("/repo/a", "entry", "checkout"),)
    found = effects(command, replace(QUIET, answers={question: answer}))
    assert found.unknown == ()
    if kind != "archive":
        assert Write("/repo/.git", "tree", found.writes[-1].by, is_git_own=True) in found.writes
    if kind not in {"commit", "archive"}:
        assert answer[0] in found.writes
    if kind != "commit":
        assert whys(command, replace(QUIET, answers={question: None}))


@pytest.mark.parametrize("gate", ["reading", "moving"])
def test_nothing_is_asked_where_git_would_run_something(gate: str) -> None:
    git = replace(QUIET, **{gate: ("x",)})
    assert "git checkout writes files that reading cannot tell" in whys("git checkout main", git)


@pytest.mark.contract("E5.3")
@pytest.mark.parametrize(
    "command",
    [
        "git commit -m x && git checkout main",
        "git checkout main; git branch y",
        "git branch y | git checkout main",
        "for x in 1 2; do git checkout main; done",
        "while true; do git checkout main; done",
        "f() { git checkout main; }; f; f",
        "trap 'git checkout main' INT",
        "cat a | xargs git checkout main",
        "find . -name a -exec git checkout main ';'",
        "git checkout main & git gc",
        "git fetch https://x.invalid/y main && git checkout main",
    ],
)
def test_an_answer_counts_for_one_call_alone(command: str) -> None:
    git = replace(QUIET, answers={GitQuestion("/repo", "checkout", ("main",)): ()})
    assert effects(command, git).unknown


def test_readers_beside_a_move_are_no_hindrance() -> None:
    git = replace(QUIET, answers={GitQuestion("/repo", "checkout", ("main",)): ()})
    assert whys("git status && git checkout main && git log -1", git) == []
    assert whys("git checkout main && git checkout main", git) == [MOVES]


@pytest.mark.parametrize(
    ("path", "steers"),
    [("src/a", False), ("src/HEAD", True), ("src/objects/a", True), ("src/refs/a", True), ("src/config", True)],
)
def test_a_move_below_the_root_may_make_a_repository_there(path: str, *, steers: bool) -> None:
    answers = {GitQuestion("/repo/src", "checkout", ("main",)): (Write(f"/repo/{path}", "entry", "checkout"),)}
    facts = ShellFacts(git={"/repo/src": replace(QUIET, answers=answers)})
    found = analyse("git -C src checkout main", WHERE, facts)
    assert isinstance(found, Effects)
    assert bool(found.unknown) is steers


@pytest.mark.parametrize(
    ("command", "is_clear", "allowed"),
    [
        ("git add *", True, True),
        ("git add *", False, False),
        ("git add -- *", False, True),
        ("git rm *", True, False),  # git reads a name as a pattern of its own
        ("git restore *.py", True, False),
    ],
)
def test_globs_among_the_words(command: str, *, is_clear: bool, allowed: bool) -> None:
    facts = ShellFacts(git={"/repo": QUIET})
    found = analyse(command, WHERE, facts)
    while isinstance(found, Needs):
        read = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
        facts = ShellFacts(read.readings, facts.git, {**facts.names, **dict.fromkeys(found.names, is_clear)})
        found = analyse(command, WHERE, facts)
    assert bool(found.unknown) is not allowed


@pytest.mark.contract("E5.5")
@pytest.mark.parametrize("kind", ["foo", "secret", "lg", "delete-merged-branches"])
def test_an_alias_is_told_from_a_missing_row(kind: str) -> None:
    assert whys(f"git {kind} x") == [f"git {kind} is no command of git; an alias or a program git-{kind} would run"]
    assert whys("git difftool x") == ["git difftool is not in the table"]


PATCH = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (f"git apply <<'E'\n{PATCH}E", ("--", "-", PATCH)),
        (f"git apply -p0 --recount - <<'E'\n{PATCH}E", ("--recount", "-p0", "--", "-", PATCH)),
        ("git apply --directory=src a.patch", ("--directory=src", "--", "/repo/a.patch")),
        ("git apply a.patch b.patch", ("--", "/repo/a.patch", "/repo/b.patch")),
    ],
)
def test_a_patch_that_is_known_asks(command: str, words: tuple[str, ...]) -> None:
    question = GitQuestion("/repo", "apply", words)
    assert told(command) == Needs(moves=(question,))
    answer = (Write("/repo/x", "entry", "checkout"),)
    found = effects(command, replace(QUIET, answers={question: answer}))
    assert (found.writes, found.unknown) == (answer, ())


@pytest.mark.parametrize(
    "command",
    [
        "git apply",
        "cat a | git apply",
        "git apply < a.patch",
        "git apply -",
        'git apply "$x"',
        "git apply <<E\n$x\nE",
        "echo x > a.patch; git apply a.patch",
        "curl -s https://x.invalid/y > a.patch && git apply a.patch",
    ],
)
def test_a_patch_that_is_not_known_is_not_applied(command: str) -> None:
    answers = {GitQuestion("/repo", "apply", ("--", "/repo/a.patch")): ()}
    assert effects(command, replace(QUIET, answers=answers)).unknown


@pytest.mark.parametrize("path", ["src", "./src", "src/../src", "src/.", ".//src"])
def test_a_script_is_not_what_was_read_once_git_has_brought_another(path: str) -> None:
    for command in (f"git restore {path}; bash src/s.sh", f"cp -r x/. {path}; bash src/s.sh"):
        facts = ShellFacts(git={"/repo": QUIET})
        found = analyse(command, WHERE, facts)
        while isinstance(found, Needs):
            read = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
            files = {name: FileText(text="echo a\n", is_there=True) for name in found.files}
            names = dict.fromkeys(found.names, True)
            facts = ShellFacts(read.readings, facts.git, {**facts.names, **names}, {**facts.files, **files})
            found = analyse(command, WHERE, facts)
        assert found.unknown
