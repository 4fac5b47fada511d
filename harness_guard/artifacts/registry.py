"""A message to the artifact that it is: the one place that knows which headings this version reads at Stop.

``# Plan Amendment``, ``# Repair Record``, ``# Repair Plan``, ``# Pause Report`` and every other heading, JSON at the
top level and prose are inert here: they give ``None``.
"""

from __future__ import annotations

from harness_guard.artifacts.completion import parse_completion
from harness_guard.artifacts.digest import normalized
from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.plan import parse_plan
from harness_guard.artifacts.repair_resume import parse_resume
from harness_guard.artifacts.review import parse_review
from harness_guard.artifacts.sections import find_heading
from harness_guard.artifacts.values import NearMiss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from harness_guard.artifacts.values import Artifact, ArtifactKind

PARSERS: Final[dict[str, tuple[ArtifactKind, Callable[[str], Artifact]]]] = {
    "# Plan": ("plan", parse_plan),
    "# Clean-context Review": ("review", parse_review),
    "# Repair Resume": ("repair-resume", parse_resume),
    "# Completion": ("completion", parse_completion),
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
