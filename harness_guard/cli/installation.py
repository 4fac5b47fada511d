"""Where this copy of the plugin lies, and which data folder a command works on."""

from __future__ import annotations

import json
import os

import harness_guard
from harness_guard.cli.hosts.host import host_data_folders
from harness_guard.errors import ProvisionError
from harness_guard.places import Places, data_folder
from harness_guard.runtime.provision import default_data_folder
from harness_guard.runtime.spelling import verb_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def plugin_root() -> str:
    """Give the plugin's folder, absolute: the one that holds this package.

    Raises:
        ProvisionError: If the package lies in no plugin, as after ``pip install``.
    """
    root = os.path.dirname(os.path.dirname(os.path.abspath(harness_guard.__file__)))
    # The package alone would run its verbs, and guard nothing: no host registers hooks of it.
    if not os.path.isfile(f"{root}/hooks/hooks.json"):
        raise ProvisionError(
            "cli.no-plugin",
            f"`{root}` is no plugin: it has no hooks/hooks.json",
            "run `python3 hooks/harness_guard.py VERB` in a checkout of the plugin",
        )
    return root


def spelled(*words: str) -> str:
    """Give a verb of this very copy as a person has to type it, in code quotes.

    Args:
        words: The verb and what follows it.
    """
    return f"`{verb_command(plugin_root(), *words)}`"


def version(root: str) -> str:
    """Give the plugin's version as its manifest says it.

    Args:
        root: The plugin's folder.

    Raises:
        ProvisionError: If the manifest cannot be read.
    """
    try:
        with open(f"{root}/plugin.json", encoding="utf-8") as file:
            return str(json.load(file)["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ProvisionError(
            "cli.manifest", f"`{root}/plugin.json` cannot be read: {error}", "install it again"
        ) from error


def data_places(named: str | None, environ: Mapping[str, str]) -> Places:
    """Give the data folder to work on.

    Args:
        named: What the user named, if anything.
        environ: Else ``PLUGIN_DATA`` or ``CLAUDE_PLUGIN_DATA``.

    Raises:
        ProvisionError: If none is named.
    """
    found = os.path.abspath(named) if named else data_folder(environ)
    if found is None:
        raise ProvisionError("cli.no-data-folder", "no data folder is named", "give --data DIR or set PLUGIN_DATA")
    return Places(found)


def searched_places(named: str | None, environ: Mapping[str, str]) -> list[Places]:
    """Give the data folders to look for runs in.

    Args:
        named: What the user named, if anything: then that alone.
        environ: Else what a host's data variable names. If that is only the cache folder that the entry falls back
            to, nobody chose it, and the folders of the hosts count too.

    Raises:
        ProvisionError: If the named folder is not there, or none is named.
    """
    own = data_places(named, environ)
    if named:
        if not os.path.isdir(own.data):
            seen = f"there is no folder `{own.data}`"
            raise ProvisionError("cli.no-data-folder", seen, "give --data an existing data folder, or leave it out")
        return [own]
    try:
        is_chosen = own.data != default_data_folder()
    except ProvisionError:
        is_chosen = True  # without a home there is nothing to fall back to
    if is_chosen:
        return [own]
    return [own, *(Places(folder) for folder in host_data_folders(environ) if folder != own.data)]
