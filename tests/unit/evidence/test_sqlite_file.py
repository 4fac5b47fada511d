"""A database that asking changes nothing of: its kind of journal, its names, and what its schema would run."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from harness_guard.evidence.shell_facts import gather
from harness_guard.evidence.sqlite_file import is_plain_database
from harness_guard.shell.aftermath import unsettles
from harness_guard.shell.effects import Write
from harness_guard.shell.facts import Needs, ShellFacts
from harness_guard.shell.names import NameSource

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "CREATE TABLE t(x INTEGER PRIMARY KEY, edited TEXT, n VARCHAR(20), s TEXT AS (n || '!') VIRTUAL)"


def database(path: Path, *statements: str) -> Path:
    opened = sqlite3.connect(path)
    for statement in statements:
        opened.execute(statement)
    opened.commit()
    opened.close()
    return path


PLAIN = [
    (TABLE,),
    (TABLE, "CREATE INDEX i ON t(n)", "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE x = 1; END"),
    (TABLE, "CREATE VIEW v AS SELECT count(*) FROM t"),
    (TABLE, "CREATE VIEW v AS\n SELECT upper(n) AS u FROM t WHERE x > (SELECT max(x) FROM t)"),
]


@pytest.mark.contract("E4.12")
@pytest.mark.parametrize("statements", PLAIN)
def test_plain(statements: tuple[str, ...], tmp_path: Path) -> None:
    assert is_plain_database(str(database(tmp_path / "a?b#c%2e.db", *statements)))


ODD = [
    (TABLE, "CREATE VIEW v AS SELECT edit(n) FROM t"),
    (TABLE, 'CREATE VIEW v AS SELECT "edit"(n) FROM t'),
    (TABLE, "CREATE VIEW v AS SELECT readfile('/etc/passwd')"),
    (TABLE, "CREATE VIEW v AS SELECT something(n) FROM t"),
    (TABLE, "CREATE TABLE u(x DEFAULT (readfile('a')))"),
    ("PRAGMA journal_mode = wal", TABLE),
    ("CREATE VIRTUAL TABLE f USING fts5(a)",),
]


@pytest.mark.parametrize("statements", ODD)
def test_odd(statements: tuple[str, ...], tmp_path: Path) -> None:
    assert not is_plain_database(str(database(tmp_path / "a.db", *statements)))


def test_what_is_no_database(tmp_path: Path) -> None:
    real = database(tmp_path / "a.db", TABLE)
    (tmp_path / "link.db").symlink_to("a.db")
    (tmp_path / "text.db").write_text("SQLite format 3, or so" * 10)
    (tmp_path / "cut.db").write_bytes(real.read_bytes()[:200])
    (tmp_path / "empty.db").touch()
    os.mkfifo(tmp_path / "pipe.db")
    names = ["link.db", "text.db", "cut.db", "empty.db", "pipe.db", "missing.db", "", "x\0"]
    assert [name for name in names if is_plain_database(f"{tmp_path}/{name}")] == []


def test_another_name_of_the_same_file(tmp_path: Path) -> None:
    real = database(tmp_path / "a.db", TABLE)
    (tmp_path / "b.db").hardlink_to(real)
    assert not is_plain_database(str(real))


def test_it_is_gathered(tmp_path: Path) -> None:
    source = NameSource("database", str(database(tmp_path / "a.db", TABLE)))
    assert gather("", Needs(names=(source,)), ShellFacts(), shfmt="").names == {source: True}


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (Write("/repo/a.db", "file", "cp"), True),
        (Write("/repo/a.db", "entry", "rm"), True),
        (Write("/repo/b.db", "file", "tee"), False),
    ],
)
def test_what_changes_it(write: Write, *, expected: bool) -> None:
    assert unsettles(write, NameSource("database", "/repo/a.db")) is expected
