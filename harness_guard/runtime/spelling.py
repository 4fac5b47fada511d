"""How a person has to type a verb: the one spelling that works without anything on ``PATH``."""

from __future__ import annotations


def shell_word(text: str) -> str:
    """Quote a text as one word of a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def verb_command(root: str, *words: str) -> str:
    """Give the command line that runs a verb of this very plugin.

    Args:
        root: The plugin's folder.
        words: The verb and what follows it, already quoted.
    """
    return " ".join(("python3", shell_word(f"{root}/hooks/harness_guard.py"), *words))
