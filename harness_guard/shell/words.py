"""A word of the tree to the fields that bash would make of it: a literal, a pattern, or unknown.

Order as in the bash manual, 3.5: braces, tilde, parameters and substitutions, splitting, file names. What is not
certain becomes an unknown field; what would evaluate text as code is reported as a fault.
"""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.syntax import Arith, Bare, Odd, Param, Quoted, Subst, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_BRACES = 8  # in one another or in a row
MOST_FIELDS = 256  # of one brace expansion
LONGEST_WORD = 65_536  # characters; a longer word is unknown
NUMBERS = frozenset("?#$!")  # parameters that always hold a number
_SPECIAL = frozenset("*?[]\\")
_NEEDS_CARE = frozenset("\\{}~*?[")


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable may hold: ``text``; a ``pattern``'s match; or, with neither, some whole number.

    With ``is_inner`` it is no number but a relative name, or several, that stay below the folder.
    """

    text: str | None = None
    pattern: str | None = None
    is_inner: bool = False

    @property
    def is_number(self) -> bool:
        """Whether arithmetic reads the value as a number and nothing more."""
        if self.pattern is not None or self.is_inner:
            return False
        if self.text is None:
            return True
        digits = self.text.removeprefix("-")
        # A leading zero means octal, in which ``08`` is an error.
        return digits.isascii() and digits.isdigit() and (digits == "0" or digits[0] != "0")


NUMBER = Value()
INNER = Value(is_inner=True)


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
    """

    text: str | None
    is_pattern: bool = False
    prefix: str = ""
    is_one: bool = True
    literal: str = ""
    is_inner: bool = False

    @property
    def start(self) -> str:
        """The characters that the field certainly starts with."""
        if self.text is None:
            return self.prefix
        return pattern_start(self.text) if self.is_pattern else self.text


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a word: text, quoted or not, a pattern that came out of a variable, or unknown."""

    text: str | None
    is_quoted: bool = False
    is_pattern: bool = False
    is_one: bool = True
    is_inner: bool = False


def pattern_start(pattern: str) -> str:
    """Give what every match of a pattern starts with."""
    made = []
    index = 0
    while index < len(pattern) and pattern[index] not in "*?[":
        index += pattern[index] == "\\"
        made.append(pattern[index : index + 1])
        index += 1
    return "".join(made)


def escape(text: str) -> str:
    """Write a literal as a pattern that matches just it."""
    return "".join("\\" + character if character in _SPECIAL else character for character in text)


def expand(word: Word, values: Mapping[str, Value], home: str) -> tuple[Field, ...]:
    """Give the fields of a word.

    Args:
        word: The word.
        values: Variables whose value is known, ``PWD`` and ``HOME`` among them.
        home: What ``~`` stands for.

    Returns:
        The fields, at most ``MOST_FIELDS``; an unknown one wherever reading cannot tell.
    """
    if len(word.parts) == 1:
        only = word.parts[0]
        if isinstance(only, Quoted):
            return (Field(only.text),)
        if isinstance(only, Bare) and _NEEDS_CARE.isdisjoint(only.text):
            return (Field(only.text),)
    pieces = _pieces(word, values)
    if sum(len(piece.text or "") for piece in pieces) > LONGEST_WORD:
        return (Field(None, is_one=False),)
    fields: list[Field] = []
    for alternative in _braces(pieces):
        fields += _field(_tilde(alternative, home))
        if len(fields) > MOST_FIELDS:
            return (Field(None, is_one=False),)
    return tuple(fields)


def value_of(word: Word | None, values: Mapping[str, Value], home: str) -> Value | None:
    """Give what an assignment ``name=word`` stores: no braces, no splitting, no file names.

    Returns:
        The value, ``None`` if unknown.
    """
    if word is None:
        return Value("")
    pieces = _tilde(_pieces(word, values), home)
    if len(pieces) == 1 and pieces[0].is_pattern:
        return Value(pattern=pieces[0].text)
    if len(word.parts) == 1 and isinstance(word.parts[0], Arith):
        return NUMBER
    if any(piece.text is None or piece.is_pattern for piece in pieces):
        return INNER if all(piece.is_inner or (piece.is_quoted and piece.text == "") for piece in pieces) else None
    if len(word.parts) == 1 and isinstance(word.parts[0], Param) and values.get(word.parts[0].name) == NUMBER:
        return NUMBER
    text = "".join(piece.text or "" for piece in pieces)
    bare = "".join(piece.text or "" for piece in pieces if not piece.is_quoted)
    return None if ":~" in bare or len(text) > LONGEST_WORD else Value(text)


def _pieces(word: Word, values: Mapping[str, Value]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for part in word.parts:
        match part:
            case Bare(text):
                pieces += _bare(text)
            case Quoted(text):
                pieces.append(_Piece(text, is_quoted=True))
            case Param(name, is_quoted, is_plain):
                pieces += _parameter(values.get(name) if is_plain else None, name, is_quoted=is_quoted)
            case Arith():
                pieces.append(_Piece(None))
            case Subst(_, is_quoted, process):
                # A process substitution is the name of a pipe; its number does not matter.
                pieces.append(
                    _Piece("/dev/fd/63", is_quoted=True)
                    if process
                    else _Piece(None, is_quoted=is_quoted, is_one=is_quoted)
                )
            case Odd():
                pieces.append(_Piece(None, is_one=False))
    return pieces


def _bare(text: str) -> list[_Piece]:
    """Take the backslashes out of unquoted text: what they stand before is quoted."""
    if "\\" not in text:
        return [_Piece(text)]
    pieces = []
    start = index = 0
    while index < len(text):
        if text[index] != "\\":
            index += 1
            continue
        if index > start:
            pieces.append(_Piece(text[start:index]))
        following = text[index + 1 : index + 2]
        if following != "\n":
            pieces.append(_Piece(following or "\\", is_quoted=True))
        index += 2
        start = index
    if start < len(text):
        pieces.append(_Piece(text[start:]))
    return pieces


def _parameter(value: Value | None, name: str, *, is_quoted: bool) -> list[_Piece]:
    if value is None:
        return [_Piece(None, is_quoted=is_quoted, is_one=is_quoted and name not in {"@", "*"})]
    if value.pattern is not None:
        return [_Piece(value.pattern if is_quoted else None, is_quoted=True, is_pattern=True, is_one=is_quoted)]
    if value.is_inner:
        return [_Piece(None, is_quoted=is_quoted, is_one=is_quoted, is_inner=True)]
    if value.text is None:
        return [_Piece(None)]
    if is_quoted:
        return [_Piece(value.text, is_quoted=True)]
    # An unquoted value is split at blanks and its globs are live; without any of these it is one word or, empty, none.
    if value.text and _SPECIAL.isdisjoint(value.text) and not any(character.isspace() for character in value.text):
        return [_Piece(value.text, is_quoted=True)]
    return [_Piece(None, is_one=False)]


# --- braces ---------------------------------------------------------------------------------------------------------


def _braces(pieces: list[_Piece]) -> Sequence[list[_Piece]]:
    """Expand ``{a,b}`` and ``{1..3}`` where they stand unquoted; too many, or too odd, becomes unknown."""
    if not any(not piece.is_quoted and piece.text and "{" in piece.text for piece in pieces):
        return [pieces]
    atoms = (
        [_Piece(character) for piece in pieces if not piece.is_quoted and piece.text for character in piece.text]
        if len(pieces) == 1
        else _atoms(pieces)
    )
    made = _alternatives(atoms, 0)
    if made is None or len(made) > MOST_FIELDS:
        return [[_Piece(None, is_one=False)]]
    return [_joined(alternative) for alternative in made]


def _atoms(pieces: list[_Piece]) -> list[_Piece]:
    atoms: list[_Piece] = []
    for piece in pieces:
        if piece.is_quoted or piece.text is None or piece.is_pattern:
            atoms.append(piece)
        else:
            atoms += [_Piece(character) for character in piece.text]
    return atoms


def _joined(atoms: list[_Piece]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for atom in atoms:
        last = pieces[-1] if pieces else None
        if (
            last is not None
            and not (atom.is_quoted or last.is_quoted)
            and atom.text is not None
            and last.text is not None
        ):
            pieces[-1] = _Piece(last.text + atom.text)
        else:
            pieces.append(atom)
    return pieces


def _is(atom: _Piece, character: str) -> bool:
    return atom.text == character and not atom.is_quoted


def _alternatives(atoms: list[_Piece], depth: int) -> list[list[_Piece]] | None:
    if depth > MOST_BRACES:
        return None
    start = next((index for index, atom in enumerate(atoms) if _is(atom, "{")), None)
    if start is None:
        return [atoms]
    found = _closing(atoms, start)
    if found is None:
        # No partner: this brace stands for itself, later ones may not.
        rest = _alternatives(atoms[start + 1 :], depth + 1)
        return None if rest is None else [[*atoms[: start + 1], *tail] for tail in rest]
    end, commas = found
    inside = atoms[start + 1 : end]
    if not commas:
        members = _sequence(inside)
        if members is None:
            return None
    else:
        edges = [start, *commas, end]
        members = [atoms[edges[at - 1] + 1 : edges[at]] for at in range(1, len(edges))]
    return _combined(atoms[:start], members, atoms[end + 1 :], depth=depth)


def _combined(
    head: list[_Piece], members: list[list[_Piece]], tail: list[_Piece], *, depth: int
) -> list[list[_Piece]] | None:
    tails = _alternatives(tail, depth + 1)
    if tails is None:
        return None
    made: list[list[_Piece]] = []
    for member in members:
        inner = _alternatives(member, depth + 1)
        if inner is None or len(made) + len(inner) * len(tails) > MOST_FIELDS:
            return None
        made += [[*head, *middle, *rest] for middle in inner for rest in tails]
    return made


def _closing(atoms: list[_Piece], start: int) -> tuple[int, list[int]] | None:
    depth = 0
    commas: list[int] = []
    for index in range(start, len(atoms)):
        if _is(atoms[index], "{"):
            depth += 1
        elif _is(atoms[index], "}"):
            depth -= 1
            if depth == 0:
                return index, commas
        elif depth == 1 and _is(atoms[index], ","):
            commas.append(index)
    return None


def _sequence(inside: list[_Piece]) -> list[list[_Piece]] | None:
    text = "".join(atom.text or "\0" for atom in inside)
    if any(atom.is_quoted for atom in inside) or ".." not in text:
        # ``{}`` and ``{x}`` stand for themselves; nested braces or a quoted part are left alone.
        return (
            [[_Piece("{", is_quoted=True), *inside, _Piece("}", is_quoted=True)]]
            if not any(_is(atom, "{") for atom in inside)
            else None
        )
    ends = text.split("..")
    if text.count("..") == 1 and all(end.removeprefix("-").isdigit() and not end.startswith("0") for end in ends):
        first, last = int(ends[0]), int(ends[1])
        step = 1 if first <= last else -1
        if abs(first - last) < MOST_FIELDS:
            return [[_Piece(str(number), is_quoted=True)] for number in range(first, last + step, step)]
    return None


# --- the rest -------------------------------------------------------------------------------------------------------


def _tilde(pieces: list[_Piece], home: str) -> list[_Piece]:
    if not pieces or pieces[0].is_quoted or not pieces[0].text:
        return _inner_tilde(pieces)
    text = pieces[0].text
    if not text.startswith("~"):
        return _inner_tilde(pieces)
    is_whole = text == "~" and len(pieces) == 1
    if home and (is_whole or text.startswith("~/")):
        return [_Piece(home, is_quoted=True), _Piece(text[1:]), *pieces[1:]]
    return [_Piece(None), *pieces[1:]]


def _inner_tilde(pieces: list[_Piece]) -> list[_Piece]:
    # In a word that looks like an assignment bash expands a tilde behind ``=`` and ``:`` too (bash manual 3.5.2).
    return [
        _Piece(None) if piece.text and not piece.is_quoted and ("=~" in piece.text or ":~" in piece.text) else piece
        for piece in pieces
    ]


def _field(pieces: list[_Piece]) -> list[Field]:
    if not pieces:
        return []
    unknown = next((index for index, piece in enumerate(pieces) if piece.text is None), None)
    if unknown is not None:
        prefix = _known_prefix(pieces[:unknown])
        is_inner = all(piece.is_inner or (piece.is_quoted and piece.text == "") for piece in pieces)
        return [Field(None, prefix=prefix, is_one=all(piece.is_one for piece in pieces), is_inner=is_inner)]
    whole = "".join(piece.text or "" for piece in pieces)
    if not any(piece.is_pattern or (not piece.is_quoted and _is_glob(piece.text or "", whole)) for piece in pieces):
        return [Field(whole)]
    pattern = "".join(
        piece.text or "" if piece.is_pattern or not piece.is_quoted else escape(piece.text or "") for piece in pieces
    )
    from_files = any(piece.is_pattern for piece in pieces)
    literal = "" if from_files else whole
    return [Field(pattern, is_pattern=True, literal=literal, is_one=False)]


def _known_prefix(pieces: list[_Piece]) -> str:
    made = ""
    for piece in pieces:
        if piece.is_pattern or (not piece.is_quoted and _is_glob(piece.text or "", "]")):
            return made + pattern_start(piece.text or "")
        made += piece.text or ""
    return made


def _is_glob(text: str, whole: str) -> bool:
    return "*" in text or "?" in text or ("[" in text and "]" in whole)
