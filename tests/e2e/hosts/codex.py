"""Codex: installation and trust with its own commands, and a session in its app server."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import threading
from typing import TYPE_CHECKING

from tests.e2e.hosts.conversation import Conversation, Pipe
from tests.e2e.hosts.responses_api import ResponsesApi
from tests.e2e.hosts.script import Call, JsonObject, ScriptError
from tests.e2e.hosts.world import find_binary, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.hosts.script import Seen, Step
    from tests.e2e.hosts.world import World

DIRECT_MODEL = "gpt-5.5"
CODE_MODE_MODEL = "gpt-6.2-sol"
_CALL_LIMIT_S = 30.0
_CONFIGURATION = """\
model = "{model}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[features]
enable_request_compression = false
shell_snapshot = false
unified_exec_tty = {terminal}
[projects.{repository}]
trust_level = "trusted"
"""


class Codex(Conversation):
    """A session without sandbox and without questions, so that nothing but the plugin stands in a call's way."""

    name = "codex"
    blocked_pattern = re.compile(r"(?:Command|Tool call) blocked by PreToolUse hook: ")

    def __init__(
        self,
        world: World,
        *,
        environment: dict[str, str] | None = None,
        model: str = DIRECT_MODEL,
        terminal: bool = False,
        is_installed: bool = False,
    ) -> None:
        """Install the plugin of the world's marketplace folder; `start` then starts and trusts.

        Args:
            world: The folders.
            environment: What the host's process gets besides.
            model: Its name decides which tools the host offers.
            terminal: Whether the model may open terminals.
            is_installed: Another session of the same user has done all this; this one has a model of its own.
        """
        super().__init__(world, ResponsesApi())
        self._binary = find_binary("codex")
        self._home = world.folder("codex")
        self.model = model
        self.environment = world.environment(
            CODEX_HOME=str(self._home), SCRIPTED_MODEL_KEY="none", **(environment or {})
        )
        self.plugin_name, self.market = world.marketplace()
        self._serial = itertools.count(1)
        self._answers: dict[int, JsonObject] = {}
        self._answered = threading.Condition()
        self.turn_id = ""
        if is_installed:
            return
        repository = json.dumps(str(world.repository))
        text = _CONFIGURATION.format(
            model=model, url=self.server.url, terminal=json.dumps(terminal), repository=repository
        )
        (self._home / "config.toml").write_text(text, encoding="utf-8")
        self._install()

    def _install(self) -> None:
        run(
            self._binary,
            "plugin",
            "marketplace",
            "add",
            str(self.world.plugin),
            cwd=self.world.root,
            env=self.environment,
        )
        run(
            self._binary,
            "plugin",
            "add",
            f"{self.plugin_name}@{self.market}",
            cwd=self.world.root,
            env=self.environment,
        )

    @property
    def data(self) -> Path:
        """The host names this folder but does not make it."""
        return self._home / "plugins" / "data" / f"{self.plugin_name}-{self.market}"

    @property
    def installed(self) -> Path:
        """The host's cache holds one version."""
        (folder,) = (self._home / "plugins" / "cache" / self.market / self.plugin_name).iterdir()
        return folder

    def start(self) -> None:
        """Start or resume; trust the plugin's hooks the first time."""
        address = f"model_providers.scripted.base_url={json.dumps(self.server.url + '/v1')}"
        command = [self._binary, "app-server", "-c", address]
        self.pipe = Pipe(command, cwd=self.world.repository, env=self.environment, log=self.log)
        client = {"name": "scenario", "version": "1"}
        self.call("initialize", {"clientInfo": client, "capabilities": {"experimentalApi": True}})
        self.pipe.send({"method": "initialized"})
        if self.session_id:
            self.call("thread/resume", {"threadId": self.session_id, "excludeTurns": True})
            return
        self.trust()
        self.session_id = self.call("thread/start", {"cwd": str(self.world.repository)})["thread"]["id"]

    def hooks(self) -> list[JsonObject]:
        """The hooks as the host lists them, with their state of trust."""
        listed = self.call("hooks/list", {"cwds": [str(self.world.repository)]})["data"]
        return [hook for entry in listed for hook in entry["hooks"]]

    def trust(self) -> None:
        """What the user does in the host's review of hooks."""
        value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in self.hooks()}
        if not value:
            message = f"the host found no hook in {self.installed}"
            raise ScriptError(message)
        edit = {"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value}
        self.call("config/batchWrite", {"reloadUserConfig": True, "edits": [edit]})

    def call(self, method: str, params: JsonObject) -> JsonObject:
        """One request to the app server and its answer.

        Raises:
            ScriptError: It failed or did not answer.
        """
        serial = next(self._serial)
        if self.pipe is not None:
            self.pipe.send({"id": serial, "method": method, "params": params})
        self.wait_for(lambda: serial in self._answers, f"the answer to {method}", limit_s=_CALL_LIMIT_S)
        answer = self._answers.pop(serial)
        if "error" in answer:
            message = f"{method}: {answer['error']}"
            raise ScriptError(message)
        result: JsonObject = answer.get("result") or {}
        return result

    def send_prompt(self, text: str) -> None:
        """A turn of its own; the host steers the text into a turn that runs."""
        begun = self.call("turn/start", {"threadId": self.session_id, "input": [{"type": "text", "text": text}]})
        self.turn_id = begun["turn"]["id"]

    def steer(self, text: str) -> None:
        """What Enter does while a turn runs."""
        entry = [{"type": "text", "text": text}]
        self.call("turn/steer", {"threadId": self.session_id, "expectedTurnId": self.turn_id, "input": entry})

    def interrupt(self) -> None:
        """What Esc does."""
        self.call("turn/interrupt", {"threadId": self.session_id, "turnId": self.turn_id})

    def resume_elsewhere(self, prompt: str, *, limit_s: float = 40.0) -> str:
        """`codex exec resume ID PROMPT`, as a shell could start it; the host refuses while another process has the session."""
        command = [self._binary, "exec", "--json", "--skip-git-repo-check", "resume", self.session_id, prompt]
        done = subprocess.run(
            command, cwd=self.world.repository, env=self.environment, text=True, capture_output=True, timeout=limit_s,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    def handle(self, message: JsonObject) -> None:
        """Answers, hook runs, notices and ends of turns."""
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            self._answers[message["id"]] = message
        elif "id" in message:
            if self.pipe is not None:
                self.pipe.send({"id": message["id"], "result": {"decision": "accept"}})
        elif method == "hook/completed":
            run_of = params["run"]
            shown = "\n".join(str(entry.get("text", entry)) for entry in run_of.get("entries") or [])
            event = str(run_of["eventName"])
            self.hook_ran(event[:1].upper() + event[1:], str(run_of["status"]), shown)
        elif method == "turn/started" and params.get("threadId") == self.session_id:
            self.turn_id = params["turn"]["id"]
        elif method == "turn/completed" and params.get("threadId") == self.session_id:
            self.ended(str(params["turn"]["status"]))
        elif method in ("warning", "configWarning", "error"):
            self.noticed(json.dumps(params))

    def write(self, path: str, text: str) -> Call:
        """A patch that adds the file."""
        body = "".join(f"+{line}\n" for line in text.splitlines())
        return self._patch(f"*** Add File: {path}\n{body}")

    def edit(self, path: str, old: str, new: str) -> Call:
        """A patch that replaces whole lines."""
        lines = [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]
        return self._patch(f"*** Update File: {path}\n@@\n" + "\n".join(lines) + "\n")

    def _patch(self, body: str) -> Call:
        return Call("apply_patch", f"*** Begin Patch\n{body}*** End Patch\n")

    def shell(self, command: str) -> Call:
        """The host offers its shell as exec_command."""
        return Call("exec_command", {"cmd": command})

    def read(self, path: str) -> Call:
        """This host has no tool for reading but its shell."""
        return self.shell(f"cat {path}")

    def spawn(self, arguments: JsonObject) -> Call:
        """The two generations of the spawn tool live in different namespaces; the older knows no task names."""
        if self.model == DIRECT_MODEL:
            arguments = {key: value for key, value in arguments.items() if key not in ("task_name", "fork_turns")}
        return Call("spawn_agent", arguments, namespace=self._namespace)

    @property
    def _namespace(self) -> str:
        return "multi_agent_v1" if self.model == DIRECT_MODEL else "collaboration"

    def await_child(self) -> tuple[Step, ...]:
        """The host does not wake the root, so it has to wait."""
        return (self._wait,)

    def _wait(self, seen: Seen) -> Call:
        if self.model != DIRECT_MODEL:
            return Call("wait_agent", {"timeout_ms": 20000}, namespace=self._namespace)
        child = seen.find(r'"agent_id":\s*"([^"]+)"')
        return Call("wait_agent", {"targets": [child], "timeout_ms": 20000}, namespace=self._namespace)
