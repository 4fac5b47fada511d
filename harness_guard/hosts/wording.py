"""Text for a model or a terminal: nothing in it can move a cursor, hide, or be cut by the host (contract section 2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.decision import Reason

# Both hosts cut near 10,000 bytes and keep the rest in a file; the contract leaves a tenth.
LIMIT_BYTES: Final = 8_999
_FIRST_LINES_BYTES: Final = 4_000  # so that the first line and the remedy can never push everything else out
_MARK_BYTES: Final = 64

# Characters that Unicode calls printable although nothing is seen: fillers and joiners.
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
# Blanks that are seen: they stand in ordinary prose of some languages.
_BLANKS: Final = frozenset(
    "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


def visible(text: str, keep: str = "") -> str:
    r"""Write every character that is not seen as its escape, such as ``\x1b`` or ``\u202e``.

    Args:
        text: Any text, lone surrogates included.
        keep: Characters that stay as they are (line ends and tabs of a longer text).

    Returns:
        A text without control, bidirectional and zero-width characters, lone surrogates and line separators.
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join([char if _is_seen(char) or char in keep else _escape(char) for char in text])


def _is_seen(char: str) -> bool:
    return char in _BLANKS or (char.isprintable() and char not in _INVISIBLE)


def _escape(char: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    if named is not None:
        return named
    point = ord(char)
    if point < 0x100:  # noqa: PLR2004  two hex digits suffice
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"  # noqa: PLR2004


def reason_text(reason: Reason) -> str:
    """Render a reason: a first line that stands alone, the remedy, and what more there is.

    Args:
        reason: The parts; line ends inside the first two are escaped, because they are not ours.

    Returns:
        At most ``LIMIT_BYTES`` bytes of UTF-8.
    """
    first = clip(visible(f"harness-guard {reason.rule}: {reason.seen}."), _FIRST_LINES_BYTES // 2, glue=" ")
    remedy = clip(visible(f"Next: {reason.remedy}"), _FIRST_LINES_BYTES // 2, glue=" ")
    head = f"{first}\n{remedy}"
    if not reason.more:
        return head
    room = LIMIT_BYTES - len(head.encode()) - 1
    return f"{head}\n{clip(visible(reason.more, keep=_LAYOUT), room)}"


def context_text(text: str) -> str:
    """Render a longer text for the model, its line ends and tabs kept.

    Returns:
        At most ``LIMIT_BYTES`` bytes of UTF-8.
    """
    shown = visible(text, keep=_LAYOUT)
    first, line_end, rest = shown.partition("\n")
    first = clip(first, _FIRST_LINES_BYTES, glue=" ")
    return first + line_end + clip(rest, LIMIT_BYTES - len(first.encode()) - len(line_end))


_LAYOUT: Final = "\n\t"


def clip(text: str, limit: int, *, glue: str = "\n") -> str:
    """Cut the middle out of a text that is too long, between characters, with a mark that says how much is gone.

    Args:
        text: The text, without lone surrogates.
        limit: Bytes of UTF-8 that the result may have, at least twice the mark's.
        glue: What stands on both sides of the mark.
    """
    data = text.encode()
    if len(data) <= limit:
        return text
    half = (limit - _MARK_BYTES) // 2
    head = data[:half].decode("utf-8", "ignore")  # "ignore" drops the torn character at the cut and nothing else
    tail = data[-half:].decode("utf-8", "ignore")
    gone = len(data) - len(head.encode()) - len(tail.encode())
    return f"{head}{glue}[... {gone} bytes cut here ...]{glue}{tail}"
