"""A whole guarded run at the level of hook processes: the real plugin, a throwaway repository, no host.

The events are those that Codex sends, through the registered command lines.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from harness_guard.runtime.registration import command

ROOT = Path(__file__).resolve().parents[2]
SESSION = "01a22c01-2632-7370-94a9-a2e8dce9d64b"
ANSWER_AFTER_S = 1.2  # an answer within a second of the gate's opening grants nothing (contract section 5)

PLAN = """\
# Plan

## Classification

- Size: Tiny
- Kind: docs

## Objective

Say what the project is.

## Acceptance Criteria

- AC1: `docs/about.md` says it.

## Scope

- In: the page.

## Write Boundary

- `docs/**`

## Exact Commands

None

## Verification Strategy

```json
{
  "verification_strategy": {
    "kind": "verification_first",
    "required": [{"id": "V1", "command": "test -f docs/about.md", "timeout_s": 10}],
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
    "max_helpers": 0,
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


class LiveRun:
    """One session of hook processes in one repository and one data folder."""

    def __init__(self, folder: Path, data: Path) -> None:
        """Make the repository.

        Args:
            folder: Where the repository and the home go.
            data: A provisioned data folder.
        """
        self.data = data
        self.repository = folder / "repository"
        home = folder / "home"
        home.mkdir()
        (self.repository / "docs").mkdir(parents=True)
        (self.repository / "docs" / "about.md").write_text("draft\n")
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "CODEX_HOME": str(home / ".codex"),
            "PLUGIN_ROOT": str(ROOT),
            "PLUGIN_DATA": str(data),
            "CLAUDE_PLUGIN_ROOT": str(ROOT),
            "CLAUDE_PLUGIN_DATA": str(data),
        }
        self._turn = self._call = 0
        self._git("init", "-q")
        self._git("add", ".")
        self._git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "start")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.repository, env=self.environ, check=True)

    def payload(self, event: str, **fields: object) -> bytes:
        """Give an event's payload in the current turn."""
        common = {
            "session_id": SESSION,
            "turn_id": f"turn-{self._turn}",
            "transcript_path": None,
            "cwd": str(self.repository),
            "hook_event_name": event,
            "model": "gpt-5.5",
            "permission_mode": "default",
        }
        return json.dumps(common | fields).encode()

    def tool(self, name: str, **given: object) -> bytes:
        """Give the payload of a new tool call."""
        self._call += 1
        return self.payload("PreToolUse", tool_name=name, tool_input=given, tool_use_id=f"call-{self._call}")

    def send(self, event: str, payload: bytes) -> subprocess.CompletedProcess[str]:
        """Run the registered command of an event on a payload."""
        return subprocess.run(
            ["/bin/sh", "-c", command(event)],
            cwd=self.repository,
            env=self.environ,
            input=payload.decode(),
            capture_output=True,
            text=True,
            check=False,
        )

    def prompt(self, text: str) -> str:
        """Send a prompt in a new turn and give what the model is told."""
        self._turn += 1
        done = self.send("UserPromptSubmit", self.payload("UserPromptSubmit", prompt=text))
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""

    def stop(self, message: str) -> subprocess.CompletedProcess[str]:
        """End the turn with a message."""
        return self.send("Stop", self.payload("Stop", stop_hook_active=False, last_assistant_message=message))

    def approve(self) -> None:
        """Activate a run, emit the plan and approve it.

        Raises:
            RuntimeError: If the guard does not say that the plan is approved.
        """
        self.prompt("$harness write the page")
        stopped = self.stop(PLAN)
        time.sleep(ANSWER_AFTER_S)  # the answer has to come after the gate, by the clock of the guard
        told = self.prompt("y")
        if "Approval activated" not in told:
            raise RuntimeError(f"the plan was not approved: {stopped.stdout}{stopped.stderr}{told}")
