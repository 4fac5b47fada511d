"""What breaks while a run is active: whatever it is, the write does not happen."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.e2e.hosts.script import Say

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.guarded import Guarded


def interpreter_gone(host: Guarded) -> None:
    """The recorded Python was removed."""
    (host.host.data / "interpreter").write_text(str(host.host.world.root / "gone" / "python3") + "\n")


def interpreter_unrecorded(host: Guarded) -> None:
    """Nothing says which Python to start."""
    (host.host.data / "interpreter").unlink()


def hook_killed(host: Guarded) -> None:
    """The guard's process dies by SIGKILL at each of its starts."""
    script = host.host.world.root / "killed"
    script.write_text("#!/bin/sh\nkill -9 $$\n")
    script.chmod(0o755)
    (host.host.data / "interpreter").write_text(f"{script}\n")


def hook_silent(host: Guarded) -> None:
    """The guard's process ends in success without a word."""
    script = host.host.world.root / "silent"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    (host.host.data / "interpreter").write_text(f"{script}\n")


def runtime_emptied(host: Guarded) -> None:
    """The third-party packages are gone."""
    shutil.rmtree(host.host.data / "runtime")


def state_tampered(host: Guarded) -> None:
    """Somebody widened the policy in the sealed state."""
    text = host.state_file.read_text(encoding="utf-8")
    assert "src/**" in text
    host.state_file.write_text(text.replace("src/**", "**"), encoding="utf-8")


def state_resealed_nowhere(host: Guarded) -> None:
    """Somebody lowered the revision and took the seal away."""
    state = host.state()
    state["seal"] = ""
    host.state_file.write_text(json.dumps(state), encoding="utf-8")


def state_cut(host: Guarded) -> None:
    """Half of the state is there."""
    data = host.state_file.read_bytes()
    host.state_file.write_bytes(data[: len(data) // 2])


def state_vanished(host: Guarded) -> None:
    """The state is gone, the marker stands."""
    host.state_file.unlink()


def run_vanished(host: Guarded) -> None:
    """The whole folder of the run is gone, the marker stands."""
    shutil.rmtree(host.run_folder)


def key_vanished(host: Guarded) -> None:
    """The sealing key is gone."""
    (host.host.data / "key").unlink()


FAULTS = (
    interpreter_gone,
    interpreter_unrecorded,
    hook_killed,
    hook_silent,
    runtime_emptied,
    state_tampered,
    state_resealed_nowhere,
    state_cut,
    state_vanished,
    run_vanished,
    key_vanished,
)


@pytest.mark.contract("C1.3", "A6.1")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_the_write_does_not_happen(host: Guarded, fault: Callable[[Guarded], None]) -> None:
    host.approved()
    fault(host)
    host.host.begin(
        "Work on.",
        host.host.write("src/inside.py", "inside\n"),
        host.host.shell("echo inside > src/inside.py"),
        *[Say("Refused.")] * 4,
    )
    turn = host.host.finish(interrupted=True)
    assert [(call.blocked, call.tool) for call in turn.calls] == [
        (True, turn.calls[0].tool),
        (True, turn.calls[1].tool),
    ]
    assert turn.changed == ()
    assert "harness-guard" in str(turn.call().output), "a reason, not a traceback"
    assert "Traceback" not in str(turn.call().output)
    assert not host.exists("src/inside.py")


@pytest.mark.contract("A6.4")
def test_a_broken_run_can_still_be_cancelled(host: Guarded) -> None:
    host.approved()
    state_cut(host)
    host.host.answer("$harness cancel", Say("Cancelled."))
    later = host.host.answer("Go on without.", host.host.write("src/free.py", "free\n"), Say("Written."))
    assert later.changed == ("src/free.py",)


def test_without_a_runtime_a_prompt_passes_and_activates_nothing(host: Guarded) -> None:
    interpreter_gone(host)
    turn = host.host.turn("$harness Keep digits.", host.host.write("src/never.py", "never\n"), Say("Refused."))
    assert "harness-guard" in turn.told()
    assert turn.call().blocked, "the activation waits to be judged, so tools are denied with the mend"
    assert turn.changed == ()
    assert not host.state_file.exists()
