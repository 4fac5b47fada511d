"""The machine: one table of rows (states, happening, guard, next state, authority, effects), and its lookup.

Every change of a run's state goes through :func:`step`, but for the three that L6.3 names: a new run, a cancelled one
in place of an unreadable one, the revoked authority of an asked cancel. A pair without a row means no.
The tables in contracts/ are rendered from these rows, and a test walks every one of them (contract section 6, promises
P1, P2, P6).
"""

from __future__ import annotations

from harness_guard.kernel.effects import EFFECTS
from harness_guard.kernel.state import AT_WORK, STATE_NAMES, Reviewer, StopCount, advance
from harness_guard.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final, Literal

    from harness_guard.kernel.state import Authority, RunState, StateName

    Happening = Literal[
        "plan approved",
        "amendment approved",
        "resume approved",
        "provenance failed",
        "review claimed, verification green",
        "review claimed, verification red",
        "record taken, verification green",
        "record taken, verification red",
        "verification unavailable",
        "review passed",
        "review asks for repair inside the plan",
        "review asks for a material change",
        "review blocked",
        "boundary exceeded",
        "writer's target unknown",
        "hard danger",
        "third opaque call",
        "tree changed outside the boundary",
        "completion accepted",
        "cancelled",
    ]
    GuardName = Literal["", "same finding to the limit", "no progress to the limit", "budget spent"]


@dataclass(frozen=True, slots=True)
class Row:
    """One transition.

    Attributes:
        states: States it leaves; empty means every state that is not terminal.
        on: What happens.
        to: The next state; ``"="`` keeps state, authority and revision, ``"paused_from"`` is where the run paused.
        authority: Authority afterwards; ``"by state"``: active exactly where work is done.
        effects: Names of what else changes, in ``kernel.effects.EFFECTS``.
        guard: Name of what must hold, in :data:`GUARDS`; ``""`` always holds. The first row that holds is taken.
    """

    states: tuple[StateName, ...]
    on: Happening
    to: StateName | Literal["=", "paused_from"]
    authority: Authority | Literal["by state"]
    effects: tuple[str, ...] = ()
    guard: GuardName = ""


def _same_finding_to_the_limit(state: RunState) -> bool:
    policy = state.active_policy
    return policy is not None and state.repair.repeated >= policy.repeated_finding_limit


def _no_progress_to_the_limit(state: RunState) -> bool:
    policy = state.active_policy
    return policy is not None and state.repair.no_progress >= policy.no_progress_limit


def _budget_spent(state: RunState) -> bool:
    return state.repair.round >= state.repair.max_rounds


GUARDS: Final[Mapping[GuardName, Callable[[RunState], bool]]] = {
    "": lambda _state: True,
    "same finding to the limit": _same_finding_to_the_limit,
    "no progress to the limit": _no_progress_to_the_limit,
    "budget spent": _budget_spent,
}

_PAUSED: Final[tuple[StateName, ...]] = tuple(name for name in STATE_NAMES if name.startswith("paused_"))
_REVOKED: Final[tuple[StateName, ...]] = ("verifying", "reviewing")
_UNDER_WAY: Final[tuple[StateName, ...]] = (*AT_WORK, *_REVOKED)

