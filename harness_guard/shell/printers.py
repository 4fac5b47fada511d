"""Which commands print names of files, and nothing else: where these lie and what they are called.

Sources: the manuals of findutils 4.9, GNU grep 3.8, git 2.39 (ls-files, grep, gitglossary "pathspec"), ripgrep 14
(``--glob``, gitignore's form), fd 9.
"""

from __future__ import annotations

from harness_guard.paths import glob_matches
from harness_guard.shell.commands.model import Row, options_of
from harness_guard.shell.effects import Search
from harness_guard.shell.names import NameSource, Printed, sources_of_roots, with_followed
from harness_guard.shell.values import Found, escape, pattern_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from harness_guard.shell.commands.model import Options
    from harness_guard.shell.values import Field

_LISTED = frozenset("cdmoiskutz")
_OTHERS = frozenset("oikd")  # what lies on disk or is gone from it
_LS_FILES = frozenset(
    ("--cached", "--deleted", "--modified", "--others", "--ignored", "--exclude-standard", "--deduplicate")
)  # fmt: skip
_LS = frozenset("1ArtSdcuvX")  # not ``-f``, which gives ``..`` too
_GREP = frozenset("rlLZiwxvEFGPsIqe")
_GREP_LONG = frozenset(("--recursive", "--files-with-matches", "--files-without-match", "--null", "--ignore-case"))
_GIT_GREP = frozenset(("--name-only", "--files-with-matches", "--null", "--cached", "--untracked", "--ignore-case"))


_GLOB_ODD = frozenset("[]{}\\")  # what a glob of ripgrep's may hold that ours do not


def names_printed(calls: Sequence[tuple[Field, ...]], cwds: tuple[str, ...] | None) -> Printed | None:
    """Tell which names a pipeline prints.

    Args:
        calls: Its commands in order, program and arguments.
        cwds: The folders it may run in.

    Returns:
        The names; ``None`` if it may print anything else.
    """
    if cwds is None or not calls or any(field.text is None for call in calls for field in call):
        return None
    if any(field.is_pattern and (at or call[0].text != "ls") for at, call in enumerate(calls) for field in call):
        return None
    texts = [[field.text or "" for field in call] for call in calls]
    rest = texts[1:]
    if not rest and texts[0][0] in _TELLING:
        return _told(texts[0])
    columns = _in_columns(texts[0], cwds) if rest else None
    if columns is not None:
        at = next((at for at, words in enumerate(rest) if _takes_column(words, *columns[0])), None)
        if at is not None:
            kept = all(_only_drops_lines(words, is_nul=False) for words in (*rest[:at], *rest[at + 1 :]))
            return columns[1] if kept else None
    first = _FIRST.get(texts[0][0] if texts[0] else "")
    printed = None if first is None else first(calls[0], cwds)
    if printed is None or not all(_only_drops_lines(words, is_nul=printed.is_nul) for words in rest):
        return None
    return printed


def _by_find(call: tuple[Field, ...], cwds: tuple[str, ...]) -> Printed | None:
    from harness_guard.shell.find_search import UnreadableError, found_by, read_search

    try:
        search = read_search(call[1:])
    except UnreadableError:
        return None
    kinds = {action.name for action in search.actions}
    if not kinds <= {"-print"} and kinds != {"-print0"}:
        return None
    names = tuple(dict.fromkeys(name for action in search.actions for name in action.names)) or search.names
    found = found_by(search, names)
    if found is None:
        return None
    is_below = _are_below(found.tops)
    sources = tuple(source for cwd in cwds for source in sources_of_roots(list(found.tops), cwd)) if is_below else None
    return Printed(found, sources, kinds == {"-print0"}, is_below=is_below)


