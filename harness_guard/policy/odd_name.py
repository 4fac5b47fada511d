"""Names of files that the words of other commands would come apart at, or that would be read as options.

The shell and ``xargs`` part words at blanks, ``xargs`` takes quotes and backslashes for more than themselves, and a
leading dash makes an option. A file ``HEAD`` makes a repository of a folder that has the rest of one already. No call
of a run makes such a name unless the accepted boundary spells it (contract section 7), so that names which were looked
at once stay whole, and the repository that git finds stays the one that was looked at.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PARTING: Final = frozenset(" '\"\\")  # no other blank is printable
_HEAD: Final = "head"  # without regard to letter case, as some file systems have it (gitrepository-layout(5))


def is_odd(segment: str) -> bool:
    """Tell whether one segment of a path is, or may be, no single plain word.

    Args:
        segment: The name of a file or folder, without a slash; two stars beside other letters stand for any text.
    """
    is_any = "**" in segment and segment != "**"
    return is_any or segment.startswith("-") or not segment.isprintable() or not _PARTING.isdisjoint(segment)


def is_odd_file(name: str) -> bool:
    """Tell whether the name of something that may be a file is odd; as one of a folder ``Head`` is not.

    Args:
        name: The last segment of its path.
    """
    return is_odd(name) or name.casefold() == _HEAD


def odd_part(relative: str, *, is_folder: bool = False) -> str:
    """Give the path up to its last odd segment, ``""`` if none is odd.

    Args:
        relative: A path relative to the repository root.
        is_folder: Whether it certainly is a folder's.
    """
    segments = relative.split("/")
    if not is_folder and is_odd_file(segments[-1]):
        return relative
    odd = [at for at, segment in enumerate(segments) if is_odd(segment)]
    return "/".join(segments[: odd[-1] + 1]) if odd else ""


def spells_odd(entry: str) -> bool:
    """Tell whether an entry of the boundary has an odd name in it: then the human accepted such names where it covers.

    Args:
        entry: One entry that passed ``paths.check_entry``.
    """
    return any(is_odd(segment) for segment in entry.split("/")) or is_odd_file(entry.rpartition("/")[2])


def lets_names_stray(entry: str) -> bool:
    """Tell whether an entry lets a name be made that comes apart, or that the shell may take for another one.

    Its own letters may hold a blank. And where a segment holds letters between two stars, a name with brackets
    (``[at]*``) may be inside, of which the shell makes names that are not (``abc``).

    Args:
        entry: One entry that passed ``paths.check_entry``.
    """
    return spells_odd(entry) or any(segment.count("*") > 1 for segment in entry.split("/") if segment != "**")
