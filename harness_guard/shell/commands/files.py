"""Programs that write files, with their targets.

Sources: the man pages of GNU coreutils 9. Links were tried out, not looked up: ``cp f link`` lands behind the link,
``mv`` and ``rm`` work on the name, a trailing slash follows it.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, options_of
from harness_guard.shell.effects import MOVED_AWAY, PLAIN_COPY
from harness_guard.shell.words import Field, escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.model import Act, WriteKind


def _every(kind: WriteKind) -> Act:
    def act(call: Call, options: Options) -> None:
        for field in options.operands:
            call.write(field, kind)

    return act


def _name_of(field: Field) -> Field | None:
    """The last segment of a path, as it will be called in a target folder."""
    if field.text is None or field.is_pattern:
        return None
    name = field.text.rstrip("/").rpartition("/")[2]
    return Field(name) if name not in {"", ".", ".."} else None


def _touch(call: Call, options: Options) -> None:
    for field in options.operands:
        call.write(field, "file")
        if options.has("-h", "--no-dereference"):
            call.write(field, "meta")


def _mkdir(call: Call, options: Options) -> None:
    for field in options.operands:
        call.write(field, "entry")
        if options.has("-p", "--parents") and field.text is not None and ".." in field.text.split("/"):
            call.opaque("mkdir -p through `..` makes folders on the way", is_writer=True)


def _rmdir(call: Call, options: Options) -> None:
    for field in options.operands:
        call.write(field, "entry")
        if options.has("-p", "--parents"):
            call.opaque("rmdir -p removes the folders above too", is_writer=True)


def _rm(call: Call, options: Options) -> None:
    is_recursive = options.has("-r", "-R", "--recursive")
    for field in options.operands:
        call.write(field, "tree" if is_recursive else "entry")


def _target(call: Call, options: Options) -> tuple[tuple[Field, ...], Field, bool] | None:
    """Sort operands into sources and target; the last says whether the target is certainly a folder."""
    folders = options.values("-t", "--target-directory")
    if folders:
        return options.operands, folders[-1], True
    if not options.operands[1:]:
        call.opaque(f"{call.name} without a target")
        return None
    *sources, target = options.operands
    if not target.is_one or (target.text is None and target.found is None):
        call.opaque(f"{call.name} to a target that reading cannot tell", is_writer=True)
        return None
    return tuple(sources), target, False


def _into(call: Call, target: Field, sources: tuple[Field, ...], *, kind: WriteKind) -> None:
    """Write the target, and below it each source's name: whether the target is a folder only the disk knows."""
    for source in sources:
        name = _name_of(source)
        if name is None or target.text is None or target.is_pattern:
            call.write(target, "tree", by=PLAIN_COPY if kind == "file" else "")
            continue
        call.write(Field(f"{target.text.rstrip('/') or ''}/{name.text}"), kind)


def _cp(call: Call, options: Options) -> None:
    if not options.operands:
        call.opaque("cp without operands")
        return
    is_tree = options.has("-r", "-R", "-a", "--recursive", "--archive")
    if is_tree and options.has(*_LINKING):
        call.opaque("cp that makes many links", is_writer=True)
        return
    sorted_words = _target(call, options)
    if sorted_words is None:
        return
    sources, target, is_folder = sorted_words
    for source in sources:
        call.read(source, is_tree=is_tree)
    # A link that is copied as a link is a new name, as ``mv`` makes one: walk.py treats trees of cp so.
    is_tree = is_tree or options.has("-d", "-P", "--no-dereference")
    if not is_folder:
        call.write(target, "tree" if is_tree else "file")
    _into(call, target, sources, kind="tree" if is_tree else "file")
    _keep_backups(call, options, sources, target=target)
    if options.has(*_LINKING):
        _copy_as_links(call, sources, target, is_hard=options.has("-l", "--link"))
    if options.has("--parents"):
        call.opaque("cp --parents writes below the target under whole paths", is_writer=True)


_LINKING: Final = ("-l", "--link", "-s", "--symbolic-link")


def _copy_as_links(call: Call, sources: tuple[Field, ...], target: Field, *, is_hard: bool) -> None:
    for source in sources:
        name = _name_of(source)
        call.link(source, target, is_hard=is_hard)
        if name is not None and target.text is not None:
            call.link(source, Field(f"{target.text.rstrip('/')}/{name.text}"), is_hard=is_hard)


