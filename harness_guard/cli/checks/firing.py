"""Fires the registered PreToolUse command on throwaway data folders and demands the answers that keep a run safe."""

from __future__ import annotations

import os
import secrets
import tempfile

from harness_guard.cli.checks.check import fine, wrong
from harness_guard.cli.installation import spelled
from harness_guard.cli.registered import fire, load_commands
from harness_guard.errors import ProvisionError
from harness_guard.places import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from harness_guard.cli.checks.check import Check
    from harness_guard.cli.hosts.host import Host
    from harness_guard.cli.registered import Fired

_SESSION: Final = "00000000-0000-0000-0000-000000000000"
_VANISHED: Final = "the run's state has vanished"


def _mend() -> str:
    return f"run {spelled('install')} again; if it stays so, report this"


def check_firing(host: Host, root: str) -> list[Check]:
    """Fire the registered PreToolUse command: silence, the launcher's own deny, the guard's deny.

    Args:
        host: Its shell and variables are used.
        root: The folder that the host runs the plugin from.
    """
    try:
        (line,) = load_commands(root)["PreToolUse"]
    except (ProvisionError, KeyError, ValueError) as error:
        return [wrong("fired PreToolUse", f"its command cannot be read: {error}", _mend())]
    with tempfile.TemporaryDirectory(prefix="harness-guard-doctor-", ignore_cleanup_errors=True) as folder:
        trial = _Trial(host, root, line, os.path.realpath(folder))
        return [trial.without_run(), trial.without_runtime(), trial.without_state()]


class _Trial:
    """The command on data folders that lack something."""

    def __init__(self, host: Host, root: str, line: str, folder: str) -> None:
        self._host, self._root, self._line, self._folder = host, root, line, folder

    def without_run(self) -> Check:
        title = "fired without a run"
        fired = self._fire(self._data("empty"))
        if fired.verdict == "silent":
            return fine(title, "silence")
        return wrong(title, f"it answered {fired.verdict}: {fired.first_line}", _mend())

    def without_runtime(self) -> Check:
        places = self._data("bare")
        _activate(places)
        return _denied("fired without a runtime", self._fire(places), "")

    def without_state(self) -> Check:
        places = self._data("stateless")
        _activate(places)
        real = self._host.places
        try:
            with open(real.interpreter, encoding="utf-8") as file:
                python = file.read()
        except OSError:
            return wrong("fired without a state", "no interpreter is recorded, so the guard cannot start", _mend())
        with open(places.interpreter, "w", encoding="utf-8") as file:
            file.write(python)
        # The real packages, so that this shows whether the guard starts, and a folder of its own for everything else.
        for name in ("runtime", "pycache"):
            os.symlink(f"{real.data}/{name}", f"{places.data}/{name}")
        with open(places.key, "wb", opener=_private) as key:
            key.write(secrets.token_bytes(32))
        return _denied("fired without a state", self._fire(places), _VANISHED)

    def _data(self, name: str) -> Places:
        places = Places(f"{self._folder}/{name}/harness-doctor")
        os.makedirs(places.active, mode=0o700)
        return places

    def _fire(self, places: Places) -> Fired:
        payload: dict[str, object] = {
            "session_id": _SESSION,
            "transcript_path": None,
            "cwd": self._folder,
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            # The hook judges it and nobody runs it; if somebody did, the file would lie in the throwaway folder.
            "tool_input": {"command": "touch harness-guard-doctor"},
            "tool_use_id": "doctor-1",
        }
        turn = "turn_id" if self._host.name == "codex" else "prompt_id"
        return fire(
            self._line,
            {**payload, turn: "doctor"},
            self._environ(places),
            cwd=self._folder,
            shell=self._host.shell,
        )

    def _environ(self, places: Places) -> Mapping[str, str]:
        given = {"CLAUDE_PLUGIN_ROOT": self._root, "CLAUDE_PLUGIN_DATA": places.data}
        if self._host.name == "codex":
            return {**self._host.environ, **given, "PLUGIN_ROOT": self._root, "PLUGIN_DATA": places.data}
        return {**self._host.environ, **given, "CLAUDE_PROJECT_DIR": self._folder}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _activate(places: Places) -> None:
    with open(places.marker(_SESSION), "wb"):
        pass


def _denied(title: str, fired: Fired, says: str) -> Check:
    if fired.verdict == "denied" and says in fired.text:
        return fine(title, f"denied: {fired.first_line.removeprefix('harness-guard ')}")
    return wrong(title, f"expected a deny, it answered {fired.verdict}: {fired.first_line}", _mend())
