"""First answers: a second delivery of the same call changes nothing and gets the first answer (promise P9).

One small sealed file a call, found by the hash of session, id and input, so that looking one up costs the same after
ten events and after ten thousand.
"""

from __future__ import annotations

from harness_guard.canonical import canonical
from harness_guard.errors import StateError
from harness_guard.rawjson import loads
from harness_guard.records import dataclass
from harness_guard.sha256 import sha256_hex
from harness_guard.store.files import read_whole, write_atomically
from harness_guard.store.seal import seal, verify_seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SCHEMA: Final = "harness.first-answer.v1"


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """What a call was answered.

    Attributes:
        revision: State revision of the answer; a let-pass holds only while it is the same.
        stdout: What was printed.
        stderr: What was printed on standard error.
        status: Exit status.
    """

    revision: int
    stdout: str
    stderr: str
    status: int


def call_digest(session_id: str, call_id: str, content: str) -> str:
    """Name a call: the hash of session, the host's id of it and its input."""
    return sha256_hex(canonical([session_id, call_id, content]).encode())


def load_first(folder: str, digest: str, key: bytes) -> FirstAnswer | None:
    """Look up the first answer of a call; ``None`` if there is none.

    Raises:
        StateError: If there is one that the guard did not write.
    """
    stored = read_whole(f"{folder}/{digest}")
    if stored is None:
        return None
    value = loads(verify_seal(stored, key).decode())
    if not isinstance(value, dict) or value.get("call") != digest:
        raise StateError("store.first-answer", "a kept answer belongs to another call", "Try the call again.")
    return FirstAnswer(value["revision"], value["stdout"], value["stderr"], value["status"])


def save_first(folder: str, digest: str, answer: FirstAnswer, *, key: bytes) -> None:
    """Keep the first answer of a call.

    Raises:
        StoreError: If it cannot be written.
    """
    value: dict[str, object] = {
        "schema": _SCHEMA,
        "call": digest,
        "revision": answer.revision,
        "stdout": answer.stdout,
        "stderr": answer.stderr,
        "status": answer.status,
    }
    write_atomically(f"{folder}/{digest}", seal(value, key))
