"""``tests/run.py`` before any test: what it lacks is one line with the next step."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "tests" / "run.py"))


@pytest.mark.parametrize("version", [(3, 9, 2), (3, 10, 14)])
def test_an_old_python_is_told(script: dict[str, Any], version: tuple[int, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        script["_check_python"](version)
    said = str(caught.value.code)
    assert said == (
        f"tests/run.py needs Python 3.11 or newer and this is {'.'.join(map(str, version))}: "
        "start it as `python3.11 ...`"
    )


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 14, 1)])
def test_a_new_one_is_not(script: dict[str, Any], version: tuple[int, ...]) -> None:
    script["_check_python"](version)


def test_a_step_that_fails_is_one_line(script: dict[str, Any]) -> None:
    with pytest.raises(SystemExit) as caught:
        script["_need"]([sys.executable, "-c", "raise SystemExit(3)"], "mend it")
    said = str(caught.value.code)
    assert said.endswith("ended with status 3. Next: mend it")
    assert "\n" not in said
    script["_need"]([sys.executable, "-c", ""], "mend it")
