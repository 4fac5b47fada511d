"""A database that is there and keeps no log is only read by a question; the text itself may not change it."""

from __future__ import annotations

import pytest
import shell_effects

from harness_guard.shell.commands.model import Call
from harness_guard.shell.commands.registry import TABLE
from harness_guard.shell.commands.running import run_row
from harness_guard.shell.effects import Effects
from harness_guard.shell.names import NameSource
from harness_guard.shell.values import Field


def effects_of(command: str, *, kept: frozenset[str] = frozenset(("/repo/a.db",))) -> Effects:
    """Tell the effects where these databases are plain, and nothing stands elsewhere."""

    def believed(one: NameSource) -> bool:
        return (one.folder in kept) == (one.kind == "database")

    return shell_effects.effects_of(command, believed=believed)


@pytest.mark.parametrize(
    "command",
    [
        "sqlite3 a.db 'SELECT * FROM t'",
        "sqlite3 a.db .tables",
        "sqlite3 -header -csv a.db '.schema t' 'SELECT count(*) FROM t;'",
        "sqlite3 -readonly a.db 'PRAGMA table_info(t)'",
        "sqlite3 'file:a.db?mode=ro' 'SELECT 1'",
        "sqlite3 a.db 'SELECT 1'; sqlite3 a.db 'SELECT 2'",
    ],
)
def test_a_question_reads(command: str) -> None:
    found = effects_of(command)
    assert (found.is_read_only, {read.path for read in found.reads}) == (True, {"/repo/a.db"})
    relied = {one.path for one in found.relies}
    assert {"/repo/a.db", "/repo/a.db-journal", "/repo/a.db-wal"} <= relied


@pytest.mark.parametrize(
    "command",
    [
        "echo x > a.db-journal; sqlite3 a.db 'SELECT 1'",
        "cp b.db a.db; sqlite3 a.db 'SELECT 1'",
        "mv b.db-wal a.db-wal; sqlite3 a.db 'SELECT 1'",
        "rm a.db; sqlite3 a.db 'SELECT 1'",
    ],
)
def test_the_text_itself_changes_it(command: str) -> None:
    assert [unknown.why for unknown in effects_of(command).unknown] == [
        "a program goes by what stands in the folder, which the text itself changes"
    ]


def test_a_journal_beside_it_or_a_log() -> None:
    beside = frozenset(("/repo/a.db", "/repo/a.db-journal"))
    assert "a log or a journal" in effects_of("sqlite3 a.db 'SELECT 1'", kept=beside).unknown[0].why
    assert [write.path for write in effects_of("sqlite3 -safe -readonly a.db 'SELECT 1'", kept=beside).writes] == [
        "/repo/a.db-wal",
        "/repo/a.db-shm",
    ]


@pytest.mark.parametrize(
    ("typed", "is_read"),
    [
        (".tables\nSELECT 1;\n", True),
        ("SELECT *\nFROM t;\nSELECT 2;\n", True),
        (".mode csv\n.headers on\nSELECT 1;\n", True),
        (".shell ls\nSELECT 1;\n", False),
        ("SELECT 1;\nDELETE FROM t;\n", False),
        ("", False),
    ],
)
def test_what_is_typed(typed: str, *, is_read: bool) -> None:
    call = Call("sqlite3", (Field(":memory:"),), cwds=("/repo",), home="/home/dev", git={}, names=RC)
    call.program = typed
    row = TABLE.get("sqlite3")
    assert row is not None
    run_row(row, call)
    assert (not call.unknown) is is_read


RC = {
    NameSource("absent", "/home/dev/.sqliterc"): True,
    NameSource("absent", "/home/dev/.config/sqlite3/sqliterc"): True,
}
