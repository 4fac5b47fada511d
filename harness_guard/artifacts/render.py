"""What the kernel knows of the templates without reading them: Repair Resume and Record, the hints of a Completion.

A pause has to show its way out, and a wrong Record its mend, even when the plugin's folder cannot be read. So the texts
of ``templates/repair-resume.md`` and ``templates/repair-record.md`` stand here again; a test holds them together.
"""

from __future__ import annotations

from harness_guard.artifacts.templates import fill, record_fields, resume_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.values import RecordContext, ResumeContext

# They stand in ``templates/completion.md``; a Completion that still holds one has said nothing.
CHANGES_HINT: Final = "- `<path>`: `<what is different now>`"
RISKS_HINT: Final = "`<what is left to watch, or None>`"

_RESUME: Final = """\
# Repair Resume

## Resume Context

```json
{
  "resume_context": {
    "accepted_plan_hash": {{accepted_plan_hash}},
    "paused_revision": {{paused_revision}},
    "diff_revision": {{diff_revision}},
    "verification_fingerprint": {{verification_fingerprint}},
    "additional_rounds": {{additional_rounds}}
  }
}
```

## Reason

{{reason}}

## Approval

Proceed with this Repair Resume? [y/N]
"""

_RECORD: Final = """\
# Repair Record

## Repair Context

```json
{
  "repair_context": {
    "accepted_plan_hash": {{accepted_plan_hash}},
    "source_review_round": {{source_review_round}},
    "repair_round": {{repair_round}},
    "finding_ids": {{finding_ids}},
    "changed_files": {{changed_files}},
    "diff_revision_before": {{diff_revision_before}},
    "diff_revision_after": {{diff_revision_after}},
    "verification_before": {{verification_before}},
    "verification_after": {{verification_after}}
  }
}
```

## Changes

{{changes}}

## Verification

{{verification}}
"""


def render_resume(context: ResumeContext, reason: str) -> str:
    """Render a Repair Resume, ready to be emitted.

    Args:
        context: The current bindings.
        reason: Why the run paused. It may quote a tool call, so what an artifact must not hold is replaced by blanks;
            what is rendered always parses.
    """
    return fill(_RESUME, resume_fields(context, reason))


def render_record(context: RecordContext, changes: str, verification: str) -> str:
    """Render a Repair Record, ready to be emitted.

    Args:
        context: The current bindings; every changed file has a name that ``names.is_file_path`` takes.
        changes: What was changed, in the agent's words: kept if a section can hold them, else turned into plain prose
            or cut; what is rendered always parses.
        verification: What was verified, likewise.
    """
    return fill(_RECORD, record_fields(context, changes, verification))
