"""Runs told step by step, each with the state in which the contract says that it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naive.values import (
    Amendment,
    Check,
    Completion,
    Engine,
    Finding,
    NearMiss,
    Plan,
    Prose,
    Record,
    Resume,
    Review,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from naive.both import Both

V1 = Check("V1", "sh check.sh")
V2 = Check("V2", "sh more.sh")
BOUNDARY = frozenset({"src/", "docs/*.md"})
COMMANDS = frozenset({"make test"})
PLAN = Plan("plan-3", BOUNDARY, COMMANDS, (V1,))
PLANS = (
    PLAN,
    Plan("plan-1", BOUNDARY, COMMANDS, (V1, V2), max_rounds=1, no_progress_limit=1),
    Plan("plan-2", BOUNDARY, COMMANDS, (V1,), max_rounds=2, repeated_limit=1),
    Plan("plan-0", BOUNDARY, COMMANDS, (V1,), is_repair_enabled=False),
)


def asks(both: Both, number: int = 1, path: str = "src/a.py", *, is_material: bool = False) -> Review:
    """Give a Review that asks for repair."""
    return Review("REPAIR_REQUIRED", (both.finding(number, path, is_material=is_material),))


def amended(*extra: str) -> Amendment:
    material = frozenset({"risk", "write_boundary"} if extra else {"risk"})
    return Amendment("amendment", BOUNDARY | set(extra), COMMANDS, (V1,), ("AC1",), material)


def repairs_twice(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(asks(both, 1))
    both.repaired()
    both.reviewed(asks(both, 2))
    both.repaired()
    both.reviewed(Review("PASS_WITH_NOTES", (both.finding(3),)))
    both.stop(Completion())


def sees_the_same_finding_again(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    review = asks(both)
    both.reviewed(review)
    both.repaired()
    both.reviewed(review)


def repairs_in_vain(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(asks(both))
    both.write("src/a.py")
    both.stop(Record(), Engine("red"))
    both.stop(Record(), Engine("red"))
    both.stop(Record(), Engine("red"))


def repairs_in_vain_but_not_twice_in_a_row(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(asks(both))
    both.write("src/a.py")
    both.stop(Record(), Engine("red", 0))
    both.stop(Record(), Engine("red", 0))
    both.stop(Record(), Engine("red", 1))
    both.stop(Record(), Engine("red", 1))


def spends_the_budget(both: Both) -> None:
    both.approve(PLANS[3])
    both.claim()
    both.reviewed(asks(both))
    both.stop(Resume(0))  # leaves no budget for the round that is due


def buys_a_round(both: Both) -> None:
    spends_the_budget(both)
    both.resumed(1)


def claims_red_while_reviewing(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(Review("PASS"))
    both.claim(Engine("red"))


def needs_more_than_the_plan(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(asks(both, is_material=True))


def finds_in_a_manifest(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(asks(both, 1, "src/package.json"))


def finds_inside_but_changed_outside(both: Both) -> None:
    sweeps_its_own_change(both)
    both.resumed()
    both.claim()
    both.reviewed(asks(both))


def forgets_what_was_seen_before_an_amendment(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    review = asks(both)
    both.reviewed(review)
    both.stop(amended())
    both.prompt("y")
    both.claim()
    both.reviewed(review)


def forgets_what_was_seen_before_a_forgery(both: Both) -> None:
    buys_a_round(both)
    both.tool("inside", author="forged")
    both.stop(PLAN)
    both.prompt("y")
    both.claim()
    both.reviewed(asks(both))


def moves_a_known_finding(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(asks(both))
    both.repaired()
    agent = both.reviewer_starts()
    both.reviewer_reads(agent)
    both.reviewer_stops(agent, Review("REPAIR_REQUIRED", (Finding("R1-F1", "docs/b.md"),)))


def loses_a_reviewer(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    agent = both.reviewer_starts()
    both.reviewer_stops(agent, Review("PASS"))  # it has not looked at the diff
    both.reviewer_reads(agent)
    both.reviewer_stops(agent, NearMiss())
    both.reviewer_stops(agent, Prose())
    both.reviewer_stops(agent, NearMiss())
    both.reviewer_stops(agent, Review("PASS"))
    both.stop(Review("PASS"))


def sees_a_finding_again_after_a_red_claim(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    review = asks(both)
    both.reviewed(review)
    both.repaired()
    both.claim(Engine("red"))
    both.repaired()
    both.reviewed(review)


def counts_no_suggestion(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    note = both.finding()
    both.reviewed(Review("PASS_WITH_NOTES", (note,)))
    both.claim()
    both.reviewed(Review("REPAIR_REQUIRED", (note,)))


def keeps_the_findings_of_a_moved_tree(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    agent = both.reviewer_starts()
    both.reviewer_reads(agent)
    both.reviewer_stops(agent, asks(both))
    both.claim()
    agent = both.reviewer_starts()
    both.reviewer_reads(agent)
    both.reviewer_stops(agent, asks(both, 1, "docs/b.md"))  # that id is open, with another path


def leaves_out_a_changed_file(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    narrow = frozenset({"docs/*.md"})
    both.stop(Amendment("narrow", narrow, COMMANDS, (V1,), ("AC1",), frozenset({"write_boundary"})))


def answers_a_question_that_is_no_longer_on_screen(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(Review("PASS"))
    both.stop(amended("README.md"))
    both.stop(Completion("review_round"))
    both.prompt("y")


def sweeps_under_a_forged_approval(both: Both) -> None:
    both.approve(PLAN)
    both.tool("exact")
    both.stop(amended())
    both.prompt("y")
    both.write("LICENSE")
    both.stop(Prose(), author="forged")


def answers_before_the_gate_stood(both: Both) -> None:
    both.prompt("activate")
    both.stop(PLAN)
    both.prompt("y", is_queued=True)


def answers_for_another_tree(both: Both) -> None:
    writes_outside(both)
    both.stop(Resume())
    both.write("src/a.py")
    both.prompt("y")


def is_amended_in_a_pause(both: Both) -> None:
    needs_more_than_the_plan(both)
    both.stop(amended("README.md"))
    both.prompt("y")
    both.write("README.md")
    both.claim()
    both.reviewed(asks(both, 1, "README.md"))


def is_blocked(both: Both) -> None:
    both.approve(PLAN)
    both.claim()
    both.reviewed(Review("BLOCKED"))


def cannot_verify(both: Both) -> None:
    both.approve(PLAN)
    both.claim(Engine("unavailable"))


def writes_outside(both: Both) -> None:
    both.approve(PLAN)
    both.tool("outside")


def sweeps_its_own_change(both: Both) -> None:
    both.approve(PLAN)
    both.tool("exact")
    both.write("LICENSE")
    both.stop(Prose())


def absorbs_a_foreign_change(both: Both) -> None:
    both.approve(PLAN)
    both.write("LICENSE")
    both.stop(Prose())


def is_dangerous(both: Both) -> None:
    both.approve(PLAN)
    both.tool("danger", is_child=True)


def is_opaque(both: Both) -> None:
    both.approve(PLAN)
    for _ in range(3):
        both.tool("opaque")


def is_forged(both: Both) -> None:
    both.approve(PLAN)
    both.tool("inside", author="forged")


def is_cancelled(both: Both) -> None:
    both.approve(PLAN)
    both.prompt("cancel", is_fresh=False)
    both.prompt("other")


SCRIPTS: tuple[tuple[Callable[[Both], None], str], ...] = (
    (repairs_twice, "completed"),
    (sees_the_same_finding_again, "paused_no_progress"),
    (repairs_in_vain, "paused_no_progress"),
    (repairs_in_vain_but_not_twice_in_a_row, "auto_repairing"),
    (finds_inside_but_changed_outside, "paused_material"),
    (forgets_what_was_seen_before_an_amendment, "auto_repairing"),
    (forgets_what_was_seen_before_a_forgery, "auto_repairing"),
    (sees_a_finding_again_after_a_red_claim, "paused_no_progress"),
    (counts_no_suggestion, "auto_repairing"),
    (keeps_the_findings_of_a_moved_tree, "verifying"),
    (leaves_out_a_changed_file, "verifying"),
    (answers_a_question_that_is_no_longer_on_screen, "reviewing"),
    (sweeps_under_a_forged_approval, "planning"),
    (moves_a_known_finding, "verifying"),
    (loses_a_reviewer, "verifying"),
    (answers_before_the_gate_stood, "planning"),
    (answers_for_another_tree, "paused_boundary"),
    (spends_the_budget, "paused_budget"),
    (buys_a_round, "auto_repairing"),
    (claims_red_while_reviewing, "auto_repairing"),
    (needs_more_than_the_plan, "paused_material"),
    (finds_in_a_manifest, "paused_material"),
    (is_amended_in_a_pause, "auto_repairing"),
    (is_blocked, "paused_blocked"),
    (cannot_verify, "paused_blocked"),
    (writes_outside, "paused_boundary"),
    (sweeps_its_own_change, "paused_boundary"),
    (absorbs_a_foreign_change, "executing"),
    (is_dangerous, "paused_danger"),
    (is_opaque, "paused_unmodeled"),
    (is_forged, "planning"),
    (is_cancelled, "cancelled"),
)