def _keep_backups(call: Call, options: Options, sources: tuple[Field, ...], *, target: Field) -> None:
    """What is replaced gets a name that starts with its own."""
    if not options.has("-b", "--backup", "-S", "--suffix"):
        return
    if any("/" in (field.text or "/") for field in options.values("-S", "--suffix")) or target.text is None:
        call.opaque(f"{call.name} keeps backups under names that reading cannot tell", is_writer=True)
        return
    places = [target.text.rstrip("/"), *(f"{target.text.rstrip('/')}/{_text_of(source)}" for source in sources)]
    for place in places:
        call.write_new(Field(f"{escape(place)}*", is_pattern=True))


def _text_of(source: Field) -> str:
    name = _name_of(source)
    return (name.text or "") if name is not None else ""


def _mv(call: Call, options: Options) -> None:
    if not options.operands:
        call.opaque("mv without operands")
        return
    sorted_words = _target(call, options)
    if sorted_words is None:
        return
    sources, target, is_folder = sorted_words
    for source in sources:
        # Whoever moves a link may read through it under its new name.
        call.read(source, is_tree=True)
        call.write(source, "tree", by=MOVED_AWAY)
    if not is_folder:
        call.write(target, "entry")
    _into(call, target, sources, kind="tree")
    _keep_backups(call, options, sources, target=target)


def _ln(call: Call, options: Options) -> None:
    is_hard = not options.has("-s", "--symbolic")
    folders = options.values("-t", "--target-directory")
    words = options.operands
    if not words or any(not field.is_one or field.text is None or field.is_pattern for field in (*words, *folders)):
        call.opaque("ln with words that are not known", is_writer=True)
        return
    if options.has("-r", "--relative"):
        call.opaque("ln -r computes the link's text", is_writer=True)
        return
    if folders:
        places = [(target, folders[-1], True) for target in words]
    elif len(words) == 1:
        places = [(words[0], Field("."), True)]
    else:
        places = [(target, words[-1], False) for target in words[:-1]]
    for target, place, is_folder in places:
        if not is_folder:
            call.link(target, place, is_hard=is_hard)
        name = _name_of(target)
        if name is None:
            call.opaque("ln to a name that reading cannot tell", is_writer=True)
        elif not options.has("-T", "--no-target-directory"):
            call.link(target, Field(f"{place.text}/{name.text}"), is_hard=is_hard)


def _meta(call: Call, options: Options) -> None:
    if options.has("--reference"):
        files = options.operands
    else:
        files = options.operands[1:]
        if not options.operands or not options.operands[0].is_one:
            call.opaque(f"{call.name} with words that are not known", is_writer=True)
            return
    is_tree = options.has("-R", "--recursive")
    for field in files:
        call.write(field, "tree" if is_tree else "meta")


_CHMOD: Final = Row("chmod", flags="Rcfv", longs="recursive changes quiet silent verbose reference=")


def _chmod(call: Call, _options: Options) -> None:
    """``chmod -x FILE``: a mode that starts with a dash looks like options."""
    first = call.args[0] if call.args else Field(None)
    has_dash = first.text is not None and not first.is_pattern and _is_dashed_mode(first.text)
    options = options_of(_CHMOD, call.args[1:] if has_dash else call.args)
    if isinstance(options, str):
        call.opaque(f"chmod: {options}", is_writer=True)
    elif has_dash and options.has("--reference"):
        call.opaque("chmod with a mode and a reference", is_writer=True)
    else:
        _meta(call, Options(options.given, (first, *options.operands)) if has_dash else options)


def _is_dashed_mode(text: str) -> bool:
    return len(text) > 1 and text[0] == "-" and not set(text[1:]) - set("rwxXst")


def _install(call: Call, options: Options) -> None:
    if options.has("-d", "--directory"):
        _mkdir(call, options)
        return
    if options.has("-D") and any(".." in (field.text or "").split("/") for field in options.operands):
        call.opaque("install -D through `..` makes folders on the way", is_writer=True)
        return
    sorted_words = _target(call, options)
    if sorted_words is None:
        return
    sources, target, is_folder = sorted_words
    for source in sources:
        call.read(source)
    if not is_folder:
        call.write(target, "entry")
        call.write(target, "file")
    _into(call, target, sources, kind="file")


