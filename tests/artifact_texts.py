"""Plans and Reviews as text, for tests that make them up; and the shipped templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness_guard.artifacts.plan import GATE as PLAN_GATE
from harness_guard.artifacts.plan import RULES
from harness_guard.artifacts.values import Bindings, Finding, Plan, Review, VerificationCommand
from harness_guard.canonical import canonical

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"


def template(name: str) -> str:
    return (TEMPLATES / name).read_text()


def render_plan(plan: Plan) -> str:
    """Render a Plan; what it parses to is equal but for ``digest`` and ``text``."""
    sections = [
        ("Classification", f"- Size: {plan.size}\n- Kind: {plan.kind}"),
        ("Objective", plan.objective),
        ("Acceptance Criteria", "\n".join([f"- {item.id}: {item.text}" for item in plan.criteria])),
        ("Scope", plan.scope),
        ("Write Boundary", "\n".join([f"- `{entry}`" for entry in plan.boundary]) or "None"),
        ("Exact Commands", "\n".join([_command(text) for text in (*plan.commands, *plan.tools)]) or "None"),
        ("Verification Strategy", _verification(plan)),
        ("Execution Strategy", _object("execution_strategy", _execution(plan))),
        ("Auto Repair", _object("auto_repair", _auto_repair(plan))),
        ("Risks", plan.risks),
        ("Approval", PLAN_GATE),
    ]
    return _artifact("Plan", sections)


def render_review(review: Review) -> str:
    """Render a Review; what it parses to has the same ``content``."""
    sections = [
        ("Review Context", _object("review_context", _bindings(review.context))),
        ("Verdict", review.verdict),
        ("Findings", _rows("findings", [_finding(finding) for finding in review.findings])),
        ("Evidence", review.evidence),
    ]
    return _artifact("Clean-context Review", sections)


def _artifact(title: str, sections: Sequence[tuple[str, str]]) -> str:
    return f"# {title}\n" + "".join([f"\n## {name}\n\n{body}\n" for name, body in sections])


def _object(key: str, members: Mapping[str, object]) -> str:
    lines = ",\n".join([f'    "{name}": {canonical(value)}' for name, value in members.items()])
    return f'```json\n{{\n  "{key}": {{\n{lines}\n  }}\n}}\n```'


def _rows(key: str, rows: Sequence[str]) -> str:
    inner = "[\n" + ",\n".join([f"    {row}" for row in rows]) + "\n  ]" if rows else "[]"
    return f'```json\n{{\n  "{key}": {inner}\n}}\n```'


def _row(members: Mapping[str, object]) -> str:
    # canonical JSON sorts keys; a human reads these, so the order is the template's.
    return "{" + ", ".join([f'"{name}": {_spaced(value)}' for name, value in members.items()]) + "}"


def _spaced(value: object) -> str:
    return "[" + ", ".join([canonical(item) for item in value]) + "]" if isinstance(value, list) else canonical(value)


def _bindings(bindings: Bindings) -> dict[str, object]:
    return {
        "accepted_plan_hash": bindings.accepted_plan_hash,
        "accepted_amendment_hash": bindings.accepted_amendment_hash,
        "diff_revision": bindings.diff_revision,
        "verification_fingerprint": bindings.verification_fingerprint,
        "review_round": bindings.review_round,
    }


def _finding(finding: Finding) -> str:
    return _row(
        {
            "id": finding.id,
            "severity": finding.severity,
            "classification": finding.classification,
            "path": finding.path,
            "line": finding.line,
            "message": finding.message,
        }
    )


def _verification(plan: Plan) -> str:
    return (
        '```json\n{\n  "verification_strategy": {\n'
        f'    "kind": {canonical(plan.strategy)},\n'
        f'    "required": {_checks(plan.required)},\n'
        f'    "optional": {_checks(plan.optional)}\n'
        "  }\n}\n```"
    )


def _checks(checks: Sequence[VerificationCommand]) -> str:
    if not checks:
        return "[]"
    rows = [_row({"id": check.id, "command": check.command, "timeout_s": check.timeout_s}) for check in checks]
    return "[\n" + ",\n".join([f"      {row}" for row in rows]) + "\n    ]"


def _execution(plan: Plan) -> dict[str, object]:
    mode = plan.execution.execution_mode
    return {
        **({} if mode is None else {"execution_mode": mode}),
        "implementer": "root",
        "parallel_writers": 0,
        "max_helpers": plan.execution.max_helpers,
        "max_delegation_depth": plan.execution.max_delegation_depth,
    }


def _auto_repair(plan: Plan) -> dict[str, object]:
    return {
        "enabled": plan.auto_repair.enabled,
        "max_rounds": plan.auto_repair.max_rounds,
        "repeated_finding_limit": plan.auto_repair.repeated_finding_limit,
        "no_progress_limit": plan.auto_repair.no_progress_limit,
        **dict.fromkeys(RULES, True),
    }


def _command(text: str) -> str:
    longest = max([len(run) for run in re.findall("`+", text)], default=0)
    if "\n" in text:
        ticks = "`" * max(3, longest + 1)
        return f"{ticks}sh\n{text}\n{ticks}"
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"- {ticks}{pad}{text}{pad}{ticks}"
