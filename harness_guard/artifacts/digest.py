"""The hash of a message: what a gate shows, an approval covers and a binding names."""

from __future__ import annotations

from hashlib import sha256


def normalized(message: str) -> str:
    """Give the text that is hashed and parsed: CRLF -> LF, one trailing newline removed (contract section 4)."""
    # What may differ on the way without a reader seeing it; every other change makes another text.
    return message.replace("\r\n", "\n").removesuffix("\n")


def message_hash(message: str) -> str:
    """Give ``sha256:<hex>`` over the UTF-8 bytes of the normalized message.

    A lone surrogate (a payload's JSON can carry one) is hashed as its three bytes instead of failing; no artifact holds
    one (``characters``).
    """
    return "sha256:" + sha256(normalized(message).encode("utf-8", "surrogatepass")).hexdigest()
