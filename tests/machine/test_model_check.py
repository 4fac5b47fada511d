"""A model check of the lifecycle: every event in every reachable state, through the kernel's own door, against P1, P2, P6."""

from __future__ import annotations

import os
from typing import Any

import pytest
from fake_world import PAUSED, STATE_NAMES
from machine.model import abstract, moves, settle, start, take
from machine.search import Found, remember, search

from harness_guard.kernel import transitions
from harness_guard.kernel.transitions import GUARDS, TRANSITIONS, Row
from harness_guard.records import replace

# How many matters beside the lifecycle may be away from rest at once; more is a question of hours.
SIDES = int(os.environ.get("HARNESS_GUARD_MODEL_SIDES", "1"))


def told(found: Found) -> str:
    """The first violations, each with the way there."""
    return "\n".join(f"{problem}: {' > '.join(way)}" for problem, way in found.problems)


@pytest.mark.contract("C1.1", "C1.2", "C1.6", "C5.6", "L6.1")
def test_the_promises_hold_in_every_reachable_state(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    found = search(monkeypatch, most_sides=SIDES)
    with capsys.disabled():
        names = ", ".join(f"{name} {count}" for name, count in sorted(found.states.items()))
        print(f"\nmodel check: {found.visited} states, {found.transitions} transitions ({names})")
    assert not found.problems, told(found)
    assert set(found.states) == set(STATE_NAMES)
    assert {row for _, row in found.rows} == set(TRANSITIONS)
    assert {row.guard for _, row in found.rows} == set(GUARDS)


def instead(states: tuple[str, ...], on: str, **changes: Any) -> tuple[Row, ...]:
    """Put a changed row in front of the one for these states and this happening."""
    right = next(row for row in TRANSITIONS if row.on == on and (states[0] in row.states or not row.states))
    return (replace(right, states=states, guard="", **changes), *TRANSITIONS)


ASKS = "review asks for repair inside the plan"


@pytest.mark.parametrize(
    ("table", "promise"),
    [
        (instead(("executing",), "provenance failed", to="executing", authority="active", effects=()), "P1"),
        (instead(("executing",), "cancelled", to="executing", authority="active"), "cancel"),
        (instead(("paused_boundary",), "cancelled", to="executing", authority="active"), "P1"),
        (instead(("verifying",), "review blocked", to="executing", authority="active"), "P1"),
        (instead(("verifying",), "review blocked", to="verifying", authority="active"), "P1"),
        (instead(("executing",), "hard danger", to="executing", authority="active", effects=()), "L4.1"),
        (instead(("executing",), "boundary exceeded", to="executing", authority="active", effects=()), "L4.1"),
        (
            instead(("verifying",), ASKS, to="auto_repairing", authority="active", effects=("begin round",)),
            "P1",
        ),
        (
            instead(
                ("verifying",),
                "review asks for a material change",
                to="auto_repairing",
                authority="active",
                effects=("derive child", "begin round"),
            ),
            "P1",
        ),
        (
            instead(
                ("verifying",), ASKS, to="auto_repairing", authority="active", effects=("derive child", "begin round")
            ),
            "fault",
        ),
        (instead(("planning",), "plan approved", effects=("drop gate",)), "P2"),
        (instead(tuple(PAUSED), "resume approved", effects=("accept amendment", "drop gate")), "P2"),
        (instead(tuple(PAUSED), "resume approved", effects=("go on", "derive child")), "C5.2"),
        (
            instead(("executing",), "amendment approved", effects=("accept amendment", "derive child", "drop gate")),
            "P2",
        ),
        (instead(("executing",), "review claimed, verification green", to="reviewing"), "P6"),
        (
            instead(("executing",), "review claimed, verification red", to="verifying", authority="revoked"),
            "P6",
        ),
        (instead(("verifying",), "review passed", to="completed"), "P6"),
        (instead(("verifying",), "review blocked", to="reviewing", effects=()), "P6"),
        (
            instead(
                ("auto_repairing",),
                "record taken, verification red",
                to="verifying",
                authority="revoked",
                effects=("next review",),
            ),
            "P6",
        ),
        (
            instead(
                ("auto_repairing",),
                "record taken, verification green",
                to="verifying",
                authority="revoked",
                effects=("next review",),
            ),
            "L2.5, L3.5",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value[0].on} to {value[0].to}",
)
def test_a_seeded_bad_row_is_found(table: tuple[Row, ...], promise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transitions, "TRANSITIONS", table)
    most = 1 if "amendment approved" in table[0].on else 0
    assert search(monkeypatch, most_sides=most, only=promise).problems


SAMPLE, EVERY = 700, 60  # states that are visited; of those that were reached a second way, one in so many is compared


def test_two_nodes_that_count_as_one_behave_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What :func:`abstract` leaves out decides nothing: two ways to one state lead on to the same states."""
    remember(monkeypatch)
    first = settle(start())
    reached, queue, twins = {abstract(first): first}, [first], []
    while queue and len(reached) < SAMPLE:
        node = queue.pop(0)
        for move in moves(node):
            after = settle(take(node, move)[0])
            known = reached.setdefault(abstract(after), after)
            if known is after:
                queue.append(after)
            elif known != after:
                twins.append((known, after))
    compared = twins[::EVERY]
    assert compared
    for one, other in compared:
        # A move that only one of the two offers must lead nowhere.
        ways = [{move.label: abstract(take(node, move)[0]) for move in moves(node)} for node in (one, other)]
        names = {**ways[0], **ways[1]}
        here = abstract(one)
        differing = [name for name in names if ways[0].get(name, here) != ways[1].get(name, here)]
        assert not differing, (here, differing)