_FREE: Final = "X" * 3  # the shortest run that mktemp fills


def _mktemp(call: Call, options: Options) -> None:
    """A template's run of ``X`` becomes anything; without a folder the environment names one."""
    if options.has("-u", "--dry-run"):
        return
    folders = [value for name, value in options.given if name in {"-p", "--tmpdir"}]
    template = options.operands[0] if options.operands else Field(f"tmp.{_FREE}")
    is_free = not folders and not options.operands
    suffixes = options.values("--suffix")
    if is_free or options.has("-t") or None in folders or any("/" in (field.text or "/") for field in suffixes):
        call.opaque("mktemp makes a file in the folder for temporary files", is_writer=True)
        return
    fields = (*[field for field in folders[-1:] if field is not None], template)
    parts = [field.text if field.is_one and not field.is_pattern else None for field in fields]
    if None in parts:
        call.write(Field(None), "file")
        return
    head, _, last = "/".join(part for part in parts if part).rpartition("/")
    start = last.partition(_FREE)[0]
    call.write_new(Field(escape(f"{head}/{start}" if head else start) + "*", is_pattern=True))


def _shred(call: Call, options: Options) -> None:
    for field in options.operands:
        call.write(field, "file")
        if options.has("-u", "--remove"):
            call.write(field, "entry")
            # The name is overwritten too: the file bears names of zeros before it goes.
            head, slash, _ = (field.text or "").rpartition("/")
            call.write_new(Field(None if field.text is None else f"{head}{slash}0*", is_pattern=True))


def _hard_link(call: Call, options: Options) -> None:
    if len(options.operands) != len(("from", "to")) or any(not field.is_one for field in options.operands):
        call.opaque("link with words that are not known", is_writer=True)
        return
    call.link(options.operands[0], options.operands[1], is_hard=True)


_RSYNC_RECURSIVE: Final = ("-r", "-a", "-l", "-d", "--recursive", "--archive", "--links", "--dirs")


def _rsync(call: Call, options: Options) -> None:
    """Between two local folders it copies as ``cp`` does, and removes, renames and keeps what its options say."""
    words = options.operands
    if any(field.text is None or field.is_pattern or ":" in field.text.partition("/")[0] for field in words):
        call.opaque("rsync with another machine, or with words that are not known", is_writer=True)
        return
    if options.has("-n", "--dry-run", "--list-only", "--version", "--help") or not words[1:]:
        for field in words:
            call.read(field, is_tree=True)
        return
    *sources, target = words
    copied = [Field(f"{field.text}.") if (field.text or "").endswith("/") else field for field in sources]
    is_tree = options.has(*_RSYNC_RECURSIVE)
    call.runs.append((Field("cp"), *([Field("-R")] if is_tree else []), Field("--"), *copied, target))
    call.write(target, "tree")
    for field in options.values("--log-file"):
        call.write(field, "file")
    for field in options.values("--backup-dir", "--partial-dir", "-T", "--temp-dir"):
        call.write(field, "tree")
        if not field.start.startswith("/"):
            call.write(Field(None if field.text is None else f"{target.text}/{field.text}"), "tree")
    if options.has("--remove-source-files"):
        for field in sources:
            call.write(field, "tree")


def _dd(call: Call, _options: Options) -> None:
    for field in call.args:
        name, sign, value = (field.text or "").partition("=")
        if field.text is None or field.is_pattern or not sign:
            call.opaque("dd with a word that is not known", is_writer=True)
        elif name == "of":
            call.write(Field(value), "file")
        elif name == "if":
            call.read(Field(value))


