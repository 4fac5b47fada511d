"""The forms of two kinds of names in artifacts: an id, and the path of one file."""

from __future__ import annotations

import re

from harness_guard.artifacts.characters import is_plain
from harness_guard.artifacts.fault import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.strict_json import Node

# Of a criterion and of a verification command; a Review's finding ids (``R1-F1``) are of this form too.
IDENTIFIER: Final = "[A-Za-z][A-Za-z0-9_-]{0,31}"

_IDENTIFIER = re.compile(IDENTIFIER)


def read_identifier(node: Node, *, example: str) -> str:
    """Read an id.

    Raises:
        LineError: If it is none; ``example`` shows what one looks like.
    """
    text = node.text()
    if not _IDENTIFIER.fullmatch(text):
        raise node.error(
            "artifact.json-value",
            seen=f"found {shown(text)} as {node.name}, expected an id such as `{example}`",
            remedy="Write a letter and then letters, digits, `_` or `-`, 32 at most.",
        )
    return text


def is_file_path(text: str) -> bool:
    """Tell whether a text names one file from the repository root in the one spelling that artifacts have for it.

    Some files have a name that no artifact can hold: one with a backslash, with a blank at an end or with a character
    that cannot be seen.
    """
    segments = text.split("/")
    is_spelled_once = "\\" not in text and not any(segment in {"", ".", ".."} for segment in segments)
    return is_spelled_once and is_plain(text) and text == text.strip()
