"""Arithmetic: what it would run, what it sets, and what becomes of the text where it fails.

bash evaluates the value of a variable as an expression again, and a subscript in such a value is expanded like any
word: ``x='a[$(…)]'; ((x))`` runs a command. So every name has to lead to a number, or to an expression without a
subscript and without an assignment. Where an expression cannot be evaluated, ``((…))``, ``let``, ``[[…]]`` and the
three parts of ``for ((…))`` merely fail; an expansion drops the rest of its line (bash manual 6.5; ``expr.c``,
``jump_to_top_level (DISCARD)`` of 5.2).
"""

from __future__ import annotations

from harness_guard.shell.ledger import Ledger
from harness_guard.shell.state import merge
from harness_guard.shell.values import NUMBER, Value, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.shell.state import State
    from harness_guard.shell.syntax import Arith

MOST_NAMES = 4  # that lead to one another
LONGEST_EXPRESSION = 128  # characters of a value
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
# Without a bracket nothing is run, without ``=``, ``++`` and ``--`` nothing is set.
_TAME = _LETTERS | frozenset(" +-*/%<>!()&|^~.,:")
# These come from programs in lower case: the others of the environment are in upper case (POSIX, XBD 8.1).
_OF_PROGRAMS = ("npm_", "_proxy")
# bash sets these to words of the text, to what it reads, or to names of folders.
_OF_BASH = frozenset(
    ("_", "PWD", "OLDPWD", "DIRSTACK", "REPLY", "MAPFILE", "OPTARG", "FUNCNAME", "PIPESTATUS", "HISTCMD")
)
_OF_BASH_TOO = ("BASH", "COMP", "READLINE", "COPROC")


class Arithmetic(Ledger):
    """The part of a walk that evaluates, and that is dropped where this fails."""

    is_one_line = False  # of the whole text: what is dropped is then all that follows
    has_own_environment = False  # a shell of its own is walked, whose variables the text may choose
    printing = 0  # command substitutions around
    turns = 0  # how often the text left something, and so ran no further
    late: tuple[int, str] | None = None  # the commands before an option that changes how what follows is read
    dropped: tuple[int, str, str] | None = None  # the changes and turns before the first drop; why; what is seen

    def assigned(self, name: str, value: Value | None, state: State, *, folders: tuple[str, ...] = ()) -> State:
        """Set a variable."""
        raise NotImplementedError  # ``expansion``, the layer on top, has the whole of it

    def may_drop(self, why: str, seen: str) -> None:
        """Note that the rest of the line may not run; what then follows must not go by what that would have changed."""
        if self.printing or (self.returns and not self._ends_all()):
            self.unknown(why, seen)
        elif not self._ends_all() and self.dropped is None:
            self.dropped = (self.changes + self.turns, why, seen)

    def _ends_all(self) -> bool:
        return self.is_one_line and not self.nested

    def reads_otherwise(self, seen: str) -> None:
        """Note an option that changes how what follows is read, so that nothing may follow."""
        if self.late is None:
            self.late = (self.steps, seen)

    def check_order(self) -> None:
        """Refuse what must not follow: a change for later lines behind what may be dropped, anything behind some."""
        if self.late is not None and self.steps > self.late[0]:
            self.unknown("an option that changes how what follows is read", self.late[1])
        if self.dropped is not None and self.changes + self.turns > self.dropped[0]:
            self.unknown(*self.dropped[1:])

    def arith(self, part: Arith, state: State, *, is_command: bool = False) -> State:
        """Walk arithmetic.

        Args:
            part: The expression.
            state: The shell's state.
            is_command: Whether it is a command of its own, which fails and drops nothing.

        Returns:
            The state behind it.
        """
        may_fail = part.may_fail
        for name in part.names:
            value = lookup(state.values, name)
            is_empty = value is not None and value.may_be_empty
            if value is not None and value.is_number and not (is_empty and name in part.expanded):
                continue
            # An empty value behind a ``$`` may bring two signs together, which then set what stands behind them.
            may_fail = True
            if name in part.expanded or not self.counts(name, state):
                why = "arithmetic evaluates the value of a variable that is not known to be a number"
                self.unknown(why, " ".join(part.names))
                break
        if may_fail and not is_command:
            self.may_drop("arithmetic that may fail, and then drops the rest of its line", " ".join(part.names) or "…")
        after = state
        for name in part.assigned:
            after = self.assigned(name, NUMBER, after)
        return merge(state, after) or state if may_fail else after

    def counts(self, name: str, state: State, depth: int = 0) -> bool:
        """Whether a variable's value, evaluated, runs nothing and sets nothing; it may still be no expression."""
        value = lookup(state.values, name)
        if value is None:
            return self._is_users(name, state)
        if value.text is None or value.pattern is not None:
            return value.is_number
        return value.is_number or (depth < MOST_NAMES and self.is_tame(value.text, state, depth + 1))

    def is_tame(self, text: str, state: State, depth: int = 0) -> bool:
        """Whether an expression runs nothing and sets nothing, and its names lead to none that does."""
        if len(text) > LONGEST_EXPRESSION or not set(text) <= _TAME or "++" in text or "--" in text:
            return False
        names = "".join(character if character in _LETTERS else " " for character in text).split()
        return all(name[0].isdigit() or self.counts(name, state, depth) for name in names)

    def is_as_given(self, name: str, state: State) -> bool:
        """Whether a variable is unset or as the user's environment has it: no work of the text, nor of a file."""
        if not (name.isascii() and name.isidentifier()) or name in _OF_BASH or name.startswith(_OF_BASH_TOO):
            return False
        return not (self.has_own_environment or self.handlers or name in self.ever_set or name in state.values)

    def _is_users(self, name: str, state: State) -> bool:
        """Whether a variable is unset or as the user's environment has it, and its value leads to nothing of the text.

        The user's value is no attack, but it may be the name of a variable that the text sets.
        """
        if not (name.isascii() and name.islower() and name[0] != "_") or name.startswith(_OF_PROGRAMS[0]):
            return False
        if name.endswith(_OF_PROGRAMS[1]) or self.has_own_environment or self.handlers or name in state.counted:
            return False
        ever = self.ever_set.get(name, NUMBER)
        return ever is not None and ever.is_number and all(map(_leads_nowhere, self.ever_set.values()))


def _leads_nowhere(value: Value | None) -> bool:
    if value is None or value.is_map:
        return False
    if value.items is not None:
        return all(item.text is not None and not item.is_pattern and set(item.text) <= _TAME for item in value.items)
    return value.is_number or (value.text is not None and set(value.text) <= _LETTERS | frozenset(" ./,:"))
