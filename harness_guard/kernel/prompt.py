"""UserPromptSubmit: activation, prompt verbs and the answer to a gate, each only with provenance (contract 3 and 5).

A prompt is never blocked; what it cannot do is told beside it as context.
"""

from __future__ import annotations

from harness_guard.kernel.decision import PASS, context
from harness_guard.kernel.outcome import ArchiveRun, EndMarker, Outcome, RaiseMarker
from harness_guard.kernel.pause import resume_for
from harness_guard.kernel.provenance import is_cancel_proved
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import (
    Installed,
    NewRun,
    Now,
    ProcessAlive,
    QueuedBefore,
    TakeBaseline,
    TreeNow,
    TurnSeen,
)
from harness_guard.kernel.state import Approval, Baseline, HostBinding, Reviewer, RunState, advance
from harness_guard.kernel.texts import activation_text, approval_text, next_step, status_text
from harness_guard.kernel.transitions import step
from harness_guard.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.activation import Activation, Verb
    from harness_guard.kernel.event import Event, HostProcess
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.run_questions import Installation
    from harness_guard.kernel.state import Gate, GateKind
    from harness_guard.kernel.transitions import Happening
    from harness_guard.kernel.unreadable import Unreadable

GATE_PAUSE_MS: Final = 1000  # contract section 5: an answer less than 1 s after the gate opened was typed before it
# Claude Code's own prompts carry what a command or a child printed (observed on 2.1.332): none of it is a human's word.
_HOST_MADE: Final = ("<task-notification", "<agent-message")
_AGAIN: Final = "Answer the human first; then emit the artifact again, alone, as your whole message."


@dataclass(frozen=True, slots=True)
class Prompt:
    """A root prompt with what was read in it."""

    event: Event
    act: Activation | Verb | None
    is_approval: bool
    installed: Installation

    @property
    def verb(self) -> str | None:
        """The verb, if it is one."""
        return getattr(self.act, "name", None)

    @property
    def task(self) -> str | None:
        """The task, if it activates."""
        return getattr(self.act, "task", None)


def decide_prompt(event: Event, state: RunState | None) -> Asking[Outcome]:
    """Decide one prompt.

    Args:
        event: A UserPromptSubmit event.
        state: The session's run, ``None`` if it has none.

    Returns:
        The outcome, through questions.
    """
    if event.is_child:
        return Outcome(PASS)
    prompt, is_fresh = yield from _read(event, state)
    if state is None or (state.is_terminal and is_fresh):
        return (yield from _without_run(prompt, ended=state, is_fresh=is_fresh))
    if not is_fresh:
        return _mid_turn(prompt, state)
    state, problem = yield from _bind_process(event, state)
    state = _open_turn(event, state)
    problem = problem or _author_problem(event)
    if problem is not None:
        return _without_provenance(prompt, state, problem)
    if state.cancel_asked:
        return (yield from _end_cancelled(prompt, state))
    return (yield from _with_provenance(prompt, state))


def decide_unreadable(event: Event, problem: Unreadable) -> Asking[Outcome]:
    """Decide a prompt of a session whose state cannot be read: it may still be cancelled or started afresh.

    Args:
        event: A UserPromptSubmit event.
        problem: Why the state cannot be read.

    Returns:
        The outcome; what is left of the run is archived unread, and a cancelled run denies to the end of the turn.
    """
    if event.is_child:
        return Outcome(PASS)
    prompt, is_fresh = yield from _read(event, None)
    is_human = is_fresh and _author_problem(event) is None
    if prompt.task is None and not (problem.is_active or prompt.verb == "cancel"):
        return Outcome(PASS)
    if is_human and prompt.task is not None and problem.rule not in _NOT_REPLACED:
        return (yield from _activate(prompt, revision=0, told=_MIGRATED if problem.rule == "store.schema-v8" else ""))
    if not is_human or prompt.verb != "cancel":
        told = f"harness-guard {problem.rule}: the run's state cannot be read: {problem.seen}. Nothing may be written."
        # Who asked for a guarded run must not get an unguarded one.
        duties = (RaiseMarker(),) if is_human and prompt.task is not None else ()
        return Outcome(context(f"{told} Next: {_mend_of(problem)}"), duties=duties)
    facts = yield from ask(NewRun(prompt.installed.root))
    tombstone = RunState(
        revision=1,
        run_id=facts.run_id,
        session_id=event.session_id,
        repository_root=facts.root or prompt.installed.root,
        control_plane=facts.control_plane or None,
        state="cancelled",
        authority_status="revoked",
        host=_host_of(event),
        open_turn=event.turn_id,
        plugin_version=prompt.installed.version,
    )
    text = "harness-guard: the run could not be read; it is cancelled, and what is left of it is archived unread."
    text += " Nothing may be written until this turn has ended."
    return Outcome(context(text), tombstone, (ArchiveRun(),), note="cancelled unread")


