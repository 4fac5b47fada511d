"""Fills the places of a template that the guard knows; the agent writes the visible ``<…>`` hints itself.

The caller reads the file from ``templates/``. A place is ``{{name}}``. Nothing that is filled in is looked at again.
"""

from __future__ import annotations

import re

from harness_guard.artifacts.render import acceptance_rows, binding_members, plain_line
from harness_guard.canonical import canonical
from harness_guard.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness_guard.artifacts.values import Bindings, Criterion, ResumeContext

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")


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
    places = set(_PLACE.findall(template))
    if places != fields.keys():
        odd = sorted(places.symmetric_difference(fields))
        raise ArtifactError(
            "artifact.template",
            f"the template's places and the fields differ in: {', '.join(odd)}",
            "Install the plugin again: its templates and its code are of different versions.",
        )
    return _PLACE.sub(lambda place: fields[place[1]], template)


def binding_fields(bindings: Bindings) -> dict[str, str]:
    """Give the fields of ``review.md``."""
    return {name: canonical(value) for name, value in binding_members(bindings).items()}


def completion_fields(bindings: Bindings, criteria: Sequence[Criterion], required_ids: Sequence[str]) -> dict[str, str]:
    """Give the fields of ``completion.md``."""
    rows = ",\n".join([f"    {row}" for row in acceptance_rows(criteria, required_ids)])
    return {**binding_fields(bindings), "acceptance_rows": rows}


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
