"""What some commands are known to print: the folder, parts of a path, plain words, a number (``$( … )``)."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.syntax import Bare, Pipe, Simple
from harness_guard.shell.values import COUNT, HASH, PART, SLUG, STAMP, Value, pattern_start
from harness_guard.shell.words import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness_guard.shell.facts import GitFacts
    from harness_guard.shell.state import State
    from harness_guard.shell.syntax import Script, Statement
    from harness_guard.shell.values import Field
    from harness_guard.shell.words import Scope

LONGEST = 4096  # characters of a path or of a text


def printed(body: Script, state: State, scope: Scope, git: Mapping[str, GitFacts]) -> Value | str | None:
    """Tell what a command substitution stands for.

    Args:
        body: What runs.
        state: Where it runs.
        scope: What its words are expanded with.
        git: The known facts about git.

    Returns:
        The value without the line ends behind it; a folder whose git facts are wanted; ``None`` if unknown.
    """
    if len(body.statements) != 1:
        return None
    statement = body.statements[0]
    parts = statement.command.parts if isinstance(statement.command, Pipe) else (statement,)
    if statement.is_negated or statement.is_background or not parts or (len(parts) > 1 and statement.redirects):
        return None
    fields = _fields(parts[-1], state, scope)
    if any(field.text is None or field.is_pattern for field in fields):
        return replace(PART, folders=_folders_of(fields[1])) if len(parts) == 1 and _is_last_part(fields) else None
    words = [field.text or "" for field in fields]
    if not words:
        return None
    takes_input = any(redirect.op == "<" for redirect in parts[-1].redirects)
    if _counts(words, is_fed=len(parts) > 1):
        return STAMP if words[0] in {"date", "id"} and not takes_input else COUNT
    if _dates(words) and not takes_input:
        return SLUG
    if len(parts) > 1 or takes_input:
        return None  # an input that is not there keeps it from printing anything
    if words[0] == "git":
        return HASH if _names_commit(words[1:]) else _top(words, state, git)
    make = _PRINTERS.get(words[0])
    text = make(words[1:], state) if make is not None else None
    return None if text is None or len(text) > LONGEST else Value(text.rstrip("\n"))


def _fields(statement: Statement, state: State, scope: Scope) -> list[Field]:
    """Give a simple command's words, none where the command is more than simple."""
    command = statement.command
    if not isinstance(command, Simple) or command.assigns or not command.words or command.declares:
        return []
    for redirect in statement.redirects:
        if redirect.op == "<" and redirect.fd in {"", "0"}:
            continue
        if redirect.op != ">" or redirect.fd != "2" or redirect.target.parts != (Bare("/dev/null"),):
            return []
    fields = [field for word in command.words for field in expand(word, scope)]
    return [] if fields and fields[0].text in state.functions else fields


def _is_last_part(fields: list[Field]) -> bool:
    """Whether it is ``basename`` of a path that is not known whole, but is no option, and more than slashes.

    Then it prints no slash.
    """
    rest = fields[1:]
    if fields[0].text != "basename" or len(rest) not in {1, 2} or not all(field.is_one for field in rest):
        return False
    tops = rest[0].found.tops if rest[0].found is not None else (rest[0].start,)
    is_more = all(top.strip("/") and top[0] != "-" for top in tops)
    return is_more and all(field.text is not None and not field.is_pattern for field in rest[1:])


def _folders_of(field: Field) -> tuple[str, ...]:
    """Give the folders, as written, that hold the names of which a field is one; none if that is not known."""
    if field.found is not None:
        return field.found.tops
    head = pattern_start(field.text or "") if field.is_pattern else ""
    return (head.rpartition("/")[0] or ".",) if head[:1] not in {"", "/", "~"} else ()


def _counts(words: list[str], *, is_fed: bool) -> bool:
    """Whether a program prints one number and nothing else, or nothing at all."""
    name, rest = words[0], words[1:]
    if name == "wc":
        return rest in (["-l"], ["-c"], ["-w"], ["-m"])
    if name == "date":
        return rest == ["+%s"]
    if name == "grep":
        options = [word for word in rest if word.startswith("-")]
        letters = {letter for word in options for letter in word[1:]}
        operands = len(rest) - len(options)
        is_counting = "c" in letters and letters <= set("ciEFvwx") and not any(word[:2] == "--" for word in options)
        return is_counting and operands == (1 if is_fed else 2)
    return words in (["nproc"], ["id", "-u"], ["id", "-g"])


