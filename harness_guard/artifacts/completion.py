"""``# Completion``: four sections to a ``Completion`` (contract section 4)."""

from __future__ import annotations

from harness_guard.artifacts.bindings import read_bindings
from harness_guard.artifacts.fault import shown
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import Acceptance, Completion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.strict_json import Node

TITLES: Final = ("Completion Context", "Acceptance", "Changes", "Remaining Risks")


def parse_completion(text: str) -> Completion:
    """Parse a normalized message whose first line is ``# Completion``.

    Raises:
        LineError: With the first rule that it breaks.
    """
    # Nobody answers a Completion, so links are allowed: no gate could be read wrongly because of one.
    document = read_document(text, TITLES, is_gated=False)
    context, acceptance, changes, risks = document.sections
    return Completion(
        digest=document.digest,
        context=read_bindings(read_block(context, "completion_context")),
        acceptance=_read_acceptance(read_block(acceptance, "acceptance").items(least=1)),
        changes=changes.text,
        remaining_risks=risks.text,
        text=text,
    )


def _read_acceptance(nodes: tuple[Node, ...]) -> tuple[Acceptance, ...]:
    found: dict[str, Acceptance] = {}
    for node in nodes:
        members = node.members(("criterion", "evidence"))
        criterion = members["criterion"].text()
        evidence = [item.text() for item in members["evidence"].items(least=1)]
        # Said twice, one of the two would be what the reader saw and the other what was checked.
        repeated = criterion in found or len(set(evidence)) < len(evidence)
        if repeated:
            raise node.error(
                "artifact.unique",
                seen=f"found the criterion {shown(criterion)} or one of its evidence ids twice",
                remedy="Name each criterion of the plan once, and each evidence id once beside it.",
            )
        found[criterion] = Acceptance(criterion, tuple(evidence))
    return tuple(found.values())
