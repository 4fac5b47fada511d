"""Programs with verbs as tables: which verbs only ask, with which options, and what further words may be.

A verb, an option or a word that the table does not list makes the call unknown. In the texts of a table, verbs are
separated by ``|`` and options by blanks; a name that ends with ``*`` stands for all that start so. An option is
written in one of three ways:

- ``a``, ``f=``: a letter that may be joined with others, without and with a value;
- ``all``, ``file=``, ``color=?``, ``type=!``: a long option as in ``Row.longs``;
- ``-l``, ``-json``: a word with one dash as it is typed, which is joined with nothing.

An option that is listed without a value is harmless with each: the word behind it counts as a further word.
"""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.commands.model import Options, Row, is_known, known, options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal

    from harness_guard.shell.commands.model import Act, Call
    from harness_guard.shell.values import Field

    Takes = Literal["", "files", "words", "plain", "names", "nothing"]

HELP: Final = "--help -h help --version version"


@dataclass(frozen=True, slots=True)
class Verb:
    """Verbs that say more than their options.

    Attributes:
        options: Their options.
        takes: What further words are. ``files``: they are read. ``words``: they are told to whom it asks as they are,
            and ``--`` ends the options. ``plain``: the same without ``--``, none of them empty or an address.
            ``names``: nothing with a colon, or a slash outside ``@scope/``. ``nothing``: there is none. By default as
            the program says. What is no file has to be known whole.
        asks: Whom they ask; by default whom the program asks.
        needs: Options, with their dashes, of which one has to be given; empty for none.
        act: What they do besides asking.
    """

    options: str = ""
    takes: Takes = ""
    asks: str = ""
    needs: str = ""
    act: Act | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """One program, or one verb of it that has verbs of its own.

    Attributes:
        verbs: Verbs to their options, or to all that is to be said of them. A verb may be more than one word, and may
            begin with a dash. The empty verb is the call without any verb, and takes nothing.
        asks: Whom all its verbs ask, for the reason; empty for nobody.
        takes: What words behind a verb are, as in ``Verb.takes``; by default ``words`` if it asks somebody, else
            ``files``.
        common: Options of every verb, besides ``-h`` and ``--help``.
        leading: Options that may stand in front of the verb.
        help: Words that, alone, make it tell about itself; ``help`` also in front of a verb. Where a bare word names a
            program or a file to run, no bare word is among them.
        absent: Files, separated by blanks, of the folder or of one above it that would change what it does.
        is_local: Whether whom it asks is, or may be, on this machine at an address that the call names.
        warns: What a verb that is not listed would do, for the reason.
    """

    verbs: Mapping[str, str | Verb]
    asks: str = ""
    takes: Takes = ""
    common: str = ""
    leading: str = ""
    help: str = "--help -h --version"
    absent: str = ""
    is_local: bool = False
    warns: str = "the table does not list it"


def rows_by(table: Mapping[str, Tool]) -> tuple[Row, ...]:
    """Make the rows of programs that do nothing besides what a table says."""

    def act(call: Call, _options: Options) -> None:
        ask(call, table[call.name], call.args)

    return tuple(Row(name, is_free=True, reads=False, act=act) for name in table)


def ask(call: Call, tool: Tool, args: tuple[Field, ...]) -> None:
    """Gather the effects of a call by the table.

    Args:
        call: The call.
        tool: The table.
        args: The words behind the program's name, or behind the verb that leads to this table.
    """
    why = "" if _is_telling(tool, args) else _ask(call, tool, args)
    if not why and tool.absent:
        from harness_guard.shell.commands.option_files import are_absent

        if not are_absent(call, tool.absent):
            why = f" where a file of the repository may change what it does ({tool.absent})"
    if why:
        call.opaque(f"{call.name}{why}")


def row_of(name: str, options: str, *, is_strict: bool = False) -> Row:
    """Make a row of options.

    Args:
        name: The program, or its verb.
        options: The options as a table writes them.
        is_strict: Whether they end at the first operand.

    Returns:
        The row; its operands are not files.
    """
    words = [word for word in options.split() if word[0] != "-"]
    flags = "".join(word for word in words if len(word) == 1)
    valued = "".join(word[0] for word in words if len(word) == len("f=") and word[1] == "=")
    longs = " ".join(word for word in words if len(word.rstrip("=")) > 1)
    dashed = " ".join(word[1:] for word in options.split() if word[0] == "-")
    return Row(name, flags=flags, valued=valued, longs=longs, reads=False, words=dashed, is_strict=is_strict)


