"""``${name…}`` on a known value: defaults, prefixes and suffixes, parts, replacements (bash manual 3.5.3)."""

from __future__ import annotations

from harness_guard.shell.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Operand = tuple[str, str] | None

DEFAULTS = frozenset((":-", "-", ":=", "=", ":+", "+", ":?", "?"))
MOST_CHARACTERS = 128  # of a value that patterns are tried on
_CASES: dict[str, Callable[[str], str]] = {
    "^^": str.upper,
    ",,": str.lower,
    "^": lambda text: text[:1].upper() + text[1:],
    ",": lambda text: text[:1].lower() + text[1:],
}


def changed(value: Value | None, op: str, operands: Sequence[Operand]) -> Value | None:
    """Give what an expansion makes of a value.

    Args:
        value: The value, ``None`` if unknown.
        op: The operator, as ``syntax.Param`` names it.
        operands: The words inside, each as a text and as a pattern; ``None`` for one that is not known.

    Returns:
        The new value, ``None`` if reading cannot tell.
    """
    if value is None or value.text is None or len(value.text) > MOST_CHARACTERS:
        return None
    if op in DEFAULTS:
        return _default(value, op, operands)
    if op in _CASES and not operands and value.text.isascii():
        return Value(_CASES[op](value.text))
    if not operands or any(operand is None for operand in operands):
        return None
    if not value.text.isascii():
        return None
    texts = [operand[0] for operand in operands if operand is not None]
    patterns = [operand[1] for operand in operands if operand is not None]
    if op == "slice":
        return _slice(value.text, [int(text) for text in texts])
    if op in {"/", "//"} and texts[1:]:
        return _replaced(value.text, op, patterns[0], texts[1])
    if op in {"%", "%%", "#", "##"}:
        return _stripped(value.text, op, patterns[0])
    return None


def _default(value: Value, op: str, operands: Sequence[Operand]) -> Value | None:
    # An empty value may be unset, which makes a difference to the operators without a colon.
    if not value.text and not value.is_unset and not op.startswith(":"):
        return None
    takes_word = bool(value.text) == (op[-1] == "+")
    if not takes_word:
        return value if op[-1] != "+" else Value("")
    if op[-1] == "?" or not operands:
        return None
    return None if operands[0] is None else Value(operands[0][0])


def _slice(text: str, numbers: Sequence[int]) -> Value | None:
    first = numbers[0] if numbers[0] >= 0 else len(text) + numbers[0]
    if first < 0 or first > len(text):
        return Value("")
    if not numbers[1:]:
        return Value(text[first:])
    end = first + numbers[1] if numbers[1] >= 0 else len(text) + numbers[1]
    return None if end < first else Value(text[first:end])


def _replaced(text: str, op: str, pattern: str, new: str) -> Value | None:
    old = _literal(pattern)
    # ``&`` in the new text stands for the match in some versions; ``#`` and ``%`` in front tie the match to an end.
    if not old or pattern[0] in "#%/" or "&" in new or "\\" in new:
        return None
    return Value(text.replace(old, new, 1 if op == "/" else -1))


def _literal(pattern: str) -> str | None:
    """Give the one text that a glob matches, ``None`` if it may match others."""
    made = ""
    index = 0
    while index < len(pattern):
        if pattern[index] in "*?[(":
            return None
        index += pattern[index] == "\\"
        made += pattern[index : index + 1]
        index += 1
    return made


def _stripped(text: str, op: str, pattern: str) -> Value | None:
    if "[" in pattern or "(" in pattern or len(pattern) > MOST_CHARACTERS:
        return None
    is_suffix = op[0] == "%"
    lengths = range(len(text) + 1)  # shortest first
    for length in lengths if len(op) == 1 else reversed(lengths):
        part = text[len(text) - length :] if is_suffix else text[:length]
        if matches(part, pattern):
            return Value(text[: len(text) - length] if is_suffix else text[length:])
    return Value(text)


def matches(text: str, pattern: str) -> bool:
    """Tell whether a glob of ``*``, ``?`` and backslashes matches a whole text; at most length times length steps."""
    at = index = 0
    star, mark = -1, 0
    while at < len(text):
        if index < len(pattern) and pattern[index] == "*":
            star, mark = index, at
            index += 1
            continue
        width, fits = _fits(text[at], pattern, index)
        if fits:
            at += 1
            index += width
        elif star >= 0:
            mark += 1
            at, index = mark, star + 1
        else:
            return False
    return all(character == "*" for character in pattern[index:])


def _fits(character: str, pattern: str, index: int) -> tuple[int, bool]:
    if index >= len(pattern):
        return 0, False
    if pattern[index] == "\\" and index + 1 < len(pattern):
        return 2, pattern[index + 1] == character
    return 1, pattern[index] in {"?", character}
