"""Each program's row is found in the module that the registry names, and only that module is loaded for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.shell.commands.kept import AT_HOME, kept_at_home
from harness_guard.shell.commands.registry import MODULES, TABLE, WRITERS, rows_of

PROGRAM = """
import sys
from harness_guard.shell.commands.registry import TABLE
before = set(sys.modules)
row = TABLE.get({name!r})
print(None if row is None else row.name, sorted(name.rpartition(".")[2] for name in set(sys.modules) - before
      if name.startswith("harness_guard.shell.commands.") and name.rpartition(".")[2] in {modules!r}))
"""


@pytest.mark.parametrize("module", sorted(MODULES))
def test_the_names_are_the_modules_rows(module: str) -> None:
    assert sorted(MODULES[module].split()) == sorted(row.name for row in rows_of(module))


def test_no_program_has_two_rows() -> None:
    names = [name for module in MODULES.values() for name in module.split()]
    assert len(names) == len(set(names)) == len(dict(TABLE.items()))
    assert WRITERS.isdisjoint(names)


@pytest.mark.parametrize(
    ("name", "row", "loaded"), [("ls", "ls", ["coreutils"]), ("env", "env", ["wrappers"]), ("no-such", None, [])]
)
def test_only_one_module_is_loaded(name: str, row: str | None, loaded: list[str]) -> None:
    program = PROGRAM.format(name=name, modules=sorted(MODULES))
    root = str(Path(__file__).parents[3])
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{row} {loaded}"


@pytest.mark.contract("E4.8")
def test_what_is_kept_at_home_is_of_programs_of_the_table() -> None:
    assert [name for name in AT_HOME if TABLE.get(name) is None] == []
    assert kept_at_home("npm") == (".npm/_cacache", ".npm/_logs", ".npm/_update-notifier-last-checked")
    assert kept_at_home("cat") == ()
    paths = [path for name in AT_HOME for path in kept_at_home(name)]
    assert [path for path in paths if path.startswith(("/", "~")) or ".." in path.split("/")] == []
