"""A tree to its effects: every simple command with its redirections and the folders it may run in.

The walk is an abstract run: it keeps what is certain of the shell's state, follows both outcomes of what may fail, and
goes round loops until nothing new is learnt. Whatever it cannot follow becomes ``Unknown``; it never guesses. It is
built in layers: ledger, expansion, assignments, loops, functions, and here the structure around them.
"""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.altered import PLAIN, may_wait
from harness_guard.shell.functions import Functions
from harness_guard.shell.ledger import MOST_STEPS
from harness_guard.shell.loops import MOST_ROUNDS
from harness_guard.shell.names import NameSource
from harness_guard.shell.state import Ends, State, merge
from harness_guard.shell.syntax import (
    AndOr,
    Arith,
    Bare,
    Block,
    Case,
    Count,
    For,
    Function,
    If,
    Odd,
    Param,
    Pipe,
    Quoted,
    Redirect,
    Script,
    Simple,
    Statement,
    Subst,
    Test,
    While,
    Word,
)
from harness_guard.shell.values import Field, Value, lookup
from harness_guard.shell.variables import is_harmless
from harness_guard.shell.words import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness_guard.shell.effects import Effects
    from harness_guard.shell.names import Printed

    Start = Callable[..., Ends]
    Starter = Callable[["Walk", tuple[Redirect, ...], tuple[str, ...]], Start]

MOST_DEPTH = 60
_TESTS = frozenset(("test", "["))


