"""One host on this machine: its command, its folders, and how its commands are run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from itertools import takewhile

from harness_guard.errors import ProvisionError
from harness_guard.places import Places
from harness_guard.records import dataclass
from harness_guard.runtime.manifests import MARKETPLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal

    HostName = Literal["codex", "claude"]

PLUGIN: Final = "harness"
PLUGIN_ID: Final = f"{PLUGIN}@{MARKETPLACE}"
NAMES: Final[tuple[HostName, ...]] = ("codex", "claude")
_TITLES: Final = {"codex": "Codex", "claude": "Claude Code"}
_HOMES: Final = {"codex": ("CODEX_HOME", "~/.codex"), "claude": ("CLAUDE_CONFIG_DIR", "~/.claude")}
# The host's plugin commands answer in half a second; a registry that does not answer must not hang us.
_TIMEOUT_S: Final = 120
_LINES: Final = 3
_CAUSES: Final = "Caused by:"


@dataclass(frozen=True, slots=True)
class Host:
    """A host that is installed here.

    Attributes:
        name: ``codex`` or ``claude``.
        binary: Absolute path of its command.
        home: Absolute path of its own folder (``CODEX_HOME``, ``CLAUDE_CONFIG_DIR``).
        environ: The environment that its commands get.
    """

    name: HostName
    binary: str
    home: str
    environ: Mapping[str, str]

    @property
    def title(self) -> str:
        """Its name for a reader."""
        return _TITLES[self.name]

    @property
    def places(self) -> Places:
        """The data folder that it gives the plugin (host fact: PLUGIN-MARKETPLACE)."""
        return Places(_data(self.home))

    @property
    def shell(self) -> str:
        """The shell that runs a hook's line."""
        return "/bin/bash" if self.name == "codex" and os.access("/bin/bash", os.X_OK) else "/bin/sh"

    def run(self, *arguments: str, cwd: str | None = None) -> str:
        """Run one of its commands.

        Args:
            arguments: What follows its name.
            cwd: Working folder; the current one if ``None``.

        Returns:
            Its standard output.

        Raises:
            ProvisionError: If it fails or does not answer.
        """
        spelled = f"{self.name} {' '.join(arguments)}"
        try:
            done = subprocess.run(
                [self.binary, *arguments],
                env=dict(self.environ),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ProvisionError("host.command", f"`{spelled}` could not be run: {error}", "mend the host") from error
        if done.returncode:
            said = _said(done.stdout, done.stderr)
            seen = f"`{spelled}` ended with status {done.returncode}: {said}"
            raise ProvisionError("host.command", seen, "run it by hand, mend what it says, and try again")
        return done.stdout

    def run_json(self, *arguments: str, cwd: str | None = None) -> object:
        """Run one of its commands that prints JSON.

        Raises:
            ProvisionError: If it fails or prints something else.
        """
        text = self.run(*arguments, cwd=cwd)
        try:
            return json.loads(text)
        except ValueError:
            seen = f"`{self.name} {' '.join(arguments)}` printed no JSON: {text[:200]!r}"
            raise ProvisionError("host.command", seen, "update harness-guard or the host") from None


def _said(out: str, err: str) -> str:
    lines = f"{err}\n{out}".split("\n")
    stripped = [line.strip() for line in lines]
    at = stripped.index(_CAUSES) if _CAUSES in stripped else len(lines)
    causes = [line.strip() for line in takewhile(_is_cause, lines[at + 1 :])]
    rest = stripped[:at] + stripped[at + 1 + len(causes) :]
    telling = [
        line for line in rest if line and not line.startswith(("WARNING:", "Stack backtrace", "0:", "1:", _CAUSES))
    ]
    parts = [*telling[:_LINES], *([f"{_CAUSES} {'; '.join(causes[:_LINES])}"] if causes else [])]
    return " | ".join(parts) or "it says nothing"


def _is_cause(line: str) -> bool:
    return line[:1].isspace() and bool(line.strip())


def _data(home: str) -> str:
    return f"{home}/plugins/data/{PLUGIN}-{MARKETPLACE}"


def _home(name: HostName, environ: Mapping[str, str]) -> str:
    variable, default = _HOMES[name]
    return os.path.abspath(environ.get(variable) or os.path.expanduser(default))


def host_data_folders(environ: Mapping[str, str]) -> list[str]:
    """Give the plugin's data folder of each host that has one, whether its command is on ``PATH`` or not.

    Args:
        environ: Where ``HOME`` and the hosts' own variables stand.
    """
    return [folder for name in NAMES if os.path.isdir(folder := _data(_home(name, environ)))]


def find_host(name: HostName, environ: Mapping[str, str]) -> Host | None:
    """Find a host on ``PATH``.

    Args:
        name: Which one.
        environ: Where ``PATH``, ``HOME`` and the host's own variable stand.

    Returns:
        The host, ``None`` if it is not there.
    """
    binary = shutil.which(name, path=environ.get("PATH", ""))
    if binary is None:
        return None
    # The data folder that this very command works on is none of the host's business.
    kept = {key: value for key, value in environ.items() if key not in ("PLUGIN_DATA", "CLAUDE_PLUGIN_DATA")}
    return Host(name, os.path.abspath(binary), _home(name, environ), kept)


def chosen_hosts(choice: str | None, environ: Mapping[str, str]) -> list[Host]:
    """Give the hosts that a command is about.

    Args:
        choice: ``codex``, ``claude``, ``both``; ``None`` for those on ``PATH``.
        environ: See ``find_host``.

    Raises:
        ProvisionError: If a named one is not there, or none at all.
    """
    wanted = [name for name in NAMES if choice in (None, "both", name)]
    found = [host for name in wanted if (host := find_host(name, environ)) is not None]
    missing = [name for name in wanted if name not in [host.name for host in found]]
    if choice is not None and missing:
        raise ProvisionError("host.missing", f"there is no `{missing[0]}` on PATH", f"install {_TITLES[missing[0]]}")
    if not found:
        raise ProvisionError("host.missing", "neither `codex` nor `claude` is on PATH", "install one of them")
    return found
