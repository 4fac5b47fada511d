"""Finders and filters of which some option writes or runs something: only the listed options are known.

Sources: the man pages of coreutils 9 (sort, uniq), sed 4.9, gawk 5, ripgrep 14, fd 9, tree 2, vim's xxd.
"""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell import awk_script, sed_script
from harness_guard.shell.commands.model import PER_PROCESS, Call, Options, Row, options_of
from harness_guard.shell.commands.running import read_named
from harness_guard.shell.names import NameSource
from harness_guard.shell.printers import names_printed
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


def _sort(call: Call, options: Options) -> None:
    """What does not fit in memory goes to files in ``-T``, else in the system's temporary folder, and is gone after."""
    for field in options.values("-o", "--output"):
        call.write(field, "file")
    for field in options.values("-T", "--temporary-directory"):
        call.write(field, "tree")
    if options.has("--files0-from"):
        call.read(Field(None))


def _rg(call: Call, options: Options) -> None:
    """The first operand is the pattern, unless an option gives it; without a path the working folder is searched."""
    has_pattern = options.has("-e", "--regexp", "-f", "--file", "--files")
    places = options.operands if has_pattern else options.operands[1:]
    for field in places or (Field("."),):
        call.read(field, is_tree=True, is_listing=options.has("--files"))


def _fd(call: Call, options: Options) -> None:
    """The second operand and later ones are where to search; ``-x`` and ``-X`` take every word up to ``;``."""
    places = (*options.operands[1:], *options.values("--base-directory", "--search-path"))
    for field in places or (Field("."),):
        call.read(field, is_tree=True, is_listing=True)


def _fd_exec(call: Call, _options: Options) -> None:
    """Part the words at ``-x``: in front of it are fd's own, behind it the program's, with marks for what was found."""
    texts = [field.text for field in call.args]
    start = next((index for index, text in enumerate(texts) if text in _FD_RUNS), len(texts))
    options = options_of(_FD, call.args[:start])
    if isinstance(options, str):
        call.opaque(f"{call.name}: {options}")
        return
    read_named(_FD, call, options)
    _fd(call, options)
    if start == len(texts):
        return
    words = list(call.args[start + 1 :])
    if not words or any(field.text is None or field.is_pattern or field.text == ";" for field in words):
        call.opaque(f"{call.name} runs a program with words that are not known")
        return
    found = replace(_found_by_fd(call, call.args[:start]), is_one=texts[start] in {"-x", "--exec"})
    texts_run = [field.text or "" for field in words]
    if any(("{" in text or "}" in text) and not any(mark in text for mark in _FD_MARKS) for text in texts_run):
        call.opaque(f"{call.name} runs a program with a bracket that is no mark")
        return
    has_mark = any("{" in text for text in texts_run)
    part = Field(None, is_one=found.is_one)
    marked = [found if field.text == "{}" else part if "{" in (field.text or "") else field for field in words]
    call.runs.append((*marked, *(() if has_mark else (found,))))


def _found_by_fd(call: Call, words: tuple[Field, ...]) -> Field:
    """Give the mark of what fd finds: it starts with the place that is searched, or else with a dot since fd 8.3."""
    printed = names_printed([(Field("fd"), *words)], call.cwds)
    if printed is None or printed.found is None or not call.believes(printed.linked):
        return Field(None)
    is_operand = "." not in printed.found.tops
    return Field(None, is_inner=printed.is_below and is_operand, found=printed.found, is_operand=is_operand)


_FD_MARKS = ("{}", "{.}", "{/}", "{//}", "{/.}")
_FD_RUNS = frozenset(("-x", "--exec", "-X", "--exec-batch"))


def _uniq(call: Call, options: Options) -> None:
    if any(not field.is_one for field in options.operands):
        call.opaque("uniq with words that are not known", is_writer=True)
    for field in options.operands[1:]:
        call.write(field, "file")


def _xxd(call: Call, options: Options) -> None:
    if len(options.operands) > 1 or any(not field.is_one for field in options.operands):
        for field in options.operands[1:]:
            call.write(field, "file")
        if any(not field.is_one for field in options.operands):
            call.opaque("xxd with words that are not known", is_writer=True)


def _tree(call: Call, options: Options) -> None:
    for field in options.values("-o"):
        call.write(field, "file")


