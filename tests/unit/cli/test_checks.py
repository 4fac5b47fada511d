"""The doctor's checks of files and folders: each fault is named, and the sound neighbour passes."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness_guard.cli.checks.plugin_files import check_files
from harness_guard.cli.checks.runtime_state import check_runtime
from harness_guard.places import Places
from harness_guard.runtime.lock_digest import LOCK_DIGEST
from harness_guard.runtime.manifests import render
from harness_guard.runtime.naming import runtime_name
from tests.e2e.hosts.world import make_repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_guard.cli.checks.check import Check

ROOT = Path(__file__).resolve().parents[3]
PARTS = (
    "hooks", "harness_guard", "agents", "skills", "templates", "contracts", "requirements", "plugin.json",
    ".claude-plugin", ".codex-plugin", ".agents",
)  # fmt: skip


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy of the plugin, as a host has it."""
    root = tmp_path / "plugin"
    root.mkdir()
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (ROOT / name).exists():
            shutil.copy2(ROOT / name, root / name)
    for path, text in render(str(root)).items():
        (root / path).write_text(text)
    return root


@pytest.fixture
def own(tmp_path: Path, plugin: Path) -> Path:
    """A second copy of the same bytes, to compare with."""
    return Path(shutil.copytree(plugin, tmp_path / "own"))


@pytest.fixture
def places(tmp_path: Path, plugin: Path) -> Places:
    """A data folder that looks provisioned for that copy."""
    found_digest = re.search(
        'LOCK_DIGEST = "(.*)"', (plugin / "harness_guard" / "runtime" / "lock_digest.py").read_text()
    )
    assert found_digest is not None
    name = found_digest[1] + runtime_name().removeprefix(LOCK_DIGEST)
    found = Places(str(tmp_path / "data"))
    for folder in (found.active, found.runs, f"{found.runtime}/{name}", os.path.dirname(found.command)):
        os.makedirs(folder, 0o700)
    Path(found.interpreter).write_text(sys.executable + "\n")
    Path(found.current_runtime).write_text(name + "\n")
    Path(found.key).write_bytes(bytes(32))
    os.chmod(found.key, 0o600)
    Path(found.command).write_text(f"#!/bin/sh\nexec 'python3' '{plugin}/hooks/harness_guard.py' \"$@\"\n")
    os.chmod(found.command, 0o700)
    return found


def faults(checks: list[Check]) -> list[str]:
    assert all(check.mend or check.is_ok for check in checks), "every fault has its mend"
    return [check.title for check in checks if not check.is_ok]


def test_a_sound_copy(plugin: Path, own: Path) -> None:
    assert faults(check_files(str(plugin), str(own))) == []
    assert faults(check_files(str(plugin), str(plugin))) == []


def test_a_checkout_that_is_run_in_place_is_compared_with_its_commit(plugin: Path) -> None:
    make_repository(plugin, {".gitignore": "__pycache__/\n"})
    assert faults(check_files(str(plugin), str(plugin))) == []
    (plugin / "tests.txt").touch()
    (plugin / "hooks" / "__pycache__").mkdir()
    (plugin / "hooks" / "__pycache__" / "x.pyc").touch()
    assert faults(check_files(str(plugin), str(plugin))) == [], "what nobody runs may differ"
    (plugin / "harness_guard" / "more.py").touch()
    with (plugin / "hooks" / "harness_guard.py").open("a") as file:
        file.write("\n")
    (found,) = (check for check in check_files(str(plugin), str(plugin)) if not check.is_ok)
    assert found.seen == f"hooks/harness_guard.py and 1 more differ from the commit that is checked out in {plugin}"
    (plugin / ".git" / "HEAD").write_text("nonsense")
    (found,) = (check for check in check_files(str(plugin), str(plugin)) if not check.is_ok)
    assert found.seen.startswith(f"git cannot compare {plugin} with its commit: ")


def _link(root: Path) -> None:
    (root / "skills" / "more").symlink_to("/etc")


