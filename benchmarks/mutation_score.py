"""Mutation score of the rooms that decide: small faults are put into their modules, and the unit tests have to notice.

    python benchmarks/mutation_score.py [--rooms kernel policy artifacts] [--sample N] [--seed N] [--jobs N]

Every mutant is one changed operator, constant, condition, result, argument or statement. It is killed if the tests of
its room fail or take too long. Survivors are printed; one that changes nothing that matters stands, with the reason, in
``tests/cases/mutants-argued.tsv`` and is counted apart. Without ``--sample`` all mutants are tried, which takes hours.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
ARGUED = ROOT / "tests" / "cases" / "mutants-argued.tsv"
# Room -> the tests that have to notice; those of the module itself are asked first.
TESTS = {
    "kernel": ("tests/unit/kernel", "tests/machine/test_transitions.py"),
    "policy": ("tests/unit/policy", "tests/properties/test_boundary.py"),
    "artifacts": ("tests/unit/artifacts", "tests/properties/test_artifacts.py"),
}
LIMIT_S = 150.0
SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_NO_REWRITE = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # libraries are loaded once, before the forks
_WORDS = ("seen", "remedy", "more", "why", "what", "note", "expected")  # arguments that are prose for a reader


@dataclass(frozen=True)
class Mutant:
    """One fault: which node of which module is replaced by what."""

    path: Path
    index: int
    kind: str
    variant: int

    def source(self) -> tuple[str, str, int]:
        """Give the module's text with the fault, the fault as ``function: before -> after``, and its line."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        node = list(ast.walk(tree))[self.index]
        before, line, inside = ast.unparse(node), getattr(node, "lineno", 0), _function(tree, node)
        after = _changed(node, self.kind, self.variant)
        for parent in ast.walk(tree):
            for name, value in ast.iter_fields(parent):
                if value is node:
                    setattr(parent, name, after)
                elif isinstance(value, list) and any(item is node for item in value):
                    value[[item is node for item in value].index(True)] = after
        text = ast.unparse(ast.fix_missing_locations(tree))
        return text, f"{inside}: {_short(before)} -> {_short(ast.unparse(after))}", line


def _function(tree: ast.AST, node: ast.AST) -> str:
    """Name the innermost function around a node, ``module`` for none."""
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    around = [each for each in functions if any(item is node for item in ast.walk(each))]
    return around[-1].name if around else "module"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"


def _changed(node: ast.AST, kind: str, variant: int) -> ast.AST:  # noqa: C901  one kind a branch
    new: Any = copy.deepcopy(node)
    if kind == "operator":
        new.ops = [SWAPS[type(new.ops[0])]()]
    elif kind == "junction":
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
    elif kind == "operand":
        del new.values[variant]
        new = new.values[0] if len(new.values) == 1 else new
    elif kind == "not":
        new = new.operand
    elif kind == "constant":
        new.value = (not new.value) if isinstance(new.value, bool) else new.value + 1
    elif kind == "word":
        new.value = f"{new.value}\0"
    elif kind == "argument":
        del new.keywords[variant]
    elif kind == "condition":
        new.test = ast.Constant(bool(variant))
    elif kind == "result":
        new.value = ast.Constant(None)
    elif kind == "statement":
        new = ast.Pass()
    return new  # type: ignore[no-any-return]


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Give every mutant of a module; prose, annotations and documentation are left alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set(_left_out(tree))
    compared = {id(item) for node in ast.walk(tree) if isinstance(node, ast.Compare) for item in ast.walk(node)}
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in left_out:
            continue
        for kind, variants in _kinds(node, is_compared=id(node) in compared):
            for variant in range(variants):
                yield Mutant(path, index, kind, variant)


