"""Whether Python, started in a folder, finds the modules of its own library and no file of the folder in their place.

With ``-c``, ``-m`` and a program on standard input the folder stands in front of the library on the path (Python's
documentation, ``sys.path``); an uncaught fault alone imports a dozen modules (``traceback``, since 3.13).
"""

from __future__ import annotations

import os

from harness_guard.shell.python_library import SUFFIXES, is_library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MOST_ENTRIES: Final = 20_000
_HARMLESS: Final = frozenset(
    ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED",
     "PYTHONNOUSERSITE", "PYTHONFAULTHANDLER", "PYTHONSAFEPATH")
)  # fmt: skip


def is_unshadowed(folder: str) -> bool:
    """Look whether no file or package directly in a folder has the name of a module of Python's library.

    Returns:
        False as well where a variable of the environment changes what Python loads, or the folder cannot be read.
    """
    if any(name.startswith("PYTHON") and name not in _HARMLESS for name in os.environ):
        return False
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count > MOST_ENTRIES or (is_library(entry.name) and _is_importable(entry)):
                    return False
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return True


def _is_importable(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a module, or a folder that is a package; one without ``__init__`` gives way."""
    if entry.name.casefold().endswith(SUFFIXES):
        return True
    if not entry.is_dir():
        return False
    return any(name.casefold().startswith("__init__") for name in os.listdir(entry.path))
