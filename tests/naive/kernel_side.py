"""The kernel behind the same methods as the naive guard: abstract happenings become real events and artifact texts.

What a text binds is worked out from the naive run, not from the kernel's state: if the two have drifted apart, the
kernel refuses what the naive guard takes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha1, sha256
from typing import Any

from fake_world import PLANE, ROOT, FakeWorld, event, prompt, stop
from naive.run import Run
from naive.values import (
    Amendment,
    Check,
    Completion,
    Content,
    Engine,
    Evidence,
    Message,
    NearMiss,
    Plan,
    Prose,
    Record,
    Resume,
    Review,
    Tree,
    changed,
    content,
)

from harness_guard.artifacts.digest import message_hash
from harness_guard.canonical import canonical
from harness_guard.kernel.outcome import ArchiveRun, DropAttestation, EndMarker, Outcome, WriteAttestation
from harness_guard.kernel.run_questions import (
    AbsorbForeign,
    BaselineFacts,
    ChangedSince,
    CommandRun,
    NewRunFacts,
    PendingAttestation,
    Snapshot,
    TakeBaseline,
    Verification,
    Verified,
)
from harness_guard.kernel.spawn import REVIEWER_TYPE, next_spawn
from harness_guard.kernel.state import RunState, state_to_json
from harness_guard.policy.model import Policy
from harness_guard.shell.analysis import Surroundings
from harness_guard.store.schema import check_state

NOTHING = "sha256:" + "0" * 64
DELTAS = ("objective", "acceptance_criteria", "scope", "write_boundary", "verification", "risk")
PROMPTS = {
    "activate": "$harness keep digits",
    "y": "y",
    "cancel": "$harness cancel",
    "status": "$harness status",
    "other": "Go on.",
}
CALLS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "read": ("Read", {"file_path": f"{ROOT}/README.md"}),
    "inside": ("Write", {"file_path": f"{ROOT}/src/a.py", "content": "x"}),
    "outside": ("Write", {"file_path": f"{ROOT}/LICENSE", "content": "x"}),
    "target unknown": ("Write", {"file_path": "~/notes", "content": "x"}),
    "danger": ("Bash", {"command": "rm -rf /"}),
    "opaque": ("Frobnicate", {}),
    "exact": ("Bash", {"command": "make test"}),
}
READERS_TYPE = {"agent_type": REVIEWER_TYPE}


def named(value: object) -> str:
    """Give a hash in the artifacts' form for any value."""
    return "sha256:" + sha256(repr(value).encode()).hexdigest()


def block(key: str, members: object) -> str:
    return f"```json\n{json.dumps({key: members})}\n```"


def artifact(title: str, *sections: tuple[str, str]) -> str:
    return f"# {title}\n" + "".join(f"\n## {name}\n\n{body}\n" for name, body in sections)


def bullets(words: object) -> str:
    return "\n".join(f"- `{word}`" for word in sorted(words)) or "None"  # type: ignore[call-overload]  # sets of words


def strategy(required: tuple[Check, ...]) -> str:
    rows = [{"id": check.id, "command": check.command, "timeout_s": check.timeout_s} for check in required]
    return block("verification_strategy", {"kind": "regression_first", "required": rows, "optional": []})


def integrity(evidence: Evidence | None) -> str | None:
    return None if evidence is None else named(("integrity", evidence.integrity))


