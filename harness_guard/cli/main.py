"""Assembles the command line out of its verbs and turns every failure into what was found and the mend."""

from __future__ import annotations

import os
import sys

import click

from harness_guard.cli.installation import plugin_root, version
from harness_guard.cli.say import say
from harness_guard.cli.verbs import artifact, demo, doctor, explain, install, status
from harness_guard.errors import HarnessError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

FINE: Final = 0
WRONG: Final = 1
INTERRUPTED: Final = 130  # what a shell gives a command that was interrupted

VERBS: Final = (demo.command, status.command, artifact.command, explain.command, install.command, doctor.command)


def _tell_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        click.echo(f"harness-guard {version(plugin_root())}")
        context.exit()


@click.group(
    "harness-guard",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="One verb more works before any package is there: provision [--from DIR] prepares the data folder that "
    "PLUGIN_DATA names; see provision --help.\n\nExit status: 0 fine, 1 something is wrong, 2 wrong usage.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_tell_version, help="Show the version."
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Guard a coding agent's run: an approved plan becomes enforced limits, and done means proved."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _verb in VERBS:
    cli.add_command(_verb)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line.

    Args:
        arguments: The verb and what follows it; those of the process if ``None``.

    Returns:
        The exit status: 0 fine, 1 something is wrong, 2 wrong usage.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status_of_verb = cli.main(given, prog_name="harness-guard", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except HarnessError as error:
        say(f"harness-guard {error.rule}: {error.seen}\nNext: {error.remedy}", err=True)
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough; what is still buffered must not fail again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return WRONG
    return status_of_verb if isinstance(status_of_verb, int) else FINE
