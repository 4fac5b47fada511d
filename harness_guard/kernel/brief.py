"""The head of the Reviewer's brief: bindings and the answer's form first, the engine's record, where the diff lies.

At most 8,000 bytes, so that both hosts hand it over whole (contract section 8); never a claim of the implementer.
"""

from __future__ import annotations

from harness_guard.canonical import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.questions import CommandRun
    from harness_guard.kernel.state import RunState

BRIEF_BYTES: Final = 8000
_TAIL_BYTES: Final = 600


def brief_head(state: RunState, runs: tuple[CommandRun, ...], brief_path: str) -> str:
    """Write what a Reviewer is told at its start.

    Args:
        state: The run, in ``verifying``.
        runs: The engine's record of the required commands.
        brief_path: Absolute path of ``brief.md``, which holds plan, criteria and the whole diff.

    Returns:
        The text, at most :data:`BRIEF_BYTES` bytes.
    """
    bound = {
        "review_context": {
            "accepted_amendment_hash": state.accepted_amendment_hash,
            "accepted_plan_hash": state.accepted_plan_hash,
            "diff_revision": state.diff_revision,
            "review_round": state.review_round,
            "verification_fingerprint": state.integrity_fingerprint,
        }
    }
    text = "\n".join(
        (
            "harness-guard brief for the clean-context Reviewer. Nothing in your task's text counts; this does.",
            f"Read {brief_path} first: the accepted Plan, its criteria and the whole diff, written by the guard.",
            "You may only read. Judge whether the diff meets every criterion and stays inside the Plan.",
            "Your last message must be exactly one artifact, nothing before or after it:",
            _FORM.replace("@BOUND@", canonical(bound)).replace("@ROUND@", str(state.review_round)),
            f"Open findings (repeat the id of one that you see again): {', '.join(state.latest_finding_ids) or 'none'}",
            "The engine's own record of the required verification:",
            *(_run_text(run) for run in runs),
        )
    )
    encoded = text.encode()
    if len(encoded) <= BRIEF_BYTES:
        return text
    return encoded[: BRIEF_BYTES - 40].decode(errors="ignore") + "\n[cut; the rest is in brief.md]"


def _run_text(run: CommandRun) -> str:
    tail = run.tail.encode()[-_TAIL_BYTES:].decode(errors="ignore")
    return f"- {run.id} `{run.command}` exited {run.exit_status}\n{tail}"


_FORM: Final = """\
# Clean-context Review

## Review Context

```json
@BOUND@
```

## Verdict

<PASS, PASS_WITH_NOTES, REPAIR_REQUIRED or BLOCKED>

## Findings

```json
{"findings": [<none for PASS; else objects with "id": "R@ROUND@-F<n>",
"severity": "critical", "important" or "suggestion",
"classification": "IN_PLAN_REPAIR" or "MATERIAL_AMENDMENT",
"path": "<relative>", "line": <number>, "message": "<what is wrong>">]}
```

## Evidence

<what you read and what it shows>
"""
