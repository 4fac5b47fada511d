"""What a write reaches, in real folders full of links."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness_guard.errors import EvidenceError
from harness_guard.evidence import resolve
from harness_guard.evidence.resolve import (
    Place,
    carried_along,
    is_there,
    odd_along,
    resolve_link,
    resolve_path,
    resolve_write,
)
from harness_guard.evidence.surroundings import gather
from harness_guard.policy.control_plane import protected_by
from harness_guard.records import replace
from harness_guard.shell.effects import Link, Search, Write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    top = Path(os.path.realpath(tmp_path)) / "repo"
    (top / "src" / "pkg").mkdir(parents=True)
    (top / "docs").mkdir()
    (top / "src" / "a.py").write_text("a")
    (top / "src" / "b.py").write_text("b")
    (top / "src" / ".hidden").write_text("h")
    (top.parent / "out").mkdir()
    (top.parent / "out" / "o.txt").write_text("o")
    return top


def places(repo: Path, path: str, kind: str, *, by: str = "tool", is_pattern: bool = False) -> list[Place]:
    """Resolve a write below the repository, the temporary folder's name taken out."""
    whole = path if path.startswith("/") else f"{repo}/{path}"
    found = resolve_write(Write(whole, kind, by, is_pattern), str(repo))  # type: ignore[arg-type]
    below = repo.parent.as_posix()
    return [
        replace(
            place, real=place.real.removeprefix(below), below=tuple(name.removeprefix(below) for name in place.below)
        )
        for place in found
    ]


def inside(relative: str, **more: object) -> Place:
    return Place(f"/repo/{relative}".rstrip("/"), relative, **more)  # type: ignore[arg-type]


def outside(real: str, **more: object) -> Place:
    return Place(real, None, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("src/a.py", "src/a.py"),
        ("src/new.py", "src/new.py"),
        ("new/deep/er.py", "new/deep/er.py"),
        ("src/./pkg//x", "src/pkg/x"),
        ("src/pkg/../a.py", "src/a.py"),
        ("new/../src/a.py", "src/a.py"),
        ("src/a.py/", "src/a.py"),
        ("na\nme", "na\nme"),
        ("", ""),
    ],
)
def test_plain_paths(repo: Path, path: str, relative: str) -> None:
    assert [place.relative for place in places(repo, path, "file")] == [relative]


