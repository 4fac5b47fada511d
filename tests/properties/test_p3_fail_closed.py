"""P3: whatever is damaged, an active run denies its mutations, with a rule and a remedy and never another exception."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulator import Simulator, small_plugin

from harness_guard import dispatch
from harness_guard.errors import HarnessError

if TYPE_CHECKING:
    from pathlib import Path


class Run:
    """One approved run, put back to what it was before each example."""

    def __init__(self, folder: Path, host: str) -> None:
        self.plugin = str(small_plugin(folder / "plugin"))
        self.sim = Simulator(folder, host)
        self.sim.approve()
        self.kept = folder / "kept"
        shutil.copytree(self.sim.data, self.kept)

    def restore(self) -> None:
        shutil.rmtree(self.sim.data)
        shutil.copytree(self.kept, self.sim.data)

    def answer(self, raw: bytes) -> Any:
        """Give the answer; ``None`` where the front door has to answer (always a deny for tools)."""
        try:
            return dispatch.answer(raw, self.sim.environ, self.plugin, None)
        except HarnessError as error:
            unexplained = not (error.rule and error.seen and error.remedy)
        if unexplained:
            pytest.fail("an error without its three parts")
        return None


@pytest.fixture(scope="module", params=["claude", "codex"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("p3")
    (folder / "plugin").mkdir()
    return Run(folder, request.param)


def write_payload(sim: Simulator, **changes: Any) -> bytes:
    tool: dict[str, Any] = {"tool_name": "Write", "tool_input": {"file_path": f"{sim.root}/src/new.py", "content": "x"}}
    if sim.host == "codex":
        patch = "*** Begin Patch\n*** Add File: src/new.py\n+x\n*** End Patch\n"
        tool = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "model": "gpt-5.5"}
    return sim.payload("PreToolUse", **{**tool, "tool_use_id": "u1", "transcript_path": str(sim.transcript), **changes})


def is_denied(found: Any) -> bool:
    return found is None or (found.status == 2 and '"deny"' in found.stdout and bool(found.stderr))


def test_the_undamaged_run_lets_it_pass(run: Run) -> None:
    run.restore()
    assert run.answer(write_payload(run.sim)) == dispatch.SILENCE


@pytest.mark.contract("C1.3")
@given(data=st.data())
def test_a_damaged_state_denies(run: Run, data: st.DataObject) -> None:
    run.restore()
    path = run.sim.store.state_file
    with open(path, "rb") as handle:
        stored = handle.read()
    kind = data.draw(st.sampled_from(["flip", "cut", "insert", "delete", "replace", "remove", "folder", "swap"]))
    at = data.draw(st.integers(0, len(stored) - 1))
    damaged = {
        "flip": stored[:at] + bytes([stored[at] ^ (1 << data.draw(st.integers(0, 7)))]) + stored[at + 1 :],
        "cut": stored[:at],
        "insert": stored[:at] + data.draw(st.binary(min_size=1, max_size=4)) + stored[at:],
        "delete": stored[:at] + stored[at + 1 :],
        "replace": data.draw(st.binary(max_size=60)),
        "swap": stored.replace(b'"authority_status":"active"', b'"authority_status":"revoked"'),
    }.get(kind, b"")
    os.unlink(path)
    if kind == "folder":
        os.mkdir(path)
    elif kind != "remove":
        with open(path, "wb") as handle:
            handle.write(damaged)
    assert is_denied(run.answer(write_payload(run.sim)))


@pytest.mark.contract("C1.3")
@given(data=st.data())
def test_a_damaged_key_denies(run: Run, data: st.DataObject) -> None:
    run.restore()
    path = run.sim.data / "key"
    key = path.read_bytes()
    at = data.draw(st.integers(0, len(key) - 1))
    kind = data.draw(st.sampled_from(["flip", "cut", "longer", "open", "remove"]))
    if kind == "remove":
        path.unlink()
    elif kind == "open":
        path.chmod(0o600 | data.draw(st.integers(1, 0o77)))
    else:
        path.write_bytes(
            {"flip": key[:at] + bytes([key[at] ^ 1]) + key[at + 1 :], "cut": key[:at], "longer": key + b"x"}[kind]
        )
    assert is_denied(run.answer(write_payload(run.sim)))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = (
    "session_id",
    "cwd",
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "agent_id",
    "transcript_path",
    "prompt_id",
    "turn_id",
)


@given(st.sampled_from(NAMES), json_values | st.just("remove"), st.booleans())
def test_an_odd_field_never_widens_what_passes(run: Run, name: str, value: object, inside: bool) -> None:
    """A payload is decoded whole or refused; what passes is at most what the sound payload may do."""
    run.restore()
    payload = json.loads(write_payload(run.sim))
    if not inside:  # the sound payload would be refused
        target = {"file_path": f"{run.sim.root}/README.md", "content": "x"}
        patch = {"command": "*** Begin Patch\n*** Delete File: README.md\n*** End Patch\n"}
        payload["tool_input"] = target if run.sim.host == "claude" else patch
    if value == "remove":
        payload.pop(name, None)
    else:
        payload[name] = value
    found = run.answer(json.dumps(payload).encode())
    is_other = name in ("session_id", "hook_event_name", "tool_name", "tool_input")
    assert inside or is_denied(found) or is_other
    if name == "tool_input" and not isinstance(value, dict):
        assert is_denied(found)


@pytest.mark.contract("C1.3", "C7.1")
@given(st.binary(max_size=80))
def test_bytes_that_are_no_payload_are_refused(run: Run, raw: bytes) -> None:
    assert run.answer(raw) is None


@given(st.integers(0, 400))
def test_a_payload_that_was_cut_is_refused(run: Run, length: int) -> None:
    raw = write_payload(run.sim)
    if length < len(raw):
        assert run.answer(raw[:length]) is None


@pytest.mark.contract("C9.1")
@settings(max_examples=max(20, settings.default.max_examples // 4))
@given(data=st.data())
def test_damage_beside_the_state_grants_nothing_outside(run: Run, data: st.DataObject) -> None:
    """Whatever lies around the state may be missing or odd: a write outside stays refused."""
    run.restore()
    folder = run.sim.store.folder
    names = sorted(
        os.path.join(top, name) for top, _, found in os.walk(folder) for name in found if name != "state.json"
    )
    for path in data.draw(st.lists(st.sampled_from(names), max_size=4, unique=True)):
        if data.draw(st.booleans()):
            os.unlink(path)
        else:
            with open(path, "wb") as handle:
                handle.write(data.draw(st.binary(max_size=20)))
    target = {"file_path": f"{run.sim.root}/README.md", "content": "x"}
    patch = {"command": "*** Begin Patch\n*** Delete File: README.md\n*** End Patch\n"}
    found = run.answer(write_payload(run.sim, tool_input=target if run.sim.host == "claude" else patch))
    assert is_denied(found)
