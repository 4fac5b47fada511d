"""A model server on loopback that answers every request of a host from the scenario's script."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Protocol

from tests.e2e.hosts.script import Call, JsonObject, Lane, Parallel, Result, Say, ScriptError, Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.hosts.script import Answer, Step

HOLD_LIMIT_S = 60.0
UNSCRIPTED = "(the script is over)"
# A host whose hooks never let it stop must not keep a test busy for ever.
UNSCRIPTED_LIMIT = 12
_END_OF_ROOT = "root"


@dataclass(frozen=True)
class Request:
    """One model request, whatever its dialect.

    Attributes:
        child: It comes from a subagent's conversation.
        side: The host asks for itself (a title, a check); it takes no step.
        task: What the conversation was asked to do, to choose the script of a child by.
        results: The tool results it carries, by call id.
    """

    child: bool
    side: bool
    task: str
    pieces: tuple[str, ...]
    results: dict[str, Result]


class Dialect(Protocol):
    """How one host's API is read and written."""

    path: str

    def read(self, body: JsonObject) -> Request:
        """Understand a request."""

    def stream(self, answer: Answer, ids: tuple[str, ...], body: JsonObject) -> Iterator[bytes]:
        """The answer as server-sent events; the first chunk goes out before a hold."""


@dataclass
class Exchange:
    """One request and its answer, as the report needs them."""

    lane: str
    answer: Answer
    ids: tuple[str, ...]
    news: list[str]


@dataclass
class Record:
    """What was exchanged since the turn began."""

    exchanges: list[Exchange] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    unscripted: int = 0
    failures: list[str] = field(default_factory=list)


class ModelServer:
    """Lanes of steps behind an HTTP port.

    Each request of the root's conversation takes the next step of the lane `root`; each request of a child takes
    the next step of the first lane whose pattern is found in the child's task.
    """

    def __init__(self, dialect: Dialect) -> None:
        """Listen at once; `url` is the address."""
        self._dialect = dialect
        self._changed = threading.Condition()
        self._lanes: dict[str, Lane] = {_END_OF_ROOT: Lane(_END_OF_ROOT)}
        self._serial = 0
        self._requests = Counter[str]()
        self._told: dict[str, list[str]] = {}
        self.record = Record()
        self.last_answer_s = 0.0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args: object) -> None:
                """Say nothing on standard error."""

            def do_GET(self) -> None:
                self.reply(200, {"data": [], "models": [], "has_more": False})

            do_HEAD = do_GET  # noqa: N815 (the standard library's names)

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                if self.path.split("?")[0].endswith(dialect.path):
                    server._answer(self, json.loads(raw))
                else:
                    self.reply(200, {"input_tokens": 100})

            def reply(self, status: int, body: JsonObject) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()

    def begin(self, steps: tuple[Step, ...], children: dict[str, tuple[Step, ...]]) -> None:
        """Start a new record with the steps of a turn."""
        with self._changed:
            self.record = Record()
            self.extend(_END_OF_ROOT, steps)
            for pattern, script in children.items():
                self.extend(pattern, script)

    def extend(self, lane: str, steps: tuple[Step, ...]) -> None:
        """Add steps to a lane; a lane other than `root` is the pattern that a child's task must match."""
        with self._changed:
            self._lanes.setdefault(lane, Lane(lane)).steps.extend(steps)

    def unused(self) -> dict[str, int]:
        """How many steps each lane has left; lanes without any are left out."""
        with self._changed:
            return {name: len(lane.steps) for name, lane in self._lanes.items() if lane.steps}

    def forget_unused(self) -> None:
        """Drop the steps that are left, after an interrupt for example."""
        with self._changed:
            for lane in self._lanes.values():
                lane.steps.clear()

    def wait_until(self, condition: Callable[[], bool], limit_s: float) -> bool:
        """Wait for a condition that a request or an answer can make true."""
        with self._changed:
            return self._changed.wait_for(condition, limit_s)

    def wait_for_request(self, count: int, *, lane: str = "root", limit_s: float = 20.0) -> None:
        """Wait until a lane has been asked `count` times since the server began.

        Raises:
            ScriptError: It was not.
        """
        if not self.wait_until(lambda: self._requests[lane] >= count, limit_s):
            message = f"lane {lane} was asked {self._requests[lane]} times, not {count}"
            raise ScriptError(message)

    def requests(self, lane: str = "root") -> int:
        """How often a lane has been asked."""
        return self._requests[lane]

    def history(self, lane: str = "root") -> Seen:
        """Everything that a lane has been told so far, oldest first."""
        with self._changed:
            return Seen(tuple(self._told.get(lane, ())))

    def _lane_of(self, request: Request) -> Lane:
        if not request.child:
            return self._lanes[_END_OF_ROOT]
        for name, lane in self._lanes.items():
            if name != _END_OF_ROOT and re.search(name, request.task):
                return lane
        return self._lanes.setdefault("(no lane)", Lane("(no lane)"))

    def _take(self, request: Request) -> tuple[Answer | None, tuple[str, ...]]:
        with self._changed:
            lane = self._lane_of(request)
            news = lane.news(request.pieces)
            self._told.setdefault(lane.name, []).extend(news)
            self.record.results.update(request.results)
            step: Step = lane.steps.pop(0) if lane.steps else self._unscripted(lane)
            self._requests[lane.name] += 1
            record = self.record
            self._changed.notify_all()
        try:
            answer = step(Seen(request.pieces)) if callable(step) else step
        except Exception as error:  # noqa: BLE001 (a scenario's own function may fail in any way; the test reports it)
            record.failures.append(f"{type(error).__name__}: {error}")
            return None, ()
        with self._changed:
            ids = tuple(self._new_id() for _ in _parts(answer))
            record.exchanges.append(Exchange(lane.name, answer, ids, news))
            if not request.child:
                self.last_answer_s = time.monotonic()
            self._changed.notify_all()
        return (None if record.unscripted > UNSCRIPTED_LIMIT else answer), ids

    def _unscripted(self, lane: Lane) -> Say:
        self.record.unscripted += 1
        return Say(f"{UNSCRIPTED} [{lane.name}]")

    def _new_id(self) -> str:
        self._serial += 1
        return f"call_{self._serial:020d}"

    def _answer(self, handler: BaseHTTPRequestHandler, body: JsonObject) -> None:
        request = self._dialect.read(body)
        answer, ids = (Say("ok"), ("side",)) if request.side else self._take(request)
        try:
            if answer is None:
                handler.reply(400, {"error": {"type": "api_error", "message": "no step"}})  # type: ignore[attr-defined]
                return
            handler.send_response(200)
            handler.send_header("content-type", "text/event-stream")
            handler.send_header("connection", "close")
            handler.end_headers()
            handler.close_connection = True
            for number, chunk in enumerate(self._dialect.stream(answer, ids, body)):
                if number == 1 and answer.hold is not None:
                    answer.hold.wait(HOLD_LIMIT_S)
                handler.wfile.write(chunk)
                handler.wfile.flush()
        except OSError:
            return  # The host hung up: an interrupt.


def _parts(answer: Answer) -> tuple[Say | Call, ...]:
    return answer.calls if isinstance(answer, Parallel) else (answer,)
