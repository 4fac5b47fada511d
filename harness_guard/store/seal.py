"""The seal over a state: HMAC-SHA256 (RFC 2104) with a key that only the guard reads (contract section 9).

The seal is a member of the sealed object itself. Canonical JSON orders members, so the sealed text is the stored text
with exactly that member cut out, and nothing is serialized again to verify it.
"""

from __future__ import annotations

import os

from harness_guard.canonical import canonical
from harness_guard.errors import StateError
from harness_guard.sha256 import sha256_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

KEY_BYTES: Final = 32
_BLOCK: Final = 64  # RFC 2104: block size of SHA-256 in bytes
_DIGITS: Final = 64
_MARK: Final = b',"seal":"'
_REMEDY: Final = "End the run with `$harness cancel` and activate a new one; nothing of the old run is deleted."


def load_key(path: str) -> bytes:
    """Read the sealing key.

    Raises:
        StateError: If it is missing, unreadable, of another size or readable by others.
    """
    remedy = "Run `harness-guard doctor`; `provision` makes a key where there is none, and runs sealed by another end."
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            mode = os.fstat(handle).st_mode
            key = os.read(handle, KEY_BYTES + 1)
        finally:
            os.close(handle)
    except OSError as error:
        raise StateError("store.key", f"the sealing key cannot be read: {error.strerror}", remedy) from None
    if len(key) != KEY_BYTES or mode & 0o077:
        raise StateError("store.key", "the sealing key is damaged or open to other users", remedy)
    return key


def hmac_hex(key: bytes, text: bytes) -> str:
    """Give the HMAC-SHA256 of a text in hexadecimal digits (RFC 2104)."""
    padded = key.ljust(_BLOCK, b"\0")
    inner = sha256_digest(bytes(byte ^ 0x36 for byte in padded) + text)
    return sha256_digest(bytes(byte ^ 0x5C for byte in padded) + inner).hex()


def seal(value: Mapping[str, object], key: bytes) -> bytes:
    """Give the bytes to store: canonical JSON of the object with its seal.

    Args:
        value: A JSON object with a member ``schema`` and without ``seal``.
        key: The sealing key.
    """
    text = canonical(dict(value)).encode()
    return canonical({**value, "seal": hmac_hex(key, text)}).encode()


def verify_seal(stored: bytes, key: bytes) -> bytes:
    """Give the stored bytes without the seal, if they are exactly what was sealed.

    Raises:
        StateError: If the seal is missing or does not fit: the bytes are not what the guard wrote.
    """
    # INVARIANT (P4): the seal covers exactly the bytes that lie on disk, its own member cut out.
    start = stored.find(_MARK)
    end = start + len(_MARK) + _DIGITS
    if start < 0 or stored[end : end + 1] != b'"':
        raise StateError("store.seal", "the state carries no seal", _REMEDY)
    given = stored[start + len(_MARK) : end]
    text = stored[:start] + stored[end + 1 :]
    if not _same(given, hmac_hex(key, text).encode()):
        raise StateError("store.seal", "the state is not what the guard wrote", _REMEDY)
    return text


def _same(one: bytes, other: bytes) -> bool:
    # Constant time (hmac.compare_digest costs an import of OpenSSL): whoever measures learns nothing of the seal.
    difference = len(one) ^ len(other)
    for a, b in zip(one, other, strict=False):
        difference |= a ^ b
    return difference == 0
