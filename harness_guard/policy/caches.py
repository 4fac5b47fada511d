"""Cache names of recognised test runners, linters and compilers: what a plan may list as tool caches.

Only names that the plan's Scope lists are accepted, so that the human has read them at the gate (contract section 8:
ignored is what the run's base ignores, plus the cache names listed at the gate).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Folder names; a folder of that name is left out of the diff wherever it lies below the root.
RECOGNISED: Final = (
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".eslintcache",
    ".gradle",
    ".nyc_output",
    ".parcel-cache",
    ".swc",
    ".turbo",
)
LABEL: Final = "Tool caches:"


def listed_caches(scope: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the cache names that a plan's Scope lists in a bullet ``- Tool caches: `NAME/`, ...``.

    Args:
        scope: Text of the Scope section.

    Returns:
        The recognised names, and those that are not in :data:`RECOGNISED`.
    """
    known: list[str] = []
    strange: list[str] = []
    for line in scope.split("\n"):
        bullet = line.strip()
        # Only this exact bullet counts, because what it lists leaves the diff: a name in passing must not.
        if not bullet.startswith(("- ", "* ")) or not bullet[2:].lstrip().startswith(LABEL):
            continue
        names = bullet.split(LABEL, 1)[1].split("`")[1::2]
        for name in names:
            bare = name.rstrip("/")
            target = known if bare in RECOGNISED else strange
            if bare not in target:
                target.append(bare)
    return tuple(known), tuple(strange)
