"""What the host says of the plugin: installed, enabled, hooks trusted, and no settings file that switches it off."""

from __future__ import annotations

import os
from shlex import quote

from harness_guard.cli.checks.check import fine, wrong
from harness_guard.cli.hosts.app_server import list_hooks
from harness_guard.cli.hosts.host import PLUGIN_ID
from harness_guard.cli.hosts.installed import installed_plugin
from harness_guard.cli.hosts.switches import TTY_FEATURE, find_problems, has_no_terminal, settings_files
from harness_guard.cli.installation import spelled
from harness_guard.cli.registered import load_commands
from harness_guard.errors import ProvisionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.cli.checks.check import Check
    from harness_guard.cli.hosts.host import Host
    from harness_guard.cli.hosts.installed import Installed

_CODEX_EVENTS: Final = ("UserPromptSubmit", "PreToolUse", "SubagentStart", "SubagentStop", "Stop")
_TRUSTED: Final = ("trusted", "managed")


def _install() -> str:
    return f"run {spelled('install')}"


def check_installed(host: Host, cwd: str) -> tuple[Check, Installed | None]:
    """Check that a host has the plugin and has it on, as seen from a working folder."""
    title = "plugin"
    try:
        found = installed_plugin(host, cwd=cwd)
    except ProvisionError as error:
        return wrong(title, error.seen, error.remedy), None
    if found is None:
        return wrong(title, f"{host.title} has no {PLUGIN_ID}", _install()), None
    if not found.is_enabled:
        return wrong(title, f"{PLUGIN_ID} is switched off here", f"run: {_enable(host)}"), found
    if not os.path.isdir(found.root):
        return wrong(title, f"its folder {found.root} is gone", _install()), None
    return fine(title, f"{PLUGIN_ID} {found.version} runs from {found.root}"), found


def _enable(host: Host) -> str:
    return f"codex plugin add {PLUGIN_ID}" if host.name == "codex" else f"claude plugin enable {PLUGIN_ID}"


def check_settings(host: Host, cwd: str) -> list[Check]:
    """Check every settings file that counts for a working folder."""
    title = "settings"
    problems = find_problems(host, cwd)
    checks = [wrong(title, f"{problem.file}: {problem.seen}", problem.mend) for problem in problems]
    if not checks:
        files = settings_files(host, cwd)
        checks = [fine(title, f"nothing switches the hooks off in {', '.join(files) or 'any file'}")]
    if host.name == "codex":
        checks.append(_terminal(host))
    return checks


def _terminal(host: Host) -> Check:
    title = "no terminals"
    if has_no_terminal(host):
        return fine(title, f"features.{TTY_FEATURE} = false")
    seen = f"features.{TTY_FEATURE} is not false, so Codex can type into a program unseen by any hook"
    return wrong(title, seen, f"{_install()}, or set it in {host.home}/config.toml")


def check_trust(host: Host, root: str, cwd: str) -> list[Check]:
    """Check that the host runs every hook that it knows: Codex lists and trusts them, Claude Code has no such step."""
    if host.name == "claude":
        return [_loads(host, root), _transcripts(host)]
    title = "trusted hooks"
    try:
        listed = [hook for hook in list_hooks(host, cwd) if hook.plugin == PLUGIN_ID]
        commands = load_commands(root)
    except ProvisionError as error:
        return [wrong(title, error.seen, error.remedy)]
    by_event = {hook.event: hook for hook in listed}
    for event in _CODEX_EVENTS:
        hook = by_event.get(event)
        # Word for word, because what Codex lists may be another version's command.
        if hook is None or (hook.command,) != commands.get(event):
            return [
                wrong(title, f"Codex does not list the hook of {event}", f"{_install()}, then look at the settings")
            ]
        if not hook.is_enabled:
            return [wrong(title, f"the hook of {event} is switched off", "switch it on in Codex with /hooks")]
        if hook.trust not in _TRUSTED:
            mend = "start `codex` and trust the hooks when it asks, or with /hooks"
            return [wrong(title, f"the hook of {event} is {hook.trust}, so Codex lets every call pass", mend)]
    return [fine(title, ", ".join(_CODEX_EVENTS))]


def _loads(host: Host, root: str) -> Check:
    """One field that this version of the host refuses would drop the whole plugin (host fact)."""
    title = "accepted by the host"
    try:
        host.run("plugin", "validate", root)
    except ProvisionError as error:
        return wrong(title, error.seen, "update harness-guard or the host")
    return fine(title, "`claude plugin validate` finds no error")


def _transcripts(host: Host) -> Check:
    title = "transcripts"
    folder = f"{host.home}/projects"
    if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):
        seen = f"{folder} cannot be read, so the author of an approval cannot be checked"
        return wrong(title, seen, f"run: chmod u+rx {quote(folder)}")
    return fine(title, "readable, so the author of an approval can be checked")