# What another version wrote is neither read nor replaced; the one older version that is migrated is told of.
_NOT_REPLACED: Final = ("store.schema-older", "store.schema-newer")
_MIGRATED: Final = (
    "An earlier run of schema harness.state.v8 is archived; it grants nothing, and this run starts afresh."
)


def _mend_of(problem: Unreadable) -> str:
    if problem.rule.startswith("store.schema-"):
        return problem.remedy
    return "the human types `$harness cancel` as a prompt of its own."


def _read(event: Event, state: RunState | None) -> Asking[tuple[Prompt, bool]]:
    """Read a prompt, and tell whether its turn is a new one."""
    from harness_guard.artifacts.activation import is_approval, read_prompt

    installed = yield from ask(Installed())
    act = None
    if not event.prompt.startswith(_HOST_MADE):
        act = read_prompt(event.prompt, skill_path=installed.skill, marketplace=installed.marketplace)
    is_open = state is not None and state.open_turn == event.turn_id
    is_fresh = event.turn_id is not None and not is_open and not (yield from ask(TurnSeen(event.turn_id)))
    return Prompt(event, act, is_approval(event.prompt), installed), is_fresh


def _author_problem(event: Event) -> str | None:
    """Say why a prompt is not the human's, as far as the prompt itself and the host's own words tell."""
    if event.source not in (None, "user"):
        return f"the host says that `{event.source}` wrote this prompt, not the user"
    if event.prompt.startswith(_HOST_MADE):
        return "the host itself made this prompt"
    return None


def _without_run(prompt: Prompt, *, ended: RunState | None, is_fresh: bool) -> Asking[Outcome]:
    """Only an activation means something; an ended run's session falls silent again."""
    if prompt.task is None or _author_problem(prompt.event) is not None:
        if ended is not None and ended.state == "cancelled" and not (yield from is_cancel_proved(prompt.event, ended)):
            return (yield from _still_cancelled(prompt, ended))
        duties = (EndMarker(),) if ended is not None else ()
        return Outcome(PASS, ended, duties)
    if not is_fresh:
        return Outcome(context(_MID_TURN))
    return (yield from _activate(prompt, revision=ended.revision if ended is not None else 0))


def _still_cancelled(prompt: Prompt, ended: RunState) -> Asking[Outcome]:
    """Keep a run from falling silent whose cancel no human is seen to have written; a new cancel is judged anew."""
    bound, problem = yield from _bind_process(prompt.event, ended)
    if prompt.verb == "cancel" and not (problem or _author_problem(prompt.event)):
        ended = replace(bound, open_turn=prompt.event.turn_id)
    text = f"harness-guard: nothing shows that a human wrote the cancel of run {ended.run_id}; nothing may be written."
    remedy = "The human types `$harness cancel` once more, or `$harness` and a task."
    return Outcome(context(f"{text} Next: {remedy}"), ended, note="cancel unproved")


def _end_cancelled(prompt: Prompt, state: RunState) -> Asking[Outcome]:
    """End a run whose cancel was typed in a running turn: this is the next prompt that has provenance."""
    ended = step(state, "cancelled")
    if prompt.task is not None:
        return (yield from _without_run(prompt, ended=ended, is_fresh=True))
    told = f"harness-guard: run {state.run_id} is cancelled, as asked in the turn before; nothing may be written until"
    # A line typed in a running turn has no row of its own: the author of this prompt is asked at its stop instead.
    return Outcome(context(f"{told} this turn has ended."), ended, note="cancelled")


