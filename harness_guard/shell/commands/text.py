"""Programs that cut, convert and compare texts, and one-liners of perl, jq and yq.

Sources: the man pages of GNU coreutils 9 (split, csplit, shuf, pr, tsort), glibc's iconv, GNU bc 1.07, dos2unix 7,
moreutils' sponge, GNU patch 2.7, perlrun, jq 1.7, yq 4 (Go) and yq 3 (Python), bat 0.24, envsubst, shasum.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.jq_filter import shows_environment
from harness_guard.shell.perl_script import is_harmless
from harness_guard.shell.words import Field, escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


def _pieces(call: Call, prefix: Field | None, default: str) -> None:
    """Say that it makes files whose names start with a prefix."""
    field = prefix or Field(default)
    if field.text is None or field.is_pattern or not field.is_one:
        call.write(Field(None), "file")
    else:
        call.write_new(Field(f"{escape(field.text)}*", is_pattern=True))


def _split(call: Call, options: Options) -> None:
    for field in options.operands[:1]:
        call.read(field)
    suffixes = options.values("--additional-suffix")
    if any(not field.is_one for field in options.operands[:1]) or any("/" in (field.text or "/") for field in suffixes):
        call.opaque("split with words that are not known", is_writer=True)
        return
    _pieces(call, options.operands[1] if options.operands[1:] else None, "x")


def _csplit(call: Call, options: Options) -> None:
    for field in options.operands[:1]:
        call.read(field)
    if any("/" in (field.text or "/") for field in options.values("-b", "--suffix-format")):
        call.opaque("csplit with a suffix that holds a slash", is_writer=True)
        return
    prefixes = options.values("-f", "--prefix")
    _pieces(call, prefixes[-1] if prefixes else None, "xx")


def _shuf(call: Call, options: Options) -> None:
    for field in options.values("-o", "--output"):
        call.write(field, "file")


def _convert(call: Call, options: Options) -> None:
    """dos2unix: each file is replaced, unless ``-O`` prints it or ``-i`` tells about it."""
    for field in options.operands:
        call.read(field)
        if not options.has("-O", "--to-stdout", "-i", "--info"):
            call.write(field, "file")
            call.write(field, "entry")


def _sponge(call: Call, options: Options) -> None:
    for field in options.operands:
        call.write(field, "file")
        call.write(field, "entry")


def _patch(call: Call, options: Options) -> None:
    """The patch's text names the files; with ``--dry-run`` they are only read."""
    for field in (*options.operands, *options.values("-i", "--input")):
        call.read(field)
    if not options.has("--dry-run", "--version", "--help"):
        call.opaque("patch writes the files that its input names", is_writer=True)
    else:
        call.read(Field(None))


# --- perl -----------------------------------------------------------------------------------------------------------


def _perl(call: Call, options: Options) -> None:
    if [field.text for field in call.args] in (["--version"], ["-v"], ["-V"]):
        return
    programs = options.values("-e", "-E")
    if len(programs) != 1 or programs[0].text is None or not is_harmless(programs[0].text):
        call.opaque("perl with a program that is not read, or that may do more than match, substitute and print")
        return
    if not options.has("-n", "-p", "-a"):
        return
    suffixes = [value.text or "" if value else "" for name, value in options.given if name == "-i"]
    if any(set(suffix) - _SUFFIX for suffix in suffixes):
        call.opaque("perl keeps backups under names that reading cannot tell", is_writer=True)
        return
    for field in options.operands:
        if not _is_plain_name(field):
            call.opaque("perl opens a name that may be a command or a redirection")
            return
        call.read(field)
        for suffix in suffixes:
            call.write(field, "file")
            call.write(field, "entry")
            if suffix:
                _backup(call, field, suffix)


_SUFFIX: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-")


def _is_plain_name(field: Field) -> bool:
    """Whether perl's two-argument ``open`` (perlop, "I/O Operators") takes a name for a file, whatever it matches."""
    text = field.text or ""
    is_first_plain = field.start[:1].isalnum() or field.start[:1] in {".", "/", "_"}
    return is_first_plain and text[-1:] in _SUFFIX


def _backup(call: Call, field: Field, suffix: str) -> None:
    if field.is_pattern:
        call.write_new(Field(f"{field.text}{suffix}", is_pattern=True))
    else:
        call.write(Field(f"{field.text}{suffix}"), "entry")


# --- jq, yq ---------------------------------------------------------------------------------------------------------


# Options of jq with that many words behind them.
_JQ_VALUES: Final = {
    **dict.fromkeys(("--arg", "--argjson", "--slurpfile", "--rawfile"), 2),
    **dict.fromkeys(("--indent", "-L", "-f", "--from-file"), 1),
}


def _jq(call: Call, _options: Options) -> None:
    """The first operand is the filter; no option writes, but one of jq's namesakes does."""
    words = list(call.args)
    operands = []
    while words:
        field = words.pop(0)
        text = field.text or ""
        if text[:1] != "-" or text == "-" or field.is_pattern:
            operands.append(field)
            continue
        if text.startswith("--in-place") or (text[1:2] != "-" and "i" in text):
            call.opaque("jq with an option that the table does not list")
        if text in {"-f", "--from-file"}:
            call.read(Field(None))  # a filter in a file may bring in others
        values = [words.pop(0) for _ in range(min(_JQ_VALUES.get(text, 0), len(words)))]
        for value in values[-1:] if text.endswith(("file", "-L")) else ():
            call.read(value)
    for field in operands[1:]:
        call.read(field)
    for field in operands[:1]:
        _jq_filter(call, field)


