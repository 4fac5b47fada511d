"""What every test may use: the repository, the provisioned runtime, the hosts' binaries, hypothesis profiles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# No deadlines: a slow machine is no failing example.
settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("dev"), max_examples=100, derandomize=True)
settings.register_profile("deep", parent=settings.get_profile("dev"), max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the command line name more cases for ``process/test_bug_reports.py``."""
    parser.addoption("--bug-reports", metavar="FILE", help="cases in the form of tests/cases/bug-reports.jsonl")


# Files whose tests mostly wait for a host's own clock: begun first, they wait beside the others and not behind them.
_WAITING = ("test_scheduled_prompts.py",)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests that wait begin first."""
    items.sort(key=lambda item: item.path.name not in _WAITING)


@pytest.fixture(scope="session")
def root() -> Path:
    """The plugin's folder, which is the repository."""
    return ROOT


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A provisioned data folder to give to ``provision --from``; never to run in."""
    named = os.environ.get("HARNESS_GUARD_RUNTIME")
    if named:
        return Path(named)
    folder = tmp_path_factory.getbasetemp().parent / "harness-guard-runtime"
    subprocess.run(
        [sys.executable, str(ROOT / "hooks" / "harness_guard.py"), "provision"],
        env=os.environ | {"PLUGIN_DATA": str(folder)},
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture
def data(runtime: Path, tmp_path: Path) -> Path:
    """A provisioned data folder of the test's own."""
    folder = tmp_path / "data"
    subprocess.run(
        [sys.executable, str(ROOT / "hooks" / "harness_guard.py"), "provision", "--from", str(runtime)],
        env=os.environ | {"PLUGIN_DATA": str(folder)},
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="session")
def hosts() -> Path:
    """The folder of the hosts' commands ``codex`` and ``claude``."""
    named = os.environ.get("HARNESS_GUARD_HOSTS")
    if not named:
        pytest.fail("set HARNESS_GUARD_HOSTS to a folder with the hosts in node_modules/.bin, or run tests/run.py")
    return Path(named) / "node_modules" / ".bin"
