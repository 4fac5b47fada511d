"""One session of a real host, turn by turn: the part that both hosts share."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from tests.e2e.hosts.model_server import ModelServer, Record
from tests.e2e.hosts.script import Call, HookRun, JsonObject, Say, ScriptError, ToolCall, Turn
from tests.e2e.hosts.world import difference, snapshot

if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.hosts.model_server import Dialect
    from tests.e2e.hosts.script import Step
    from tests.e2e.hosts.world import World

# Both a careful reader and the guard need more than a second between a gate and its answer.
READING_TIME_S = 1.15
PATIENCE_S = 45.0
_POLL_S = 0.02
_QUIET_S = 0.25
_STUCK_S = 12.0


class Pipe:
    """A host process that speaks JSON lines on its standard input and output."""

    def __init__(self, command: list[str], *, cwd: Path, env: dict[str, str], log: Path) -> None:
        """Start it in a process group of its own; standard error goes to the log."""
        with log.open("ab") as stderr:
            self.process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                text=True, encoding="utf-8", errors="replace", start_new_session=True,
            )  # fmt: skip
        self.messages: queue.SimpleQueue[JsonObject | None] = queue.SimpleQueue()
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, message: JsonObject) -> None:
        """Write one message."""
        stream = self.process.stdin
        if stream is None:
            return
        with self._writing:
            stream.write(json.dumps(message) + "\n")
            stream.flush()

    def close(self, grace_s: float = 5.0) -> None:
        """End it: close its input, then insist."""
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        for insist in (self.process.terminate, self.process.kill):
            try:
                self.process.wait(grace_s)
            except subprocess.TimeoutExpired:
                insist()
        self.process.wait()
        self._reader.join()

    def _read(self) -> None:
        stream = self.process.stdout
        if stream is not None:
            with stream:
                for line in stream:
                    with contextlib.suppress(ValueError):
                        self.messages.put(json.loads(line))
        self.messages.put(None)


class Conversation(ABC):
    """A host process, a session in it, and the scripted model behind it.

    A turn lasts until the host is idle and every step of the script was taken: a host may go on by itself when a
    child ends. A step that is left over, or a request that no step answers, fails the scenario.
    """

    name: ClassVar[str]
    blocked_pattern: ClassVar[re.Pattern[str]]

    def __init__(self, world: World, dialect: Dialect) -> None:
        """Make the world's model server; a subclass installs the plugin and starts the host."""
        self.world = world
        self.server = ModelServer(dialect)
        self.pipe: Pipe | None = None
        self.session_id = ""
        self.last_result_s = 0.0
        self._status = ""
        self._hooks: list[HookRun] = []
        self._notices: list[str] = []
        self._prompt = ""
        self._follower: str | None = None
        self._before: dict[str, str] = {}

    # What each host does in its own way.

    @property
    @abstractmethod
    def data(self) -> Path:
        """The plugin's data folder."""

    @property
    @abstractmethod
    def installed(self) -> Path:
        """The folder from which the host runs the plugin."""

    @abstractmethod
    def start(self) -> None:
        """Start the host's process; a known session is resumed."""

    @abstractmethod
    def send_prompt(self, text: str) -> None:
        """Hand a prompt to the host as its user would."""

    @abstractmethod
    def interrupt(self) -> None:
        """Interrupt the running turn as the user would."""

    @abstractmethod
    def resume_elsewhere(self, prompt: str, *, limit_s: float = 40.0) -> str:
        """Let a second process of the host resume this session with a prompt; returns what it printed."""

    @abstractmethod
    def handle(self, message: JsonObject) -> None:
        """Take note of one message of the host."""

    @abstractmethod
    def write(self, path: str, text: str) -> Call:
        """A call of the host's own tool that makes a file."""

    @abstractmethod
    def shell(self, command: str) -> Call:
        """A call of the host's shell tool."""

    @abstractmethod
    def read(self, path: str) -> Call:
        """A call that reads a file as the host's models do."""

    @abstractmethod
    def edit(self, path: str, old: str, new: str) -> Call:
        """A call of the host's own tool that changes one line of a file."""

    @abstractmethod
    def spawn(self, arguments: JsonObject) -> Call:
        """A call of the host's tool that starts a child."""

    @abstractmethod
    def await_child(self) -> tuple[Step, ...]:
        """The steps that a root model takes until its child has ended."""

    # What both share.

    def turn(self, prompt: str, *steps: Step, children: dict[str, tuple[Step, ...]] | None = None) -> Turn:
        """Send a prompt and see the whole script through."""
        self.begin(prompt, *steps, children=children)
        return self.finish()

    def answer(self, prompt: str, *steps: Step, children: dict[str, tuple[Step, ...]] | None = None) -> Turn:
        """The same after the time that a human needs to read what is on screen."""
        time.sleep(max(0.0, self.last_result_s + READING_TIME_S - time.monotonic()))
        return self.turn(prompt, *steps, children=children)

    def begin(self, prompt: str, *steps: Step, children: dict[str, tuple[Step, ...]] | None = None) -> None:
        """Send a prompt and return at once."""
        self.listen(*steps, children=children)
        self._prompt = prompt
        self.send_prompt(prompt)

    def at_once(self, prompt: str, *steps: Step, then: str, after: tuple[Step, ...]) -> Turn:
        """Send a prompt, and a second one in the instant in which the first one's turn has ended."""
        self.begin(prompt, *steps, *after)
        self._follower = then
        return self.finish()

    def listen(self, *steps: Step, children: dict[str, tuple[Step, ...]] | None = None) -> None:
        """Begin a turn's record without a prompt, when something else makes the host go on."""
        self._pump()
        self._prompt, self._status, self._hooks, self._notices = "", "", [], []
        self.last_result_s = 0.0
        self._before = snapshot(self.world.repository)
        self.server.begin(steps, children or {})

    def finish(self, *, limit_s: float = PATIENCE_S, interrupted: bool = False) -> Turn:
        """Wait until the host is idle and the script is used up, and report.

        Args:
            limit_s: How long to wait.
            interrupted: The turn was cut short, so steps may be left.

        Raises:
            ScriptError: The conversation did not follow the script.
        """
        end = time.monotonic() + limit_s
        while time.monotonic() < end and not self._done(interrupted=interrupted) and not self._stuck():
            self._pump()
            time.sleep(_POLL_S)
        self._pump()
        unused = {} if interrupted else self.server.unused()
        self.server.forget_unused()
        turn = self._report(self.server.record)
        record = self.server.record
        if record.failures or record.unscripted or unused or not self.last_result_s:
            raise ScriptError(_complaint(turn, record, unused))
        return turn

    def wait_for(self, condition: Callable[[], bool], what: str, *, limit_s: float = 20.0) -> None:
        """Keep listening to the host until a condition holds.

        Raises:
            ScriptError: It never did.
        """
        end = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > end:
                message = f"waited in vain: {what}"
                raise ScriptError(message)
            self._pump()
            time.sleep(_POLL_S)

    def restart(self) -> None:
        """End the host's process and resume the session in a new one."""
        self.stop()
        self.start()

    def stop(self) -> None:
        """End the host's process."""
        if self.pipe is not None:
            self.pipe.close()
            self.pipe = None

    def close(self) -> None:
        """End the host and its model server."""
        self.stop()
        self.server.close()

    def hook_ran(self, event: str, status: str, text: str) -> None:
        """Note a hook run."""
        self._hooks.append(HookRun(event, status, text))

    def noticed(self, text: str) -> None:
        """Note what the host tells its user."""
        self._notices.append(text)

    def ended(self, status: str) -> None:
        """Note that a turn of the root has ended."""
        self._status, self.last_result_s = status, time.monotonic()
        follower, self._follower = self._follower, None
        if follower is not None:
            self.last_result_s = 0.0
            self.send_prompt(follower)

    def _done(self, *, interrupted: bool) -> bool:
        if not self.last_result_s or self.last_result_s < self.server.last_answer_s:
            return False
        # A hook that blocked at the end of a turn makes the host ask again at once; so wait a moment before belief.
        quiet = time.monotonic() - self.last_result_s > _QUIET_S
        return quiet and (interrupted or not self.server.unused())

    def _stuck(self) -> bool:
        """The host is idle although steps are left, and nothing has happened for so long that nothing will."""
        latest = max(self.last_result_s, self.server.last_answer_s)
        return bool(self.last_result_s) and time.monotonic() - latest > _STUCK_S

    def _pump(self) -> None:
        while self.pipe is not None:
            try:
                message = self.pipe.messages.get_nowait()
            except queue.Empty:
                return
            if message is None:
                log = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
                complaint = f"{self.name} ended unexpectedly: {log}"
                raise ScriptError(complaint)
            self.handle(message)

    @property
    def log(self) -> Path:
        """Where the host's standard error goes."""
        return self.world.folder("logs") / f"{self.name}.log"

    def _report(self, record: Record) -> Turn:
        saw, said, calls = [], [], []
        for exchange in list(record.exchanges):
            saw += [(exchange.lane, text) for text in exchange.news]
            parts = (exchange.answer,) if isinstance(exchange.answer, Say | Call) else exchange.answer.calls
            for part, ident in zip(parts, exchange.ids, strict=True):
                if isinstance(part, Say):
                    said.append((exchange.lane, part.text))
                else:
                    calls.append(self._fate(exchange.lane, part, record, ident))
        changed = difference(self._before, snapshot(self.world.repository))
        hooks, notices = tuple(self._hooks), tuple(self._notices)
        return Turn(self._prompt, self._status, tuple(saw), tuple(said), tuple(calls), hooks, changed, notices)

    def _fate(self, lane: str, call: Call, record: Record, ident: str) -> ToolCall:
        result = record.results.get(ident)
        text = None if result is None else result.text
        blocked = text is not None and self.blocked_pattern.search(text) is not None
        failed = result is not None and result.failed
        return ToolCall(lane, call.tool, call.arguments, text, failed, blocked)


def _complaint(turn: Turn, record: Record, unused: dict[str, int]) -> str:
    lines = [f"prompt {turn.prompt!r} ended {turn.status!r}; unused steps {unused}, unscripted {record.unscripted}"]
    lines += record.failures
    lines += [f"[{lane}] said: {text[:300]}" for lane, text in turn.said]
    lines += [
        f"[{c.lane}] {c.tool} {str(c.arguments)[:200]} -> blocked={c.blocked} {str(c.output)[:400]}" for c in turn.calls
    ]
    lines += [f"[{lane}] saw: {text[:600]}" for lane, text in turn.saw]
    lines += [f"hook {hook.event} {hook.status}: {hook.text[:300]}" for hook in turn.hooks]
    return "\n".join(lines + [f"notice: {text}" for text in turn.notices])
