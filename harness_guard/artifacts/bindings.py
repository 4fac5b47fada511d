"""The bindings that a Review and a Completion share, and the form of a revision (contract sections 4 and 8)."""

from __future__ import annotations

import re

from harness_guard.artifacts.fault import shown
from harness_guard.artifacts.values import Bindings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.artifacts.strict_json import Node

# The order of the templates; the parser takes the keys in any order.
KEYS = (
    "accepted_plan_hash",
    "accepted_amendment_hash",
    "diff_revision",
    "verification_fingerprint",
    "review_round",
)

# Opaque to the parser, so that the engine may change how it names a tree; no character of it needs an escape.
_REVISION = re.compile(r"[A-Za-z0-9:._+-]{1,200}")


def read_bindings(context: Node) -> Bindings:
    """Read a ``review_context`` or ``completion_context``.

    Raises:
        LineError: If a key is missing, unknown or of another form.
    """
    members = context.members(KEYS)
    return Bindings(
        accepted_plan_hash=members["accepted_plan_hash"].digest(),
        accepted_amendment_hash=members["accepted_amendment_hash"].digest_or_none(),
        diff_revision=read_revision(members["diff_revision"]),
        verification_fingerprint=members["verification_fingerprint"].digest(),
        review_round=members["review_round"].integer(1),
    )


def read_revision(node: Node) -> str:
    """Read a diff revision: an opaque word that the guard gave.

    Raises:
        LineError: If it is no such word.
    """
    text = node.text()
    if not _REVISION.fullmatch(text):
        raise node.error(
            "artifact.json-value",
            seen=f"found {shown(text)} as {node.name}, expected the revision as the guard gave it",
            remedy="Copy the value from the guard's answer or from `harness-guard status`.",
        )
    return text
