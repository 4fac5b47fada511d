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
from harness_guard.shell.python_listing import BUILTINS, METHODS, MODULES, is_listed
from harness_guard.shell.python_names import PATHS, Bindings, Searched

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
        found_reads: Searches for files that it opens for reading.
        found_writes: Searches for files that it opens for writing.
        reads_any: Whether it may read files whose names are not known.
        variables: Variables of the environment that it looks up by name.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    found_reads: tuple[Searched, ...] = ()
    found_writes: tuple[Searched, ...] = ()
    reads_any: bool = False
    variables: tuple[str, ...] = ()


class _RefusedError(Exception):
    """Something stands in the program that is not on the list."""


_ENVIRONMENT: Final = "os.environ"
_OPENS: Final = ("open", "io.open")
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
    makers = [name for name, whole in reader.imported.items() if whole in PATHS or whole == "os.path.join"]
    if not BUILTINS.isdisjoint((*reader.modules, *makers)):
        return None  # likewise, where a file's name is made by it
    try:
        reader.look(tree, 0)
    except _RefusedError:
        return None
    return Script(
        tuple(dict.fromkeys(reader.reads)),
        tuple(dict.fromkeys(reader.writes)),
        tuple(dict.fromkeys(reader.found_reads)),
        tuple(dict.fromkeys(reader.found_writes)),
        reads_any=reader.reads_any,
        variables=tuple(dict.fromkeys(reader.variables)),
    )


class _Reader(Bindings):
    """One reading of a program."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        super().__init__(nodes)
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.found_reads: list[Searched] = []
        self.found_writes: list[Searched] = []
        self.reads_any = False
        self.variables: list[str] = []

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
        elif isinstance(node, ast.Subscript) and self.dotted(node.value) == _ENVIRONMENT:
            self._variable(node.slice if isinstance(node.ctx, ast.Load) else None)
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
            is_module = f"{node.module}.{alias.name}" in MODULES
            if not is_module and not is_listed(node.module, alias.name):
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
            if self.imported[name] in PATHS:
                raise _RefusedError  # its methods may be taken from the class
            return
        if name not in self.bound and name not in BUILTINS:
            raise _RefusedError

    def _attribute(self, node: ast.Attribute, depth: int) -> None:
        if not isinstance(node.ctx, ast.Load) or node.attr.startswith("_"):
            raise _RefusedError
        whole = self.dotted(node)
        if whole is not None:
            module, _, name = whole.rpartition(".")
            if whole in MODULES or whole in PATHS or not is_listed(module, name):
                raise _RefusedError  # a module is no value, nor is a class whose methods write
            return
        if node.attr not in METHODS:
            raise _RefusedError
        self._receiver(node.value, depth)

    def _receiver(self, node: ast.expr, depth: int) -> None:
        """What stands in front of a method; of ``Path`` itself those that only tell may be taken."""
        if self.meaning(node) in PATHS and self.meaning(node) is not None:
            return
        self.look(node, depth + 1)

    # --- calls ------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, depth: int) -> None:
        for child in (*node.args, *node.keywords):
            self.look(child, depth + 1)
        meaning = self.meaning(node.func)
        if meaning in _OPENS:
            self._open(node.args, node.keywords)
        elif meaning == "os.getenv" or (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and self.dotted(node.func.value) == _ENVIRONMENT
        ):
            self._variable(node.args[0] if node.args else None)
        elif meaning in PATHS:
            return
        elif isinstance(node.func, ast.Attribute) and self.dotted(node.func) is None:
            self._method(node, node.func, depth)
        else:
            self.look(node.func, depth + 1)

    def _method(self, node: ast.Call, func: ast.Attribute, depth: int) -> None:
        name = func.attr
        if name in _READS | _WRITES | {"open"}:
            if self.dotted(func.value) is not None and self.meaning(func.value) not in PATHS:
                raise _RefusedError
            self._receiver(func.value, depth)
            if self.meaning(func.value) in PATHS:
                raise _RefusedError  # ``Path.write_text(path, …)``
            if name == "open":
                self._opened(func.value, self._mode(node.args, node.keywords))
            else:
                self._opened(func.value, "r" if name in _READS else "w")
        elif name == "replace":
            # Of a ``Path`` it moves a file; that one takes a single word.
            is_text = len(node.args) in {2, 3} and not node.keywords
            is_date = not node.args and all(word.arg not in {None, "target"} for word in node.keywords)
            if not (is_text or is_date) or any(isinstance(arg, ast.Starred) for arg in node.args):
                raise _RefusedError
            self._receiver(func.value, depth)
            if self.meaning(func.value) is not None:
                raise _RefusedError
        elif name == "copy":
            if node.args or node.keywords:
                raise _RefusedError  # of a ``Path`` it copies a file
            self._receiver(func.value, depth)
        else:
            self._attribute(func, depth)

    def _variable(self, name: ast.expr | None) -> None:
        """A variable of the environment that is named; all of them together hold secrets."""
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            raise _RefusedError
        self.variables.append(name.value)

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
        if isinstance(files[0], ast.Constant) and self.names(files[0]) is None:
            raise _RefusedError  # a number is a descriptor
        self._opened(files[0], mode)

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

    def _opened(self, file: ast.expr, mode: str) -> None:
        names = self.names(file)
        found = self.found(file) if names is None else None
        is_write = not set(mode).isdisjoint("wax+")
        is_read = "r" in mode or "+" in mode or not is_write
        if names is not None:
            self.writes += names if is_write else ()
            self.reads += names if is_read else ()
        elif found is not None and not (is_write and found.follows):
            self.found_writes += (found,) if is_write else ()
            self.found_reads += (found,) if is_read else ()
        elif is_write:
            raise _RefusedError
        else:
            self.reads_any = True


_OTHER_BUILTINS: Final = frozenset(dir(builtins)) - BUILTINS
_DISGUISES: Final = frozenset("\0\r\f\v\x1a")


def _names_encoding(text: str) -> bool:
    """Whether a comment in the first two lines may name an encoding (Language Reference 2.1.4)."""
    return any(line.lstrip().startswith("#") and "coding" in line for line in text.split("\n")[:2])