def _is_telling(tool: Tool, args: tuple[Field, ...]) -> bool:
    """Whether all words ask for help: an option in front of a verb does not keep an extension from being run.

    Behind ``version`` there may be a verb: ``fly version upgrade``.
    """
    words = [known(field) for field in args]
    if not words or words[0] not in tool.help.split():
        return False
    return len(words) == 1 or (words[0] == "help" and all(word.replace("-", "").isalnum() for word in words))


def _ask(call: Call, tool: Tool, args: tuple[Field, ...]) -> str:
    """Gather what a call asks; gives why its effects cannot be told."""
    words = [known(field) for field in args]
    verbs = {name: said for names, said in tool.verbs.items() for name in names.split("|")}
    at = _dashed_verb(verbs, words)
    leading = options_of(row_of(call.name, tool.leading, is_strict=True), args[:at])
    if isinstance(leading, str):
        return f": {leading}"
    rest = (*leading.operands, *args[at:])
    before, behind = words[: len(words) - len(rest)], words[len(words) - len(rest) :]
    count, found = _find(verbs, behind)
    name = " ".join(behind[:count])
    if found is None or "--" in before:  # behind it nothing is an option
        return f" {' '.join(behind[:2]) or 'without a verb'}: {tool.warns}"
    verb = Verb(found) if isinstance(found, str) else found
    own = options_of(row_of(name, f"{verb.options} {tool.common} help h"), rest[count:])
    if isinstance(own, str):
        return f" {name}: {own}"
    options = Options((*leading.given, *own.given), own.operands)
    asks = verb.asks or tool.asks
    takes = "nothing" if not count else verb.takes or tool.takes or ("words" if asks else "files")
    if takes != "files" and not all(map(is_known, args)):
        return " is told something that is not known whole"
    if verb.needs and not options.has(*verb.needs.split()):
        return f" {name}, without {' or '.join(verb.needs.split())}: {tool.warns}"
    odd = ["--"] if "--" in behind and takes != "words" else []
    odd += [field.text or "" for field in own.operands if not _is_taken(takes, field.text or "")]
    if odd:
        return f" {' '.join((*behind[:count], odd[0]))}: {tool.warns}"
    for field in own.operands if takes == "files" else ():
        call.read(field, is_tree=True)
    if asks:
        call.connect(asks, is_local=tool.is_local)
    if verb.act is not None:
        verb.act(call, options)
    return ""


def _dashed_verb(verbs: Mapping[str, str | Verb], words: list[str]) -> int:
    """Give where the first verb stands that begins with a dash, behind what is in front of it; the end for none."""
    dashed = (at for at, word in enumerate(words) if word[:1] == "-" and _find(verbs, words[at:])[0])
    return next(dashed, len(words)) if words and words[0][:1] == "-" else len(words)


def _find(verbs: Mapping[str, str | Verb], words: list[str]) -> tuple[int, str | Verb | None]:
    """Find the longest verb that the words begin with; gives of how many words it is, and what is said of it."""
    longest = max((name.count(" ") + 1 for name in verbs), default=0)
    for count in range(min(longest, len(words)), 0, -1):
        name = " ".join(words[:count])
        if name in verbs and len(name.split()) == count:  # one word with a blank is no verb
            return count, verbs[name]
    starred = (name for name in verbs if name[-1:] == "*" and words and words[0].startswith(name[:-1]))
    name = next(starred, "")
    return len(name.split()), verbs.get(name)


def _is_taken(takes: Takes, text: str) -> bool:
    """Whether a further word may be there."""
    if takes == "plain":
        return bool(text) and "://" not in text
    if takes == "names":
        plain = text.partition("/")[2] if text.startswith("@") else text
        return bool(plain) and ":" not in plain and "/" not in plain and plain[0] not in ".~"
    return takes != "nothing"
