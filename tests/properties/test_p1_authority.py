"""P1: authority is active only after a ``y`` that answered the gate on screen, a second after it, by a fresh prompt."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import (
    DIFF,
    GATE,
    TREE,
    FakeWorld,
    call,
    completion,
    event,
    filled_resume,
    finding,
    in_state,
    prompt,
    review,
    stop,
)
from hypothesis import given
from hypothesis import strategies as st
from simulator import PLAN

from harness_guard.kernel.run_questions import Snapshot, Verification
from harness_guard.kernel.spawn import REVIEWER_TYPE, next_spawn
from harness_guard.kernel.state import RunState
from harness_guard.store.schema import check_state

GREEN = Verification("green", DIFF, "sha256:" + "f" * 64, "sha256:" + "f" * 64)
RED = Verification("red", DIFF, "sha256:" + "f" * 64, "sha256:" + "f" * 64)

texts = st.sampled_from(
    ["y", "y\n", "y\r\n", "Y", "yes", "y ", "n", "", "Go on.", "$harness x", "$harness cancel", "$harness status"]
)
messages = st.sampled_from(
    [
        PLAN,
        PLAN.replace("Keep digits.", "Keep all."),
        PLAN.replace("[y/N]", "[Y/n]"),
        review(),
        review("BLOCKED"),
        review("REPAIR_REQUIRED", (finding(),)),
        completion(),
        "RESUME",
        "Done.",
        "",
    ]
)
calls = st.sampled_from(
    [
        ("Write", {"file_path": "/repo/src/a"}),
        ("Write", {"file_path": "/repo/README.md"}),
        ("Write", {"file_path": "/data/state.json"}),
        ("Edit", {}),
        ("Frobnicate", {}),
        ("mcp__files__put", {}),
        ("CronCreate", {"prompt": "y"}),
        ("SendMessage", {"message": "hello"}),
        ("Agent", {"prompt": "Read.", "subagent_type": "Explore"}),
        ("Agent", {"prompt": "SPAWN", "subagent_type": "harness:clean-context-reviewer"}),
    ]
)  # fmt: skip
agents = st.sampled_from([None, None, None, "a-1", "a-2"])
sources = st.sampled_from([None, None, "user", "system", "loop_wakeup"])
answers = st.fixed_dictionaries(
    {},
    optional={
        "TurnSeen": st.booleans(),
        "QueuedBefore": st.booleans(),
        "AuthorOf": st.sampled_from(["human", "forged", "missing", "unreadable", "unknown"]),
        "EngineRuns": st.booleans(),
        "Verified": st.sampled_from([GREEN, RED, Verification("moved"), Verification("unavailable"), Verification("busy")]),
        "TreeNow": st.sampled_from([Snapshot(DIFF, (), TREE), Snapshot("sha256:" + "e" * 64, (), TREE), Snapshot(DIFF, ("README.md",), TREE)]),
        "PendingAttestation": st.sampled_from([None, review(), review("BLOCKED")]),
    },
)  # fmt: skip
steps = st.tuples(
    st.sampled_from(["prompt", "prompt", "stop", "stop", "call", "start", "end", "config"]),
    texts,
    messages,
    calls,
    agents,
    sources,
    answers,
    st.integers(0, 3000),
)


def happening(step: Any, state: RunState | None) -> Any:
    """Make the event of one step."""
    kind, text, message, (name, arguments), agent, source = step[:6]
    if kind == "prompt":
        return prompt(text, agent_id=agent, source=source)
    if kind == "stop":
        if message == "RESUME" and state is not None and state.is_paused:
            message = filled_resume(state)
        return stop(message, agent_id=agent)
    if kind == "call":
        if arguments.get("prompt") == "SPAWN" and state is not None:
            arguments = next_spawn(state).for_host("claude")
        return call(name, arguments, agent_id=agent)
    if kind == "config":
        return event("ConfigChange")
    name = "SubagentStart" if kind == "start" else "SubagentStop"
    return event(name, agent_id=agent or "a-1", agent_type=REVIEWER_TYPE, message=message)


@pytest.mark.contract("C1.1")
@given(
    st.sampled_from(
        [None, "planning", "gate", "executing", "verifying", "reviewing", "paused_danger", "paused_budget", "cancelled"]
    ),
    st.lists(steps, max_size=25),
)
def test_only_an_answer_grants_authority(first: str | None, sequence: list[Any]) -> None:
    state: RunState | None = None
    if first == "gate":
        state = in_state("planning", pending_gate=GATE)
    elif first is not None:
        state = in_state(first)
    now = 2_000_000
    for step in sequence:
        kind, text, _, _, agent, source, replies, passed = step
        now += passed
        before = state
        happened = happening(step, before)
        found = FakeWorld(**{**replies, "Now": now}).decide(happened, before)
        if found.state is None:
            continue
        state = found.state
        check_state_of(state)
        granted = state.has_authority and not (before is not None and before.has_authority)
        if granted:
            gate = before.pending_gate if before is not None else None
            assert gate is not None
            assert kind == "prompt"
            assert text in ("y", "y\n", "y\r\n")
            assert agent is None
            assert source in (None, "user")
            assert not replies.get("TurnSeen")
            assert not replies.get("QueuedBefore")
            assert now - gate.opened_at_ms >= 1000
            assert before is not None
            assert gate.revision == before.revision
            assert state.active_policy == gate.policy
            assert state.pending_gate is None
        if state.has_authority and before is not None and before.has_authority and before.run_id == state.run_id:
            assert state.active_policy == before.active_policy


def check_state_of(state: RunState) -> None:
    """What the store would refuse must never come out of the kernel."""
    from harness_guard.canonical import canonical
    from harness_guard.kernel.state import state_to_json

    check_state(canonical(state_to_json(state)).encode())
