"""The table of programs, collected by name in one place."""

from __future__ import annotations

from harness_guard.shell.commands import coreutils, files, git, search, wrappers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.model import Row

MODULES: Final = (coreutils, files, git, search, wrappers)
TABLE: Final[dict[str, Row]] = {row.name: row for module in MODULES for row in module.COMMANDS}

# Known writers that the table does not model: their targets cannot be told, which pauses instead of merely refusing.
WRITERS: Final = frozenset(
    ("unzip", "zip", "gzip", "gunzip", "bzip2", "xz", "rsync", "scp", "split", "csplit", "shred", "patch",
     "mkfifo",
     "mknod", "sponge", "ed", "ex", "cpio", "7z", "link", "shuf")
)  # fmt: skip
