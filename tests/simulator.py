"""A host in memory: sends payloads to ``dispatch.answer`` with a real repository and a real data folder, no process between."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from harness_guard import dispatch
from harness_guard.artifacts.values import Review
from harness_guard.places import Places
from harness_guard.store.runs import RunStore
from harness_guard.store.seal import seal

PLUGIN_ROOT = Path(__file__).resolve().parent.parent
PLAN = """# Plan

## Classification

- Size: Small
- Kind: bug_fix

## Objective

Keep digits.

## Acceptance Criteria

- AC1: `slugify("Release 2.1")` returns `release-2-1`.

## Scope

- In: the slug helper.

## Write Boundary

- `src/`
- `check.sh`

## Exact Commands

None

## Verification Strategy

```json
{
  "verification_strategy": {
    "kind": "regression_first",
    "required": [
      {"id": "V1", "command": "sh check.sh", "timeout_s": 20}
    ],
    "optional": []
  }
}
```

## Execution Strategy

```json
{
  "execution_strategy": {
    "execution_mode": "native",
    "implementer": "root",
    "parallel_writers": 0,
    "max_helpers": 1,
    "max_delegation_depth": 1
  }
}
```

## Auto Repair

```json
{
  "auto_repair": {
    "enabled": true,
    "max_rounds": 3,
    "repeated_finding_limit": 2,
    "no_progress_limit": 2,
    "same_write_boundary_only": true,
    "verification_must_not_weaken": true,
    "material_delta_requires_approval": true
  }
}
```

## Risks

None

## Approval

Proceed with this Plan? [y/N]
"""


def small_plugin(folder: Path) -> Path:
    """Copy what a run reads of the plugin's folder, for tests that must not notice who works on the rest of it."""
    for name in ("templates", "skills", "contracts", "agents"):
        shutil.copytree(PLUGIN_ROOT / name, folder / name)
    shutil.copy(PLUGIN_ROOT / "plugin.json", folder)
    return folder


def write_sealed(store: RunStore, name: str, value: dict[str, Any]) -> None:
    """Seal any object beside a state: what the store itself would refuse to write."""
    store.make_folders()
    Path(store.folder, "evidence", name).write_bytes(seal(value, store.key))


class Answered:
    """One answer, read as a host reads it."""

    def __init__(self, answer: Any) -> None:
        self.raw = answer
        self.status: int = answer.status
        body = json.loads(answer.stdout) if answer.stdout else {}
        inner = body.get("hookSpecificOutput", {})
        self.is_denied = inner.get("permissionDecision") == "deny"
        self.is_blocked = body.get("decision") == "block"
        self.text: str = (
            inner.get("permissionDecisionReason") or inner.get("additionalContext") or body.get("reason") or ""
        )

    @property
    def is_silent(self) -> bool:
        """Whether nothing was said."""
        return not self.raw.stdout and not self.raw.stderr and self.status == 0

    @property
    def rule(self) -> str:
        """The rule id of a refusal."""
        return self.text.split(":", 1)[0].removeprefix("harness-guard ") if self.text else ""

    def __repr__(self) -> str:
        return f"Answered({self.status}, {self.text!r})"


