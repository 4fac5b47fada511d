"""The order of policies: a derived policy is never more than its parent, and its verification never less (P2)."""

from __future__ import annotations

from harness_guard.policy.boundary import entry_within
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness_guard.policy.model import Policy


def is_subset(child: Policy, parent: Policy) -> bool:
    """Tell whether a policy allows nothing that another does not allow and verifies at least as much.

    The answer is sound, not complete: a child whose entry is covered only by several entries of the parent together is
    called no subset.

    Args:
        child: The policy in question; its ``parent`` is not looked at.
        parent: What it is compared with.
    """
    return (
        child.plan_hash == parent.plan_hash
        and child.strategy == parent.strategy
        and all(any(entry_within(entry, wider) for wider in parent.boundary) for entry in child.boundary)
        and _is_within(child.commands, parent.commands)
        and _is_within(child.tools, parent.tools)
        and _is_within(child.caches, parent.caches)
        and _verifies_as_much(child, parent)
        and child.max_rounds <= parent.max_rounds
        and child.repeated_finding_limit <= parent.repeated_finding_limit
        and child.no_progress_limit <= parent.no_progress_limit
    )


def derive_child(
    parent: Policy,
    parent_id: str,
    *,
    boundary: tuple[str, ...] | None = None,
    commands: tuple[str, ...] | None = None,
    tools: tuple[str, ...] | None = None,
    caches: tuple[str, ...] | None = None,
) -> Policy:
    """Make the policy of a repair round or a resumed run: the parent's, or a narrower one.

    Args:
        parent: The policy it comes from.
        parent_id: Its policy id, which the child names.
        boundary: Narrower entries; ``None`` keeps the parent's. Likewise the others.
        commands: Fewer exact commands.
        tools: Fewer MCP tools.
        caches: Fewer cache names.

    Returns:
        The child, with the same verification and limits.

    Raises:
        RuntimeError: If what is asked for is more than the parent has: a mistake in our own code.
    """
    child = replace(
        parent,
        parent=parent_id,
        boundary=parent.boundary if boundary is None else boundary,
        commands=parent.commands if commands is None else commands,
        tools=parent.tools if tools is None else tools,
        caches=parent.caches if caches is None else caches,
    )
    # INVARIANT (P2): no policy leaves this function that is more than its parent.
    if not is_subset(child, parent):
        raise RuntimeError("a derived policy would allow more than its parent")
    return child


def _is_within(some: Iterable[str], all_of: Iterable[str]) -> bool:
    return frozenset(some) <= frozenset(all_of)


def _verifies_as_much(child: Policy, parent: Policy) -> bool:
    # Same or stronger: more commands and longer limits, never fewer or shorter. A check runs as the user, so each one
    # must be one that the human approved as an exact command already.
    required = {(check.id, check.command): check.timeout_s for check in child.required}
    return all(required.get((check.id, check.command), 0) >= check.timeout_s for check in parent.required) and all(
        check.command in parent.commands for check in (*child.required, *child.optional)
    )
