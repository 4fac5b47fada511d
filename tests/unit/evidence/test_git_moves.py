"""What git's plumbing answers about a move: every path that it would write, or nothing where that cannot be told."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from harness_guard.evidence.git_moves import answer
from harness_guard.records import replace
from harness_guard.shell.facts import GitFacts, GitQuestion


class Repo:
    """A repository with a branch ``main`` and a branch ``side``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "x")
        self.git("config", "user.email", "x@example.com")
        self.put(**{"a": "1\n2\n3\n4\n5\n6\n", "b/x": "b\n", "b/y": "y\n", "c/z": "z\n"})
        self.commit()
        self.git("branch", "side")

    def git(self, *words: str, text: str = "") -> str:
        done = subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True, input=text)
        return done.stdout

    def put(self, **files: str | None) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text)

    def commit(self, **files: str | None) -> None:
        self.put(**files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def on_side(self, **files: str | None) -> None:
        self.git("checkout", "-q", "side")
        self.commit(**files)
        self.git("checkout", "-q", "main")

    def asks(self, kind: str, *words: str, folder: str = "") -> list[str] | None:
        """Give the paths that are answered, a folder's whole with a slash behind it."""
        top = str(self.root)
        question = GitQuestion(f"{top}{folder}", kind, words)  # type: ignore[arg-type]
        found = answer(question, GitFacts(top, f"{top}/.git", f"{top}/.git"), time.monotonic() + 10)
        if found is None:
            return None
        return sorted(write.path.removeprefix(f"{top}/") + "/" * (write.kind == "tree") for write in found)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Repo(tmp_path / "repo")


def test_a_checkout_writes_what_differs(repo: Repo) -> None:
    repo.on_side(**{"a": "other\n", "new/x": "n\n", "c/z": None})
    assert repo.asks("checkout", "side") == ["a", "c", "c/z", "new/x"]
    assert repo.asks("checkout", "side", "detach") == ["a", "c", "c/z", "new/x"]
    assert repo.asks("checkout", "HEAD") == []
    assert repo.asks("checkout", "main") == []


def test_a_folder_that_keeps_something_stays(repo: Repo) -> None:
    repo.on_side(**{"c/z": None})
    repo.put(**{"c/untracked": "u\n"})
    assert repo.asks("checkout", "side") == ["c/z"]


def test_what_is_no_commit_is_a_path_or_a_branch_of_one_remote(repo: Repo) -> None:
    assert repo.asks("checkout", "a") == ["a/"]
    assert repo.asks("checkout", "x", folder="/b") == ["b/x/"]
    assert repo.asks("checkout", "nothing") == ["nothing/"]
    assert repo.asks("checkout", "a", "detach") is None
    repo.on_side(new="n\n")
    repo.git("update-ref", "refs/remotes/origin/far", "side")
    assert repo.asks("checkout", "far") == ["new"]
    repo.put(far="a file of that name\n")
    assert repo.asks("checkout", "far") is None
    repo.put(far=None)
    repo.git("update-ref", "refs/remotes/other/far", "main")
    assert repo.asks("checkout", "far") is None
    repo.git("update-ref", "refs/remotes/or/igin/deep", "side")
    assert repo.asks("checkout", "deep") == ["new"]


def test_one_name_for_two_commits_is_no_answer(repo: Repo) -> None:
    repo.on_side(new="n\n")
    repo.git("tag", "same", "side")
    assert repo.asks("checkout", "same") == ["new"]
    repo.git("branch", "same", "main")
    assert repo.asks("checkout", "same") is None
    assert repo.asks("commit", "same") is None


def test_whether_a_word_is_a_commit(repo: Repo) -> None:
    assert repo.asks("commit", "side") == []
    assert repo.asks("commit", "a") is None
    assert repo.asks("commit", "HEAD^{commit}") == []
    repo.git("tag", "-a", "-m", "x", "v1")
    assert repo.asks("commit", "v1") == []
    assert repo.asks("commit", "HEAD@{0}^7") is None
    assert repo.asks("commit", "HEAD^{tree}") is None


@pytest.mark.parametrize("name", [".gitattributes", "b/.gitattributes", ".gitmodules", "b/.GitAttributes"])
def test_files_that_steer_git_are_no_answer(repo: Repo, name: str) -> None:
    repo.on_side(**{name: "x\n"})
    assert repo.asks("checkout", "side") is None
    assert repo.asks("merge", "side", "quiet") is None
    assert repo.asks("pick", "side") is None


@pytest.mark.contract("E5.3")
def test_links_and_submodules_are_no_answer(repo: Repo) -> None:
    repo.git("checkout", "-q", "side")
    (repo.root / "link").symlink_to("/etc")
    repo.commit()
    repo.git("checkout", "-q", "main")
    assert repo.asks("checkout", "side") is None
    repo.git("checkout", "-q", "-b", "sub")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.git('rev-parse', 'HEAD').strip()},sub")
    repo.git("commit", "-q", "-m", "x")
    repo.git("checkout", "-q", "main")
    assert repo.asks("checkout", "sub") is None


