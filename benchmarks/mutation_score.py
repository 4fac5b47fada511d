"""Mutation score of the rooms that decide: small faults are put into their modules, and the tests have to notice.

    python benchmarks/mutation_score.py [--rooms kernel policy artifacts] [--sample N] [--seed N] [--jobs N]

Every mutant is one changed operator, constant, condition, result, argument or statement. It is killed if the tests of
its room fail or take too long. Survivors are printed; one that changes nothing that matters stands, with the reason, in
``tests/cases/mutants-argued.tsv`` and is counted apart.

The tests of a room are collected once and run once with an eye on which functions each of them enters. A fault inside
a function is then put into the running module, in a process forked for it, and only the tests that enter the function
are run, the cheap ones first. A fault outside every function, or in one that runs while modules are imported, meets all
tests of the room in a fresh process. Hypothesis always draws the same examples, so that chance kills nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from multiprocessing import Pipe
from pathlib import Path
from queue import SimpleQueue
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from types import FrameType, ModuleType

    import pytest

ROOT = Path(__file__).resolve().parents[1]
ARGUED = ROOT / "tests" / "cases" / "mutants-argued.tsv"
# Room -> the tests that have to notice, those of the rooms above it among them where they take seconds.
TESTS = {
    "kernel": (
        "tests/unit/kernel",
        "tests/machine/test_transitions.py",
        "tests/unit/hosts",
        "tests/properties/test_answers.py",
        "tests/properties/test_p1_authority.py",
    ),
    "policy": ("tests/unit/policy", "tests/properties/test_boundary.py", "tests/unit/kernel"),
    "artifacts": ("tests/unit/artifacts", "tests/properties/test_artifacts.py", "tests/unit/kernel"),
}
LIMIT_S = 150.0  # of the clock
SPARE_CPU_S = 6  # what a process may compute beside four times what its tests took unchanged
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
_OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist")
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

    def function(self) -> str:
        """Name the innermost function whose body has the node, as Python qualifies it; empty for none."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        return _qualified(tree, list(ast.walk(tree))[self.index])


def _function(tree: ast.AST, node: ast.AST) -> str:
    """Name the innermost function around a node, ``module`` for none."""
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    around = [each for each in functions if any(item is node for item in ast.walk(each))]
    return around[-1].name if around else "module"


def _qualified(inside: ast.AST, node: ast.AST, prefix: str = "") -> str:
    for part in ast.iter_child_nodes(inside):
        if not any(item is node for item in ast.walk(part)):
            continue
        if isinstance(part, ast.ClassDef):
            return _qualified(part, node, f"{prefix}{part.name}.")
        if isinstance(part, ast.FunctionDef) and part is not node:
            if not any(item is node for line in part.body for item in ast.walk(line)):
                break
            return _qualified(part, node, f"{prefix}{part.name}.<locals>.")
        return _qualified(part, node, prefix)
    return prefix.removesuffix(".").removesuffix(".<locals>") if prefix.endswith(".<locals>.") else ""


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


# --- one mutant in a fresh process --------------------------------------------------------------------------------


def is_killed_afresh(mutant: Mutant) -> bool:
    """Run all tests of the room on a mutant in a process that imports everything anew."""
    text, _, _ = mutant.source()
    child = os.fork()
    if child == 0:
        _run_tests(mutant, text)
    return not _is_well(child)


def _run_tests(mutant: Mutant, text: str) -> None:
    import pytest

    room = mutant.path.relative_to(ROOT / "harness_guard").parts[0]
    own = [str(found.relative_to(ROOT)) for found in (ROOT / "tests/unit" / room).glob(f"test_{mutant.path.stem}.py")]
    os.setpgid(0, 0)
    _silence()
    sys.meta_path.insert(0, _Faulty(module_name(mutant.path), text, mutant.path))
    status = 1
    try:
        status = int(pytest.main([*_OPTIONS, *_NO_REWRITE, *own, *TESTS[room]]))
    finally:
        os._exit(status)


def _silence() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


