"""Archivers and compressors: what they pack, and where they unpack.

Sources: the man pages of GNU tar 1.34, Info-ZIP zip 3.0 and unzip 6.0, gzip 1.12, bzip2 1.0.8, xz-utils 5.4, zstd 1.5,
binutils 2.40 (ar), p7zip 16, cpio 2.13.

Unpacking writes whatever names the archive holds, so it writes the whole folder. Tried out with archives made for it:
tar and unzip strip leading slashes and ``..`` from names, and put the archive's own links in place last; they do follow
links that stand in the folder already, which is what a ``tree`` means.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, options_of
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# --- tar ------------------------------------------------------------------------------------------------------------

_COMPRESSORS: Final = frozenset(
    ("gzip", "pigz", "bzip2", "pbzip2", "lbzip2", "xz", "pixz", "zstd", "lz4", "lzip", "plzip", "lzma", "lzop")
)
_TAR_STARTS: Final = ("gzip", "bzip2", "xz", "lzip", "lzma", "lzop", "zstd", "compress")

# Not listed, because they run programs, write further files or leave the folder: --to-command, --checkpoint-action, -F,
# -s (another tar's --transform), --rsh-command, --rmt-command, -g, -G, -M, --volno-file, --index-file, --backup and
# --suffix.
_TAR: Final = Row(
    "tar",
    flags="crtuxdvpkmOzjJaZhlSwBioUWRP",
    valued="fCTXIbHNV",
    longs="create extract get list append update diff compare delete verbose gzip gunzip ungzip bzip2 xz zstd lzma "
    "lzip lzop compress uncompress auto-compress no-auto-compress file= directory= exclude= exclude-vcs "
    "exclude-vcs-ignores exclude-caches exclude-caches-all exclude-backups exclude-from= exclude-tag= exclude-ignore= "
    "strip-components= same-owner no-same-owner same-permissions no-same-permissions preserve-permissions overwrite "
    "no-overwrite-dir overwrite-dir keep-old-files keep-newer-files skip-old-files unlink-first recursive-unlink "
    "owner= group= mode= mtime= clamp-mtime sort= numeric-owner format= old-archive portability posix pax-option= "
    "dereference hard-dereference one-file-system null no-null recursion no-recursion wildcards no-wildcards "
    "wildcards-match-slash no-wildcards-match-slash anchored no-anchored ignore-case no-ignore-case totals=? "
    "checkpoint=? warning= xattrs no-xattrs selinux no-selinux acls no-acls touch delay-directory-restore "
    "no-delay-directory-restore occurrence=? ignore-zeros ignore-failed-read to-stdout blocking-factor= record-size= "
    "label= show-transformed-names show-omitted-dirs show-defaults show-stored-names files-from= absolute-names "
    "remove-files transform= xform= use-compress-program= newer= after-date= newer-mtime= utc full-time block-number "
    "verify interactive confirmation sparse sparse-version= hole-detection= one-top-level=? force-local "
    "atime-preserve=? check-device no-check-device quote-chars= quoting-style= help usage version",
)
_TAR_MODES: Final = {
    "-c": "c", "--create": "c", "-x": "x", "--extract": "x", "--get": "x", "-t": "t", "--list": "t", "-d": "t",
    "--diff": "t", "--compare": "t", "-r": "c", "--append": "c", "-u": "c", "--update": "c", "--delete": "c",
    "--help": "t", "--usage": "t", "--version": "t", "--show-defaults": "t",
}  # fmt: skip


def _tar(call: Call, _options: Options) -> None:
    args = _dashed(call.args)
    options = options_of(_TAR, args)
    if isinstance(options, str):
        call.opaque(f"tar: {options}", is_writer=True)
        return
    modes = {_TAR_MODES[name] for name, _ in options.given if name in _TAR_MODES}
    archives = options.values("-f", "--file")
    if len(modes) != 1 or any(field.text is None or ":" in field.text for field in archives):
        call.opaque("tar without one known mode, or with an archive on another machine", is_writer=True)
        return
    for field in options.values("-I", "--use-compress-program"):
        if not _compresses(call, field.text or ""):
            call.opaque("tar runs a program that is not known to compress")
            return
    call.starts += _TAR_STARTS
    for field in options.values("-T", "--files-from"):
        call.read(field)
        call.read(Field(None))  # whatever the names in it are
    for field in options.values("-X", "--exclude-from"):
        call.read(field)
    {"c": _tar_pack, "x": _tar_unpack, "t": _tar_look}[modes.pop()](call, options, args)


def _dashed(args: tuple[Field, ...]) -> tuple[Field, ...]:
    """Write old-style letters (``tar czf NAME``) as options: their values follow in the letters' order."""
    first = args[0] if args else Field("")
    if not first.text or first.is_pattern or first.text.startswith("-"):
        return args
    rest = list(args[1:])
    made: list[Field] = []
    for letter in first.text:
        made.append(Field(f"-{letter}"))
        if letter in _TAR.valued:
            made += [rest.pop(0)] if rest else []
    return (*made, *rest)


