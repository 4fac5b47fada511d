"""Policies to JSON and back, and the id that binds one: SHA-256 over its canonical JSON (contract section 4)."""

from __future__ import annotations

from harness_guard.canonical import canonical
from harness_guard.errors import StateError
from harness_guard.policy.model import Check, Policy
from harness_guard.sha256 import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

_LISTS: Final = ("boundary", "commands", "tools", "caches")
_CHECKS: Final = ("required", "optional")
_LIMITS: Final = ("max_rounds", "repeated_finding_limit", "no_progress_limit")
_MEMBERS: Final = frozenset((*_LISTS, *_CHECKS, *_LIMITS, "strategy", "plan_hash", "parent"))
_CHECK_MEMBERS: Final = frozenset(("id", "command", "timeout_s"))


def policy_id(policy: Policy) -> str:
    """Give the id of a policy: ``sha256:`` and the digest of its canonical JSON (RFC 8785)."""
    return "sha256:" + sha256_hex(canonical(policy_to_json(policy)).encode())


def policy_to_json(policy: Policy) -> dict[str, object]:
    """Give a policy as a JSON object; every field is a member."""
    found: dict[str, object] = {name: list(getattr(policy, name)) for name in _LISTS}
    found |= {name: [_check_to_json(check) for check in getattr(policy, name)] for name in _CHECKS}
    found |= {name: getattr(policy, name) for name in _LIMITS}
    return found | {"strategy": policy.strategy, "plan_hash": policy.plan_hash, "parent": policy.parent}


def policy_from_json(value: object) -> Policy:
    """Read a policy back.

    Raises:
        StateError: If a member is missing, unknown or ill-typed.
    """
    if not isinstance(value, dict) or value.keys() != _MEMBERS:
        raise _malformed("other members than a policy has")
    boundary, commands, tools, caches = (_texts(value[name]) for name in _LISTS)
    required, optional = (_checks(value[name]) for name in _CHECKS)
    max_rounds, repeated_finding_limit, no_progress_limit = (_count(value[name]) for name in _LIMITS)
    return Policy(
        boundary=boundary,
        commands=commands,
        tools=tools,
        caches=caches,
        strategy=_text(value["strategy"]),
        required=required,
        optional=optional,
        max_rounds=max_rounds,
        repeated_finding_limit=repeated_finding_limit,
        no_progress_limit=no_progress_limit,
        plan_hash=_text(value["plan_hash"]),
        parent=None if value["parent"] is None else _text(value["parent"]),
    )


# The seal shows that a guard wrote this, not that it was this version: so it is read strictly all the same.
def _malformed(found: str) -> StateError:
    return StateError(
        "state.policy", f"the stored policy is malformed: found {found}", "send `$harness cancel`, then activate again"
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _malformed("a value that is no text")
    return value


def _count(value: object) -> int:
    # bool is a kind of int in Python, and `true` is no limit.
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _malformed("a value that is no count")
    return value


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        raise _malformed("a value that is no list")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple([_text(item) for item in _items(value)])


def _checks(value: object) -> tuple[Check, ...]:
    return tuple([_check(item) for item in _items(value)])


def _check(value: object) -> Check:
    if not isinstance(value, dict) or value.keys() != _CHECK_MEMBERS:
        raise _malformed("a verification command with other members")
    return Check(_text(value["id"]), _text(value["command"]), _count(value["timeout_s"]))


def _check_to_json(check: Check) -> Mapping[str, object]:
    return {"id": check.id, "command": check.command, "timeout_s": check.timeout_s}
