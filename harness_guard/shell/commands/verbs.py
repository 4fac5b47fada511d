"""How a program with verbs is asked about this machine or a registry: which verbs only tell, with which options.

A verb or an option that a table does not list makes the call unknown. Listed options are harmless with every value and
behind every verb of their group, so it does not matter which word the program takes for a value and which not.
"""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.names import NameSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness_guard.shell.commands.model import Act, Call, Options
    from harness_guard.shell.words import Field


@dataclass(frozen=True, slots=True)
class Verbs:
    """Verbs of one program with the same options.

    Attributes:
        verbs: The verbs, separated by blanks; a verb of two words is written with a dot, as ``config.get``.
        options: Words with a dash that may stand anywhere; one that ends with ``*`` stands for all that start so.
        asks: What they connect to; empty for verbs that only look at this machine.
        needs: Words of which one has to stand there, as ``--dry-run``; empty for none.
        is_bare: Whether no further word may follow.
        takes_names: Whether further words must be plain names: nothing with a colon, or a slash outside ``@scope/``.
    """

    verbs: str
    options: str = ""
    asks: str = ""
    needs: str = ""
    is_bare: bool = False
    takes_names: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One program.

    Attributes:
        groups: Its verbs.
        tells: Words that, alone, make it tell about itself.
        leading: Options that may stand in front of the verb.
        absent: Files, separated by blanks, of the folder or of one above it that would change what the program does.
        is_bare: Whether it may be called without any word.
    """

    groups: tuple[Verbs, ...] = ()
    tells: str = "--version --help -h"
    leading: str = ""
    absent: str = ""
    is_bare: bool = False


def matches(text: str, words: str) -> bool:
    """Whether a word is listed."""
    return any(text.startswith(word[:-1]) if word.endswith("*") else text == word for word in words.split())


def known(field: Field) -> str:
    """A word's text, empty if it is not known whole."""
    return field.text or "" if not field.is_pattern and field.is_one else ""


def asks_by(table: Mapping[str, Asked]) -> Act:
    """Give what rows do whose programs a table describes."""

    def act(call: Call, _options: Options) -> None:
        asked = table[call.name]
        why = _ask(call, asked)
        if not why and asked.absent and not are_absent(call, asked.absent):
            why = f"{call.name} where a file of the repository may change what it does ({asked.absent})"
        if why:
            call.opaque(why)

    return act


def are_absent(call: Call, names: str) -> bool:
    """Whether none of the files stands in the folder or in one above it; the home folder's own are the user's."""
    if call.cwds is None:
        return False
    sources = []
    for cwd in call.cwds:
        for folder in above(cwd):
            if folder != call.home.rstrip("/"):
                sources += [NameSource("absent", f"{folder}/{name}") for name in names.split()]
    return call.believes(dict.fromkeys(sources))


def above(folder: str) -> list[str]:
    """Give a folder and all above it, each without a slash at its end."""
    parts = folder.rstrip("/").split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _ask(call: Call, asked: Asked) -> str:
    """Gather what a call asks; gives why its effects cannot be told."""
    words = list(call.args)
    if len(words) == 1 and known(words[0]) and matches(known(words[0]), asked.tells):
        return ""
    while words and known(words[0]) and matches(known(words[0]), asked.leading):
        words.pop(0)
    if not words:
        return "" if asked.is_bare and not call.args else f"{call.name} without a verb that the table lists"
    verb = known(words[0])
    both = f"{verb}.{known(words[1])}" if words[1:] else verb
    for group in asked.groups:
        listed = group.verbs.split()
        if both in listed and both != verb:
            return _group(call, group, words[2:])
        if verb in listed:
            return _group(call, group, words[1:])
    return f"{call.name} in a way that the table does not list"


def _group(call: Call, group: Verbs, rest: list[Field]) -> str:
    if group.needs and not any(matches(known(field), group.needs) for field in call.args if known(field)):
        return f"{call.name} without {' or '.join(group.needs.split())}"
    for field in rest:
        start = field.start
        if (start == "" and field.text != "" and not field.is_operand) or (start[:1] == "-" and not known(field)):
            return f"{call.name}: a word that may be an option"
        if start[:1] == "-" and start != "-" and not matches(start, group.options):
            return f"{call.name}: an option that the table does not list: {start}"
        if start[:1] != "-":
            why = _operand(call, group, field)
            if why:
                return why
    if group.asks:
        call.connect(group.asks)
    return ""


def _operand(call: Call, group: Verbs, field: Field) -> str:
    text = known(field)
    if group.is_bare:
        return f"{call.name} with a further word"
    if group.asks and (not text or "://" in text):
        return f"{call.name} asks for something that is not known whole"
    if group.takes_names and not _is_name(text):
        return f"{call.name} with a word that is no plain name"
    if not group.asks:
        call.read(field, is_tree=True)
    return ""


def _is_name(text: str) -> bool:
    plain = text.partition("/")[2] if text.startswith("@") else text
    return bool(plain) and ":" not in plain and "/" not in plain and plain[0] not in ".~"
