"""A world made of constants: states in every stage of a run, events of both hosts, and answers to the kernel's questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from harness_guard.evidence.resolve import Place
from harness_guard.kernel.decide import decide
from harness_guard.kernel.event import Event, HostProcess
from harness_guard.kernel.run_questions import (
    BaselineFacts,
    CommandRun,
    Installation,
    NewRunFacts,
    Snapshot,
    Verification,
)
from harness_guard.kernel.state import Approval, Baseline, Gate, HostBinding, Reviewer, RunState
from harness_guard.kernel.transitions import step
from harness_guard.policy.model import Check, Policy
from harness_guard.records import replace
from harness_guard.shell.effects import Effects

if TYPE_CHECKING:
    from harness_guard.kernel.outcome import Outcome

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
ROOT = "/repo"
SESSION = "11111111-2222-3333-4444-555555555555"
HASH = "sha256:" + "a" * 64
DIFF = "sha256:" + "d" * 64
FINGERPRINT = "sha256:" + "f" * 64
TREE = "1" * 40
COMMAND = "/data/bin/harness-guard"
PLANE = {
    "root": ROOT,
    "plugin_root": "/plugin",
    "data": "/data",
    "homes": ["/home/u/.claude", "/home/u/.codex"],
    "git_dirs": ["/repo/.git"],
    "hook_dirs": ["/repo/hooks"],
    "files": [],
}
POLICY = Policy(
    boundary=("src/", "docs/*.md"),
    commands=("make test", "sh check.sh"),
    tools=("mcp__files__put",),
    caches=(),
    strategy="regression_first",
    required=(Check("V1", "sh check.sh", 20),),
    optional=(),
    max_rounds=3,
    repeated_finding_limit=2,
    no_progress_limit=2,
    plan_hash=HASH,
)
GATE = Gate("Plan", HASH, 1, 1_000_000, POLICY, (("AC1", "it works"),), 1)
GREEN = Verification(
    "green", DIFF, FINGERPRINT, FINGERPRINT, runs=(CommandRun("V1", "sh check.sh", 0, timed_out=False, tail="ok\n"),)
)
RED_RUN = CommandRun("V1", "sh check.sh", 3, timed_out=False, tail="assertion failed\n")
RED = Verification("red", DIFF, FINGERPRINT, FINGERPRINT, failed=RED_RUN, runs=(RED_RUN,))
NOW = 2_000_000
STATE_NAMES = (
    "planning",
    "executing",
    "auto_repairing",
    "verifying",
    "reviewing",
    "completed",
    "cancelled",
    "paused_blocked",
    "paused_boundary",
    "paused_budget",
    "paused_danger",
    "paused_material",
    "paused_no_progress",
    "paused_unmodeled",
)
PAUSED = STATE_NAMES[7:]
AT_WORK = ("executing", "auto_repairing")


def planning(**changes: Any) -> RunState:
    """A run right after activation."""
    state = RunState(
        revision=1,
        run_id="r1",
        session_id=SESSION,
        repository_root=ROOT,
        state="planning",
        authority_status="revoked",
        host=HostBinding("claude"),
        task="keep digits",
        control_plane=PLANE,
        plugin_version="0.1.0",
    )
    return replace(state, **changes)


def in_state(name: str, **changes: Any) -> RunState:
    """A run in the state of that name, reached by the table's own rows."""
    approved = replace(
        planning(pending_gate=GATE),
        approval=Approval("turn-1", GATE.opened_at_ms, is_verified=True),
        baseline=Baseline("c" * 40, TREE),
        scratch="/tmp/harness-guard-r1",
    )
    claimed = ("plan approved", "review claimed, verification green")
    asked = (*claimed, "review asks for repair inside the plan")
    ways = {
        "executing": ("plan approved",),
        "auto_repairing": asked,
        "verifying": claimed,
        "reviewing": (*claimed, "review passed"),
        "completed": (*claimed, "review passed", "completion accepted"),
        "cancelled": ("plan approved", "cancelled"),
        "paused_blocked": ("plan approved", "verification unavailable"),
        "paused_boundary": ("plan approved", "boundary exceeded"),
        "paused_budget": asked,
        "paused_danger": ("plan approved", "hard danger"),
        "paused_material": (*claimed, "review asks for a material change"),
        "paused_no_progress": asked,
        "paused_unmodeled": ("plan approved", "writer's target unknown"),
    }
    state = planning() if name == "planning" else approved
    for happening in ways.get(name, ()):
        if happening.startswith("review asks"):
            # As the kernel does when it takes such a Review: counted, noted, measured from the tree that was judged.
            spent = 0 if name == "paused_budget" else 3
            repeated = 2 if name == "paused_no_progress" else 1
            begun = replace(at_round_begin(state).repair, max_rounds=spent, repeated=repeated)
            found = (("R1-F1", "src/a.py", "wrong"),)
            state = replace(state, repair=begun, latest_finding_ids=("R1-F1",), open_findings=found)
        if happening == "review claimed, verification green":
            state = replace(
                state,
                evidence_green=True,
                diff_revision=DIFF,
                integrity_fingerprint=FINGERPRINT,
                progress_fingerprint=FINGERPRINT,
                review_round=1,
                reviewer=Reviewer(spawns=1, agent_id="a-1", has_read_diff=True),
            )
        state = step(state, cast("Any", happening), reason="rule.x: something")
    assert state.state == name
    return replace(state, **changes)


def at_round_begin(state: RunState) -> RunState:
    """A run with the tree of this world as what its next round is measured against."""
    before = {"diff_before": DIFF, "verification_before": FINGERPRINT, "progress_before": FINGERPRINT}
    return replace(state, repair=replace(state.repair, tree_before=TREE, **before))