_MID_TURN: Final = (
    "harness-guard: this line was typed while a turn was running, so it neither activates nor approves anything. "
    "Next: let the turn end; the human types it again as a prompt of its own."
)


def _activate(prompt: Prompt, *, revision: int, told: str = "") -> Asking[Outcome]:
    event, installed = prompt.event, prompt.installed
    facts = yield from ask(NewRun(installed.root))
    if facts.problem:
        return Outcome(context(f"harness-guard: no run was opened: {facts.problem}"))
    state = RunState(
        revision=revision + 1,
        run_id=facts.run_id,
        session_id=event.session_id,
        repository_root=facts.root,
        state="planning",
        authority_status="revoked",
        host=_host_of(event),
        task=prompt.task or "",
        control_plane=facts.control_plane,
        open_turn=event.turn_id,
        plugin_version=installed.version,
        command=installed.command,
        templates=installed.templates,
    )
    text = "\n".join(part for part in (activation_text(state, installed), told) if part)
    return Outcome(context(text), state, (ArchiveRun(),), note="activated")


def _host_of(event: Event) -> HostBinding:
    process = event.process
    return HostBinding(event.host, process.pid, process.started) if process is not None else HostBinding(event.host)


def _mid_turn(prompt: Prompt, state: RunState) -> Outcome:
    """A prompt typed in a running turn carries that turn's id: it only asks for the status or a cancel."""
    if prompt.verb == "status":
        return Outcome(context(status_text(state)))
    if prompt.verb == "cancel" and not state.is_terminal and _author_problem(prompt.event) is None:
        asked = advance(state, authority_status="revoked", cancel_asked=True, pending_gate=None)
        text = "harness-guard: the cancel has revoked the run's authority; nothing more may be written."
        return Outcome(context(f"{text} Next: {next_step(asked)}"), asked, note="cancel asked")
    closed = replace(state, pending_gate=None) if state.pending_gate is not None else None
    if prompt.act is not None or prompt.is_approval:
        return Outcome(context(_MID_TURN), closed)
    if state.pending_gate is not None:
        kind = state.pending_gate.kind
        text = f"harness-guard: a line typed in the running turn has closed the question about the {kind}."
        return Outcome(context(f"{text} Next: {_AGAIN}"), closed)
    return Outcome(PASS)


def _bind_process(event: Event, state: RunState) -> Asking[tuple[RunState, str | None]]:
    """Bind the run to the host process that activated it; a dead one is followed by an attended one (contract 5)."""
    process = event.process
    if process is None:
        return state, None
    host = state.host
    if (process.pid, process.started) == (host.pid, host.started):
        return state, None
    if (yield from ask(ProcessAlive(host.pid, host.started))):
        return state, f"it comes from host process {process.pid}, and the run's own process {host.pid} still runs"
    return _move(state, process)


def _move(state: RunState, process: HostProcess) -> tuple[RunState, str | None]:
    if not process.attended:
        return state, f"it comes from host process {process.pid}, which no human attends"
    moved = replace(state, host=HostBinding(state.host.name, process.pid, process.started), pending_gate=None)
    return moved, None


def _open_turn(event: Event, state: RunState) -> RunState:
    opened = replace(state, open_turn=event.turn_id)
    if event.host == "codex" and state.open_turn is not None:
        # The turn before this one never stopped: it was interrupted, and Codex drops its children with it.
        opened = replace(opened, children=(), reviewer=Reviewer(spawns=state.reviewer.spawns))
    return opened


def _without_provenance(prompt: Prompt, state: RunState, problem: str) -> Outcome:
    closed = replace(state, pending_gate=None)
    if prompt.act is None and not prompt.is_approval and state.pending_gate is None:
        return Outcome(PASS, closed)
    text = f"harness-guard: this prompt can do nothing here: {problem}. Next: {_AGAIN}"
    return Outcome(context(text), closed, note="no provenance")


