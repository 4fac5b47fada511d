"""A tree to its effects: every simple command with its redirections and the folders it may run in.

The walk is an abstract run: it keeps what is certain of the shell's state, follows both outcomes of what may fail, and
goes round loops until nothing new is learnt. Whatever it cannot follow becomes ``Unknown``; it never guesses.
"""

from __future__ import annotations

from harness_guard.shell.aftermath import NewNames, steers_git
from harness_guard.shell.commands.model import ANYTHING, Call, run_row, shown
from harness_guard.shell.effects import Effects, Program, Read, Unknown
from harness_guard.shell.facts import NO_NAMES
from harness_guard.shell.names import sources_of
from harness_guard.shell.state import Ends, State, merge
from harness_guard.shell.syntax import (
    AndOr,
    Arith,
    Assign,
    Bare,
    Block,
    Case,
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
    Unparsed,
    While,
    Word,
)
from harness_guard.shell.variables import is_harmless
from harness_guard.shell.words import INNER, NUMBER, Field, Value, expand, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from harness_guard.shell.facts import GitFacts
    from harness_guard.shell.names import NameSource

    Reader = Callable[[str], Script | Unparsed | None]
    Start = Callable[..., Ends]
    Starter = Callable[["Walk", tuple[Redirect, ...], tuple[str, ...]], Start]

MOST_STEPS = 4_000  # simple commands walked for one text, loops counted as often as they are gone round
MOST_DEPTH = 60
MOST_ROUNDS = 16  # values of a ``for`` that are followed one by one
MOST_NESTED = 3  # ``sh -c`` in ``sh -c``
PATCH_PROGRAMS = frozenset(("apply_patch", "applypatch"))
SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")

# What declares variables in a plain way -> the letters of its options that change nothing about that.
_DECLARING = {"export": "", "declare": "x", "typeset": "x"}


