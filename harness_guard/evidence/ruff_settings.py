"""Whether ruff, started in a folder, goes by plain settings of that folder alone, or by none.

Ruff takes for each file the settings nearest above it (The Ruff documentation, "Configuring Ruff"). Settings that
extend another file show that file where it is none; ``cache-dir`` names where the cache is written, ``fix`` has
``ruff check`` write. Settings below or above the folder bring a cache of their own there.
"""

from __future__ import annotations

import os
import time
import tomllib

from harness_guard.evidence.plain_names import is_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NAMES: Final = (".ruff.toml", "ruff.toml", "pyproject.toml")
MOST_ENTRIES: Final = 50_000
TIME_LIMIT_S: Final = 1.0
LARGEST: Final = 1_000_000  # bytes of a settings file
# What ruff leaves out of itself, unless its settings say otherwise (``exclude``).
LEFT_OUT: Final = frozenset(
    (".bzr", ".direnv", ".eggs", ".git", ".hg", ".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache",
     ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", "__pypackages__", "buck-out", "node_modules", "site-packages")
)  # fmt: skip


def is_untuned(folder: str) -> bool:
    """Look whether ruff finds only plain settings in a folder itself, and none above, below or in the home folder.

    Returns:
        False as well where something cannot be read, or there is too much to look at.
    """
    if any(name.startswith("RUFF_") for name in os.environ):
        return False
    try:
        here = _settings_in(folder)
        if not here and any(_settings_in(above) for above in _above(folder)):
            return False
        is_plain = all(_is_plain(settings) for settings in here)
        left_out = LEFT_OUT if not any("exclude" in settings for settings in here) else frozenset()
        return is_plain and not _has_settings_below(folder, left_out)
    except (OSError, ValueError, TypeError):
        return False


def are_plain_settings(path: str) -> bool:
    """Look whether a file holds plain settings for ruff, or is a project file without any.

    Returns:
        False as well where it is no regular file, has another name, or cannot be read.
    """
    if any(name.startswith("RUFF_") for name in os.environ) or not is_regular(path):
        return False
    try:
        return all(map(_is_plain, _settings_at(path)))
    except (OSError, ValueError, TypeError):
        return False


def _above(folder: str) -> list[str]:
    parts = os.path.realpath(folder).split("/")
    above = ["/".join(parts[:count]) or "/" for count in range(1, len(parts))]
    homes = (os.environ.get("XDG_CONFIG_HOME") or "~/.config", "~/Library/Application Support")
    return [*above, *(f"{os.path.expanduser(home)}/ruff" for home in homes)]


def _settings_in(folder: str) -> list[dict[str, object]]:
    """Give the settings for ruff in a folder; a project file without a section for it holds none."""
    found = []
    for name in NAMES:
        path = f"{folder}/{name}"
        found += _settings_at(path) if os.path.lexists(path) else []
    return found


def _settings_at(path: str) -> list[dict[str, object]]:
    if os.path.getsize(path) > LARGEST:
        raise ValueError(path)
    with open(path, "rb") as file:
        settings: object = tomllib.load(file)
    if os.path.basename(path) == "pyproject.toml":
        tool = settings.get("tool") if isinstance(settings, dict) else None
        settings = tool.get("ruff") if isinstance(tool, dict) else None
        if settings is None:
            return []
    if not isinstance(settings, dict):
        raise TypeError(path)
    return [{key.replace("_", "-"): value for key, value in settings.items()}]


def _is_plain(settings: dict[str, object]) -> bool:
    if "extend" in settings or "cache-dir" in settings:
        return False
    return not any(settings.get(name, False) is not False for name in ("fix", "fix-only"))


def _has_settings_below(folder: str, left_out: frozenset[str]) -> bool:
    limit = time.monotonic() + TIME_LIMIT_S
    todo = [folder]
    seen = 0
    while todo:
        inner = todo.pop()
        with os.scandir(inner) as entries:
            for entry in entries:
                seen += 1
                if seen > MOST_ENTRIES or time.monotonic() > limit:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    todo += [entry.path] if entry.name not in left_out else []
                elif inner != folder and entry.name in NAMES and _settings_in(inner):
                    return True
    return False
