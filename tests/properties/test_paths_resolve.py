"""What ``resolve_write`` says is what the kernel then does, in generated folders full of links.

Each example builds a small folder with files, hard links and links of every kind (dangling, looping, absolute, with
``..``), resolves one write, performs it for real, and compares which names on disk have changed.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness_guard.errors import EvidenceError
from harness_guard.evidence.resolve import Place, resolve_link, resolve_path, resolve_write
from harness_guard.shell.effects import Link, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DEPTH = 12  # folders around the example, so that a few `..` too many still land in the temporary folder
FOLDERS = ("", "a", "a/c", "out")
TARGETS = st.lists(st.sampled_from(("a", "c", "out", "f", "n", "x", "y", "..", "..", ".")), min_size=1, max_size=3).map(
    "/".join
)
# Few names in few folders, so that most paths really go through a link.
LINKS = st.lists(
    st.tuples(st.sampled_from(FOLDERS), st.sampled_from(("x", "y")), TARGETS, st.booleans()), min_size=1, max_size=5
)
FILES = st.lists(st.tuples(st.sampled_from(FOLDERS), st.sampled_from(("f", "g"))), max_size=4)
TAILS = st.lists(st.sampled_from(("c", "f", "n", "x", "y", "..")), max_size=3)
PATHS = st.builds(
    lambda folder, link, tail: [*folder.split("/"), link, *tail] if folder else [link, *tail],
    st.sampled_from(FOLDERS),
    st.sampled_from(("x", "y", "x", "f", "..")),
    TAILS,
)


def build(top: Path, links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]]) -> None:
    for folder in FOLDERS:
        (top / folder).mkdir(parents=True, exist_ok=True)
    for folder, name in files:
        (top / folder / name).write_text("old")
    for folder, name, target, is_absolute in links:
        path = top / folder / name
        if not path.is_symlink():
            path.symlink_to(top / target if is_absolute else target)


def snapshot(example: Path) -> dict[str, tuple[int, bytes | str | None]]:
    """Map every name below the temporary folder, links not followed, to its kind and content."""
    found: dict[str, tuple[int, bytes | str | None]] = {}
    for folder, folders, files in os.walk(example.parents[DEPTH - 1]):
        for name in folders + files:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            content = os.readlink(path) if os.path.islink(path) else Path(path).read_bytes() if name in files else None
            found[path] = (mode, content)
    return found


def changed(top: Path, act: Callable[[], object]) -> set[str] | None:
    """Perform a write and give the names that it changed; ``None`` if the kernel refused it."""
    before = snapshot(top)
    try:
        act()
    except OSError:
        return None
    after = snapshot(top)
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def stays(top: Path, path: str) -> bool:
    """Tell, by the standard library and not by the code under test, that no step of a path leaves the example's folder."""
    outer = str(top.parents[DEPTH - 1])
    steps = path.split("/")
    prefixes = ["/".join(steps[: count + 1]) for count in range(len(top.parts), len(steps))]
    return all(os.path.realpath(prefix).startswith(outer + "/") for prefix in prefixes)


def reached(write: Write, root: Path) -> tuple[Place, ...] | None:
    try:
        return resolve_write(write, str(root))
    except EvidenceError:
        return None


def in_tree(
    test: Callable[[Path], None], links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(os.path.realpath(folder)).joinpath(*["deep"] * DEPTH)
        build(top, links, files)
        test(top)


@pytest.mark.contract("C1.5")
@given(links=LINKS, files=FILES, segments=PATHS)
def test_writing_a_file(
    links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]], segments: list[str]
) -> None:
    def check(top: Path) -> None:
        path = f"{top}/" + "/".join(segments)
        assume(stays(top, path))
        places = reached(Write(path, "file", "tool"), top / "a")
        names = changed(top, lambda: Path(path).write_text("new"))
        if names is None or not names:
            return
        assert places is not None
        # A text with `..` has a second reading; the kernel's is always the first.
        assert names == {places[0].real}
        relative = os.path.relpath(places[0].real, top / "a")
        assert places[0].relative == (None if relative.startswith("..") else relative)

    in_tree(check, links, files)


