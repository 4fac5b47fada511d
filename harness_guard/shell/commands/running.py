"""How a program's row is applied to one start of it: what its words read, and which of them can be no option."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.commands.model import Call, Options, Row, options_of
from harness_guard.shell.names import NameSource
from harness_guard.shell.values import Field


def run_row(row: Row, call: Call) -> None:
    """Gather the effects of a call by its row."""
    call.acts_on_names = not (row.is_free and row.act is None) and any(map(_is_found, call.args))
    if row.is_free:
        _run_free(row, call)
        return
    options = options_of(row, undashed(call))
    if isinstance(options, str):
        call.opaque(f"{call.name}: {options}")
        return
    if not options.operands and options.has("--help", "--version"):
        return
    if row.reads:
        for field in options.operands:
            call.read(field, is_listing=_lists(row, call))
    read_named(row, call, options)
    if row.act is not None:
        row.act(call, options)


def _is_found(field: Field) -> bool:
    return field.found is not None or field.is_inner


def _run_free(row: Row, call: Call) -> None:
    for field in call.args if row.reads else ():
        _read_free(row, call, field)
    if row.act is not None:
        row.act(call, Options((), call.args))


# Programs that only read, so that an option that is a file's name makes nothing worse.
_MEEK = frozenset(("ls", "cat", "wc", "head", "tail", "grep", "du", "stat", "file"))


def undashed(call: Call) -> tuple[Field, ...]:
    """Give a call's words with those marked that no option can be: a glob's matches, where no name has a dash in front.

    The names are asked for; that the text itself makes no such name is the ledger's to see.
    """
    made = []
    for field in call.args:
        may_be = field.start == "" and field.text != "" and not field.is_operand
        if may_be and field.is_inner:
            call.trusted.append("*")
            made.append(replace(field, is_operand=True))
        elif may_be and field.is_pattern and field.text is not None and call.cwds is not None:
            sources = [NameSource("undashed", cwd) for cwd in call.cwds]
            is_clear = call.believes(sources)
            call.trusts_dashes += call.cwds if is_clear else ()
            call.trusts_places += sources if is_clear and call.name not in _MEEK else ()
            made.append(replace(field, is_operand=True) if is_clear else field)
        else:
            made.append(field)
    return tuple(made)


def read_named(row: Row, call: Call, options: Options) -> None:
    """Say that a call reads the files that its options name."""
    for field in options.values(*row.files.split()):
        call.read(field)


def _lists(row: Row, call: Call) -> bool:
    """Whether it shows nothing of what stands in its operands: no word is, or may be, an option that reads a file."""
    if row.lists != "operands":
        return row.lists == "words"
    return not any(
        (field.start == "" and field.text != "" and not field.is_operand)
        or field.start.startswith(_READING_OPTIONS)
        or (field.text is None and field.start.startswith("-"))
        for field in call.args
    )


# ``--files0-from``, ``--fromfile``, ``--exclude-from``, ``--config``, ``--info``, ``-X``; and what they are short for.
_READING_OPTIONS = ("--f", "--e", "--c", "--i", "-X")


def _read_free(row: Row, call: Call, field: Field) -> None:
    is_tree = call.name in {"grep", "egrep", "fgrep", "du", "ls"}
    is_flat = call.name in _FLAT
    start = field.start
    if start.startswith("-"):
        # ``--files0-from=F`` and ``-fF`` name files too, ``-nfF`` likewise.
        text = field.text or ""
        if field.text is None or field.is_pattern:
            call.read(Field(None), is_listing=row.lists == "words")
        elif "=" in text:
            call.read(Field(text.partition("=")[2]), is_flat=is_flat)
        if text[1:2] != "-":
            for index in range(2, len(text)):
                if text[index] in "/.~" or index == len("-x") or text[index - 1] in _NAMES_FILE:
                    call.read(Field(text[index:]), is_flat=is_flat)
        return
    if call.name == "strings" and start.startswith("@"):
        call.read(Field(start[1:]))  # binutils read further arguments from ``@FILE``, and complain with its words
    call.read(field, is_tree=is_tree, is_listing=_lists(row, call), is_flat=is_flat)


# Programs that read files and go into no folder, whatever their options.
_FLAT = frozenset(
    ("cat", "head", "tail", "nl", "tac", "cut", "tr", "paste", "fold", "fmt", "expand", "unexpand", "rev", "cmp",
     "comm", "join", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum",
     "od", "strings", "hexdump", "look", "colrm", "wc")
)  # fmt: skip
_NAMES_FILE = frozenset("fX")  # ``grep -f``, ``du -X``, ``hexdump -f``