def _text_in(call: Call, fields: tuple[Field, ...]) -> Field | None:
    """Give the text of the one file that a script is in, ``None`` if it is not known."""
    places = [place for field in fields for place in call.paths(field) or ()]
    if len(fields) != 1 or len(places) != 1 or places[0][1] or fields[0].text == "-":
        return None
    place = places[0][0]
    if place.startswith(PER_PROCESS) or not call.believes([NameSource("regular", place)]):
        return None
    call.read(fields[0])
    text = call.text_of(place).text
    return None if text is None else Field(text)


def _sed(call: Call, options: Options) -> None:
    if options.has("--version", "--help"):
        return
    scripts, files = _sed_scripts(call, options)
    for script in scripts:
        opened = None if script.text is None or script.is_pattern else sed_script.read(script.text)
        if opened is None:
            call.opaque("sed with a script that may write or run something, or is not known")
            return
        for name in opened.writes:
            call.write(Field(name), "file")
        for name in opened.reads:
            call.read(Field(name))
    in_place = [value for name, value in options.given if name in {"-i", "--in-place"}]
    for field in files:
        call.read(field)
        if in_place:
            call.write(field, "file" if options.has("--follow-symlinks") else "entry")
            _sed_backups(call, field, tuple(in_place))


def _sed_scripts(call: Call, options: Options) -> tuple[tuple[Field, ...], tuple[Field, ...]]:
    """Give the scripts, unknown where they are not known, and the files that are edited."""
    scripts = options.values("-e", "--expression")
    in_files = options.values("-f", "--file")
    files = options.operands
    if in_files:
        script = None if scripts else _text_in(call, in_files)
        return (script or Field(None),), files
    if scripts:
        return scripts, files
    is_known = bool(files) and files[0].is_one
    return (files[0] if is_known else Field(None),), files[1:]


def _sed_backups(call: Call, field: Field, suffixes: tuple[Field | None, ...]) -> None:
    for suffix in suffixes:
        if suffix is None or suffix.text == "":
            continue
        added = suffix.text or ""
        if suffix.text is None or set(added) & set("*/"):
            call.opaque("sed -i keeps a backup under a name that reading cannot tell", is_writer=True)
        elif field.found is not None:
            search = replace(field.found.search, add=field.found.search.add + added)
            call.write(replace(field, found=replace(field.found, search=search)), "entry")
        elif field.is_pattern and added.replace(".", "").isalnum():
            call.write_new(Field(f"{field.text}{added}", is_pattern=True))
        elif field.text is not None and not field.is_pattern:
            call.write(Field(field.text + added), "entry")
        else:
            call.opaque("sed -i keeps a backup under a name that reading cannot tell", is_writer=True)


def _awk(call: Call, options: Options) -> None:
    files = options.operands
    in_files = options.values("-f", "--file")
    if in_files:
        script = _text_in(call, in_files)
        if script is None:
            call.opaque("awk with a program in a file that is not known")
            return
        files = (script, *files)
    opened = None if not files or files[0].text is None or files[0].is_pattern else awk_script.read(files[0].text)
    if opened is None:
        call.opaque("awk with a program that is not known, or that may write or run something that reading cannot tell")
        return
    for name in opened.writes:
        call.write(Field(name), "file")
    for name in opened.reads:
        call.read(Field(name))
    call.runs += [(Field("sh"), Field("-c"), Field(text)) for text in opened.commands]
    for field in files[1:]:
        call.read(field)
        if field.start.startswith("/inet"):
            call.opaque("awk reads from the network")


# A letter with a colon takes a value.
_RG = "i S s v w x n N H I l L c o q F P U a u p 0 h . e: f: g: t: T: A: B: C: m: d: r: E: M: j:"

_FD = Row(
    "fd",
    flags="HIsigapLu0F1qlhV",
    valued="deEtjcSo",
    longs="hidden no-ignore case-sensitive ignore-case glob regex absolute-path follow full-path print0 max-depth= "
    "min-depth= exact-depth= exclude= type= extension= color= threads= size= changed-within= changed-before= "
    "no-ignore-vcs fixed-strings max-results= base-directory= strip-cwd-prefix=? prune and= quiet list-details "
    "one-file-system search-path= path-separator= owner= newer= older= change-newer-than= change-older-than= "
    "no-ignore-parent no-global-ignore-file ignore-file= unrestricted show-errors help version relative-path "
    "no-follow no-hidden ignore format=",
    files="--ignore-file",
    reads=False,
)

