"""The policy: what a human approved, as a value (contract sections 4 and 6, promise P2)."""

from __future__ import annotations

from harness_guard.records import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One verification command.

    Attributes:
        id: Its id in the plan, such as ``V1``.
        command: The command text, byte for byte as approved.
        timeout_s: Seconds after which the engine ends it.
    """

    id: str
    command: str
    timeout_s: int


@dataclass(frozen=True, slots=True)
class Policy:
    """What the active authority covers.

    Attributes:
        boundary: Entries of the Write Boundary, as written; empty for ``None``.
        commands: Exact commands, byte for byte; the verification commands are among them.
        tools: Full names of MCP tools that are approved as exact commands.
        caches: Names of cache folders of recognised test runners and linters that were shown at the gate.
        strategy: Kind of the verification strategy.
        required: Verification that must be green.
        optional: Verification that may be run.
        max_rounds: Repair rounds.
        repeated_finding_limit: Consecutive rounds with the same finding that pause.
        no_progress_limit: Consecutive rounds without progress that pause.
        parent: Policy id that this one was derived from; ``None`` for an accepted one.
        plan_hash: Hash of the plan that it comes from.
    """

    # No field has a default that allows something: an authority that nobody wrote down is none.
    boundary: tuple[str, ...]
    commands: tuple[str, ...]
    tools: tuple[str, ...]
    caches: tuple[str, ...]
    strategy: str
    required: tuple[Check, ...]
    optional: tuple[Check, ...]
    max_rounds: int
    repeated_finding_limit: int
    no_progress_limit: int
    plan_hash: str
    parent: str | None = None
