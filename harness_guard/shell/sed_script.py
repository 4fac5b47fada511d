"""What a sed script opens: the files of ``w``, ``W``, ``r``, ``R``, ``s///w``; one with ``e`` or ``s///e`` is not read.

One pass over each line, no backtracking. Nothing that the pass takes for certain reaches over the end of a line, so two
readings of one line never shift the next. What it does not know for certain makes the script not harmless. Tried out on
GNU sed 4.9 (``read_label``, ``read_text``, ``match_slash``, ``read_end_of_cmd`` and ``mark_subst_opts`` of its
``compile.c``).
"""

from __future__ import annotations

from harness_guard.records import dataclass

_ALONE = frozenset("pPdDgGhHxnN=zF}")
_NUMBERED = frozenset("qQlL")
_LABELLED = frozenset("btT:")
_TEXT = frozenset("aic")
_FILES = frozenset("wWrR")
_FLAGS = "gpiIMm0123456789"
_DIGITS = "0123456789"
_LABEL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_OPENING = "\\:=.[^"  # a ``]`` behind one of these may not close its bracket


_UNSETTLED = frozenset("\\[]{}|~^_@`")  # may be the second half of a character, in encodings that have such


@dataclass(frozen=True, slots=True)
class Opened:
    """The files that a script writes, and those that it reads by name."""

    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()


def is_harmless(script: str) -> bool:
    """Tell whether a sed script can neither write a file, nor read one by name, nor run a program."""
    return read(script) == Opened()


def read(script: str) -> Opened | None:
    """Read a sed script; ``None`` where it is not certain what it opens, or where it runs a program."""
    if not _is_settled(script):
        return None
    files: list[tuple[str, str]] = []
    lines = script.split("\n")
    while lines:
        line = lines.pop(0)
        end = _read_line(line, files)
        if end < 0:
            return None
        # The text of ``a``, ``c`` and ``i`` stands on the lines behind, each but the last with a backslash at its end.
        while end > len(line):
            if not lines or lines[0].endswith("\\\\"):
                return None
            end += 0 if lines.pop(0).endswith("\\") else -end
    return Opened(
        tuple([name for letter, name in files if letter in {"w", "W"}]),
        tuple([name for letter, name in files if letter in {"r", "R"}]),
    )


def _is_settled(script: str) -> bool:
    """Whether sed sees the same characters as this pass, in whatever encoding."""
    if script.isascii():
        return True
    pairs = zip(script, script[1:] + "\n", strict=True)
    return not any(not first.isascii() and second in _UNSETTLED for first, second in pairs)


def _read_line(line: str, files: list[tuple[str, str]]) -> int:
    """Give the index behind the line's commands, more than its length if text follows, -1 if it is not certain."""
    index = 0
    while True:
        index = _skip(line, index, " \t;")
        if index >= len(line) or line[index] == "#":
            return len(line)
        index = _addresses(line, index)
        if not 0 <= index < len(line):
            return -1
        index = _command(line, index, files)
        if index < 0 or index > len(line):
            return index


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


def _command(line: str, index: int, files: list[tuple[str, str]]) -> int:
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
        return _text(line, index)
    if letter in _FILES:
        return _file(line, index, letter, files=files)
    if letter in {"s", "y"}:
        return _substitution(line, index, letter, files=files)
    return -1


def _text(line: str, index: int) -> int:
    """GNU: one-line text up to the line's end; a backslash there goes on to the next line, or the next ``-e``."""
    text = line[index:].strip(" \t")
    if text == "\\" and line.endswith(text):
        return len(line) + 1
    text = text.removeprefix("\\").lstrip(" \t")
    return len(line) if text and not text.endswith("\\") else -1


def _file(line: str, index: int, letter: str, *, files: list[tuple[str, str]]) -> int:
    """A name reaches to the line's end, whatever stands in it."""
    name = line[_skip(line, index, " \t") :]
    if not name or "\\" in name or not name.isprintable():
        return -1
    files.append((letter, name))
    return len(line)


def _substitution(line: str, index: int, letter: str, *, files: list[tuple[str, str]]) -> int:
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
        end = _skip(line, end, _FLAGS)
        if line[end : end + 1] == "w":
            return _file(line, end + 1, "w", files=files)
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
