"""bashlex with prepared tables reads as bashlex does, and always comes to an end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.shell import tables

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
sys.path[:0] = {paths!r}
from harness_guard.shell import tables
text = 'for x in a "b c"; do ls $(pwd) | cat > $x; done; (cd y && z) # end'
print(tables.parse(text), "{module}" in sys.modules, sorted({{"re", "enum", "copy"}} & set(sys.modules)))
"""


def run(*paths: str) -> str:
    program = PROGRAM.format(paths=[*paths, str(ROOT)], module=tables.MODULE)
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


def test_prepared_tables_give_the_same_tree(tmp_path: Path) -> None:
    written = tables.prepare(str(tmp_path))
    assert written == str(tmp_path / f"{tables.MODULE}.py")
    prepared, plain = run(str(tmp_path)), run()
    assert " True " in prepared
    assert " False " in plain
    assert prepared.partition("] True")[0] == plain.partition("] False")[0]


@pytest.mark.parametrize("text", ["PS4='+${x'", "echo '${' a", 'a "${x" b', "echo " + "$(" * 40])
def test_always_comes_to_an_end(text: str) -> None:
    try:
        ends = bool(tables.parse(text))
    except Exception as fault:  # noqa: BLE001  any of bashlex's faults, or the budget's end
        ends = isinstance(fault, Exception)
    assert ends


def test_budget() -> None:
    with pytest.raises(tables.BudgetError):
        tables.parse("PS4='+${x'")
    assert len(tables.parse("ls a; pwd")) == 1
