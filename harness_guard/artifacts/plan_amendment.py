"""``# Plan Amendment``: seven sections to an ``Amendment`` (contract section 4)."""

from __future__ import annotations

from harness_guard.artifacts.criteria import read_criteria
from harness_guard.artifacts.entries import read_boundary, read_commands
from harness_guard.artifacts.gate import check_gate
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import Amendment, Delta
from harness_guard.artifacts.verification import read_verification

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.strict_json import Node
    from harness_guard.artifacts.values import DeltaName

TITLES: Final = (
    "Amendment Context",
    "Acceptance Criteria",
    "Write Boundary",
    "Exact Commands",
    "Verification Strategy",
    "Risks",
    "Approval",
)
GATE: Final = "Proceed with this Plan Amendment? [y/N]"
DELTAS: Final[tuple[DeltaName, ...]] = (
    "objective",
    "acceptance_criteria",
    "scope",
    "write_boundary",
    "verification",
    "risk",
)
MOST_SUMMARY: Final = 300  # characters: some three lines of a terminal, so that all six are read and none is skimmed


def parse_amendment(text: str) -> Amendment:
    """Parse a normalized message whose first line is ``# Plan Amendment``.

    Raises:
        LineError: With the first rule that it breaks.
    """
    document = read_document(text, TITLES, is_gated=True)
    context, criteria, boundary, commands, verification, risks, approval = document.sections
    check_gate(approval, GATE)
    members = read_block(context, "amendment_context").members(("source_plan_hash", "source_policy_id", "deltas"))
    strategy, _ = read_verification(verification)
    exact, tools = read_commands(commands)
    return Amendment(
        digest=document.digest,
        source_plan_hash=members["source_plan_hash"].digest(),
        source_policy_id=members["source_policy_id"].digest(),
        deltas=_read_deltas(members["deltas"]),
        criteria=read_criteria(criteria),
        boundary=read_boundary(boundary),
        commands=exact,
        tools=tools,
        strategy=strategy.kind,
        required=strategy.required,
        optional=strategy.optional,
        risks=risks.text,
        text=text,
    )


def _read_deltas(node: Node) -> tuple[Delta, ...]:
    members = node.members(DELTAS)
    deltas = tuple(_read_delta(name, members[name]) for name in DELTAS)
    if not any(delta.material for delta in deltas):
        raise node.error(
            "amendment.no-delta",
            seen="found six deltas of which none is material, expected at least one",
            remedy="Mark as material what the Amendment changes, or go on under the policy that is in force.",
        )
    return deltas


def _read_delta(name: DeltaName, node: Node) -> Delta:
    members = node.members(("material", "summary"))
    summary = members["summary"].text()
    if len(summary) > MOST_SUMMARY:
        raise members["summary"].error(
            "amendment.summary",
            seen=f"found a summary of {len(summary)} characters, expected at most {MOST_SUMMARY}",
            remedy="Say in one sentence what changes; the sections below hold the whole policy.",
        )
    return Delta(name, members["material"].boolean(), summary)