COMMANDS: Final = (
    Row(
        "sort",
        flags="bdfghiMnRrVcCmsuz0123456789",
        valued="kStoT",
        longs="help version numeric-sort reverse unique key= field-separator= output= ignore-case version-sort "
        "human-numeric-sort stable "
        "check=? general-numeric-sort zero-terminated ignore-leading-blanks dictionary-order month-sort "
        "random-sort merge "
        "parallel= sort= files0-from= batch-size= debug temporary-directory= buffer-size= random-source=",
        files="--files0-from --random-source",
        act=_sort,
    ),
    Row(
        "uniq",
        flags="cdDiuz",
        valued="fsw",
        longs="help version "
        "count repeated unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated all-repeated=? "
        "group=?",
        act=_uniq,
    ),
    Row(
        "xxd",
        flags="abCeEipruvh",
        valued="cglos",
        words="ps",
        longs="help version",
        act=_xxd,
        is_apart=True,
        is_strict=True,
    ),
    Row(
        "tree",
        flags="adfilnpqsughDFNQACSxrctUvJX",
        valued="LPIo",
        longs="noreport dirsfirst gitignore du prune inodes device charset=! sort=! matchdirs ignore-case "
        "metafirst filesfirst",
        act=_tree,
        lists="operands",
        is_apart=True,
    ),
    Row(
        "sed",
        flags="nErsuz",
        valued="ef",
        attached="i",
        longs="quiet silent regexp-extended expression= file= separate null-data unbuffered in-place=? follow-symlinks "
        "sandbox debug version help",
        reads=False,
        act=_sed,
    ),
    *(
        Row(
            name,
            flags="bcrPS",
            valued="Fvf",
            longs="file=! field-separator=! assign=! re-interval posix traditional sandbox characters-as-bytes csv",
            reads=False,
            act=_awk,
            is_strict=True,
        )
        for name in ("awk", "gawk", "mawk", "nawk")
    ),
    Row(
        "rg",
        flags="".join(item for item in _RG.split() if len(item) == 1),
        valued="".join(item[0] for item in _RG.split() if item[1:]),
        longs="ignore-case smart-case case-sensitive invert-match word-regexp line-regexp line-number no-line-number "
        "with-filename no-filename files-with-matches files-without-match count count-matches only-matching quiet "
        "fixed-strings pcre2 multiline text unrestricted pretty null hidden no-ignore no-ignore-vcs files type-list "
        "heading no-heading no-messages column stats json vimgrep trim follow regexp= glob= iglob= type= type-not= "
        "after-context= before-context= context= max-count= max-depth= replace= color= colors= sort= sortr= "
        "max-columns= "
        "max-filesize= crlf no-crlf no-column no-trim block-buffered line-buffered no-line-buffered context-separator= "
        "no-context-separator field-match-separator= field-context-separator= no-ignore-dot no-ignore-global "
        "no-ignore-exclude no-ignore-files no-require-git type-add= type-clear= type-list include-zero help "
        "ignore-file-case-insensitive no-unicode auto-hybrid-regex dfa-size-limit= regex-size-limit= mmap no-mmap "
        "no-json no-fixed-strings no-hidden stop-on-nonmatch pcre2-version no-multiline count no-pcre2 no-text "
        "max-filesize= no-config engine= multiline-dotall passthru threads= encoding= binary no-ignore-parent "
        "one-file-system null-data max-columns-preview file= ignore-file= path-separator= debug version",
        files="-f --file --ignore-file",
        reads=False,
        act=_rg,
    ),
    *(Row(name, is_free=True, reads=False, act=_fd_exec) for name in ("fd", "fdfind")),
    Row(
        "ag",
        flags="acDfFgGhHiLlnoQRrSsuUvwWz0",
        valued="ABCm",
        longs="after= before= context= max-count= ackmate all-text all-types break nobreak color nocolor column count "
        "depth= filename nofilename files-with-matches files-without-matches fixed-strings follow nofollow group "
        "nogroup heading noheading hidden ignore= ignore-case ignore-dir= literal nonumbers numbers null one-device "
        "only-matching print-all-files print-long-lines search-files search-binary silent skip-vcs-ignores smart-case "
        "case-sensitive stats unrestricted invert-match vimgrep word-regexp workers= list-file-types nopager",
        reads=False,
        act=_rg,
    ),
)
