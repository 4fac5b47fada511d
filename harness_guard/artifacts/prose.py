"""What ordinary text of an artifact must not hold, because a renderer would hide it or show it as something else.

Every check looks at one line: code spans have to close on their line, so no construct of CommonMark reaches across
lines and the reading here is the renderer's. Inside code spans nothing is checked; there a reader sees every character.
"""

from __future__ import annotations

import re

from harness_guard.artifacts.fault import LineError, shown

_BACKTICKS = re.compile(r"`+")
# CommonMark 0.31, 6.6: a tag, comment, instruction or declaration starts so. Autolinks (6.5) look the same.
_HTML = re.compile(r"<[A-Za-z/!?]")
# CommonMark 2.5: character references, which can stand for invisible characters.
_REFERENCE = re.compile(r"&(?:#|[A-Za-z][A-Za-z0-9]{1,31};)")


def outside_code(line: str, number: int) -> str:
    """Give a line with every code span replaced by one blank.

    Args:
        line: One line outside fenced blocks.
        number: Its number, for the error.

    Returns:
        The rest of the line.

    Raises:
        LineError: ``artifact.code-span`` if a run of backticks has no partner on the line or is escaped.
    """
    runs = [(found.start(), found.end()) for found in _BACKTICKS.finditer(line)]
    partners = _partners(runs)
    kept, position, index = [], 0, 0
    while index < len(runs):
        start = runs[index][0]
        partner = partners[index]
        if partner is None or line[start - 1 : start] == "\\":
            raise LineError(
                number,
                "artifact.code-span",
                seen=f"found a run of backticks that does not open and close on its line: {shown(line)}",
                remedy="Close the code span on the line where it starts, with as many backticks.",
            )
        kept.append(line[position:start])
        position, index = runs[partner][1], partner + 1
    return " ".join([*kept, line[position:]])


def _partners(runs: list[tuple[int, int]]) -> list[int | None]:
    # For each run the next one of equal length (CommonMark 6.1), found from behind so that hostile text costs no more.
    following: dict[int, int] = {}
    partners: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partners[index] = following.get(length)
        following[length] = index
    return partners


def check_prose(line: str, number: int, *, is_gated: bool) -> None:
    """Refuse a line that a renderer would not show as written.

    Args:
        line: One line outside fenced blocks.
        number: Its number.
        is_gated: Whether a human approves the artifact; then links, which hide their target, are refused too.

    Raises:
        LineError: ``artifact.html``, ``artifact.link-definition``, ``artifact.link`` or ``artifact.code-span``.
    """
    rest = outside_code(line, number)
    if _HTML.search(rest) or _REFERENCE.search(rest):
        raise LineError(
            number,
            "artifact.html",
            seen=f"found HTML or a character reference outside code: {shown(line)}",
            remedy="Put the text into a code span, or say it in words.",
        )
    if "]:" in rest:
        raise LineError(
            number,
            "artifact.link-definition",
            seen=f"found what may be a link definition: {shown(line)}",
            remedy="Write the address as plain text, or put the brackets into a code span.",
        )
    if is_gated and ("](" in rest or "][" in rest):
        raise LineError(
            number,
            "artifact.link",
            seen=f"found a link, whose target the reader of a gate does not see: {shown(line)}",
            remedy="Write the address as plain text, or put the brackets into a code span.",
        )