def _is_well(child: int) -> bool:
    """Wait for a process and tell whether it ended well, in time."""
    ends = time.monotonic() + LIMIT_S
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.005)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


# --- many mutants in forks of one process -------------------------------------------------------------------------

Function = tuple[str, str]  # the file and the qualified name


@dataclass
class _Entered:
    """What the tests of a room, run once without any fault, enter."""

    at_import: set[Function] = field(default_factory=set)
    by_test: list[set[Function]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class _Room:
    """A pytest plugin: collects the tests of a room, records what they enter, and answers for mutants.

    Asked with a mutant, it answers ``True`` (killed), ``False`` (alive) or ``None`` (has to be tried afresh).
    """

    def __init__(self, room: str, asked: list[Connection]) -> None:
        self.folder = str(ROOT / "harness_guard" / room)
        self.asked = asked
        self.entered = _Entered()
        self.now: set[Function] = self.entered.at_import
        self.is_trial = False
        sys.settrace(self._note)

    def _note(self, frame: FrameType, _event: str, _arg: object) -> None:
        if frame.f_code.co_filename.startswith(self.folder):
            self.now.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End a trial at the first failure."""
        if report.failed and self.is_trial:
            os._exit(1)
        if report.failed:
            self.entered.failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record once, in a fork so that nothing is warm afterwards, then answer as long as someone asks."""
        for path in Path(self.folder).rglob("*.py"):  # also what is imported only when an event needs it
            importlib.import_module(module_name(path))
        sys.settrace(None)
        mine, its = Pipe()
        child = os.fork()
        if child == 0:
            self._record(session.items)
            its.send(self.entered)
            os._exit(0)
        self.entered = mine.recv()
        os.waitpid(child, 0)
        if not session.items or self.entered.failed or self._is_noticed(range(len(session.items)), session.items):
            sys.stderr.write(f"without any fault: {self.entered.failed}\n")
            os._exit(1)
        children = [os.fork() or self._answer(session.items, asked) for asked in self.asked]
        for one in children:
            os.waitpid(one, 0)
        os._exit(0)

    def _record(self, items: list[pytest.Item]) -> None:
        for item in items:
            self.now = set()
            begun = time.process_time()
            sys.settrace(self._note)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            sys.settrace(None)
            self.entered.seconds.append(time.process_time() - begun)
            self.entered.by_test.append(self.now)

    def _answer(self, items: list[pytest.Item], asked: Connection) -> int:
        while True:
            try:
                mutant: Mutant = asked.recv()
            except EOFError:
                os._exit(0)
            asked.send(self._is_killed(items, mutant))

    def _is_killed(self, items: list[pytest.Item], mutant: Mutant) -> bool | None:
        name = mutant.function()
        function = (str(mutant.path), name)
        if not name or function in self.entered.at_import or not list(_running(mutant.path, name)):
            return None
        chosen = [at for at, entered in enumerate(self.entered.by_test) if function in entered]
        if not chosen:
            return False
        return self._is_noticed(chosen, items, mutant)

    def _is_noticed(self, chosen: Sequence[int], items: list[pytest.Item], mutant: Mutant | None = None) -> bool:
        text = mutant.source()[0] if mutant else ""
        child = os.fork()
        if child:
            return not _is_well(child)
        os.setpgid(0, 0)
        _silence()
        seconds = int(4 * sum(self.entered.seconds[at] for at in chosen) + SPARE_CPU_S)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        self.is_trial = True
        try:
            if mutant:
                _put(mutant, text)
            for at in sorted(chosen, key=self.entered.seconds.__getitem__):
                items[at].config.hook.pytest_runtest_protocol(item=items[at], nextitem=None)
            os._exit(0)
        finally:
            os._exit(1)


def _running(path: Path, name: str) -> Iterator[FunctionType]:
    """Find the function objects that carry a function, or the outer one it stands in."""
    outer = _outer(name)
    values = list(vars(sys.modules[module_name(path)]).values())
    values += [part for value in values if isinstance(value, type) for part in vars(value).values()]
    for value in values:
        inner = getattr(value, "fget", None) or getattr(value, "__func__", None) or value
        inner = getattr(inner, "__wrapped__", inner)
        if isinstance(inner, FunctionType) and inner.__code__.co_filename == str(path):
            yield from [inner] if inner.__code__.co_qualname == outer else []


def _outer(name: str) -> str:
    return name.partition(".<locals>")[0]


def _put(mutant: Mutant, text: str) -> None:
    outer = _outer(mutant.function())
    code = next(code for code in _codes(compile(text, str(mutant.path), "exec")) if code.co_qualname == outer)
    for function in list(_running(mutant.path, outer)):
        function.__code__ = code


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


@dataclass(frozen=True)
class _Answers:
    """The processes that answer for the mutants of a room."""

    free: SimpleQueue[Connection]

    def is_killed(self, mutant: Mutant) -> bool:
        """Ask a free process; try afresh what it cannot answer."""
        asked = self.free.get()
        try:
            asked.send(mutant)
            is_killed: bool | None = asked.recv()
        except (EOFError, OSError):
            raise SystemExit("the tests fail without any fault") from None
        finally:
            self.free.put(asked)
        return is_killed_afresh(mutant) if is_killed is None else is_killed


def _start(room: str, jobs: int) -> _Answers:
    import pytest

    pipes = [Pipe() for _ in range(jobs)]
    if os.fork() == 0:
        for mine, _ in pipes:
            mine.close()
        out = os.dup(2)
        _silence()
        os.dup2(out, 2)
        pytest.main([*_OPTIONS, *_NO_REWRITE, *TESTS[room]], plugins=[_Room(room, [its for _, its in pipes])])
        os._exit(1)
    free: SimpleQueue[Connection] = SimpleQueue()
    for mine, its in pipes:
        its.close()
        free.put(mine)
    return _Answers(free)


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
    os.environ["HYPOTHESIS_PROFILE"] = "ci"
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    for library in ("hypothesis", "pytest", "pydantic", "markdown_it"):
        __import__(library)
    alive = 0
    for room in args.rooms:
        score = _score(room, args)
        sys.stdout.write(f"{room}: {_counted(score, {module for module, _ in score})}\n")
        alive += sum(count for (_, fate), count in score.items() if fate == "alive")
    return 1 if alive else 0


def _score(room: str, args: argparse.Namespace) -> Counter[tuple[str, str]]:
    paths = sorted((ROOT / "harness_guard" / room).rglob("*.py"))
    paths = [path for path in paths if not args.modules or path.stem in args.modules]
    chosen = [mutant for path in paths for mutant in mutants_of(path)]
    if args.sample and args.sample < len(chosen):
        chosen = random.Random(args.seed).sample(chosen, args.sample)
    answers = _start(room, args.jobs)
    known = argued()
    score: Counter[tuple[str, str]] = Counter()
    of_module = Counter(mutant.path for mutant in chosen)
    with ThreadPoolExecutor(args.jobs) as pool:
        for mutant, dead in zip(chosen, pool.map(answers.is_killed, chosen), strict=True):
            module, fate = module_name(mutant.path), "killed"
            if not dead:
                _, change, line = mutant.source()
                fate = "argued" if f"{module} {change}" in known else "alive"
                if fate == "alive":
                    sys.stdout.write(f"alive {module} {change}  (line {line}, {mutant.kind})\n")
            score[module, fate] += 1
            of_module[mutant.path] -= 1
            if not of_module[mutant.path]:
                sys.stdout.write(f"{module}: {_counted(score, [module])}\n")
            sys.stdout.flush()
    return score


def _counted(score: Counter[tuple[str, str]], modules: Iterable[str]) -> str:
    killed, reasoned, alive = (sum(score[module, fate] for module in modules) for fate in ("killed", "argued", "alive"))
    tried = killed + reasoned + alive
    share = (killed + reasoned) / tried if tried else 1.0
    return f"{tried} tried, {killed} killed, {reasoned} argued, {alive} alive: {share:.1%}"


if __name__ == "__main__":
    sys.exit(main())
