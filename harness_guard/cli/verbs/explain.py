"""``harness-guard explain``: what a shell command would do, which rule decides, and the plan line that lets it pass."""

from __future__ import annotations

import json
import os

import click

from harness_guard.cli.installation import plugin_root, searched_places, spelled
from harness_guard.cli.say import say
from harness_guard.errors import StateError
from harness_guard.evidence.git import find_root
from harness_guard.kernel.event import Event
from harness_guard.kernel.questions import PlacesOf, ask, drive
from harness_guard.kernel.run_questions import NewRun, Snapshot
from harness_guard.kernel.state import HostBinding, RunState
from harness_guard.kernel.tool_effects import read_effects
from harness_guard.kernel.tool_use import decide_tool
from harness_guard.kernel.tools import classify
from harness_guard.paths import check_entry
from harness_guard.policy.boundary import covers_reach
from harness_guard.policy.caches import LABEL
from harness_guard.policy.model import Check, Policy
from harness_guard.shell.commands.kept import kept_at_home
from harness_guard.store.runs import RunStore
from harness_guard.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, TypeVar

    from harness_guard.kernel.decision import Decision
    from harness_guard.kernel.questions import Asking
    from harness_guard.policy.place import Place
    from harness_guard.shell.effects import Connection, Effects, Write

    T = TypeVar("T")

_SESSION: Final = "explain"  # no host's session has so plain an id; nothing is written for it
# Rules that no plan line clears.
_NEVER: Final = ("danger.", "control-plane.key", "control-plane.write")
_NO_TREE: Final = Snapshot("", (), "")  # a pause would name the tree; nothing pauses here


@click.command("explain")
@click.argument("text", metavar="COMMAND")
@click.option("--boundary", multiple=True, metavar="ENTRY", help="A Write Boundary entry to judge by; else `**`.")
@click.option("--data", metavar="DIR", help="Data folder with the prepared readers; else PLUGIN_DATA, or a host's.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a text.")
def command(text: str, boundary: tuple[str, ...], data: str | None, *, as_json: bool) -> int:
    """Tell what a shell command would do here, and what the guard would say to it in a run.

    Nothing is run and nothing is written. Ends with status 1 if the guard would refuse the command.
    """
    found = Explained(text, boundary or ("**",), data)
    say(json.dumps(found.as_json(), ensure_ascii=False) if as_json else found.as_text())
    return 0 if found.decision.verdict == "pass" else 1


