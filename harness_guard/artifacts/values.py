"""The artifacts as values: what is behind the parser's door cannot be wrong (contract section 4).

``digest`` is always the hash of the message (``digest.message_hash``) and ``text`` the message itself after CRLF -> LF
and one trailing newline removed: the exact bytes that the digest covers.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    ArtifactKind = Literal["plan", "plan-amendment", "review", "repair-record", "repair-resume", "completion"]
    DeltaName = Literal["objective", "acceptance_criteria", "scope", "write_boundary", "verification", "risk"]
    Verdict = Literal["PASS", "PASS_WITH_NOTES", "REPAIR_REQUIRED", "BLOCKED"]
    Severity = Literal["critical", "important", "suggestion"]
    Classification = Literal["IN_PLAN_REPAIR", "MATERIAL_AMENDMENT"]
    ExecutionMode = Literal["native", "guided"]
    VerificationChange = Literal["unchanged", "strengthened"]
    Artifact: TypeAlias = "Plan | Amendment | Review | Record | Resume | Completion"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One acceptance criterion: its id (``AC1``) and its sentence."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class VerificationCommand:
    """One verification command.

    Attributes:
        id: Its id in the plan, such as ``V1``.
        command: The command text, byte for byte.
        timeout_s: Seconds, at least 1.
        argv: The command split as POSIX words; it is run without a shell.
    """

    id: str
    command: str
    timeout_s: int
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerificationStrategy:
    """What has to be green.

    Attributes:
        kind: One of the four kinds.
        required: At least one.
        optional: May be empty; ids are unique over both.
    """

    kind: str
    required: tuple[VerificationCommand, ...]
    optional: tuple[VerificationCommand, ...]


@dataclass(frozen=True, slots=True)
class AutoRepair:
    """The three limits and the switch of bounded repair; the three rules of the object are always true."""

    enabled: bool
    max_rounds: int
    repeated_finding_limit: int
    no_progress_limit: int


@dataclass(frozen=True, slots=True)
class Execution:
    """Who works: the root writes, helpers only read.

    Attributes:
        execution_mode: ``None`` where the plan names none; no mode is inferred.
        max_helpers: 0 to 2.
        max_delegation_depth: Always 1.
    """

    execution_mode: ExecutionMode | None
    max_helpers: int
    max_delegation_depth: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A Plan.

    Attributes:
        digest: The plan hash.
        size: ``Tiny``, ``Small`` or ``Non-trivial``.
        kind: Kind of change, as written.
        objective: The section's text.
        criteria: Acceptance criteria in order; their ids are unique.
        scope: The section's text.
        boundary: Entries of the Write Boundary as written; empty for ``None``.
        commands: The section Exact Commands only, byte for byte; the verification commands are exact commands too.
        tools: Full names of MCP tools in that section.
        strategy: Kind of the verification strategy; it fits ``kind``.
        required: At least one.
        optional: May be empty; ids are unique over both.
        execution: The execution strategy.
        auto_repair: The repair policy.
        risks: The section's text.
        text: The message.
    """

    digest: str
    size: str
    kind: str
    objective: str
    criteria: tuple[Criterion, ...]
    scope: str
    boundary: tuple[str, ...]
    commands: tuple[str, ...]
    tools: tuple[str, ...]
    strategy: str
    required: tuple[VerificationCommand, ...]
    optional: tuple[VerificationCommand, ...]
    execution: Execution
    auto_repair: AutoRepair
    risks: str
    text: str


@dataclass(frozen=True, slots=True)
class Delta:
    """One of an Amendment's six declared deltas: whether it is material, and in a few words what changes."""

    name: DeltaName
    material: bool
    summary: str


@dataclass(frozen=True, slots=True)
class Amendment:
    """A Plan Amendment: the complete effective policy after its approval.

    Attributes:
        digest: The amendment hash.
        source_plan_hash: Hash of the accepted Plan that it amends.
        source_policy_id: Id of the active policy that it replaces.
        deltas: All six, in the contract's order; at least one is material.
        criteria: Acceptance criteria in order; their ids are unique.
        boundary: Entries of the Write Boundary as written; empty for ``None``.
        commands: The section Exact Commands only, byte for byte.
        tools: Full names of MCP tools in that section.
        strategy: Kind of the verification strategy.
        required: At least one.
        optional: May be empty; ids are unique over both.
        risks: The section's text.
        text: The message.
    """

    digest: str
    source_plan_hash: str
    source_policy_id: str
    deltas: tuple[Delta, ...]
    criteria: tuple[Criterion, ...]
    boundary: tuple[str, ...]
    commands: tuple[str, ...]
    tools: tuple[str, ...]
    strategy: str
    required: tuple[VerificationCommand, ...]
    optional: tuple[VerificationCommand, ...]
    risks: str
    text: str


