"""Formatters and linters that load no code of the repository.

Sources: the manuals of ruff 0.8, black 24, isort 5, mypy 1.13, flake8 7, gofmt and goimports (Go 1.23), clang-format
18, shellcheck 0.10, shfmt 3.10, yamllint 1.35, hadolint 2.12, xmllint (libxml2 2.12).

What a file of the repository may switch on counts as switched on, unless an option takes it back: ruff's ``fix``,
``cache-dir`` and ``extend`` (which shows any file that is no settings), the plugins of flake8, shellcheck's
``external-sources``, yamllint's ``extends``. No rows: rustfmt (``#[path]`` leads it to any file), eslint, prettier,
pylint, markdownlint, biome, tsc (configuration is code, loads code, shows or writes what it names).
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, known, options_of, refuse_responses
from harness_guard.shell.commands.option_files import above, are_absent
from harness_guard.shell.names import NameSource
from harness_guard.shell.values import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.model import Act

HERE: Final = Field(".")


def _read_trees(call: Call, fields: tuple[Field, ...]) -> None:
    for field in fields or (HERE,):
        call.read(field, is_tree=True)


def _write_trees(call: Call, fields: tuple[Field, ...]) -> None:
    """What it formats it may replace: a file that is named, or all below a folder, through links as well."""
    for field in fields:
        if known(field) == "-":
            continue
        top = Field(field.start.rpartition("/")[0] or ".") if field.is_pattern else field
        inside = [NameSource("inside", path) for path, _ in call.paths(top) or ()]
        call.trusts_places += inside
        if not inside or not call.believes(inside):
            call.opaque(f"{call.name} where a link below what it formats may lead out", is_writer=True)
        call.write(field, "tree")
        call.write(field, "file")


def _formats(reading: str) -> Act:
    """Give what a formatter does that changes the named files unless one of some options is given."""

    def act(call: Call, options: Options) -> None:
        _read_trees(call, options.operands)
        if not options.has(*reading.split()) and options.operands:
            _write_trees(call, options.operands)
        elif not options.has(*reading.split()):
            call.opaque(f"{call.name} without a name of what it formats")

    return act


def _formats_with(writing: str) -> Act:
    """Give what a formatter does that prints unless one of some options is given."""

    def act(call: Call, options: Options) -> None:
        _read_trees(call, options.operands)
        if options.has(*writing.split()):
            _write_trees(call, options.operands)

    return act


def _keep_cache(call: Call, folders: tuple[Field, ...], name: str) -> None:
    if folders:
        call.write(folders[-1], "tree")
    else:
        call.keep_cache(name)


# --- ruff -----------------------------------------------------------------------------------------------------------

_RUFF_CHECK: Final = Row(
    "ruff check",
    flags="nqvseh",
    longs="no-cache no-fix fix unsafe-fixes no-unsafe-fixes fix-only diff isolated preview no-preview show-fixes "
    "show-files show-settings statistics quiet silent verbose exit-zero exit-non-zero-on-fix output-format= select= "
    "ignore= extend-select= extend-ignore= fixable= unfixable= exclude= extend-exclude= force-exclude "
    "respect-gitignore target-version= line-length= per-file-ignores= stdin-filename= ignore-noqa cache-dir= "
    "config= help",
    reads=False,
)
_RUFF_FORMAT: Final = Row(
    "ruff format",
    flags="nqvsh",
    longs="no-cache check diff isolated preview no-preview quiet silent verbose exclude= force-exclude "
    "respect-gitignore line-length= target-version= stdin-filename= range= cache-dir= config= help",
    reads=False,
)


def _ruff(call: Call, _options: Options) -> None:
    words = [known(field) for field in call.args]
    if words in (["--version"], ["-V"], ["version"], ["--help"], ["-h"], ["help"], ["linter"], []):
        return
    if words[0] in {"rule", "config", "linter", "help"} and all(words):
        return
    verb = words[0]
    if verb not in {"check", "format"}:
        call.opaque("ruff in a way that the table does not list")
        return
    options = options_of(_RUFF_CHECK if verb == "check" else _RUFF_FORMAT, call.args[1:])
    if isinstance(options, str):
        call.opaque(f"ruff {verb}: {options}")
    elif not options.has("--help", "-h"):
        _ruff_runs(call, verb, options)


def _ruff_runs(call: Call, verb: str, options: Options) -> None:
    folders = options.values("--cache-dir")
    if not _is_settled(call, options):
        call.opaque(
            f"ruff {verb}, whose settings may extend any file, fix files and name folders: --config names one file of "
            "settings, --isolated leaves them out"
        )
        return
    _read_trees(call, options.operands)
    if not options.has("--no-cache", "-n"):
        _keep_cache(call, folders, ".ruff_cache")
    is_fixing = options.has("--fix", "--fix-only") if verb == "check" else not options.has("--check")
    if is_fixing and not options.has("--diff", "--show-files", "--show-settings"):
        _write_trees(call, options.operands or (HERE,))


def _is_settled(call: Call, options: Options) -> bool:
    """Whether the settings it goes by are plain ones: those of one file that is named, or those it finds.

    Where one file is named, ruff looks for no other (The Ruff documentation, "Config file discovery").
    """
    if not options.has("--config"):
        return options.has("--isolated") or _is_untuned(call, options.operands)
    files = options.values("--config")
    text = known(files[0]) if len(files) == 1 else ""
    places = call.paths(files[0]) if text and "=" not in text else None
    return bool(places) and call.believes([NameSource("ruff", place) for place, _ in places or ()])


def _is_untuned(call: Call, fields: tuple[Field, ...]) -> bool:
    """Whether its settings are plain ones of the folder alone, and what is named lies below it."""
    segments = [segment for field in fields for segment in field.start.split("/")]
    is_below = all(field.start[:1] not in {"", "/", "~"} for field in fields) and ".." not in segments
    is_left_out = any(segment.startswith(".") and segment != "." for segment in segments) or "node_modules" in segments
    if call.cwds is None or not is_below or is_left_out or any(field.is_pattern for field in fields):
        return False
    return call.believes([NameSource("untuned", cwd) for cwd in call.cwds])


# --- with their own configuration taken away ------------------------------------------------------------------------


def _mypy(call: Call, options: Options) -> None:
    """An empty ``--config-file=`` leaves all configuration out, and so the plugins; ``@FILE`` holds further words."""
    refuse_responses(call)
    if options.has("--version", "-V", "--help", "-h"):
        return
    why = _odd_in_mypy(call, options)
    if why:
        call.opaque(f"mypy with settings {why}: --config-file= leaves them out")
        return
    _read_trees(call, options.operands)
    call.starts += [f"python{known(version)}" for version in options.values("--python-version")]
    folders = options.values("--cache-dir")
    if folders or not options.has("--no-incremental"):
        _keep_cache(call, folders, ".mypy_cache")


def _odd_in_mypy(call: Call, options: Options) -> str:
    """Tell what in mypy's settings may do more than check, ``""`` if nothing does."""
    from harness_guard.shell.commands.mypy_settings import odd_in_file, odd_setting

    files = options.values("--config-file")
    if not files:
        return "that it may read otherwise" if options.has("--config-file") else odd_setting(call)
    if len(files) == 1 and files[0].text == "":
        return ""
    places = call.paths(files[0]) or [] if known(files[0]) else []
    if len(files) != 1 or not places:
        return "that reading cannot tell"
    return next((why for why in (odd_in_file(call, place) for place, _ in places) if why), "")


