"""Fires a registered hook command exactly as a host does, and reads its answer as a host reads it."""

from __future__ import annotations

import json
import subprocess

from harness_guard.errors import ProvisionError
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal

    Verdict = Literal["silent", "denied", "blocked", "told", "broken"]

# The engine's runs of a demonstration take a second; a hook that takes a minute hangs.
_TIMEOUT_S: Final = 60
_BLOCKS: Final = 2  # both hosts: exit status 2 of a tool hook refuses the call


@dataclass(frozen=True, slots=True)
class Fired:
    """One answer.

    Attributes:
        verdict: ``silent`` (nothing said), ``denied`` (a tool call), ``blocked`` (a stop), ``told`` (context), or
            ``broken``: an answer that one of the hosts would not honour.
        text: The reason or context; of a broken answer what came instead.
    """

    verdict: Verdict
    text: str

    @property
    def rule(self) -> str:
        """The rule id of a reason, ``""`` if it has none."""
        head = self.text.split(":", 1)[0]
        return head.removeprefix("harness-guard ") if head.startswith("harness-guard ") else ""

    @property
    def first_line(self) -> str:
        """The first line, which stands alone."""
        return self.text.split("\n", 1)[0]


def load_commands(root: str) -> dict[str, tuple[str, ...]]:
    """Read the commands that a plugin registers.

    Args:
        root: The plugin's folder.

    Returns:
        Event -> its shell lines.

    Raises:
        ProvisionError: If ``hooks/hooks.json`` cannot be read.
    """
    try:
        with open(f"{root}/hooks/hooks.json", encoding="utf-8") as file:
            events = json.load(file)["hooks"]
        return {
            event: tuple(hook["command"] for group in groups for hook in group["hooks"])
            for event, groups in events.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        seen = f"`{root}/hooks/hooks.json` cannot be read: {error}"
        raise ProvisionError("cli.hooks", seen, "install the plugin again") from error


def fire(
    line: str, payload: Mapping[str, object], environ: Mapping[str, str], *, cwd: str, shell: str = "/bin/sh"
) -> Fired:
    """Run a registered shell line with a payload on its standard input.

    Args:
        line: The shell line.
        payload: The event.
        environ: The whole environment of the hook.
        cwd: Its working folder.
        shell: The shell that the host uses.

    Returns:
        The answer; a hook that hangs gave a broken one.
    """
    try:
        done = subprocess.run(
            [shell, "-c", line],
            input=json.dumps(payload).encode(),
            capture_output=True,
            env=dict(environ),
            cwd=cwd,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Fired("broken", f"the hook could not be run: {error}")
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return read_answer(done.returncode, out, err)


def read_answer(status: int, out: str, err: str) -> Fired:
    """Read what a hook said; only what both hosts honour counts (contract section 2).

    Args:
        status: Its exit status.
        out: Its standard output.
        err: Its standard error.
    """
    broken = Fired("broken", f"exit status {status}, standard output {out[:300]!r}, standard error {err[:300]!r}")
    if status == 0 and not out and not err:
        return Fired("silent", "")
    try:
        answer = json.loads(out)
        inner = answer.get("hookSpecificOutput", {})
        context = inner.get("additionalContext")
        denied, blocked = inner.get("permissionDecision") == "deny", answer.get("decision") == "block"
    except (ValueError, AttributeError):
        return broken
    if not denied and not blocked:
        return Fired("told", context) if status == 0 and context else broken
    reason = inner.get("permissionDecisionReason") or answer.get("reason")
    return _refusal(reason, status, err, blocked=blocked) or broken


def _refusal(reason: str | None, status: int, err: str, *, blocked: bool) -> Fired | None:
    if not reason:
        return None
    if status == _BLOCKS:
        # With status 2 and nothing on standard error Codex lets the call pass.
        return Fired("denied", reason) if err.strip() else None
    return Fired("blocked", reason) if status == 0 and blocked else None
