"""What the names in a short Python program stand for: modules, files that are named, and files that a search gives.

Source: The Python Language Reference 3.14; The Python Standard Library 3.14 (``os.walk``, ``os.listdir``,
``pathlib.Path.glob``, ``rglob``, ``iterdir``: none of them goes through a link unless asked to).
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter

from harness_guard.records import dataclass
from harness_guard.shell.python_listing import MODULES, WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PATHS: Final = frozenset(("pathlib.Path", "pathlib.PurePath", "pathlib.PurePosixPath"))
MOST_STEPS: Final = 12
MOST_NAMES: Final = 64


@dataclass(frozen=True, slots=True)
class Searched:
    """A search for files.

    Attributes:
        tops: Where it starts, as written.
        globs: What its names match, at their last segment.
        follows: Whether it goes through links on the way, not only through one that is named as the start.
    """

    tops: tuple[str, ...]
    globs: tuple[str, ...]
    follows: bool = False

    def joined(self, other: Searched) -> Searched:
        """Give the search of both."""
        tops = tuple(dict.fromkeys((*self.tops, *other.tops)))
        return Searched(tops, tuple(dict.fromkeys((*self.globs, *other.globs))), self.follows or other.follows)


@dataclass(frozen=True, slots=True)
class Each:
    """What a loop's name holds: one thing after the other of what it goes over; ``body`` is empty in an expression."""

    over: ast.expr
    body: tuple[ast.stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Walked:
    """What one of several names of a loop holds: that part of what a call gives."""

    call: ast.Call
    index: int


Bound = ast.AST | Each | Walked | None


class Bindings:
    """The names of a program."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        """Note what each construct of the program binds and uses."""
        self.modules: dict[str, str] = {}  # name -> module
        self.imported: dict[str, str] = {}  # name -> ``module.attribute``
        self.bound: dict[str, list[Bound]] = {}  # name -> what it is bound to; ``None``: something else
        self.loads: Counter[str] = Counter()
        self.iterated: Counter[str] = Counter()  # uses that go over a list, and leave it as it is
        self.filtered: Counter[str] = Counter()  # uses that take things out of a list, or look for one there
        for node in nodes:
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        """Note the names that one construct binds or uses."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._note_import(node)
        elif isinstance(node, ast.Assign):
            self._note_assigned(node)
        elif isinstance(node, ast.For | ast.comprehension):
            self._note_round(node)
        elif isinstance(node, ast.Name):
            self._note_name(node)
        elif isinstance(node, ast.Call | ast.Compare):
            self._note_use(node)
        elif isinstance(node, ast.arg):
            self.bound.setdefault(node.arg, []).append(None)
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name:
            self.bound.setdefault(node.name, []).append(None)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                self.bound.setdefault(name, []).append(None)

    def _note_use(self, node: ast.Call | ast.Compare) -> None:
        """Note what leaves a list as it is, or takes something out of it."""
        if isinstance(node, ast.Compare):
            self.filtered.update(one.id for one in node.comparators if isinstance(one, ast.Name))
            return
        func = node.func
        if isinstance(func, ast.Name) and func.id == "len":
            self.iterated.update(arg.id for arg in node.args if isinstance(arg, ast.Name))
        elif isinstance(func, ast.Attribute) and func.attr == "remove" and isinstance(func.value, ast.Name):
            self.filtered[func.value.id] += 1

    def _note_name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.loads[node.id] += 1
        else:
            self.bound.setdefault(node.id, []).append(_SEEN)

    def _note_assigned(self, node: ast.Assign) -> None:
        filtered = _filtered(node)
        if filtered:
            self.filtered[filtered] += len(("in front", "behind"))
        elif len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self.bound.setdefault(node.targets[0].id, []).append(node.value)

    def _note_round(self, node: ast.For | ast.comprehension) -> None:
        """Note what a loop's names are in each round."""
        inner = self._unwrapped(node.iter)
        if isinstance(inner, ast.Name):
            self.iterated[inner.id] += 1
        if isinstance(node.target, ast.Name):
            body = tuple(node.body) if isinstance(node, ast.For) else ()
            item = node.iter if _is_display(node.iter) else Each(node.iter, body)
            self.bound.setdefault(node.target.id, []).append(item)
        elif isinstance(node.target, ast.Tuple) and isinstance(node.iter, ast.Call):
            names = [part.id for part in node.target.elts if isinstance(part, ast.Name)]
            for index, name in enumerate(names) if len(names) == len(node.target.elts) == _OF_WALK else ():
                self.bound.setdefault(name, []).append(Walked(node.iter, index))

    def _unwrapped(self, node: ast.expr) -> ast.expr:
        """Take ``sorted``, ``list`` and their like off what is iterated over; they give the same things."""
        while (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _SAME
            and len(node.args) == 1
            and not isinstance(node.args[0], ast.Starred)
        ):
            node = node.args[0]
        return node

    def _note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                is_known = alias.name in MODULES or alias.name in WHOLE
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
                if whole in MODULES:
                    self.modules[alias.asname or alias.name] = whole
                elif self.imported.setdefault(alias.asname or alias.name, whole) != whole:
                    self.modules[""] = ""

    def dotted(self, node: ast.expr) -> str | None:
        """Give ``module.attribute`` for an attribute of a module, ``None`` for any other expression."""
        if not isinstance(node, ast.Attribute):
            return None
        if isinstance(node.value, ast.Name):
            module = self.modules.get(node.value.id)
            return f"{module}.{node.attr}" if module else None
        inner = self.dotted(node.value)
        return f"{inner}.{node.attr}" if inner in _PACKAGES or inner in MODULES else None

    def meaning(self, node: ast.expr) -> str | None:
        """Give what an expression names: ``open``, ``module.attribute``; ``None`` for what is none of these."""
        if isinstance(node, ast.Name):
            if node.id in self.imported:
                return self.imported[node.id]
            return node.id if node.id == "open" and node.id not in self.bound else None
        return self.dotted(node)

    def names(self, node: ast.expr, depth: int = 0) -> list[str] | None:
        """Give the names that an expression may stand for, ``None`` if that is not known."""
        if depth > MOST_STEPS:
            return None
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) and node.value and "\0" not in node.value else None
        if isinstance(node, ast.Name):
            return self._names_bound(node.id, depth)
        if isinstance(node, ast.Call):
            meaning = self.meaning(node.func)
            is_joined = meaning in PATHS or meaning == "os.path.join"
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
        if isinstance(only, Each | Walked):
            return None
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

    def found(self, node: ast.expr, depth: int = 0) -> Searched | None:
        """Give the search of whose names an expression may be one; ``None`` if that is not known."""
        if depth > MOST_STEPS or not _MEANT.isdisjoint((*self.bound, *self.modules, *self.imported)):
            return None
        if isinstance(node, ast.Name):
            return self._found_bound(node.id, depth)
        if isinstance(node, ast.Call):
            meaning = self.meaning(node.func)
            if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
                return None
            if meaning in PATHS and len(node.args) == 1:
                return self.found(node.args[0], depth + 1)
            is_pair = meaning == "os.path.join" and len(node.args) == len(("folder", "name"))
            return self._below(node.args[0], node.args[1], depth) if is_pair else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self._below(node.left, node.right, depth)
        return None

    def _below(self, folder: ast.expr, name: ast.expr, depth: int) -> Searched | None:
        """A name behind the folder that it was listed in, by ``os.listdir`` or ``os.walk``, where that is no link.

        Only within the loop over the listing: elsewhere the one may be of another round than the other.
        """
        folder = self._as_text(folder)
        whole = self._stored(name.id) if isinstance(name, ast.Name) else None
        if not whole or not all(self._is_listed_in(item, folder) for item in whole):
            return None
        if not any(_holds(item.body, name) for item in whole if isinstance(item, Each)):
            return None
        names = self.names(folder, depth + 1)
        if names is not None:
            return Searched(tuple(names), ("*",))
        roots = self._stored(folder.id) if isinstance(folder, ast.Name) else None
        is_walked = bool(roots) and all(isinstance(item, Walked) for item in roots or ())
        return self.found(folder, depth + 1) if is_walked else None

    def _as_text(self, folder: ast.expr) -> ast.expr:
        """Take ``Path`` off a folder's name."""
        is_path = isinstance(folder, ast.Call) and self.meaning(folder.func) in PATHS and len(folder.args) == 1
        return folder.args[0] if is_path and isinstance(folder, ast.Call) else folder

    def _is_listed_in(self, item: Bound, folder: ast.expr) -> bool:
        """Whether a loop's name is one that stands in a folder, and never has a slash."""
        inner = self._unwrapped(item.over) if isinstance(item, Each) else None
        if isinstance(inner, ast.Call):
            is_listing = self.meaning(inner.func) == "os.listdir" and len(inner.args) == 1 and not inner.keywords
            return is_listing and ast.dump(self._as_text(inner.args[0])) == ast.dump(folder)
        if not isinstance(inner, ast.Name) or not isinstance(folder, ast.Name) or not self._is_only_iterated(inner.id):
            return False
        # One walk gave both: with a second one that has the same names, the one may be of another than the other.
        files, root = self._only(inner.id), self._only(folder.id)
        if not isinstance(files, Walked) or not isinstance(root, Walked) or self._walk_of(files) is None:
            return False
        return files.call is root.call and (root.index, files.index) == (0, _FILES)

    def _is_only_iterated(self, name: str) -> bool:
        return self.loads[name] == self.iterated[name]

    def _stored(self, name: str) -> list[Bound] | None:
        """Give all that a name is bound to, ``None`` if something of it is not known."""
        items = self.bound.get(name, [])
        whole = [item for item in items if item is not _SEEN]
        is_own = name not in self.modules and name not in self.imported
        return whole if is_own and len(items) == 2 * len(whole) else None  # each is stored once, and seen once

    def _only(self, name: str) -> Bound:
        """Give what a name is bound to, once and for all; ``None`` where it is bound otherwise."""
        whole = self._stored(name)
        return whole[0] if whole and len(whole) == 1 else None

    def _found_bound(self, name: str, depth: int) -> Searched | None:
        whole = self._stored(name)
        if not whole:
            return None
        made: Searched | None = None
        for item in whole:
            if isinstance(item, Each):
                one = self._listed(item.over, depth + 1)
            elif isinstance(item, Walked):
                one = self._walk_of(item) if item.index == 0 else None
            else:
                one = self.found(item, depth + 1) if isinstance(item, ast.expr) else None
            if one is None:
                return None
            made = one if made is None else made.joined(one)
        return made

    def _walk_of(self, walked: Walked) -> Searched | None:
        """``os.walk`` below known folders, where its lists of folders are at most made shorter."""
        if self.meaning(walked.call.func) != "os.walk" or len(walked.call.args) != 1 or walked.call.keywords:
            return None
        lists = [
            name
            for name, items in self.bound.items()
            for item in items
            if isinstance(item, Walked) and item.call is walked.call and item.index == 1
        ]
        if any(self.loads[name] != self.filtered[name] for name in lists):
            return None
        tops = self.names(walked.call.args[0])
        return None if tops is None else Searched(tuple(tops), ("*",))

    def _listed(self, node: ast.expr, depth: int) -> Searched | None:
        """What one round of a loop gets out of a listing of a folder."""
        node = self._unwrapped(node)
        if depth > MOST_STEPS:
            return None
        if isinstance(node, ast.Name):
            only = self._only(node.id)
            is_whole = self._is_only_iterated(node.id)
            return self._listed(only, depth + 1) if is_whole and isinstance(only, ast.expr) else None
        if not isinstance(node, ast.Call) or any(word.arg != "recursive" for word in node.keywords):
            return None
        words = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
        glob = words[0] if len(words) == 1 and isinstance(words[0], str) else None
        if self.meaning(node.func) in _GLOBS:
            return _globbed(glob or "")
        if isinstance(node.func, ast.Attribute) and node.func.attr in _LISTINGS and self.dotted(node.func) is None:
            tops = self.names(node.func.value, depth + 1)
            last = "*" if node.func.attr == "iterdir" and not words else _last(glob or "")
            return Searched(tuple(tops), (last,)) if tops is not None and last else None
        return None


