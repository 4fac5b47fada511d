"""Starting one simple command: functions, bash's own commands, nested shells, patches, then the table.

Source: bash manual, 3.7.2, 4.1 and 4.2.
"""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.altered import gone_by
from harness_guard.shell.builtin_scope import Settings
from harness_guard.shell.commands.model import PER_PROCESS, SHELLS, join, options_of
from harness_guard.shell.effects import Read
from harness_guard.shell.facts import FileText
from harness_guard.shell.functions import BUILTINS
from harness_guard.shell.ledger import RESERVED
from harness_guard.shell.readers import read_plain
from harness_guard.shell.state import Ends, State, changed_folder, merge
from harness_guard.shell.state import start as starting
from harness_guard.shell.syntax import Unparsed
from harness_guard.shell.values import NUMBER, Field, Value
from harness_guard.shell.walk import literal_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_guard.shell.syntax import Script
    from harness_guard.shell.walk import Walk

MOST_WRAPPERS = 8
MOST_NESTED = 3  # ``sh -c`` and ``eval`` in one another
PATCH_PROGRAMS = frozenset(("apply_patch", "applypatch"))
SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")
READS_PROGRAM = frozenset(
    ("python", "python3", "git", "node", "sqlite3")
)  # or a patch; from standard input, if no word names another
OWN_VERBS = frozenset(("status", "artifact", "explain"))
REPEATS = frozenset(("xargs", "find", "fd", "fdfind", "awk", "gawk", "mawk", "nawk"))
KEEPS_SHELL = frozenset(("command", "builtin"))  # these run bash's own commands in the same shell
_TAKES_PREFIX = frozenset(("read", "wait", "jobs", "type", "hash"))
_BASH = frozenset(("bash", "/bin/bash", "/usr/bin/bash"))
_POSIX = frozenset(("sh", "dash", "/bin/sh", "/usr/bin/sh", "/bin/dash", "/usr/bin/dash"))
# What another POSIX shell reads otherwise than bash, or has no command of that name for.
_BASH_ALONE = (
    "$'", '$"', "[[", "((", "+=", "<(", ">(", "&>", "|&", "<<<", "function", "select", "coproc", "time", "eval",
    "trap", "source", "export", "readonly", "local", "declare", "typeset", "shopt", "let", "mapfile", "readarray",
    "pushd", "popd", "read ", "printf -v", "~+", "~-", "alias", "set ", "!(", "+(", "@(", "?(", "*(", "echo -",
)  # fmt: skip


class _Quoting:
    """While a file is walked: what is unknown in it is told with the file's name, and with none of its words."""

    def __init__(self, walk: Walk, name: str) -> None:
        self.walk, self.name, self.first = walk, name, 0

    def __enter__(self) -> None:
        self.first = len(self.walk.gathered.unknown)

    def __exit__(self, *_: object) -> None:
        unknown = self.walk.gathered.unknown
        unknown[self.first :] = [replace(found, seen=f"{self.name}: …") for found in unknown[self.first :]]