def _kinds(node: ast.AST, *, is_compared: bool) -> Iterator[tuple[str, int]]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in SWAPS:
            yield "operator", 1
        case ast.BoolOp():
            yield "junction", 1
            yield "operand", len(node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", 1
        case ast.Constant(value=bool() | int()):
            yield "constant", 1
        case ast.Constant(value=str()) if is_compared:
            yield "word", 1
        case ast.Call() if node.keywords and ast.unparse(node.func) == "replace":
            yield "argument", len(node.keywords)
        case ast.If():
            yield "condition", 2
        case ast.Return() if node.value is not None and not (isinstance(node.value, ast.Constant)):
            yield "result", 1
        case ast.Expr(value=ast.Call()):
            yield "statement", 1
        case _:
            return


def _left_out(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        skipped: list[ast.AST] = []
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            skipped.append(node)
        if isinstance(node, ast.Assign) and "TYPE_CHECKING" in ast.unparse(node):
            skipped.append(node)
        if isinstance(node, ast.keyword) and node.arg in _WORDS:
            skipped.append(node.value)
        if isinstance(node, ast.AnnAssign):
            skipped.append(node.annotation)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "dataclass":
            skipped.append(node)
        if isinstance(node, ast.FunctionDef):
            skipped += [part for part in (node.returns, *node.decorator_list) if part is not None]
        if isinstance(node, ast.arg) and node.annotation is not None:
            skipped.append(node.annotation)
        for part in skipped:
            yield from (id(inner) for inner in ast.walk(part))


class _Faulty(MetaPathFinder, Loader):
    """Loads one module from another text."""

    def __init__(self, name: str, text: str, path: Path) -> None:
        self.name, self.text, self.path = name, text, path

    def find_spec(self, fullname: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, origin=str(self.path)) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self.path)
        exec(compile(self.text, str(self.path), "exec"), module.__dict__)


def module_name(path: Path) -> str:
    """Give a module's dotted name."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def tests_for(path: Path) -> list[str]:
    """Give the tests of a module, its own first."""
    room = path.relative_to(ROOT / "harness_guard").parts[0]
    own = [str(found.relative_to(ROOT)) for found in (ROOT / "tests" / "unit" / room).glob(f"test_{path.stem}.py")]
    return [*own, *TESTS[room]]


def is_killed(mutant: Mutant) -> bool:
    """Run the tests on a mutant in a process of its own."""
    text, _, _ = mutant.source()
    child = os.fork()
    if child == 0:
        _run_tests(mutant, text)
    ends = time.monotonic() + LIMIT_S
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _run_tests(mutant: Mutant, text: str) -> None:
    import pytest

    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.meta_path.insert(0, _Faulty(module_name(mutant.path), text, mutant.path))
    status = 1
    try:
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", *_NO_REWRITE]
        status = int(pytest.main([*options, *tests_for(mutant.path)]))
    finally:
        os._exit(status)


def argued() -> dict[str, str]:
    """Read the mutants that change nothing that matters: ``module function: before -> after``, a tab, the reason."""
    if not ARGUED.exists():
        return {}
    rows = [line.split("\t") for line in ARGUED.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {row[0]: row[1] for row in rows}


def main() -> int:
    """Try the mutants and print the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="+", choices=tuple(TESTS), default=list(TESTS))
    parser.add_argument("--modules", nargs="+", default=[], help="only modules with these names, such as stop")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    for library in ("hypothesis", "pytest", "pydantic", "markdown_it"):
        __import__(library)
    score = {room: _score(room, args) for room in args.rooms}
    for room, (killed, reasoned, alive, tried) in score.items():
        share = (killed + reasoned) / tried if tried else 1.0
        sys.stdout.write(f"{room}: {tried} tried, {killed} killed, {reasoned} argued, {alive} alive: {share:.1%}\n")
    return 1 if any(alive for _, _, alive, _ in score.values()) else 0


def _score(room: str, args: argparse.Namespace) -> tuple[int, int, int, int]:
    paths = sorted((ROOT / "harness_guard" / room).rglob("*.py"))
    paths = [path for path in paths if not args.modules or path.stem in args.modules]
    chosen = [mutant for path in paths for mutant in mutants_of(path)]
    if args.sample and args.sample < len(chosen):
        chosen = random.Random(args.seed).sample(chosen, args.sample)
    for path in {mutant.path for mutant in chosen}:
        if is_killed(Mutant(path, 0, "none", 0)):
            raise SystemExit(f"the tests of {path.name} fail without any fault")
    known = argued()
    killed = reasoned = alive = 0
    last = Path()
    with ThreadPoolExecutor(args.jobs) as pool:
        for mutant, dead in zip(chosen, pool.map(is_killed, chosen), strict=True):
            if mutant.path != last and not args.sample:
                sys.stdout.write(f"so far {killed} killed, {reasoned} argued, {alive} alive; now {mutant.path.name}\n")
                sys.stdout.flush()
            last = mutant.path
            if dead:
                killed += 1
                continue
            _, change, line = mutant.source()
            key = f"{module_name(mutant.path)} {change}"
            if key in known:
                reasoned += 1
            else:
                alive += 1
                sys.stdout.write(f"alive {key}  (line {line}, {mutant.kind})\n")
                sys.stdout.flush()
    return killed, reasoned, alive, len(chosen)


if __name__ == "__main__":
    sys.exit(main())
