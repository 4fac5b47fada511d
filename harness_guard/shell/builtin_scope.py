"""bash's own commands that set options and variables, or leave a loop or a function (bash manual 4.1 to 4.3)."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.altered import COUNTERS
from harness_guard.shell.state import Ends, State, joined, merge
from harness_guard.shell.syntax import Simple
from harness_guard.shell.values import NUMBER, UNSET, Field, Value
from harness_guard.shell.variables import is_harmless
from harness_guard.shell.walk import literal_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.shell.names import Printed
    from harness_guard.shell.syntax import Redirect
    from harness_guard.shell.walk import Walk

# Options that stop earlier, print, or make a redirection fail: nothing that is written because of them.
_SET_LETTERS = frozenset("euxvfabhmCET")
_SET_NAMES = frozenset(
    ("errexit", "nounset", "xtrace", "pipefail", "verbose", "noglob", "allexport", "notify", "hashall", "monitor",
     "noclobber", "errtrace", "functrace", "ignoreeof", "nolog", "vi", "emacs")
)  # fmt: skip
# Of the options of bash 5.3, those that change what is set, split or read; ``lastpipe`` has its own place, the rest
# concern people at a prompt, prompts, history, messages and completion. A name that bash does not know does nothing.
_TELLING_OPTIONS = frozenset(
    ("array_expand_once", "assoc_expand_once", "bash_source_fullpath", "cdable_vars", "compat31", "compat32",
     "compat40", "compat41", "compat42", "compat43", "compat44", "extdebug", "extquote",
     "localvar_inherit", "localvar_unset", "login_shell", "restricted_shell", "varredir_close")
)  # fmt: skip
_GLOB_OPTIONS = frozenset(
    ("nullglob", "dotglob", "globstar", "extglob", "nocaseglob", "failglob", "globskipdots", "globasciiranges")
)  # fmt: skip
# These change how what follows is read: history and its ``!``, braces, words in front of a command, POSIX.
_LATE_LETTERS = frozenset("BHPkpt")
_LATE_NAMES = frozenset(
    ("history", "histexpand", "braceexpand", "keyword", "physical", "posix", "privileged", "onecmd")
)
TOO_MANY = "words that may be too many, which drops the rest of the line"
LEAST_TURNED_STATUS = 256  # a status is what is left of its lowest eight bits
LONGEST_LINE = 4096  # characters; the pipe that bash keeps a here-string in holds it
_BLANKS = " \t"
_READ_FLAGS = "rse"
_READ_VALUED = frozenset("pdntuNia")


class Settings:
    """The part of a starter that sets things."""

    def __init__(self, walk: Walk, redirects: tuple[Redirect, ...], targets: tuple[str, ...]) -> None:
        """Take the walk and the statement's redirections."""
        self.walk = walk
        self.redirects = redirects
        self.targets = targets
        self.is_prefixed = walk.is_prefixed
        self.has_other_home = False

    def opaque(self, why: str) -> None:
        """Note that the command at hand cannot be followed."""
        self.walk.unknown(why, self.walk.programs[-1].text)

    def opaque_ends(self, why: str, state: State) -> Ends:
        """The same, as a command's outcomes."""
        self.opaque(why)
        return Ends(state, state)

    def refuse_prefix(self, what: str) -> None:
        """Refuse variables in front of what would see or set them in the same shell."""
        if self.is_prefixed:
            self.opaque(f"variables in front of {what}")

    @staticmethod
    def with_stack(state: State, stack: tuple[tuple[str, ...] | None, ...] | None) -> State:
        """The state with another stack of folders."""
        return replace(state, stack=stack)

    def run_unknown(self, _args: tuple[Field, ...], state: State) -> Ends:
        """What runs a text or a file as code, or changes how texts are read."""
        return self.opaque_ends("a command that runs text or changes how text is read", state)

    def nothing(self, _args: tuple[Field, ...], state: State) -> Ends:
        """What prints, waits or concerns people at a prompt alone."""
        return Ends(state, state)

    def no_command(self, args: tuple[Field, ...], state: State) -> Ends:
        """``:``, in front of which other shells keep variables as they would in front of nothing."""
        self.walk.run_table(":", (Field(":"), *args), state)
        return Ends(state, state)

    def _drop(self, state: State) -> Ends:
        """Words that may be too many; whether they are, nothing has changed."""
        self.walk.may_drop(TOO_MANY, self.walk.programs[-1].text)
        return Ends(state, state)

    # --- leaving ----------------------------------------------------------------------------------------------------

    def alone(self, args: tuple[Field, ...], state: State) -> Ends:
        """What takes no words: with one, bash drops the rest of the line."""
        return self._drop(state) if args else Ends(state, state)

    def leave(self, args: tuple[Field, ...], state: State) -> Ends:
        """``exit``: nothing behind it runs, if it certainly is one."""
        self.walk.turns += 1
        if len(args) > 1 or not all(field.is_one for field in args):
            return self._drop(state)
        return Ends(state, state) if self.redirects else Ends(None, None)

    def give_back(self, args: tuple[Field, ...], state: State) -> Ends:
        """``return``: in a function nothing behind it runs there; elsewhere it fails."""
        self.walk.turns += 1
        if not self.walk.returns:
            return Ends(None, state)
        if len(args) > 1 or not all(field.is_one for field in args):
            self.walk.returns[-1].append(Ends(state, state))
            return self._drop(state)
        status = args[0].text if args else None
        is_known = status is not None and status.isascii() and status.isdigit() and int(status) < LEAST_TURNED_STATUS
        ends = Ends(state if not is_known or status == "0" else None, state if not is_known or status != "0" else None)
        self.walk.returns[-1].append(ends)
        return Ends(state, state) if self.redirects else Ends(None, None)

    def go_round(self, args: tuple[Field, ...], state: State) -> Ends:
        """``break`` and ``continue``: the state here may be the state behind any loop around."""
        self.walk.turns += 1
        texts = [field.text or "" for field in args]
        if len(texts) > 1 or not all(text in {"1", "2", "3", "4"} for text in texts):
            self._drop(state)
        if self.walk.returns and not self.walk.loops:
            self.opaque("a loop that is left from within a function")
        for left in self.walk.loops:
            left.append(state)
        return Ends(state, state)

    # --- options ----------------------------------------------------------------------------------------------------

    def settings(self, args: tuple[Field, ...], state: State) -> Ends:
        """``set``: options that stop earlier or print, and the positional parameters."""
        words = list(args)
        while words:
            text = words[0].text
            if text is None or words[0].is_pattern:
                if words[0].start[:1] in {"", "-", "+"}:
                    return self.opaque_ends("set with a word that is not known", state)
                return self._given(words, state)
            if text in {"--", "-"}:
                return self._given(words[1:], state) if text == "--" or words[1:] else Ends(state, state)
            if text[:1] not in {"-", "+"} or len(text) == 1:
                return self._given(words, state)
            words.pop(0)
            named = ((words.pop(0).text or "?") if words else "emacs") if "o" in text[1:] else "emacs"
            if set(text[1:]) - _SET_LETTERS - _LATE_LETTERS - {"o"}:
                return self.opaque_ends("set with a word that is not known", state)
            if named not in _SET_NAMES | _LATE_NAMES:
                return self.opaque_ends("set -o with an option that is not known", state)
            if named in _LATE_NAMES or not _LATE_LETTERS.isdisjoint(text):
                self.walk.reads_otherwise(self.walk.programs[-1].text)
            if text[0] == "-" and ("a" in text or named == "allexport"):
                self.walk.is_exporting = True
        return Ends(state, state)

    def _given(self, words: list[Field], state: State) -> Ends:
        self.walk.changes += 1
        after = state.with_value("@", Value(items=tuple(words))).with_value("#", NUMBER)
        return Ends(after, merge(after, state) if self.redirects else after)

    def options(self, args: tuple[Field, ...], state: State) -> Ends:
        """``shopt``: options that do not matter, and those after which something means something else."""
        texts = [field.text or "?" for field in args]
        names = [text for text in texts if not text.startswith("-")]
        letters = {letter for text in texts if text.startswith("-") for letter in text[1:]}
        is_literal = all(field.text is not None and not field.is_pattern for field in args)
        if not is_literal or letters - set("supqo"):
            return self.opaque_ends("shopt with an option that is not known", state)
        if not letters & {"s", "u"} or not names:
            return Ends(state, state)
        is_known = True
        if "o" in letters:
            self.walk.is_exporting = self.walk.is_exporting or ("s" in letters and "allexport" in names)
            is_known = set(names) <= _SET_NAMES | _LATE_NAMES
            is_late = not _LATE_NAMES.isdisjoint(names)
        else:
            self.walk.is_matched_oddly = self.walk.is_matched_oddly or "nocasematch" in names
            self.walk.is_globbed_oddly = self.walk.is_globbed_oddly or not _GLOB_OPTIONS.isdisjoint(names)
            self.walk.keeps_last = self.walk.keeps_last or ("s" in letters and "lastpipe" in names)
            # All but one of them are unset where nobody set them.
            is_late = not (_TELLING_OPTIONS if "s" in letters else {"extquote"}).isdisjoint(names)
        if is_late:
            self.walk.reads_otherwise(self.walk.programs[-1].text)
        return Ends(state, state) if is_known else self.opaque_ends("shopt of an option that is not known", state)

    def shift(self, args: tuple[Field, ...], state: State) -> Ends:
        """``shift``: the positional parameters move up; too few of them stay as they are."""
        given = state.values.get("@")
        text = args[0].text if args else "1"
        if len(args) > 1 or not all(field.is_one for field in args):
            return self._drop(state.with_value("@", None))
        if given is None or given.items is None or text is None or not text.isdigit():
            return Ends(state.with_value("@", None), state.with_value("@", None))
        count = int(text)
        lost = state.with_value("@", None)
        if not all(item.is_one for item in given.items):
            return Ends(lost, lost)
        if count > len(given.items):
            return Ends(None, state)
        self.walk.changes += 1
        after = state.with_value("@", Value(items=given.items[count:]))
        return Ends(after, merge(after, state) if self.redirects else after)

    # --- variables --------------------------------------------------------------------------------------------------

    def set_unknown(self, field: Field, state: State, command: str) -> State | None:
        """The state with a variable that holds anything, ``None`` where its name is not known or matters."""
        name = field.text
        if name is None or field.is_pattern or not name.isascii() or not name.isidentifier():
            self.opaque(f"{command} into a name that is not known")
            return None
        if name == "IFS" or not is_harmless(name, None):
            self.opaque(f"{command} into a name that is not known")
            return None
        return self.walk.assigned(name, None, state)

    def forget(self, args: tuple[Field, ...], state: State) -> Ends:
        """``unset``: of a variable, of an element, of a function."""
        before = state
        is_function = False
        for field in args:
            text = field.text or ""
            if text in {"-v", "-f", "--"}:
                is_function = text == "-f" or (is_function and text == "--")
                continue
            if is_function:
                state = _without_function(text, state, is_sure=True)
                continue
            name, sign, index = text.partition("[")
            is_element = not sign or (index.endswith("]") and (index[:-1].isdigit() or index[:-1] in {"@", "*"}))
            is_name = name.isascii() and name.isidentifier() and is_element and not field.is_pattern
            is_changed = name in state.outer or name in state.frozen
            if not is_name or is_changed or name in COUNTERS:
                self.opaque("unset of a name that is not known")
                continue
            if not _may_be_unset(name):
                state = self.walk.altered(name, None, state)
            self.walk.note_set(name, None)
            self.walk.is_split_oddly = self.walk.is_split_oddly or name == "IFS"
            value = None if sign or name == "IFS" else UNSET
            state = _without_function(name, state.with_value(name, value), is_sure=False)
        # Of a name that may be set it does not fail.
        return Ends(state, merge(state, before) if self.redirects else state)

    def take_in(self, args: tuple[Field, ...], state: State) -> Ends:
        """``read``: its names hold anything afterwards."""
        words = list(args)
        before = state
        fed, self.walk.fed = self.walk.fed, None
        is_usual = self.walk.is_unsplit or not (self.walk.is_prefixed or self.walk.is_split_oddly)
        taken = _taken(fed, args, is_unsplit=self.walk.is_unsplit) if fed is not None and is_usual else None
        given = self._given_words(args, state) if is_usual else None
        names: list[Field] = []
        while words and words[0].text is not None and words[0].text.startswith("-"):
            letters = (words.pop(0).text or "")[1:]
            # The first letter that takes a value takes the rest of its word, or the next word if nothing is left.
            flags = letters.lstrip(_READ_FLAGS)
            if set(letters[: len(letters) - len(flags)] + flags[:1]) - set(_READ_FLAGS) - _READ_VALUED or not letters:
                self.opaque("read with an option that is not known")
                return Ends(state, state)
            value = Field(flags[1:]) if len(flags) > 1 else words.pop(0) if flags and words else None
            if value is not None and not _is_single(value):
                return self.opaque_ends("read with words that are not known", state)
            if value is not None and flags[:1] == "a":
                names.append(value)
                self.walk.ever_array.add(value.text or "")
        for field in (*names, *words) or (Field("REPLY"),):
            if field.text == "REPLY":
                state = state.with_value("REPLY", None)
                continue
            after = self.set_unknown(field, state, "read")
            if after is None:
                return Ends(state, state)
            state = after if taken is None else after.with_value(field.text or "", taken)
        for field, held in given or ():
            state = self.walk.assigned(field.text or "", held, state)
        if given is None or not all(redirect.op.startswith("<<") for redirect in self.redirects):
            return Ends(state, merge(state, before))
        return Ends(state, None if self.walk.line is not None else state)

    def _given_words(self, args: tuple[Field, ...], state: State) -> tuple[tuple[Field, Value], ...] | None:
        """Give what ``read`` sets its names to, where the line that it reads is known; ``None`` if it is not."""
        texts = [field.text if not field.is_pattern else None for field in args]
        is_raw = texts[:1] == ["-r"]
        names = args[1:] if is_raw else args
        text = self.walk.line if self.walk.line is not None else self.typed(state)
        given = None if text is None else text.partition("\n")[0]
        if given is None or not names or any(not (text or "").isidentifier() for text in texts[is_raw:]):
            return None
        if (not is_raw and "\\" in given) or not given.isascii() or len(given) > LONGEST_LINE:
            return None
        count = len(names)
        values = [given, *[""] * (count - 1)] if self.walk.is_unsplit else _words_of(given, count)
        return tuple((field, Value(text)) for field, text in zip(names, values, strict=True))

    def typed(self, state: State) -> str | None:
        """Give the here-document or here-string on standard input, ``None`` if it is none that is known."""
        redirects = tuple(
            redirect
            for redirect in self.redirects
            if redirect.op[:1] == "<" or (redirect.fd and not redirect.fd.strip("0"))
        )
        return literal_body(redirects) or self.here_string(state, redirects)

    def here_string(self, state: State, redirects: tuple[Redirect, ...]) -> str | None:
        """Give the text of ``<<< word``, ``None`` without one or where it is not known."""
        only = redirects[0] if len(redirects) == 1 else None
        if only is None or only.op != "<<<" or only.fd not in {"", "0"}:
            return None
        value = self.walk.value(only.target, state)
        return None if value is None else value.text

    def map_file(self, args: tuple[Field, ...], state: State) -> Ends:
        """``mapfile`` without a command that it calls back."""
        words = list(args)
        while words and words[0].text is not None and words[0].text.startswith("-"):
            letters = (words.pop(0).text or "")[1:]
            flags = letters.lstrip("t")
            if flags[:1] and flags[:1] not in set("dnsOu"):
                return self.opaque_ends("mapfile with an option that is not known", state)
            if len(flags) == 1 and words and not _is_single(words.pop(0)):
                return self.opaque_ends("mapfile with words that are not known", state)
        if not words or words[0].text == "MAPFILE":
            return Ends(state, state)
        if len(words) > 1:
            return self.opaque_ends("mapfile with more than one name", state)
        self.walk.ever_array.add(words[0].text or "")
        after = self.set_unknown(words[0], state, "mapfile")
        return Ends(state, state) if after is None else Ends(after, merge(after, state))

    def get_options(self, args: tuple[Field, ...], state: State) -> Ends:
        """``getopts``: its name and ``OPTARG`` hold anything afterwards."""
        if len(args) < len(("options", "name")) or not all(field.is_one for field in args[:2]):
            return self.opaque_ends("getopts with words that are not known", state)
        after = self.set_unknown(args[1], state, "getopts")
        if after is None:
            return Ends(state, state)
        after = after.with_value("OPTARG", None).with_value("OPTIND", None)
        return Ends(after, merge(after, state))

    def print_into(self, fields: tuple[Field, ...], state: State) -> Ends:
        """``printf -v NAME FORMAT``: the format is looked at by the table."""
        from harness_guard.shell.outputs import formatted

        after = self.set_unknown(fields[2], state, "printf -v") if fields[2:] and fields[2].is_one else None
        if after is None:
            return self.opaque_ends("printf -v with a name that is not known", state)
        self.walk.run_table("printf", (fields[0], *fields[3:]), state)
        texts = [field.text for field in fields[3:] if field.text is not None and not field.is_pattern]
        made = formatted(texts) if len(texts) == len(fields) - 3 else None
        if made is None:
            return Ends(after, merge(after, state))
        after = self.walk.assigned(fields[2].text or "", Value(made), state)
        return Ends(after, merge(after, state) if self.redirects else after)

    def declare_words(self, args: tuple[Field, ...], state: State) -> Ends:
        """``export`` and the like where the reader did not see that they are, so that their words are plain words."""
        name = self.walk.programs[-1].argv[0] or ""
        return self.walk.unless_redirect_fails(
            self.walk.declare(Simple((), (), name), args, state), state, self.redirects
        )

    # --- others -----------------------------------------------------------------------------------------------------

    def kill(self, args: tuple[Field, ...], state: State) -> Ends:
        """``kill``: of the text's own processes, or of none."""
        texts = [field.text for field in args]
        if not texts or texts[0] in {"-l", "-L", "-0"} or texts[:2] == ["-s", "0"] or texts[:2] == ["-n", "0"]:
            return Ends(state, state)
        words = list(args)
        if texts[0] in {"-s", "-n"} and all(map(_is_single, words[1:2])):
            words = words[2:]
        elif (texts[0] or "").startswith("-"):
            words = words[1:]
        words = [field for field in words if field.text != "--"]
        if all(field.is_job or (field.text or "").startswith("%") for field in words):
            return Ends(state, state)
        return self.opaque_ends("it ends processes that the text itself did not start", state)

    def await_jobs(self, args: tuple[Field, ...], state: State) -> Ends:
        """``wait``: without ``-p``, which sets a variable and evaluates its subscript."""
        return self._of_jobs(args, state, "p")

    def list_jobs(self, args: tuple[Field, ...], state: State) -> Ends:
        """``jobs``: without ``-x``, which runs a program."""
        return self._of_jobs(args, state, "x")

    def _of_jobs(self, args: tuple[Field, ...], state: State, letter: str) -> Ends:
        for field in args:
            is_known = field.is_job or (field.text is not None and not field.is_pattern)
            if not is_known or ((field.text or "").startswith("-") and letter in (field.text or "")):
                return self.opaque_ends(f"a list of jobs that is not known, or an option -{letter}", state)
        return Ends(state, state)

    def remember(self, args: tuple[Field, ...], state: State) -> Ends:
        """``hash``: without ``-p``, which says where a program is."""
        if any(field.start[:1] in {"", "-"} and field.text not in {"-r", "-t", "-l", "-d"} for field in args):
            return self.opaque_ends("hash with an option that is not known", state)
        return Ends(state, state)

    def list_history(self, args: tuple[Field, ...], state: State) -> Ends:
        """``history``: without what writes it to a file, or reads it from one."""
        if all((field.text or "-").isdigit() or field.text == "-c" for field in args):
            return Ends(state, state)
        return self.opaque_ends("history with an option that is not known", state)

    def limit(self, args: tuple[Field, ...], state: State) -> Ends:
        """``ulimit``: without ``-c``, which makes core files, and without what may keep programs from running."""
        texts = [field.text or "?" for field in args]
        if any("c" in text or not (text[0] == "-" or text == "unlimited") for text in texts):
            return self.opaque_ends("ulimit with an option that is not known", state)
        return Ends(state, state)


