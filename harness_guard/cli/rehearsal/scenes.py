"""The scenes of the demonstration as a table: what is tried, and what the guard has to answer."""

from __future__ import annotations

import re
import time

from harness_guard.cli.registered import Fired
from harness_guard.cli.rehearsal import material
from harness_guard.cli.verbs.artifact import filled
from harness_guard.errors import HarnessError, StateError
from harness_guard.kernel.spawn import next_spawn
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from harness_guard.cli.registered import Verdict
    from harness_guard.cli.rehearsal.stage import Stage

# More than the second within which an answer counts as typed before its question could be read (contract section 5).
READING_TIME_S: Final = 1.1
_RESUME: Final = re.compile(
    r"^# Repair Resume\n.*?^Proceed with this Repair Resume\? \[y/N\]$", re.DOTALL | re.MULTILINE
)
_RECORD: Final = re.compile(r"^# Repair Record\n.*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scene:
    """One event and the answer that it has to get.

    Attributes:
        event: The host's name for it.
        tried: What the agent or the human does, for a reader.
        act: Does it.
        verdict: What has to come back.
        state: The state of the run afterwards.
        says: A text that the answer has to hold, a rule id for a refusal; ``""`` for silence.
    """

    event: str
    tried: str
    act: Callable[[Play], Fired]
    verdict: Verdict
    state: str
    says: str = ""

    def problem(self, fired: Fired, state: str) -> str | None:
        """Say how an answer differs from what it has to be; ``None`` if it does not."""
        if fired.verdict != self.verdict:
            return f"the verdict is {fired.verdict}, expected {self.verdict}"
        if self.says and self.says not in fired.text:
            return f"the answer does not say `{self.says}`"
        return None if state == self.state else f"the run is {state}, expected {self.state}"


class Play:
    """The stage, and what the agent has been told so far."""

    def __init__(self, stage: Stage, root: str) -> None:
        """Take the stage and the plugin's folder."""
        self.stage = stage
        self.root = root
        self.told = ""
        self.draft = ""

    def play(self, scene: Scene) -> tuple[Fired, str | None]:
        """Play a scene.

        Returns:
            The answer, and how it differs from what it has to be.
        """
        try:
            fired = scene.act(self)
            state = self.stage.state
        except HarnessError as error:  # what a scene builds on was not there: a scene before it went wrong
            return Fired("broken", str(error)), f"{error.rule}: {error.seen}"
        if fired.text:
            self.told = fired.text
        return fired, scene.problem(fired, state)

    def answer(self) -> Fired:
        """Let the human read, then type exactly y."""
        time.sleep(READING_TIME_S)
        return self.stage.prompt("y")

    def resume(self) -> Fired:
        """Emit the Repair Resume that the refusal handed out."""
        found = _RESUME.search(self.told)
        return self.stage.stop(found[0] if found is not None else self.told)

    def repair(self) -> Fired:
        """Have the Repair Record printed, then repair: what it says of afterwards is a guess."""
        self.draft = material.recorded(filled("repair-record", self.stage.store, self.root))
        return self.stage.write("tests/check.sh", material.CHECK_OF_DIGITS_ALONE)

    def record(self) -> Fired:
        """Emit the Repair Record that the refusal filled in."""
        found = _RECORD.search(self.told)
        return self.stage.stop(found[0] if found is not None else self.told)

    def spawn(self) -> Fired:
        """Spawn the Reviewer with the handed-out arguments."""
        loaded = self.stage.store.load()
        if loaded is None:
            raise StateError("cli.demo", "the run's state has vanished", "report this")
        return self.stage.call("Agent", next_spawn(loaded.state).for_host("claude"))

    def read_brief(self) -> Fired:
        """Let the Reviewer read what it is to judge."""
        return self.stage.child_reads(f"{self.stage.store.folder}/brief.md")

    def review(self, *, asks_for_repair: bool = False) -> str:
        """Give the Review with the run's bindings."""
        return material.reviewed(filled("review", self.stage.store, self.root), asks_for_repair=asks_for_repair)

    def completion(self) -> str:
        """Give the Completion with the run's bindings."""
        return material.completed(filled("completion", self.stage.store, self.root))


SCENES: Final = (
    Scene(
        "PreToolUse",
        "before any run, the agent writes notes.txt",
        lambda play: play.stage.write("notes.txt", "free\n"),
        "silent",
        "none",
    ),
    Scene(
        "UserPromptSubmit",
        f"the human types `{material.TASK}`",
        lambda play: play.stage.prompt(material.TASK),
        "told",
        "planning",
        "is open in planning",
    ),
    Scene(
        "PreToolUse",
        "the agent writes src/slug.sh at once",
        lambda play: play.stage.write("src/slug.sh", material.SLUG_WITH_DIGITS),
        "denied",
        "planning",
        "state.no-authority",
    ),
    Scene(
        "Stop",
        "the agent ends its turn with a Plan that lacks the section Risks",
        lambda play: play.stage.stop(material.NEAR_MISS),
        "blocked",
        "planning",
        f"plan line {material.NEAR_MISS.split(chr(10)).index('## Approval') + 1}",
    ),
    Scene(
        "Stop",
        "the agent ends its turn with the whole Plan: boundary src/ and tests/, verification `sh tests/check.sh`",
        lambda play: play.stage.stop(material.PLAN),
        "silent",
        "planning",
    ),
    Scene(
        "UserPromptSubmit",
        "the human answers `yes`, which is not exactly y",
        lambda play: play.stage.prompt("yes"),
        "told",
        "planning",
        "the Plan was not approved",
    ),
    Scene(
        "Stop",
        "the agent emits the Plan again",
        lambda play: play.stage.stop(material.PLAN),
        "silent",
        "planning",
    ),
    Scene(
        "UserPromptSubmit",
        "the human reads it and answers `y`",
        Play.answer,
        "told",
        "executing",
        "Approval activated (Plan)",
    ),
    Scene(
        "PreToolUse",
        "the agent writes tests/check.sh, inside the boundary",
        lambda play: play.stage.write("tests/check.sh", material.CHECK_OF_DIGITS),
        "silent",
        "executing",
    ),
    Scene(
        "PreToolUse",
        "the agent runs `git diff --stat`, which only reads",
        lambda play: play.stage.shell("git diff --stat"),
        "silent",
        "executing",
    ),
    Scene(
        "PreToolUse",
        "the agent writes README.md, outside the boundary",
        lambda play: play.stage.write("README.md", "never\n"),
        "denied",
        "paused_boundary",
        "boundary.outside",
    ),
    Scene(
        "Stop",
        "the agent emits the Repair Resume that the refusal handed out",
        Play.resume,
        "silent",
        "paused_boundary",
    ),
    Scene(
        "UserPromptSubmit",
        "the human answers `y`",
        Play.answer,
        "told",
        "executing",
        "Approval activated (Repair Resume)",
    ),
    Scene(
        "PreToolUse",
        "the agent claims to be done and spawns the Reviewer; the engine runs the verification, which is red",
        Play.spawn,
        "denied",
        "executing",
        "evidence.red",
    ),
    Scene(
        "PreToolUse",
        "the agent mends src/slug.sh",
        lambda play: play.stage.write("src/slug.sh", material.SLUG_WITH_DIGITS),
        "silent",
        "executing",
    ),
    Scene(
        "PreToolUse",
        "the agent spawns the Reviewer again; the engine finds the verification green",
        Play.spawn,
        "silent",
        "verifying",
    ),
    Scene(
        "SubagentStart",
        "the Reviewer starts in a context of its own",
        lambda play: play.stage.child_starts(),
        "told",
        "verifying",
        "accepted_plan_hash",
    ),
    Scene(
        "PreToolUse",
        "the Reviewer writes src/slug.sh",
        lambda play: play.stage.write("src/slug.sh", "never\n", child=True),
        "denied",
        "verifying",
        "state.no-authority",
    ),
    Scene(
        "Stop",
        "the agent hands in a Review that it wrote itself",
        lambda play: play.stage.stop(play.review()),
        "blocked",
        "verifying",
        "review.self",
    ),
    Scene(
        "SubagentStop",
        "the Reviewer ends with PASS, although it has not looked at the diff",
        lambda play: play.stage.child_stops(play.review()),
        "blocked",
        "verifying",
        "review.unread",
    ),
    Scene("PreToolUse", "the Reviewer reads its brief, with the whole diff", Play.read_brief, "silent", "verifying"),
    Scene(
        "SubagentStop",
        "the Reviewer ends with its Review: REPAIR_REQUIRED, one finding",
        lambda play: play.stage.child_stops(play.review(asks_for_repair=True)),
        "silent",
        "verifying",
    ),
    Scene(
        "Stop",
        "the agent relays that Review unchanged",
        lambda play: play.stage.stop(play.review(asks_for_repair=True)),
        "blocked",
        "auto_repairing",
        "repair.begun",
    ),
    Scene("PreToolUse", "the agent repairs tests/check.sh", Play.repair, "silent", "auto_repairing"),
    Scene(
        "Stop",
        "the agent hands in a Repair Record with values from before the repair",
        lambda play: play.stage.stop(play.draft),
        "blocked",
        "auto_repairing",
        "artifact.binding",
    ),
    Scene(
        "Stop",
        "the agent emits the Repair Record that the refusal filled in; the engine finds the verification green",
        Play.record,
        "blocked",
        "verifying",
        "repair.taken",
    ),
    Scene("PreToolUse", "the agent spawns the next Reviewer", Play.spawn, "silent", "verifying"),
    Scene(
        "SubagentStart",
        "the next Reviewer starts and is told of the open finding",
        lambda play: play.stage.child_starts(),
        "told",
        "verifying",
        "R1-F1 tests/check.sh",
    ),
    Scene("PreToolUse", "the next Reviewer reads its brief", Play.read_brief, "silent", "verifying"),
    Scene(
        "SubagentStop",
        "the next Reviewer ends with its Review: PASS",
        lambda play: play.stage.child_stops(play.review()),
        "silent",
        "verifying",
    ),
    Scene(
        "Stop",
        "the agent relays that Review unchanged",
        lambda play: play.stage.stop(play.review()),
        "blocked",
        "reviewing",
        "review.taken",
    ),
    Scene(
        "Stop",
        "the agent hands in its Completion",
        lambda play: play.stage.stop(play.completion()),
        "silent",
        "completed",
    ),
    Scene(
        "PreToolUse",
        "after the run, the agent writes notes.txt",
        lambda play: play.stage.write("notes.txt", "free again\n"),
        "silent",
        "completed",
    ),
)