def _edit_hooks(root: Path) -> None:
    path = root / "hooks" / "hooks.json"
    path.write_text(path.read_text().replace("exit 2", "exit 0"))


def _lose_launcher(root: Path) -> None:
    (root / "hooks" / "launch.sh").unlink()


def _add_file(root: Path) -> None:
    (root / "harness_guard" / "kernel" / "more.py").write_text("")


def _edit_code(root: Path) -> None:
    with (root / "harness_guard" / "kernel" / "decide.py").open("a") as file:
        file.write("\n")


def _open_to_all(root: Path) -> None:
    (root / "hooks" / "launch.sh").chmod(0o646)


@pytest.mark.parametrize(
    ("spoil", "titles"),
    [
        (_link, ["no symbolic link"]),
        (_edit_hooks, ["generated files", "registered hooks", "unchanged files"]),
        (_lose_launcher, ["registered hooks", "unchanged files"]),
        (_add_file, ["unchanged files"]),
        (_edit_code, ["unchanged files"]),
        (_open_to_all, ["writable by you alone"]),
    ],
)
def test_a_spoiled_copy(plugin: Path, own: Path, spoil: Callable[[Path], None], titles: list[str]) -> None:
    spoil(plugin)
    assert faults(check_files(str(plugin), str(own))) == titles


def test_a_sound_data_folder(places: Places, plugin: Path) -> None:
    assert faults(check_runtime(places, str(plugin))) == []
    assert not list(plugin.rglob("__pycache__")), "looking writes nothing into the plugin"


def _unlink(name: str) -> Callable[[Places], None]:
    return lambda places: os.unlink(getattr(places, name))


def _chmod(name: str, mode: int) -> Callable[[Places], None]:
    return lambda places: os.chmod(getattr(places, name), mode)


def _text(name: str, text: str) -> Callable[[Places], None]:
    def spoil(places: Places) -> None:
        Path(getattr(places, name)).write_text(text)

    return spoil


def _stateless(places: Places) -> None:
    Path(places.marker("a")).touch()


def _unreadable(places: Places) -> None:
    _stateless(places)
    os.makedirs(places.run("a"))
    Path(f"{places.run('a')}/state.json").write_text("{}")


def _unjudged(places: Places) -> None:
    Path(f"{places.active}/prompt-1").touch()


@pytest.mark.parametrize(
    ("spoil", "titles"),
    [
        pytest.param(_unlink("interpreter"), ["runtime"], id="no interpreter"),
        pytest.param(_text("interpreter", "/gone/python3\n"), ["runtime"], id="interpreter gone"),
        pytest.param(_text("interpreter", "/bin/false\n"), ["runtime"], id="no python"),
        pytest.param(_text("current_runtime", "older\n"), ["runtime"], id="packages of another lock"),
        pytest.param(_chmod("key", 0o640), ["sealing key"], id="key open to the group"),
        pytest.param(_text("key", "short"), ["sealing key"], id="key damaged"),
        pytest.param(_unlink("key"), ["sealing key"], id="no key"),
        pytest.param(_unlink("command"), ["command line"], id="no command"),
        pytest.param(_text("command", "#!/bin/sh\n"), ["command line"], id="command of something else"),
        pytest.param(_chmod("active", 0o777), ["data folder"], id="markers open to all"),
        pytest.param(_stateless, ["active runs"], id="a marker without a state"),
        pytest.param(_unreadable, ["active runs"], id="a state without a seal"),
        pytest.param(_unjudged, ["active runs"], id="a prompt that nobody judged"),
    ],
)
def test_a_spoiled_data_folder(
    places: Places, plugin: Path, spoil: Callable[[Places], None], titles: list[str]
) -> None:
    spoil(places)
    assert faults(check_runtime(places, str(plugin))) == titles


def test_no_data_folder(tmp_path: Path, plugin: Path) -> None:
    (found,) = check_runtime(Places(str(tmp_path / "it's gone")), str(plugin))
    assert (found.is_ok, found.seen) == (False, f"there is no {tmp_path}/it's gone")
    assert "PLUGIN_DATA='" in found.mend
