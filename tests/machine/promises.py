"""The promises P1, P2 and P6 and what belongs to them, held against one transition as a bystander sees it."""

# ruff: noqa: C901, SIM102
# A promise is one list of sentences, each an ``if`` with its own words; split up, it could not be read as one.

from __future__ import annotations

from typing import TYPE_CHECKING

from machine.model import AMENDED, JUDGED, MOST_LEFT, PLANNED, UNDER_WAY, Move, Node, hashed

from harness_guard.policy.digest import policy_id
from harness_guard.policy.order import is_subset
from harness_guard.records import replace as changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness_guard.kernel.outcome import Outcome
    from harness_guard.kernel.state import RunState
    from harness_guard.policy.model import Policy

AT_WORK = ("executing", "auto_repairing")
# What a call at work pauses as, wherever the run has authority (L4.1).
PAUSES = {"write outside": "paused_boundary", "unknown target": "paused_unmodeled", "danger": "paused_danger"}
NEVER = ("write outside", "unknown target", "danger", "opaque")  # calls that pass in no state of a run

_known: dict[tuple[int, int, str | None], tuple[Policy, Policy, bool, bool]] = {}


def _fits(active: Policy, accepted: Policy, identifier: str | None) -> tuple[bool, bool]:
    """Whether a policy is within another, and has this id; worked out once for each pair of values."""
    key = id(active), id(accepted), identifier
    if key not in _known:  # the values are kept with the answer, so their ids stay theirs
        _known[key] = (active, accepted, is_subset(active, accepted), policy_id(active) == identifier)
    return _known[key][2:]


def broken(before: Node, move: Move, outcome: Outcome | None, after: Node) -> Iterator[str]:
    """Say which promises a transition breaks."""
    if outcome is not None:
        yield from _tools(before, move, outcome, after.state)
    if after.state is before.state:
        return
    yield from _state(after)
    if outcome is None:
        return
    yield from _authority(before, move, outcome, after)
    yield from _policies(before, move, after.state)
    yield from _gates(before, move, after.state)
    yield from _closing(before, move, outcome, after.state)
    yield from _review(before, move, after)
    yield from _rounds(before, move, after.state)
    yield from _ways(before, move, after.state)


def _is_answered(before: Node, move: Move, *kinds: str) -> bool:
    """Whether a human's exact, fresh and timely y answers an open gate that still fits."""
    gate = before.state.pending_gate
    return (
        "answer" in move.what
        and gate is not None
        and gate.kind in kinds
        and gate.revision == before.state.revision
        and not before.state.cancel_asked
        and (gate.kind != "Repair Resume" or gate.diff_revision == before.diff)
    )


_KINDS = ("Plan", "Plan Amendment", "Repair Resume")


def _same(one: object, other: object) -> bool:
    return one is other or one == other


def _child(parent: Policy | None, parent_id: str | None) -> Policy | None:
    return None if parent is None else changed(parent, parent=parent_id)


def _state(node: Node) -> Iterator[str]:
    """What holds of every state by itself."""
    state, repair = node.state, node.state.repair
    if state.authority_status == "active" and (state.state not in AT_WORK or state.cancel_asked):
        yield f"P1: authority is active in {state.state}, cancel asked: {state.cancel_asked}"
    if repair.round > repair.max_rounds:
        yield f"budget: round {repair.round} of {repair.max_rounds}"
    if state.is_paused and not (state.pause_reason and state.paused_from in UNDER_WAY):
        yield f"pause: without reason or origin: {state.pause_reason}, {state.paused_from}"
    if state.is_paused and state.approval is not None and not state.approval.is_verified:
        yield "P1: an approval that was never checked was carried into a pause, where a Resume would renew it"
    if not state.is_paused and not state.is_terminal and state.paused_from is not None:
        yield f"pause: {state.state} says it paused in {state.paused_from}"
    active, accepted = state.active_policy, state.accepted_policy
    if (active is None) != (accepted is None) or (active is None and state.state in (*UNDER_WAY, "completed")):
        yield "P2: a policy is missing"
    if active is not None and accepted is not None:
        is_within, is_own = _fits(active, accepted, state.active_policy_id)
        if not is_within:
            yield "P2: the active policy is more than the accepted one"
        if not is_own or state.lineage[-1:] != (state.active_policy_id,):
            yield "P2: the active policy's id or lineage is not its own"
    if state.pending_gate is not None and (state.cancel_asked or state.is_terminal):
        yield f"P1: a gate is open in {state.state}, cancel asked: {state.cancel_asked}"
    if state.state in ("reviewing", "completed") and (node.seen.passed is None or node.seen.green != node.seen.passed):
        yield f"P6: {state.state} without an attested PASS by a Reviewer that read the diff, at green evidence"