def _flake8(call: Call, options: Options) -> None:
    if not options.has("--isolated"):
        call.opaque("flake8, whose settings may load plugins of the repository: --isolated leaves them out")
        return
    _read_trees(call, options.operands)


def _clang_format(call: Call, options: Options) -> None:
    if any(field.start[:1] in {"@", ""} for field in options.operands):
        call.opaque("clang-format reads further options from a file")
        return
    for field in options.values("--style", "--fallback-style"):
        if (field.text or "").startswith("file:"):
            call.read(Field((field.text or "")[len("file:") :]))  # it shows a line that is no setting
    _formats_with("-i")(call, options)


def _shellcheck(call: Call, _options: Options) -> None:
    """It shows lines of what a script sources, where an option or a file beside the script tells it to follow."""
    words = [known(field) for field in call.args]
    if words in (["--version"], ["-V"], ["--help"]):
        return
    if any(word.startswith(("--ext", "--r")) or (word[:1] == "-" != word[1:2] and "x" in word) for word in words):
        call.opaque("shellcheck shows what the script sources")
        return
    if "--norc" in words or call.cwds is None:
        return
    places = [path for field in call.args if known(field) for path, _ in call.paths(field) or ()]
    folders = [folder for place in (*places, *(f"{cwd}/x" for cwd in call.cwds)) for folder in above(place)[1:]]
    files = [
        f"{folder}/{name}" for folder in folders if folder != call.home for name in (".shellcheckrc", "shellcheckrc")
    ]
    if "" in words or not call.believes(dict.fromkeys(NameSource("absent", file) for file in files)):
        call.opaque("shellcheck, whose settings may have it show what the script sources: --norc leaves them out")


def _yamllint(call: Call, options: Options) -> None:
    """Its settings may extend any file, which is then shown where it is faulty."""
    if options.has("-v", "--version", "-h", "--help"):
        return
    _read_trees(call, options.operands)
    told = options.values("-d", "--config-data")
    if not told and not are_absent(call, _YAMLLINT):
        call.opaque("yamllint, whose settings may have it show any file: -d relaxed leaves them out")
    if options.has("-c", "--config-file") or not all(_extends_nothing(known(field)) for field in told):
        call.opaque("yamllint with settings that may have it show any file, or that are not known")


