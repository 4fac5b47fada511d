"""Repair Records: what is compared, what is counted, where they lead (L3.1 to L3.6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_world import DIFF, FINGERPRINT, GREEN, HASH, RED, STATE_NAMES, TREE, FakeWorld, in_state, stop

from harness_guard.artifacts.digest import message_hash
from harness_guard.kernel.outcome import DropAttestation, KeepText
from harness_guard.kernel.run_questions import Verification
from harness_guard.kernel.texts import spawn_block
from harness_guard.records import replace

LATER = "sha256:" + "1" * 64
LATER_PRINT = "sha256:" + "2" * 64
MOVED = replace(GREEN, diff_revision=LATER, integrity_fingerprint=LATER_PRINT, progress_fingerprint=LATER_PRINT)


def record(**changes: Any) -> str:
    bound = {
        "accepted_plan_hash": HASH,
        "source_review_round": 1,
        "repair_round": 1,
        "finding_ids": ["R1-F1"],
        "changed_files": ["src/a.py"],
        "diff_revision_before": DIFF,
        "diff_revision_after": LATER,
        "verification_before": FINGERPRINT,
        "verification_after": LATER_PRINT,
        **changes,
    }
    return (
        f"# Repair Record\n\n## Repair Context\n\n```json\n{json.dumps({'repair_context': bound})}\n```\n\n"
        "## Changes\n\nMended.\n\n## Verification\n\nV1 is green.\n"
    )


def decide(text: str, state: Any = None, **answers: Any) -> Any:
    world = FakeWorld(**{"Verified": MOVED, "ChangedSince": ("src/a.py",), **answers})
    return world.decide(stop(text), state if state is not None else repairing())


def repairing(**changes: Any) -> Any:
    state = in_state("auto_repairing")
    return replace(state, repair=replace(state.repair, **changes))


def rule(found: Any) -> str:
    assert found.decision.verdict == "block"
    return str(found.decision.reason.rule)


@pytest.mark.contract("L3.6")
def test_green_leads_to_the_next_review() -> None:
    found = decide(record())
    assert (rule(found), found.state.state, found.state.authority_status) == ("repair.taken", "verifying", "revoked")
    assert (found.state.review_round, found.state.evidence_green) == (2, True)
    assert (found.state.diff_revision, found.state.integrity_fingerprint) == (LATER, LATER_PRINT)
    assert [type(duty) for duty in found.duties] == [DropAttestation, KeepText]
    assert "harness_review" in found.decision.reason.more or "Clean-context read-only" in found.decision.reason.more


@pytest.mark.contract("L3.6")
def test_red_leaves_the_round() -> None:
    red = replace(RED, diff_revision=LATER, integrity_fingerprint=LATER_PRINT, progress_fingerprint=LATER_PRINT)
    found = decide(record(), Verified=red)
    assert (rule(found), found.state.state, found.state.has_authority) == ("evidence.red", "auto_repairing", True)
    assert "exited 3" in found.decision.reason.seen
    assert "assertion failed" in found.decision.reason.more
    assert (found.state.evidence_green, found.state.diff_revision, found.state.review_round) == (False, LATER, 1)


@pytest.mark.contract("L3.1")
@pytest.mark.parametrize(
    "name", [name for name in STATE_NAMES if name not in ("auto_repairing", "completed", "cancelled")]
)
def test_a_record_is_due_in_a_round_only(name: str) -> None:
    world = FakeWorld()
    found = world.decide(stop(record()), in_state(name))
    assert (rule(found), found.state.state) == ("artifact.not-now", name)
    assert "Verified" not in world.asked


@pytest.mark.contract("L3.2")
@pytest.mark.parametrize(
    ("found_by_engine", "expected", "state"),
    [
        (Verification("busy", detail="another run"), "evidence.busy", "auto_repairing"),
        (Verification("moved", paths=("src/a.py",)), "evidence.moved", "auto_repairing"),
        (Verification("unavailable", failed=RED.failed), "evidence.unavailable", "paused_blocked"),
    ],
)
def test_no_evidence_no_record(found_by_engine: Verification, expected: str, state: str) -> None:
    before = repairing()
    found = decide(record(), before, Verified=found_by_engine)
    assert (rule(found), found.state.state) == (expected, state)
    assert found.state.wrote_unseen is (expected != "evidence.busy")
    assert found.state.repair == before.repair
    assert not any(isinstance(duty, KeepText) for duty in found.duties)


@pytest.mark.contract("L3.3")
@pytest.mark.parametrize("names", [["src/a.py", "src/b.py"], ["src/b.py", "src/a.py"]])
def test_order_does_not_count(names: list[str]) -> None:
    found = decide(record(changed_files=names), ChangedSince=("src/a.py", "src/b.py"))
    assert rule(found) == "repair.taken"


@pytest.mark.contract("L3.4")
def test_a_wrong_binding_counts_for_nothing_and_tells_of_red() -> None:
    before = repairing()
    red = replace(RED, diff_revision=LATER, integrity_fingerprint=LATER_PRINT, progress_fingerprint=LATER_PRINT)
    found = decide(record(repair_round=2), before, Verified=red)
    assert (rule(found), found.state.repair, found.state.diff_revision) == ("artifact.binding", before.repair, DIFF)
    assert "`repair_round` is `2`, but the run has `1`" in found.decision.reason.seen
    assert "required verification is red" in found.decision.reason.more
    assert "Mended." in found.decision.reason.more
    right = found.decision.reason.more[found.decision.reason.more.index("# Repair Record") :]
    assert rule(decide(right)) == "repair.taken"


def test_a_name_that_no_artifact_can_hold_is_bound_by_the_diff_alone() -> None:
    assert rule(decide(record(), ChangedSince=("src/a.py", "src/a\nb.py"))) == "repair.taken"


STUCK = {"diff_revision_after": DIFF, "verification_after": FINGERPRINT, "changed_files": []}


@pytest.mark.contract("L3.5")
@pytest.mark.parametrize(
    ("seen", "now", "counted"),
    [
        # As at the round's begin; as at the Record before; only one of the two; neither.
        ((DIFF, FINGERPRINT), (DIFF, FINGERPRINT), 1),
        ((LATER, LATER_PRINT), (DIFF, FINGERPRINT), 1),
        ((LATER, LATER_PRINT), (LATER, LATER_PRINT), 1),
        ((DIFF, FINGERPRINT), (DIFF, LATER_PRINT), 0),
        ((DIFF, FINGERPRINT), (LATER, FINGERPRINT), 0),
        ((LATER, FINGERPRINT), (LATER, LATER_PRINT), 0),
    ],
)
def test_what_counts_as_no_progress(seen: tuple[str, str], now: tuple[str, str], counted: int) -> None:
    state = replace(repairing(), diff_revision=seen[0], progress_fingerprint=seen[1])
    measured = replace(GREEN, diff_revision=now[0], integrity_fingerprint=FINGERPRINT, progress_fingerprint=now[1])
    text = record(diff_revision_after=now[0], verification_after=FINGERPRINT)
    assert decide(text, state, Verified=measured).state.repair.no_progress == counted


@pytest.mark.contract("L3.5")
@pytest.mark.parametrize("engine", [GREEN, RED])
def test_the_limit_pauses_whatever_the_engine_says(engine: Verification) -> None:
    found = decide(record(**STUCK), repairing(no_progress=1), Verified=engine, ChangedSince=())
    assert (rule(found), found.state.state, found.state.repair.no_progress) == (
        "repair.no-progress",
        "paused_no_progress",
        2,
    )
    assert (found.state.paused_from, found.state.repair.is_due) == ("auto_repairing", False)
    assert '"additional_rounds": 0' in found.decision.reason.more
    assert isinstance(found.duties[-1], KeepText)


@pytest.mark.contract("L3.5")
def test_progress_forgets_what_was_counted() -> None:
    assert decide(record(), repairing(no_progress=1)).state.repair.no_progress == 0


@pytest.mark.contract("L3.5")
def test_a_stricter_limit_pauses_at_the_first() -> None:
    state = repairing()
    strict = replace(state, active_policy=replace(state.active_policy, no_progress_limit=1))
    assert rule(decide(record(**STUCK), strict, Verified=GREEN, ChangedSince=())) == "repair.no-progress"


def test_a_forged_approval_takes_no_record() -> None:
    state = repairing()
    unproved = replace(state, approval=replace(state.approval, is_verified=False))
    found = decide(record(), unproved, AuthorOf="forged")
    assert (rule(found), found.state.state, found.state.accepted_policy) == ("provenance.forged", "planning", None)


def test_the_round_is_measured_from_the_tree_that_was_judged() -> None:
    assert in_state("auto_repairing").repair.tree_before == TREE


@pytest.mark.contract("L3.4")
def test_a_record_too_long_to_be_handed_out_is_printed_by_the_command_line() -> None:
    state = replace(repairing(), command="/data/bin/harness-guard")
    many = tuple(f"src/module_{number:04}.py" for number in range(400))
    found = decide(record(), state, ChangedSince=many)
    assert rule(found) == "artifact.binding"
    assert "`/data/bin/harness-guard artifact repair-record`" in found.decision.reason.remedy
    assert len(found.decision.reason.seen) < 1000
    assert "# Repair Record" not in found.decision.reason.more


@pytest.mark.contract("L3.4")
@pytest.mark.parametrize(("size", "is_handed_out"), [(7000, True), (7001, False)])
def test_how_long_a_record_may_be_to_be_handed_out(size: int, *, is_handed_out: bool) -> None:
    paths = [f"src/module_{number:03}.py" for number in range(200)]
    short = decide(record(), ChangedSince=tuple(paths)).decision.reason.more
    paths[-1] = f"src/{'x' * (size - len(short.encode()))}{paths[-1].removeprefix('src/')}"
    reason = decide(record(), ChangedSince=tuple(paths)).decision.reason
    assert short.startswith("# Repair Record")
    assert (reason.remedy == "Emit this, with your own words in it:") == is_handed_out
    assert len(reason.more.encode()) == (size if is_handed_out else 0)


@pytest.mark.parametrize("name", ["executing", "verifying", "paused_danger"])
def test_a_record_of_no_round_runs_nothing(name: str) -> None:
    world = FakeWorld(Verified=MOVED, ChangedSince=())
    assert rule(world.decide(stop(record()), in_state(name))) == "artifact.not-now"
    assert "Verified" not in world.asked


def test_a_record_without_a_policy_is_not_due() -> None:
    assert rule(decide(record(), replace(repairing(), active_policy=None))) == "artifact.not-now"


@pytest.mark.contract("L3.6")
def test_a_taken_record_is_told_and_kept_whole() -> None:
    found = decide(record(), repairing())
    assert (found.decision.reason.rule, found.decision.reason.seen, found.note) == (
        "repair.taken",
        "the Repair Record of round 1 is taken, verification is green",
        "record taken",
    )
    assert found.decision.reason.remedy == "Spawn the Reviewer with exactly these arguments:"
    assert found.decision.reason.more == spawn_block(found.state)
    kept = message_hash(record())
    assert found.duties == (DropAttestation(), KeepText(kept, record().removesuffix("\n")))
    assert (found.state.diff_revision, found.state.evidence_green, found.state.wrote_unseen) == (LATER, True, True)


@pytest.mark.contract("L3.5")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"finding_ids": []}, "`finding_ids` is `none`, but the run has `R1-F1`"),
        (
            {"changed_files": ["src/b.py", "src/c.py"]},
            "`changed_files` is `src/b.py, src/c.py`, but the run has `src/a.py`",
        ),
        ({"changed_files": []}, "`changed_files` is `none`, but the run has `src/a.py`"),
        ({"source_review_round": 2}, "`source_review_round` is `2`, but the run has `1`"),
    ],
)
def test_a_wrong_binding_is_shown_beside_the_right_one(given: dict[str, Any], told: str) -> None:
    assert decide(record(**given)).decision.reason.seen == told


@pytest.mark.contract("L3.5")
def test_a_round_that_changed_nothing_twice_pauses_and_says_how_often() -> None:
    stuck = replace(GREEN, diff_revision=DIFF, integrity_fingerprint=FINGERPRINT, progress_fingerprint=FINGERPRINT)
    found = decide(record(**STUCK), repairing(no_progress=1), Verified=stuck, ChangedSince=())
    assert found.state.state == "paused_no_progress"
    assert found.decision.reason.seen == (
        "Repair Records in a row that changed neither the tree nor the verification: 2"
    )
    assert found.decision.reason.more.startswith("After a Resume: Try another approach inside the boundary.\n")
