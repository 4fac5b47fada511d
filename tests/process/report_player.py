"""Plays a case: every step through the registered hook command, as a process of its own, the way a host starts it.

What only a host can know (turn ids, the model, its transcript) is added to the form's payloads as that host writes it,
and the form's shorthands for artifacts ("a complete plan", "VERDICT: PASS") become the artifacts.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from report_checks import DEMANDS, Reply, Result, always_problem, outcome_problem
from report_form import Case, Step, Unknown, placed
from report_world import Stage, World

from harness_guard.kernel.spawn import REVIEWER_TYPE
from harness_guard.runtime.registration import FAILURE_ANSWERS, command

if TYPE_CHECKING:
    from collections.abc import Iterator

HUNG_S = 60  # far over the guard's own limit: a process that is still there hangs
EVENTS = {"deny": "PreToolUse", "allow": "PreToolUse", "block-stop": "Stop", "allow-stop": "Stop"}
A_PLAN = "# Plan\n...a complete plan..."
CLAIM = "Done."


@dataclass(frozen=True)
class Miss:
    """A demand that was not met.

    Attributes:
        step: Number of the step, from 1.
        demand: Name of the demand; ``expect`` for the outcome, ``always`` for what holds in every case.
        seen: What was there instead.
    """

    step: int
    demand: str
    seen: str


def play(case: Case, host: str, folder: Path, stage: Stage, *, plugins: tuple[Path, ...] = ()) -> list[Miss]:
    """Play a case on a host.

    Args:
        case: The case.
        host: ``claude`` or ``codex``.
        folder: An empty folder for all that the case needs.
        stage: The plugin and the data folder.
        plugins: What answers the steps in the plugin's place.

    Returns:
        The demands that were not met.

    Raises:
        Unknown: If the case says something that has no meaning here.
    """
    world = Playing(folder, host, case, stage)
    world.set_up()
    return [miss for plugin in plugins or world.variants for miss in _with(world, plugin)]


def _with(world: Playing, plugin: Path) -> Iterator[Miss]:
    world.launched = plugin
    for number, step in enumerate(world.case.steps, 1):
        result = world.play(step)
        problems = {"expect": outcome_problem(step.expect, result), "always": always_problem(result)}
        for name, value in step.output.items():
            if name not in DEMANDS:
                raise Unknown(f"output {name!r}")
            problems[name] = DEMANDS[name](placed(value, world.places), result)
        yield from (Miss(number, name, seen) for name, seen in problems.items() if seen)


class Playing(World):
    """A world in which steps are played."""

    is_moved = False
    refusal = ""
    last: Any = None

    def play(self, step: Step) -> Result:
        """Deliver one step as often as it says."""
        if self.refusal and step.event != self.last:
            # A step is about authority that a refusal before it may have taken; the human gives it back (C6.8).
            self.resume(self.refusal)
        self.last, self.refusal = step.event, ""
        self.is_change_named = "state" in step.output
        event = self._event(step)
        payloads = [self._payload(step, number) for number in range(step.repeat)]
        before, stored = self._loaded()
        self._check_authority(event, before)
        replies = self._deliver(event, [raw for raw, _ in payloads], parallel=step.parallel)
        after, stored_after = self._loaded()
        self._follow(step, event, replies)
        calls = tuple(call for _, call in payloads if call)
        return Result(self, tuple(replies), before, after, stored, stored_after, calls)

    def _loaded(self) -> tuple[Any, bytes | None]:
        stored = self.store.stored()
        if self.case.setup.get("fault") is not None:
            return None, stored  # a damaged state is the case's own doing
        return self.state, stored

    def _check_authority(self, event: str, before: Any) -> None:
        """A refusal shows nothing if there is no authority anyhow: the phase has to last as long as only tools are called."""
        if before is None or self.case.setup["phase"] != "executing":
            return
        self.is_moved |= event != "PreToolUse" and event in FAILURE_ANSWERS
        assert self.is_moved or before.has_authority, f"{self.case.id}: authority is lost on the way: {before.state}"

    def _event(self, step: Step) -> str:
        if isinstance(step.event, dict) and isinstance(step.event.get("hook_event_name"), str):
            return str(step.event["hook_event_name"])
        found = {EVENTS[word] for word in step.expect.split(" or ") if word in EVENTS}
        if len(found) != 1:
            raise Unknown(f"{self.case.id}: which event is {step.event!r}?")
        return found.pop()

    # Payloads.

    def _payload(self, step: Step, number: int) -> tuple[bytes, str]:
        if isinstance(step.event, str):
            return placed(step.event, self.places).encode(), ""
        event = placed(copy.deepcopy(step.event), self.places)
        call = ""
        if isinstance(event, dict):
            event = self._told_by_host(event)
            if step.repeat > 1 and "tool_use_id" in event:
                event["tool_use_id"] += f"-{number}"  # each try of a model is a call of its own
            call = str(event.get("tool_use_id", ""))
        return self._on_its_way(json.dumps(event, ensure_ascii=False).encode()), call

    def _told_by_host(self, event: dict[str, Any]) -> dict[str, Any]:
        name = event.get("hook_event_name")
        if name == "UserPromptSubmit":
            self.turn = f"turn-{next(self._ids)}"
        own = {"turn_id": self.turn, "model": "gpt-5.5"} if self.host == "codex" else {"prompt_id": self.turn}
        if self.host == "claude" and name in ("Stop", "SubagentStop"):
            own["background_tasks"] = []  # type: ignore[assignment]  # the host always lists them
            for task in event.get("background_tasks", ()):
                task.setdefault("type", "shell")
        event = {**{key: value for key, value in own.items() if value != ""}, **event}
        if "transcript_path" in event:
            event["transcript_path"] = str(self.transcript)
        if "agent_type" in event:
            event["agent_type"] = self._type(event["agent_type"])
        if "last_assistant_message" in event:
            event["last_assistant_message"] = self._message(str(name), event["last_assistant_message"])
        return event

    def _type(self, given: str) -> str:
        """Name our Reviewer where the case names its own, in the spelling that the case uses."""
        scope, _, name = given.rpartition(":")
        if name != self.case.plan.get("reviewer"):
            return given
        if self.host == "codex":
            return "default"
        return REVIEWER_TYPE if scope else REVIEWER_TYPE.rpartition(":")[2]

    def _message(self, event: str, message: str) -> str:
        if message == A_PLAN:
            return self.plan
        if event == "SubagentStop" and message.startswith("VERDICT: "):
            return self.review(message.removeprefix("VERDICT: "))
        if event == "Stop" and message == CLAIM and self.state is not None and self.state.state == "reviewing":
            return self.completion()
        return message

    def _on_its_way(self, raw: bytes) -> bytes:
        at = len(raw) // 2
        spoiled = {
            "truncated": lambda: raw[:at],
            "empty": lambda: b"",
            "bytes": lambda: raw.replace(b'"cwd": "', b'"x": "\xff\xfe", "cwd": "', 1),
            "mark": lambda: b"\xef\xbb\xbf" + raw,
            "huge": lambda: raw[:-1] + b', "x": "' + b"a" * 70_000_000 + b'"}',
            "trailing": lambda: raw + b" {}",
            "duplicate": lambda: raw[:-1] + b', "tool_name": "Read"}',
        }
        return spoiled[self.payload_fault]() if self.payload_fault in spoiled else raw

    # Processes.

    def _deliver(self, event: str, payloads: list[bytes], *, parallel: bool) -> list[Reply]:
        if event not in FAILURE_ANSWERS:
            return [Reply(event, self.host) for _ in payloads]  # the hosts run nothing of ours for it (C2.1)
        if not parallel:
            return [self._end(event, self._start(event), raw) for raw in payloads]
        started = [self._start(event) for _ in payloads]
        return [self._end(event, process, raw) for process, raw in zip(started, payloads, strict=True)]

    def _start(self, event: str) -> tuple[subprocess.Popen[bytes], Any, Any, float]:
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115  read when the process has ended
        process = subprocess.Popen(
            ["/bin/sh", "-c", command(event)],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            cwd=self.root,
            env=self.hook_environ(self.launched),
        )
        return process, out, err, time.monotonic()

    def _end(self, event: str, started: tuple[subprocess.Popen[bytes], Any, Any, float], raw: bytes) -> Reply:
        process, out, err, since = started
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has heard enough
            self._feed(process.stdin, raw)
        if self.payload_fault != "open":
            self._close(process)
        status = process.wait(HUNG_S)
        ms = (time.monotonic() - since) * 1000
        self._close(process)
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read().decode(errors="replace"))
            file.close()
        return Reply(event, self.host, said[0], said[1], status, ms)

    def _feed(self, pipe: Any, raw: bytes) -> None:
        size = max(1, len(raw) // 7) if self.payload_fault == "pieces" else max(1, len(raw))
        for start in range(0, len(raw), size):
            pipe.write(raw[start : start + size])
            pipe.flush()
            if self.payload_fault == "pieces":
                time.sleep(0.02)

    def _close(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()

    # What a host and its user do then.

    def _follow(self, step: Step, event: str, replies: list[Reply]) -> None:
        for reply in replies:
            if "# Repair Resume" in reply.text and event != "UserPromptSubmit":
                self.refusal = next(text for text in reply.reasons if "# Repair Resume" in text)
        if self.case.setup.get("phase") in ("paused", "blocked"):
            self.refusal = ""
        if not isinstance(step.event, dict):
            return
        if event == "UserPromptSubmit" and self.host == "claude":
            row = {"type": "user", "promptId": self.turn, "promptSource": "typed", "sentAtMs": int(time.time() * 1000)}
            with self.transcript.open("a") as handle:
                handle.write(json.dumps(row) + "\n")
        if step.event.get("tool_name") == "Write" and replies[0].is_quiet:
            self._write(placed(step.event["tool_input"], self.places))

    def _write(self, given: dict[str, Any]) -> None:
        """Let the host do what it was allowed to, so that a later step finds it."""
        path = Path(os.path.join(self.root, str(given.get("file_path", ""))))
        if path.resolve().is_relative_to(self.root) and not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(given.get("content", "")))
