"""Which folders have ruff go by plain settings of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness_guard.evidence.ruff_settings import are_plain_settings, is_untuned
from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.analysis import Needs, ShellFacts
from harness_guard.shell.names import NameSource


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", *(name for name in os.environ if name.startswith("RUFF_"))):
        monkeypatch.delenv(name, raising=False)
    made = tmp_path / "repo/inner"
    (made / "src").mkdir(parents=True)
    assert is_untuned(str(made))
    return made


@pytest.mark.contract("E4.6")
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("ruff.toml", "line-length = 100\nfix = false\n", True),
        ("ruff.toml", "fix = true\n", False),
        ("ruff.toml", "fix-only = true\n", False),
        ("ruff.toml", "fix_only = true\n", False),
        ("ruff.toml", 'cache-dir = "../docs"\n', False),
        ("ruff.toml", 'extend = "x.toml"\n', False),
        ("ruff.toml", '"ext\\u0065nd" = "x.toml"\n', False),
        ("ruff.toml", "no toml", False),
        (".ruff.toml", "fix = true\n", False),
        ("pyproject.toml", "[tool.ruff]\nfix = true\n", False),
        ("pyproject.toml", "tool = { ruff = { fix = true } }\n", False),
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = []\n", True),
        ("pyproject.toml", "[tool.black]\nfix = true\n", True),
        ("pyproject.toml", "[tool]\nruff = 1\n", False),
        ("src/ruff.toml", "line-length = 100\n", False),
        ("src/pyproject.toml", "[project]\nname = 'x'\n", True),
        ("src/pyproject.toml", "[tool.ruff]\nline-length = 100\n", False),
        ("../ruff.toml", "line-length = 100\n", False),
        ("../pyproject.toml", "[project]\nname = 'x'\n", True),
        ("../../home/.config/ruff/ruff.toml", "line-length = 100\n", False),
        (".venv/x/ruff.toml", "fix = true\n", True),
        ("x.toml", "fix = true\n", True),
    ],
)
def test_one_file(folder: Path, name: str, text: str, *, expected: bool) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert is_untuned(str(folder)) is expected


def test_settings_that_leave_nothing_out(folder: Path) -> None:
    (folder / ".venv").mkdir()
    (folder / ".venv/ruff.toml").write_text("fix = true\n")
    (folder / "ruff.toml").write_text("line-length = 100\n")
    assert is_untuned(str(folder))
    (folder / "ruff.toml").write_text("exclude = []\n")
    assert not is_untuned(str(folder))


def test_its_own_settings_hide_those_above(folder: Path) -> None:
    (folder / "../ruff.toml").write_text("fix = true\n")
    assert not is_untuned(str(folder))
    (folder / "ruff.toml").write_text("line-length = 100\n")
    assert is_untuned(str(folder))


def test_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUFF_OUTPUT_FILE", "x")
    assert not is_untuned(str(folder))


def test_the_fact_is_gathered(folder: Path) -> None:
    source = NameSource("untuned", str(folder))
    assert gather("", Needs(names=(source,)), ShellFacts(), shfmt="shfmt").names == {source: True}
    (folder / "ruff.toml").write_text("fix = true\n")
    assert gather("", Needs(names=(source,)), ShellFacts(), shfmt="shfmt").names == {source: False}


@pytest.mark.contract("E4.6")
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", "[project]\n", True),
        ("pyproject.toml", "[tool.ruff]\nline-length = 99\n", True),
        ("pyproject.toml", "[tool.ruff]\nfix = true\n", False),
        ("pyproject.toml", "fix = true\n", True),
        ("conf.toml", "line-length = 99\n", True),
        ("conf.toml", 'extend = "x"\n', False),
        ("conf.toml", "tool", False),
    ],
)
def test_one_file_of_settings(folder: Path, name: str, text: str, *, expected: bool) -> None:
    (folder / name).write_text(text)
    assert are_plain_settings(f"{folder}/{name}") == expected
    (folder / "l.toml").symlink_to(name)
    assert not are_plain_settings(f"{folder}/l.toml")
    assert not are_plain_settings(f"{folder}/nothing.toml")


def test_settings_of_the_environment_count_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "ruff.toml").write_text("")
    source = NameSource("ruff", f"{folder}/ruff.toml")
    assert gather("", Needs(names=(source,)), ShellFacts(), shfmt="").names[source]
    monkeypatch.setenv("RUFF_CACHE_DIR", "/x")
    assert not gather("", Needs(names=(source,)), ShellFacts(), shfmt="").names[source]
