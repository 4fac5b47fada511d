"""``$'…'``: backslash escapes to characters (bash manual 3.1.2.4)."""

from __future__ import annotations

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_OCTAL = "01234567"
_HEX = "0123456789abcdefABCDEF"
_LONGEST = {"x": 2, "u": 4, "U": 8}


def decode(text: str) -> str | None:
    """Give the value of what stands between ``$'`` and ``'``.

    Args:
        text: As written, escapes and all.

    Returns:
        The value; ``None`` where bash's answer depends on more than the text (NUL, bytes beyond ASCII, control
        escapes, unknown escapes).
    """
    made = []
    index = 0
    while index < len(text):
        character = text[index]
        index += 1
        if character != "\\":
            made.append(character)
            continue
        value, index = _escape(text, index)
        if value is None:
            return None
        made.append(value)
    return "".join(made)


def _escape(text: str, index: int) -> tuple[str | None, int]:
    letter = text[index : index + 1]
    if letter in _SIMPLE and letter:
        return _SIMPLE[letter], index + 1
    if letter in _LONGEST and letter:
        digits = _digits(text, index + 1, _HEX, most=_LONGEST[letter])
        return _character(digits, 16, is_byte=letter == "x"), index + 1 + len(digits)
    digits = _digits(text, index, _OCTAL, most=3)
    return _character(digits, 8, is_byte=True), index + len(digits)


def _digits(text: str, index: int, allowed: str, *, most: int) -> str:
    end = index
    while end < len(text) and end - index < most and text[end] in allowed:
        end += 1
    return text[index:end]


def _character(digits: str, base: int, *, is_byte: bool) -> str | None:
    value = int(digits, base) if digits else 0
    limit = 0x80 if is_byte else 0xD800  # a byte above ASCII may be half a character; surrogates are none
    return chr(value) if 0 < value < limit else None
