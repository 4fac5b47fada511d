"""A message with an artifact's heading to its ordered sections with line numbers (contract section 4).

The formats are exact, so this is no Markdown parser: it reads lines and refuses whatever CommonMark might read another
way (fences that do not stand at the line start, headings in lists or quotes, underlined headings, HTML).
"""

from __future__ import annotations

import re

from harness_guard.artifacts.characters import check_characters
from harness_guard.artifacts.digest import message_hash
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.prose import check_prose
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OLD_EVIDENCE = "harness.verification-evidence.v1"

# Block quotes, bullets, numbers and blanks in front of a line's own text (CommonMark 5.1, 5.2). The branches start with
# different characters and the repetition is possessive, so matching is linear.
_CONTAINERS = re.compile(r"(?:[ ]|>|[-*+](?=[ ])|[0-9]{1,9}[.)](?=[ ]))*+")
_HEADING = re.compile(r"(#{1,6})(?:[ ]|$)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ ]*$")
# One `-` and a blank underline a heading too (4.3), though they look like an empty bullet.
_BARE_UNDERLINE = re.compile(r"[ >]*+(?:-[- ]*|=[= ]*)$")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class Section:
    """One ``## `` section.

    Attributes:
        title: The heading's words.
        line: Line of the heading, from 1.
        lines: The lines behind the heading; ``lines[i]`` is line ``line + 1 + i`` of the message.
    """

    title: str
    line: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The body without blank lines at its ends."""
        return "\n".join(self.lines).strip("\n ")

    @property
    def rows(self) -> tuple[tuple[int, str], ...]:
        """The lines that are not blank, with their numbers."""
        return tuple((number, line) for number, line in enumerate(self.lines, self.line + 1) if line.strip())


@dataclass(frozen=True, slots=True)
class Document:
    """An artifact that has its sections; what they say is not read yet."""

    digest: str
    text: str
    sections: tuple[Section, ...]


def read_document(text: str, titles: Sequence[str], *, is_gated: bool) -> Document:
    """Split a normalized message, whose first line is the artifact's heading, into its sections.

    Args:
        text: The message after ``digest.normalized``.
        titles: The sections' titles in order.
        is_gated: Whether a human approves the artifact.

    Returns:
        The document; every section has a line that is not blank.

    Raises:
        LineError: With the first line that breaks a rule.
    """
    lines = text.split("\n")
    check_characters(lines)
    _check_end(lines)
    _check_evidence(lines)
    starts = _section_starts(lines, titles, is_gated=is_gated)
    ends = [*starts[1:], len(lines) + 1]
    sections = [
        Section(title, start, tuple(lines[start : end - 1]))
        for title, start, end in zip(titles, starts, ends, strict=True)
    ]
    for section in sections:
        if not section.rows:
            raise LineError(
                section.line,
                "artifact.section-empty",
                seen=f"found nothing below `## {section.title}`",
                remedy="Fill the section in; where there is nothing to say, write None.",
            )
    return Document(message_hash(text), text, tuple(sections))


def _check_end(lines: list[str]) -> None:
    if not lines[-1].strip():
        raise LineError(
            len(lines),
            "artifact.alone",
            seen="found blank lines behind the artifact, expected nothing behind its last line",
            remedy="Emit the artifact again, alone, and end the message with its last line.",
        )


def _check_evidence(lines: list[str]) -> None:
    for number, line in enumerate(lines, 1):
        if OLD_EVIDENCE in line:
            raise LineError(
                number,
                "artifact.evidence-v1",
                seen=f"found `{OLD_EVIDENCE}`, which is refused and not migrated",
                remedy="Leave evidence objects out; the engine records its own evidence.",
            )


def _section_starts(lines: list[str], titles: Sequence[str], *, is_gated: bool) -> list[int]:
    starts: list[int] = []
    for number, line in _outside_fences(lines):
        if _is_section_heading(line, number):
            _check_title(line, number, titles=titles[len(starts) : len(starts) + 1])
            starts.append(number)
            continue
        if not starts and line.strip():
            raise LineError(
                number,
                "artifact.stray-text",
                seen=f"found {shown(line)} before the first section, expected `## {titles[0]}`",
                remedy="Let the first section follow the heading.",
            )
        check_prose(line, number, is_gated=is_gated)
    if len(starts) < len(titles):
        raise LineError(
            len(lines),
            "artifact.section-order",
            seen=f"found the end of the message, expected `## {titles[len(starts)]}`",
            remedy=f"Write all {len(titles)} sections in the order of the template.",
        )
    return starts


def _check_title(line: str, number: int, *, titles: Sequence[str]) -> None:
    expected = f"`## {titles[0]}`" if titles else "no further section"
    if not titles or line != f"## {titles[0]}":
        raise LineError(
            number,
            "artifact.section-order",
            seen=f"found {shown(line)}, expected {expected}",
            remedy="Name and order the sections exactly as the template does.",
        )


def _is_section_heading(line: str, number: int) -> bool:
    """Tell a ``## `` line from text; refuse every other line that would be shown as a first or second heading."""
    prefix = _CONTAINERS.match(line)
    start = prefix.end() if prefix else 0
    heading = _HEADING.match(line, start)
    if heading and not start and heading[1] == "#":
        raise LineError(
            number,
            "artifact.alone",
            seen=f"found a second heading {shown(line)}, expected one artifact alone in the message",
            remedy="Emit one artifact, with nothing before or after it.",
        )
    is_underline = _UNDERLINE.match(line, start) or _BARE_UNDERLINE.match(line)
    if is_underline or (heading and start and len(heading[1]) <= 2):  # noqa: PLR2004  # and ##
        raise LineError(
            number,
            "artifact.heading",
            seen=f"found {shown(line)}, which is shown as a heading or a rule",
            remedy="Write headings as `## ` at the line start, and no line of `=` or `-` alone.",
        )
    return heading is not None and heading[1] == "##"


