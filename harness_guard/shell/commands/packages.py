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

from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.commands.verbs import Asked, Verbs, asks_by, known, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_NPM_OPTIONS: Final = (
    "--json --long -l --all -a --global -g --depth* --omit=* --include=* --prod --production --dev --parseable -p "
    "--silent -s --quiet -q --color=* --no-color --no-progress --audit-level=* --workspaces -ws --link --loglevel=* "
    "--verbose --package-lock-only --searchlimit=* --offline --prefer-offline"
)
_PIP: Final = Asked(
    (
        Verbs(
            "list show freeze check inspect",
            "--user --not-required --format* --outdated -o --uptodate -u --editable -e --local -l --pre --json "
            "--verbose -v -vv -vvv --files -f --all --exclude* --disable-pip-version-check --no-color --no-input "
            "--quiet -q --path* --help -h --no-index",
        ),
        Verbs("config.list config.get config.debug cache.dir cache.info cache.list debug", "-v --verbose --user"),
        Verbs("hash", "-a --algorithm*"),
        Verbs("index.versions", "--pre --json --disable-pip-version-check", asks="the package index"),
        Verbs("help", is_bare=True),
    ),
    tells="--version -V --help -h",
    leading="--no-color --disable-pip-version-check --no-input --isolated -q -v",
    is_bare=True,
)
_CONDA: Final = Asked(
    (
        Verbs(
            "list info env.list compare",
            "-n --name* -p --prefix* --json --envs -e -a --all --explicit --export --revisions -c --canonical -f "
            "--full-name --no-pip -v --verbose -q --quiet",
        ),
        Verbs("config", "--show --show-sources --get --json", needs="--show --show-sources --get"),
        Verbs("search", "--json --info -i -c --channel* --override-channels", asks="the conda channels"),
    ),
    tells="--version -V --help -h",
)
_RUST_FILES: Final = "rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml"
_APT: Final = "--no-pager -q -qq -a --all-versions -i --installed --upgradable --upgradeable -n --names-only -f --full"
_DNF: Final = Asked(
    (
        Verbs(
            "list info search provides repoquery repolist check-update deplist history.list history.info grouplist",
            "-q -v -C --quiet --verbose --cacheonly --installed --available --all --enabled --disabled --updates "
            "--showduplicates --list -l --requires --whatprovides --whatrequires --latest-limit=* --qf=* "
            "--queryformat=*",
            asks="the package repositories",
        ),
    ),
    leading="-q -C",
)

