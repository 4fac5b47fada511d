"""Files that give a program further options: whether what stands in the home folder or around changes what it does.

Sources: the man pages of curl 8 (``-K``), the manual of wget 1.24 (6, Startup File).
"""

from __future__ import annotations

from harness_guard.shell.names import NameSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.shell.commands.model import Call

# Options that only say how to ask, how long to wait and what to show.
_MEEK: Final = {
    "curl": "insecure k silent s show-error S location L fail f compressed connect-timeout max-time m retry "
    "retry-delay retry-max-time "
    "retry-connrefused user-agent A ipv4 4 ipv6 6 progress-bar # no-progress-meter verbose v http1.1 "
    "http2 tlsv1.2 tlsv1.3 keepalive-time speed-limit speed-time max-redirs globoff g",
    "wget": "check_certificate tries timeout dns_timeout connect_timeout read_timeout wait waitretry random_wait "
    "retry_connrefused quiet verbose no_verbose user_agent progress show_progress prefer_family inet4_only inet6_only "
    "passive_ftp robots limit_rate max_redirect",
}


def changes_nothing(call: Call, paths: list[str]) -> bool:
    """Tell whether each of the files is not there, or holds nothing but options that change no effect.

    Args:
        call: The call of ``curl`` or ``wget``; it asks for what is not known yet.
        paths: Where the program looks.

    Returns:
        Whether it is so; false while something has still to be asked.
    """
    sources = [NameSource("absent", path) for path in paths]
    if call.believes(sources):
        return True
    there = [source.folder for source in sources if call.names.get(source) is False]
    is_asked = all(source in call.names for source in sources)
    return is_asked and all(_is_meek(call.text_of(path).text, _MEEK[call.name].split()) for path in there)


def are_absent(call: Call, names: str) -> bool:
    """Whether none of the files stands in the folder or in one above it; the home folder's own are the user's."""
    if call.cwds is None:
        return False
    sources = []
    for cwd in call.cwds:
        for folder in above(cwd):
            if folder != call.home.rstrip("/"):
                sources += [NameSource("absent", f"{folder}/{name}") for name in names.split()]
    return call.believes(dict.fromkeys(sources))


def above(folder: str) -> list[str]:
    """Give a folder and all above it, each without a slash at its end."""
    parts = folder.rstrip("/").split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _is_meek(text: str | None, names: list[str]) -> bool:
    """Whether every line is empty, a comment, or one of the options; a line that goes on is none."""
    if text is None or "\\" in text:
        return False
    lines = [line.strip() for line in text.split("\n")]
    given = [line for line in lines if line and not line.startswith("#")]
    return all(_name(line) in names for line in given)


def _name(line: str) -> str:
    """The option's name: ``--name value``, ``name = value``, ``name:value``."""
    name = line
    for mark in (" ", "\t", "=", ":"):
        name = name.partition(mark)[0]
    return name.removeprefix("--").removeprefix("-")
