"""``status``: runs as a person reads them, newest first, and loudly where a state is not what the guard wrote."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

from harness_guard.kernel.state import state_to_json
from harness_guard.kernel.texts import status_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator import Simulator

    Command = Callable[..., tuple[int, str, str]]

SEALED_WRONGLY = (
    "state: NOT READABLE\nstore.seal: the state is not what the guard wrote\n"
    "Next: End the run with `$harness cancel` and activate a new one; nothing of the old run is deleted.\n"
)


def test_no_run(run: Simulator, command: Command) -> None:
    assert command("status") == (0, f"no run in {run.data}\n", "")
    assert command("status", "--json") == (0, "", "")


def test_an_active_run(run: Simulator, command: Command) -> None:
    run.approve()
    expected = f"session {run.session} (active)\n{status_text(run.state)}\n"
    assert command("status") == (0, expected, "")
    assert command("status", "--session", run.session, "--data", str(run.data)) == (0, expected, "")


def test_json_is_the_whole_state(run: Simulator, command: Command) -> None:
    run.approve()
    status, out, _ = command("status", "--json")
    assert status == 0
    assert json.loads(out) == {
        "session": run.session,
        "active": True,
        "state": json.loads(json.dumps(state_to_json(run.state))),
    }


def test_an_ended_run_is_not_active(run: Simulator, command: Command) -> None:
    run.to_reviewing()
    assert run.stop(run.completion()).is_silent
    status, out, _ = command("status")
    assert (status, out.split("\n")[0]) == (0, f"session {run.session} (not active)")
    assert ": completed, authority revoked" in out


def test_a_tampered_state_is_told(run: Simulator, command: Command) -> None:
    run.approve()
    path = run.store.state_file
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace('"check.sh"', '"**"'))
    assert command("status") == (1, f"session {run.session} (active)\n{SEALED_WRONGLY}", "")
    status, out, _ = command("status", "--json")
    assert status == 1
    assert json.loads(out)["error"]["rule"] == "store.seal"


def test_a_vanished_state_is_told(run: Simulator, command: Command) -> None:
    run.approve()
    os.unlink(run.store.state_file)
    status, out, _ = command("status")
    assert status == 1
    assert out == (
        f"session {run.session} (active)\nits state has vanished; tools are denied\n"
        "Next: End the run with `$harness cancel`; the human types it.\n"
    )


def test_newest_first_and_one_bad_run_hides_no_other(run: Simulator, command: Command) -> None:
    run.approve()
    other = run.data / "runs" / "other"
    shutil.copytree(run.data / "runs" / run.session, other)
    os.utime(other / "state.json", (1, 1))
    status, out, _ = command("status")
    assert status == 1
    assert [line for line in out.split("\n") if line.startswith("session ")] == [
        f"session {run.session} (active)",
        "session other (not active)",
    ]
    assert "store.session: the state belongs to another session" in out


def test_a_session_that_has_no_run(run: Simulator, command: Command) -> None:
    run.approve()
    assert command("status", "--session", "nobody") == (
        1,
        "",
        (
            f"harness-guard cli.no-run: session `nobody` has no run in {run.data}\n"
            f"Next: give --session with one of: {run.session}\n"
        ),
    )


def test_a_task_cannot_move_the_terminal_s_cursor(run: Simulator, command: Command) -> None:
    run.prompt("$harness keep\x1b[2J digits\u202e")
    status, out, _ = command("status")
    assert status == 0
    assert "task: keep\\x1b[2J digits\\u202e\n" in out