_TABLE: Final = {
    "npm": Asked(
        (
            Verbs("ls list la ll explain why query config.list config.ls config.get get pkg.get", _NPM_OPTIONS),
            Verbs("root prefix bin fund version help-search completion", _NPM_OPTIONS, is_bare=True),
            Verbs(
                "view info show v search s se find dist-tag.ls dist-tag.list owner.ls owner.list",
                _NPM_OPTIONS,
                asks="the npm registry",
                takes_names=True,
            ),
            Verbs("outdated audit ping whoami", _NPM_OPTIONS, asks="the npm registry", is_bare=True),
        ),
        tells="--version -v --versions -h",
        leading="-g --global --silent -s",
        absent=".npmrc",
    ),
    "bun": Asked((Verbs("pm.ls", "--all", is_bare=True),), tells="--version -v --revision --help -h"),
    "deno": Asked((), tells="--version -V -v --help -h"),
    "pip": _PIP,
    "pip3": _PIP,
    "uv": Asked(
        (
            Verbs("cache.dir tool.dir python.dir", is_bare=True),
            Verbs("self.version", "--short", is_bare=True),
        ),
        tells="--version -V --help -h",
        is_bare=True,
    ),
    "pipx": Asked((Verbs("list environment", "--short --json --include-injected --value* -V"),)),
    "conda": _CONDA,
    "mamba": _CONDA,
    "gem": Asked(
        (
            Verbs("list info which contents dependency specification environment env query help",
                  "-l --local -a --all -d --details -v --version* -i --installed --no-verbose -q --quiet --exact -e "
                  "--versions --no-versions"),
            Verbs("search", "-d --details -e --exact -a --all -v --version* -q", asks="the gem server"),
            Verbs("outdated", asks="the gem server", is_bare=True),
        ),
        tells="--version -v --help -h",
    ),
    "cargo": Asked(
        (
            Verbs("locate-project read-manifest verify-project pkgid",
                  "--workspace --message-format* -q --quiet --offline --locked --frozen"),
            Verbs("metadata", "--no-deps --format-version* -q --quiet --offline --locked --frozen", needs="--no-deps"),
            Verbs(
                "tree",
                "-e --edges* -i --invert* -d --duplicates -p --package* --depth* --prefix* --no-dedupe --workspace "
                "--all --features* --all-features --no-default-features --target* --charset* -f --format* -q --quiet "
                "--locked --frozen --offline",
                asks="the crate registry",
                needs="--locked --frozen",
            ),
            Verbs("search", "--limit* -q --quiet", asks="the crate registry", takes_names=True),
        ),
        tells="--version -V -vV version --list --help -h",
        absent=_RUST_FILES,
    ),
    # Other kinds take a source, which is then compiled; ``KIND=FILE`` writes the answer to a file.
    "rustc": Asked(
        (
            Verbs(
                "--print.sysroot --print.cfg --print.target-list --print.target-cpus --print.target-features "
                "--print.target-libdir --print.host-tuple",
                is_bare=True,
            ),
        ),
        tells="--version -V -vV --help -h --print=sysroot --print=cfg --print=target-list --print=target-libdir",
        absent=_RUST_FILES,
    ),
    "rustfmt": Asked((), tells="--version -V --help -h", absent=_RUST_FILES),
    "cargo-fmt": Asked((), tells="--version -V --help -h", absent=_RUST_FILES),
    "rustup": Asked(
        (Verbs("show toolchain.list target.list component.list which", "--installed --toolchain* -v --verbose"),),
        tells="--version -V --help -h",
        absent=_RUST_FILES,
    ),
    "go": Asked(
        (
            Verbs("version", "-m -v"),
            Verbs("env", "-json -changed"),
            Verbs("list", "-json* -m -f -f=* -e -find -deps -test", asks="the module proxy"),
            Verbs("doc", "-all -src -short -u -c -cmd"),
            Verbs("mod.graph mod.why mod.verify", "-m -vendor", asks="the module proxy"),
            Verbs("help"),
        ),
        tells="-h",
        is_bare=True,
    ),
    "apt": Asked(
        (Verbs("list show search policy depends rdepends showsrc", _APT), Verbs("help", is_bare=True)),
        tells="--version -v --help -h",
    ),
    "apt-get": Asked(
        (
            Verbs(
                "install remove purge upgrade dist-upgrade full-upgrade autoremove build-dep check indextargets",
                "-s --simulate --just-print --dry-run --recon --no-act -y --yes -q -qq -V --verbose-versions -u "
                "--no-install-recommends --ignore-missing",
                needs="-s --simulate --just-print --dry-run --recon --no-act",
            ),
        ),
        tells="--version -v --help -h",
        leading="-s --simulate --just-print --dry-run --recon --no-act -y -q -qq",
    ),
    "apt-cache": Asked(
        (
            Verbs("policy show search depends rdepends pkgnames stats madison showpkg showsrc unmet dump dumpavail",
                  "-n --names-only -f --full -a --all-versions -i --important --installed --recurse --no-* -q "
                  "--generate"),
        ),
        tells="--version -v --help -h",
    ),
    "apt-mark": Asked((Verbs("showauto showmanual showhold showinstall showremove"),)),
    "apt-config": Asked((Verbs("dump", is_bare=True),)),
    "dpkg": Asked(
        (
            Verbs("-l --list -L --listfiles -s --status -S --search -p --print-avail --get-selections -c --contents -I "
                  "--info -V --verify -C --audit --compare-versions --print-architecture --print-foreign-architectures",
                  "--no-pager"),
        ),
        leading="--no-pager",
    ),
    "dpkg-query": Asked(
        (
            Verbs(
                "-l --list -L --listfiles -s --status -S --search -p --print-avail -W --show", "-f* --showformat* -W"
            ),
        ),
        leading="-f=* --showformat=* --no-pager",
    ),
    "dnf": _DNF,
    "yum": _DNF,
    "apk": Asked(
        (
            Verbs("info list policy dot audit",
                  "-a -d -e -L -R -P -r -t -v -vv -q -w -I -u -O --all --installed --who-owns --contents --description "
                  "--depends --available --upgradable"),
            Verbs("search version stats", "-a -d -e -v -q -x -o -l --all --exact", asks="the package repositories"),
        ),
        tells="--version -V --help -h",
    ),
    "snap": Asked(
        (
            Verbs("list services connections interfaces version warnings", "--all --color=* --unicode=*"),
            Verbs("info find search", "--verbose --narrow", asks="the snap store"),
        ),
    ),
    "flatpak": Asked(
        (
            Verbs("list info remotes ps history", "--app --runtime --user --system --columns=* -d --show-details -a "
                  "--all -m -r -s --show-*"),
            Verbs("search remote-ls remote-info", "--user --system --columns=* --app --runtime", asks="the remotes"),
        ),
    ),
    "pre-commit": Asked(
        (Verbs("validate-config validate-manifest"), Verbs("help", is_bare=True)), tells="--version -V --help -h"
    ),
}  # fmt: skip

_RPM_LETTERS: Final = frozenset("qailfpcdRsgv")
_RPM_FURTHER: Final = (
    "--last --requires --provides --changelog --scripts --conflicts --info --list --all --file --whatprovides "
    "--whatrequires --obsoletes --recommends --suggests --docfiles --configfiles --state --dump --qf --qf=* "
    "--queryformat --queryformat=* --nosignature --nodigest --filesbypkg -l -i -a -f -p -c -d -R"
)
_PACMAN_ASKS: Final = (("Q", frozenset("acdegiklmnopqstuv")), ("S", frozenset("silgq")), ("F", frozenset("lxq")))


def _rpm(call: Call, _options: Options) -> None:
    """A query: ``-q`` comes first, and the letters behind it only say what is shown."""
    words = [known(field) for field in call.args]
    if words in (["--version"], ["--help"]):
        return
    first = words[0] if words else ""
    is_query = first == "--query" or (first[:2] == "-q" and first[1:2] != "-" and not set(first[1:]) - _RPM_LETTERS)
    rest = zip(call.args[1:], words[1:], strict=True)
    if not is_query or any(_is_odd(word, field.start) and not matches(word, _RPM_FURTHER) for field, word in rest):
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
        _is_odd(word, field.start) and not matches(word, "--color=* --noconfirm -q -i -l -s") for field, word in rest
    ):
        call.opaque("pacman in a way that the table does not list")
    for field in call.args[1:]:
        call.read(field)


def _is_odd(word: str, start: str) -> bool:
    return not start or start[0] == "-" or not word


COMMANDS: Final = (
    *(Row(name, is_free=True, reads=False, act=asks_by(_TABLE)) for name in _TABLE),
    Row("rpm", is_free=True, reads=False, act=_rpm),
    Row("pacman", is_free=True, reads=False, act=_pacman),
)
