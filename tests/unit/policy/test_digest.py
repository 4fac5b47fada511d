"""Policy ids and the stored form of policies."""

from __future__ import annotations

import hashlib
import json

import pytest
import rfc8785

from harness_guard.errors import StateError
from harness_guard.policy.digest import policy_from_json, policy_id, policy_to_json
from harness_guard.policy.model import Check, Policy
from harness_guard.records import replace

POLICY = Policy(
    boundary=("src/**",),
    commands=("pytest -q", "echo é"),
    tools=(),
    caches=(),
    strategy="tdd",
    required=(Check("V1", "pytest -q", 60),),
    optional=(),
    max_rounds=3,
    repeated_finding_limit=2,
    no_progress_limit=2,
    plan_hash="sha256:aa",
)


@pytest.mark.contract("C4.10")
def test_the_id_is_the_digest_of_its_rfc_8785_form() -> None:
    expected = hashlib.sha256(rfc8785.dumps(policy_to_json(POLICY))).hexdigest()  # type: ignore[arg-type]
    assert policy_id(POLICY) == f"sha256:{expected}"


@pytest.mark.contract("L1.1")
def test_every_field_is_bound() -> None:
    changes: dict[str, object] = {
        "boundary": (),
        "commands": (),
        "tools": ("t",),
        "caches": ("c",),
        "strategy": "x",
        "required": (),
        "optional": (Check("O", "o", 1),),
        "max_rounds": 1,
        "repeated_finding_limit": 1,
        "no_progress_limit": 1,
        "plan_hash": "x",
        "parent": "p",
    }
    assert changes.keys() == set(Policy.__match_args__)
    ids = {policy_id(replace(POLICY, **{name: value})) for name, value in changes.items()}  # type: ignore[arg-type]
    assert len(ids | {policy_id(POLICY)}) == len(changes) + 1


@pytest.mark.parametrize("policy", [POLICY, replace(POLICY, parent="sha256:p", boundary=(), max_rounds=0)])
def test_json_and_back(policy: Policy) -> None:
    assert policy_from_json(json.loads(json.dumps(policy_to_json(policy)))) == policy


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("boundary", "src", "a value that is no list"),
        ("boundary", [1], "a value that is no text"),
        ("commands", None, "a value that is no list"),
        ("strategy", 1, "a value that is no text"),
        ("plan_hash", None, "a value that is no text"),
        ("parent", 1, "a value that is no text"),
        ("max_rounds", True, "a value that is no count"),
        ("max_rounds", -1, "a value that is no count"),
        ("no_progress_limit", "2", "a value that is no count"),
        ("required", [{}], "a verification command with other members"),
        ("required", [["V1", "x", 1]], "a verification command with other members"),
        (
            "required",
            [{"id": "V1", "command": "x", "timeout_s": 1, "shell": True}],
            "a verification command with other members",
        ),
        ("optional", [{"id": "V1", "command": "x", "timeout_s": 1.5}], "a value that is no count"),
        ("authority", "all", "other members than a policy has"),
    ],
)
def test_malformed(name: str, value: object, found: str) -> None:
    with pytest.raises(StateError) as caught:
        policy_from_json(policy_to_json(POLICY) | {name: value})
    assert (caught.value.rule, caught.value.seen) == ("state.policy", f"the stored policy is malformed: found {found}")


@pytest.mark.parametrize("value", [None, [], "x", {}])
def test_no_policy_at_all(value: object) -> None:
    with pytest.raises(StateError):
        policy_from_json(value)
