"""Whether a file is a SQLite database that asking changes nothing of, and in which nothing but asking is done.

Sources: sqlite.org/fileformat2.html (1.3: bytes 18 and 19 are 1 for a rollback journal; 2.6: the schema table),
sqlite.org/lang_createview.html, sqlite.org/cli.html (3.45: the functions that the program adds, of which ``edit`` and
``readfile`` may stand in a view). A database with a log of its own (WAL) is written beside even where it is only read.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_MAGIC: Final = b"SQLite format 3\x00"
_ROLLBACK: Final = b"\x01\x01"
_MODES: Final = slice(18, 20)
_HEADER: Final = 100  # bytes
MOST_STEPS: Final = 1_000_000  # of SQLite's own machine, for reading the schema
# What the program brings along, and what may read files, run something or open other databases.
_ODD: Final = frozenset(
    ("edit", "readfile", "writefile", "load_extension", "fsdir", "zipfile", "eval", "sqlar_compress",
     "sqlar_uncompress", "sha3_query", "fts3_tokenizer", "sqlite_dbpage", "sqlite_dbdata", "dlopen")
)  # fmt: skip


def is_plain_database(path: str) -> bool:
    """Look at a file: a database under this one name, with a rollback journal, of tables, indexes and plain views.

    That no journal stands beside it is looked at by those names (``plain_names.is_absent``).

    Args:
        path: Absolute path.

    Returns:
        False as well where it cannot be read.
    """
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        found = os.fstat(opened)
        header = os.read(opened, _HEADER) if stat.S_ISREG(found.st_mode) else b""
    except OSError:
        return False
    finally:
        os.close(opened)
    is_rollback = len(header) == _HEADER and header.startswith(_MAGIC) and header[_MODES] == _ROLLBACK
    return is_rollback and found.st_nlink == 1 and _has_plain_schema(path)


def _has_plain_schema(path: str) -> bool:
    try:
        import sqlite3
    except ImportError:
        return False
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        opened = sqlite3.connect(f"file:{quoted}?mode=ro&immutable=1", uri=True)
        try:
            opened.set_progress_handler(lambda: 1, MOST_STEPS)
            rows = opened.execute("SELECT type, rootpage, sql FROM sqlite_master").fetchall()
        finally:
            opened.close()
    except (sqlite3.Error, UnicodeError):
        return False
    return all(_is_plain(*row) for row in rows)


def _is_plain(kind: object, page: object, text: object) -> bool:
    """Whether one thing of the schema is a table, an index or a trigger that is kept in the file, or a view that asks.

    A trigger runs when something is written; a table without a page of its own is a program's.
    """
    if text is None:
        return kind == "index"  # one that SQLite itself makes
    if not isinstance(text, str) or not isinstance(page, int) or not _words(text).isdisjoint(_ODD):
        return False
    if kind in {"table", "index"}:
        return page > 0
    return kind == "trigger" or (kind == "view" and _is_asking(text))


def _is_asking(text: str) -> bool:
    from harness_guard.shell.commands.databases import is_reading

    head, _, rest = " ".join(text.split()).partition(" AS ")
    if not rest:
        head, _, rest = " ".join(text.split()).partition(" as ")
    return _words(head) > {"create", "view"} and is_reading(rest)


def _words(text: str) -> set[str]:
    return set("".join(mark if mark.isalnum() or mark == "_" else " " for mark in text.lower()).split())
