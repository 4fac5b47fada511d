"""Repair rounds: where one begins, and the Repair Record that ends it (contract sections 4 and 6)."""

from __future__ import annotations

from harness_guard.kernel.blocks import not_now, refuse, refuse_without_gate
from harness_guard.kernel.decision import Decision, Reason
from harness_guard.kernel.outcome import DropAttestation, KeepText, Outcome
from harness_guard.kernel.pause import pause
from harness_guard.kernel.questions import ask
from harness_guard.kernel.run_questions import ChangedSince, TreeNow, Verified
from harness_guard.kernel.texts import spawn_block
from harness_guard.kernel.tool_effects import short
from harness_guard.kernel.transitions import find_row, step
from harness_guard.kernel.verification import after_engine, recorded, red, unavailable, without_evidence
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.values import Record, RecordContext
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.run_questions import Verification
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.transitions import Happening

_FILLED_BYTES: Final = 7000  # a Record that names more files would reach the model cut; the command line has the whole
_SEEN: Final = 600  # characters of a wrong binding and the right one
_RED_REMEDY: Final = "Fix the cause inside the boundary, then emit the Repair Record again."
_AGAIN: Final = "emit the Repair Record again"


def at_round_begin(state: RunState) -> Asking[RunState]:
    """Note what the round that begins now (or is due after a pause) is measured against: the tree as it was judged."""
    tree = yield from ask(TreeNow())
    repair = replace(
        state.repair,
        tree_before=tree.tree,
        diff_before=state.diff_revision or "",
        verification_before=state.integrity_fingerprint or "",
        progress_before=state.progress_fingerprint or "",
    )
    return replace(state, repair=repair)


def take_record(state: RunState, record: Record) -> Asking[Outcome]:
    """Decide a Repair Record at Stop: the engine verifies, and what it finds decides.

    Args:
        state: The run.
        record: The parsed Record.

    Returns:
        The outcome, through questions.
    """
    policy = state.active_policy
    if state.state != "auto_repairing" or policy is None:
        return not_now(state, "Repair Record")
    found = yield from ask(Verified(policy))
    nothing = without_evidence(found, _AGAIN)
    state = after_engine(state, found)
    if nothing is not None:
        return refuse_without_gate(state, nothing)
    if found.outcome == "unavailable":
        return (yield from pause(state, "verification unavailable", "block", unavailable(found)))
    problem = yield from _binding_problem(state, record, found)
    if problem is not None:
        return refuse_without_gate(state, problem)
    counted = recorded(_counted(state, found), found)
    outcome = yield from _judge(counted, found)
    return replace(outcome, duties=(*outcome.duties, KeepText(record.digest, record.text)))


def _binding_problem(state: RunState, record: Record, found: Verification) -> Asking[Reason | None]:
    """Compare a Record's bindings with what the run has; the answer to a wrong one is the Record with right ones."""
    from harness_guard.artifacts.render import render_record

    wanted = yield from record_context(state, found.diff_revision, found.integrity_fingerprint)
    for name in type(wanted).__match_args__:
        given, current = getattr(record.context, name), getattr(wanted, name)
        is_same = set(given) == set(current) if isinstance(current, tuple) else given == current
        if not is_same:
            seen = f"`{name}` is `{_shown(given)}`, but the run has `{_shown(current)}`"
            note = "" if found.outcome == "green" else f"{red(found, _RED_REMEDY).seen}.\n"
            filled = render_record(wanted, record.changes, record.verification)
            if len(filled.encode()) > _FILLED_BYTES:
                remedy = f"Take the Record with the current values from `{state.command} artifact repair-record`."
                return Reason("artifact.binding", short(seen, _SEEN), remedy, note)
            remedy = "Emit this, with your own words in it:"
            return Reason("artifact.binding", short(seen, _SEEN), remedy, f"{note}{filled}")
    return None


def record_context(state: RunState, diff_revision: str, fingerprint: str) -> Asking[RecordContext]:
    """Give the bindings that this round's Repair Record must carry.

    Args:
        state: The run, in ``auto_repairing``.
        diff_revision: Of the tree now.
        fingerprint: The verification fingerprint of the engine's run on that tree.
    """
    from harness_guard.artifacts.names import is_file_path
    from harness_guard.artifacts.values import RecordContext

    repair = state.repair
    changed = yield from ask(ChangedSince(repair.tree_before))
    return RecordContext(
        accepted_plan_hash=state.accepted_plan_hash or "",
        source_review_round=state.review_round,
        repair_round=repair.round,
        finding_ids=state.latest_finding_ids,
        # A name that no artifact can hold (a line end in it) is bound by the diff revision alone.
        changed_files=tuple(path for path in changed if is_file_path(path)),
        diff_revision_before=repair.diff_before,
        diff_revision_after=diff_revision,
        verification_before=repair.verification_before,
        verification_after=fingerprint,
    )


def _shown(value: object) -> str:
    return (", ".join(value) or "none") if isinstance(value, tuple) else str(value)


def _counted(state: RunState, found: Verification) -> RunState:
    """Count a Record without progress: nothing differs from the round's begin, or from the Record before it."""
    repair = state.repair
    now = (found.diff_revision, found.progress_fingerprint)
    is_stuck = now in (
        (repair.diff_before, repair.progress_before),
        (state.diff_revision, state.progress_fingerprint),
    )
    return replace(state, repair=replace(repair, no_progress=repair.no_progress + 1 if is_stuck else 0))


def _judge(state: RunState, found: Verification) -> Asking[Outcome]:
    on: Happening = f"record taken, verification {found.outcome}"  # type: ignore[assignment]  # green or red by now
    row = find_row(state, on)
    if row is not None and row.to == "paused_no_progress":
        seen = f"Repair Records in a row that changed neither the tree nor the verification: {state.repair.no_progress}"
        remedy = "Try another approach inside the boundary."
        return (yield from pause(state, on, "block", Reason("repair.no-progress", seen, remedy)))
    after = step(state, on)
    if found.outcome == "red":
        return refuse(after, red(found, _RED_REMEDY))
    seen = f"the Repair Record of round {state.repair.round} is taken, verification is green"
    remedy = "Spawn the Reviewer with exactly these arguments:"
    reason = Reason("repair.taken", seen, remedy, spawn_block(after))
    return Outcome(Decision("block", reason), after, (DropAttestation(),), note="record taken")
