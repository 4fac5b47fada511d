"""Values to canonical JSON text (RFC 8785) for everything that is hashed or sealed.

Floats never occur in what the guard keeps, so they are refused instead of formatted (RFC 8785 section 3.2.2.3).
"""

from __future__ import annotations

try:
    from _json import encode_basestring as _quote
except ImportError:  # another interpreter
    from json.encoder import py_encode_basestring as _quote

SAFE_INTEGER = 2**53 - 1  # RFC 8785 section 3.2.2.3: what an IEEE 754 double holds exactly


def _utf16(key: str) -> bytes:
    # RFC 8785 section 3.2.3: keys are ordered by UTF-16 code units, not by code points.
    return key.encode("utf-16-be", "strict")


def canonical(value: object) -> str:
    """Render a value as canonical JSON.

    Args:
        value: Nested ``dict`` (text keys), ``list``, ``tuple``, ``str``, ``int``, ``bool`` and ``None``.

    Returns:
        The one text that RFC 8785 gives it.

    Raises:
        TypeError: If it holds anything else, a float included.
        ValueError: If an integer is beyond what a double holds, or a text holds a lone surrogate.
    """
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        value.encode()
        return str(_quote(value))
    if isinstance(value, int):
        if abs(value) > SAFE_INTEGER:
            raise ValueError(f"integer beyond RFC 8785: {value}")
        return str(value)
    if isinstance(value, list | tuple):
        return "[" + ",".join([canonical(item) for item in value]) + "]"
    if isinstance(value, dict):
        pairs = [f"{canonical(key)}:{canonical(value[key])}" for key in _ordered(value)]
        return "{" + ",".join(pairs) + "}"
    raise TypeError(f"no canonical JSON for {type(value).__name__}")


def _ordered(value: dict[object, object]) -> list[str]:
    keys = [key for key in value if isinstance(key, str)]
    if len(keys) != len(value):
        raise TypeError("canonical JSON has text keys only")
    # Both orders are the same for ASCII, and the codec for the other one is not loaded for nothing.
    return sorted(keys) if all(key.isascii() for key in keys) else sorted(keys, key=_utf16)
