"""Patch text in Codex's ``apply_patch`` form to effects: which files it adds, updates, deletes and moves.

The form is read generously where that finds more paths (blanks around headers, any case of padding) and refused where a
line could hide one. Source: the ``apply_patch`` instructions that Codex ships to its models.
"""

from __future__ import annotations

from harness_guard.shell.effects import Effects, Unknown, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["file", "entry"]

NAME = "apply_patch"
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_HEADERS: dict[str, tuple[Kind, ...]] = {
    "*** Add File:": ("file",),
    "*** Update File:": ("file",),
    "*** Delete File:": ("entry",),
    "*** Move to:": ("file",),
}
_MARKS = ("*** End of File", _BEGIN, _END)


def effects_of_patch(text: str, cwd: str) -> Effects:
    """Give the effects of a patch.

    Args:
        text: The patch, with or without text around it.
        cwd: Absolute folder that its relative paths start from.

    Returns:
        Its writes; an ``Unknown`` writer if it is no patch or a line of it cannot be read for certain.
    """
    lines = text.split("\n")
    stripped = [line.strip() for line in lines]
    if _BEGIN not in stripped:
        return _unknown("a patch without its first line", text)
    writes: list[Write] = []
    current = ""
    for line in stripped[stripped.index(_BEGIN) + 1 :]:
        if not line.startswith("***") or line in _MARKS:
            continue
        header = next((known for known in _HEADERS if line.startswith(known)), None)
        path = line[len(header) :].strip() if header else ""
        if header is None or not path or not path.isprintable():
            # ``***`` may begin a line of content only behind ``+``, ``-`` or a blank, which a header may carry too.
            return _unknown("a patch line that may be a header", line)
        where = path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"
        if header == "*** Move to:" and current:
            writes.append(Write(current, "entry", NAME))
        writes += [Write(where, kind, NAME) for kind in _HEADERS[header]]
        current = where
    if not writes:
        return _unknown("a patch that names no file", text)
    return Effects(writes=tuple(writes))


def _unknown(why: str, seen: str) -> Effects:
    return Effects(unknown=(Unknown(why, seen[:200], is_writer=True),))
