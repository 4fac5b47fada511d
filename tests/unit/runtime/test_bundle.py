"""The package's bytecode in one file: what comes from it, and what is left to the usual finders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.runtime.bundle import render

PROGRAM = """
import sys
sys.path.insert(0, {root!r})
from harness_guard.runtime import bundle
bundle.install({data!r}, {root!r})
from harness_guard.shop import price
import harness_guard.shop as shop
print(type(shop.__spec__.loader).__name__, price.VALUE, price.__file__, type(price.__spec__.loader).__name__)
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    here = Path(__file__).parents[3] / "harness_guard"
    package = tmp_path / "plugin" / "harness_guard"
    for name in ("__init__.py", "places.py", "runtime/__init__.py", "runtime/bundle.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text((here / name).read_text(encoding="utf-8"))
    (package / "shop").mkdir()
    (package / "shop/__init__.py").write_text("")
    (package / "shop/price.py").write_text("VALUE = 1\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/bundle").write_bytes(render(str(tmp_path / "plugin")))
    return tmp_path / "plugin"


def loaded(plugin: Path, root: Path | None = None) -> list[str]:
    program = PROGRAM.format(root=str(root or plugin), data=str(plugin.parent / "data"))
    command = [sys.executable, "-I", "-S", "-B", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_modules_and_packages_come_from_the_bundle(plugin: Path) -> None:
    assert loaded(plugin) == ["Bundle", "1", f"{plugin}/harness_guard/shop/price.py", "Bundle"]


def test_a_source_that_changed_is_read_itself(plugin: Path) -> None:
    source = plugin / "harness_guard/shop/price.py"
    status = source.stat()
    source.write_text("VALUE = 22\n")  # another size
    assert loaded(plugin) == ["Bundle", "22", str(source), "SourceFileLoader"]
    source.write_text("VALUE = 3\n")  # the same size at another time
    assert loaded(plugin)[1] == "3"
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert loaded(plugin)[1] == "1"  # what nobody could tell apart, as for every compiled module


@pytest.mark.parametrize("content", [b"", b"harness-guard", b"other magic\n" + bytes(64)])
def test_a_bundle_of_another_kind_is_left_alone(plugin: Path, content: bytes) -> None:
    (plugin.parent / "data/bundle").write_bytes(content)
    assert loaded(plugin)[0] == "SourceFileLoader"


def test_a_bundle_that_was_cut_is_left_alone(plugin: Path) -> None:
    bundle = plugin.parent / "data/bundle"
    bundle.write_bytes(bundle.read_bytes()[:80])
    assert loaded(plugin)[0] == "SourceFileLoader"


def test_a_bundle_of_another_plugin_is_left_alone(plugin: Path) -> None:
    other = plugin.parent / "moved"
    plugin.rename(other)
    (plugin.parent / "plugin").symlink_to(other)
    assert loaded(plugin, other)[0] == "SourceFileLoader"


def test_without_a_bundle_all_is_as_usual(plugin: Path) -> None:
    (plugin.parent / "data/bundle").unlink()
    assert loaded(plugin)[0] == "SourceFileLoader"