@dataclass(frozen=True, slots=True)
class RecordContext:
    """What a Repair Record is bound to.

    Attributes:
        accepted_plan_hash: Hash of the accepted Plan.
        source_review_round: Round of the Review (or of the claim) that asked for the repair, from 1.
        repair_round: Number of the repair round, from 1.
        finding_ids: Ids of the findings that the round is about, in the written order; unique.
        changed_files: Paths that the round changed, relative to the repository; unique.
        diff_revision_before: As the Review had it.
        diff_revision_after: As the guard gives it now.
        verification_before: As the Review had it.
        verification_after: As the guard gives it now.
    """

    accepted_plan_hash: str
    source_review_round: int
    repair_round: int
    finding_ids: tuple[str, ...]
    changed_files: tuple[str, ...]
    diff_revision_before: str
    diff_revision_after: str
    verification_before: str
    verification_after: str


@dataclass(frozen=True, slots=True)
class Record:
    """A Repair Record: evidence of one repair round, never authority."""

    digest: str
    context: RecordContext
    changes: str
    verification: str
    text: str


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """A Repair Plan of a strict or manual workflow; inert for the guard.

    All conditions of a repair inside the plan, the topology and the retained approach are declared and true.

    Attributes:
        digest: Hash of the message.
        source_plan_hash: Hash of the accepted Plan.
        finding: Id of the finding that it repairs.
        change: Whether the verification stays as it is or gets stronger.
        scope: Entries of the Repair Scope as written, at least one.
        strategy: The complete verification.
        text: The message.
    """

    digest: str
    source_plan_hash: str
    finding: str
    change: VerificationChange
    scope: tuple[str, ...]
    strategy: VerificationStrategy
    text: str


@dataclass(frozen=True, slots=True)
class Bindings:
    """What a Review or a Completion is about; the kernel compares it with the state."""

    accepted_plan_hash: str
    accepted_amendment_hash: str | None
    diff_revision: str
    verification_fingerprint: str
    review_round: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a Review; ``path`` is relative to the repository, ``line`` at least 1."""

    id: str
    severity: Severity
    classification: Classification
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Review:
    """A Clean-context Review."""

    digest: str
    context: Bindings
    verdict: Verdict
    findings: tuple[Finding, ...]
    evidence: str
    text: str

    @property
    def content(self) -> tuple[Bindings, Verdict, tuple[Finding, ...], tuple[str, ...]]:
        """What a relay must keep: two Reviews say the same exactly if these are equal.

        A host indents and frames what the root sees of a child's answer (contract section 8), so blanks at the ends of
        lines and blank lines of the evidence do not count; every other character does.
        """
        lines = tuple(line.strip() for line in self.evidence.split("\n") if line.strip())
        return (self.context, self.verdict, self.findings, lines)


@dataclass(frozen=True, slots=True)
class ResumeContext:
    """What a Repair Resume is bound to.

    Attributes:
        accepted_plan_hash: Hash of the accepted Plan.
        paused_revision: State revision of the pause.
        diff_revision: As the guard gave it.
        verification_fingerprint: ``None`` before the first engine run.
        additional_rounds: 0 to 3.
    """

    accepted_plan_hash: str
    paused_revision: int
    diff_revision: str
    verification_fingerprint: str | None
    additional_rounds: int


@dataclass(frozen=True, slots=True)
class Resume:
    """A Repair Resume."""

    digest: str
    context: ResumeContext
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One acceptance criterion of a Completion with the ids of the verification that carries it (at least one)."""

    criterion: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Completion:
    """A Completion; every criterion at most once here, the kernel checks that none of the plan's is missing."""

    digest: str
    context: Bindings
    acceptance: tuple[Acceptance, ...]
    changes: str
    remaining_risks: str
    text: str


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An artifact's exact heading in a message that does not parse; it changes nothing.

    Attributes:
        kind: Which artifact the heading names.
        line: Line of the message, from 1.
        rule: Stable rule id.
        seen: What was found and what was expected, without the line.
        remedy: What to do next.
    """

    kind: ArtifactKind
    line: int
    rule: str
    seen: str
    remedy: str

    @property
    def where(self) -> str:
        """``seen`` with artifact and line in front, as a reason says it."""
        return f"{self.kind} line {self.line}: {self.seen}"
