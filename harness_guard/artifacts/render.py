"""What the kernel knows of the templates without reading them: the Repair Resume, and the hints of a Completion.

A pause has to show its way out even when the plugin's folder cannot be read, so the text of
``templates/repair-resume.md`` stands here again; a test holds the two together.
"""

from __future__ import annotations

from harness_guard.artifacts.templates import fill, resume_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.values import ResumeContext

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


def render_resume(context: ResumeContext, reason: str) -> str:
    """Render a Repair Resume, ready to be emitted.

    Args:
        context: The current bindings.
        reason: Why the run paused. It may quote a tool call, so what an artifact must not hold is replaced by blanks;
            what is rendered always parses.
    """
    return fill(_RESUME, resume_fields(context, reason))
