"""Names of paths: which Write Boundary entries are allowed, and which names are the control plane everywhere.

A leaf: pure text, nothing is looked up on disk (``evidence/resolve.py`` does that).
"""

from __future__ import annotations

from harness_guard.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# What a project keeps for its hosts and for git; no tool call writes below one, in any letter case, at any depth (P7).
PROJECT_CONTROL_PLANE: Final = (".claude", ".codex", ".agents", ".mcp.json", ".git")

_RULE: Final = "artifact.boundary-entry"
ENTRY_BYTES: Final = 1_024  # far above any path that a human reads at a gate, far below PATH_MAX (4,096)
_DRIVE_LENGTH: Final = 2


def normal_form(text: str) -> str:
    """Give the Unicode form in which names are compared (NFC)."""
    if text.isascii():
        return text
    from unicodedata import normalize  # a millisecond that ASCII names do not pay

    return normalize("NFC", text)


def shown_path(path: str) -> str:
    """Give a name that a state and an answer can hold: bytes that are no UTF-8 stand escaped."""
    return path.encode("utf-8", "backslashreplace").decode()


def folded(name: str) -> str:
    """Give the form in which protected names are compared: whatever some file system takes for the same name is equal.

    Letter case is folded, canonically equal spellings are joined, and characters that HFS+ skips are dropped.
    """
    if name.isascii():
        return name.lower()
    seen = "".join([char for char in normal_form(name) if char.isprintable()])
    return normal_form(seen.casefold())


def names_control_plane(segment: str) -> bool:
    """Tell whether one path segment is a name of the project's control plane."""
    return segment[:1] != "" and folded(segment) in PROJECT_CONTROL_PLANE


def segment_matches(wanted: str, found: str) -> bool:
    """Match one path segment against a pattern in which ``*`` stands for any run of characters.

    Only the last star is remembered, so the steps are at most the product of both lengths.
    """
    if wanted in (found, "*"):
        return True
    if "*" not in wanted:
        return False
    at, seen, star, retry = 0, 0, -1, 0
    while seen < len(found):
        if at < len(wanted) and wanted[at] == "*":
            star, retry = at, seen
            at += 1
        elif at < len(wanted) and wanted[at] == found[seen]:
            at += 1
            seen += 1
        elif star >= 0:
            retry += 1
            at, seen = star + 1, retry
        else:
            return False
    return all(char == "*" for char in wanted[at:])


def check_entry(text: str) -> None:
    """Check one entry of a Write Boundary (contract section 4).

    Args:
        text: The entry as it stands in its code span.

    Raises:
        ArtifactError: If it is absolute, leaves the root, is not a plain spelling, or names the control plane.
    """
    for is_wrong, what, remedy in _spelling(text):
        if is_wrong:
            raise _refused(text, what, remedy)
    segments = text[:-1].split("/") if text.endswith("/") else text.split("/")
    for segment in segments:
        _check_segment(text, segment)


def _spelling(text: str) -> tuple[tuple[bool, str, str], ...]:
    plain = "write it with visible characters and `/` alone"
    relative = "write it relative to the repository root"
    is_drive = len(text) >= _DRIVE_LENGTH and text[1] == ":" and text[0].isascii() and text[0].isalpha()
    return (
        (not text, "is empty", "write a path, or the exact word `None` for the whole section"),
        (not text.isprintable(), "holds a control, invisible or unusual blank character", plain),
        (text != text.strip(), "starts or ends with a blank", plain),
        ("\\" in text, "holds a backslash", plain),
        (len(text.encode("utf-8", "replace")) > ENTRY_BYTES, f"is longer than {ENTRY_BYTES} bytes", "shorten it"),
        (text.startswith("/"), "is absolute", relative),
        (text.startswith("~"), "starts with a home folder", relative),
        (is_drive, "starts with a drive letter", relative),
        (text.startswith("!"), "is negated", "list what may be written; nothing is negated"),
    )


def _check_segment(text: str, segment: str) -> None:
    if not segment:
        raise _refused(text, "has an empty segment", "write one `/` between two names")
    if segment in (".", ".."):
        raise _refused(text, f"has the segment `{segment}`", "write the path without `.` and `..`")
    if "**" in segment and segment != "**":
        remedy = "let `**` stand alone between two `/`, such as `src/**/*.py`, or use one `*`"
        raise _refused(text, "has `**` inside a segment", remedy)
    if names_control_plane(segment):
        remedy = "leave it out; a human changes settings, hooks and git's own files outside a run"
        raise _refused(text, f"names the control plane: `{segment}`", remedy)


def widened(glob: str) -> tuple[str, bool]:
    """Read one segment of a shell pattern, widened so that every special form is a ``*``.

    A wider pattern can only name more places, all of which must be allowed. A backslash makes the next character plain.

    Returns:
        The segment without backslashes, and whether it is a pattern.
    """
    read: list[str] = []
    is_pattern = False
    at = 0
    while at < len(glob):
        char = glob[at]
        if char == "\\" and at + 1 < len(glob):
            at += 1
            read.append(glob[at])
        elif char in "*?":
            is_pattern = True
            read.append("*")
        elif char == "[":
            # Where a bracket expression ends is a matter of classes, quotes and locale: the rest is free.
            return "".join(read) + "*", True
        else:
            read.append(char)
        at += 1
    return "".join(read), is_pattern


def glob_matches(glob: str, name: str) -> bool:
    """Tell whether a shell pattern may match a name; where that is not sure, it may."""
    return segment_matches(widened(glob)[0], name)


def _refused(text: str, what: str, remedy: str) -> ArtifactError:
    return ArtifactError(_RULE, f"write boundary entry `{text}` {what}", remedy)
