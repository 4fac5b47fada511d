"""The real hosts take the plugin straight from this folder: validated, listed, installed, hooks loaded."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.run import HOSTS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    names = {"HOME": "home", "CLAUDE_CONFIG_DIR": "config", "CODEX_HOME": "codex", "TMPDIR": "tmp"}
    for folder in names.values():
        (tmp_path / folder).mkdir()
    switches = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}
    return {"PATH": os.environ["PATH"], **switches, **{name: str(tmp_path / folder) for name, folder in names.items()}}


def run(command: Path, *arguments: str, environ: dict[str, str]) -> str:
    done = subprocess.run([command, *arguments], env=environ, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.contract("A2.2")
@pytest.mark.host
def test_claude_validates_without_a_warning(hosts: Path, environ: dict[str, str]) -> None:
    run(hosts / "claude", "plugin", "validate", "--strict", str(ROOT), environ=environ)


@pytest.mark.contract("A2.2")
@pytest.mark.host
def test_claude_installs(hosts: Path, environ: dict[str, str]) -> None:
    claude = hosts / "claude"
    run(claude, "plugin", "marketplace", "add", str(ROOT), environ=environ)
    run(claude, "plugin", "install", "harness@harness-guard", environ=environ)
    (found,) = (
        row
        for row in json.loads(run(claude, "plugin", "list", "--json", environ=environ))
        if row["id"] == "harness@harness-guard"
    )
    assert (found["version"], found["enabled"], found.get("errors")) == ("0.1.0", True, None)


@pytest.mark.contract("A2.2")
@pytest.mark.host
def test_codex_installs(hosts: Path, environ: dict[str, str]) -> None:
    codex = hosts / "codex"
    run(codex, "plugin", "marketplace", "add", str(ROOT), "--json", environ=environ)
    added = json.loads(run(codex, "plugin", "add", "harness@harness-guard", "--json", environ=environ))
    assert added["pluginId"] == "harness@harness-guard"
    copy = Path(added["installedPath"])
    for path in ("hooks/hooks.json", "hooks/launch.sh", "hooks/harness_guard.py", "skills/harness/SKILL.md"):
        assert (copy / path).read_bytes() == (ROOT / path).read_bytes()


@pytest.mark.host
@pytest.mark.contract("A1.1")
def test_the_hosts_are_those_that_the_acceptance_names(hosts: Path, environ: dict[str, str]) -> None:
    pinned = dict(name.rsplit("@", 1) for name in HOSTS)
    codex, claude = pinned["@openai/codex"], pinned["@anthropic-ai/claude-code"]
    assert run(hosts / "codex", "--version", environ=environ).split() == ["codex-cli", codex]
    assert run(hosts / "claude", "--version", environ=environ).split()[0] == claude
    page = (ROOT / "contracts" / "runtime-acceptance.md").read_text(encoding="utf-8")
    assert f"Shown on Claude Code {claude} and Codex {codex}, " in page
