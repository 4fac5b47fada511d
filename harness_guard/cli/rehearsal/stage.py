"""A host of one session: throwaway home, repository and data folder, and the registered commands fired for real.

It does what the host would do and no more: it fires the registered shell line with a payload on standard input, and
runs a tool call only if nothing refused it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
import uuid
from contextlib import contextmanager

from harness_guard.cli.registered import fire, load_commands
from harness_guard.errors import ProvisionError
from harness_guard.places import Places
from harness_guard.runtime.provision import provision
from harness_guard.store.runs import RunStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Final

    from harness_guard.cli.registered import Fired

REVIEWER: Final = "reviewer-1"
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TZ")


class Stage:
    """One session of a host on a repository of its own."""

    def __init__(self, folder: str, root: str, files: Mapping[str, str]) -> None:
        """Lay everything out below an empty folder.

        Args:
            folder: Where everything lies; somebody else removes it.
            root: The plugin's folder.
            files: The repository's first commit, path -> text.
        """
        self.repository = f"{folder}/repository"
        self.places = Places(f"{folder}/data/harness-demo")
        self.session = str(uuid.uuid4())
        self._commands = load_commands(root)
        self._transcript = f"{folder}/transcript.jsonl"
        self._turn = self._calls = 0
        self._is_child_alive = False
        self._environ = {name: os.environ[name] for name in _KEPT if name in os.environ}
        for name in ("home", "temporary"):
            os.mkdir(f"{folder}/{name}")
        self._environ |= {
            "HOME": f"{folder}/home",
            "TMPDIR": f"{folder}/temporary",
            "CLAUDE_PLUGIN_ROOT": root,
            "CLAUDE_PLUGIN_DATA": self.places.data,
            "CLAUDE_PROJECT_DIR": self.repository,
            "CLAUDE_PID": str(os.getpid()),
            "CLAUDE_CODE_SESSION_ATTENDED": "1",
        }
        self._make_repository(files)

    def _make_repository(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            self._write(path, text)
        identity = ["-c", "user.name=Demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgsign=false"]
        for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "Begin"]):
            try:
                done = subprocess.run(
                    ["git", *command],
                    cwd=self.repository,
                    env=self._environ,
                    capture_output=True,
                    text=True,
                    check=False,
                )
            except FileNotFoundError:
                raise ProvisionError("cli.no-git", "there is no git on PATH", "install git") from None
            if done.returncode:
                last = done.stderr.strip().splitlines()[-1:] or ["no message"]
                raise ProvisionError("cli.git", f"git {command[0]} failed: {last[0]}", "mend git, then try again")

    @property
    def store(self) -> RunStore:
        """The session's run."""
        return RunStore(self.places, self.session)

    @property
    def state(self) -> str:
        """The name of the run's state; ``none`` without a run."""
        loaded = self.store.load()
        return "none" if loaded is None else loaded.state.state

    def _write(self, path: str, text: str) -> None:
        whole = f"{self.repository}/{path}"
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)

    def _send(self, event: str, **fields: object) -> Fired:
        payload = {
            "session_id": self.session,
            "transcript_path": self._transcript,
            "cwd": self.repository,
            "hook_event_name": event,
            "permission_mode": "default",
            **({"prompt_id": f"prompt-{self._turn}"} if self._turn else {}),
            **fields,
        }
        (line,) = self._commands[event]
        return fire(line, payload, self._environ, cwd=self.repository)

    def prompt(self, text: str) -> Fired:
        """Type a prompt; the host's transcript names its author afterwards, as the real one does."""
        self._turn += 1
        sent = time.time_ns() // 1_000_000
        fired = self._send("UserPromptSubmit", prompt=text)
        row = {"type": "user", "promptId": f"prompt-{self._turn}", "promptSource": "typed", "sentAtMs": sent}
        with open(self._transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps({**row, "origin": {"kind": "human"}}) + "\n")
        return fired

    def call(self, tool: str, arguments: Mapping[str, object], *, child: bool = False) -> Fired:
        """Call a tool, without running it."""
        self._calls += 1
        fields: dict[str, object] = {
            "tool_name": tool,
            "tool_input": dict(arguments),
            "tool_use_id": f"call-{self._calls}",
        }
        return self._send("PreToolUse", **fields, **(_CHILD if child else {}))

    def write(self, path: str, text: str, *, child: bool = False) -> Fired:
        """Write a file, if nothing refuses it."""
        fired = self.call("Write", {"file_path": f"{self.repository}/{path}", "content": text}, child=child)
        if fired.verdict == "silent":
            self._write(path, text)
        return fired

    def shell(self, command: str) -> Fired:
        """Run a shell command, if nothing refuses it."""
        fired = self.call("Bash", {"command": command, "description": "Run it"})
        if fired.verdict == "silent":
            subprocess.run(
                ["/bin/sh", "-c", command], cwd=self.repository, env=self._environ, capture_output=True, check=False
            )
        return fired

    def child_reads(self, path: str) -> Fired:
        """Let the Reviewer read a file."""
        return self.call("Read", {"file_path": path}, child=True)

    def stop(self, message: str) -> Fired:
        """End the root's turn with a message."""
        return self._send("Stop", last_assistant_message=message, stop_hook_active=False, **self._background())

    def child_starts(self) -> Fired:
        """Start the Reviewer."""
        self._is_child_alive = True
        return self._send("SubagentStart", **_CHILD)

    def child_stops(self, message: str) -> Fired:
        """End the Reviewer with its answer."""
        self._is_child_alive = False
        more = {**_CHILD, **self._background()}
        return self._send("SubagentStop", last_assistant_message=message, stop_hook_active=False, **more)

    def _background(self) -> dict[str, object]:
        child = {"id": REVIEWER, "type": "subagent", "status": "running", "description": "Clean-context review"}
        return {"background_tasks": [child] if self._is_child_alive else [], "session_crons": []}


_CHILD: Final = {"agent_id": REVIEWER, "agent_type": "harness:clean-context-reviewer"}


@contextmanager
def set_stage(root: str, source: Places, files: Mapping[str, str]) -> Iterator[Stage]:
    """Lay out a stage in the system's temporary folder and remove it afterwards.

    Args:
        root: The plugin's folder.
        source: A provisioned data folder, to copy the runtime from.
        files: The repository's first commit, path -> text.

    Yields:
        The stage, provisioned, without a run.

    Raises:
        ProvisionError: If something that it needs is missing on this machine.
    """
    with tempfile.TemporaryDirectory(prefix="harness-guard-demo-", ignore_cleanup_errors=True) as folder:
        stage = Stage(os.path.realpath(folder), root, files)
        provision(stage.places.data, root, source=source.data)
        yield stage
