"""Strict JSON in, canonical JSON out, without the start-up price of the standard ``json`` package.

``json`` imports ``re`` and ``enum``, which together cost more than a bare start (docs/adr/0002-cold-start.md).
The same C scanner that ``json`` uses is reached directly; where an interpreter has none, ``json`` itself is used.
Strict means: no duplicate keys, no NaN or Infinity, nothing after the value (contract section 4).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    _Scanner = Callable[[str, int], tuple[object, int]]
    _make_scanner: Callable[[type], _Scanner] | None
else:
    try:
        from _json import make_scanner as _make_scanner
    except ImportError:  # another interpreter: the standard package does the same, slower
        _make_scanner = None

_BLANKS = " \t\n\r"


class JsonError(ValueError):
    """The text is no strict JSON value."""


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonError(f"duplicate key {key!r}")
            seen.add(key)
    return found


def _constant(name: str) -> object:
    raise JsonError(f"{name} is no JSON")


class _Strict:
    """What the C scanner reads its settings from."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_pairs)
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_constant)
    memo: dict[str, str] = {}  # noqa: RUF012  read by the pure Python scanner only


def _scan(text: str, start: int) -> tuple[object, int]:
    if _make_scanner is not None:
        try:
            value, end = _make_scanner(_Strict)(text, start)
        except SystemError:  # the scanner cannot raise its own error while ``json`` is not loaded: the text is bad
            pass
        else:
            return value, int(end)
    from json import JSONDecoder

    decoder = JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)
    return decoder.raw_decode(text, start)


def loads(text: str, *, allow_more: bool = False) -> object:
    """Read one JSON value.

    Args:
        text: The text; blanks around the value are allowed.
        allow_more: Accept text behind the value (a host may keep the pipe open and send more).

    Returns:
        The value, of the types ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` and ``None``.

    Raises:
        JsonError: If the text is not one strict JSON value (RFC 8259, no duplicate keys, no NaN).
        RecursionError: If it is nested deeper than the interpreter goes.
    """
    start = 0
    while start < len(text) and text[start] in _BLANKS:
        start += 1
    try:
        value, end = _scan(text, start)
    except StopIteration as stop:
        raise JsonError(f"no JSON value at character {stop.value}") from None
    except ValueError as error:
        raise error if isinstance(error, JsonError) else JsonError(str(error)) from None
    if not allow_more and text[end:].strip(_BLANKS):
        raise JsonError(f"text behind the JSON value at character {end}")
    return value
