"""The programs inside a program's words: wrappers, texts for a shell, options that carry a command.

The shell room shows what it can follow as programs of their own. What it refuses to follow (``sudo``, ``ssh``,
``parallel``, ``eval``) is opened here, only to name the danger: the command is refused anyhow, unless a human approved
these bytes.
"""

from __future__ import annotations

from harness_guard.policy.danger.line import names_of
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final, Literal

MOST_LAYERS: Final = 40
MOST_WORDS: Final = 20_000  # of all layers together; what is longer is no command that anybody reads
DEEPEST: Final = 6


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a program starts another one.

    Attributes:
        names: Its names, separated by blanks.
        takes: ``words``: the operands are the inner words. ``fed``: and unknown ones follow. ``text``: they are a text
            for a shell. ``option``: an option's value is a text. ``until``: the words behind an option up to ``;`` or
            ``+`` are the inner words.
        valued: Options that take a value, separated by blanks.
        skip: Operands in front of the inner words.
        options: The options that ``option`` and ``until`` look for.
    """

    names: str
    takes: Literal["words", "fed", "text", "option", "until"]
    valued: str = ""
    skip: int = 0
    options: str = ""


# Sources: the programs' man pages.
WRAPPERS: Final = (
    Wrapper("sudo", "words", "-u -g -U -C -p -D -h -r -t -T -R"),
    Wrapper("doas", "words", "-u -C"),
    Wrapper("pkexec", "words", "--user"),
    Wrapper("runuser", "words", "-u -g -G"),
    Wrapper("su runuser script flock", "option", options="-c --command"),
    Wrapper("nohup setsid command builtin caffeinate busybox toybox lvm unbuffer chronic time", "words", "-f -o"),
    Wrapper("exec", "words", "-a"),
    Wrapper("env", "words", "-u -C --unset --chdir"),
    Wrapper("env", "option", options="-S --split-string"),
    Wrapper("nice", "words", "-n --adjustment"),
    Wrapper("ionice", "words", "-c -n -p --class --classdata"),
    Wrapper("stdbuf", "words", "-i -o -e"),
    Wrapper("timeout gtimeout", "words", "-s -k --signal --kill-after", skip=1),
    Wrapper("chroot", "words", "--userspec --groups", skip=1),
    Wrapper("flock", "words", "-w -E --timeout", skip=1),
    Wrapper("taskset", "words", skip=1),
    Wrapper("chrt", "words", skip=1),
    Wrapper("unshare nsenter firejail proxychains torsocks", "words", "-t -S -G"),
    Wrapper("strace ltrace", "words", "-e -o -p -s -u -E -a -I -O -S -P"),
    Wrapper("xargs", "fed", "-I -J -n -d -L -P -s -E -a -R -S --arg-file --max-args --max-procs --delimiter"),
    Wrapper("watch", "text", "-n --interval"),
    Wrapper("ssh", "text", "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", skip=1),
    Wrapper("eval", "text"),
    Wrapper("trap", "text"),
    Wrapper("tmux screen", "text", "-t -s -n -c -F -S -x -y -f -L", skip=1),
    Wrapper("sh bash zsh dash ksh ash mksh fish", "option", options="-c"),
    Wrapper("ssh", "option", options="-o"),
    Wrapper("rsync", "option", options="-e --rsh --rsync-path"),
    Wrapper("tar bsdtar", "option", options="--info-script --new-volume-script --to-command -F -I"),
    Wrapper("find gfind", "until", options="-exec -execdir -ok -okdir"),
    Wrapper("fd fdfind", "until", options="-x --exec -X --exec-batch"),
    Wrapper("npx pnpx bunx uvx", "words", "-p --package -c --from --with"),
    Wrapper("npm pnpm yarn bun", "words", skip=1),
    Wrapper("bundle poetry uv pipenv pdm pipx hatch rye conda mise direnv", "words", "--with --from -n", skip=1),
    Wrapper("python pypy", "option", options="-m"),
    Wrapper("python php ruby node deno", "words", "-m -c -e -W -X -r"),
    Wrapper("docker podman kubectl", "words", "-e -u -w -n -c --env --user --workdir --name --namespace", skip=2),
)  # fmt: skip
_RUNNERS: Final = {  # of these only some subcommands start a program
    "npm": "exec x", "pnpm": "exec dlx", "yarn": "exec dlx run", "bun": "x run", "bundle": "exec", "poetry": "run",
    "uv": "run", "pipenv": "run", "pdm": "run", "pipx": "run", "hatch": "run", "rye": "run", "conda": "run",
    "mise": "exec x", "direnv": "exec", "docker": "exec", "podman": "exec", "kubectl": "exec",
}  # fmt: skip
_BY_NAME: Final[dict[str, list[Wrapper]]] = {}
for _row in WRAPPERS:
    for _name in _row.names.split():
        _BY_NAME.setdefault(_name, []).append(_row)

_PREFIXES: Final = frozenset(("then", "do", "else", "if", "while", "until", "!", "{", "elif"))


def layers_of(words: list[str]) -> list[list[str]]:
    """Give a program's words, and those of each program that its words start in turn.

    Args:
        words: Program and arguments, unknown ones empty.

    Returns:
        The lines, outermost first.
    """
    found: list[list[str]] = []
    waiting = [(words, 0)]
    seen = 0
    while waiting and len(found) < MOST_LAYERS:
        line, depth = waiting.pop(0)
        if not line:
            continue
        found.append(line)
        seen += len(line)
        if depth < DEEPEST and seen < MOST_WORDS:
            waiting += [(inner, depth + 1) for inner in _inner(line)]
    return found


def _inner(line: list[str]) -> Iterator[list[str]]:
    names = names_of(line[0])
    if "git" in names:
        yield from _aliases(line)
    if "parallel" in names:
        yield from _parallel(line)
    for name in dict.fromkeys(names):
        for row in _BY_NAME.get(name, ()):
            if name not in _RUNNERS or set(_RUNNERS[name].split()) & set(line[1:3]):
                yield from _opened(row, line[1:])


def _opened(row: Wrapper, words: list[str]) -> Iterator[list[str]]:
    if row.takes == "until":
        yield from _until(row.options.split(), words)
        return
    if row.takes == "option":
        for place, value in _option_values(row.options.split(), words):
            is_module = row.options == "-m"
            yield from [[value, *words[place:]]] if is_module else commands_in(value.partition("=")[2] or value)
            if "=" in value:
                yield from commands_in(value)
        return
    valued = set(row.valued.split())
    inner = _behind(words, valued)
    for _ in range(row.skip):
        inner = _behind(inner[1:], valued)
    if row.takes == "text" or (len(inner) == 1 and " " in inner[0]):
        yield from commands_in(inner[0] if len(inner) == 1 else " ".join(inner))
    elif inner:
        yield [*inner, ""] if row.takes == "fed" else inner


def _behind(words: list[str], valued: set[str]) -> list[str]:
    """Give the words behind the options and settings in front."""
    index = 0
    while index < len(words):
        word = words[index]
        if word == "--":
            return words[index + 1 :]
        if word.startswith("-"):  # ``-`` alone is env's way to say ``-i``
            last = f"-{word[-1]}" if not word.startswith("--") else word
            # ``-n 1`` and ``-vn 1`` take the next word, ``-n1`` and ``-vn1`` do not.
            index += 2 if last in valued and f"-{word[1]}" not in valued - {last} else 1
        elif "=" in word and word.partition("=")[0].isidentifier():
            index += 1
        else:
            break
    return words[index:]


def _option_values(options: list[str], words: list[str]) -> Iterator[tuple[int, str]]:
    """Give what may be the values of some options, and where the words behind them start."""
    for index, word in enumerate(words):
        name, sign, value = word.partition("=")
        if name in options and sign:
            yield index + 1, value
        is_cluster = word.startswith("-") and not word.startswith("--")
        rests = [word[at + 1 :] for at in range(1, len(word)) if is_cluster and f"-{word[at]}" in options]
        for rest in filter(None, rests):
            yield index + 1, rest
        if (rests or word in options) and index + 1 < len(words):
            yield index + 2, words[index + 1]


def _until(options: list[str], words: list[str]) -> Iterator[list[str]]:
    inner: list[str] | None = None
    for word in words:
        if word in options:
            inner = []
        elif inner is not None and word in {";", "+", "\\;"}:
            yield inner
            inner = None
        elif inner is not None:
            inner.append(word)
    if inner:
        yield inner


def _parallel(line: list[str]) -> Iterator[list[str]]:
    """GNU parallel: its command is a text, each argument behind ``:::`` is put at the end."""
    words = _behind(line[1:], {"-j", "-n", "-N", "-S", "-a", "--jobs", "--colsep", "--joblog"})
    place = words.index(":::") if ":::" in words else len(words)
    command, arguments = words[:place], words[place + 1 :]
    if command:
        yield [*command, *arguments]
    text = " ".join(command)
    for argument in arguments or ("",):
        yield from commands_in(text.replace("{}", argument) if "{}" in text else f"{text} {argument}")


def _aliases(line: list[str]) -> Iterator[list[str]]:
    """Aliases that git is given on its command line: ``-c alias.x=!cmd``, ``-c alias.x=push --force``."""
    for _, value in _option_values(["-c"], line[1:]):
        name, _, body = value.partition("=")
        if not name.lower().startswith("alias."):
            continue
        if body.startswith("!"):
            yield from commands_in(body[1:])
        else:
            yield from (["git", *words] for words in commands_in(body))


def commands_in(text: str) -> list[list[str]]:
    """Read a text for a shell plainly: commands apart at ``;``, ``&``, ``|``, line ends and brackets.

    Args:
        text: The text.

    Returns:
        The words of each command, without quotes and without a shell's own words in front.
    """
    found: list[list[str]] = [[]]
    word: list[str] | None = None
    quote = ""
    for letter in f"{text}\n":
        if letter == quote:
            quote = ""
        elif quote:
            word = word or []
            word.append(letter)
        elif letter in "'\"":
            quote, word = letter, word or []
        elif letter.isspace() or letter in ";&|()`":
            if word is not None:
                found[-1].append("".join(word))
            if letter in ";&|()`\n":
                found.append([])
            word = None
        elif letter != "\\":
            word = word or []
            word.append(letter)
    return [line for line in map(_without_prefix, found) if line]


def _without_prefix(line: list[str]) -> list[str]:
    while line and (line[0] in _PREFIXES or ("=" in line[0] and line[0].partition("=")[0].isidentifier())):
        line = line[1:]
    return line
