"""What stands before a case: a repository, a data folder, and a run in the phase that the case names.

Setting up goes through ``dispatch`` in this process; the steps of a case go through the launcher (``report_player``).
The tables say what each word of the form means here; a word that is in none of them raises ``Unknown``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from report_form import SESSION, Case, Unknown, placed, plan_text
from simulator import PLUGIN_ROOT, Answered, Simulator, small_plugin

from harness_guard.evidence.engine import RECORD

if TYPE_CHECKING:
    from collections.abc import Callable

REVIEWER = "a-9"
FILES = {
    "src/a.py": "a = 1\n",
    "tests/test_a.py": "def test_a():\n    assert True\n",
    "pyproject.toml": "[project]\nname = 'proj'\n",
    "setup.py": "a\n",
    "README.md": "read me\n",
    "Makefile": "deploy:\n\ttrue\n",
    "verify.sh": "exit 0\n",
}
Table = tuple[tuple[str, "Callable[[World, re.Match[str]], object]"], ...]


class Stage:
    """What all cases share: a copy of the plugin that nobody works on, and a data folder with warm bytecode.

    Attributes:
        plugin: The plugin's folder.
        data: The data folder; every case finds it without runs.
    """

    def __init__(self, folder: Path, runtime: Path) -> None:
        """Make both.

        Args:
            folder: Where they go.
            runtime: A provisioned data folder.
        """
        self.folder = folder
        self.plugin = self.copy("plugin")
        small_plugin(self.plugin)
        self.data = folder / "data"
        self.data.mkdir()
        (self.data / "runtime").symlink_to(runtime / "runtime")
        (self.data / "interpreter").write_text(sys.executable + "\n")

    def copy(self, name: str) -> Path:
        """Copy what answers a hook."""
        target = self.folder / name
        for part in ("hooks", "harness_guard"):
            shutil.copytree(PLUGIN_ROOT / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        return target

    def broken(self, name: str, file: str, seeded: str) -> Path:
        """Give a copy of the plugin with some text behind one of its files."""
        target = self.folder / "broken" / name
        if not target.exists():
            self.copy(f"broken/{name}")
            with (target / file).open("a") as handle:
                handle.write(seeded)
        return target


class World(Simulator):
    """One case on one host."""

    def __init__(self, folder: Path, host: str, case: Case, stage: Stage) -> None:
        """Make a repository, and empty the data folder."""
        self.case = case
        self.stage = stage
        self.outside = folder / "outside"
        super().__init__(folder, host)
        self.session = SESSION
        self.plugin = self.launched = stage.plugin  # the one that sets up, and the one that answers the steps
        self.variants: tuple[Path, ...] = (self.launched,)
        self.payload_fault: str | None = None
        self.is_crlf = self.is_unprompted = self.is_change_named = False
        self.started: str | None = None

    def _make(self) -> None:
        self.data = self.stage.data
        for folder in (self.home, self.outside):
            folder.mkdir(parents=True)
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
            subprocess.run(["git", "-C", str(self.root), *command], check=True, env=self.git_env)
        for name in ("active", "runs"):
            shutil.rmtree(self.data / name, ignore_errors=True)
        (self.data / "key").write_bytes(os.urandom(32))
        (self.data / "key").chmod(0o600)
        (self.data / "interpreter").write_text(sys.executable + "\n")

    @property
    def places(self) -> dict[str, str]:
        """The real path of each place of the form."""
        found = {"root": self.root, "outside": self.outside, "home": self.home}
        return {name: str(path) for name, path in found.items()} | {
            "state": str(self.data),
            "plugin": str(self.launched),
        }

    @property
    def plan(self) -> str:
        """The case's plan, as it is emitted."""
        plan = self.case.plan
        text = plan_text({**plan, "commands": placed(plan.get("commands", []), self.places)})
        return text.replace("\n", "\r\n") if self.is_crlf else text

    def hook_environ(self, plugin: Path) -> dict[str, str]:
        """The environment of a step's hook process."""
        found = self.environ | {"CLAUDE_PLUGIN_ROOT": str(plugin)}
        return found | {"PLUGIN_ROOT": str(plugin)} if self.host == "codex" else found

    def set_up(self) -> None:
        """Bring about all of the case's ``setup``."""
        setup = self.case.setup
        for row in [*(setup.get("fs") or ()), *(setup.get("files") or ())]:
            self._put(placed(row, self.places))
        for name, table in (("note", NOTES), ("input", INPUTS)):
            self._apply(name, table)
        if "evidence" in setup and setup["phase"] not in ("executing", "completing"):
            raise Unknown(f"{self.case.id}: evidence while {setup['phase']}")
        if not self.is_unprompted:
            self._apply("phase", PHASES)
        self._apply("fault", FAULTS)

    def _apply(self, name: str, table: Table) -> None:
        text = self.case.setup.get(name)
        if text is not None:
            meaning(table, name, text)(self)

    def _put(self, row: dict[str, Any]) -> None:
        path = Path(row.pop("path"))
        path.parent.mkdir(parents=True, exist_ok=True)
        (kind, value), *others = row.items()
        if others or kind not in LAYERS:
            raise Unknown(f"file {row}")
        LAYERS[kind](path, value)

    def journal(self) -> list[dict[str, Any]]:
        """Give the run's journal."""
        path = Path(self.store.folder, "journal.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def expect_silence(self, answered: Answered) -> None:
        """Demand that a step of the setup was let through."""
        if not answered.is_silent:
            raise Unknown(f"{self.case.id}: the setup is refused: {answered.text}")

    def resume(self, refusal: str) -> None:
        """Lead the run out of a pause: the root emits the Resume that the refusal carries, and the human says ``y``."""
        emitted = refusal[refusal.index("# Repair Resume") :].rstrip("\n") + "\n"
        self.expect_silence(self.stop(emitted))
        told = self.say_y().text
        assert "Approval activated" in told, told


def meaning(table: Table, what: str, text: str) -> Callable[[World], object]:
    """Look up what a text of the form means.

    Raises:
        Unknown: If no row of the table matches the whole text.
    """
    for pattern, act in table:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found is not None:
            return lambda world, act=act, found=found: act(world, found)  # type: ignore[misc]  # bound here
    raise Unknown(f"{what}: {text!r}")


def _link(path: Path, target: str) -> None:
    path.symlink_to(target)


def _hard_link(path: Path, target: str) -> None:
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Path(target).touch()
    path.hardlink_to(target)


def _file(path: Path, value: object) -> None:
    path.write_text(value if isinstance(value, str) else "")


LAYERS = {
    "symlink": _link,
    "hardlink": _hard_link,
    "file": _file,
    "content": _file,
    "text": _file,
    "dir": lambda path, _: path.mkdir(exist_ok=True),
}


# Phases: what the form's words are in our lifecycle.


def _activate(world: World, _: object = None) -> None:
    world.prompt("$harness keep digits")


def _ask(world: World, _: object = None) -> None:
    _activate(world)
    world.expect_silence(world.stop(world.plan))
    world.age_gate()


def _execute(world: World, _: object = None) -> None:
    _ask(world)
    told = world.prompt("y").text
    assert "Approval activated" in told, told


def _claim(world: World, _: object = None) -> None:
    """The Reviewer is due, and its spawn was let through."""
    _execute(world)
    world.expect_silence(world.spawn())
    if world.started is not None:
        world.child("SubagentStart", world.started)


def _complete(world: World, _: object = None) -> None:
    """The work is said to be done; what there is of evidence is the case's."""
    meaning(EVIDENCE, "evidence", world.case.setup.get("evidence", "none"))(world)


def _judge(world: World, verdict: str) -> None:
    _execute(world)
    findings = [
        {
            "id": "R1-F1", "severity": "important", "classification": "IN_PLAN_REPAIR", "path": "src/a.py", "line": 1,
            "message": "Digits get lost.",
        }
    ]  # fmt: skip
    taken = world.reviewed(verdict, findings if verdict == "REPAIR_REQUIRED" else None)
    assert taken.is_blocked, taken  # the root is told what is due now


def _finish(world: World, _: object = None) -> None:
    _judge(world, "PASS")
    world.expect_silence(world.stop(world.completion()))


def _cancel(world: World, _: object = None) -> None:
    _execute(world)
    world.prompt("$harness cancel")
    world.stop("Cancelled.")


def _pause(world: World, _: object = None) -> None:
    _execute(world)
    assert world.write("../outside/x").is_denied


PHASES: Table = (
    ("none|inactive|idle|no (run|workflow)( active)?", lambda *_: None),
    ("(awaiting[- ]plan|planning)", _activate),
    ("awaiting[- ](plan[- ])?approval", _ask),
    ("executing( an accepted plan)?", _complete),
    ("reviewing|awaiting[- ]review", _claim),
    ("completing", _complete),
    ("(auto[-_ ])?repairing", lambda world, _: _judge(world, "REPAIR_REQUIRED")),
    ("paused|blocked", _pause),
    ("complete|completed|done", _finish),
    ("aborted|cancelled|canceled", _cancel),
)


# Evidence of a run whose work is said to be done.


def _red(world: World, found: re.Match[str]) -> None:
    (world.root / "verify.sh").write_text(f"cat <<'EOF' >&2\n{found['said']}\nEOF\nexit 1\n")
    _execute(world)
    assert world.spawn().rule == "evidence.red"


def _forge(world: World, _: object) -> None:
    _execute(world)
    digest = "sha256:" + "5" * 64
    forged = {
        "schema": "harness.verification-evidence.v2", "run_id": world.state.run_id, "green": True, "runs": [],
        "integrity_fingerprint": digest, "diff_before": digest, "diff_after": digest, "seal": "0" * 64,
    }  # fmt: skip
    Path(world.store.folder, "evidence", RECORD).write_text(json.dumps(forged))


def _stale(world: World, _: object) -> None:
    _judge(world, "PASS")
    (world.root / "src" / "a.py").write_text("a = 2\n")


EVIDENCE: Table = (
    ("none", _execute),
    ("last test run failed with: (?P<said>.+)", _red),
    ("a record with a plausible digest that no run produced", _forge),
    ("engine run passed for the present tree", lambda world, _: _judge(world, "PASS")),
    ("engine run passed( for (an (earlier|older)|a previous) tree|,? .*(changed|edited|moved).*)", _stale),
)


# Notes: what the form says in prose beside its fields.


def _unprompted(world: World, _: object) -> None:
    world.is_unprompted = True


def _crlf(world: World, _: object) -> None:
    world.is_crlf = True


def _starts(world: World, found: re.Match[str]) -> None:
    world.started = found["agent"]


def _loosen(world: World, _: object) -> None:
    """Whatever a project may hold that a guard could take for its policy; ours reads none of it."""
    allow = {"permissions": {"allow": ["Bash(*)"]}, "unknown_commands": "allow"}
    for name in (".claude/settings.json", ".codex/config.json", ".harness-guard.json", "harness.json"):
        path = world.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(allow))


