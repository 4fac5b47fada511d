"""What a case demands of the answers, as tables: outcomes, further demands, and what must be on disk afterwards.

A demand is held against everything that a step got back. Words that are in none of the tables raise ``Unknown``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from report_form import Unknown

from harness_guard.world import ATTESTATION

if TYPE_CHECKING:
    from collections.abc import Callable

    from report_world import World

    from harness_guard.kernel.state import RunState

STOPS = ("Stop", "SubagentStop")


@dataclass(frozen=True)
class Reply:
    """What one hook process gave back, and how a host reads it.

    Attributes:
        event: The hook event that it answered.
        host: Which host reads it.
        stdout: Standard output.
        stderr: Standard error.
        status: Exit status, negative for a signal.
        ms: Wall-clock time.
    """

    event: str
    host: str
    stdout: str = ""
    stderr: str = ""
    status: int = 0
    ms: float = 0.0

    @property
    def object(self) -> dict[str, Any]:
        """The JSON object on standard output, ``{}`` without one."""
        try:
            found = json.loads(self.stdout)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def inner(self) -> dict[str, Any]:
        """The event's own part of the object."""
        found = self.object.get("hookSpecificOutput", {})
        return found if isinstance(found, dict) else {}

    @property
    def is_refusal(self) -> bool:
        """Whether the host holds the call, prompt or turn back, by its own rules."""
        if self.status == 2:
            return self.host == "claude" or bool(self.stderr.strip())
        if self.status:
            return False
        said = self.inner.get("permissionDecision") == "deny" or self.object.get("decision") == "block"
        return said and bool(self.reasons)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reason in each place where a host may look for it, as far as it is there."""
        found = (self.inner.get("permissionDecisionReason"), self.object.get("reason"))
        return tuple(text for text in (*found, self.stderr) if isinstance(text, str) and text.strip())

    @property
    def text(self) -> str:
        """All that is said."""
        return "\n".join((*self.reasons, str(self.inner.get("additionalContext", ""))))

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is objected to, and nothing went wrong."""
        return self.status == 0 and not self.is_refusal


@dataclass(frozen=True)
class Result:
    """One step as it went.

    Attributes:
        replies: What every delivery got.
        before: The run before.
        after: The run afterwards.
        stored_before: The bytes of its state before.
        stored_after: And afterwards.
        calls: The ids of the calls that were delivered.
    """

    world: World
    replies: tuple[Reply, ...]
    before: RunState | None
    after: RunState | None
    stored_before: bytes | None
    stored_after: bytes | None
    calls: tuple[str, ...]


# Outcomes: what is wrong with the answers, or "".


def _all(result: Result, is_right: Callable[[Reply], object], what: str) -> str:
    wrong = [reply for reply in result.replies if not is_right(reply)]
    return f"{len(wrong)} of {len(result.replies)} answers {what}: {wrong[0]}" if wrong else ""


def _deny(result: Result) -> str:
    return _all(result, lambda reply: reply.is_refusal and reply.event not in STOPS, "let it run")


def _allow(result: Result) -> str:
    return _all(result, lambda reply: reply.is_quiet and not reply.stderr, "object")


def _block_stop(result: Result) -> str:
    return _all(result, lambda reply: reply.is_refusal and reply.event in STOPS, "let the turn end")


def _allow_stop(result: Result) -> str:
    return _all(result, lambda reply: reply.is_quiet and reply.event in STOPS, "hold the turn")


def _authority(state: RunState | None) -> tuple[object, ...]:
    if state is None:
        return ()
    gate = state.pending_gate.artifact_hash if state.pending_gate is not None else None
    return (state.run_id, state.revision, state.state, state.authority_status, state.accepted_plan_hash, gate)


def _neutral(result: Result) -> str:
    wrong = _all(result, lambda reply: reply.is_quiet, "object")
    moved = _authority(result.before) != _authority(result.after) and not result.world.is_change_named
    return wrong or ("the run changed" if moved else "")


def _approved(result: Result) -> str:
    held = result.after is not None and result.after.has_authority and result.after.approval is not None
    return _all(result, lambda reply: reply.is_quiet, "object") or ("" if held else f"authority: {result.after}")


def _not_approved(result: Result) -> str:
    state = result.after
    is_same = state is None or state.approval == (result.before.approval if result.before is not None else None)
    return "" if is_same and (state is None or not state.has_authority) else f"authority: {state}"


OUTCOMES = {
    "allow": _allow,
    "deny": _deny,
    "block-stop": _block_stop,
    "allow-stop": _allow_stop,
    "neutral": _neutral,
    "approved": _approved,
    "not-approved": _not_approved,
}


# What may stand behind an outcome or a list of them.


def _incomplete_if_let_go(result: Result) -> str:
    return "" if not _block_stop(result) else _state_incomplete(result)