def test_what_stands_in_the_way_is_no_answer(repo: Repo) -> None:
    repo.on_side(**{"new/x": "n\n", "d": "d\n"})
    (repo.root / "new").symlink_to("/etc")
    assert repo.asks("checkout", "side") is None
    (repo.root / "new").unlink()
    (repo.root / "new").write_text("a file\n")
    assert repo.asks("checkout", "side") is None
    (repo.root / "new").unlink()
    assert repo.asks("checkout", "side") == ["d", "new/x"]
    (repo.root / "d").mkdir()
    assert repo.asks("checkout", "side") is None


def test_where_git_would_run_something_nothing_is_asked(repo: Repo) -> None:
    top = str(repo.root)
    facts = GitFacts(top, f"{top}/.git", f"{top}/.git")
    question = GitQuestion(top, "checkout", ("side",))
    assert answer(question, facts, time.monotonic() + 10) == ()
    for odd in (replace(facts, reading=("x",)), replace(facts, moving=("x",)), replace(facts, top="")):
        assert answer(question, odd, time.monotonic() + 10) is None
    assert answer(question, facts, time.monotonic() - 1) is None


def test_a_merge_writes_what_the_other_side_changed(repo: Repo) -> None:
    repo.on_side(**{"b/x": "changed\n", "b/new": "n\n"})
    assert repo.asks("merge", "side") == ["b/new", "b/x"]  # it only moves the branch
    assert repo.asks("merge", "side", "no-ff") is None  # an editor
    repo.git("config", "merge.ff", "false")
    assert repo.asks("merge", "side") is None
    repo.git("config", "--unset", "merge.ff")
    repo.commit(a="mine\n")
    assert repo.asks("merge", "side") is None
    assert repo.asks("merge", "side", "quiet") == ["b/new", "b/x"]
    assert repo.asks("merge", "main", "quiet") == []
    repo.put(**{"c/z": "not committed\n"})
    assert repo.asks("merge", "side", "quiet") == ["b/new", "b/x", "c/z"]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({"b/x": None, "moved": "b\n"}, {"b/x": "changed\n"}),  # their change follows my rename
        ({"b/x": None, "b/y": None, "n/x": "b\n", "n/y": "y\n"}, {"b/new": "n\n"}),  # their file follows my folder
        ({"b/new": "n\n"}, {"b/x": None, "b/y": None, "n/x": "b\n", "n/y": "y\n"}),  # my file follows theirs
        ({"new": "n\n"}, {"new/x": "n\n"}),
        ({"new/x": "n\n"}, {"new": "n\n"}),
        ({"b/x": "mine\n"}, {"b/x": None}),
    ],
)
def test_a_merge_that_may_write_elsewhere_is_no_answer(
    repo: Repo, mine: dict[str, str | None], theirs: dict[str, str | None]
) -> None:
    repo.on_side(**theirs)
    repo.commit(**mine)
    assert repo.asks("merge", "side", "quiet") is None
    assert repo.asks("rebase", "side") is None
    assert repo.asks("pick", "side") is None


def test_an_archive_with_marks_in_its_files_is_no_answer(repo: Repo) -> None:
    assert repo.asks("archive", "HEAD") == []
    assert repo.asks("archive", "nothing") is None
    info = repo.root / ".git/info/attributes"
    info.parent.mkdir(exist_ok=True)
    info.write_text("a export-subst\n")
    assert repo.asks("archive", "HEAD") is None
    info.write_text("")
    repo.commit(**{"b/.gitattributes": "x export-subst\n"})
    assert repo.asks("archive", "HEAD") is None
    assert repo.asks("archive", "HEAD~1") == []