class Explained:
    """One command with its effects, where its writes land, and the kernel's own decision on it."""

    def __init__(self, text: str, boundary: tuple[str, ...], data: str | None) -> None:
        """Analyse and judge a command for the folder that the process is in.

        Args:
            text: The command.
            boundary: Entries of a Write Boundary.
            data: Data folder to take the readers from, ``None`` for any that has them.

        Raises:
            HarnessError: If an entry is malformed, the folder is in no repository, or no data folder is prepared.
        """
        for entry in boundary:
            check_entry(entry)
        prepared = [each for each in searched_places(data, os.environ) if os.path.isfile(each.current_runtime)]
        if not prepared:
            seen = "no data folder has prepared readers"
            raise StateError("cli.data-folder", seen, f"run `{spelled('install')}` first")
        cwd = os.getcwd()
        if find_root(cwd, os.environ) is None:
            raise StateError("cli.no-repository", f"{cwd} is in no git repository", "change into one")
        self.event = Event(
            host="claude",
            name="PreToolUse",
            session_id=_SESSION,
            cwd=cwd,
            tool_name="Bash",
            tool_input={"command": text},
            tool_use_id=_SESSION,
        )
        self.text, self.boundary = text, boundary
        self.world = World(self.event, RunStore(prepared[0], _SESSION), dict(os.environ), plugin_root())
        self.state = self._state(cwd)
        self.world.begin(self.state)
        self.effects: Effects = self._ask(read_effects(self.event, classify(self.event)))
        self.places = tuple((write, self._places(write)) for write in self.effects.writes)
        self.decision: Decision = self._ask(decide_tool(self.event, self.state)).decision

    def _state(self, cwd: str) -> RunState:
        """Make up a run that executes under this boundary; it is never stored."""
        facts = self._ask(ask(NewRun(cwd)))
        policy = Policy(
            boundary=self.boundary,
            commands=(),
            tools=(),
            caches=(),
            strategy="verification_first",
            required=(Check("V1", "true", 1),),
            optional=(),
            max_rounds=0,
            repeated_finding_limit=1,
            no_progress_limit=1,
            plan_hash="",
        )
        return RunState(
            revision=1,
            run_id=_SESSION,
            session_id=_SESSION,
            repository_root=facts.root,
            state="executing",
            authority_status="active",
            host=HostBinding("claude"),
            active_policy=policy,
            accepted_policy=policy,
            control_plane=facts.control_plane,
        )

    def _ask(self, asking: Asking[T]) -> T:
        return drive(asking, lambda asked: _NO_TREE if type(asked).__name__ == "TreeNow" else self.world.answer(asked))

    def _places(self, write: Write) -> tuple[Place, ...]:
        return self._ask(ask(PlacesOf(write)))

    @property
    def plan_lines(self) -> tuple[tuple[str, str], ...]:
        """The smallest lines of a Plan that would let the command pass, each behind its section; none if none would."""
        reason = self.decision.reason
        if reason is None or reason.rule.startswith(_NEVER):
            return ()
        if reason.rule not in {"boundary.outside", "boundary.cache"}:
            is_plain = "\n" not in self.text and "`" not in self.text
            return (("Exact Commands", f"- `{self.text}`" if is_plain else f"```sh\n{self.text}\n```"),)
        entries = [(write, entry) for write, places in self.places for entry in self._entries(write, places)]
        caches = dict.fromkeys(entry for write, entry in entries if write.is_cache)
        paths = dict.fromkeys(f"- `{entry}`" for write, entry in entries if not write.is_cache)
        bullet = f"- {LABEL} {', '.join(f'`{entry}`' for entry in caches)}"
        return (*((("Scope", bullet),) if caches else ()), *(("Write Boundary", line) for line in paths))

    def _entries(self, write: Write, places: tuple[Place, ...]) -> list[str]:
        outside = [
            place.relative
            for place in places
            if place.relative
            and place.nested is None
            and not covers_reach(self.boundary, place.relative, reach=place.reach)
        ]
        if write.is_cache:
            return [f"{relative.rpartition('/')[2]}/" for relative in outside]
        ending = "/" if write.kind == "tree" else ""
        return [f"{relative}{ending}" for relative in outside]

    @property
    def keeps(self) -> tuple[str, ...]:
        """What its programs keep for themselves in the home folder, as ``~/PATH  (by PROGRAM)``; never the call's."""
        names = dict.fromkeys(each.argv[0] for each in self.effects.programs if each.argv and each.argv[0])
        return tuple(f"~/{path}  (by {name})" for name in names for path in kept_at_home(name))

    def as_json(self) -> dict[str, object]:
        """Give everything as one JSON object."""
        reason = self.decision.reason
        return {
            "command": self.text,
            "verdict": "pass" if reason is None else "refused",
            "rule": None if reason is None else reason.rule,
            "seen": None if reason is None else reason.seen,
            "next": None if reason is None else reason.remedy,
            "programs": [{"words": list(each.argv), "folder": each.cwd} for each in self.effects.programs],
            "reads": sorted({read.path for read in self.effects.reads}),
            "writes": [
                {"path": write.path, "kind": write.kind, "by": write.by, "lands": [place.real for place in places]}
                for write, places in self.places
            ],
            "links": [{"path": link.path, "target": link.target} for link in self.effects.links],
            "asks": [{"to": each.to, "by": each.by, "is_local": each.is_local} for each in self.effects.connects],
            "goes_by": [{"path": each.path, "what": each.what} for each in self.effects.relies],
            "unknown": [{"seen": each.seen, "why": each.why} for each in self.effects.unknown],
            "boundary": list(self.boundary),
            "keeps": list(self.keeps),
            "plan": [{"section": section, "line": line} for section, line in self.plan_lines],
        }

    def as_text(self) -> str:
        """Give everything as a tree for a person."""
        lines = [self.text]
        programs = self.effects.programs
        lines += _branch("starts", [f"{each.text}  (in {each.cwd or 'an unknown folder'})" for each in programs])
        lines += _branch("reads", sorted({f"{read.path}  (by {read.by})" for read in self.effects.reads}))
        lines += _branch("writes", [_landing(write, places) for write, places in self.places])
        lines += _branch("keeps for itself", list(self.keeps))
        lines += _branch("links", [f"{link.path} -> {link.target}" for link in self.effects.links])
        lines += _branch("asks", [_asked(each) for each in self.effects.connects])
        lines += _branch("goes by", [f"{each.path}  ({each.what})" for each in self.effects.relies])
        lines += _branch("cannot be known", [f"{each.seen}: {each.why}" for each in self.effects.unknown])
        reason = self.decision.reason
        if reason is None:
            return "\n".join([*lines, f"passes inside {', '.join(self.boundary)}"])
        lines.append(f"refused by {reason.rule}: {reason.seen}")
        if not self.plan_lines:
            return "\n".join([*lines, f"no plan lets it pass. Next: {reason.remedy}"])
        for section in dict.fromkeys(section for section, _ in self.plan_lines):
            lines.append(f"would pass with this in the Plan's {section}:")
            lines += [line for home, line in self.plan_lines if home == section]
        return "\n".join(lines)


def _asked(connection: Connection) -> str:
    where = ", which is or may be this machine" if connection.is_local else ""
    return f"{connection.to}{where}  (by {connection.by})"


def _landing(write: Write, places: tuple[Place, ...]) -> str:
    elsewhere = [place.real for place in places if place.real != write.path]
    return f"{write.path}  ({write.kind}, by {write.by})" + (f"  lands at {', '.join(elsewhere)}" if elsewhere else "")


def _branch(title: str, items: list[str]) -> list[str]:
    return [f"  {title}:", *(f"    {item}" for item in items)] if items else []
