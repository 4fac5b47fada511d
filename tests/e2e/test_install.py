"""``install`` and ``doctor`` with the hosts' own binaries in throwaway homes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.hosts.claude import Claude
from tests.e2e.hosts.codex import Codex
from tests.e2e.hosts.world import World, find_binary, make_repository, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

USERS_CONFIGURATION = '# mine\nmodel = "gpt-5.5" # a note\n\n[features]\n# kept\nhooks = true\n'


@dataclass(frozen=True)
class User:
    """Somebody with both hosts on ``PATH`` and the command line of one checkout."""

    world: World
    environ: dict[str, str]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line in the repository."""
        argv = [sys.executable, str(self.world.plugin / "hooks" / "harness_guard.py"), *arguments]
        return subprocess.run(
            argv, cwd=self.world.repository, env=self.environ, text=True, capture_output=True, check=False, timeout=300
        )

    def faults(self, host: str) -> list[str]:
        """The titles of the doctor's failed checks."""
        done = self.run("doctor", "--host", host)
        found = [line.split(":")[0].removeprefix("  FAIL ") for line in done.stdout.splitlines() if "  FAIL " in line]
        assert done.returncode == (1 if found else 0), done.stdout + done.stderr
        assert done.stdout.count("       Next: ") == len(found), "each fault names its mend"
        return found


@pytest.fixture
def user(plugin: Path, provisioned: Path, tmp_path: Path) -> Iterator[User]:
    """A user without settings; afterwards the checkout is as it was."""
    world = World(tmp_path / "world", tmp_path / "repository", plugin)
    world.root.mkdir()
    world.repository.mkdir()
    make_repository(world.repository, {"README.md": "Read.\n"})
    hosts = Path(find_binary("codex")).parent
    base = world.environment(CODEX_HOME=str(world.folder("codex")), CLAUDE_CONFIG_DIR=str(world.folder("config")))
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}
    environ = {**base, **quiet, "PATH": f"{hosts}:{base['PATH']}", "PLUGIN_DATA": str(provisioned)}
    before = snapshot(plugin)
    yield User(world, environ)
    assert snapshot(plugin) == before


@pytest.mark.contract("A2.1")
def test_install_into_both_hosts_and_again(user: User) -> None:
    configuration = user.world.folder("codex") / "config.toml"
    configuration.write_text(USERS_CONFIGURATION)
    dry = user.run("install", "--dry-run")
    assert dry.returncode == 0
    assert "would run: codex plugin add harness@harness-guard" in dry.stdout
    assert snapshot(user.world.root) == {"codex/config.toml": snapshot(user.world.root)["codex/config.toml"]}
    first = user.run("install")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "Codex runs none of them" in first.stdout
    text = configuration.read_text()
    kept = USERS_CONFIGURATION.replace("[features]\n", "[features]\nunified_exec_tty = false\n")
    assert text.startswith(kept), "what the user wrote is kept byte for byte"
    settings = json.loads((user.world.folder("config") / "settings.json").read_text())
    second = user.run("install")
    assert second.returncode == 0, second.stdout + second.stderr
    assert configuration.read_text() == text
    assert json.loads((user.world.folder("config") / "settings.json").read_text()) == settings
    assert user.faults("claude") == []
    assert user.faults("codex") == ["trusted hooks"]


@pytest.mark.contract("A2.4")
def test_codex_once_trusted_is_well_and_each_fault_shows(user: User) -> None:
    codex = Codex(user.world, terminal=True)
    try:
        assert user.faults("codex") == ["runtime", "fired without a state", "trusted hooks", "settings", "no terminals"]
        done = user.run("install", "--host", "codex")
        assert done.returncode == 0, done.stdout + done.stderr
        codex.start()
        assert user.faults("codex") == []
        project = user.world.repository / ".codex" / "config.toml"
        project.parent.mkdir()
        project.write_text("[features]\nhooks = false\n")
        assert user.faults("codex") == ["trusted hooks", "settings"]
        project.unlink()
        (codex.installed / "harness_guard" / "more.py").write_text("")
        assert user.faults("codex") == ["unchanged files", "trusted hooks"]
        (codex.installed / "harness_guard" / "more.py").unlink()
        assert user.faults("codex") == []
    finally:
        codex.close()


@pytest.mark.contract("A2.4")
def test_claude_is_well_and_each_fault_shows(user: User) -> None:
    claude = Claude(user.world)
    try:
        assert user.faults("claude") == ["runtime", "fired without a state"]
        assert user.run("install", "--host", "claude").returncode == 0
        assert user.faults("claude") == []
        project = user.world.repository / ".claude" / "settings.json"
        project.parent.mkdir()
        for text in ('{"disableAllHooks": true}', "{broken"):
            project.write_text(text)
            assert user.faults("claude") == ["settings"]
        project.write_text('{"enabledPlugins": {"harness@harness-guard": false}}')
        assert "settings" in user.faults("claude")
        project.unlink()
        (claude.data / "key").chmod(0o644)
        assert user.faults("claude") == ["sealing key"]
    finally:
        claude.close()


def test_a_host_whose_marketplace_stands_for_another_folder_is_told(user: User, tmp_path: Path) -> None:
    assert user.run("install", "--host", "codex").returncode == 0
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["cp", "-r", f"{user.world.plugin}/.", str(other)], check=True)
    done = User(World(user.world.root, user.world.repository, other), user.environ).run("install", "--host", "codex")
    assert done.returncode == 1
    assert "already added from a different source" in done.stderr
    assert "\nNext: " in done.stderr


def test_a_checkout_with_a_link_is_refused(user: User, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["cp", "-r", str(user.world.plugin), str(other)], check=True)
    (other / "link").symlink_to("README.md")
    done = User(World(user.world.root, user.world.repository, other), user.environ).run("install")
    assert done.returncode == 1
    assert "holds a symbolic link" in done.stderr
    assert not (user.world.root / "codex" / "config.toml").exists()
