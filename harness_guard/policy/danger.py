"""Hard danger: what no plan and no approval makes right, told from the programs that a command starts.

The rules read argument vectors, never text: a commit message that mentions ``rm -rf /`` is no danger. Wrappers
(``env``, ``timeout``, ``xargs``, ``sh -c``, ``find -exec``) show their inner programs as programs of their own;
those that the table does not know (``sudo``, ``ssh``) are unwrapped here. Each row of ``RULES`` is one rule.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Final, Protocol

    class Started(Protocol):
        """A program as the shell room gives it."""

        @property
        def argv(self) -> tuple[str | None, ...]:
            """Words; ``None`` for an unknown one."""

        @property
        def cwd(self) -> str:
            """Folder it starts in."""

        @property
        def text(self) -> str:
            """Its words for the reason."""

        @property
        def group(self) -> int:
            """Number of the pipeline."""

        @property
        def writes_to(self) -> tuple[str, ...]:
            """Where its output goes."""

    class Told(Protocol):
        """Effects, as far as these rules look at them."""

        @property
        def programs(self) -> Sequence[Started]:
            """Programs started."""

    Test = Callable[[Started, list[str]], bool]


@dataclass(frozen=True, slots=True)
class Danger:
    """A hard danger that was found: the rule's id and what was seen."""

    rule: str
    seen: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Stable id, ``danger.what``.
        what: What would happen, for the reason.
        programs: Names it looks at, separated by blanks; ``*`` for any.
        test: Whether a program with these words (unknown ones left empty) is the danger.
    """

    id: str
    what: str
    programs: str
    test: Test


def _always(_program: Started, _words: list[str]) -> bool:
    return True


def _starts(*heads: str) -> Test:
    """The words behind the options start with one of these phrases."""
    wanted = [head.split() for head in heads]

    def test(_program: Started, words: list[str]) -> bool:
        plain = [word for word in words if not word.startswith("-")]
        return any(plain[: len(head)] == head for head in wanted)

    return test


def _letters(words: list[str]) -> set[str]:
    return {letter for word in words if word.startswith("-") and not word.startswith("--") for letter in word[1:]}


def _operands(words: list[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


_PRECIOUS = frozenset(
    ("/", "~", ".", "..", "*", "./*", "/*", "~/", "~/*", ".git", "./.git", "./", "../", "/home", "/root", "/etc",
     "/usr",
     "/var", "/bin", "/sbin", "/lib", "/boot", "/dev", "/opt", "/sys", "/proc", "/Users", "/System", "/Library",
     "$HOME",
     "/lib64", "/srv", "/mnt", "/home/*", "/etc/*", "/usr/*", "/var/*", ".*", "../*", "../..", "../../..")
)  # fmt: skip

HOME_DEPTH = 2  # /home/NAME
OCTAL_DIGITS = 4  # with the set-id digit in front
_SYSTEM = frozenset(("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "sbin", "sys", "usr", "System", "Library"))


def _is_precious(program: Started, word: str) -> bool:
    bare = word.rstrip("/") or "/"
    if word in _PRECIOUS or bare in _PRECIOUS or bare.endswith("/.git"):
        return True
    parts: list[str] = []
    for part in (word if word.startswith("/") else f"{program.cwd}/{word}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    while parts and not set(parts[-1]) - set("*.?{},["):
        parts.pop()  # everything in a folder is the folder
    whole = "/" + "/".join(parts)
    if (parts[:1] and parts[0] in _SYSTEM) or (len(parts) == 1 and set(parts[0]) & set("*?[")):
        return True
    is_home = len(parts) == HOME_DEPTH and parts[0] in {"home", "Users"}
    return (
        whole in _PRECIOUS
        or is_home
        or (bool(program.cwd) and f"{program.cwd}/".startswith(f"{whole.removesuffix('/*')}/"))
    )


def _wipes(program: Started, words: list[str]) -> bool:
    is_recursive = bool(_letters(words) & {"r", "R"}) or "--recursive" in words or "--no-preserve-root" in words
    return is_recursive and any(_is_precious(program, word) for word in _operands(words) if word)


def _find_wipes(program: Started, words: list[str]) -> bool:
    filters = {
        "-name",
        "-iname",
        "-path",
        "-type",
        "-mtime",
        "-size",
        "-newer",
        "-regex",
        "-mmin",
        "-empty",
        "-maxdepth",
    }
    deletes = "-delete" in words or "rm" in words
    root = words[0] if words else "."
    return deletes and _is_precious(program, root) and (root not in {".", "./"} or not filters & set(words))


def _moves_precious(program: Started, words: list[str]) -> bool:
    operands = _operands(words)
    return len(operands) > 1 and any(_is_precious(program, word) for word in operands[:-1] if word not in {"*", "./*"})


def _is_device(path: str) -> bool:
    kinds = (
        "sd",
        "hd",
        "nvme",
        "vd",
        "xvd",
        "mmcblk",
        "disk",
        "mapper/",
        "loop",
        "dm-",
        "rdisk",
        "mem",
        "kmem",
        "port",
    )
    return path.startswith(tuple(f"/dev/{kind}" for kind in kinds))


def _writes_device(program: Started, words: list[str]) -> bool:
    targets = [word[3:] for word in words if word.startswith("of=")]
    return any(_is_device(path) for path in (*targets, *program.writes_to))


def _overwrites_system(program: Started, _words: list[str]) -> bool:
    return any(path.startswith(("/etc/", "/boot/", "/usr/", "/bin/", "/sbin/", "/lib/")) for path in program.writes_to)


def _device_operand(_program: Started, words: list[str]) -> bool:
    return any(_is_device(word) for word in _operands(words))


_GIT_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"))


def _git_words(words: list[str]) -> list[str]:
    """Git's words without the options in front of its subcommand."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in _GIT_VALUED else 1
    return words[index:]