def _with_provenance(prompt: Prompt, state: RunState) -> Asking[Outcome]:
    if prompt.task is not None:
        return (yield from _activate(prompt, revision=state.revision))
    if prompt.verb == "cancel":
        cancelled = step(state, "cancelled")
        text = f"harness-guard: run {state.run_id} is cancelled; nothing may be written until this turn has ended."
        return Outcome(context(f"{text} Next: {next_step(cancelled)}"), cancelled, note="cancelled")
    gate = state.pending_gate
    if gate is not None:
        return (yield from _answer(prompt, state, gate))
    told = replace(state, stop=replace(state.stop, is_incomplete=False), is_told=True)
    if not state.is_told and state.state == "planning":
        return Outcome(context(activation_text(state, prompt.installed)), told)
    if prompt.verb == "status":
        return Outcome(context(status_text(state)), told)
    if prompt.is_approval:
        text = f"harness-guard: nothing was approved: no gate is open, the run is {state.state}."
        return Outcome(context(f"{text} Next: {next_step(state)}"), told)
    if state.stop.is_incomplete:
        text = f"harness-guard: the last turn ended with the run unfinished in {state.state}."
        return Outcome(context(f"{text} Next: {next_step(state)}"), told)
    return Outcome(PASS, told)


def _answer(prompt: Prompt, state: RunState, gate: Gate) -> Asking[Outcome]:
    """The very next prompt answers the gate or closes it (contract section 5)."""
    now = yield from ask(Now())
    problem = yield from _answer_problem(prompt, state, gate, now)
    if problem is not None:
        closed = replace(state, pending_gate=None)
        text = f"harness-guard: the {gate.kind} was not approved: {problem}. Next: {_AGAIN}"
        if prompt.verb == "status":
            text = f"{status_text(closed)}\n{text}"
        if gate.kind == "Repair Resume":
            # Its bindings may have moved; the one that fits now is handed out again.
            text = f"{text}\n{(yield from resume_for(closed))}"
        return Outcome(context(text), closed, note="gate closed")
    answered = replace(state, approval=Approval(prompt.event.turn_id or "", gate.opened_at_ms, is_verified=False))
    if gate.kind == "Plan":
        answered = yield from _based(answered, gate)
    approved = step(answered, _APPROVED[gate.kind])
    return Outcome(context(approval_text(approved, gate.kind)), approved, note=f"{gate.kind} approved")


def _based(state: RunState, gate: Gate) -> Asking[RunState]:
    """Record what the run's changes are measured against; what an approval that failed has let change stays in it."""
    if state.baseline is not None:
        return state
    facts = yield from ask(TakeBaseline(gate.policy.caches))
    return replace(state, baseline=Baseline(facts.head, facts.tree), scratch=facts.scratch)


_APPROVED: Final[dict[GateKind, Happening]] = {
    "Plan": "plan approved",
    "Plan Amendment": "amendment approved",
    "Repair Resume": "resume approved",
}


def _answer_problem(prompt: Prompt, state: RunState, gate: Gate, now: int) -> Asking[str | None]:
    event = prompt.event
    if not prompt.is_approval:
        return "the answer was not exactly y"
    if event.is_late:
        return "the y was judged later than it was typed"
    if event.process is None and state.host.pid:
        return "the host does not say which process the y came from"
    if now - gate.opened_at_ms < GATE_PAUSE_MS:
        return "the y came less than a second after the question, so it was typed before it could be read"
    if gate.revision != state.revision:
        return "the run has moved since the question was asked"
    if (yield from ask(QueuedBefore(event.transcript_path, event.prompt, gate.opened_at_ms))):
        return "the host's transcript shows the y as queued before the question was asked"
    if gate.diff_revision is not None:
        tree = yield from ask(TreeNow())
        if tree.diff_revision != gate.diff_revision:
            return f"the tree has moved since the question was asked, from {gate.diff_revision} to {tree.diff_revision}"
    return None
