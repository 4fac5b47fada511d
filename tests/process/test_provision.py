"""Provisioning as a process: what it leaves behind, two at once, killed at any instant, and what it says when it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.places import Places
from harness_guard.runtime.naming import runtime_name

ROOT = Path(__file__).resolve().parents[2]
ENTRY = str(ROOT / "hooks" / "harness_guard.py")

# Kills the process at its n-th change of the disk, or prints how many there were.
KILLER = """
import os, sys
changes, at = 0, int(sys.argv[1])
def hook(event, given):
    global changes
    if event in ("os.rename", "os.link", "os.mkdir", "os.remove", "os.chmod") or (
        event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR)
    ):
        changes += 1
        if changes == at:
            os.kill(os.getpid(), 9)
sys.addaudithook(hook)
sys.path.insert(0, sys.argv[2])
from harness_guard.runtime.provision import provision
provision(sys.argv[3], sys.argv[2], source=sys.argv[4])
print(changes)
"""


def run(data: Path | str, *arguments: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, ENTRY, "provision", *arguments]
    env = os.environ | {"PLUGIN_DATA": str(data)} | (environ or {})
    env.pop("CLAUDE_PLUGIN_DATA", None)
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False)


def killed_at(number: int, data: Path, runtime: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", KILLER, str(number), str(ROOT), str(data), str(runtime)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def assert_whole(data: Path) -> None:
    places = Places(str(data))
    python = Path(places.interpreter).read_text().strip()
    script = "import sys\nsys.path.append(sys.argv[1])\nimport bashlex, pydantic, harness_guard_bashlex_tables"
    packages = f"{places.runtime}/{runtime_name()}"
    subprocess.run([python, "-I", "-S", "-c", script, packages], check=True)
    assert Path(places.key).stat().st_size == 32
    assert Path(places.bundle).stat().st_size > 100_000


def test_what_it_leaves_behind(data: Path) -> None:
    places = Places(str(data))
    modes = {
        name: Path(name).stat().st_mode & 0o777 for name in (places.active, places.runs, places.key, places.command)
    }
    assert modes == {places.active: 0o700, places.runs: 0o700, places.key: 0o600, places.command: 0o700}
    assert Path(places.current_runtime).read_text() == runtime_name() + "\n"
    recorded = Path(places.interpreter).read_text().strip()
    assert recorded == os.path.realpath(sys._base_executable)
    leftovers = [path.name for path in data.rglob("*") if path.name.startswith((".build-", ".pycache-"))]
    leftovers += [path.name for path in data.glob("bundle.*")]
    assert leftovers == []
    assert not [path for path in data.rglob("*") if path.is_symlink()]
    assert_whole(data)


def test_the_command_without_arguments_explains_itself(data: Path) -> None:
    argv = [Places(str(data)).command]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: harness-guard ")


def test_again_keeps_the_key_and_fetches_nothing(data: Path) -> None:
    key = (data / "key").read_bytes()
    done = run(data, environ={"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull})
    assert (done.returncode, (data / "key").read_bytes()) == (0, key)
    assert "packages are there already" in done.stderr


def test_bytecode_of_another_place_is_dropped_and_never_copied(data: Path, tmp_path: Path) -> None:
    pycache = data / "pycache"
    own, library = pycache / str(ROOT)[1:], pycache / os.path.realpath(os.__file__)[1:].rpartition("/")[0]
    old = pycache / str(ROOT.parent)[1:] / "an-earlier-version/harness_guard"
    old.mkdir(parents=True)
    (old / "cli.pyc").touch()
    run(tmp_path / "copy", "--from", str(data))
    copied = {path.name for path in (tmp_path / "copy").rglob("*")}
    assert ("an-earlier-version" in copied, "bashlex" in copied) == (False, True)
    assert list((tmp_path / "copy" / "pycache" / str(tmp_path)[1:]).rglob("parser.*.pyc")) != []
    before = sorted(library.rglob("*.pyc"))
    run(data)
    assert (old.parent.exists(), before != [], sorted(library.rglob("*.pyc"))) == (False, True, before)
    assert list((own / "harness_guard").rglob("*.pyc")) != []


def test_each_folder_has_its_own_key(data: Path, runtime: Path) -> None:
    assert (data / "key").read_bytes() != (runtime / "key").read_bytes()


@pytest.mark.contract("D2.6")
def test_nothing_is_compiled_on_the_tool_path(data: Path) -> None:
    before = {str(path): path.stat().st_mtime_ns for path in (data / "pycache").rglob("*")}
    (data / "active" / "run-x").touch()
    environ = os.environ | {"CLAUDE_PLUGIN_ROOT": str(ROOT), "CLAUDE_PLUGIN_DATA": str(data)}
    for payload in (b'{"hook_event_name":"PreToolUse"}', b"[]"):
        script = f'harness_event=PreToolUse; . "{ROOT}/hooks/launch.sh"'
        subprocess.run(["/bin/sh", "-c", script], env=environ, input=payload, capture_output=True, check=False)
    assert {str(path): path.stat().st_mtime_ns for path in (data / "pycache").rglob("*")} == before


def test_two_at_once(tmp_path: Path, runtime: Path) -> None:
    data = tmp_path / "data"
    argv = [sys.executable, ENTRY, "provision", "--from", str(runtime)]
    env = os.environ | {"PLUGIN_DATA": str(data)}
    running = [subprocess.Popen(argv, env=env, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    assert_whole(data)


@pytest.mark.parametrize("part", [1, 2, 3, 4, 5, 6])
def test_killed_on_the_way_nothing_is_recorded(tmp_path: Path, runtime: Path, part: int) -> None:
    whole = killed_at(0, tmp_path / "whole", runtime)
    changes = int(whole.stdout)
    data = tmp_path / "data"
    # The last changes are one by one the interesting ones; the first are files of packages.
    number = changes * part // 4 if part < 4 else changes - 2 * (6 - part)
    assert killed_at(number, data, runtime).returncode == -9
    if (data / "interpreter").exists():
        assert_whole(data)
    key = (data / "key").read_bytes() if (data / "key").exists() else None
    assert run(data, "--from", str(runtime)).returncode == 0
    assert_whole(data)
    assert key in (None, (data / "key").read_bytes())
    assert [path.name for path in (data / "runtime").iterdir() if path.name.startswith(".")] == []


def test_killed_over_an_old_one_it_still_works(data: Path, runtime: Path) -> None:
    key = (data / "key").read_bytes()
    for number in (1, 2, 3, 5):
        killed_at(number, data, runtime)
        assert_whole(data)
    assert (data / "key").read_bytes() == key


def test_without_a_data_folder(tmp_path: Path) -> None:
    done = run("relative")
    assert (done.returncode, done.stderr.splitlines()[0].split(":")[0]) == (1, "harness-guard provision.no-data-folder")
    assert not (tmp_path / "relative").exists()


def test_unknown_argument(tmp_path: Path) -> None:
    done = run(tmp_path / "data", "--force")
    assert (done.returncode, "provision.usage" in done.stderr, (tmp_path / "data").exists()) == (2, True, False)


def test_a_source_that_has_none(tmp_path: Path) -> None:
    done = run(tmp_path / "data", "--from", str(tmp_path))
    assert (done.returncode, "provision.source" in done.stderr) == (1, True)
    assert not (tmp_path / "data" / "interpreter").exists()


def test_where_nothing_can_be_written() -> None:
    done = run("/dev/null/data")
    assert (done.returncode, "provision.unwritable" in done.stderr) == (1, True)


def test_without_a_network(tmp_path: Path) -> None:
    done = run(tmp_path / "data", environ={"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""})
    assert (done.returncode, "harness-guard provision.fetch" in done.stderr, "--from" in done.stderr) == (1, True, True)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data" / "interpreter").exists()


@pytest.mark.contract("A2.3")
def test_from_a_folder_that_has_the_packages_no_network_is_needed(tmp_path: Path, runtime: Path) -> None:
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "PIP_PROXY"), "http://127.0.0.1:9")
    offline = {**nowhere, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
    done = run(tmp_path / "data", "--from", str(runtime), environ=offline)
    assert done.returncode == 0, done.stderr
    assert_whole(tmp_path / "data")


def test_without_pip(tmp_path: Path) -> None:
    (tmp_path / "path").mkdir()
    for name in ("pip", "ensurepip", "venv"):
        (tmp_path / "path" / f"{name}.py").write_text("raise SystemExit(1)\n")
    done = run(tmp_path / "data", environ={"PYTHONPATH": str(tmp_path / "path")})
    assert (done.returncode, "apt install python3-pip python3-venv" in done.stderr) == (1, True)


def test_a_damaged_key_is_not_replaced(data: Path) -> None:
    (data / "key").write_bytes(b"short")
    done = run(data)
    assert (done.returncode, "provision.key" in done.stderr, (data / "key").read_bytes()) == (1, True, b"short")
