"""``harness-guard artifact KIND``: a template filled with the current bindings of the run, so that it parses."""

from __future__ import annotations

import os

import click

from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.registry import DIRECT, parse_artifact
from harness_guard.artifacts.templates import (
    amendment_fields,
    binding_fields,
    completion_fields,
    fill,
    pause_report_fields,
    record_fields,
    repair_plan_fields,
)
from harness_guard.artifacts.values import Bindings, Criterion
from harness_guard.cli.installation import plugin_root, searched_places
from harness_guard.cli.runs import one_run
from harness_guard.errors import StateError
from harness_guard.kernel.event import Event
from harness_guard.kernel.pause import resume_for
from harness_guard.kernel.questions import ask, drive
from harness_guard.kernel.repair import record_context
from harness_guard.kernel.run_questions import LatestRecord, TreeNow
from harness_guard.kernel.texts import next_step
from harness_guard.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, TypeVar

    from harness_guard.artifacts.values import RecordContext
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.policy.model import Policy
    from harness_guard.store.runs import RunStore

    T = TypeVar("T")

KINDS: Final = (
    "plan",
    "plan-amendment",
    "review",
    "repair-record",
    "repair-resume",
    "repair-plan",
    "pause-report",
    "completion",
)

_CHANGES: Final = "Changed: `<what is different now, and which finding it answers>`"
_VERIFICATION: Final = "Verified: `<which commands the engine ran, and what shows the repair>`"
_STALE: Final = (
    "harness-guard: the tree has changed since the engine ran, so `diff_revision_after` is the present one and "
    "`verification_after` that of the last run; emit the Record, and the guard runs the verification and answers with "
    "the values that hold"
)


@click.command("artifact")
@click.argument("kind", type=click.Choice(KINDS, case_sensitive=False), metavar="KIND")
@click.option("--session", metavar="ID", help="Session of the run; else this session's, or the only active one.")
@click.option("--data", metavar="DIR", help="Data folder; else PLUGIN_DATA, or all of the hosts here.")
def command(kind: str, session: str | None, data: str | None) -> int:
    """Print the template of an artifact, filled with the bindings that the run has now.

    What is left to write stands in it as <...>. KIND is plan, plan-amendment, review, repair-record, repair-resume,
    repair-plan (for a strict or manual workflow; the guard does not read it), pause-report (for the human; the guard
    does not read it) or completion.
    """
    root = plugin_root()
    searched = searched_places(data, os.environ)
    # A plan binds to nothing, so it can be had before there is a run; a session that is named has to be there.
    store = None if kind == "plan" and session is None else one_run(searched, session, os.environ)
    text = _template(root, kind) if kind == "plan" or store is None else filled(kind, store, root)
    _check_parses(kind, text)
    click.echo(text, nl=False)
    return 0


def filled(kind: str, store: RunStore, root: str) -> str:
    """Fill in the template of an artifact that binds to a run.

    Args:
        kind: One of ``KINDS`` but ``plan``.
        store: The run.
        root: The plugin's folder.

    Raises:
        StateError: If the run cannot be read, or has not got what this artifact binds to yet.
    """
    loaded = store.load()
    if loaded is None:
        seen = f"session `{store.session_id}` has no state"
        raise StateError("cli.no-run", seen, "end the run with `$harness cancel`; the human types it")
    return _FILLERS[kind](loaded.state, store, root)


def _check_parses(kind: str, text: str) -> None:
    # What is handed out is emitted as it is: better no form than one that the guard would refuse.
    if kind not in DIRECT:
        return
    try:
        parse_artifact(kind, text)
    except LineError as error:
        raise StateError("cli.unfit", f"{kind} line {error.line}: {error.seen}", error.remedy) from error


def _template(root: str, kind: str) -> str:
    path = f"{root}/templates/{kind}.md"
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except OSError as error:
        raise StateError("cli.template", f"{path}: {error.strerror}", "install the plugin again") from error


def _not_due(kind: str, state: RunState) -> StateError:
    seen = f"the run is {state.state} and has nothing that a {kind} could bind to"
    return StateError("cli.not-due", seen, next_step(state))


def _asked(asking: Asking[T], state: RunState, store: RunStore, *, root: str) -> T:
    # The kernel asks the same questions here as in a hook, so both hand out the same values.
    event = Event(host="claude", name="Stop", session_id=store.session_id, cwd=state.repository_root)
    world = World(event, store, dict(os.environ), root)
    world.begin(state)
    return drive(asking, world.answer)


