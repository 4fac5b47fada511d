"""What git would run, beyond itself, when it is started in a folder: its settings, hooks and variables.

Sources: git-config(1), githooks(5), git(1) "Environment Variables", gitattributes(5), version 2.39 and later.
"""

from __future__ import annotations

import os

from harness_guard.evidence.jobs import Job, text_of
from harness_guard.shell.facts import GitFacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

_GIT_LFS: Final = {
    "clean": ("git-lfs clean -- %f",),
    "smudge": ("git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"),
    "process": ("git-lfs filter-process", "git-lfs filter-process --skip"),
}
_STEERING: Final = (
    "GIT_EXTERNAL_DIFF",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_TRACE",
    "GIT_DIFF_OPTS",
    "GIT_CONFIG",
    "GIT_REDIRECT",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_ATTR_SOURCE",
)  # each also as a beginning; settings that come in by variables are seen among the settings
_SEEN: Final = (
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
)
_FATAL: Final = 128  # the status with which git gives up
_NO: Final = frozenset(("", "false", "no", "off", "0"))


def git_jobs(folder: str) -> list[Job]:
    """Start what tells about git in a folder: none if git is not there."""
    found = (
        git_job(
            folder, "rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"
        ),
        git_job(folder, "config", "--list", "-z", "--show-origin"),
    )
    return [job for job in found if job is not None]


def git_job(folder: str, *words: str, text: bytes = b"") -> Job | None:
    """Start git in a folder, as a reader that takes no lock; ``None`` if there is no git, or no such folder."""
    git = next((f"{place}/git" for place in search_path() if os.access(f"{place}/git", os.X_OK)), "")
    if not git or not folder.startswith("/") or "\0" in folder or any("\0" in word for word in words):
        return None
    return Job((git, "-C", folder, *words), {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}, text)


def search_path() -> list[str]:
    """Give the absolute folders of the PATH."""
    return [place for place in os.environ.get("PATH", "/usr/bin:/bin").split(":") if place.startswith("/")]


def git_facts(folder: str, jobs: Sequence[Job]) -> GitFacts:
    """Tell what git would run in a folder.

    Args:
        folder: The folder.
        jobs: What ``git_jobs`` started there, ended by now.

    Returns:
        The facts; reasons against everything where the configuration cannot be read.
    """
    if not jobs:
        nothing = ("git, which was not found",)
        return GitFacts("", "", "", nothing, nothing)
    where, config = jobs
    # Without a working tree git tells the two folders and gives up at the third.
    told = os.fsdecode(bytes(where.answer)).split("\n")[:-1]
    git_folder, common, root = (*told, "", "", "")[:3]
    if len(told) not in {0: (3,), _FATAL: (0, 2)}.get(where.status, ()):
        odd = ("a folder that git does not tell, or that has a line end in its name",)
        return GitFacts("", "", "", odd, odd)
    if config.status != 0:
        return GitFacts(root, git_folder, common, ("an unreadable configuration",), ("an unreadable configuration",))
    listing = text_of(config)
    settings = _settings(listing)
    reading = [*_environment(), *_from_settings(settings, root, git_folder, common)]
    writing = list(reading)
    hooks = _hooks(settings, root or folder, common)
    reading += [f"the hook {name}" for name in hooks if name in {"post-index-change", "fsmonitor-watchman"}]
    writing += [f"the hook {name}" for name in hooks]
    if any(settings.get(key, ("false", ""))[0].lower() not in _NO for key in _SIGNED):
        writing.append("a signing program")
    writing += [f"what the setting {key} names" for key in settings if _runs_in_commit(key.lower())]
    moving = [f"what the setting {key} says" for key, (value, _) in settings.items() if _moves(key.lower(), value)]
    places = tuple(place for place in (git_folder, common, root) if place)
    return GitFacts(
        root,
        git_folder,
        common,
        tuple(reading),
        tuple(writing),
        tuple(moving),
        tuple(_leading(listing, places)),
        tuple(_remotes(listing)),
        has_submodules=bool(root) and os.path.lexists(f"{root}/.gitmodules"),
    )


def _entries(text: str) -> list[tuple[str, str, str]]:
    """Give each setting's key, value and file; with ``-z`` the key ends at a newline."""
    items = text.split("\0")
    found = []
    for origin, entry in zip(items[::2], items[1::2], strict=False):
        key, sign, value = entry.partition("\n")
        found.append((key, value if sign else "true", origin))
    return found


def _remotes(text: str) -> list[tuple[str, str]]:
    urls = [(key, value) for key, value, _ in _entries(text) if key.startswith("remote.") and key.endswith(".url")]
    return [(key[len("remote.") : -len(".url")], value) for key, value in urls]


def _moves(key: str, value: str) -> bool:
    """Whether a setting makes a merge, a checkout or an archive run something, or write what its words do not say."""
    section, name = key.partition(".")[0], key.rpartition(".")[2]
    if key in _MOVED_BY:
        return value.lower() not in _NO
    runs = (section == "merge" and name == "driver") or (section == "gpg" and name == "program")
    return runs or (section == "tar" and name == "command") or (section == "branch" and name == "mergeoptions")


_SIGNED: Final = ("commit.gpgsign", "tag.gpgsign", "tag.forcesignannotated")
_MOVED_BY: Final = frozenset(
    (
        "merge.autostash",
        "merge.verifysignatures",
        "rebase.autostash",
        "rebase.rebasemerges",
        "submodule.recurse",
        "core.sparsecheckout",
        "index.sparse",
        "format.outputdirectory",
        "format.suffix",
    )
)


