"""What a variable may hold and what an argument may be: the values that expansion works with."""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.effects import Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NUMBERS = frozenset("?#$")  # parameters that always hold a number
_ESCAPED = frozenset("*?[]\\")


@dataclass(frozen=True, slots=True)
class Found:
    """Names that a search gives.

    Attributes:
        tops: What the search starts from, as written; each name is one of them or lies below one, links not followed.
        search: What they are called.
    """

    tops: tuple[str, ...]
    search: Search = Search()

    @property
    def is_bound(self) -> bool:
        """Whether the names mean something in one folder alone."""
        return not all(top.startswith("/") for top in self.tops)


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable may hold: ``text``; a ``pattern``'s match; or, with neither, some whole number.

    Attributes:
        text: The value.
        pattern: A glob of which it is a match.
        is_inner: It is no number but a relative name, or several, that stay below the folder.
        items: The elements of an array.
        is_map: It is an associative array.
        entries: Its keys and elements; ``None`` if they are not known.
        is_job: The number is a process that the text itself started.
        may_be_empty: The number may be nothing, or have blanks around it.
        is_tight: Such a number has no blanks around it.
        is_slug: It is no number but some letters, digits, ``_``, ``.``, ``:`` and ``-`` without a blank, or nothing.
        is_undashed: Such a word starts with no dash: it is a hash that git prints, or what git was given instead.
        is_part: It is no number but some text without a slash; with ``is_slug`` it is one plain word.
        folders: Such a text is a part of a name at or below one of these folders, as written.
        is_whole: Each match of the pattern, and the text of one that has none, is one plain word even unquoted.
        is_made: For a pattern, whether it is no match of it that is there, but a name that looks so.
        found: It is no number but one of the names that a search gives.
        is_plain: Such a name is one word even unquoted.
        is_unset: The text is empty because nothing is set.
    """

    text: str | None = None
    pattern: str | None = None
    is_inner: bool = False
    items: tuple[Field, ...] | None = None
    is_map: bool = False
    entries: tuple[tuple[str, str], ...] | None = None
    is_job: bool = False
    may_be_empty: bool = False
    is_tight: bool = False
    is_slug: bool = False
    is_undashed: bool = False
    is_part: bool = False
    folders: tuple[str, ...] = ()
    is_whole: bool = False
    is_made: bool = False
    found: Found | None = None
    is_plain: bool = True
    is_unset: bool = False

    @property
    def is_number(self) -> bool:
        """Whether arithmetic reads the value as a number and nothing more."""
        if (
            self.pattern is not None
            or self.is_inner
            or self.is_slug
            or self.is_part
            or self.found is not None
            or self.items is not None
            or self.is_map
        ):
            return False
        if self.text is None:
            return True
        digits = self.text.removeprefix("-")
        # A leading zero means octal, in which ``08`` is an error.
        return digits.isascii() and digits.isdigit() and (digits == "0" or digits[0] != "0")


NUMBER = Value()
COUNT = Value(may_be_empty=True)
STAMP = Value(may_be_empty=True, is_tight=True)
JOB = Value(is_job=True)
INNER = Value(is_inner=True)
SLUG = Value(is_slug=True)
HASH = Value(is_slug=True, is_undashed=True)
PART = Value(is_part=True)
MAP = Value(is_map=True)
UNSET = Value("", is_unset=True)


@dataclass(frozen=True, slots=True)
class Field:
    """One argument as a program gets it.

    Attributes:
        text: The literal, or with ``is_pattern`` a bash glob; ``None`` if unknown.
        is_pattern: Whether bash looks for file names.
        prefix: How the field certainly starts, where ``text`` is ``None``.
        is_one: Whether it is exactly one field; an unquoted unknown may be none or many.
        literal: For a pattern, what stands if nothing matches.
        is_inner: Whether each word that it may be is a relative name that stays below the folder.
        is_job: Whether it is the number of a process that the text itself started.
        is_made: For a pattern, whether it is a name made of a match, which need not be there.
        is_slug: For a pattern, whether its star stands for what was computed, a number or a date.
        is_operand: Whether it certainly does not start with a dash, whatever else is known.
        found: What it is one of, where a search gives it.
    """

    text: str | None
    is_pattern: bool = False
    prefix: str = ""
    is_one: bool = True
    literal: str = ""
    is_inner: bool = False
    is_job: bool = False
    is_made: bool = False
    is_slug: bool = False
    is_operand: bool = False
    found: Found | None = None

    @property
    def start(self) -> str:
        """The characters that the field certainly starts with."""
        if self.text is None:
            return self.prefix
        return pattern_start(self.text) if self.is_pattern else self.text


def pattern_start(pattern: str) -> str:
    """The characters that every match of a glob starts with."""
    made = []
    index = 0
    while index < len(pattern) and pattern[index] not in "*?[":
        index += pattern[index] == "\\"
        made.append(pattern[index : index + 1])
        index += 1
    return "".join(made)


def escape(text: str) -> str:
    """Write a literal as a pattern that matches just it."""
    return "".join("\\" + character if character in _ESCAPED else character for character in text)


def lookup(values: Mapping[str, Value], name: str, index: str = "") -> Value | None:
    """Give a parameter's value, ``None`` if unknown: a variable, an array's element, a positional parameter."""
    if name.isascii() and name.isdigit() and name != "0":
        name, index = "@", str(int(name) - 1)
    value = values.get(name)
    if value is None or value.is_map:
        return None
    if value.items is not None:
        return _element(value.items, int(index or "0")) if (index or "0").isdigit() else None
    return value if index in {"", "0"} else None


def value_of_field(field: Field) -> Value | None:
    """Give what one field holds as a value."""
    if field.is_job:
        return JOB
    if field.text is None or field.is_pattern:
        if field.found is not None and field.is_one:
            return Value(is_inner=field.is_inner, found=field.found, is_plain=False)
        return INNER if field.is_inner and field.is_one else None
    return Value(field.text)


def _element(items: tuple[Field, ...], index: int) -> Value | None:
    for at, item in enumerate(items):
        if not item.is_one:
            return None
        if at == index:
            return value_of_field(item)
    return UNSET


def measured(value: Value | None) -> Value:
    """Give a value's length."""
    known = value is not None and value.text is not None and value.text.isascii()
    return Value(str(len(value.text))) if known and value is not None and value.text is not None else NUMBER
