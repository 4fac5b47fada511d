"""Fills the places of a template that the guard knows; the agent writes the visible ``<…>`` hints itself.

The caller reads the file from ``templates/``. A place is ``{{name}}``. Nothing that is filled in is looked at again.
"""

from __future__ import annotations

import re

from harness_guard.artifacts.characters import check_characters, is_plain
from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.policy_text import commands_text, criteria_text, entries_text, verification_text
from harness_guard.artifacts.prose import check_prose
from harness_guard.artifacts.sections import OLD_EVIDENCE, read_document
from harness_guard.canonical import canonical
from harness_guard.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness_guard.artifacts.policy_text import EffectivePolicy
    from harness_guard.artifacts.values import Bindings, Criterion, RecordContext, ResumeContext

# Characters of a text that the agent wrote and the guard hands back inside a form: with two of them the form stays
# well under the 9,000 bytes that a text for a model may have (contract section 2), in any script.
MOST_KEPT = 500

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")
# What Markdown may read as a code span, a tag, a character reference, a link or an escape.
_MARKUP = "`<>&[]\\"


def fill(template: str, fields: Mapping[str, str]) -> str:
    """Fill in a template.

    Args:
        template: The template's text.
        fields: One text for each of its places.

    Returns:
        The filled text.

    Raises:
        ArtifactError: ``artifact.template`` if a place has no field or a field no place.
    """
    # Both ways: a place that stays would be emitted as it is, a field without a place would be lost unseen.
    places = set(_PLACE.findall(template))
    if places != fields.keys():
        odd = sorted(places.symmetric_difference(fields))
        raise ArtifactError(
            "artifact.template",
            f"the template's places and the fields differ in: {', '.join(odd)}",
            "Install the plugin again: its templates and its code are of different versions.",
        )
    # In one pass, so that a value that looks like a place (a reason may quote anything) is never filled in turn.
    return _PLACE.sub(lambda place: fields[place[1]], template)


def binding_fields(bindings: Bindings) -> dict[str, str]:
    """Give the fields of ``review.md``."""
    return {
        "accepted_plan_hash": canonical(bindings.accepted_plan_hash),
        "accepted_amendment_hash": canonical(bindings.accepted_amendment_hash),
        "diff_revision": canonical(bindings.diff_revision),
        "verification_fingerprint": canonical(bindings.verification_fingerprint),
        "review_round": canonical(bindings.review_round),
    }


def completion_fields(bindings: Bindings, criteria: Sequence[Criterion], required_ids: Sequence[str]) -> dict[str, str]:
    """Give the fields of ``completion.md``.

    Args:
        bindings: Bindings of the passing Review.
        criteria: The plan's acceptance criteria, at least one.
        required_ids: Ids of the green required verification; each criterion gets all of them.
    """
    evidence = ", ".join([canonical(identifier) for identifier in required_ids])
    rows = [f'    {{"criterion": {canonical(item.id)}, "evidence": [{evidence}]}}' for item in criteria]
    return {**binding_fields(bindings), "acceptance_rows": ",\n".join(rows)}


def resume_fields(context: ResumeContext, reason: str) -> dict[str, str]:
    """Give the fields of ``repair-resume.md``."""
    return {
        "accepted_plan_hash": canonical(context.accepted_plan_hash),
        "paused_revision": canonical(context.paused_revision),
        "diff_revision": canonical(context.diff_revision),
        "verification_fingerprint": canonical(context.verification_fingerprint),
        "additional_rounds": canonical(context.additional_rounds),
        "reason": plain_line(reason),
    }


def amendment_fields(
    source_plan_hash: str, source_policy_id: str, *, criteria: Sequence[Criterion], policy: EffectivePolicy
) -> dict[str, str]:
    """Give the fields of ``plan-amendment.md``: the whole policy in force, for the agent to change.

    Args:
        source_plan_hash: Hash of the accepted Plan.
        source_policy_id: Id of the active policy.
        criteria: The acceptance criteria in force, at least one.
        policy: The active policy.
    """
    return {
        "source_plan_hash": canonical(source_plan_hash),
        "source_policy_id": canonical(source_policy_id),
        "acceptance_criteria": criteria_text(criteria),
        "write_boundary": entries_text(policy.boundary),
        "exact_commands": commands_text(policy),
        "verification_strategy": verification_text(policy),
    }


