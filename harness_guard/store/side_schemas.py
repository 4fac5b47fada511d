"""The shape of what is sealed beside the state: verification records and review attestations, as pydantic models.

Everything is validated here before it is sealed (contract section 9); reading trusts the seal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness_guard.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

_Hash = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0)]
_Name = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CommandRecordModel(_Strict):
    """One command that the engine ran; an exit status of null: it could not be started."""

    id: _Name
    command: _Name
    exit_status: int | None
    timed_out: bool
    started_at_ms: _Count
    ended_at_ms: _Count
    output_tail: str
    output_digest: _Hash


class VerificationRecordModel(_Strict):
    """One engine run (contract section 8)."""

    schema_: Annotated[Literal["harness.verification-evidence.v2"], Field(alias="schema")]
    run_id: _Name
    policy_id: _Hash
    accepted_plan_hash: _Hash
    outcome: Literal["green", "red", "unavailable"]
    commands: Annotated[list[CommandRecordModel], Field(min_length=1)]
    diff_revision_before: _Name
    diff_revision_after: _Name
    isolation: Literal["none"]
    environment_fingerprint: _Hash
    integrity_fingerprint: _Hash
    progress_fingerprint: _Hash


class AttestationModel(_Strict):
    """A pending review attestation: what a Reviewer said of which tree, never authority (contract section 8)."""

    schema_: Annotated[Literal["harness.review-attestation.v1"], Field(alias="schema")]
    session_id: _Name
    run_id: _Name
    state_revision: Annotated[int, Field(ge=1)]
    accepted_plan_hash: _Hash
    accepted_amendment_hash: _Hash | None
    diff_revision: _Name
    verification_fingerprint: _Hash
    artifact_hash: _Hash
    text: _Name


MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "harness.verification-evidence.v2": VerificationRecordModel,
    "harness.review-attestation.v1": AttestationModel,
}


def check_side(value: Mapping[str, object]) -> None:
    """Validate what is about to be sealed beside the state.

    Args:
        value: The object, with its ``schema``.

    Raises:
        StoreError: If it is of no known schema or malformed; our own fault, and nothing is written.
    """
    model = MODELS.get(str(value.get("schema")))
    if model is None:
        raise StoreError("store.side-schema", f"no such schema: {value.get('schema')!r}", "Report this fault.")
    try:
        model.model_validate(dict(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        seen = f"what would be sealed is malformed at {where or 'its root'}: {first['msg']}"
        raise StoreError("store.side-schema", seen, "Report this fault; nothing was written.") from error
