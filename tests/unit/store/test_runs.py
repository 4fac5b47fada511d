"""The runs of a data folder: what is loaded, what is refused, what an archive keeps."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from fake_world import HASH, SESSION, in_state, planning
from simulator import write_sealed

from harness_guard.canonical import canonical
from harness_guard.errors import StateError, StoreError
from harness_guard.kernel.state import state_to_json
from harness_guard.places import Places
from harness_guard.sha256 import sha256_hex
from harness_guard.store.runs import RunStore
from harness_guard.store.seal import seal

if TYPE_CHECKING:
    from pathlib import Path

DIGEST = "sha256:" + sha256_hex(b"# Plan\n")


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    (tmp_path / "key").write_bytes(os.urandom(32))
    (tmp_path / "key").chmod(0o600)
    return RunStore(Places(str(tmp_path)), SESSION)


def put(store: RunStore, value: dict[str, Any]) -> None:
    store.make_folders()
    with open(store.state_file, "wb") as handle:
        handle.write(seal(value, store.key))


def test_nothing_there_is_no_run(store: RunStore) -> None:
    assert store.load() is None
    assert not store.has_marker()
    assert not os.path.exists(store.folder)


@pytest.mark.parametrize(
    "name", ["planning", "executing", "verifying", "reviewing", "completed", "cancelled", "paused_danger"]
)
def test_every_state_comes_back_as_it_was(store: RunStore, name: str) -> None:
    state = in_state(name)
    store.commit(state, None)
    loaded = store.load()
    assert loaded is not None
    assert loaded.state == state


@pytest.mark.contract("C9.3")
@pytest.mark.parametrize(
    ("changes", "rule", "seen"),
    [
        ({"schema": "harness.state.v8"}, "store.schema-v8", None),
        ({"schema": "harness.state.v10", "plugin_version": "9.1"}, "store.schema-newer", None),
        ({"schema": "harness.other"}, "store.schema", "the state has schema 'harness.other'"),
        ({"session_id": "another"}, "store.session", "the state belongs to another session"),
        ({"extra": 1}, "store.shape", None),
        ({"repair": 7}, "store.shape", None),
        ({"active_policy": {}}, "state.policy", None),
    ],
)  # fmt: skip
def test_a_sealed_state_of_another_kind_is_refused(
    store: RunStore, changes: dict[str, Any], rule: str, seen: str | None
) -> None:
    put(store, {**state_to_json(planning()), **changes})
    with pytest.raises(StateError) as caught:
        store.load()
    assert caught.value.rule == rule
    assert seen is None or caught.value.seen == seen


def test_a_state_with_a_member_missing_is_refused(store: RunStore) -> None:
    for name in state_to_json(planning()):
        value = {key: member for key, member in state_to_json(planning()).items() if key != name}
        put(store, value)
        if name in ("schema", "session_id"):
            with pytest.raises(StateError):
                store.load()
            continue
        try:
            loaded = store.load()
        except StateError:
            pass
        else:
            assert loaded is not None  # a member with a default, and the default is the one that grants nothing
            assert not loaded.state.has_authority


@pytest.mark.contract("C2.4", "C9.3")
def test_a_state_of_another_session_in_this_folder(store: RunStore, tmp_path: Path) -> None:
    other = RunStore(Places(str(tmp_path)), "other")
    store.commit(planning(), None)
    other.make_folders()
    os.rename(store.state_file, other.state_file)
    with pytest.raises(StateError, match="another session"):
        other.load()


@pytest.mark.contract("D2.2")
def test_a_marker_is_a_file_named_by_the_session(store: RunStore, tmp_path: Path) -> None:
    store.raise_marker()
    assert os.listdir(tmp_path / "active") == [f"run-{SESSION}"]
    assert store.has_marker()
    store.drop_marker()
    store.drop_marker()
    assert os.listdir(tmp_path / "active") == []


@pytest.mark.parametrize("turn", ["t", "x" * 500, "../../etc", "\0", "ä"])
def test_turns_are_remembered_by_hash(store: RunStore, turn: str) -> None:
    store.make_folders()
    assert not store.is_turn_seen(turn)
    store.note_turn(turn)
    store.note_turn(turn)
    assert store.is_turn_seen(turn)
    assert not store.is_turn_seen(turn + "x")
    assert len(os.listdir(f"{store.folder}/turns")) == 1


def test_a_turn_that_cannot_be_noted(store: RunStore) -> None:
    with pytest.raises(StoreError) as caught:
        store.note_turn("t")
    assert caught.value.rule == "store.turns"


def fill(store: RunStore) -> None:
    store.commit(in_state("executing"), None)
    store.keep_text(DIGEST, "# Plan\n")
    write_sealed(store, "verification.json", {"schema": "x"})
    store.note_turn("t1")
    for name in ("journal.jsonl", "brief.md"):
        with open(f"{store.folder}/{name}", "w") as handle:
            handle.write(name)
    os.makedirs(f"{store.folder}/tree/objects")


def everything(folder: str) -> list[str]:
    return sorted(
        os.path.relpath(os.path.join(top, name), folder) for top, _, files in os.walk(folder) for name in files
    )


def archive(store: RunStore) -> None:
    """Archive as an activation does, with nothing committed between the two halves."""
    target = store.begin_archive()
    if target is not None:
        store.finish_archive(target)


@pytest.mark.contract("C9.1")
def test_an_archive_keeps_everything_of_the_run(store: RunStore) -> None:
    fill(store)
    with open(store.state_file, "rb") as handle:
        state = handle.read()
    archive(store)
    kept = everything(f"{store.folder}/archive/0001")
    assert kept == [
        "artifacts/" + DIGEST[7:] + ".md",
        "brief.md",
        "evidence/verification.json",
        "journal.jsonl",
        "state.json",
    ]
    assert store.load() is not None  # until a new one replaces it, the old state stands
    with open(f"{store.folder}/archive/0001/state.json", "rb") as handle:
        assert handle.read() == state
    assert store.is_turn_seen("t1")  # a turn stays seen for the whole session


def test_archives_are_numbered_and_never_overwritten(store: RunStore) -> None:
    for number in range(3):
        fill(store) if number == 0 else store.keep_text(DIGEST, "# Plan\n")
        archive(store)
    os.rename(f"{store.folder}/archive/0001", f"{store.folder}/archive/removed-by-hand")
    archive(store)
    assert sorted(os.listdir(f"{store.folder}/archive")) == ["0002", "0003", "0004", "removed-by-hand"]


def test_an_archive_of_nothing_makes_nothing(store: RunStore) -> None:
    archive(store)
    assert os.listdir(f"{store.folder}/archive") == []


@pytest.mark.contract("D6.6")
def test_an_archive_begins_with_the_state_alone(store: RunStore) -> None:
    fill(store)
    assert store.begin_archive() == f"{store.folder}/archive/0001"
    assert everything(f"{store.folder}/archive/0001") == ["state.json"]
    assert os.path.exists(f"{store.folder}/journal.jsonl")  # a commit that fails leaves the old run whole


def test_what_is_no_file_is_archived_as_it_is(store: RunStore) -> None:
    fill(store)
    os.unlink(store.state_file)
    os.symlink("/dev/null", store.state_file)
    archive(store)
    assert store.stored() is None
    assert os.path.islink(f"{store.folder}/archive/0001/state.json")


def test_an_archive_takes_a_damaged_state_along(store: RunStore) -> None:
    fill(store)
    with open(store.state_file, "wb") as handle:
        handle.write(b"damaged")
    archive(store)
    with open(f"{store.folder}/archive/0001/state.json", "rb") as handle:
        assert handle.read() == b"damaged"


def test_a_text_is_kept_under_its_hash(store: RunStore) -> None:
    store.keep_text(DIGEST, "# Plan\n")
    assert store.load_text(DIGEST) == "# Plan\n"
    with open(f"{store.folder}/artifacts/{DIGEST[7:]}.md", "w") as handle:
        handle.write("# Plan \n")
    with pytest.raises(StateError, match="missing or changed"):
        store.load_text(DIGEST)


def test_a_sealed_side_file(store: RunStore) -> None:
    assert store.load_sealed("x.json") is None
    value = {
        "schema": "harness.review-attestation.v1",
        "session_id": "s",
        "run_id": "r",
        "state_revision": 1,
        "accepted_plan_hash": HASH,
        "accepted_amendment_hash": None,
        "diff_revision": "d",
        "verification_fingerprint": HASH,
        "artifact_hash": HASH,
        "text": "t",
    }
    store.save_sealed("x.json", value)
    assert store.load_sealed("x.json") == value
    path = f"{store.folder}/evidence/x.json"
    with open(path, "rb") as handle:
        data = handle.read()
    with open(path, "wb") as handle:
        handle.write(data.replace(b'"text":"t"', b'"text":"u"'))
    with pytest.raises(StateError):
        store.load_sealed("x.json")
    store.remove_side("x.json")
    store.remove_side("x.json")
    assert store.load_sealed("x.json") is None


def test_a_state_cannot_be_passed_off_as_another_file(store: RunStore) -> None:
    store.commit(planning(), None)
    with open(store.state_file, "rb") as handle:
        data = handle.read()
    value = json.loads(data)
    del value["seal"]
    assert store.load_sealed("x") is None
    with open(f"{store.folder}/evidence/x", "wb") as handle:
        handle.write(data)
    assert canonical(store.load_sealed("x")) == canonical(value)  # whoever reads it compares its schema