@pytest.mark.contract("C11.8")
@pytest.mark.parametrize("path", ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2", "/dev/./null"])
def test_streams_are_no_writes(repo: Path, path: str) -> None:
    real = "/dev/null" if "null" in path else path
    assert places(repo, path, "file") == [outside(real, is_harmless=True)]
    if path != real:
        return
    if real == "/dev/null":
        assert places(repo, path, "entry") == [outside("/dev/null")]


@pytest.mark.contract("C11.8")
def test_a_link_to_the_null_device_is_harmless(repo: Path) -> None:
    (repo / "src" / "n").symlink_to("/dev/null")
    assert places(repo, "src/n", "file") == [outside("/dev/null", is_harmless=True)]
    assert places(repo, "src/n", "entry") == [inside("src/n")]


@pytest.mark.contract("C11.8")
@pytest.mark.parametrize("path", ["/dev/fd/7", "/dev/tty", "/dev/sda", "/dev/shm/x", "/dev/stdout/x"])
def test_other_devices_are_writes(repo: Path, path: str) -> None:
    try:
        found = places(repo, path, "file")
    except EvidenceError:
        return
    assert [(place.relative, place.is_harmless) for place in found] == [(None, False)]


@pytest.mark.contract("C11.9")
@pytest.mark.parametrize(
    "path", ["/proc/self/cwd/x", "/proc/self/root/etc/x", "/proc/self/fd/0", "/proc/thread-self/cwd"]
)
def test_links_that_only_the_opening_process_knows_are_refused(repo: Path, path: str) -> None:
    with pytest.raises(EvidenceError, match="it depends on the process that opens it"):
        places(repo, path, "file")
    (repo / "p").symlink_to(path)
    with pytest.raises(EvidenceError):
        places(repo, "p", "file")


@pytest.mark.contract("C11.3")
def test_links(repo: Path) -> None:
    (repo / "src" / "out").symlink_to("../../out")
    (repo / "src" / "abs").symlink_to(repo / "docs")
    (repo / "src" / "dangling").symlink_to("../docs/new.md")
    (repo / "src" / "chain").symlink_to("abs")
    assert places(repo, "src/out/o.txt", "file") == [outside("/out/o.txt")]
    assert places(repo, "src/out/new/x", "file") == [outside("/out/new/x")]
    assert places(repo, "src/abs/x", "file") == [inside("docs/x")]
    assert places(repo, "src/chain/x", "file") == [inside("docs/x")]
    assert places(repo, "src/dangling", "file") == [inside("docs/new.md")]
    assert places(repo, "src/dangling", "entry", by="rm") == [inside("src/dangling")]
    assert places(repo, "src/dangling", "meta") == [inside("docs/new.md"), inside("src/dangling")]


def test_a_name_that_is_a_link_with_a_slash_behind_it_is_read_both_ways(repo: Path) -> None:
    (repo / "src" / "out").symlink_to("../../out")
    both = [inside("src/out"), outside("/out", reach="tree")]
    assert places(repo, "src/out", "entry", by="rm") == [inside("src/out")]
    assert places(repo, "src/out/", "entry", by="rm") == both
    assert places(repo, "src/out/.", "entry", by="rm") == both


def test_a_tree_that_is_a_link_is_read_both_ways(repo: Path) -> None:
    (repo / "src" / "out").symlink_to("../../out")
    assert places(repo, "src/out", "tree", by="cp") == [inside("src/out", reach="tree"), outside("/out", reach="tree")]


@pytest.mark.contract("C11.3")
def test_dots_behind_a_link_are_read_as_the_kernel_and_as_a_normalising_tool(repo: Path) -> None:
    (repo / "src" / "out").symlink_to("../../out")
    assert places(repo, "src/out/../x", "file") == [outside("/x"), inside("src/x")]


@pytest.mark.contract("C11.9")
def test_a_loop_is_refused(repo: Path) -> None:
    (repo / "a").symlink_to("b")
    (repo / "b").symlink_to("a")
    with pytest.raises(EvidenceError, match="more than 40 links"):
        places(repo, "a", "file")
    assert places(repo, "a", "entry", by="rm") == [inside("a")]


@pytest.mark.contract("C11.9")
def test_as_many_links_as_the_kernel_follows(repo: Path) -> None:
    (repo / "l0").symlink_to("src/a.py")
    for at in range(1, 41):
        (repo / f"l{at}").symlink_to(f"l{at - 1}")
    assert places(repo, "l39", "file") == [inside("src/a.py")]
    (repo / "l39").write_text("a")
    with pytest.raises(OSError, match="symbolic links"):
        (repo / "l40").write_text("a")
    with pytest.raises(EvidenceError):
        places(repo, "l40", "file")


@pytest.mark.parametrize("path", ["relative", "/x\0y", "/" + "a" * 5_000, "/" + "a" * 300])
def test_a_path_that_cannot_be_is_refused(repo: Path, path: str) -> None:
    with pytest.raises(EvidenceError, match="cannot tell what"):
        resolve_write(Write(path, "file", "tool"), str(repo))


@pytest.mark.contract("C11.6")
def test_hard_links_are_told(repo: Path) -> None:
    os.link(repo / "src" / "a.py", repo.parent / "twin")
    assert places(repo, "src/a.py", "file") == [inside("src/a.py", links=2)]
    assert places(repo, "src/a.py", "meta") == [inside("src/a.py", links=2)]
    assert places(repo, "src/a.py", "entry", by="rm") == [inside("src/a.py")]
    assert places(repo, "src/a.py", "file")[0].has_other_names
    assert not places(repo, "src/b.py", "file")[0].has_other_names


def test_the_root_may_be_named_through_a_link(repo: Path) -> None:
    (repo.parent / "alias").symlink_to(repo)
    found = resolve_write(Write(f"{repo.parent}/alias/src/a.py", "file", "tool"), f"{repo.parent}/alias")
    assert found == (Place(f"{repo}/src/a.py", "src/a.py"),)


@pytest.mark.contract("C11.4")
def test_names_are_compared_in_nfc(repo: Path) -> None:
    name = "cafe\u0301"
    (repo / name).write_text("x")
    assert places(repo, name, "file") == [Place(f"/repo/{name}", "caf\xe9")]


@pytest.mark.contract("C11.7")
@pytest.mark.parametrize(
    ("mark", "is_repository"),
    [((".git/",), True), ((".git",), True), (("HEAD", "objects/", "refs/"), True), (("HEAD", "objects/"), False)],
)
def test_another_repository_below_the_root(repo: Path, mark: tuple[str, ...], *, is_repository: bool) -> None:
    inner = repo / "vendor" / "lib"
    (inner / "deep").mkdir(parents=True)
    for name in mark:
        (inner / name).mkdir() if name.endswith("/") else (inner / name).write_text("x")
    nested = "vendor/lib" if is_repository else None
    assert places(repo, "vendor/lib/deep/x", "file") == [inside("vendor/lib/deep/x", nested=nested)]
    assert places(repo, "vendor/x", "file") == [inside("vendor/x")]


def test_the_repository_itself_is_none(repo: Path) -> None:
    (repo / ".git").mkdir()
    assert places(repo, "src/a.py", "file") == [inside("src/a.py")]


def test_a_tree_tells_what_is_protected_below_it(repo: Path) -> None:
    assert places(repo, "src", "tree", by="rm") == [inside("src", reach="tree")]
    (repo / "src" / "pkg" / ".Claude").mkdir()
    assert places(repo, "src", "tree", by="rm") == [inside("src", reach="tree", below=("/repo/src/pkg/.Claude",))]
    assert places(repo, "docs", "tree", by="rm") == [inside("docs", reach="tree")]


@pytest.mark.contract("C7.22")
def test_what_a_copy_would_bring_along(repo: Path) -> None:
    assert carried_along(str(repo)) is None
    assert carried_along(str(repo / "src" / "a.py")) is None
    assert carried_along(str(repo / "nothing")) is None
    (repo / "src" / "pkg" / ".Claude").mkdir()
    (repo / "src" / "pkg" / ".Claude" / "deep").mkdir()
    assert carried_along(str(repo)) == f"{repo}/src/pkg/.Claude"
    (repo / "docs" / "l").symlink_to("../src/a.py")
    assert carried_along(str(repo / "docs")) == f"{repo}/docs/l"
    assert carried_along(f"{repo}/docs/l/") == f"{repo}/docs/l"


@pytest.mark.contract("C7.24")
def test_odd_names_that_come_along(repo: Path) -> None:
    def found(path: str, *, is_pattern: bool = False, is_deep: bool = True) -> str | None:
        odd = odd_along(f"{repo}/{path}", is_pattern=is_pattern, is_deep=is_deep, scratch="")
        return None if odd is None else odd.removeprefix(f"{repo}/")

    assert found("src") is None
    (repo / "src" / "pkg" / "a b").mkdir()
    (repo / "src" / "pkg" / "a b" / "c").write_text("")
    (repo / "docs" / "x y").write_text("")
    (repo / "docs" / "l").symlink_to("../src/pkg")
    assert found("src") == "src/pkg/a b"
    assert found("docs/l") == "src/pkg/a b"
    assert found("src/a.py") is None
    # A name that is written out is known where it lands; one that a pattern matches is not.
    assert found("docs/x y") is None
    assert found("docs/x*", is_pattern=True) == "docs/x y"
    assert found("src/*.py", is_pattern=True) is None
    assert found("src/p*", is_pattern=True) == "src/pkg/a b"
    (repo / "docs" / "Head").mkdir()
    assert found("docs/H*", is_pattern=True) == "docs/Head"
    (repo / "docs" / "Head" / "in").mkdir()
    assert found("docs/Head") is None
    (repo / "docs" / "Head" / "in" / "HEAD").write_text("")
    assert found("docs/Head") == "docs/Head/in/HEAD"


@pytest.mark.contract("C7.24")
@pytest.mark.parametrize(
    ("path", "is_pattern", "is_deep", "is_odd"),
    [
        ("scratch/a.txt", False, False, False),
        ("scratch/a.txt", False, True, True),
        ("scratch/nothing", False, True, True),
        ("scratch", False, True, True),
        ("scratch/*.zz", True, False, True),
        ("scr*/a.txt", True, False, True),
        ("l/a.txt", False, True, True),
        ("src/a.py", False, True, False),
        ("src/*.py", True, True, False),
    ],
)
def test_below_the_scratch_folder_names_may_still_be_made(
    repo: Path, path: str, *, is_pattern: bool, is_deep: bool, is_odd: bool
) -> None:
    scratch = repo / "scratch"
    scratch.mkdir()
    (scratch / "a.txt").write_text("")
    (repo / "l").symlink_to("scratch")
    found = odd_along(f"{repo}/{path}", is_pattern=is_pattern, is_deep=is_deep, scratch=str(scratch))
    assert found == (f"{repo}/{path}" if is_odd else None)


@pytest.mark.contract("C7.24")
def test_what_stands_at_a_real_path(repo: Path) -> None:
    (repo / "docs" / "l").symlink_to("nowhere")
    assert is_there(f"{repo}/docs/l")
    assert is_there(f"{repo}/src/pkg")
    assert not is_there(f"{repo}/src/nothing")
    assert not is_there(f"{repo}/src/a.py/x")


@pytest.mark.parametrize("by", ["mv", "git mv"])
def test_a_link_that_is_moved_leads_who_knows_where(repo: Path, by: str) -> None:
    (repo / "docs" / "l").symlink_to("../src")
    for path in ("docs", "docs/l"):
        with pytest.raises(EvidenceError, match="it is a link that would be moved"):
            places(repo, path, "tree", by=by)
    assert places(repo, "src/pkg", "tree", by=by) == [inside("src/pkg", reach="tree")]
    assert places(repo, "docs", "tree", by="rm") == [inside("docs", reach="tree")]


def test_a_name_that_is_a_link_to_a_folder_takes_what_is_put_there(repo: Path) -> None:
    (repo / "src" / "out").symlink_to("../../out")
    assert places(repo, "src/out", "entry", by="ln") == [inside("src/out"), outside("/out", reach="tree")]


def test_a_folder_takes_no_content(repo: Path) -> None:
    assert places(repo, "src", "file", by="cp") == [inside("src", reach="folder")]
    assert places(repo, "src/", "file", by="cp") == [inside("src", reach="folder", is_harmless=True)]
    assert places(repo, "src/.", "file", by="cp") == [inside("src", reach="folder", is_harmless=True)]
    assert places(repo, ".", "file", by="cp") == [inside("", reach="folder", is_harmless=True)]
    assert places(repo, "src/new/", "file", by="cp") == [inside("src/new")]


def test_a_folder_that_is_renamed_is_a_tree(repo: Path) -> None:
    assert places(repo, "src/pkg", "entry", by="mv") == [inside("src/pkg", reach="tree")]


def test_a_tree_that_is_written_reaches_what_its_links_lead_to(repo: Path) -> None:
    (repo / "src" / "o.txt").symlink_to("../../out/o.txt")
    (repo / "src" / "near").symlink_to("a.py")
    os.link(repo / "src" / "b.py", repo.parent / "twin")
    assert places(repo, "src", "tree", by="rm") == [inside("src", reach="tree")]
    written = places(repo, "src", "tree", by="cp")
    assert written[0] == inside("src", reach="tree")
    assert sorted(written[1:], key=lambda place: place.real) == [outside("/out/o.txt"), inside("src/b.py", links=2)]


@pytest.mark.contract("C11.9")
def test_a_tree_too_large_to_look_through_is_refused(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "BELOW_MAX", 3)
    assert places(repo, "docs", "tree", by="rm") == [inside("docs", reach="tree")]
    with pytest.raises(EvidenceError, match="more than 3 entries below it"):
        places(repo, "src", "tree", by="rm")


def test_mkdir(repo: Path) -> None:
    assert places(repo, "src/new", "entry", by="mkdir") == [inside("src/new", reach="folder")]
    assert places(repo, "src/pkg", "entry", by="mkdir") == [inside("src/pkg", reach="folder", is_harmless=True)]
    assert places(repo, "src/a.py", "entry", by="mkdir") == [inside("src/a.py", reach="folder")]
    assert places(repo, "src/pkg", "entry", by="rmdir") == [inside("src/pkg", reach="folder")]


@pytest.mark.contract("C11.5")
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("src/*.py", ["src/a.py", "src/b.py"]),
        ("src/?.py", ["src/?.py", "src/a.py", "src/b.py"]),
        ("src/[a].py", ["src/[a].py", "src/a.py", "src/b.py"]),
        ("src/[!a]*", ["src/[!a]*", "src/a.py", "src/b.py"]),
        ("s*c/a.py", ["src/a.py"]),
        ("src/.h*", ["src/.hidden"]),
        ("*/.h*", ["src/.hidden"]),
        ("src/\\a.*", ["src/a.py"]),
    ],
)
def test_patterns(repo: Path, pattern: str, found: list[str]) -> None:
    (repo / "src" / "pkg").rmdir()
    assert sorted(place.relative or "" for place in places(repo, pattern, "file", is_pattern=True)) == found