def _dates(words: list[str]) -> bool:
    """Whether it is ``date`` with a format that makes one word, without a slash in it."""
    rest = [word for word in words[1:] if word not in {"-u", "--utc"}]
    if words[0] != "date" or len(rest) != 1 or not rest[0].startswith("+") or rest[0].startswith("+-"):
        return False
    pieces = rest[0][1:].split("%")
    codes = [piece[:1] for piece in pieces[1:]]
    literal = "".join([pieces[0], *(piece[1:] for piece in pieces[1:])])
    return (
        bool(codes)
        and set(codes) <= _CODES
        and all(mark.isalnum() or mark in "_.:-" for mark in literal)
        and literal.isascii()
    )


_CODES = frozenset("FTYmdHMSsNjyGVuwC")  # of date(1): digits, with dashes or colons between them


def _names_commit(words: list[str]) -> bool:
    """Whether git prints the name of one object in hexadecimal, or of a word that it was given, or nothing."""
    options = [word for word in words[1:] if word.startswith("-")]
    operands = [word for word in words[1:] if not word.startswith("-")]
    if any(not operand or not set(operand) <= _REVISION or ".." in operand for operand in operands):
        return False
    if words[:1] == ["merge-base"]:
        return not options and len(operands) == len(("A", "B"))
    if words[:1] != ["rev-parse"] or len(operands) != 1:
        return False
    is_sure = any(word == "--verify" or word.partition("=")[0] == "--short" for word in options)
    is_known = all(word in {"--verify", "-q", "--quiet", "--short"} or _is_short(word) for word in options)
    # What is no revision is printed as it was written.
    return is_known and (is_sure or operands[0].replace("_", "").isalnum())


# Marks of a revision that names one object; behind ``^`` some make several of it (gitrevisions(7)).
_REVISION = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./~:")


def _is_short(word: str) -> bool:
    return word.startswith("--short=") and word.partition("=")[2].isdigit()


def _top(words: list[str], state: State, git: Mapping[str, GitFacts]) -> Value | str | None:
    if words[1:] != ["rev-parse", "--show-toplevel"] or state.cwds is None or len(state.cwds) != 1:
        return None
    facts = git.get(state.cwds[0])
    if facts is None:
        return state.cwds[0]
    return Value(facts.top) if facts.top and not facts.reading else None


def _folder(words: list[str], state: State) -> str | None:
    value = state.values.get("PWD")
    is_own = "PWD" not in state.altered  # bash knows its folder whatever the text sets
    return value.text if value is not None and is_own and words in ([], ["-L"]) else None


def _dirname(words: list[str], _: State) -> str | None:
    rest = words[1:] if words[:1] == ["--"] else words
    if len(rest) != 1 or (rest is words and rest[0].startswith("-")):
        return None
    path = rest[0].rstrip("/")
    if not path:
        return "/" if rest[0] else "."
    head, sign, _name = path.rpartition("/")
    if not sign:
        return "."
    return head.rstrip("/") or "/"


def _basename(words: list[str], _: State) -> str | None:
    rest = words[1:] if words[:1] == ["--"] else words
    if len(rest) not in {1, 2} or (rest is words and rest[0].startswith("-")):
        return None
    path = rest[0].rstrip("/")
    if not path:
        return "/" if rest[0] else ""
    name = path.rpartition("/")[2]
    suffix = rest[1] if rest[1:] else ""
    return name[: -len(suffix)] if suffix and name.endswith(suffix) and name != suffix else name


def _echo(words: list[str], _: State) -> str | None:
    rest = words[1:] if words[:1] == ["-n"] else words
    if any(word.startswith("-") for word in rest[:1]) or any("\\" in word for word in rest):
        return None
    return " ".join(rest)


def _printf(words: list[str], _: State) -> str | None:
    made = formatted(words)
    return None if made is None or "\0" in made else made


def formatted(words: list[str]) -> str | None:
    """Give what ``printf`` makes of a format of texts, line ends and ``%s``, ``None`` for any other format."""
    if not words or words[0].startswith("-"):
        return None
    pieces = words[0].replace("\\n", "\n").split("%s")
    if any("%" in piece or "\\" in piece for piece in pieces):
        return None
    rest, made = words[1:], ""
    while True:
        for at, piece in enumerate(pieces):
            made += (rest.pop(0) if rest else "") + piece if at else piece
        if not rest or len(pieces) == 1 or len(made) > LONGEST:
            return made


_PRINTERS = {"pwd": _folder, "dirname": _dirname, "basename": _basename, "echo": _echo, "printf": _printf}