def _compresses(call: Call, text: str) -> bool:
    """Whether a text names a compressor and its level or threads, and nothing else; that one is then started."""
    program, *rest = text.split(" ")
    call.starts.append(program)
    return program in _COMPRESSORS and all(word[:1] == "-" and word[1:].lstrip("T").isdecimal() for word in rest)


def _folders(options: Options) -> list[Field]:
    """Give the folder it starts in and those it changes to; each ``-C`` is relative to the one before."""
    made = [Field(".")]
    for field in options.values("-C", "--directory"):
        before = made[-1].text
        if field.text is None or before is None or field.text.startswith("/"):
            made.append(field)
        else:
            made.append(Field(f"{before}/{field.text}"))
    return made


def _read_members(call: Call, options: Options) -> None:
    for field in options.operands:
        for folder in _folders(options):
            is_plain = field.text is None or folder.text in {None, "."} or field.text.startswith("/")
            call.read(field if is_plain or field.is_pattern else Field(f"{folder.text}/{field.text}"), is_tree=True)


def _tar_pack(call: Call, options: Options, _args: tuple[Field, ...]) -> None:
    archives = options.values("-f", "--file")
    if not archives:
        call.opaque("tar writes to a device that its installation names", is_writer=True)
        return
    for field in archives:
        if field.text != "-":
            call.write(field, "file")
    _read_members(call, options)
    if options.has("--remove-files"):
        if options.has("-C", "--directory", "-T", "--files-from"):
            call.opaque("tar removes files whose folder is not certain", is_writer=True)
            return
        for field in options.operands:
            call.write(field, "tree")


def _tar_look(call: Call, options: Options, _args: tuple[Field, ...]) -> None:
    for field in options.values("-f", "--file"):
        call.read(field)
    if options.has("-d", "--diff", "--compare"):
        _read_members(call, options)


def _tar_unpack(call: Call, options: Options, args: tuple[Field, ...]) -> None:
    _tar_look(call, options, args)
    if options.has("-O", "--to-stdout"):
        return
    # A file of names may hold options, ``-C`` among them; the others let a name leave the folder.
    if options.has("-T", "--files-from", "-P", "--absolute-names", "--transform", "--xform"):
        call.opaque("tar unpacks under names that reading cannot tell", is_writer=True)
        return
    *_, folder = _folders(options)
    tops = [value.text or "" for name, value in options.given if name == "--one-top-level" and value is not None]
    if any(top.startswith("/") or ".." in top.split("/") for top in tops) or _changes_late(options, args):
        call.opaque("tar unpacks into a folder that reading cannot tell", is_writer=True)
        return
    call.write(folder, "tree")


def _changes_late(options: Options, args: tuple[Field, ...]) -> bool:
    """Whether an option that may be ``-C`` stands behind a member's name: that member lands where it was before."""
    if not options.operands:
        return False
    first = next(index for index, field in enumerate(args) if field is options.operands[0])
    return any(
        field.start.startswith("--d") or (field.start[:1] == "-" and field.start[:2] != "--" and "C" in field.start)
        for field in args[first:]
    )


# --- one file to one file -------------------------------------------------------------------------------------------

