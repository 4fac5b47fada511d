"""Interpreters: their versions, their checks of a program's syntax, and programs that are read here whole.

Sources: the manuals of Python 3.14 (Using Python, "Command line and environment"; ``json.tool``, ``py_compile``,
``compileall``), node 22, php 8, lua 5.4.

Python puts the folder that it starts in before its own library, so a program that is read counts only where no file
there has the name of a module of the library, or with ``-I``. No row passes for ``ruby -c`` and ``perl -c``: a line
``#!`` of the file may name options, and ``BEGIN`` is run.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, known, options_of
from harness_guard.shell.effects import Search
from harness_guard.shell.names import NameSource, with_followed
from harness_guard.shell.values import Field, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_VERSIONS: Final = {
    "node": "--version -v --help -h",
    "ruby": "--version -v --help -h",
    "php": "--version -v -m -i --ini --help -h",
    "lua": "-v",
    "luajit": "-v",
    "luac": "-v",
    "java": "-version --version -help --help",
    "javac": "-version --version -help --help",
    "swift": "--version",
    "ghc": "--version --numeric-version",
    "kotlinc": "-version",
    "R": "--version",
    "Rscript": "--version",
    "julia": "--version -v",
    "zig": "version",
    "tsc": "--version -v --help -h",
    "pyright": "--version",
    **dict.fromkeys(
        ("gcc", "g++", "cc", "c++", "clang", "clang++"),
        "--version -v -dumpversion -dumpfullversion -dumpmachine -print-search-dirs -print-sysroot --help",
    ),
    "ld": "--version -v --help",
    "as": "--version --help",
    "make": "--version -v --help -h",
    "cmake": "--version --help",
    "ctest": "--version --help",
    "ninja": "--version --help",
    "meson": "--version --help",
}

# --- Python ---------------------------------------------------------------------------------------------------------

_PYTHON: Final = Row("python3", flags="IsSEBuqOPbV", valued="WXcm", longs="version help", reads=False, is_strict=True)
_WARNINGS: Final = frozenset(("ignore", "default", "error", "always"))
_TELLS: Final = frozenset(("this", "site", "sysconfig", "platform", "calendar", "locale"))
_READS_FILES: Final = frozenset(("tokenize", "tabnanny", "ast", "dis", "base64", "quopri"))
# Tools that are modules too; their own rows read the words behind.
_TOOLS: Final = frozenset(("black", "isort", "ruff", "mypy", "flake8", "yamllint"))
_ENDS: Final = frozenset("cm")  # behind these options' values every word is the program's


def _python(call: Call, _options: Options) -> None:
    words = [field.text for field in call.args]
    if words in (["--version"], ["-V"], ["-VV"], ["--help"], ["-h"]) and not call.args[0].is_pattern:
        return
    own, module, text, rest = _python_words(call)
    if own is not None and module is None and text is None and rest:
        _file(call, rest[0], is_apart="I" in own)
        return
    if own is None or (module is None and text is None and call.program is None):
        call.opaque(f"{call.name} runs a program that is not read")
        return
    if "I" not in own and not _is_unshadowed(call):
        call.opaque(
            f"{call.name} where a file of the folder may stand in for a module of its library; -I leaves it out"
        )
        return
    if module is not None:
        _module(call, module, rest, is_apart="I" in own)
        return
    _script(call, text if text is not None else call.program)


def _python_words(call: Call) -> tuple[set[str] | None, str | None, str | None, tuple[Field, ...]]:
    """Give the letters of the options in front, the module, the text, and the words behind it, or from the file on."""
    letters: set[str] = set()
    for index, field in enumerate(call.args):
        word = known(field)
        if word == "-" or (not word and field.text != ""):
            return (letters if word == "-" and call.program is not None else None), None, None, ()
        if not word.startswith("-"):
            return letters, None, None, call.args[index:]
        if word.startswith("--"):
            return None, None, None, ()
        for at in range(1, len(word)):
            letter = word[at]
            if letter not in _PYTHON.flags + _PYTHON.valued:
                return None, None, None, ()
            if letter not in _PYTHON.valued:
                letters.add(letter)
                continue
            value = word[at + 1 :] or (known(call.args[index + 1]) if call.args[index + 1 :] else "")
            rest = call.args[index + 1 if word[at + 1 :] else index + 2 :]
            if letter in _ENDS:
                return (
                    (letters if value else None),
                    value if letter == "m" else None,
                    value if letter == "c" else None,
                    rest,
                )
            if not word[at + 1 :] or (value not in _WARNINGS if letter == "W" else value not in {"utf8", "dev"}):
                return None, None, None, ()
            break
    return (letters if call.program is not None else None), None, None, ()


def _file(call: Call, file: Field, *, is_apart: bool) -> None:
    """A program in a file, whose folder stands in front of the library; a link would bring another folder."""
    places = [place for place, _ in call.paths(file) or ()]
    if len(places) != 1 or not call.believes([NameSource("regular", places[0])]):
        call.opaque(f"{call.name} runs a program that is not read")
        return
    if not is_apart and not call.believes([NameSource("unshadowed", places[0].rpartition("/")[0] or "/")]):
        call.opaque(
            f"{call.name} where a file of the folder may stand in for a module of its library; -I leaves it out"
        )
        return
    call.read(file)
    text = call.text_of(places[0]).text
    if text is None:
        call.opaque(f"{call.name} runs a program that is not read")
    else:
        _script(call, text)


def _is_unshadowed(call: Call) -> bool:
    return call.cwds is not None and call.believes([NameSource("unshadowed", cwd) for cwd in call.cwds])


def _script(call: Call, text: str | None) -> None:
    from harness_guard.shell.python_script import read_script

    script = read_script(text) if text is not None else None
    if script is None or (call.name == "python" and text is not None and "input" in text):
        call.opaque(f"{call.name} with a program that may do more than compute, print and open files that it names")
        return
    call.prints += script.variables
    if script.reads_any:
        call.read(Field(None))
    for name in script.reads:
        call.read(Field(name))
    for name in script.writes:
        call.write(Field(name), "file")
    for found in script.found_reads:
        for top in found.tops:
            call.read(Field(top), is_tree=True)
    for found in script.found_writes:
        call.write(Field(None, found=Found(with_followed(found.tops), Search(found.globs))), "file")


_JSON_TOOL: Final = Row(
    "json.tool",
    valued="",
    longs="sort-keys no-ensure-ascii json-lines indent= tab no-indent compact help",
    reads=False,
)
_COMPILEALL: Final = Row("compileall", flags="qfl", valued="jrx", longs="workers=", reads=False)


def _module(call: Call, module: str, rest: tuple[Field, ...], *, is_apart: bool) -> None:
    """``python -m``: modules of the library that are known, and with ``-I`` tools that have a row."""
    if module in _TELLS and not rest:
        return
    if module in _READS_FILES:
        for field in rest:
            call.read(field)
    elif module == "json.tool":
        _json_tool(call, rest)
    elif module == "py_compile":
        _py_compile(call, rest)
    elif module == "compileall":
        _compileall(call, rest)
    elif module == "pip":
        call.runs.append((Field("pip"), *rest))
    elif module in _TOOLS and is_apart:
        call.runs.append((Field(module), *rest))
    else:
        call.opaque(f"{call.name} runs a module that the table does not list: {module}")


def _json_tool(call: Call, rest: tuple[Field, ...]) -> None:
    options = options_of(_JSON_TOOL, rest)
    if isinstance(options, str) or any(not field.is_one for field in options.operands):
        call.opaque("json.tool with words that are not known")
        return
    for field in options.operands[:1]:
        call.read(field)
    for field in options.operands[1:]:
        call.write(field, "file")


def _py_compile(call: Call, rest: tuple[Field, ...]) -> None:
    """Each file's folder gets a cache of what was compiled."""
    for field in rest:
        text = known(field)
        if not text or text.startswith("-"):
            call.opaque("py_compile with words that are not known")
            return
        call.read(field)
        call.write(Field(f"{text.rpartition('/')[0] or ('/' if text.startswith('/') else '.')}/__pycache__"), "tree")


