"""Two readings of one text: the naive lifecycle and the kernel answer alike, whatever happens in whatever order."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from naive.kernel_side import KernelSide
from naive.lifecycle import (
    Amendment,
    Author,
    Check,
    Completion,
    Engine,
    Finding,
    Guard,
    Message,
    NearMiss,
    Plan,
    Prose,
    Record,
    Resume,
    Review,
    Run,
)
from naive.lifecycle import Policy as NaivePolicy

from harness_guard.policy.model import Policy

V1 = Check("V1", "sh check.sh")
V2 = Check("V2", "sh more.sh")
BOUNDARY = frozenset({"src/", "docs/*.md"})
PLANS = (
    Plan("plan-3", BOUNDARY, frozenset({"make test"}), (V1,)),
    Plan("plan-1", BOUNDARY, frozenset({"make test"}), (V1, V2), max_rounds=1, no_progress_limit=1),
    Plan("plan-strict", BOUNDARY, frozenset({"make test"}), (V1,), max_rounds=2, repeated_limit=1),
    Plan("plan-off", BOUNDARY, frozenset({"make test"}), (V1,), is_repair_enabled=False),
)
FILES = ("src/a.py", "docs/b.md")
OUTSIDE = ("README.md", "LICENSE")
VISITED: Counter[str] = Counter()

authors = st.sampled_from(["human"] * 9 + ["forged", "missing", "unreadable"])
engines = st.builds(
    Engine, st.sampled_from(["green"] * 6 + ["red"] * 4 + ["unavailable", "moved", "busy"]), st.integers(0, 1)
)
texts = st.sampled_from(["other", "status", "cancel", "activate", "y"])
calls = st.sampled_from(["read", "inside", "inside", "outside", "target unknown", "danger", "opaque", "opaque", "exact"])
verdicts = st.sampled_from(["PASS", "PASS", "PASS_WITH_NOTES", *["REPAIR_REQUIRED"] * 5, "BLOCKED"])
record_faults = st.sampled_from(
    [""] * 9
    + ["accepted_plan_hash", "source_review_round", "repair_round", "finding_ids", "changed_files"]
    + ["diff_revision_before", "diff_revision_after", "verification_before", "verification_after"]
)
resume_faults = st.sampled_from(
    [""] * 6 + ["accepted_plan_hash", "paused_revision", "diff_revision", "verification_fingerprint"]
)
context_faults = st.sampled_from(
    [""] * 8 + ["accepted_plan_hash", "diff_revision", "verification_fingerprint", "review_round"]
)  # fmt: skip
amendment_faults = st.sampled_from([""] * 6 + ["source_plan_hash", "source_policy_id"])


def projected(policy: Policy | None) -> tuple[object, ...] | None:
    """Give what both sides say of a policy, of the kernel's."""
    if policy is None:
        return None
    required = tuple((check.id, check.command, check.timeout_s) for check in policy.required)
    limits = (policy.max_rounds, policy.repeated_finding_limit, policy.no_progress_limit)
    return (frozenset(policy.boundary), frozenset(policy.commands), required, limits, policy.parent is None)


def projected_naive(policy: NaivePolicy | None) -> tuple[object, ...] | None:
    """Give what both sides say of a policy, of the naive guard's."""
    if policy is None:
        return None
    required = tuple((check.id, check.command, check.timeout_s) for check in policy.required)
    limits = (policy.max_rounds, policy.repeated_limit, policy.no_progress_limit)
    return (policy.boundary, policy.commands, required, limits, policy.parent is None)


def seen(kernel: KernelSide) -> dict[str, object]:
    """Give what must agree, of the kernel's state; its revisions go on from one run to the next."""
    state = kernel.state
    if state is None:
        return {}
    return {
        "state": state.state,
        "revision": state.revision - kernel.first_revision + 1,
        "may write": state.has_authority,
        "round": state.repair.round,
        "max_rounds": state.repair.max_rounds,
        "repeated": state.repair.repeated,
        "no_progress": state.repair.no_progress,
        "review_round": state.review_round,
        "gate": None if state.pending_gate is None else state.pending_gate.kind,
        "lineage": len(state.lineage),
        "accepted": projected(state.accepted_policy),
        "active": projected(state.active_policy),
    }