# What a packed name ends with -> what the unpacked one ends with instead.
_GZIP: Final = {".gz": "", ".tgz": ".tar", ".taz": ".tar", ".Z": "", ".z": "", "-gz": "", "-z": "", "_z": ""}
_BZIP2: Final = {".bz2": "", ".bz": "", ".tbz2": ".tar", ".tbz": ".tar"}
_XZ: Final = {".xz": "", ".lzma": "", ".txz": ".tar", ".tlz": ".tar"}
_ZSTD: Final = {".zst": "", ".tzst": ".tar", ".gz": "", ".tgz": ".tar", ".xz": "", ".txz": ".tar", ".lzma": "",
                ".tlz": ".tar", ".lz4": "", ".tlz4": ".tar"}  # fmt: skip
_LOOKS: Final = ("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list", "-h", "--help", "-V", "--version",
                 "--license", "-H", "--long-help", "--info-memory")  # fmt: skip


def _beside(call: Call, field: Field, *, unpacks: bool) -> None:
    """Say that another file takes a file's place; where its name is not certain, the folder is written."""
    made, unpacked = _SUFFIXES[call.name]
    call.write(field, "entry")
    text = field.text or ""
    if field.is_pattern and not unpacks:
        for suffix in made:
            call.write_new(Field(text + suffix, is_pattern=True))
    elif field.is_pattern:
        _folder_of(call, field)
    elif not unpacks:
        for suffix in made:
            _both(call, Field(text + suffix))
    else:
        known = [suffix for suffix in unpacked if text.endswith(suffix) and not text.endswith(f"/{suffix}")]
        for suffix in known[:1]:
            _both(call, Field(text.removesuffix(suffix) + unpacked[suffix]))
        if not known:
            _folder_of(call, field)


def _folder_of(call: Call, field: Field) -> None:
    if field.text is not None:
        head = field.start.rpartition("/")[0]
        call.write(Field(head or ("/" if field.start.startswith("/") else ".")), "tree")


def _both(call: Call, field: Field) -> None:
    """A name that is made anew or, where a link stands, may be written through."""
    call.write(field, "file")
    call.write(field, "entry")


def _compress(call: Call, options: Options) -> None:
    name = call.name
    for field in options.operands:
        call.read(field, is_tree=options.has("-r", "--recursive"))
    if options.has(*_LOOKS) or name.endswith("cat"):
        return
    unpacks = name.startswith("un") or "un" in name or options.has("-d", "--decompress", "--uncompress")
    for field in options.operands:
        if field.text == "-":
            continue
        if options.has("-r", "--recursive"):
            call.write(field, "tree")
        if options.has("-S", "--suffix", "-N", "--name", "-F", "--format"):
            _folder_of(call, field)
        _beside(call, field, unpacks=unpacks)


def _zstd(call: Call, options: Options) -> None:
    folders = options.values("--output-dir-flat", "--output-dir-mirror")
    outputs = options.values("-o")
    if not folders and not outputs:
        _compress(call, options)
        return
    for field in options.operands:
        call.read(field, is_tree=options.has("-r"))
        if options.has("--rm"):
            call.write(field, "tree" if options.has("-r") else "entry")
    for field in folders:
        call.write(field, "tree")
    for field in outputs:
        if field.text != "-":
            _both(call, field)


def _zcat(call: Call, options: Options) -> None:
    call.starts.append("gzip")  # a script around it
    _compress(call, options)


_SUFFIXES: Final = {
    **dict.fromkeys(("gzip", "gunzip", "pigz", "unpigz", "uncompress"), ((".gz",), _GZIP)),
    **dict.fromkeys(("bzip2", "bunzip2"), ((".bz2",), _BZIP2)),
    **dict.fromkeys(("xz", "unxz", "lzma", "unlzma"), ((".xz", ".lzma"), _XZ)),
    **dict.fromkeys(("zstd", "unzstd", "zstdmt"), ((".zst",), _ZSTD)),
}

# --- zip, unzip -----------------------------------------------------------------------------------------------------


