"""What a decision on the tool path loads: none of the modules that cost as much as the interpreter (ADR 2)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from live import LiveRun

ROOT = Path(__file__).resolve().parents[2]
HEAVY = frozenset(
    {"typing", "dataclasses", "enum", "re", "json", "pathlib", "subprocess", "collections", "functools", "inspect",
     "logging", "contextlib", "tempfile", "shutil", "threading", "asyncio", "hashlib", "hmac",
     "pydantic", "click", "markdown_it", "cryptography", "pathspec"}
)  # fmt: skip


@pytest.fixture(scope="module")
def run(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> LiveRun:
    folder = tmp_path_factory.mktemp("run")
    data = folder / "data"
    entry = ROOT / "hooks" / "harness_guard.py"
    argv = ["python3", str(entry), "provision", "--from", str(runtime)]
    subprocess.run(argv, env=os.environ | {"PLUGIN_DATA": str(data)}, check=True, capture_output=True)
    live = LiveRun(folder, data)
    live.approve()
    # The first mutation takes counters back, and a commit validates with pydantic; later ones find nothing to commit.
    name, given = CALLS["patch"]
    assert live.send("PreToolUse", live.tool(name, **given)).returncode == 0
    return live


def loaded(run: LiveRun, payload: bytes) -> set[str]:
    """Name every module that the interpreter loads to answer a payload with a pass."""
    python = (run.data / "interpreter").read_text().strip()
    flags = ["-I", "-S", "-X", f"pycache_prefix={run.data}/pycache", "-X", "importtime"]
    argv = [python, *flags, str(ROOT / "hooks" / "harness_guard.py"), "--launched", "PreToolUse"]
    done = subprocess.run(argv, env=run.environ, cwd=run.repository, input=payload, capture_output=True, check=False)
    assert done.stdout == b"harness-guard:pass\n"
    rows = [
        line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if line.startswith("import time")
    ]
    return set(rows)


CALLS = {
    "patch": ("apply_patch", {"command": "*** Begin Patch\n*** Add File: docs/x.md\n+x\n*** End Patch\n"}),
    "shell": ("Bash", {"command": "cat docs/about.md | head -3"}),
}


@pytest.mark.parametrize("call", ["patch", "shell"])
def test_a_decision_loads_nothing_heavy(run: LiveRun, call: str) -> None:
    name, given = CALLS[call]
    modules = loaded(run, run.tool(name, **given))
    assert "harness_guard.dispatch" in modules
    assert modules & HEAVY == set()


def test_a_write_does_not_load_what_reads_shell_texts(run: LiveRun) -> None:
    name, given = CALLS["patch"]
    modules = loaded(run, run.tool(name, **given))
    assert {module.split(".")[0] for module in modules} & {"bashlex", "harness_guard_bashlex_tables"} == set()
    assert {module for module in modules if module.startswith("harness_guard.shell.")} <= {
        "harness_guard.shell.effects",
        "harness_guard.shell.patch",
    }


def test_what_only_reads_does_not_load_the_check_of_new_names(run: LiveRun) -> None:
    name, given = CALLS["shell"]
    assert "harness_guard.kernel.new_names" not in loaded(run, run.tool(name, **given))