def _authority(before: Node, move: Move, outcome: Outcome, after: Node) -> Iterator[str]:
    """P1: what makes revoked authority active, and that an approval whose author is no human gives none."""
    old, new = before.state, after.state
    was_active = old.authority_status == "active" and old.run_id == new.run_id
    if new.authority_status == "active" and not was_active:
        is_round = old.state in JUDGED and new.state == "auto_repairing" and _is_round(before, move, new)
        if not (_is_answered(before, move, *_KINDS) or is_round):
            yield "P1: authority became active without an answer or a round"
    if (
        new.authority_status == "active"
        and old.state != new.state
        and old.state in AT_WORK
        and not _is_answered(before, move, *_KINDS)
    ):
        yield f"P1: authority went along from {old.state} to {new.state}"
    unproved = old.approval is not None and not old.approval.is_verified
    if (
        unproved
        and new.approval is not None
        and new.approval.is_verified
        and move.answers.get("AuthorOf", "human") != "human"
    ):
        yield "P1: an approval was proved by something else than its author"
    if not _same(new.approval, old.approval) and new.approval is not None and not _is_answered(before, move, *_KINDS):
        proved = old.approval is not None and changed(old.approval, is_verified=True) == new.approval
        if not proved:
            yield "P1: an approval appeared without an answer"
    if unproved and "forged" in move.what and "AuthorOf" in move.answers and new.approval is not None:
        if new.state != old.state or (outcome.decision.verdict == "pass" and "mutates" in move.what):
            yield "P1: something rests on a forged approval"
    uses = unproved and old.has_authority and old.state in AT_WORK and move.what & {"write inside", "exact command"}
    if uses and "forged" in move.what and (new.approval is not None or new.authority_status == "active"):
        yield "P1: a forged approval stands after its author was seen"
    opened = new.pending_gate is not None and not _same(new.pending_gate, old.pending_gate)
    rests = new.state != old.state or opened or (outcome.decision.verdict == "pass" and old.has_authority)
    if unproved and "missing" in move.what and (rests if "tool" in move.what else new.state != old.state or opened):
        yield "P1: something rests on an approval that nothing shows yet"


def _is_round(before: Node, move: Move, new: RunState) -> bool:
    """Whether a repair round may begin here: a child policy, budget, and a reason that was seen."""
    old, seen = before.state, before.seen
    is_child = new.active_policy == _child(old.active_policy, old.active_policy_id)
    is_next = new.repair.round == old.repair.round + 1 <= old.repair.max_rounds == new.repair.max_rounds
    is_red = "engine red" in move.what and "right spawn" in move.what
    is_asked = (
        "relayed" in move.what
        and old.state == "verifying"
        and seen.attested is not None
        and seen.attested == (move.text, "REPAIR_REQUIRED")
        and "MATERIAL_AMENDMENT" not in move.text
        and '"path": "LICENSE"' not in move.text
        and new.repair.repeated < PLANNED.repeated_finding_limit
    )
    return is_child and is_next and (is_red or is_asked)


