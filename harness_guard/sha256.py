"""SHA-256 without the price of importing ``hashlib``, which loads OpenSSL (docs/adr/0002-cold-start.md)."""

from __future__ import annotations

try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found,unused-ignore]  # Python 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found,no-redef,unused-ignore]  # Python 3.11
    except ImportError:  # another interpreter, or one built without its own hashes
        from hashlib import sha256 as _sha256


def sha256_digest(data: bytes) -> bytes:
    """Give the SHA-256 of bytes (FIPS 180-4)."""
    return bytes(_sha256(data).digest())


def sha256_hex(data: bytes) -> str:
    """Give the SHA-256 of bytes in hexadecimal digits."""
    return sha256_digest(data).hex()