def _not_complete(result: Result) -> str:
    return "the run is completed" if result.after is not None and result.after.state == "completed" else ""


def _no_danger(result: Result) -> str:
    return _all(result, lambda reply: " danger." not in reply.text, "call it dangerous")


def _nothing(_: Result) -> str:
    return ""


QUALIFIERS = {
    "": _nothing,
    " with incomplete recorded": _incomplete_if_let_go,
    " at the latest now": _nothing,  # the last delivery is what is judged
    ", not complete": _not_complete,
    ", never because of the wrong rule": _no_danger,
}


def outcome_problem(expect: str, result: Result) -> str:
    """Say what is wrong with a step's outcome, ``""`` if nothing is."""
    names = "|".join(sorted(OUTCOMES, key=len, reverse=True))
    found = re.fullmatch(rf"((?:{names})(?: or (?:{names}))*)(.*)", expect)
    if found is None or found[2] not in QUALIFIERS:
        raise Unknown(f"expect {expect!r}")
    if found[2] == " at the latest now":
        result = Result(**{**vars(result), "replies": result.replies[-1:]})
    problems = [OUTCOMES[name](result) for name in found[1].split(" or ")]
    return QUALIFIERS[found[2]](result) if "" in problems else "; ".join(problems)


# Further demands: name -> (value, result) -> what is wrong.


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _stdout(value: Any, result: Result) -> str:
    forms: dict[str, Callable[[Reply], bool]] = {
        "empty": lambda reply: reply.stdout == "",
        "one JSON object": lambda reply: bool(reply.object),
        "empty or one JSON object": lambda reply: reply.stdout == "" or bool(reply.object),
        "one JSON object or empty": lambda reply: reply.stdout == "" or bool(reply.object),
        "valid JSON or empty": lambda reply: reply.stdout == "" or bool(reply.object),
    }
    if value not in forms:
        raise Unknown(f"stdout {value!r}")
    return _all(result, forms[value], f"have another standard output than {value}")


def _stdout_lacks(value: Any, result: Result) -> str:
    return _all(result, lambda reply: not any(text in reply.stdout for text in _listed(value)), f"say {value}")


def _stdout_keys(value: Any, result: Result) -> str:
    allowed = {part for key in _listed(value) for part in key.split(".")}
    return _all(result, lambda reply: set(reply.object) <= allowed, f"have other keys than {sorted(allowed)}")


def _exit_code(value: Any, result: Result) -> str:
    return _all(result, lambda reply: reply.status in _listed(value), f"exit other than {value}")


def _exit_code_not(value: Any, result: Result) -> str:
    return _all(result, lambda reply: reply.status not in _listed(value), "exit so")


def _json_exit(value: Any, result: Result) -> str:
    found = re.fullmatch(r"exit_code (\d+)", str(value))
    if found is None:
        raise Unknown(f"json_on_stdout {value!r}")
    return _all(result, lambda reply: not reply.stdout or reply.status == int(found[1]), "carry JSON with another code")


def _if_exit_2(value: Any, result: Result) -> str:
    forms: tuple[tuple[str, Callable[[Reply], object]], ...] = (
        (".*(stderr|reason|standard error).*(non-?empty|not empty|there|carries|on stderr).*", lambda r: bool(r.stderr.strip())),
        ("(non-?empty |a )?(stderr|reason).*", lambda r: bool(r.stderr.strip())),
        (".*stdout.*empty.*", lambda r: not r.stdout),
    )  # fmt: skip
    for pattern, is_right in forms:
        if re.fullmatch(pattern, str(value), re.IGNORECASE):
            told = Result(**{**vars(result), "replies": tuple(r for r in result.replies if r.status == 2)})
            return _all(told, is_right, f"exit with 2 against {value}")
    raise Unknown(f"if_exit_2 {value!r}")


def _reason(value: Any, result: Result) -> str:
    if value != "non-empty":
        raise Unknown(f"reason {value!r}")
    return _all(result, lambda reply: bool(reply.reasons), "give no reason")


def _reason_mentions(value: Any, result: Result) -> str:
    wanted = [str(text).lower() for text in _listed(value)]
    return _all(result, lambda reply: all(text in reply.text.lower() for text in wanted), f"do not mention {value}")


_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def _no_control(value: Any, result: Result) -> str:
    if value is not True:
        raise Unknown(f"reason_lacks_control_chars {value!r}")
    return _all(result, lambda reply: not _CONTROL.search(reply.text), "carry control characters")


def _no_crash(value: Any, result: Result) -> str:
    if value != "no":
        raise Unknown(f"crash {value!r}")
    return _all(result, lambda reply: "Traceback" not in reply.stderr + reply.stdout and reply.status != 1, "crash")


def _within(value: Any, result: Result) -> str:
    return _all(result, lambda reply: reply.ms <= value, f"take more than {value} ms")


