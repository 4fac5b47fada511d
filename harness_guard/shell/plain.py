"""Texts that mean one thing to every shell: one command of plain words and simple quotes, split without a parser.

Nothing in such a text expands, redirects, joins or comments; the first word is no reserved word and no assignment. So
no reader has to be asked, which halves the price of most calls (docs/adr/0001-shell-readers.md has the figures).
"""

from __future__ import annotations

BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=,:@%+-")
LONGEST = 4096  # characters; a longer text goes to the readers
RESERVED = frozenset(
    (
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "case",
        "esac",
        "for",
        "select",
        "while",
        "until",
        "do",
        "done",
        "in",
        "function",
        "time",
        "coproc",
        "foreach",
        "end",
        "repeat",
        "nocorrect",
        "noglob",
    )
)  # fmt: skip  the last five are zsh's
_NEVER_IN_DOUBLE = frozenset('$`\\!"')


def split(text: str) -> tuple[tuple[str, bool], ...] | None:
    """Split a text of plain words.

    Args:
        text: The command text.

    Returns:
        Each word's value and whether any of it was quoted; ``None`` if the text is anything but plain words.
    """
    if len(text) > LONGEST:
        return None
    words = []
    index = 0
    while True:
        while index < len(text) and text[index] in " \t":
            index += 1
        if index == len(text):
            break
        value, is_quoted, index = _word(text, index)
        if index < 0:
            return None
        words.append((value, is_quoted))
    if not words or words[0][1] or words[0][0] in RESERVED or "=" in words[0][0]:
        return None
    return tuple(words)


def _word(text: str, index: int) -> tuple[str, bool, int]:
    made: list[str] = []
    is_quoted = False
    while index < len(text) and text[index] not in " \t":
        character = text[index]
        if character in BARE:
            # A ``=`` in front of a word is zsh's command lookup.
            if character == "=" and not made and not is_quoted:
                return "", False, -1
            made.append(character)
            index += 1
            continue
        end = text.find(character, index + 1) if character in "'\"" else -1
        inside = text[index + 1 : end]
        if end < 0 or not _is_printable(inside) or (character == '"' and not _NEVER_IN_DOUBLE.isdisjoint(inside)):
            return "", False, -1
        made.append(inside)
        is_quoted = True
        index = end + 1
    return "".join(made), is_quoted, index


def _is_printable(text: str) -> bool:
    return text.isascii() and text.isprintable()