def _git(test: Callable[[str, list[str]], bool]) -> Test:
    def run(_program: Started, words: list[str]) -> bool:
        rest = _git_words(words)
        return bool(rest) and test(rest[0], rest[1:])

    return run


def _pushes_by_force(name: str, words: list[str]) -> bool:
    if name != "push":
        return False
    if "--dry-run" in words or "n" in _letters(words):
        return False
    safer = ("--force-with-lease", "--force-if-includes")  # these refuse to overwrite what was not seen
    words = [word for word in words if not word.startswith(safer)]
    forced = "f" in _letters(words) or any(
        word.startswith(("--force", "--mirror", "--delete", "--prune")) for word in words
    )
    return (
        forced
        or "d" in _letters(words)
        or any(word.startswith(("+", ":")) and len(word) > 1 for word in _operands(words))
    )


def _rewrites(name: str, words: list[str]) -> bool:
    if name in {"filter-branch", "filter-repo"}:
        return True
    if name == "reflog":
        return words[:1] in (["expire"], ["delete"])
    return (name == "update-ref" and bool({"-d", "--stdin"} & set(words))) or (name == "gc" and "--prune=now" in words)


def _loses_work(name: str, words: list[str]) -> bool:
    letters = _letters(words)
    if name == "reset":
        return "--hard" in words or "--merge" in words
    if name == "clean":
        return ("f" in letters or "--force" in words) and "n" not in letters and "--dry-run" not in words
    if name == "branch":
        return "D" in letters or ("--delete" in words and "--force" in words) or ("d" in letters and "f" in letters)
    if name == "stash":
        return words[:1] in (["drop"], ["clear"])
    if name in {"checkout", "switch"}:
        return "f" in letters or "--force" in words or "--discard-changes" in words or words[-1:] == ["."]
    if name == "restore":
        return words[-1:] in (["."], ["*"], [":/"]) and "--staged" not in words
    return name == "worktree" and words[:1] == ["remove"] and ("--force" in words or "f" in letters)


def _moves_hooks(name: str, words: list[str]) -> bool:
    reading = {"--get", "--get-all", "--list", "-l", "--unset", "get"}
    named = [word.lower() for word in words]
    return name == "config" and "core.hookspath" in named and not reading & set(words) and named[-1] != "core.hookspath"


