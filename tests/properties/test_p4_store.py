"""P4: whatever fails or dies at whatever call of whatever sequence of commits, the state is the old one or the new one.

Each step is a commit, a kept text, a noted turn or a whole activation that archives what was there. At a call of the
operating system that Hypothesis picks, the disk is full or broken, or the process is gone. Afterwards the state is
whole, nothing that was accepted is lost, and the next commit works.
"""

from __future__ import annotations

import errno
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fake_world import SESSION, STATE_NAMES, in_state
from hypothesis import example, given
from hypothesis import strategies as st

from harness_guard.errors import StoreError
from harness_guard.places import Places
from harness_guard.records import replace
from harness_guard.sha256 import sha256_hex
from harness_guard.store import files, lock, runs
from harness_guard.store.runs import RunStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_guard.kernel.state import RunState

MODULES = (files, lock, runs)
CALLS = ("open", "read", "write", "fsync", "close", "rename", "makedirs", "mkdir", "unlink", "listdir")
DIED = 9
MOST_OF_A_NAME = 20  # calls of one name in one step
CODES = (errno.ENOSPC, errno.EIO, errno.EACCES)


@dataclass(frozen=True)
class Fault:
    """What goes wrong in a step.

    Attributes:
        call: The call that it happens at.
        moment: Before the call, after it, or, for a write, halfway.
        nth: Which call of that name in the step, counted from 1; a step with fewer goes well.
        code: The error that the call gives; ``None`` if the process dies there.
    """

    call: str
    moment: str
    nth: int
    code: int | None


class FaultyOs:
    """The ``os`` that the store sees."""

    def __init__(self, fault: Fault | None) -> None:
        self.fault = fault
        self.seen: list[str] = []

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return self.watched(name, real) if name in CALLS else real

    def watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self.seen.append(name)
            fault = self.fault
            if fault is None or name != fault.call or self.seen.count(name) != fault.nth:
                return real(*arguments, **named)
            if fault.moment == "half":
                handle, data = arguments
                real(handle, bytes(data)[: len(data) // 2])
            elif fault.moment == "after":
                real(*arguments, **named)
            if fault.code is None:
                os._exit(DIED)
            raise OSError(fault.code, os.strerror(fault.code))

        return call


@dataclass
class Session:
    """One session's store, with what it owes to whoever was told that it is kept."""

    store: RunStore
    state: RunState | None = None
    texts: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    old: list[bytes] = field(default_factory=list)

    def fresh(self) -> RunStore:
        return RunStore(self.store.places, SESSION)

    def kept_texts(self) -> set[str]:
        folder = Path(self.store.folder)
        found = (*folder.glob("artifacts/*.md"), *folder.glob("archive/*/artifacts/*.md"))
        return {path.read_text() for path in found if path.stem == sha256_hex(path.read_bytes())}

    def archived(self) -> set[bytes]:
        return {path.read_bytes() for path in Path(self.store.folder).glob("archive/*/state.json")}


def perform(kind: str, store: RunStore, new: RunState, label: str) -> None:
    """Do what one step does, in the order in which a hook does it."""
    if kind == "text":
        store.keep_text(f"sha256:{sha256_hex(label.encode())}", label)
    elif kind == "turn":
        store.make_folders()
        store.note_turn(label)
    elif kind == "commit":
        store.commit(new, store.stored())
    else:
        before = store.stored()
        target = store.begin_archive()
        store.raise_marker()
        store.commit(new, before)
        if target is not None:
            store.finish_archive(target)


def has_succeeded(act: Callable[[], None], fault: Fault | None) -> bool:
    """Act under a fault, in a process of its own if it dies of it, and tell whether all of it went well."""
    if fault is not None and fault.code is None:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                act_with(fault, act)
                status = 0
            finally:
                os._exit(status)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert ended in (0, DIED)
        return ended == 0
    try:
        act_with(fault, act)
    except (StoreError, OSError):
        assert fault is not None
        return False
    return True


def act_with(fault: Fault | None, act: Callable[[], None]) -> FaultyOs:
    faulty = FaultyOs(fault)
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            patch.setattr(module, "os", faulty)
        act()
    return faulty


def play(session: Session, kind: str, new: RunState, label: str, fault: Fault | None) -> None:
    before = session.fresh().stored()
    is_done = has_succeeded(lambda: perform(kind, session.fresh(), new, label), fault)
    loaded = session.fresh().load()  # raises if it is not whole and sealed
    found = loaded.state if loaded is not None else None
    changes = kind in ("commit", "activate")
    assert found in ((new,) if is_done and changes else (session.state, new) if changes else (session.state,))
    session.state = found
    if kind == "activate" and before is not None and found == new:
        session.old.append(before)
    if is_done and kind == "text":
        session.texts.append(label)
    if is_done and kind == "turn":
        session.turns.append(label)
    assert set(session.texts) <= session.kept_texts()
    assert all(session.fresh().is_turn_seen(turn) for turn in session.turns)
    assert set(session.old) <= session.archived()


# close(2) lets go of the file even if it fails.
MOMENTS = [
    ("write", "half"),
    *((name, "before") for name in CALLS if name != "close"),
    *((name, "after") for name in CALLS),
]
faults = st.builds(
    lambda moment, nth, code: Fault(*moment, nth, code),
    st.sampled_from(MOMENTS),
    st.integers(1, 3) | st.integers(1, MOST_OF_A_NAME),
    st.sampled_from([*CODES, None, None]),
)
steps = st.tuples(
    st.sampled_from(["commit", "commit", "text", "turn", "activate"]), st.sampled_from(STATE_NAMES), faults | st.none()
)


@pytest.mark.contract("C1.4", "C9.2", "D6.6")
@given(st.lists(steps, min_size=1, max_size=5))
@example([("commit", "planning", None), ("activate", "planning", Fault("open", "before", 2, errno.EIO))])
def test_after_any_fault_the_state_is_whole_and_nothing_accepted_is_lost(
    sequence: list[tuple[str, str, Fault | None]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        key.write_bytes(b"k" * 32)
        key.chmod(0o600)
        session = Session(RunStore(Places(folder), SESSION))
        for number, (kind, name, fault) in enumerate(sequence):
            label = f"step {number}"
            play(session, kind, replace(in_state(name), task=label), label, fault)
            # Whatever has happened, the next commit works.
            play(session, "commit", replace(in_state(name), task=f"after {label}"), label, None)


@pytest.mark.parametrize("kind", ["text", "turn", "commit", "activate"])
def test_the_faults_reach_every_call_of_a_step(kind: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        key.write_bytes(b"k" * 32)
        key.chmod(0o600)
        store = RunStore(Places(folder), SESSION)
        store.commit(in_state("executing"), None)
        store.keep_text(f"sha256:{sha256_hex(b'x')}", "x")
        seen = act_with(None, lambda: perform(kind, RunStore(Places(folder), SESSION), in_state("planning"), "y")).seen
        counted = {name: seen.count(name) for name in seen}
        assert {"open", "close", "makedirs"} <= set(counted)
        assert kind == "turn" or {"write", "fsync", "rename"} <= set(counted)
        assert max(counted.values()) <= MOST_OF_A_NAME