TRANSITIONS: Final = (
    Row(("planning",), "plan approved", "executing", "active", ("accept plan", "drop gate")),
    Row((*_UNDER_WAY, *_PAUSED), "amendment approved", "executing", "active", ("accept amendment", "drop gate")),
    Row(_PAUSED, "resume approved", "paused_from", "by state", ("derive child", "go on", "drop gate")),
    Row(
        ("planning", *_UNDER_WAY, *_PAUSED), "provenance failed", "planning", "revoked", ("discard policy", "drop gate")
    ),
    Row(("executing", *_REVOKED), "review claimed, verification green", "verifying", "revoked"),
    Row(("executing",), "review claimed, verification red", "=", "active"),
    Row(
        _REVOKED,
        "review claimed, verification red",
        "paused_budget",
        "revoked",
        ("pause before round",),
        "budget spent",
    ),
    Row(_REVOKED, "review claimed, verification red", "auto_repairing", "active", ("derive child", "begin round")),
    Row(
        ("auto_repairing",),
        "record taken, verification green",
        "paused_no_progress",
        "revoked",
        ("pause",),
        "no progress to the limit",
    ),
    Row(("auto_repairing",), "record taken, verification green", "verifying", "revoked", ("next review",)),
    Row(
        ("auto_repairing",),
        "record taken, verification red",
        "paused_no_progress",
        "revoked",
        ("pause",),
        "no progress to the limit",
    ),
    Row(("auto_repairing",), "record taken, verification red", "=", "active"),
    Row(_UNDER_WAY, "verification unavailable", "paused_blocked", "revoked", ("pause",)),
    Row(("verifying",), "review passed", "reviewing", "revoked"),
    Row(
        ("verifying",),
        "review asks for repair inside the plan",
        "paused_no_progress",
        "revoked",
        ("pause before round",),
        "same finding to the limit",
    ),
    Row(
        ("verifying",),
        "review asks for repair inside the plan",
        "paused_budget",
        "revoked",
        ("pause before round",),
        "budget spent",
    ),
    Row(
        ("verifying",),
        "review asks for repair inside the plan",
        "auto_repairing",
        "active",
        ("derive child", "begin round"),
    ),
    Row(("verifying",), "review asks for a material change", "paused_material", "revoked", ("pause before round",)),
    Row(("verifying",), "review blocked", "paused_blocked", "revoked", ("pause before round",)),
    Row(AT_WORK, "boundary exceeded", "paused_boundary", "revoked", ("pause",)),
    Row(AT_WORK, "writer's target unknown", "paused_unmodeled", "revoked", ("pause",)),
    Row(AT_WORK, "hard danger", "paused_danger", "revoked", ("pause",)),
    Row(AT_WORK, "third opaque call", "paused_unmodeled", "revoked", ("pause",)),
    Row(_UNDER_WAY, "tree changed outside the boundary", "paused_boundary", "revoked", ("pause",)),
    Row(("reviewing",), "completion accepted", "completed", "revoked", ("drop gate",)),
    Row((), "cancelled", "cancelled", "revoked", ("drop gate",)),
)


def find_row(state: RunState, on: Happening) -> Row | None:
    """Look up the row for a state and a happening; ``None`` means that nothing may change."""
    for row in TRANSITIONS:
        leaves = state.state in row.states or (not row.states and not state.is_terminal)
        if row.on == on and leaves and GUARDS[row.guard](state):
            return row
    return None


def step(state: RunState, on: Happening, *, reason: str | None = None) -> RunState:
    """Take one transition.

    Args:
        state: Where the run stands.
        on: What happened.
        reason: Why it pauses, for ``pause_reason``.

    Returns:
        The next state, one revision on; the count of refused stops starts anew.

    Raises:
        RuntimeError: If the table has no such row: a fault of ours, never an answer to input.
    """
    row = find_row(state, on)
    if row is None:
        raise RuntimeError(f"no transition from {state.state} on {on}")
    target = state.paused_from if row.to == "paused_from" else row.to
    if target is None:
        raise RuntimeError("a paused run does not know where it paused")
    moved = state
    for name in row.effects:
        moved = EFFECTS[name](moved)
    if target == "=":
        return replace(moved, stop=StopCount())
    authority: Authority = row.authority if row.authority != "by state" else _authority_in(target)
    if state.state == "verifying" and target != "verifying":
        # The Reviewer of a round that is over attests nothing any more, and no later child may be taken for it.
        moved = replace(moved, reviewer=Reviewer(spawns=moved.reviewer.spawns))
    pause = reason if target.startswith("paused_") else None
    return advance(
        moved, state=target, authority_status=authority, stop=StopCount(), pause_reason=pause, opaque_denies=0
    )


def _authority_in(state: StateName) -> Authority:
    return "active" if state in AT_WORK else "revoked"
