"""One hook call from payload to answer: decode, load, decide with looked-up facts, do the duties, commit, answer.

Nothing else sees both the hosts and the store. Decisions are pure (``kernel``); a commit names the state that it was
decided on, and if another hook was faster the decision is taken again. Whatever fails is raised to the front door,
which gives the event's failure answer.
"""

from __future__ import annotations

import os

from harness_guard.errors import HarnessError, PayloadError, StateError, StoreError
from harness_guard.hosts.answers import Answer, encode
from harness_guard.hosts.registry import decode
from harness_guard.kernel.decide import decide
from harness_guard.kernel.outcome import (
    ArchiveRun,
    DropAttestation,
    EndMarker,
    KeepText,
    WriteAttestation,
    WriteBrief,
)
from harness_guard.places import Places, data_folder
from harness_guard.records import dataclass, replace
from harness_guard.sha256 import sha256_hex
from harness_guard.store.first_answers import FirstAnswer, call_digest, load_first, save_first
from harness_guard.store.runs import Conflict, RunStore
from harness_guard.world import ATTESTATION, World, attestation_bindings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from harness_guard.kernel.event import Event
    from harness_guard.kernel.outcome import Outcome
    from harness_guard.kernel.state import RunState

SILENCE: Final = Answer("", "", 0)
TRIES: Final = 5  # hooks that run side by side; each try decides on the newer state
_OLD_MARKER_S: Final = 60.0  # a prompt is judged in seconds; an older marker was left behind


@dataclass(frozen=True, slots=True)
class Call:
    """One hook call with what it needs of its surroundings.

    Attributes:
        event: The decoded event.
        digest: Hash of the payload, for a second delivery.
        store: The session's store.
    """

    event: Event
    digest: str
    store: RunStore


def answer(raw: bytes, environ: Mapping[str, str], plugin_root: str, marker: str | None) -> Answer:
    """Answer one hook call.

    Args:
        raw: The payload as the host sent it.
        environ: The hook's environment.
        plugin_root: The plugin's folder.
        marker: The prompt marker that the launcher wrote for this prompt, if it did.

    Returns:
        The host's answer.

    Raises:
        HarnessError: If the event cannot be judged; the front door answers for it.
    """
    data = data_folder(environ)
    if data is None:
        raise PayloadError("payload.data-folder", "the host names no data folder", "Install the plugin again.")
    places = Places(data)
    _judge_leftovers(places, environ, plugin_root, marker)
    try:
        found = _answer_one(raw, environ, places, plugin_root)
    except PayloadError:
        _drop(marker)  # what cannot be read activates nothing, so nothing waits to be judged
        raise
    _drop(marker)
    return found


def _drop(marker: str | None) -> None:
    if marker is not None:
        _drop_quietly(marker)


def _judge_leftovers(places: Places, environ: Mapping[str, str], plugin_root: str, own: str | None) -> None:
    """Judge prompts whose own reader never started or died (contract section 2, Launcher)."""
    try:
        names = os.listdir(places.active)
    except FileNotFoundError:
        return
    for name in names:
        path = f"{places.active}/{name}"
        if not name.startswith("prompt-") or path == own or _is_under_judgement(path, name):
            continue
        try:
            with open(path, "rb") as handle:
                raw = handle.read()
            _answer_one(raw, environ, places, plugin_root, is_leftover=True)
        except (PayloadError, StateError):
            pass  # activates nothing; a run that cannot be read is denied by its own marker
        except FileNotFoundError:
            continue  # another hook was faster
        _drop_quietly(path)


