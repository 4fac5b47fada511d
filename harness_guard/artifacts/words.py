"""A verification command to the words that the engine runs without a shell (POSIX XCU 2.2, 2.3).

The same text is an exact command that an agent may type into a shell. So only text is taken that every POSIX shell
splits into exactly these words: words and quotes, nothing that a shell would expand, redirect or combine.
"""

from __future__ import annotations

import re

from harness_guard.artifacts.fault import shown
from harness_guard.errors import ArtifactError

RULE = "plan.verification-command"

# Unquoted, each of these is an operator (2.10), an expansion (2.6; of braces and history in bash, zsh) or a comment.
_SPECIAL = frozenset("|&;<>()$`*?[]{}~#!^")
_RESERVED = frozenset(
    "if then else elif fi do done case esac while until for in select function time coproc".split()  # noqa: SIM905
)
_TOKEN = re.compile(
    r"""(?P<blank>[ ]+)|(?P<single>'[^']*')|(?P<double>"(?:[^"\\$`!]|\\.)*+")|(?P<escape>\\.)|(?P<plain>[^ '"\\]+)""",
    re.DOTALL,
)
_DOUBLE_ESCAPE = re.compile(r'\\(["\\$`])')  # 2.2.3: before every other character the backslash stays


def split_words(command: str) -> tuple[str, ...]:
    """Split one simple command into its words.

    Args:
        command: One line of readable characters without blanks at its ends.

    Returns:
        At least one word; the first one names a program.

    Raises:
        ArtifactError: ``plan.verification-command`` if it is anything but words and quotes.
    """
    words: list[list[str]] = []
    is_open = False
    position = 0
    while position < len(command):
        token = _TOKEN.match(command, position)
        if token is None:
            raise _refused(f"{shown(command[position:])} is an open quote or an expansion in double quotes")
        piece = _piece(token)
        if piece is None:
            is_open = False
        else:
            if not is_open:
                words.append([])
            is_open = True
            if token.lastgroup == "plain" and piece.startswith("=") and not any(words[-1]):
                raise _refused(f"{shown(piece)} begins a word with `=`, which zsh expands")
            words[-1].append(piece)
        position = token.end()
    argv = tuple("".join(pieces) for pieces in words)
    _check_first(argv)
    return argv


def _piece(token: re.Match[str]) -> str | None:
    text = token[0]
    if token.lastgroup == "blank":
        return None
    if token.lastgroup == "single":
        return text[1:-1]
    if token.lastgroup == "double":
        return _DOUBLE_ESCAPE.sub(r"\1", text[1:-1])
    if token.lastgroup == "escape":
        return text[1]
    special = _SPECIAL.intersection(text)
    if special:
        raise _refused(f"{shown(min(special))} in {shown(text)} means something to a shell")
    return text


def _check_first(words: tuple[str, ...]) -> None:
    if not words or not words[0] or words[0] in _RESERVED:
        raise _refused("the first word names no program")
    if "=" in words[0]:
        raise _refused("the first word is an assignment")


def _refused(why: str) -> ArtifactError:
    return ArtifactError(
        RULE,
        f"found a command that is not one simple command of words and quotes: {why}",
        "Write one program with its arguments and quote special characters; put anything more into a script.",
    )