class Starter(Settings):
    """Starts simple commands within one statement: its redirections are known here."""

    def start(
        self, fields: tuple[Field, ...], state: State, *, in_shell: bool, depth: int = 0, takes_functions: bool = True
    ) -> Ends:
        """Start a program with its words.

        Args:
            fields: Program and arguments.
            state: The shell's state.
            in_shell: Whether bash itself starts it, so that its own commands count.
            depth: How many wrappers stand around it.
            takes_functions: Whether a function of that name comes first.

        Returns:
            The states behind it.
        """
        walk = self.walk
        walk.note_program(fields, state, self.targets)
        first = fields[0] if fields else None
        if first is None and in_shell and depth == 0:
            return Ends(state, state)  # every word of it was empty
        if first is None or first.text is None or (first.is_pattern and first.text != "[") or depth > MOST_WRAPPERS:
            walk.unknown("a program whose name is not known", walk.programs[-1].text)
            return Ends(state, state)
        name = first.text
        ends = Ends(None, None)
        if in_shell and takes_functions and name in state.functions:
            self.refuse_prefix("a function")
            ends, is_program_too = walk.call(name, fields, state)
            ends = walk.unless_redirect_fails(ends, state, self.redirects)
            if not is_program_too:
                return ends
        found = self._start(name, fields, state, in_shell=in_shell, depth=depth)
        return Ends(merge(ends.ok, found.ok), merge(ends.failed, found.failed))

    def _start(self, name: str, fields: tuple[Field, ...], state: State, *, in_shell: bool, depth: int) -> Ends:
        self._check_altered(name, state, in_shell=in_shell)
        if in_shell and name in _BUILTINS:
            if name not in _TAKES_PREFIX:
                self.refuse_prefix(name)
            return _BUILTINS[name](self, fields[1:], state)
        if in_shell and name == "printf" and fields[1:] and fields[1].text == "-v":
            return self.print_into(fields, state)
        if self._is_own(name, fields):
            return Ends(state, state)
        for folder in SYSTEM_FOLDERS:
            if name.startswith(folder) and "/" not in name[len(folder) :]:
                name = name[len(folder) :]
        if "/" in name:
            self._script(fields, state)
        elif name in PATCH_PROGRAMS:
            self._patch(fields, state)
        elif name in SHELLS:
            self._shell(fields, state)
        else:
            return self._table(name, fields, state, depth=depth)
        return Ends(state, state)

    def _check_altered(self, name: str, state: State, *, in_shell: bool) -> None:
        variable = gone_by(name, state.altered, in_shell=in_shell)
        if variable:
            self.opaque(f"it may go by {variable}, which the text sets or takes away before")

    def _table(self, name: str, fields: tuple[Field, ...], state: State, *, depth: int) -> Ends:
        ends = Ends(state, state)
        is_same = name in KEEPS_SHELL
        if name == "env" and any((field.text or "-").startswith("-") for field in fields[1:2]):
            self.has_other_home = True
        program = self.typed(state) if name in READS_PROGRAM else None
        runs = self.walk.run_table(name, fields, state, program=program)
        for inner in runs:
            ends = self.start(inner, state, in_shell=is_same, depth=depth + 1, takes_functions=False)
        for inner in runs if name in REPEATS else ():
            # What the end of one round makes, the next may write through.
            first = len(self.walk.programs)
            self.start(inner, state, in_shell=False, depth=depth + 1)
            self.walk.only_new(first)
        return ends if is_same else Ends(state, state)

    def _is_own(self, name: str, fields: tuple[Field, ...]) -> bool:
        """Whether this is our own command line with a verb that only reads (contract section 7)."""
        if not self.walk.plugin_command or name != self.walk.plugin_command or not fields[1:]:
            return False
        return fields[1].text in OWN_VERBS and all(field.text is not None and not field.is_pattern for field in fields)

    def _patch(self, fields: tuple[Field, ...], state: State) -> None:
        text = fields[1].text if fields[1:] else literal_body(self.redirects)
        if text is None or state.cwds is None or fields[2:]:
            self.walk.unknown("a patch whose text or folder is not known", self.walk.programs[-1].text, is_writer=True)
            return
        from harness_guard.shell.patch import effects_of_patch

        for cwd in state.cwds:
            found = effects_of_patch(text, cwd)
            self.walk.take_patch(found)

    # --- texts ------------------------------------------------------------------------------------------------------

    def _shell(self, fields: tuple[Field, ...], state: State) -> None:
        from harness_guard.shell.commands.wrappers import shell_text

        walk = self.walk
        text = shell_text(fields[1:])
        if text is None and len(fields) == 1:
            text = literal_body(self.redirects) or self.here_string(state, self.redirects)
        from harness_guard.shell.scripts import script_call

        call = script_call(fields[1:]) if text is None else None
        if call is not None:
            self._run_file(fields[0].text or "", call.file, call.operands, state)
            return
        if text is None:
            walk.unknown("a shell whose text is not known", walk.programs[-1].text)
            return
        self._run_text(fields[0].text or "", text, _operands(fields[1:]), state)

    def _script(self, fields: tuple[Field, ...], state: State) -> None:
        """A program named by its path: a shell's script is read, as the system reads its first line."""
        walk = self.walk
        own = walk.plugin_command.rpartition("/")[2]
        if own and (fields[0].text or "").rpartition("/")[2] == own:
            walk.unknown("a program named by its path", walk.programs[-1].text)
            return
        found = self._file_text(fields[0], state)
        if found is None:
            return
        from harness_guard.shell.scripts import shell_of

        shell = None if found.text is None else shell_of(found.text)
        if shell is None and found.is_there:
            walk.unknown("a program named by its path", walk.programs[-1].text)
        elif shell is not None:
            self._run_file(shell, fields[0], fields[1:], state)

    def _run_file(self, name: str, file: Field, operands: tuple[Field, ...], state: State) -> None:
        """Walk a file's text as a shell of that name runs it; one that is not there runs nothing."""
        walk = self.walk
        found = self._file_text(file, state)
        if found is None:
            return
        if found.text is None:
            # A name without a slash that is not here is looked for on the PATH.
            if found.is_there or "/" not in (file.text or ""):
                walk.unknown("a shell whose text is not known", walk.programs[-1].text)
            return
        with self._of_file(file.text or ""):
            self._run_text(name, found.text, operands, state)

    def source(self, args: tuple[Field, ...], state: State) -> Ends:
        """``source FILE [WORD…]``: a file's text is read like any other, in the same shell."""
        words = args[1:] if args[:1] and args[0].text == "--" else args
        why = "a command that runs text or changes how text is read"
        if not words or "/" not in (words[0].text or "") or words[1:]:
            return self.opaque_ends(why, state)  # without a slash it is looked for on the PATH
        found = self._file_text(words[0], state)
        if found is None:
            return Ends(state, state)
        if found.text is None:
            return self.opaque_ends(why, state) if found.is_there else Ends(None, state)
        with self._of_file(words[0].text or ""):
            return self._evaluate(found.text, state, returns_here=True)

    def _file_text(self, file: Field, state: State) -> FileText | None:
        """Give what a file holds; ``None``, with the reason noted, where reading cannot tell which file it is."""
        walk = self.walk
        path = file.text if file.text is not None and not file.is_pattern and file.is_one else None
        if path is not None and path.startswith("/"):
            place = path
        elif path and state.cwds is not None and len(state.cwds) == 1:
            place = join(state.cwds[0], path)
        else:
            walk.unknown("a script whose place is not known", walk.programs[-1].text)
            return None
        if place.startswith(PER_PROCESS):
            return FileText(is_there=True)
        walk.gathered.reads.append(Read(place, walk.programs[-1].argv[0] or "a shell"))
        return walk.gathered.text_of(place)

    def _of_file(self, name: str) -> _Quoting:
        return _Quoting(self.walk, name)

    def _run_text(self, name: str, text: str, operands: tuple[Field, ...], state: State) -> None:
        walk = self.walk
        # Another shell reads ``+=``, braces and ``$'…'`` differently.
        if name not in _BASH and read_plain(text) is None and not (name in _POSIX and _is_posix(text)):
            walk.unknown("a text for another shell than bash", walk.programs[-1].text)
        if self.has_other_home:
            walk.unknown("a shell whose HOME is not known", walk.programs[-1].text)
        script = self._read(text)
        if script is None:
            return
        kept = walk.loops, walk.returns, walk.running, walk.is_split_oddly, walk.is_globbed_oddly
        walk.loops, walk.returns, walk.running, walk.is_split_oddly, walk.is_globbed_oddly = [], [], [], False, False
        is_own, walk.has_own_environment = walk.has_own_environment, True
        inner = starting("", walk.home)
        values = {**inner.values, "@": Value(items=operands), "#": NUMBER}
        values.update({key: value for key, value in state.values.items() if key in {"HOME", "PWD"}})
        if "PWD" not in state.values:
            values.pop("PWD")
        walk.script(script, State(state.cwds, values, stack=()))
        walk.loops, walk.returns, walk.running, walk.is_split_oddly, walk.is_globbed_oddly = kept
        walk.has_own_environment = is_own
        walk.nested -= 1

    def _read(self, text: str) -> Script | None:
        """Read a text that is run; counts as nested until the caller says otherwise. ``None`` if it cannot be."""
        walk = self.walk
        if walk.nested >= MOST_NESTED:
            walk.unknown("texts in one another that are too deep", text[:200])
            return None
        script = walk.read_text(text)
        if script is None:
            walk.texts.append(text)
            return None
        if isinstance(script, Unparsed):
            walk.unknown(script.why, script.seen)
            return None
        walk.nested += 1
        return script

    def evaluate(self, args: tuple[Field, ...], state: State) -> Ends:
        """``eval``: a text that is known is read like any other, in the same shell."""
        words = list(args)
        if words and words[0].text == "--":
            words = words[1:]
        if any(field.text is None or field.is_pattern for field in words):
            return self.opaque_ends("a command that runs text or changes how text is read", state)
        text = " ".join(field.text or "" for field in words)
        return self._evaluate(text, state)

    def _evaluate(self, text: str, state: State, *, returns_here: bool = False) -> Ends:
        if not text.strip():
            return Ends(state, state)
        script = self._read(text)
        if script is None:
            return Ends(state, state)
        walk = self.walk
        if returns_here:
            walk.returns.append([])
        ends = walk.script_ends(script, state)
        for left in walk.returns.pop() if returns_here else ():
            ends = Ends(merge(ends.ok, left.ok), merge(ends.failed, left.failed))
        walk.nested -= 1
        return walk.unless_redirect_fails(ends, state, self.redirects)

    def trap(self, args: tuple[Field, ...], state: State) -> Ends:
        """``trap``: the handler is walked at the end, with what any later point may have made of the shell."""
        words = list(args[1:] if args[:1] and args[0].text == "--" else args)
        texts = [field.text for field in words]
        if any(text is None for text in texts) or any(field.is_pattern for field in words):
            return self.opaque_ends("a trap that is not known", state)
        handler = texts[0] if texts else ""
        is_reset = len(texts) < len(("text", "EXIT")) or handler in {"", "-", None} or (handler or "").isdigit()
        if is_reset or (handler or "").startswith(("-p", "-l")):
            return Ends(state, state)
        self.walk.handlers.append((handler or "", all(text in {"EXIT", "0"} for text in texts[1:]), state))
        return Ends(state, state)

    def finish(self) -> None:
        """Walk the handlers of the text's traps; those for its end first, since others may run beside them."""
        walk = self.walk
        done = 0
        while done < len(walk.handlers):
            todo = sorted(walk.handlers[done:], key=lambda handler: not handler[1])
            done = len(walk.handlers)
            for text, is_last, state in todo:
                walk.note_program((Field("trap"), Field(text)), state, ())
                self._handle(text, state, is_last=is_last)

    def _handle(self, text: str, state: State, *, is_last: bool) -> None:
        walk = self.walk
        script = self._read(text)
        if script is None:
            return
        changes, names = walk.changes, walk.new_names.count
        walk.loops, walk.returns = [], []
        walk.script(script, replace(walk.any_time(state), altered=frozenset(walk.ever_altered)))
        walk.nested -= 1
        if walk.changes > changes and not is_last:
            self.opaque("a trap that changes the shell while it runs")
        if walk.new_names.crosses(0, names):
            walk.unknown("a trap may make a link of a name that is written through", text[:200], is_writer=True)

    # --- folders ----------------------------------------------------------------------------------------------------

    def cd(self, args: tuple[Field, ...], state: State) -> Ends:
        """``cd``: both outcomes count; where it may lead only reading the disk could tell, the folder is unknown."""
        words = list(args)
        is_physical = False
        while words and words[0].text in {"-L", "-P", "-e", "--"}:
            is_physical = words.pop(0).text == "-P" or is_physical
        if len(words) > 1:
            return Ends(self.walk.moved(state, None), state)
        found = self._places(words, state, is_physical=is_physical)
        if words and words[0].text == "":
            return Ends(state, state)
        return Ends(self.walk.moved(state, found, is_physical=is_physical), state)

    def _places(self, words: list[Field], state: State, *, is_physical: bool) -> tuple[str, ...] | None:
        name = words[0].text if words else self.walk.home
        if words and (words[0].is_pattern or not words[0].is_one):
            return None
        if name == "-":
            return state.old
        if not name or name.startswith("-") or (state.cwds is None and not name.startswith("/")):
            return None
        found: list[str] = []
        for cwd in state.cwds or ("/",):
            places = changed_folder(cwd, name)
            if places is None:
                return None
            found += places[-1:] if is_physical else places
        return tuple(found)

    def pushd(self, args: tuple[Field, ...], state: State) -> Ends:
        """``pushd DIR``; the stack's other turns are not followed."""
        words = [field for field in args if field.text != "--"]
        if len(words) != 1 or (words[0].text or "-").startswith(("-", "+")) or state.stack is None:
            return self._lost(state)
        after = self.walk.moved(state, self._places(words, state, is_physical=False))
        return Ends(self.with_stack(after, (state.cwds, *state.stack)), state)

    def popd(self, args: tuple[Field, ...], state: State) -> Ends:
        """``popd``."""
        if args or not state.stack:
            return self._lost(state)
        after = self.walk.moved(state, state.stack[0])
        return Ends(self.with_stack(after, state.stack[1:]), state)

    def _lost(self, state: State) -> Ends:
        lost = self.with_stack(self.walk.moved(state, None), None)
        return Ends(lost, merge(lost, state))

    # --- others -----------------------------------------------------------------------------------------------------

    def replace(self, args: tuple[Field, ...], state: State) -> Ends:
        """``exec``: with words another program, without them its redirections stay."""
        words = list(args)
        if words and words[0].text == "--":
            words = words[1:]
        # With ``-a`` or ``-l`` a program is told another name, and some do by their name what they do.
        if words and (words[0].text is None or words[0].text.startswith("-")):
            self.opaque("exec with an option")
        elif words:
            self.start(tuple(words), state, in_shell=False, depth=1)
        return Ends(state, state)

    def alias(self, args: tuple[Field, ...], state: State) -> Ends:
        """``alias``: what follows may be read otherwise, so no later command may have such a name."""
        for field in args:
            name, sign, _ = (field.text or "=").partition("=")
            if not sign and not field.is_pattern:
                continue  # it is printed
            if field.is_pattern or not name or name in RESERVED | BUILTINS or not name.replace("-", "_").isidentifier():
                self.opaque("an alias that may change how any text is read")
            self.walk.aliases.add(name)
        return Ends(state, state)


