"""The shape of a state as pydantic models: everything is validated here before it is sealed (contract section 9).

Never imported on the tool path: reading trusts the seal.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness_guard.errors import StateError
from harness_guard.kernel.state import AT_WORK, STATE_NAMES

_Hash = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0)]


def _known_state(name: str) -> str:
    if name not in STATE_NAMES:
        raise ValueError(f"no such state: {name}")
    return name


_StateName = Annotated[str, AfterValidator(_known_state)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CheckModel(_Strict):
    """One verification command."""

    id: str
    command: str
    timeout_s: Annotated[int, Field(ge=1, le=3600)]


class PolicyModel(_Strict):
    """A policy."""

    boundary: list[str]
    commands: list[str]
    tools: list[str]
    caches: list[str]
    strategy: str
    required: Annotated[list[CheckModel], Field(min_length=1)]
    optional: list[CheckModel]
    max_rounds: _Count
    repeated_finding_limit: _Count
    no_progress_limit: _Count
    plan_hash: _Hash
    parent: _Hash | None


class GateModel(_Strict):
    """A pending gate."""

    kind: Literal["Plan", "Plan Amendment", "Repair Resume"]
    artifact_hash: _Hash
    revision: _Count
    opened_at_ms: _Count
    policy: PolicyModel
    criteria: list[tuple[str, str]]
    max_helpers: Annotated[int, Field(ge=0, le=2)]
    added_rounds: Annotated[int, Field(ge=0, le=3)]
    diff_revision: str | None


class RepairModel(_Strict):
    """Repair counters."""

    round: _Count
    max_rounds: _Count
    repeated: _Count
    no_progress: _Count
    is_due: bool
    tree_before: str
    diff_before: str
    verification_before: str
    progress_before: str

    @model_validator(mode="after")
    def _is_within_budget(self) -> RepairModel:
        if self.round > self.max_rounds:
            raise ValueError(f"round {self.round} of {self.max_rounds}")
        return self


class ApprovalModel(_Strict):
    """The last approval."""

    turn_id: Annotated[str, Field(min_length=1)]
    gate_opened_at_ms: _Count
    is_verified: bool


class BaselineModel(_Strict):
    """What changes are measured against."""

    head: str
    tree: str


class ReviewerModel(_Strict):
    """The Reviewer of the round."""

    spawns: _Count
    is_awaited: bool
    agent_id: str | None
    blocks: _Count
    has_read_diff: bool


class HostModel(_Strict):
    """The host process."""

    name: Literal["claude", "codex"]
    pid: _Count
    started: str


class StopModel(_Strict):
    """Refused stops."""

    blocks: _Count
    reminded_turn: str | None
    is_incomplete: bool


class StateModel(_Strict):
    """A whole state, without its seal."""

    schema_: Annotated[Literal["harness.state.v9"], Field(alias="schema")]
    revision: Annotated[int, Field(ge=1)]
    run_id: Annotated[str, Field(min_length=1)]
    session_id: Annotated[str, Field(min_length=1)]
    repository_root: Annotated[str, Field(pattern=r"^/")]
    state: _StateName
    authority_status: Literal["active", "revoked"]
    host: HostModel
    task: str
    accepted_plan_hash: _Hash | None
    accepted_amendment_hash: _Hash | None
    accepted_policy: PolicyModel | None
    active_policy: PolicyModel | None
    active_policy_id: _Hash | None
    lineage: list[_Hash]
    criteria: list[tuple[str, str]]
    max_helpers: Annotated[int, Field(ge=0, le=2)]
    repair: RepairModel
    latest_finding_ids: list[str]
    review_round: _Count
    baseline: BaselineModel | None
    diff_revision: str | None
    integrity_fingerprint: _Hash | None
    progress_fingerprint: _Hash | None
    evidence_green: bool | None
    pause_reason: str | None
    paused_from: _StateName | None
    pending_gate: GateModel | None
    approval: ApprovalModel | None
    reviewer: ReviewerModel
    children: list[str]
    opaque_denies: _Count
    stop: StopModel
    open_findings: list[tuple[str, str, str]]
    reviewed_ids: list[str]
    foreign: list[str]
    told_outside: list[str]
    wrote_unseen: bool
    cancel_asked: bool
    scratch: str
    control_plane: dict[str, str | list[str]] | None
    open_turn: str | None
    is_told: bool
    plugin_version: str
    command: str
    templates: str

    @model_validator(mode="after")
    def _hangs_together(self) -> StateModel:
        """Refuse states that no row of the table reaches (promises P1 and P6)."""
        if self.authority_status == "active" and self.state not in AT_WORK:
            raise ValueError(f"authority is active in {self.state}")
        if self.state in (*AT_WORK, "verifying", "reviewing") and (
            self.active_policy is None or self.approval is None or self.baseline is None
        ):
            raise ValueError(f"{self.state} without an approved policy and its baseline")
        if self.state == "auto_repairing" and not (self.repair.round and self.repair.tree_before):
            raise ValueError("auto_repairing without a round")
        if self.state in ("verifying", "reviewing", "completed") and not self.evidence_green:
            raise ValueError(f"{self.state} without green evidence")
        if self.state.startswith("paused_") and (self.paused_from is None or self.pause_reason is None):
            raise ValueError("a pause without its reason or origin")
        return self


def check_state(text: bytes) -> None:
    """Validate a state's canonical JSON before it is sealed.

    Raises:
        StateError: If it is no whole state; our own fault, and nothing is written.
    """
    try:
        StateModel.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        seen = f"the next state would be malformed at {where or 'its root'}: {first['msg']}"
        raise StateError("store.schema", seen, "Report this fault; the old state still stands.") from error
