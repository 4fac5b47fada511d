"""What a short JavaScript program for ``node -e`` reads, where its tokens tell that it only computes, reads and prints.

There is no reader of JavaScript here, but a list: of words, of what may stand behind those that lead to more than
values, of methods that may be called. A name that leads to nothing of node's is a variable, or an error. Values that
such a program can get hold of (JSON, texts, what it makes itself) lead to no function that runs, loads or opens
anything: ``constructor`` and its like are no names here, and nothing is looked up by a computed name.

Sources: ECMAScript 2024; the documentation of node 18 to 24 (modules, process, fs, path, os; "Command-line API": with
``-e`` the modules of node are names as well). Files of the folder count for nothing but what is required by its path.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

LONGEST: Final = 20_000  # characters
_WORDS: Final = {
    "plain": "const let var if else for of in return true false null undefined typeof try catch finally throw new "
    "function instanceof while do break continue switch case default void delete NaN Infinity Number String Boolean "
    "parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI",
    # Names of node's that lead elsewhere, and words that do (``require`` is looked at by itself).
    "refused": "assert async_hooks atob btoa buffer child_process clearImmediate clearInterval clearTimeout cluster "
    "constants crypto dgram diagnostics_channel dns domain escape eval events exports fetch global globalThis http "
    "http2 https inspector localStorage module navigator net performance perf_hooks punycode querystring "
    "queueMicrotask readline repl sea sessionStorage setImmediate setInterval setTimeout sqlite stream string_decoder "
    "structuredClone sys test timers tls trace_events tty unescape url util v8 vm wasi worker_threads zlib this super "
    "class extends import export async await yield with debugger enum static implements interface package private "
    "protected public",
    # No value is asked for these, by whatever way.
    "never": "constructor prototype caller callee arguments mainModule binding dlopen getBuiltinModule call apply bind "
    "connect require exports defineProperty setPrototypeOf getPrototypeOf",
    "methods": "map filter forEach reduce reduceRight find findIndex findLast some every includes indexOf lastIndexOf "
    "join concat slice splice sort toSorted reverse toReversed flat flatMap push pop shift unshift keys values entries "
    "fill at trim trimStart trimEnd toUpperCase toLowerCase split replace replaceAll match matchAll test exec "
    "startsWith endsWith substring substr charAt charCodeAt codePointAt padStart padEnd repeat localeCompare toString "
    "toFixed toPrecision toLocaleString toISOString getTime getFullYear getMonth getDate getHours toJSON valueOf has "
    "get set add delete hasOwnProperty on once isFile isDirectory isSymbolicLink",
}
_KEYWORDS: Final = frozenset(_WORDS["plain"].split())
_REFUSED: Final = frozenset(_WORDS["refused"].split())
_NO_NAMES: Final = frozenset(_WORDS["never"].split())
_METHODS: Final = frozenset(_WORDS["methods"].split())
_MADE: Final = frozenset(("Set", "Map", "Date", "Array", "Error", "TypeError", "RangeError"))  # with ``new``
# What leads to more than values: each of these is followed by a dot and one of the names.
_ROOTS: Final = {
    "console": "log error warn info debug table dir",
    "JSON": "parse stringify",
    "Math": "max min floor ceil round abs sqrt cbrt pow PI E trunc sign log log2 log10 exp sin cos tan hypot random",
    "Object": "keys values entries fromEntries",
    "Array": "isArray from of",
    "Date": "now parse UTC",
    "Number": "isInteger isFinite isNaN parseFloat parseInt MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON",
    "String": "fromCharCode",
    "process": "version versions platform arch argv cwd stdin stdout exit exitCode uptime env",
}
# Functions of these are called at once: one that is put in another's place may be called by node itself.
_CALLED: Final = frozenset(
    ("parse", "stringify", "keys", "values", "entries", "fromEntries", "isArray", "from", "of", "now", "UTC",
     "fromCharCode", "cwd", "exit", "uptime")
)  # fmt: skip
_OF_MODULES: Final = {
    "fs": "readFileSync existsSync readdirSync statSync lstatSync",
    "path": "join resolve basename dirname extname relative normalize isAbsolute parse",
    "os": "platform arch cpus totalmem freemem type release uptime endianness",
}
_OF_STREAMS: Final = {"stdin": "on once setEncoding resume", "stdout": "write columns isTTY"}
_MARKS: Final = (
    "...", "===", "!==", "**=", "&&=", "||=", "??=", "?.", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "++", "--",
    "+=", "-=", "*=", "%=", "**", *"+-*%().,;<>!&|?:=[]{}~^",
)  # fmt: skip
# An expression starts behind these: a bracket there is an array's, and a text there is no function's argument.
_STARTS: Final = frozenset(("(", ",", "+", "=", ":", "?", "[", "{", ";", "=>", "&&", "||", "??", "==", "===", "!=",
                            "!==", "+=", "<", ">", "..."))  # fmt: skip
_STARTING_WORDS: Final = frozenset(("return", "in", "const", "var", "case", "throw"))  # none of them names anything
_ENCODINGS: Final = frozenset(("utf8", "utf-8", "utf16le", "latin1", "ascii", "UTF8", "UTF-8"))
_LISTED: Final = frozenset(("withFileTypes", "recursive"))
_INPUT: Final = frozenset(("/dev/stdin",))
_TEXT: Final = "'"  # a token that starts so is a text


@dataclass(frozen=True, slots=True)
class Script:
    """What a program does.

    Attributes:
        reads: Names of files that it reads, as written.
        lists: Names of files and folders of which it tells no more than names and attributes.
        loads: Names of JSON files that it requires: where one is missing, node looks for programs of that name.
        variables: Variables of the environment that it looks up by name.
    """

    reads: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


class _RefusedError(Exception):
    """Something stands in the program that is not on the list."""


def read_script(text: str) -> Script | None:
    """Tell what a program reads.

    Args:
        text: Its text.

    Returns:
        What it reads; ``None`` if it may do anything else.
    """
    if len(text) > LONGEST or not text.isascii() or "<!--" in text or "-->" in text:
        return None  # Annex B: these start a comment
    try:
        return _Reader(_tokens(text)).script()
    except _RefusedError:
        return None


# --- tokens ---------------------------------------------------------------------------------------------------------


def _tokens(text: str) -> list[str]:
    """Take a text apart: names, numbers, marks, texts behind a quote, ``/`` for a pattern."""
    found: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter in " \t\n\r":
            at += 1
        elif letter in "'\"`":
            token, at = _quoted(text, at)
            if letter == "`" and not _starts(found, len(found)):
                raise _RefusedError  # a function that is called with it
            found.append(token)
        elif letter == "/":
            at = _pattern(text, at, found)
            found.append("/")
        else:
            token = _word(text, at) or next((mark for mark in _MARKS if text.startswith(mark, at)), "")
            if not token:
                raise _RefusedError
            found.append(token)
            at += len(token)
    return found


def _starts(tokens: list[str], at: int) -> bool:
    """Whether an expression starts there, whatever stands in front: a word of the language may name a property too."""
    if not at or tokens[at - 1] in _STARTS:
        return True
    return tokens[at - 1] in _STARTING_WORDS and (at == 1 or tokens[at - 2] not in _DOTS)


_DOTS: Final = frozenset((".", "?."))


def _word(text: str, start: int) -> str:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] in "_$"):
        end += 1
    return text[start:end]


def _quoted(text: str, start: int) -> tuple[str, int]:
    """Give a text as a token, which holds nothing behind the quote where it has escapes, and where it ends."""
    mark = text[start]
    at = start + 1
    while at < len(text) and text[at] != mark:
        if (text[at] == "\n" and mark != "`") or (text[at : at + 2] == "${" and mark == "`"):
            raise _RefusedError
        at += 1 + (text[at] == "\\")
    if at >= len(text):
        raise _RefusedError
    inner = text[start + 1 : at]
    return (f"{_TEXT}{inner}" if "\\" not in inner else f"{_TEXT}\\"), at + 1


def _pattern(text: str, start: int, before: list[str]) -> int:
    """Give where a regular expression ends: one that is an argument; anywhere else a slash may divide."""
    if not before or before[-1] not in {"(", ","} or text[start + 1 : start + 2] in {"/", "*"}:
        raise _RefusedError
    at, is_class = start + 1, False
    while at < len(text) and (text[at] != "/" or is_class):
        if text[at] == "\n":
            raise _RefusedError
        if text[at] in "[]":
            is_class = text[at] == "["
        at += 1 + (text[at] == "\\")
    at += 1
    while at < len(text) and text[at] in "gimsuy":
        at += 1
    if at > len(text) or _word(text, at):
        raise _RefusedError
    return at


# --- what may stand where -------------------------------------------------------------------------------------------


class _Reader:
    """One program's tokens, looked at one after the other."""

    def __init__(self, tokens: list[str]) -> None:
        """Take the tokens."""
        self.tokens = tokens
        self.modules = {name: name for name in _OF_MODULES}  # names that stand for a module of node's
        self.reads: list[str] = []
        self.lists: list[str] = []
        self.loads: list[str] = []
        self.variables: list[str] = []
        self.declared: set[int] = set()  # where a module is required that a name then stands for

    def script(self) -> Script:
        """Look at everything; gives what is read."""
        for at in range(len(self.tokens)):
            self._bind(at)
        for at, word in enumerate(self.tokens):
            if word[0].isalpha() or word[0] in "_$":
                self._name(at)
            else:
                self._mark(at)
        return Script(tuple(self.reads), tuple(self.lists), tuple(self.loads), tuple(self.variables))

    def _mark(self, at: int) -> None:
        word = self.tokens[at]
        is_odd_key = word[0] == _TEXT and self._next(at, 1) == [":"] and not _is_key(word)
        is_odd_call = word == "(" and at > 0 and self.tokens[at - 1] in {"]", "?."}
        if is_odd_key or is_odd_call:
            raise _RefusedError
        if word == "[":
            self._bracket(at)

    def _next(self, at: int, count: int) -> list[str]:
        return self.tokens[at + 1 : at + 1 + count]

    def _bind(self, at: int) -> None:
        """``const fs = require('fs')``: the name stands for the module wherever it is met."""
        match self.tokens[at : at + 7]:
            case ["const" | "let" | "var" | ",", name, "=", "require", "(", module, ")"] if module[0] == _TEXT:
                wanted = module[1:].removeprefix("node:")
                if wanted in _OF_MODULES and name not in _ROOTS and name not in _KEYWORDS:
                    if self.modules.get(name, wanted) != wanted:
                        raise _RefusedError
                    self.modules[name] = wanted
            case _:
                return

    def _name(self, at: int) -> None:
        word = self.tokens[at]
        before = self.tokens[at - 1] if at else ""
        if word in _NO_NAMES and (word != "require" or before in _DOTS):
            raise _RefusedError
        if word.startswith("__"):
            raise _RefusedError
        if before in _DOTS:
            self._property(at)
        elif word == "require":
            self._require(at)
        elif word in self.modules:
            self._module(at)
        elif word in _MADE and before in {"new", "instanceof"} and self._next(at, 1) != ["."]:
            return
        elif word in _ROOTS and not (word in _KEYWORDS and self._next(at, 1) != ["."]):
            self._root(at)
        elif word not in _KEYWORDS and (word in _REFUSED or not (word[0].islower() or word[0] in "_$")):
            raise _RefusedError

    def _property(self, at: int) -> None:
        """A property of a value; only known methods are called."""
        word = self.tokens[at]
        if word.startswith("_") or (self._next(at, 1) == ["("] and not self._may_be_called(at)):
            raise _RefusedError

    def _may_be_called(self, at: int) -> bool:
        word, root = self.tokens[at], self.tokens[at - 2] if at > 1 else ""
        if word in _METHODS or (root == ")" and self._is_module_call(at)):
            return True
        names = _ROOTS.get(root, "") or _OF_STREAMS.get(root, "") or _OF_MODULES.get(self.modules.get(root, ""), "")
        return word in names.split()

    def _is_module_call(self, at: int) -> bool:
        return self.tokens[at - 5 : at - 3] == ["require", "("]

    def _root(self, at: int) -> None:
        word = self.tokens[at]
        following = self._next(at, 4)
        if following[:1] != ["."] or following[1:2] == [] or following[1] not in _ROOTS[word].split():
            raise _RefusedError
        if following[1] in _CALLED and following[2:3] != ["("]:
            raise _RefusedError
        if following[1] == "env":
            self._variable(at)
        if word == "process" and following[1] in _OF_STREAMS:
            is_known = following[2:3] == ["."] and following[3:4] and following[3] in _OF_STREAMS[following[1]].split()
            # Nothing gets hold of the stream itself, which may be a connection.
            is_statement = not at or self.tokens[at - 1] in {";", "{", "}"}
            if not is_known or not (is_statement or following[3] in {"write", "columns", "isTTY"}):
                raise _RefusedError

    def _variable(self, at: int) -> None:
        """``process.env.NAME``, not all of them, and none that is set."""
        match self._next(at, 5):
            case [".", "env", ".", name, *rest] if name.isidentifier() and rest[:1] != ["="]:
                self.variables.append(name)
            case _:
                raise _RefusedError

    def _require(self, at: int) -> None:
        """``require('./x.json')``, or a module of which functions are called at once."""
        match self._next(at, 3):
            case ["(", name, ")"] if name[0] == _TEXT:
                name = name[1:]
            case _:
                raise _RefusedError
        if name.startswith(("./", "../", "/")):
            self._load(name)
            return
        module = name.removeprefix("node:")
        if module not in _OF_MODULES:
            raise _RefusedError
        if self._next(at + 3, 1) == ["."]:
            self._function(at + 4, module)
        elif self._is_declared(at, module):
            self.declared.add(at)
        else:
            raise _RefusedError

    def _load(self, name: str) -> None:
        """A JSON file: not one that is called nothing else, which is a program; behind a link ``..`` is elsewhere."""
        segments = name.split("/")
        inner = [segment for at, segment in enumerate(segments) if segment != ".." or set(segments[:at]) - {"..", "."}]
        if not name.endswith(".json") or segments[-1] == ".json" or ".." in inner or "\\" in name:
            raise _RefusedError
        self.loads.append(name)

    def _is_declared(self, at: int, module: str) -> bool:
        """Whether it is all that a name is declared as, which stands for the module: nothing else gets hold of it."""
        behind = "".join(self._next(at + 3, 1))
        is_all = behind in {"", ";", ","} or behind[0].isalpha()
        before = self.tokens[max(at - 3, 0) : at]
        if len(before) < len(("const", "NAME", "=")) or before[2] != "=" or self.modules.get(before[1]) != module:
            return False
        follows = before[0] == "," and at - _TO_THE_ONE_BEFORE in self.declared
        return is_all and (before[0] in _DECLARING or follows)

    def _module(self, at: int) -> None:
        """A name that stands for a module: it is declared as that, or one of the module's functions is called."""
        if self._next(at, 2) == ["=", "require"]:
            return  # looked at there
        if self._next(at, 1) != ["."]:
            raise _RefusedError
        self._function(at + 1, self.modules[self.tokens[at]])

    def _function(self, dot: int, module: str) -> None:
        """``.NAME(…)``: the file is known, and what stands behind it only says how it is read."""
        following = self._next(dot, 3)
        if not following or following[0] not in _OF_MODULES[module].split():
            raise _RefusedError
        if following[1:2] != ["("] or len(following) < len((".", "(", "FILE")):
            raise _RefusedError  # put in another's place, node itself would call it
        if module != "fs":
            return
        file = following[2]
        is_input = file == "0" and following[0] == "readFileSync"
        if not is_input and (file[0] != _TEXT or not file[1:] or file[1:] == "\\"):
            raise _RefusedError
        self._says_how(dot + 3, following[0])
        if not is_input and file[1:] not in _INPUT:
            (self.reads if following[0] == "readFileSync" else self.lists).append(file[1:])

    def _says_how(self, at: int, function: str) -> None:
        match self._next(at, 7):
            case [")", *_]:
                return
            case [",", text, ")", *_] if text[0] == _TEXT and text[1:] in _ENCODINGS and function == "readFileSync":
                return
            case [",", "{", "encoding", ":", text, "}", ")"] if (
                text[0] == _TEXT and text[1:] in _ENCODINGS and function == "readFileSync"
            ):
                return
            case [",", "{", word, ":", "true" | "false", "}", ")"] if word in _LISTED and function == "readdirSync":
                return
        raise _RefusedError

    def _bracket(self, at: int) -> None:
        """What is looked up in brackets is a number or a plain text; an array is no key of an object."""
        if _starts(self.tokens, at):
            if self.tokens[self._closing(at) + 1 :][:1] == [":"] and self.tokens[at - 1] != "?":
                raise _RefusedError
            return
        before = self.tokens[at - 1]
        match self._next(at, 2):
            case [key, "]"] if key.isdigit():
                return
            case [key, "]"] if key[0] == _TEXT and _is_key(key) and before not in self.modules and before not in _ROOTS:
                return
        raise _RefusedError

    def _closing(self, at: int) -> int:
        depth = 0
        for index in range(at, len(self.tokens)):
            depth += (self.tokens[index] == "[") - (self.tokens[index] == "]")
            if not depth:
                return index
        raise _RefusedError


_TO_THE_ONE_BEFORE: Final = len(("require", "(", "fs", ")", ",", "NAME", "="))
_DECLARING: Final = frozenset(("const", "let", "var"))


def _is_key(token: str) -> bool:
    """Whether a text that names a property is plain, and leads to no more than values."""
    return "\\" not in token and token[1:] not in _NO_NAMES and not token[1:].startswith("_")
