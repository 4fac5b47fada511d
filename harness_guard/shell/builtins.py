"""Starting one simple command: bash's own commands that change the shell, nested shells, patches, then the table.

Source: bash manual, 4.1 and 4.2.
"""

from __future__ import annotations

from harness_guard.shell.commands.wrappers import SHELLS, shell_text
from harness_guard.shell.patch import effects_of_patch
from harness_guard.shell.readers import read_plain
from harness_guard.shell.state import Ends, State, changed_folder
from harness_guard.shell.syntax import Redirect, Script, Unparsed
from harness_guard.shell.variables import is_harmless
from harness_guard.shell.walk import MOST_NESTED, PATCH_PROGRAMS, SYSTEM_FOLDERS, Walk, literal_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_guard.shell.words import Field

MOST_WRAPPERS = 8
OWN_VERBS = frozenset(("status", "artifact", "explain"))
REPEATS = frozenset(("xargs", "find"))
KEEPS_SHELL = frozenset(("command", "builtin"))  # these run bash's own commands in the same shell
_SET_LETTERS = frozenset("eux")
_SET_NAMES = frozenset(("errexit", "nounset", "xtrace", "pipefail"))


class Starter:
    """Starts simple commands within one statement: its redirections are known here."""

    def __init__(self, walk: Walk, redirects: tuple[Redirect, ...], targets: tuple[str, ...]) -> None:
        """Take the walk and the statement's redirections."""
        self.walk = walk
        self.redirects = redirects
        self.targets = targets

    def start(self, fields: tuple[Field, ...], state: State, *, in_shell: bool, depth: int = 0) -> Ends:
        """Start a program with its words.

        Args:
            fields: Program and arguments.
            state: The shell's state.
            in_shell: Whether bash itself starts it, so that its own commands count.
            depth: How many wrappers stand around it.

        Returns:
            The states behind it.
        """
        walk = self.walk
        walk.note_program(fields, state, self.targets)
        first = fields[0] if fields else None
        if first is None or first.text is None or (first.is_pattern and first.text != "[") or depth > MOST_WRAPPERS:
            walk.unknown("a program whose name is not known", walk.programs[-1].text)
            return Ends(state, state)
        name = first.text
        if in_shell and name in _BUILTINS:
            return _BUILTINS[name](self, fields[1:], state)
        if self._is_own(name, fields):
            return Ends(state, state)
        for folder in SYSTEM_FOLDERS:
            if name.startswith(folder) and "/" not in name[len(folder) :]:
                name = name[len(folder) :]
        if "/" in name:
            walk.unknown("a program named by its path", walk.programs[-1].text)
            return Ends(state, state)
        if name in PATCH_PROGRAMS:
            self._patch(fields, state)
        elif name in SHELLS:
            self._shell(fields, state)
        else:
            return self._table(name, fields, state, depth=depth)
        return Ends(state, state)

    def _table(self, name: str, fields: tuple[Field, ...], state: State, *, depth: int) -> Ends:
        ends = Ends(state, state)
        runs = self.walk.run_table(name, fields, state)
        for inner in runs:
            ends = self.start(inner, state, in_shell=name in KEEPS_SHELL, depth=depth + 1)
        for inner in runs if name in REPEATS else ():
            # What the end of one round makes, the next may write through.
            first = len(self.walk.programs)
            self.start(inner, state, in_shell=False, depth=depth + 1)
            self.walk.only_new(first)
        return ends if name in KEEPS_SHELL else Ends(state, state)

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
        for cwd in state.cwds:
            found = effects_of_patch(text, cwd)
            self.walk.take_patch(found)

    def _shell(self, fields: tuple[Field, ...], state: State) -> None:
        walk = self.walk
        text = shell_text(fields[1:])
        if text is None and len(fields) == 1:
            text = literal_body(self.redirects)
        if text is None or walk.nested >= MOST_NESTED:
            walk.unknown("a shell whose text is not known", walk.programs[-1].text)
            return
        if fields[0].text not in {"bash", "/bin/bash", "/usr/bin/bash"} and read_plain(text) is None:
            # Another shell reads ``+=``, braces and ``$'…'`` differently; only plain words mean the same to all.
            walk.unknown("a text for another shell than bash", walk.programs[-1].text)
        script = walk.read_text(text)
        if script is None:
            walk.texts.append(text)
            return
        if isinstance(script, Unparsed):
            walk.unknown(script.why, script.seen)
            return
        walk.nested += 1
        self._nested(script, state)
        walk.nested -= 1

    def _nested(self, script: Script, state: State) -> None:
        walk = self.walk
        loops, walk.loops = walk.loops, []
        kept = {name: value for name, value in state.values.items() if name in {"HOME", "PWD", "?", "$", "!", "#"}}
        walk.script(script, State(state.cwds, kept))
        walk.loops = loops

    # --- bash's own commands ----------------------------------------------------------------------------------------

    def opaque(self, why: str) -> None:
        """Note that the command at hand cannot be followed."""
        self.walk.unknown(why, self.walk.programs[-1].text)

    def cd(self, args: tuple[Field, ...], state: State) -> Ends:
        """``cd``: both outcomes count; where it may lead only reading the disk could tell, the folder is unknown."""
        words = list(args)
        is_physical = False
        while words and words[0].text in {"-L", "-P", "-e", "--"}:
            is_physical = words.pop(0).text == "-P" or is_physical
        name = words[0].text if words else self.walk.home
        if len(words) > 1:
            return Ends(state.with_cwds(None), state)
        if words and (words[0].is_pattern or not words[0].is_one):
            name = None
        if not name or name.startswith("-") or (state.cwds is None and not name.startswith("/")):
            return Ends(state if name == "" and words else state.with_cwds(None), state)
        found: list[str] = []
        for cwd in state.cwds or ("/",):
            places = changed_folder(cwd, name)
            if places is None:
                return Ends(state.with_cwds(None), state)
            found += places[-1:] if is_physical else places
        return Ends(state.with_cwds(tuple(found)), state)

    def lost_folder(self, _args: tuple[Field, ...], state: State) -> Ends:
        """``pushd`` and ``popd``."""
        lost = state.with_cwds(None)
        return Ends(lost, lost)

    def leave(self, args: tuple[Field, ...], state: State) -> Ends:
        """``exit``: nothing behind it runs, if it certainly is one."""
        texts = [field.text for field in args]
        if self.redirects or len(texts) > 1 or (texts and (texts[0] is None or not texts[0].isdigit())):
            return Ends(state, state)
        return Ends(None, None)

    def go_round(self, _args: tuple[Field, ...], state: State) -> Ends:
        """``break`` and ``continue``: the state here may be the state behind any loop around."""
        for left in self.walk.loops:
            left.append(state)
        return Ends(state, state)

    def settings(self, args: tuple[Field, ...], state: State) -> Ends:
        """``set``: only the options that stop earlier or print."""
        words = [field.text or "?" for field in args]
        index = 0
        while index < len(words):
            word = words[index]
            index += 1
            if word[:1] not in {"-", "+"} or set(word[1:]) - _SET_LETTERS - {"o"} or word[1:] == "":
                self.opaque("set with a word that is not known")
                break
            if "o" in word[1:]:
                if index >= len(words) or words[index] not in _SET_NAMES:
                    self.opaque("set -o with an option that is not known")
                    break
                index += 1
        return Ends(state, state)

    def forget(self, args: tuple[Field, ...], state: State) -> Ends:
        """``unset``."""
        for field in args:
            if field.text == "-v":
                continue
            if field.text is None or not field.text.isidentifier() or not is_harmless(field.text, None):
                self.opaque("unset of a name that is not known")
                continue
            state = state.with_value(field.text, None)
        return Ends(state, state)

    def take_in(self, args: tuple[Field, ...], state: State) -> Ends:
        """``read``: its names hold anything afterwards."""
        words = list(args)
        while words and words[0].text is not None and words[0].text.startswith("-"):
            letters = (words.pop(0).text or "")[1:]
            # The first letter that takes a value takes the rest of its word, or the next word if nothing is left.
            flags = letters.lstrip("rs")
            if set(letters[: len(letters) - len(flags)] + flags[:1]) - set("rspdntuN") or letters == "":
                self.opaque("read with an option that is not known")
            elif len(flags) == 1 and words:
                words.pop(0)
        for field in words:
            if field.text is None or not field.text.isidentifier() or not is_harmless(field.text, None):
                self.opaque("read into a name that is not known")
                return Ends(state.with_value("REPLY", None), state)
            state = state.with_value(field.text, None)
        return Ends(state, state)

    def replace(self, args: tuple[Field, ...], state: State) -> Ends:
        """``exec``: with words another program, without them its redirections stay."""
        if args and (args[0].text is None or args[0].text.startswith("-")):
            self.opaque("exec with an option")
        elif args:
            self.start(args, state, in_shell=False, depth=1)
        return Ends(state, state)

    def evaluate(self, _args: tuple[Field, ...], _state: State) -> Ends:
        """What runs a text or a file as code, or changes how texts are read."""
        self.opaque("a command that runs text or changes how text is read")
        lost = State(None, {})
        return Ends(lost, lost)


_BUILTINS: dict[str, Callable[[Starter, tuple[Field, ...], State], Ends]] = {
    "cd": Starter.cd,
    "pushd": Starter.lost_folder,
    "popd": Starter.lost_folder,
    "exit": Starter.leave,
    "break": Starter.go_round,
    "continue": Starter.go_round,
    "set": Starter.settings,
    "unset": Starter.forget,
    "read": Starter.take_in,
    "exec": Starter.replace,
    **dict.fromkeys(
        (
            "eval", "source", ".", "trap", "alias", "unalias", "shopt", "enable", "mapfile", "readarray", "getopts",
            "let", "declare", "typeset", "local", "export", "readonly", "bind", "complete", "compgen", "compopt", "fc",
            "history", "return", "shift", "caller", "coproc", "logout", "suspend", "disown", "bg", "fg", "ulimit",
            "kill",
            "dirs", "help", "hash",
        ),
        Starter.evaluate,
    ),
}  # fmt: skip