def _nothing(*_: object) -> None:
    """The phase or the steps say it already."""


NOTES: Table = (
    ("no prompt event was ever received in this session", _unprompted),
    (r"start event of (?P<agent>[\w-]+) was seen( with agent_type [\w:-]+)?", _starts),
    ("plan arrived with CRLF line ends, is re-read with LF", _crlf),
    ("the project file sets unknown commands to allow, the user file does not", _loosen),
    ("no plan has been presented yet", _nothing),
    (r"\d+ copies of the event below at the same time, distinct tool_use_id", _nothing),
    ("another plugin wraps shell commands in a launcher", _nothing),
)


# Faults inside the guard: each is a plugin that breaks in several places, or a folder that is damaged.

RAISING = {
    "raises-call": ("harness_guard/dispatch.py", "def answer(*_, **__):\n    raise KeyError('seeded')\n"),
    "raises-decision": (
        "harness_guard/kernel/decide.py",
        "def decide(*_, **__):\n    raise RecursionError('seeded')\n",
    ),
    "raises-payload": ("harness_guard/hosts/registry.py", "def decode(*_, **__):\n    raise MemoryError\n"),
    "raises-state": (
        "harness_guard/store/runs.py",
        "def _no(*_):\n    raise OSError(28, 'seeded')\nRunStore.load = _no\n",
    ),
    "raises-answer": ("harness_guard/hosts/answers.py", "def encode(*_, **__):\n    raise SystemExit(1)\n"),
}
HANGING = {"hangs": ("harness_guard/dispatch.py", "def answer(*_, **__):\n    import time\n    time.sleep(600)\n")}
MISSING = {"imports": ("harness_guard/dispatch.py", "import no_such_module\n")}