class Simulator:
    """One session of one host on one throwaway repository.

    Attributes:
        pid: The host process that Claude Code's environment names, if any.
        attended: What it says of a human in front of it.
    """

    pid: int | None = None
    attended: str | None = None

    def __init__(self, folder: Path, host: str = "claude") -> None:
        self.host = host
        self.root = folder / "repo"
        self.data = folder / "data" / "harness-test"
        self.home = folder / "home"
        self.session = "11111111-2222-3333-4444-555555555555"
        self.transcript = folder / "transcript.jsonl"
        self.turn = ""
        self.plugin: Path | None = None  # a copy that the run takes for the plugin's folder
        self._ids = itertools.count(1)
        self._make()

    def _make(self) -> None:
        self.home.mkdir(parents=True)
        (self.root / "src").mkdir(parents=True)
        (self.root / "src" / "slug.py").write_text("x = 1\n")
        (self.root / "check.sh").write_text("exit 0\n")
        (self.root / "README.md").write_text("read me\n")
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
            subprocess.run(["git", "-C", str(self.root), *command], check=True, env=self.git_env)
        self.data.mkdir(parents=True)
        key = self.data / "key"
        key.write_bytes(os.urandom(32))
        key.chmod(0o600)
        runtime = self.data / "runtime" / "test" / "bin"
        runtime.mkdir(parents=True)
        (self.data / "runtime" / "current").write_text("test\n")
        found = shutil.which("shfmt") or str(Path(os.sys.executable).parent / "shfmt")  # type: ignore[attr-defined]
        shutil.copy(found, runtime / "shfmt")

    @property
    def git_env(self) -> dict[str, str]:
        """Environment for git commands of the test itself."""
        names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **dict.fromkeys(names, "t@example.org")}

    @property
    def environ(self) -> dict[str, str]:
        """The hook's environment."""
        found = {"PATH": os.environ["PATH"], "HOME": str(self.home), "CLAUDE_PLUGIN_DATA": str(self.data)}
        if self.host == "claude":
            told = {"CLAUDE_PID": self.pid, "CLAUDE_CODE_SESSION_ATTENDED": self.attended}
            named = {name: str(value) for name, value in told.items() if value is not None}
            return {**found, "CLAUDE_PROJECT_DIR": str(self.root), **named}
        return {**found, "PLUGIN_DATA": str(self.data), "PLUGIN_ROOT": str(self.plugin or PLUGIN_ROOT)}

    @property
    def store(self) -> RunStore:
        """The session's store."""
        return RunStore(Places(str(self.data)), self.session)

    @property
    def state(self) -> Any:
        """The run's state."""
        loaded = self.store.load()
        return loaded.state if loaded is not None else None

    def send(self, event: str, **fields: Any) -> Answered:
        """Send one event."""
        turn = "prompt_id" if self.host == "claude" else "turn_id"
        payload: dict[str, Any] = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.root),
            "hook_event_name": event,
            **({turn: self.turn} if self.turn else {}),
            **fields,
        }
        if self.host == "codex":
            payload["model"] = "gpt-5.5"
        before = os.getcwd()
        os.chdir(self.root)
        try:
            return Answered(
                dispatch.answer(json.dumps(payload).encode(), self.environ, str(self.plugin or PLUGIN_ROOT), None)
            )
        finally:
            os.chdir(before)

    def prompt(self, text: str, *, new_turn: bool = True, row: dict[str, Any] | None = None, **fields: Any) -> Answered:
        """Type a prompt; on Claude Code the transcript gets its row as the host writes it."""
        if new_turn:
            self.turn = f"turn-{next(self._ids)}"
        answered = self.send("UserPromptSubmit", prompt=text, **fields)
        if new_turn and self.host == "claude":
            sent = int(time.time() * 1000)
            found = {"type": "user", "promptId": self.turn, "promptSource": "sdk", "sentAtMs": sent, **(row or {})}
            with self.transcript.open("a") as handle:
                handle.write(json.dumps(found) + "\n")
        return answered

    def tool(self, name: str, *, agent: str | None = None, **arguments: Any) -> Answered:
        """Call a tool."""
        fields: dict[str, Any] = {"tool_name": name, "tool_input": arguments, "tool_use_id": f"call-{next(self._ids)}"}
        if agent is not None:
            fields |= {"agent_id": agent, "agent_type": "harness:clean-context-reviewer"}
        return self.send("PreToolUse", **fields)

    def bash(self, command: str, **fields: Any) -> Answered:
        """Call the shell tool."""
        return self.tool("Bash", command=command, **fields)

    def write(self, path: str, **fields: Any) -> Answered:
        """Call the host's tool for writing a file."""
        if self.host == "claude":
            return self.tool("Write", file_path=str(self.root / path), content="x\n", **fields)
        patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
        return self.tool("apply_patch", command=patch, **fields)

    def stop(self, message: str, **fields: Any) -> Answered:
        """End the root's turn with a message."""
        return self.send("Stop", last_assistant_message=message, stop_hook_active=False, **fields)

    def payload(self, event: str, **fields: Any) -> bytes:
        """Give an event's payload as bytes, for whoever sends it another way."""
        turn = "prompt_id" if self.host == "claude" else "turn_id"
        base = {"session_id": self.session, "cwd": str(self.root), "hook_event_name": event}
        return json.dumps({**base, **({turn: self.turn} if self.turn else {}), **fields}).encode()

    def spawn_raw(self) -> Answered:
        """Spawn a Reviewer without a look at the state, which may be unreadable."""
        return self.tool("Agent" if self.host == "claude" else "spawn_agent", prompt="Clean-context read-only Reviewer")

    def age_gate(self) -> None:
        """Let the open gate be older than the answer's second."""
        loaded = self.store.load()
        assert loaded is not None
        gate = loaded.state.pending_gate
        assert gate is not None
        from harness_guard.records import replace

        older = replace(loaded.state, pending_gate=replace(gate, opened_at_ms=gate.opened_at_ms - 1500))
        self.store.commit(older, loaded.stored)

    def approve(self, plan: str = PLAN) -> Answered:
        """Activate, emit a plan, answer y."""
        self.prompt("$harness keep digits")
        stopped = self.stop(plan)
        assert stopped.is_silent, stopped
        self.age_gate()
        return self.prompt("y")

    def spawn_arguments(self) -> dict[str, Any]:
        """The handed-out arguments of the Reviewer's spawn."""
        from harness_guard.kernel.spawn import next_spawn

        found = next_spawn(self.state).for_host(self.host)
        return found if self.host == "claude" else {"message": found["message"]}

    def spawn(self, **extra: Any) -> Answered:
        """Spawn the Reviewer as handed out."""
        return self.tool("Agent" if self.host == "claude" else "spawn_agent", **{**self.spawn_arguments(), **extra})

    def child(self, event: str, agent: str = "a-1", *, reads: bool = True, **fields: Any) -> Answered:
        """Send an event of the Reviewer's; one that starts reads its brief at once, unless told otherwise."""
        kind = "harness:clean-context-reviewer" if self.host == "claude" else "default"
        answered = self.send(event, agent_id=agent, agent_type=kind, **fields)
        if event == "SubagentStart" and reads and self.store.has_marker() and self.state.reviewer.agent_id == agent:
            assert self.read_brief(agent).is_silent
        return answered

    def read_brief(self, agent: str = "a-1") -> Answered:
        """Let the Reviewer read ``brief.md``."""
        brief = f"{self.store.folder}/brief.md"
        return (
            self.tool("Read", agent=agent, file_path=brief)
            if self.host == "claude"
            else self.bash(f"cat {brief}", agent=agent)
        )

    def review(self, verdict: str = "PASS", findings: list[dict[str, Any]] | None = None, **changes: Any) -> str:
        """Write a Review with the current bindings."""
        state = self.state
        bound = {
            "accepted_plan_hash": state.accepted_plan_hash,
            "accepted_amendment_hash": state.accepted_amendment_hash,
            "diff_revision": state.diff_revision,
            "verification_fingerprint": state.integrity_fingerprint,
            "review_round": state.review_round,
            **changes,
        }
        return (
            f"# Clean-context Review\n\n## Review Context\n\n```json\n{json.dumps({'review_context': bound})}\n```\n\n"
            f"## Verdict\n\n{verdict}\n\n## Findings\n\n```json\n{json.dumps({'findings': findings or []})}\n```\n\n"
            "## Evidence\n\nRead the diff.\n"
        )

    def completion(self, criteria: tuple[str, ...] = ("AC1",), evidence: tuple[str, ...] = ("V1",)) -> str:
        """Write a Completion with the current bindings."""
        state = self.state
        bound = {
            "accepted_plan_hash": state.accepted_plan_hash,
            "accepted_amendment_hash": state.accepted_amendment_hash,
            "diff_revision": state.diff_revision,
            "verification_fingerprint": state.integrity_fingerprint,
            "review_round": state.review_round,
        }
        acceptance = [{"criterion": name, "evidence": list(evidence)} for name in criteria]
        return (
            f"# Completion\n\n## Completion Context\n\n```json\n{json.dumps({'completion_context': bound})}\n```\n\n"
            f"## Acceptance\n\n```json\n{json.dumps({'acceptance': acceptance})}\n```\n\n"
            "## Changes\n\n- `src/slug.py`: digits are kept.\n\n## Remaining Risks\n\nNone\n"
        )

    def reviewed(self, verdict: str = "PASS", findings: list[dict[str, Any]] | None = None) -> Answered:
        """Spawn the Reviewer, let it judge, relay what it said."""
        spawned = self.spawn()
        assert spawned.is_silent, spawned
        agent = f"r-{self.state.reviewer.spawns}"
        self.child("SubagentStart", agent)
        review = self.review(verdict, findings)
        assert self.child("SubagentStop", agent, last_assistant_message=review).is_silent
        return self.stop(review)

    def record(self, **changes: Any) -> str:
        """Write a Repair Record with bindings as far as the state tells; what was changed and measured is a guess."""
        state = self.state
        bound = {
            "accepted_plan_hash": state.accepted_plan_hash,
            "source_review_round": state.review_round,
            "repair_round": state.repair.round,
            "finding_ids": list(state.latest_finding_ids),
            "changed_files": [],
            "diff_revision_before": state.repair.diff_before,
            "diff_revision_after": state.repair.diff_before,
            "verification_before": state.repair.verification_before,
            "verification_after": state.repair.verification_before,
            **changes,
        }
        return (
            f"# Repair Record\n\n## Repair Context\n\n```json\n{json.dumps({'repair_context': bound})}\n```\n\n"
            "## Changes\n\nWhat was wrong is right.\n\n## Verification\n\nThe engine ran it.\n"
        )

    def recorded(self) -> Answered:
        """Emit a Repair Record; where a binding was a guess, emit the one that the guard gives instead."""
        answered = self.stop(self.record())
        if answered.rule != "artifact.binding":
            return answered
        return self.stop(answered.text[answered.text.index("# Repair Record") :])

    def amendment(
        self, boundary: tuple[str, ...], *, material: tuple[str, ...] = ("write_boundary",), **changes: Any
    ) -> str:
        """Write a Plan Amendment with another boundary; everything else as it is in force."""
        state = self.state
        policy = state.active_policy
        names = ("objective", "acceptance_criteria", "scope", "write_boundary", "verification", "risk")
        deltas = {name: {"material": name in material, "summary": "see the section"} for name in names}
        context = {
            "source_plan_hash": state.accepted_plan_hash,
            "source_policy_id": state.active_policy_id,
            "deltas": deltas,
            **changes,
        }
        checks = [{"id": check.id, "command": check.command, "timeout_s": check.timeout_s} for check in policy.required]
        strategy = {"verification_strategy": {"kind": policy.strategy, "required": checks, "optional": []}}
        criteria = "\n".join(f"- {name}: {text}" for name, text in state.criteria)
        entries = "\n".join(f"- `{entry}`" for entry in boundary)
        return (
            f"# Plan Amendment\n\n## Amendment Context\n\n```json\n{json.dumps({'amendment_context': context})}\n```\n\n"
            f"## Acceptance Criteria\n\n{criteria}\n\n## Write Boundary\n\n{entries}\n\n## Exact Commands\n\nNone\n\n"
            f"## Verification Strategy\n\n```json\n{json.dumps(strategy)}\n```\n\n## Risks\n\nNone\n\n"
            "## Approval\n\nProceed with this Plan Amendment? [y/N]\n"
        )

    def say_y(self, **fields: Any) -> Answered:
        """Answer the open gate."""
        self.age_gate()
        return self.prompt("y", **fields)

    def to_verifying(self) -> None:
        """Play a run up to the Reviewer's brief."""
        self.approve()
        assert self.write("src/new.py").is_silent
        (self.root / "src" / "new.py").write_text("x\n")
        assert self.spawn().is_silent
        self.child("SubagentStart")

    def to_reviewing(self) -> str:
        """Play a run up to the relayed Review."""
        self.to_verifying()
        review = self.review()
        assert self.child("SubagentStop", last_assistant_message=review, stop_hook_active=False).is_silent
        self.stop(review)
        return review


__all__ = ["PLAN", "PLUGIN_ROOT", "Answered", "Review", "Simulator", "small_plugin", "write_sealed"]
