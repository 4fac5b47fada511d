"""Typed fields out of a host's payload: a value of the right type, or the error that names the field."""

from __future__ import annotations

from harness_guard.errors import PayloadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REMEDY = "repeat the call; if it is refused again, run `harness-guard doctor`, the host may have changed its format"


def malformed(name: str, found: str, expected: str) -> PayloadError:
    """Make the error for one field.

    Args:
        name: Name of the field in the payload.
        found: What stands there, in words.
        expected: What should stand there, in words.
    """
    return PayloadError("payload.field", f"payload field `{name}`: found {found}, expected {expected}", REMEDY)


def kind_of(value: object) -> str:
    """Name the JSON type of a value, without repeating the value (it may be a secret)."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int | float):
        return "a number"
    return "an object" if isinstance(value, dict) else "a list"


def text(payload: Mapping[str, object], name: str) -> str:
    """Read a required text, which may be empty.

    Raises:
        PayloadError: If it is missing or no text.
    """
    if name not in payload:
        raise malformed(name, "nothing", "a text")
    value = payload[name]
    if not isinstance(value, str):
        raise malformed(name, kind_of(value), "a text")
    return value


def word(payload: Mapping[str, object], name: str) -> str:
    """Read a required text that is not empty and holds no NUL.

    Raises:
        PayloadError: If it is missing, no text, empty or holds a NUL.
    """
    # A NUL ends a name for the operating system and not for us: the two would mean different files.
    value = text(payload, name)
    if not value or "\0" in value:
        raise malformed(name, "an empty text or a NUL", "a text")
    return value


def optional_word(payload: Mapping[str, object], name: str) -> str | None:
    """Read a text that may be absent or null (one host sends null for what it has not).

    Raises:
        PayloadError: If it is there and no text, empty or holds a NUL.
    """
    return None if payload.get(name) is None else word(payload, name)


def optional_text(payload: Mapping[str, object], name: str) -> str | None:
    """Read a text that may be absent, null or empty.

    Raises:
        PayloadError: If it is there and no text.
    """
    return None if payload.get(name) is None else text(payload, name)


def absolute(payload: Mapping[str, object], name: str) -> str:
    """Read a required absolute path.

    Raises:
        PayloadError: If it is missing, no text, relative or holds a NUL.
    """
    value = word(payload, name)
    if not value.startswith("/"):
        raise malformed(name, "a relative path", "an absolute path")
    return value
