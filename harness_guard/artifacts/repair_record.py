"""``# Repair Record``: three sections to a ``Record`` (contract section 4).

A Record is evidence of one repair round and never authority: nobody answers it.
"""

from __future__ import annotations

from harness_guard.artifacts.bindings import read_revision
from harness_guard.artifacts.fault import shown
from harness_guard.artifacts.names import is_file_path, read_identifier
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import Record, RecordContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from harness_guard.artifacts.strict_json import Node

TITLES: Final = ("Repair Context", "Changes", "Verification")
KEYS: Final = (
    "accepted_plan_hash",
    "source_review_round",
    "repair_round",
    "finding_ids",
    "changed_files",
    "diff_revision_before",
    "diff_revision_after",
    "verification_before",
    "verification_after",
)


def parse_record(text: str) -> Record:
    """Parse a normalized message whose first line is ``# Repair Record``.

    Raises:
        LineError: With the first rule that it breaks.
    """
    document = read_document(text, TITLES, is_gated=False)
    context, changes, verification = document.sections
    members = read_block(context, "repair_context").members(KEYS)
    return Record(
        digest=document.digest,
        context=RecordContext(
            accepted_plan_hash=members["accepted_plan_hash"].digest(),
            source_review_round=members["source_review_round"].integer(1),
            repair_round=members["repair_round"].integer(1),
            # Both may be empty: a round can follow on a Review without findings, and end without a change.
            finding_ids=_read_unique(members["finding_ids"], _read_finding_id),
            changed_files=_read_unique(members["changed_files"], _read_changed_file),
            diff_revision_before=read_revision(members["diff_revision_before"]),
            diff_revision_after=read_revision(members["diff_revision_after"]),
            verification_before=members["verification_before"].digest(),
            verification_after=members["verification_after"].digest(),
        ),
        changes=changes.text,
        verification=verification.text,
        text=text,
    )


def _read_unique(node: Node, read: Callable[[Node], str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for item in node.items():
        text = read(item)
        if text in found:
            raise item.error(
                "artifact.unique",
                seen=f"found {shown(text)} twice in {node.name}",
                remedy="Name each item once.",
            )
        found[text] = None
    return tuple(found)


def _read_finding_id(node: Node) -> str:
    return read_identifier(node, example="R1-F1")


def _read_changed_file(node: Node) -> str:
    text = node.text()
    if not is_file_path(text):
        raise node.error(
            "record.changed-file",
            seen=f"found {shown(text)} as {node.name}, expected one file's path from the repository root",
            remedy="Write the path as the diff names it, with `/` and without `.`, `..` or a leading `/`.",
        )
    return text
