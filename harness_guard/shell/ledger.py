"""What a walk has found so far: reads, writes, links, programs, what is unknown, and what the text ever set."""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.aftermath import NewNames, leaves_input, makes_names, makes_options, steers_git, unsettles
from harness_guard.shell.commands.model import ANYTHING, Call, shown
from harness_guard.shell.commands.running import run_row
from harness_guard.shell.effects import Effects, Program, Read, Relied, Unknown
from harness_guard.shell.facts import NO_FILES, NO_NAMES
from harness_guard.shell.state import elsewhere, joined
from harness_guard.shell.values import Field, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness_guard.shell.effects import ReliedKind
    from harness_guard.shell.facts import FileText, GitFacts
    from harness_guard.shell.names import NameSource, Printed
    from harness_guard.shell.state import Bodies, Ends, State
    from harness_guard.shell.syntax import Script, Unparsed

    Reader = Callable[[str], Script | Unparsed | None]

MOST_STEPS = 4_000  # simple commands walked for one text, loops counted as often as they are gone round
RESERVED = frozenset(
    ("if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
     "function", "time", "coproc")
)  # fmt: skip


_RELIED: dict[str, ReliedKind] = {
    "disk": "names",
    "direct": "names",
    "tangled": "listed",
    "index": "listed",
    "history": "listed",
    "unshadowed": "modules",
    "undashed": "dashes",
    "programs": "programs",
    "inside": "links",
    "untuned": "settings",
}


