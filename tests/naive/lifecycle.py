"""The lifecycle of a run, written a second time: plain ifs from the contracts' sentences, without a look at the kernel.

Each method of :class:`Guard` is one thing that may happen, with the facts it depends on, and gives the class of the
answer. Where a sentence decides, its id stands beside the line. What the world looks like is told by ``tree``, a
mapping of each file's path to a small number that stands for its content.
"""

# ruff: noqa: C901, PLR0911, PLR0912
# One happening is one list of ifs in the contract's order; split up, it could not be read beside the sentences.

from __future__ import annotations

from typing import Literal

from naive.run import Run
from naive.values import (
    SENSITIVE,
    Amendment,
    Answer,
    Attestation,
    Author,
    Completion,
    Engine,
    Evidence,
    Finding,
    Gate,
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
    covers,
)

ENDED = ("completed", "cancelled")
MOST_BLOCKS = 3  # C6.12
MOST_REVIEWER_BLOCKS = 3  # C8.15
READABLE_MS = 1000  # C5.3


class Guard:
    """One session's guard: a run or none, and what may happen to it."""

    def __init__(self) -> None:
        self.run: Run | None = None

    @property
    def live(self) -> Run:
        """The run, where there is one."""
        assert self.run is not None
        return self.run

    # Prompts -----------------------------------------------------------------------------------------------------

    def prompt(
        self,
        text: Literal["activate", "y", "cancel", "status", "other"],
        *,
        tree: Tree,
        now_ms: int,
        is_fresh: bool = True,
        is_made_by_host: bool = False,
        author: Author = "human",
        is_queued: bool = False,
    ) -> Answer:
        """A prompt; ``is_fresh`` tells whether its turn id is new, ``author`` who is seen to have written the last cancel."""
        run = self.run
        if is_made_by_host:
            if run is not None and run.state == "cancelled" and author == "human":
                run.is_turn_open = False  # C3.9
            if run is None or run.is_over:
                return "pass"  # C1.8
            gate, run.gate = run.gate, None  # C5.2
            return "pass" if text == "other" and gate is None else "context"  # C5.9, C3.12
        if not is_fresh:
            return self._prompt_in_turn(text)
        was_cancelled = run is not None and run.cancel_asked and run.state not in ENDED
        if run is not None:
            if was_cancelled:
                run.move("cancelled")  # C3.10
            if was_cancelled or run.state != "cancelled":
                run.is_turn_open = True  # C3.10
            elif author == "human":
                run.is_turn_open = False  # C3.9: the turn of the cancel has ended
        if text == "activate":
            self.run = Run()  # C3.5, L5.1
            return "context"
        if was_cancelled:
            return "context"  # C3.10: which says so
        if run is None or run.is_over:
            return "pass"  # C1.8
        if run.state == "cancelled":
            if text == "cancel":
                run.is_turn_open = True
            return "context"  # C3.9: no human is seen to have written the cancel
        if text == "cancel":
            run.move("cancelled")  # C3.9
            run.is_turn_open = True
            return "context"
        gate, run.gate = run.gate, None  # C5.2: the gate waits for one prompt
        was_incomplete, run.is_incomplete = run.is_incomplete, False
        if text == "y":
            if gate is not None and self._answers(gate, tree=tree, now_ms=now_ms, is_queued=is_queued):
                self._approve(gate, tree)
            return "context"  # C5.7, C5.15
        if text == "status" or gate is not None or was_incomplete:
            return "context"
        return "pass"

    def _prompt_in_turn(self, text: str) -> Answer:
        """C3.10."""
        run = self.run
        if run is None or run.is_over:
            return "context" if text == "activate" else "pass"
        if run.state == "cancelled":
            return "pass" if text in ("other", "cancel") else "context"
        if text == "status":
            return "context"
        gate, run.gate = run.gate, None
        if text == "cancel":
            run.cancel_asked = True
            run.revision += 1  # C9.6
            return "context"
        return "pass" if text == "other" and gate is None else "context"

    def _answers(self, gate: Gate, *, tree: Tree, now_ms: int, is_queued: bool) -> bool:
        run = self.live
        if now_ms - gate.opened_ms < READABLE_MS:
            return False  # C5.3
        if is_queued:
            return False  # C5.4
        if gate.revision != run.revision:
            return False  # C5.5
        return gate.diff is None or gate.diff == run.diff(tree)  # C5.5

    def _approve(self, gate: Gate, tree: Tree) -> None:
        run = self.live
        run.needs_author = True  # C5.11
        if isinstance(gate.artifact, Plan):
            run.accepted = gate.artifact.policy()
            run.put_in_force(run.accepted)
            run.criteria = gate.artifact.criteria
            run.round = run.repeated = run.no_progress = 0
            run.max_rounds = run.accepted.max_rounds
            if run.baseline is None:
                run.baseline = content(tree)  # C8.1
            run.move("executing")
        elif isinstance(gate.artifact, Amendment):
            self._approve_amendment(gate.artifact)
        else:
            self._approve_resume(gate.artifact)

    def _approve_amendment(self, amendment: Amendment) -> None:
        """L4.9."""
        run = self.live
        assert run.accepted is not None
        run.accepted = amendment.policy(run.accepted, run.policy)
        run.put_in_force(run.accepted)
        run.amendment = amendment.hash
        run.criteria = amendment.criteria
        run.round = run.repeated = run.no_progress = 0
        run.max_rounds = run.accepted.max_rounds
        run.last_review = frozenset()
        run.begin = None
        run.before_round = None
        run.evidence = None
        run.attestation = None
        run.move("executing")

    def _approve_resume(self, resume: Resume) -> None:
        """L4.4, L4.5."""
        run = self.live
        run.max_rounds += resume.additional_rounds
        run.repeated = run.no_progress = 0
        if run.before_round is not None:
            begin, run.before_round = run.before_round, None
            run.begin_round(begin)
        else:
            run.put_in_force(run.policy.child())
            run.move(run.paused_from)

    # The author of an approval -----------------------------------------------------------------------------------

    def _is_refused_by_author(self, author: Author) -> bool:
        """C5.11, C5.12: tell whether what would use the approval is refused; a forged one is taken back."""
        run = self.live
        if not run.needs_author:
            return False
        if author == "human":
            run.needs_author = False
            return False
        if author == "forged":
            run.needs_author = False
            run.accepted = run.active = run.amendment = None
            run.lineage = []
            run.criteria = ()
            run.round = run.max_rounds = run.repeated = run.no_progress = run.review_round = 0
            run.open_findings = {}
            run.last_review = frozenset()
            run.begin = None
            run.before_round = None
            run.evidence = None
            run.attestation = None
            run.move("planning")
        return True

    # Tool calls --------------------------------------------------------------------------------------------------

    def tool(
        self,
        kind: Literal["read", "inside", "outside", "target unknown", "danger", "opaque", "exact"],
        *,
        author: Author = "human",
        is_child: bool = False,
        engine_runs: bool = False,
    ) -> Answer:
        """A call other than a spawn."""
        run = self.run
        if run is None or run.state == "completed":
            return "pass"  # C7.2
        if kind == "read":
            return "pass"  # C7.9
        if run.state == "cancelled":
            return "deny" if run.is_turn_open else "pass"  # C3.9, C1.8
        if kind == "danger":
            return self._danger(author)
        if not run.may_write:
            return "deny"  # C7.5, C6.7
        if is_child:
            return "deny"  # C7.6, C6.7
        if engine_runs:
            return "deny"  # C7.14
        if self._is_refused_by_author(author):
            return "deny"
        if kind == "target unknown":
            run.pause("paused_unmodeled")  # C7.7
            return "deny"
        if kind == "opaque":
            run.opaque += 1
            if run.opaque >= 3:
                run.pause("paused_unmodeled")  # C6.6
            return "deny"
        if kind == "outside":
            run.pause("paused_boundary")  # C7.8
            return "deny"
        run.opaque = 0  # an allowed mutation
        run.goes_on()
        run.attestation = None  # C7.13
        if kind == "exact":
            run.wrote_unseen = True  # C7.17
        return "pass"

    def _danger(self, author: Author) -> Answer:
        """C7.4; C6.7: by a child too, but without authority nothing is paused."""
        run = self.live
        if run.may_write and not self._is_refused_by_author(author):
            run.pause("paused_danger")
        return "deny"

    # The Reviewer ------------------------------------------------------------------------------------------------

    def spawn(
        self,
        *,
        tree: Tree,
        engine: Engine,
        author: Author = "human",
        is_exact: bool = True,
        is_child: bool = False,
        engine_runs: bool = False,
    ) -> Answer:
        """The Reviewer's spawn, which is the claim (C8.9)."""
        run = self.run
        if run is None or run.state == "completed":
            return "pass"
        if run.state == "cancelled":
            return "deny" if run.is_turn_open else "pass"
        if run.cancel_asked or is_child:
            return "deny"  # C7.18
        if run.state not in ("executing", "verifying", "reviewing"):
            return "deny"  # L2.7 and spawn.not-due
        if run.gate is not None or not is_exact or engine_runs:
            return "deny"  # C8.10, C7.14
        if self._waiting_review(tree) is not None:
            return "deny"  # C8.20
        if self._is_refused_by_author(author):
            return "deny"
        if self._sweep(tree, author) is not None:
            return "deny"  # C7.17
        found = self._verify(tree, engine)
        if found == "unavailable":
            run.pause("paused_blocked")
        if isinstance(found, str):
            return "deny"
        run.evidence = found
        if not found.is_green and run.state != "executing":
            begin = run.asked_by(tree, (run.policy.required[0].id,))  # L2.6
            if run.round < run.max_rounds:
                run.begin_round(begin)  # L2.1
            else:
                run.pause("paused_budget", before_round=begin)  # L4.5
        elif not found.is_green:
            run.goes_on()  # a row of the table, although it leads nowhere
        else:
            if run.attestation is not None and run.attestation.revision == run.revision:  # L2.8
                run.open_findings |= {found.id: found.path for found in run.attestation.review.findings}
            run.attestation = None
            if run.state != "verifying":
                run.review_round += 1
            run.move("verifying")
            run.is_awaited = True
            return "pass"
        return "deny"

    def reviewer_starts(self, agent: str) -> Answer:
        """A child of the Reviewer's type starts."""
        run = self.run
        if run is None or run.state != "verifying" or not run.is_awaited:
            return "pass"
        run.is_awaited = False
        run.reviewer = agent
        run.reviewer_blocks = 0
        run.has_read = False
        return "context"  # C8.13

    def reviewer_reads(self, agent: str) -> Answer:
        """A child looks at the brief; C7.9, C8.22."""
        if self.run is not None and self.run.reviewer == agent:
            self.run.has_read = True
        return "pass"

    def reviewer_stops(self, agent: str, message: Review | NearMiss | Prose, *, tree: Tree) -> Answer:
        """A child ends with a message; C8.15."""
        run = self.run
        if run is None or run.state in ENDED or run.reviewer != agent:
            return "pass"
        if run.state != "verifying":
            run.reviewer = None  # no Review is due any more
            return "pass"
        is_seen = isinstance(message, Review) and (run.has_read or message.verdict == "BLOCKED")  # C8.22
        if isinstance(message, Review) and is_seen and self._is_valid(message):
            run.reviewer = None
            if self._is_fresh(tree):
                run.attestation = Attestation(message, run.revision, run.diff(tree))
            return "pass"
        if run.reviewer_blocks < MOST_REVIEWER_BLOCKS:
            run.reviewer_blocks += 1
            return "block"
        run.reviewer = None
        return "pass"

    def _is_fresh(self, tree: Tree) -> bool:
        run = self.live
        return run.evidence is not None and run.evidence.diff == run.diff(tree)

    def _is_valid(self, review: Review) -> bool:
        """C4.30."""
        run = self.live
        for finding in review.findings:
            is_new = finding.id.startswith(f"R{run.review_round}-F")
            if finding.id in run.open_findings:
                if run.open_findings[finding.id] != finding.path:
                    return False
            elif not is_new:
                return False
        return not review.wrong

    def _waiting_review(self, tree: Tree) -> Review | None:
        """Give the attested Review of this revision and tree."""
        run = self.live
        found = run.attestation
        if found is None or found.revision != run.revision or found.diff != run.diff(tree):
            return None
        return found.review

    # The engine and the sweep ------------------------------------------------------------------------------------

    def _verify(self, tree: Tree, engine: Engine) -> Evidence | str:
        """Give what a run of the required commands finds, or why it is no evidence; C8.5, C8.8, L3.2."""
        run = self.live
        known = run.record
        diff = run.diff(tree)
        if known is not None and known.is_green and known.diff == diff and known.commands == run.policy.required:
            return known
        if engine.kind != "busy":
            run.wrote_unseen = True  # C7.17: an engine run
        if engine.kind in ("moved", "busy"):
            return engine.kind
        found = Evidence(engine.kind == "green", diff, run.policy.required, engine.output)
        run.record = found if engine.kind != "unavailable" else None
        return found if engine.kind != "unavailable" else "unavailable"

    def _sweep(self, tree: Tree, author: Author) -> Answer | None:
        """C7.17: refuse what comes if the run itself changed something outside its boundary."""
        run = self.live
        if run.baseline is None or run.active is None:
            return None
        now = content(tree)
        outside = {path for path in changed(run.baseline, now) if not run.policy.inside(path)} - run.told_outside
        if not outside:
            return None
        if run.wrote_unseen:
            if not run.is_paused and self._is_refused_by_author(author):
                return "block" if run.accepted is None else self._block()  # C5.11
            run.told_outside |= outside
            run.attestation = None
            if run.is_paused:
                run.gate = None  # C7.19
                run.blocks += 1
            else:
                run.pause("paused_boundary")
            return "block"
        # Foreign: taken into the baseline.
        kept = [(path, version) for path, version in run.baseline if path not in outside]
        run.baseline = tuple(sorted([*kept, *[row for row in now if row[0] in outside]]))
        return None

    # Stop --------------------------------------------------------------------------------------------------------

    def stop(
        self,
        message: Message,
        *,
        tree: Tree,
        turn: int,
        now_ms: int,
        engine: Engine,
        author: Author = "human",
        is_child_listed: bool = True,
        is_busy: bool = False,
    ) -> Answer:
        """The root ends its turn with a message; ``is_child_listed`` tells whether the host lists the Reviewer."""
        run = self.run
        if run is None or run.state == "completed":
            return "pass"
        if run.state != "cancelled" or author == "human":
            run.is_turn_open = False  # C3.9
        if not is_child_listed:
            run.is_awaited = False
            run.reviewer = None  # C8.21
        if run.state == "cancelled" or run.cancel_asked:
            return "pass"  # C6.9
        gate, run.gate = run.gate, None  # C5.6
        bound = run.diff(tree)
        swept = self._sweep(tree, author)
        if swept is not None:
            return swept
        has_moved = run.diff(tree) != bound  # what the message binds was worked out before the sweep
        if isinstance(message, NearMiss):
            return self._block()
        if isinstance(message, Prose):
            return self._prose(gate, turn)
        is_bound = isinstance(message, Amendment | Record | Resume | Review | Completion)
        if is_bound and run.accepted is not None and self._is_refused_by_author(author):
            return "block" if run.accepted is None else self._block()  # C5.11, C5.12
        if isinstance(message, Plan) and run.state == "planning":
            run.gate = Gate("Plan", message, now_ms, run.revision)
        elif isinstance(message, Amendment) and run.accepted is not None:
            if message.wrong or not self._has_true_deltas(message) or self._leaves_out(message, tree):
                return self._block()  # L4.6, L4.7, L4.8
            run.gate = Gate("Plan Amendment", message, now_ms, run.revision)
        elif isinstance(message, Resume) and run.is_paused:
            if message.wrong or has_moved:
                return self._block()  # L4.3
            if run.before_round is not None and run.round + 1 > run.max_rounds + message.additional_rounds:
                return self._block()  # L4.5
            run.gate = Gate("Repair Resume", message, now_ms, run.revision, run.diff(tree))
        elif isinstance(message, Record) and run.state == "auto_repairing":
            return self._record(message, tree, engine, has_moved=has_moved)
        elif isinstance(message, Review) and run.state == "verifying":
            return self._relay(message, tree)
        elif isinstance(message, Completion) and run.state == "reviewing":
            return self._complete(message, tree, is_busy=is_busy)
        else:
            return self._block()  # C6.11: an artifact that is not due
        run.goes_on()
        return "pass"  # C6.9: after opening a gate

    def _block(self) -> Answer:
        """C6.12."""
        run = self.live
        if run.blocks >= MOST_BLOCKS:
            run.is_incomplete = True
            return "pass"
        run.blocks += 1
        return "block"

    def _prose(self, gate: Gate | None, turn: int) -> Answer:
        run = self.live
        if gate is not None:
            return self._block()  # C5.6
        if run.state == "planning" or run.is_paused or (run.state == "verifying" and run.has_reviewer):
            return "pass"  # C6.9
        if run.reminded_turn == turn:
            run.is_incomplete = True
            return "pass"  # C6.11
        run.reminded_turn = turn
        return self._block()

    def _has_true_deltas(self, amendment: Amendment) -> bool:
        """L4.7."""
        run = self.live
        own = amendment.commands - {check.command for check in amendment.required}
        theirs = run.policy.commands - {check.command for check in run.policy.required}
        true = {
            "write_boundary": amendment.boundary != run.policy.boundary,
            "verification": amendment.required != run.policy.required,
            "acceptance_criteria": amendment.criteria != run.criteria,
        }
        if any((name in amendment.material) != is_so for name, is_so in true.items()):
            return False
        return own == theirs or "scope" in amendment.material

    def _leaves_out(self, amendment: Amendment, tree: Tree) -> bool:
        """L4.8: a file that the run has changed under the boundary in force."""
        run = self.live
        paths = changed(run.baseline or (), content(tree))
        kept = [path for path in paths if any(covers(entry, path) for entry in amendment.boundary)]
        return any(run.policy.inside(path) and path not in kept for path in paths)

    def _record(self, record: Record, tree: Tree, engine: Engine, *, has_moved: bool) -> Answer:
        run = self.live
        assert run.begin is not None
        found = self._verify(tree, engine)  # L3.2
        if found == "unavailable":
            run.pause("paused_blocked")
            return "block"
        if isinstance(found, str) or record.wrong or has_moved:
            return self._block()  # C8.5, L3.4
        run.evidence = found
        now = (run.evidence.diff, run.evidence.progress)
        if now in ((run.begin.diff, run.begin.evidence.progress), run.begin.last_record):
            run.no_progress += 1  # L3.5
        else:
            run.no_progress = 0
        run.begin.last_record = now
        if run.no_progress >= run.policy.no_progress_limit:
            run.pause("paused_no_progress")
            return "block"
        if not found.is_green:
            run.goes_on()
            return self._block()  # L3.6
        run.review_round += 1
        run.move("verifying")
        return "block"

    def _relay(self, review: Review, tree: Tree) -> Answer:
        run = self.live
        waiting = self._waiting_review(tree)
        if waiting is None or waiting != review:
            return self._block()  # C8.17, C8.18
        run.attestation = None  # C8.18
        before = run.last_review
        findings = tuple(finding.id for finding in review.findings)
        run.last_review = frozenset() if review.verdict == "PASS_WITH_NOTES" else frozenset(findings)
        begin = run.asked_by(tree, findings)
        run.open_findings = {finding.id: finding.path for finding in review.findings}
        if review.verdict == "REPAIR_REQUIRED":
            run.repeated = run.repeated + 1 if before & run.last_review else 1  # L2.5
            if not all(self._is_in_plan(finding, tree) for finding in review.findings):
                run.pause("paused_material", before_round=begin)  # L2.3
            elif run.repeated >= run.policy.repeated_limit:
                run.pause("paused_no_progress", before_round=begin)
            elif run.round >= run.max_rounds:
                run.pause("paused_budget", before_round=begin)
            else:
                run.begin_round(begin)
        elif review.verdict == "BLOCKED":
            run.pause("paused_blocked", before_round=begin)
        else:
            run.move("reviewing")
        return "block"

    def _is_in_plan(self, finding: Finding, tree: Tree) -> bool:
        """L2.4."""
        run = self.live
        if finding.is_material:
            return False
        paths = changed(run.baseline or (), content(tree)) | {finding.path}
        if not all(run.policy.inside(path) for path in paths):
            return False
        return not any(path.rpartition("/")[2] in SENSITIVE and path not in run.policy.boundary for path in paths)

    def _complete(self, completion: Completion, tree: Tree, *, is_busy: bool) -> Answer:
        """C8.19."""
        run = self.live
        if not completion.is_whole or completion.wrong or is_busy:
            return self._block()
        if run.evidence is None or not run.evidence.is_green or not self._is_fresh(tree):
            return self._block()
        run.move("completed")
        return "pass"
