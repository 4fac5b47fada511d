"""A run to look at: played by the simulator, read by the command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness_guard.cli.main import main
from tests.simulator import Simulator

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulator:
    """A session of Claude Code without a run yet; the command line works on its data folder."""
    simulator = Simulator(tmp_path)
    for name in ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PLUGIN_DATA", os.fspath(simulator.data))
    return simulator


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command line: status, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(arguments)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return call
