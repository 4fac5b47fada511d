"""Gather where the control plane lies on this machine (P7). Called at activation and stored, never on the tool path."""

from __future__ import annotations

import subprocess
from posix import getuid
from pwd import getpwuid

from harness_guard.errors import EvidenceError
from harness_guard.evidence.resolve import resolve_path
from harness_guard.policy.control_plane import ControlPlane

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Final

_HOST_FOLDERS: Final = (".claude", ".codex", ".agents")
# Settings that an administrator places for all users; they can switch the plugin's hooks on and off.
_MANAGED_FOLDERS: Final = ("/etc/claude-code", "/etc/codex", "/Library/Application Support/ClaudeCode")
_GIT_TIMEOUT_S: Final = 10  # reading configuration takes milliseconds; more means a broken mount


def gather(root: str, plugin_root: str, data: str, environ: Mapping[str, str]) -> ControlPlane:
    """Gather the control plane.

    Every place stands under its name and under what the name leads to, so that neither a link nor its target can be
    replaced.

    Args:
        root: The repository root, absolute.
        plugin_root: The plugin's own folder, absolute.
        data: The plugin's data folder, absolute.
        environ: The hook's environment, which the model's commands share.

    Returns:
        The control plane, of real paths.

    Raises:
        EvidenceError: If git does not answer, or a path cannot be resolved.
    """
    homes = _user_homes(environ)
    config_homes = [path for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME") if (path := environ.get(name, ""))]
    folders = [f"{home}/{name}" for home in homes for name in _HOST_FOLDERS]
    return ControlPlane(
        root=resolve_path(root, follow=True),
        plugin_root=resolve_path(plugin_root, follow=True),
        data=resolve_path(data, follow=True),
        homes=_both([*folders, *config_homes, *_MANAGED_FOLDERS], root),
        git_dirs=_both([*_git_folders(root, environ), *_git_settings(root, homes, environ=environ)], root),
        hook_dirs=_both(_hook_folders(root, environ), root),
        files=_both([f"{folder}/.claude.json" for folder in [*homes, *config_homes]], root),
    )


def _user_homes(environ: Mapping[str, str]) -> list[str]:
    found = (environ.get("HOME", ""), _recorded_home())
    homes = [home.rstrip("/") for home in found if home.startswith("/") and home.rstrip("/")]
    if not homes:
        seen = "neither HOME nor the user database names a home folder"
        raise EvidenceError("evidence.home", seen, "set HOME to the folder that holds the hosts' settings")
    return homes


def _recorded_home() -> str:
    try:
        return getpwuid(getuid()).pw_dir
    except KeyError:  # a container may run a user that has no row; HOME is all there is then
        return ""


def _both(paths: Iterable[str], root: str) -> tuple[str, ...]:
    """Give each path as named and as resolved, each once; a relative one is taken from the root, as git does."""
    found: dict[str, None] = {}
    for path in paths:
        whole = path if path.startswith("/") else f"{root}/{path}"
        found[resolve_path(whole.rstrip("/") or "/", follow=False)] = None
        found[resolve_path(whole, follow=True)] = None
    return tuple(found)


def _git(root: str, environ: Mapping[str, str], *words: str) -> str | None:
    """Run git for its answer; ``None`` if it has none (status 1: no such setting).

    Raises:
        EvidenceError: If git is missing, slow or fails otherwise.
    """
    argv = ["git", "-C", root, *words]
    try:
        done = subprocess.run(
            argv,
            env={**environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _silent(words, str(error)) from None
    if done.returncode == 1:
        return None
    if done.returncode != 0:
        raise _silent(words, done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "surrogateescape")


def _silent(words: tuple[str, ...], why: str) -> EvidenceError:
    seen = f"`git {' '.join(words)}` does not answer: {why.replace(chr(10), ' ')}"
    return EvidenceError("evidence.git", seen, "start the run in a git repository that git accepts, git on the PATH")


def _git_folders(root: str, environ: Mapping[str, str]) -> list[str]:
    """Find git's folders of this repository: its own and, for a worktree, the common one."""
    answer = _git(root, environ, "rev-parse", "--absolute-git-dir", "--git-common-dir") or ""
    folders = answer.splitlines()
    # The name itself too: in a worktree `.git` is a file, and whoever rewrites it chooses another repository.
    return [*folders, f"{root}/.git"]


def _git_settings(root: str, homes: list[str], *, environ: Mapping[str, str]) -> list[str]:
    """Find git's configuration files: the usual ones, whether they exist or not, and every one that git reads now."""
    usual = [f"{home}/{name}" for home in homes for name in (".gitconfig", ".config/git")]
    usual += ["/etc/gitconfig"]
    usual += [path for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM") if (path := environ.get(name, ""))]
    if environ.get("XDG_CONFIG_HOME"):
        usual.append(f"{environ['XDG_CONFIG_HOME']}/git")
    answer = _git(root, environ, "config", "--list", "--show-origin", "-z") or ""
    fields = answer.split("\0")
    for origin, setting in zip(fields[::2], fields[1::2], strict=False):
        if origin.startswith("file:"):
            usual += _settings_files(origin[len("file:") :], setting, root=root, home=homes[0])
    return usual


def _settings_files(origin: str, setting: str, *, root: str, home: str) -> list[str]:
    """Give the file of one setting and, if it includes another file, that one (which need not exist yet)."""
    here = origin if origin.startswith("/") else f"{root}/{origin}"
    key, _, value = setting.partition("\n")
    if not (key == "include.path" or (key.startswith("includeif.") and key.endswith(".path"))):
        return [here]
    if value.startswith("~/"):
        return [here, home + value[1:]]
    return [here, value if value.startswith("/") else f"{here.rpartition('/')[0]}/{value}"]


def _hook_folders(root: str, environ: Mapping[str, str]) -> list[str]:
    """Find the folders that git runs hooks from: the effective one and every one that a configuration file names."""
    effective = (_git(root, environ, "rev-parse", "--git-path", "hooks") or "").rstrip("\n")
    named = _git(root, environ, "config", "--get-all", "--type=path", "-z", "core.hooksPath") or ""
    folders = [path.rstrip("/") for path in [effective, *named.split("\0")] if path]
    # A widespread hook manager points git at a folder `_` whose files only run those of the folder around it.
    return folders + [folder[: -len("/_")] for folder in folders if folder.endswith("/_")]