def test_a_pattern_never_takes_fewer_names_than_bash(repo: Path) -> None:
    for name in ("[x]", "x", "a b", "\xe9", "z*z", "-", "]"):
        (repo / "src" / name).write_text("")
    for pattern in (
        "*",
        "?",
        "[[:alpha:]]",
        "[]x]",
        "[a-z]*",
        "\\[*",
        "[^x]",
        "??*",
        ".*",
        "z\\**",
        "[[.-.]]",
        "*[",
        "[x",
    ):
        shell = subprocess.run(
            ["bash", "-c", f"cd {repo}/src && printf '%s\\0' {pattern}"], check=True, capture_output=True, text=True
        )
        by_bash = {os.path.normpath(f"src/{name}") for name in shell.stdout.split("\0")[:-1]}
        ours = {place.relative for place in places(repo, f"src/{pattern}", "entry", is_pattern=True)}
        assert by_bash <= ours, pattern


@pytest.mark.contract("C11.5")
def test_a_pattern_without_a_match_stands_for_itself_and_for_what_may_come(repo: Path) -> None:
    assert places(repo, "src/\\x*.no", "file", is_pattern=True) == [
        inside("src/x*.no"),
        inside("src/x*.no", reach="pattern"),
    ]
    assert places(repo, "no*/x", "tree", by="rm", is_pattern=True) == [
        inside("no*/x", reach="tree"),
        inside("no*/x", reach="pattern"),
        inside("no*/x/**", reach="pattern"),
    ]