_OF_WALK: Final = 3  # what ``os.walk`` gives at once: a folder, its folders, its files
_FILES: Final = 2  # where its files stand in that
_SEEN: Final = ast.Pass()  # a store, counted beside what is stored
_PACKAGES: Final = frozenset(("urllib", "os"))
_SAME: Final = frozenset(("sorted", "list", "tuple", "set", "reversed"))
_MEANT: Final = _SAME | {"len"}  # what must be the interpreter's own for lists to be what they look like
_GLOBS: Final = frozenset(("glob.glob", "glob.iglob"))
_LISTINGS: Final = frozenset(("glob", "rglob", "iterdir"))
_PLAIN_MARKS: Final = {ord(mark): None for mark in "_-"}
_GLOB_MARKS: Final = frozenset("*._-")  # beside letters and digits


def _packages(module: str) -> str:
    return module.partition(".")[0]


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple)


def _products(left: list[str], right: list[str], mark: str) -> list[str] | None:
    if len(left) * len(right) > MOST_NAMES:
        return None
    return [
        second if mark and second.startswith("/") else f"{first}{mark}{second}" for first in left for second in right
    ]


def _globbed(glob: str) -> Searched | None:
    """Read a pattern of ``glob.glob``; a star in front of its last segment may go through links."""
    *heads, last = glob.split("/")
    if not last or not all(mark.isalnum() or mark in _GLOB_MARKS for mark in last) or glob.startswith("/"):
        return None
    named = list(itertools.takewhile(lambda head: head == "." or head.translate(_PLAIN_MARKS).isalnum(), heads))
    follows = named != heads or "**" in last
    return Searched(("/".join(named) or ".",), (last,), follows) if ".." not in heads else None


