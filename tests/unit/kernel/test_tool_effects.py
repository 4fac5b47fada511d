"""What a call goes by on disk, and whether the call itself or the run may change it meanwhile; how a reason quotes."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import ROOT, in_state, place

from harness_guard.kernel.tool_effects import settled, short
from harness_guard.records import replace
from harness_guard.shell.effects import Effects, Relied, Unknown, Write

ITSELF = "the call itself may change"
THE_RUN = "the run may change at the same time"
RC = Relied("/home/dev/.toolrc")
MODULES = Relied("/home/dev/lib", "modules")


def why(relied: Relied, spot: Any = None, *, kind: Any = "file", **changes: Any) -> str | None:
    """Give why a call is not gone by, if it is not."""
    effects = Effects(relies=(relied,))
    places = () if spot is None else ((Write(spot.real, kind, "tee"), (spot,)),)
    asking = settled(effects, places, in_state("executing", **changes))
    assert next(asking).path == relied.path  # type: ignore[attr-defined]
    with pytest.raises(StopIteration) as done:
        asking.send(relied.path)
    found: Effects = done.value.value
    if not found.unknown:
        return None
    [unknown] = found.unknown
    assert unknown == Unknown(unknown.why, relied.path)
    return next(words for words in (ITSELF, THE_RUN) if unknown.why.endswith(words))


@pytest.mark.parametrize(
    ("relied", "spot", "kind", "expected"),
    [
        (RC, None, "file", None),
        (RC, place("/home/dev/.toolrc"), "file", ITSELF),
        (RC, place("/home/dev/.toolrc"), "meta", None),
        (RC, place("/home/dev/.toolrcx"), "file", None),
        (RC, place("/home/dev", reach="tree"), "tree", ITSELF),
        (RC, place("/", reach="tree"), "tree", ITSELF),
        (RC, place("/home/dev/.tool*", reach="pattern"), "file", ITSELF),
        (RC, place("/home/other/.tool*", reach="pattern"), "file", None),
        (RC, place("/srv/a", links=2), "file", ITSELF),
        (RC, place("/home/dev/.toolrc/x", reach="tree"), "tree", None),
        (MODULES, place("/srv/a", links=2), "file", None),
        (MODULES, place("/home/dev/lib/a", reach="tree"), "tree", ITSELF),
        (MODULES, place("/home/dev/lib/*", reach="pattern"), "file", ITSELF),
        (MODULES, place("/home/dev/lib/a/*", reach="pattern"), "file", ITSELF),
        (MODULES, place("/home/dev/lib/a"), "file", None),
        (MODULES, place("/home/dev/libx", reach="tree"), "tree", None),
        (MODULES, place("/home/dev/lib/__pycache__", reach="tree"), "tree", None),
        (RC, place("/home/dev/.toolrc/__pycache__", reach="tree"), "tree", None),
        *[
            (Relied("/srv", what), place("/srv/a", reach="tree"), "tree", None)
            for what in ("names", "listed", "dashes", "links")
        ],
    ],
)
def test_what_the_call_itself_may_change(relied: Relied, spot: Any, kind: str, expected: str | None) -> None:
    assert why(relied, spot, kind=kind) == expected


@pytest.mark.parametrize(
    ("relied", "scratch", "expected"),
    [
        (Relied(f"{ROOT}/src/a.sh"), "", THE_RUN),
        (Relied(f"{ROOT}/lib/a.sh"), "", None),
        (Relied("/tmp/s/a.sh"), "/tmp/s", THE_RUN),
        (Relied("/tmp/s"), "/tmp/s", THE_RUN),
        (Relied("/tmp/sx/a.sh"), "/tmp/s", None),
        (Relied("/home/dev/bin", "programs"), "/tmp/s", None),
        (Relied(f"{ROOT}/lib", "programs"), "/tmp/s", THE_RUN),  # as for the PATH that the host has
        (Relied(ROOT, "programs"), "", THE_RUN),
        (Relied("/tmp/s/bin", "programs"), "/tmp/s", THE_RUN),
        (Relied("/tmp/s", "links"), "/tmp/s", THE_RUN),  # what is unpacked there may bring any link
        (Relied("/tmp/s/a.sh"), "", None),
    ],
)
def test_what_the_run_may_change(relied: Relied, scratch: str, expected: str | None) -> None:
    assert why(relied, scratch=scratch) == expected


@pytest.mark.parametrize(("length", "kept"), [(160, "x" * 160), (161, "x" * 159 + "…"), (500, "x" * 159 + "…")])
def test_a_reason_quotes_160_characters(length: int, kept: str) -> None:
    assert short("x" * length) == kept
    assert short("abcdef", 4) == "abc…"


@pytest.mark.parametrize(
    ("entry", "folder", "what", "expected"),
    [
        ("src/**", "", "modules", None),
        ("*.py", "", "modules", THE_RUN),
        ("json/**", "", "modules", THE_RUN),
        ("json.py", "", "modules", THE_RUN),
        ("jso.py", "", "modules", None),
        ("**", "src/a", "modules", THE_RUN),
        ("src/**", "src", "modules", THE_RUN),
        ("src/**", "src/a", "modules", THE_RUN),
        ("src/a/**", "src", "modules", None),
        ("src/json/**", "src", "modules", THE_RUN),
        ("docs/**", "src", "modules", None),
        ("t*/x", "src/a", "modules", None),
        ("srcs/json.py", "src", "modules", None),
        ("src/**", "", "listed", THE_RUN),
        ("src/**", "", "names", None),
        ("src/*a*", "src", "names", THE_RUN),
        ("src/a b/**", "", "names", THE_RUN),
        ("src/a b/**", "lib", "names", None),
        ("src/**", "src", "listed", THE_RUN),
        ("src/*.py", "src", "names", None),
        ("src/**", "src/a", "listed", THE_RUN),
        ("docs/**", "src", "listed", None),
        ("src/a-b.py", "src", "listed", None),
        ("src/a b.py", "src", "names", THE_RUN),
        ("src/a_b.py", "src", "listed", None),
        ("src/*.py", "src/a.py", "file", THE_RUN),
        ("src/*.py", "src/a.sh", "file", None),
        ("-x", "", "dashes", THE_RUN),
        ("json.py", "", "dashes", None),
        ("src/-x", "src", "dashes", THE_RUN),
        ("src/x-", "src", "dashes", None),
        ("src/*", "src", "dashes", None),
        ("src/pyproject.toml", "", "settings", THE_RUN),
        ("tox.ini", "", "settings", THE_RUN),
        ("setup.cfg", "", "settings", THE_RUN),
        ("src/a.py", "", "settings", None),
        ("src/*.py", "", "settings", THE_RUN),
        ("**", "src", "links", None),
    ],
)
def test_what_an_entry_lets_the_run_bring(entry: str, folder: str, what: Any, expected: str | None) -> None:
    policy = in_state("executing").active_policy
    assert policy is not None
    bounded = replace(policy, boundary=(entry,))
    place = f"{ROOT}/{folder}".rstrip("/")
    assert why(Relied(place, what), active_policy=bounded, accepted_policy=None) == expected
    assert why(Relied(place, what), active_policy=None, accepted_policy=bounded) == expected
