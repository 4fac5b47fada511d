"""Claude Code in a terminal of its own: the only way of running it in which the host says that a human attends."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import queue
import re
import struct
import subprocess
import termios
import threading
import time
from typing import TYPE_CHECKING

from tests.e2e.hosts.claude import Claude

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.hosts.script import JsonObject

_ROWS, _COLUMNS = 50, 160
_START_S = 30.0
_QUIET_S = 0.25
_STOPPED = "stop_hook_summary"
# What the host would ask at its first start in a terminal: look, key, trust of the folder, and the mode without questions.
_ANSWERED = {"hasCompletedOnboarding": True, "theme": "dark"}
_TRUSTED = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
_UNSEEN = re.compile(r"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]|\s")


class Screen:
    """A host process on a pseudo-terminal; it speaks no JSON, so its messages are none."""

    def __init__(self, command: list[str], *, cwd: Path, env: dict[str, str]) -> None:
        """Start it in a session of its own."""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self.messages: queue.SimpleQueue[JsonObject | None] = queue.SimpleQueue()
        self._shown = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def shown(self) -> str:
        """All that was drawn, without blanks: the host moves its cursor over them."""
        return _UNSEEN.sub("", self._shown.decode(errors="replace"))

    def keys(self, text: str) -> None:
        """Press keys."""
        os.write(self._master, text.encode())

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        try:
            self.process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5.0)
        os.close(self._master)

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the end of the other side
            while data := os.read(self._master, 65536):
                self._shown += data


class TerminalClaude(Claude):
    """Another session's host process in a terminal: what it resumes was begun without one."""

    @classmethod
    def instead_of(cls, host: Claude) -> TerminalClaude:
        """End a session's process and resume the session in a terminal."""
        host.stop()
        terminal = cls.__new__(cls)
        terminal.__dict__.update(host.__dict__)
        terminal.start()
        return terminal

    def start(self) -> None:
        """Start where nothing is left to be asked, and wait until a prompt can be typed."""
        self._answer_beforehand()
        command = [self._binary, "--model", "sonnet", "--permission-mode", "bypassPermissions"]
        screen = Screen([*command, "--resume", self.session_id], cwd=self.world.repository, env=self.environment)
        self.pipe = screen  # type: ignore[assignment]  # it has what the conversation uses of a pipe
        self._screen = screen
        self.wait_for(lambda: "bypasspermissionson" in screen.shown(), "the host's input line", limit_s=_START_S)

    def send_prompt(self, text: str) -> None:
        """Type it, look that it stands there, press Enter."""
        self._rows = len(self.transcript())
        typed = re.sub(r"\s", "", text)
        before = self._screen.shown().count(typed)
        self._screen.keys(text)
        self.wait_for(lambda: self._screen.shown().count(typed) > before, f"{text} on the screen")
        self._screen.keys("\r")

    def interrupt(self) -> None:
        """Press Esc."""
        self._screen.keys("\x1b")

    def _done(self, *, interrupted: bool) -> bool:
        """No message tells the end of a turn; the transcript's last row does: a Stop that no hook blocked."""
        if not interrupted and (self.server.unused() or not self._has_stopped()):
            return False
        self.last_result_s = self.last_result_s or time.monotonic()
        return time.monotonic() - self.last_result_s > _QUIET_S

    def transcript(self) -> list[str]:
        """The rows of the transcript; one that is being written is left out."""
        (path,) = (self._config / "projects").glob(f"*/{self.session_id}.jsonl")
        return path.read_text(encoding="utf-8").split("\n")[:-1]

    def _has_stopped(self) -> bool:
        rows = [json.loads(line) for line in self.transcript()[self._rows :]]
        told = [row for row in rows if row["type"] in ("user", "assistant") or row.get("subtype") == _STOPPED]
        return bool(told) and told[-1]["type"] == "system" and not told[-1]["hasOutput"]

    def _answer_beforehand(self) -> None:
        path = self._config / ".claude.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        key = self.environment["ANTHROPIC_API_KEY"][-20:]
        projects = known.get("projects", {})
        projects[str(self.world.repository)] = projects.get(str(self.world.repository), {}) | _TRUSTED
        keys = {"approved": [key], "rejected": []}
        path.write_text(json.dumps(known | _ANSWERED | {"customApiKeyResponses": keys, "projects": projects}))
        settings = self._config / "settings.json"
        chosen = json.loads(settings.read_text(encoding="utf-8"))
        settings.write_text(json.dumps(chosen | {"skipDangerousModePermissionPrompt": True}))