def test_a_pattern_in_a_linked_folder_is_resolved(repo: Path) -> None:
    (repo / "src" / "out").symlink_to("../../out")
    assert places(repo, "src/out/*.txt", "file", is_pattern=True) == [outside("/out/o.txt")]
    assert places(repo, "src/out/*.no", "file", is_pattern=True) == [
        outside("/out/*.no"),
        outside("/out/*.no", reach="pattern"),
    ]
    assert places(repo, "src/o*/o.txt", "file", is_pattern=True) == [outside("/out/o.txt")]


@pytest.mark.contract("C11.9")
def test_patterns_have_limits(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EvidenceError, match="stands behind a pattern"):
        places(repo, "no*/../x", "file", is_pattern=True)
    with pytest.raises(EvidenceError, match="it is not absolute"):
        resolve_write(Write("*.py", "file", "tool", is_pattern=True), str(repo))
    monkeypatch.setattr(resolve, "MATCHES_MAX", 2)
    assert len(places(repo, "src/*.py", "file", is_pattern=True)) == 2
    with pytest.raises(EvidenceError, match="it matches more than 2 names"):
        places(repo, "src/*", "file", is_pattern=True)


def test_resolve_link(repo: Path) -> None:
    (repo / "docs" / "out").symlink_to("../../out")
    os.link(repo / "src" / "a.py", repo / "twin")
    top = str(repo)
    assert resolve_link(Link("a.py", f"{top}/src/l", is_hard=False), top) == (
        Place(f"{top}/src/l", "src/l"),
        Place(f"{top}/src/a.py", "src/a.py", links=2),
    )
    assert resolve_link(Link("../out/o.txt", f"{top}/docs/l", is_hard=False), top)[1] == Place(
        f"{top}/out/o.txt", "out/o.txt"
    )
    assert resolve_link(Link("out/o.txt", f"{top}/docs/l", is_hard=False), top)[1] == Place(
        f"{repo.parent}/out/o.txt", None
    )
    assert resolve_link(Link("/etc/x", f"{top}/l", is_hard=True), top)[1] == Place("/etc/x", None)


