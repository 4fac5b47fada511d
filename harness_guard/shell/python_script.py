"""What a short Python program reads and writes, where that can be told from its text.

The program is parsed by ``ast`` and every construct is looked up: literals and what is computed from them, loops,
functions, and of the standard library only what neither runs, loads nor opens anything. Every function that such a
program can get hold of as a value is harmless whatever it is called with; what is not (``open``, the writing methods of
``pathlib.Path``) may only be called outright, with names that are known.

Source: The Python Language Reference 3.14 and The Python Standard Library 3.14; the list holds for 3.9 and later. The
modules themselves are believed to be the interpreter's own: the caller sees to it that no file of the folder has the
name of one.
"""

from __future__ import annotations

import ast
import builtins

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

LONGEST: Final = 20_000  # characters
MOST_NODES: Final = 5_000
DEEPEST: Final = 60  # expressions in one another


@dataclass(frozen=True, slots=True)
class Script:
    """What a program does.

    Attributes:
        reads: Names of files that it opens for reading, as written.
        writes: Names of files that it opens for writing.
        reads_any: Whether it may read files whose names are not known.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reads_any: bool = False


class _RefusedError(Exception):
    """Something stands in the program that is not on the list."""


_BUILTINS: Final = frozenset(
    ("print", "len", "sorted", "range", "sum", "min", "max", "abs", "round", "enumerate", "zip", "map", "filter", "any",
     "all", "reversed", "list", "dict", "set", "tuple", "frozenset", "str", "int", "float", "bool", "bytes",
     "bytearray", "complex", "repr", "ascii", "chr", "ord", "hex", "oct", "bin", "divmod", "pow", "isinstance", "iter",
     "next", "slice", "hash", "format", "input", "callable", "exit", "quit", "True", "False", "None", "Exception",
     "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "SyntaxError", "OSError", "IOError",
     "FileNotFoundError", "StopIteration", "ZeroDivisionError", "RuntimeError", "UnicodeDecodeError", "NameError",
     "SystemExit", "AssertionError", "ArithmeticError", "LookupError", "OverflowError", "NotImplementedError",
     "KeyboardInterrupt", "__name__")
)  # fmt: skip

# Modules written in C that hold nothing but harmless functions.
_WHOLE: Final = frozenset(("math", "cmath", "itertools", "binascii", "zlib", "unicodedata", "struct"))
_MODULES: Final = {
    "json": "loads load dumps dump JSONDecodeError",
    "re": "compile search match fullmatch split findall finditer sub subn escape error I IGNORECASE M MULTILINE S "
    "DOTALL X VERBOSE A ASCII",
    "sys": "argv stdin stdout stderr exit maxsize version version_info byteorder platform executable getsizeof prefix",
    "os": "getcwd sep linesep getpid cpu_count environ getenv listdir path name",
    "os.path": "join basename dirname exists isfile isdir splitext split abspath normpath relpath getsize getmtime sep "
    "commonprefix commonpath expanduser realpath islink",
    "datetime": "datetime date time timedelta timezone UTC",
    "time": "time sleep strftime gmtime localtime monotonic perf_counter time_ns mktime strptime ctime asctime",
    "collections": "Counter defaultdict OrderedDict deque namedtuple ChainMap",
    "statistics": "mean median mode stdev pstdev variance pvariance fmean harmonic_mean geometric_mean quantiles "
    "median_low median_high multimode",
    "fractions": "Fraction",
    "decimal": "Decimal getcontext ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation printable whitespace hexdigits "
    "octdigits Template capwords",
    "random": "random randint choice choices sample shuffle seed uniform randrange gauss Random getrandbits",
    "secrets": "token_hex token_urlsafe token_bytes choice randbelow",
    "base64": "b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode b16encode b16decode "
    "standard_b64encode standard_b64decode b85encode b85decode a85encode a85decode",
    "hashlib": "md5 sha1 sha224 sha256 sha384 sha512 sha3_256 sha3_512 blake2b blake2s new",
    "hmac": "new compare_digest digest",
    "urllib.parse": "quote unquote quote_plus unquote_plus urlencode urlparse urlsplit urlunparse urlunsplit urljoin "
    "parse_qs parse_qsl",
    "html": "escape unescape",
    "textwrap": "dedent indent wrap fill shorten",
    "pprint": "pprint pformat",
    "csv": "reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE",
    "io": "StringIO BytesIO",
    "ast": "parse literal_eval dump walk unparse FunctionDef AsyncFunctionDef ClassDef Import ImportFrom Call Name "
    "Constant Assign Attribute get_docstring iter_child_nodes",
    "heapq": "heappush heappop heapify nlargest nsmallest merge heappushpop heapreplace",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "functools": "reduce partial cmp_to_key",
    "operator": "itemgetter add sub mul truediv floordiv mod neg eq ne lt le gt ge and_ or_ xor not_ contains",
    "copy": "copy deepcopy",
    "uuid": "uuid4 uuid3 uuid5 UUID NAMESPACE_DNS NAMESPACE_URL",
    "shlex": "split quote join",
    "fnmatch": "fnmatch fnmatchcase filter translate",
    "glob": "glob iglob escape",
    "difflib": "unified_diff ndiff context_diff SequenceMatcher get_close_matches",
    "calendar": "month calendar monthrange isleap leapdays weekday day_name month_name timegm",
    "ipaddress": "ip_address ip_network ip_interface IPv4Address IPv4Network IPv6Address IPv6Network",
    "platform": "python_version python_implementation system machine release python_version_tuple",
    "tomllib": "loads load TOMLDecodeError",
    "pathlib": "Path PurePath PurePosixPath",
    "keyword": "kwlist iskeyword",
    "colorsys": "rgb_to_hsv hsv_to_rgb rgb_to_hls hls_to_rgb",
}

# Methods and attributes that are harmless on everything that a listed function gives, a ``Path`` included.
_METHODS: Final = frozenset(
    (  # noqa: SIM905  a list of two hundred quoted words is no easier to read
        # texts and bytes
        "split rsplit splitlines strip lstrip rstrip lower upper title capitalize casefold swapcase join startswith "
        "endswith find rfind index rindex count encode decode format format_map zfill ljust rjust center partition "
        "rpartition isdigit isalpha isalnum isnumeric isdecimal isspace isupper islower istitle isidentifier "
        "isprintable isascii expandtabs translate maketrans removeprefix removesuffix hex fromhex "
        # collections
        "append extend insert pop remove clear sort reverse keys values items get setdefault update add discard union "
        "intersection difference symmetric_difference issubset issuperset popitem fromkeys most_common elements "
        "appendleft popleft rotate extendleft total maxlen isdisjoint "
        # numbers
        "bit_length to_bytes from_bytes as_integer_ratio is_integer real imag conjugate numerator denominator quantize "
        "normalize sqrt limit_denominator prec "
        # matches, dates, digests, parsed addresses
        "group groups groupdict start end span sub subn search match fullmatch findall finditer pattern flags string "
        "lastindex year month day hour minute second microsecond weekday isoweekday isoformat strftime strptime now "
        "utcnow today timestamp fromtimestamp utcfromtimestamp fromisoformat date time days seconds microseconds "
        "total_seconds utc astimezone tzinfo hexdigest digest digest_size block_size name scheme netloc path query "
        "fragment hostname port username password params geturl combine min max ctime toordinal "
        "network_address broadcast_address num_addresses hosts is_private version prefixlen netmask bytes int urn "
        # streams that are open already
        "read readline readlines write writelines flush close seek tell truncate buffer encoding closed isatty "
        "getvalue writerow writerows writeheader fieldnames line_num reconfigure "
        # paths
        "parent parents parts stem suffix suffixes exists is_file is_dir is_symlink is_absolute iterdir glob rglob "
        "walk relative_to is_relative_to with_suffix with_name with_stem joinpath as_posix resolve absolute expanduser "
        "cwd home st_size st_mtime stat "
        # syntax trees and faults
        "body lineno col_offset value id names targets target level args arg func attr keywords module bases "
        "decorator_list returns msg pos colno doc filename reason errno strerror offset text "
        "major minor micro ratio substitute safe_substitute get_matching_blocks get_opcodes hexdigits "
        "shuffle choice randint random sample seed"
    ).split()
)
_OPENS: Final = ("open", "io.open")
_PATHS: Final = frozenset(("pathlib.Path", "pathlib.PurePath", "pathlib.PurePosixPath"))
_READS: Final = frozenset(("read_text", "read_bytes"))
_WRITES: Final = frozenset(("write_text", "write_bytes"))
_MODES: Final = frozenset("rwxabt+")
_OPEN_WORDS: Final = frozenset(("mode", "encoding", "errors", "newline", "buffering", "file"))
_PLAIN: Final = (
    ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If, ast.With, ast.withitem, ast.Return,
    ast.Pass, ast.Break, ast.Continue, ast.Try, ast.ExceptHandler, ast.Raise, ast.Assert, ast.Delete, ast.Global,
    ast.Nonlocal, ast.Lambda, ast.arguments, ast.arg, ast.JoinedStr, ast.FormattedValue, ast.NamedExpr, ast.Starred,
    ast.Subscript, ast.Slice, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Dict, ast.Set, ast.List,
    ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.keyword, ast.Constant,
    ast.Module, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context, ast.Yield, ast.YieldFrom,
)  # fmt: skip


def read_script(text: str) -> Script | None:
    """Tell what a program does.

    Args:
        text: Its text.

    Returns:
        What it reads and writes; ``None`` if it may do anything else.
    """
    if len(text) > LONGEST or not _DISGUISES.isdisjoint(text) or _names_encoding(text):
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Another interpreter may read what this one does not.
        return None
    nodes = list(ast.walk(tree))
    if len(nodes) > MOST_NODES:
        return None
    reader = _Reader(nodes)
    if not _OTHER_BUILTINS.isdisjoint((*reader.bound, *reader.modules, *reader.imported)) or "__name__" in reader.bound:
        return None  # a name that is bound in one place may mean the interpreter's own in another
    makers = [name for name, whole in reader.imported.items() if whole in _PATHS or whole == "os.path.join"]
    if not _BUILTINS.isdisjoint((*reader.modules, *makers)):
        return None  # likewise, where a file's name is made by it
    try:
        reader.look(tree, 0)
    except _RefusedError:
        return None
    return Script(tuple(dict.fromkeys(reader.reads)), tuple(dict.fromkeys(reader.writes)), reader.reads_any)


class _Reader:
    """One reading of a program."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.reads_any = False
        self.modules: dict[str, str] = {}  # name -> module
        self.imported: dict[str, str] = {}  # name -> ``module.attribute``
        self.bound: dict[str, list[ast.AST | None]] = {}  # name -> what it is bound to; ``None``: something else
        for node in nodes:
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        """Note the names that one construct binds."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._note_import(node)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self.bound.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            self.bound.setdefault(node.target.id, []).append(node.iter if _is_listing(node.iter) else None)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.bound.setdefault(node.id, []).append(_SEEN)
        elif isinstance(node, ast.arg):
            self.bound.setdefault(node.arg, []).append(None)
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name:
            self.bound.setdefault(node.name, []).append(None)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                self.bound.setdefault(name, []).append(None)

    def _note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                is_known = alias.name in _MODULES or alias.name in _WHOLE
                if not is_known or (
                    "." in alias.name and not alias.asname and alias.name not in {"os.path", "urllib.parse"}
                ):
                    self.modules[""] = ""  # refused where the import is looked at
                    continue
                name = alias.asname or alias.name.partition(".")[0]
                module = alias.name if alias.asname or "." not in alias.name else _packages(alias.name)
                if self.modules.setdefault(name, module) != module:
                    self.modules[name] = ""
            else:
                whole = f"{node.module}.{alias.name}"
                if whole in _MODULES:
                    self.modules[alias.asname or alias.name] = whole
                elif self.imported.setdefault(alias.asname or alias.name, whole) != whole:
                    self.modules[""] = ""

    # --- looking ----------------------------------------------------------------------------------------------------

    def look(self, node: ast.AST, depth: int) -> None:
        """Look at a construct and at all in it; whatever is not listed is refused."""
        if depth > DEEPEST:
            raise _RefusedError
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        elif isinstance(node, ast.Call):
            self._call(node, depth)
        elif isinstance(node, ast.Name):
            self._name(node)
        elif isinstance(node, ast.Attribute):
            self._attribute(node, depth)
        elif isinstance(node, ast.FunctionDef):
            if node.decorator_list or node.name.startswith("_") or getattr(node, "type_params", []):
                raise _RefusedError
            self._inner(node, depth)
        elif isinstance(node, _PLAIN):
            self._inner(node, depth)
        else:
            raise _RefusedError

    def _inner(self, node: ast.AST, depth: int) -> None:
        for child in ast.iter_child_nodes(node):
            self.look(child, depth + 1)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        if any(name in self.bound or name.startswith("_") or name == "*" for name in names) or "" in self.modules:
            raise _RefusedError  # a name with two meanings
        if isinstance(node, ast.Import):
            if any(self.modules.get(name, "") == "" or name in self.imported for name in names):
                raise _RefusedError
            return
        if node.level or node.module is None:
            raise _RefusedError
        for alias in node.names:
            is_module = f"{node.module}.{alias.name}" in _MODULES
            if not is_module and not _is_listed(node.module, alias.name):
                raise _RefusedError
            if (alias.asname or alias.name) in (self.imported if is_module else self.modules):
                raise _RefusedError

    def _name(self, node: ast.Name) -> None:
        """A name as a value: its own, a harmless function, or what was imported; no module, and not ``open``."""
        name = node.id
        if name in self.modules or (name.startswith("__") and name != "__name__"):
            raise _RefusedError
        if not isinstance(node.ctx, ast.Load):
            return
        if name in self.imported:
            if self.imported[name] in _PATHS:
                raise _RefusedError  # its methods may be taken from the class
            return
        if name not in self.bound and name not in _BUILTINS:
            raise _RefusedError

    def _attribute(self, node: ast.Attribute, depth: int) -> None:
        if not isinstance(node.ctx, ast.Load) or node.attr.startswith("_"):
            raise _RefusedError
        whole = self._dotted(node)
        if whole is not None:
            module, _, name = whole.rpartition(".")
            if whole in _MODULES or whole in _PATHS or not _is_listed(module, name):
                raise _RefusedError  # a module is no value, nor is a class whose methods write
            return
        if node.attr not in _METHODS:
            raise _RefusedError
        self._receiver(node.value, depth)

    def _receiver(self, node: ast.expr, depth: int) -> None:
        """What stands in front of a method; of ``Path`` itself those that only tell may be taken."""
        if self._meaning(node) in _PATHS and self._meaning(node) is not None:
            return
        self.look(node, depth + 1)

    def _dotted(self, node: ast.expr) -> str | None:
        """Give ``module.attribute`` for an attribute of a module, ``None`` for any other expression."""
        if not isinstance(node, ast.Attribute):
            return None
        if isinstance(node.value, ast.Name):
            module = self.modules.get(node.value.id)
            return f"{module}.{node.attr}" if module else None
        inner = self._dotted(node.value)
        return f"{inner}.{node.attr}" if inner in _PACKAGES or inner in _MODULES else None

    def _meaning(self, node: ast.expr) -> str | None:
        """Give what an expression names: ``open``, ``module.attribute``; ``None`` for what is none of these."""
        if isinstance(node, ast.Name):
            if node.id in self.imported:
                return self.imported[node.id]
            return node.id if node.id == "open" and node.id not in self.bound else None
        return self._dotted(node)

    # --- calls ------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, depth: int) -> None:
        for child in (*node.args, *node.keywords):
            self.look(child, depth + 1)
        meaning = self._meaning(node.func)
        if meaning in _OPENS:
            self._open(node.args, node.keywords)
        elif meaning in _PATHS:
            return
        elif isinstance(node.func, ast.Attribute) and self._dotted(node.func) is None:
            self._method(node, node.func, depth)
        else:
            self.look(node.func, depth + 1)

    def _method(self, node: ast.Call, func: ast.Attribute, depth: int) -> None:
        name = func.attr
        if name in _READS | _WRITES | {"open"}:
            if self._dotted(func.value) is not None and self._meaning(func.value) not in _PATHS:
                raise _RefusedError
            self._receiver(func.value, depth)
            if self._meaning(func.value) in _PATHS:
                raise _RefusedError  # ``Path.write_text(path, …)``
            paths = self.names(func.value)
            if name == "open":
                self._opened(paths, self._mode(node.args, node.keywords))
            else:
                self._opened(paths, "r" if name in _READS else "w")
        elif name == "replace":
            # Of a ``Path`` it moves a file; that one takes a single word.
            is_text = len(node.args) in {2, 3} and not node.keywords
            is_date = not node.args and all(word.arg not in {None, "target"} for word in node.keywords)
            if not (is_text or is_date) or any(isinstance(arg, ast.Starred) for arg in node.args):
                raise _RefusedError
            self._receiver(func.value, depth)
            if self._meaning(func.value) is not None:
                raise _RefusedError
        elif name == "copy":
            if node.args or node.keywords:
                raise _RefusedError  # of a ``Path`` it copies a file
            self._receiver(func.value, depth)
        else:
            self._attribute(func, depth)

    def _open(self, args: list[ast.expr], keywords: list[ast.keyword]) -> None:
        if any(word.arg not in _OPEN_WORDS for word in keywords) or any(isinstance(arg, ast.Starred) for arg in args):
            raise _RefusedError
        files = [*args[:1], *(word.value for word in keywords if word.arg == "file")]
        if len(files) != 1 or len(args) > len(("file", "mode", "buffering", "encoding", "errors", "newline")):
            raise _RefusedError
        if isinstance(files[0], ast.Constant) and files[0].value == 0 and files[0].value is not False:
            self._mode(args[1:], keywords)
            return  # standard input
        mode = self._mode(args[1:], [word for word in keywords if word.arg == "mode"])
        names = self.names(files[0])
        if names is None and isinstance(files[0], ast.Constant):
            raise _RefusedError  # a number is a descriptor
        self._opened(names, mode)

    def _mode(self, args: list[ast.expr], keywords: list[ast.keyword]) -> str:
        modes = [*args[:1], *(word.value for word in keywords if word.arg == "mode")]
        if (
            any(word.arg is None for word in keywords)
            or len(modes) > 1
            or any(isinstance(arg, ast.Starred) for arg in args)
        ):
            raise _RefusedError
        if not modes:
            return "r"
        mode = modes[0].value if isinstance(modes[0], ast.Constant) else None
        if not isinstance(mode, str) or set(mode) - _MODES:
            raise _RefusedError
        return mode

    def _opened(self, names: list[str] | None, mode: str) -> None:
        is_write = not set(mode).isdisjoint("wax+")
        if names is None and is_write:
            raise _RefusedError
        if names is None:
            self.reads_any = True
        elif is_write:
            self.writes += names
        if names is not None and ("r" in mode or "+" in mode or not is_write):
            self.reads += names

    # --- names ------------------------------------------------------------------------------------------------------

    def names(self, node: ast.expr, depth: int = 0) -> list[str] | None:
        """Give the names that an expression may stand for, ``None`` if that is not known."""
        if depth > MOST_STEPS:
            return None
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) and node.value and "\0" not in node.value else None
        if isinstance(node, ast.Name):
            return self._names_bound(node.id, depth)
        if isinstance(node, ast.Call):
            meaning = self._meaning(node.func)
            is_joined = meaning in _PATHS or meaning == "os.path.join"
            return self._joined(node.args, depth) if is_joined and not node.keywords else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self._joined([node.left, node.right], depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.names(node.left, depth + 1), self.names(node.right, depth + 1)
            if left is None or right is None:
                return None
            return _products(left, right, "")
        return None

    def _names_bound(self, name: str, depth: int) -> list[str] | None:
        if name in self.modules or name in self.imported:
            return None
        found = [item for item in self.bound.get(name, [None]) if item is not _SEEN]
        stores = len(self.bound.get(name, ())) - len(found)
        if len(found) != 1 or stores != 1 or found[0] is None:
            return None
        only = found[0]
        if isinstance(only, ast.List | ast.Tuple):
            made: list[str] = []
            for item in only.elts:
                names = self.names(item, depth + 1)
                if names is None:
                    return None
                made += names
            return made
        return self.names(only, depth + 1) if isinstance(only, ast.expr) else None

    def _joined(self, parts: list[ast.expr], depth: int) -> list[str] | None:
        made: list[str] | None = None
        for part in parts:
            names = None if isinstance(part, ast.Starred) else self.names(part, depth + 1)
            if names is None:
                return None
            made = names if made is None else _products(made, names, "/")
            if made is None:
                return None
        return made


_OTHER_BUILTINS: Final = frozenset(dir(builtins)) - _BUILTINS
_DISGUISES: Final = frozenset("\0\r\f\v\x1a")
_SEEN: Final = ast.Pass()  # a store, counted beside what is stored
_PACKAGES: Final = frozenset(("urllib", "os"))
MOST_STEPS: Final = 12
MOST_NAMES: Final = 64


def _names_encoding(text: str) -> bool:
    """Whether a comment in the first two lines may name an encoding (Language Reference 2.1.4)."""
    return any(line.lstrip().startswith("#") and "coding" in line for line in text.split("\n")[:2])


def _packages(module: str) -> str:
    return module.partition(".")[0]


def _is_listing(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple)


def _is_listed(module: str, name: str) -> bool:
    if module in _WHOLE:
        return not name.startswith("_")
    return name in _MODULES.get(module, "").split()


def _products(left: list[str], right: list[str], mark: str) -> list[str] | None:
    if len(left) * len(right) > MOST_NAMES:
        return None
    return [
        second if mark and second.startswith("/") else f"{first}{mark}{second}" for first in left for second in right
    ]
