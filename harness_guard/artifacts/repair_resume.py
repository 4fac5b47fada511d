"""``# Repair Resume``: three sections to a ``Resume`` (contract section 4)."""

from __future__ import annotations

from harness_guard.artifacts.bindings import read_revision
from harness_guard.artifacts.gate import check_gate
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import Resume, ResumeContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

TITLES: Final = ("Resume Context", "Reason", "Approval")
GATE: Final = "Proceed with this Repair Resume? [y/N]"
KEYS: Final = (
    "accepted_plan_hash",
    "paused_revision",
    "diff_revision",
    "verification_fingerprint",
    "additional_rounds",
)
MOST_ROUNDS: Final = 3  # contract section 6: a Resume adds 0 to 3 rounds


def parse_resume(text: str) -> Resume:
    """Parse a normalized message whose first line is ``# Repair Resume``.

    Raises:
        LineError: With the first rule that it breaks.
    """
    document = read_document(text, TITLES, is_gated=True)
    context, reason, approval = document.sections
    check_gate(approval, GATE)
    members = read_block(context, "resume_context").members(KEYS)
    return Resume(
        digest=document.digest,
        context=ResumeContext(
            accepted_plan_hash=members["accepted_plan_hash"].digest(),
            paused_revision=members["paused_revision"].integer(0),
            diff_revision=read_revision(members["diff_revision"]),
            verification_fingerprint=members["verification_fingerprint"].digest_or_none(),
            additional_rounds=members["additional_rounds"].integer(0, MOST_ROUNDS),
        ),
        reason=reason.text,
        text=text,
    )
