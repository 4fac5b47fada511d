"""Sets one switch in a TOML file and leaves every other byte of it alone."""

from __future__ import annotations

import re
import tomllib

from harness_guard.errors import ProvisionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def with_switch(text: str, table: str, key: str, *, value: bool) -> str:
    """Set ``table.key`` to a boolean.

    Every edit that might do is tried; the first one whose file reads exactly as the old one with this switch set is
    taken, so that no layout of the file can mislead us.

    Args:
        text: The file's text.
        table: Name of a table at the top, a bare key.
        key: Name of the switch, a bare key.
        value: What it is set to.

    Returns:
        The new text; the same one if the switch stands so already.

    Raises:
        ProvisionError: If the file is no TOML, or has a layout in which no single line can be set.
    """
    word = "true" if value else "false"
    remedy = f"write `{key} = {word}` into its table `[{table}]` by hand"
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProvisionError("host.config", f"the file is no TOML: {error}", f"mend it; then {remedy}") from None
    inner = before.get(table, {})
    if not isinstance(inner, dict):
        raise ProvisionError("host.config", f"`{table}` is no table", remedy)
    if inner.get(key) is value:
        return text
    wanted = {**before, table: {**inner, key: value}}
    for edited in _candidates(text, table, key, word=word):
        try:
            if tomllib.loads(edited) == wanted:
                return edited
        except tomllib.TOMLDecodeError:
            continue
    raise ProvisionError("host.config", f"no single line sets `{table}.{key}` in it", remedy)


def _candidates(text: str, table: str, key: str, *, word: str) -> Iterator[str]:
    end = "\r\n" if "\r\n" in text else "\n"
    # From the least change to the largest: the switch as it stands, a line in its table, a dotted line, a new table.
    for name in (key, rf"{table}\s*\.\s*{key}"):
        for found in re.finditer(rf"^([ \t]*{name}[ \t]*=[ \t]*)(?:true|false)", text, re.MULTILINE):
            yield text[: found.start()] + found[1] + word + text[found.end() :]
    for found in re.finditer(rf"^[ \t]*\[[ \t]*{table}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE):
        line = found[0] if found[0].endswith("\n") else found[0] + end
        yield text[: found.start()] + line + f"{key} = {word}{end}" + text[found.end() :]
    for found in re.finditer(rf"^[ \t]*{table}[ \t]*\.[^\n]*(?:\n|\Z)", text, re.MULTILINE):
        yield text[: found.start()] + f"{table}.{key} = {word}{end}" + text[found.start() :]
    gap = "" if not text or text.endswith("\n") else end
    yield f"{text}{gap}{end if text else ''}[{table}]{end}{key} = {word}{end}"