class Walk(Functions):
    """One walk over one text; effects gather in it."""

    def __init__(self, *, start: Starter, **known: object) -> None:
        """Take what starts simple commands, and what the ledger takes."""
        super().__init__(**known)
        self.starter = start
        self.is_prefixed = False
        self.is_unsplit = False  # an empty IFS stands in front
        self.depth = 0
        self.keeps_last = False  # the last part of a pipeline runs in the shell itself
        self.line: str | None = None  # that the command which starts next reads
        self.ever_altered = set()
        self.ever_array = set()

    # --- structure --------------------------------------------------------------------------------------------------

    def script_ends(self, script: Script, state: State | None) -> Ends:
        """Walk statements in order; gives both outcomes of the last one."""
        ends = Ends(state, None if script.statements else state)
        for statement in script.statements:
            before = merge(ends.ok, ends.failed) if ends.ok is not ends.failed else ends.ok
            if before is None:
                return Ends(None, None)
            ends = self.statement(statement, before)
        return ends

    def effects(self) -> Effects:
        """Everything gathered, each thing once; what is dropped must have changed nothing for the rest."""
        self.check_order()
        return super().effects()

    def statement(self, statement: Statement, state: State) -> Ends:
        """Walk one statement with its redirections."""
        self.depth += 1
        try:
            if self.depth > MOST_DEPTH or self.steps > MOST_STEPS:
                self.unknown("the text is too large to be followed", "…")
                return Ends(state, state)
            return self._statement(statement, state)
        finally:
            self.depth -= 1

    def _statement(self, statement: Statement, state: State) -> Ends:
        group = self.group
        before = len(self.gathered.writes)
        command = statement.command
        self._feed(statement, state)
        self.in_one_loop = None
        if not self.group and isinstance(command, Pipe | Simple | Block | If | For | Count | While | Case):
            is_leaf = isinstance(command, Pipe | Simple)
            if is_leaf or statement.redirects:
                self.groups += 1
                self.group = self.groups
        targets: list[str] = []
        if statement.redirects and isinstance(command, Simple):
            state = self._before_redirects(command, state)
        self.steps += len(statement.redirects)
        for redirect in statement.redirects:
            state = self.redirect(redirect, state, targets)
        if isinstance(command, Simple):
            ends = self._simple(command, state, statement.redirects, tuple(targets))
        else:
            ends = self._compound(command, state)
        self.group = group
        if statement.redirects and not isinstance(command, Simple):
            ends = Ends(ends.ok, merge(ends.failed, state))
        if statement.is_negated:
            ends = Ends(ends.failed, ends.ok)
        if statement.is_background:
            self.apart_in_time(before)
            return Ends(state, state)
        return ends

    def _before_redirects(self, command: Simple, state: State) -> State:
        """The state that redirections are expanded in: without a program what stands in front is set already."""
        if not command.assigns or command.declares or any(field.is_one for field in self.fields(command.words, state)):
            return state
        for item in command.assigns:
            state = state.with_value(item.name, None)
            if not is_harmless(item.name, None):
                state = replace(state, altered=state.altered | {item.name})
        return state

    def _feed(self, statement: Statement, state: State) -> None:
        """``while read …; done < <(find …)``: the loop takes names."""
        if len(statement.redirects) != 1 or not isinstance(statement.command, While):
            return
        redirect, taker = statement.redirects[0], _takes_names(statement)
        if taker is not None and redirect.op.startswith("<<") and redirect.fd in {"", "0"}:
            value = self.value(redirect.target, state) if redirect.op == "<<<" else None
            text = value.text if value is not None else literal_body(statement.redirects)
            self._give_lines(taker, text if redirect.op == "<<<" else text and text.removesuffix("\n"))
        only = redirect.target.parts[0] if len(redirect.target.parts) == 1 else None
        if taker is None or redirect.op != "<" or redirect.fd not in {"", "0"} or not isinstance(only, Subst):
            return
        self._give(taker, self.print_names(only.body.statements, state) if only.process == "<(" else None)

    def _give(self, taker: Simple, printed: Printed | None) -> None:
        """Note what a command is given to read; what it was given in an earlier round does not count."""
        if printed is not None:
            self.fed_by, self.ever_fed = (taker, printed), True
        elif self.fed_by is not None and self.fed_by[0] is taker:
            self.fed_by = None

    def _give_lines(self, taker: Simple, text: str | None) -> None:
        """Note the lines that the ``read`` of a loop is given."""
        if text is not None and text.count("\n") < MOST_ROUNDS:
            self.lines = (taker, tuple(text.split("\n")))

    def _compound(self, command: object, state: State) -> Ends:
        match command:
            case Pipe(parts):
                return self._pipe(parts, state)
            case AndOr(op, left, right):
                return self._and_or(op, left, right, state=state)
            case Block(body, is_subshell):
                if is_subshell:
                    self.apart(body, state)
                return Ends(state, state) if is_subshell else self.script_ends(body, state)
            case If():
                return self._if(command, state)
            case For():
                return self.for_each(command, state)
            case Count():
                return self.count(command, state)
            case While():
                return self.read_loop(command, state)
            case Case(subject, patterns, bodies):
                return self._case(subject, patterns, bodies, state=state)
            case _:
                return self._leaf(command, state)

    def _pipe(self, parts: tuple[Statement, ...], state: State) -> Ends:
        """Walk the parts; they run side by side, so a later one may make a name before an earlier one uses it."""
        starts = []
        end = state
        for index, part in enumerate(parts):
            starts.append(self.new_names.count)
            taker = _takes_names(part)
            if taker is not None and all(map(_is_output, part.redirects)):
                self._give(taker, self.print_names(parts[:index], state))
                if index == 1 and isinstance(part.command, While):
                    self._give_lines(taker, self.printed_text(parts[0], state))
            if self.keeps_last and part is parts[-1]:
                end = merge(self.script(Script((part,)), state), state) or state
            else:
                self.apart(Script((part,)), state)
        if any(self.new_names.crosses(starts[0], start) for start in starts[1:]):
            self.unknown("one part of a pipeline writes through a name that another part may make a link", "…",
                         is_writer=True)  # fmt: skip
        return Ends(end, end)

    def _leaf(self, command: object, state: State) -> Ends:
        """A command that starts no program by itself."""
        match command:
            case Test(words, numbers):
                state = self.visit(words, state)
                for word in numbers:
                    if not self.is_counted(word, state):
                        self.unknown("a comparison evaluates its words as arithmetic", "[[ … ]]")
            case Arith():
                state = self.arith(command, state, is_command=True)
            case Function():
                state = self.define(command, state)
            case Odd(why, inner):
                self.odd(why, inner, state)
            case _:
                raise RuntimeError(f"a tree value that the walk does not list: {type(command).__name__}")
        return Ends(state, state)

    def apart(self, script: Script, state: State) -> None:
        """Walk what runs in a shell of its own: its loops, folders, functions and variables end with it."""
        kept = self.loops, self.returns
        self.loops, self.returns = [], [[]] if self.returns else []
        self.script(script, state)
        self.loops, self.returns = kept

    def _and_or(self, op: str, left: Statement, right: Statement, *, state: State) -> Ends:
        first = self.statement(left, state)
        goes_on = first.ok if op == "&&" else first.failed
        second = Ends(None, None) if goes_on is None else self.statement(right, goes_on)
        if op == "&&":
            return Ends(second.ok, merge(first.failed, second.failed))
        return Ends(merge(first.ok, second.ok), second.failed)

    def _if(self, command: If, state: State) -> Ends:
        ends = Ends(None, None)
        rest: State | None = state
        for condition, branch in command.branches:
            if rest is None:
                return ends
            tested = self.script_ends(condition, rest)
            if tested.ok is not None:
                taken = self.script_ends(branch, tested.ok)
                ends = Ends(merge(ends.ok, taken.ok), merge(ends.failed, taken.failed))
            rest = tested.failed
        if rest is None:
            return ends
        taken = self.script_ends(command.otherwise, rest)
        return Ends(merge(ends.ok, taken.ok), merge(ends.failed, taken.failed))

    def _case(self, subject: Word, patterns: tuple[Word, ...], bodies: tuple[Script, ...], *, state: State) -> Ends:
        state = self.visit((subject, *patterns), state)
        end: State | None = state
        for body in bodies:
            # ``;&`` goes on into the next body, so each may start from what the ones before left.
            end = merge(end, self.script(body, end or state))
        return Ends(end, end)

    # --- simple commands --------------------------------------------------------------------------------------------

    def _simple(self, command: Simple, state: State, redirects: tuple[Redirect, ...], targets: tuple[str, ...]) -> Ends:
        self.steps += 1
        state = self.visit(command.words, state)
        assigned = [word for item in command.assigns for word in (item.value, *(item.items or ()), *item.keys)]
        state = self.visit([word for word in assigned if word is not None], state)
        fields = self.fields(command.words, state)
        if command.declares:
            if not command.assigns:
                self.note_program((Field(command.declares), *fields), state, targets)
            if command.declares in self.aliases:
                self.unknown("an alias of the same text stands for it", command.declares)
            return self.unless_redirect_fails(self.declare(command, fields, state), state, redirects)
        if not fields:
            # No word, or none that is left: then what stands in front is set in the shell itself.
            after = state
            for item in command.assigns:
                after = self.assign(item, after)
            return self.unless_redirect_fails(Ends(after, after), state, redirects)
        self._passed(command, fields, state)
        if fields[0].text in _TESTS and any(field.text is None for field in fields):
            fields = self._tested(command.words, fields, state)
        is_new = not self.running and not self.nested and self.makes_another(command, state)
        self.in_one_loop = command if is_new else None
        self.is_prefixed = bool(command.assigns)
        only = command.assigns[0] if len(command.assigns) == 1 else None
        self.is_unsplit = only is not None and only.name == "IFS" and self.value(only.value, state) == Value("")
        # Only this command itself: what its words run may read from elsewhere.
        self.fed = self.fed_by[1] if self.fed_by is not None and command is self.fed_by[0] else None
        self.line = self.line_by[1] if self.line_by is not None and command is self.line_by[0] else None
        self.shown_variables = tuple(self._shown(command.words, state))
        return self.starter(self, redirects, targets)(fields, state, in_shell=True)

    def _tested(self, words: tuple[Word, ...], fields: tuple[Field, ...], state: State) -> tuple[Field, ...]:
        """The words of ``test``, where those that are not known are the user's own: these bring in no ``-v a[…]``."""
        given = [
            Word(tuple(Bare("x") if self._is_given(part, state) else part for part in word.parts)) for word in words
        ]
        found = self.fields(given, state)
        return found if all(field.text is not None and not field.is_pattern for field in found) else fields

    def _is_given(self, part: object, state: State) -> bool:
        is_plain = isinstance(part, Param) and not (part.op or part.index or part.is_many)
        return is_plain and isinstance(part, Param) and self.is_as_given(part.name, state)

    def _shown(self, words: tuple[Word, ...], state: State) -> Iterator[str]:
        """Give the variables that words show whole and that the text itself does not set."""
        scope = self.scope(state)
        for written in (part for word in words for part in word.parts):
            part = named(written, scope) if isinstance(written, Param) else None
            if not isinstance(part, Param) or part.op in {"length", "names", "+", ":+"}:
                continue
            is_own = part.name in self.ever_set or lookup(state.values, part.name) is not None
            if part.name.isidentifier() and not is_own:
                yield part.name

    def _passed(self, command: Simple, fields: tuple[Field, ...], state: State) -> None:
        """Look at the variables that stand in front of a program."""
        for item in command.assigns:
            value = self.value(item.value, state)
            if item.name == "IFS" and value is not None and fields[:1] == (Field("read"),):
                continue  # it holds for this ``read`` alone, whose variables are unknown anyhow
            is_own = fields[0].text in PLAIN and fields[0].text not in state.functions
            if is_own and may_wait(item.name) and item.name != "TMPDIR":
                continue  # what is written in front holds for this command of bash alone
            folders = self.added_folders(item, state)
            if folders:
                self.gathered.trusts_places += [NameSource("programs", folder) for folder in folders]
                continue
            is_plain = item.items is None and not item.keys and item.name not in state.frozen | state.counted
            if not is_plain or not is_harmless(item.name, value.text if value is not None else None):
                self.unknown(f"{item.name}= in front may change what the program does", item.name)


