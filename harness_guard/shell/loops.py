"""Loops: gone round until nothing new is learnt, or once for each value that is known."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.aftermath import tail
from harness_guard.shell.assignments import Assignments
from harness_guard.shell.names import NameSource
from harness_guard.shell.state import Ends, State, merge
from harness_guard.shell.syntax import Arith, Bare, Odd, Param, Quoted, Simple, Subst
from harness_guard.shell.values import INNER, JOB, NUMBER, SLUG, Field, Value, pattern_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_guard.shell.syntax import Count, For, Script, While
    from harness_guard.shell.values import Found

_PLAIN_IN_GLOB = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+@,*?")
_IN_SLUG = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
MOST_ROUNDS = 16  # values of a ``for`` that are followed one by one
MOST_LEARNING = 4  # rounds after which a loop forgets


class Loops(Assignments):
    """The part of a walk that goes round."""

    lines: tuple[object, tuple[str, ...]] | None = None  # a ``read`` and what the loop around it is given
    line_by: tuple[object, str] | None = None  # a ``read`` and the line that it takes in this round

    def _are_whole(self, fields: tuple[Field, ...], state: State) -> bool:
        """Whether each match of the patterns among a loop's words is one plain word, so that it needs no quotes.

        What is looked at is read only as far as the names are: they need not last where they are only read.
        """
        patterns = [field.text or "" for field in fields if field.is_pattern]
        if not patterns or state.cwds is None or any(not _PLAIN_IN_GLOB.issuperset(text) for text in patterns):
            return False
        sources = []
        for text in dict.fromkeys(patterns):
            head, _, last = text.rstrip("/").rpartition("/")
            folder = pattern_start(text).rpartition("/")[0]
            for cwd in state.cwds:
                place = (folder or "/") if text.startswith("/") else f"{cwd.rstrip('/')}/{folder}".rstrip("/")
                sources.append(NameSource("direct" if head == folder and last else "disk", place or "/"))
        return self.gathered.believes(sources, is_lasting=False)

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
        values = None if command.is_select else _loop_values(fields, is_whole=self._are_whole(fields, state))
        if values is None:
            unknown = None if command.is_select else self._counted_out(command, fields, state) or _any_of(fields)
            return self._named_loop(command, fields, (unknown,), state=state)
        if values[1:] and len(fields) == 1:
            # Either there are matches, one or many, or the pattern stands for itself.
            ends = self._named_loop(command, fields, values[:1], state=state)
            kept, self.each = self.each, self._each(command, fields, values[1:], state=state)
            alone = self._in_turn(command, values[1:], state)
            self.each = kept
            return Ends(merge(ends.ok, alone), merge(ends.failed, alone))
        if any(value.pattern is not None for value in values):
            return self._named_loop(command, fields, values, state=state)
        at = self._in_turn(command, values, state)
        return Ends(at, at)

    def _counted_out(self, command: For, fields: tuple[Field, ...], state: State) -> Value | None:
        """Give what a loop's variable holds where each word is a number, or else some letters and digits."""
        if all(field.text is not None and not field.is_pattern for field in fields):
            values = [Value(field.text) for field in fields]
            is_slug = all(field.text and _IN_SLUG.issuperset(field.text) for field in fields)
            return NUMBER if all(value.is_number for value in values) else SLUG if is_slug else None
        only = command.words[0].parts if command.words is not None and len(command.words) == 1 else ()
        if len(only) != 1 or not isinstance(only[0], Subst) or only[0].is_quoted or only[0].process:
            return None
        return None if self.is_split_oddly else self._of_seq(only[0], state)

    def _of_seq(self, part: Subst, state: State) -> Value | None:
        """``seq``: numbers, whatever its operands are, once one is known to be none of its options."""
        statement = part.body.statements[0] if len(part.body.statements) == 1 else None
        call = statement.command if statement is not None else None
        if (
            not isinstance(call, Simple)
            or call.assigns
            or (statement and (statement.redirects or statement.is_negated))
        ):
            return None
        fields = self.fields(call.words, state)
        texts = [field.text if not field.is_pattern else None for field in fields]
        if texts[:1] != ["seq"] or "seq" in state.functions or "seq" in self.aliases or not texts[1:]:
            return None
        if not (texts[1] or "-").isdigit():
            return None
        return NUMBER if all(text is not None and Value(text).is_number for text in texts[1:]) else SLUG

    def _in_turn(self, command: For, values: tuple[Value, ...], state: State) -> State | None:
        """Walk a round for each value, one after the other."""
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
        return at

    def _named_loop(
        self, command: For, fields: tuple[Field, ...], values: tuple[Value | None, ...], *, state: State
    ) -> Ends:
        """Go round with any of the values, in any order and as often as may be."""
        kept, self.each = self.each, self._each(command, fields, values, state=state)
        ends = self.loop(state, lambda at: self._any_round(command, values, at))
        self.each = kept
        return ends

    @staticmethod
    def _each(
        command: For, fields: tuple[Field, ...], values: tuple[Value | None, ...], *, state: State
    ) -> tuple[str, tuple[object, ...]] | None:
        """What the variable holds, if no two rounds have the same and no other variable holds a name of the kind."""
        return (command.name, values) if _differ(fields) and not _holds_names(state, command.name) else None

    def _any_round(self, command: For, values: tuple[Value | None, ...], at: State) -> State | None:
        end: State | None = None
        for value in values:
            end = merge(end, self._round(command, value, at))
        return end

    def read_loop(self, command: While, state: State) -> Ends:
        """Walk ``while`` or ``until``, the condition of which may read names."""
        given, self.lines = self.lines, None
        if given is not None and not command.is_until and _has(command, given[0]):
            return self._line_loop(command, *given, state=state)
        kept, self.each = self.each, None
        taker, printed = self.fed_by if self.fed_by is not None else (None, None)
        if printed is not None and any(test.command is taker for test in command.condition.statements):
            last = taker.words[-1].parts if isinstance(taker, Simple) else ()
            name = last[0].text if last and isinstance(last[0], Bare) else ""
            if printed.found is not None and _gives_once(printed.found) and not _holds_names(state, name):
                self.each = (name, (printed.found,))
        ends = self.loop(state, lambda at: self.while_round(command, at))
        self.each = kept
        return ends

    def _line_loop(self, command: While, taker: object, lines: tuple[str, ...], *, state: State) -> Ends:
        """Walk a round for each line that ``read`` is given, and then what it does at the end of them."""
        kept, self.each, self.line_by = (self.each, self.line_by), None, None
        self.loops.append([])
        at: State | None = state
        for line in lines:
            if at is None:
                break
            self.line_by = (taker, line)
            at = self.while_round(command, at)
            for left in self.loops[-1]:
                at = merge(at, left)
        self.line_by = None
        at = None if at is None else self.script_ends(command.condition, at).failed
        for left in self.loops.pop():
            at = merge(at, left)
        self.each, self.line_by = kept
        return Ends(at, at)

    def makes_another(self, command: Simple, state: State) -> bool:
        """Whether each name that a command in a loop makes is made of what the loop gives in that round alone."""
        if self.each is None or len(self.loops) != 1:
            return False
        name, given = self.each
        value = state.values.get(name)
        if value is None or (value not in given and (value.found is None or value.found not in given)):
            return False
        return all(_is_made_of(part, name) for word in command.words for part in word.parts)

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
            return self.arith(part, state, is_command=True)
        if part is not None:
            self.odd(part.why, part.inner, state)
        return state

    def while_round(self, command: While, state: State) -> State | None:
        """Walk one round of ``while`` or ``until``."""
        tested = self.script_ends(command.condition, state)
        goes_on, ends = (tested.failed, tested.ok) if command.is_until else (tested.ok, tested.failed)
        if goes_on is None:
            return ends
        is_fed = any(by is not None and _has(command, by[0]) for by in (self.fed_by, self.line_by))
        self.feeding += is_fed
        after = self.script(command.body, goes_on)
        self.feeding -= is_fed
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


