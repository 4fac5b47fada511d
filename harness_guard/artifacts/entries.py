"""The two list sections of a Plan: Write Boundary and Exact Commands (contract section 4).

Both are ``None`` or a list in which every item is code, so that what is approved is shown byte for byte.
"""

from __future__ import annotations

import re

from harness_guard.artifacts.fault import LineError, shown
from harness_guard.errors import ArtifactError
from harness_guard.paths import check_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness_guard.artifacts.sections import Section

NOTHING = "None"

_ENTRY = re.compile(r"- `([^`]+)`")
# A code span of any number of backticks, as a bullet or on a line of its own; its text holds no run of that length.
_SPAN = re.compile(r"(?:- )?(`+)([^`](?:.*[^`])?)\1", re.DOTALL)
_SHELL_FENCE = re.compile(r"(`{3,})(?:sh|bash|shell)?")
_TOOL = re.compile(r"mcp__[A-Za-z0-9_-]+__[A-Za-z0-9_.-]+")


def read_boundary(section: Section) -> tuple[str, ...]:
    """Read the Write Boundary.

    Args:
        section: The section.

    Returns:
        The entries as written, each once; empty for ``None``.

    Raises:
        LineError: ``plan.write-boundary`` for the list's form, ``artifact.unique`` for a repeated entry, or the rule of
            ``paths.check_entry`` that an entry breaks.
    """
    if section.text == NOTHING:
        return ()
    entries: dict[str, int] = {}
    for number, line in section.rows:
        item = _ENTRY.fullmatch(line)
        if item is None:
            raise LineError(
                number,
                "plan.write-boundary",
                seen=f"found {shown(line)}, expected a bullet with one code span, or the one word None",
                remedy="Write each entry as - `path/from/the/root`, one to a line.",
            )
        try:
            check_entry(item[1])
        except ArtifactError as error:
            remedy = error.remedy[:1].upper() + error.remedy[1:].removesuffix(".") + "."
            raise LineError(number, error.rule, seen=error.seen, remedy=remedy) from None
        _add(entries, item[1], number=number)
    return tuple(entries)


def read_commands(section: Section) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the Exact Commands.

    Args:
        section: The section.

    Returns:
        The commands byte for byte, and the full names of MCP tools; both empty for ``None``.

    Raises:
        LineError: ``plan.exact-commands`` for the form, ``artifact.unique`` for a repeated command.
    """
    if section.text == NOTHING:
        return (), ()
    found: dict[str, int] = {}
    for number, text in _commands(section):
        if not text:
            raise _bad_command(number, "an empty block")
        if any(line != line.rstrip() for line in text.split("\n")) or text != text.strip():
            raise _bad_command(number, "a command with blanks at the end of a line or around it, which no reader sees")
        if text.startswith("mcp__") and not _TOOL.fullmatch(text):
            raise _bad_command(number, f"{shown(text)}, which is not the full name of one MCP tool")
        _add(found, text, number=number)
    tools = tuple(text for text in found if _TOOL.fullmatch(text))
    return tuple(text for text in found if not _TOOL.fullmatch(text)), tools


def _commands(section: Section) -> Iterator[tuple[int, str]]:
    block: list[str] = []
    ticks = ""
    for number, line in enumerate(section.lines, section.line + 1):
        if ticks:
            closing = line.rstrip(" ")  # the very rule of ``sections``: both must see the same end of a block
            if len(closing) < len(ticks) or closing.strip("`"):
                block.append(line)
                continue
            yield number - len(block), "\n".join(block)
            block, ticks = [], ""
        elif line.startswith("```"):
            fence = _SHELL_FENCE.fullmatch(line)
            if fence is None:
                raise _bad_command(number, f"the fence {shown(line)}, which is no shell block")
            ticks = fence[1]
        elif line.strip():
            yield number, _span(line, number)


def _span(line: str, number: int) -> str:
    span = _SPAN.fullmatch(line)
    if span is None or span[1] in re.findall("`+", span[2]):
        raise _bad_command(number, f"{shown(line)}, which is not one code span")
    text = span[2]
    if text.startswith(" ") and text.endswith(" ") and text.strip():
        return text[1:-1]  # CommonMark 6.1: one blank each side belongs to the span, not to its text
    return text


def _bad_command(number: int, found: str) -> LineError:
    return LineError(
        number,
        "plan.exact-commands",
        seen=f"found {found}, expected one command in each code span or fenced block, or the one word None",
        remedy="Write each full command as - `command` or in a block from ``` to ```.",
    )


def _add(found: dict[str, int], text: str, *, number: int) -> None:
    if text in found:
        raise LineError(
            number,
            "artifact.unique",
            seen=f"found {shown(text)} twice, first on line {found[text]}",
            remedy="Name each item once.",
        )
    found[text] = number
