"""The JSON blocks of artifacts as pydantic models, for the schemas in ``contracts/schemas/`` and for nothing else.

The parser (``strict_json`` and the modules of the artifacts) decides; a test holds these models to what it takes.
What no JSON Schema says (ids that are unique, a sum of time limits, a command that is one simple command) is not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

if TYPE_CHECKING:
    from collections.abc import Mapping

_Hash = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
_Revision = Annotated[str, Field(pattern=r"^[A-Za-z0-9:._+-]{1,200}$")]
_Id = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")]
_FindingId = Annotated[str, Field(pattern=r"^R[1-9][0-9]{0,8}-F[1-9][0-9]{0,8}$")]
_Text = Annotated[str, Field(min_length=1)]
_Round = Annotated[int, Field(ge=1)]


def _only_true(value: bool) -> bool:
    if not value:
        raise ValueError("only true is allowed")
    return value


# A literal would take the number 1 as well.
_True = Annotated[bool, AfterValidator(_only_true), Field(json_schema_extra={"const": True})]


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Check(_Block):
    """One verification command."""

    id: _Id
    command: _Text
    timeout_s: Annotated[int, Field(ge=1, le=3600)]


class VerificationStrategy(_Block):
    """How the result is verified."""

    kind: Literal["regression_first", "tdd", "characterization", "verification_first"]
    required: Annotated[list[Check], Field(min_length=1)]
    optional: list[Check]


class ExecutionStrategy(_Block):
    """Who works; without a mode none is inferred."""

    execution_mode: Literal["native", "guided"] = "native"
    implementer: Literal["root"]
    parallel_writers: Annotated[int, Field(ge=0, le=0)]
    max_helpers: Annotated[int, Field(ge=0, le=2)]
    max_delegation_depth: Annotated[int, Field(ge=1, le=1)]


class AutoRepair(_Block):
    """The limits of bounded repair, and its three rules."""

    enabled: bool
    max_rounds: Annotated[int, Field(ge=1, le=3)]
    repeated_finding_limit: Annotated[int, Field(ge=1, le=2)]
    no_progress_limit: Annotated[int, Field(ge=1, le=2)]
    same_write_boundary_only: _True
    verification_must_not_weaken: _True
    material_delta_requires_approval: _True


class Delta(_Block):
    """One declared delta."""

    material: bool
    summary: _Text


class Deltas(_Block):
    """All six; at least one is material."""

    objective: Delta
    acceptance_criteria: Delta
    scope: Delta
    write_boundary: Delta
    verification: Delta
    risk: Delta


class AmendmentContext(_Block):
    """What a Plan Amendment is bound to."""

    source_plan_hash: _Hash
    source_policy_id: _Hash
    deltas: Deltas


class Bindings(_Block):
    """What a Review or a Completion is bound to."""

    accepted_plan_hash: _Hash
    accepted_amendment_hash: _Hash | None
    diff_revision: _Revision
    verification_fingerprint: _Hash
    review_round: _Round


class Finding(_Block):
    """One finding of a Review."""

    id: _FindingId
    severity: Literal["critical", "important", "suggestion"]
    classification: Literal["IN_PLAN_REPAIR", "MATERIAL_AMENDMENT"]
    path: _Text
    line: _Round
    message: _Text


class RepairContext(_Block):
    """What a Repair Record is bound to."""

    accepted_plan_hash: _Hash
    source_review_round: _Round
    repair_round: _Round
    finding_ids: list[_Id]
    changed_files: list[_Text]
    diff_revision_before: _Revision
    diff_revision_after: _Revision
    verification_before: _Hash
    verification_after: _Hash


class ResumeContext(_Block):
    """What a Repair Resume is bound to; the fingerprint is null before the first engine run."""

    accepted_plan_hash: _Hash
    paused_revision: Annotated[int, Field(ge=0)]
    diff_revision: _Revision
    verification_fingerprint: _Hash | None
    additional_rounds: Annotated[int, Field(ge=0, le=3)]


class Acceptance(_Block):
    """One acceptance criterion and the verification that carries it."""

    criterion: _Text
    evidence: Annotated[list[_Text], Field(min_length=1)]


# Key of the block -> the artifacts that hold it, and its type.
BLOCKS: Final[Mapping[str, tuple[tuple[str, ...], object]]] = {
    "verification_strategy": (("plan", "plan-amendment"), VerificationStrategy),
    "execution_strategy": (("plan",), ExecutionStrategy),
    "auto_repair": (("plan",), AutoRepair),
    "amendment_context": (("plan-amendment",), AmendmentContext),
    "review_context": (("review",), Bindings),
    "findings": (("review",), list[Finding]),
    "repair_context": (("repair-record",), RepairContext),
    "resume_context": (("repair-resume",), ResumeContext),
    "completion_context": (("completion",), Bindings),
    "acceptance": (("completion",), Annotated[list[Acceptance], Field(min_length=1)]),
}


def block_model(key: str) -> type[BaseModel]:
    """Give the model of a whole block: an object with the one key.

    Args:
        key: A key of :data:`BLOCKS`.

    Returns:
        The model; its ``model_json_schema()`` is JSON Schema 2020-12.
    """
    config = ConfigDict(extra="forbid", strict=True)
    fields = {key: (BLOCKS[key][1], ...)}
    made: type[BaseModel] = create_model(key, __config__=config, **fields)  # type: ignore[call-overload]  # named at run time
    return made
