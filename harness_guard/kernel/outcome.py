"""What a decision leaves behind: the answer, the next state, the journal's entry, the duties."""

from __future__ import annotations

from harness_guard.kernel.decision import PASS
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.kernel.decision import Decision
    from harness_guard.kernel.state import RunState


@dataclass(frozen=True, slots=True)
class DropAttestation:
    """Remove a pending review attestation before the tool runs; failing denies (contract section 7)."""


@dataclass(frozen=True, slots=True)
class KeepText:
    """Keep an artifact's text under its hash in the run's folder."""

    digest: str
    text: str


@dataclass(frozen=True, slots=True)
class WriteAttestation:
    """Write the sealed pending review attestation."""

    artifact_hash: str
    text: str


@dataclass(frozen=True, slots=True)
class WriteBrief:
    """Write ``brief.md`` into the run's folder: plan, criteria, the whole diff."""

    head: str


@dataclass(frozen=True, slots=True)
class ArchiveRun:
    """Move what the session's folder holds of an earlier run into its archive, read or unread."""


@dataclass(frozen=True, slots=True)
class EndMarker:
    """Remove the run's marker: its session is silent again."""


@dataclass(frozen=True, slots=True)
class RaiseMarker:
    """Count the session as one with an active run, although its state cannot be read: everything is denied then."""


Duty = DropAttestation | KeepText | WriteAttestation | WriteBrief | ArchiveRun | EndMarker | RaiseMarker


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one decision.

    Attributes:
        decision: The answer.
        state: What to commit; ``None`` leaves the store alone.
        duties: What must be done, in order, before the answer is given; one that fails turns a pass into a deny.
        note: What the journal says of it beside the decision.
    """

    decision: Decision = PASS
    state: RunState | None = None
    duties: tuple[Duty, ...] = ()
    note: str = ""
