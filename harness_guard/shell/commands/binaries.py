"""Programs that take object files apart or make them smaller.

Sources: the man pages of binutils 2.40 (strip, objcopy, ranlib). Compilers have no rows but for their versions
(``interpreters.py``): what a source includes is shown where it is faulty, whatever file that is.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.values import Field


def _is_response(call: Call, fields: tuple[Field, ...]) -> bool:
    """Whether a word may be ``@FILE``, which stands for further options."""
    if any(field.start[:1] in {"", "@"} for field in fields):
        call.opaque(f"{call.name} reads further options from a file", is_writer=True)
        return True
    return False


def _replaces(call: Call, field: Field) -> None:
    call.write(field, "file")
    call.write(field, "entry")


def _strip(call: Call, options: Options) -> None:
    if _is_response(call, options.operands):
        return
    outputs = options.values("-o", "--output-file")
    for field in options.operands:
        call.read(field)
        if not outputs:
            _replaces(call, field)
    for field in outputs:
        _replaces(call, field)


def _objcopy(call: Call, options: Options) -> None:
    """``objcopy INPUT [OUTPUT]``."""
    words = options.operands
    if _is_response(call, words):
        return
    if not words or len(words) > len(("INPUT", "OUTPUT")) or any(not field.is_one for field in words):
        call.opaque("objcopy with words that are not known", is_writer=True)
        return
    call.read(words[0])
    _replaces(call, words[-1])


def _ranlib(call: Call, options: Options) -> None:
    if not _is_response(call, options.operands):
        for field in options.operands:
            _replaces(call, field)


COMMANDS: Final = (
    Row(
        "strip",
        flags="sSgdpxXwvD",
        valued="oKNRFIO",
        longs="strip-all strip-debug strip-unneeded preserve-dates discard-all discard-locals only-keep-debug "
        "output-file=! keep-symbol=! strip-symbol=! remove-section=! wildcard verbose enable-deterministic-archives "
        "version help",
        reads=False,
        act=_strip,
    ),
    Row(
        "objcopy",
        flags="SgpxXwvD",
        valued="jROIFBNKGLW",
        longs="strip-all strip-debug strip-unneeded only-keep-debug preserve-dates discard-all discard-locals "
        "only-section=! remove-section=! output-target=! input-target=! binary-architecture=! add-gnu-debuglink=! "
        "add-section=! set-section-flags=! redefine-sym=! gap-fill=! pad-to=! verbose version help",
        reads=False,
        act=_objcopy,
    ),
    Row("ranlib", flags="DUvVt", reads=False, act=_ranlib),
)