def _drop_quietly(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _is_under_judgement(path: str, name: str) -> bool:
    import time

    number = name.removeprefix("prompt-").split(".", 1)[0]
    try:
        os.kill(int(number), 0)
        return time.time() - os.lstat(path).st_mtime < _OLD_MARKER_S
    except (ValueError, ProcessLookupError, FileNotFoundError):
        return False
    except PermissionError:
        return True


def _answer_one(
    raw: bytes, environ: Mapping[str, str], places: Places, plugin_root: str, *, is_leftover: bool = False
) -> Answer:
    event = decode(raw, environ)
    if is_leftover:
        event = replace(event, process=None)  # the process that asked now is not the one that typed it
    store = RunStore(places, event.session_id)
    if event.name != "UserPromptSubmit" and not store.has_marker():
        return SILENCE
    event = _with_process_start(event)
    call = Call(event, sha256_hex(raw), store)
    world = World(event, store, environ, plugin_root)
    try:
        return _decide_until_committed(call, world)
    finally:
        world.close()


def _with_process_start(event: Event) -> Event:
    if event.process is None:
        return event
    from harness_guard.evidence.process import started_at

    return replace(event, process=replace(event.process, started=started_at(event.process.pid)))


def _decide_until_committed(call: Call, world: World) -> Answer:
    for _ in range(TRIES):
        try:
            stored, state = _load(call)
        except (StateError, StoreError) as error:
            return _without_state(call, world, error)
        first = _first_answer(call, state)
        if first is not None:
            return first
        world.begin(state)
        outcome = _drive(call.event, state, world)
        try:
            return _settle(call, outcome, world, stored=stored, before=state)
        except Conflict:
            continue
    raise StoreError("store.contended", "other hooks changed the run again and again", "Try the same call again.")


def _load(call: Call) -> tuple[bytes | None, RunState | None]:
    """Load the bytes on disk and the run; an ended run without a marker counts as none."""
    store = call.store
    has_marker = store.has_marker()
    loaded = store.load()
    if loaded is None:
        if has_marker:
            seen = "the run's state has vanished"
            raise StateError("store.vanished", seen, "End the run with `$harness cancel`; the human types it.")
        return None, None
    if not has_marker:
        if loaded.state.is_terminal:
            return loaded.stored, None
        store.raise_marker()  # a run that has not ended has lost its marker: it is active all the same
    return loaded.stored, loaded.state


def _without_state(call: Call, world: World, problem: HarnessError) -> Answer:
    """Answer where the state cannot be read: a prompt may still cancel or activate, everything else fails closed."""
    if call.event.name != "UserPromptSubmit":
        raise problem
    from harness_guard.artifacts.activation import Verb, read_prompt
    from harness_guard.kernel.decision import context

    installed = world.installed()
    act = read_prompt(call.event.prompt, skill_path=installed.skill, marketplace=installed.marketplace)
    if act is None or act == Verb("status") or call.event.is_child or call.event.source not in (None, "user"):
        raise problem
    if isinstance(act, Verb):
        call.store.archive_unread()
        call.store.drop_marker()
        text = "harness-guard: the run's state could not be read; the run is cancelled and archived unread."
        return encode(context(f"{text} Next: Activate a new run if you want one."), call.event.name)
    world.begin(None)
    outcome = _drive(call.event, None, world)
    if outcome.state is not None:
        call.store.archive_unread()
    return _settle(call, outcome, world, stored=None, before=None)


def _first_answer(call: Call, state: RunState | None) -> Answer | None:
    identity = _identity(call)
    if state is None or identity is None:
        return None
    first = load_first(f"{call.store.folder}/answers", identity, call.store.key)
    if first is None:
        return None
    is_pass = first.status == 0 and not first.stdout
    if is_pass and first.revision != state.revision:
        return None
    return Answer(first.stdout, first.stderr, first.status)


def _identity(call: Call) -> str | None:
    event = call.event
    if event.name in ("PreToolUse", "PreSkillShellCommand") and event.tool_use_id:
        return call_digest(event.session_id, f"{event.name} {event.tool_use_id}", call.digest)
    if event.name == "UserPromptSubmit" and event.turn_id and not event.is_child:
        return call_digest(event.session_id, f"{event.name} {event.turn_id}", call.digest)
    return None


def _drive(event: Event, state: RunState | None, world: World) -> Outcome:
    """Send the kernel the answers to its questions until it has decided."""
    decision = decide(event, state)
    reply: object = None
    while True:
        try:
            question = decision.send(reply)
        except StopIteration as done:
            outcome: Outcome = done.value
            return outcome
        reply = world.answer(question)


def _settle(call: Call, outcome: Outcome, world: World, *, stored: bytes | None, before: RunState | None) -> Answer:
    """Do the duties, commit, note the turn, journal, keep the first answer; in the order that a crash forgives."""
    given = encode(outcome.decision, call.event.name)
    state = outcome.state
    if before is None and state is None:
        return given
    store = call.store
    is_change = state is not None and state != before
    if is_change and state is not None:
        _before_commit(world, outcome, state)
        _note_turn(call)
        store.commit(state, stored)
    else:
        _before_commit(world, outcome, before)
        _note_turn(call)
    _after_commit(store, outcome)
    _journal(call, outcome, before, state if is_change else before)
    identity = _identity(call)
    if identity is not None and (is_change or given != SILENCE):
        revision = (state or before).revision  # type: ignore[union-attr]  # one of them is there
        kept = FirstAnswer(revision, given.stdout, given.stderr, given.status)
        save_first(f"{store.folder}/answers", identity, kept, key=store.key)
    return given


def _note_turn(call: Call) -> None:
    event = call.event
    if event.turn_id is None or event.is_child or call.store.is_turn_seen(event.turn_id):
        return
    call.store.make_folders()
    call.store.note_turn(event.turn_id)


def _before_commit(world: World, outcome: Outcome, state: RunState | None) -> None:
    store = world.store
    for duty in outcome.duties:
        if isinstance(duty, KeepText):
            store.keep_text(duty.digest, duty.text)
        elif isinstance(duty, ArchiveRun):
            store.archive()
            store.raise_marker()
        elif isinstance(duty, WriteAttestation) and state is not None:
            value = {**attestation_bindings(state), "artifact_hash": duty.artifact_hash, "text": duty.text}
            store.save_sealed(ATTESTATION, value)
        elif isinstance(duty, WriteBrief) and state is not None:
            world.write_brief(state, duty.head)


def _after_commit(store: RunStore, outcome: Outcome) -> None:
    """Do what a failed commit must not have done: an attestation that nothing consumed stays for the next try."""
    for duty in outcome.duties:
        if isinstance(duty, DropAttestation):
            store.remove_side(ATTESTATION)
        elif isinstance(duty, EndMarker):
            store.drop_marker()


def _journal(call: Call, outcome: Outcome, before: RunState | None, after: RunState | None) -> None:
    from harness_guard.store.journal import append
    from harness_guard.store.journal_entry import entry_of

    append(f"{call.store.folder}/journal.jsonl", entry_of(call.event, outcome, before=before, after=after))