def seen_naive(run: Run | None) -> dict[str, object]:
    """Give what must agree, of the naive run."""
    if run is None:
        return {}
    return {
        "state": run.state,
        "revision": run.revision,
        "may write": run.may_write,
        "round": run.round,
        "max_rounds": run.max_rounds,
        "repeated": run.repeated,
        "no_progress": run.no_progress,
        "review_round": run.review_round,
        "gate": None if run.gate is None else run.gate.kind,
        "lineage": len(run.lineage),
        "accepted": projected_naive(run.accepted),
        "active": projected_naive(run.active),
    }


class Both:
    """The naive guard and the kernel side by side in one world; each method lets one thing happen to both."""

    def __init__(self) -> None:
        self.naive = Guard()
        self.kernel = KernelSide()
        self.tree: dict[str, int] = {"README.md": 1, "src/a.py": 1}
        self.now = 1_000_000
        self.turn = 0
        self.children = 0
        self.amendments = 0
        self.log: list[str] = []

    @property
    def run(self) -> Run | None:
        return self.naive.run

    def agree(self, what: str, naive: str, kernel: str) -> None:
        self.log.append(f"{what}: {kernel}")
        trail = "\n  ".join(self.log)
        reason = self.kernel.outcome.decision.reason
        said = f"{reason.rule}: {reason.seen}" if reason is not None else self.kernel.outcome.decision.context[:200]
        assert naive == kernel, f"the naive guard answers {naive}, the kernel {kernel} ({said}) to\n  {trail}"
        ours, theirs = seen_naive(self.run), seen(self.kernel)
        apart = {name: (ours.get(name), theirs.get(name)) for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)}
        assert not apart, f"naive and kernel differ: {apart} ({said}) after\n  {trail}"
        if self.run is not None:
            VISITED[self.run.state] += 1

    def prompt(
        self,
        text: Any,
        *,
        is_fresh: bool = True,
        author: Author = "human",
        is_queued: bool = False,
        wait_ms: int = 2000,
    ) -> None:
        self.now += wait_ms
        if is_fresh:
            self.turn += 1
        facts: dict[str, Any] = {"tree": self.tree, "turn": self.turn, "now_ms": self.now}
        facts |= {"is_fresh": is_fresh, "is_queued": is_queued, "author": author}
        what = f"prompt {text} turn {self.turn}{'' if is_fresh else ' again'}{' queued' if is_queued else ''} +{wait_ms} {author}"
        self.agree(what, self.naive.prompt(text, **facts), self.kernel.prompt(text, **facts))

    def tool(self, kind: Any, **facts: Any) -> None:
        self.agree(f"tool {kind} {facts}", self.naive.tool(kind, **facts), self.kernel.tool(kind, turn=self.turn, **facts))

    def spawn(self, engine: Engine | None = None, **facts: Any) -> None:
        facts |= {"tree": dict(self.tree), "engine": engine or Engine()}
        naive = self.naive.spawn(**facts)
        self.agree(f"spawn {facts}", naive, self.kernel.spawn(turn=self.turn, **facts))

    def reviewer_starts(self) -> str:
        self.children += 1
        agent = f"a-{self.children}"
        naive = self.naive.reviewer_starts(agent)
        self.agree(f"reviewer {agent} starts", naive, self.kernel.reviewer_starts(agent, turn=self.turn))
        self.agree(f"reviewer {agent} reads", "pass", self.kernel.reviewer_reads(agent, turn=self.turn))
        return agent

    def reviewer_stops(self, agent: str, message: Review | NearMiss | Prose) -> None:
        kernel = self.kernel.reviewer_stops(agent, message, tree=self.tree, run=self.run, turn=self.turn)
        naive = self.naive.reviewer_stops(agent, message, tree=self.tree)
        self.agree(f"reviewer {agent} stops with {message} {self.tree}", naive, kernel)

    def stop(self, message: Message, engine: Engine | None = None, **facts: Any) -> None:
        self.now += 500
        facts |= {"tree": dict(self.tree), "now_ms": self.now, "engine": engine or Engine()}
        kernel = self.kernel.stop(message, run=self.run, turn=self.turn, **facts)
        told = message.hash if isinstance(message, Plan) else message
        self.agree(f"stop with {told} {facts}", self.naive.stop(message, **facts), kernel)

    # The ways deep into a run.

    def approve(self, plan: Plan) -> None:
        self.prompt("activate")
        self.stop(plan)
        self.prompt("y")

    def claim(self, engine: Engine | None = None) -> None:
        self.tool("inside")
        self.write("src/a.py")
        self.spawn(engine)

    def reviewed(self, review: Review) -> None:
        self.reviewer_stops(self.reviewer_starts(), review)
        self.stop(review)

    def write(self, path: str, version: int | None = None) -> None:
        self.tree[path] = self.tree.get(path, 0) + 1 if version is None else version

    def finding(self, number: int = 1, path: str = "src/a.py", *, is_material: bool = False) -> Finding:
        run = self.run
        return Finding(f"R{run.review_round if run else 1}-F{number}", path, is_material)


