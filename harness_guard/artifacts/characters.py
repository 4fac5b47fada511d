"""Characters that a reader cannot see or that change what is seen (contract section 4).

What was approved is what could be read. Line ends aside, an artifact holds only characters that Unicode calls
printable: no control character (the tab is one), no format character (bidirectional marks and zero-width characters are
some), no blank but the ASCII one, no private, unassigned or surrogate code point; and none of the printable characters
that show nothing.
"""

from __future__ import annotations

from harness_guard.artifacts.fault import LineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Unicode's Default_Ignorable_Code_Point as far as ``str.isprintable`` lets it pass, and the blank Braille cell.
UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join([chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))])
)


def is_plain(text: str) -> bool:
    """Tell whether every character of one line of text can be seen as what it is."""
    return text.isprintable() and (text.isascii() or UNSEEN.isdisjoint(text))


def check_characters(lines: Sequence[str]) -> None:
    """Refuse the first character that cannot be read.

    Args:
        lines: The message's lines, without their ends.

    Raises:
        LineError: ``artifact.character``, with the code point and its column.
    """
    for number, line in enumerate(lines, 1):
        if not is_plain(line):
            column, bad = next((i, c) for i, c in enumerate(line, 1) if not is_plain(c))
            raise LineError(
                number,
                "artifact.character",
                seen=f"found U+{ord(bad):04X} in column {column}, expected characters that a reader can see",
                remedy="Write the line without control, bidirectional or invisible characters; indent with blanks.",
            )
