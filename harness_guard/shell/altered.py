"""Variables that a text sets and that only what comes later goes by: which those are, and what goes by none of them.

``export PATH=…`` at the end of a text changes nothing: the shell ends with it. So such a variable is noted in the
shell's state, and what is started behind it is refused. bash's own commands, and bash itself while it expands words,
go by a few variables alone (bash manual 5.1, 5.2 and 6.1; ``variables.c``, ``getopts.def`` and ``exit.def`` of 5.2).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

# bash goes by these at once, or the libraries that it uses do: how a text is read, what a prompt runs, what it keeps.
_AT_ONCE = (
    "BASH", "LC_", "LOC", "GCONV_", "NLS", "MALLOC_", "Malloc", "GLIBC_", "TERM", "POSIX", "HIST", "COMP", "PS4", "PSM",
    "EPOCH",
)  # fmt: skip
_AT_ONCE_NAMES = frozenset(
    ("IFS", "LANG", "LANGUAGE", "TMOUT", "PROMPT_COMMAND", "SHELLOPTS", "FIGNORE", "EXECIGNORE", "FUNCNEST", "FCEDIT",
     "INPUTRC", "MAILPATH", "MAIL", "TZDIR", "UID", "EUID", "PPID", "LINENO", "DIRSTACK", "FUNCNAME", "GROUPS",
     "HOSTFILE", "EMACS", "TIMEFORMAT", "SRANDOM", "PIPESTATUS", "COPROC", "RES_OPTIONS", "HOSTALIASES", "LOCALDOMAIN",
     "NULLCMD", "READNULLCMD", "ZDOTDIR", "FPATH", "CDPATHS")
)  # fmt: skip
# bash itself goes by these, where ``goes_by`` and the walk say so; with an attribute they would do something else.
OF_THE_SHELL = frozenset(("HOME", "CDPATH", "PWD", "OLDPWD", "TMPDIR", "GLOBIGNORE"))
# bash sets these itself, so that what a text sets does not stay; the first of them evaluate what they are set to.
COUNTERS = frozenset(("RANDOM", "SECONDS", "OPTIND"))
SET_ANEW = COUNTERS | {"OPTARG", "OPTERR", "REPLY", "MAPFILE"}

# Commands of bash itself that look for no program and read no settings.
PLAIN = frozenset(("echo", "printf", "test", "[", "true", "false", ":", "pwd"))
_PLACES = frozenset(("HOME", "CDPATH", "PWD", "OLDPWD"))
_NONE: frozenset[str] = frozenset()
_GO_BY: dict[str, frozenset[str]] = {
    **dict.fromkeys(PLAIN, _NONE),
    **dict.fromkeys(
        ("alias", "unalias", "break", "continue", "return", "set", "shopt", "shift", "unset", "read", "mapfile",
         "readarray", "getopts", "trap", "eval", "source", ".", "type", "hash", "command", "builtin", "exec", "wait",
         "jobs", "kill", "umask", "times", "declare", "typeset", "local", "export", "readonly"),
        _NONE,
    ),
    **dict.fromkeys(("cd", "pushd", "popd", "dirs"), _PLACES),
    "exit": frozenset(("HOME",)),  # a login shell then runs ``~/.bash_logout``
}  # fmt: skip


def may_wait(name: str) -> bool:
    """Tell whether a variable that is set changes nothing until something goes by it."""
    return name == "BASH_ENV" or not (name in _AT_ONCE_NAMES or name.startswith(_AT_ONCE))


def gone_by(name: str, altered: AbstractSet[str], *, in_shell: bool) -> str:
    """Name a variable that a command may go by.

    Args:
        name: The command.
        altered: The variables that were set before.
        in_shell: Whether bash itself starts it, so that its own commands count.

    Returns:
        The variable, ``""`` if it goes by none of them.
    """
    if not altered:
        return ""
    meant = altered & _GO_BY[name] if in_shell and name in _GO_BY else altered
    return min(meant, default="")