def _by_git(call: tuple[Field, ...], cwds: tuple[str, ...]) -> Printed | None:
    words = [field.text or "" for field in call[1:]]
    if words[:1] == ["grep"]:
        return _by_git_grep(words[1:], cwds)
    if words[:1] != ["ls-files"]:
        from harness_guard.shell.git_printers import printed_by_git

        return printed_by_git(words, cwds)
    found = [_of_index(words[1:], cwd) for cwd in cwds]
    before, behind = _parted(words[1:])
    is_nul = any(word[:1] == "-" and word[:2] != "--" and "z" in word for word in before)
    sources = [source for made in found if made is not None for source in made]
    if None in found:
        return None
    tops = _tops_of([*(word for word in before if not word.startswith("-")), *behind])
    return Printed(Found(tops, Search(skips_git=True)), tuple(sources), is_nul, is_walked=False)


def _tops_of(pathspecs: list[str]) -> tuple[str, ...]:
    """Give where all names lie that pathspecs mean; their stars cross folders, ``.`` is where git was started."""
    tops = [word if _GLOB_MARKS.isdisjoint(word) else _before_glob(word) for word in pathspecs]
    return tuple(dict.fromkeys(top.rstrip("/") or "." for top in tops)) or (".",)


_GLOB_MARKS = frozenset("*?[\\")


def _before_glob(pathspec: str) -> str:
    first = min(at for at, character in enumerate(pathspec) if character in _GLOB_MARKS)
    return pathspec[:first].rpartition("/")[0]


def _by_git_grep(words: list[str], cwds: tuple[str, ...]) -> Printed | None:
    """``git grep -l PATTERN [-- PATH…]``: names of the index, or with ``--untracked`` on disk."""
    options = [word for word in words if word.startswith("-") and word != "--"]
    letters = {letter for word in options if not word.startswith("--") for letter in word[1:]}
    longs = {word for word in options if word.startswith("--")}
    before, operands = _parted(words)
    patterns = [word for word in before if word not in options]
    prints = "l" in letters or not longs.isdisjoint(("--name-only", "--files-with-matches"))
    if _joins_pattern(options):
        return None
    if not prints or letters - set("lizwFEIe") or longs - _GIT_GREP or len(patterns) != 1 or "--cached" in longs:
        return None  # a revision in front of a name would stand before it
    if any(".." in word.split("/") or word.startswith((":", "/")) for word in operands):
        return None
    kinds: tuple[Literal["index", "disk"], ...] = ("index", "disk") if "--untracked" in longs else ("index",)
    sources = tuple(NameSource(kind, cwd) for cwd in cwds for kind in kinds)
    found = Found(_tops_of(operands), Search(skips_git=True))
    return Printed(found, sources, "z" in letters or "--null" in longs, is_walked=False)