class Ledger:
    """Everything that a walk gathers; the classes that walk build on it."""

    def __init__(
        self, *, home: str, plugin_command: str, git: Mapping[str, GitFacts], read: Reader,
        names: Mapping[NameSource, bool] = NO_NAMES, files: Mapping[str, FileText] = NO_FILES,
    ) -> None:  # fmt: skip
        """Take the home folder, our own command's spelling, git's facts, a reader, the plain names."""
        self.names = names
        self.files = files
        self.home = home
        self.plugin_command = plugin_command
        self.git = git
        self.read_text = read
        self.gathered = Call("", (), cwds=None, home=home, git=git, names=names, files=files)
        self.programs: list[Program] = []
        self.new_names = NewNames()
        self.shown_variables: tuple[str, ...] = ()  # of the simple command that starts next
        self.in_one_loop: object = None  # the command, where each name that it makes is another one in each round
        self.each: tuple[str, tuple[object, ...]] | None = None  # a loop's variable and what it holds, never twice
        self.uses_git = False
        self.git_writers = 0  # calls that write git's own files; one in a loop is met twice
        self.fed: Printed | None = None
        self.fed_by: tuple[object, Printed] | None = None  # a command and the names on its standard input
        self.feeding = 0  # loops around that take names from their input
        self.ever_fed = False
        self.texts: list[str] = []
        self.group = 0
        self.groups = 0
        self.steps = 0
        self.nested = 0
        self.changes = 0  # how often the text set, moved or defined anything
        self.ever_set: dict[str, Value | None] = {}
        self.ever_in: list[tuple[str, ...] | None] = []
        self.ever_defined: dict[str, Bodies] = {}
        self.aliases: set[str] = set()
        self.handlers: list[tuple[str, bool, State]] = []  # of traps: text, whether for the end alone, where it was set
        self.returns: list[list[Ends]] = []  # of each function that runs, innermost last
        self.loops: list[list[State]] = []  # of each loop around, where it may be left
        self.is_split_oddly = False
        self.is_globbed_oddly = False
        self.descriptors: set[str | int] = set()  # numbers and names of them, and process substitutions
        self.is_exporting = False  # whatever is set or defined is handed on to programs

    def unknown(self, why: str, seen: str, *, is_writer: bool = False) -> None:
        """Note something whose effects cannot be told."""
        self.gathered.unknown.append(Unknown(why, seen, is_writer))

    def effects(self) -> Effects:
        """Everything gathered, each thing once."""
        is_below = self.gathered.is_git_below
        if self.uses_git and any(steers_git(write, is_below=is_below) for write in self.gathered.writes):
            self.unknown("git runs after files were written that may steer it", "git")
        found = self.gathered
        may_repeat = any(not is_end for _, is_end, _ in self.handlers)
        if found.trusts_moves and (self.git_writers > 1 or may_repeat):
            self.unknown("git moves files by a repository that the text itself changes", "git", is_writer=True)
        if self.ever_fed and may_repeat:
            self.unknown("a trap may put something else in the place of an input of names", "trap")
        if makes_names(found.writes, found.trusted):
            found.reads.append(Read(ANYTHING, "a name that the text itself may have made", is_tree=True))
            if any(write.kind == "tree" or write.search is not None for write in found.writes):
                self.unknown("it goes by names that the text itself may have made", "…", is_writer=True)
        if makes_options(found.writes, found.trusts_dashes):
            self.unknown("a glob may match a name that the text itself makes, and that looks like an option", "…")
        if self.is_exporting and self.ever_defined:
            self.unknown("a function that a shell of its own is given too", next(iter(self.ever_defined)))
        if found.acts_on_names or found.writes or found.links or found.unknown:
            found.trusts_places += found.trusts_names
        if any(unsettles(write, source) for source in dict.fromkeys(found.trusts_places) for write in found.writes):
            self.unknown("a program goes by what stands in the folder, which the text itself changes", "…")
        return Effects(
            tuple(dict.fromkeys(found.reads)),
            tuple(dict.fromkeys(found.writes)),
            tuple(dict.fromkeys(found.links)),
            tuple(dict.fromkeys(found.unknown)),
            tuple(self.programs),
            tuple(dict.fromkeys(found.connects)),
            tuple(dict.fromkeys(Relied(one.folder, _RELIED.get(one.kind, "file")) for one in found.trusts_places)),
        )

    def note_set(self, name: str, value: Value | None) -> None:
        """Note that the text sets a variable: what runs at any time later may find it so."""
        self.changes += 1
        self.ever_set[name] = value if self.ever_set.get(name, value) == value else None

    def moved(self, state: State, cwds: tuple[str, ...] | None, *, is_physical: bool = False) -> State:
        """The state after a change of folder."""
        self.changes += 1
        self.ever_in.append(cwds)
        return state.with_cwds(cwds, is_physical=is_physical)

    def any_time(self, state: State) -> State:
        """What is certain at every later point: the folders are all that ever were, the values those never set."""
        folders: tuple[str, ...] | None = state.cwds
        for found in self.ever_in:
            folders = None if folders is None or found is None else tuple(dict.fromkeys((*folders, *found)))
        values = {
            name: value
            for name, value in state.values.items()
            if name != "@" and self.ever_set.get(name, value) == value and not (self.ever_in and name == "PWD")
        }
        if self.ever_in:
            kept = {name: elsewhere(value) for name, value in values.items()}
            values = {name: value for name, value in kept.items() if value is not None}
        functions = {name: joined(bodies, (None,)) for name, bodies in self.ever_defined.items()}
        return replace(state, cwds=folders, values=values, old=None, stack=None, locals={}, functions=functions)

    def note_program(self, fields: tuple[Field, ...], state: State, targets: tuple[str, ...]) -> None:
        """Note a program for the danger rules."""
        argv = tuple(None if field.text is None or field.is_slug else field.text for field in fields)
        cwd = state.cwds[0] if state.cwds else ""
        self.programs.append(Program(argv, cwd, shown(fields), self.group, targets, self.shown_variables))
        self.shown_variables = ()
        if self.feeding and not leaves_input(fields):
            self.unknown("what it may read from the same input would cut a name in two", shown(fields))
        if argv and argv[0] in self.aliases:
            self.unknown("an alias of the same text stands for it", argv[0] or "")

    def only_new(self, first: int) -> None:
        """Forget programs noted from ``first`` on that were noted before: something was walked another time."""
        known = set(self.programs[:first])
        self.programs[first:] = [program for program in self.programs[first:] if program not in known]

    def run_table(
        self, name: str, fields: tuple[Field, ...], state: State, *, program: str | None = None
    ) -> tuple[tuple[Field, ...], ...]:
        """Gather a program's effects by the table; gives the calls that it makes itself."""
        from harness_guard.shell.commands.registry import TABLE, WRITERS

        row = TABLE.get(name)
        call = Call(name, fields[1:], cwds=state.cwds, home=self.home, git=self.git, names=self.names, files=self.files)
        call.fed, self.fed = self.fed, None
        call.program = program
        if row is None:
            call.opaque(f"{name} is not in the table", is_writer=name in WRITERS)
        else:
            self.uses_git = self.uses_git or name == "git"
            run_row(row, call)
        if call.prints and self.programs:
            self.programs[-1] = replace(self.programs[-1], prints=tuple(call.prints))
        self.take(call)
        for inner in call.starts:
            self.note_program((Field(inner),), state, ())
        return tuple(call.runs)

    def take_patch(self, found: Effects) -> None:
        """Take in what a patch would do."""
        call = Call("apply_patch", (), cwds=None, home=self.home, git=self.git)
        call.writes += found.writes
        call.unknown += found.unknown
        self.take(call)

    def take(self, call: Call) -> None:
        """Take in what a call would do."""
        into = self.gathered
        if self.new_names.meets(call.writes, self.in_one_loop):
            why = "it writes through a name that it may have made a link just before"
            self.unknown(why, call.seen, is_writer=True)
        into.reads += call.reads
        into.writes += call.writes
        into.links += call.links
        into.connects += call.connects
        into.unknown += call.unknown
        into.needs_git += call.needs_git
        into.needs_moves += call.needs_moves
        into.trusts_moves = into.trusts_moves or call.trusts_moves
        self.git_writers += any(write.is_git_own for write in call.writes)
        into.needs_names += call.needs_names
        into.needs_files += call.needs_files
        into.trusts_names += call.trusts_names
        into.acts_on_names = into.acts_on_names or call.acts_on_names
        into.is_git_below = into.is_git_below or call.is_git_below
        into.trusted += call.trusted
        into.trusts_dashes += call.trusts_dashes
        into.trusts_places += call.trusts_places
