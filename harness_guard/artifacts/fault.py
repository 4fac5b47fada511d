"""An error at a line of a message, and how foreign text is shown in its words."""

from __future__ import annotations

from harness_guard.errors import ArtifactError

SHOWN_CHARACTERS = 80


class LineError(ArtifactError):
    """An artifact breaks a rule at a line.

    Attributes:
        line: Line of the message, from 1.
    """

    def __init__(self, line: int, rule: str, *, seen: str, remedy: str) -> None:
        """Take the line beside the three parts of every error."""
        super().__init__(rule, seen, remedy)
        self.line = line


def shown(text: str) -> str:
    """Quote foreign text for a reason: in backticks (in quotes if it holds some), on one line, escaped, cut.

    Everything that does not print as itself is escaped, so that a reason cannot be used to write on the human's screen.
    """
    # Cut before it is escaped, so that the work is bounded whatever is quoted.
    kept = text[:SHOWN_CHARACTERS]
    mark = '"' if "`" in kept else "`"
    escaped = "".join([c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in kept])
    return f"{mark}{escaped}{'…' if len(text) > SHOWN_CHARACTERS else ''}{mark}"
