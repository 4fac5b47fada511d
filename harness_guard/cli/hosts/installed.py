"""What the hosts themselves say of the installed plugin."""

from __future__ import annotations

from harness_guard.cli.hosts.host import PLUGIN, PLUGIN_ID
from harness_guard.records import dataclass
from harness_guard.runtime.manifests import MARKETPLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.cli.hosts.host import Host


@dataclass(frozen=True, slots=True)
class Installed:
    """The plugin as a host has it.

    Attributes:
        root: The folder that the host runs it from.
        version: Its version.
        is_enabled: Whether the host says that it is on, as seen from the asked folder.
        source: Where the marketplace was added from.
    """

    root: str
    version: str
    is_enabled: bool
    source: str


def installed_plugin(host: Host, *, cwd: str | None = None) -> Installed | None:
    """Ask a host for the installed plugin.

    Args:
        host: The host.
        cwd: The project to ask for.

    Returns:
        What it says; ``None`` if the plugin is not installed.

    Raises:
        ProvisionError: If the host does not answer.
    """
    answer = host.run_json("plugin", "list", "--json", cwd=cwd)
    rows = answer.get("installed", []) if isinstance(answer, dict) else answer
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and PLUGIN_ID in (row.get("pluginId"), row.get("id")):
            return _codex(host, row) if host.name == "codex" else _claude(row)
    return None


def _codex(host: Host, row: dict[str, object]) -> Installed:
    # The host runs a copy of its own; its list names only where that was copied from (host fact).
    version = str(row.get("version"))
    source = row.get("source")
    path = str(source.get("path")) if isinstance(source, dict) else ""
    root = f"{host.home}/plugins/cache/{MARKETPLACE}/{PLUGIN}/{version}"
    return Installed(root, version, row.get("enabled") is True and row.get("installed") is True, path)


def _claude(row: dict[str, object]) -> Installed:
    # A plugin of a folder marketplace runs straight from that folder, one of a git marketplace from a copy.
    folder = str(row.get("readFromFolder") or row.get("installPath"))
    version = str(row.get("folderVersion") or row.get("version"))
    return Installed(folder, version, row.get("enabled") is True, folder)