def _broken(rows: dict[str, tuple[str, str]]) -> Callable[[World, object], None]:
    def act(world: World, _: object) -> None:
        world.variants = tuple(world.stage.broken(name, *row) for name, row in rows.items())

    return act


def _damage(world: World, _: object) -> None:
    path = Path(world.store.state_file)
    path.write_bytes(path.read_bytes()[:-40])


FAULTS: Table = (
    ("any internal exception while deciding|.*(raises|throws|exception|crash).*", _broken(RAISING)),
    (".*(hangs|never returns|sleeps|time[- ]?out|times out|takes too long).*", _broken(HANGING)),
    (".*(import|module|dependency|package).*(missing|fails?|error|gone).*", _broken(MISSING)),
    (".*state.*(unreadable|corrupt|truncated|torn|garbage|tampered|edited|damaged|not JSON|half).*", _damage),
    (".*state.*(missing|deleted|gone|removed).*", lambda world, _: Path(world.store.state_file).unlink()),
    (
        ".*(interpreter|python).*(missing|gone|not found).*",
        lambda world, _: (world.data / "interpreter").write_text("/nowhere/python3\n"),
    ),
)


# Faults of the payload on its way; what is sent is ``report_player``'s.


def _sent(name: str) -> Callable[[World, object], None]:
    def act(world: World, _: object) -> None:
        world.payload_fault = name

    return act


INPUTS: Table = (
    ("payload is written, the pipe stays open", _sent("open")),
    (".*(nothing|no payload|never) .*(written|sent|arrives).*|empty", _sent("empty")),
    (".*(truncated|cut|half|incomplete).*", _sent("truncated")),
    (".*(not|invalid|no) utf-?8.*|.*latin-?1.*", _sent("bytes")),
    (".*(byte[- ]order mark|BOM).*", _sent("mark")),
    (".*(huge|large|megabytes|[0-9]+ ?Mi?B).*", _sent("huge")),
    (".*(chunks|pieces|slowly|byte by byte|split).*", _sent("pieces")),
    (".*(trailing|extra|after the (object|payload)).*", _sent("trailing")),
    (".*(duplicate|twice).*key.*", _sent("duplicate")),
)