def _compileall(call: Call, rest: tuple[Field, ...]) -> None:
    options = options_of(_COMPILEALL, rest)
    if isinstance(options, str) or not options.operands:
        call.opaque("compileall with words that are not known, or of the library")
        return
    for field in options.operands:
        call.read(field, is_tree=True)
        call.write(field, "tree", "compileall")
        text = known(field)
        if text.endswith(".py"):
            call.write(Field(f"{text.rpartition('/')[0] or '.'}/__pycache__"), "tree")


# --- node -----------------------------------------------------------------------------------------------------------


def _node(call: Call, _options: Options) -> None:
    words = [known(field) for field in call.args]
    if len(words) == 1 and words[0] in _VERSIONS[call.name].split():
        return
    if (
        len(words) == len(("--check", "FILE"))
        and words[0] in {"--check", "-c"}
        and call.args[1].start[:1] not in {"", "-"}
    ):
        call.read(call.args[1])
        return
    is_told = words[:1] and words[0] in {"-e", "--eval", "-p", "--print", "-pe"} and words[1:2] not in ([], [""])
    if is_told and not any(word[:1] in {"", "-"} for word in words[2:]):
        _node_text(call, words[1])
        return
    text = words[0].partition("=")[2] if len(words) == 1 and words[0].startswith(("--eval=", "--print=")) else ""
    text = call.program or "" if words in ([], ["-"]) else text
    if text:
        _node_text(call, text)
        return
    call.opaque(f"{call.name} runs a program that is not read")


