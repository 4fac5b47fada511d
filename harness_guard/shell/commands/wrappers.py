"""Programs that start another program: the inner words become a call of their own.

Sources: the man pages of coreutils 9 (env, nice, timeout, nohup, stdbuf), findutils (xargs), bash's help (command,
builtin).
"""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.commands.model import SHELLS, Call, Options, Row, known, options_of
from harness_guard.shell.names import with_followed
from harness_guard.shell.values import Found
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final


def after(skip: int) -> Callable[[Call, Options], None]:
    """The operands behind the first ``skip`` are the inner call; those begin with a digit, and are a word each."""

    def act(call: Call, options: Options) -> None:
        inner = options.operands[skip:]
        own = options.operands[:skip]
        if not all(field.is_one and not field.is_pattern and field.start[:1].isdigit() for field in own):
            call.opaque(f"{call.name} with a word that may be several, or the program itself")
        elif inner:
            call.runs.append(inner)
        elif skip:
            call.opaque(f"{call.name} without a program")

    return act


def _env(call: Call, options: Options) -> None:
    from harness_guard.shell.variables import is_harmless

    words = list(options.operands)
    takes = options.has("-i", "--ignore-environment", "-u", "--unset") or words[:1] == [Field("-")]
    if takes and any("git" in (field.text or "git") for field in words):
        call.opaque("env takes away what tells git where its settings lie: it would go without them")
    if words and words[0].text == "-":
        words.pop(0)  # the same as ``-i``
    if any(field.is_pattern for field in words):
        call.opaque("env with a pattern, which a file's name may turn into a setting")
        return
    while words and words[0].text is not None and "=" in words[0].text:
        name, _, value = words[0].text.partition("=")
        if not is_harmless(name, value):
            call.opaque(f"env sets {name}, which may change what a program does")
        words.pop(0)
    if words and words[0].text is None:
        call.opaque("env with a word that is not known")
    elif words:
        call.runs.append(tuple(words))


def _command(call: Call, options: Options) -> None:
    if not options.has("-v", "-V") and options.operands:
        call.runs.append(options.operands)


def _xargs(call: Call, options: Options) -> None:
    """The words that xargs adds are unknown, one or many; with ``-I`` they stand where the mark stands."""
    words = list(options.operands) or [Field("echo")]
    # Split anywhere but where one ends, a name may become another one.
    fed = call.fed if call.fed is not None and call.fed.is_nul == options.has("-0", "--null") else None
    if fed is None or options.has("-d", "--delimiter", "-a", "--arg-file"):
        fed, given = None, Field(None)
    else:
        given = Field(None, is_inner=fed.is_below, is_operand=True, found=fed.found)
    if fed is not None and fed.lines:
        _given_lines(call, options, words, fed.lines)
        return
    marks = [value or Field("{}") for name, value in options.given if name in {"-I", "-i", "--replace"}]
    if marks:
        mark = marks[-1].text
        if mark is None or not mark or options.has("-n", "-L", "-l", "--max-args", "--max-lines"):
            call.opaque("xargs -I with a mark that is not known, or with an option that takes it back")
            return
        inner = [_marked(field, mark, given, fed.at if fed is not None else "") for field in words]
    else:
        inner = [*words, replace(given, is_one=False)]
    call.runs.append(tuple(inner))


# Options that part what is given in another way than by lines, blanks and numbers of words.
_PARTING: Final = ("-L", "-l", "--max-lines", "-s", "--max-chars", "-E", "-e", "--eof", "-i", "--replace")


def _given_lines(call: Call, options: Options, words: list[Field], lines: tuple[str, ...]) -> None:
    """What is given is known: each call that it makes of it is."""
    counts = [known(value) for value in options.values("-n", "--max-args")]
    marks = [known(value) for value in options.values("-I")]
    count = counts[-1] if counts else "0"
    if options.has(*_PARTING) or len(marks) + len(counts) > 1 or not (count.isascii() and count.isdigit()):
        call.opaque("xargs with options that part what it is given in another way")
    elif marks:
        mark = marks[0]
        if not mark or mark in words[0].start or words[0].text is None:
            call.opaque("xargs -I with a mark that is not known, or in the program's name")
            return
        call.runs += [(words[0], *(_filled(field, mark, line) for field in words[1:])) for line in lines]
    elif (words[0].text or "").rpartition("/")[2] in SHELLS:
        call.opaque("a shell whose text is not known: xargs hands it words that it may run")
    else:
        given = [Field(word) for line in lines for word in line.split(" ") if word]
        step = int(count) or len(given)
        call.runs += [(*words, *given[at : at + step]) for at in range(0, len(given), step)]


def _filled(field: Field, mark: str, line: str) -> Field:
    if field.text is None or mark not in field.text:
        return field
    return Field(None) if field.is_pattern else Field(field.text.replace(mark, line))


def _marked(field: Field, mark: str, given: Field, at: str) -> Field:
    """Give a word of ``xargs -I`` with what is put in the mark's place.

    Names that lie directly in a folder, with that folder written in front of them, are names that are there.
    """
    text = field.text
    if text is None or mark not in text:
        return field
    if at and text == f"{at}/{mark}":
        return Field(None, prefix=f"{at}/", is_operand=True, found=Found(with_followed((at,))))
    return given if text == mark else Field(None)


COMMANDS: Final = (
    Row(
        "env",
        flags="i0v",
        valued="u",
        longs="ignore-environment unset= null debug help version",
        reads=False,
        act=_env,
        is_strict=True,
    ),
    Row(
        "nice",
        flags="0123456789",
        valued="n",
        longs="adjustment= help version",
        reads=False,
        act=after(0),
        is_strict=True,
    ),
    Row(
        "timeout",
        flags="v",
        valued="sk",
        longs="signal= kill-after= preserve-status foreground verbose",
        reads=False,
        act=after(1),
        is_strict=True,
    ),
    Row("stdbuf", valued="ioe", longs="input= output= error=", reads=False, act=after(0), is_strict=True),
    Row("ionice", flags="t", valued="cn", reads=False, act=after(0), is_strict=True),
    Row("command", flags="pvV", reads=False, act=_command, is_strict=True),
    Row("builtin", reads=False, act=after(0), is_strict=True),
    Row(
        "xargs",
        flags="0rtpx",
        valued="IdLnPsEa",
        attached="iel",
        longs="null no-run-if-empty max-args= max-procs= delimiter= max-lines=? verbose replace=? max-chars= arg-file= "
        "eof=? exit interactive show-limits help version",
        files="-a --arg-file",
        reads=False,
        act=_xargs,
        is_strict=True,
    ),
)

SHELL_ROW: Final = Row("sh", flags="leuxc", reads=False, is_strict=True)


def shell_text(args: tuple[Field, ...]) -> str | None:
    """Give the text of ``sh -c TEXT``, ``None`` if it is another kind of call.

    Further operands become ``$0``, ``$1`` …, which are unknown to the analysis anyhow.
    """
    options = options_of(SHELL_ROW, args)
    if isinstance(options, str) or not options.has("-c") or not options.operands:
        return None
    text = options.operands[0]
    return text.text if not text.is_pattern else None
