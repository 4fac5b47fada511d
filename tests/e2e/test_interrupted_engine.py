"""The user interrupts while the engine verifies: nothing of the run lives on, and nothing is recorded."""

from __future__ import annotations

import os
import signal
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.e2e.hosts.claude import Claude
from tests.e2e.hosts.codex import Codex
from tests.e2e.hosts.script import Say
from tests.e2e.hosts.world import processes_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.guarded import Guarded

# A verification that takes for ever and has a grandchild in its process group.
_ENDLESS = """\
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", sys.argv[1]])
time.sleep(300)
"""


@pytest.fixture
def marker() -> Iterator[str]:
    """A word for the verification's command line; whatever carries it afterwards is ended."""
    word = f"endless-{uuid.uuid4().hex}"
    yield word
    for process in processes_with(word):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@pytest.mark.contract("C8.4", "A6.3")
@pytest.mark.parametrize("kind", [Claude, Codex], ids=["claude", "codex"])
def test_an_interrupt_leaves_nothing_of_the_engine(
    open_guarded: Callable[..., Guarded], kind: type[Claude | Codex], marker: str
) -> None:
    host = open_guarded(kind, files={"check.py": _ENDLESS})
    host.approved(verification=f"python3 check.py {marker}", timeout_s=600)
    before = host.state()
    files = {path.relative_to(host.run_folder) for path in host.run_folder.rglob("*evidence*/*")}
    host.host.begin("Have it reviewed.", host.spawn, Say("Never said."))
    host.host.wait_for(lambda: len(processes_with(marker)) >= 2, "the engine to run the verification")
    host.host.interrupt()
    turn = host.host.finish(interrupted=True)
    host.host.wait_for(lambda: not processes_with(marker), "the engine's processes to end", limit_s=8.0)
    assert turn.call().output is None or turn.call().blocked or turn.call().failed
    after = host.state()
    for kept in ("state", "authority_status", "revision", "integrity_fingerprint", "diff_revision", "active_policy_id"):
        assert after[kept] == before[kept], kept
    assert {path.relative_to(host.run_folder) for path in host.run_folder.rglob("*evidence*/*")} == files
    later = host.host.answer("Go on.", host.host.write("src/inside.py", "inside = 1\n"), Say("Made."), Say("Made."))
    assert later.changed == ("src/inside.py",)
