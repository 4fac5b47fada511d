"""Which names git would bring back into the tree from its index."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness_guard.evidence.git import Git


@pytest.mark.contract("C7.24")
def test_odd_names_that_are_gone_from_disk(tmp_path: Path) -> None:
    for name in ("src/a b", "src/c.py", "lib/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    git = Git(str(tmp_path), os.environ)
    assert git.odd_deleted(str(tmp_path)) is None
    (tmp_path / "src" / "c.py").unlink()
    assert git.odd_deleted(str(tmp_path)) is None
    (tmp_path / "src" / "a b").unlink()
    assert git.odd_deleted(str(tmp_path)) == "src/a b"
    assert git.odd_deleted(f"{tmp_path}/src") == "src/a b"
    assert git.odd_deleted(f"{tmp_path}/src/a b") == "src/a b"
    assert git.odd_deleted(f"{tmp_path}/src/c.py") is None
    assert git.odd_deleted(f"{tmp_path}/lib") is None
    # A new working tree may bring any name.
    assert git.odd_deleted(f"{tmp_path}/new") == "new"
