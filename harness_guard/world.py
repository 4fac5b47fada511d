"""The world behind the kernel's questions: each question with the one function that looks its answer up.

Decides nothing. What is heavy is imported by the question that needs it, because most calls ask little.
"""

from __future__ import annotations

import os
import time

from harness_guard.errors import EvidenceError, HarnessError, StateError
from harness_guard.records import replace
from harness_guard.store.lock import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final

    from harness_guard.evidence.diff import WorkingTree
    from harness_guard.kernel import questions as q
    from harness_guard.kernel import run_questions as r
    from harness_guard.kernel.event import Event
    from harness_guard.kernel.state import RunState
    from harness_guard.policy.place import Place
    from harness_guard.shell.analysis import ShellFacts, Surroundings
    from harness_guard.store.runs import RunStore

ATTESTATION: Final = "pending-review-attestation.json"
ATTESTATION_SCHEMA: Final = "harness.review-attestation.v1"
TRANSCRIPT_WAIT_S: Final = 1.0  # a busy host writes the prompt's row a moment after the turn's first call
TRANSCRIPT_PAUSE_S: Final = 0.05
SNAPSHOT_EXTRA_S: Final = 120.0  # a snapshot hashes every file that changed; the first one the whole repository


class World:
    """Answers for one event."""

    def __init__(self, event: Event, store: RunStore, environ: Mapping[str, str], plugin_root: str) -> None:
        """Take the event, the session's store, the hook's environment and the plugin's folder."""
        self.event = event
        self.store = store
        self.environ = environ
        self.plugin_root = plugin_root
        self.state: RunState | None = None
        self._snapshot: r.Snapshot | None = None
        self._turn_seen: bool | None = None
        self._engine: Lock | None = None
        self._trees: WorkingTree | None = None

    def begin(self, state: RunState | None) -> None:
        """Start a decision on a state; what was looked up for another one is forgotten."""
        self.state = state
        self._snapshot = None

    def close(self) -> None:
        """Let go of what a decision held until its commit."""
        if self._engine is not None:
            self._engine.__exit__(None, None, None)
            self._engine = None

    def answer(self, question: object) -> object:
        """Look up the answer to one question.

        Raises:
            HarnessError: If the world does not give it.
            RuntimeError: If nobody answers such a question.
        """
        look_up = _ANSWERS.get(type(question).__name__)
        if look_up is None:
            raise RuntimeError(f"nobody answers {type(question).__name__}")
        return look_up(self, question)

    def _run(self) -> RunState:
        if self.state is None:
            raise RuntimeError("a question about a run was asked without one")
        return self.state

    # Clock, turns, processes, transcript.

    def _now(self, _question: r.Now) -> int:
        return time.time_ns() // 1_000_000

    def _turn(self, question: r.TurnSeen) -> bool:
        # Kept for a decision that has to be taken again: by then this very event has noted its turn.
        if self._turn_seen is None:
            self._turn_seen = self.store.is_turn_seen(question.turn_id)
        return self._turn_seen

    def _alive(self, question: r.ProcessAlive) -> bool:
        from harness_guard.evidence.process import is_alive

        return is_alive(question.pid, question.started)

    def _author(self, question: q.AuthorOf) -> q.Author:
        from harness_guard.evidence.transcript import author_of

        limit = time.monotonic() + TRANSCRIPT_WAIT_S
        while True:
            path, turn = question.transcript_path, question.turn_id
            found = author_of(question.host, path, turn, after_ms=question.after_ms)
            if found != "missing" or time.monotonic() >= limit:
                return found
            time.sleep(TRANSCRIPT_PAUSE_S)

    def _queued(self, question: r.QueuedBefore) -> bool:
        from harness_guard.evidence.transcript import was_queued_before

        return was_queued_before(question.transcript_path, question.prompt, question.before_ms)

    # Paths and shell texts.

    def _places(self, question: q.PlacesOf) -> tuple[Place, ...]:
        from harness_guard.evidence.resolve import resolve_write

        return resolve_write(question.write, self._run().repository_root)

    def _link(self, question: q.LinkPlaces) -> tuple[Place, Place]:
        from harness_guard.evidence.resolve import resolve_link

        return resolve_link(question.link, self._run().repository_root)

    def _carried(self, question: q.CarriedAlong) -> str | None:
        from harness_guard.evidence.resolve import carried_along

        return carried_along(self._expanded(question.path))

    def _odd_name(self, question: q.OddName) -> str | None:
        from harness_guard.evidence.resolve import odd_along

        return odd_along(
            self._expanded(question.path),
            is_pattern=question.is_pattern,
            is_deep=question.is_deep,
            scratch=question.scratch,
        )

    def _odd_deleted(self, question: q.OddDeleted) -> str | None:
        from harness_guard.evidence.git import Git

        return Git(self._run().repository_root, self.environ).odd_deleted(question.path)

    def _is_there(self, question: q.IsThere) -> bool:
        from harness_guard.evidence.resolve import is_there

        return is_there(question.real)

    def _program_folders(self, _question: q.ProgramFolders) -> tuple[str, ...]:
        from harness_guard.evidence.resolve import resolve_path

        state = self._run()
        own = tuple(f"{folder}/" for folder in (state.repository_root, state.scratch) if folder)
        found = [
            resolve_path(self._expanded(folder or "."), follow=True)
            for folder in self.environ.get("PATH", "").split(":")
            if not folder.startswith("/") or os.path.isdir(folder)
        ]
        return tuple(folder for folder in found if f"{folder}/".startswith(own))

    def _planted(self, question: q.PlantedProgram) -> str | None:
        paths = (f"{folder}/{name}" for folder in question.folders for name in question.names)
        return next((path for path in paths if os.path.lexists(path)), None)

    def _real(self, question: q.RealPath) -> str:
        from harness_guard.evidence.resolve import resolve_path

        return resolve_path(self._expanded(question.path), follow=True)

    def _expanded(self, path: str) -> str:
        if path == "~" or path.startswith("~/"):
            return self.environ.get("HOME", "/") + path[1:]
        return path if path.startswith("/") else f"{self.event.cwd}/{path}"

    def _where(self, question: q.WhereShell) -> Surroundings:
        from harness_guard.shell.analysis import Surroundings

        state = self._run()
        git_folders = (state.control_plane or {}).get("git_dirs", ())
        return Surroundings(
            cwd=question.cwd,
            root=state.repository_root,
            home=self.environ.get("HOME", ""),
            plugin_command=self._command(),
            git_folders=tuple(map(str, git_folders)) if isinstance(git_folders, list | tuple) else (),
        )

    def _shell(self, question: q.ShellFactsFor) -> ShellFacts:
        from harness_guard.evidence.shell_facts import gather

        return gather(question.command, question.needs, question.known, shfmt=f"{self._runtime()}/bin/shfmt")

    def _runtime(self) -> str:
        places = self.store.places
        with open(places.current_runtime, encoding="utf-8") as handle:
            return f"{places.runtime}/{handle.read().strip()}"

    def _command(self) -> str:
        command = self.store.places.command
        if all(char.isalnum() or char in "/._-+@%" for char in command):
            return command
        return "'" + command.replace("'", "'\\''") + "'"

    # The tree, the engine, the Reviewer.

    def _engine_runs(self, _question: q.EngineRuns) -> bool:
        return self._engine is None and self.store.engine_runs()

    def _tree(self) -> WorkingTree:
        if self._trees is None:
            from harness_guard.evidence.diff import WorkingTree
            from harness_guard.evidence.git import Git

            folder = f"{self.store.folder}/tree"
            git = Git(self._run().repository_root, self.environ)
            self._trees = WorkingTree(git, folder, lambda: Lock(f"{self.store.folder}/tree.lock"))
        return self._trees

    def _caches(self) -> tuple[str, ...]:
        policy = self._run().active_policy
        return policy.caches if policy is not None else ()

    def _tree_now(self, _question: r.TreeNow | None) -> r.Snapshot:
        baseline = self._run().baseline
        if baseline is None:
            raise StateError("evidence.baseline", "the run has no baseline", "Emit the Plan again.")
        if self._snapshot is None:
            from harness_guard.runtime.deadline import extend

            extend(SNAPSHOT_EXTRA_S)
            self._snapshot = self._tree().against(baseline, self._caches())
        return self._snapshot

    def _changed_since(self, question: r.ChangedSince) -> tuple[str, ...]:
        return self._tree().between(question.tree, self._tree_now(None).tree)

    def _tracked(self, _question: r.TrackedPaths) -> tuple[str, ...]:
        return self._tree().tracked()

    def _baseline(self, question: r.TakeBaseline) -> r.BaselineFacts:
        from harness_guard.evidence.scratch import make_scratch
        from harness_guard.kernel.run_questions import BaselineFacts
        from harness_guard.runtime.deadline import extend

        extend(SNAPSHOT_EXTRA_S)
        state, tree = self._run(), self._tree().snapshot(question.caches)
        return BaselineFacts(self._tree().head(), tree, make_scratch(state.run_id, state.repository_root, self.environ))

    def _absorb(self, question: r.AbsorbForeign) -> str:
        baseline = self._run().baseline
        if baseline is None:
            raise StateError("evidence.baseline", "the run has no baseline", "Emit the Plan again.")
        tree = self._tree().absorb(baseline, question.paths, self._caches())
        # What is asked from now on, the engine's run included, is about the new baseline.
        self.state = replace(self._run(), baseline=replace(baseline, tree=tree))
        self._snapshot = None
        return tree

    def _verified(self, question: r.Verified) -> r.Verification:
        from harness_guard.errors import StoreError
        from harness_guard.evidence.engine import RECORD, Bench, verify
        from harness_guard.kernel.run_questions import Verification
        from harness_guard.runtime.deadline import extend

        # INVARIANT (contract 2): the lock is held until the commit; until then every other mutation is denied.
        if self._engine is None:
            lock = Lock(self.store.engine_lock, timeout_s=0)
            try:
                self._engine = lock.__enter__()
            except StoreError:
                return Verification("busy", detail="another engine run of this session is under way")
        state = self._run()
        bench = Bench(self._tree(), state.repository_root, self.environ, self._watched(), extend)
        found, record = verify(state, question.policy, bench, self._last_record())
        if record is not None:
            self.store.save_sealed(RECORD, record)
        self._snapshot = None
        return found

    def _watched(self) -> tuple[str, ...]:
        """List what of the control plane must hold still while the engine runs; hosts write the rest all the time."""
        state = self._run()
        plane = state.control_plane or {}
        git_dirs = plane.get("git_dirs", ())
        folders = [str(path) for path in git_dirs] if isinstance(git_dirs, list | tuple) else []
        hooks = plane.get("hook_dirs", ())
        root = state.repository_root
        return (
            self.plugin_root,
            self.store.places.key,
            self.store.state_file,
            f"{root}/.claude",
            f"{root}/.codex",
            f"{root}/.mcp.json",
            # Git's folders change with every command; their settings do not. Single files are settings themselves.
            *(f"{folder}/config" if os.path.isdir(folder) else folder for folder in folders),
            *([str(path) for path in hooks] if isinstance(hooks, list | tuple) else []),
        )

    def _last_record(self) -> dict[str, object] | None:
        from harness_guard.evidence.engine import RECORD

        try:
            record = self.store.load_sealed(RECORD)
        except HarnessError:
            return None  # a damaged record is no evidence; the engine runs again
        return record if record is not None and record.get("run_id") == self._run().run_id else None

    def _last(self, _question: r.LastVerification) -> r.Verification | None:
        from harness_guard.evidence.engine import verification_of

        record = self._last_record()
        if record is None or record.get("integrity_fingerprint") != self._run().integrity_fingerprint:
            return None
        return verification_of(record)

    def _latest(self, _question: r.LatestRecord) -> r.Verification | None:
        from harness_guard.evidence.engine import verification_of

        record = self._last_record()
        return None if record is None else verification_of(record)

    def _brief(self, _question: r.BriefFile) -> str:
        return f"{self.store.folder}/brief.md"

    def write_brief(self, state: RunState, head: str) -> None:
        """Write ``brief.md`` for the Reviewer of a state that is about to be committed.

        Raises:
            HarnessError: If the plan's text, the tree or the file cannot be had.
        """
        from harness_guard.evidence.brief import brief_text
        from harness_guard.store.files import write_atomically

        plan = self.store.load_text(state.accepted_plan_hash or "")
        changed = state.accepted_amendment_hash
        amendment = self.store.load_text(changed) if changed is not None else ""
        text = brief_text(state, self._tree(), head=head, plan=plan, amendment=amendment)
        write_atomically(f"{self.store.folder}/brief.md", text.encode(errors="replace"))

    def _template(self, question: r.TemplateText) -> str:
        with open(f"{self.plugin_root}/templates/{question.name}.md", encoding="utf-8") as handle:
            return handle.read()

    def _attested(self, _question: r.PendingAttestation) -> str | None:
        from harness_guard.artifacts.digest import message_hash

        state = self._run()
        try:
            found = self.store.load_sealed(ATTESTATION)
        except HarnessError:
            return None  # modified: it counts as missing (contract section 8)
        if found is None:
            return None
        text = found.get("text")
        bound = attestation_bindings(state)
        if not isinstance(text, str) or any(found.get(name) != value for name, value in bound.items()):
            return None
        return text if found.get("artifact_hash") == message_hash(text) else None

    # The plugin and new runs.

    def installed(self, _question: r.Installed | None = None) -> r.Installation:
        """Tell where this copy of the plugin lies."""
        from harness_guard.kernel.run_questions import Installation
        from harness_guard.rawjson import loads

        with open(f"{self.plugin_root}/plugin.json", encoding="utf-8") as handle:
            manifest = loads(handle.read())
        version = manifest.get("version") if isinstance(manifest, dict) else None
        is_claude = self.event.host == "claude"
        project = self.environ.get("CLAUDE_PROJECT_DIR", "") if is_claude else ""
        return Installation(
            skill=f"{self.plugin_root}/skills/harness/SKILL.md",
            contract=f"{self.plugin_root}/contracts/harness-contract.md",
            templates=f"{self.plugin_root}/templates",
            command=self._command(),
            # Both hosts name the data folder PLUGIN-MARKETPLACE.
            marketplace=os.path.basename(self.store.places.data).removeprefix("harness-"),
            version=str(version),
            root=project if project.startswith("/") else os.getcwd(),
        )

    def _new_run(self, question: r.NewRun) -> r.NewRunFacts:
        from harness_guard.evidence.git import find_root
        from harness_guard.evidence.surroundings import gather
        from harness_guard.kernel.run_questions import NewRunFacts
        from harness_guard.policy.control_plane import to_json

        run_id = os.urandom(8).hex()
        try:
            root = find_root(question.root, self.environ)
            if root is None:
                problem = f"{question.root} is in no git repository; run `git init` there first"
                return NewRunFacts(run_id, "", {}, problem)
            data = os.path.realpath(self.store.places.data)
            if f"{data}/".startswith(f"{os.path.realpath(root)}/"):
                problem = f"the plugin's data folder {data} lies inside the repository {root}"
                return NewRunFacts(run_id, "", {}, problem)
            plane = gather(root, self.plugin_root, self.store.places.data, self.environ)
        except EvidenceError as error:
            return NewRunFacts(run_id, "", {}, f"{error.seen}; {error.remedy}")
        return NewRunFacts(run_id, plane.root, to_json(plane))


