"""Functions: kept when they are defined, walked with their arguments each time they are called (bash manual 3.3)."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.ledger import RESERVED
from harness_guard.shell.loops import Loops
from harness_guard.shell.state import MOST_BODIES, Ends, State, joined, merge, merge_value
from harness_guard.shell.values import NUMBER, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.shell.syntax import Function, Statement
    from harness_guard.shell.values import Field

MOST_CALLS = 8  # functions in one another
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:+@")
# Shells call these by themselves, for a program that is not there.
_CALLED_BY_ITSELF = frozenset(("command_not_found_handle", "command_not_found_handler"))
# bash's own commands: a function in their place would be started by whatever relies on them, the host among it.
BUILTINS = frozenset(
    (".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
     "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false",
     "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
     "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend",
     "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait")
)  # fmt: skip


class Functions(Loops):
    """The part of a walk that defines and calls functions."""

    def __init__(self, **known: object) -> None:
        """Take what the ledger takes."""
        super().__init__(**known)  # type: ignore[arg-type]  # handed through
        self.running: list[Statement] = []

    def statement(self, statement: Statement, state: State) -> Ends:
        """Walk one statement with its redirections."""
        raise NotImplementedError  # ``walk``, the layer on top, has the whole of it

    def define(self, command: Function, state: State) -> State:
        """Keep a function's body."""
        name = command.name
        is_odd = not name or not set(name) <= _NAME or name in RESERVED or name in self.aliases
        if is_odd or name in BUILTINS or name in _CALLED_BY_ITSELF:
            self.unknown("a function", name)
            self.statement(command.body, replace(state, values={}))
            return state
        self.changes += 1
        self.ever_defined[name] = joined(self.ever_defined.get(name, ()), (command.body,))
        return replace(state, functions={**state.functions, name: (command.body,)})

    def call(self, name: str, fields: tuple[Field, ...], state: State) -> tuple[Ends, bool]:
        """Walk a function's body; gives its outcomes and whether the name may stand for a program too."""
        bodies = state.functions.get(name, ())
        ends = Ends(None, None)
        if len(bodies) > MOST_BODIES:
            self.unknown("a function with too many bodies", name)
        for body in bodies[:MOST_BODIES]:
            if body is not None:
                found = self._call(name, body, fields, state=state)
                ends = Ends(merge(ends.ok, found.ok), merge(ends.failed, found.failed))
        return ends, not bodies or any(body is None for body in bodies)

    def _call(self, name: str, body: Statement, fields: tuple[Field, ...], *, state: State) -> Ends:
        if any(body is one for one in self.running) or len(self.running) >= MOST_CALLS:
            self.unknown("a function that calls itself, or too many in one another", name)
            self.unknown("a function", name)
            return Ends(state, state)
        values = {**state.values, "@": Value(items=fields[1:]), "#": NUMBER}
        inner = replace(state, values=values, locals={}, outer=state.outer | frozenset(state.locals))
        self.running.append(body)
        self.returns.append([])
        loops, self.loops = self.loops, []
        ends = self.statement(body, inner)
        self.loops = loops
        self.running.pop()
        for left in self.returns.pop():
            ends = Ends(merge(ends.ok, left.ok), merge(ends.failed, left.failed))
        return Ends(_left(state, ends.ok), _left(state, ends.failed))


def _left(before: State, end: State | None) -> State | None:
    """The state behind a call: the positional parameters and what was local are as before."""
    if end is None:
        return None
    values = dict(end.values)
    for name in ("@", "#"):
        _put(values, name, before.values.get(name))
    for name, (value, is_sure) in end.locals.items():
        _put(values, name, value if is_sure else merge_value(value, end.values.get(name)))
    return replace(end, values=values, locals=before.locals, outer=before.outer)


def _put(values: dict[str, Value], name: str, value: Value | None) -> None:
    if value is None:
        values.pop(name, None)
    else:
        values[name] = value
