"""The same case rows, run by real bash in a throwaway folder: what was written is among what was predicted."""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.analysis import ShellFacts, Surroundings, analyse
from harness_guard.shell.effects import Effects, Write

ROWS = [
    json.loads(line)
    for file in sorted((Path(__file__).parents[1] / "cases/shell").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
]
# Rows that are harmless to run: they read, or write below the working folder or the home folder made here.
HARMLESS = [row for row in ROWS if row["kind"] != "unknown" and "rg " not in row["cmd"] and "jq " not in row["cmd"]]
FILES = {"a.txt": "a\nb\n", "b.txt": "b\n", "a": "1\n", "src/x.py": "x\n", "docs/y.txt": "y\n", "link-to/z": "z\n"}


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for top, folders, files in os.walk(folder):
        if "/.git" in top:
            continue
        for name in (*folders, *files):
            path = Path(top) / name
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (status.st_mode, status.st_ino, content)
    return {path: value for path, value in found.items() if "/.git" not in path}


@pytest.mark.contract("E2.1", "E4.2")
@pytest.mark.parametrize("row", HARMLESS, ids=lambda row: row["id"])
def test_written_is_predicted(row: dict[str, str], tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "repo"
    home.mkdir()
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "link").symlink_to("link-to")
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=environ)
    facts = ShellFacts()
    where = Surroundings(str(root), str(root), str(home), git_folders=(f"{root}/.git",))
    found = analyse(row["cmd"], where, facts)
    while not isinstance(found, Effects):
        facts = gather(row["cmd"], found, facts, shfmt=str(Path(sys.executable).parent / "shfmt"))
        found = analyse(row["cmd"], where, facts)
    assert found.unknown == ()
    before = snapshot(tmp_path)
    subprocess.run(
        ["bash", "-c", row["cmd"]],
        cwd=root,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    after = snapshot(tmp_path)
    written = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    missed = [path for path in written if not any(covers(write, path) for write in found.writes)]
    assert missed == []


def covers(write: Write, path: str) -> bool:
    real = os.path.realpath(write.path)
    plain = os.path.normpath(write.path)
    inside = path.startswith((f"{real}/", f"{plain}/"))
    if write.search is not None:
        name = path.rpartition("/")[2]
        names = path.removeprefix(real).split("/") if write.kind == "tree" else [name]
        globs = [f"{glob.removesuffix(write.search.cut)}{write.search.add}" for glob in write.search.names]
        meant = any(fnmatch.fnmatch(name, glob) for name in names for glob in globs)
        return (inside or path in {real, plain}) and meant
    # ``mkdir -p`` makes the folders on the way; they lie above what it names.
    above = f"{plain}/".startswith(f"{path}/")
    return path in {real, plain} or (write.kind == "tree" and inside) or above or fnmatch.fnmatch(path, plain)


def test_there_are_rows_to_run() -> None:
    assert len(HARMLESS) > 70