def _opens_all(_program: Started, words: list[str]) -> bool:
    modes = [word for word in _operands(words)[:1] if word]
    letters = {
        "o+w",
        "a+w",
        "+w",
        "a+rwx",
        "ugo+rwx",
        "o+rwx",
        "a=rwx",
        "ugo=rwx",
        "o=rwx",
        "777",
        "0777",
        "666",
        "0666",
        "a+rw",
    }
    is_setuid = any(
        mode in {"u+s", "g+s", "+s", "ug+s"} or (len(mode) == OCTAL_DIGITS and mode[0] in "2467" and mode.isdigit())
        for mode in modes
    )
    return is_setuid or any(mode in letters for mode in modes)


def _precious_owner(program: Started, words: list[str]) -> bool:
    is_recursive = "R" in _letters(words) or "--recursive" in words
    return is_recursive and any(_is_precious(program, word) for word in _operands(words)[1:])


_SECRETS = (
    "/.ssh/id_", "/.aws/credentials", "/.gnupg/", "/.netrc", "/.pgpass", "/.docker/config.json", "/.kube/config",
    "/.config/gcloud/", "/.config/gh/hosts.yml", "/.git-credentials", "/.azure/", "/.npmrc", "/.pypirc", "/etc/shadow",
    "/etc/gshadow", "/etc/sudoers", "/.vault-token", "/.claude/.credentials.json", "/.codex/auth.json",
    "/.password-store/",
    "/proc/self/environ",
)  # fmt: skip
_NAMES_ALONE = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")


def _is_secret(word: str) -> bool:
    path = "/" + word.removeprefix("@").partition("=")[2] if word.startswith("-") else "/" + word.lstrip("@")
    last = path.rpartition("/")[2]
    return any(secret in path for secret in _SECRETS) or last in _NAMES_ALONE


def _reads_secret(_program: Started, words: list[str]) -> bool:
    return any(_is_secret(word) for word in words if not word.endswith(".pub"))


def _uploads_env(_program: Started, words: list[str]) -> bool:
    return any("@" in word and word.rpartition("@")[2].rpartition("/")[2].startswith(".env") for word in words)


def _prints_credential(_program: Started, words: list[str]) -> bool:
    plain = _operands(words)
    return any(
        "find-generic-password" in word or "find-internet-password" in word or "dump-keychain" in word for word in plain
    )


_SQL = (
    "drop table",
    "drop database",
    "drop schema",
    "truncate ",
    "delete from",
    "dropdatabase",
    "flushall",
    "flushdb",
    "drop user",
)


def _drops(_program: Started, words: list[str]) -> bool:
    for word in words:
        lowered = " ".join(word.lower().split()) + " "
        if any(phrase in lowered for phrase in _SQL) and not ("delete from" in lowered and " where " in lowered):
            return True
    return False


def _publishes_package(_program: Started, words: list[str]) -> bool:
    is_dry = "--dry-run" in words or "-n" in words
    return not is_dry and any(word in {"publish", "unpublish"} for word in _operands(words)[:3])


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return [(words[index - 1], words[index]) for index in range(1, len(words))]


def _switches_off(program: Started, words: list[str]) -> bool:
    name = (program.argv[0] or "").rpartition("/")[2]
    plain = _operands(words)
    if name == "claude":
        return (
            plain[:2] in (["plugin", "disable"], ["plugin", "uninstall"], ["plugin", "remove"])
            or "--dangerously-skip-permissions" in words
        )
    return (
        any(word.startswith(("features.hooks=false", "features.hooks=0")) for word in words)
        or any(first == "--disable" and second == "hooks" for first, second in _pairs(words))
        or "--dangerously-bypass-approvals-and-sandbox" in words
        or plain[:2] in (["plugin", "remove"], ["plugin", "disable"])
    )


def _cluster(_program: Started, words: list[str]) -> bool:
    plain = _operands(words)
    return any(word in {"delete", "drain", "destroy", "uninstall"} for word in plain[:2])


