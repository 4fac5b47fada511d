"""A conversation under the guard: its repository, its run on disk, and the artifacts that scripted models emit."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tests.e2e.hosts.script import Call, JsonObject, Say, ScriptError, Seen
from tests.e2e.hosts.world import World, make_repository, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.hosts.conversation import Conversation
    from tests.e2e.hosts.script import Step, Turn

ACTIVATION = "$harness Keep digits in slugs."
REVIEW_TASK = r"Clean-context read-only Reviewer for Harness run |harness_review_"
VERIFICATION = "python3 -m unittest -q tests.test_slug"

SLUG = """\
\"\"\"File names from release titles.\"\"\"


def slugify(title: str) -> str:
    \"\"\"Lower-case words joined by hyphens.\"\"\"
    kept = "".join(letter if letter.isalpha() else " " for letter in title)
    return "-".join(kept.lower().split())
"""
OLD_LINE = '    kept = "".join(letter if letter.isalpha() else " " for letter in title)'
NEW_LINE = '    kept = "".join(letter if letter.isalnum() else " " for letter in title)'
TESTS = """\
import unittest

from src.slug import slugify


class Slugs(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slugify("Big Release"), "big-release")


if __name__ == "__main__":
    unittest.main()
"""
DIGITS_TEST = """\
import unittest

from src.slug import slugify


class Digits(unittest.TestCase):
    def test_digits(self):
        self.assertEqual(slugify("Release 2.1"), "release-2-1")
"""
FILES = {"README.md": "Slugs.\n", "src/slug.py": SLUG, "tests/test_slug.py": TESTS}

_PLAN = """\
# Plan

## Classification

- Size: Small
- Kind: bug_fix

## Objective

`slugify` drops digits, so two release titles map to one file name. Keep digits.

## Acceptance Criteria

- AC1: A title with digits keeps them in its slug.
- AC2: The slugs of words are what they were.

## Scope

- In: the slug helper and its tests.
- Out: every caller of the helper.

## Write Boundary

{boundary}

## Exact Commands

{commands}

## Verification Strategy

```json
{verification}
```

## Execution Strategy

```json
{{
  "execution_strategy": {{
    "execution_mode": "native",
    "implementer": "root",
    "parallel_writers": 0,
    "max_helpers": {helpers},
    "max_delegation_depth": 1
  }}
}}
```

## Auto Repair

```json
{{
  "auto_repair": {{
    "enabled": true,
    "max_rounds": 3,
    "repeated_finding_limit": 2,
    "no_progress_limit": 2,
    "same_write_boundary_only": true,
    "verification_must_not_weaken": true,
    "material_delta_requires_approval": true
  }}
}}
```

## Risks

None

## Approval

Proceed with this Plan? [y/N]
"""

_REVIEW = """\
# Clean-context Review

## Review Context

```json
{context}
```

## Verdict

{verdict}

## Findings

```json
{findings}
```

## Evidence

{evidence}
"""

_COMPLETION = """\
# Completion

## Completion Context

```json
{context}
```

## Acceptance

```json
{{
  "acceptance": [
    {{"criterion": "AC1", "evidence": ["V1"]}},
    {{"criterion": "AC2", "evidence": ["V1"]}}
  ]
}}
```

## Changes

- `src/slug.py`: digits are kept.

## Remaining Risks

