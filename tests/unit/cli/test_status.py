"""``status``: runs as a person reads them, newest first, and loudly where a state is not what the guard wrote."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
    expected = f"session {run.session} (active) in {run.data}\n{status_text(run.state)}\n"
    assert command("status") == (0, expected, "")
    assert command("status", "--session", run.session, "--data", str(run.data)) == (0, expected, "")


def test_json_is_the_whole_state(run: Simulator, command: Command) -> None:
    run.approve()
    status, out, _ = command("status", "--json")
    assert status == 0
    assert json.loads(out) == {
        "session": run.session,
        "active": True,
        "data": str(run.data),
        "state": json.loads(json.dumps(state_to_json(run.state))),
    }


def test_an_ended_run_is_not_active(run: Simulator, command: Command) -> None:
    run.to_reviewing()
    assert run.stop(run.completion()).is_silent
    status, out, _ = command("status")
    assert (status, out.split("\n")[0]) == (0, f"session {run.session} (not active) in {run.data}")
    assert ": completed, authority revoked" in out


def test_a_tampered_state_is_told(run: Simulator, command: Command) -> None:
    run.approve()
    path = run.store.state_file
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace('"check.sh"', '"**"'))
    assert command("status") == (1, f"session {run.session} (active) in {run.data}\n{SEALED_WRONGLY}", "")
    status, out, _ = command("status", "--json")
    assert status == 1
    assert json.loads(out)["error"]["rule"] == "store.seal"


def test_a_vanished_state_is_told(run: Simulator, command: Command) -> None:
    run.approve()
    os.unlink(run.store.state_file)
    status, out, _ = command("status")
    assert status == 1
    assert out == (
        f"session {run.session} (active) in {run.data}\nits state has vanished; tools are denied\n"
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
        f"session {run.session} (active) in {run.data}",
        f"session other (not active) in {run.data}",
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


def test_from_the_clone_the_folders_of_the_hosts_are_searched_too(
    run: Simulator, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    for name, folder in (("XDG_CACHE_HOME", cache), ("CODEX_HOME", tmp_path / "codex")):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("PLUGIN_DATA", f"{cache}/harness-guard")  # what the entry falls back to
    assert command("status") == (0, f"no run in {cache}/harness-guard\n", "")
    run.to_verifying()
    folders = [tmp_path / host / "plugins/data/harness-harness-guard" for host in ("codex", "claude")]
    for folder in folders:
        shutil.copytree(run.data, folder)
        shutil.rmtree(folder / "runs")
        shutil.rmtree(folder / "active")
    named = ", ".join((f"{cache}/harness-guard", *map(str, folders)))
    assert command("status") == (0, f"no run in {named}\n", "")
    assert f"no run is active in {named}\n" in command("artifact", "review")[2]
    for part in ("runs", "active"):
        shutil.copytree(run.data / part, folders[1] / part)
    status, out, _ = command("status")
    assert (status, out.split("\n")[0]) == (0, f"session {run.session} (active) in {folders[1]}")
    assert command("artifact", "review")[0] == 0
    # A folder that somebody named is the only one.
    monkeypatch.setenv("PLUGIN_DATA", str(folders[0]))
    assert command("status") == (0, f"no run in {folders[0]}\n", "")


def test_a_named_folder_that_is_not_there(run: Simulator, command: Command) -> None:
    for verb in (("status",), ("artifact", "plan"), ("artifact", "review")):
        assert command(*verb, "--data", f"{run.data}/gone") == (
            1,
            "",
            (
                f"harness-guard cli.no-data-folder: there is no folder `{run.data}/gone`\n"
                "Next: give --data an existing data folder, or leave it out\n"
            ),
        )


def test_a_task_cannot_move_the_terminal_s_cursor(run: Simulator, command: Command) -> None:
    run.prompt("$harness keep\x1b[2J digits\u202e")
    status, out, _ = command("status")
    assert status == 0
    assert "task: keep\\x1b[2J digits\\u202e\n" in out