def _cloud(_program: Started, words: list[str]) -> bool:
    plain = _operands(words)
    if plain[:2] == ["s3", "rm"] or plain[:2] == ["s3", "rb"]:
        return True
    heads = ("delete", "terminate", "destroy", "remove", "purge", "deregister")
    return any(word.startswith(heads) for word in plain[1:5]) or "--delete" in words


def _containers(_program: Started, words: list[str]) -> bool:
    plain = _operands(words)
    if plain[:2] in (
        ["system", "prune"],
        ["volume", "rm"],
        ["volume", "prune"],
        ["image", "prune"],
        ["container", "prune"],
    ):
        return True
    if plain[:1] == ["push"] or plain[:2] == ["image", "push"]:
        return True
    privileged = "--privileged" in words or any(
        word.startswith(("/:/", "-v/:", "/var/run/docker.sock")) for word in words
    )
    return plain[:1] in (["run"], ["create"]) and privileged


def _stops_all(_program: Started, words: list[str]) -> bool:
    plain = _operands(words)
    return "-1" in words[1:] or plain[-1:] in (["1"], ["-1"]) or words[-1:] == ["-1"]


def _cron(_program: Started, words: list[str]) -> bool:
    return "r" in _letters(words)


RULES: Final = (
    Rule("danger.destroy", "it would remove a folder that is not to be lost", "rm", _wipes),
    Rule("danger.destroy", "it would remove a folder that is not to be lost", "find", _find_wipes),
    Rule("danger.destroy", "it would move away a folder that is not to be lost", "mv", _moves_precious),
    Rule("danger.device", "it would overwrite a device", "*", _writes_device),
    Rule("danger.system", "it would write into a system folder", "*", _overwrites_system),
    Rule("danger.device", "it would overwrite a device", "tee cp shred wipefs", _device_operand),
    Rule(
        "danger.device",
        "it would format or partition a device",
        "mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs mkswap fdisk sfdisk gdisk "
        "parted sgdisk "
        "cryptsetup blkdiscard hdparm lvremove vgremove pvremove",
        _always,
    ),
    Rule(
        "danger.device",
        "it would format or partition a device",
        "diskutil",
        _starts(
            "eraseDisk",
            "eraseVolume",
            "partitionDisk",
            "reformat",
            "zeroDisk",
            "secureErase",
            "apfs deleteContainer",
            "apfs deleteVolume",
        ),
    ),
    Rule("danger.shred", "it would make files unrecoverable", "shred wipe srm", _always),
    Rule("danger.history", "it would overwrite history on a remote", "git", _git(_pushes_by_force)),
    Rule("danger.history", "it would rewrite history", "git", _git(_rewrites)),
    Rule("danger.history", "it would rewrite history", "git-filter-repo bfg", _always),
    Rule("danger.work", "it would throw away uncommitted or unmerged work", "git", _git(_loses_work)),
    Rule("danger.hooks", "it would lead git's hooks elsewhere", "git", _git(_moves_hooks)),
    Rule(
        "danger.publish",
        "it would publish a package",
        "npm pnpm yarn cargo bun poetry uv flit hatch lerna",
        _publishes_package,
    ),
    Rule("danger.publish", "it would publish", "twine", _starts("upload")),
    Rule("danger.publish", "it would publish", "gem", _starts("push", "yank")),
    Rule(
        "danger.publish",
        "it would publish or remove on the forge",
        "gh",
        _starts(
            "release create",
            "release delete",
            "repo delete",
            "repo archive",
            "secret set",
            "secret delete",
            "release upload",
            "pr merge",
        ),
    ),
    Rule(
        "danger.privilege",
        "it would take another user's rights",
        "sudo su doas pkexec runuser sudoedit visudo",
        _always,
    ),
    Rule("danger.permissions", "it would open files to everybody or give them a set-id bit", "chmod", _opens_all),
    Rule(
        "danger.permissions",
        "it would change permissions or owner of a whole system folder",
        "chmod chown chgrp",
        _precious_owner,
    ),
    Rule(
        "danger.account",
        "it would change accounts of the machine",
        "passwd useradd userdel usermod groupdel chpasswd adduser deluser",
        _always,
    ),
    Rule(
        "danger.machine",
        "it would stop or change the machine",
        "shutdown reboot halt poweroff init telinit insmod rmmod modprobe kexec swapoff",
        _always,
    ),
    Rule(
        "danger.machine",
        "it would change services of the machine",
        "systemctl",
        _starts("stop", "disable", "mask", "poweroff", "reboot", "halt", "kill", "isolate", "rescue"),
    ),
    Rule("danger.machine", "it would end every process", "kill", _stops_all),
    Rule("danger.machine", "it would remove every scheduled job", "crontab", _cron),
    Rule(
        "danger.machine",
        "it would drop firewall rules",
        "iptables ip6tables nft ufw pfctl",
        lambda _program, words: bool({"-F", "--flush", "flush", "disable", "reset", "-X"} & set(words)),
    ),
    Rule("danger.secret", "it would read credentials", "*", _reads_secret),
    Rule("danger.secret", "it would send a file of secrets", "curl wget http https", _uploads_env),
    Rule("danger.secret", "it would print credentials", "security", _prints_credential),
    Rule("danger.secret", "it would print credentials", "gh", _starts("auth token")),
    Rule(
        "danger.secret",
        "it would print credentials",
        "gcloud",
        _starts("auth print-access-token", "auth print-identity-token"),
    ),
    Rule("danger.secret", "it would print credentials", "vault", _starts("read", "kv get", "token create")),
    Rule(
        "danger.secret",
        "it would print credentials",
        "aws",
        _starts("secretsmanager get-secret-value", "sts get-session-token", "configure export-credentials"),
    ),
    Rule(
        "danger.secret",
        "it would export private keys",
        "gpg gpg2",
        lambda _program, words: any(word.startswith("--export-secret") for word in words),
    ),
    Rule(
        "danger.database",
        "it would drop or empty data",
        "psql mysql mariadb sqlite3 mongosh mongo redis-cli clickhouse-client sqlcmd",
        _drops,
    ),
    Rule(
        "danger.database",
        "it would drop a database",
        "dropdb dropuser mysqladmin",
        lambda program, words: (program.argv[0] or "").endswith(("dropdb", "dropuser")) or "drop" in words,
    ),
    Rule(
        "danger.infrastructure",
        "it would destroy infrastructure",
        "terraform tofu terragrunt pulumi cdk",
        lambda _program, words: (
            bool({"destroy", "-destroy"} & set(words))
            or ("apply" in words and any(w.startswith(("-auto-approve", "--auto-approve")) for w in words))
        ),
    ),
    Rule("danger.infrastructure", "it would destroy cluster resources", "kubectl oc helm", _cluster),
    Rule(
        "danger.infrastructure",
        "it would destroy cloud resources",
        "aws gcloud az doctl heroku flyctl fly gsutil",
        _cloud,
    ),
    Rule("danger.containers", "it would destroy, publish or open up containers", "docker podman", _containers),
    Rule("danger.guard", "it would switch the host's hooks or safety off", "claude codex", _switches_off),
)

