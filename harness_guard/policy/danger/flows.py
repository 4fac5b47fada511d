"""Dangers of several programs together: what one gives, another one runs."""

from __future__ import annotations

from harness_guard.policy.danger.layers import commands_in, layers_of
from harness_guard.policy.danger.line import Line
from harness_guard.policy.danger.model import Danger, Flow
from harness_guard.policy.danger.operands import is_dropping, is_network_shell, is_revealing_name
from harness_guard.policy.danger.table.services import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.policy.danger.match import Pipelines
    from harness_guard.policy.danger.model import Told

INTERPRETERS: Final = (
    "sh bash zsh dash ksh ash mksh fish python pypy perl ruby node php deno bun eval source . pwsh powershell tclsh "
    "lua iex invoke-expression osascript"
)
_PRINTERS: Final = frozenset(("echo", "printf"))
_STARTERS: Final = frozenset(("env", "command", "builtin", "exec", "nohup", "time", "timeout", "nice", "sudo"))
_SHELLS: Final = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish"))
_READERS: Final = _SHELLS | {"source", ".", "eval"}
_DOWNLOADERS: Final = "curl wget fetch aria2c http https xh lwp-request iwr invoke-webrequest nc ncat netcat socat"
_CODE_OPTIONS: Final = "-c -e -m -r --eval -command"

FLOWS: Final = (
    Flow(
        "danger.download", "download", "an interpreter would run what `{}` gives", _DOWNLOADERS, INTERPRETERS,
        takes_program=True,
    ),
    Flow(
        "danger.download", "decoded", "an interpreter would run what `{}` gives",
        "base64 base32 xxd openssl uudecode basenc gbase64", INTERPRETERS, options="-d -D --decode -r",
        takes_program=True,
    ),
    Flow(
        "danger.database", "statement-fed", "it would drop or empty data with what `{}` gives", "echo printf cat",
        CLIENTS, word=is_dropping,
    ),
)  # fmt: skip


def flow_of(pipelines: Pipelines) -> Danger | None:
    """Find the first row of ``FLOWS`` that holds within one pipeline.

    Args:
        pipelines: The lines.
    """
    for flow in FLOWS:
        sources: dict[int, str] = {}  # only what stands in front: an interpreter gives to what follows
        for line, group, text in pipelines.lines:
            if group in sources and set(flow.sinks.split()) & set(line.names) and _takes(flow, line):
                return Danger(flow.id, f"{flow.what.format(sources[group])}: `{text}`")
            if group not in sources and _gives(flow, line):
                sources[group] = text
    return None


def _gives(flow: Flow, line: Line) -> bool:
    if not set(flow.sources.split()) & set(line.names) or line.is_help(""):
        return False
    if flow.options and not line.gives(flow.options):
        return False
    return flow.word is None or any(flow.word(word, line.cwd) for word in line.words)


def _takes(flow: Flow, line: Line) -> bool:
    return not flow.takes_program or takes_program(line)


def takes_program(line: Line) -> bool:
    """Tell whether an interpreter takes its program from its input, or from a word that is not known.

    Args:
        line: The interpreter's words.
    """
    names = {name for name, _ in line.options}
    operands = [(word, is_maybe) for word, is_maybe in line.operands if word != "-"]
    if names & ({"-c"} if _SHELLS & set(line.names) else set(_CODE_OPTIONS.split())):
        code = next((word for word, _ in operands), "")
        return code in {"", "{}"}  # what xargs puts there
    if "" in line.words or "-s" in names:
        return True
    if any(word == "/dev/stdin" or word.startswith(("/dev/fd/", "/proc/self/fd/")) for word, _ in operands):
        return True
    return all(is_maybe for _, is_maybe in operands)


def run_download(pipelines: Pipelines) -> Danger | None:
    """Find a file that is downloaded and then run in the same text.

    Args:
        pipelines: The lines.
    """
    made: dict[str, str] = {}
    for line, _, text in pipelines.lines:
        for ran in _program_files(line):
            if ran in made:
                return Danger("danger.download", f"an interpreter would run what `{made[ran]}` gives: `{text}`")
        if set(_DOWNLOADERS.split()) & set(line.names):
            made.update({_bare(path): text for path in (*_output_files(line), *line.targets)})
    return None