def attestation_bindings(state: RunState) -> dict[str, object]:
    """Give what an attestation is bound to, as its members (contract section 8)."""
    return {
        "schema": ATTESTATION_SCHEMA,
        "session_id": state.session_id,
        "run_id": state.run_id,
        "state_revision": state.revision,
        "accepted_plan_hash": state.accepted_plan_hash,
        "accepted_amendment_hash": state.accepted_amendment_hash,
        "diff_revision": state.diff_revision,
        "verification_fingerprint": state.integrity_fingerprint,
    }


_ANSWERS: Final[Mapping[str, Callable[..., object]]] = {
    "Now": World._now,
    "TurnSeen": World._turn,
    "ProcessAlive": World._alive,
    "AuthorOf": World._author,
    "QueuedBefore": World._queued,
    "ShellFactsFor": World._shell,
    "WhereShell": World._where,
    "PlacesOf": World._places,
    "LinkPlaces": World._link,
    "CarriedAlong": World._carried,
    "OddName": World._odd_name,
    "OddDeleted": World._odd_deleted,
    "IsThere": World._is_there,
    "ProgramFolders": World._program_folders,
    "PlantedProgram": World._planted,
    "RealPath": World._real,
    "EngineRuns": World._engine_runs,
    "TreeNow": World._tree_now,
    "ChangedSince": World._changed_since,
    "TrackedPaths": World._tracked,
    "TakeBaseline": World._baseline,
    "AbsorbForeign": World._absorb,
    "Verified": World._verified,
    "LastVerification": World._last,
    "LatestRecord": World._latest,
    "BriefFile": World._brief,
    "TemplateText": World._template,
    "PendingAttestation": World._attested,
    "Installed": World.installed,
    "NewRun": World._new_run,
}
