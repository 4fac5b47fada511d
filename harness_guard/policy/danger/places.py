"""Paths that matter to danger rules: what is not to be lost, devices, system folders, credentials."""

from __future__ import annotations

from harness_guard.policy.credentials import is_secret_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SYSTEM: Final = frozenset(
    ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr", "System", "Library",
     "Applications")
)  # fmt: skip
_SOURCES: Final = ("usr", "src")  # where images of containers keep the project
_HOMES: Final = frozenset(("home", "Users"))
_STREAMS: Final = ("/dev/", "/proc/self/fd/")
_DEVICES: Final = tuple(
    f"/dev/{kind}"
    for kind in ("sd", "hd", "nvme", "vd", "xvd", "mmcblk", "disk", "mapper/", "loop", "dm-", "rdisk", "mem", "kmem",
                 "port", "md", "nbd", "pmem", "zd", "sr", "ram")
)  # fmt: skip
_GLOB: Final = frozenset("*?{},[]")
_WRITTEN_SYSTEM: Final = (
    "/etc/", "/boot/", "/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/sys/", "/proc/", "/System/", "/Library/",
    "/var/log/", "/var/spool/cron/", "/private/etc/",
)  # fmt: skip


def _parts(word: str, cwd: str) -> list[str]:
    """Resolve a word in a folder by its text; a home folder that stands as ``~`` or ``$HOME`` is one of two parts."""
    home = word.replace("${HOME}", "~").replace("$HOME", "~")
    if home == "~" or home.startswith("~/"):
        word = f"/home/~{home[1:]}"
    parts: list[str] = []
    for part in (word if word.startswith("/") else f"{cwd}/{word}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    while parts and word != "{}" and (not set(parts[-1]) - _GLOB or parts[-1] == ".*"):
        parts.pop()  # everything in a folder is the folder
    return parts[1:] if parts[:1] == ["private"] else parts


def is_vital(word: str, cwd: str) -> bool:
    """Tell whether a word names the root, a folder right below it, a system folder, a home or a repository's git.

    Args:
        word: A path as written.
        cwd: The folder it is resolved in, ``""`` if unknown.
    """
    parts = _parts(word, cwd)
    if not word or is_git_own(word, cwd):
        return bool(word)
    is_absolute = word.startswith(("/", "~", "$"))
    if not (is_absolute or cwd):
        return False
    if not parts or parts == ["root"]:
        return True
    if parts[0] in _SYSTEM:
        return parts[: len(_SOURCES)] != list(_SOURCES) or len(parts) <= len(_SOURCES) + 1
    if parts[0] in _HOMES and len(parts) <= len(("home", "name")):
        return True
    if parts[0] == "var" and parts[-1] != "tmp" and (len(parts) <= len(("var", "log")) or parts[1] == "log"):
        return True
    return len(parts) == 1 and parts != ["tmp"] and (is_absolute or word.startswith("..")) and not _holds(parts, cwd)


def _is_git_store(parts: list[str]) -> bool:
    """Whether a path is a repository's objects or references, in ``.git`` or in a bare repository."""
    vital = ("objects", "refs", "hooks", "worktrees", "HEAD", "packed-refs", "logs", "config")
    return any(
        part.endswith(".git") and (parts[place + 1] in vital or bool(set(parts[place + 1]) & _GLOB))
        for place, part in enumerate(parts[:-1])
    )


def is_git_own(word: str, cwd: str) -> bool:
    """Tell whether a word names ``.git`` itself, or the objects, references or hooks in it."""
    parts = _parts(word, cwd)
    return bool(word) and bool(parts) and (parts[-1] == ".git" or _is_git_store(parts))


def _holds(parts: list[str], cwd: str) -> bool:
    return bool(cwd) and f"{cwd}/".startswith("/" + "".join(f"{part}/" for part in parts))


def is_precious(word: str, cwd: str) -> bool:
    """Tell whether a word names what is vital, or the folder that the program runs in or one around it."""
    if not word:
        return False
    if word in {".", "./", "..", "../", "*", "./*", "../*", ".*", "../.."}:
        return True
    return is_vital(word, cwd) or _holds(_parts(word, cwd), cwd)


def is_precious_to_move(word: str, cwd: str) -> bool:
    """Like ``is_precious``, but moving what lies in the present folder is everyday work."""
    return word not in {"*", "./*"} and is_precious(word, cwd)


def is_around(word: str, cwd: str) -> bool:
    """Tell whether a word names the folder that the program runs in, or one around it."""
    return word in {".", "./"} or (is_precious(word, cwd) and not is_vital(word, cwd))


def is_device(word: str, _cwd: str) -> bool:
    """Tell whether a word names a disk or the memory."""
    return word.startswith(_DEVICES)


def is_device_output(word: str, cwd: str) -> bool:
    """Tell whether a word is dd's output onto a device."""
    return word.startswith("of=") and is_device(word.removeprefix("of="), cwd)


def is_below_dev(word: str, _cwd: str) -> bool:
    """Tell whether a word names anything that may be a device."""
    return word.startswith(("/dev/", "disk")) or not word


def is_system_file(word: str, _cwd: str) -> bool:
    """Tell whether a path lies in a system folder (streams aside)."""
    path = word.replace("//", "/")
    return path.startswith(_WRITTEN_SYSTEM) and not path.startswith((*_STREAMS, f"/{'/'.join(_SOURCES)}/"))


# --- credentials ------------------------------------------------------------------------------------------------------

# Parts of paths of files that hold credentials. Sources: the programs' documentation of where they keep them.
_FOLDERS: Final = ("/.ssh", "/.gnupg", "/.aws", "/.azure", "/.kube", "/.password-store")
_HOME_STORES: Final = ("/.ssh/", "/.gnupg/", "/.aws/", "/.git-credentials", "/.netrc", "/.kube/config", "/.pgpass")


def is_secret_upload(word: str, cwd: str) -> bool:
    """Tell whether a word makes an uploader send a secret: ``@file``, ``name=@file``, ``name=<file``."""
    return ("@" in word or "=<" in word) and is_secret_file(word.replace("=<", "@"), cwd)


def is_credential_folder(word: str, _cwd: str) -> bool:
    """Tell whether a word names a folder that holds credentials, or everything in it."""
    path = "/" + word.rstrip("*").rstrip("/")
    return path.endswith(_FOLDERS)


def is_home_store(word: str, _cwd: str) -> bool:
    """Tell whether a path lies where a user's credentials are kept."""
    return any(part in word for part in _HOME_STORES) and not word.endswith("/.ssh/known_hosts")
