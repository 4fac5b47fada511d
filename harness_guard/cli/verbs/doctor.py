"""``harness-guard doctor``: whether the guard really stands in each host, shown by firing what is registered."""

from __future__ import annotations

import os

import click

from harness_guard.cli.checks.firing import check_firing
from harness_guard.cli.checks.host_state import check_installed, check_settings, check_trust
from harness_guard.cli.checks.plugin_files import check_files
from harness_guard.cli.checks.runtime_state import check_runtime
from harness_guard.cli.hosts.host import NAMES, chosen_hosts
from harness_guard.cli.installation import plugin_root
from harness_guard.cli.say import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from harness_guard.cli.checks.check import Check
    from harness_guard.cli.hosts.host import Host

_NOT_KNOWABLE: Final = {
    "codex": "codex -c features.hooks=false and --dangerously-bypass-hook-trust on a command line",
    "claude": "claude --bare and --safe-mode on a command line",
}


@click.command("doctor")
@click.option("--host", "choice", type=click.Choice([*NAMES, "both"]), help="Which host; else those found on PATH.")
def command(choice: str | None) -> int:
    """Check that each host really has the guard on, for the folder that this runs in.

    Fires the registered command with throwaway data folders and demands its refusals. Ends with status 1 if a check
    fails; each failure names its mend.
    """
    own, cwd = plugin_root(), os.getcwd()
    failed = 0
    for host in chosen_hosts(choice, os.environ):
        say(f"{host.title} ({host.binary}), seen from {cwd}")
        for check in _checks(host, own, cwd):
            failed += not check.is_ok
            say(f"  {'ok  ' if check.is_ok else 'FAIL'} {check.title}: {check.seen}")
            if check.mend:
                say(f"       Next: {check.mend}")
        say(f"  (cannot be seen from here: {_NOT_KNOWABLE[host.name]})")
    say(f"{failed} check{'s' * (failed > 1)} failed" if failed else "all is well")
    return 1 if failed else 0


def _checks(host: Host, own: str, cwd: str) -> Iterator[Check]:
    first, found = check_installed(host, cwd)
    yield first
    if found is not None:
        yield from check_files(found.root, own)
        yield from check_runtime(host.places, found.root)
        yield from check_firing(host, found.root)
        yield from check_trust(host, found.root, cwd)
    yield from check_settings(host, cwd)
