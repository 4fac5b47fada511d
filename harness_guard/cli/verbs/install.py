"""``harness-guard install``: into the hosts with their own commands, and the runtime into each host's data folder."""

from __future__ import annotations

import os

import click

from harness_guard.cli.checks.plugin_files import symbolic_links
from harness_guard.cli.hosts.host import NAMES, PLUGIN_ID, chosen_hosts
from harness_guard.cli.hosts.installed import installed_plugin
from harness_guard.cli.hosts.switches import TTY_FEATURE
from harness_guard.cli.hosts.toml_edit import with_switch
from harness_guard.cli.installation import data_places, plugin_root, spelled
from harness_guard.cli.say import say
from harness_guard.errors import ProvisionError
from harness_guard.runtime.provision import provision, replace_file
from harness_guard.runtime.spelling import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.cli.hosts.host import Host

_PRIVATE: Final = 0o600
_TRUST: Final = {
    "codex": "start `codex`; it says that hooks need review: trust them there, or later with /hooks. "
    "Until then Codex runs none of them. A new version needs trust again",
    "claude": "nothing for the plugin; Claude Code asks once for each new folder whether you trust it",
}


@click.command("install")
@click.option("--host", "choice", type=click.Choice([*NAMES, "both"]), help="Which host; else those found on PATH.")
@click.option("--dry-run", is_flag=True, help="Say what would be done and do nothing.")
def command(choice: str | None, *, dry_run: bool) -> int:
    """Install the plugin into Codex and Claude Code and prepare its runtime there.

    Uses the hosts' own commands to register the plugin, and theirs undo that: Claude Code's empties the plugin's data
    folder too, with all runs; Codex's leaves its data folder and `unified_exec_tty = false` in config.toml. Running it
    again changes nothing that stands already, and brings Codex's copy up to date.
    """
    root = plugin_root()
    hosts = chosen_hosts(choice, os.environ)
    for host in hosts:
        _check_source(host, root)
    source = data_places(None, os.environ).data
    for host in hosts:
        say(f"{host.title} ({host.binary})")
        if dry_run:
            _tell_steps(host, root)
            continue
        _register(host, root)
        source = _prepare(host, source)
        if host.name == "codex":
            _refuse_terminals(host)
        say(f"  left for you: {_TRUST[host.name]}.")
    say("nothing was done (--dry-run)" if dry_run else f"Look with {spelled('doctor')} whether all is well.")
    return 0


def _steps(root: str, name: str) -> tuple[tuple[str, ...], ...]:
    verb = "add" if name == "codex" else "install"
    return (("plugin", "marketplace", "add", root), ("plugin", verb, PLUGIN_ID))


def _check_source(host: Host, root: str) -> None:
    """Refuse what a host would not run: its own copy, one with a symbolic link, one without its home (host facts)."""
    if os.path.realpath(root).startswith(os.path.realpath(host.home) + "/plugins/"):
        seen = f"`{root}` is {host.title}'s own copy of the plugin"
        raise ProvisionError("install.source", seen, "run `python3 hooks/harness_guard.py install` in a checkout")
    if host.name == "codex" and host.environ.get("CODEX_HOME") and not os.path.isdir(host.home):
        # Codex makes its default home itself, a named one it does not (host fact).
        seen = f"CODEX_HOME names `{host.home}`, which is not there"
        raise ProvisionError("host.home", seen, f"run: mkdir -p {shell_word(host.home)}")
    links = symbolic_links(root)
    if links:
        seen = f"`{root}` holds a symbolic link, with which Codex loads no hook: {links[0]}"
        raise ProvisionError("install.link", seen, "remove it (a virtual environment, say), or install a fresh clone")


def _tell_steps(host: Host, root: str) -> None:
    for step in _steps(root, host.name):
        say(f"  would run: {host.name} {' '.join(step)}")
    say(f"  would prepare: {host.places.data}")
    if host.name == "codex":
        say(f"  would set: features.{TTY_FEATURE} = false in {host.home}/config.toml")
    say(f"  left for you: {_TRUST[host.name]}.")


def _register(host: Host, root: str) -> None:
    for step in _steps(root, host.name):
        host.run(*step)
        say(f"  done: {host.name} {' '.join(step)}")


def _prepare(host: Host, source: str) -> str:
    """Provision the host's data folder for the copy that it runs; give the folder as the next one's source."""
    found = installed_plugin(host)
    if found is None:
        seen = f"{host.title} does not list {PLUGIN_ID} after installing it"
        raise ProvisionError("install.missing", seen, f"look at `{host.name} plugin list`")
    data = host.places.data
    os.makedirs(data, mode=0o700, exist_ok=True)
    provision(data, found.root, source=None if os.path.realpath(data) == os.path.realpath(source) else source)
    say(f"  prepared: {data}")
    return data


def _refuse_terminals(host: Host) -> None:
    path = os.path.realpath(f"{host.home}/config.toml")  # a link to it stays one
    try:
        with open(path, "rb") as file:
            text = file.read().decode(errors="surrogateescape")
        mode = os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        text, mode = "", _PRIVATE
    try:
        edited = with_switch(text, "features", TTY_FEATURE, value=False)
    except ProvisionError as error:
        raise ProvisionError(error.rule, f"{path}: {error.seen}", error.remedy) from None
    if edited == text:
        say(f"  stands already: features.{TTY_FEATURE} = false in {path}")
        return
    replace_file(path, edited, mode)
    say(f"  set: features.{TTY_FEATURE} = false in {path}, so that the model cannot type into a program unseen")
