"""Whether a sed script only prints and changes text: no ``w``, ``W``, ``e``, ``r`` or ``R``, no ``s///e`` or ``s///w``.

One pass over each line, no backtracking. Nothing that the pass takes for certain reaches over the end of a line, so two
readings of one line never shift the next. What it does not know for certain makes the script not harmless. Tried out on
GNU sed 4.9 (``read_label``, ``match_slash``, ``read_end_of_cmd`` and ``mark_subst_opts`` of its ``compile.c``).
"""

from __future__ import annotations

_ALONE = frozenset("pPdDgGhHxnN=zF}")
_NUMBERED = frozenset("qQlL")
_LABELLED = frozenset("btT:")
_TEXT = frozenset("aic")
_FLAGS = frozenset("gpiIMm0123456789")
_DIGITS = "0123456789"
_LABEL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_OPENING = "\\:=.[^"  # a ``]`` behind one of these may not close its bracket


def is_harmless(script: str) -> bool:
    """Tell whether a sed script can neither write a file, nor read one by name, nor run a program."""
    # In an encoding whose second bytes look like a backslash, sed sees other characters than this pass does.
    return script.isascii() and all(_is_harmless_line(line) for line in script.split("\n"))


def _is_harmless_line(line: str) -> bool:
    index = 0
    while True:
        index = _skip(line, index, " \t;")
        if index >= len(line) or line[index] == "#":
            return True
        index = _addresses(line, index)
        if not 0 <= index < len(line):
            return False
        index = _command(line, index)
        if index < 0:
            return False


def _skip(line: str, index: int, what: str) -> int:
    while index < len(line) and line[index] in what:
        index += 1
    return index


def _addresses(line: str, index: int) -> int:
    index = _address(line, index)
    if index < 0:
        return -1
    index = _skip(line, index, " \t")
    if line[index : index + 1] == ",":
        index = _skip(line, index + 1, " \t")
        index = _address(line, _skip(line, index, "+~"))
        if index < 0:
            return -1
    return _skip(line, index, " \t!")


def _address(line: str, index: int) -> int:
    start = line[index : index + 1]
    if start == "$":
        return index + 1
    if start == "/":
        end = _delimited(line, index + 1, "/")
        return _skip(line, end, "IM") if end >= 0 else -1
    if start == "\\":
        return -1
    return _skip(line, index, _DIGITS + "~")


def _delimited(line: str, index: int, mark: str) -> int:
    """Give the index behind a pattern's closing mark, -1 without one or where a bracket makes it uncertain."""
    while index < len(line):
        character = line[index]
        if character == "\\":
            index += 2
        elif character == mark:
            return index + 1
        elif character == "[":
            index = _bracket(line, index, mark)
            if index < 0:
                return -1
        else:
            index += 1
    return -1


def _bracket(line: str, index: int, mark: str) -> int:
    """Give the index behind a bracket expression, -1 if it is not certain where it ends."""
    at = index + 1
    at += line[at : at + 1] == "^"
    at += line[at : at + 1] == "]"
    while at < len(line) and line[at] not in "[]\\":
        at += 1
    if line[at : at + 1] == "]":
        return at + 1
    # Classes and backslashes: wherever the bracket ends, it has ended at a ``]`` that nothing in front changes.
    limit = _unescaped(line, index + 1, mark)
    if "[." in line[index + 1 : limit] or "[=" in line[index + 1 : limit]:
        return -1
    ends = (at for at in range(index + 2, max(limit, 0)) if line[at] == "]" and line[at - 1] not in _OPENING)
    return next(ends, -2) + 1


def _unescaped(line: str, index: int, mark: str) -> int:
    """Give the index of the next mark that has no backslash in front, -1 without one."""
    while index < len(line):
        if line[index] == mark:
            return index
        index += 2 if line[index] == "\\" else 1
    return -1


def _command(line: str, index: int) -> int:
    letter = line[index]
    index += 1
    if letter == "{":
        return index
    if letter in _ALONE:
        return _end(line, index)
    if letter in _NUMBERED:
        return _end(line, _skip(line, _skip(line, index, " \t"), _DIGITS))
    if letter in _LABELLED:
        # A label ends at the first blank, and the next command may follow it there: nothing may.
        label = _skip(line, index, " \t")
        while label < len(line) and line[label] in _LABEL:
            label += 1
        end = _end(line, label)
        return -1 if letter == ":" and line[end : end + 1] in {"}", "#"} else end
    if letter in _TEXT:
        # GNU: one-line text up to the line's end; a backslash may go on to the next line, or the next ``-e``.
        text = line[index:].strip(" \t")
        return len(line) if text and "\\" not in text else -1
    if letter in {"s", "y"}:
        return _substitution(line, index, letter)
    return -1


def _substitution(line: str, index: int, letter: str) -> int:
    mark = line[index : index + 1]
    if not mark or mark in "\\[]" or mark.isalnum() or mark.isspace():
        return -1
    middle = _delimited(line, index + 1, mark) if letter == "s" else _unescaped(line, index + 1, mark) + 1
    end = _unescaped(line, middle, mark) + 1 if middle > 0 else 0
    if end <= 0 or (letter == "y" and "[" in line[index:end]):
        return -1
    if letter == "s":
        if _may_act_earlier(line, index + 1, mark):
            return -1
        while end < len(line) and line[end] in _FLAGS:
            end += 1
    return _end(line, end)


def _may_act_earlier(line: str, index: int, mark: str) -> bool:
    """Whether a sed that ends patterns inside brackets (4.8 and before) could meet a flag that writes or runs.

    Such a pattern does not compile, so nothing behind the flags matters; but sed opens the file of ``w`` before.
    """
    middle = _unescaped(line, index, mark)
    if middle + 1 == _delimited(line, index, mark):
        return False
    end = _unescaped(line, middle + 1, mark)
    flags = line[end + 1 :].lstrip("gpiIMm0123456789 \t") if end >= 0 else ""
    return flags[:1] in {"w", "e"}


def _end(line: str, index: int) -> int:
    """Require the end of a command: nothing, ``;``, a comment or a closing brace."""
    index = _skip(line, index, " \t")
    return index if index >= len(line) or line[index] in ";#}" else -1