_DOWNLOADERS = frozenset(("curl", "wget", "fetch", "aria2c", "http", "https", "lwp-request"))
_INTERPRETERS = frozenset(
    ("sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "python2", "perl", "ruby", "node", "php",
     "deno", "bun",
     "eval", "source", ".", "pwsh", "powershell", "tclsh", "lua")
)  # fmt: skip
_DECODERS = frozenset(("base64", "base32", "xxd", "openssl"))
# Programs in front of another one that the shell room's table does not open: option letters with a value.
_OUTER = {
    "sudo": "ugUCpDhrT", "doas": "uC", "ssh": "", "nohup": "", "time": "fo", "exec": "a", "strace": "eopsuE",
    "watch": "n",
    "flock": "wE", "chroot": "", "unshare": "", "nsenter": "", "busybox": "", "caffeinate": "", "parallel": "j",
    "taskset": "",
    "env": "uSC", "nice": "n", "timeout": "sk", "xargs": "IndLPsEa", "command": "", "builtin": "", "stdbuf": "ioe",
    "ionice": "cn", "setsid": "", "runuser": "u", "then": "", "do": "",
}  # fmt: skip


def _name(word: str | None) -> str:
    return (word or "").rpartition("/")[2]


def _layers(program: Started) -> list[list[str]]:
    """A program's words, and those of each program that its words start in turn."""
    words = [word or "" for word in program.argv]
    layers = []
    for _ in range(6):
        if not words:
            break
        layers.append(words)
        name = _name(words[0])
        if name not in _OUTER:
            break
        words = _behind(words[1:], _OUTER[name])
        if name in {"timeout", "chroot", "ssh", "flock"}:
            words = words[1:]
        if len(words) == 1 and " " in words[0]:
            words = words[0].split()
    return layers


