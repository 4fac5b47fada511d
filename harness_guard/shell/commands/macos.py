"""Programs of macOS that look at a process or a file, and show where a file lies.

Source: the man pages of macOS 14: sample(1), open(1), applesingle(1), macbinary(1). Decoding always makes files under
names that the input tells; any other way of ``open`` starts a program.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, is_known
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SAMPLE_FLAGS: Final = frozenset(("-wait", "-mayDie", "-fullPaths"))


def _sample(call: Call, _options: Options) -> None:
    """``sample PROCESS [SECONDS [MILLISECONDS]] [OPTION…] [-file FILE]``; without a file it makes one in /tmp."""
    words = list(call.args)
    file = None
    while words:
        word = words.pop(0)
        text = word.text if is_known(word) else "-"
        if text == "-file" and words:
            file = words.pop(0)
        elif text is None or (text.startswith("-") and text not in _SAMPLE_FLAGS):
            call.opaque("sample: an option that the table does not list, or a word that may be one")
            return
    if file is None:
        call.write_new(Field("/tmp/*.sample.txt", is_pattern=True))  # noqa: S108  where sample(1) writes
    else:
        call.write(file, "file")


def _open(call: Call, _options: Options) -> None:
    """``open -R FILE…`` shows files in their folder."""
    if not call.args or call.args[0].text != "-R" or any(field.start[:1] in {"-", ""} for field in call.args[1:]):
        call.opaque("open starts a program")


def _probe(call: Call, _options: Options) -> None:
    if not call.args or call.args[0].text != "probe" or any(field.start[:1] in {"-", ""} for field in call.args[1:]):
        call.opaque(f"{call.name} makes files under names that its input tells", is_writer=True)
        return
    for field in call.args[1:]:
        call.read(field)


COMMANDS: Final = (
    Row("sample", is_free=True, reads=False, act=_sample),
    Row("open", is_free=True, reads=False, act=_open),
    Row("applesingle", is_free=True, reads=False, act=_probe),
    Row("macbinary", is_free=True, reads=False, act=_probe),
)
