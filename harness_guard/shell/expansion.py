"""Expanding words at one point of a walk: what they run, what they set, and the fields that they become."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.altered import COUNTERS, OF_THE_SHELL, SET_ANEW, may_wait
from harness_guard.shell.arithmetic import Arithmetic
from harness_guard.shell.commands.model import Call
from harness_guard.shell.names import NameSource, sources_of_roots
from harness_guard.shell.state import merge
from harness_guard.shell.syntax import (
    Arith,
    Bare,
    Glob,
    Odd,
    Param,
    Pipe,
    Quoted,
    Script,
    Simple,
    Statement,
    Subst,
    Word,
)
from harness_guard.shell.values import NUMBER, Field, Value, lookup
from harness_guard.shell.variables import is_harmless
from harness_guard.shell.words import Scope, expand, looked_up, named, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness_guard.shell.names import Printed
    from harness_guard.shell.state import State
    from harness_guard.shell.syntax import Redirect


# Of a prompt; a number may be a dollar's, and what a shell is called is not known.
_PROMPT_ESCAPES = frozenset(("", *"adehHjlnrtTAuvVwW@!#[]x"))
MOST_DESCRIPTORS = 64  # beside the usual three; a system gives a process 256 at least


class Expansion(Arithmetic):
    """The part of a walk that deals with words."""

    ever_altered: set[str]
    is_matched_oddly = False  # a part of a value may be replaced whatever its letter case

    def apart(self, script: Script, state: State) -> None:
        """Walk what runs in a shell of its own."""
        raise NotImplementedError  # ``walk``, the layer on top, has the whole of it

    def apart_in_time(self, before: int) -> None:
        """Refuse what writes beside the rest of the text: nobody waits for it, and no order holds."""
        if len(self.gathered.writes) > before:
            self.unknown("it writes in the background", self.gathered.writes[-1].path, is_writer=True)

    def scope(self, state: State) -> Scope:
        """What words are expanded with at a point."""
        home = "" if "HOME" in state.altered else self.home
        return Scope(
            state.values,
            home,
            lambda part: self._printed(part, state),
            is_split_oddly=self.is_split_oddly,
            is_matched_oddly=self.is_matched_oddly,
        )

    def fields(self, words: Iterable[Word], state: State) -> tuple[Field, ...]:
        """Expand words to fields."""
        fields: list[Field] = []
        scope = self.scope(state)
        for word in words:
            only = word.parts[0] if len(word.parts) == 1 else None
            if (
                isinstance(only, Subst)
                and not only.process
                and not self.is_split_oddly
                and (printed := self.print_names(only.body.statements, state)) is not None
                and not (printed.is_nul or printed.lines)
            ):
                fields.append(
                    Field(None, is_one=False, is_inner=printed.is_below, is_operand=True, found=printed.found)
                )
            else:
                fields += expand(word, scope)
        if self.is_globbed_oddly:
            return tuple(Field(None, prefix=one.start, is_one=False) if one.is_pattern else one for one in fields)
        return tuple(fields)

    def value(self, word: Word | None, state: State) -> Value | None:
        """Give what an assignment of a word stores."""
        return value_of(word, self.scope(state))

    def print_names(self, statements: tuple[Statement, ...], state: State) -> Printed | None:
        """Which names a pipeline prints, if it prints nothing else and they can be told apart again."""
        from harness_guard.shell.printers import names_printed

        if len(statements) == 1 and isinstance(statements[0].command, Pipe):
            statements = statements[0].command.parts
        calls = []
        for statement in statements:
            command = statement.command
            if not isinstance(command, Simple) or command.assigns or not command.words or statement.is_background:
                return None
            if any(
                redirect.op != ">" or redirect.fd != "2" or redirect.target.parts != (Bare("/dev/null"),)
                for redirect in statement.redirects
            ):
                return None
            scope = Scope(state.values, "" if "HOME" in state.altered else self.home)
            calls.append(tuple(field for word in command.words for field in expand(word, scope)))
        if any(call and call[0].text in state.functions for call in calls):
            return None
        printed = names_printed(calls, state.cwds)
        if printed is None or printed.wanted is None:
            return None
        is_plain = self.gathered.believes(printed.wanted, is_lasting=False)
        if not is_plain and not (printed.narrowed and self.gathered.believes(printed.narrowed, is_lasting=False)):
            return None
        if printed.may_follow and not self.gathered.believes(printed.linked):
            return None
        if printed.is_exact and printed.is_below and not self.gathered.believes(printed.linked):
            return replace(printed, is_below=False)
        return printed

    def printed_text(self, statement: Statement, state: State) -> str | None:
        """Give what a command is known to print, without the line ends behind it."""
        value = self._printed(Subst(Script((statement,)), is_quoted=True), state)
        return None if value is None else value.text

    def _printed(self, part: Subst, state: State) -> Value | None:
        from harness_guard.shell.outputs import printed

        found = printed(part.body, state, self.scope(state), self.git)
        if isinstance(found, str):
            self.gathered.needs_git.append(found)
            return None
        if found is not None and found.folders:
            sources = [source for cwd in state.cwds or () for source in sources_of_roots(list(found.folders), cwd)]
            is_plain = bool(sources) and self.gathered.believes(sources)
            return replace(found, folders=(), is_slug=is_plain)
        return found

    # --- what words do ----------------------------------------------------------------------------------------------

    def visit(self, words: Iterable[Word], state: State) -> State:
        """Walk what words run while they are expanded."""
        for word in words:
            for part in word.parts:
                match part:
                    case Subst(body, _, process):
                        before = len(self.gathered.writes)
                        self.printing += not process
                        self.apart(body, state)
                        self.printing -= not process
                        if process:
                            self.hold(body)
                            self.apart_in_time(before)
                    case Arith():
                        state = self.arith(part, state)
                    case Odd(why, inner):
                        self.odd(why, inner, state)
                    case Param():
                        state = self._expanded(part, self.visit(part.inner, state))
                    case Bare() | Quoted() | Glob():
                        pass
        return state

    def hold(self, descriptor: object) -> None:
        """Note a descriptor that stays open; without a free one, a command substitution stands for nothing."""
        self.descriptors.add(descriptor if isinstance(descriptor, str) else id(descriptor))
        if len(self.descriptors) > MOST_DESCRIPTORS:
            self.unknown("more descriptors than can be sure to be free", "…")

    def odd(self, why: str, inner: Iterable[Script], state: State) -> None:
        """Note what cannot be followed; the danger rules want to see what is inside."""
        self.unknown(why, "…")
        for script in inner:
            self.apart(script, state)

    def _expanded(self, part: Param, state: State) -> State:
        if part.index == "?":
            self.check_key(part.name, part.inner[-1], state)
        if part.op == "!" and named(part, self.scope(state)) is None:
            # The user's own variable names one, if it is a name at all.
            self.may_drop("an expansion of no name drops the rest of its line", part.name)
            if not self.is_as_given(part.name, state):
                self.unknown("an expansion that may evaluate text", part.name)
        if part.op == "@P" and (part.is_many or not _is_plain_prompt(looked_up(part, self.scope(state)))):
            self.unknown("an expansion that may evaluate text", part.name)
        if part.op == "slice" and _counts_from_end(part) and self.value(Word((part,)), state) is None:
            self.may_drop("a part that ends before it begins drops the rest of its line", part.name)
        if not part.assigns:
            return state
        if not part.name.isidentifier():
            self.may_drop("an expansion that cannot assign drops the rest of its line", part.name)
            return state
        before = looked_up(part, self.scope(state))
        if before is not None and before.text:
            return state
        after = self.assigned(part.name, self._default(part, before, state), state)
        is_sure = before is not None and before.text == "" and (before.is_unset or part.op == ":=")
        return after if is_sure else merge(state, after) or state

    def _default(self, part: Param, before: Value | None, state: State) -> Value | None:
        """Give what ``${name:=word}`` assigns, if it assigns."""
        return None if before is None else self.value(Word((replace(part, is_quoted=True),)), state)

    def check_key(self, name: str, key: Word, state: State, *, is_set: bool = False) -> None:
        """A subscript is a key of an associative array, or else it is evaluated as arithmetic."""
        value = state.values.get(name)
        if value is not None and value.is_map:
            return
        found = self.value(key, state)
        if is_set and (found is None or found.text is None or not found.text.isdigit()):
            self.may_drop("a subscript that may be out of range drops the rest of its line", f"{name}[…]")
        if found is not None and found.is_number:
            return
        text = found.text if found is not None else None
        inner = lookup(state.values, text or "")
        if inner is None or not inner.is_number:
            self.may_drop("a subscript that may be no number drops the rest of its line", f"{name}[…]")
        # While elements are set, the array's own name stands for what was set just before.
        is_tame = text is not None and name not in text and self.is_tame(text, state)
        if not is_tame and (is_set or not self.is_counted(key, state)):
            self.unknown("a subscript evaluates its word as arithmetic", f"{name}[…]")

    def is_counted(self, word: Word, state: State) -> bool:
        """Whether a word that is evaluated as arithmetic runs nothing and sets nothing."""
        value = self.value(word, state)
        if value is not None and (value.is_number or value.text is not None):
            return value.is_number or self.is_tame(value.text or "", state)
        parts = word.parts[1:] if word.parts[:1] == (Quoted(""),) else word.parts
        only = parts[0] if len(parts) == 1 else None
        is_plain = isinstance(only, Param) and not (only.op or only.index)
        return is_plain and isinstance(only, Param) and self.counts(only.name, state)

    def assigned(self, name: str, value: Value | None, state: State, *, folders: tuple[str, ...] = ()) -> State:
        """Set a variable; of the PATH, ``folders`` are what is added to it, and all that is changed."""
        if name in state.frozen:
            self.unknown("it sets a variable that is read-only, and that drops the rest of its line", name)
        text = value.text if value is not None and name in state.counted and not value.is_number else None
        if text and self.is_tame(text, state):
            self.may_drop("arithmetic that may fail, and then drops the rest of its line", name)
            value = NUMBER
        if name in state.counted and (value is None or not value.is_number):
            self.unknown("what an integer variable is set to is evaluated as arithmetic", name)
        if name == "IFS":
            self.is_split_oddly = True
        elif folders:
            self.gathered.trusts_places += [NameSource("programs", folder) for folder in folders]
        elif not is_harmless(name, value.text if value is not None else None):
            state = self.altered(name, value, state)
        self.note_set(name, value)
        return state.with_value(name, value)

    def altered(self, name: str, value: Value | None, state: State) -> State:
        """The state behind setting, or taking away, a variable that something may go by; it may be that bash does."""
        is_odd = name in OF_THE_SHELL and name in state.frozen | state.counted
        is_text = name in COUNTERS and (value is None or not value.is_number)
        if is_odd or is_text or not may_wait(name):
            self.unknown(f"it sets {name}, which may change what a program does", name)
        if name in SET_ANEW:
            return state
        self.is_globbed_oddly = self.is_globbed_oddly or name == "GLOBIGNORE"
        self.ever_altered.add(name)
        return replace(state, altered=state.altered | {name})

    def redirect(self, redirect: Redirect, state: State, targets: list[str]) -> State:
        """Walk a redirection; targets that are known go into ``targets``."""
        # A program's redirections are expanded in its own process, and one that fails sets nothing: what they would set
        # is set or not.
        words = (redirect.target,) if redirect.body is None else (redirect.target, redirect.body)
        state = merge(state, self.visit(words, state)) or state
        if redirect.op.startswith("<<") and "TMPDIR" in state.altered:
            self.unknown("bash may keep the input in a file below TMPDIR, which the text sets", "TMPDIR")
        if redirect.body is not None:
            return state
        if redirect.fd not in {"", "0", "1", "2"}:
            self.hold(redirect.fd)
        if redirect.fd.startswith("{"):
            state = self.assigned(redirect.fd.strip("{}"), None, state)
        if redirect.op == "<<<":
            return state
        call = Call("a redirection", (), cwds=state.cwds, home=self.home, git=self.git)
        for field in self.fields((redirect.target,), state):
            if redirect.op in {">&", "<&"} and field.text is not None and _is_descriptor(field.text, redirect.target):
                continue
            if (field.text or field.prefix).startswith(("/dev/tcp", "/dev/udp")):
                call.opaque("a redirection to the network")
            elif redirect.op in {"<", "<&"}:
                call.read(field)
            else:
                call.write(field, "file")
                targets += [field.text] if field.text is not None else []
        self.take(call)
        return state


def _counts_from_end(part: Param) -> bool:
    """Whether a slice's length is negative, or may be."""
    inner = part.inner[:-1] if part.index == "?" else part.inner
    number = inner[1].parts[0] if inner[1:] and len(inner[1].parts) == 1 else None
    return isinstance(number, Arith) or (isinstance(number, Quoted) and number.text.startswith("-"))


def _is_plain_prompt(value: Value | None) -> bool:
    """Whether a prompt that is expanded runs nothing: neither its text nor what its escapes stand for."""
    text = value.text if value is not None else None
    if text is None or not {"$", "`"}.isdisjoint(text):
        return False
    escapes = text.replace("\\\\", "").split("\\")[1:]
    return all(escape[:1] in _PROMPT_ESCAPES or _is_plain_code(escape) for escape in escapes)


def _is_plain_code(escape: str) -> bool:
    """Whether an escape starts with a character's number, and it is none that an expansion starts with."""
    digits = escape[: len(escape[:3]) - len(escape[:3].lstrip("01234567"))]
    return bool(digits) and chr(int(digits, 8) & 0xFF) not in "$`\\"


def _is_descriptor(text: str, written: Word) -> bool:
    """Whether ``>&`` copies, moves or closes a descriptor; a move (``1-``) only where it is written so, unexpanded."""
    is_move = written.parts == (Bare(text),) and text.endswith("-")
    digits = text[:-1] if is_move else text
    return text == "-" or (digits.isascii() and digits.isdigit())
