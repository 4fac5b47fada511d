"""The diff revision: everything that the working tree holds counts, nothing of the user's repository is written."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from harness_guard.errors import EvidenceError
from harness_guard.evidence.diff import WorkingTree
from harness_guard.evidence.git import Git, find_root
from harness_guard.kernel.state import Baseline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness_guard.kernel.run_questions import Snapshot


class Repository:
    """A throwaway repository with its snapshots."""

    def __init__(self, folder: Path, *init: str) -> None:
        self.root = folder / "repo"
        self.run_folder = folder / "run"
        self.home = folder / "home"
        for path in (self.root, self.run_folder, self.home):
            path.mkdir()
        names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), **dict.fromkeys(names, "t@example.org")}
        self.git("init", "-q", *init)
        self.tree = WorkingTree(Git(str(self.root), self.environ), str(self.run_folder), nullcontext)
        self.baseline = Baseline("", "")
        self.caches: tuple[str, ...] = ()

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments], env=self.environ, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str = "x\n") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "c")

    def approve(self) -> None:
        """Take the baseline."""
        self.baseline = Baseline(self.tree.head(), self.tree.snapshot(self.caches))

    def now(self) -> Snapshot:
        return self.tree.against(self.baseline, self.caches)

    def changed(self) -> tuple[str, ...]:
        return self.now().changed


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    found = Repository(tmp_path)
    found.write("src/a.py", "a = 1\n")
    found.write("README.md", "read\n")
    found.write(".gitignore", "*.log\nbuild/\n")
    found.commit()
    found.approve()
    return found


@pytest.mark.contract("C8.1")
def test_an_unmoved_tree_has_one_revision(repo: Repository) -> None:
    first = repo.now()
    assert first.changed == ()
    assert first.tree == repo.baseline.tree
    assert repo.now() == first
    assert first.diff_revision.startswith("sha256:")


@pytest.mark.contract("C8.1")
def test_written_and_put_back_is_the_same_revision(repo: Repository) -> None:
    first = repo.now()
    repo.write("src/a.py", "a = 2\n")
    assert repo.now().diff_revision != first.diff_revision
    repo.write("src/a.py", "a = 1\n")
    assert repo.now() == first


@pytest.mark.contract("C8.1")
def test_the_base_is_part_of_the_revision(repo: Repository) -> None:
    moved = Baseline("0" * 40, repo.baseline.tree)
    assert repo.tree.against(moved, ()).diff_revision != repo.now().diff_revision


CHANGES: list[tuple[str, Callable[[Repository], object], tuple[str, ...]]] = [
    ("edited", lambda r: r.write("src/a.py", "a = 2\n"), ("src/a.py",)),
    ("untracked", lambda r: r.write("src/new.py"), ("src/new.py",)),
    ("removed", lambda r: (r.root / "README.md").unlink(), ("README.md",)),
    ("staged", lambda r: (r.write("src/new.py"), r.git("add", "-A")), ("src/new.py",)),
    ("committed", lambda r: (r.write("src/new.py"), r.commit()), ("src/new.py",)),
    ("renamed", lambda r: (r.root / "README.md").rename(r.root / "READ"), ("READ", "README.md")),
    ("executable", lambda r: (r.root / "src/a.py").chmod(0o755), ("src/a.py",)),
    ("line ends", lambda r: r.write("src/a.py", "a = 1\r\n"), ("src/a.py",)),
    (
        "file to link",
        lambda r: ((r.root / "README.md").unlink(), (r.root / "README.md").symlink_to("src/a.py")),
        ("README.md",),
    ),
    ("new link", lambda r: (r.root / "l").symlink_to("/etc/passwd"), ("l",)),
    (
        "folder for file",
        lambda r: ((r.root / "README.md").unlink(), r.write("README.md/x")),
        ("README.md", "README.md/x"),
    ),
    ("line end in a name", lambda r: r.write("src/a\nb"), ("src/a\nb",)),
    ("blank in a name", lambda r: r.write(" b c "), (" b c ",)),
    ("quotes in a name", lambda r: r.write('q"\\t'), ('q"\\t',)),
    ("unicode in a name", lambda r: r.write("ä漢.py"), ("ä漢.py",)),
    ("bytes in a name", lambda r: (r.root / os.fsdecode(b"\xff")).write_bytes(b"x"), (os.fsdecode(b"\xff"),)),
    ("pathspec magic in a name", lambda r: r.write(":(exclude)x"), (":(exclude)x",)),
    ("a dash in a name", lambda r: r.write("-f"), ("-f",)),
    ("nothing: an ignored file", lambda r: (r.write("x.log"), r.write("build/o")), ()),
    ("nothing: an empty folder", lambda r: (r.root / "empty").mkdir(), ()),
    ("nothing: new times", lambda r: os.utime(r.root / "src/a.py", (1, 1)), ()),
    ("nothing: read permissions", lambda r: (r.root / "src/a.py").chmod(0o600), ()),
]


@pytest.mark.contract("C8.2")
@pytest.mark.parametrize(("change", "expected"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_what_counts_as_a_change(
    repo: Repository, change: Callable[[Repository], object], expected: tuple[str, ...]
) -> None:
    before = repo.now()
    change(repo)
    after = repo.now()
    assert after.changed == expected
    assert (after.diff_revision == before.diff_revision) == (expected == ())


HIDING: list[tuple[str, Callable[[Repository], object], tuple[str, ...]]] = [
    ("a new line", lambda r: (r.write(".gitignore", "*.log\nbuild/\nevil*\n"), r.write("evil.py")), (".gitignore", "evil.py")),
    ("a new file below", lambda r: (r.write("src/.gitignore", "evil*\n"), r.write("src/evil.py")), ("src/.gitignore", "src/evil.py")),
    ("a file that ignores itself", lambda r: (r.write("out/.gitignore", "*\n"), r.write("out/d/evil")), ("out/.gitignore", "out/d/evil")),
    ("a whole folder", lambda r: (r.write(".gitignore", "*.log\nbuild/\nout/\n"), r.write("out/a"), r.write("out/b.log")), (".gitignore", "out/a")),
    ("everything", lambda r: (r.write(".gitignore", "*\n"), r.write("evil"), r.write("z.log")), (".gitignore", "evil")),
    ("a tracked file is never hidden", lambda r: (r.write(".gitignore", "*\n"), r.write("src/a.py", "a = 2\n")), (".gitignore", "src/a.py")),
    ("what was ignored stays so", lambda r: (r.write("x.log"), r.write(".gitignore", "build/\n")), (".gitignore",)),
    ("also below a folder", lambda r: (r.write("build/o/p"), r.write(".gitignore", "")), (".gitignore",)),
    ("also without the file", lambda r: (r.write("x.log"), (r.root / ".gitignore").unlink()), (".gitignore",)),
    ("also with a negation", lambda r: (r.write("x.log"), r.write(".gitignore", "*.log\nbuild/\n!x.log\n")), (".gitignore",)),
]  # fmt: skip


@pytest.mark.contract("C8.2")
@pytest.mark.parametrize(("change", "expected"), [row[1:] for row in HIDING], ids=[row[0] for row in HIDING])
def test_ignored_is_what_the_base_ignores(
    repo: Repository, change: Callable[[Repository], object], expected: tuple[str, ...]
) -> None:
    change(repo)
    assert repo.changed() == expected
    assert repo.changed() == expected  # and again, with the private index as it is now


@pytest.mark.contract("C8.2")
def test_a_hidden_file_is_followed(repo: Repository) -> None:
    repo.write("out/.gitignore", "*\n")
    repo.write("out/evil", "1")
    first = repo.now()
    repo.write("out/evil", "2")
    assert repo.now().diff_revision != first.diff_revision
    (repo.root / "out" / "evil").unlink()
    assert repo.changed() == ("out/.gitignore",)
    (repo.root / "out" / ".gitignore").unlink()
    assert repo.changed() == ()


def test_base_ignores_with_a_negation_below_a_folder(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.write(".gitignore", "out/*\n!out/keep\n")
    repo.write("a")
    repo.commit()
    repo.write("out/old")
    repo.approve()
    repo.write("out/.gitignore", "*\n")
    repo.write("out/keep")
    repo.write("out/new")
    assert repo.changed() == ("out/keep",)


def test_nested_ignore_files_of_the_base(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.write("pkg/.gitignore", "/gen\n*.tmp\n")
    repo.write("pkg/a")
    repo.commit()
    repo.approve()
    (repo.root / "pkg" / ".gitignore").unlink()
    for name in ("pkg/gen/x", "pkg/sub/y.tmp", "pkg/sub/gen", "gen"):
        repo.write(name)
    assert repo.changed() == ("gen", "pkg/.gitignore", "pkg/sub/gen")


def test_an_untracked_ignore_file_belongs_to_the_base(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.write("a")
    repo.commit()
    repo.write(".gitignore", "*.log\n")
    repo.approve()
    repo.write("x.log")
    (repo.root / ".gitignore").unlink()
    assert repo.changed() == (".gitignore",)


@pytest.mark.contract("C8.2")
def test_the_repositorys_own_exclude_file_counts_as_it_was_at_approval(repo: Repository) -> None:
    (repo.root / ".git" / "info" / "exclude").write_text("*.later\n")
    repo.write("k.later")
    assert repo.changed() == ("k.later",)


@pytest.mark.contract("C8.2")
def test_what_the_repositorys_own_exclude_file_ignored_at_approval_stays_ignored(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    (repo.root / ".git" / "info" / "exclude").write_text("*.secret\n")
    repo.write("a.txt")
    repo.approve()
    repo.write("k.secret")
    assert repo.changed() == ()


@pytest.mark.contract("C8.1")
@pytest.mark.parametrize(
    ("attributes", "before", "after"),
    [
        ("*.py ident", '"""$Id: a $"""\n', '"""$Id: """; evil(); """ $"""\n'),
        ("*.py text eol=lf", "a\n", "a\r\n"),
        ("*.py text", "a\r\n", "a\n"),
        ("*.py working-tree-encoding=UTF-16LE", "a\0\n\0", "b\0\n\0"),
        ("*.py filter=lfs", "a\n", "b\n"),
        ("*.py binary", "a\n", "b\n"),
    ],
)
@pytest.mark.parametrize("when", ["before approval", "in the run"])
def test_no_attribute_hides_bytes(tmp_path: Path, attributes: str, before: str, after: str, when: str) -> None:
    repo = Repository(tmp_path)
    repo.write("src/x.py", before)
    if when == "before approval":
        repo.write(".gitattributes", attributes + "\n")
    repo.approve()
    repo.write(".gitattributes", attributes + "\n")
    first = repo.now()
    repo.write("src/x.py", after)
    assert repo.now().diff_revision != first.diff_revision
    shown = repo.tree.diff_text(repo.baseline, repo.now().tree)
    assert after.split("\n", maxsplit=1)[0].replace("\0", "") in shown.replace("\0", "")


@pytest.mark.contract("C8.2")
def test_caches_are_left_out_wherever_they_lie(repo: Repository) -> None:
    repo.caches = ("__pycache__", ".pytest_cache")
    repo.approve()
    repo.write("src/__pycache__/a.pyc")
    repo.write(".pytest_cache/v/x")
    repo.write(".pytest_cache/.gitignore", "*\n")
    repo.write("src/__pycache__x/y")
    assert repo.changed() == ("src/__pycache__x/y",)


def test_a_file_with_a_caches_name_is_no_cache(repo: Repository) -> None:
    repo.caches = ("__pycache__",)
    repo.approve()
    repo.write("__pycache__")
    assert repo.changed() == ("__pycache__",)


@pytest.mark.contract("C8.2")
@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_flags_of_the_users_index_hide_nothing(tmp_path: Path, flag: str) -> None:
    repo = Repository(tmp_path)
    repo.write("a b")
    repo.commit()
    repo.git("update-index", flag, "a b")
    repo.approve()
    repo.write("a b", "evil")
    assert repo.changed() == ("a b",)
    assert repo.git("status", "--porcelain") == ""  # the user's own flag still stands


@pytest.mark.parametrize(
    "setting",
    [
        ("core.fileMode", "false"),
        ("core.trustctime", "false"),
        ("core.checkStat", "minimal"),
        ("core.fsmonitor", "true"),
        ("core.untrackedCache", "true"),
        ("core.splitIndex", "true"),
        ("core.autocrlf", "input"),
        ("core.sparseCheckout", "true"),
        ("index.version", "4"),
        ("core.ignoreStat", "true"),
    ],
    ids=lambda setting: setting[0],
)
def test_settings_of_the_user_hide_nothing(tmp_path: Path, setting: tuple[str, str]) -> None:
    repo = Repository(tmp_path)
    repo.write("mode")
    repo.write("text")
    repo.commit()
    repo.git("config", *setting)
    repo.git("update-index", "--refresh")
    repo.approve()
    status = (repo.root / "text").stat()
    (repo.root / "mode").chmod(0o755)
    repo.write("text", "y\n")
    os.utime(repo.root / "text", ns=(status.st_atime_ns, status.st_mtime_ns))
    repo.write("new")
    assert repo.changed() == ("mode", "new", "text")


@pytest.mark.contract("C8.1")
@pytest.mark.parametrize("driver", ["clean", "process"])
def test_content_filters_are_neither_run_nor_believed(tmp_path: Path, driver: str) -> None:
    repo = Repository(tmp_path)
    repo.write(".gitattributes", "*.bin filter=hide\n")
    repo.write("a.bin", "1")
    repo.commit()
    repo.git("config", f"filter.hide.{driver}", f"touch {tmp_path}/ran; echo same")
    repo.git("config", "filter.hide.required", "true")
    repo.approve()
    repo.write("a.bin", "2")
    assert repo.changed() == ("a.bin",)
    assert not (tmp_path / "ran").exists()


def test_no_hook_or_monitor_of_the_repository_runs(repo: Repository, tmp_path: Path) -> None:
    script = tmp_path / "hook"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    script.chmod(0o755)
    for name in ("post-index-change", "pre-commit"):
        (repo.root / ".git" / "hooks" / name).write_text(script.read_text())
        (repo.root / ".git" / "hooks" / name).chmod(0o755)
    repo.git("config", "core.fsmonitor", str(script))
    (tmp_path / "ran").unlink(missing_ok=True)
    repo.write("new")
    assert repo.changed() == ("new",)
    assert not (tmp_path / "ran").exists()


def user_files(repo: Repository) -> dict[str, str]:
    found = {}
    for folder, _, files in os.walk(repo.root / ".git"):
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as handle:
                found[path] = hashlib.sha256(handle.read()).hexdigest()
    return found


@pytest.mark.contract("C8.1")
def test_nothing_of_the_users_repository_is_written(repo: Repository) -> None:
    repo.write("src/a.py", "a = 2\n")
    repo.write("new", "never seen before")
    before = user_files(repo)
    repo.approve()
    repo.write("newer", "another one")
    repo.now()
    repo.tree.absorb(repo.baseline, ["newer"], ())
    repo.tree.diff_text(repo.baseline, repo.now().tree)
    assert user_files(repo) == before


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.write("a")
    repo.approve()
    assert repo.baseline.head == ""
    assert repo.changed() == ()
    repo.write("b")
    assert repo.changed() == ("b",)


def test_an_empty_repository(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.approve()
    assert repo.changed() == ()
    repo.write("b")
    assert repo.changed() == ("b",)


def test_sha256_object_format(tmp_path: Path) -> None:
    repo = Repository(tmp_path, "--object-format=sha256")
    repo.write("a")
    repo.commit()
    repo.approve()
    assert (len(repo.baseline.head), len(repo.baseline.tree)) == (64, 64)
    repo.write("b")
    repo.write("a", "y")
    assert repo.changed() == ("a", "b")
    absorbed = repo.tree.absorb(repo.baseline, ["b"], ())
    assert repo.tree.against(Baseline("", absorbed), ()).changed == ("a",)


def test_a_linked_worktree(repo: Repository, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "wt"))
    folder = tmp_path / "run2"
    folder.mkdir()
    tree = WorkingTree(Git(str(tmp_path / "wt"), repo.environ), str(folder), nullcontext)
    baseline = Baseline(tree.head(), tree.snapshot(()))
    (tmp_path / "wt" / "new").write_text("x")
    assert tree.against(baseline, ()).changed == ("new",)
    assert repo.changed() == ()


def test_a_nested_repository_is_seen_by_its_commit(repo: Repository) -> None:
    repo.write("nested/x")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "n"]):
        subprocess.run(["git", "-C", str(repo.root / "nested"), *command], env=repo.environ, check=True)
    assert repo.changed() == ("nested",)


def test_a_nested_repository_hidden_by_a_new_line_is_seen(repo: Repository) -> None:
    repo.write("nested/x")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "n"]):
        subprocess.run(["git", "-C", str(repo.root / "nested"), *command], env=repo.environ, check=True)
    repo.write(".gitignore", "*.log\nbuild/\nnested/\n")
    assert repo.changed() == (".gitignore", "nested")


def test_a_nested_repository_without_a_commit_shows_as_one_change(repo: Repository) -> None:
    repo.write("nested/x")
    nested = str(repo.root / "nested")
    subprocess.run(["git", "-C", nested, "init", "-q"], env=repo.environ, check=True)
    first = repo.now()
    assert first.changed == ("nested",)
    assert repo.now() == first
    repo.write("nested/y")
    repo.write("src/a.py", "a = 9\n")
    assert repo.changed() == ("nested", "src/a.py")
    shutil.rmtree(nested)
    assert repo.changed() == ("src/a.py",)


def test_absorb_takes_only_the_named_paths(repo: Repository) -> None:
    repo.write("README.md", "other\n")
    repo.write("foreign\nname", "f")
    repo.write("src/a.py", "a = 2\n")
    (repo.root / ".gitignore").unlink()
    tree = repo.tree.absorb(repo.baseline, ["README.md", "foreign\nname", ".gitignore"], ())
    after = repo.tree.against(Baseline(repo.baseline.head, tree), ())
    assert after.changed == ("src/a.py",)
    assert after.diff_revision != repo.now().diff_revision


def test_absorb_of_nothing_keeps_the_tree(repo: Repository) -> None:
    repo.write("README.md", "other\n")
    assert repo.tree.absorb(repo.baseline, [], ()) == repo.baseline.tree


def test_moved_since_names_what_was_written_and_put_back(repo: Repository) -> None:
    import time

    tree = repo.now().tree
    time.sleep(0.02)  # the kernel's clock for files ticks every few milliseconds
    started = time.time_ns()
    assert repo.tree.moved_since(tree, started) == ()
    path = repo.root / "src" / "a.py"
    status = path.stat()
    time.sleep(0.02)
    path.write_text("evil")
    path.write_text("a = 1\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert repo.now().tree == tree
    assert repo.tree.moved_since(tree, started) == ("src/a.py",)


def test_moved_since_of_a_file_that_has_vanished(repo: Repository) -> None:
    tree = repo.now().tree
    (repo.root / "README.md").unlink()
    with pytest.raises(EvidenceError, match=r"README\.md"):
        repo.tree.moved_since(tree, 0)


def test_the_diff_shows_all_of_it(repo: Repository) -> None:
    repo.write(".gitattributes", "* -diff\n*.py diff=none\n")
    repo.git("config", "diff.none.textconv", "echo hidden")
    repo.git("config", "diff.external", "echo hidden")
    repo.write("src/a.py", "a = 2\n")
    repo.write("data.bin", "\0evil\n")
    text = repo.tree.diff_text(repo.baseline, repo.now().tree)
    assert "+a = 2" in text
    assert "evil" in text
    assert "hidden" not in text.replace("diff=none", "")


@pytest.mark.contract("C8.14")
def test_a_very_long_diff_is_cut_and_says_so(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.evidence.diff._DIFF_BYTES", 100)
    repo.write("src/a.py", "a = 2\n" * 100)
    text = repo.tree.diff_text(repo.baseline, repo.now().tree)
    assert text.startswith("diff --git")
    assert "[cut at 100 bytes of " in text


def test_tracked_lists_every_name(repo: Repository) -> None:
    repo.write("ä\nb")
    repo.git("add", "-A")
    repo.write("untracked")
    assert sorted(repo.tree.tracked()) == [".gitignore", "README.md", "src/a.py", "ä\nb"]


def test_an_edit_in_the_tick_of_the_users_index_is_seen(tmp_path: Path) -> None:
    for turn in range(5):
        (tmp_path / str(turn)).mkdir()
        repo = Repository(tmp_path / str(turn))
        path = repo.write("a", "1111")
        repo.git("add", "a")
        path.write_text("2222")  # same size, maybe the same moment as the index
        tree = repo.tree.snapshot(())
        repo.write("a", "1111")
        assert repo.tree.snapshot(()) != tree


@pytest.mark.parametrize("where", ["repo", "repo/src"])
def test_the_root_of_a_working_tree(repo: Repository, tmp_path: Path, where: str) -> None:
    assert find_root(str(tmp_path / where), repo.environ) == str(repo.root)


def test_no_root_outside_git_or_in_a_bare_repository(repo: Repository, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    repo.git("init", "-q", "--bare", str(tmp_path / "bare"))
    assert find_root(str(tmp_path / "plain"), repo.environ) is None
    assert find_root(str(tmp_path / "bare"), repo.environ) is None


def test_git_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError) as caught:
        Git(str(tmp_path), {"PATH": str(tmp_path)}).run(["status"])
    assert (caught.value.rule, caught.value.seen) == ("evidence.git", "git is not on the PATH")


def test_git_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.evidence.git.GIT_TIMEOUT_S", 0.2)
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    with pytest.raises(EvidenceError, match="git took longer than"):
        Git(str(tmp_path), {"PATH": f"{tmp_path}:{os.environ['PATH']}"}).run(["status"])


def test_git_sees_nothing_of_the_hooks_environment(repo: Repository) -> None:
    environ = {
        **repo.environ,
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere/i",
        "GIT_CONFIG_COUNT": "1",
        "GIT_EXTERNAL_DIFF": "x",
    }
    assert find_root(str(repo.root), environ) == str(repo.root)


def test_git_failing_says_its_last_line(repo: Repository) -> None:
    with pytest.raises(EvidenceError) as caught:
        Git(str(repo.root), repo.environ).run(["cat-file", "blob", "0" * 40])
    assert caught.value.rule == "evidence.git"
    assert caught.value.seen.startswith("git failed: fatal:")


def test_what_ignores_itself_at_approval_is_no_change_later(repo: Repository) -> None:
    repo.write(".venv/.gitignore", "*\n")
    repo.write(".venv/lib/m.py")
    repo.approve()
    repo.write(".venv/lib/n.py")
    assert repo.changed() == ()


def test_a_tracked_file_in_a_caches_folder_still_counts(repo: Repository) -> None:
    repo.write("src/__pycache__/t.py")
    repo.git("add", "-f", "src/__pycache__/t.py")
    repo.git("commit", "-qm", "tracked")
    repo.caches = ("__pycache__",)
    repo.approve()
    repo.write("src/__pycache__/t.py", "evil\n")
    repo.write("src/__pycache__/u.pyc")
    assert repo.changed() == ("src/__pycache__/t.py",)


def test_the_users_ignore_file_counts_as_it_was_at_approval(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    ignores = repo.write("src/ignores", "*.log\n")
    repo.git("config", "core.excludesFile", str(ignores))
    repo.approve()
    repo.write("src/ignores", "*.log\nevil.py\n")
    repo.write("src/evil.py")
    repo.write("x.log")
    assert repo.changed() == ("src/evil.py", "src/ignores")


def test_letter_case_counts_where_the_disk_says_so(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.write("src/slug.py")
    repo.git("config", "core.ignoreCase", "true")
    repo.approve()
    repo.write("src/SLUG.py", "other\n")
    assert len(list((repo.root / "src").iterdir())) == len(repo.changed()) + 1
