"""Prints for a person: nothing that a file's name or a task holds can move the cursor of a terminal or hide."""

from __future__ import annotations

import click

from harness_guard.hosts.wording import visible


def say(text: str = "", *, err: bool = False) -> None:
    """Print lines.

    Args:
        text: The lines; what cannot be seen is shown as its escape.
        err: Whether it goes to standard error.
    """
    click.echo(visible(text, keep="\n"), err=err)
