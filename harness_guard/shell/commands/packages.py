"""Package managers and toolchains: what they tell, and what they ask their registries.

Sources: the manuals of npm 10, bun 1, pip 24, uv 0.5, pipx 1, conda 24, gem 3, cargo and rustup (The Cargo Book; The
rustup book, "Overrides"), go 1.23 (``go help``), apt 2, dpkg 1.21, rpm 4, dnf 4, apk 2, pacman 6, snap, flatpak.

Whatever installs, removes or builds runs scripts of the package. Managers that load code of the repository for every
verb have no row: yarn (``yarnPath``), pnpm (``.pnpmfile.cjs``), bundle (``Gemfile``), composer and poetry (plugins),
mvn (``.mvn/jvm.config``). uv, which starts the interpreter of a ``.venv`` and makes the
cache that ``uv.toml`` names, has few verbs here. npm goes by ``.npmrc``
(``git``, ``cache``, ``logs-dir``), rustup's programs by ``rust-toolchain.toml`` (``path``) and ``.cargo/config.toml``
(``build.rustc-wrapper``): where one stands in the folder or above it, they are unknown.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, is_listed, known
from harness_guard.shell.commands.verbs import Tool, Verb, rows_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_NPM_OPTIONS: Final = (
    "json long -l all -a global -g depth* omit=! include=! prod production dev parseable -p silent -s quiet -q color=! "
    "no-color no-progress audit-level=! workspaces -ws link loglevel=! verbose package-lock-only searchlimit=! offline "
    "prefer-offline"
)
_PIP: Final = Tool(
    {
        "": "",
        "list|show|freeze|check|inspect": "user not-required format* outdated -o uptodate -u editable -e local -l pre "
        "json verbose -v -vv -vvv files -f all exclude* disable-pip-version-check no-color no-input quiet -q path* "
        "no-index",
        "config list|config get|config debug|cache dir|cache info|cache list|debug": "-v verbose user",
        "hash": "-a algorithm*",
        "index versions": Verb("pre json disable-pip-version-check", "plain", "the package index"),
        "help": Verb(takes="nothing"),
    },
    help="--version -V --help -h",
    leading="no-color disable-pip-version-check no-input isolated -q -v",
)
_CONDA: Final = Tool(
    {
        "list|info|env list|compare": "-n name* -p prefix* json envs -e -a all explicit export revisions -c canonical "
        "-f full-name no-pip -v verbose -q quiet",
        "config": Verb("show show-sources get json", needs="--show --show-sources --get"),
        "search": Verb("json info -i -c channel* override-channels", "plain", "the conda channels"),
    },
    help="--version -V --help -h",
)
_RUST_FILES: Final = "rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml"
_APT: Final = "no-pager -q -qq -a all-versions -i installed upgradable upgradeable -n names-only -f full"
_SIMULATING: Final = "-s simulate just-print dry-run recon no-act"
_DNF: Final = Tool(
    {
        "list|info|search|provides|repoquery|repolist|check-update|deplist|history list|history info|grouplist": "-q "
        "-v -C quiet verbose cacheonly installed available all enabled disabled updates showduplicates list -l "
        "requires whatprovides whatrequires latest-limit=! qf=! queryformat=!",
    },
    asks="the package repositories",
    takes="plain",
    leading="-q -C",
)

_TABLE: Final = {
    "npm": Tool(
        {
            "ls|list|la|ll|explain|why|query|config list|config ls|config get|get|pkg get": _NPM_OPTIONS,
            "root|prefix|bin|fund|version|help-search|completion": Verb(_NPM_OPTIONS, "nothing"),
            "view|info|show|v|search|s|se|find|dist-tag ls|dist-tag list|owner ls|owner list": Verb(
                _NPM_OPTIONS, "names", "the npm registry"
            ),
            "outdated|audit|ping|whoami": Verb(_NPM_OPTIONS, "nothing", "the npm registry"),
        },
        help="--version -v --versions -h",
        leading="-g global silent -s",
        absent=".npmrc",
    ),
    "bun": Tool({"pm ls": Verb("all", "nothing")}, help="--version -v --revision --help -h"),
    "deno": Tool({}, help="--version -V -v --help -h"),
    "pip": _PIP,
    "pip3": _PIP,
    "uv": Tool(
        {"": "", "cache dir|tool dir|python dir": "", "self version": "short"},
        takes="nothing",
        help="--version -V --help -h",
    ),
    "pipx": Tool({"list|environment": "short json include-injected value* -V"}),
    "conda": _CONDA,
    "mamba": _CONDA,
    "gem": Tool(
        {
            "list|info|which|contents|dependency|specification|environment|env|query|help": "-l local -a all -d "
            "details -v version* -i installed no-verbose -q quiet exact -e no-versions",
            "search": Verb("-d details -e exact -a all -v version* -q", "plain", "the gem server"),
            "outdated": Verb("", "nothing", "the gem server"),
        },
        help="--version -v --help -h",
    ),
    "cargo": Tool(
        {
            "locate-project|read-manifest|verify-project|pkgid": "workspace message-format* -q quiet offline locked "
            "frozen",
            "metadata": Verb("no-deps format-version* -q quiet offline locked frozen", needs="--no-deps"),
            "tree": Verb(
                "-e edges* -i invert* -d duplicates -p package* depth* prefix* no-dedupe workspace all features* "
                "all-features no-default-features target* charset* -f format* -q quiet locked frozen offline",
                "plain",
                "the crate registry",
                needs="--locked --frozen",
            ),
            "search": Verb("limit* -q quiet", "names", "the crate registry"),
        },
        help="--version -V -vV version --list --help -h",
        absent=_RUST_FILES,
    ),
    # Other kinds take a source, which is then compiled; ``KIND=FILE`` writes the answer to a file.
    "rustc": Tool(
        {
            "--print sysroot|--print cfg|--print target-list|--print target-cpus|--print target-features|"
            "--print target-libdir|--print host-tuple": "",
        },
        takes="nothing",
        help="--version -V -vV --help -h --print=sysroot --print=cfg --print=target-list --print=target-libdir",
        absent=_RUST_FILES,
    ),
    "rustfmt": Tool({}, help="--version -V --help -h", absent=_RUST_FILES),
    "cargo-fmt": Tool({}, help="--version -V --help -h", absent=_RUST_FILES),
    "rustup": Tool(
        {"show|toolchain list|target list|component list|which": "installed toolchain* -v verbose"},
        help="--version -V --help -h",
        absent=_RUST_FILES,
    ),
    "go": Tool(
        {
            "": "",
            "version": "-m -v",
            "env": "-json -changed",
            "list": Verb("-json* -m -f -f=* -e -find -deps -test", "plain", "the module proxy"),
            "doc": "-all -src -short -u -c -cmd",
            "mod graph|mod why|mod verify": Verb("-m -vendor", "plain", "the module proxy"),
            "help": "",
        },
        help="-h",
    ),
    "apt": Tool(
        {"list|show|search|policy|depends|rdepends|showsrc": _APT, "help": Verb(takes="nothing")},
        help="--version -v --help -h",
    ),
    "apt-get": Tool(
        {
            "install|remove|purge|upgrade|dist-upgrade|full-upgrade|autoremove|build-dep|check|indextargets": Verb(
                f"{_SIMULATING} -y yes -q -qq -V verbose-versions -u no-install-recommends ignore-missing",
                needs="-s --simulate --just-print --dry-run --recon --no-act",
            ),
        },
        help="--version -v --help -h",
        leading=f"{_SIMULATING} -y -q -qq",
    ),
    "apt-cache": Tool(
        {
            "policy|show|search|depends|rdepends|pkgnames|stats|madison|showpkg|showsrc|unmet|dump|dumpavail": "-n "
            "names-only -f full -a all-versions -i important installed recurse no-* -q generate",
        },
        help="--version -v --help -h",
    ),
    "apt-mark": Tool({"showauto|showmanual|showhold|showinstall|showremove": ""}),
    "apt-config": Tool({"dump": Verb(takes="nothing")}),
    "dpkg": Tool(
        {
            "-l|--list|-L|--listfiles|-s|--status|-S|--search|-p|--print-avail|--get-selections|-c|--contents|-I|"
            "--info|-V|--verify|-C|--audit|--compare-versions|--print-architecture|--print-foreign-architectures":
            "no-pager",
        },
        leading="no-pager",
    ),
    "dpkg-query": Tool(
        {"-l|--list|-L|--listfiles|-s|--status|-S|--search|-p|--print-avail|-W|--show": "-f* showformat* -W"},
        leading="-f=* showformat=! no-pager",
    ),
    "dnf": _DNF,
    "yum": _DNF,
    "apk": Tool(
        {
            "info|list|policy|dot|audit": "-a -d -e -L -R -P -r -t -v -vv -q -w -I -u -O all installed who-owns "
            "contents description depends available upgradable",
            "search|version|stats": Verb("-a -d -e -v -q -x -o -l all exact", "plain", "the package repositories"),
        },
        help="--version -V --help -h",
    ),
    "snap": Tool(
        {
            "list|services|connections|interfaces|version|warnings": "all color=! unicode=!",
            "info|find|search": Verb("verbose narrow", "plain", "the snap store"),
        },
    ),
    "flatpak": Tool(
        {
            "list|info|remotes|ps|history": "app runtime user system columns=! -d -a all -m -r -s show-*",
            "search|remote-ls|remote-info": Verb("user system columns=! app runtime", "plain", "the remotes"),
        },
    ),
    "pre-commit": Tool(
        {"validate-config|validate-manifest": "", "help": Verb(takes="nothing")}, help="--version -V --help -h"
    ),
}  # fmt: skip

_RPM_LETTERS: Final = frozenset("qailfpcdRsgv")
_RPM_FURTHER: Final = (
    "--last", "--requires", "--provides", "--changelog", "--scripts", "--conflicts", "--info", "--list", "--all",
    "--file", "--whatprovides", "--whatrequires", "--obsoletes", "--recommends", "--suggests", "--docfiles",
    "--configfiles", "--state", "--dump", "--qf", "--qf=*", "--queryformat", "--queryformat=*", "--nosignature",
    "--nodigest", "--filesbypkg", "-l", "-i", "-a", "-f", "-p", "-c", "-d", "-R",
)  # fmt: skip
_PACMAN_FURTHER: Final = ("--color=*", "--noconfirm", "-q", "-i", "-l", "-s")
_PACMAN_ASKS: Final = (("Q", frozenset("acdegiklmnopqstuv")), ("S", frozenset("silgq")), ("F", frozenset("lxq")))


def _rpm(call: Call, _options: Options) -> None:
    """A query: ``-q`` comes first, and the letters behind it only say what is shown."""
    words = [known(field) for field in call.args]
    if words in (["--version"], ["--help"]):
        return
    first = words[0] if words else ""
    is_query = first == "--query" or (first[:2] == "-q" and first[1:2] != "-" and not set(first[1:]) - _RPM_LETTERS)
    rest = zip(call.args[1:], words[1:], strict=True)
    if not is_query or any(_is_odd(word, field.start) and not is_listed(word, _RPM_FURTHER) for field, word in rest):
        call.opaque("rpm in a way that the table does not list")
    elif any("://" in word for word in words):
        call.opaque("rpm fetches a package")
    for field in call.args[1:]:
        call.read(field)


def _pacman(call: Call, _options: Options) -> None:
    words = [known(field) for field in call.args]
    first = words[0] if words else ""
    rest = zip(call.args[1:], words[1:], strict=True)
    is_asked = any(
        first[:2] == f"-{letter}" and not set(first[2:]) - more and (letter != "S" or bool(set(first[2:]) - {"q"}))
        for letter, more in _PACMAN_ASKS
    )
    if not (is_asked or words in (["--version"], ["-V"], ["--help"], ["-h"])) or any(
        _is_odd(word, field.start) and not is_listed(word, _PACMAN_FURTHER) for field, word in rest
    ):
        call.opaque("pacman in a way that the table does not list")
    for field in call.args[1:]:
        call.read(field)


def _is_odd(word: str, start: str) -> bool:
    return not start or start[0] == "-" or not word


COMMANDS: Final = (
    *rows_by(_TABLE),
    Row("rpm", is_free=True, reads=False, act=_rpm),
    Row("pacman", is_free=True, reads=False, act=_pacman),
)
