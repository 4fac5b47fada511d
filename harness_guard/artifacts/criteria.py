"""The section Acceptance Criteria of a Plan and of an Amendment (contract section 4)."""

from __future__ import annotations

import re

from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.names import IDENTIFIER
from harness_guard.artifacts.values import Criterion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.sections import Section

# One bullet, or a bullet and indented lines: a nested list would leave open which sentence is the criterion.
_CRITERION = re.compile(rf"- ({IDENTIFIER}): (\S.*)")
_CONTINUED = re.compile(r"  +([^-*+ ].*)")


def read_criteria(section: Section) -> tuple[Criterion, ...]:
    """Read the criteria in order, at least one.

    Raises:
        LineError: ``plan.acceptance-criteria`` for the list's form, ``artifact.unique`` for a repeated id.
    """
    found: dict[str, list[str]] = {}
    last: list[str] = []
    for number, line in section.rows:
        item = _CRITERION.fullmatch(line)
        more = _CONTINUED.fullmatch(line) if last else None
        if item is not None and item[1] not in found:
            last = found[item[1]] = [item[2].rstrip()]
        elif item is not None:
            raise LineError(
                number,
                "artifact.unique",
                seen=f"found the criterion {shown(item[1])} twice",
                remedy="Give each criterion an id of its own.",
            )
        elif more is not None:
            last.append(more[1].rstrip())
        else:
            raise LineError(
                number,
                "plan.acceptance-criteria",
                seen=f"found {shown(line)}, expected `- AC1: ` and a sentence",
                remedy="Write each criterion as one bullet with an id, a colon and what will be true.",
            )
    return tuple(Criterion(key, " ".join(lines)) for key, lines in found.items())
