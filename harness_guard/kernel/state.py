"""The state of one run, as a value and as the JSON that the store seals (contract section 9).

The store validates with pydantic before it writes; reading trusts the seal, so nothing here validates again.
"""

from __future__ import annotations

from harness_guard.policy.digest import policy_from_json, policy_to_json
from harness_guard.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal

    from harness_guard.policy.model import Policy

    StateName = Literal[
        "planning",
        "executing",
        "auto_repairing",
        "verifying",
        "reviewing",
        "completed",
        "cancelled",
        "paused_blocked",
        "paused_boundary",
        "paused_budget",
        "paused_danger",
        "paused_material",
        "paused_no_progress",
        "paused_unmodeled",
    ]
    Authority = Literal["active", "revoked"]
    GateKind = Literal["Plan", "Plan Amendment", "Repair Resume"]

SCHEMA: Final = "harness.state.v9"
TERMINAL: Final = ("completed", "cancelled")
# Where authority may be active: the agent works.
AT_WORK: Final[tuple[StateName, ...]] = ("executing", "auto_repairing")
# Stands in the list of children for a spawn that was let through until its child has started or the turn has ended.
STARTING: Final = "spawn "
STATE_NAMES: Final[tuple[StateName, ...]] = (
    "planning",
    "executing",
    "auto_repairing",
    "verifying",
    "reviewing",
    "completed",
    "cancelled",
    "paused_blocked",
    "paused_boundary",
    "paused_budget",
    "paused_danger",
    "paused_material",
    "paused_no_progress",
    "paused_unmodeled",
)


@dataclass(frozen=True, slots=True)
class Gate:
    """The one open question to the human (contract section 5).

    Attributes:
        kind: Which artifact asks.
        artifact_hash: Hash of its exact bytes.
        revision: State revision when it opened.
        opened_at_ms: Wall clock in milliseconds since the epoch.
        policy: What its approval would put in force.
        criteria: Ids and texts of the acceptance criteria; empty for a Repair Resume.
        max_helpers: Read-only helpers that the plan allows.
        added_rounds: Repair rounds that a Repair Resume adds.
        diff_revision: The tree that a Repair Resume is bound to; ``None`` for a Plan.
    """

    kind: GateKind
    artifact_hash: str
    revision: int
    opened_at_ms: int
    policy: Policy
    criteria: tuple[tuple[str, str], ...] = ()
    max_helpers: int = 0
    added_rounds: int = 0
    diff_revision: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """Counters of the repair loop, and what the round is measured against (contract sections 6 and 9).

    Attributes:
        round: Number of the round that began last; never above ``max_rounds``.
        max_rounds: The budget: the Plan's, and what Resumes have added.
        repeated: Consecutive Reviews that named the same finding, the latest one included.
        no_progress: Consecutive Repair Records without progress.
        is_due: Whether the run is paused before a round: its Resume begins one.
        tree_before: Tree id at the round's begin (or before the round that is due); ``""`` before the first.
        diff_before: Diff revision then.
        verification_before: Integrity fingerprint then.
        progress_before: Progress fingerprint then.
    """

    round: int = 0
    max_rounds: int = 0
    repeated: int = 0
    no_progress: int = 0
    is_due: bool = False
    tree_before: str = ""
    diff_before: str = ""
    verification_before: str = ""
    progress_before: str = ""