def _jq_filter(call: Call, field: Field) -> None:
    text = field.text or field.start
    if "import" in text or "include" in text or not text:
        call.read(Field(None))
    if shows_environment(text):
        call.opaque("jq with a filter that shows the environment")


def _yq(call: Call, options: Options) -> None:
    operands = options.operands
    if operands and operands[0].text in {"e", "eval", "ea", "eval-all"}:
        operands = operands[1:]
    texts = [field.text or "" for field in (*operands[:1], *options.values("--expression"))]
    if any(field.text is None for field in operands[:1]) or any(word in text for text in texts for word in _YQ_OPENS):
        call.opaque("yq with an expression that may read or run something")
        return
    if options.has("--from-file"):
        call.read(Field(None))  # an expression in a file may read others
    is_given = options.has("--expression", "--from-file")
    files = operands if is_given else operands[1:]
    for field in files or operands:  # a single word may be a file, too
        call.read(field)
    if options.has("-i", "--inplace", "--in-place"):
        # The expression may be left out; and what is a value for one yq is an operand for the other.
        is_certain = bool(files) and not options.has("-p", "-o", "-I")
        for field in files if is_certain else options.operands:
            call.write(field, "file")
            call.write(field, "entry")


# ``eval`` makes an expression of any text; ``env(NAME)``, ``strenv(NAME)`` and ``envsubst`` show the environment.
_YQ_OPENS: Final = ("load", "system", "eval", "env(", "envsubst", "$ENV")


def _envsubst(call: Call, _options: Options) -> None:
    call.opaque("envsubst shows what variables its input names, secrets too")


def _bat(call: Call, options: Options) -> None:
    pagers = [field.text for field in options.values("--paging")]
    if [field.text for field in options.operands[:1]] == ["cache"]:
        call.opaque("bat builds its cache", is_writer=True)
    elif pagers[-1:] != ["never"] and not options.has("-P", "-pp", "--no-paging"):
        call.opaque("bat starts a pager")


COMMANDS: Final = (
    *(Row(name, is_free=True) for name in ("pr", "tsort", "bc", "col", "colcrt", "ul", "shasum", "hd")),
    Row("envsubst", is_free=True, reads=False, act=_envsubst),
    Row(
        "split",
        flags="dxeu0123456789",
        valued="abClnt",
        longs="suffix-length= additional-suffix= bytes= line-bytes= numeric-suffixes=? hex-suffixes=? "
        "elide-empty-files lines= number= separator= unbuffered verbose",
        reads=False,
        act=_split,
    ),
    Row(
        "csplit",
        flags="kqsz",
        valued="bfn",
        longs="suffix-format= prefix= keep-files suppress-matched digits= quiet silent elide-empty-files",
        reads=False,
        act=_csplit,
    ),
    Row(
        "shuf",
        flags="erz",
        valued="ino",
        longs="echo input-range= head-count= output= random-source= repeat zero-terminated",
        files="--random-source",
        act=_shuf,
    ),
    Row(
        "iconv",
        flags="cls",
        valued="fto",
        longs="from-code= to-code= output= list silent verbose help version",
        act=_shuf,
    ),
    *(
        Row(
            name,
            flags="fkqsbmrOulv",
            attached="i",
            valued="c",
            longs="force keepdate quiet safe add-bom keep-bom remove-bom to-stdout newline verbose info=? convmode=",
            reads=False,
            act=_convert,
        )
        for name in ("dos2unix", "unix2dos", "mac2unix", "unix2mac")
    ),
    Row("sponge", flags="a", reads=False, act=_sponge),
    Row(
        "patch",
        flags="bcEeflNnRstuTZ",
        valued="BDdFgiopVYzrx",
        longs="dry-run strip= input= directory= forward reverse silent quiet force batch unified context normal "
        "ignore-whitespace verbose version help remove-empty-files fuzz= binary",
        reads=False,
        act=_patch,
    ),
    Row(
        "perl",
        flags="nplawWTtvV0123456789",
        valued="eE",
        longs="version",
        attached="i",
        reads=False,
        act=_perl,
        is_strict=True,
    ),
    Row("jq", is_free=True, reads=False, act=_jq),
    Row(
        "yq",
        flags="rcnejMCNPiyYSVRvh0",
        valued="poI",
        longs="raw-output compact-output null-input exit-status tojson no-colors colors no-doc prettyPrint slurp "
        "inplace in-place yaml-output yaml-roundtrip unwrapScalar=? input-format= output-format= indent= expression= "
        "from-file= front-matter= header-preprocess=? nul-output verbose version help width= indentless-lists "
        "explicit-start explicit-end sort-keys ascii-output raw-input join-output",
        files="--from-file",
        reads=False,
        act=_yq,
    ),
    Row(
        "bat",
        flags="AnpPru",
        valued="lrHm",
        longs="paging= no-paging plain=? language= line-range= highlight-line= number show-all style= color= "
        "decorations= theme= tabs= wrap= terminal-width= italic-text= file-name= list-languages list-themes version "
        "help",
        act=_bat,
        words="pp",
    ),
)