None
"""


def plan(
    *,
    boundary: tuple[str, ...] = ("src/**", "tests/**"),
    commands: tuple[str, ...] = (),
    verification: str = VERIFICATION,
    timeout_s: int = 120,
    helpers: int = 0,
) -> str:
    """A whole Plan."""
    required = [{"id": "V1", "command": verification, "timeout_s": timeout_s}]
    strategy = {"verification_strategy": {"kind": "regression_first", "required": required, "optional": []}}
    return _PLAN.format(
        boundary="\n".join(f"- `{entry}`" for entry in boundary),
        commands="\n".join(f"- `{command}`" for command in commands) or "None",
        verification=json.dumps(strategy, indent=2),
        helpers=helpers,
    )


def without_section(text: str, heading: str) -> str:
    """The same artifact without one of its sections."""
    return re.sub(rf"^## {heading}\n.*?(?=^## )", "", text, flags=re.DOTALL | re.MULTILINE)


def _bindings(seen: Seen) -> JsonObject:
    return {
        "accepted_plan_hash": seen.find(r"accepted_plan_hash\W+(sha256:[0-9a-f]{64})"),
        "accepted_amendment_hash": json.loads(
            seen.find(r'accepted_amendment_hash"?[:\s]+(null|"sha256:[0-9a-f]{64}")')
        ),
        "diff_revision": seen.find(r'diff_revision"?[:\s`"]+([^\s`",]+)'),
        "verification_fingerprint": seen.find(r"verification_fingerprint\W+(sha256:[0-9a-f]{64})"),
        "review_round": int(seen.find(r"review_round\W+(\d+)")),
    }


def review(
    seen: Seen,
    evidence: str = "Read the whole diff; V1 is green in the engine's record.",
    findings: tuple[JsonObject, ...] = (),
) -> str:
    """A Review with the bindings that its writer was told: PASS, or with findings REPAIR_REQUIRED."""
    return _REVIEW.format(
        context=json.dumps({"review_context": _bindings(seen)}, indent=2),
        verdict="REPAIR_REQUIRED" if findings else "PASS",
        findings=json.dumps({"findings": findings}, indent=2),
        evidence=evidence,
    )


def completion(seen: Seen) -> str:
    """A Completion with the bindings that its writer was told."""
    return _COMPLETION.format(context=json.dumps({"completion_context": _bindings(seen)}, indent=2))


def resume(seen: Seen) -> Say:
    """The filled-in Repair Resume, as the deny that paused gave it."""
    text = "\n".join(seen.pieces)
    found = re.findall(
        r"^# Repair Resume\n.*?^Proceed with this Repair Resume\? \[y/N\]", text, re.DOTALL | re.MULTILINE
    )
    if not found:
        message = f"no Repair Resume was handed out; the newest text was:\n{seen.pieces[-1]}"
        raise ScriptError(message)
    return Say(found[-1])


def provision(plugin: Path, data: Path, *options: str) -> None:
    """Prepare a data folder as its user would."""
    env = {**os.environ, "PLUGIN_DATA": str(data), "CLAUDE_PLUGIN_DATA": str(data)}
    command = (sys.executable, str(plugin / "hooks" / "harness_guard.py"), "provision", *options)
    run(*command, cwd=plugin, env=env, limit_s=300)


def provision_from(plugin: Path, data: Path, source: Path) -> None:
    """The same from a folder that has the packages; they are linked, since copying them costs more than a turn."""
    shutil.copytree(source / "runtime", data / "runtime", copy_function=_link)
    provision(plugin, data, "--from", str(source))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)  # Another file system.


@dataclass(frozen=True)
class Guarded:
    """A conversation with the guard installed and provisioned."""

    host: Conversation

    @classmethod
    def open(
        cls, kind: Callable[..., Conversation], folder: Path, *, plugin: Path, provisioned: Path,
        files: dict[str, str] | None = None, **options: Any,
    ) -> Guarded:  # fmt: skip
        """Make a repository and a world, install and provision the guard in it, and start the host."""
        world = World(folder / "world", folder / "repository", plugin)
        world.root.mkdir(parents=True)
        world.repository.mkdir()
        make_repository(world.repository, FILES | (files or {}))
        host = kind(world, **options)
        provision_from(host.installed, host.data, provisioned)
        host.start()
        return cls(host)

    def beside(self) -> Guarded:
        """Start another session of the same user in the same repository."""
        host = type(self.host)(self.host.world, is_installed=True)  # type: ignore[call-arg]  # both hosts know it
        host.start()
        return Guarded(host)

    @property
    def repository(self) -> Path:
        """The repository that the model works in."""
        return self.host.world.repository

    @property
    def run_folder(self) -> Path:
        """All of the run but its key and marker."""
        return self.host.data / "runs" / self.host.session_id

    @property
    def state_file(self) -> Path:
        """The only authority."""
        return self.run_folder / "state.json"

    def state(self) -> JsonObject:
        """The run's state as it lies on disk."""
        found: JsonObject = json.loads(self.state_file.read_text(encoding="utf-8"))
        return found

    def standing(self) -> tuple[str, str]:
        """The run's state and its authority."""
        state = self.state()
        return state["state"], state["authority_status"]

    def gate(self) -> str | None:
        """What the open gate asks about."""
        gate = self.state()["pending_gate"]
        return None if gate is None else str(gate["kind"])

    def planned(self, **options: object) -> Turn:
        """Activate, plan, and stand before the open gate."""
        turn = self.host.turn(ACTIVATION, Say(plan(**options)))  # type: ignore[arg-type]
        assert (self.standing(), self.gate()) == (("planning", "revoked"), "Plan")
        return turn

    def approved(self, *steps: Step, children: dict[str, tuple[Step, ...]] | None = None, **options: object) -> Turn:
        """Activate, plan, approve as a human does, and take some steps under the new authority.

        Without steps the model looks around once and stops twice, since a message that is no artifact is
        answered once while a plan is unfinished.
        """
        self.planned(**options)
        turn = self.approve(*steps, children=children)
        assert "Approval activated" in turn.told()
        return turn

    def approve(self, *steps: Step, children: dict[str, tuple[Step, ...]] | None = None) -> Turn:
        """Answer the open gate as a human does.

        The model first looks around, which the report leaves out: a host writes down who typed a prompt only a moment
        after it has asked the model, and until then the guard refuses to use the new authority.
        """
        turn = self.host.answer("y", self.host.read("README.md"), *(steps or self.idle()), children=children)
        return replace(turn, calls=turn.calls[1:])

    def idle(self) -> tuple[Step, ...]:
        """A turn that does nothing in an unfinished run: the first end is blocked, the second passes."""
        return Say("Nothing yet."), Say("Still nothing.")

    def spawn(self, seen: Seen) -> Call:
        """The spawn call with the handed-out arguments."""
        return self.host.spawn(self.spawn_arguments(seen))

    def spawn_arguments(self, seen: Seen) -> JsonObject:
        """The last handed-out JSON block of spawn arguments."""
        blocks = re.findall(r"```json\n(\{[^`]*Clean-context read-only Reviewer[^`]*\})\n```", seen.text())
        if not blocks:
            message = "no spawn arguments were handed out"
            raise ScriptError(message)
        arguments: JsonObject = json.loads(blocks[-1])
        return arguments

    def look(self, seen: Seen) -> Call:
        """A Reviewer's first call: it reads the brief that it was told of at its start."""
        return self.host.read(seen.find(r"the whole diff: (/.+)$"))

    def exists(self, path: str) -> bool:
        """Whether a file is there in the repository."""
        return (self.repository / path).exists()
