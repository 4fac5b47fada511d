"""The JSON block of a section, read strictly: exact keys, exact types, errors with their line (contract section 4)."""

from __future__ import annotations

import re

from harness_guard.artifacts.characters import is_plain
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.rawjson import JsonError, loads
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias, TypeVar

    from harness_guard.artifacts.sections import Section

    Word = TypeVar("Word", bound=str)
    Path: TypeAlias = tuple[str | int, ...]

DEEPEST_LOCATED = 8  # the formats nest four deep; deeper values are only skipped
LARGEST_INTEGER = 2**53 - 1  # RFC 8785 section 3.2.2.3: what every reader of JSON holds exactly

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_BETWEEN = frozenset(",:]}")  # tokens that neither are a value nor start one
_OFFSET = re.compile(r"\(char ([0-9]{1,9})\)|at character ([0-9]{1,9})")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one JSON block and the line of the message on which it starts."""

    text: str
    line: int

    def line_of(self, path: Path) -> int:
        """Give the line of the key or item at ``path``, or of the nearest value around it."""
        found: dict[Path, int] = {}
        for place, offset in _places(self.text):
            found.setdefault(place, offset)
        while path and path not in found:
            path = path[:-1]
        return self.line_at(found.get(path, 0))

    def line_of_duplicate(self) -> int:
        """Give the line of the first key that an object has twice."""
        seen: set[Path] = set()
        for place, offset in _places(self.text, keys_only=True):
            if place in seen:
                return self.line_at(offset)
            seen.add(place)
        return self.line

    def line_of_word(self, word: str) -> int:
        """Give the line of a bare word, such as ``NaN``."""
        found = next((token.start() for token in _TOKEN.finditer(self.text) if token[0] == word), 0)
        return self.line_at(found)

    def line_behind(self, offset: int) -> int:
        """Give the line of the first character from ``offset`` on that is no blank."""
        rest = self.text[offset:]
        return self.line_at(offset + len(rest) - len(rest.lstrip()))

    def line_at(self, offset: int) -> int:
        """Give the line of a character."""
        return self.line + self.text.count("\n", 0, offset)


def _places(text: str, *, keys_only: bool = False) -> Iterator[tuple[Path, int]]:
    # One frame for each open bracket: the index in an array, the current key (None: a key comes next) in an object.
    stack: list[str | int | None] = []
    for token in _TOKEN.finditer(text):
        word = token[0]
        is_key = word[0] == '"' and bool(stack) and stack[-1] is None
        if is_key:
            stack[-1] = word[1:-1]
        is_place = is_key or not (keys_only or word in _BETWEEN)
        if is_place and len(stack) <= DEEPEST_LOCATED:
            yield tuple([part for part in stack if part is not None]), token.start()
        _step(stack, word)


def _step(stack: list[str | int | None], word: str) -> None:
    # Broken text comes by here too, because its error has to name a line: no bracket needs to have its partner.
    if word == "," and stack:
        stack[-1] = stack[-1] + 1 if isinstance(stack[-1], int) else None
    elif word in "}]":
        del stack[-1:]
    elif word in "{[":
        stack.append(0 if word == "[" else None)


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value that knows where it stands; each method gives it as one exact type or raises ``LineError``."""

    value: object
    path: Path
    block: Block

    @property
    def line(self) -> int:
        """Line of the message."""
        return self.block.line_of(self.path)

    @property
    def name(self) -> str:
        """How a reason names it."""
        return "`" + ".".join([str(part) for part in self.path]) + "`" if self.path else "the block"

    def error(self, rule: str, *, seen: str, remedy: str) -> LineError:
        """Make an error at this value's line."""
        return LineError(self.line, rule, seen=seen, remedy=remedy)

    def members(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Node]:
        """Give an object's members; exactly the named keys, the optional ones may be missing."""
        if not isinstance(self.value, dict):
            raise self._mistyped("an object")
        known = (*required, *optional)
        for key in self.value:
            if key not in known:
                node = Node(None, (*self.path, key), self.block)
                raise node.error(
                    "artifact.json-keys",
                    seen=f"found the unknown key {shown(key)} in {self.name}",
                    remedy=f"Use exactly these keys: {', '.join(known)}.",
                )
        for key in required:
            if key not in self.value:
                raise self.error(
                    "artifact.json-keys",
                    seen=f"found no key `{key}` in {self.name}",
                    remedy=f"Use exactly these keys: {', '.join(known)}.",
                )
        return {key: Node(value, (*self.path, key), self.block) for key, value in self.value.items()}

    def items(self, *, least: int = 0) -> tuple[Node, ...]:
        """Give an array's items, at least ``least`` of them."""
        if not isinstance(self.value, list):
            raise self._mistyped("an array")
        if len(self.value) < least:
            raise self._bad(f"an array of {len(self.value)}", f"at least {least}")
        return tuple(Node(item, (*self.path, index), self.block) for index, item in enumerate(self.value))

    def text(self) -> str:
        """Give a text that is not empty, has no blank at its ends and only characters that can be read."""
        if not isinstance(self.value, str):
            raise self._mistyped("a text")
        if not is_plain(self.value):
            raise self.error(
                "artifact.character",
                seen=f"found a character in {self.name} that a reader cannot see: {shown(self.value)}",
                remedy="Write the text on one line, without control, bidirectional or invisible characters.",
            )
        if not self.value or self.value != self.value.strip():
            raise self._bad(shown(self.value), "a text that is not empty and has no blank at its ends")
        return self.value

    def integer(self, least: int, most: int = LARGEST_INTEGER) -> int:
        """Give an integer within bounds; ``true`` and ``1.0`` are none."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self._mistyped("an integer")
        if not least <= self.value <= most:
            raise self._bad(shown(str(self.value)), f"an integer from {least} to {most}")
        return self.value

    def boolean(self) -> bool:
        """Give a truth value."""
        if not isinstance(self.value, bool):
            raise self._mistyped("true or false")
        return self.value

    def one_of(self, words: Sequence[Word]) -> Word:
        """Give a text that is one of some words, as the literal type that they have."""
        text = self.text()
        for word in words:
            if word == text:
                return word
        raise self.error(
            "artifact.json-value",
            seen=f"found {shown(text)} as {self.name}, expected one of {', '.join(words)}",
            remedy="Use one of the exact words.",
        )

    def digest(self) -> str:
        """Give a ``sha256:`` digest in lower case."""
        text = self.text()
        if not _DIGEST.fullmatch(text):
            raise self._bad(shown(text), "sha256: and 64 lower-case hexadecimal digits")
        return text

    def digest_or_none(self) -> str | None:
        """Give a digest, or ``None`` for null."""
        return None if self.value is None else self.digest()

    def check_equal(self, expected: str | int) -> None:
        """Demand one value of one type."""
        if type(self.value) is not type(expected) or self.value != expected:
            raise self._bad(_json_word(self.value), _json_word(expected))

    def _mistyped(self, expected: str) -> LineError:
        return self.error(
            "artifact.json-type",
            seen=f"found {_json_type(self.value)} as {self.name}, expected {expected}",
            remedy="Write the value in the type that the template shows; nothing is converted.",
        )

    def _bad(self, found: str, expected: str) -> LineError:
        return self.error(
            "artifact.json-value",
            seen=f"found {found} as {self.name}, expected {expected}",
            remedy="Write a value that the rule allows.",
        )


def _json_word(value: object) -> str:
    return shown(str(value).lower() if isinstance(value, bool) else str(value))


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {dict: "an object", list: "an array", str: "a text", int: "an integer", float: "a number"}
    return names[type(value)]


def read_block(section: Section, key: str) -> Node:
    """Read a section that is one JSON block holding one object under one key.

    Args:
        section: The section.
        key: The one key of the outer object.

    Returns:
        The value under that key.

    Raises:
        LineError: ``artifact.json-block``, ``artifact.json``, ``artifact.json-escape`` or ``artifact.json-keys``.
    """
    block = _block(section)
    for escape in _ESCAPE.finditer(block.text):
        if escape[1] == "u":
            raise LineError(
                block.line_at(escape.start()),
                "artifact.json-escape",
                seen="found a \\u escape, which hides a character from the reader",
                remedy="Write the character itself.",
            )
    return Node(_load(block), (), block).members((key,))[key]


def _block(section: Section) -> Block:
    rows = section.rows
    closing = next((i for i, (_, line) in enumerate(rows) if i and line.startswith("```")), len(rows))
    if rows[0][1] != "```json" or closing != len(rows) - 1 or rows[-1][1] != "```":
        outside = rows[0] if rows[0][1] != "```json" else rows[min(closing + 1, len(rows) - 1)]
        raise LineError(
            outside[0],
            "artifact.json-block",
            seen=f"found {shown(outside[1])}, expected one block from ```json to ``` and nothing else",
            remedy="Write the section as the one fenced JSON block of the template.",
        )
    first, last = rows[0][0], rows[-1][0]
    return Block("\n".join(section.lines[first - section.line : last - section.line - 1]), first + 1)


def _load(block: Block) -> object:
    try:
        return loads(block.text)
    except RecursionError:
        line, seen = block.line, "found JSON that is nested too deep"
    except JsonError as error:
        words = str(error)
        offset = _OFFSET.search(words)
        line = block.line_behind(int(offset[1] or offset[2])) if offset else block.line
        seen = f"found a block that is no strict JSON: {shown(words)}"
        if words.startswith("duplicate key"):
            line = block.line_of_duplicate()
        elif words.endswith("is no JSON"):
            line = block.line_of_word(words.partition(" ")[0])
    raise LineError(line, "artifact.json", seen=seen, remedy="Write the JSON block as the template shows it.")