def test_picks(repo: Repo) -> None:
    repo.on_side(**{"b/x": "changed\n"})
    repo.on_side(new="n\n")
    assert repo.asks("pick", "side") == ["new"]
    assert repo.asks("pick", "side~1") == ["b/x"]
    assert repo.asks("revert", "side~1") == ["b/x"]
    assert repo.asks("pick", "main") is None  # it has no parent
    repo.git("merge", "-q", "--no-ff", "-m", "x", "side")
    assert repo.asks("revert", "HEAD") is None  # it has two


def test_a_rebase_writes_what_either_side_changed(repo: Repo) -> None:
    repo.on_side(**{"b/x": "changed\n"})
    assert repo.asks("rebase", "side") == ["b/x"]
    repo.commit(a="mine\n")
    assert repo.asks("rebase", "side") == ["a", "b/x"]
    assert repo.asks("rebase", "HEAD~1") == []
    repo.git("merge", "-q", "--no-ff", "-m", "x", "side")
    repo.on_side(new="n\n")
    assert repo.asks("rebase", "side") is None  # one of the own commits is a merge


def test_a_stash_writes_all_that_was_changed(repo: Repo) -> None:
    assert repo.asks("stash") == []
    repo.put(**{"a": "changed\n", "staged/new": "n\n", "b/x": None, "u/v": "u\n", "w": "w\n"})
    repo.git("add", "staged")
    assert repo.asks("stash") == ["a", "b/x", "staged", "staged/new"]
    assert repo.asks("stash", "untracked") == ["a", "b/x", "staged", "staged/new", "u/", "w"]


def test_a_stash_is_taken_back(repo: Repo) -> None:
    assert repo.asks("unstash", "0") is None
    repo.put(**{"a": "changed\n", "u/v": "u\n"})
    repo.git("stash", "-u")
    repo.put(**{"b/x": "changed\n"})
    repo.git("stash")
    assert repo.asks("unstash", "0") == ["b/x"]
    assert repo.asks("unstash", "1") == ["a", "u/v"]
    assert repo.asks("unstash", "2") is None
    repo.commit(**{"b/x": None, "moved": "b\n"})
    assert repo.asks("unstash", "0") is None


PATCH = "--- a/b/x\n+++ b/b/x\n@@ -1 +1 @@\n-b\n+changed\n"
NEW = "diff --git a/n/m b/n/m\nnew file mode 100644\n--- /dev/null\n+++ b/n/m\n@@ -0,0 +1 @@\n+n\n"


@pytest.mark.parametrize(
    ("patch", "words", "paths"),
    [
        (PATCH, (), ["b/x"]),
        (PATCH + NEW, (), ["b/x", "n/m"]),
        (PATCH.replace("a/b/x", "b/x").replace("b/b/x", "b/x"), ("-p0",), ["b/x"]),
        (PATCH, ("--directory=c",), ["c/b/x"]),
        (NEW.replace("100644", "120000"), (), None),
        (PATCH.replace("a/b/x", "a/../x").replace("b/b/x", "b/../x"), (), None),
        ("diff --git a/b/x b/n\nsimilarity index 100%\nrename from b/x\nrename to n\n", (), None),
        ("diff --git a/b/x b/n\nsimilarity index 100%\ncopy from b/x\ncopy to n\n", (), None),
        (PATCH.replace("b/x", ".gitattributes"), (), None),
        ("no patch\n", (), None),
        (f"diff --git a/b/x b/a\n{PATCH.replace('+++ b/b/x', '+++ b/a')}", (), ["a", "b/x"]),
    ],
)
def test_a_patch_names_its_files(repo: Repo, *, patch: str, words: tuple[str, ...], paths: list[str] | None) -> None:
    file = repo.root.parent / "x.patch"
    file.write_text(patch)
    assert repo.asks("apply", *words, "--", str(file)) == paths
    assert repo.asks("apply", *words, "--", "-", patch) == paths
    assert repo.asks("apply", *words, "--", str(file), folder="/b") is None  # names are told from the root
