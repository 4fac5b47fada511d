"""``harness-guard status``: the runs of a data folder as a person reads them."""

from __future__ import annotations

import json
import os

import click

from harness_guard.cli.installation import searched_places
from harness_guard.cli.runs import all_runs, named, one_run
from harness_guard.cli.say import say
from harness_guard.errors import HarnessError
from harness_guard.kernel.state import state_to_json
from harness_guard.kernel.texts import status_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.store.runs import RunStore


@click.command("status")
@click.option("--data", metavar="DIR", help="Data folder; else PLUGIN_DATA, or all of the hosts here.")
@click.option("--session", metavar="ID", help="Only the run of this session.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: the whole states.")
def command(data: str | None, session: str | None, *, as_json: bool) -> int:
    """Show the runs of each data folder, newest first.

    Ends with status 1 if a run's state cannot be read or is not what the guard wrote.
    """
    searched = searched_places(data, os.environ)
    stores = all_runs(searched) if session is None else [one_run(searched, session, os.environ)]
    if not stores and not as_json:
        say(f"no run in {named(searched)}")
    sound = True
    for number, store in enumerate(stores):
        if number and not as_json:
            say()
        sound = _show(store, as_json=as_json) and sound
    return 0 if sound else 1


def _show(store: RunStore, *, as_json: bool) -> bool:
    """Print one run; tell whether its state could be read."""
    is_active = store.has_marker()
    head = {"session": store.session_id, "active": is_active, "data": store.places.data}
    try:
        loaded = store.load()
    except HarnessError as error:
        problem = {"rule": error.rule, "seen": error.seen, "remedy": error.remedy}
        text = f"state: NOT READABLE\n{error.rule}: {error.seen}\nNext: {error.remedy}"
        say(json.dumps({**head, "error": problem}) if as_json else f"{_head(store)}\n{text}")
        return False
    if loaded is None:
        lost = "its state has vanished; tools are denied" if is_active else "no state"
        found = {**head, "state": None}
        remedy = "\nNext: End the run with `$harness cancel`; the human types it." if is_active else ""
        say(json.dumps(found) if as_json else f"{_head(store)}\n{lost}{remedy}")
        return not is_active
    whole = {**head, "state": state_to_json(loaded.state)}
    say(json.dumps(whole) if as_json else f"{_head(store)}\n{status_text(loaded.state)}")
    return True


def _head(store: RunStore) -> str:
    return f"session {store.session_id} ({'active' if store.has_marker() else 'not active'}) in {store.places.data}"
