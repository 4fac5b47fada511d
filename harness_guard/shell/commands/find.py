"""``find``: what it reads, what it writes itself, and what the programs that it starts are given (findutils 4.9)."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.find_search import PRINTS, RUNS, UnreadableError, found_by, read_search
from harness_guard.shell.names import NameSource, sources_of_roots
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.find_search import Action, Search
    from harness_guard.shell.values import Found


def _find(call: Call, _options: Options) -> None:
    try:
        search = read_search(call.args)
    except UnreadableError as error:
        call.opaque(str(error))
        return
    for field in search.roots or (Field("."),):
        call.read(field, is_tree=True, is_listing=True)
    for action in search.actions:
        found = found_by(search, action.names)
        if action.name in PRINTS:
            call.write(action.words[0], "file")
        elif action.name == "-delete" and found is None:
            call.opaque("find follows links to what it deletes, or starts where reading cannot tell", is_writer=True)
        elif action.name == "-delete":
            # Names go, as with ``rm -r``; no link is followed to what it leads to.
            call.write(Field(None, found=found), "entry", by="rm")
        elif action.name in RUNS:
            _run(call, search, action, found)


def _run(call: Call, search: Search, action: Action, found: Found | None) -> None:
    """Hand a program on, with what is found where ``{}`` stands; find never gives it a word with a dash in front."""
    is_inner = found is not None and _stays_inside(call, search)
    prefix = found.tops[0] if found is not None and len(found.tops) == 1 else ""
    mark = Field(None, prefix=prefix, is_inner=is_inner, found=found, is_operand=True)
    words = [replace(mark, is_one=field.is_one) if field.text == "{}" else field for field in action.words]
    call.runs.append(tuple(words))


def _stays_inside(call: Call, search: Search) -> bool:
    """Whether what is found stays below the folder: roots below it, and no link that leads out."""
    texts = [field.text or "" for field in search.roots]
    is_below = all(text and not text.startswith("/") and ".." not in text.split("/") for text in texts)
    if not is_below or call.cwds is None:
        return False
    folders = [source.folder for cwd in call.cwds for source in sources_of_roots(texts, cwd)]
    return call.believes(NameSource("inside", folder) for folder in folders)


COMMANDS: Final = (Row("find", is_free=True, reads=False, act=_find),)