def _bindings(state: RunState, kind: str) -> Bindings:
    plan, diff, verified = state.accepted_plan_hash, state.diff_revision, state.integrity_fingerprint
    if state.state not in ("verifying", "reviewing") or plan is None or diff is None or verified is None:
        raise _not_due(kind, state)
    return Bindings(plan, state.accepted_amendment_hash, diff, verified, state.review_round)


def _policy(state: RunState, kind: str) -> tuple[str, str, Policy]:
    plan, identifier, policy = state.accepted_plan_hash, state.active_policy_id, state.active_policy
    if state.is_terminal or plan is None or identifier is None or policy is None:
        raise _not_due(kind, state)
    return plan, identifier, policy


def _review(state: RunState, _store: RunStore, root: str) -> str:
    return fill(_template(root, "review"), binding_fields(_bindings(state, "review")))


def _completion(state: RunState, _store: RunStore, root: str) -> str:
    bindings = _bindings(state, "completion")
    criteria = [Criterion(identifier, text) for identifier, text in state.criteria]
    required = [check.id for check in state.active_policy.required] if state.active_policy is not None else []
    return fill(_template(root, "completion"), completion_fields(bindings, criteria, required))


def _amendment(state: RunState, _store: RunStore, root: str) -> str:
    plan, identifier, policy = _policy(state, "plan-amendment")
    criteria = [Criterion(name, text) for name, text in state.criteria]
    return fill(_template(root, "plan-amendment"), amendment_fields(plan, identifier, criteria=criteria, policy=policy))


def _repair_plan(state: RunState, _store: RunStore, root: str) -> str:
    plan, _, policy = _policy(state, "repair-plan")
    if not policy.boundary:
        raise _not_due("repair-plan", state)
    # Before a Review, what can be repaired is red verification.
    finding = state.latest_finding_ids[0] if state.latest_finding_ids else policy.required[0].id
    return fill(_template(root, "repair-plan"), repair_plan_fields(plan, finding, policy=policy))


def _record(state: RunState, store: RunStore, root: str) -> str:
    if state.state != "auto_repairing":
        raise _not_due("repair-record", state)
    context, is_fresh = _asked(_record_context(state), state, store, root=root)
    if not is_fresh:
        click.echo(_STALE, err=True)
    return fill(_template(root, "repair-record"), record_fields(context, _CHANGES, _VERIFICATION))


def _record_context(state: RunState) -> Asking[tuple[RecordContext, bool]]:
    """Give the Record's bindings, and whether the engine has run on the tree as it is now."""
    tree = yield from ask(TreeNow())
    latest = yield from ask(LatestRecord())
    known = state.integrity_fingerprint or state.repair.verification_before
    is_fresh = latest is not None and latest.diff_revision == tree.diff_revision
    fingerprint = latest.integrity_fingerprint if latest is not None and is_fresh else known
    return (yield from record_context(state, tree.diff_revision, fingerprint)), is_fresh


def _resume(state: RunState, store: RunStore, root: str) -> str:
    if not state.is_paused or state.baseline is None:
        raise _not_due("repair-resume", state)
    return _asked(resume_for(state), state, store, root=root)


def _pause_report(state: RunState, store: RunStore, root: str) -> str:
    if not state.is_paused or state.baseline is None:
        raise _not_due("pause-report", state)
    said = {identifier: f"{path}: {message}" for identifier, path, message in state.open_findings}
    fields = pause_report_fields(
        rounds_done=state.repair.round,
        # Not among the Review's findings: a required command that is red.
        findings=[(name, said.get(name, "required verification is red")) for name in state.latest_finding_ids],
        diff_revision=_asked(ask(TreeNow()), state, store, root=root).diff_revision,
        repeated=state.repair.repeated,
        no_progress=state.repair.no_progress,
        is_green=state.evidence_green,
    )
    return fill(_template(root, "pause-report"), fields)


_FILLERS: Final[dict[str, Callable[[RunState, RunStore, str], str]]] = {
    "plan-amendment": _amendment,
    "review": _review,
    "repair-record": _record,
    "repair-resume": _resume,
    "repair-plan": _repair_plan,
    "pause-report": _pause_report,
    "completion": _completion,
}