def _bare(path: str) -> str:
    return path.rpartition("/")[2]


def _program_files(line: Line) -> list[str]:
    """Names of the files that a line may run as a program."""
    script = [word for word, _ in line.operands][:1] if set(INTERPRETERS.split()) & set(line.names) else []
    return [name for name in (*map(_bare, script), *(line.names[:1] if line.is_path else ())) if name]


def _output_files(line: Line) -> list[str]:
    named = [value for name, value in line.options if name in {"-o", "-O", "--output", "--output-document"} and value]
    takes_remote_name = "wget" in line.names or line.gives("-O --remote-name -J")
    remote = [word for word, _ in line.operands if "/" in word] if takes_remote_name else []
    return [*named, *remote]


def network_shell(pipelines: Pipelines) -> Danger | None:
    """Find a program that hands a shell to the network.

    Args:
        pipelines: The lines.
    """
    for line, _, text in pipelines.lines:
        names = set(line.names)
        hands = {"nc", "ncat", "netcat"} & names and line.gives("-e -c --exec --sh-exec --lua-exec")
        if hands or ("socat" in names and any(is_network_shell(word, "") for word in line.words)):
            return Danger("danger.download", f"an interpreter would run what the network gives: `{text}`")
    return None


def printed_secret(effects: Told) -> Danger | None:
    """Find ``echo $API_KEY``: a variable of the environment whose name speaks of a secret, printed or looked up.

    Args:
        effects: Where the programs are named.
    """
    for program in effects.programs:
        is_apart = bool(program.argv) and program.argv[0] in _STARTERS
        prints = not _PRINTERS.isdisjoint(program.argv if is_apart else program.argv[:1])
        for variable in (*(program.variables if prints else ()), *program.prints):
            if is_revealing_name(variable, "") and variable.isupper():
                return Danger("danger.secret", f"it would print a secret of the environment: `{program.text}`")
    return None


def fork_bomb(effects: Told) -> Danger | None:
    """Find ``f(){ f|f& };f``: a function that a pipeline starts twice.

    Args:
        effects: Where the programs and the functions of the text are named.
    """
    functions = {":", *(one.seen for one in effects.unknown if one.why == "a function")}
    seen: set[tuple[str, int]] = set()
    for program in effects.programs:
        name = program.argv[0] if len(program.argv) == 1 else None
        if name in functions and (name, program.group) in seen:
            return Danger("danger.fork-bomb", "a function that starts itself twice in the background")
        seen.add((name or "", program.group))
    return None


def fed_lines(command: str, pipelines: Pipelines) -> list[Line]:
    """Give the commands in a text that a shell of the command takes its program from.

    The text is what ``echo`` and ``printf`` print in the same pipeline. The shell room keeps no bodies of
    here-documents, so what stands behind the mark is looked through too: a shell reads it, it is nobody's message.

    Args:
        command: The whole text.
        pipelines: The lines.
    """
    shells = [group for line, group, _ in pipelines.lines if _READERS & set(line.names) and takes_program(line)]
    texts = [command.partition("<<")[2].lstrip("<-")] if shells else []
    texts += [
        word
        for line, group, _ in pipelines.lines
        if group in shells and _PRINTERS & set(line.names)
        for word in (" ".join(line.words), *line.words)
    ]
    found: list[Line] = []
    for words in (words for text in texts for words in commands_in(text)):
        inner = commands_in(words[0]) if len(words) == 1 and " " in words[0] else [words]
        found += [Line(layer, "") for line in inner for layer in layers_of(line)]
    return found


def drops_by_text(command: str, pipelines: Pipelines) -> Danger | None:
    """Find a here-document with which a database's client would drop or empty data.

    Args:
        command: The whole text.
        pipelines: The lines.
    """
    behind = command.partition("<<")[2]
    for line, _, text in pipelines.lines if behind else ():
        if set(CLIENTS.split()) & set(line.names) and is_dropping(behind, ""):
            return Danger("danger.database", f"it would drop or empty data: `{text}`")
    return None
