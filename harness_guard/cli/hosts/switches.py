"""Settings files that switch the guard off, or leave a door open that its hooks do not see (host facts)."""

from __future__ import annotations

import json
import os
import tomllib

from harness_guard.cli.hosts.host import PLUGIN_ID
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from harness_guard.cli.hosts.host import Host

TTY_FEATURE: Final = "unified_exec_tty"
_MANAGED_CLAUDE: Final = "/etc/claude-code/managed-settings.json"
_MANAGED_CODEX: Final = ("/etc/codex/config.toml", "/etc/codex/managed_config.toml", "/etc/codex/requirements.toml")


@dataclass(frozen=True, slots=True)
class Problem:
    """A setting that stands in the guard's way: where, what, and the mend."""

    file: str
    seen: str
    mend: str


def project_folders(cwd: str) -> list[str]:
    """Give the folders whose settings count for a working folder: itself and those above, up to the repository's root.

    Outside a repository it is the working folder alone.
    """
    found = []
    folder = os.path.abspath(cwd)
    while True:
        found.append(folder)
        if os.path.lexists(f"{folder}/.git"):
            return found
        above = os.path.dirname(folder)
        if above == folder:
            return found[:1]
        folder = above


def settings_files(host: Host, cwd: str) -> list[str]:
    """Name the settings files of a host that exist and count for a working folder, the user's own first."""
    folders = project_folders(cwd)
    if host.name == "codex":
        names = [f"{host.home}/config.toml", *(f"{folder}/.codex/config.toml" for folder in folders), *_MANAGED_CODEX]
    else:
        own = [f"{host.home}/settings.json", f"{host.home}/settings.local.json"]
        local = [f"{folder}/.claude/{name}" for folder in folders for name in ("settings.json", "settings.local.json")]
        names = [*own, *local, _MANAGED_CLAUDE]
    # A link that leads nowhere is listed too: reading it fails, and that is worth a line of the report.
    return [name for name in dict.fromkeys(names) if os.path.lexists(name)]


def find_problems(host: Host, cwd: str) -> list[Problem]:
    """Read every settings file of a host that counts for a working folder and name what stands in the guard's way."""
    found: list[Problem] = []
    for path in settings_files(host, cwd):
        try:
            with open(path, "rb") as file:
                text = file.read().decode()
            settings = tomllib.loads(text) if host.name == "codex" else json.loads(text or "{}")
        except (OSError, ValueError) as error:
            found.append(Problem(path, f"it cannot be read: {error}", "mend the file"))
            continue
        if not isinstance(settings, dict):
            found.append(Problem(path, "it is no object", "mend the file"))
            continue
        found += _codex(path, settings) if host.name == "codex" else _claude(path, settings)
    return found


def has_no_terminal(host: Host) -> bool:
    """Whether Codex's user configuration refuses terminals that the model could type into unseen."""
    try:
        with open(f"{host.home}/config.toml", "rb") as file:
            return _table(tomllib.load(file), "features").get(TTY_FEATURE) is False
    except (OSError, ValueError):
        return False


def _table(settings: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = settings.get(key)
    return value if isinstance(value, dict) else {}


def _codex(path: str, settings: Mapping[str, object]) -> list[Problem]:
    found = []
    # Any profile counts, since the next start may choose it.
    profiles = _table(settings, "profiles")
    sources = [("", settings), *((f"profiles.{name}.", _table(profiles, name)) for name in profiles)]
    for prefix, source in sources:
        features = _table(source, "features")
        found += [
            Problem(path, f"`{prefix}features.{name} = false` switches the hooks off", "remove the line")
            for name in ("hooks", "plugins")
            if features.get(name) is False
        ]
        if features.get(TTY_FEATURE) is True:
            seen = f"`{prefix}features.{TTY_FEATURE} = true` lets the model type into a program unseen"
            found.append(Problem(path, seen, f"set `{TTY_FEATURE} = false`"))
        if _table(_table(source, "plugins"), PLUGIN_ID).get("enabled") is False:
            seen = f'`{prefix}plugins."{PLUGIN_ID}".enabled = false` switches the plugin off'
            found.append(Problem(path, seen, "set it to true"))
    if settings.get("allow_managed_hooks_only") is True:
        seen = "`allow_managed_hooks_only = true` leaves the hooks of plugins out"
        found.append(Problem(path, seen, "ask the administrator to manage this plugin's hooks"))
    return found


def _claude(path: str, settings: Mapping[str, object]) -> list[Problem]:
    found = []
    if settings.get("disableAllHooks"):
        found.append(Problem(path, "`disableAllHooks` switches the hooks off", "remove it"))
    if settings.get("allowManagedHooksOnly"):
        seen = "`allowManagedHooksOnly` leaves the hooks of plugins out"
        found.append(Problem(path, seen, "ask the administrator to force this plugin on"))
    if _table(settings, "enabledPlugins").get(PLUGIN_ID) is False:
        found.append(Problem(path, f"`enabledPlugins` switches {PLUGIN_ID} off", "set it to true or remove it"))
    return found