def _leading(text: str, places: tuple[str, ...]) -> list[str]:
    """Give what may lead a fetch elsewhere, or run something for it; of the user's own settings only a few do."""
    names = {name for name, _ in _remotes(text)}
    found = []
    for key, value, origin in _entries(text):
        lowered = key.lower()
        section, name = lowered.partition(".")[0], lowered.rpartition(".")[2]
        path = origin.removeprefix("file:")
        is_users = origin.startswith("command line:") or (
            origin.startswith("file:/") and not any(f"{path}/".startswith(f"{place}/") for place in places)
        )
        leads = lowered in _RUN_BY_ASKING or section == "remotes" or (section == "remote" and name in _OF_REMOTES)
        by_repository = not is_users and (section in _STEERS_ASKING or lowered in _SET_BY_USERS)
        by_branch = section == "branch" and name == "remote" and value not in names | {"."}
        if leads or by_repository or by_branch:
            found.append(f"what the setting {key} names")
    return found


_RUN_BY_ASKING: Final = frozenset(("core.alternaterefscommand", "init.templatedir", "fetch.bundleuri"))
_OF_REMOTES: Final = frozenset(("uploadpack", "vcs", "bundleuri"))
_STEERS_ASKING: Final = frozenset(("credential", "http", "https", "url", "ssh", "protocol", "socks"))
_SET_BY_USERS: Final = frozenset(("core.sshcommand", "core.gitproxy", "core.askpass", "core.hookspath"))


def _settings(text: str) -> dict[str, tuple[str, str]]:
    """Give each setting's last value and the file it comes from."""
    return {key: (value, origin) for key, value, origin in _entries(text)}


def _environment() -> list[str]:
    odd = [name for name in os.environ if name.startswith(_STEERING) and not name.startswith(_SEEN)]
    return [f"what the variable {name} names" for name in sorted(odd)]


def _from_settings(settings: Mapping[str, tuple[str, str]], root: str, git_folder: str, common: str) -> list[str]:
    found = []
    own = tuple(f"file:{place}/" for place in (git_folder, common) if place)
    for key, (value, origin) in settings.items():
        name = key.rpartition(".")[2].lower()
        section = key.partition(".")[0].lower()
        path = origin.removeprefix("file:")
        is_inside = (
            bool(root)
            and origin.startswith("file:")
            and (not path.startswith("/") or f"{path}/".startswith(f"{root}/"))
        )
        if is_inside and not origin.startswith(own) and not path.startswith(".git/"):
            found.append(f"what a configuration file of the working tree names: {path}")
        if section in {"include", "includeif"} and _leads_into(value, path, root, git_folder):
            found.append(f"what a configuration file of the working tree may name: {value}")
        if _runs_something(section, name, key.lower(), value):
            found.append(f"what the setting {key} names")
    return found


def _leads_into(value: str, origin: str, root: str, git_folder: str) -> bool:
    """Whether an included file, which may not be there yet, lies in the working tree; from where it is named counts."""
    named = os.path.expanduser(value)
    if not named.startswith("/"):
        base = origin if origin.startswith("/") else f"{root}/{origin}"
        named = os.path.join(os.path.dirname(base), named)
    real = os.path.realpath(named)
    is_own = bool(git_folder) and f"{real}/".startswith(f"{os.path.realpath(git_folder)}/")
    return bool(root) and f"{real}/".startswith(f"{os.path.realpath(root)}/") and not is_own


def _runs_something(section: str, name: str, key: str, value: str) -> bool:
    if key == "core.fsmonitor":
        return value.lower() not in _NO | {"true", "yes", "on", "1"}
    if key in {"diff.external", "extensions.partialclone"} or section == "hook":
        return bool(value)
    if key == "log.showsignature":
        return value.lower() not in _NO
    if section in {"pretty", "format"}:
        return "%G" in value  # a format that checks signatures, with whatever ``gpg.program`` names
    if section == "remote" and name in {"promisor", "partialclonefilter"}:
        return value.lower() not in _NO
    if section == "diff" and name in {"textconv", "command"}:
        return bool(value)
    if section == "filter" and name in {"clean", "smudge", "process"}:
        return bool(value) and not (key.startswith("filter.lfs.") and value in _GIT_LFS[name])
    return False


def _runs_in_commit(key: str) -> bool:
    """Whether a writing subcommand runs the setting's value, or packs objects into a place that it names.

    Editors and ``gpg.program`` are not among them: no subcommand of the table opens an editor or checks a signature
    without being refused for that.
    """
    is_trailer = key.startswith("trailer.") and key.endswith((".cmd", ".command"))
    # Settings that hold on one branch alone are not among those that were read on another one.
    is_elsewhere = key.startswith("includeif.onbranch:")
    return is_trailer or is_elsewhere or key in _RUN_BY_WRITING


_RUN_BY_WRITING: Final = frozenset(("gc.recentobjectshook", "gc.repackfilterto", "maintenance.prefetch.enabled"))


def _hooks(settings: Mapping[str, tuple[str, str]], top: str, common: str) -> list[str]:
    named = settings.get("core.hookspath", ("", ""))[0]
    folder = os.path.expanduser(named) if named else f"{common}/hooks"
    if not folder.startswith("/"):
        folder = f"{top}/{folder}"
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [name for name in sorted(names) if not name.endswith(".sample") and os.access(f"{folder}/{name}", os.X_OK)]