def _holds(body: tuple[ast.stmt, ...], node: ast.expr) -> bool:
    """Whether a construct stands in the body of a loop, and runs in that round."""
    pending: list[ast.AST] = list(body)
    found = False
    while pending:
        one = pending.pop()
        if isinstance(one, ast.Yield | ast.YieldFrom):
            return False
        if not isinstance(one, ast.Lambda | ast.GeneratorExp | ast.FunctionDef):
            found = found or one is node
            pending += ast.iter_child_nodes(one)
    return found


def _last(glob: str) -> str:
    """Give the last segment of a glob that goes through folders by ``**`` alone, ``""`` of any other."""
    *heads, last = glob.split("/")
    is_plain = all(mark.isalnum() or mark in _GLOB_MARKS for mark in last) and last not in {"**", "..", "."}
    return last if is_plain and all(head == "**" for head in heads) else ""


def _filtered(node: ast.Assign) -> str:
    """Give the name of a list from which ``names[:] = [name for name in names if …]`` takes some, else ``""``."""
    target, value = node.targets[0], node.value
    if len(node.targets) != 1 or not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Slice):
        return ""
    if not isinstance(target.value, ast.Name) or not isinstance(value, ast.ListComp) or len(value.generators) != 1:
        return ""
    part = value.generators[0]
    is_same = isinstance(part.iter, ast.Name) and part.iter.id == target.value.id
    is_whole = isinstance(part.target, ast.Name) and ast.dump(value.elt) == f"Name(id={part.target.id!r}, ctx=Load())"
    return target.value.id if is_same and is_whole else ""
