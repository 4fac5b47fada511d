"""Fills the places of a template that the guard knows; the agent writes the visible ``<…>`` hints itself.

The caller reads the file from ``templates/``. A place is ``{{name}}``. Nothing that is filled in is looked at again.
"""

from __future__ import annotations

import re

from harness_guard.artifacts.characters import check_characters, is_plain
from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.prose import check_prose
from harness_guard.artifacts.sections import OLD_EVIDENCE
from harness_guard.canonical import canonical
from harness_guard.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness_guard.artifacts.values import Bindings, Criterion, ResumeContext

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
