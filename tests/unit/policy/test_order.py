"""The order of policies: less is a subset, anything more or any weaker verification is not (P2)."""

from __future__ import annotations

import pytest

from harness_guard.policy.model import Check, Policy
from harness_guard.policy.order import derive_child, is_subset
from harness_guard.records import replace

V1, V2, O1 = Check("V1", "pytest -q", 60), Check("V2", "ruff check", 30), Check("O1", "mypy src", 90)
PARENT = Policy(
    boundary=("src/**", "docs/*.md"),
    commands=("pytest -q", "ruff check", "mypy src", "make docs"),
    tools=("mcp__a__b",),
    caches=(".pytest_cache",),
    strategy="tdd",
    required=(V1, V2),
    optional=(O1,),
    max_rounds=3,
    repeated_finding_limit=2,
    no_progress_limit=2,
    plan_hash="sha256:aa",
)


@pytest.mark.contract("L1.5", "L1.7")
@pytest.mark.parametrize(
    ("changes", "is_less"),
    [
        ({}, True),
        ({"parent": "sha256:bb"}, True),
        ({"boundary": ()}, True),
        ({"boundary": ("src/a.py", "docs/x*.md")}, True),
        ({"boundary": ("**",)}, False),
        ({"boundary": ("src/**", "tests/**")}, False),
        ({"commands": ("pytest -q",)}, True),
        ({"commands": ("pytest -q ",)}, False),
        ({"tools": ()}, True),
        ({"tools": ("mcp__a__c",)}, False),
        ({"caches": ()}, True),
        ({"caches": (".pytest_cache", "node_modules")}, False),
        ({"strategy": "verification_first"}, False),
        ({"required": (V1,)}, False),
        ({"required": ()}, False),
        ({"required": (V2, V1)}, True),
        ({"required": (V1, V2, O1), "optional": ()}, True),
        ({"required": (V1, V2, Check("V3", "make docs", 9))}, True),
        ({"required": (V1, V2, Check("V3", "make all", 9))}, False),
        ({"required": (V1, replace(V2, timeout_s=31))}, True),
        ({"required": (V1, replace(V2, timeout_s=29))}, False),
        ({"required": (V1, replace(V2, id="V9"))}, False),
        ({"required": (V1, replace(V2, command="true"))}, False),
        ({"optional": ()}, True),
        ({"optional": (O1, Check("O2", "make docs", 9))}, True),
        ({"optional": (O1, Check("O2", "make all", 9))}, False),
        ({"max_rounds": 2}, True),
        ({"max_rounds": 4}, False),
        ({"repeated_finding_limit": 1}, True),
        ({"repeated_finding_limit": 3}, False),
        ({"no_progress_limit": 1}, True),
        ({"no_progress_limit": 3}, False),
        ({"plan_hash": "sha256:cc"}, False),
    ],
)
def test_is_subset(changes: dict[str, object], *, is_less: bool) -> None:
    assert is_subset(replace(PARENT, **changes), PARENT) is is_less  # type: ignore[arg-type]


@pytest.mark.contract("L1.5")
def test_a_check_of_one_second_is_not_left_out_either() -> None:
    parent = replace(PARENT, required=(Check("V1", "pytest -q", 1),))
    assert not is_subset(replace(parent, required=()), parent)
    assert is_subset(parent, parent)


@pytest.mark.contract("L1.4")
def test_a_child_is_the_parent_under_its_id() -> None:
    assert derive_child(PARENT, "sha256:dd") == replace(PARENT, parent="sha256:dd")


def test_a_child_may_be_narrower() -> None:
    child = derive_child(PARENT, "sha256:dd", boundary=("src/a.py",), commands=(), tools=(), caches=())
    assert child == replace(PARENT, parent="sha256:dd", boundary=("src/a.py",), commands=(), tools=(), caches=())


@pytest.mark.contract("C1.2")
@pytest.mark.parametrize(
    "more",
    [{"boundary": ("**",)}, {"commands": ("rm -rf x",)}, {"tools": ("mcp__z__z",)}, {"caches": ("x",)}],
)
def test_a_child_is_never_wider(more: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(RuntimeError, match="more than its parent"):
        derive_child(PARENT, "sha256:dd", **more)