def _policies(before: Node, move: Move, new: RunState) -> Iterator[str]:
    """P2: what puts another policy in force, and that it is the one that was shown or a child."""
    old = before.state
    if new.run_id != old.run_id or new.active_policy is None:
        return
    gate = old.pending_gate
    shown = gate.policy if gate is not None else None
    if not _same(new.accepted_policy, old.accepted_policy) and not (
        _is_answered(before, move, "Plan", "Plan Amendment") and new.accepted_policy == shown
    ):
        yield "P2: the accepted policy changed without a Plan or Amendment that a human approved"
    if _same(new.active_policy, old.active_policy):
        return
    is_asked = _is_answered(before, move, "Plan", "Plan Amendment") and new.active_policy == shown
    is_child = new.active_policy == _child(old.active_policy, old.active_policy_id)
    if not (is_asked or is_child):
        yield "P2: a policy is in force that no gate showed and that is no child"
    if new.lineage[:-1] != old.lineage:
        yield "P2: the lineage lost a policy"


def _gates(before: Node, move: Move, new: RunState) -> Iterator[str]:
    """A gate shows what its artifact says, and the next prompt or Stop closes it."""
    old, gate = before.state, new.pending_gate
    if gate is not None and not _same(gate, old.pending_gate):
        wanted = dict(_asked(move))
        if (
            "asks" not in move.what
            or gate.artifact_hash != hashed(move.text)
            or wanted.get(gate.artifact_hash) != gate.kind
        ):
            yield f"P1: a gate of a {gate.kind} opened on something else"
        shows = move.shows
        if gate.kind == "Plan Amendment":
            shows = _child(AMENDED, old.active_policy_id)
        if gate.kind == "Repair Resume":
            shows = _child(old.active_policy, old.active_policy_id)
        if gate.policy != shows:
            yield f"P2: the gate of a {gate.kind} holds another policy than it shows"


def _closing(before: Node, move: Move, outcome: Outcome, new: RunState) -> Iterator[str]:
    """The next prompt or Stop closes a gate, unless it is the same artifact once more."""
    gate = new.pending_gate
    if gate is None or not _same(gate, before.state.pending_gate):
        return
    if "fresh" in move.what:
        yield "C5.2: a prompt left the gate open"
    is_again = gate.artifact_hash == hashed(move.text) and outcome.decision.verdict == "pass"
    if "stop" in move.what and not is_again:
        yield "C5.6: a Stop left the gate of another message open"


def _asked(move: Move) -> Iterator[tuple[str, str]]:
    for kind in _KINDS:
        if move.text.startswith(f"# {kind}\n"):
            yield hashed(move.text), kind


def _tools(before: Node, move: Move, outcome: Outcome, new: RunState) -> Iterator[str]:
    """No mutation passes without authority, none at an open question, none that leaves the boundary."""
    old, what = before.state, move.what
    if "tool" not in what or old.state == "completed":
        return
    passes = outcome.decision.verdict == "pass"
    may = (
        old.authority_status == "active" and old.state in AT_WORK and old.pending_gate is None and not old.cancel_asked
    )
    if passes and "mutates" in what and (not may or what & {"child", "engine runs", *NEVER}):
        yield f"P1: `{move.label}` passes in {old.state}"
    if passes and "mutates" in what and before.attestation is not None and before.attested is not None:
        yield "P6: a mutation passes while a Review waits"
    if "prompts" in what and passes and (not may or "timer" in move.label):
        yield f"P1: `{move.label}` passes in {old.state}"
    for call, paused in PAUSES.items():
        is_called = call in what and may and "human" in what and ("child" not in what or call == "danger")
        if is_called and new.state != paused:
            yield f"L4.1: `{move.label}` leads to {new.state}"
    if (
        "opaque" in what
        and may
        and "human" in what
        and "child" not in what
        and old.opaque_denies >= 2
        and new.state != "paused_unmodeled"
    ):
        yield "L4.1: the third opaque call does not pause"


