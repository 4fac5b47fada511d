"""One writer at a time: held, let go, let go by death, given up after a time."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from harness_guard.errors import StoreError
from harness_guard.store.lock import LOCK_TIMEOUT_S, Lock, is_held

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "lock")


@pytest.fixture
def holder(path: str) -> Iterator[int]:
    """Another process that holds the lock."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            with Lock(path):
                os.write(write, b"x")
                time.sleep(60)
        finally:
            os._exit(0)
    os.read(read, 1)
    os.close(read)
    os.close(write)
    yield pid
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def test_a_lock_is_held_inside_and_free_outside(path: str) -> None:
    assert not is_held(path)
    with Lock(path):
        assert is_held(path)
    assert not is_held(path)


@pytest.mark.contract("C9.5")
def test_a_held_lock_is_refused_after_the_time(path: str, holder: int) -> None:
    assert is_held(path)
    with pytest.raises(StoreError) as caught, Lock(path, timeout_s=0.05):
        pytest.fail("taken twice")
    assert (caught.value.rule, caught.value.seen) == ("store.lock", f"{path} is held by another process")


def test_the_lock_of_a_dead_process_is_free(path: str, holder: int) -> None:
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    assert not is_held(path)
    with Lock(path, timeout_s=0):
        pass


def test_a_lock_is_let_go_when_its_body_fails(path: str) -> None:
    with pytest.raises(ZeroDivisionError), Lock(path):
        raise ZeroDivisionError
    with Lock(path, timeout_s=0):
        pass


def test_waiting_takes_it_as_soon_as_it_is_free(path: str) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            with Lock(path):
                time.sleep(0.2)
        finally:
            os._exit(0)
    while not is_held(path):
        time.sleep(0.005)
    with Lock(path):
        pass
    os.waitpid(pid, 0)


@pytest.mark.contract("C9.5")
def test_waiting_ends_before_the_front_door_does() -> None:
    from harness_guard.runtime.deadline import DEADLINE_S

    assert LOCK_TIMEOUT_S <= DEADLINE_S / 2


def test_no_child_inherits_a_lock(path: str) -> None:
    with Lock(path):
        pid = os.posix_spawn("/bin/sleep", ["sleep", "30"], {})
    try:
        for _ in range(200):
            if not is_held(path):
                break
            time.sleep(0.01)  # the system closes its handles an instant after the new program has begun
        assert not is_held(path)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@pytest.mark.parametrize("kind", ["no folder", "link", "folder"])
def test_a_lock_that_cannot_be_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x" / "lock" if kind == "no folder" else tmp_path / "lock"
    if kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(StoreError) as caught, Lock(str(path)):
        pytest.fail("taken")
    assert caught.value.rule == "store.lock"
    assert not (tmp_path / "elsewhere").exists()


def test_asking_makes_no_file(path: str) -> None:
    assert not is_held(path)
    assert not os.path.exists(path)


def test_a_lock_that_the_disk_refuses(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(StoreError, match="No locks available"), Lock(path):
        pytest.fail("taken")
    assert len(os.listdir("/proc/self/fd")) == before