COMMANDS: Final = (
    Row("tee", flags="aip", longs="append ignore-interrupts output-error=?", reads=False, act=_every("file")),
    Row(
        "touch",
        flags="acmfh",
        valued="drt",
        longs="help version no-create date= reference= time= no-dereference",
        files="-r --reference",
        reads=False,
        act=_touch,
    ),
    Row(
        "truncate",
        flags="co",
        valued="sr",
        longs="help version size= reference= no-create io-blocks",
        files="-r --reference",
        reads=False,
        act=_every("file"),
    ),
    Row("mkdir", flags="pv", valued="m", longs="help version parents verbose mode=", reads=False, act=_mkdir),
    Row("rmdir", flags="pv", longs="help version parents verbose ignore-fail-on-non-empty", reads=False, act=_rmdir),
    Row(
        "rm",
        flags="rRfivdI",
        longs="help version recursive force verbose dir one-file-system preserve-root interactive=?",
        reads=False,
        act=_rm,
    ),
    Row("unlink", reads=False, act=_every("entry")),
    Row(
        "cp",
        flags="rRaflspPdLHinuvTxb",
        valued="tS",
        longs="help version "
        "recursive archive force interactive no-clobber update=? verbose target-directory= no-target-directory "
        "preserve=? no-preserve= dereference no-dereference reflink=? link symbolic-link parents one-file-system "
        "backup=? suffix= remove-destination sparse=",
        reads=False,
        act=_cp,
    ),
    Row(
        "mv",
        flags="finuvTb",
        valued="tS",
        longs="help version "
        "force interactive no-clobber update=? verbose target-directory= no-target-directory backup=? suffix= "
        "strip-trailing-slashes",
        reads=False,
        act=_mv,
    ),
    Row(
        "ln",
        flags="sfnivrTLP",
        valued="t",
        longs="help version symbolic force no-dereference verbose relative no-target-directory target-directory=",
        reads=False,
        act=_ln,
    ),
    Row("chmod", is_free=True, reads=False, act=_chmod),
    Row(
        "chown",
        flags="RcfvhHLP",
        longs="help version "
        "recursive verbose changes quiet silent reference= no-dereference dereference from= preserve-root "
        "no-preserve-root",
        reads=False,
        act=_meta,
    ),
    Row(
        "chgrp",
        flags="RcfvhHLP",
        longs="help version "
        "recursive verbose changes quiet silent reference= no-dereference dereference from= preserve-root "
        "no-preserve-root",
        reads=False,
        act=_meta,
    ),
    Row(
        "install",
        flags="cdDpvTC",
        valued="mogt",
        longs="help version "
        "directory mode= owner= group= target-directory= verbose preserve-timestamps no-target-directory",
        reads=False,
        act=_install,
    ),
    Row("dd", is_free=True, reads=False, act=_dd),
    Row(
        "mktemp",
        flags="dquVt",
        valued="p",
        longs="help version directory dry-run quiet suffix= tmpdir=?",
        reads=False,
        act=_mktemp,
    ),
    Row(
        "shred",
        flags="fuvxz",
        valued="ns",
        longs="help version force iterations= size= remove=? verbose exact zero random-source=",
        files="--random-source",
        reads=False,
        act=_shred,
    ),
    Row("link", reads=False, act=_hard_link),
    Row("mkfifo", valued="m", longs="help version mode=", reads=False, act=_every("entry")),
    Row(
        "fallocate",
        flags="cdinpzxvu",
        valued="lo",
        longs="help version "
        "collapse-range dig-holes insert-range length= keep-size offset= punch-hole zero-range posix verbose",
        reads=False,
        act=_every("file"),
    ),
    Row(
        "rsync",
        flags="avqrlptgoDhPnucxSHWizLkmyCAXEUNbOJd",
        valued="TB",
        longs="help version "
        "archive verbose quiet recursive links perms times group owner devices specials human-readable partial "
        "progress dry-run update checksum one-file-system sparse hard-links whole-file itemize-changes compress "
        "copy-links copy-dirlinks copy-unsafe-links safe-links munge-links prune-empty-dirs fuzzy cvs-exclude acls "
        "xattrs executability no-owner no-group no-perms no-times no-links no-recursive no-devices no-specials no-o "
        "no-g no-p no-t no-l no-compress no-implied-dirs backup suffix= dirs exclude= exclude-from= include= "
        "include-from= delete delete-before delete-after delete-during delete-delay delete-excluded del force existing "
        "ignore-existing inplace append append-verify size-only ignore-times numeric-ids info= max-size= min-size= "
        "max-delete= bwlimit= omit-dir-times omit-link-times modify-window= remove-source-files mkpath stats chmod= "
        "log-file= temp-dir= backup-dir= partial-dir= list-only version help timeout= compress-level= out-format= "
        "no-whole-file ignore-errors delay-updates block-size=",
        files="--exclude-from --include-from",
        reads=False,
        act=_rsync,
    ),
)
