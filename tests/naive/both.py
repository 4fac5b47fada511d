"""Naive guard and kernel side by side in one world: what happens to one happens to the other, and they must agree."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from naive.kernel_side import KernelSide
from naive.lifecycle import Guard
from naive.promises import Promises
from naive.run import Run
from naive.values import (
    Engine,
    Finding,
    Message,
    NearMiss,
    Plan,
    Prose,
    Record,
    Resume,
    Review,
)
from naive.values import Policy as NaivePolicy

from harness_guard.policy.model import Policy


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
    """The naive guard and the kernel in one world; each method lets one thing happen to both and compares.

    Attributes:
        visited: How many steps of all instances ended in each state.
    """

    visited: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        self.naive = Guard()
        self.kernel = KernelSide()
        self.promises = Promises(self.kernel)
        self.tree: dict[str, int] = {"README.md": 1, "src/a.py": 1}
        self.now_ms = 1_000_000
        self.turn = 0
        self.children = 0
        self.log: list[str] = []

    @property
    def run(self) -> Run | None:
        """The naive run."""
        return self.naive.run

    def agree(self, what: str, naive: str, kernel: str, *, is_yes: bool = False, attested: str = "") -> None:
        """Compare the answers and the runs, and check the promises."""
        self.log.append(f"{what}: {kernel}")
        decision = self.kernel.outcome.decision
        said = decision.reason.text.partition("\n")[0] if decision.reason is not None else decision.context[:100]
        trail = "\n  ".join(self.log)
        assert naive == kernel, f"the naive guard answers {naive}, the kernel {kernel} ({said}) to\n  {trail}"
        ours, theirs = seen_naive(self.run), seen(self.kernel)
        apart = {
            name: (ours.get(name), theirs.get(name)) for name in ours | theirs if ours.get(name) != theirs.get(name)
        }
        assert not apart, f"naive guard and kernel differ: {apart} ({said}) after\n  {trail}"
        self.promises.hold(is_yes=is_yes, attested=attested)
        if self.run is not None:
            self.visited[self.run.state] += 1

    def prompt(self, text: Any, *, wait_ms: int = 2000, **facts: Any) -> None:
        """Let a prompt come, by default a human's in a new turn."""
        self.now_ms += wait_ms
        is_fresh = facts.get("is_fresh", True)
        if is_fresh:
            self.turn += 1
        what = f"prompt {text} in turn {self.turn} after {wait_ms} ms {facts}"
        facts |= {"tree": self.tree, "now_ms": self.now_ms}
        kernel = self.kernel.prompt(text, turn=self.turn, **facts)
        is_yes = text == "y" and is_fresh and not facts.get("is_made_by_host")
        self.agree(what, self.naive.prompt(text, **facts), kernel, is_yes=is_yes)

    def tool(self, kind: Any, **facts: Any) -> None:
        """Let a tool be called."""
        kernel = self.kernel.tool(kind, turn=self.turn, **facts)
        self.agree(f"tool {kind} {facts}", self.naive.tool(kind, **facts), kernel)

    def spawn(self, engine: Engine | None = None, **facts: Any) -> None:
        """Let the root spawn the Reviewer."""
        facts |= {"tree": dict(self.tree), "engine": engine or Engine()}
        kernel = self.kernel.spawn(turn=self.turn, **facts)
        self.agree(f"spawn {facts}", self.naive.spawn(**facts), kernel)

    def reviewer_starts(self) -> str:
        """Let a child of the Reviewer's type start; give its id."""
        self.children += 1
        agent = f"a-{self.children}"
        kernel = self.kernel.reviewer_starts(agent, turn=self.turn)
        self.agree(f"reviewer {agent} starts", self.naive.reviewer_starts(agent), kernel)
        return agent

    def reviewer_reads(self, agent: str) -> None:
        """Let it read its brief."""
        kernel = self.kernel.reviewer_reads(agent, turn=self.turn)
        self.agree(f"reviewer {agent} reads", self.naive.reviewer_reads(agent), kernel)

    def reviewer_stops(self, agent: str, message: Review | NearMiss | Prose) -> None:
        """Let it end with a message."""
        kernel = self.kernel.reviewer_stops(agent, message, tree=self.tree, run=self.run, turn=self.turn)
        naive = self.naive.reviewer_stops(agent, message, tree=self.tree)
        attestation = self.run.attestation if self.run is not None else None
        attested = message.verdict if attestation is not None and attestation.review is message else ""
        self.agree(f"reviewer {agent} stops with {message} at {self.tree}", naive, kernel, attested=attested)

    def stop(self, message: Message, engine: Engine | None = None, **facts: Any) -> None:
        """Let the root end its turn with a message."""
        self.now_ms += 500
        told = message.hash if isinstance(message, Plan) else message
        facts |= {"tree": dict(self.tree), "turn": self.turn, "now_ms": self.now_ms, "engine": engine or Engine()}
        kernel = self.kernel.stop(message, run=self.run, **facts)
        self.agree(f"stop with {told} {facts}", self.naive.stop(message, **facts), kernel)

    # Ways deep into a run

    def approve(self, plan: Plan) -> None:
        """Go to ``executing``."""
        self.prompt("activate")
        self.stop(plan)
        self.prompt("y")

    def claim(self, engine: Engine | None = None) -> None:
        """Write and spawn the Reviewer."""
        self.tool("inside")
        self.write("src/a.py")
        self.spawn(engine)

    def reviewed(self, review: Review) -> None:
        """Let the Reviewer give a Review and relay it."""
        agent = self.reviewer_starts()
        self.reviewer_reads(agent)
        self.reviewer_stops(agent, review)
        self.stop(review)

    def repaired(self) -> None:
        """Repair, give the Record and spawn the Reviewer."""
        self.write("src/a.py")
        self.stop(Record())
        self.spawn()

    def resumed(self, rounds: int = 0) -> None:
        """Go on after a pause."""
        self.stop(Resume(rounds))
        self.prompt("y")

    def write(self, path: str, version: int | None = None) -> None:
        """Change a file, whoever does it."""
        self.tree[path] = self.tree.get(path, 0) + 1 if version is None else version

    def finding(self, number: int = 1, path: str = "src/a.py", *, is_material: bool = False) -> Finding:
        """Make up a finding of this round."""
        run = self.run
        return Finding(f"R{run.review_round if run else 1}-F{number}", path, is_material)
