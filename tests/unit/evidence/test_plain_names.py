"""Which folders hold nothing but names of one plain word."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness_guard.evidence import plain_names
from harness_guard.evidence.plain_names import (
    are_inside,
    are_plain_in,
    are_plain_in_index,
    are_plain_on_disk,
    are_undashed,
    is_absent,
    is_plain,
)
from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.facts import Needs, ShellFacts
from harness_guard.shell.names import NameSource


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize("path", ["a", "a/b.py", "dir/-x", "é", "a..b", "x/...", "a@b", "a=b", ".git/HEAD"])
def test_plain(path: str) -> None:
    assert is_plain(path)


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize(
    "path",
    ["", "a b", "x /data/key", "a\tb", "a\nb", "-x", "-f/data/key", "~", "a/../b", "..", "a'b", 'a"b', "a\\b", "a*", "a?", "[a]",
     "a\u00a0b", "a\x01b", "$x", "`x`", "{a,b}", "/a", "\udcff"],
)  # fmt: skip
def test_not_plain(path: str) -> None:
    assert not is_plain(path)


@pytest.mark.contract("E3.2")
def test_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c.py").write_text("")
    (tmp_path / "in").symlink_to("a/b")
    assert are_plain_on_disk(str(tmp_path))
    assert are_plain_on_disk(str(tmp_path / "a/b/c.py"))
    assert not are_plain_on_disk(str(tmp_path / "missing"))
    (tmp_path / "a/x y").write_text("")
    assert not are_plain_on_disk(str(tmp_path))
    (tmp_path / "a/x y").unlink()
    (tmp_path / "out").symlink_to("..")
    assert not are_plain_on_disk(str(tmp_path))
    (tmp_path / "out").unlink()
    monkeypatch.setattr(plain_names, "MOST_ENTRIES", 2)
    assert not are_plain_on_disk(str(tmp_path))


@pytest.mark.contract("E3.2")
def test_an_index_names_what_is_gone(tmp_path: Path) -> None:
    assert are_plain_in_index("a\0b/c\0", str(tmp_path))
    assert not are_plain_in_index("a\0x /data/key\0", str(tmp_path))
    (tmp_path / "b").symlink_to("..")
    assert not are_plain_in_index("a\0b/c\0", str(tmp_path))
    assert not are_plain_in_index("b\0", str(tmp_path))


def test_gathered(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    repo = tmp_path / "repo"
    (repo / "x y").write_text("")
    disk, index, none = (
        NameSource("disk", str(repo)),
        NameSource("index", str(repo)),
        NameSource("index", str(tmp_path)),
    )
    found = gather("", Needs(names=(disk, index, none)), ShellFacts(), shfmt="")
    assert found.names == {disk: False, index: True, none: False}
    subprocess.run(["git", "add", "."], cwd=repo, check=True)
    (repo / "x y").unlink()
    assert gather("", Needs(names=(disk, index)), found, shfmt="").names == {disk: True, index: False, none: False}


def test_no_name_starts_with_a_dash(tmp_path: Path) -> None:
    (tmp_path / "a-b").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    assert are_undashed(str(tmp_path))
    assert are_undashed(str(tmp_path / "none"))
    assert not are_undashed(str(tmp_path / "link"))  # it may be filled under its other name
    (tmp_path / "-rf").write_text("")
    assert not are_undashed(str(tmp_path))


def test_links_that_lead_out(tmp_path: Path) -> None:
    (tmp_path / "in" / "a b").mkdir(parents=True)
    (tmp_path / "in" / "link").symlink_to("a b")
    assert are_inside(str(tmp_path / "in"))
    assert not are_plain_on_disk(str(tmp_path / "in"))
    (tmp_path / "in" / "a b" / "out").symlink_to(tmp_path)
    assert not are_inside(str(tmp_path / "in"))


def test_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a/b")
    (tmp_path / "a/b/there").symlink_to("nowhere")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = {name: is_absent(f"{tmp_path}/{name}") for name in ("x", "a/b/x", "a/b/there", "link/x", "new/x")}
    assert found == {"x": True, "a/b/x": True, "a/b/there": False, "link/x": False, "new/x": True}
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert is_absent(f"{tmp_path}/link/x")
    assert not is_absent(f"{tmp_path}/link/there")
    assert is_absent("/no-such-file")


@pytest.mark.contract("E2.3")
def test_plain_names_directly_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    assert are_plain_in(str(folder))
    (folder / "b" / "c d").mkdir(parents=True)
    assert are_plain_in(str(folder))
    assert not are_plain_in(str(folder / "b"))
    (tmp_path / "l").symlink_to("a")
    assert not are_plain_in(str(tmp_path / "l"))


@pytest.mark.contract("E3.2")
def test_only_names_with_some_endings_count(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "c.png").write_text("")
    (tmp_path / "d.py").write_text("")
    assert not are_plain_on_disk(str(tmp_path))
    assert are_plain_on_disk(str(tmp_path), ("*.py", "x"))
    assert not are_plain_on_disk(str(tmp_path), ("*.py", "*.P?g"))
    (tmp_path / "a b" / "e.PY").write_text("")
    assert not are_plain_on_disk(str(tmp_path), ("*.py",))


@pytest.mark.contract("E3.2")
def test_names_with_other_endings_are_passed_over_only_where_it_is_asked_so(tmp_path: Path) -> None:
    (tmp_path / "a b").write_text("")
    folder = str(tmp_path)
    wanted = (NameSource("tangled", folder, ("*.py",)), NameSource("tangled", folder), NameSource("disk", folder))
    found = gather("", Needs(names=wanted), ShellFacts(), shfmt="")
    assert [found.names[source] for source in wanted] == [True, False, False]