def test_resolve_path(repo: Path) -> None:
    (repo / "l").symlink_to("src/a.py")
    assert resolve_path(f"{repo}/l", follow=True) == f"{repo}/src/a.py"
    assert resolve_path(f"{repo}/l", follow=False) == f"{repo}/l"
    assert resolve_path("/", follow=True) == "/"
    assert resolve_path("/../..", follow=True) == "/"
    assert resolve_path("//etc//", follow=True) == os.path.realpath("/etc")
    for stream in ("/dev/stdin", "/dev/fd/0", "/dev/null"):
        assert resolve_path(stream, follow=True) == stream


@pytest.mark.contract("C11.4")
def test_a_folder_that_takes_several_spellings_gives_its_own(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = resolve._status

    def insensitive(path: str) -> os.stat_result | None:
        folder, _, name = path.rpartition("/")
        for listed in os.listdir(folder) if folder.startswith(str(repo)) and os.path.isdir(folder) else ():
            if listed.casefold() == name.casefold():
                return real(f"{folder}/{listed}")
        return real(path)

    monkeypatch.setattr(resolve, "_status", insensitive)
    assert places(repo, "SRC/A.py", "file") == [inside("src/a.py")]
    assert places(repo, "SRC/New.py", "file") == [inside("src/New.py")]


def test_two_hard_links_that_differ_in_case_keep_their_names(repo: Path) -> None:
    os.link(repo / "src" / "a.py", repo / "src" / "A.PY")
    assert places(repo, "src/a.py", "file") == [inside("src/a.py", links=2)]
    assert places(repo, "src/A.PY", "file") == [inside("src/A.PY", links=2)]


@pytest.fixture
def git_repo(repo: Path) -> Path:
    environ = {"PATH": os.environ["PATH"], "HOME": str(repo.parent / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
    (repo.parent / "home").mkdir()
    subprocess.run(["git", "init", "-q", str(repo)], check=True, env=environ)
    return repo


def plane_of(repo: Path, **environ: str) -> dict[str, object]:
    home = str(repo.parent / "home")
    plane = gather(str(repo), "/opt/p", f"{home}/.claude/data", {"PATH": os.environ["PATH"], "HOME": home} | environ)
    below = str(repo.parent)
    return {
        name: [path.removeprefix(below) for path in getattr(plane, name) if path.startswith(below)]
        for name in ("homes", "git_dirs", "hook_dirs", "files")
    }


@pytest.mark.contract("C11.1")
def test_the_control_plane_of_a_plain_repository(git_repo: Path) -> None:
    assert plane_of(git_repo) == {
        "homes": ["/home/.claude", "/home/.codex", "/home/.agents"],
        "git_dirs": ["/repo/.git", "/home/.gitconfig", "/home/.config/git", "/repo/.git/config"],
        "hook_dirs": ["/repo/.git/hooks"],
        "files": ["/home/.claude.json"],
    }


@pytest.mark.contract("C11.1")
def test_the_environment_moves_the_hosts_homes(git_repo: Path) -> None:
    out = str(git_repo.parent / "out")
    plane = plane_of(git_repo, CLAUDE_CONFIG_DIR=f"{out}/c", CODEX_HOME=f"{out}/x", XDG_CONFIG_HOME=f"{out}/xdg")
    assert plane["homes"] == ["/home/.claude", "/home/.codex", "/home/.agents", "/out/c", "/out/x"]
    assert plane["files"] == ["/home/.claude.json", "/out/c/.claude.json", "/out/x/.claude.json"]
    assert "/out/xdg/git" in plane["git_dirs"]  # type: ignore[operator]


def test_a_home_that_is_a_link_is_protected_under_both_names(git_repo: Path) -> None:
    home = git_repo.parent / "home"
    (home / "dots").mkdir()
    (home / ".claude").symlink_to("dots")
    assert plane_of(git_repo)["homes"] == ["/home/.claude", "/home/dots", "/home/.codex", "/home/.agents"]


@pytest.mark.contract("C11.1")
def test_hook_folders_that_git_names(git_repo: Path) -> None:
    def config(*words: str) -> None:
        subprocess.run(["git", "-C", str(git_repo), "config", *words], check=True)

    config("core.hooksPath", ".husky/_")
    assert plane_of(git_repo)["hook_dirs"] == ["/repo/.husky/_", "/repo/.husky"]
    config("core.hooksPath", str(git_repo.parent / "out"))
    assert plane_of(git_repo)["hook_dirs"] == ["/out"]


@pytest.mark.contract("C11.1")
def test_settings_files_that_git_includes_need_not_exist_yet(git_repo: Path) -> None:
    config = git_repo / ".git" / "config"
    config.write_text(
        config.read_text()
        + '[include]\n path = ../team.cfg\n[includeIf "gitdir:/x/"]\n path = ~/other.cfg\n[include]\n path = /abs.cfg\n'
    )
    plane = gather(
        str(git_repo), "/opt/p", "/opt/d", {"PATH": os.environ["PATH"], "HOME": str(git_repo.parent / "home")}
    )
    for path in (f"{git_repo}/team.cfg", f"{git_repo.parent}/home/other.cfg", "/abs.cfg"):
        assert protected_by(plane, path) == "git's own files"


def test_a_worktree_has_two_folders_of_git(git_repo: Path) -> None:
    git = ["git", "-C", str(git_repo), "-c", "user.name=u", "-c", "user.email=u@example.org"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(git_repo.parent / "wt")], check=True, capture_output=True)
    plane = plane_of(git_repo.parent / "wt")
    assert plane["git_dirs"] == [
        "/repo/.git/worktrees/wt",
        "/repo/.git",
        "/wt/.git",
        "/home/.gitconfig",
        "/home/.config/git",
        "/repo/.git/config",
    ]
    assert plane["hook_dirs"] == ["/repo/.git/hooks"]


def test_outside_git_there_is_no_control_plane_to_gather(repo: Path) -> None:
    with pytest.raises(EvidenceError, match="does not answer"):
        gather(str(repo), "/opt/p", "/opt/d", {"PATH": os.environ["PATH"], "HOME": "/home/u"})


def test_without_git_or_home_nothing_is_gathered(git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EvidenceError, match="does not answer"):
        gather(str(git_repo), "/opt/p", "/opt/d", {"PATH": "/nowhere", "HOME": "/home/u"})
    monkeypatch.setattr("harness_guard.evidence.surroundings._recorded_home", lambda: "")
    with pytest.raises(EvidenceError, match="neither HOME nor the user database"):
        gather(str(git_repo), "/opt/p", "/opt/d", {"PATH": os.environ["PATH"]})


@pytest.mark.parametrize(
    ("kind", "names", "skips", "real"),
    [
        ("entry", ("*.PYC",), False, ["a/x.pyc", ".git/y.pyc"]),
        ("entry", ("*.pyc",), True, ["a/x.pyc"]),
        ("entry", ("*.json",), True, [".claude/s.json"]),
        ("file", ("out",), False, ["../away"]),
        ("entry", ("out",), False, ["a/out"]),
        ("tree", ("a",), False, ["a", "../away"]),
    ],
)
def test_a_search_reaches_each_name_that_is_there(
    kind: Any, names: tuple[str, ...], skips: bool, real: list[str], tmp_path: Path
) -> None:
    root = tmp_path / "repo"
    (root / "a").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".claude").mkdir()
    (root / ".claude/s.json").write_text("")
    (tmp_path / "away").write_text("")
    for name in ("a/x.pyc", ".git/y.pyc"):
        (root / name).write_text("")
    (root / "a/out").symlink_to(tmp_path / "away")
    write = Write(str(root), kind, "touch", search=Search(names, skips))
    found = [os.path.relpath(place.real, root) for place in resolve_write(write, str(root))]
    assert sorted(found) == sorted(real)


@pytest.mark.parametrize(
    ("root", "name", "real"),
    [
        ("a/.", ".", "a"),
        ("a/..", "..", "."),
        ("a/out/", "out", "../away"),
        ("a/out/", "away", "../away"),
        ("a", "a", "a"),
    ],
)
def test_what_a_search_starts_from_is_called_as_it_is_written(root: str, name: str, real: str, tmp_path: Path) -> None:
    top = tmp_path / "repo"
    (top / "a").mkdir(parents=True)
    (tmp_path / "away").mkdir()
    (top / "a/out").symlink_to(tmp_path / "away")
    write = Write(f"{top}/{root}", "meta", "chmod", search=Search((name,)))
    found = [place.real for place in resolve_write(write, str(top)) if not place.is_harmless]
    assert set(found) == {str((top / real).resolve())}


def test_a_search_that_finds_nothing_writes_nothing(tmp_path: Path) -> None:
    write = Write(str(tmp_path), "entry", "rm", search=Search(("*.pyc",)))
    assert [place.is_harmless for place in resolve_write(write, str(tmp_path))] == [True]


def test_a_search_that_gives_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "SEARCHED_MAX", 2)
    for name in "abc":
        (tmp_path / name).write_text("")
    assert len(resolve_write(Write(str(tmp_path), "file", "touch", search=Search(("a", "b"))), str(tmp_path)))
    with pytest.raises(EvidenceError, match="more than 2"):
        resolve_write(Write(str(tmp_path), "file", "touch", search=Search()), str(tmp_path))


@pytest.mark.parametrize("by", ["checkout", "restore"])
def test_git_puts_a_folder_where_a_link_stands_on_the_way(repo: Path, by: str) -> None:
    (repo / "link").symlink_to(repo / "docs")
    (repo.parent / "other").symlink_to(repo)
    both = [inside("docs/x", reach="tree"), inside("link/x", reach="tree")]
    assert places(repo, "link/x", "tree", by=by) == both
    assert places(repo, "src/../link/./x", "tree", by=by)[-1] == both[-1]
    assert places(repo, f"{repo.parent}/other/link/x", "tree", by=by) == both
    assert places(repo, "docs/x", "tree", by=by) == both[:1]
    assert places(repo, "link/x", "tree", by="cp") == both[:1]
