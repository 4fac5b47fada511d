"""States of other versions: which schema a stored state has, and what that means (contract section 9, L5.3, L5.4).

Looked at only when a state is not one of ours: the tool path never loads this.
"""

from __future__ import annotations

from harness_guard.errors import StateError
from harness_guard.rawjson import JsonError, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

CURRENT: Final = 9
MIGRATED: Final = 8  # the one older version that an activation replaces by a fresh run
_PREFIX: Final = "harness.state.v"
_VERSION_DIGITS: Final = 6


def other_version(stored: bytes) -> StateError | None:
    """Tell what a stored state of another version is.

    Nothing is believed of it but its version: whoever could write a false one could have removed it as well.

    Args:
        stored: The bytes of ``state.json``.

    Returns:
        The error that says so: ``store.schema-v8``, ``store.schema-older`` or ``store.schema-newer``; ``None`` if the
        bytes do not name another version of the schema.
    """
    try:
        value = loads(stored.decode())
    except (JsonError, UnicodeDecodeError):
        return None
    if not isinstance(value, dict):
        return None
    schema = value.get("schema")
    if not isinstance(schema, str) or not schema.startswith(_PREFIX):
        return None
    digits = schema.removeprefix(_PREFIX)
    if not (digits.isdecimal() and digits.isascii() and len(digits) <= _VERSION_DIGITS) or int(digits) == CURRENT:
        return None
    writer = value.get("plugin_version")
    by = f"version {writer}" if isinstance(writer, str) and writer else "a version that does not say which"
    seen = f"the session's state has schema {schema}, written by {by} of the guard"
    if int(digits) == MIGRATED:
        return StateError("store.schema-v8", f"{seen}; it grants nothing", "The human types `$harness` and the task.")
    cancel = "or the human types `$harness cancel`, which archives it unread."
    if int(digits) < CURRENT:
        return StateError("store.schema-older", seen, f"Finish that run with the version that wrote it, {cancel}")
    return StateError("store.schema-newer", seen, f"Install that version again, {cancel}")