def _zip(call: Call, options: Options) -> None:
    words = options.operands
    if not words or not words[0].is_one or words[0].text is None:
        call.opaque("zip without an archive that is known", is_writer=True)
        return
    # ``-x`` and ``-i`` take every word up to the next option: in front of the archive's name they would take it too.
    first = next(index for index, field in enumerate(call.args) if field is words[0])
    if any(_lists(field.start) for field in call.args[:first]):
        call.opaque("zip with a list in front of the archive", is_writer=True)
        return
    targets = options.values("-O", "--out", "--output-file") + words[:1]
    for field in targets:
        text = field.text or ""
        if text != "-":
            _both(call, field if "." in text.rpartition("/")[2] else Field(f"{text}.zip"))
    for field in words[1:]:
        call.read(field, is_tree=True)
        if options.has("-m", "--move"):
            call.write(field, "tree")


def _lists(text: str) -> bool:
    return text.startswith(("--ex", "--in")) or (text[:1] == "-" and text[:2] != "--" and bool(set("xi") & set(text)))


_UNZIP_LOOKS: Final = ("-l", "-v", "-t", "-z", "-p", "-c")


def _unzip(call: Call, options: Options) -> None:
    for field in options.operands[:1]:
        call.read(field)
        if field.text is not None and not field.is_pattern:
            call.read(Field(f"{field.text}.zip"))
    is_zipinfo = options.given[:1] == (("-Z", None),)
    if not is_zipinfo and options.has("-Z", "-1", "-2", "-s", "-m", "-h", "-T") and options.operands:
        call.opaque("unzip with an option that only zipinfo takes")
    if is_zipinfo or options.has(*_UNZIP_LOOKS) or not options.operands:
        return
    for field in options.values("-d") or (Field("."),):
        call.write(field, "tree")


# --- the others -----------------------------------------------------------------------------------------------------

_AR_WRITES: Final = frozenset("rqdms")


def _ar(call: Call, _options: Options) -> None:
    """``ar KEY ARCHIVE [MEMBER…]``; modifiers that take a word of their own are not known."""
    texts = [None if field.is_pattern or not field.is_one else field.text for field in call.args[:2]]
    if not call.args[1:] or not all(texts) or any(not field.start for field in call.args):
        call.opaque("ar with words that are not known", is_writer=True)
        return
    letters = (texts[0] or "").removeprefix("-")
    if set(letters) - set("rqdmstpxcDUuvSPofTOV") or any(field.start[0] in "@-" for field in call.args[1:]):
        call.opaque("ar with an option that the table does not list", is_writer=True)
        return
    call.read(call.args[1])
    for field in call.args[2:]:
        call.read(field)
    if _AR_WRITES & set(letters):
        _both(call, call.args[1])
    if "x" in letters:
        call.write(Field("."), "tree")


_7Z_PLAIN: Final = frozenset(
    ("-y", "-bd", "-r", "-r-", "-t7z", "-tzip", "-ttar", "-tgzip", "-ssc", "-spf2", "-snl", "-slt")
)
_7Z_STARTS: Final = ("-p", "-mx", "-mhe=", "-mmt", "-m0=", "-bb", "-bso", "-bse", "-bsp", "-x!", "-xr!", "-scrc")


def _7z(call: Call, _options: Options) -> None:
    """``7z COMMAND ARCHIVE [FILE…]``: packing, listing and testing; unpacking follows links of the archive's own."""
    texts = ["" if field.text is None or field.is_pattern else field.text for field in call.args]
    dashed = [text for text in texts if text.startswith("-")]
    words = [field for field, text in zip(call.args, texts, strict=True) if text not in dashed]
    is_known = all(text in _7Z_PLAIN or text.startswith(_7Z_STARTS) for text in dashed)
    if is_known and [field.text for field in words] == ["b"]:
        return  # it measures the machine
    archive = words[1].text if len(words) > 1 and words[1].is_one else None
    if not is_known or archive is None or any(not field.start or field.start[0] == "@" for field in words):
        call.opaque("7z with words that are not known", is_writer=True)
        return
    for field in words[1:]:
        call.read(field, is_tree=True)
    if words[0].text in {"a", "u", "d"}:
        _both(call, words[1])
        if "." not in archive.rpartition("/")[2]:
            for kind in ("7z", "zip", "tar", "gz"):
                _both(call, Field(f"{archive}.{kind}"))
    elif words[0].text not in {"l", "t", "h", "i"}:
        call.opaque("7z unpacks under names that reading cannot tell", is_writer=True)


