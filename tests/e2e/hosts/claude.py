"""Claude Code: installation with its own commands, and a session of `claude -p` in stream-json mode."""

from __future__ import annotations

import json
import re
import subprocess
import uuid
from typing import TYPE_CHECKING

from tests.e2e.hosts.conversation import Conversation, Pipe
from tests.e2e.hosts.messages_api import MessagesApi
from tests.e2e.hosts.script import Call, JsonObject, Say
from tests.e2e.hosts.world import find_binary, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.hosts.script import Step
    from tests.e2e.hosts.world import World

_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    # The host refuses to work without questions as the superuser, unless it is told that it sits in a sandbox.
    "IS_SANDBOX": "1",
}


class Claude(Conversation):
    """A session with every permission granted, so that nothing but the plugin stands in a call's way."""

    name = "claude"
    # Of some tools the host shows the bare reason.
    blocked_pattern = re.compile(r"\APreToolUse:\S+ hook error|\AHook PreToolUse|\Aharness-guard [a-z-]+\.[a-z-]+: ")

    def __init__(
        self,
        world: World,
        *,
        environment: dict[str, str] | None = None,
        settings: JsonObject | None = None,
        is_installed: bool = False,
    ) -> None:
        """Install the plugin of the world's marketplace folder beside a user's settings; `start` then starts the host.

        Args:
            world: The folders.
            environment: What the host's process gets besides.
            settings: The user's settings.
            is_installed: Another session of the same user has done all this; this one has a model of its own.
        """
        super().__init__(world, MessagesApi())
        self._binary = find_binary("claude")
        self._config = world.folder("config")
        self.environment = world.environment(
            CLAUDE_CONFIG_DIR=str(self._config),
            ANTHROPIC_BASE_URL=self.server.url,
            ANTHROPIC_API_KEY="sk-ant-not-a-key",
            **_QUIET,
            **(environment or {}),
        )
        self.plugin_name, self.market = world.marketplace()
        if is_installed:
            return
        if settings is not None:
            (self._config / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        self._install()

    def _install(self) -> None:
        command = (
            self._binary,
            "plugin",
            "install",
            self.plugin_name,
            "--marketplace",
            str(self.world.plugin),
            "--json",
        )
        run(*command, cwd=self.world.root, env=self.environment)

    @property
    def data(self) -> Path:
        """The data folder carries the names of plugin and marketplace."""
        return self._config / "plugins" / "data" / f"{self.plugin_name}-{self.market}"

    @property
    def installed(self) -> Path:
        """A plugin of a folder marketplace runs from that folder, whatever lies in the host's cache."""
        return self.world.plugin

    def _command(self, *extra: str) -> list[str]:
        return [
            self._binary, "-p", "--output-format", "stream-json", "--verbose", "--model", "sonnet",
            "--permission-mode", "bypassPermissions", *extra,
        ]  # fmt: skip

    def start(self) -> None:
        """Start or resume; prompts go in as JSON lines."""
        extra = ["--input-format", "stream-json", "--include-hook-events", "--replay-user-messages"]
        if self.session_id:
            extra += ["--resume", self.session_id]
        self.pipe = Pipe(self._command(*extra), cwd=self.world.repository, env=self.environment, log=self.log)

    def send_prompt(self, text: str) -> None:
        """One user message; while a turn runs the host queues it."""
        message = {"type": "user", "uuid": str(uuid.uuid4()), "message": {"role": "user", "content": text}}
        self._send(message)

    def interrupt(self) -> None:
        """The control request that Esc sends."""
        self._send({"type": "control_request", "request_id": str(uuid.uuid4()), "request": {"subtype": "interrupt"}})

    def _send(self, message: JsonObject) -> None:
        if self.pipe is not None:
            self.pipe.send(message)

    def resume_elsewhere(self, prompt: str, *, limit_s: float = 40.0) -> str:
        """`claude -p --resume ID PROMPT`, as a shell could start it."""
        command = self._command("--resume", self.session_id, prompt)
        done = subprocess.run(
            command, cwd=self.world.repository, env=self.environment, text=True, capture_output=True, timeout=limit_s,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    def handle(self, message: JsonObject) -> None:
        """Sessions, hook runs, notices and ends of turns."""
        self.session_id = message.get("session_id") or self.session_id
        kind, subtype = message.get("type"), message.get("subtype")
        if kind == "result":
            self.ended(str(subtype))
        elif kind == "system" and subtype == "init":
            for error in message.get("plugin_errors") or []:
                self.noticed(f"plugin error: {error}")
        elif kind == "system" and subtype == "hook_response":
            shown = f"{message.get('stdout') or ''}{message.get('stderr') or ''}"
            self.hook_ran(str(message.get("hook_event")), f"{message.get('outcome')} {message.get('exit_code')}", shown)
        elif kind == "system" and subtype in ("informational", "notification", "permission_denied"):
            self.noticed(str(message.get("content") or message.get("text") or message.get("message")))
        elif kind == "control_request":
            answer: JsonObject = {"subtype": "success", "request_id": message.get("request_id"), "response": {}}
            self._send({"type": "control_response", "response": answer})

    def write(self, path: str, text: str) -> Call:
        """Write wants absolute paths."""
        return Call("Write", {"file_path": self._absolute(path), "content": text})

    def shell(self, command: str) -> Call:
        """Bash wants a description."""
        return Call("Bash", {"command": command, "description": "Run it"})

    def read(self, path: str) -> Call:
        """Edit refuses a file that the model has not read before."""
        return Call("Read", {"file_path": self._absolute(path)})

    def edit(self, path: str, old: str, new: str) -> Call:
        """Edit replaces a text that occurs once."""
        return Call("Edit", {"file_path": self._absolute(path), "old_string": old, "new_string": new})

    def spawn(self, arguments: JsonObject) -> Call:
        """Agent runs in the background unless told otherwise."""
        return Call("Agent", arguments)

    def await_child(self) -> tuple[Step, ...]:
        """The host wakes the root when the child has ended, so the root has nothing to do but say so."""
        return (Say("The child is at work."),)

    def _absolute(self, path: str) -> str:
        return path if path.startswith("/") else str(self.world.repository / path)
