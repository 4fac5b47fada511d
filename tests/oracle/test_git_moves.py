"""Moves of git in random repositories, run by real git: what was written is among what was predicted."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.analysis import ShellFacts, Surroundings, analyse
from harness_guard.shell.effects import Effects

SHFMT = str(Path(sys.executable).parent / "shfmt")
COMMANDS = (
    "git checkout side",
    "git checkout -q side",
    "git switch side",
    "git switch --detach side",
    "git checkout HEAD~1",
    "git checkout -b new side",
    "git checkout far",
    "git checkout a",
    "git checkout b/x",
    "git checkout side a",
    "git checkout HEAD -- b",
    "git merge --no-edit side",
    "git merge side",
    "git merge --ff-only side",
    "git merge --no-ff -m x side",
    "git merge --squash side",
    "git cherry-pick side",
    "git cherry-pick side~1",
    "git cherry-pick --no-commit side",
    "git revert --no-edit HEAD",
    "git revert --no-edit HEAD~1",
    "git revert --no-edit side",
    "git stash",
    "git stash -u",
    "git stash push -k -m x",
    "git stash pop",
    "git stash apply",
    "git stash apply stash@{1}",
    "git rebase side",
    "git rebase side~1",
    "git rebase far",
    "git worktree add c/w side",
    "git reset HEAD~1",
    "git format-patch -1",
    "git format-patch -2 -o out",
)
NAMES = ("a", "b/x", "b/y", "b/n/z", "c/x", "d", "c/o/x", "e/f/g/h", "ignored/x")


class World:
    """A repository with two branches that a seed made."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.root, self.random = folder, folder / "repo", random.Random(seed)
        (folder / "home").mkdir()
        self.environ = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8",
            "GIT_EDITOR": "false",
        }
        self.git("init", "-q", "-b", "main", str(self.root), cwd=folder)
        self.git("config", "user.name", "x")
        self.git("config", "user.email", "x@example.com")
        (self.root / ".gitignore").write_text("ignored/\n")
        for name in NAMES:
            if self.random.random() < 0.7:
                self.write(name)
        self.commit()
        for branch in ("side", "main", "side", "main"):
            self.git("checkout", "-q", *(["-b"] if branch == "side" and not self.has("side") else []), branch)
            for _ in range(self.random.randint(0, 3)):
                self.change()
            self.commit()
        if self.random.random() < 0.5:
            self.git("update-ref", "refs/remotes/origin/far", "side")
            self.git("config", "remote.origin.url", "https://x.invalid/y")
            self.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        for _ in range(self.random.randint(0, 2)):
            self.change()
            self.git("stash", *(["-u"] if self.random.random() < 0.5 else []))
        if self.random.random() < 0.5:
            self.change()
            if self.random.random() < 0.5:
                self.git("add", "-A")
                self.change()

    def git(self, *words: str, cwd: Path | None = None) -> bool:
        done = subprocess.run(["git", *words], cwd=cwd or self.root, env=self.environ, capture_output=True, check=False)
        return done.returncode == 0

    def has(self, branch: str) -> bool:
        return self.git("rev-parse", "-q", "--verify", branch)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", str(self.random.random()))

    def write(self, name: str) -> None:
        path = self.root / name
        if any(parent.is_file() or parent.is_symlink() for parent in path.parents) or path.is_dir():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{name} {index}\n" for index in range(12)]
        lines[self.random.randrange(12)] = f"{self.random.random()}\n"
        path.write_text("".join(lines))

    def change(self) -> None:
        """Write, remove or rename files and folders."""
        files = [path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts]
        kind = self.random.choice(["write", "write", "new", "remove", "rename", "folder", "link", "swap"])
        if kind == "new":
            self.write(self.random.choice(["n", "b/new", "c/new", "b/n/new", "e/f/new", "new/x/y", "ignored/y"]))
        elif kind == "remove" and files:
            self.random.choice(files).unlink()
        elif kind == "rename" and files:
            source = self.random.choice(files)
            target = self.root / self.random.choice(["r", "b/r", "new/r", "c/r"])
            if not target.exists() and target.parent.is_dir():
                source.rename(target)
        elif kind == "folder":
            source = self.root / self.random.choice(["b", "c", "e", "e/f"])
            target = self.root / self.random.choice(["moved", "b/moved", "new"])
            if source.is_dir() and target.parent.is_dir() and not target.exists() and source not in target.parents:
                source.rename(target)
        elif kind == "link" and not os.path.lexists(self.root / "l"):
            (self.root / "l").symlink_to(self.random.choice(["a", "b", "../home"]))
        elif kind == "swap" and files:
            path = self.random.choice(files)
            path.unlink()
            path.mkdir()
            (path / "inner").write_text("x\n")
        else:
            self.write(self.random.choice(NAMES))

    def effects(self, command: str, monkeypatch: pytest.MonkeyPatch) -> Effects:
        for name, value in self.environ.items():
            monkeypatch.setenv(name, value)
        where = Surroundings(str(self.root), str(self.root), self.environ["HOME"], "", (f"{self.root}/.git",))
        facts = ShellFacts()
        found = analyse(command, where, facts)
        while not isinstance(found, Effects):
            facts = gather(command, found, facts, shfmt=SHFMT)
            found = analyse(command, where, facts)
        return found

    def snapshot(self) -> dict[str, tuple[int, int, int]]:
        found = {}
        for top, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if name != ".git"]
            for name in (*folders, *files):
                status = os.lstat(f"{top}/{name}")
                is_folder = name in folders and not os.path.islink(f"{top}/{name}")
                found[f"{top}/{name}"] = (status.st_mode, status.st_ino, 0 if is_folder else status.st_mtime_ns)
        return found


def is_predicted(path: str, effects: Effects) -> bool:
    for write in effects.writes:
        if path == write.path or write.path.startswith(f"{path}/"):  # a folder is made on the way
            return True
        if write.kind == "tree" and path.startswith(f"{write.path}/"):
            return True
        if write.path.endswith("*.patch") and path.endswith(".patch"):
            return True
    return False


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 100_000), command=st.sampled_from(COMMANDS))
def test_a_move_writes_what_was_predicted(
    seed: int, command: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path_factory.mktemp("world"), seed)
    found = world.effects(command, monkeypatch)
    if found.unknown:
        return
    before = world.snapshot()
    subprocess.run(
        ["bash", "-c", command], cwd=world.root, env=world.environ, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=20, check=False,
    )  # fmt: skip
    after = world.snapshot()
    written = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert sorted(path for path in written if not is_predicted(path, found)) == []


def test_moves_are_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, 0)
    world.git("stash", "clear")
    world.git("reset", "-q", "--hard")
    world.git("clean", "-fdxq")
    world.git("checkout", "-q", "main")
    world.git("checkout", "-q", "-B", "side")
    (world.root / "new").mkdir()
    (world.root / "new/x").write_text("x\n")
    world.commit()
    world.git("checkout", "-q", "main")
    new = {f"{world.root}/new/x", f"{world.root}/.git"}
    for command in ("git checkout side", "git switch side", "git merge side", "git cherry-pick side"):
        found = world.effects(command, monkeypatch)
        assert ({write.path for write in found.writes}, found.unknown) == (new, ())
    back = world.effects("git checkout side && git checkout main", monkeypatch)
    assert [unknown.why for unknown in back.unknown] == ["git moves files by a repository that the text itself changes"]
    for command in (
        "for x in 1 2; do git stash pop; done",
        "trap 'git checkout side' INT",
        "git gc; git checkout side",
    ):
        assert world.effects(command, monkeypatch).unknown
