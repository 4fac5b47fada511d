"""P4: whatever fails or dies at whatever step of a commit, the state is the old one or the new one, whole and sealed."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import pytest
from fake_world import SESSION, in_state, planning

from harness_guard.errors import StateError, StoreError
from harness_guard.places import Places
from harness_guard.records import replace
from harness_guard.store import files
from harness_guard.store.runs import Conflict, RunStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CALLS = ("open", "write", "fsync", "close", "rename")  # what write_atomically asks of the system, the folder's too
OLD = planning()
NEW = in_state("executing")


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    (tmp_path / "key").write_bytes(os.urandom(32))
    (tmp_path / "key").chmod(0o600)
    found = RunStore(Places(str(tmp_path)), SESSION)
    found.commit(OLD, None)
    return found


def stored(store: RunStore) -> bytes:
    with open(store.state_file, "rb") as handle:
        return handle.read()


class Failing:
    """The ``os`` that ``files`` sees, whose n-th call of interest fails, or ends the process."""

    def __init__(self, at: int, fail: Callable[[str], object], before: bool = True) -> None:
        self.at = at
        self.fail = fail
        self.before = before
        self.seen: list[str] = []

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def call(*arguments: Any, **named: Any) -> Any:
            self.seen.append(name)
            is_it = len(self.seen) == self.at
            if is_it and self.before:
                self.fail(name)
            found = real(*arguments, **named)
            if is_it and not self.before:
                self.fail(name)
            return found

        return call


def steps(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the calls of one whole commit."""
    probe = Failing(0, lambda _name: None)
    with monkeypatch.context() as patch:
        patch.setattr(files, "os", probe)
        store.commit(replace(OLD, task="probe"), stored(store))
    store.commit(OLD, stored(store))
    return probe.seen


def check(store: RunStore) -> str:
    """Load, say which state it is, and prove that nothing left behind breaks the next commit."""
    loaded = store.load()
    assert loaded is not None
    assert loaded.state in (OLD, NEW)
    store.commit(replace(loaded.state, task="next"), loaded.stored)
    again = store.load()
    assert again is not None
    assert again.state.task == "next"
    return "old" if loaded.state == OLD else "new"


def refuse(code: int) -> Callable[[str], object]:
    def fail(name: str) -> object:
        raise OSError(code, f"{os.strerror(code)} at {name}")

    return fail


@pytest.mark.contract("C9.2")
def test_the_steps_are_all_there(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    # Reading the expected bytes; temp file in the same folder, written, synced; renamed; the folder synced.
    assert steps(store, monkeypatch) == [
        "open",
        "close",
        "open",
        "write",
        "fsync",
        "close",
        "rename",
        "open",
        "fsync",
        "close",
    ]


@pytest.mark.contract("C1.4")
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT, errno.EROFS])
def test_a_commit_that_fails_at_any_step(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, code: int, *, before: bool
) -> None:
    found = []
    for at in range(1, len(steps(store, monkeypatch)) + 1):
        with monkeypatch.context() as patch:
            patch.setattr(files, "os", Failing(at, refuse(code), before))
            with pytest.raises((StoreError, OSError)):
                store.commit(NEW, stored(store))
        found.append(check(store))
        assert [name for name in os.listdir(store.folder) if name.endswith(".tmp")] == []
        store.commit(OLD, stored(store))
    assert found == sorted(found, key=["old", "new"].index)  # old up to the rename, new from there on
    assert set(found) == {"old", "new"}


@pytest.mark.contract("C1.4")
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_process_that_dies_at_any_step(store: RunStore, monkeypatch: pytest.MonkeyPatch, *, before: bool) -> None:
    found = []
    for at in range(1, len(steps(store, monkeypatch)) + 1):
        expected = stored(store)
        pid = os.fork()
        if pid == 0:
            files.os = Failing(at, lambda _name: os._exit(9), before)  # type: ignore[assignment]
            try:
                store.commit(NEW, expected)
            finally:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
        found.append(check(store))
        store.commit(OLD, stored(store))
    assert set(found) == {"old", "new"}


def test_a_write_that_takes_only_a_part_goes_on(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(files.os, "write", lambda handle, data: real(handle, bytes(data)[:7]))
    store.commit(NEW, stored(store))
    monkeypatch.undo()
    assert check(store) == "new"


def test_a_disk_that_fills_within_a_write(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    count = iter(range(100))

    def write(handle: int, data: bytes) -> int:
        if next(count) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, bytes(data)[:9])

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "write", write)
        with pytest.raises(StoreError) as caught:
            store.commit(NEW, stored(store))
    assert (caught.value.rule, caught.value.remedy) == (
        "store.write",
        "Make room or repair the permissions, then try again.",
    )
    assert check(store) == "old"


@pytest.mark.contract("C9.4")
def test_a_commit_names_what_it_was_decided_on(store: RunStore) -> None:
    first = stored(store)
    store.commit(NEW, first)
    with pytest.raises(Conflict):
        store.commit(OLD, first)
    with pytest.raises(Conflict):
        store.commit(OLD, None)
    loaded = store.load()
    assert loaded is not None
    assert loaded.state == NEW


@pytest.mark.contract("C9.2")
def test_a_first_commit_finds_nothing(tmp_path: Path, store: RunStore) -> None:
    os.unlink(store.state_file)
    with pytest.raises(Conflict):
        store.commit(NEW, b"something")
    store.commit(NEW, None)
    assert os.stat(store.state_file).st_mode & 0o777 == 0o600


@pytest.mark.contract("C9.2")
def test_a_malformed_state_is_never_written(store: RunStore) -> None:
    before = stored(store)
    with pytest.raises(StateError) as caught:
        store.commit(replace(OLD, authority_status="active"), before)
    assert caught.value.rule == "store.schema"
    assert stored(store) == before


@pytest.mark.contract("C9.5")
def test_one_of_many_writers_wins_each_time(store: RunStore) -> None:
    children = []
    for number in range(4):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                for _ in range(5):
                    while True:
                        loaded = store.load()
                        assert loaded is not None
                        try:
                            store.commit(
                                replace(loaded.state, foreign=(*loaded.state.foreign, f"w{number}")), loaded.stored
                            )
                        except Conflict:
                            continue
                        break
                status = 0
            finally:
                os._exit(status)
        children.append(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * 4
    loaded = store.load()
    assert loaded is not None
    assert sorted(loaded.state.foreign) == sorted(f"w{number}" for number in range(4) for _ in range(5))


def test_a_link_in_the_states_place_is_not_followed(store: RunStore, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(stored(store))
    os.unlink(store.state_file)
    os.symlink(tmp_path / "elsewhere", store.state_file)
    with pytest.raises(StoreError):
        store.load()
