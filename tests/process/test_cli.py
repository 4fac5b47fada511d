"""The command line as a process, started as the README says: the whole demonstration, and one that must fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.cli.rehearsal.scenes import SCENES
from tests.e2e.hosts.world import copy_tracked, snapshot

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A clean copy of this checkout whose generated files are current."""
    root = copy_tracked(ROOT, tmp_path / "the plugin")
    subprocess.run([sys.executable, str(root / "hooks" / "harness_guard.py"), "manifests"], check=True)
    return root


@pytest.fixture
def environ(tmp_path: Path, runtime: Path) -> dict[str, str]:
    """A user without settings, whose cache folder has the packages already."""
    for name in ("home", "temporary", "cache"):
        (tmp_path / name).mkdir()
    shutil.copytree(runtime, tmp_path / "cache" / "harness-guard")
    places = {"HOME": "home", "TMPDIR": "temporary", "XDG_CACHE_HOME": "cache"}
    return {"PATH": os.environ["PATH"]} | {name: str(tmp_path / folder) for name, folder in places.items()}


def run(plugin: Path, environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(plugin / "hooks" / "harness_guard.py"), *arguments]
    return subprocess.run(argv, env=environ, cwd="/", capture_output=True, text=True, check=False, timeout=300)


def test_the_demonstration_plays_a_whole_run(plugin: Path, environ: dict[str, str], tmp_path: Path) -> None:
    before = snapshot(plugin)
    done = run(plugin, environ, "demo")
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1]) == (0, f"All {len(SCENES)} answers are what they have to be."), done.stdout
    shown = [line.split(". ", 1)[1] for line in lines if line[:2].strip().isdigit()]
    assert shown == [f"{scene.event}: {scene.tried}" for scene in SCENES]
    assert "    -> DENIED: boundary.outside: `Write` would write `README.md`" in done.stdout
    assert "    -> DENIED: evidence.red: required verification is red: V1 `sh tests/check.sh` exited 1." in lines
    assert snapshot(plugin) == before, "nothing is written below the plugin"
    assert list((tmp_path / "home").iterdir()) == []
    assert list((tmp_path / "temporary").iterdir()) == []
    cache = tmp_path / "cache" / "harness-guard"
    assert (list((cache / "active").iterdir()), list((cache / "runs").iterdir())) == ([], [])


def test_a_guard_that_lets_everything_pass_fails_the_demonstration(plugin: Path, environ: dict[str, str]) -> None:
    launcher = plugin / "hooks" / "launch.sh"
    text = launcher.read_text()
    launcher.write_text(f'[ "$harness_event" != PreToolUse ] || exit 0\n{text}')
    done = run(plugin, environ, "demo")
    assert done.returncode == 1
    assert "    UNEXPECTED: the verdict is silent, expected denied" in done.stdout
    assert " answers are not what they have to be" in done.stdout.splitlines()[-1]


def test_wrong_usage_and_a_missing_run_as_a_shell_sees_them(plugin: Path, environ: dict[str, str]) -> None:
    wrong = run(plugin, environ, "frobnicate")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "No such command 'frobnicate'" in wrong.stderr
    missing = run(plugin, environ, "artifact", "completion")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith("harness-guard cli.no-run: no run is active in ")
    assert run(plugin, environ, "status").returncode == 0


def test_without_arguments_and_without_a_host_it_tells_a_person(plugin: Path, environ: dict[str, str]) -> None:
    argv = [sys.executable, str(plugin / "hooks" / "harness_guard.py")]
    done = subprocess.run(argv, env=environ, cwd="/", input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith(f"a person at a shell: try python3 '{plugin}/hooks/harness_guard.py' --help\n")
    assert "PLUGIN_DATA=" not in done.stderr


def test_without_arguments_at_a_terminal_it_explains_itself(plugin: Path, environ: dict[str, str]) -> None:
    leader, terminal = os.openpty()
    try:
        argv = [sys.executable, str(plugin / "hooks" / "harness_guard.py")]
        done = subprocess.run(
            argv, env=environ, cwd="/", stdin=terminal, capture_output=True, text=True, check=False, timeout=300
        )
    finally:
        os.close(leader)
        os.close(terminal)
    assert (done.returncode, done.stdout) == (0, run(plugin, environ, "--help").stdout)
    assert done.stdout.startswith("Usage: harness-guard ")