def _is_single(field: Field) -> bool:
    """Whether a word that may not be known is one word, so that nothing of it stands in the next word's place."""
    return field.is_one and not field.is_pattern


def _words_of(line: str, count: int) -> list[str]:
    """Take a line apart at blanks into so many words; the last one is the rest."""
    rest = line.strip(_BLANKS)
    made = []
    for _ in range(count - 1):
        end = next((at for at, character in enumerate(rest) if character in _BLANKS), len(rest))
        made.append(rest[:end])
        rest = rest[end:].lstrip(_BLANKS)
    return [*made, rest]


def _may_be_unset(name: str) -> bool:
    return name == "IFS" or is_harmless(name, None)


def _without_function(name: str, state: State, *, is_sure: bool) -> State:
    """The state behind ``unset``; without ``-f`` a variable of the name goes first, so the function may stay."""
    bodies = state.functions.get(name)
    if bodies is None:
        return state
    return replace(state, functions={**state.functions, name: (None,) if is_sure else joined(bodies, (None,))})


def _taken(fed: Printed, args: tuple[Field, ...], *, is_unsplit: bool) -> Value | None:
    """Give what ``read`` takes of names on its input: one whole name, or ``None`` if it may be less or more."""
    if fed.found is None and not fed.is_below:
        return None  # a name that means something elsewhere
    texts = [field.text if not field.is_pattern else None for field in args]
    if fed.is_exact:
        # Nothing may be taken off such a name: ``IFS= read -r -d '' name``.
        is_whole = is_unsplit and texts[:-1] in (["-r", "-d", ""], ["-d", "", "-r"], ["-rd", ""])
        return Value(is_inner=fed.is_below, found=fed.found, is_plain=False) if is_whole else None
    is_whole = not fed.is_nul and texts[:-1] in ([], ["-r"])
    return Value(is_inner=fed.is_below, found=fed.found) if is_whole else None
