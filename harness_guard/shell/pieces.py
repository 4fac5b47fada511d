"""The pieces of a word, and the words that braces make of them (bash manual 3.5.1)."""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness_guard.shell.values import Found

MOST_BRACES = 8  # in one another or in a row
MOST_FIELDS = 256  # of one brace expansion


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a word: text, quoted or not, a pattern that came out of a variable, or unknown."""

    text: str | None
    is_quoted: bool = False
    is_pattern: bool = False
    is_one: bool = True
    is_inner: bool = False
    is_made: bool = False
    is_slug: bool = False
    is_undashed: bool = False
    is_part: bool = False
    found: Found | None = None


def braces(pieces: list[Piece]) -> Sequence[list[Piece]]:
    """Expand ``{a,b}`` and ``{1..3}`` where they stand unquoted; too many, or too odd, becomes unknown."""
    if not any(not piece.is_quoted and piece.text and "{" in piece.text for piece in pieces):
        return [pieces]
    atoms = (
        [Piece(character) for piece in pieces if not piece.is_quoted and piece.text for character in piece.text]
        if len(pieces) == 1
        else _atoms(pieces)
    )
    made = _alternatives(atoms, 0)
    if made is None or len(made) > MOST_FIELDS:
        return [[Piece(None, is_one=False)]]
    return [_joined(alternative) for alternative in made]


def _atoms(pieces: list[Piece]) -> list[Piece]:
    atoms: list[Piece] = []
    for piece in pieces:
        if piece.is_quoted or piece.text is None or piece.is_pattern:
            atoms.append(piece)
        else:
            atoms += [Piece(character) for character in piece.text]
    return atoms


def _joined(atoms: list[Piece]) -> list[Piece]:
    pieces: list[Piece] = []
    for atom in atoms:
        last = pieces[-1] if pieces else None
        if (
            last is not None
            and not (atom.is_quoted or last.is_quoted)
            and atom.text is not None
            and last.text is not None
        ):
            pieces[-1] = Piece(last.text + atom.text)
        else:
            pieces.append(atom)
    return pieces


def _is(atom: Piece, character: str) -> bool:
    return atom.text == character and not atom.is_quoted


def _alternatives(atoms: list[Piece], depth: int) -> list[list[Piece]] | None:
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
    head: list[Piece], members: list[list[Piece]], tail: list[Piece], *, depth: int
) -> list[list[Piece]] | None:
    tails = _alternatives(tail, depth + 1)
    if tails is None:
        return None
    made: list[list[Piece]] = []
    for member in members:
        inner = _alternatives(member, depth + 1)
        if inner is None or len(made) + len(inner) * len(tails) > MOST_FIELDS:
            return None
        made += [[*head, *middle, *rest] for middle in inner for rest in tails]
    return made


def _closing(atoms: list[Piece], start: int) -> tuple[int, list[int]] | None:
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


def _sequence(inside: list[Piece]) -> list[list[Piece]] | None:
    text = "".join(atom.text or "\0" for atom in inside)
    if any(atom.is_quoted for atom in inside) or ".." not in text:
        # ``{}`` and ``{x}`` stand for themselves; nested braces or a quoted part are left alone.
        return (
            [[Piece("{", is_quoted=True), *inside, Piece("}", is_quoted=True)]]
            if not any(_is(atom, "{") for atom in inside)
            else None
        )
    ends = text.split("..")
    if text.count("..") == 1 and all(end.removeprefix("-").isdigit() and not end.startswith("0") for end in ends):
        first, last = int(ends[0]), int(ends[1])
        step = 1 if first <= last else -1
        if abs(first - last) < MOST_FIELDS:
            return [[Piece(str(number), is_quoted=True)] for number in range(first, last + step, step)]
    return None
