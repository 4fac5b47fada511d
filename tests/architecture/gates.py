"""The rules of structure as functions over source text: module name -> text in, violations out.

They read text, not imported modules, so that each rule can be shown to reject a violation that is seeded into it.
"""

from __future__ import annotations

import ast
from pathlib import Path

LEAVES = frozenset({"canonical", "errors", "paths", "places", "rawjson", "records", "sha256"})

# Room -> what it may import of ours, beside itself and the leaves. The order is that of docs/architecture.md: arrows
# point down into types, and never sideways between artifacts, policy and shell.
ROOMS = {
    "artifacts": frozenset(),
    "policy": frozenset(),
    "shell": frozenset(),
    "kernel": frozenset({"artifacts", "policy", "shell"}),
    "hosts": frozenset({"kernel"}),
    "store": frozenset({"kernel"}),
    "evidence": frozenset({"policy", "shell", "kernel"}),
    # The front door hands over to dispatch, provisioning prepares the parser tables; neither decides anything.
    "runtime": frozenset({"dispatch", "cli", "shell"}),
    "cli": frozenset(
        {"artifacts", "policy", "shell", "kernel", "hosts", "store", "evidence", "runtime", "dispatch", "world"}
    ),
}
PURE = ("artifacts", "policy", "shell", "kernel", "hosts")

# What can touch the world, or differs from one call to the next.
IMPURE = frozenset(
    {"os", "posix", "io", "time", "_time", "datetime", "random", "secrets", "subprocess", "socket", "shutil", "tempfile",
     "pathlib", "logging", "signal", "threading", "multiprocessing", "asyncio", "platform", "uuid", "fcntl", "select"}
)  # fmt: skip
IMPURE_CALLS = frozenset({"open", "input", "print", "exec", "eval", "compile", "breakpoint"})

# (module, import) -> why it is allowed.
IMPURE_ALLOWED = {
    ("harness_guard.shell.tables", "pathlib"): "prepare() writes the parser tables; only provisioning calls it",
}


def sources(root: Path) -> dict[str, str]:
    """Read the package: dotted module name -> text."""
    found = {}
    for path in sorted((root / "harness_guard").rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    return found


def imports(text: str, *, at_run_time: bool = False) -> set[str]:
    """Name what a module imports, at any depth.

    Args:
        text: Its source.
        at_run_time: Leave out what stands under ``if TYPE_CHECKING``.
    """
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if at_run_time and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            # Of a package the imported name may be the module that is meant.
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def room(module: str) -> str:
    """Give the room of a module of ours, or the name of a module at the top."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def wrong_imports(modules: dict[str, str]) -> list[str]:
    """Name the imports that the table of rooms does not allow."""
    found = []
    for module, text in modules.items():
        allowed = ROOMS.get(room(module))
        if allowed is None and room(module) not in LEAVES:
            continue  # dispatch, world: above everything
        mine = allowed or frozenset()
        for name in sorted(imports(text)):
            other = room(name)
            if not name.startswith("harness_guard.") or other in mine | LEAVES | {room(module)}:
                continue
            found.append(f"{module} imports {name}")
    return found


def impurities(modules: dict[str, str]) -> list[str]:
    """Name what the pure rooms import or call that touches the world."""
    found = []
    for module, text in modules.items():
        if room(module) not in PURE:
            continue
        names = {name.split(".")[0] for name in imports(text, at_run_time=True)}
        found += [f"{module} imports {name}" for name in sorted(names & IMPURE) if (module, name) not in IMPURE_ALLOWED]
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
                found.append(f"{module}:{node.lineno} calls {node.func.id}")
            if isinstance(node, ast.Global):
                found.append(f"{module}:{node.lineno} has a global that changes")
    return found


def cycles(modules: dict[str, str]) -> list[str]:
    """Name the modules that import themselves in the end, imports for types included."""
    graph = {
        module: {_module(name, modules) for name in imports(text)} - {module, ""} for module, text in modules.items()
    }
    found = []
    for start, first in graph.items():
        seen: set[str] = set()
        waiting = set(first)
        while waiting:
            module = waiting.pop()
            seen.add(module)
            waiting |= graph.get(module, set()) - seen
        if start in seen:
            found.append(start)
    return found


def _module(name: str, modules: dict[str, str]) -> str:
    if name in modules:
        return name
    parent = name.rpartition(".")[0]
    return parent if parent in modules and parent != "harness_guard" else ""


# Module -> why it may catch everything, beside the front door and dispatch.
BROAD_ALLOWED = {
    "harness_guard.dispatch": "turns whatever failed into a refusal",
    "harness_guard.runtime.frontdoor": "turns whatever failed into the event's failure answer",
    "harness_guard.shell.agreement": "a third-party parser raises anything at all; all of it becomes Unparsed, so unknown",
}


def broad_handlers(modules: dict[str, str]) -> list[str]:
    """Name the handlers that catch everything outside the two places that may."""
    found = []
    for module, text in modules.items():
        if module in BROAD_ALLOWED:
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = "" if node.type is None else ast.unparse(node.type)
            raises = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
            if caught in ("", "Exception", "BaseException") and not raises:
                found.append(f"{module}:{node.lineno} catches {caught or 'everything'}")
    return found


def undocumented(modules: dict[str, str]) -> list[str]:
    """Name the modules, public classes and public functions without a docstring."""
    found = []
    for module, text in modules.items():
        tree = ast.parse(text)
        if tree.body and ast.get_docstring(tree) is None:
            found.append(module)
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            members = node.body if isinstance(node, ast.ClassDef) else []
            public = [node, *(m for m in members if isinstance(m, ast.FunctionDef) and not m.name.startswith("_"))]
            found += [f"{module}.{item.name}" for item in public if ast.get_docstring(item) is None]
    return found


def notes_to_ourselves(modules: dict[str, str]) -> list[str]:
    """Name the lines that put something off."""
    words = ("TO" + "DO", "FIX" + "ME", "X" + "XX", "NotImplemented" + "Error(")
    return [
        f"{module}:{number}"
        for module, text in modules.items()
        for number, line in enumerate(text.splitlines(), 1)
        if any(word in line for word in words)
    ]
