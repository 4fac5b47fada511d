"""Whether a sed script only prints and changes text: no ``w``, ``W``, ``e`` or ``r``, no ``s///e`` or ``s///w``.

One pass, no backtracking. What the pass does not know for certain makes the script not harmless (sed 4.9 manual).
"""

from __future__ import annotations

_ALONE = frozenset("pPdDgGhHxnN=zF{}")
_NUMBERED = frozenset("qQlL")
_LABELLED = frozenset("btT:")
_TEXT = frozenset("aic")
_FLAGS = frozenset("gpiIMm0123456789")


def is_harmless(script: str) -> bool:
    """Tell whether a sed script can neither write a file nor run a program."""
    index = 0
    while index < len(script):
        index = _skip(script, index, " \t\n;")
        if index >= len(script):
            return True
        if script[index] == "#":
            end = script.find("\n", index)
            index = len(script) if end < 0 else end
            continue
        index = _addresses(script, index)
        if index < 0 or index >= len(script):
            return False
        index = _command(script, index)
        if index < 0:
            return False
    return True


def _skip(script: str, index: int, what: str) -> int:
    while index < len(script) and script[index] in what:
        index += 1
    return index


def _addresses(script: str, index: int) -> int:
    index = _address(script, index)
    if index < 0:
        return -1
    index = _skip(script, index, " \t")
    if script[index : index + 1] == ",":
        index = _skip(script, index + 1, " \t")
        index = _address(script, _skip(script, index, "+~"))
        if index < 0:
            return -1
    return _skip(script, index, " \t!")


def _address(script: str, index: int) -> int:
    start = script[index : index + 1]
    if start == "$":
        return index + 1
    if start == "/":
        end = _delimited(script, index + 1, "/")
        return _skip(script, end, "IM") if end >= 0 else -1
    if start == "\\":
        return -1
    return _skip(script, index, "0123456789~")


def _delimited(script: str, index: int, mark: str) -> int:
    """Give the index behind the closing mark, -1 without one or where a bracket makes it uncertain."""
    while index < len(script):
        character = script[index]
        if character == "\\":
            index += 2
            continue
        if character == mark:
            return index + 1
        inside = script[index : script.find("]", index + 2) + 1] if character == "[" else ""
        if mark in inside.replace("\\" + mark, ""):
            return -1  # inside a bracket expression the mark does not close
        if character == "\n":
            return -1
        index += 1
    return -1


def _command(script: str, index: int) -> int:
    letter = script[index]
    index += 1
    if letter in _ALONE:
        return _end(script, index, braces=True)
    if letter in _NUMBERED:
        return _end(script, _skip(script, index, " \t0123456789"), braces=True)
    if letter in _LABELLED:
        label = index
        while label < len(script) and (script[label].isalnum() or script[label] in "_ \t"):
            label += 1
        return _end(script, label, braces=letter != ":")
    if letter in _TEXT:
        # GNU: one-line text up to the line's end; a backslash may go on to the next line.
        end = script.find("\n", index)
        return len(script) if end < 0 else (-1 if "\\" in script[index:end] else end)
    if letter in {"s", "y"}:
        return _substitution(script, index, letter)
    return -1


def _substitution(script: str, index: int, letter: str) -> int:
    mark = script[index : index + 1]
    if not mark or mark in "\\\n" or mark.isalnum() or mark.isspace():
        return -1
    middle = _delimited(script, index + 1, mark)
    if middle < 0:
        return -1
    end = _replacement(script, middle, mark)
    if end < 0:
        return -1
    if letter == "s":
        while end < len(script) and script[end] in _FLAGS:
            end += 1
    return _end(script, end, braces=True)


def _replacement(script: str, index: int, mark: str) -> int:
    while index < len(script):
        if script[index] == "\\":
            index += 2
            continue
        if script[index] == mark:
            return index + 1
        index += 1
    return -1


def _end(script: str, index: int, *, braces: bool) -> int:
    index = _skip(script, index, " \t")
    if index >= len(script) or script[index] in ";\n#":
        return index
    if braces and script[index] == "}":
        return index
    # ``{p`` and ``}p``: a command may follow a brace at once.
    return index if script[index - 1] in "{} \t" and "{" in script[:index] and script[index] != "w" else -1
