"""Loops: gone round until nothing new is learnt, or once for each value that is known."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.aftermath import leaves_input
from harness_guard.shell.assignments import Assignments
from harness_guard.shell.state import Ends, State, merge
from harness_guard.shell.syntax import Arith, Odd
from harness_guard.shell.values import INNER, Field, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_guard.shell.syntax import Count, For, Script, While

MOST_ROUNDS = 16  # values of a ``for`` that are followed one by one
MOST_LEARNING = 4  # rounds after which a loop forgets


class Loops(Assignments):
    """The part of a walk that goes round."""

    def script(self, script: Script, state: State | None) -> State | None:
        """Walk statements in order; gives the state behind them, ``None`` if the end is never reached."""
        ends = self.script_ends(script, state)
        return merge(ends.ok, ends.failed)

    def script_ends(self, script: Script, state: State | None) -> Ends:
        """Walk statements in order; gives both outcomes of the last one."""
        raise NotImplementedError  # ``walk``, the layer on top, has the whole of it

    def for_each(self, command: For, state: State) -> Ends:
        """Walk ``for name in words`` or ``select``."""
        fields: tuple[Field, ...] = (Field(None, is_one=False),)
        if command.words is not None:
            state = self.visit(command.words, state)
            fields = self.fields(command.words, state)
        else:
            given = state.values.get("@")
            fields = given.items if given is not None and given.items is not None else fields
        values = None if command.is_select else _loop_values(fields)
        if values is None:
            unknown = None if command.is_select else _any_of(fields)
            return self.loop(state, lambda at: self._round(command, unknown, at))
        self.loops.append([])
        at: State | None = state
        for value in values:
            if at is None:
                break
            at = self._round(command, value, at)
            for left in self.loops[-1]:
                at = merge(at, left)
        for left in self.loops.pop():
            at = merge(at, left)
        return Ends(at, at)

    def _round(self, command: For, value: Value | None, at: State) -> State | None:
        if command.is_select:
            self.note_set("REPLY", None)
            at = at.with_value("REPLY", None)
        return self.script(command.body, self.assigned(command.name, value, at))

    def count(self, command: Count, state: State) -> Ends:
        """Walk ``for ((first; condition; step))``."""
        state = self._step(command.first, state)
        return self.loop(state, lambda at: self._counted(command, at))

    def _counted(self, command: Count, state: State) -> State | None:
        at = self._step(command.condition, state)
        after = self.script(command.body, at)
        return at if after is None else merge(at, self._step(command.step, after))

    def _step(self, part: Arith | Odd | None, state: State) -> State:
        if isinstance(part, Arith):
            return self.arith(part, state)
        if part is not None:
            self.odd(part.why, part.inner, state)
        return state

    def while_round(self, command: While, state: State) -> State | None:
        """Walk one round of ``while`` or ``until``."""
        tested = self.script_ends(command.condition, state)
        goes_on, ends = (tested.failed, tested.ok) if command.is_until else (tested.ok, tested.failed)
        if goes_on is None:
            return ends
        first = len(self.programs)
        after = self.script(command.body, goes_on)
        if self.fed_by is not None and any(test.command is self.fed_by[0] for test in command.condition.statements):
            for program in self.programs[first:]:
                if not leaves_input(program.argv):
                    self.unknown("what it may read from the same input would cut a name in two", program.text)
        return merge(ends, after)

    def loop(self, state: State, once: Callable[[State], State | None]) -> Ends:
        """Go round until nothing new is learnt; then, if that takes long, forget all and go round once more."""
        for round_ in range(MOST_LEARNING):
            first = len(self.programs)
            after = self._once(state, once)
            if round_:
                self.only_new(first)
            # Twice at least: what the end of the body makes, its beginning may write through.
            if after == state and round_:
                return Ends(state, state)
            state = after
        state = replace(state, cwds=None, values={}, old=None, stack=None)
        after = self._once(state, once)
        if after.functions != state.functions or after.locals != state.locals:
            self.unknown("a loop that defines something else in each round", "…")
        return Ends(after, after)

    def _once(self, state: State, once: Callable[[State], State | None]) -> State:
        self.loops.append([])
        after = merge(state, once(state))
        for left in self.loops.pop():
            after = merge(after, left)
        return after or state


def _any_of(fields: tuple[Field, ...]) -> Value | None:
    """Give what is certain of each of the words, where they are not known one by one."""
    if len(fields) == 1 and fields[0].found is not None:
        return Value(is_inner=fields[0].is_inner, found=fields[0].found)
    return INNER if all(field.is_inner for field in fields) else None


def _loop_values(fields: tuple[Field, ...]) -> tuple[Value, ...] | None:
    values: list[Value] = []
    for field in fields:
        if field.text is None:
            return None
        values.append(Value(pattern=field.text) if field.is_pattern else Value(field.text))
        if field.is_pattern and field.literal:
            values.append(Value(field.literal))
    return tuple(values) if len(values) <= MOST_ROUNDS else None
