"""The Write Boundary as a set of paths: what an entry covers, read in the one way that contract section 4 gives it.

An entry is anchored at the repository root and cut into segments. ``*`` stands for any run of characters inside one
segment, ``**`` as a segment of its own for any number of segments, a trailing ``/`` for all that lies below. Every
other character, ``?`` and ``[`` included, stands for itself. Nothing is negated, so entries only add.

Both matchers remember only the last star they passed, so they never try more than (pattern x text) steps: a hostile
name cannot make a tool call slow. ``pathspec`` is the second reader; at the gate both judge every tracked path.
"""

from __future__ import annotations

from harness_guard.paths import PROJECT_CONTROL_PLANE, folded, names_control_plane, normal_form, segment_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Final, Literal

    Reach = Literal["path", "folder", "tree", "pattern"]

ANY_DEPTH: Final = "**"


def covers(boundary: tuple[str, ...], relative: str, *, nested: str | None = None) -> bool:
    """Tell whether a file or link at a path is inside.

    Args:
        boundary: Entries that passed ``paths.check_entry``.
        relative: Path relative to the repository root, normalized; neither empty nor with ``.`` or ``..``.
        nested: Folder of another repository below the root that the path lies in; then only entries that spell
            that folder out count.
    """
    segments = _path_segments(relative)
    if segments is None or any(names_control_plane(segment) for segment in segments):
        return False
    return any(_matches(entry, segments) for entry in _entries(boundary, nested))


def matcher(boundary: tuple[str, ...]) -> Callable[[str], bool]:
    """Give :func:`covers` for one boundary and many paths: its entries are read once."""
    entries = _entries(boundary, None)

    def is_covered(relative: str) -> bool:
        segments = _path_segments(relative)
        if segments is None or any(names_control_plane(segment) for segment in segments):
            return False
        return any(_matches(entry, segments) for entry in entries)

    return is_covered


def covers_tree(boundary: tuple[str, ...], relative: str, *, nested: str | None = None) -> bool:
    """Tell whether a folder and all that could ever lie below it is inside, the control plane aside.

    What is below on disk and protected is the control plane's question (``policy/control_plane.reaches``).

    Args:
        boundary: Entries that passed ``paths.check_entry``.
        relative: Path of the folder as for ``covers``; ``""`` is the root itself.
        nested: As for ``covers``.
    """
    segments = _path_segments(relative) if relative else ()
    if segments is None or any(names_control_plane(segment) for segment in segments):
        return False
    entries = [entry for entry in _entries(boundary, nested) if entry[-1] == ANY_DEPTH]
    return any(_matches(entry, segments, is_tree=True) for entry in entries)


def covers_folder(boundary: tuple[str, ...], relative: str, *, nested: str | None = None) -> bool:
    """Tell whether making (or removing) an empty folder is inside: ``src/`` and ``src/**`` cover ``src`` too."""
    return covers(boundary, relative, nested=nested) or covers_tree(boundary, relative, nested=nested)


def covers_pattern(boundary: tuple[str, ...], pattern: str, *, nested: str | None = None) -> bool:
    """Tell whether everything that a shell pattern could ever match is inside.

    Args:
        boundary: Entries that passed ``paths.check_entry``.
        pattern: Relative pattern in which ``*`` stands for any run of characters of a segment and a ``**`` segment for
            one or more segments at the end.
        nested: As for ``covers``.

    Returns:
        True only if one entry alone covers it; a union of entries is not tried.
    """
    segments = _path_segments(pattern)
    if segments is None or any(_could_name_control_plane(segment) for segment in segments):
        return False
    return any(_includes(entry, segments) for entry in _entries(boundary, nested))


def covers_reach(boundary: tuple[str, ...], relative: str, *, reach: Reach, nested: str | None = None) -> bool:
    """Tell whether a resolved target is inside (``evidence/resolve.Place`` has these fields).

    Args:
        boundary: Entries that passed ``paths.check_entry``.
        relative: Path or pattern relative to the root; ``""`` is the root itself.
        reach: ``path``: that file or link. ``folder``: that folder, empty. ``tree``: all below it too. ``pattern``: all
            that the pattern could match.
        nested: As for ``covers``.
    """
    judge = {"path": covers, "folder": covers_folder, "tree": covers_tree, "pattern": covers_pattern}[reach]
    return judge(boundary, relative, nested=nested)


def entry_within(child: str, parent: str) -> bool:
    """Tell whether an entry covers nothing that another does not cover; false when that cannot be shown.

    The stars of the child are taken as letters that only a star of the parent matches. What a star of the parent takes
    in, it takes in whatever the child's star stands for, so a match proves inclusion (and a miss proves nothing).
    """
    return _includes(_entry_segments(parent), _entry_segments(child))


