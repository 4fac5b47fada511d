"""``# Repair Plan``: four sections to a ``RepairPlan`` (contract section 4).

For a strict or manual workflow alone: a person reads it and answers it outside the guard. Stop does not read it, and
nothing that is parsed here opens a gate or grants anything.
"""

from __future__ import annotations

from harness_guard.artifacts.entries import read_boundary
from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.gate import check_gate
from harness_guard.artifacts.names import read_identifier
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import RepairPlan
from harness_guard.artifacts.verification import read_verification

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.sections import Section
    from harness_guard.artifacts.values import VerificationChange

TITLES: Final = ("Repair Context", "Repair Scope", "Verification", "Approval")
GATE: Final = "Proceed with this Repair Plan? [y/N]"
# The conditions of IN_PLAN_REPAIR, one by one: a single word for all of them would be claimed without a look at each.
NO_DELTA: Final = (
    "objective_unchanged",
    "acceptance_criteria_unchanged",
    "scope_unchanged",
    "write_boundary_unchanged",
    "changed_files_planned",
    "public_contract_unchanged",
    "api_unchanged",
    "schema_unchanged",
    "dependencies_unchanged",
    "configuration_unchanged",
    "deployment_unchanged",
    "exact_commands_unchanged",
    "no_new_security_risk",
    "no_new_secret_risk",
    "no_new_database_risk",
    "no_new_data_risk",
    "no_new_production_risk",
    "no_other_material_risk",
    "no_parallel_writer_overlap",
)
VERIFICATION_CHANGES: Final[tuple[VerificationChange, ...]] = ("unchanged", "strengthened")


def parse_repair_plan(text: str) -> RepairPlan:
    """Parse a normalized message whose first line is ``# Repair Plan``.

    Raises:
        LineError: With the first rule that it breaks.
    """
    document = read_document(text, TITLES, is_gated=True)
    context, scope, verification, approval = document.sections
    check_gate(approval, GATE)
    members = read_block(context, "repair_context").members(
        ("source_plan_hash", "finding", "no_delta", "verification", "topology", "approach_retained")
    )
    # A condition that is false or unknown makes the repair material: there is nothing to plan here then.
    no_delta = members["no_delta"].members(NO_DELTA)
    for name in NO_DELTA:
        no_delta[name].check_equal(expected=True)
    topology = members["topology"].members(("implementer", "parallel_writers"))
    topology["implementer"].check_equal("root")
    topology["parallel_writers"].check_equal(0)
    members["approach_retained"].check_equal(expected=True)
    strategy, _ = read_verification(verification)
    return RepairPlan(
        digest=document.digest,
        source_plan_hash=members["source_plan_hash"].digest(),
        finding=read_identifier(members["finding"], example="R1-F1"),
        change=members["verification"].one_of(VERIFICATION_CHANGES),
        scope=_read_scope(scope),
        strategy=strategy,
        text=text,
    )


def _read_scope(section: Section) -> tuple[str, ...]:
    entries = read_boundary(section)
    if not entries:
        raise LineError(
            section.rows[0][0],
            "repair-plan.scope",
            seen="found no path, expected at least one that the repair touches",
            remedy="Name the files of the repair as - `path/from/the/root`, one to a line.",
        )
    return entries