def _by_grep(call: tuple[Field, ...], cwds: tuple[str, ...]) -> Printed | None:
    """``grep -rl PATTERN [PLACE…]``, without following links."""
    words = [field.text or "" for field in call[1:]]
    operands = [word for word in words if not word.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    letters = {letter for word in options if not word.startswith("--") for letter in word[1:]}
    longs = {word for word in options if word.startswith("--") and not word.startswith(("--include=", "--exclude"))}
    is_deep = "r" in letters or "--recursive" in longs
    prints = not letters.isdisjoint("lL") or not longs.isdisjoint(("--files-with-matches", "--files-without-match"))
    if not (is_deep and prints) or letters - _GREP or longs - _GREP_LONG or not operands or "--" in words:
        return None
    if _joins_pattern(options):
        return None
    tops = tuple(operands[1:]) or (".",)
    names = _included(options, tops)
    is_below = _are_below(tops)
    sources = tuple(source for cwd in cwds for source in sources_of_roots(list(tops), cwd)) if is_below else None
    both = with_followed(tops)
    is_nul, is_named = "Z" in letters or "--null" in longs, bool(operands[1:])
    found = Found(both, Search(names, skips_git="--exclude-dir=.git" in options))
    return Printed(found, sources, is_nul, is_walked=is_named, is_below=is_below)


def _joins_pattern(options: list[str]) -> bool:
    """Whether a pattern may stand in the same word as its option, ``-eTEXT``: its letters are no options."""
    return any("e" in word[:-1] for word in options if not word.startswith("--"))


def _included(options: list[str], tops: tuple[str, ...]) -> tuple[str, ...]:
    """Give what the files are called that ``grep`` looks into, as globs.

    What no option matches is looked into if the first one excludes; and a place that is named is matched as it is
    written, from the start or behind any slash, where a star stands for slashes too (grep 3.8, gnulib's exclude).
    """
    globs = [word.partition("=")[2] for word in options if word.startswith("--include=")]
    if not globs or any(word.startswith("--exclude") and not word.startswith("--exclude-dir=") for word in options):
        return ("*",)
    named = [top for top in tops if any(glob_matches(glob.casefold(), end) for glob in globs for end in _ends(top))]
    return (*globs, *(escape(top.rpartition("/")[2]) for top in named if "/" in top))


def _ends(top: str) -> list[str]:
    """Give a path and what stands behind each of its slashes but the last."""
    segments = top.casefold().split("/")
    return ["/".join(segments[at:]) for at in range(len(segments) - 1)]


def _by_ls(call: tuple[Field, ...], cwds: tuple[str, ...]) -> Printed | None:
    """``ls``; ``ls FOLDER``, with names that lie in it; ``ls GLOB``, with the matches as they are written.

    What lies in a folder that is a match is printed without it.
    """
    options = [field for field in call[1:] if field.start.startswith("-")]
    operands = [field for field in call[1:] if not field.start.startswith("-")]
    if any(field.is_pattern or not (field.text or "")[1:] or set((field.text or "")[1:]) - _LS for field in options):
        return None
    if not operands:
        return Printed(Found((".",)), tuple(NameSource("disk", cwd) for cwd in cwds))
    text = operands[0].text or ""
    if len(operands) > 1 or not _are_below([text]) or text[0] == "~":
        return None
    if operands[0].is_pattern:
        folder = pattern_start(text).rpartition("/")[0]
        parts = folder.split("/") if folder else []
        above = ["/".join(parts[:count]) for count in range(len(parts))]
        kind: Literal["direct", "disk"] = "direct" if any("d" in (field.text or "") for field in options) else "disk"
        sources = [NameSource(kind, f"{cwd}/{folder}".rstrip("/")) for cwd in cwds]
        sources += [NameSource("unlinked", f"{cwd}/{part}".rstrip("/")) for cwd in cwds for part in ("", *above)]
        return Printed(None, tuple(dict.fromkeys(sources)), is_walked=False)
    at = text.rstrip("/")
    sources = [source for cwd in cwds for source in sources_of_roots([at], cwd)]
    return Printed(None, tuple(sources), is_walked=False, is_below=False, at=at)


# Options with which ripgrep and fd print names alone, and neither look at what is hidden nor go through links.
_RG_LISTS = Row(
    "rg",
    flags="lisSwxFPUNn0q",
    valued="egtTdjm",
    longs="files files-with-matches files-without-match ignore-case smart-case case-sensitive word-regexp line-regexp "
    "fixed-strings pcre2 multiline null no-messages no-config regexp= glob= iglob= type= type-not= sort= max-depth=",
)
_FD_LISTS = Row(
    "fd",
    flags="0isgFp",
    valued="deEtj",
    longs="print0 ignore-case case-sensitive glob fixed-strings full-path max-depth= exclude= extension= type=",
)


def _by_rg(call: tuple[Field, ...], cwds: tuple[str, ...]) -> Printed | None:
    """``rg -l PATTERN [PLACE…]`` or ``rg --files [PLACE…]``."""
    options = options_of(_RG_LISTS, call[1:])
    if isinstance(options, str) or not options.has("-l", "--files", "--files-with-matches", "--files-without-match"):
        return None
    skipped = 0 if options.has("--files", "-e", "--regexp") else 1
    if not options.has("--files") and not options.operands[skipped:]:
        return None  # it may search its input instead
    given = [field.text or "" for field in options.values("-g", "--glob", "--iglob")]
    # A file has to match one of those that exclude nothing: its whole path, or its name if there is no slash.
    names = tuple(_of_glob(glob) for glob in given if not glob.startswith("!"))
    return _of_walker(options, skipped, cwds, names=names, is_nul=options.has("-0", "--null"))


def _of_glob(glob: str) -> str:
    """Give a glob of what files are called that a line of ``.gitignore`` names: blanks around it and ``#`` are none."""
    last = glob.rpartition("/")[2]
    is_plain = _GLOB_ODD.isdisjoint(glob) and not glob.startswith("#") and glob == glob.strip()
    return last if last and "**" not in last and is_plain else "*"


def _by_fd(call: tuple[Field, ...], cwds: tuple[str, ...]) -> Printed | None:
    """``fd [PATTERN [PLACE…]]``."""
    options = options_of(_FD_LISTS, call[1:])
    if isinstance(options, str):
        return None
    names = tuple(f"*.{escape((field.text or '').lstrip('.'))}" for field in options.values("-e", "--extension"))
    return _of_walker(options, 1, cwds, names=names, is_nul=options.has("-0", "--print0"))


def _of_walker(
    options: Options, skipped: int, cwds: tuple[str, ...], *, names: tuple[str, ...], is_nul: bool
) -> Printed | None:
    tops = tuple(field.text or "" for field in options.operands[skipped:]) or (".",)
    # ``-`` is the standard input; a place that starts with a dot is looked into although it is hidden, ``.git`` too.
    if not _are_below(tops) or any(top[0] in "-." and top not in {".", "./"} for top in tops):
        return None
    sources = tuple(source for cwd in cwds for source in sources_of_roots(list(tops), cwd))
    both = with_followed(tops)
    globs = names or ("*",)
    if names and any(top not in {".", "./"} for top in tops):
        globs = (*names, *(escape(top.rstrip("/").rpartition("/")[2]) for top in tops))  # a file named itself is told
    # A settings file of the user's may have it follow links: so none may lead out.
    return Printed(Found(both, Search(globs)), sources, is_nul, may_follow=True)


_FIRST = {"find": _by_find, "git": _by_git, "grep": _by_grep, "ls": _by_ls, "rg": _by_rg, "fd": _by_fd,
          "fdfind": _by_fd}  # fmt: skip


def _parted(words: list[str]) -> tuple[list[str], list[str]]:
    """Part words at ``--``; without it all stand in front."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _are_below(tops: Sequence[str]) -> bool:
    return all(top and not top.startswith("/") and ".." not in top.split("/") for top in tops)


def _of_index(words: list[str], cwd: str) -> list[NameSource] | None:
    options = [word for word in _parted(words)[0] if word.startswith("-")]
    letters = {letter for word in options if not word.startswith("--") for letter in word[1:]}
    # Letters that print more than names stand for themselves in no word here; ``-s`` prints object ids.
    if letters - _LISTED or letters & set("stu") or any(word not in _LS_FILES for word in options if word[:2] == "--"):
        return None
    if any(".." in word.split("/") or word.startswith((":", "/")) for word in words):
        return None  # names above the folder start with ``..``
    on_disk = [NameSource("disk", cwd)] if letters & _OTHERS or {"--others", "--ignored"} & set(options) else []
    return [NameSource("index", cwd), *on_disk]


_TELLING = frozenset(("echo", "printf", "seq"))
MOST_LINES = 64


def _told(words: list[str]) -> Printed | None:
    """What a command prints of its own words: lines without anything that ``xargs`` takes for more than itself."""
    name, rest = words[0], words[1:]
    lines: list[str] = []
    if name == "echo" and rest and not rest[0].startswith("-"):
        lines = [" ".join(rest)]
    elif name == "printf" and rest[:1] == ["%s\\n"]:
        lines = rest[1:]
    elif name == "printf" and len(rest) == 1 and rest[0].endswith("\\n") and "%" not in rest[0]:
        lines = rest[0].removesuffix("\\n").split("\\n")
    elif name == "seq" and all(word.isascii() and word.isdigit() and str(int(word)) == word for word in rest):
        first, last = {1: ["1", *rest], 2: rest}.get(len(rest), ["1", "0"])
        lines = [str(number) for number in range(int(first), min(int(last), int(first) + MOST_LINES) + 1)]
    is_plain = all(line and line == line.strip() and _ODD_IN_LINES.isdisjoint(line) for line in lines)
    if not lines or len(lines) > MOST_LINES or not is_plain:
        return None
    return Printed(None, (), is_walked=False, is_below=False, lines=tuple(lines))


_ODD_IN_LINES = frozenset("'\"\\\n\r\t\v\f\0")


def _in_columns(words: list[str], cwds: tuple[str, ...]) -> tuple[tuple[str, int], Printed] | None:
    """Tell which names stand in one column of what a command prints: what parts the columns, which it is, the names."""
    if words[0] == "grep":
        return _in_front_of_matches(words[1:], cwds)
    if words[0] != "git":
        return None
    from harness_guard.shell.git_printers import matches_of_git, printed_in_columns

    return matches_of_git(words[2:], cwds) if words[1:2] == ["grep"] else printed_in_columns(words[1:], cwds)


def _in_front_of_matches(words: list[str], cwds: tuple[str, ...]) -> tuple[tuple[str, int], Printed] | None:
    """``grep -rn PATTERN [PLACE…]``: a file's name, or the line's number where one file alone is searched.

    A line about a binary file has other words in front, which are called by no name that is known.
    """
    operands = [word for word in words if not word.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    letters = {letter for word in options if not word.startswith("--") for letter in word[1:]}
    longs = {word for word in options if word.startswith("--") and not word.startswith(("--include=", "--exclude"))}
    is_deep = "r" in letters or "--recursive" in longs
    is_numbered = not letters.isdisjoint("nc") or "--line-number" in longs
    tops = operands[1:]
    if not (is_deep and is_numbered and operands and _are_below(tops)) or "--" in words:
        return None
    if letters - set("rnciIwxvEFGPsoH") or longs - {"--recursive", "--line-number", "--ignore-case"}:
        return None
    sources = [source for cwd in cwds for source in sources_of_roots(tops, cwd)]
    sources += [NameSource("unlinked", cwd) for cwd in cwds]
    return (":", 1), Printed(None, tuple(sources), is_walked=False)


def _takes_column(words: list[str], mark: str, column: int) -> bool:
    """Whether a filter prints that column of each line, and a line without the mark whole."""
    joined = " ".join(words[1:])
    if words[0] == "cut" and mark:
        delimiters = (f"-d{mark}", f"-d {mark}", f"--delimiter={mark}")
        fields = (f"-f{column}", f"-f {column}", f"--fields={column}")
        return any(joined in {f"{one} {other}", f"{other} {one}"} for one in delimiters for other in fields)
    if words[0] in {"awk", "gawk", "mawk"}:
        parting = words[1:-1]
        program = words[-1].replace(" ", "").rstrip(";")
        is_parted = parting in ([f"-F{mark}"], ["-F", mark]) if mark == ":" else not parting
        return is_parted and program == f"{{print${column}}}"
    return False


def _only_drops_lines(words: list[str], *, is_nul: bool) -> bool:
    """Whether a filter prints some of its lines whole, and nothing else; ``-z`` where each ends with a NUL."""
    name, rest = words[0], [word for word in words[1:] if word != "-z"]
    if is_nul != ("-z" in words[1:]):
        return False
    if name in {"sort", "uniq"}:
        return all(word in {"-u", "-r"} for word in rest) and (name == "sort" or not rest)
    if name in {"head", "tail"}:
        joined = " ".join(rest)
        count = joined.removeprefix("-n").removeprefix("-").strip()
        return not rest or (joined.startswith("-") and count.isascii() and count.isdigit())
    if name == "grep" and not is_nul:  # older ones put a line about binary files among the names
        options = [word for word in rest if word.startswith("-")]
        return len(rest) == len(options) + 1 and all(not set(word[1:]) - set("viEFwx") for word in options)
    return False