def _behind(words: list[str], valued: str) -> list[str]:
    index = 0
    while index < len(words):
        word = words[index]
        if word.startswith("-") and len(word) > 1:
            index += 2 if word[2:] == "" and word[1] in valued else 1
        elif "=" in word and word.partition("=")[0].isidentifier():
            index += 1
        else:
            break
    return words[index:]


def danger_of(command: str, effects: Told) -> Danger | None:
    """Tell whether a command is a hard danger.

    Args:
        command: Its text, for the reason alone.
        effects: What the shell room found.

    Returns:
        The first rule that holds, in the order of the programs; ``None`` for none.
    """
    del command
    if _is_fork_bomb(effects):
        return Danger("danger.fork-bomb", "a function that starts itself twice in the background")
    for program in effects.programs:
        for words in _layers(program):
            for rule in RULES:
                named = rule.programs == "*" or _name(words[0]) in rule.programs.split()
                if named and rule.test(program, words[1:]):
                    return Danger(rule.id, f"{rule.what}: `{program.text}`")
    return _piped(effects)


def _piped(effects: Told) -> Danger | None:
    """A download (or decoded text) that feeds an interpreter which takes its program from there."""
    sources: dict[int, str] = {}
    for program in effects.programs:
        names = {_name(words[0]) for words in _layers(program)}
        if names & _DOWNLOADERS or (names & _DECODERS and _decodes(program)):
            sources.setdefault(program.group, program.text)
    for program in effects.programs:
        layers = _layers(program)
        if (
            program.group in sources
            and layers
            and _name(layers[-1][0]) in _INTERPRETERS
            and _takes_program(program, layers[-1])
        ):
            return Danger(
                "danger.download", f"an interpreter would run what `{sources[program.group]}` gives: `{program.text}`"
            )
    return None


def _decodes(program: Started) -> bool:
    words = {word or "" for word in program.argv[1:]}
    return bool(words & {"-d", "-D", "--decode", "-r"}) or any(word.startswith("-di") for word in words)


def _takes_program(program: Started, layer: list[str]) -> bool:
    if None in program.argv:
        return True
    rest = [word for word in layer[1:] if word not in {"-", "-s", "--"}]
    operands = [word for word in rest if not word.startswith("-")]
    has_code = any(word in {"-c", "-e", "-m", "-r", "--eval"} for word in rest)
    return (
        "-s" in layer
        or "/dev/stdin" in operands
        or any(word.startswith("/dev/fd/") for word in operands)
        or not (operands or has_code)
    )


def _is_fork_bomb(effects: Told) -> bool:
    """``f(){ f|f& };f``: a name called from a pipeline with itself, that is no program anybody has."""
    for first in effects.programs:
        name = first.argv[0] if first.argv else None
        if (
            name
            and len(first.argv) == 1
            and not name.isalnum()
            and name not in {":", ".", "[", "/"}
            and "/" not in name
        ):
            continue
        twins = [other for other in effects.programs if other.argv == (name,) and other.group == first.group]
        if name == ":" and len(first.argv) == 1 and len(twins) > 1:
            return True
    return False