@given(links=LINKS, files=FILES, segments=PATHS)
def test_removing_a_name(
    links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]], segments: list[str]
) -> None:
    def check(top: Path) -> None:
        path = f"{top}/" + "/".join(segments)
        assume(stays(top, path))
        places = reached(Write(path, "entry", "rm"), top)
        names = changed(top, lambda: os.unlink(path))
        if names is not None:
            assert places is not None
            assert names == {places[0].real}

    in_tree(check, links, files)


def goes_round(path: str) -> bool:
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


@pytest.mark.contract("C1.5")
@given(links=LINKS, files=FILES, segments=PATHS, target=PATHS)
def test_moving_a_name(
    links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]], segments: list[str], target: list[str]
) -> None:
    def check(top: Path) -> None:
        source, goal = (f"{top}/" + "/".join(path) for path in (segments, target))
        assume(stays(top, source) and stays(top, goal))
        places = [reached(Write(path, "tree", "rm"), top) for path in (source, goal)]
        rounds = [goes_round(path) for path in (source, goal)]
        names = changed(top, lambda: os.rename(source, goal))
        if names is None:
            return
        # Only a link that leads round in a circle is refused.
        assert [found is None for found in places] == [
            found is None and is_round for found, is_round in zip(places, rounds, strict=True)
        ]
        if places[0] is None or places[1] is None:
            return
        reals = [place.real for place in (*places[0], *places[1])]
        assert [name for name in names if not any(name == real or name.startswith(real + "/") for real in reals)] == []

    in_tree(check, links, files)


@given(links=LINKS, files=FILES, segments=PATHS)
def test_making_a_folder(
    links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]], segments: list[str]
) -> None:
    def check(top: Path) -> None:
        path = f"{top}/" + "/".join(segments)
        assume(stays(top, path))
        places = reached(Write(path, "entry", "mkdir"), top)
        names = changed(top, lambda: os.mkdir(path))
        if names is not None:
            assert places is not None
            assert names == {places[0].real}
            assert (places[0].reach, places[0].is_harmless) == ("folder", False)

    in_tree(check, links, files)


@given(links=LINKS, files=FILES, segments=PATHS)
def test_changing_a_mode(
    links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]], segments: list[str]
) -> None:
    def check(top: Path) -> None:
        path = f"{top}/" + "/".join(segments)
        assume(stays(top, path))
        places = reached(Write(path, "meta", "chmod"), top)
        names = changed(top, lambda: os.chmod(path, 0o500))
        if names is not None:
            assert places is not None
            assert names <= {place.real for place in places}

    in_tree(check, links, files)


@pytest.mark.contract("C1.5")
@given(links=LINKS, files=FILES, target=TARGETS, segments=PATHS, tail=st.sampled_from(("f", "n", "c/f")))
def test_writing_through_a_new_link(
    links: list[tuple[str, str, str, bool]],
    files: list[tuple[str, str]],
    target: str,
    segments: list[str],
    tail: str,
) -> None:
    def check(top: Path) -> None:
        path = f"{top}/" + "/".join(segments)
        assume(stays(top, path))
        try:
            stands, leads = resolve_link(Link(target, path, is_hard=False), str(top))
        except EvidenceError:
            return
        if changed(top, lambda: os.symlink(target, path)) is None:
            return
        assert os.readlink(stands.real) == target
        assume(stays(top, f"{path}/{tail}"))
        names = changed(top, lambda: Path(f"{path}/{tail}").write_text("new"))
        assume(names)
        assert names is not None
        # A link that leads into itself or another link is resolved once it stands; before that, its place is known.
        assert all(name.startswith(leads.real.rstrip("/") + "/") for name in names) or leads.real == stands.real

    in_tree(check, links, files)


@pytest.mark.contract("C11.3")
@given(links=LINKS, files=FILES, segments=PATHS)
def test_a_resolved_path_is_a_fixed_point_and_the_systems_own(
    links: list[tuple[str, str, str, bool]], files: list[tuple[str, str]], segments: list[str]
) -> None:
    def check(top: Path) -> None:
        path = f"{top}/" + "/".join(segments)
        try:
            real = resolve_path(path, follow=True)
        except EvidenceError:
            return
        assert resolve_path(real, follow=True) == real
        try:
            assert real == os.path.realpath(path, strict=True)
        except OSError:
            return

    in_tree(check, links, files)