def record_fields(context: RecordContext, changes: str, verification: str) -> dict[str, str]:
    """Give the fields of ``repair-record.md``.

    Args:
        context: The bindings; every changed file has a name that ``names.is_file_path`` takes.
        changes: What was changed, in any words; kept as they are if a section can hold them.
        verification: What was verified, likewise.
    """
    return {
        "accepted_plan_hash": canonical(context.accepted_plan_hash),
        "source_review_round": canonical(context.source_review_round),
        "repair_round": canonical(context.repair_round),
        "finding_ids": _texts(context.finding_ids),
        "changed_files": _texts(context.changed_files),
        "diff_revision_before": canonical(context.diff_revision_before),
        "diff_revision_after": canonical(context.diff_revision_after),
        "verification_before": canonical(context.verification_before),
        "verification_after": canonical(context.verification_after),
        "changes": _section_text(changes),
        "verification": _section_text(verification),
    }


def repair_plan_fields(source_plan_hash: str, finding: str, *, policy: EffectivePolicy) -> dict[str, str]:
    """Give the fields of ``repair-plan.md``.

    Args:
        source_plan_hash: Hash of the accepted Plan.
        finding: Id of the finding to repair.
        policy: The active policy, with at least one boundary entry; the agent narrows the scope to the repair's files.
    """
    return {
        "source_plan_hash": canonical(source_plan_hash),
        "finding": canonical(finding),
        "repair_scope": entries_text(policy.boundary),
        "verification_strategy": verification_text(policy),
    }


def pause_report_fields(
    *,
    rounds_done: int,
    findings: Sequence[tuple[str, str]],
    diff_revision: str,
    repeated: int,
    no_progress: int,
    is_green: bool | None,
) -> dict[str, str]:
    """Give the fields of ``pause-report.md``.

    Args:
        rounds_done: Repair rounds that have begun.
        findings: Id of each finding that is left, and what it says.
        diff_revision: The tree now.
        repeated: Consecutive Reviews that named the same finding.
        no_progress: Consecutive Repair Records without progress.
        is_green: Whether the engine's last record is green; ``None`` before its first run.
    """
    rows = [f"- {plain_line(f'{identifier}: {text}')}" for identifier, text in findings]
    record = "there is none yet" if is_green is None else "green" if is_green else "red"
    return {
        "rounds_done": canonical(rounds_done),
        "remaining_findings": _texts([identifier for identifier, _ in findings]),
        "diff_revision": canonical(diff_revision),
        "repeated_finding_rounds": canonical(repeated),
        "rounds_without_progress": canonical(no_progress),
        "findings": "\n".join(rows) or "None",
        "last_record": record,
    }


def _texts(texts: Sequence[str]) -> str:
    return "[" + ", ".join([canonical(text) for text in texts]) + "]"


def _section_text(text: str) -> str:
    """Give any text as the body of a section, unchanged if it can be one and is not too long."""
    body = text.strip("\n ")
    if len(body) > MOST_KEPT:
        return plain_line(f"{body[:MOST_KEPT]}…")
    try:
        read_document(f"# A\n\n## B\n\n{body}\n\n## C\n\nD", ("B", "C"), is_gated=False)
    except LineError:
        return plain_line(body)
    return body


def plain_line(text: str) -> str:
    """Give any text as one line that is ordinary prose of an artifact, unchanged if it is that already."""
    # The name of the old evidence format is refused wherever it stands, so it cannot be quoted.
    line = " ".join(text.replace(OLD_EVIDENCE, "").split())
    try:
        check_characters([line])
        check_prose(line, 1, is_gated=True)
    except LineError:
        line = "".join([c if is_plain(c) and c not in _MARKUP else " " for c in line])
    # A letter in front keeps Markdown from reading a heading, a fence, a list or an underline.
    line = " ".join(line.split())
    return line if line[:1].isalpha() else f"Reason: {line}".rstrip()


def brief_fields(
    *, run_id: str, review: str, open_findings: str, engine_record: str, diff_command: str, brief_path: str
) -> dict[str, str]:
    """Give the fields of ``reviewer-brief.md``.

    Args:
        run_id: Id of the run.
        review: ``review.md`` filled in: the bindings and the answer's form.
        open_findings: One line for each open finding, or ``None``.
        engine_record: What the engine ran, with exit status, one line for each command.
        diff_command: The read-only command that shows the diff.
        brief_path: Absolute path of ``brief.md`` in the run's folder.
    """
    return {
        "run_id": run_id,
        "review": review.removesuffix("\n"),
        "open_findings": open_findings,
        "engine_record": engine_record,
        "diff_command": diff_command,
        "brief_path": brief_path,
    }
