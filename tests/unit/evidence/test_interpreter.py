"""Which folders leave Python its own library."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_guard.evidence.interpreter import is_unshadowed
from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.analysis import Needs, ShellFacts
from harness_guard.shell.names import NameSource


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")


@pytest.mark.parametrize(
    "name",
    [
        "json.py",
        "JSON.py",
        "re.pyc",
        "traceback.so",
        "_x.py",
        "io.cpython-311-x86_64-linux-gnu.so",
        "pip.py",
        "Queue.py",
    ],
)
def test_a_module_of_the_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("")
    assert is_unshadowed(str(tmp_path))
    (tmp_path / name).write_text("")
    assert not is_unshadowed(str(tmp_path))


def test_a_package_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    assert is_unshadowed(str(tmp_path))
    (tmp_path / "json/__init__.py").write_text("")
    assert not is_unshadowed(str(tmp_path))


def test_a_link_to_a_package(tmp_path: Path) -> None:
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil/__init__.py").write_text("")
    assert is_unshadowed(str(tmp_path))
    (tmp_path / "json").symlink_to("evil")
    assert not is_unshadowed(str(tmp_path))


@pytest.mark.parametrize("name", ["setup.py", "json.txt", "json", "test.py", "__main__.py", "README.md", "jsonx.py"])
def test_what_stands_in_for_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    assert is_unshadowed(str(tmp_path))


def test_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_unshadowed(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", "src")
    assert not is_unshadowed(str(tmp_path))


def test_no_folder(tmp_path: Path) -> None:
    assert is_unshadowed(str(tmp_path / "missing"))


def test_facts_are_gathered(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "b.json").symlink_to("a.json")
    (tmp_path / "d.json").write_text("{}")
    (tmp_path / "e.json").hardlink_to(tmp_path / "d.json")
    (tmp_path / "json.py").write_text("")
    wanted = [
        NameSource("unshadowed", str(tmp_path)),
        *(NameSource("regular", str(tmp_path / name)) for name in ("a.json", "b.json", "c.json", "d.json", "e.json")),
    ]
    found = gather("", Needs(names=tuple(wanted)), ShellFacts(), shfmt="shfmt")
    assert [found.names[source] for source in wanted] == [False, True, False, False, False, False]
