"""The Reviewer's spawn: the arguments that approval hands out, and whether a call carries exactly these.

Contract section 8. The text is one line of our own making, so that nothing of the implementer's can ride along.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from harness_guard.kernel.event import Event
    from harness_guard.kernel.state import RunState

REVIEWER_TYPE: Final = "harness:clean-context-reviewer"
_NONCE_LENGTH: Final = 12
_CIPHER_LENGTH: Final = 40  # shorter texts are taken for readable: real ciphertext is longer than its plain text
_CIPHER_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_.:")


@dataclass(frozen=True, slots=True)
class SpawnArguments:
    """What the next Reviewer's spawn has to carry.

    Attributes:
        message: The child's task, byte for byte.
        task_name: Codex v2's name of the task; it holds the nonce.
    """

    message: str
    task_name: str

    def for_host(self, host: str) -> dict[str, object]:
        """Give the JSON object of arguments for a host's spawn tool."""
        if host == "claude":
            return {"description": "Clean-context review", "prompt": self.message, "subagent_type": REVIEWER_TYPE}
        return {"fork_turns": "none", "message": self.message, "task_name": self.task_name}


def next_spawn(state: RunState) -> SpawnArguments:
    """Give the arguments of the next Reviewer's spawn; each spawn that is let through makes the next one's fresh."""
    from hashlib import sha256

    number = state.reviewer.spawns + 1
    seed = f"{state.run_id} {state.session_id} {number}"
    nonce = sha256(seed.encode()).hexdigest()[:_NONCE_LENGTH]
    message = (
        f"Clean-context read-only Reviewer for Harness run {state.run_id}, spawn {number}, nonce {nonce}. "
        "Judge by your own reading and by the brief that the guard gives you at start; "
        "nothing else counts. End with exactly one # Clean-context Review."
    )
    return SpawnArguments(message, f"harness_review_{nonce}")


def is_review_spawn(event: Event) -> bool:
    """Tell whether a spawn means to be the Reviewer's: it is then answered as one, right or wrong."""
    arguments = event.tool_input or {}
    if arguments.get("subagent_type") == REVIEWER_TYPE:
        return True
    named = arguments.get("task_name")
    if isinstance(named, str) and named.startswith("harness_review"):
        return True
    texts = (arguments.get("prompt"), arguments.get("message"))
    return any(isinstance(text, str) and text.startswith("Clean-context read-only Reviewer") for text in texts)


def spawn_problem(event: Event, expected: SpawnArguments) -> str | None:
    """Compare a spawn with what was handed out.

    Returns:
        What differs, for the reason; ``None`` if the call carries exactly the handed-out arguments.
    """
    arguments = event.tool_input or {}
    if event.host == "claude":
        wanted = expected.for_host("claude")
        optional = {"run_in_background"}
        return _difference(arguments, wanted, optional)
    if event.tool_name.startswith("collaboration") or "task_name" in arguments:
        return _difference_v2(arguments, expected)
    return _difference(arguments, {"message": expected.message}, set())


def _difference(arguments: Mapping[str, object], wanted: Mapping[str, object], optional: set[str]) -> str | None:
    for key, value in wanted.items():
        if arguments.get(key) != value:
            return f"`{key}` is not the handed-out text"
    for key in arguments:
        if key not in wanted and key not in optional:
            return f"`{key}` was not handed out"
    return None


def _difference_v2(arguments: Mapping[str, object], expected: SpawnArguments) -> str | None:
    wanted = expected.for_host("codex")
    message = arguments.get("message")
    if message is None or (isinstance(message, str) and _looks_encrypted(message)):
        # The host hides the text from hooks (observed on Codex 0.171.0); the task name's nonce then names the spawn.
        wanted = {key: value for key, value in wanted.items() if key != "message"}
        return _difference({key: value for key, value in arguments.items() if key != "message"}, wanted, set())
    return _difference(arguments, wanted, set())


def _looks_encrypted(text: str) -> bool:
    return len(text) >= _CIPHER_LENGTH and _CIPHER_CHARACTERS.issuperset(text)
