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
from harness_guard.kernel.decide import decide, decide_unreadable
from harness_guard.kernel.outcome import (
    ArchiveRun,
    DropAttestation,
    EndMarker,
    KeepText,
    RaiseMarker,
    WriteAttestation,
    WriteBrief,
)
from harness_guard.kernel.questions import drive
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
TOOL_EVENTS: Final = ("PreToolUse", "PreSkillShellCommand")
TRIES: Final = 5  # hooks that run side by side; each try decides on the newer state
_OLD_MARKER_S: Final = 60.0  # a prompt is judged in seconds; an older marker was left behind


@dataclass(frozen=True, slots=True)
class Hook:
    """What every hook call of a process shares: environment, data folder, plugin folder."""

    environ: Mapping[str, str]
    places: Places
    plugin_root: str


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
    try:
        event = decode(raw, environ)
    except PayloadError:
        _drop(marker)  # what cannot be read activates nothing, so nothing waits to be judged
        raise
    hook = Hook(environ, places, plugin_root)
    _judge_leftovers(hook, event.session_id, marker)
    found = _answer_one(raw, event, hook)
    _drop(marker)
    return found


def _drop(marker: str | None) -> None:
    if marker is not None:
        _drop_quietly(marker)


def _judge_leftovers(hook: Hook, session_id: str, own: str | None) -> None:
    """Judge prompts of this session whose own reader never started or died (contract section 2, Launcher).

    Another session's prompt waits for that session's next event: this hook's folder and environment are not its own.
    """
    try:
        names = os.listdir(hook.places.active)
    except FileNotFoundError:
        return
    for name in sorted(names):
        path = f"{hook.places.active}/{name}"
        if not name.startswith("prompt-") or path == own or _is_under_judgement(path, name):
            continue
        try:
            with open(path, "rb") as handle:
                raw = handle.read()
            event = decode(raw, hook.environ)
            if event.session_id != session_id:
                continue
            _answer_one(raw, replace(event, is_late=True), hook)
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

    number = name.removeprefix("prompt-").rstrip("-")  # the launcher appends dashes to a name that is taken
    try:
        os.kill(int(number), 0)
        return time.time() - os.lstat(path).st_mtime < _OLD_MARKER_S
    except (ValueError, ProcessLookupError, FileNotFoundError):
        return False
    except PermissionError:
        return True


def _answer_one(raw: bytes, event: Event, hook: Hook) -> Answer:
    store = RunStore(hook.places, event.session_id)
    if event.name != "UserPromptSubmit" and not store.has_marker():
        return SILENCE
    event = _with_process_start(event)
    call = Call(event, sha256_hex(raw), store)
    world = World(event, store, hook.environ, hook.plugin_root)
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
            if call.event.name != "UserPromptSubmit":
                raise
            # Without a marker no run is active, and what is left of an old one is only archived by an activation.
            from harness_guard.kernel.unreadable import Unreadable

            stored, state = _bytes_on_disk(call.store), None
            problem: Unreadable | None = Unreadable(error.rule, error.seen, error.remedy, call.store.has_marker())
        else:
            problem = None
        first = _first_answer(call, state)
        if first is not None:
            return first
        world.begin(state)
        decision = decide_unreadable(call.event, problem) if problem is not None else decide(call.event, state)
        outcome = drive(decision, world.answer)
        if call.event.is_late and outcome.state is not None:
            outcome = replace(outcome, state=replace(outcome.state, is_told=False))  # nobody saw this answer
        try:
            return _settle(call, outcome, world, stored=stored, before=state)
        except Conflict:
            continue
    raise StoreError("store.contended", "other hooks changed the run again and again", "Try the same call again.")


def _bytes_on_disk(store: RunStore) -> bytes | None:
    try:
        return store.stored()
    except StoreError:
        return None  # no file stands there; an activation or a cancel moves what does into the archive


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
    if event.name in TOOL_EVENTS and event.tool_use_id:
        return call_digest(event.session_id, f"{event.name} {event.tool_use_id}", call.digest)
    if event.name == "UserPromptSubmit" and event.turn_id and not event.is_child:
        return call_digest(event.session_id, f"{event.name} {event.turn_id}", call.digest)
    return None


def _settle(call: Call, outcome: Outcome, world: World, *, stored: bytes | None, before: RunState | None) -> Answer:
    """Prepare, commit, conclude: in the order that a crash at any point forgives.

    Prepared is what only means something with the next state (texts under their hash, a sealed attestation bound to its
    revision, the brief, a copy of the old state, the marker). Then the commit: from here on the decision is a fact.
    Concluded is what must not be gone if the commit fails (the consumed attestation, the marker, the moved remains of
    an older run) and what tells of the commit (turn, journal, first answer). If concluding fails, a tool call that was
    let pass is refused; every other answer is given as decided, because anything else would deny the fact.
    """
    given = encode(outcome.decision, call.event.name)
    state = outcome.state if outcome.state is not None else before
    if state is None:
        if any(isinstance(duty, RaiseMarker) for duty in outcome.duties):
            call.store.make_folders()
            call.store.raise_marker()
        if call.store.has_marker():
            _note_turn(call)  # of a run that cannot be read, turns still count
        return given
    archive = _prepare(world, outcome, state)
    is_change = state != before
    if is_change:
        call.store.commit(state, stored)
    try:
        _conclude(call.store, outcome, archive)
        _note_turn(call)
        _journal(call, outcome, before, state)
        _keep_first(call, given, state, is_change=is_change)
    except HarnessError:
        if given == SILENCE and call.event.name in TOOL_EVENTS:
            raise
    return given


def _prepare(world: World, outcome: Outcome, state: RunState) -> str | None:
    """Do what the commit needs; the answer is the folder that an older run is archived in, if there is one."""
    store, archive = world.store, None
    for duty in outcome.duties:
        if isinstance(duty, KeepText):
            store.keep_text(duty.digest, duty.text)
        elif isinstance(duty, ArchiveRun):
            archive = store.begin_archive()
            store.raise_marker()
        elif isinstance(duty, WriteAttestation):
            value = {**attestation_bindings(state), "artifact_hash": duty.artifact_hash, "text": duty.text}
            store.save_sealed(ATTESTATION, value)
        elif isinstance(duty, WriteBrief):
            world.write_brief(state, duty.head)
    return archive


def _conclude(store: RunStore, outcome: Outcome, archive: str | None) -> None:
    if archive is not None:
        store.finish_archive(archive)
    for duty in outcome.duties:
        if isinstance(duty, DropAttestation):
            store.remove_side(ATTESTATION)
        elif isinstance(duty, EndMarker):
            store.drop_marker()


def _keep_first(call: Call, given: Answer, state: RunState, *, is_change: bool) -> None:
    """Keep what a second delivery gets; a prompt that changed nothing (a status) is answered anew."""
    identity = _identity(call)
    if identity is None or not (is_change or (given != SILENCE and call.event.name in TOOL_EVENTS)):
        return
    kept = FirstAnswer(state.revision, given.stdout, given.stderr, given.status)
    save_first(f"{call.store.folder}/answers", identity, kept, key=call.store.key)


def _note_turn(call: Call) -> None:
    event = call.event
    if event.turn_id is None or event.is_child or call.store.is_turn_seen(event.turn_id):
        return
    call.store.make_folders()
    call.store.note_turn(event.turn_id)


def _journal(call: Call, outcome: Outcome, before: RunState | None, after: RunState | None) -> None:
    from harness_guard.store.journal import append
    from harness_guard.store.journal_entry import entry_of

    append(f"{call.store.folder}/journal.jsonl", entry_of(call.event, outcome, before=before, after=after))
