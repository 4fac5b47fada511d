"""The control plane against one call: what is asked of the disk, and what is refused in which words (P7, C7.3)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import ROOT, FakeWorld, ShellWorld, call, in_state, place

from harness_guard.shell.effects import Effects, Link, Read, Write

KEY = "would read the guard's sealing key"


def decided(found: Any) -> tuple[str, str] | None:
    reason = found.decision.reason
    return (reason.rule, reason.seen) if reason else None


@pytest.mark.contract("C7.3")
@pytest.mark.parametrize(
    ("read", "asks", "key_is_read"),
    [
        (Read("/data/key", "cat"), "RealPath", True),
        (Read("/data", "grep", is_tree=True), "RealPath", True),
        (Read(ROOT, "grep", is_tree=True), "RealPath", False),
        (Read("/data", "cut", is_flat=True), "RealPath", False),
        (Read("/data/key", "cut", is_flat=True), "RealPath", True),
        (Read("/", "cut", is_flat=True), "RealPath", False),
        (Read("/data", "ls", is_tree=True, is_listing=True), None, False),
        (Read("/data/k*", "ls", is_pattern=True, is_listing=True), None, False),
        (Read("/", "find", is_tree=True, is_listing=True), None, False),
        (Read(f"{ROOT}/key", "cat"), "RealPath", False),
        (Read("/data/k*", "cat", is_pattern=True), "PlacesOf", True),
        (Read("/data/ke?", "cat", is_pattern=True), "PlacesOf", True),
        (Read("/data/[a-z]ey", "cat", is_pattern=True), "PlacesOf", True),
        (Read("/data/K*", "cat", is_pattern=True), "PlacesOf", True),
        (Read("/data/", "cat", is_pattern=True), "PlacesOf", True),
        (Read("/data/*.md", "cat", is_pattern=True), None, False),
        (Read("/data/*.md", "grep", is_pattern=True, is_tree=True), "PlacesOf", True),
        (Read(f"{ROOT}/*", "cat", is_pattern=True), "PlacesOf", False),
    ],
)
def test_who_would_read_the_key(
    read: Read, asks: str | None, monkeypatch: pytest.MonkeyPatch, *, key_is_read: bool
) -> None:
    real = "/data/key" if read.path.startswith("/data") else "/" if read.path == "/" else f"{ROOT}/a"
    world = ShellWorld(monkeypatch, Effects(reads=(read,)), PlacesOf=(place(f"{ROOT}/b"), place(real)))
    found = world.decide(call("Bash", {"command": "x"}), in_state("planning"))
    assert decided(found) == (("control-plane.key", f"`{read.path}` {KEY}") if key_is_read else None)
    assert [name for name in world.asked if name in ("RealPath", "PlacesOf")] == ([asks] if asks else [])


@pytest.mark.contract("C7.3")
def test_who_may_read_anything_may_read_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    effects = Effects(reads=(Read(ROOT, "ls", is_tree=True), Read("/", "cat", is_tree=True)))
    world = ShellWorld(monkeypatch, effects)
    found = world.decide(call("Bash", {"command": "x"}), in_state("planning"))
    seen = "`cat` may read any file, the guard's sealing key among them"
    assert decided(found) == ("control-plane.key", seen)
    assert found.decision.reason.remedy == "Name the files, or search below a folder of the repository."
    assert "RealPath" not in world.asked


@pytest.mark.contract("C7.3")
@pytest.mark.parametrize(
    ("spot", "rule", "what"),
    [
        (place("/home/u"), "boundary.outside", None),  # that name alone: what is below stays as it is
        (place("/home/u", reach="tree"), "control-plane.write", "the hosts' settings"),
        (place("/home/u", reach="pattern"), "control-plane.write", "the hosts' settings"),
        (place("/data", reach="tree"), "control-plane.write", "the guard's data"),
        (place("/", reach="tree"), "control-plane.write", "the guard's own files"),
        (place(f"{ROOT}/src", reach="tree", below=(".git", ".codex")), "control-plane.write", ".git"),
        (place(f"{ROOT}/src/a", below=(".git",)), None, None),
    ],
)
def test_what_a_write_reaches(spot: Any, rule: str | None, what: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    world = ShellWorld(monkeypatch, Effects(writes=(Write(spot.real, "entry", "mv"),)), PlacesOf=(spot,))
    found = world.decide(call("Bash", {"command": "x"}), in_state("executing"))
    if what is None:
        assert (found.decision.reason.rule if found.decision.reason else None) == rule
    else:
        assert decided(found) == (rule, f"`mv` would write `{spot.real}`, which belongs to {what}")


@pytest.mark.contract("C7.3")
@pytest.mark.parametrize(
    ("stands", "leads", "what"),
    [
        (f"{ROOT}/src/l", "/data", "the guard's data"),
        (f"{ROOT}/src/l", "/home/u", "the hosts' settings"),
        ("/plugin/l", f"{ROOT}/src/a", "the guard's own files"),
    ],
)
def test_a_link_to_the_control_plane_or_around_it(
    stands: str, leads: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = ShellWorld(monkeypatch, Effects(links=(Link(leads, stands, is_hard=False),)))
    found = world.decide(call("Bash", {"command": "x"}), in_state("executing"))
    assert decided(found) == ("control-plane.write", f"`the new link` would write `{leads}`, which belongs to {what}")


@pytest.mark.contract("C7.3")
def test_what_a_tool_mentions_is_followed_to_where_it_lies() -> None:
    world = FakeWorld(RealPath=lambda question: "/data/key" if question.path.endswith("/link") else question.path)
    found = world.decide(call("mcp__files__get", {"a": "link"}), in_state("executing"))
    seen = f"`mcp__files__get` would write `{ROOT}/link`, which belongs to the guard's data"
    assert decided(found) == ("control-plane.write", seen)
    named = FakeWorld().decide(call("mcp__files__get", {"a": "cat /data/key"}), in_state("executing"))
    seen = f"`mcp__files__get` would write `{ROOT}/cat /data/key`, which belongs to the guard's data"
    assert decided(named) == ("control-plane.write", seen)


def test_a_tool_that_mentions_too_much_to_be_looked_through() -> None:
    found = FakeWorld().decide(
        call("mcp__files__get", {"x": "\n".join(f"f{number}" for number in range(200))}), in_state("executing")
    )
    seen = "`mcp__files__get` would write `201 texts`, which belongs to what cannot be looked through"
    assert decided(found) == ("control-plane.write", seen)


@pytest.mark.contract("C7.3")
@pytest.mark.parametrize(("path", "is_refused"), [(f"{ROOT}/src", True), ("/tmp/harness-guard-r1/x", False)])
def test_what_is_unpacked_into_the_repository_may_have_a_protected_name(
    path: str, monkeypatch: pytest.MonkeyPatch, *, is_refused: bool
) -> None:
    effects = Effects(writes=(Write(f"{ROOT}/old", "tree", "rm"), Write(path, "tree", "tar")))
    world = ShellWorld(monkeypatch, effects, PlacesOf=lambda question: (place(question.write.path, reach="tree"),))
    found = world.decide(call("Bash", {"command": "x"}), in_state("executing"))
    seen = f"what `tar` brings into `{path}` may have a protected name"
    assert (decided(found) == ("control-plane.unpack", seen)) == is_refused


def test_a_pattern_is_looked_up_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Write] = []

    def places_of(question: Any) -> tuple[()]:
        asked.append(question.write)
        return ()

    world = ShellWorld(monkeypatch, Effects(reads=(Read("/data/k*", "cat", is_pattern=True),)), PlacesOf=places_of)
    world.decide(call("Bash", {"command": "x"}), in_state("planning"))
    assert asked == [Write("/data/k*", "file", "cat", is_pattern=True)]