def event(name: str, **fields: Any) -> Event:
    """An event of Claude Code's, or of the host that is named."""
    base: dict[str, Any] = {"host": "claude", "name": name, "session_id": SESSION, "cwd": ROOT, "turn_id": "turn-2"}
    return Event(**{**base, "transcript_path": "/t.jsonl", **fields})


def prompt(text: str, **fields: Any) -> Event:
    """A prompt event."""
    return event("UserPromptSubmit", prompt=text, **fields)


def call(tool: str, arguments: dict[str, Any] | None = None, **fields: Any) -> Event:
    """A tool event."""
    return event("PreToolUse", tool_name=tool, tool_input=arguments or {}, tool_use_id="u1", **fields)


def stop(message: str = "", **fields: Any) -> Event:
    """A stop of the root."""
    return event("Stop", message=message, **fields)


def place(path: str, **changes: Any) -> Place:
    """Where a path lands in a repository without links."""
    relative = path.removeprefix(ROOT + "/") if path.startswith(ROOT + "/") else None
    return Place(path, relative, **changes)


def bound(**changes: Any) -> dict[str, Any]:
    values = {
        "accepted_plan_hash": HASH,
        "accepted_amendment_hash": None,
        "diff_revision": DIFF,
        "verification_fingerprint": FINGERPRINT,
        "review_round": 1,
    }
    return {**values, **changes}


def review(verdict: str = "PASS", findings: tuple[dict[str, Any], ...] = (), **changes: Any) -> str:
    return (
        f"# Clean-context Review\n\n## Review Context\n\n```json\n{json.dumps({'review_context': bound(**changes)})}\n```\n\n"
        f"## Verdict\n\n{verdict}\n\n## Findings\n\n```json\n{json.dumps({'findings': list(findings)})}\n```\n\n## Evidence\n\nRead it.\n"
    )


def finding(**changes: Any) -> dict[str, Any]:
    return {
        "id": "R1-F1",
        "severity": "important",
        "classification": "IN_PLAN_REPAIR",
        "path": "src/a.py",
        "line": 3,
        "message": "wrong",
        **changes,
    }


def completion(criteria: tuple[str, ...] = ("AC1",), evidence: tuple[str, ...] = ("V1",), **changes: Any) -> str:
    acceptance = [{"criterion": name, "evidence": list(evidence)} for name in criteria]
    return (
        f"# Completion\n\n## Completion Context\n\n```json\n{json.dumps({'completion_context': bound(**changes)})}\n```\n\n"
        f"## Acceptance\n\n```json\n{json.dumps({'acceptance': acceptance})}\n```\n\n## Changes\n\n- `src/a.py`: done.\n\n## Remaining Risks\n\nNone\n"
    )


def filled_resume(state: Any) -> str:
    """The Repair Resume that the pause hands out."""
    from harness_guard.kernel.pause import resume_for

    asking = resume_for(state)
    question = asking.send(None)
    assert type(question).__name__ == "TreeNow"
    try:
        asking.send(Snapshot(DIFF, (), TREE))
    except StopIteration as done:
        return str(done.value)
    raise AssertionError


class FakeWorld:
    """Answers by the question's name; a callable gets the question. ``asked`` lists the names in order."""

    def __init__(self, **answers: Any) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, Any] = {
            "Now": NOW,
            "TurnSeen": False,
            "ProcessAlive": True,
            "AuthorOf": "human",
            "QueuedBefore": False,
            "PlacesOf": lambda question: (place(question.write.path),),
            "LinkPlaces": lambda question: (place(question.link.path), place(question.link.target)),
            "RealPath": lambda question: question.path,
            "CarriedAlong": None,
            "OddName": None,
            "OddDeleted": None,
            "IsThere": False,
            "ProgramFolders": (),
            "PlantedProgram": None,
            "TemplateText": lambda question: (TEMPLATES / f"{question.name}.md").read_text(),
            "EngineRuns": False,
            "TreeNow": Snapshot(DIFF, (), TREE),
            "TrackedPaths": (),
            "ChangedSince": (),
            "TakeBaseline": BaselineFacts("c" * 40, TREE, "/tmp/harness-guard-r1"),
            "AbsorbForeign": "2" * 40,
            "Verified": GREEN,
            "LastVerification": None,
            "BriefFile": "/data/runs/s/brief.md",
            "PendingAttestation": None,
            "Installed": Installation(
                "/plugin/skill.md", "/plugin/contract.md", "/plugin/templates", COMMAND, "test", "0.1.0", ROOT
            ),
            "NewRun": NewRunFacts("r2", ROOT, dict(PLANE)),
            **answers,
        }

    def decide(self, happened: Event, state: RunState | None) -> Outcome:
        """Drive the kernel to its outcome."""
        decision = decide(happened, state)
        reply: object = None
        while True:
            try:
                question = decision.send(reply)
            except StopIteration as done:
                return cast("Outcome", done.value)
            name = type(question).__name__
            self.asked.append(name)
            found = self.answers[name]
            reply = found(question) if callable(found) else found


class ShellWorld(FakeWorld):
    """A world whose shell commands have the effects that the test names."""

    def __init__(self, monkeypatch: Any, effects: Effects, **answers: Any) -> None:
        super().__init__(WhereShell=None, **answers)
        monkeypatch.setattr("harness_guard.shell.analysis.analyse", lambda *_arguments: effects)


PROCESS = HostProcess(100, "77", attended=True)