def _extends_nothing(settings: str) -> bool:
    """Whether settings in a text go by no others than those that yamllint brings along."""
    rest = settings.replace("extends: default", "").replace("extends: relaxed", "")
    return settings in {"default", "relaxed"} or (
        bool(settings) and ":" in settings and not any(mark in rest for mark in _NAMING)
    )


_NAMING: Final = ("extends", "\\", "&", "*", "!", "<<", "?")  # also what may spell or bring in such a key
_YAMLLINT: Final = ".yamllint .yamllint.yaml .yamllint.yml"


def _xmllint(call: Call, options: Options) -> None:
    for field in options.operands:
        if ":" in (field.text or ":"):
            call.opaque("xmllint fetches a document, or takes a file's address for its name")
            return
        call.read(field)
    for field in options.values("--output", "-o"):
        call.write(field, "file")


COMMANDS: Final = (
    Row("ruff", is_free=True, reads=False, act=_ruff),
    Row(
        "black",
        flags="qvSCh",
        valued="ltW",
        longs="check diff color no-color quiet verbose fast safe line-length= target-version= "
        "skip-string-normalization skip-magic-trailing-comma preview workers= include= exclude= extend-exclude= "
        "force-exclude= stdin-filename= line-ranges= pyi ipynb version help",
        reads=False,
        act=_formats("--check --diff --version --help -h"),
    ),
    Row(
        "isort",
        flags="cdqvV",
        valued="lpomjs",
        longs="check check-only diff quiet verbose version profile= line-length= line-width= stdout color gitignore "
        "filter-files float-to-top force-single-line-imports sl skip= skip-glob= trailing-comma multi-line= jobs= "
        "help show-files show-config",
        reads=False,
        act=_formats("-c --check --check-only -d --diff --stdout -V --version --help --show-files --show-config"),
    ),
    Row(
        "mypy",
        flags="vVh",
        valued="mpc",
        longs="config-file= cache-dir= no-incremental incremental strict strict-* no-strict-* ignore-missing-imports "
        "show-* hide-* warn-* no-warn-* disallow-* allow-* no-error-summary pretty no-pretty python-version= platform= "
        "follow-imports= follow-untyped-imports explicit-package-bases no-explicit-package-bases namespace-packages "
        "no-namespace-packages no-color-output color-output exclude= exclude-gitignore check-untyped-defs "
        "no-check-untyped-defs no-implicit-optional implicit-optional implicit-reexport no-implicit-reexport "
        "no-site-packages no-silence-site-packages skip-version-check skip-cache-mtime-checks scripts-are-modules "
        "extra-checks local-partial-types always-true= always-false= sqlite-cache enable-incomplete-feature= "
        "module= package= command= disable-error-code= enable-error-code= output= verbose version help",
        reads=False,
        act=_mypy,
    ),
    Row(
        "flake8",
        flags="qv",
        valued="j",
        longs="isolated max-line-length= max-complexity= max-doc-length= select= extend-select= ignore= extend-ignore= "
        "exclude= extend-exclude= filename= per-file-ignores= show-source no-show-source statistics count exit-zero "
        "format= indent-size= doctests hang-closing quiet verbose color= stdin-display-name= jobs=",
        reads=False,
        act=_flake8,
    ),
    Row("gofmt", flags="", words="l d e s w", valued="r", reads=False, is_apart=True, act=_formats_with("-w")),
    Row(
        "goimports",
        words="l d e w v",
        valued="",
        longs="local=!",
        reads=False,
        is_apart=True,
        act=_formats_with("-w"),
    ),
    Row(
        "clang-format",
        flags="in",
        words="style assume-filename dry-run Werror i n",
        longs="style=! assume-filename=! dry-run Werror fallback-style=! ferror-limit=! sort-includes lines=! offset=! "
        "length=! verbose version help dump-config",
        reads=False,
        act=_clang_format,
    ),
    Row("shellcheck", is_free=True, act=_shellcheck),
    Row(
        "yamllint",
        flags="hsv",
        valued="cdf",
        longs="config-file= config-data= format= strict no-warnings list-files version help",
        reads=False,
        act=_yamllint,
    ),
    Row("hadolint", is_free=True),
    Row(
        "shfmt",
        flags="ldwsp",
        words="ln mn bn ci sr kp fn tojson version help mn",
        longs="list diff write simplify minify language-dialect= indent= binary-next-line case-indent "
        "space-redirects keep-padding func-next-line filename= find to-json apply-ignore version help",
        valued="i",
        reads=False,
        act=_formats_with("-w --write"),
    ),
    Row(
        "xmllint",
        valued="o",
        is_apart=True,
        longs="noout format pretty= xpath= recover huge nonet html encode= nowarning noblanks nocdata quiet version "
        "output= wellformed push memory timing stream",
        reads=False,
        act=_xmllint,
    ),
)
