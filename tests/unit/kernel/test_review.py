"""A relayed Review: which counts, what it leaves in the state, and what is answered, word by word (contract 6 and 8)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import DIFF, TREE, FakeWorld, finding, in_state, review, stop

from harness_guard.kernel.decision import Decision, Reason
from harness_guard.kernel.outcome import DropAttestation
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.kernel.texts import bindings_text, next_step, spawn_block
from harness_guard.records import replace

MOVED = "sha256:" + "e" * 64
SUGGESTION = finding(id="R1-F2", severity="suggestion", message="rename it", line=7)
REPAIR = review("REPAIR_REQUIRED", (finding(), SUGGESTION))


def decide(text: str, state: Any = None, *, attested: str | None = None, **answers: Any) -> Any:
    world = FakeWorld(PendingAttestation=text if attested is None else attested or None, **answers)
    return world.decide(stop(text), state or in_state("verifying"))


@pytest.mark.contract("C8.17")
@pytest.mark.parametrize(
    ("attested", "tree", "rule", "seen", "remedy"),
    [
        (
            "",
            DIFF,
            "review.self",
            "no Reviewer has attested this Review: a Review of one's own does not count",
            "Spawn the Reviewer with exactly these arguments, or wait for the one at work.",
        ),
        (
            review("BLOCKED"),
            DIFF,
            "review.changed",
            "this is not the Review that the Reviewer gave",
            "Relay this text unchanged:",
        ),
        (
            "no review",
            DIFF,
            "review.changed",
            "this is not the Review that the Reviewer gave",
            "Relay this text unchanged:",
        ),
        (
            None,
            MOVED,
            "review.stale",
            f"the tree moved after the Review, from {DIFF} to {MOVED}",
            "Spawn the Reviewer again with exactly these arguments.",
        ),
    ],
)
def test_a_review_that_does_not_count(attested: str | None, tree: str, rule: str, seen: str, remedy: str) -> None:
    state = in_state("verifying")
    found = decide(REPAIR, state, attested=attested, TreeNow=Snapshot(tree, (), TREE))
    more = str(attested) if rule == "review.changed" else spawn_block(state)
    assert found.decision == Decision("block", Reason(rule, seen, remedy, more))
    known = (("R1-F1", "src/a.py", "wrong"), ("R1-F2", "src/a.py", "rename it"))
    assert found.state.open_findings == (known if rule == "review.stale" else state.open_findings)
    assert (found.state.state, found.duties) == ("verifying", ())


@pytest.mark.parametrize("name", ["executing", "reviewing", "auto_repairing", "paused_danger"])
def test_a_review_is_due_while_verifying_only(name: str) -> None:
    reason = decide(review(), in_state(name)).decision.reason
    assert reason is not None
    assert reason.rule == "artifact.not-now"


@pytest.mark.contract("L2.6")
@pytest.mark.parametrize(("verdict", "findings"), [("PASS", ()), ("PASS_WITH_NOTES", (SUGGESTION,))])
def test_a_review_that_passes_leads_to_the_completion(verdict: str, findings: tuple[Any, ...]) -> None:
    found = decide(review(verdict, findings))
    assert found.state.state == "reviewing"
    assert found.decision.reason == Reason(
        "review.taken",
        f"the Review is taken: {verdict}",
        f"{next_step(found.state)} These are its bindings:",
        bindings_text(found.state),
    )
    assert (found.duties, found.note) == ((DropAttestation(),), "review passed")
    assert found.state.latest_finding_ids == tuple(item["id"] for item in findings)
    assert found.state.reviewed_ids == ()


@pytest.mark.contract("L2.6")
def test_a_review_that_asks_for_repair_begins_a_round_measured_from_its_tree() -> None:
    state = in_state("verifying")
    found = decide(REPAIR, state)
    assert found.decision.reason == Reason(
        "repair.begun",
        "the Review is taken: REPAIR_REQUIRED; repair round 1 of 3 begins",
        next_step(found.state),
        "- R1-F1 (important) src/a.py:3: wrong\n- R1-F2 (suggestion) src/a.py:7: rename it",
    )
    assert (found.duties, found.note, found.state.state) == (
        (DropAttestation(),), "repair round begun", "auto_repairing",
    )  # fmt: skip
    repair = found.state.repair
    assert (repair.tree_before, repair.diff_before) == (TREE, DIFF)
    assert (repair.verification_before, repair.progress_before) == (
        state.integrity_fingerprint, state.progress_fingerprint,
    )  # fmt: skip


@pytest.mark.parametrize("missing", ["diff_revision", "integrity_fingerprint", "progress_fingerprint"])
def test_what_was_never_measured_is_measured_against_nothing(missing: str) -> None:
    from harness_guard.kernel.repair import at_round_begin

    asking = at_round_begin(replace(in_state("verifying"), **{missing: None}))
    next(asking)
    with pytest.raises(StopIteration) as done:
        asking.send(Snapshot(DIFF, (), TREE))
    repair = done.value.value.repair
    measured = {
        "diff_revision": repair.diff_before,
        "integrity_fingerprint": repair.verification_before,
        "progress_fingerprint": repair.progress_before,
    }
    assert [name for name, value in measured.items() if value == ""] == [missing]


@pytest.mark.contract("L2.3")
@pytest.mark.parametrize(
    ("reviewed", "before", "findings", "repeated"),
    [
        ((), 0, (finding(),), 1),
        ((), 5, (finding(),), 1),
        (("R1-F1",), 0, (finding(),), 1),
        (("R1-F1",), 1, (finding(),), 2),
        (("R1-F9", "R1-F1"), 1, (finding(id="R1-F3"), finding()), 2),
        (("R1-F2",), 1, (finding(), SUGGESTION), 1),  # a suggestion that comes again is no finding that does
    ],
)
def test_which_finding_is_seen_again(
    reviewed: tuple[str, ...], before: int, findings: tuple[Any, ...], repeated: int
) -> None:
    state = in_state("verifying", reviewed_ids=reviewed)
    state = replace(state, repair=replace(state.repair, repeated=before))
    found = decide(review("REPAIR_REQUIRED", findings), state)
    assert found.state.repair.repeated == repeated


@pytest.mark.contract("L2.3")
def test_a_blocked_review_counts_nothing() -> None:
    state = in_state("verifying", reviewed_ids=("R1-F1",))
    state = replace(state, repair=replace(state.repair, repeated=2))
    assert decide(review("BLOCKED"), state).state.repair.repeated == 2


PAUSES = [
    (
        review("BLOCKED"),
        {},
        "paused_blocked",
        "the Review is taken: BLOCKED: the Reviewer is blocked; Read it.",
        "Give the Reviewer what it lacked.",
    ),
    (
        review("REPAIR_REQUIRED", (finding(), finding(id="R1-F2", classification="MATERIAL_AMENDMENT"))),
        {},
        "paused_material",
        (
            "the Review is taken: REPAIR_REQUIRED: R1-F2 is MATERIAL_AMENDMENT; R1-F1 in src/a.py: wrong; "
            "R1-F2 in src/a.py: wrong"
        ),
        "Work on the findings inside the boundary.",
    ),
    (
        review("REPAIR_REQUIRED", (finding(),)),
        {"TreeNow": Snapshot(DIFF, ("src/a.py", "src/package.json"), TREE)},
        "paused_material",
        (
            "the Review is taken: REPAIR_REQUIRED: `src/package.json` cannot be repaired inside the Plan: "
            "it is a dependency file that the boundary does not name; R1-F1 in src/a.py: wrong"
        ),
        "Work on the findings inside the boundary.",
    ),
]


@pytest.mark.contract("L2.4", "L4.1")
@pytest.mark.parametrize(("text", "answers", "to", "seen", "remedy"), PAUSES)
def test_a_review_that_pauses_says_what_was_found(
    text: str, answers: dict[str, Any], to: str, seen: str, remedy: str
) -> None:
    found = decide(text, **answers)
    assert (found.state.state, found.duties) == (to, (DropAttestation(),))
    assert (found.decision.reason.rule, found.decision.reason.seen) == ("review.findings", seen)
    assert found.decision.reason.more.startswith(f"After a Resume: {remedy}\n")
    assert found.state.pause_reason == f"review.findings: {seen}"


def test_findings_in_a_pause_are_cut() -> None:
    text = review("REPAIR_REQUIRED", (finding(classification="MATERIAL_AMENDMENT", message="x" * 600),))
    seen = decide(text).decision.reason.seen
    assert (len(seen), seen[-2:]) == (450, "x…")


def test_without_a_policy_nothing_can_be_repaired() -> None:
    text = review("REPAIR_REQUIRED", (finding(),))
    found = decide(text, replace(in_state("verifying"), active_policy=None))
    assert found.state.state == "paused_material"
    assert "REPAIR_REQUIRED: no policy is in force; R1-F1" in found.decision.reason.seen
