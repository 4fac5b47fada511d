"""Names that a call would make: which are refused, which stand already, and what comes along with a folder."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import ROOT, FakeWorld, ShellWorld, call, in_state, place

from harness_guard.policy.digest import policy_id
from harness_guard.records import replace
from harness_guard.shell.effects import MOVED_AWAY, PLAIN_COPY, Effects, Link, Program, Read, Search, Write

pytestmark = pytest.mark.contract("C7.24")


def rule(found: Any) -> str | None:
    reason = found.decision.reason
    return reason.rule if reason else None


def within(*entries: str) -> Any:
    state = in_state("executing")
    assert state.active_policy is not None
    policy = replace(state.active_policy, boundary=entries)
    return replace(state, active_policy=policy, accepted_policy=policy, active_policy_id=policy_id(policy))


def judged(monkeypatch: pytest.MonkeyPatch, effects: Effects, *entries: str, **answers: Any) -> tuple[str | None, Any]:
    world = ShellWorld(monkeypatch, effects, **answers)
    return rule(world.decide(call("Bash", {"command": "x"}), within(*(entries or ("src/**",))))), world.asked


def wrote(path: str, kind: Any = "file", by: str = "tee", **fields: Any) -> Effects:
    return Effects(writes=(Write(f"{ROOT}/{path}", kind, by, **fields),))


@pytest.mark.parametrize(
    ("effects", "entries", "expected"),
    [
        (wrote("src/a.py"), (), None),
        (wrote("src/a b"), (), "boundary.name"),
        (wrote("src/-x"), (), "boundary.name"),
        (wrote("src/a b/c.py"), (), "boundary.name"),
        (wrote("src/a b"), ("src/a b",), None),
        (wrote("src/a b/c d"), ("src/**", "src/a b/**"), None),
        (wrote("src/a c"), ("src/**", "src/a b/**"), "boundary.name"),
        (wrote("src/a b", "meta", "chmod"), (), None),
        (wrote("src/a b", "entry", "rm"), (), None),
        (wrote("src/a b", "tree", MOVED_AWAY), (), None),
        (wrote("src/a b", "tree", "ruff", is_cache=True), (), None),
        (Effects(links=(Link("a.py", f"{ROOT}/src/l", is_hard=False),)), (), None),
        (replace(wrote("src/a b"), writes=(*wrote("src/c").writes, *wrote("src/a b").writes)), (), "boundary.name"),
        (
            Effects(links=tuple(Link("a", f"{ROOT}/src/{name}", is_hard=False) for name in ("l", "l k"))),
            (),
            "boundary.name",
        ),
        (Effects(links=(Link("a.py", f"{ROOT}/src/l k", is_hard=False),)), (), "boundary.name"),
    ],
)
def test_a_new_name_is_one_plain_word(
    effects: Effects, entries: tuple[str, ...], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = {"LinkPlaces": lambda question: (place(question.link.path), place(f"{ROOT}/src/a.py"))}
    assert judged(monkeypatch, effects, *entries, **inside)[0] == expected


@pytest.mark.parametrize(("there", "expected"), [(f"{ROOT}/src/a b", None), (f"{ROOT}/src/a", "boundary.name")])
def test_what_stands_already_may_be_written(there: str, expected: str | None) -> None:
    world = FakeWorld(IsThere=lambda question: question.real == there)
    for path in ("src/a b", "src/a b/c/d.py"):
        found = world.decide(call("Write", {"file_path": f"{ROOT}/{path}"}), within("src/**"))
        assert rule(found) == expected


def test_the_reason_names_the_name_and_does_not_pause() -> None:
    found = FakeWorld().decide(call("Write", {"file_path": f"{ROOT}/src/a b/c.py"}), within("src/**"))
    assert found.decision.reason is not None
    assert "`src/a b` would be a new name" in found.decision.reason.seen
    assert found.state is not None
    assert (found.state.state, found.state.opaque_denies) == ("executing", 1)


TREE = wrote("src/d", "tree", "cp")


@pytest.mark.parametrize("by", ["cp", PLAIN_COPY, "mv", "install", "rsync"])
@pytest.mark.parametrize(("odd", "expected"), [(None, None), (f"{ROOT}/lib/a b", "boundary.name")])
def test_what_comes_along_is_looked_at(
    by: str, odd: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def look(question: Any) -> str | None:
        asked.append((question.path, question.is_pattern, question.is_deep, question.scratch))
        return odd

    effects = replace(
        wrote("src/d", "tree", by), reads=(Read(f"{ROOT}/lib", "cp", is_tree=True), Read(f"{ROOT}/x", "cat"))
    )
    found, _ = judged(monkeypatch, effects, OddName=look)
    assert (found, asked) == (expected, [(f"{ROOT}/lib", False, True, "/tmp/harness-guard-r1")])


def test_git_carries_what_it_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = Effects(writes=tuple(Write(f"{ROOT}/src/{name}", "tree", "git mv") for name in ("a", "b")))
    assert judged(monkeypatch, moved, OddName=None)[0] is None
    assert (
        judged(monkeypatch, moved, OddName=lambda question: question.path if question.path[-1] == "b" else None)[0]
        == "boundary.name"
    )


@pytest.mark.parametrize("by", ["checkout", "restore"])
@pytest.mark.parametrize(("gone", "expected"), [(None, None), ("src/a b", "boundary.name")])
def test_what_git_restores_is_looked_up(
    by: str, gone: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judged(monkeypatch, wrote("src/d", "tree", by), OddDeleted=gone)[0] == expected


@pytest.mark.parametrize(
    ("by", "kind", "path", "words", "expected"),
    [
        ("split", "file", "src/q*", ("-b", "10"), None),
        ("split", "file", "src/q*", ("--additional-suffix= y",), "boundary.name"),
        ("split", "file", "src/q*", (None,), None),
        ("tee", "file", "src/q*", ("a b",), None),
        ("cp", "file", "src/b*", ("-S", " x"), "boundary.name"),
        ("cp", "file", "src/b", ("a b",), None),
        ("gzip", "tree", "src/d", ("-r", "src/d"), None),
        ("gzip", "tree", "src/d", ("-S", " x"), "boundary.name"),
        ("gzip", "tree", "src/d", ("%",), None),
        ("wget", "tree", "src/d", ("http://x.y/a",), None),
        ("wget", "tree", "src/d", ("http://x.y/a%20b",), "boundary.name"),
        ("ruff", "tree", "src/d", ("a b",), None),
        ("ar", "tree", "src/d", (), "boundary.name"),
        ("gunzip", "tree", "src/d", ("-kN", "x"), "boundary.name"),
        ("gunzip", "tree", "src/d", ("--name", "x"), "boundary.name"),
        ("gunzip", "tree", "src/d", ("-k", "--keep", "N"), None),
        ("wget", "tree", "src/d", ("-P", "src/d", "--tries=3", "http://x.y/a"), None),
        ("wget", "tree", "src/d", ("--content-disposition", "http://x.y/a"), "boundary.name"),
        ("wget", "tree", "src/d", ("-r", "http://x.y/a"), "boundary.name"),
        ("rsync", "tree", "src/d", ("-a", "lib/", "src/d"), None),
        ("rsync", "tree", "src/d", ("-ab", "--suffix= x", "lib/", "src/d"), "boundary.name"),
        ("rsync", "tree", "src/d", ("-ab", "--suffix", None, "lib/", "src/d"), "boundary.name"),
        ("chmod", "tree", "src/d", (), None),
    ],
)
def test_what_a_program_makes_up_is_as_plain_as_its_words(
    by: str, kind: str, path: str, words: tuple[str | None, ...], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (by, f"/usr/bin/{by}"):
        started = (
            Program((name, *words), ROOT, by),
            Program(("echo", "a b %"), ROOT, "x"),
            Program((None, " "), "", ""),
        )
        assert judged(monkeypatch, replace(wrote(path, kind, by), programs=started))[0] == expected


def test_names_outside_the_repository_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = Effects(writes=(Write("/tmp/harness-guard-r1/a b", "tree", "ar"),))
    assert judged(monkeypatch, scratch)[0] is None


@pytest.mark.parametrize(
    ("add", "expected"), [("", None), (".bak", None), (" x", "boundary.name"), ("'", "boundary.name")]
)
def test_what_a_search_s_names_become(add: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    effects = wrote("src", "entry", "mv", search=Search(("*.zz",), cut=".zz", add=add))
    for is_harmless in (False, True):  # nothing is found yet
        spot = place(f"{ROOT}/src", reach="folder", is_harmless=is_harmless)
        assert judged(monkeypatch, effects, PlacesOf=(spot,))[0] == expected


@pytest.mark.parametrize(
    ("path", "reach", "expected"),
    [
        ("src/HEAD", "path", "boundary.name"),
        ("src/a/head", "path", "boundary.name"),
        ("src/HEAD", "tree", "boundary.name"),
        ("src/Head", "folder", None),
        ("src/Head/index.tsx", "path", None),
        ("src/HEAD.md", "path", None),
    ],
)
def test_no_folder_becomes_a_repository(
    path: str, reach: Any, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    effects = wrote(path, "tree" if reach == "tree" else "file", "rsync")
    assert judged(monkeypatch, effects, PlacesOf=(place(f"{ROOT}/{path}", reach=reach),))[0] == expected
    if reach != "tree":
        spelled = judged(monkeypatch, effects, "src/**", path, PlacesOf=(place(f"{ROOT}/{path}", reach=reach),))
        assert spelled[0] is None
