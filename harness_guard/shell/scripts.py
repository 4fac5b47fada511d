"""Scripts on disk: which shell a file is written for, and which file a call of a shell names."""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.commands.model import options_of
from harness_guard.shell.commands.wrappers import SHELL_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.values import Field

_SHELLS: Final = {"bash": "bash", "sh": "sh", "dash": "sh"}
_FLAGS: Final = frozenset("eux")


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A shell's call of a file: the file's word, and the words that become ``$1`` and so on."""

    file: Field
    operands: tuple[Field, ...]


def script_call(args: tuple[Field, ...]) -> ScriptCall | None:
    """Read ``sh [-eux] FILE [WORD…]``.

    Args:
        args: The words behind the shell's name.

    Returns:
        The call; ``None`` if it is another kind of call.
    """
    options = options_of(SHELL_ROW, args)
    if isinstance(options, str) or options.has("-c", "-l") or not options.operands:
        return None
    if (options.operands[0].text or "") == "-" or options.operands[0].start.startswith("+"):
        return None  # the end of the options, or options that are taken back
    return ScriptCall(options.operands[0], options.operands[1:])


def shell_of(text: str) -> str | None:
    """Tell by a file's first line which shell the system starts it with (execve(2)).

    Args:
        text: The file's text.

    Returns:
        ``bash`` or ``sh``; ``None`` for another program, for options beyond ``-eux``, or without such a line.
    """
    line = text.partition("\n")[0]
    if not line.startswith("#!"):
        return None
    words = line.removeprefix("#!").split()
    if words[:1] == ["/usr/bin/env"]:
        # env takes all of it for one name
        return _SHELLS.get(words[1]) if len(words) == len(("env", "sh")) else None
    folder, _, name = words[0].rpartition("/") if words else ("", "", "")
    options = words[1:]
    is_plain = all(word[:1] == "-" and word[1:] and set(word[1:]) <= _FLAGS for word in options) and not options[1:]
    return _SHELLS.get(name) if is_plain and folder in {"/bin", "/usr/bin"} else None