def _outside_fences(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Give the lines behind the first that are outside fenced blocks.

    Raises:
        LineError: ``artifact.fence`` for a fence that is not exactly: backticks at the line start, closed the same way.
    """
    opening, ticks = 0, ""
    for number, line in enumerate(lines[1:], 2):
        fence = _fence_at(line)
        if ticks:
            if fence and fence[1][0] == "`" and len(fence[1]) >= len(ticks) and not fence[2].strip():
                _check_fence(line, number, is_good=not fence.start())
                ticks = ""
            continue
        if fence:
            _check_fence(line, number, is_good=not fence.start() and fence[1][0] == "`" and "`" not in fence[2])
            opening, ticks = number, fence[1]
            continue
        yield number, line
    if ticks:
        _check_fence(lines[opening - 1], opening, is_good=False)


def _fence_at(line: str) -> re.Match[str] | None:
    prefix = _CONTAINERS.match(line)
    return _FENCE.match(line, prefix.end() if prefix else 0)


def _check_fence(line: str, number: int, *, is_good: bool) -> None:
    if not is_good:
        raise LineError(
            number,
            "artifact.fence",
            seen=f"found the fence {shown(line)}, expected backticks at the line start that are closed the same way",
            remedy="Open and close each block with ``` at the start of a line of its own.",
        )


def find_heading(lines: Sequence[str], headings: Sequence[str]) -> tuple[int, str] | None:
    """Find the first exact heading at a line start outside fenced code, in any text (CommonMark 4.5).

    Args:
        lines: The message's lines.
        headings: Whole lines to look for.

    Returns:
        Line number from 1 and the heading, or ``None``.
    """
    ticks = ""
    for number, line in enumerate(lines, 1):
        if not ticks and line in headings:
            return number, line
        ticks = _fence_behind(line, ticks)
    return None


def _fence_behind(line: str, ticks: str) -> str:
    """Give the fence that is open behind a line, ``""`` for none; ``ticks`` is the one open before it."""
    indent = len(line) - len(line.lstrip(" "))
    fence = _FENCE.match(line, indent) if indent <= 3 else None  # noqa: PLR2004  four blanks make it code
    if fence is None:
        return ticks
    if not ticks:
        # Backticks with a backtick behind them on the line are a code span and open nothing.
        is_span = fence[1][0] == "`" and "`" in fence[2]
        return "" if is_span else fence[1]
    # Only as many of the same character, or more, and nothing else on the line, close a fence.
    is_closing = fence[1].startswith(ticks) and not fence[2].strip()
    return "" if is_closing else ticks