def _review(before: Node, move: Move, after: Node) -> Iterator[str]:
    """P6: the way from the claim through the Review to completion."""
    old, new, seen = before.state, after.state, after.seen
    if new.state == "verifying" and old.state != "verifying" and not _is_answered(before, move, "Repair Resume"):
        if after.seen.green != after.diff or new.diff_revision != after.diff:
            yield "P6: verifying without green evidence of this tree"
        if old.state not in ("executing", "auto_repairing", "reviewing"):
            yield f"P6: verifying out of {old.state}"
    if new.state == "reviewing" and old.state != "reviewing" and not _is_answered(before, move, "Repair Resume"):
        if old.state != "verifying" or seen.passed != after.diff:
            yield "P6: reviewing without a relayed PASS of this tree"
    if new.state == "completed" and old.state != "completed":
        if old.state != "reviewing" or "completion" not in move.what:
            yield f"P6: completed out of {old.state} by `{move.label}`"
        if seen.passed != after.diff or seen.green != after.diff:
            yield "P6: completed at a tree that no Reviewer passed or no engine run was green on"
    if after.attested is not None and before.attested != after.attested:
        if seen.attested is None or seen.green != after.diff or "review" not in move.what:
            yield "P6: a Review counts as attested that no Reviewer gave who read this tree's diff"
    if new.reviewer.agent_id is not None and new.reviewer.agent_id != seen.reviewer:
        yield "P6: a child counts as Reviewer that no right spawn started"


def _rounds(before: Node, move: Move, new: RunState) -> Iterator[str]:
    """Rounds count one up and only at their beginning; budgets grow by answers; what reached a limit pauses."""
    old, repair = before.state, new.repair
    if new.active_policy is None or new.run_id != old.run_id:
        return
    if _is_answered(before, move, "Plan", "Plan Amendment"):
        if (repair.round, repair.max_rounds, repair.repeated, repair.no_progress) != (0, PLANNED.max_rounds, 0, 0):
            yield "budget: it does not start anew"
        return
    gate = old.pending_gate
    added = gate.added_rounds if gate is not None and _is_answered(before, move, "Repair Resume") else 0
    if repair.max_rounds != old.repair.max_rounds + added:
        yield f"budget: {old.repair.max_rounds} and {added} became {repair.max_rounds}"
    begins = new.state == "auto_repairing" and (old.repair.is_due if old.is_paused else old.state != "auto_repairing")
    if repair.round != old.repair.round + begins:
        yield f"budget: round {old.repair.round} became {repair.round} in {new.state}"
    at_limit = repair.repeated >= PLANNED.repeated_finding_limit or repair.no_progress >= PLANNED.no_progress_limit
    if at_limit and new.state in (*AT_WORK, "verifying"):
        yield f"L2.5, L3.5: a limit is reached and the run is {new.state}"
    if repair.max_rounds - repair.round > MOST_LEFT:
        yield "model: more rounds are left than the model allows"


def _ways(before: Node, move: Move, new: RunState) -> Iterator[str]:
    """Ways out of ended runs, pauses and an asked cancel; revisions."""
    old = before.state
    if {"activates", "fresh"} <= move.what and new.state == "planning":
        return
    if old.is_terminal and (new.state, new.authority_status) != (old.state, "revoked"):
        yield f"end: out of {old.state} to {new.state} by `{move.label}`"
    if old.is_paused and new.state != old.state:
        answered = _is_answered(before, move, "Plan Amendment", "Repair Resume")
        if not answered and not (new.state == "cancelled" and "fresh" in move.what):
            yield f"pause: out of {old.state} to {new.state} by `{move.label}`"
        if (
            answered
            and old.pending_gate is not None
            and old.pending_gate.kind == "Repair Resume"
            and new.state != old.paused_from
        ):
            yield f"pause: from {old.paused_from} to {new.state}"
    if old.cancel_asked and not new.cancel_asked and new.state != "cancelled":
        yield "cancel: it was forgotten"
    if old.cancel_asked and new.state not in (old.state, "cancelled"):
        yield f"cancel: the run went on to {new.state}"
    if "cancel" in move.what and not old.is_terminal and new.state != "cancelled" and not new.cancel_asked:
        yield "cancel: it was not heard"
    if (
        new.state == "cancelled"
        and not old.is_terminal
        and not ("cancel" in move.what or (old.cancel_asked and "fresh" in move.what))
    ):
        yield f"cancel: `{move.label}` cancelled the run"
    moved = (old.state, old.authority_status, old.active_policy_id) != (
        new.state,
        new.authority_status,
        new.active_policy_id,
    )
    if new.revision < old.revision or (moved and new.revision == old.revision):
        yield f"revision: {old.revision} became {new.revision}"
