"""A word of the tree to the fields that bash would make of it: a literal, a pattern, or unknown.

Order as in the bash manual, 3.5: braces, tilde, parameters and substitutions, splitting, file names. What is not
certain becomes an unknown field; what would evaluate text as code is reported as a fault.
"""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.pieces import MOST_FIELDS, Piece, braces
from harness_guard.shell.syntax import Arith, Bare, Glob, Odd, Param, Quoted, Subst, Word
from harness_guard.shell.values import (
    INNER,
    NUMBER,
    UNSET,
    Field,
    Found,
    Value,
    escape,
    lookup,
    measured,
    pattern_start,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Operand = tuple[str, str] | None

__all__ = ["INNER", "NUMBER", "Field", "Scope", "Value", "escape", "expand", "pattern_start", "value_of"]

LONGEST_WORD = 65_536  # characters; a longer word is unknown
MOST_WORDS = 512  # that a value is split into
_SPECIAL = frozenset("*?[]\\(")  # a parenthesis is one where extended globs are on
_NEEDS_CARE = frozenset("\\{}~*?[")
_GLOBBING = frozenset("*?[")
_BLANKS = " \t\n"
_KEY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:")


def _no_output(_: Subst) -> Value | None:
    return None


class Scope:
    """What words are expanded with.

    Attributes:
        values: Variables whose value is known, ``PWD`` and ``HOME`` among them.
        home: What ``~`` stands for.
        output: Gives what a command substitution is known to print, without the line ends behind it.
        is_split_oddly: Whether unquoted values may be taken apart anywhere, not at blanks alone.
        is_matched_oddly: Whether a part of a value is replaced whatever its letter case.
    """

    __slots__ = ("home", "is_matched_oddly", "is_split_oddly", "output", "values")

    def __init__(
        self,
        values: Mapping[str, Value],
        home: str,
        output: Callable[[Subst], Value | None] = _no_output,
        *,
        is_split_oddly: bool = False,
        is_matched_oddly: bool = False,
    ) -> None:
        """Take them."""
        self.values = values
        self.home = home
        self.output = output
        self.is_split_oddly = is_split_oddly
        self.is_matched_oddly = is_matched_oddly


def expand(word: Word, scope: Scope) -> tuple[Field, ...]:
    """Give the fields of a word.

    Args:
        word: The word.
        scope: What is known where it stands.

    Returns:
        The fields, at most ``MOST_WORDS``; an unknown one wherever reading cannot tell.
    """
    if len(word.parts) == 1:
        only = word.parts[0]
        if isinstance(only, Quoted):
            return (Field(only.text),)
        if isinstance(only, Bare) and _NEEDS_CARE.isdisjoint(only.text):
            return (Field(only.text),)
    alone = _alone(word, scope)
    if alone is not None:
        return alone
    pieces = _pieces(word, scope)
    if sum(len(piece.text or "") for piece in pieces) > LONGEST_WORD:
        return (Field(None, is_one=False),)
    fields: list[Field] = []
    for alternative in braces(pieces):
        fields += _field(_tilde(alternative, scope.home))
        if len(fields) > MOST_FIELDS:
            return (Field(None, is_one=False),)
    return tuple(fields)


def value_of(word: Word | None, scope: Scope) -> Value | None:
    """Give what an assignment ``name=word`` stores: no braces, no splitting, no file names.

    Returns:
        The value, ``None`` if unknown.
    """
    if word is None:
        return Value("")
    whole = _whole_value(word, scope)
    if whole is not None:
        return whole
    pieces = _tilde(_pieces(word, scope, is_split=False), scope.home)
    if len(pieces) == 1 and pieces[0].is_pattern:
        return Value(pattern=pieces[0].text)
    if any(piece.text is None or piece.is_pattern for piece in pieces):
        found = _found(pieces)
        if found is not None:
            return Value(is_inner=pieces[0].is_inner, found=found, is_plain=False)
        slugged = _field(pieces) if any(piece.is_slug for piece in pieces) else []
        if len(slugged) == 1 and slugged[0].is_slug:
            return Value(pattern=slugged[0].text, is_made=True, is_slug=True)
        return INNER if all(piece.is_inner or (piece.is_quoted and piece.text == "") for piece in pieces) else None
    text = "".join(piece.text or "" for piece in pieces)
    bare = "".join(piece.text or "" for piece in pieces if not piece.is_quoted)
    return None if ":~" in bare or len(text) > LONGEST_WORD else Value(text)


def _sole(word: Word) -> Param | Subst | Arith | None:
    """Give the one expansion that a word consists of, quoted or not."""
    parts = word.parts
    if len(parts) == len('""') and parts[0] == Quoted(""):
        parts = parts[1:]
    only = parts[0] if len(parts) == 1 else None
    return only if isinstance(only, Param | Subst | Arith) else None


def _whole_value(word: Word, scope: Scope) -> Value | None:
    """Give the value of a word that is one expansion, where it is more than a text."""
    only = _sole(word)
    value: Value | None = None
    if isinstance(only, Arith):
        return NUMBER
    if isinstance(only, Param) and only.op == "length":
        value = _length(only, scope)
    elif isinstance(only, Param) and only.op in {"", "!"} and not only.is_many:
        meant = named(only, scope)
        value = looked_up(meant, scope) if meant is not None else None
    elif isinstance(only, Subst) and not only.process:
        value = scope.output(only)
    is_kept = value is not None and value.text is None and value.pattern is None and not value.is_inner
    is_kept = is_kept and (value is None or value.found is None)
    return value if is_kept else None


def _length(part: Param, scope: Scope) -> Value:
    return NUMBER if part.is_many else measured(lookup(scope.values, part.name, part.index))


def _alone(word: Word, scope: Scope) -> tuple[Field, ...] | None:
    """Give the fields of a word that is one expansion and may be several fields, ``None`` for any other word."""
    only = _sole(word)
    if isinstance(only, Param) and only.op == "!":
        only = named(only, scope)
    if isinstance(only, Param) and only.op in {"", "slice"} and only.is_many:
        return _elements(only, scope)
    if isinstance(only, Param) and not only.op:
        value = looked_up(only, scope)
        if value is not None and value.is_job and (only.is_quoted or not scope.is_split_oddly):
            return (Field(None, is_job=True),)
    elif isinstance(only, Subst) and not only.process:
        value = scope.output(only)
    else:
        return None
    if only.is_quoted or value is None or value.text is None:
        return None
    return _split(value.text, scope)


def _split(text: str, scope: Scope) -> tuple[Field, ...] | None:
    """Take an unquoted value apart at blanks, where nothing in it is a glob."""
    if scope.is_split_oddly or not _SPECIAL.isdisjoint(text) or len(text) > LONGEST_WORD:
        return None
    words = text.translate({ord(blank): " " for blank in _BLANKS}).split(" ")
    found = tuple(Field(part) for part in words if part)
    return found if len(found) <= MOST_WORDS else None


def _elements(part: Param, scope: Scope) -> tuple[Field, ...]:
    unknown = (Field(None, is_one=False),)
    value = scope.values.get(part.name if part.name != "*" else "@")
    if value is None or value.items is None or len(value.items) > MOST_WORDS:
        return unknown
    items = value.items if not part.op else _slice(part, value.items)
    if items is None:
        return unknown
    is_joined = "*" in {part.name, part.index}
    if part.is_quoted and not is_joined:
        return items
    if part.is_quoted:
        if scope.is_split_oddly or any(item.text is None or item.is_pattern for item in items):
            return (Field(None),)
        return (Field(" ".join(item.text or "" for item in items)),)
    made: list[Field] = []
    for item in items:
        if item.is_job and not scope.is_split_oddly:
            made.append(item)
            continue
        split = None if item.text is None or item.is_pattern else _split(item.text, scope)
        made += unknown if split is None else split
    return tuple(made)


def _slice(part: Param, items: tuple[Field, ...]) -> tuple[Field, ...] | None:
    """Give the elements that ``${name[@]:first:count}`` stands for; of the parameters the first one is number 1."""
    numbers = [int(word.parts[0].text) for word in part.inner if isinstance(word.parts[0], Quoted)]
    if len(numbers) < len(part.inner):
        return None  # one of them is computed
    first = numbers[0] - (1 if part.name in {"@", "*"} and numbers[0] >= 0 else 0)
    if first < 0 and numbers[0] < 0:
        first += len(items)
    if first < 0 or (numbers[1:] and numbers[1] < 0) or not all(item.is_one for item in items):
        return None
    return items[first : first + numbers[1]] if numbers[1:] else items[first:]


def named(part: Param, scope: Scope) -> Param | None:
    """Give the expansion that ``${!name}`` stands for, ``None`` where it may be one that evaluates something."""
    if part.op != "!":
        return part
    value = lookup(scope.values, part.name)
    name, sign, index = (value.text if value is not None and value.text is not None else "").partition("[")
    if not name.isascii() or not (name.isidentifier() or (name.isdigit() and not sign)) or name == "0":
        return None
    is_element = index[-1:] == "]" and index[:-1].isascii() and index[:-1].isdigit()
    return None if sign and not is_element else Param(name, part.is_quoted, index=index[:-1])


def looked_up(part: Param, scope: Scope) -> Value | None:
    """Give the value of the variable, the element or the key that an expansion names; ``None`` if unknown."""
    found = scope.values.get(part.name)
    if found is None or not found.is_map:
        return lookup(scope.values, part.name, part.index)
    key = part.index or "0"
    if key == "?":
        operand = _operand(part.inner[-1], scope)
        key = operand[0] if operand is not None else ""
    if found.entries is None or not is_plain_key(key):
        return None
    # A variable that was there before is the element 0.
    return next((Value(text) for name, text in found.entries if name == key), None if key == "0" else UNSET)


def is_plain_key(key: str) -> bool:
    """Whether a subscript means this very key of an associative array, whoever expands it again."""
    return bool(key) and _KEY.issuperset(key)


def _pieces(word: Word, scope: Scope, *, is_split: bool = True) -> list[Piece]:
    pieces: list[Piece] = []
    for part in word.parts:
        match part:
            case Bare(text):
                pieces += _bare(text)
            case Quoted(text):
                pieces.append(Piece(text, is_quoted=True))
            case Param():
                pieces += _expansion(part, scope, is_split=is_split)
            case Arith():
                pieces.append(Piece(None, is_one=not scope.is_split_oddly))
            case Subst(_, is_quoted, process):
                # A process substitution is the name of a pipe; its number does not matter.
                value = None if process else scope.output(part)
                pieces += (
                    [Piece("/dev/fd/63", is_quoted=True)]
                    if process
                    else _valued(value, scope, is_quoted=is_quoted or not is_split)
                )
            case Glob() | Odd():
                pieces.append(Piece(None, is_one=False))
    return pieces


def _expansion(part: Param, scope: Scope, *, is_split: bool) -> list[Piece]:
    """Give the pieces of a parameter expansion."""
    is_quoted = part.is_quoted or not is_split
    meant = named(part, scope)
    if meant is None:
        return [Piece(None, is_quoted=is_quoted, is_one=False)]
    part = meant
    if part.op == "length":
        return _valued(_length(part, scope), scope, is_quoted=is_quoted)
    if part.is_many:
        return [Piece(None, is_quoted=is_quoted, is_one=False)]
    value = None if scope.is_matched_oddly and part.op[:1] == "/" else looked_up(part, scope)
    if not part.op:
        return _valued(value, scope, is_quoted=is_quoted)
    from harness_guard.shell.expansions import DEFAULTS, changed

    inner = part.inner[:-1] if part.index == "?" else part.inner  # without the key
    operands = [_operand(word, scope) for word in inner]
    if value is not None and value.found is not None and part.op == "%" and part.is_quoted:
        return [_cut(value, value.found, operands[0] if operands else None)]
    if part.is_quoted and (part.op in DEFAULTS or part.op[0] == "/") and not all(_is_simple(word) for word in inner):
        return [Piece(None, is_quoted=True)]
    if value is not None and value.pattern is not None and part.op == "%" and (part.is_quoted or value.is_whole):
        cut = _cut_glob(value.pattern, operands[0] if operands else None)
        # Unquoted, a name of which nothing is left would be no word at all.
        return [cut if part.is_quoted or pattern_start(cut.text or "") else Piece(None, is_one=False)]
    made = changed(value, part.op, operands)
    if value is not None and value.is_whole and made is not None and made.text and part.op[0] in "%#":
        made = replace(made, is_whole=True)  # a part of a plain word is one
    return _valued(made, scope, is_quoted=is_quoted)


def _cut(value: Value, found: Found, operand: Operand) -> Piece:
    """``"${f%.txt}"`` of a name that a search gave; ``.*`` where every name has the same ending."""
    unknown = Piece(None, is_quoted=True)
    if operand is None or not found.search.is_there:
        return unknown
    text, pattern = operand
    if pattern == ".*":
        endings = {name.removeprefix("*") for name in found.search.names}
        text = pattern = endings.pop() if len(endings) == 1 else ""
        if text.rfind(".") != 0 or not _SPECIAL.isdisjoint(text):
            return unknown
    if not text or text != pattern or "/" in text or not _SPECIAL.isdisjoint(text):
        return unknown
    cut = replace(found, search=replace(found.search, cut=text))
    return Piece(None, is_quoted=True, is_inner=value.is_inner, found=cut)


def _cut_glob(glob: str, operand: Operand) -> Piece:
    """``"${f%.txt}"`` of a glob's match: a name that need not be there; ``.*`` where the glob tells the ending."""
    unknown = Piece(None, is_quoted=True)
    if operand is None:
        return unknown
    text, pattern = operand
    last = glob.rpartition("/")[2]
    if pattern == ".*":
        text = pattern = last[last.rfind(".") :] if "." in last else ""
    if not text or text != pattern or "/" in text or not _SPECIAL.isdisjoint(text) or not last.endswith(text):
        return unknown
    return Piece(glob[: len(glob) - len(text)], is_quoted=True, is_pattern=True, is_made=True)


def _is_simple(word: Word) -> bool:
    """Whether quotes inside double quotes, which some expansions keep, leave the word alone."""
    return not any(isinstance(part, Quoted) or (isinstance(part, Bare) and "\\" in part.text) for part in word.parts)


def _operand(word: Word, scope: Scope) -> Operand:
    """Give a word inside an expansion as it is used there: unsplit, as a text and as a pattern."""
    pieces = _pieces(word, scope, is_split=False)
    if any(piece.text is None or piece.is_pattern or "~" in piece.text for piece in pieces):
        return None
    text = "".join(piece.text or "" for piece in pieces)
    pattern = "".join(escape(piece.text or "") if piece.is_quoted else piece.text or "" for piece in pieces)
    return text, pattern


def _bare(text: str) -> list[Piece]:
    """Take the backslashes out of unquoted text: what they stand before is quoted."""
    if "\\" not in text:
        return [Piece(text)]
    pieces = []
    start = index = 0
    while index < len(text):
        if text[index] != "\\":
            index += 1
            continue
        if index > start:
            pieces.append(Piece(text[start:index]))
        following = text[index + 1 : index + 2]
        if following != "\n":
            pieces.append(Piece(following or "\\", is_quoted=True))
        index += 2
        start = index
    if start < len(text):
        pieces.append(Piece(text[start:]))
    return pieces


def _valued(value: Value | None, scope: Scope, *, is_quoted: bool) -> list[Piece]:
    """Give the pieces of a value."""
    if value is None or value.items is not None or value.is_map:
        return [Piece(None, is_quoted=is_quoted, is_one=is_quoted)]
    if scope.is_split_oddly and not is_quoted:
        return [Piece(None, is_one=False)]
    if value.pattern is not None:
        is_one, is_made, is_slug = is_quoted or value.is_slug or value.is_whole, value.is_made, value.is_slug
        text = value.pattern if is_one else None
        return [Piece(text, is_quoted=True, is_pattern=True, is_one=is_one, is_made=is_made, is_slug=is_slug)]
    if value.found is not None and not is_quoted and not value.is_plain:
        return [Piece(None, is_one=False)]
    if value.is_inner or value.found is not None:
        is_inner = value.is_inner
        return [Piece(None, is_quoted=is_quoted, is_one=is_quoted, is_inner=is_inner, found=value.found)]
    if value.text is None:
        return [_computed(value, is_quoted=is_quoted)]
    if is_quoted or value.is_whole:
        return [Piece(value.text, is_quoted=is_quoted)]  # without quotes its stars are live
    # An unquoted value is split at blanks and its globs are live; without any of these it is one word or, empty, none.
    if value.text and _SPECIAL.isdisjoint(value.text) and not any(character.isspace() for character in value.text):
        return [Piece(value.text, is_quoted=True)]
    return [Piece(None, is_one=False)]


def _computed(value: Value, *, is_quoted: bool) -> Piece:
    """Give the piece of a value of which only the kind is known: a number, a date, a hash, the last part of a path."""
    if value.is_part:
        is_plain = value.is_slug
        return Piece(None, is_quoted=is_quoted, is_one=is_quoted, is_part=is_quoted, is_slug=is_plain and is_quoted)
    is_one = is_quoted or not (value.may_be_empty or value.is_slug)
    # ``$!`` is nothing where nothing runs in the background.
    is_slug = value.is_slug or value.is_tight or not (value.may_be_empty or value.is_job)
    return Piece(None, is_one=is_one, is_slug=is_slug, is_undashed=value.is_undashed)


def _tilde(pieces: list[Piece], home: str) -> list[Piece]:
    if not pieces or pieces[0].is_quoted or not pieces[0].text:
        return _inner_tilde(pieces)
    text = pieces[0].text
    if not text.startswith("~"):
        return _inner_tilde(pieces)
    is_whole = text == "~" and len(pieces) == 1
    if home and (is_whole or text.startswith("~/")):
        return [Piece(home, is_quoted=True), Piece(text[1:]), *pieces[1:]]
    return [Piece(None), *pieces[1:]]


def _inner_tilde(pieces: list[Piece]) -> list[Piece]:
    # In a word that looks like an assignment bash expands a tilde behind ``=`` and ``:`` too (bash manual 3.5.2).
    return [
        Piece(None) if piece.text and not piece.is_quoted and ("=~" in piece.text or ":~" in piece.text) else piece
        for piece in pieces
    ]


def _field(pieces: list[Piece]) -> list[Field]:
    if not pieces:
        return []
    pieces = _slugged(pieces)
    unknown = next((index for index, piece in enumerate(pieces) if piece.text is None), None)
    if unknown is not None:
        prefix = _known_prefix(pieces[:unknown])
        is_inner = all(piece.is_inner or (piece.is_quoted and piece.text == "") for piece in pieces)
        is_one, found = all(piece.is_one for piece in pieces), _found(pieces)
        is_undashed = _starts_undashed(pieces)
        is_operand, is_inner = found is not None or is_undashed, is_inner or (is_undashed and _stays_below(pieces))
        return [Field(None, prefix=prefix, is_one=is_one, is_inner=is_inner, found=found, is_operand=is_operand)]
    whole = "".join(piece.text or "" for piece in pieces)
    if not any(piece.is_pattern or (not piece.is_quoted and _is_glob(piece.text or "", whole)) for piece in pieces):
        return [Field(whole)]
    pattern = "".join(
        piece.text or "" if piece.is_pattern or not piece.is_quoted else escape(piece.text or "") for piece in pieces
    )
    from_files = any(piece.is_pattern for piece in pieces)
    literal = "" if from_files else whole
    is_made = from_files and (len(pieces) > 1 or pieces[0].is_made)
    is_slug = any(piece.is_slug for piece in pieces)
    return [Field(pattern, is_pattern=True, literal=literal, is_one=is_made, is_made=is_made, is_slug=is_slug)]


def _starts_undashed(pieces: list[Piece]) -> bool:
    """Whether a word starts with no dash: with what never does, or if there is none of that with some other text."""
    rest = [piece for piece in pieces if not (piece.is_quoted and piece.text == "")]
    behind = next((piece for piece in rest if not piece.is_undashed), None)
    if not rest[0].is_undashed or behind is None:
        return rest[0].is_undashed
    is_text = bool(behind.text) and not behind.is_pattern
    return is_text and (behind.text or "")[0] not in ("-" if behind.is_quoted else "-*?[~")


def _stays_below(pieces: list[Piece]) -> bool:
    """Whether a word of which only letters and digits are not known climbs out of the folder nowhere."""
    if not all(piece.is_undashed or (piece.text is not None and not piece.is_pattern) for piece in pieces):
        return False
    text = "".join(piece.text or "" for piece in pieces)
    is_glob = any(not piece.is_quoted and not _GLOBBING.isdisjoint(piece.text or "") for piece in pieces)
    return not is_glob and not text.startswith("/") and ".." not in text.split("/")


def _slugged(pieces: list[Piece]) -> list[Piece]:
    """Take a word of which only a number, a date, a hash or a part of a path is unknown for the pattern of a name."""
    unknown = [piece for piece in pieces if piece.text is None]
    head = next((piece.text for piece in pieces if piece.text != ""), None)
    if not unknown or not all(piece.is_slug or piece.is_part for piece in unknown) or not head or head[0] in "-~":
        return pieces
    if any(not piece.is_quoted and piece.text and _is_glob(piece.text, "]") for piece in pieces):
        return pieces
    # What was computed may be nothing: then dots beside it are all that is left, and mean another folder.
    # A text may be dots itself, so that something else has to stand beside it.
    shown = "".join(("\0\1" if piece.is_part else "\0") if piece.text is None else piece.text for piece in pieces)
    for segment in shown.split("/"):
        known = segment.replace("\0", "").replace("\1", "")
        if "\0" in segment and (known in {".", ".."} or ("\1" in segment and not known.strip("."))):
            return pieces
    return [_star(piece) if piece.text is None else piece for piece in pieces]


def _star(piece: Piece) -> Piece:
    """Give the pattern of what is unknown; two stars stand for a text that may hold blanks (``policy/odd_name.py``)."""
    return Piece(
        "**" if piece.is_part and not piece.is_slug else "*",
        is_quoted=True,
        is_pattern=True,
        is_made=True,
        is_slug=True,
    )


def _found(pieces: list[Piece]) -> Found | None:
    """Give what the word is one of, where it is a name that a search gave, perhaps with a text behind it."""
    rest = [piece for piece in pieces if not (piece.is_quoted and piece.text == "")]
    if not rest or rest[0].found is None or not rest[0].is_one:
        return rest[0].found if len(rest) == 1 else None
    texts = [piece.text for piece in rest[1:]]
    added = "".join(text or "" for text in texts)
    is_plain = not any(piece.is_pattern or (not piece.is_quoted and _is_glob(added, added)) for piece in rest[1:])
    if None in texts or "/" in added or not is_plain:
        return None
    found = rest[0].found
    return replace(found, search=replace(found.search, add=found.search.add + added))


def _known_prefix(pieces: list[Piece]) -> str:
    made = ""
    for piece in pieces:
        if piece.is_pattern or (not piece.is_quoted and _is_glob(piece.text or "", "]")):
            return made + pattern_start(piece.text or "")
        made += piece.text or ""
    return made


def _is_glob(text: str, whole: str) -> bool:
    return "*" in text or "?" in text or ("[" in text and "]" in whole)