class Walk:
    """One walk over one text; effects gather in it."""

    def __init__(
        self, *, home: str, plugin_command: str, git: Mapping[str, GitFacts], read: Reader, start: Starter,
        names: Mapping[NameSource, bool] = NO_NAMES,
    ) -> None:  # fmt: skip
        """Take the home folder, our own command's spelling, git's facts, a reader, a starter, the plain names."""
        self.names = names
        self.fed_names: object = None
        self.is_fed_names = False
        self.starter = start
        self.home = home
        self.plugin_command = plugin_command
        self.git = git
        self.read_text = read
        self.gathered = Call("", (), cwds=None, home=home, git=git, names=names)
        self.programs: list[Program] = []
        self.new_names = NewNames()
        self.uses_git = False
        self.texts: list[str] = []
        self.group = 0
        self.groups = 0
        self.steps = 0
        self.depth = 0
        self.nested = 0
        self.loops: list[list[State]] = []

    # --- what is found ----------------------------------------------------------------------------------------------

    def unknown(self, why: str, seen: str, *, is_writer: bool = False) -> None:
        """Note something whose effects cannot be told."""
        self.gathered.unknown.append(Unknown(why, seen, is_writer))

    def effects(self) -> Effects:
        """Everything gathered, each thing once."""
        is_below = self.gathered.is_git_below
        if self.uses_git and any(steers_git(write, is_below=is_below) for write in self.gathered.writes):
            self.unknown("git runs after files were written that may steer it", "git")
        found = self.gathered
        if found.trusts_names and (found.writes or found.links):
            found.reads.append(Read(ANYTHING, "a name that the text itself may have made", is_tree=True))
        return Effects(
            tuple(dict.fromkeys(found.reads)),
            tuple(dict.fromkeys(found.writes)),
            tuple(dict.fromkeys(found.links)),
            tuple(dict.fromkeys(found.unknown)),
            tuple(self.programs),
        )

    # --- structure --------------------------------------------------------------------------------------------------

    def script(self, script: Script, state: State | None) -> State | None:
        """Walk statements in order; gives the state behind them, ``None`` if the end is never reached."""
        ends = self.script_ends(script, state)
        return merge(ends.ok, ends.failed)

    def script_ends(self, script: Script, state: State | None) -> Ends:
        """Walk statements in order; gives both outcomes of the last one."""
        ends = Ends(state, None if script.statements else state)
        for statement in script.statements:
            before = merge(ends.ok, ends.failed) if ends.ok is not ends.failed else ends.ok
            if before is None:
                return Ends(None, None)
            ends = self.statement(statement, before)
        return ends

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
        if not self.group and isinstance(command, Pipe | Simple | Block | If | For | While | Case):
            is_leaf = isinstance(command, Pipe | Simple)
            if is_leaf or statement.redirects:
                self.groups += 1
                self.group = self.groups
        targets: list[str] = []
        for redirect in statement.redirects:
            state = self._redirect(redirect, state, targets)
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
            self._apart_in_time(before)
            return Ends(state, state)
        return ends

    def _apart_in_time(self, before: int) -> None:
        """Refuse what writes beside the rest of the text: nobody waits for it, and no order holds."""
        if len(self.gathered.writes) > before:
            self.unknown("it writes in the background", self.gathered.writes[-1].path, is_writer=True)

    def _compound(self, command: object, state: State) -> Ends:
        match command:
            case Pipe(parts):
                return self._pipe(parts, state)
            case AndOr(op, left, right):
                return self._and_or(op, left, right, state=state)
            case Block(body, is_subshell):
                if is_subshell:
                    self._apart(body, state)
                return Ends(state, state) if is_subshell else self.script_ends(body, state)
            case If():
                return self._if(command, state)
            case For():
                return self._for(command, state)
            case While(condition, inside):
                return self._loop(state, lambda at: self._while_round(condition, inside, at))
            case Case(subject, patterns, bodies):
                return self._case(subject, patterns, bodies, state=state)
            case _:
                return self._leaf(command, state)

    def _pipe(self, parts: tuple[Statement, ...], state: State) -> Ends:
        """Walk the parts; they run side by side, so a later one may make a name before an earlier one uses it."""
        starts = []
        for index, part in enumerate(parts):
            starts.append(self.new_names.count)
            if _starts_xargs(part) and self._print_names(parts[:index], state):
                self.fed_names = part.command
            self.statement(part, state)
        if any(self.new_names.crosses(starts[0], start) for start in starts[1:]):
            self.unknown("one part of a pipeline writes through a name that another part may make a link", "…",
                         is_writer=True)  # fmt: skip
        return Ends(state, state)

    def _leaf(self, command: object, state: State) -> Ends:
        """A command that starts no program by itself."""
        match command:
            case Test(words, numbers):
                state = self._visit(words, state)
                if any(not _is_number(value_of(word, state.values, self.home)) for word in numbers):
                    self.unknown("a comparison evaluates its words as arithmetic", "[[ … ]]")
            case Arith():
                state = self._arith(command, state)
            case Function(name, body):
                self.unknown("a function", name)
                self.statement(body, State(None, {}))
            case Odd(why, inner):
                self._odd(why, inner)
                state = State(None, {})
            case _:
                raise RuntimeError(f"a tree value that the walk does not list: {type(command).__name__}")
        return Ends(state, state)

    def _odd(self, why: str, inner: Iterable[Script]) -> None:
        self.unknown(why, "…")
        for script in inner:
            self._apart(script, State(None, {}))

    def _apart(self, script: Script, state: State) -> None:
        """Walk what runs in a shell of its own: its loops, folders and variables end with it."""
        loops, self.loops = self.loops, []
        self.script(script, state)
        self.loops = loops

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
        state = self._visit((subject, *patterns), state)
        end: State | None = state
        for body in bodies:
            # ``;&`` goes on into the next body, so each may start from what the ones before left.
            end = merge(end, self.script(body, end or state))
        return Ends(end, end)

    def _for(self, command: For, state: State) -> Ends:
        fields: tuple[Field, ...] = (Field(None, is_one=False),)
        if command.words is not None:
            state = self._visit(command.words, state)
            fields = self._fields(command.words, state)
        if not is_harmless(command.name, None):
            self.unknown(f"it sets {command.name}", command.name)
        values = _loop_values(fields)
        if values is None:
            unknown = INNER if all(field.is_inner for field in fields) else None
            return self._loop(state, lambda at: self.script(command.body, at.with_value(command.name, unknown)))
        self.loops.append([])
        at: State | None = state
        for value in values:
            if at is None:
                break
            at = self.script(command.body, at.with_value(command.name, value))
            for left in self.loops[-1]:
                at = merge(at, left)
        for left in self.loops.pop():
            at = merge(at, left)
        return Ends(at, at)

    def _while_round(self, condition: Script, body: Script, state: State) -> State | None:
        tested = self.script_ends(condition, state)
        at = merge(tested.ok, tested.failed)  # ``until`` turns them round
        if at is None:
            return None
        after = self.script(body, at)
        return merge(at, after)

    def _loop(self, state: State, once: Callable[[State], State | None]) -> Ends:
        """Go round until nothing new is learnt; then, if that takes long, forget all and go round once more."""
        for round_ in range(4):
            first = len(self.programs)
            after = self._once(state, once)
            if round_:
                self.only_new(first)
            # Twice at least: what the end of the body makes, its beginning may write through.
            if after == state and round_:
                return Ends(state, state)
            state = after
        state = State(None, {})
        self._once(state, once)
        return Ends(state, state)

    def only_new(self, first: int) -> None:
        """Forget programs noted from ``first`` on that were noted before: something was walked another time."""
        known = set(self.programs[:first])
        self.programs[first:] = [program for program in self.programs[first:] if program not in known]

    def _once(self, state: State, once: Callable[[State], State | None]) -> State:
        self.loops.append([])
        after = merge(state, once(state))
        for left in self.loops.pop():
            after = merge(after, left)
        return after or state

    def _fields(self, words: Iterable[Word], state: State) -> tuple[Field, ...]:
        fields: list[Field] = []
        for word in words:
            only = word.parts[0] if len(word.parts) == 1 else None
            if isinstance(only, Subst) and not only.process and self._print_names(only.body.statements, state):
                fields.append(Field(None, is_one=False, is_inner=True))
            else:
                fields += expand(word, state.values, self.home)
        return tuple(fields)

    def _print_names(self, statements: tuple[Statement, ...], state: State) -> bool:
        """Whether a pipeline prints nothing but names that stay below the folder, however they are split."""
        if len(statements) == 1 and isinstance(statements[0].command, Pipe):
            statements = statements[0].command.parts
        calls = []
        for statement in statements:
            command = statement.command
            if not isinstance(command, Simple) or command.assigns or not command.words or statement.is_background:
                return False
            if any(redirect.op != ">" or redirect.fd != "2" for redirect in statement.redirects):
                return False
            calls.append(tuple(field for word in command.words for field in expand(word, state.values, self.home)))
        sources = sources_of(calls, state.cwds)
        return sources is not None and self.gathered.believes(sources)

    # --- words ------------------------------------------------------------------------------------------------------

    def _visit(self, words: Iterable[Word], state: State) -> State:
        """Walk what words run while they are expanded."""
        for word in words:
            for part in word.parts:
                match part:
                    case Subst(body, _, process):
                        before = len(self.gathered.writes)
                        self._apart(body, state)
                        if process:
                            self._apart_in_time(before)
                    case Arith():
                        state = self._arith(part, state)
                    case Odd(why, inner):
                        self._odd(why, inner)
                    case Param(_, _, _, _, inner):
                        state = self._expanded(part, self._visit(inner, state))
                    case Bare() | Quoted():
                        pass
        return state

    def _expanded(self, part: Param, state: State) -> State:
        if not part.assigns:
            return state
        if not part.name.isidentifier():
            self.unknown("an expansion that cannot assign drops the rest of its line", part.name)
            return state
        return self._assigned(part.name, None, state)

    def _arith(self, part: Arith, state: State) -> State:
        if any(not _is_number(state.values.get(name)) for name in part.names):
            self.unknown(
                "arithmetic evaluates the value of a variable that is not known to be a number", " ".join(part.names)
            )
        for name in part.assigned:
            state = self._assigned(name, NUMBER, state)
        return state

    def _assigned(self, name: str, value: Value | None, state: State) -> State:
        if not is_harmless(name, value.text if value is not None else None):
            self.unknown(f"it sets {name}, which may change what a program does", name)
        return state.with_value(name, value)

    def _redirect(self, redirect: Redirect, state: State, targets: list[str]) -> State:
        # A program's redirections are expanded in its own process, and one that fails sets nothing: what they would set
        # is set or not.
        words = (redirect.target,) if redirect.body is None else (redirect.target, redirect.body)
        state = merge(state, self._visit(words, state)) or state
        if redirect.body is not None:
            return state
        if redirect.fd.startswith("{"):
            state = self._assigned(redirect.fd.strip("{}"), None, state)
        if redirect.op == "<<<":
            return state
        call = Call("a redirection", (), cwds=state.cwds, home=self.home, git=self.git)
        for field in expand(redirect.target, state.values, self.home):
            if redirect.op in {">&", "<&"} and field.text is not None and _is_descriptor(field.text, redirect.target):
                continue
            if (field.text or field.prefix).startswith(("/dev/tcp", "/dev/udp")):
                call.opaque("a redirection to the network")
            elif redirect.op in {"<", "<&"}:
                call.read(field)
            else:
                call.write(field, "file")
                targets += [field.text] if field.text is not None else []
        self._take(call)
        return state

    # --- simple commands --------------------------------------------------------------------------------------------

    def _simple(self, command: Simple, state: State, redirects: tuple[Redirect, ...], targets: tuple[str, ...]) -> Ends:
        self.steps += 1
        state = self._visit(command.words, state)
        assigned = [word for item in command.assigns for word in (item.value, *(item.items or ()))]
        state = self._visit([word for word in assigned if word is not None], state)
        fields = self._fields(command.words, state)
        if command.declares:
            return self._unless_redirect_fails(self._declare(command, fields, state), state, redirects)
        if not command.words:
            after = state
            for item in command.assigns:
                after = self._assign(item, after)
            return self._unless_redirect_fails(Ends(after, after), state, redirects)
        for item in command.assigns:
            value = value_of(item.value, state.values, self.home)
            if item.name == "IFS" and value is not None and fields[:1] == (Field("read"),):
                continue  # it holds for this ``read`` alone, whose variables are unknown anyhow
            if item.items is not None or not is_harmless(item.name, value.text if value is not None else None):
                self.unknown(f"{item.name}= in front may change what the program does", item.name)
        # Only this command itself: what its words run may read from elsewhere.
        self.is_fed_names = command is self.fed_names
        return self.starter(self, redirects, targets)(fields, state, in_shell=True)

    @staticmethod
    def _unless_redirect_fails(ends: Ends, before: State, redirects: tuple[Redirect, ...]) -> Ends:
        """A redirection that fails keeps the shell from what the command would have set."""
        return Ends(ends.ok, merge(ends.failed, before)) if redirects else ends

    def _assign(self, item: Assign, state: State) -> State:
        return self._assigned(item.name, self._value(item, state), state)

    def _value(self, item: Assign, state: State) -> Value | None:
        if item.items is not None:
            return None
        value = value_of(item.value, state.values, self.home)
        if item.is_append:
            before = state.values.get(item.name)
            both = before is not None and value is not None and before.text is not None and value.text is not None
            value = Value(f"{before.text}{value.text}") if both and before and value else None
        return value

    def _declare(self, command: Simple, fields: tuple[Field, ...], state: State) -> Ends:
        # ``-i``, ``-n`` and ``-a`` make later values be evaluated, ``-r`` makes later assignments fail, ``-p`` and
        # ``-g`` make some builtins assign nothing; a word that is built may be any of them.
        letters = _DECLARING.get(command.declares, "")
        if command.declares not in _DECLARING:
            self.unknown(f"{command.declares} may keep a variable from being set", command.declares)
        for field in fields:
            text = field.text
            if text is None or field.is_pattern or not text.startswith("-") or set(text[1:]) - set(letters):
                self.unknown(f"{command.declares} with a word that is not known", text or "…")
        # All words of a builtin are expanded before it assigns: in ``declare A=echo B=$A`` B gets the old A.
        before = state
        for item in command.assigns:
            is_bare = item.value is None and item.items is None
            value = before.values.get(item.name) if is_bare else self._value(item, before)
            state = self._assigned(item.name, value, state)
        return Ends(state, state)

    def note_program(self, fields: tuple[Field, ...], state: State, targets: tuple[str, ...]) -> None:
        """Note a program for the danger rules."""
        argv = tuple(None if field.text is None else field.text for field in fields)
        cwd = state.cwds[0] if state.cwds else ""
        self.programs.append(Program(argv, cwd, shown(fields), self.group, targets))

    def run_table(self, name: str, fields: tuple[Field, ...], state: State) -> tuple[tuple[Field, ...], ...]:
        """Gather a program's effects by the table; gives the calls that it makes itself."""
        from harness_guard.shell.commands.registry import TABLE, WRITERS

        row = TABLE.get(name)
        call = Call(name, fields[1:], cwds=state.cwds, home=self.home, git=self.git, names=self.names)
        call.is_fed_names, self.is_fed_names = self.is_fed_names, False
        if row is None:
            call.opaque(f"{name} is not in the table", is_writer=name in WRITERS)
        else:
            self.uses_git = self.uses_git or name == "git"
            run_row(row, call)
        self._take(call)
        for inner in call.starts:
            self.note_program((Field(inner),), state, ())
        return tuple(call.runs)

    def take_patch(self, found: Effects) -> None:
        """Take in what a patch would do."""
        call = Call("apply_patch", (), cwds=None, home=self.home, git=self.git)
        call.writes += found.writes
        call.unknown += found.unknown
        self._take(call)

    def _take(self, call: Call) -> None:
        into = self.gathered
        if self.new_names.meets(call.writes):
            why = "it writes through a name that it may have made a link just before"
            self.unknown(why, call.seen, is_writer=True)
        into.reads += call.reads
        into.writes += call.writes
        into.links += call.links
        into.unknown += call.unknown
        into.needs_git += call.needs_git
        into.needs_names += call.needs_names
        into.is_git_below = into.is_git_below or call.is_git_below
        into.trusts_names = into.trusts_names or call.trusts_names


def _starts_xargs(part: Statement) -> bool:
    words = part.command.words if isinstance(part.command, Simple) else ()
    return bool(words) and words[0].parts == (Bare("xargs"),) and not part.redirects


def _is_number(value: Value | None) -> bool:
    return value is not None and value.is_number


def _is_descriptor(text: str, written: Word) -> bool:
    """Whether ``>&`` copies, moves or closes a descriptor; a move (``1-``) only where it is written so, unexpanded."""
    is_move = written.parts == (Bare(text),) and text.endswith("-")
    digits = text[:-1] if is_move else text
    return text == "-" or (digits.isascii() and digits.isdigit())


def _loop_values(fields: tuple[Field, ...]) -> tuple[Value, ...] | None:
    values: list[Value] = []
    for field in fields:
        if field.text is None:
            return None
        values.append(Value(pattern=field.text) if field.is_pattern else Value(field.text))
        if field.is_pattern and field.literal:
            values.append(Value(field.literal))
    return tuple(values) if len(values) <= MOST_ROUNDS else None


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
