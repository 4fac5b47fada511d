"""The answer of each event when the guard cannot decide (contract section 2), and the two forms an answer is sent in.

It depends on nothing that could be what failed, so it escapes and cuts by itself, and harder than
``harness_guard.hosts.wording`` does: only ASCII that prints stays as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PASSED_IN_SILENCE: Final = ("Stop", "SubagentStop", "SubagentStart")
PART_BYTES: Final = 2_000  # of what was seen, and of the remedy: neither can push the other out of what a host shows
_MARK_BYTES: Final = 64


def _line(text: str) -> str:
    # Both parts may quote foreign text: no character of it may end the line, move a cursor or hide (D4.7).
    shown = "".join([char if " " <= char <= "~" else char.encode("unicode_escape").decode() for char in text])
    if len(shown) <= PART_BYTES:
        return shown
    half = (PART_BYTES - _MARK_BYTES) // 2
    return f"{shown[:half]} [... {len(shown) - 2 * half} bytes cut here ...] {shown[-half:]}"


def _quote(text: str) -> str:
    # What ``_line`` gave needs no other escapes, so ``json`` is not needed to be well.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def describe(error: BaseException) -> str:
    """Say in one line what went wrong, never as a traceback."""
    said = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def failure(event: str, seen: str, remedy: str, *, rule: str = "entry.cannot-decide") -> tuple[str, str, int]:
    """Give the failure answer of an event.

    Args:
        event: The hook event; one that is not known is taken for a tool call.
        seen: What happened, one sentence without a full stop.
        remedy: What to do next, a sentence that starts with a verb.
        rule: The rule's id, where the failure has one of its own.

    Returns:
        Standard output, standard error and exit status.
    """
    text = _line(f"harness-guard {rule}: {seen}.") + "\n" + _line(f"Next: {remedy}")
    # A stop or a child's start changes nothing by itself, and a block without a way out would loop for ever.
    if event in PASSED_IN_SILENCE:
        return "", "", 0
    if event == "UserPromptSubmit":
        told = _quote(text + "\nThis prompt activated nothing and approved nothing.")
        inner = f'"hookEventName":"UserPromptSubmit","additionalContext":{told}'
        return f'{{"hookSpecificOutput":{{{inner}}}}}', "", 0
    if event == "ConfigChange":
        return f'{{"decision":"block","reason":{_quote(text)}}}', text, 2
    # Whatever is not known is answered as a tool call: a refusal too many is friction, one too few is a hole.
    name = "PreSkillShellCommand" if event == "PreSkillShellCommand" else "PreToolUse"
    inner = f'"hookEventName":"{name}","permissionDecision":"deny","permissionDecisionReason":{_quote(text)}'
    return f'{{"hookSpecificOutput":{{{inner}}}}}', text, 2


def framed(stdout: str, stderr: str, status: int) -> str | None:
    """Put an answer into the form that ``hooks/launch.sh`` takes: one text whose last line is the verdict.

    Args:
        stdout: One JSON object, or ``""``.
        stderr: The reason, or ``""``.
        status: The exit status.

    Returns:
        The text, or ``None`` if this is no answer that both hosts understand.
    """
    line = " ".join(stdout.split("\n")).strip()  # a line end between the tokens of JSON is a blank
    if status == 0 and not line:
        return "harness-guard:pass\n"
    if status == 0:
        return f"{line}\nharness-guard:answer\n"
    if status == 2 and line and stderr.strip():  # noqa: PLR2004  the one status that both hosts block on
        # Every line of the reason behind a bar: the launcher splits at line ends, and empty lines must survive that.
        barred = "\n".join("|" + part for part in stderr.strip().split("\n"))
        return f"{line}\n{barred}\nharness-guard:deny\n"
    return None
