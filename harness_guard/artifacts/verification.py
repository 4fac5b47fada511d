"""The Verification Strategy of a Plan, an Amendment and a Repair Plan: what has to be green (contract section 4)."""

from __future__ import annotations

from harness_guard.artifacts.fault import shown
from harness_guard.artifacts.names import read_identifier
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import VerificationCommand, VerificationStrategy
from harness_guard.artifacts.words import split_words
from harness_guard.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.sections import Section
    from harness_guard.artifacts.strict_json import Node

STRATEGY_KINDS: Final = ("regression_first", "tdd", "characterization", "verification_first")
MOST_TIMEOUT_S: Final = 3600  # contract section 2: the sum over the plan, so that one engine run fits into one event


def read_verification(section: Section) -> tuple[VerificationStrategy, Node]:
    """Read a section that is one ``verification_strategy`` object.

    Args:
        section: The section.

    Returns:
        The strategy, and the value of its kind with its line: a Plan knows which of the kinds it has to be.

    Raises:
        LineError: With the first rule that it breaks.
    """
    members = read_block(section, "verification_strategy").members(("kind", "required", "optional"))
    kind = members["kind"].one_of(STRATEGY_KINDS)
    # A run that verifies nothing would complete on words alone.
    required = members["required"].items(least=1)
    optional = members["optional"].items()
    # Read together, because an id names one command over both lists.
    commands = _read_commands((*required, *optional))
    total = sum(command.timeout_s for command in commands)
    if total > MOST_TIMEOUT_S:
        raise members["required"].error(
            "plan.verification-time",
            seen=f"found {total} s as the sum of all `timeout_s`, expected at most {MOST_TIMEOUT_S}",
            remedy="Lower the time limits, or verify with fewer or narrower commands.",
        )
    count = len(required)
    return VerificationStrategy(kind, commands[:count], commands[count:]), members["kind"]


def _read_commands(nodes: tuple[Node, ...]) -> tuple[VerificationCommand, ...]:
    found: dict[str, VerificationCommand] = {}
    for node in nodes:
        command = _read_command(node)
        if command.id in found:
            raise node.error(
                "artifact.unique",
                seen=f"found the verification id {shown(command.id)} twice",
                remedy="Give each verification command an id of its own.",
            )
        found[command.id] = command
    return tuple(found.values())


def _read_command(node: Node) -> VerificationCommand:
    members = node.members(("id", "command", "timeout_s"))
    name = read_identifier(members["id"], example="V1")
    command = members["command"].text()
    try:
        argv = split_words(command)
    except ArtifactError as error:
        raise members["command"].error(error.rule, seen=error.seen, remedy=error.remedy) from None
    return VerificationCommand(name, command, members["timeout_s"].integer(1, MOST_TIMEOUT_S), argv)
