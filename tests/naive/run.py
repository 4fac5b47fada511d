"""A run as the naive lifecycle keeps it: what it remembers, and the few changes that several happenings share."""

from __future__ import annotations

from dataclasses import dataclass, field

from naive.values import (
    Attestation,
    Begin,
    Content,
    Diff,
    Evidence,
    Gate,
    Policy,
    Tree,
    content,
)

AT_WORK = ("executing", "auto_repairing")


@dataclass
class Run:
    """One run."""

    state: str = "planning"
    revision: int = 1
    is_authorized: bool = False
    cancel_asked: bool = False
    accepted: Policy | None = None
    amendment: str | None = None
    active: Policy | None = None
    lineage: list[Policy] = field(default_factory=list)
    criteria: tuple[str, ...] = ()
    round: int = 0
    max_rounds: int = 0
    repeated: int = 0
    no_progress: int = 0
    review_round: int = 0
    begin: Begin | None = None
    before_round: Begin | None = None  # L4.5: what the round that a pause stands before is measured against
    last_review: frozenset[str] = frozenset()  # L2.5: ids that the Review before named
    open_findings: dict[str, str] = field(default_factory=dict)
    gate: Gate | None = None
    needs_author: bool = False
    baseline: Content | None = None
    record: Evidence | None = None  # what the engine found last
    evidence: Evidence | None = None  # what was taken of it at a claim or with a Repair Record
    paused_from: str = ""
    is_awaited: bool = False
    reviewer: str | None = None
    reviewer_blocks: int = 0
    has_read: bool = False
    attestation: Attestation | None = None
    opaque: int = 0
    blocks: int = 0
    reminded_turn: int | None = None
    is_incomplete: bool = False
    wrote_unseen: bool = False
    told_outside: frozenset[str] = frozenset()
    is_turn_open: bool = True

    @property
    def policy(self) -> Policy:
        """The active policy of a run that has one."""
        assert self.active is not None
        return self.active

    @property
    def is_paused(self) -> bool:
        return self.state.startswith("paused_")

    @property
    def is_over(self) -> bool:
        """C7.2, C3.9: whether the session is silent again."""
        return self.state == "completed" or (self.state == "cancelled" and not self.is_turn_open)

    @property
    def may_write(self) -> bool:
        """C6.1, L4.10."""
        return self.is_authorized and not self.cancel_asked and self.gate is None

    @property
    def has_reviewer(self) -> bool:
        return self.is_awaited or self.reviewer is not None

    def diff(self, tree: Tree) -> Diff:
        """C8.1."""
        return (self.baseline or (), content(tree))

    def move(self, state: str) -> None:
        """Go to a state; C6.1 and C9.6."""
        self.state = state
        self.is_authorized = state in AT_WORK
        self.revision += 1
        self.gate = None
        self.is_awaited = False  # C8.12: what comes next has a Reviewer of its own
        self.reviewer = None
        self.opaque = 0
        self.goes_on()

    def goes_on(self) -> None:
        """C6.12: an allowed mutation, a gate or a row of the table; what Stop counts begins anew."""
        self.blocks = 0
        self.reminded_turn = None
        self.is_incomplete = False

    def pause(self, state: str, *, before_round: Begin | None = None) -> None:
        """L4.1."""
        self.paused_from = self.state
        self.before_round = before_round
        self.move(state)

    def put_in_force(self, policy: Policy) -> None:
        """L1.2."""
        self.active = policy
        self.lineage.append(policy)

    def asked_by(self, tree: Tree, findings: tuple[str, ...]) -> Begin:
        """Give what a round is measured against that is asked for now."""
        assert self.evidence is not None
        return Begin(self.diff(tree), self.evidence, findings)

    def begin_round(self, begin: Begin) -> None:
        """L2.1: one more round under a child policy."""
        self.round += 1
        self.begin = begin
        self.put_in_force(self.policy.child())
        self.move("auto_repairing")