def _node_text(call: Call, text: str) -> None:
    """A program that only computes and reads; a JSON file that it requires has to be there."""
    from harness_guard.shell.node_script import read_script

    script = read_script(text)
    if script is None:
        call.opaque("node with a program that may do more than compute, print and read files that it names")
        return
    places = [path for name in script.loads for path, _ in call.paths(Field(name)) or ()]
    if script.loads and (call.cwds is None or not call.believes([NameSource("regular", place) for place in places])):
        call.opaque("node loads a file that may be missing: then it looks for programs of that name")
        return
    call.prints += script.variables
    for name in (*script.loads, *script.reads):
        call.read(Field(name))
    for name in script.lists:
        call.read(Field(name), is_listing=True)


# --- others ---------------------------------------------------------------------------------------------------------


def _version(call: Call, _options: Options) -> None:
    """A program that only tells about itself."""
    if len(call.args) != 1 or known(call.args[0]) not in _VERSIONS[call.name].split():
        call.opaque(f"{call.name} in a way that the table does not list")


def _checks(call: Call, _options: Options) -> None:
    """``php -l FILE``, ``luac -p FILE``: the program is only parsed."""
    flag = "-l" if call.name == "php" else "-p"
    words = [known(field) for field in call.args]
    if len(words) == 1 and words[0] in _VERSIONS[call.name].split():
        return
    if len(words) != len((flag, "FILE")) or words[0] != flag or call.args[1].start[:1] in {"", "-"}:
        call.opaque(f"{call.name} runs a program that is not read")
        return
    call.read(call.args[1])


_OTHERS: Final = frozenset(("node", "php", "luac"))

COMMANDS: Final = (
    *(Row(name, is_free=True, reads=False, act=_python) for name in ("python", "python3")),
    Row("node", is_free=True, reads=False, act=_node),
    *(Row(name, is_free=True, reads=False, act=_checks) for name in ("php", "luac")),
    *(Row(name, is_free=True, reads=False, act=_version) for name in _VERSIONS if name not in _OTHERS),
)