def explain(boundary: tuple[str, ...]) -> str:
    """Render the boundary for a reason: each entry in backticks, or the word None."""
    return ", ".join([f"`{entry}`" for entry in boundary]) or "`None`"


def compile_with_pathspec(boundary: tuple[str, ...]) -> Callable[[str], bool]:
    """Build the second reader, off the tool path.

    gitignore's meaning differs from the contract's in four points, which are translated: a pattern without ``/`` at
    its end also takes what lies below a match (here it does not), ``?`` and ``[`` are special (here they are not),
    patterns float (here they are anchored), and ``**/`` at the end leaves out files beside the folders (here it is
    ``**``).

    Returns:
        A predicate over relative paths of files.
    """
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    # `**` at the end needs no mark: its pattern takes everything below by itself.
    readers = [(GitIgnoreSpecPattern(_as_gitignore(entry)), entry.endswith(("/", "**"))) for entry in boundary]

    def is_covered(relative: str) -> bool:
        if any(names_control_plane(segment) for segment in relative.split("/")):
            return False
        for reader, is_folder in readers:
            found = reader.match_file(normal_form(relative))
            if found is not None and (is_folder or found.match.groupdict().get("ps_d") is None):
                return True
        return False

    return is_covered


def disagreements(boundary: tuple[str, ...], paths: Iterable[str]) -> tuple[str, ...]:
    """Let both readers judge paths of files, and give those on which they differ.

    Args:
        boundary: Entries that passed ``paths.check_entry``.
        paths: Relative paths of files, such as every tracked one.
    """
    second = compile_with_pathspec(boundary)
    return tuple([path for path in paths if covers(boundary, path) != second(path)])


def _as_gitignore(entry: str) -> str:
    plain = entry[:-1] if entry == "**/" or entry.endswith("/**/") else entry
    escaped = "".join([f"\\{char}" if char in "?[]!# " else char for char in normal_form(plain)])
    return "/" + escaped


def _entries(boundary: tuple[str, ...], nested: str | None) -> list[tuple[str, ...]]:
    entries = [_entry_segments(entry) for entry in boundary]
    if nested is None:
        return entries
    # `**` must not carry a run into another repository by accident: there only what was spelled out was meant (C11.7).
    folder = tuple(normal_form(nested).split("/"))
    return [entry for entry in entries if entry[: len(folder)] == folder]


def _entry_segments(entry: str) -> tuple[str, ...]:
    if entry.endswith("/"):
        entry += ANY_DEPTH
    segments: list[str] = []
    for segment in normal_form(entry).split("/"):
        if segment != ANY_DEPTH or segments[-1:] != [ANY_DEPTH]:
            segments.append(segment)
    if segments[-2:] == [ANY_DEPTH, "*"]:
        segments.pop()  # `a/**/*` and `a/**` are the same set: everything below, at any depth
    return tuple(segments)


def _path_segments(relative: str) -> tuple[str, ...] | None:
    # A path that is not normalized is inside nothing: whoever resolves it has not done so yet.
    segments = tuple(normal_form(relative).split("/"))
    return None if any(segment in ("", ".", "..") for segment in segments) else segments


def _matches(entry: tuple[str, ...], segments: tuple[str, ...], *, is_tree: bool = False) -> bool:
    """Match a path against an entry; a ``**`` at the end takes one segment or more, for a tree none or more."""
    return _walk(entry, segments, is_tree=is_tree, is_equal=segment_matches)


def _includes(entry: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    return _walk(entry, pattern, is_tree=False, is_equal=_segment_includes)


def _walk(
    entry: tuple[str, ...], segments: tuple[str, ...], *, is_tree: bool, is_equal: Callable[[str, str], bool]
) -> bool:
    at, seen, star, retry = 0, 0, -1, 0
    last = len(entry) - 1
    while seen < len(segments):
        if at <= last and entry[at] == ANY_DEPTH:
            star, retry = at, seen
            at += 1
        elif at <= last and is_equal(entry[at], segments[seen]):
            at += 1
            seen += 1
        elif star >= 0:
            retry += 1
            at, seen = star + 1, retry
        else:
            return False
    return at > last or (is_tree and at == last and entry[at] == ANY_DEPTH)


def _segment_includes(wanted: str, found: str) -> bool:
    # `**` in the pattern stands for several segments; one segment of an entry never holds them.
    return found != ANY_DEPTH and segment_matches(wanted, found)


def _could_name_control_plane(segment: str) -> bool:
    """Tell whether a pattern's segment could match a protected name in a shell (``*`` takes no leading dot)."""
    if "*" not in segment:
        return names_control_plane(segment)
    return segment.startswith(".") and any(segment_matches(folded(segment), name) for name in PROJECT_CONTROL_PLANE)
