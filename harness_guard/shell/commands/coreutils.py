"""Programs that only read or print, whatever their options: no option of theirs writes, runs or connects.

Sources: the man pages of GNU coreutils 9, diffutils 3, util-linux 2.38, procps 4, grep 3.

What tac, file and sort make in the system's temporary folder for themselves, and remove again, is no write here: no
command names it, and nothing of the run lies there.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.model import Act

_EVALUATING = frozenset(("-v", "-R"))


def _stores(text: str) -> bool:
    """Whether a printf format may hold ``%n``: flags, width, precision and length may stand between."""
    pieces = text.replace("%%", "").split("%")[1:]
    return any(piece.lstrip("-+ #0'123456789.*hlLjzt")[:1] == "n" for piece in pieces)


def _printf(call: Call, _options: Options) -> None:
    first = call.args[0] if call.args else None
    # ``printf -v name`` evaluates the name as an array subscript (bash manual 4.2).
    if (
        first is not None
        and (first.text is None or first.is_pattern or first.text.startswith("-"))
        and first.text != "--"
    ):
        call.opaque("printf with an option or a format that is not known")
    # ``%n`` stores a number in a variable, PATH among them; the format may stand behind ``--``.
    formats = call.args[1:2] if first is not None and first.text == "--" else call.args[:1]
    if any(field.text is None or field.is_pattern or _stores(field.text) for field in formats):
        call.opaque("printf with a format that may set a variable")


def _test(call: Call, _options: Options) -> None:
    """``test -v`` and ``-R`` evaluate a subscript in the word behind them, whatever stands around (``test.c``).

    So behind each word that is one of them, or may be, stands none or a known one without a subscript.
    """
    texts = [field.text if not field.is_pattern else None for field in call.args]
    for field, text, behind in zip(call.args, texts, [*texts, ""][1:], strict=True):
        if text is None and not field.is_one:
            call.opaque("test with a word that may be an operator")
            return
        is_evaluating = (
            text in _EVALUATING if text is not None else any(op.startswith(field.start) for op in _EVALUATING)
        )
        if is_evaluating and (behind is None or "[" in behind):
            call.opaque("test -v evaluates its operand" if text else "test with a word that may be an operator")
            return


_HOSTNAME_SHOWS = frozenset(
    ("-s", "-f", "-d", "-i", "-I", "-A", "--short", "--fqdn", "--long", "--domain", "--ip-address")
)


def _hostname(call: Call, _options: Options) -> None:
    if any(field.is_pattern or field.text not in _HOSTNAME_SHOWS for field in call.args):
        call.opaque("hostname may set the name")


def _date(call: Call, options: Options) -> None:
    if any(not field.start.startswith("+") for field in options.operands):
        call.opaque("date may set the clock")


def _file(call: Call, options: Options) -> None:
    """``-f`` names a file with names: that file is read, and everything that it may name."""
    for field in options.values("-f"):
        call.read(field)
        call.read(Field(None))


def _without(letter: str) -> Act:
    """Refuse one short option, wherever it may stand among joined letters."""

    def act(call: Call, _options: Options) -> None:
        if any(_may_give(field, letter) for field in call.args):
            call.opaque(f"{call.name} with an option that may write: -{letter}")

    return act


def _may_give(field: Field, letter: str) -> bool:
    """Whether a word may hold a short option, or be a long one that starts with the letter."""
    text = field.text or ""
    if field.text is None or field.is_pattern or not field.start.startswith("-"):
        return field.start[:1] in {"", "-"} and letter in (text if field.text is not None else letter)
    return text.startswith(f"--{letter}") if text.startswith("--") else letter in text


def _wraps_grep(call: Call, _options: Options) -> None:
    call.starts.append("grep")  # both are scripts around it


def _wraps_both(call: Call, _options: Options) -> None:
    call.starts += ("grep", "gzip", "sed")


def _umask(call: Call, _options: Options) -> None:
    if any(field.text is None for field in call.args):
        call.opaque("umask with a word that is not known")


def _which(call: Call, _options: Options) -> None:
    if any(field.text is None and not field.prefix and not field.is_operand for field in call.args):
        call.opaque(f"{call.name} with a word that is not known")


def _read_trees(call: Call, options: Options) -> None:
    for field in options.operands:
        call.read(field, is_tree=True)


_READERS = (
    "cat head tail nl tac cut tr paste fold fmt expand unexpand rev cmp comm join md5sum "
    "sha1sum sha224sum "
    "sha256sum sha384sum sha512sum b2sum cksum sum od strings hexdump grep "
    "nproc look colrm"
)
_LISTERS = "ls dir vdir stat readlink realpath"
_COUNTERS = "wc du"  # ``--files0-from`` has them say what stands in a file
_PRINTERS = (
    "echo true false : pwd basename dirname uname whoami id groups df seq sleep yes printenv uptime "
    "free lscpu who w "
    "users tty logname locale getconf ps pgrep pidof lsblk vmstat factor expr numfmt cal ncal"
)

COMMANDS: Final = (
    *(Row(name, is_free=True) for name in _READERS.split()),
    *(Row(name, is_free=True, lists="words") for name in _LISTERS.split()),
    *(Row(name, is_free=True, lists="operands") for name in _COUNTERS.split()),
    *(Row(name, is_free=True, act=_without("o")) for name in ("base64", "base32")),  # BSD: the output file
    Row("lsof", is_free=True, reads=False, act=_without("D")),  # a device cache
    *(Row(name, is_free=True, act=_wraps_grep) for name in ("egrep", "fgrep")),
    *(Row(name, is_free=True, act=_wraps_both) for name in ("zgrep", "zegrep", "zfgrep")),
    *(Row(name, is_free=True, reads=False) for name in _PRINTERS.split()),
    Row("printf", is_free=True, reads=False, act=_printf),
    Row("test", is_free=True, reads=False, act=_test),
    Row("[", is_free=True, reads=False, act=_test),
    Row("hostname", is_free=True, reads=False, act=_hostname),
    Row("which", is_free=True, reads=False, act=_which),
    Row("umask", is_free=True, reads=False, act=_umask),
    Row("type", is_free=True, reads=False),
    Row("wait", flags="fn", reads=False),
    Row("times", reads=False),
    Row("hash", reads=False),
    Row("jobs", flags="lnprs", reads=False),
    Row(
        "date",
        flags="uR",
        attached="I",
        valued="dfr",
        files="-f --file",
        longs="utc universal iso-8601=? rfc-3339= rfc-email date= file= reference=",
        reads=False,
        act=_date,
    ),
    Row(
        "diff",
        flags="qsryabBdeEiNpuwctTZ0123456789",
        valued="xXUCIFWSD",
        files="-X --exclude-from --from-file --to-file",
        longs="brief recursive unified=? context=? color=? old-line-format= new-line-format= unchanged-line-format= "
        "line-format= old-group-format= new-group-format= unchanged-group-format= changed-group-format= ifdef= "
        "tabsize= "
        "suppress-blank-empty palette= horizon-lines= ignore-file-name-case from-file= to-file= starting-file= "
        "no-ignore-file-name-case left-column version help exclude= exclude-from= ignore-all-space ignore-space-change "
        "ignore-blank-lines ignore-case new-file text side-by-side width= suppress-common-lines report-identical-files "
        "strip-trailing-cr label= no-dereference minimal normal ed rcs show-c-function ignore-matching-lines= "
        "ignore-trailing-space ignore-tab-expansion expand-tabs initial-tab unidirectional-new-file speed-large-files",
        act=_read_trees,
    ),
    Row(
        "column",
        flags="tJexLd",
        valued="sconNTRHOWErilp",
        longs="table separator= output-separator= table-columns= json fillrows keep-empty-lines table-right= "
        "output-width=",
    ),
    Row(
        "file",
        flags="bhiLkNnrsSv0E",
        valued="feFmP",
        longs="brief mime mime-type mime-encoding dereference no-dereference keep-going version help",
        files="-m",
        act=_file,
    ),
)