def _operands(args: tuple[Field, ...]) -> tuple[Field, ...]:
    from harness_guard.shell.commands.wrappers import SHELL_ROW

    options = options_of(SHELL_ROW, args)
    return () if isinstance(options, str) else options.operands[2:]  # the text, then ``$0``


def _is_posix(text: str) -> bool:
    """Whether every POSIX shell reads a text as bash does; braces are those of ``${name}`` and of groups."""
    copies = text.split(">&")[1:]
    if any(piece in text for piece in _BASH_ALONE) or not all(rest[:1].isdigit() or rest[:1] == "-" for rest in copies):
        return False
    opens = [index for index, character in enumerate(text) if character == "{"]
    return all(text[index - 1 : index] == "$" or text[index + 1 : index + 2].isspace() for index in opens)


_BUILTINS: dict[str, Callable[[Starter, tuple[Field, ...], State], Ends]] = {
    "cd": Starter.cd,
    "pushd": Starter.pushd,
    "popd": Starter.popd,
    "exec": Starter.replace,
    "eval": Starter.evaluate,
    "trap": Starter.trap,
    "alias": Starter.alias,
    ":": Starter.no_command,
    "exit": Starter.leave,
    "return": Starter.give_back,
    "break": Starter.go_round,
    "continue": Starter.go_round,
    "set": Starter.settings,
    "shopt": Starter.options,
    "shift": Starter.shift,
    "unset": Starter.forget,
    "read": Starter.take_in,
    "mapfile": Starter.map_file,
    "readarray": Starter.map_file,
    "getopts": Starter.get_options,
    "times": Starter.alone,
    "logout": Starter.alone,
    "caller": Starter.alone,
    "suspend": Starter.run_unknown,
    "kill": Starter.kill,
    "wait": Starter.await_jobs,
    "jobs": Starter.list_jobs,
    "hash": Starter.remember,
    "history": Starter.list_history,
    "ulimit": Starter.limit,
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), Starter.declare_words),
    **dict.fromkeys(
        ("unalias", "disown", "bg", "fg", "type", "help", "umask", "complete", "compopt", "dirs"),
        Starter.nothing,
    ),
    "source": Starter.source,
    ".": Starter.source,
    **dict.fromkeys(
        ("enable", "bind", "compgen", "fc", "coproc", "let"), Starter.run_unknown
    ),
}  # fmt: skip