def _must(value: Any, result: Result) -> str:
    forms: tuple[tuple[str, Callable[[Result], bool]], ...] = (
        (".*(same|identical|equal).*", lambda r: len({(x.is_refusal, x.status) for x in r.replies}) == 1),
        (".*(all|every|each|never (allowed|run|pass)).*(deny|denied|refused)?.*", lambda r: all(x.is_refusal for x in r.replies)),
    )  # fmt: skip
    for pattern, is_right in forms:
        if re.fullmatch(pattern, str(value), re.IGNORECASE):
            return "" if is_right(result) else f"not so: {value}"
    raise Unknown(f"must {value!r}")


# What the form says of the state.


def _state_incomplete(result: Result) -> str:
    state = result.after
    is_right = state is not None and state.state != "completed" and state.stop.is_incomplete
    return "" if is_right else f"not recorded as incomplete: {state}"


def _unchanged(result: Result) -> str:
    return "" if result.stored_before == result.stored_after else "state.json changed"


def _pending_review(result: Result) -> str:
    is_right = result.after is not None and result.after.state == "verifying"
    return "" if is_right and result.world.store.load_sealed(ATTESTATION) is None else "no review is pending"


def _recorded_review(result: Result, agent: str) -> str:
    attested = result.world.store.load_sealed(ATTESTATION)
    lines = [entry for entry in result.world.journal() if entry.get("note") == "attested"]
    by = [entry.get("agent") for entry in lines]
    return "" if attested is not None and by == [agent] else f"attested by {by}: {attested}"


def _asked(result: Result) -> str:
    state = result.after
    return "" if state is not None and state.pending_gate is not None and not state.has_authority else f"{state}"


def _receipts(result: Result, count: int) -> str:
    told = [str(entry.get("call")) for entry in result.world.journal() if entry.get("event") == "PreToolUse"]
    is_right = sorted(told) == sorted(result.calls) and len(set(told)) == count and result.after is not None
    return "" if is_right else f"{len(told)} calls in the journal, {len(result.calls)} delivered"


def _no_evidence(result: Result) -> str:
    is_right = result.after is not None and result.after.evidence_green is None
    return "" if is_right else f"evidence: {result.after}"


def _in_phase(result: Result, *names: str) -> str:
    return "" if result.after is not None and result.after.state.startswith(names) else f"{result.after}"


STATES: tuple[tuple[str, Callable[[Result, re.Match[str]], str]], ...] = (
    ("unchanged.*", lambda result, _: _unchanged(result)),
    ("review still pending", lambda result, _: _pending_review(result)),
    (r"review recorded for ([\w-]+)(, correlated by agent_id)?", lambda result, found: _recorded_review(result, found[1])),
    ("awaiting-approval", lambda result, _: _asked(result)),
    ("incomplete(, never complete)?", lambda result, _: _state_incomplete(result)),
    (r"(\d+) receipts(, file valid)?", lambda result, found: _receipts(result, int(found[1]))),
    ("no verification evidence", lambda result, _: _no_evidence(result)),
    ("executing|still executing", lambda result, _: _in_phase(result, "executing")),
    ("awaiting-plan|still awaiting-plan", lambda result, _: _in_phase(result, "planning") or ("" if _asked(result) else "a gate is open")),
    ("reviewing", lambda result, _: _in_phase(result, "verifying", "reviewing")),
    ("paused|blocked", lambda result, _: _in_phase(result, "paused_")),
    ("not complete|never complete", lambda result, _: _not_complete(result)),
    ("complete|completed", lambda result, _: _in_phase(result, "completed")),
    ("cancelled|aborted", lambda result, _: _in_phase(result, "cancelled")),
)  # fmt: skip


def _state(value: Any, result: Result) -> str:
    for pattern, check in STATES:
        found = re.fullmatch(pattern, str(value))
        if found is not None:
            return check(result, found)
    raise Unknown(f"state {value!r}")


DEMANDS = {
    "stdout": _stdout,
    "stdout_lacks": _stdout_lacks,
    "stdout_keys": _stdout_keys,
    "exit_code": _exit_code,
    "exit_code_not": _exit_code_not,
    "json_on_stdout": _json_exit,
    "if_exit_2": _if_exit_2,
    "reason": _reason,
    "reason_mentions": _reason_mentions,
    "reason_lacks_control_chars": _no_control,
    "crash": _no_crash,
    "within_ms": _within,
    "must": _must,
    "state": _state,
}


def always_problem(result: Result) -> str:
    """Say what no answer may ever do, whatever the case asks: another status, a traceback, text that is no JSON."""
    sound = _no_crash("no", result) or _stdout("empty or one JSON object", result)
    return sound or _all(result, lambda reply: reply.status in (0, 2), "have a status that hosts take for a failure")