class Lifecycles(RuleBasedStateMachine):
    """Anything in any order, with ways that lead deep into a run."""

    def __init__(self) -> None:
        super().__init__()
        self.both = Both()
        self.given: Review | None = None  # what the Reviewer said last

    @property
    def run(self) -> Run | None:
        return self.both.run

    def is_in(self, *states: str) -> bool:
        return self.run is not None and self.run.state in states

    @initialize(plan=st.sampled_from(PLANS))
    def begins(self, plan: Plan) -> None:
        self.both.approve(plan)

    # Prompts

    @rule(text=texts, is_fresh=st.sampled_from([True, True, False]), author=authors)
    def types(self, text: Any, author: Author, *, is_fresh: bool) -> None:
        self.both.prompt(text, is_fresh=is_fresh, author=author)

    @precondition(lambda self: self.run is not None and self.run.gate is not None)
    @rule(slip=st.sampled_from(["", "", "", "", "early", "queued", "moved"]))
    def answers(self, slip: str) -> None:
        if slip == "moved":
            self.both.write("src/a.py")
        self.both.prompt("y", is_queued=slip == "queued", wait_ms=100 if slip == "early" else 2000)

    @precondition(lambda self: self.run is None or self.is_in("planning", "completed", "cancelled"))
    @rule(plan=st.sampled_from(PLANS))
    def starts_again(self, plan: Plan) -> None:
        self.both.approve(plan)

    # Tools and the tree

    @rule(kind=calls, author=authors, is_child=st.sampled_from([False] * 5 + [True]), is_busy=st.sampled_from([False] * 9 + [True]))
    def calls(self, kind: Any, author: Author, *, is_child: bool, is_busy: bool) -> None:
        self.both.tool(kind, author=author, is_child=is_child, engine_runs=is_busy)

    @rule(path=st.sampled_from([*FILES, *FILES, *OUTSIDE, "src/package.json"]), version=st.integers(0, 3))
    def moves(self, path: str, version: int) -> None:
        self.both.write(path, version)

    # The Reviewer

    @rule(engine=engines, author=authors, slip=st.sampled_from([""] * 8 + ["arguments", "child", "engine"]))
    def claims(self, engine: Engine, author: Author, slip: str) -> None:
        facts = {"is_exact": slip != "arguments", "is_child": slip == "child", "engine_runs": slip == "engine"}
        self.both.spawn(engine, author=author, **facts)

    @precondition(lambda self: self.run is not None and self.run.is_awaited)
    @rule()
    def reviewer_starts(self) -> None:
        self.both.reviewer_starts()

    def a_review(self, data: st.DataObject) -> Review:
        run = self.run
        verdict = data.draw(verdicts)
        if verdict == "PASS" or run is None:
            return Review(verdict)
        known = [Finding(name, path) for name, path in sorted(run.open_findings.items())]
        new = [self.both.finding(number, path) for number in (1, 2) for path in (*FILES, "LICENSE", "src/package.json")]
        odd = [Finding("R9-F1", "src/a.py"), *[Finding(found.id, "src/z.py") for found in known]]
        is_material = data.draw(st.sampled_from([False] * 6 + [True]))
        chosen = data.draw(st.sampled_from([*known * 6, *new[:2] * 3, *new, *odd]))
        wrong = data.draw(context_faults)
        found = Finding(chosen.id, chosen.path, is_material)
        return Review(verdict, (found,), wrong) if verdict != "BLOCKED" else Review(verdict, (), wrong)

    @precondition(lambda self: self.run is not None and self.run.reviewer is not None)
    @rule(data=st.data())
    def reviewer_stops(self, data: st.DataObject) -> None:
        assert self.run is not None
        assert self.run.reviewer is not None
        message = data.draw(st.sampled_from([None, None, None, None, NearMiss(), Prose()])) or self.a_review(data)
        agent = data.draw(st.sampled_from([self.run.reviewer] * 5 + ["a-9"]))
        if isinstance(message, Review):
            self.given = message
        self.both.reviewer_stops(agent, message)

    @precondition(lambda self: self.given is not None)
    @rule(author=authors, is_altered=st.sampled_from([False] * 4 + [True]))
    def relays(self, author: Author, *, is_altered: bool) -> None:
        assert self.given is not None
        review = Review("BLOCKED", (), self.given.wrong) if is_altered else self.given
        self.both.stop(review, author=author)

    # Stop

    @rule(
        message=st.sampled_from([Prose(), Prose(), NearMiss(), Review("PASS"), *PLANS[:2]]),
        is_listed=st.booleans(),
        author=authors,
    )
    def stops(self, message: Message, author: Author, *, is_listed: bool) -> None:
        self.both.stop(message, is_child_listed=is_listed, author=author)

    @precondition(lambda self: self.is_in("auto_repairing", "executing", "verifying"))
    @rule(wrong=record_faults, engine=engines)
    def records(self, wrong: str, engine: Engine) -> None:
        self.both.stop(Record(wrong), engine)

    @precondition(lambda self: self.run is not None and (self.run.is_paused or self.run.state == "executing"))
    @rule(rounds=st.integers(0, 3), wrong=resume_faults)
    def resumes(self, rounds: int, wrong: str) -> None:
        self.both.stop(Resume(rounds, wrong))

    @rule(data=st.data(), wrong=amendment_faults)
    def amends(self, data: st.DataObject, wrong: str) -> None:
        self.both.stop(self.an_amendment(data, wrong))

    def an_amendment(self, data: st.DataObject, wrong: str) -> Amendment:
        run = self.run
        boundary = data.draw(st.sampled_from([BOUNDARY, BOUNDARY | {"README.md"}, frozenset({"src/"})]))
        commands = data.draw(st.sampled_from([frozenset({"make test"}), frozenset({"make test", "make all"})]))
        required = data.draw(st.sampled_from([(V1,), (V1, V2)]))
        criteria = data.draw(st.sampled_from([("AC1",), ("AC1", "AC2")]))
        material = {"risk"}
        if run is not None and run.active is not None:
            if boundary != run.active.boundary:
                material.add("write_boundary")
            if required != run.active.required:
                material.add("verification")
            if criteria != run.criteria:
                material.add("acceptance_criteria")
            verifying = {check.command for check in run.active.required}
            if commands != run.active.commands - verifying:
                material.add("scope")
        lie = data.draw(st.sampled_from([None] * 6 + ["write_boundary", "verification", "acceptance_criteria", "scope"]))
        if lie is not None:
            material ^= {lie}
        self.both.amendments += 1
        name = f"amendment-{self.both.amendments}"
        return Amendment(name, boundary, commands, required, criteria, frozenset(material), wrong)

    @precondition(lambda self: self.is_in("reviewing", "verifying") or (self.run is not None and self.run.is_paused))
    @rule(wrong=context_faults, slip=st.sampled_from(["", "", "", "busy", "criteria"]), author=authors)
    def completes(self, wrong: str, slip: str, author: Author) -> None:
        self.both.stop(Completion(wrong, is_whole=slip != "criteria"), is_busy=slip == "busy", author=author)

    # Ways deep into a run

    @precondition(lambda self: self.is_in("executing", "verifying", "reviewing"))
    @rule(engine=engines)
    def works_and_claims(self, engine: Engine) -> None:
        self.both.claim(engine)

    @precondition(lambda self: self.is_in("verifying") and self.run is not None and self.run.is_awaited)
    @rule(data=st.data())
    def is_reviewed(self, data: st.DataObject) -> None:
        review = self.a_review(data)
        self.given = review
        self.both.reviewed(review)

    @precondition(lambda self: self.is_in("auto_repairing"))
    @rule(engine=engines, is_moved=st.booleans())
    def repairs(self, engine: Engine, *, is_moved: bool) -> None:
        self.both.tool("inside")
        if is_moved:
            self.both.write("src/a.py")
        self.both.stop(Record(), engine)
        if self.is_in("verifying"):
            self.both.spawn(engine)

    @precondition(lambda self: self.run is not None and self.run.is_paused)
    @rule(rounds=st.integers(0, 3))
    def resumes_and_goes_on(self, rounds: int) -> None:
        self.both.stop(Resume(rounds))
        if self.run is not None and self.run.gate is not None:
            self.both.prompt("y")


def test_the_naive_lifecycle_and_the_kernel_agree() -> None:
    run_state_machine_as_test(
        Lifecycles,
        settings=settings(max_examples=150, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)),
    )
