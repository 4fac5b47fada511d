"""Whether all names below a folder are one word each, relative and below it, for the shell and for ``xargs``.

A name with a blank falls into words, of which one may be another file's name (``x /etc/passwd``) or a link that stands
elsewhere; one with a quote, a glob or a leading dash may be read as more than itself. Such a name is not plain, nor is
a link that leads out. A folder too large to be looked at counts as not plain.
"""

from __future__ import annotations

import os
import stat
import time

from harness_guard.paths import glob_matches
from harness_guard.shell.names import is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

MOST_ENTRIES: Final = 50_000
TIME_LIMIT_S: Final = 1.0


def are_plain_on_disk(folder: str, globs: tuple[str, ...] = ()) -> bool:
    """Look at every name below a folder, without following links: each is plain and no link leads out.

    Args:
        folder: Where to look.
        globs: If there are any, only paths count whose last segment one of them matches, whatever the letter case.
    """
    wanted = [glob.casefold() for glob in globs]

    def is_fine(path: str) -> bool:
        last = path.rpartition("/")[2].casefold()
        return is_plain(path) or (bool(wanted) and not any(glob_matches(glob, last) for glob in wanted))

    return _look(folder, is_fine)


def are_inside(folder: str) -> bool:
    """Look at every link below a folder: none leads out."""
    return _look(folder, lambda _path: True)


def _look(folder: str, is_fine: Callable[[str], bool]) -> bool:
    limit = time.monotonic() + TIME_LIMIT_S
    top = os.path.realpath(folder)
    todo = [""]
    seen = 0
    try:
        while todo:
            inner = todo.pop()
            with os.scandir(f"{folder}/{inner}") as entries:
                for entry in entries:
                    path = f"{inner}{entry.name}"
                    seen += 1
                    if not is_fine(path) or (entry.is_symlink() and not _stays(entry.path, top)):
                        return False
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(f"{path}/")
            if seen > MOST_ENTRIES or time.monotonic() > limit:
                return False
    except NotADirectoryError:
        return folder == top  # a file that is named itself
    except OSError:
        return False
    return True


def are_plain_in(folder: str) -> bool:
    """Tell whether each name directly in a folder is plain; a folder that is not there has none.

    A folder that is reached through a link is another one, which may be filled under its own name.
    """
    return _all_in(folder, is_plain)


def are_undashed(folder: str) -> bool:
    """Tell whether no name directly in a folder starts with a dash; a folder that is not there has none.

    A folder that is reached through a link is another one, which may be filled under its own name.
    """
    return _all_in(folder, lambda name: not name.startswith("-"))


def _all_in(folder: str, is_fine: Callable[[str], bool]) -> bool:
    if os.path.realpath(folder) != os.path.normpath(folder):
        return False
    try:
        with os.scandir(folder) as entries:
            return all(is_fine(entry.name) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def is_absent(path: str) -> bool:
    """Tell whether nothing stands at a path whose folder is reached without links, but for one to the home folder.

    A program looks for its settings in the folders that are really above it, not above the link it was reached by.
    """
    folder = os.path.dirname(path)
    home = os.path.expanduser("~")
    inner = folder[len(home) :] if f"{folder}/".startswith(f"{home}/") else None
    expected = folder if inner is None else f"{os.path.realpath(home)}{inner}"
    return os.path.realpath(folder) == os.path.normpath(expected) and not os.path.lexists(path)


def is_regular(path: str) -> bool:
    """Tell whether a file stands at a path that has no other name: it is no link, symbolic or hard."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1


def are_plain_in_index(listing: str, folder: str) -> bool:
    """Look at every name of ``git ls-files -z``; none may lead out through a link that stands there by now."""
    top = os.path.realpath(folder)
    paths = [path for path in listing.split("\0") if path]
    folders = {path.rpartition("/")[0] for path in paths}
    return (
        len(paths) <= MOST_ENTRIES
        and all(is_plain(path) for path in paths)
        and all(_stays(f"{folder}/{inner}", top) for inner in folders)
        and all(_stays(f"{folder}/{path}", top) for path in paths if os.path.islink(f"{folder}/{path}"))
    )


def _stays(path: str, top: str) -> bool:
    return f"{os.path.realpath(path)}/".startswith(f"{top}/")
