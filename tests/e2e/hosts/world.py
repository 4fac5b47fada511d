"""What a conversation stands on: the hosts' binaries, a throwaway home and repository, and a clean copy of the plugin."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.hosts.script import ScriptError

HOSTS_VARIABLE = "HARNESS_GUARD_HOSTS"
_DEFAULT_HOSTS = Path("~/.cache/harness-guard/hosts")
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "SHELL", "LD_LIBRARY_PATH")
_GIT_IDENTITY = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")


def find_binary(name: str) -> str:
    """The absolute path of a host's binary.

    Raises:
        ScriptError: It is not installed; a scenario never passes over that in silence.
    """
    folder = Path(os.environ.get(HOSTS_VARIABLE) or _DEFAULT_HOSTS).expanduser()
    binary = folder / "node_modules" / ".bin" / name
    if not binary.exists():
        message = (
            f"no {name} at {binary}: install the pinned hosts there with npm, or let {HOSTS_VARIABLE} name their folder"
        )
        raise ScriptError(message)
    return str(binary)


def run(*command: str, cwd: Path, env: dict[str, str] | None = None, limit_s: float = 120.0) -> str:
    """Run a command of the set-up and return its standard output.

    Raises:
        ScriptError: It failed.
    """
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        text=True,
        capture_output=True,
        timeout=limit_s,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        message = f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
        raise ScriptError(message)
    return done.stdout


@dataclass(frozen=True)
class World:
    """The folders of one conversation, all below one throwaway folder.

    Attributes:
        plugin: The marketplace folder whose plugin is installed.
    """

    root: Path
    repository: Path
    plugin: Path

    def environment(self, **extra: str) -> dict[str, str]:
        """A clean environment whose home and temporary folder lie in the throwaway folder."""
        env = {name: os.environ[name] for name in _KEPT if name in os.environ}
        env |= {"HOME": str(self.folder("home")), "TMPDIR": str(self.folder("tmp")), "TERM": "xterm"}
        return env | {"NO_PROXY": "127.0.0.1,localhost"} | extra

    def folder(self, name: str) -> Path:
        """A folder of the world, made if need be."""
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def marketplace(self) -> tuple[str, str]:
        """The names of the plugin and of the marketplace that its folder declares."""
        catalogue = json.loads((self.plugin / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))
        return catalogue["plugins"][0]["name"], catalogue["name"]


def make_repository(folder: Path, files: dict[str, str]) -> Path:
    """A git repository with one commit that holds these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    run("git", "init", "-q", "-b", "main", cwd=folder, env=env)
    run("git", "add", "-A", cwd=folder, env=env)
    run("git", *_GIT_IDENTITY, "commit", "-q", "-m", "Begin", cwd=folder, env=env)
    return folder


def copy_tracked(source: Path, target: Path) -> Path:
    """A clean copy of a checkout: what git tracks or would track, as plain files.

    Raises:
        ScriptError: A symbolic link is among them; one host loads no hook of a plugin that holds one.
    """
    names = run("git", "ls-files", "-co", "--exclude-standard", "-z", cwd=source).split("\0")
    for name in filter(None, names):
        path = source / name
        if path.is_symlink():
            message = f"{name} is a symbolic link"
            raise ScriptError(message)
        if path.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / name)
    return target


def snapshot(folder: Path) -> dict[str, str]:
    """A digest of every file below a folder by its relative path, git's own folder left out."""
    found: dict[str, str] = {}
    for base, names, files in os.walk(folder):
        names[:] = [name for name in names if name != ".git"]
        for name in files:
            path = Path(base, name)
            data = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            found[path.relative_to(folder).as_posix()] = hashlib.sha256(data).hexdigest()
    return found


def difference(before: dict[str, str], after: dict[str, str]) -> tuple[str, ...]:
    """The paths that were added, changed or removed."""
    return tuple(sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)))


def processes_with(marker: str) -> list[int]:
    """The ids of the processes whose command line holds a text."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if marker.encode() in line:
            found.append(int(entry.name))
    return found