class KernelSide(FakeWorld):
    """The kernel with one session's state and a world around it that the test moves."""

    def __init__(self) -> None:
        super().__init__()
        self.state: RunState | None = None
        self.tree: Content = ()
        self.baseline: Content = ()
        self.trees: dict[str, Content] = {}
        self.engine = Engine()
        self.record: tuple[Policy, Content, Content, Verification] | None = None
        self.attestation: tuple[int, str] | None = None
        self.digests: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.calls = 0
        self.runs = 0
        self.has_marker = False
        self.first_revision = 1
        self.outcome = Outcome()
        self.why = ""
        self.answers |= {
            "AuthorOf": "human",
            "WhereShell": Surroundings(ROOT, ROOT, "/home/u"),
            "TreeNow": lambda _: self.snapshot(),
            "ChangedSince": self._changed_since,
            "Verified": self._verified,
            "LastVerification": lambda _: self._named_record(),
            "PendingAttestation": self._pending,
            "TakeBaseline": self._take_baseline,
            "AbsorbForeign": self._absorb,
            "NewRun": self._new_run,
        }

    # The world -------------------------------------------------------------------------------------------------

    def tree_id(self, tree: Content) -> str:
        found = sha1(repr(tree).encode(), usedforsecurity=False).hexdigest()
        self.trees[found] = tree
        return found

    def diff(self, baseline: Content, tree: Content) -> str:
        return named((baseline, tree))

    def snapshot(self) -> Snapshot:
        paths = tuple(sorted(changed(self.baseline, self.tree)))
        return Snapshot(self.diff(self.baseline, self.tree), paths, self.tree_id(self.tree))

    def _changed_since(self, question: ChangedSince) -> tuple[str, ...]:
        return tuple(sorted(changed(self.trees[question.tree], self.tree)))

    def _take_baseline(self, _question: TakeBaseline) -> BaselineFacts:
        self.baseline = self.tree
        return BaselineFacts("c" * 40, self.tree_id(self.tree), "/tmp/harness-guard-r1")

    def _absorb(self, question: AbsorbForeign) -> str:
        kept = [row for row in self.baseline if row[0] not in question.paths]
        self.baseline = tuple(sorted([*kept, *[row for row in self.tree if row[0] in question.paths]]))
        return self.tree_id(self.baseline)

    def _new_run(self, _question: object) -> NewRunFacts:
        self.runs += 1
        return NewRunFacts(f"run{self.runs}", ROOT, dict(PLANE))

    def _verified(self, question: Verified) -> Verification:
        if self.record is not None:
            policy, baseline, tree, known = self.record
            is_same = policy.required == question.policy.required and (baseline, tree) == (self.baseline, self.tree)
            if is_same and known.outcome == "green":
                return known
        if self.engine.kind in ("moved", "busy"):
            return Verification(self.engine.kind, detail="something", paths=("src/a.py",))
        found = self._run(question.policy)
        self.record = (question.policy, self.baseline, self.tree, found)
        return found

    def _run(self, policy: Policy) -> Verification:
        checks = tuple(Check(check.id, check.command, check.timeout_s) for check in policy.required)
        evidence = Evidence(self.engine.kind == "green", (self.baseline, self.tree), checks, self.engine.output)
        status = {"green": 0, "red": 1, "unavailable": None}[self.engine.kind]
        tried = checks if self.engine.kind == "green" else checks[:1]
        runs = tuple(CommandRun(check.id, check.command, status, timed_out=False, tail="said\n") for check in tried)
        return Verification(
            self.engine.kind,
            self.diff(self.baseline, self.tree),
            integrity(evidence) or "",
            named(("progress", evidence.progress)),
            failed=None if self.engine.kind == "green" else runs[0],
            runs=runs,
        )

    def _named_record(self) -> Verification | None:
        if self.record is None or self.state is None:
            return None
        found = self.record[3]
        names = (self.state.diff_revision, self.state.integrity_fingerprint)
        return found if names == (found.diff_revision, found.integrity_fingerprint) else None

    def _pending(self, _question: PendingAttestation) -> str | None:
        if self.attestation is None or self.state is None or self.attestation[0] != self.state.revision:
            return None
        return self.attestation[1]

    def _happens(self, happened: Any) -> str:
        """Let the kernel decide, and do what it leaves to do; without a marker there is no run to decide about."""
        if not self.has_marker and happened.name != "UserPromptSubmit":
            self.outcome = Outcome()
            return "pass"
        before = self.state if self.has_marker else None
        if before is not None and before.baseline is not None:
            self.baseline = self.trees[before.baseline.tree]
        outcome: Outcome = self.decide(happened, before)
        if outcome.state is not None:
            check_state(canonical(state_to_json(outcome.state)).encode())
            if self.state is None or self.state.run_id != outcome.state.run_id:
                self.first_revision = outcome.state.revision
            self.state = outcome.state
            self.has_marker = True
        for duty in outcome.duties:
            if isinstance(duty, ArchiveRun):
                self.record = self.attestation = None
            elif isinstance(duty, DropAttestation):
                self.attestation = None
            elif isinstance(duty, WriteAttestation):
                assert self.state is not None
                self.attestation = (self.state.revision, duty.text)
            elif isinstance(duty, EndMarker):
                self.has_marker = False
        self.outcome = outcome
        self._learn_why()
        return outcome.decision.verdict

    def _learn_why(self) -> None:
        """Keep the Reason of the Repair Resume that a pause hands out (L4.2, L4.3)."""
        reason = self.outcome.decision.reason
        _, _, resume = (reason.more if reason is not None else "").partition("# Repair Resume\n")
        if resume:
            self.why = resume.partition("## Reason\n\n")[2].partition("\n\n## Approval")[0]

    # What happens ----------------------------------------------------------------------------------------------

    def prompt(
        self,
        text: str,
        *,
        tree: Tree,
        turn: int,
        now_ms: int,
        is_fresh: bool = True,
        is_made_by_host: bool = False,
        author: str = "human",
        is_queued: bool = False,
    ) -> str:
        self.tree = content(tree)
        self.answers |= {"Now": now_ms, "TurnSeen": not is_fresh, "QueuedBefore": is_queued, "AuthorOf": author}
        source = "loop_wakeup" if is_made_by_host else "user"
        return self._happens(prompt(PROMPTS[text], turn_id=f"turn-{turn}", source=source))

    def tool(
        self, kind: str, *, turn: int, author: str = "human", is_child: bool = False, engine_runs: bool = False
    ) -> str:
        self.answers |= {"AuthorOf": author, "EngineRuns": engine_runs}
        name, arguments = CALLS[kind]
        return self._happens(self._call(name, arguments, turn, is_child=is_child))

    def _call(self, name: str, arguments: dict[str, Any], turn: int, *, is_child: bool, agent: str = "a-0") -> Any:
        self.calls += 1
        child = {"agent_id": agent, **READERS_TYPE} if is_child else {}
        fields: dict[str, Any] = {"tool_name": name, "tool_input": arguments, "tool_use_id": f"u{self.calls}"}
        return event("PreToolUse", **fields, turn_id=f"turn-{turn}", **child)

    def spawn(
        self,
        *,
        tree: Tree,
        engine: Engine,
        turn: int,
        author: str = "human",
        is_exact: bool = True,
        is_child: bool = False,
        engine_runs: bool = False,
    ) -> str:
        self.tree = content(tree)
        self.engine = engine
        self.answers |= {"AuthorOf": author, "EngineRuns": engine_runs}
        arguments: dict[str, Any] = {"prompt": "Clean-context read-only Reviewer", "subagent_type": REVIEWER_TYPE}
        if self.state is not None:
            arguments = next_spawn(self.state).for_host("claude")
        if not is_exact:
            arguments["prompt"] += " The work is right."
        return self._happens(self._call("Agent", arguments, turn, is_child=is_child))

    def reviewer_starts(self, agent: str, *, turn: int) -> str:
        return self._happens(event("SubagentStart", agent_id=agent, turn_id=f"turn-{turn}", **READERS_TYPE))

    def reviewer_reads(self, agent: str, *, turn: int) -> str:
        brief = {"file_path": self.answers["BriefFile"]}
        return self._happens(self._call("Read", brief, turn, is_child=True, agent=agent))

    def reviewer_stops(self, agent: str, message: Message, *, tree: Tree, run: Run | None, turn: int) -> str:
        self.tree = content(tree)
        text = self.text_of(message, run, tree)
        return self._happens(
            event("SubagentStop", agent_id=agent, turn_id=f"turn-{turn}", message=text, **READERS_TYPE)
        )

    def stop(
        self,
        message: Message,
        *,
        tree: Tree,
        now_ms: int,
        engine: Engine,
        run: Run | None,
        turn: int,
        author: str = "human",
        is_child_listed: bool = True,
        is_busy: bool = False,
    ) -> str:
        self.tree = content(tree)
        self.engine = engine
        self.answers |= {"Now": now_ms, "AuthorOf": author}
        listed = (run.reviewer or "a-starting",) if is_child_listed and run is not None and run.has_reviewer else ()
        text = self.text_of(message, run, tree)
        tasks = ("b1",) if is_busy else ()
        return self._happens(stop(text, turn_id=f"turn-{turn}", live_agents=listed, live_tasks=tasks))

    # Texts -----------------------------------------------------------------------------------------------------

    def text_of(self, message: Message, run: Run | None, tree: Tree) -> str:
        """Write a message, with what it binds as the naive run has it."""
        run = run or Run()
        if isinstance(message, Prose):
            return "I am done."
        if isinstance(message, NearMiss):
            return "# Plan\n\n## Objective\n\nNone\n"
        if isinstance(message, Plan):
            text = self._plan(message)
            self.digests[message.hash] = message_hash(text)
            return text
        if isinstance(message, Amendment):
            text = self._amendment(message, run)
            self.digests[message.hash] = message_hash(text)
            return text
        if isinstance(message, Resume):
            return self._resume(message, run, tree)
        if isinstance(message, Record):
            return self._record(message, run, tree)
        if isinstance(message, Review):
            return self._review(message, run)
        return self._completion(message, run)

    def _plan_hash(self, run: Run) -> str:
        return NOTHING if run.accepted is None else self.digests[run.accepted.plan]

    def _plan(self, plan: Plan) -> str:
        criteria = "\n".join(f"- {name}: It works." for name in plan.criteria)
        execution = {"implementer": "root", "parallel_writers": 0, "max_helpers": 0, "max_delegation_depth": 1}
        rules = ("same_write_boundary_only", "verification_must_not_weaken", "material_delta_requires_approval")
        repair = {
            "enabled": plan.is_repair_enabled,
            "max_rounds": plan.max_rounds,
            "repeated_finding_limit": plan.repeated_limit,
            "no_progress_limit": plan.no_progress_limit,
            **dict.fromkeys(rules, True),
        }
        return artifact(
            "Plan",
            ("Classification", "- Size: Small\n- Kind: bug_fix"),
            ("Objective", f"Keep digits ({plan.hash})."),
            ("Acceptance Criteria", criteria),
            ("Scope", "- In: the helper."),
            ("Write Boundary", bullets(plan.boundary)),
            ("Exact Commands", bullets(plan.commands)),
            ("Verification Strategy", strategy(plan.required)),
            ("Execution Strategy", block("execution_strategy", execution)),
            ("Auto Repair", block("auto_repair", repair)),
            ("Risks", "None"),
            ("Approval", "Proceed with this Plan? [y/N]"),
        )

    def _amendment(self, amendment: Amendment, run: Run) -> str:
        policy_id = NOTHING if self.state is None else self.state.active_policy_id or NOTHING
        deltas = {name: {"material": name in amendment.material, "summary": "as below"} for name in DELTAS}
        bound = {"source_plan_hash": self._plan_hash(run), "source_policy_id": policy_id, "deltas": deltas}
        if amendment.wrong:
            bound[amendment.wrong] = named("another")
        return artifact(
            "Plan Amendment",
            ("Amendment Context", block("amendment_context", bound)),
            ("Acceptance Criteria", "\n".join(f"- {name}: It works." for name in amendment.criteria)),
            ("Write Boundary", bullets(amendment.boundary)),
            ("Exact Commands", bullets(amendment.commands)),
            ("Verification Strategy", strategy(amendment.required)),
            ("Risks", f"None ({amendment.hash})."),
            ("Approval", "Proceed with this Plan Amendment? [y/N]"),
        )

    def _resume(self, resume: Resume, run: Run, tree: Tree) -> str:
        bound: dict[str, object] = {
            "accepted_plan_hash": self._plan_hash(run),
            "paused_revision": run.revision + self.first_revision - 1,
            "diff_revision": self._diff_after_sweep(run, tree),
            "verification_fingerprint": integrity(run.evidence),
            "additional_rounds": resume.additional_rounds,
        }
        if resume.wrong not in ("", "reason"):
            bound[resume.wrong] = 999 if resume.wrong == "paused_revision" else named("another")
        return artifact(
            "Repair Resume",
            ("Resume Context", block("resume_context", bound)),
            ("Reason", "It goes on." if resume.wrong == "reason" else f"{self.why}\n\nIt goes on."),
            ("Approval", "Proceed with this Repair Resume? [y/N]"),
        )

    def _diff_after_sweep(self, run: Run, tree: Tree) -> str:
        return self.diff(*run.diff(tree))

    def _record(self, record: Record, run: Run, tree: Tree) -> str:
        bound: dict[str, object] = {
            "accepted_plan_hash": self._plan_hash(run),
            "source_review_round": max(run.review_round, 1),
            "repair_round": max(run.round, 1),
            "finding_ids": [],
            "changed_files": [],
            "diff_revision_before": NOTHING,
            "diff_revision_after": self._diff_after_sweep(run, tree),
            "verification_before": NOTHING,
            "verification_after": integrity(self._coming(run, tree)),
        }
        if run.begin is not None:
            bound |= {
                "finding_ids": list(reversed(run.begin.findings)),
                "changed_files": sorted(changed(run.begin.diff[1], content(tree)), reverse=True),
                "diff_revision_before": self.diff(*run.begin.diff),
                "verification_before": integrity(run.begin.evidence),
            }
        if record.wrong:
            other = {
                "repair_round": 9,
                "source_review_round": 9,
                "finding_ids": ["R9-F9"],
                "changed_files": ["src/no.py"],
            }
            bound[record.wrong] = other.get(record.wrong, named("another"))
        return artifact(
            "Repair Record",
            ("Repair Context", block("repair_context", bound)),
            ("Changes", "Digits are kept."),
            ("Verification", "As the engine says."),
        )

    def _coming(self, run: Run, tree: Tree) -> Evidence:
        """Give what the engine is about to find."""
        known = run.record
        required = run.active.required if run.active is not None else ()
        diff = run.diff(tree)
        if known is not None and known.is_green and known.diff == diff and known.commands == required:
            return known
        return Evidence(self.engine.kind == "green", diff, required, self.engine.output)

    def _bindings(self, run: Run, wrong: str) -> dict[str, object]:
        evidence = run.evidence
        bound: dict[str, object] = {
            "accepted_plan_hash": self._plan_hash(run),
            "accepted_amendment_hash": None if run.amendment is None else self.digests[run.amendment],
            "diff_revision": NOTHING if evidence is None else self.diff(*evidence.diff),
            "verification_fingerprint": integrity(evidence) or NOTHING,
            "review_round": max(run.review_round, 1),
        }
        if wrong:
            bound[wrong] = 9 if wrong == "review_round" else named("another")
        return bound

    def _review(self, review: Review, run: Run) -> str:
        rows = [
            {
                "id": found.id,
                "severity": "suggestion" if review.verdict == "PASS_WITH_NOTES" else "important",
                "classification": "MATERIAL_AMENDMENT" if found.is_material else "IN_PLAN_REPAIR",
                "path": found.path,
                "line": 1,
                "message": "It is wrong.",
            }
            for found in review.findings
        ]
        return artifact(
            "Clean-context Review",
            ("Review Context", block("review_context", self._bindings(run, review.wrong))),
            ("Verdict", review.verdict),
            ("Findings", block("findings", rows)),
            ("Evidence", "Read the diff."),
        )

    def _completion(self, completion: Completion, run: Run) -> str:
        first = run.active.required[0].id if run.active is not None else "V1"
        criteria = run.criteria or ("AC1",)
        rows = [{"criterion": name, "evidence": [first]} for name in criteria]
        if not completion.is_whole:
            rows[0]["evidence"] = ["V9"]
        return artifact(
            "Completion",
            ("Completion Context", block("completion_context", self._bindings(run, completion.wrong))),
            ("Acceptance", block("acceptance", rows)),
            ("Changes", "- `src/a.py`: done."),
            ("Remaining Risks", "None"),
        )
