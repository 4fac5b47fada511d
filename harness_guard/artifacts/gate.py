"""The gate line: the question that a human answers, alone in the last section (contract sections 4 and 5)."""

from __future__ import annotations

from harness_guard.artifacts.fault import LineError, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.sections import Section


def check_gate(section: Section, gate: str) -> None:
    """Demand that a section is exactly one gate line.

    Raises:
        LineError: ``artifact.gate`` with the first line that is another.
    """
    # Text behind the question could change what the human thinks the `y` is for; so not a word may follow.
    for index, (number, line) in enumerate(section.rows):
        if index or line != gate:
            raise LineError(
                number,
                "artifact.gate",
                seen=f"found {shown(line)}, expected the one line `{gate}`",
                remedy="End the artifact with exactly the gate line and nothing behind it.",
            )