def _cpio(call: Call, options: Options) -> None:
    """Names come in on standard input: packing reads them, unpacking writes them wherever they lie."""
    if options.has("-o", "--create") and not options.has("-i", "--extract", "-p", "--pass-through"):
        call.read(Field(None))
    elif not options.has("-t", "--list") or options.has("-p", "--pass-through"):
        call.opaque("cpio unpacks under names that reading cannot tell", is_writer=True)


_GZIP_LONGS: Final = (
    "stdout to-stdout decompress uncompress force keep list no-name name quiet recursive suffix= synchronous test "
    "verbose fast best rsyncable help version license"
)
_BZIP2_LONGS: Final = (
    "stdout decompress compress keep force test quiet verbose license version small fast best help repetitive-fast "
    "repetitive-best"
)
_XZ_LONGS: Final = (
    "compress decompress uncompress test list keep force stdout to-stdout suffix= extreme fast best threads= format= "
    "check= quiet verbose no-warn single-stream no-sparse ignore-check memlimit= memlimit-compress= "
    "memlimit-decompress= memory= robot no-adjust block-size= flush-timeout= help long-help version info-memory"
)
_ZSTD_LONGS: Final = (
    "decompress uncompress compress stdout force keep rm quiet verbose test list ultra fast=? long=? adapt no-progress "
    "progress check no-check sparse no-sparse output-dir-flat= output-dir-mirror= format=! single-thread rsyncable "
    "size-hint=! content-size no-content-size exclude-compressed help version"
)

COMMANDS: Final = (
    Row("tar", is_free=True, reads=False, act=_tar),
    *(
        Row(name, flags="cdfklLnNqrtvhV123456789", valued="S", longs=_GZIP_LONGS, reads=False, act=_compress)
        for name in ("gzip", "gunzip", "uncompress")
    ),
    *(
        Row(name, flags="cdfklLnNqrtvhVimMR0123456789", valued="Sbp", longs=_GZIP_LONGS, reads=False, act=_compress)
        for name in ("pigz", "unpigz")
    ),
    *(Row(name, flags="cdflnqvr", longs=_GZIP_LONGS, reads=False, act=_zcat) for name in ("zcat", "gzcat")),
    *(
        Row(name, flags="cdzkftqvsVLh123456789", longs=_BZIP2_LONGS, reads=False, act=_compress)
        for name in ("bzip2", "bunzip2", "bzcat")
    ),
    *(
        Row(name, flags="zdtlkfcqQvHhV0123456789e", valued="FCTMS", longs=_XZ_LONGS, reads=False, act=_compress)
        for name in ("xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat")
    ),
    *(
        Row(
            name,
            flags="dzcfkqvVhHtlr0123456789C",
            valued="oD",
            attached="TM",
            longs=_ZSTD_LONGS,
            files="-D",
            reads=False,
            act=_zstd,
        )
        for name in ("zstd", "unzstd", "zstdcat", "zstdmt")
    ),
    Row(
        "zip",
        # No letter that another one turns into an option of two letters: ``-TT`` runs a program, ``-lf`` writes a log.
        flags="rqvjyuXDemod0123456789",
        valued="xiOP",
        words="FS",
        longs="recurse-paths quiet verbose junk-paths symlinks update delete encrypt move exclude= include= no-extra "
        "filesync password= out= output-file=",
        reads=False,
        act=_zip,
    ),
    Row("unzip", flags="lvtzpcqonjCLufaXBZ12smhT", valued="dPx", reads=False, act=_unzip),
    Row("zipinfo", flags="12slmvhtTzC", reads=True),
    Row("ar", is_free=True, reads=False, act=_ar),
    *(Row(name, is_free=True, reads=False, act=_7z) for name in ("7z", "7za", "7zz", "7zr")),
    Row(
        "cpio",
        flags="oiptvBc0dmVua",
        valued="H",
        longs="create extract list pass-through verbose format= null quiet make-directories reset-access-time",
        reads=False,
        act=_cpio,
    ),
)
