"""The package's bytecode in one file: made by ``provision``, read by the front door, module by module.

An import from a folder looks at several places, opens a file and checks it; a tool call imports some sixty modules.
From the bundle each of them costs one look at its source, whose time and size must be those it was compiled from, and
one read. Whatever does not fit is imported as usual, so that a stale or foreign bundle costs time and changes nothing.

Layout: a magic line, the length of the index (4 bytes, big-endian), the index (marshal), then the modules (marshal).
"""

from __future__ import annotations

import marshal
import posix
import sys
from _frozen_importlib import ModuleSpec
from _imp import source_hash

from harness_guard.places import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Final

    # Module -> offset, length, source file, its modification time (ns) and size, whether it is a package.
    Index = dict[str, tuple[int, int, str, int, int, bool]]

_MAGIC: Final = f"harness-guard {sys.implementation.cache_tag} {sys.hexversion:x} {source_hash(1, b'')!r}\n".encode()
_INIT: Final = "/__init__.py"


class Bundle:
    """A finder and loader of the package's modules (importlib.abc.MetaPathFinder, importlib.abc.Loader)."""

    __slots__ = ("_file", "_index", "_start")

    def __init__(self, file: int, index: Index, start: int) -> None:
        """Take the open file, its index and where the modules begin in it."""
        self._file, self._index, self._start = file, index, start

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Give a module's spec if its source is what it was compiled from; ``None`` leaves it to the other finders."""
        entry = self._index.get(name)
        if entry is None:
            return None
        _, _, source, modified, size, is_package = entry
        try:
            status = posix.stat(source)
        except OSError:
            return None
        if status.st_mtime_ns != modified or status.st_size != size:
            return None
        spec = ModuleSpec(name, self, origin=source, is_package=is_package)  # type: ignore[arg-type]  # no base classes: a hot path
        if is_package:
            spec.submodule_search_locations = [source.removesuffix(_INIT)]
        spec.has_location = True
        return spec

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code."""
        exec(self._code(module.__name__), module.__dict__)  # noqa: S102  that is what importing is

    def _code(self, name: str) -> CodeType:
        offset, length, *_ = self._index[name]
        # The data folder is the control plane: who could write there could write the plugin.
        code: CodeType = marshal.loads(posix.pread(self._file, length, self._start + offset))  # noqa: S302
        return code


def install(data: str, root: str) -> None:
    """Let modules of the package come from the bundle of a data folder, if there is one for this interpreter.

    Args:
        data: The data folder.
        root: The plugin's folder; a bundle of another one is left alone.
    """
    try:
        file = posix.open(Places(data).bundle, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return
    start = len(_MAGIC) + 4
    head = posix.pread(file, start, 0)
    length = int.from_bytes(head[len(_MAGIC) :], "big")
    listing = posix.pread(file, length, start) if head.startswith(_MAGIC) and len(head) == start else b""
    if not listing or len(listing) < length:
        posix.close(file)
        return
    index: Index = marshal.loads(listing)  # noqa: S302  as above
    if not index.get("harness_guard", (0, 0, ""))[2].startswith(f"{root}/"):
        posix.close(file)
        return
    sys.meta_path.insert(0, Bundle(file, index, start + length))


def render(root: str) -> bytes:
    """Compile the package's modules.

    Args:
        root: The plugin's folder.

    Returns:
        The bundle.

    Raises:
        OSError: If a source cannot be read.
        SyntaxError: If it cannot be compiled.
    """
    index: Index = {}
    modules = bytearray()
    for source in _sources(f"{root}/harness_guard"):
        status = posix.stat(source)
        with open(source, "rb") as file:
            code = marshal.dumps(compile(file.read(), source, "exec", dont_inherit=True))
        is_package = source.endswith(_INIT)
        name = source.removesuffix(_INIT).removesuffix(".py").removeprefix(f"{root}/").replace("/", ".")
        index[name] = (len(modules), len(code), source, status.st_mtime_ns, status.st_size, is_package)
        modules += code
    listing = marshal.dumps(index)
    return b"".join((_MAGIC, len(listing).to_bytes(4, "big"), listing, bytes(modules)))


def _sources(folder: str) -> list[str]:
    found = []
    for name in sorted(posix.listdir(folder)):
        path = f"{folder}/{name}"
        if name.endswith(".py"):
            found.append(path)
        elif "." not in name and name != "__pycache__":
            found += _sources(path)
    return found
