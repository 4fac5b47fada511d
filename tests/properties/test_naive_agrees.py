"""Two readings of one text: the naive lifecycle and the kernel answer alike, whatever happens in whatever order.

P1, P2 and P6 are checked on each step too, by ``naive/promises.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from naive.both import Both
from naive.told import BOUNDARY, COMMANDS, PLANS, SCRIPTS, V1, V2, asks
from naive.values import (
    Amendment,
    Author,
    Completion,
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

from harness_guard.kernel.state import STATE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from naive.run import Run

EXAMPLES = 250
STEPS = 40
FILES = ("src/a.py", "docs/b.md")
OTHERS = ("README.md", "LICENSE", "src/package.json")


def mostly(usual: Any, *odd: Any, times: int = 0) -> st.SearchStrategy[Any]:
    """Draw the usual value as often as all odd ones together, or so many times as often as one of them."""
    return st.sampled_from([usual] * (times or len(odd)) + list(odd))


def once_in(times: int) -> st.SearchStrategy[bool]:
    """Draw true once in so many times."""
    return st.integers(1, times).map(lambda drawn: drawn == times)


authors = mostly("human", "forged", "missing", "unreadable", times=12)
engines = st.builds(
    Engine, st.sampled_from(["green"] * 5 + ["red"] * 4 + ["unavailable", "moved", "busy"]), st.integers(0, 1)
)
texts = st.sampled_from([*["other"] * 4, "status", "status", "y", "y", "cancel", "activate"])
calls = mostly("inside", "read", "outside", "target unknown", "danger", "opaque", "opaque", "exact", times=2)
verdicts = st.sampled_from(["PASS", "PASS", "PASS_WITH_NOTES", *["REPAIR_REQUIRED"] * 4, "BLOCKED"])
record_faults = mostly(
    "",
    *("accepted_plan_hash", "source_review_round", "repair_round", "finding_ids", "changed_files"),
    *("diff_revision_before", "diff_revision_after", "verification_before", "verification_after"),
)
resume_faults = mostly(
    "", "accepted_plan_hash", "paused_revision", "diff_revision", "verification_fingerprint", times=8
)
context_faults = mostly(
    "", *("accepted_plan_hash", "accepted_amendment_hash", "diff_revision"), "verification_fingerprint", "review_round", times=10
)  # fmt: skip
slips = mostly("", "early", "queued", "tree moved", times=6)
amendment_faults = mostly("", "source_plan_hash", "source_policy_id", times=6)


class Lifecycles(RuleBasedStateMachine):
    """Anything in any order, with ways that lead deep into a run."""

    def __init__(self) -> None:
        super().__init__()
        self.both = Both()
        self.amendments = 0
        self.given: Review | None = None  # what the Reviewer said last

    @property
    def run(self) -> Run | None:
        return self.both.run

    def is_in(self, *states: str) -> bool:
        return self.run is not None and self.run.state in states

    def stop(self, message: Message, engine: Engine | None = None, **facts: Any) -> None:
        """Let the root end its turn."""
        self.both.stop(message, engine, **facts)

    @initialize(plan=st.sampled_from(PLANS))
    def begins(self, plan: Plan) -> None:
        self.both.approve(plan)

    # Prompts

    @rule(text=texts, in_turn=once_in(3), author=authors)
    def types(self, text: Any, author: Author, *, in_turn: bool) -> None:
        self.both.prompt(text, is_fresh=not in_turn, author=author)

    @rule(text=texts)
    def host_makes_a_prompt(self, text: Any) -> None:
        self.both.prompt(text, is_made_by_host=True)

    @precondition(lambda self: self.run is not None and self.run.gate is not None)
    @rule(slip=slips)
    def answers(self, slip: str) -> None:
        self.yes(slip)

    def yes(self, slip: str) -> None:
        """Answer with ``y``, too early, typed before the gate stood, or after the tree has moved."""
        if slip == "tree moved":
            self.both.write("src/a.py")
        self.both.prompt("y", is_queued=slip == "queued", wait_ms=100 if slip == "early" else 2000)

    @precondition(lambda self: self.run is None or self.is_in("planning", "completed", "cancelled"))
    @rule(plan=st.sampled_from(PLANS))
    def starts_again(self, plan: Plan) -> None:
        self.both.approve(plan)

    # Tools and the tree

    @rule(kind=calls, author=authors, is_child=once_in(6), engine_runs=once_in(10))
    def calls(self, kind: Any, author: Author, *, is_child: bool, engine_runs: bool) -> None:
        self.both.tool(kind, author=author, is_child=is_child, engine_runs=engine_runs)

    @rule(path=st.sampled_from([*FILES, *FILES, *OTHERS]), version=st.integers(0, 3))
    def tree_moves(self, path: str, version: int) -> None:
        self.both.write(path, version)

    # The Reviewer

    @rule(engine=engines, author=authors, slip=mostly("", "arguments", "child", "engine", times=8))
    def claims(self, engine: Engine, author: Author, slip: str) -> None:
        facts = {"is_exact": slip != "arguments", "is_child": slip == "child", "engine_runs": slip == "engine"}
        self.both.spawn(engine, author=author, **facts)

    @precondition(lambda self: self.run is not None and self.run.is_awaited)
    @rule(skips=once_in(6))
    def reviewer_starts(self, *, skips: bool) -> None:
        agent = self.both.reviewer_starts()
        if not skips:
            self.both.reviewer_reads(agent)

    @precondition(lambda self: self.run is not None and self.run.reviewer is not None)
    @rule(
        data=st.data(),
        message=st.sampled_from([None, None, None, NearMiss(), Prose()]),
        is_other=once_in(6),
    )
    def reviewer_stops(self, data: st.DataObject, message: NearMiss | Prose | None, *, is_other: bool) -> None:
        assert self.run is not None
        assert self.run.reviewer is not None
        agent = "a-0" if is_other else self.run.reviewer
        if message is None:
            self.given = self.a_review(data)
        self.both.reviewer_stops(agent, message or self.given or Prose())

    @precondition(lambda self: self.given is not None)
    @rule(author=authors, is_altered=once_in(5))
    def relays(self, author: Author, *, is_altered: bool) -> None:
        assert self.given is not None
        review = Review("BLOCKED", (), self.given.wrong) if is_altered else self.given
        self.stop(review, author=author)

    def is_given(self, review: Review) -> None:
        """Let the Reviewer start, read and give a Review, and the root relay it."""
        self.given = review
        agent = self.both.reviewer_starts()
        self.both.reviewer_reads(agent)
        self.both.reviewer_stops(agent, review)
        self.stop(review)

    def a_review(self, data: st.DataObject) -> Review:
        """Draw a Review that fits or nearly fits."""
        assert self.run is not None
        verdict = data.draw(verdicts)
        wrong = data.draw(context_faults)
        if verdict in ("PASS", "BLOCKED"):
            return Review(verdict, (), wrong)
        known = [Finding(name, path) for name, path in sorted(self.run.open_findings.items())]
        new = [self.both.finding(number, path) for number in (1, 2) for path in FILES]
        odd = [Finding("R9-F1", "src/a.py"), self.both.finding(3, "LICENSE"), self.both.finding(4, "src/package.json")]
        moved = [Finding(found.id, "src/z.py") for found in known]
        chosen = data.draw(st.sampled_from([*known * 6, *new * 2, *odd, *moved]))
        is_material = data.draw(once_in(7))
        return Review(verdict, (Finding(chosen.id, chosen.path, is_material),), wrong)

    # Stop

    @rule(
        message=st.sampled_from([Prose(), Prose(), NearMiss(), Review("PASS"), *PLANS[:2]]),
        is_child_listed=st.booleans(),
        author=authors,
    )
    def stops(self, message: Message, author: Author, *, is_child_listed: bool) -> None:
        self.stop(message, is_child_listed=is_child_listed, author=author)

    @precondition(lambda self: self.is_in("auto_repairing", "executing", "verifying"))
    @rule(wrong=record_faults, engine=engines, author=authors)
    def records(self, wrong: str, engine: Engine, author: Author) -> None:
        self.stop(Record(wrong), engine, author=author)

    @precondition(lambda self: self.run is not None and (self.run.is_paused or self.run.state == "executing"))
    @rule(rounds=st.integers(0, 3), wrong=resume_faults)
    def resumes(self, rounds: int, wrong: str) -> None:
        self.stop(Resume(rounds, wrong))

    @rule(
        data=st.data(),
        wrong=amendment_faults,
        author=authors,
        lie=mostly("", "write_boundary", "verification", "scope", times=6),
    )
    def amends(self, data: st.DataObject, wrong: str, author: Author, lie: str) -> None:
        self.stop(self.an_amendment(data, wrong, lie), author=author)

    def an_amendment(self, data: st.DataObject, wrong: str, lie: str) -> Amendment:
        """Draw an Amendment whose deltas are declared as they are, but for one that may be a lie."""
        boundary = data.draw(st.sampled_from([BOUNDARY, BOUNDARY | {"README.md"}, frozenset({"src/"})]))
        commands = data.draw(st.sampled_from([COMMANDS, COMMANDS | {"make all"}]))
        required = data.draw(st.sampled_from([(V1,), (V1, V2)]))
        criteria = data.draw(st.sampled_from([("AC1",), ("AC1", "AC2")]))
        material = {"risk"}
        if self.run is not None and self.run.active is not None:
            now = self.run.active
            verifying = {check.command for check in now.required}
            material |= {"write_boundary"} if boundary != now.boundary else set()
            material |= {"verification"} if required != now.required else set()
            material |= {"acceptance_criteria"} if criteria != self.run.criteria else set()
            material |= {"scope"} if commands != now.commands - verifying else set()
        self.amendments += 1
        declared = frozenset(material ^ {lie} if lie else material)
        return Amendment(f"amendment-{self.amendments}", boundary, commands, required, criteria, declared, wrong)

    @precondition(lambda self: self.is_in("reviewing", "verifying") or (self.run is not None and self.run.is_paused))
    @rule(wrong=context_faults, slip=mostly("", "busy", "criteria", times=4), author=authors)
    def completes(self, wrong: str, slip: str, author: Author) -> None:
        self.stop(Completion(wrong, is_whole=slip != "criteria"), is_busy=slip == "busy", author=author)

    # Ways deep into a run

    @precondition(lambda self: self.is_in("executing", "verifying", "reviewing"))
    @rule(engine=engines)
    def works_and_claims(self, engine: Engine) -> None:
        self.both.claim(engine)

    @precondition(lambda self: self.is_in("verifying") and self.run is not None and self.run.is_awaited)
    @rule(data=st.data())
    def is_reviewed(self, data: st.DataObject) -> None:
        self.is_given(self.a_review(data))

    @precondition(lambda self: self.is_in("verifying") and self.run is not None and self.run.is_awaited)
    @rule()
    def is_passed(self) -> None:
        self.is_given(Review("PASS"))

    @precondition(lambda self: self.is_in("verifying") and self.run is not None and self.run.is_awaited)
    @rule(number=st.integers(1, 2), is_material=once_in(5))
    def is_asked_to_repair(self, number: int, *, is_material: bool) -> None:
        self.is_given(asks(self.both, number, is_material=is_material))

    @precondition(lambda self: self.is_in("reviewing"))
    @rule()
    def is_completed(self) -> None:
        self.stop(Completion())

    @precondition(lambda self: self.is_in("auto_repairing"))
    @rule(engine=engines, is_moved=st.booleans())
    def repairs(self, engine: Engine, *, is_moved: bool) -> None:
        if is_moved:
            self.both.tool("inside")
            self.both.write("src/a.py")
        self.stop(Record(), engine)
        if self.is_in("verifying"):
            self.both.spawn(engine)

    @precondition(lambda self: self.is_in("auto_repairing"))
    @rule(output=st.integers(0, 1))
    def repairs_in_vain(self, output: int) -> None:
        self.both.write("src/a.py")
        for _ in range(3):
            self.stop(Record(), Engine("red", output))

    @precondition(lambda self: self.run is not None and self.run.is_awaited and bool(self.run.open_findings))
    @rule()
    def is_asked_again(self) -> None:
        assert self.run is not None
        name, path = next(iter(self.run.open_findings.items()))
        self.is_given(Review("REPAIR_REQUIRED", (Finding(name, path),)))

    @precondition(lambda self: self.run is not None and self.run.is_paused)
    @rule(rounds=st.integers(0, 3), slip=slips)
    def resumes_and_goes_on(self, rounds: int, slip: str) -> None:
        self.stop(Resume(rounds))
        self.yes(slip)

    @precondition(lambda self: self.run is not None and self.run.accepted is not None)
    @rule(data=st.data(), slip=slips)
    def amends_and_goes_on(self, data: st.DataObject, slip: str) -> None:
        self.stop(self.an_amendment(data, "", ""))
        self.yes(slip)


@pytest.mark.parametrize(("script", "end"), SCRIPTS)
def test_a_told_run_ends_where_the_contract_says(script: Callable[[Both], None], end: str) -> None:
    both = Both()
    script(both)
    assert both.run is not None
    assert both.run.state == end


def test_the_told_runs_visit_every_state() -> None:
    Both.visited.clear()
    for script, _ in SCRIPTS:
        script(Both())
    assert set(Both.visited) == set(STATE_NAMES)


@pytest.mark.contract("L1.2", "L1.3", "L2.1", "L2.2", "L2.3", "L2.5", "L2.7", "L3.1", "L3.5", "L3.6")
@pytest.mark.contract("L4.3", "L4.4", "L4.5", "L4.6", "L4.7", "L4.9", "L4.10", "L5.1", "C5.2", "C5.3", "C5.6", "C6.6")
def test_naive_lifecycle_and_kernel_agree() -> None:
    Both.visited.clear()
    own = settings.default
    assert own is not None
    if own.max_examples > EXAMPLES:
        budget = settings(own, stateful_step_count=STEPS)
    else:
        # The same runs each time, so that it is no luck which states they visit; each failure tells its whole run, and
        # the deep profile looks for shorter ones.
        phases = [Phase.generate]
        budget = settings(own, max_examples=EXAMPLES, stateful_step_count=STEPS, derandomize=True, phases=phases)
    run_state_machine_as_test(Lifecycles, settings=budget)
    assert set(Both.visited) == set(STATE_NAMES)
