"""``harness-guard artifact KIND``: a template filled with the current bindings of the run, so that it parses."""

from __future__ import annotations

import os

import click

from harness_guard.artifacts.templates import binding_fields, completion_fields, fill
from harness_guard.artifacts.values import Bindings, Criterion
from harness_guard.cli.installation import plugin_root, searched_places
from harness_guard.cli.runs import one_run
from harness_guard.errors import StateError
from harness_guard.kernel.event import Event
from harness_guard.kernel.pause import resume_for
from harness_guard.kernel.texts import next_step
from harness_guard.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.state import RunState
    from harness_guard.store.runs import RunStore

KINDS: Final = ("plan", "review", "repair-resume", "completion")


@click.command("artifact")
@click.argument("kind", type=click.Choice(KINDS, case_sensitive=False), metavar="KIND")
@click.option("--session", metavar="ID", help="Session of the run; else this session's, or the only active one.")
@click.option("--data", metavar="DIR", help="Data folder; else PLUGIN_DATA, or all of the hosts here.")
def command(kind: str, session: str | None, data: str | None) -> int:
    """Print the template of an artifact, filled with the bindings that the run has now.

    What is left to write stands in it as <...>. KIND is plan, review, repair-resume or completion.
    """
    root = plugin_root()
    searched = searched_places(data, os.environ)
    # A plan binds to nothing, so it can be had before there is a run; a session that is named has to be there.
    store = None if kind == "plan" and session is None else one_run(searched, session, os.environ)
    text = _template(root, kind) if kind == "plan" or store is None else filled(kind, store, root)
    click.echo(text, nl=False)
    return 0


def filled(kind: str, store: RunStore, root: str) -> str:
    """Fill in the template of an artifact that binds to a run.

    Args:
        kind: ``review``, ``repair-resume`` or ``completion``.
        store: The run.
        root: The plugin's folder.

    Raises:
        StateError: If the run cannot be read, or has not got what this artifact binds to yet.
    """
    loaded = store.load()
    if loaded is None:
        seen = f"session `{store.session_id}` has no state"
        raise StateError("cli.no-run", seen, "end the run with `$harness cancel`; the human types it")
    state = loaded.state
    if kind == "repair-resume":
        return _resume(state, store, root)
    bindings = _bindings(state, kind)
    if kind == "review":
        return fill(_template(root, kind), binding_fields(bindings))
    criteria = [Criterion(identifier, text) for identifier, text in state.criteria]
    required = [check.id for check in state.active_policy.required] if state.active_policy is not None else []
    return fill(_template(root, kind), completion_fields(bindings, criteria, required))


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


def _bindings(state: RunState, kind: str) -> Bindings:
    plan, diff, verified = state.accepted_plan_hash, state.diff_revision, state.integrity_fingerprint
    if state.state not in ("verifying", "reviewing") or plan is None or diff is None or verified is None:
        raise _not_due(kind, state)
    return Bindings(plan, state.accepted_amendment_hash, diff, verified, state.review_round)


def _resume(state: RunState, store: RunStore, root: str) -> str:
    if not state.is_paused or state.baseline is None:
        raise _not_due("repair-resume", state)
    # The kernel asks the same questions here as at the deny that paused, so both hand out the same text.
    event = Event(host="claude", name="Stop", session_id=store.session_id, cwd=state.repository_root)
    world = World(event, store, dict(os.environ), root)
    world.begin(state)
    asking = resume_for(state)
    reply: object = None
    while True:
        try:
            question = asking.send(reply)
        except StopIteration as done:
            return str(done.value)
        reply = world.answer(question)
