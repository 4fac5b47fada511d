"""Where two readers of bash found words and redirections: what has to be the same in both (docs/adr/0001)."""

from __future__ import annotations

from harness_guard.shell.syntax import (
    AndOr,
    Assign,
    Block,
    Count,
    For,
    Function,
    If,
    Pipe,
    Redirect,
    Script,
    Simple,
    Statement,
    Subst,
    Unparsed,
    While,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SECOND_READER_CHARACTERS = 16_384  # bashlex is slow and not linear; a longer text counts as one that it cannot read


def agreed(text: str, script: Script) -> Script | Unparsed:
    """Let bashlex read the text too; where it can, it must have found the same words and redirections.

    Args:
        text: The text.
        script: What shfmt made of it.

    Returns:
        The same tree, or ``Unparsed`` if the two disagree.
    """
    if len(text) > SECOND_READER_CHARACTERS or any(piece in text for piece in ("\\\n", "((", "let ")):
        # bashlex loses its positions behind a continued line and takes arithmetic for commands: "cannot read".
        return script
    second = _second(text)
    if second is None:
        return script
    if any(kind == "declaration" for kind, _, _ in spans(script)):
        return script  # shfmt knows ``export`` as a construct, bashlex as a program: their words cannot be compared
    first = sorted(spans(script))
    if not text.isascii():
        widths = characters(text)
        first = [(kind, widths.get(start, -1), widths.get(end, -1)) for kind, start, end in first]
    if first == sorted(second):
        return script
    return Unparsed("two readers of bash disagree about it", text[:200])


def _second(text: str) -> list[tuple[str, int, int]] | None:
    from harness_guard.shell import tables

    try:
        return list(second_spans(tables.parse(text)))
    except Exception:  # noqa: BLE001  bashlex raises whatever its own faults raise; each means "cannot read"
        return None


def characters(text: str) -> dict[int, int]:
    """Map byte offsets to character offsets."""
    found = {}
    at = 0
    for index, character in enumerate(text):
        found[at] = index
        at += len(character.encode("utf-8", "surrogatepass"))
    found[at] = len(text)
    return found


def spans(script: Script) -> Iterator[tuple[str, int, int]]:
    """Find the words and redirections of a tree; ``declaration`` marks what bashlex names differently."""
    todo: list[object] = [script]
    while todo:
        item = todo.pop()
        if isinstance(item, Word):
            yield ("word", item.start, item.end)
            todo += [part.body for part in item.parts if isinstance(part, Subst)]
        elif isinstance(item, Redirect):
            yield ("redirect", item.start, item.target.end)
            todo += [part.body for part in item.target.parts if isinstance(part, Subst)]
        elif isinstance(item, Assign):
            todo += [part.body for part in item.value.parts if isinstance(part, Subst)] if item.value else []
            todo += item.items or ()
            if item.keys:
                yield ("declaration", 0, 0)  # bashlex takes the assignment for a word
        else:
            if isinstance(item, Simple) and item.declares:
                yield ("declaration", 0, 0)
            todo += _children(item)


def _children(item: object) -> Sequence[object]:
    """Give the direct parts of a tree value that hold words, redirections or scripts."""
    match item:
        case Script(statements):
            return list(statements)
        case Statement(command, redirects):
            return [command, *redirects]
        case Simple(assigns, words):
            return [*assigns, *words]
        case Pipe(parts):
            return list(parts)
        case Block(inner) | Function(_, inner) | Count(_, _, _, inner):
            return [inner]
        case If(branches, otherwise):
            return [part for pair in branches for part in pair] + [otherwise]
        case For(_, words, body):
            return [*(words or ()), body]
        case AndOr(_, left, right) | While(left, right):
            return [left, right]
        case _:
            return []


def second_spans(trees: list[object]) -> Iterator[tuple[str, int, int]]:
    """Find the words and redirections of bashlex's trees."""
    todo: list[tuple[object, bool]] = [(tree, False) for tree in trees]
    while todo:
        item, is_loop = todo.pop()
        kind = str(getattr(item, "kind", ""))
        start, end = getattr(item, "pos", (0, 0))
        parts = list(getattr(item, "parts", ()))
        if kind == "word" and not is_loop:
            yield ("word", start, end)
        if kind == "redirect":
            output = getattr(item, "output", None)
            yield ("redirect", *_second_redirect(item, output))
            parts = list(getattr(output, "parts", ()))
        if kind == "for":
            todo.append((parts.pop(1), True))
        if kind == "function":
            parts = [getattr(item, "body", None)]
        if kind == "compound":
            parts = [*getattr(item, "list", ()), *getattr(item, "redirects", ())]
        if kind in {"commandsubstitution", "processsubstitution"}:
            parts = [getattr(item, "command", None)]
        todo += [(part, False) for part in parts]


def _second_redirect(item: object, output: object) -> tuple[int, int]:
    start, end = getattr(item, "pos", (0, 0))
    if isinstance(getattr(item, "input", None), int | str):
        start += len(str(getattr(item, "input", "")))
    if hasattr(output, "pos"):
        end = getattr(output, "pos", (0, 0))[1]
    return start, end
