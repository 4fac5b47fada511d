"""The boundary against the places of one call: which is asked for, which is refused, and in which words (contract 7)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import ROOT, FakeWorld, ShellWorld, call, in_state, place

from harness_guard.policy.place import Place
from harness_guard.records import replace
from harness_guard.shell.effects import Effects, Link, Read, Write

SCRATCH = "/tmp/harness-guard-r1"
INSIDE = "Write inside `src/`, `docs/*.md` or in the scratch folder /tmp/harness-guard-r1."


def decided(found: Any) -> tuple[str | None, str | None]:
    """Give the rule of a refusal and what was seen, or twice nothing."""
    reason = found.decision.reason
    return (reason.rule, reason.seen) if reason else (None, None)


def run(monkeypatch: pytest.MonkeyPatch, effects: Effects, **answers: Any) -> tuple[Any, list[str]]:
    world = ShellWorld(monkeypatch, effects, **answers)
    return world.decide(call("Bash", {"command": "x"}), in_state("executing")), world.asked


COPIED = Write(f"{ROOT}/src/b", "file", "cp")
TREE_COPIED = Write(f"{ROOT}/src/b", "tree", "cp")
FROM = Read(f"{ROOT}/lib", "cp", is_tree=True)


@pytest.mark.contract("C7.22")
@pytest.mark.parametrize(
    ("effects", "is_asked", "seen"),
    [
        (Effects(writes=(TREE_COPIED,), reads=(FROM,)), True, "`lib/l`"),
        # What copies no tree brings no link along, whatever else the command removes or shows.
        (Effects(writes=(COPIED,), reads=(FROM,)), False, None),
        (Effects(writes=(COPIED, Write(f"{ROOT}/src/old", "tree", "rm")), reads=(FROM,)), False, None),
        (Effects(writes=(TREE_COPIED,), reads=(Read(f"{ROOT}/l*", "ls", is_pattern=True),)), False, None),
        # What a pattern will match is not known yet, so nobody is asked.
        (Effects(writes=(TREE_COPIED,), reads=(Read(f"{ROOT}/l*", "cp", is_pattern=True),)), False, "`a match`"),
    ],
)
def test_only_a_copied_tree_may_bring_a_link_along(
    effects: Effects, seen: str | None, monkeypatch: pytest.MonkeyPatch, *, is_asked: bool
) -> None:
    found, asked = run(monkeypatch, effects, CarriedAlong="lib/l")
    copied = effects.reads[0].path
    told = f"copying `{copied}` may bring along a link or a protected name: {seen}"
    assert decided(found) == ((None, None) if seen is None else ("boundary.copied-link", told))
    assert ("CarriedAlong" in asked) == is_asked


@pytest.mark.contract("C7.15")
@pytest.mark.parametrize(
    ("spot", "rule", "seen"),
    [
        (place("/etc/x"), "boundary.outside", "`Write` would write `/etc/x`, which is outside the repository"),
        (
            place(f"{ROOT}/README.md"),
            "boundary.outside",
            "`Write` would write `README.md`, outside the write boundary `src/`, `docs/*.md`",
        ),
        (
            Place(ROOT, ""),
            "boundary.outside",
            "`Write` would write `.`, outside the write boundary `src/`, `docs/*.md`",
        ),
        (
            place(f"{ROOT}/src/a", links=2),
            "boundary.hard-link",
            "`src/a` has a second name (hard link), so a write to it may land outside the boundary",
        ),
    ],
)
def test_a_refusal_names_the_place_and_the_boundary(spot: Place, rule: str, seen: str) -> None:
    found = FakeWorld(PlacesOf=(spot,)).decide(call("Write", {"file_path": "x"}), in_state("executing"))
    assert decided(found) == (rule, seen)


@pytest.mark.contract("C7.8")
@pytest.mark.parametrize(
    ("paths", "outside"),
    [
        (("src/a", "src/b"), None),
        (("src/a", "README.md"), "README.md"),
        (("README.md", "src/a"), "README.md"),
        (("src/a", "lib/b", "README.md"), "lib/b"),
    ],
)
@pytest.mark.parametrize("is_one_write", [True, False])
def test_every_place_of_every_write_has_to_be_inside(
    paths: tuple[str, ...], outside: str | None, monkeypatch: pytest.MonkeyPatch, *, is_one_write: bool
) -> None:
    spots = tuple(place(f"{ROOT}/{path}") for path in paths)
    writes = tuple(Write(f"{ROOT}/{path}", "file", "tee") for path in paths)
    if is_one_write:
        found, _ = run(monkeypatch, Effects(writes=(Write(f"{ROOT}/*", "file", "tee"),)), PlacesOf=spots)
    else:
        found, _ = run(monkeypatch, Effects(writes=writes))
    seen = f"`tee` would write `{outside}`, outside the write boundary `src/`, `docs/*.md`"
    assert decided(found) == ((None, None) if outside is None else ("boundary.outside", seen))


@pytest.mark.parametrize(
    ("path", "scratch", "rule"),
    [
        (f"{SCRATCH}/x", SCRATCH, None),
        (SCRATCH, SCRATCH, None),
        (f"{SCRATCH}/x", "", "boundary.outside"),
        ("/tmp/claude-0/x", SCRATCH, "boundary.host-scratch"),
        ("/tmp/claude-0/x", "", "boundary.outside"),
        ("/claude-0/x", "", "boundary.outside"),
        ("/etc/x", "", "boundary.outside"),
    ],
)
def test_without_a_scratch_folder_nothing_lies_in_it_or_beside_it(path: str, scratch: str, rule: str | None) -> None:
    found = FakeWorld().decide(call("Write", {"file_path": path}), in_state("executing", scratch=scratch))
    assert decided(found)[0] == rule


@pytest.mark.contract("C11.6")
@pytest.mark.parametrize(
    ("stands", "leads", "rule"),
    [
        (f"{SCRATCH}/l", f"{SCRATCH}/x", None),
        (f"{ROOT}/src/l", f"{SCRATCH}/x", "boundary.link"),  # names below it may be of any kind
        (f"{SCRATCH}/l", f"{ROOT}/src/a", None),
        (f"{SCRATCH}/l", "/etc/x", "boundary.link"),
        ("/etc/l", f"{SCRATCH}/x", "boundary.link"),
    ],
)
def test_a_link_may_stand_in_the_scratch_folder_and_lead_there(
    stands: str, leads: str, rule: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, asked = run(monkeypatch, Effects(links=(Link(leads, stands, is_hard=False),)))
    seen = f"the link `{stands}` would lead out of the boundary, to `{leads}`"
    assert decided(found) == ((None, None) if rule is None else (rule, seen))
    assert "ProgramFolders" not in asked  # nothing is written, so no folder of programs could be


@pytest.mark.contract("C11.6")
def test_a_link_into_another_repository_below_leads_out(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = replace(place(f"{ROOT}/src/n/a"), nested="src/n")
    link = Effects(links=(Link(f"{ROOT}/src/n/a", f"{ROOT}/src/l", is_hard=False),))
    found, _ = run(monkeypatch, link, LinkPlaces=(place(f"{ROOT}/src/l"), inner))
    assert decided(found) == (
        "boundary.link",
        f"the link `{ROOT}/src/l` would lead out of the boundary, to `{ROOT}/src/n/a`",
    )


def test_what_may_be_written_instead_is_named() -> None:
    reason = FakeWorld().decide(call("Write", {"file_path": "/tmp/claude-0/x"}), in_state("executing")).decision.reason
    assert reason is not None
    assert (reason.seen, reason.remedy) == (
        "the host's own scratch and memory files are not the run's to write",
        INSIDE,
    )


@pytest.mark.contract("E4.9")
@pytest.mark.parametrize(
    ("path", "changes", "caches", "listed"),
    [
        ("lib/.ruff_cache", {}, (".ruff_cache",), True),
        ("src/.ruff_cache", {}, (), True),  # inside the boundary
        (".ruff_cache", {}, (".ruff_cache",), True),
        (".ruff_cache", {}, (".mypy_cache",), False),
        ("src/.ruff_cache", {"links": 2}, (), False),  # a second name outside
        ("lib/.ruff_cache", {}, (), False),
        ("lib/.ruff_cache", {"nested": "lib"}, (".ruff_cache",), False),
        ("lib/.ruff_cache", {"real": "/home/u/x", "relative": None}, (".ruff_cache",), False),
        ("lib/.ruff_cache", {"real": f"{ROOT}/lib", "relative": "lib"}, (".ruff_cache",), False),
    ],
)
def test_a_cache_passes_where_the_plan_lists_it(
    path: str, changes: dict[str, Any], caches: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, listed: bool
) -> None:
    state = in_state("executing")
    assert state.active_policy is not None
    state = replace(state, active_policy=replace(state.active_policy, caches=caches))
    effects = Effects(writes=(Write(f"{ROOT}/{path}", "tree", "ruff", is_cache=True),))
    spot = replace(place(f"{ROOT}/{path}"), reach="tree", **changes)
    world = ShellWorld(monkeypatch, effects, PlacesOf=(spot,))
    found = world.decide(call("Bash", {"command": "ruff check src"}), state)
    assert found.state is not None
    assert (found.state.state, found.state.opaque_denies) == ("executing", 0 if listed else 1)
    seen = f"`ruff` keeps a cache in `{spot.real}`, which no Plan lists"
    assert decided(found) == ((None, None) if listed else ("boundary.cache", seen))
    if found.decision.reason is not None:
        names = {
            **dict.fromkeys([None, "lib/.ruff_cache", ".ruff_cache", "src/.ruff_cache"], ".ruff_cache"),
            "lib": "lib",
        }
        is_ours = spot.relative is not None and spot.nested is None
        listed_too = f", or list `{names[spot.relative]}/` under `Tool caches:`" if is_ours else ""
        assert found.decision.reason.remedy == f"Switch it off by an option{listed_too}."


@pytest.mark.contract("E4.9")
def test_a_named_target_outside_is_told_before_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Write(f"{ROOT}/.ruff_cache", "tree", "ruff", is_cache=True)
    effects = Effects(writes=(cache, replace(cache, is_cache=False)))
    assert decided(run(monkeypatch, effects)[0])[0] == "boundary.outside"


def test_without_a_policy_no_cache_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    effects = Effects(writes=(Write(f"{ROOT}/src/.ruff_cache", "tree", "ruff", is_cache=True),))
    state = replace(in_state("executing"), active_policy=None)
    found = ShellWorld(monkeypatch, effects).decide(call("Bash", {"command": "ruff check src"}), state)
    assert decided(found)[0] == "boundary.cache"
