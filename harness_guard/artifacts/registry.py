"""A message to the artifact that it is: the one place that knows which headings this version reads at Stop.

``# Repair Plan`` has a parser for those who ask for it and is inert at Stop. ``# Pause Report``, ``# Completion
Report`` and every other heading, JSON at the top level and prose have none: there they give ``None``, here an error.
"""

from __future__ import annotations

from harness_guard.artifacts.completion import parse_completion
from harness_guard.artifacts.digest import normalized
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.plan import parse_plan
from harness_guard.artifacts.plan_amendment import parse_amendment
from harness_guard.artifacts.repair_plan import parse_repair_plan
from harness_guard.artifacts.repair_record import parse_record
from harness_guard.artifacts.repair_resume import parse_resume
from harness_guard.artifacts.review import parse_review
from harness_guard.artifacts.sections import find_heading
from harness_guard.artifacts.values import NearMiss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from harness_guard.artifacts.values import Artifact, ArtifactKind, RepairPlan

PARSERS: Final[dict[str, tuple[ArtifactKind, Callable[[str], Artifact]]]] = {
    "# Plan": ("plan", parse_plan),
    "# Plan Amendment": ("plan-amendment", parse_amendment),
    "# Clean-context Review": ("review", parse_review),
    "# Repair Record": ("repair-record", parse_record),
    "# Repair Resume": ("repair-resume", parse_resume),
    "# Completion": ("completion", parse_completion),
}
# What can be parsed when it is asked for by its kind: all of these, and the one that Stop leaves alone.
DIRECT: Final[dict[str, tuple[str, Callable[[str], Artifact | RepairPlan]]]] = {
    **{kind: (heading, parse) for heading, (kind, parse) in PARSERS.items()},
    "repair-plan": ("# Repair Plan", parse_repair_plan),
}


def recognise(message: str) -> Artifact | NearMiss | None:
    """Tell which artifact a message is.

    Never raises and takes time linear in the message, whatever the text.

    Args:
        message: An agent's whole last message, as the host delivers it.

    Returns:
        The artifact; a ``NearMiss`` if an artifact's exact heading stands at a line start outside fenced code and the
        message does not parse; ``None`` for everything else.
    """
    # Most messages are prose: this look costs next to nothing, the line reader below a pass over the whole text.
    if not any(heading in message for heading in PARSERS):
        return None
    text = normalized(message)
    first = text.partition("\n")[0]
    # The first line decides: an artifact behind a greeting is none, because the hash would cover the greeting too.
    if first in PARSERS:
        kind, parse = PARSERS[first]
        try:
            return parse(text)
        except LineError as error:
            return NearMiss(kind, error.line, error.rule, error.seen, error.remedy)
    found = find_heading(text.split("\n"), tuple(PARSERS))
    if found is None:
        return None
    line, heading = found
    return NearMiss(
        PARSERS[heading][0],
        line,
        "artifact.alone",
        f"found `{heading}` behind other text, expected the artifact alone in the message",
        f"Emit the message again so that its first line is `{heading}` and nothing but the artifact follows.",
    )


def parse_artifact(kind: str, message: str) -> Artifact | RepairPlan:
    """Parse a message that has to be one artifact of a kind.

    Args:
        kind: A key of ``DIRECT``.
        message: The whole message.

    Returns:
        The artifact.

    Raises:
        LineError: ``artifact.title`` if it starts with another line than the kind's heading, else the first rule that
            it breaks.
    """
    heading, parse = DIRECT[kind]
    text = normalized(message)
    first = text.partition("\n")[0]
    if first != heading:
        raise LineError(
            1,
            "artifact.title",
            seen=f"found {shown(first)}, expected `{heading}`",
            remedy=f"Write the artifact as the template shows it, with `{heading}` as its first line.",
        )
    return parse(text)
