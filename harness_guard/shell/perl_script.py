"""Whether a perl one-liner for ``-n`` or ``-p`` only matches, substitutes and prints.

Perl has no reader but perl. So this is no reader but a list of shapes: ``s///`` and ``tr///`` without code in them,
``print``, ``next`` and ``last``, each with at most one condition of plain matches. Everything else is refused; above
all whatever could be interpolated as an expression (perlop, "Gory details of parsing quoted constructs"; perlre).
"""

from __future__ import annotations

_MARKS = frozenset("/,|#!%:;~")
_MATCH_FLAGS = frozenset("gimsxo")
_BEFORE_DOLLAR_END = frozenset(")|")
_WORDS = ("print", "say", "next", "last", "chomp")
_CONDITIONS = ("if", "unless")
_INSIDE_VARIABLE = frozenset("[{-:(")


def is_harmless(program: str) -> bool:
    """Tell whether a program can neither open, run nor evaluate anything."""
    if not program.isascii() or not all(character.isprintable() for character in program):
        return False
    index = 0
    while True:
        index = _skip(program, index, " ;")
        if index >= len(program):
            return True
        index = _statement(program, index)
        if index < 0 or (index < len(program) and program[index] != ";"):
            return False


def _skip(text: str, index: int, what: str) -> int:
    while index < len(text) and text[index] in what:
        index += 1
    return index


def _statement(text: str, index: int) -> int:
    """Give the index behind one statement, -1 if it is not of a known shape."""
    word = _word(text, index)
    if word in _WORDS:
        index = _printed(text, index + len(word))
    elif word in {"s", "tr", "y"}:
        index = _replacement(text, index + len(word), is_plain=word != "s")
    else:
        return -1
    index = _skip(text, index, " ") if index >= 0 else -1
    if index >= 0 and (condition := _word(text, index)) in _CONDITIONS:
        return _condition(text, index + len(condition))
    return index


def _printed(text: str, index: int) -> int:
    """A text in double quotes, ``$1`` or ``$_`` may follow."""
    start = _skip(text, index, " ")
    mark = text[start : start + 1]
    if mark == "$":
        end = start + 2
        is_known = text[start + 1 : end] in {"_", "&", *"123456789"} and text[end : end + 1] in {"", " ", ";"}
        return end if is_known else -1
    if mark != '"':
        return index
    end = _delimited(text, start + 1, mark)
    return end if end >= 0 and _is_plain_text(text[start + 1 : end - 1]) else -1


def _word(text: str, index: int) -> str:
    end = index
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[index:end]


def _condition(text: str, index: int) -> int:
    """Matches of ``$_`` and line numbers, joined by ``and``, ``or``, ``&&`` and ``||``."""
    while True:
        index = _skip(text, index, " !")
        index = _test(text, index)
        if index < 0:
            return -1
        index = _skip(text, index, " ")
        joint = next((word for word in ("&&", "||", "and ", "or ") if text.startswith(word, index)), "")
        if not joint:
            return index
        index += len(joint)


def _test(text: str, index: int) -> int:
    if text.startswith("$.", index):
        at = _skip(text, index + 2, " ")
        sign = next((word for word in ("==", "<=", ">=", "!=", "<", ">") if text.startswith(word, at)), "")
        start = _skip(text, at + len(sign), " ")
        end = _skip(text, start, "0123456789")
        return end if sign and end > start else -1
    if text.startswith("eof", index):
        return index + 3 if not _word(text, index)[3:] and text[index + 3 : index + 4] != "(" else -1
    if text.startswith("m", index):
        index += 1
        if text[index : index + 1] not in _MARKS:
            return -1
    elif text[index : index + 1] != "/":
        return -1
    end = _delimited(text, index + 1, text[index])
    if end < 0 or not _is_plain_pattern(text[index + 1 : end - 1]):
        return -1
    return _skip(text, end, "".join(_MATCH_FLAGS))


def _replacement(text: str, index: int, *, is_plain: bool) -> int:
    mark = text[index : index + 1]
    if mark not in _MARKS or not mark:
        return -1
    middle = _delimited(text, index + 1, mark)
    end = _delimited(text, middle, mark) if middle >= 0 else -1
    if end < 0:
        return -1
    pattern, other = text[index + 1 : middle - 1], text[middle : end - 1]
    if is_plain:
        return _skip(text, end, "cdsr")
    if not (_is_plain_pattern(pattern) and _is_plain_text(other)):
        return -1
    return _skip(text, end, "".join(_MATCH_FLAGS))


def _delimited(text: str, index: int, mark: str) -> int:
    """Give the index behind the closing mark: perl finds it before it looks at what stands between."""
    while index < len(text):
        if text[index] == mark:
            return index + 1
        index += 2 if text[index] == "\\" else 1
    return -1


def _is_plain_pattern(pattern: str) -> bool:
    """Whether nothing in a pattern is a variable or code: ``$`` only as an end, no ``@``, no ``(?{``, no ``(??``."""
    for index in _unescaped(pattern, "$@("):
        behind = pattern[index + 1 : index + 2]
        if pattern[index] == "@" or (pattern[index] == "$" and behind and behind not in _BEFORE_DOLLAR_END):
            return False
        if pattern[index] == "(" and pattern.startswith(("(?{", "(??", "(?p", "(*"), index):
            return False
    return True


def _is_plain_text(text: str) -> bool:
    """Whether a text in double quotes interpolates nothing but ``$1``, ``${1}`` and ``$&``."""
    for index in _unescaped(text, "$@"):
        if text[index] == "@":
            return False
        rest = text[index + 1 :]
        length = _skip(rest, 0, "0123456789") or int(rest[:1] == "&")
        if rest[:1] == "{" and rest[1:2].isdigit() and rest[2:3] == "}":
            length = len("{1}")
        if not length:
            return False
        if rest[length : length + 1] in _INSIDE_VARIABLE and rest[length:]:
            return False
    return True


def _unescaped(text: str, what: str) -> list[int]:
    found = []
    index = 0
    while index < len(text):
        if text[index] in what:
            found.append(index)
        index += 2 if text[index] == "\\" else 1
    return found
