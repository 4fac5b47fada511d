"""States of other versions: v8 grants nothing and is migrated by an activation, others stay as they are (L5.3, L5.4)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from simulator import Simulator

from harness_guard.errors import StateError
from harness_guard.store.schemas import other_version
from harness_guard.store.seal import seal

if TYPE_CHECKING:
    from pathlib import Path


def stored(schema: object, **members: object) -> bytes:
    return json.dumps({"schema": schema, **members}).encode()


@pytest.mark.parametrize(
    ("text", "rule", "words"),
    [
        (stored("harness.state.v8"), "store.schema-v8", "grants nothing"),
        (stored("harness.state.v7", plugin_version="0.0.7"), "store.schema-older", "version 0.0.7"),
        (stored("harness.state.v10", plugin_version="2.0.0"), "store.schema-newer", "version 2.0.0"),
        (stored("harness.state.v10", plugin_version=3), "store.schema-newer", "does not say which"),
        (stored("harness.state.v9"), None, ""),
        (stored("harness.state.v"), None, ""),
        (stored("harness.state.v-1"), None, ""),
        (stored("harness.state.v1234567"), None, ""),
        (stored("harness.state.v\u0661"), None, ""),
        (stored(8), None, ""),
        (b"[]", None, ""),
        (b"{", None, ""),
        (b"\xff", None, ""),
    ],
)
def test_the_version_of_a_state(text: bytes, rule: str | None, words: str) -> None:
    found = other_version(text)
    assert (found.rule if found is not None else None) == rule
    if found is not None:
        assert words in found.seen


@pytest.fixture(params=["claude", "codex"])
def sim(request: pytest.FixtureRequest, tmp_path: Path) -> Simulator:
    return Simulator(tmp_path, request.param)


def left(sim: Simulator, text: bytes, *, is_active: bool) -> None:
    """Let a state of another version lie in the session's folder."""
    sim.store.make_folders()
    (sim.data / "runs" / sim.session / "state.json").write_bytes(text)
    if is_active:
        sim.store.raise_marker()


def archived(sim: Simulator) -> list[bytes]:
    folder = sim.data / "runs" / sim.session / "archive"
    return [path.read_bytes() for path in sorted(folder.glob("*/state.json"))]


def refused_or_silent(sim: Simulator, version: str, *, is_active: bool) -> None:
    """While a marker stands the error reaches the front door, which denies with it; without one nothing is said."""
    if not is_active:
        assert sim.write("src/new.py").is_silent
        return
    with pytest.raises(StateError, match=version):
        sim.write("src/new.py")


V8 = stored("harness.state.v8", state="executing", authority_status="active", plugin_version="0.8.1")
V7 = stored("harness.state.v7", state="executing", plugin_version="0.7.0")
V10 = stored("harness.state.v10", state="executing", plugin_version="1.4.0")


@pytest.mark.contract("L5.3", "L5.5")
@pytest.mark.parametrize("is_active", [True, False])
@pytest.mark.parametrize("is_sealed", [True, False])
def test_v8_grants_nothing_and_an_activation_starts_afresh(sim: Simulator, *, is_active: bool, is_sealed: bool) -> None:
    text = seal(json.loads(V8), sim.store.key) if is_sealed else V8
    left(sim, text, is_active=is_active)
    refused_or_silent(sim, "0.8.1", is_active=is_active)
    sim.prompt("y")
    assert (sim.data / "runs" / sim.session / "state.json").read_bytes() == text
    told = sim.prompt("$harness keep digits")
    assert "is open in planning" in told.text
    assert "harness.state.v8 is archived" in told.text
    assert (sim.state.state, sim.state.authority_status, sim.state.accepted_policy) == ("planning", "revoked", None)
    assert archived(sim) == [text]
    assert sim.write("src/new.py").is_denied


@pytest.mark.contract("L5.4", "L5.5", "C9.3")
@pytest.mark.parametrize("is_active", [True, False])
@pytest.mark.parametrize(("text", "version"), [(V7, "0.7.0"), (V10, "1.4.0")])
def test_other_versions_are_neither_read_nor_replaced(
    sim: Simulator, text: bytes, version: str, *, is_active: bool
) -> None:
    left(sim, text, is_active=is_active)
    told = sim.prompt("$harness keep digits")
    assert version in told.text
    assert json.loads(text)["schema"] in told.text
    assert (sim.data / "runs" / sim.session / "state.json").read_bytes() == text
    # Who asked for a guarded run gets no unguarded one.
    refused_or_silent(sim, version, is_active=True)
    sim.prompt("$harness cancel")
    assert archived(sim) == [text]
    assert sim.state.state == "cancelled"
    sim.stop("Ended.")
    assert "is open in planning" in sim.prompt("$harness keep digits").text


def test_a_session_without_a_run_stays_silent_beside_an_old_state(sim: Simulator) -> None:
    left(sim, V7, is_active=False)
    assert sim.prompt("good morning").is_silent
    assert sim.write("src/new.py").is_silent