def _has(command: While, taker: object) -> bool:
    """Whether a loop's condition is, or holds, this command."""
    return any(test.command is taker for test in command.condition.statements)


def _is_made_of(part: object, name: str) -> bool:
    """Whether a word's part is text, or made of one variable."""
    if isinstance(part, Param):
        return (
            part.name == name
            and part.op != "!"
            and all(isinstance(one, Bare | Quoted) for word in part.inner for one in word.parts)
        )
    return isinstance(part, Bare | Quoted)


def _holds_names(state: State, but: str) -> bool:
    """Whether another variable holds a name of which only a pattern or a search is known."""
    others = [value for name, value in state.values.items() if name != but]
    items = [item for value in others for item in value.items or ()]
    is_one = any((value.pattern is not None and not value.is_slug) or value.found is not None for value in others)
    return is_one or any(item.is_pattern or item.found is not None for item in items)


def _gives_once(found: Found) -> bool:
    """Whether a search gives no name twice; an index may."""
    return len(found.tops) == 1 and not found.search.skips_git


def _differ(fields: tuple[Field, ...]) -> bool:
    """Whether no two of the words that fields stand for are the same, by how these end."""
    if len(fields) == 1:
        return fields[0].found is None or _gives_once(fields[0].found)
    if any(not field.is_pattern for field in fields):
        return False
    ends = [tail(field.text or "") for field in fields]
    return not any(one.endswith(other) for at, one in enumerate(ends) for other in ends[:at] + ends[at + 1 :])


def _any_of(fields: tuple[Field, ...]) -> Value | None:
    """Give what is certain of each of the words, where they are not known one by one."""
    if len(fields) == 1 and fields[0].found is not None:
        return Value(is_inner=fields[0].is_inner, found=fields[0].found)
    if all(field.is_job for field in fields):
        return JOB
    return INNER if all(field.is_inner for field in fields) else None


def _loop_values(fields: tuple[Field, ...], *, is_whole: bool) -> tuple[Value, ...] | None:
    values: list[Value] = []
    for field in fields:
        if field.text is None:
            return None
        is_plain = is_whole and field.is_pattern
        values.append(Value(pattern=field.text, is_whole=is_plain) if field.is_pattern else Value(field.text))
        if field.is_pattern and field.literal:
            values.append(Value(field.literal, is_whole=is_plain))
    return tuple(values) if len(values) <= MOST_ROUNDS else None
