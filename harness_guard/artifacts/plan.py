"""``# Plan``: eleven sections to a ``Plan`` (contract section 4)."""

from __future__ import annotations

import re

from harness_guard.artifacts.entries import read_boundary, read_commands
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.gate import check_gate
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import AutoRepair, Criterion, Execution, Plan, VerificationCommand
from harness_guard.artifacts.words import split_words
from harness_guard.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.sections import Section
    from harness_guard.artifacts.strict_json import Node
    from harness_guard.artifacts.values import ExecutionMode

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
MOST_TIMEOUT_S: Final = 3600  # contract section 2: the sum over the plan, so that one engine run fits into one event
# Name -> the most that a plan may ask for; a plan may be stricter and never laxer.
LIMITS: Final = {"max_rounds": 3, "repeated_finding_limit": 2, "no_progress_limit": 2}
# They stand in every plan so that the human reads them, and can only be true: they are promises, no options.
RULES: Final = ("same_write_boundary_only", "verification_must_not_weaken", "material_delta_requires_approval")
MOST_HELPERS: Final = 2

# One bullet, or a bullet and indented lines: a nested list would leave open which sentence is the criterion.
_CRITERION = re.compile(r"- ([A-Za-z][A-Za-z0-9_-]{0,31}): (\S.*)")
_CONTINUED = re.compile(r"  +([^-*+ ].*)")
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


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
    strategy, required, optional = _read_verification(verification, kind)
    exact, tools = read_commands(commands)
    return Plan(
        digest=document.digest,
        size=size,
        kind=kind,
        objective=objective.text,
        criteria=_read_criteria(criteria),
        scope=scope.text,
        boundary=read_boundary(boundary),
        commands=exact,
        tools=tools,
        strategy=strategy,
        required=required,
        optional=optional,
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


def _read_criteria(section: Section) -> tuple[Criterion, ...]:
    found: dict[str, list[str]] = {}
    last: list[str] = []
    for number, line in section.rows:
        item = _CRITERION.fullmatch(line)
        more = _CONTINUED.fullmatch(line) if last else None
        if item is not None and item[1] not in found:
            last = found[item[1]] = [item[2].rstrip()]
        elif item is not None:
            raise LineError(
                number,
                "artifact.unique",
                seen=f"found the criterion {shown(item[1])} twice",
                remedy="Give each criterion an id of its own.",
            )
        elif more is not None:
            last.append(more[1].rstrip())
        else:
            raise LineError(
                number,
                "plan.acceptance-criteria",
                seen=f"found {shown(line)}, expected `- AC1: ` and a sentence",
                remedy="Write each criterion as one bullet with an id, a colon and what will be true.",
            )
    return tuple(Criterion(key, " ".join(lines)) for key, lines in found.items())


def _read_verification(
    section: Section, kind: str
) -> tuple[str, tuple[VerificationCommand, ...], tuple[VerificationCommand, ...]]:
    members = read_block(section, "verification_strategy").members(("kind", "required", "optional"))
    strategy = members["kind"].text()
    if strategy != STRATEGIES[kind]:
        raise members["kind"].error(
            "plan.strategy-mismatch",
            seen=f"found the strategy {shown(strategy)}, expected `{STRATEGIES[kind]}` for the kind `{kind}`",
            remedy="Use the strategy that belongs to the kind of change, or correct the kind.",
        )
    # A run that verifies nothing would complete on words alone.
    required = members["required"].items(least=1)
    optional = members["optional"].items()
    # Read together, because an id names one command over both lists.
    commands = _read_checks((*required, *optional))
    total = sum(command.timeout_s for command in commands)
    if total > MOST_TIMEOUT_S:
        raise members["required"].error(
            "plan.verification-time",
            seen=f"found {total} s as the sum of all `timeout_s`, expected at most {MOST_TIMEOUT_S}",
            remedy="Lower the time limits, or verify with fewer or narrower commands.",
        )
    return strategy, commands[: len(required)], commands[len(required) :]


def _read_checks(nodes: tuple[Node, ...]) -> tuple[VerificationCommand, ...]:
    found: dict[str, VerificationCommand] = {}
    for node in nodes:
        check = _read_check(node)
        if check.id in found:
            raise node.error(
                "artifact.unique",
                seen=f"found the verification id {shown(check.id)} twice",
                remedy="Give each verification command an id of its own.",
            )
        found[check.id] = check
    return tuple(found.values())


def _read_check(node: Node) -> VerificationCommand:
    members = node.members(("id", "command", "timeout_s"))
    name = members["id"].text()
    if not _ID.fullmatch(name):
        raise members["id"].error(
            "artifact.json-value",
            seen=f"found {shown(name)} as {members['id'].name}, expected an id such as `V1`",
            remedy="Write a letter and then letters, digits, `_` or `-`, 32 at most.",
        )
    command = members["command"].text()
    try:
        argv = split_words(command)
    except ArtifactError as error:
        raise members["command"].error(error.rule, seen=error.seen, remedy=error.remedy) from None
    return VerificationCommand(name, command, members["timeout_s"].integer(1, MOST_TIMEOUT_S), argv)


def _read_execution(section: Section) -> Execution:
    members = read_block(section, "execution_strategy").members(
        ("implementer", "parallel_writers", "max_helpers", "max_delegation_depth"), ("execution_mode",)
    )
    # One writer, children that only read: whatever else is asked for is refused instead of lowered in silence.
    members["implementer"].check_equal("root")
    members["parallel_writers"].check_equal(0)
    members["max_delegation_depth"].check_equal(1)
    return Execution(
        execution_mode=_read_mode(members.get("execution_mode")),
        max_helpers=members["max_helpers"].integer(0, MOST_HELPERS),
        max_delegation_depth=1,
    )


def _read_mode(node: Node | None) -> ExecutionMode | None:
    if node is None:
        return None
    mode = node.text()
    if mode == "native":
        return "native"
    if mode == "guided":
        return "guided"
    raise node.error(
        "artifact.json-value",
        seen=f"found {shown(mode)} as {node.name}, expected `native` or `guided`",
        remedy="Name one of the two modes.",
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