@dataclass(frozen=True, slots=True)
class Approval:
    """The human's last ``y``: which prompt it was, when its gate opened, whether its provenance has been checked."""

    turn_id: str
    gate_opened_at_ms: int
    is_verified: bool


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the run's changes are measured against (contract section 8).

    Attributes:
        head: Commit id at approval, or ``""`` in a repository without a commit.
        tree: Tree id of the working tree as it was at approval.
    """

    head: str
    tree: str


@dataclass(frozen=True, slots=True)
class Reviewer:
    """The clean-context Reviewer of the current round.

    Attributes:
        spawns: How many spawns were let through in this run; it makes each nonce fresh.
        is_awaited: Whether a spawn was let through and its child has not started yet.
        agent_id: The living child that may attest; ``None`` before it started, after it ended or was disowned.
        blocks: How often its stop was refused.
        has_read_diff: Whether it has looked at the diff, which stands in the brief.
    """

    spawns: int = 0
    is_awaited: bool = False
    agent_id: str | None = None
    blocks: int = 0
    has_read_diff: bool = False

    @property
    def is_running(self) -> bool:
        """Whether a Reviewer is about to start or at work."""
        return self.is_awaited or self.agent_id is not None


@dataclass(frozen=True, slots=True)
class HostBinding:
    """The host and the one process of it that may answer gates, as far as the host tells it."""

    name: str
    pid: int = 0
    started: str = ""


@dataclass(frozen=True, slots=True)
class StopCount:
    """How often Stop refused to let the root end.

    Attributes:
        blocks: Refusals since the last permitted call or transition.
        reminded_turn: Turn in which a message that is no artifact was refused; that happens once a turn.
        is_incomplete: Whether the last turn ended with the run unfinished.
    """

    blocks: int = 0
    reminded_turn: str | None = None
    is_incomplete: bool = False


@dataclass(frozen=True, slots=True)
class RunState:
    """Everything the machine needs of one run; ``state.json`` is its sealed JSON and the only authority.

    Attributes:
        revision: Counts changes of authority, state and policy; counters and gates do not move it.
        run_id: Random id of this run.
        session_id: The host's session.
        repository_root: Absolute real path, fixed at activation.
        task: What the human wrote behind the activation.
        accepted_policy: What the human approved.
        active_policy: What is in force; a subset of it.
        lineage: Ids of the policies that led to the active one, oldest first.
        criteria: The accepted plan's acceptance criteria.
        evidence_green: Whether the engine's last record is green, ``None`` before the first run.
        children: Agent ids of living children; behind :data:`STARTING` the calls whose child has not started yet.
        opaque_denies: Opaque calls refused since the last allowed mutation.
        open_findings: Id, path and message of the latest Review's findings.
        reviewed_ids: Ids of the latest taken Review's findings, suggestions aside: what comes again is counted.
        foreign: Paths that changed without a call of this run.
        told_outside: Paths outside the boundary that the run itself changed, and of which a pause has told the human.
        wrote_unseen: Whether a call whose effects no model saw (exact command, engine) ran in this run; never cleared.
        cancel_asked: Whether a cancel was typed in a running turn.
        scratch: The run's writable folder in the system's temporary folder.
        control_plane: What no tool call may write, as JSON of ``policy.control_plane.ControlPlane``.
        open_turn: The root's turn that has begun and not stopped yet, as far as prompts tell.
        is_told: Whether the model has been told of the activation; a prompt that was left behind is judged in silence.
        plugin_version: Version of the plugin that wrote this.
        command: The one spelling of the command line, for the answers.
        templates: Folder of the templates, for the answers.
    """

    revision: int
    run_id: str
    session_id: str
    repository_root: str
    state: StateName
    authority_status: Authority
    host: HostBinding
    task: str = ""
    accepted_plan_hash: str | None = None
    accepted_amendment_hash: str | None = None
    accepted_policy: Policy | None = None
    active_policy: Policy | None = None
    active_policy_id: str | None = None
    lineage: tuple[str, ...] = ()
    criteria: tuple[tuple[str, str], ...] = ()
    max_helpers: int = 0
    repair: Repair = Repair()
    latest_finding_ids: tuple[str, ...] = ()
    review_round: int = 0
    baseline: Baseline | None = None
    diff_revision: str | None = None
    integrity_fingerprint: str | None = None
    progress_fingerprint: str | None = None
    evidence_green: bool | None = None
    pause_reason: str | None = None
    paused_from: StateName | None = None
    pending_gate: Gate | None = None
    approval: Approval | None = None
    reviewer: Reviewer = Reviewer()
    children: tuple[str, ...] = ()
    opaque_denies: int = 0
    stop: StopCount = StopCount()
    open_findings: tuple[tuple[str, str, str], ...] = ()
    reviewed_ids: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    told_outside: tuple[str, ...] = ()
    wrote_unseen: bool = False
    cancel_asked: bool = False
    scratch: str = ""
    control_plane: Mapping[str, object] | None = None
    open_turn: str | None = None
    is_told: bool = True
    plugin_version: str = ""
    command: str = ""
    templates: str = ""

    @property
    def is_terminal(self) -> bool:
        """Whether the run has ended."""
        return self.state in TERMINAL

    @property
    def is_paused(self) -> bool:
        """Whether the run waits for one of the three choices of a pause."""
        return self.state.startswith("paused_")

    @property
    def has_authority(self) -> bool:
        """Whether mutations inside the boundary are allowed at all now; while a question is open, none are."""
        return self.authority_status == "active" and not self.cancel_asked and self.pending_gate is None


def advance(run: RunState, /, **changes: object) -> RunState:
    """Give the next revision of a state: for every change of authority, state or policy (contract section 9)."""
    return replace(run, revision=run.revision + 1, **changes)  # type: ignore[arg-type]  # names come from our own rows


_RECORDS: Final = {
    "repair": Repair,
    "approval": Approval,
    "baseline": Baseline,
    "reviewer": Reviewer,
    "host": HostBinding,
    "stop": StopCount,
}
_POLICIES: Final = ("accepted_policy", "active_policy")
_TUPLES: Final = ("lineage", "latest_finding_ids", "reviewed_ids", "children", "foreign", "told_outside")


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in type(value).__match_args__}  # type: ignore[attr-defined]  # records have it


def state_to_json(state: RunState) -> dict[str, object]:
    """Give the JSON object of a state, without its seal."""
    found = _fields(state)
    for name in _RECORDS:
        found[name] = None if found[name] is None else _fields(found[name])
    for name in _POLICIES:
        policy = found[name]
        found[name] = None if policy is None else policy_to_json(policy)  # type: ignore[arg-type]  # its field's type
    gate = state.pending_gate
    found["pending_gate"] = None if gate is None else {**_fields(gate), "policy": policy_to_json(gate.policy)}
    return {"schema": SCHEMA, **found}


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), str(text)) for key, text in value)  # type: ignore[attr-defined]  # sealed: a list of pairs


def state_from_json(found: Mapping[str, object]) -> RunState:
    """Build the state from a JSON object whose seal has been verified.

    Args:
        found: What :func:`state_to_json` gave, with or without ``schema`` and ``seal``.

    Returns:
        The state.

    Raises:
        TypeError: If it is of another shape; a good seal rules that out.
    """
    values = {key: value for key, value in found.items() if key not in ("schema", "seal")}
    for name, kind in _RECORDS.items():
        values[name] = None if values[name] is None else kind(**values[name])  # type: ignore[arg-type]  # sealed
    for name in _POLICIES:
        values[name] = None if values[name] is None else policy_from_json(values[name])
    for name in _TUPLES:
        values[name] = tuple(values[name])  # type: ignore[arg-type]  # sealed: a list
    values["criteria"] = _pairs(values["criteria"])
    values["open_findings"] = tuple(tuple(row) for row in values["open_findings"])  # type: ignore[attr-defined]  # sealed
    gate = values["pending_gate"]
    if gate is not None:
        inner = dict(gate)  # type: ignore[call-overload]  # sealed: an object
        inner["policy"] = policy_from_json(inner["policy"])
        inner["criteria"] = _pairs(inner["criteria"])
        values["pending_gate"] = Gate(**inner)
    return RunState(**values)  # type: ignore[arg-type]  # sealed
