"""``# Plan``: eleven sections to a ``Plan`` (contract section 4)."""

from __future__ import annotations

from harness_guard.artifacts.criteria import read_criteria
from harness_guard.artifacts.entries import read_boundary, read_commands
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.gate import check_gate
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import AutoRepair, Execution, Plan
from harness_guard.artifacts.verification import read_verification

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.sections import Section
    from harness_guard.artifacts.strict_json import Node
    from harness_guard.artifacts.values import ExecutionMode, VerificationStrategy

TITLES: Final = (
    "Classification",
    "Objective",
    "Acceptance Criteria",
    "Scope",
    "Write Boundary",
    "Exact Commands",
    "Verification Strategy",
    "Execution Strategy",
    "Auto Repair",
    "Risks",
    "Approval",
)
GATE: Final = "Proceed with this Plan? [y/N]"

SIZES: Final = ("Tiny", "Small", "Non-trivial")
# Kind of change -> kind of verification. Two spellings of one word, and "CI/config" as one kind or two, mean the same.
STRATEGIES: Final = {
    "bug_fix": "regression_first",
    "behavior_change": "tdd",
    "behaviour_change": "tdd",
    "refactor": "characterization",
    "docs": "verification_first",
    "ci_config": "verification_first",
    "ci": "verification_first",
    "config": "verification_first",
    "packaging": "verification_first",
    "migration": "verification_first",
}
# Name -> the most that a plan may ask for; a plan may be stricter and never laxer.
LIMITS: Final = {"max_rounds": 3, "repeated_finding_limit": 2, "no_progress_limit": 2}
# They stand in every plan so that the human reads them, and can only be true: they are promises, no options.
RULES: Final = ("same_write_boundary_only", "verification_must_not_weaken", "material_delta_requires_approval")
MODES: Final[tuple[ExecutionMode, ...]] = ("native", "guided")
MOST_HELPERS: Final = 2


def parse_plan(text: str) -> Plan:
    """Parse a normalized message whose first line is ``# Plan``.

    Raises:
        LineError: With the first rule that it breaks.
    """
    document = read_document(text, TITLES, is_gated=True)
    (
        classification,
        objective,
        criteria,
        scope,
        boundary,
        commands,
        verification,
        execution,
        repair,
        risks,
        approval,
    ) = document.sections
    check_gate(approval, GATE)
    size, kind = _read_classification(classification)
    strategy, node = read_verification(verification)
    _check_kind(kind, strategy, node)
    exact, tools = read_commands(commands)
    return Plan(
        digest=document.digest,
        size=size,
        kind=kind,
        objective=objective.text,
        criteria=read_criteria(criteria),
        scope=scope.text,
        boundary=read_boundary(boundary),
        commands=exact,
        tools=tools,
        strategy=strategy.kind,
        required=strategy.required,
        optional=strategy.optional,
        execution=_read_execution(execution),
        auto_repair=_read_auto_repair(repair),
        risks=risks.text,
        text=text,
    )


def _read_classification(section: Section) -> tuple[str, str]:
    rows = section.rows
    expected = (("- Size: ", SIZES), ("- Kind: ", tuple(STRATEGIES)))
    values: list[str] = []
    for index, (label, words) in enumerate(expected):
        number, line = rows[index] if index < len(rows) else (rows[-1][0], "the end of the section")
        value = line.removeprefix(label)
        if not line.startswith(label) or value not in words:
            raise _unclassified(number, line, expected=f"`{label}` and one of {', '.join(words)}")
        values.append(value)
    if len(rows) > len(expected):
        raise _unclassified(rows[2][0], rows[2][1], expected="the two lines of size and kind only")
    return values[0], values[1]


def _unclassified(number: int, line: str, *, expected: str) -> LineError:
    return LineError(
        number,
        "plan.classification",
        seen=f"found {shown(line)}, expected {expected}",
        remedy="Write the two lines `- Size: …` and `- Kind: …` with the exact words.",
    )


def _check_kind(kind: str, strategy: VerificationStrategy, node: Node) -> None:
    if strategy.kind != STRATEGIES[kind]:
        raise node.error(
            "plan.strategy-mismatch",
            seen=f"found the strategy {shown(strategy.kind)}, expected `{STRATEGIES[kind]}` for the kind `{kind}`",
            remedy="Use the strategy that belongs to the kind of change, or correct the kind.",
        )


def _read_execution(section: Section) -> Execution:
    members = read_block(section, "execution_strategy").members(
        ("implementer", "parallel_writers", "max_helpers", "max_delegation_depth"), ("execution_mode",)
    )
    # One writer, children that only read: whatever else is asked for is refused instead of lowered in silence.
    members["implementer"].check_equal("root")
    members["parallel_writers"].check_equal(0)
    members["max_delegation_depth"].check_equal(1)
    mode = members.get("execution_mode")
    return Execution(
        execution_mode=mode.one_of(MODES) if mode is not None else None,
        max_helpers=members["max_helpers"].integer(0, MOST_HELPERS),
        max_delegation_depth=1,
    )


def _read_auto_repair(section: Section) -> AutoRepair:
    members = read_block(section, "auto_repair").members(("enabled", *LIMITS, *RULES))
    for rule in RULES:
        members[rule].check_equal(expected=True)
    limits = {name: members[name].integer(1, most) for name, most in LIMITS.items()}
    return AutoRepair(
        enabled=members["enabled"].boolean(),
        max_rounds=limits["max_rounds"],
        repeated_finding_limit=limits["repeated_finding_limit"],
        no_progress_limit=limits["no_progress_limit"],
    )