def _is_output(redirect: Redirect) -> bool:
    """Whether a redirection certainly leaves the input as it is."""
    return redirect.op[0] in ">&" and redirect.fd in {"", "1", "2"}


def _takes_names(part: Statement) -> Simple | None:
    """Give the command that takes names from a statement's input: ``xargs`` itself, or the ``read`` of a loop."""
    command = part.command
    if isinstance(command, Simple) and not part.redirects:
        return command if command.words and command.words[0].parts == (Bare("xargs"),) else None
    if not isinstance(command, While) or len(command.condition.statements) != 1:
        return None
    first = command.condition.statements[0]
    test = first.command
    is_read = isinstance(test, Simple) and bool(test.words) and test.words[0].parts == (Bare("read"),)
    return test if isinstance(test, Simple) and is_read and not first.redirects and not first.is_negated else None


def literal_body(redirects: tuple[Redirect, ...]) -> str | None:
    """Give the text of the last here-document, ``None`` without one or where it expands anything."""
    bodies = [redirect for redirect in redirects if redirect.op in {"<<", "<<-"} and redirect.body is not None]
    if len(bodies) != 1 or len(redirects) != len(bodies) or bodies[0].body is None:
        return None
    if bodies[0].fd not in {"", "0"}:
        return None  # on another descriptor it is no program's input
    is_raw = any(not isinstance(part, Bare) or "\\" in part.text for part in bodies[0].target.parts)
    made = ""
    for part in bodies[0].body.parts:
        if not isinstance(part, Bare | Quoted) or (not is_raw and "\\" in part.text):
            return None
        made += part.text
    if bodies[0].op == "<<-":
        made = "\n".join(line.lstrip("\t") for line in made.split("\n"))
    return made
