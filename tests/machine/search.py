"""Breadth first through all nodes of the model, until no new abstract state appears."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from machine.model import Move, Node, abstract, moves, settle, sides, start, take
from machine.promises import broken

from harness_guard.artifacts import activation, registry
from harness_guard.canonical import canonical
from harness_guard.errors import HarnessError
from harness_guard.kernel import effects, transitions
from harness_guard.kernel.state import state_to_json
from harness_guard.policy.digest import policy_id
from harness_guard.shell import analysis
from harness_guard.store.schema import check_state

if TYPE_CHECKING:
    import pytest

    from harness_guard.kernel.state import RunState


@dataclass
class Found:
    """What a search has visited, and the first thing that it found wrong, with the way there."""

    states: Counter[str] = field(default_factory=Counter)
    transitions: int = 0
    outside: int = 0
    only: str = ""
    rows: set[tuple[str, transitions.Row]] = field(default_factory=set)
    problems: list[tuple[str, list[str]]] = field(default_factory=list)

    @property
    def visited(self) -> int:
        return sum(self.states.values())


def remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read each text once: parsing, hashing and shell analysis are functions of what they are given."""
    monkeypatch.setattr(registry, "recognise", cache(registry.recognise))
    monkeypatch.setattr(activation, "read_prompt", cache(activation.read_prompt))
    monkeypatch.setattr(activation, "would_act", cache(activation.would_act))
    monkeypatch.setattr(effects, "policy_id", cache(policy_id))
    analyse = analysis.analyse
    known: dict[str, Any] = {}

    def once(text: str, surroundings: Any, facts: Any) -> Any:
        if text not in known:
            known[text] = analyse(text, surroundings, facts)
        return known[text]

    monkeypatch.setattr(analysis, "analyse", once)


def note_rows(monkeypatch: pytest.MonkeyPatch, found: Found) -> None:
    """Note each row that a step takes."""
    find = transitions.find_row

    def noting(state: RunState, on: Any) -> Any:
        row = find(state, on)
        if row is not None:
            found.rows.add((state.state, row))
        return row

    monkeypatch.setattr(transitions, "find_row", noting)


def search(monkeypatch: pytest.MonkeyPatch, *, most_sides: int, stop_at: int = 1, only: str = "") -> Found:
    """Visit every abstract state within a number of side matters.

    Args:
        monkeypatch: For the memory of pure functions and the record of rows.
        most_sides: How many side matters may be away from rest at once in a state whose moves are followed; a move
            that leads further is checked and counted, and not followed.
        stop_at: Number of violations after which the search ends.
        only: How the violations begin that are looked for.
    """
    found = Found(only=only)
    remember(monkeypatch)
    note_rows(monkeypatch, found)
    first = start()
    origins: dict[Any, tuple[Any, str]] = {abstract(first): (None, "activation")}
    queue = deque([settle(first)])
    _check_whole(first, found, origins)
    while queue and len(found.problems) < stop_at:
        node = queue.popleft()
        here = abstract(node)
        for move in moves(node):
            found.transitions += 1
            after = _step(node, move, found, origins)
            if after is None or after is node:
                continue
            there = abstract(after)
            if there in origins:
                continue
            if sides(after) > most_sides:
                found.outside += 1
                continue
            origins[there] = (here, move.label)
            _check_whole(after, found, origins)
            queue.append(settle(after))
    return found


def _step(node: Node, move: Move, found: Found, origins: dict[Any, tuple[Any, str]]) -> Node | None:
    try:
        after, outcome = take(node, move)
        problems = list(broken(node, move, outcome, after))
    except RuntimeError as error:
        after, problems = None, [f"fault: {error}"]
    for problem in problems:
        if problem.startswith(found.only):
            found.problems.append((problem, [*_way(abstract(node), origins), move.label]))
    return after


def _check_whole(node: Node, found: Found, origins: dict[Any, tuple[Any, str]]) -> None:
    """Let the store's schema judge a state, as it would before the state is sealed."""
    found.states[node.state.state] += 1
    try:
        check_state(canonical(state_to_json(node.state)).encode())
    except HarnessError as error:
        if not found.only:
            found.problems.append((f"schema: {error.seen}", _way(abstract(node), origins)))


def _way(key: Any, origins: dict[Any, tuple[Any, str]]) -> list[str]:
    labels: list[str] = []
    while key is not None:
        key, label = origins[key]
        labels.append(label)
    return labels[::-1]
