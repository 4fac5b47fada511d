"""The table of programs: which module holds the row of which program, loaded when the program is met.

Every shell call starts a fresh interpreter, and a call names few programs: a module is imported with its first row.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from harness_guard.shell.commands.model import Row

# Module -> the programs whose rows it holds. A test compares this with the modules.
MODULES: Final = {
    "archives": "tar gzip gunzip uncompress pigz unpigz zcat gzcat bzip2 bunzip2 bzcat xz unxz xzcat lzma unlzma lzcat "
    "zstd unzstd zstdcat zstdmt zip unzip zipinfo ar 7z 7za 7zz 7zr cpio",
    "coreutils": "ls dir vdir cat head tail wc nl tac cut tr paste fold fmt expand unexpand rev cmp comm join md5sum "
    "sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od strings hexdump stat readlink realpath grep "
    "nproc du look colrm echo true false : pwd basename dirname uname whoami id groups df seq sleep yes printenv "
    "uptime free lscpu who w users tty logname locale getconf ps pgrep pidof lsblk vmstat factor expr numfmt cal ncal "
    "base64 base32 lsof egrep fgrep printf test [ hostname which umask type wait times "
    "hash jobs date diff column file zgrep zegrep zfgrep",
    "files": "tee touch truncate mkdir rmdir rm unlink cp mv ln chmod chown chgrp install dd mktemp shred link mkfifo "
    "fallocate rsync",
    "git": "git",
    "openssl": "openssl",
    "find": "find",
    "search": "sort uniq xxd tree sed awk gawk mawk nawk rg fd fdfind ag",
    "system": "systemctl loginctl hostnamectl timedatectl launchctl networksetup diskutil tmutil hdiutil scutil spctl "
    "codesign defaults pkgutil profiles mdimport lipo plutil sips qlmanage symbols pmset otool textutil pkg-config "
    "findmnt lsmod pstree whereis sw_vers vm_stat system_profiler pmap pwdx clear tput dscl dmesg journalctl "
    "mount sysctl getent script caffeinate xattr say fzf readelf objdump nm size",
    "text": "pr tsort bc col colcrt ul shasum envsubst hd split csplit shuf iconv dos2unix unix2dos mac2unix unix2mac "
    "sponge patch perl jq yq bat",
    "cloud": "aws az gcloud gsutil doctl heroku fly flyctl",
    "containers": "docker podman docker-compose kubectl helm",
    "databases": "sqlite3 duckdb psql mysql mariadb sqlcmd redis-cli valkey-cli",
    "forges": "gh glab",
    "services": "terraform tofu packer vault brew ansible ansible-playbook ansible-inventory ansible-doc ansible-vault "
    "ansible-pull ansible-console ansible-test ansible-config ansible-galaxy cdk auth0 prometheus promtool "
    "systemd-analyze systemd-detect-virt systemd-cgls systemd-path resolvectl tmux screen crontab at atq security",
    "macos": "sample open applesingle macbinary",
    "network": "ip ifconfig netstat route nmcli iw ss arp ping ping6 traceroute traceroute6 tracepath mtr whois host "
    "nslookup dig ssh ssh-keyscan ssh-keygen gpg",
    "transfer": "curl wget",
    "linters": "ruff black isort mypy flake8 gofmt goimports clang-format shellcheck yamllint hadolint shfmt xmllint",
    "binaries": "strip objcopy ranlib",
    "terminal": "figlet toilet lolcat uuidgen lsb_release lsipc lslocks lslogins lsns lsmem lsirq lsusb iostat mpstat "
    "last lastlog ipcs pathchk dircolors errno isutf8 ts locate plocate whatis apropos tokei duf dust hexyl eza exa "
    "lsd pdfinfo c++filt addr2line getfacl getfattr lsattr namei chardet less more man sdiff lspci cowsay cowthink pv "
    "pdftotext ldconfig setfattr setfacl",
    "packages": "npm bun deno pip pip3 uv pipx conda mamba gem cargo cargo-fmt rustc rustfmt rustup "
    "go apt apt-get apt-cache apt-mark apt-config dpkg dpkg-query dnf yum apk snap flatpak pre-commit rpm pacman",
    "interpreters": "python python3 node php luac ruby lua luajit java javac swift ghc kotlinc R Rscript julia zig tsc "
    "pyright gcc g++ cc c++ clang clang++ ld as make cmake ctest ninja meson",
    "starters": "nohup setsid time chrt taskset flock setarch linux32 linux64 arch busybox toybox chronic ifne",
    "wrappers": "env nice timeout stdbuf ionice command builtin xargs",
}


class Table:
    """Rows by program name."""

    __slots__ = ("_homes", "_rows")

    def __init__(self) -> None:
        """Load nothing yet."""
        self._homes = {name: module for module, names in MODULES.items() for name in names.split()}
        self._rows: dict[str, Row] = {}

    def get(self, name: str) -> Row | None:
        """Give a program's row, ``None`` for a program that the table does not hold."""
        module = self._homes.get(name)
        if module is not None and name not in self._rows:
            self._rows.update((row.name, row) for row in rows_of(module))
        return self._rows.get(name) if module is not None else None

    def items(self) -> Iterator[tuple[str, Row]]:
        """Give every row; this loads all modules."""
        for module in MODULES:
            yield from ((row.name, row) for row in rows_of(module))


def rows_of(module: str) -> tuple[Row, ...]:
    """Give the rows of one module."""
    loaded = __import__(f"harness_guard.shell.commands.{module}", fromlist=["COMMANDS"])
    rows: tuple[Row, ...] = loaded.COMMANDS
    return rows


TABLE: Final = Table()

# Known writers that the table does not model: their targets cannot be told, which pauses instead of merely refusing.
WRITERS: Final = frozenset(("scp", "mknod", "ed", "ex"))
