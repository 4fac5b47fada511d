"""Command lines of services: which of their verbs only ask, and with which options.

A table names each verb that changes nothing where it asks, and each option of it. Everything that such a command line
is told has to be known whole: its words go to another machine. What a verb that is not listed would do is not told
apart from running code.
"""

from __future__ import annotations

from harness_guard.records import dataclass, replace
from harness_guard.shell.commands.model import Call, Options, Row, options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from harness_guard.shell.commands.model import Act
    from harness_guard.shell.words import Field


NO_ACTS: Mapping[str, Act] = {}
HELP: Final = "--help -h help --version version"


@dataclass(frozen=True, slots=True)
class Tool:
    """One command line.

    Attributes:
        verbs: Verbs to their options; several verbs with the same options are separated by ``|``. The empty verb is
            the call without operands.
        asks: Whom it asks, for the reason; ``""`` for nobody.
        common: Options of every verb.
        leading: Options that may stand in front of the verb.
        acts: What a verb does besides asking, by verb.
        help: First words that make it tell about itself and end; where a bare word names a program or a file to run,
            no bare word is among them.
        bare: Verbs that take no operand, separated by ``|``: a word behind them would be a verb of its own.
        is_local: Whether whom it asks is, or may be, on this machine at an address that the call names.
        warns: What a verb that is not listed would do, by verb, for the reason.
    """

    verbs: Mapping[str, str]
    asks: str = ""
    common: str = ""
    leading: str = ""
    acts: Mapping[str, Act] = NO_ACTS
    help: str = HELP
    bare: str = ""
    is_local: bool = False
    warns: str = "what it does there is not known"


def row_of(name: str, options: str) -> Row:
    """Make a row of options: ``a`` and ``all`` without a value, ``f=`` and ``file=`` with one, ``-json`` as it is.

    Args:
        name: The program, or its verb.
        options: The options without their dashes, separated by blanks; long ones as in ``Row.longs``.

    Returns:
        The row; its operands are not files.
    """
    words = [word for word in options.split() if word[0] != "-"]
    flags = "".join(word for word in words if len(word) == 1)
    valued = "".join(word[0] for word in words if len(word) == len("f=") and word[1] == "=")
    longs = " ".join(word for word in words if len(word.rstrip("=")) > 1)
    dashed = " ".join(word[1:] for word in options.split() if word[0] == "-")
    return Row(name, flags=flags, valued=valued, longs=longs, reads=False, words=dashed)


def is_known(field: Field) -> bool:
    """Whether a word is one text that is known whole."""
    return field.text is not None and not field.is_pattern and field.is_one


def ask(call: Call, tool: Tool, args: tuple[Field, ...]) -> None:
    """Gather the effects of a call by the table.

    Args:
        call: The call.
        tool: Its command line's table.
        args: The words behind the program's name, or behind the verb that leads to this table.
    """
    if not all(is_known(field) for field in args):
        call.opaque(f"{call.name} is told something that is not known whole")
        return
    words = [field.text or "" for field in args]
    if words and words[0] in tool.help.split() and _is_telling(words):
        return
    leading = options_of(replace(row_of(call.name, tool.leading), is_strict=True), args)
    if isinstance(leading, str):
        call.opaque(f"{call.name}: {leading}")
        return
    verb, options = _find(tool, leading.operands)
    if options is None:
        shown = " ".join(field.text or "" for field in leading.operands[:2]) or "without a verb"
        call.opaque(f"{call.name} {shown}: {tool.warns}")
        return
    rest = leading.operands[len(verb.split()) :]
    found = options_of(row_of(verb, f"{options} {tool.common} help h"), rest)
    if isinstance(found, str):
        call.opaque(f"{call.name} {verb}: {found}")
        return
    if found.operands and verb in ("", *tool.bare.split("|")):
        call.opaque(f"{call.name} {verb} {found.operands[0].text}: {tool.warns}")
        return
    if tool.asks:
        call.connect(tool.asks, is_local=tool.is_local)
    act = next((act for names, act in tool.acts.items() if verb in names.split("|")), None)
    if act is not None:
        act(call, Options((*leading.given, *found.given), found.operands))


def _is_telling(words: list[str]) -> bool:
    """Whether all words ask for help: an option in front of a verb does not keep an extension from being run.

    Behind ``version`` there may be a verb: ``fly version upgrade``.
    """
    return len(words) == 1 or (words[0] == "help" and all(word.replace("-", "").isalnum() for word in words))


def _find(tool: Tool, operands: tuple[Field, ...]) -> tuple[str, str | None]:
    """Find the longest verb that the words begin with."""
    listed = {verb: options for verbs, options in tool.verbs.items() for verb in verbs.split("|")}
    longest = max((verb.count(" ") + 1 for verb in listed), default=0)
    for count in range(min(longest, len(operands)), -1, -1):
        verb = " ".join(field.text or "" for field in operands[:count])
        if verb in listed:
            return verb, listed[verb]
    return "", None
