"""Stop: every artifact in every state, near misses, the count of refusals, gates replaced and closed (contract 4 and 6)."""

from __future__ import annotations

from typing import Any

import pytest
from fake_world import (
    DIFF,
    FINGERPRINT,
    GATE,
    HASH,
    NOW,
    PAUSED,
    STATE_NAMES,
    TREE,
    FakeWorld,
    completion,
    filled_resume,
    finding,
    in_state,
    planning,
    review,
    stop,
)
from simulator import PLAN

from harness_guard.artifacts.digest import message_hash
from harness_guard.kernel.decision import Reason
from harness_guard.kernel.outcome import DropAttestation, EndMarker, KeepText
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.kernel.state import Approval, Reviewer
from harness_guard.kernel.texts import bindings_text, findings_text, next_step, spawn_block
from harness_guard.records import replace

ELSEWHERE = Snapshot("sha256:" + "e" * 64, (), TREE)
UNFINISHED = ("executing", "verifying", "reviewing")


ARTIFACTS = {
    "plan": PLAN,
    "review": review(),
    "completion": completion(),
    "resume": filled_resume(in_state("paused_danger")),
}
DUE = {
    ("plan", "planning"),
    ("review", "verifying"),
    ("completion", "reviewing"),
    *(("resume", name) for name in PAUSED),
}


@pytest.mark.contract("C5.1", "C6.11", "C9.6")
@pytest.mark.parametrize("artifact", ARTIFACTS)
@pytest.mark.parametrize("name", [name for name in STATE_NAMES if name not in ("completed", "cancelled")])
def test_every_artifact_in_every_state(artifact: str, name: str) -> None:
    state = in_state(name)
    text = filled_resume(state) if artifact == "resume" and name in PAUSED else ARTIFACTS[artifact]
    found = FakeWorld(PendingAttestation=review()).decide(stop(text), state)
    assert found.state is not None
    if (artifact, name) in DUE:
        assert found.decision.reason is None or found.decision.reason.rule == "review.taken"
    else:
        assert (found.decision.verdict, found.decision.reason.rule) == ("block", "artifact.not-now")  # type: ignore[union-attr]
        assert (found.state.state, found.state.revision) == (name, state.revision)
    assert found.state.authority_status == state.authority_status  # no stop grants anything


@pytest.mark.contract("C3.9")
@pytest.mark.parametrize("name", ["completed", "cancelled"])
@pytest.mark.parametrize("text", [*ARTIFACTS.values(), "Done.", ""])
def test_an_ended_run_falls_silent_at_its_stop(name: str, text: str) -> None:
    found = FakeWorld().decide(stop(text), in_state(name))
    assert (found.decision.verdict, found.duties) == ("pass", (EndMarker(),))


@pytest.mark.contract("C3.9")
@pytest.mark.parametrize(
    ("author", "is_over"),
    [("human", True), ("unknown", True), ("forged", False), ("missing", False), ("unreadable", False)],
)
def test_a_cancel_falls_silent_only_if_a_human_wrote_it(author: str, *, is_over: bool) -> None:
    state = in_state("cancelled", open_turn="turn-2")
    found = FakeWorld(AuthorOf=author).decide(stop("Done."), state)
    assert found.decision.verdict == "pass"
    assert found.state == replace(state, open_turn=None if is_over else "turn-2")
    assert found.duties == ((EndMarker(),) if is_over else ())


@pytest.mark.contract("C6.9")
@pytest.mark.parametrize("text", [*ARTIFACTS.values(), "Done."])
def test_an_asked_cancel_accepts_nothing(text: str) -> None:
    found = FakeWorld(PendingAttestation=review()).decide(stop(text), in_state("verifying", cancel_asked=True))
    assert (found.decision.verdict, found.duties) == ("pass", ())
    assert found.state is not None
    assert (found.state.state, found.state.pending_gate) == ("verifying", None)


@pytest.mark.parametrize("name", STATE_NAMES)
def test_a_childs_stop_is_not_the_roots(name: str) -> None:
    found = FakeWorld().decide(stop(PLAN, agent_id="a-1"), in_state(name))
    assert (found.decision.verdict, found.state, found.duties) == ("pass", None, ())


# Gates.


@pytest.mark.contract("C4.22", "C5.1", "C6.9")
def test_a_plan_opens_a_gate_bound_to_everything() -> None:
    found = FakeWorld().decide(stop(PLAN), planning())
    assert found.state is not None
    gate = found.state.pending_gate
    assert gate is not None
    assert (gate.kind, gate.artifact_hash, gate.revision, gate.opened_at_ms) == ("Plan", message_hash(PLAN), 1, NOW)
    assert (gate.policy.boundary, gate.policy.commands, gate.max_helpers) == (("src/", "check.sh"), ("sh check.sh",), 1)
    assert gate.criteria[0][0] == "AC1"
    assert [type(duty) for duty in found.duties] == [KeepText]
    assert found.state.authority_status == "revoked"


@pytest.mark.contract("C5.6")
def test_a_later_plan_replaces_the_gate() -> None:
    first = FakeWorld().decide(stop(PLAN), planning()).state
    other = PLAN.replace("Keep digits.", "Keep all digits.")
    found = FakeWorld(Now=NOW + 7).decide(stop(other), first)
    assert found.state is not None
    assert found.state.pending_gate is not None
    assert (found.state.pending_gate.artifact_hash, found.state.pending_gate.opened_at_ms) == (
        message_hash(other),
        NOW + 7,
    )


@pytest.mark.contract("C5.6")
@pytest.mark.parametrize(
    "text", ["Shall I go on?", "", PLAN.replace("[y/N]", "[Y/n]"), PLAN + "\nThanks!\n", ARTIFACTS["completion"]]
)
def test_any_other_stop_closes_the_gate_and_blocks(text: str) -> None:
    found = FakeWorld().decide(stop(text), planning(pending_gate=GATE))
    assert found.decision.verdict == "block"
    assert found.state is not None
    assert found.state.pending_gate is None


@pytest.mark.contract("C4.4", "C4.17")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (PLAN.replace("- `src/`", "- `.claude/`"), "artifact.boundary-entry"),
        (PLAN.replace("- `src/`", "- `hooks/`"), "plan.control-plane"),
        (PLAN.replace("bug_fix", "behaviour_change"), None),
        (PLAN.replace("## Risks", "## Risk"), None),
        ("Here it is:\n\n" + PLAN, None),
    ],
)
def test_a_near_miss_changes_nothing_and_names_line_rule_and_mend(text: str, rule: str | None) -> None:
    state = planning()
    found = FakeWorld().decide(stop(text), state)
    assert found.decision.reason is not None
    assert rule in (None, found.decision.reason.rule)
    assert found.decision.reason.seen
    assert found.decision.reason.remedy
    assert found.state == replace(state, stop=replace(state.stop, blocks=1))
    assert found.duties == ()


@pytest.mark.contract("C4.19")
def test_a_boundary_that_reads_two_ways_opens_no_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_guard.kernel.accept.disagreements", lambda _boundary, paths: paths)
    found = FakeWorld(TrackedPaths=("odd",)).decide(stop(PLAN), planning())
    assert found.decision.reason is not None
    assert found.decision.reason.rule == "plan.ambiguous"


@pytest.mark.contract("C5.1")
@pytest.mark.parametrize("name", PAUSED)
def test_a_filled_in_resume_opens_a_gate(name: str) -> None:
    state = in_state(name)
    found = FakeWorld().decide(stop(filled_resume(state)), state)
    assert found.state is not None
    gate = found.state.pending_gate
    assert gate is not None
    assert (gate.kind, gate.revision, gate.diff_revision, gate.added_rounds) == (
        "Repair Resume",
        state.revision,
        DIFF,
        1 if name == "paused_budget" else 0,
    )
    assert gate.policy.parent == state.active_policy_id


@pytest.mark.contract("C4.32", "C4.34")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"paused_revision": 3', '"paused_revision": 4'),
        (DIFF, "sha256:" + "0" * 64),
        (HASH, "sha256:" + "0" * 64),
        ("null", f'"{FINGERPRINT}"'),
    ],
)
def test_a_resume_with_another_binding_is_answered_with_the_right_one(old: str, new: str) -> None:
    state = in_state("paused_danger")
    right = filled_resume(state)
    assert old in right
    found = FakeWorld().decide(stop(right.replace(old, new)), state)
    assert found.decision.reason is not None
    assert (found.decision.reason.rule, found.decision.reason.more) == ("artifact.binding", right)
    assert found.state is not None
    assert found.state.pending_gate is None


# The count of refusals.


@pytest.mark.contract("C6.12")
def test_three_blocks_then_incomplete() -> None:
    state: Any = in_state("executing")
    verdicts = []
    for number in range(5):
        found = FakeWorld().decide(stop("Done.", turn_id=f"t{number}"), state)
        verdicts.append(found.decision.verdict)
        state = found.state
    assert verdicts == ["block", "block", "block", "pass", "pass"]
    assert state.stop.is_incomplete


@pytest.mark.contract("C6.11")
def test_a_message_that_is_no_artifact_is_refused_once_a_turn() -> None:
    first = FakeWorld().decide(stop("Done."), in_state("executing"))
    assert first.decision.verdict == "block"
    second = FakeWorld().decide(stop("Done!"), first.state)
    assert second.decision.verdict == "pass"
    assert second.state is not None
    assert second.state.stop.is_incomplete
    assert FakeWorld().decide(stop("Done!", turn_id="next"), first.state).decision.verdict == "block"


@pytest.mark.contract("C6.11")
def test_a_near_miss_is_refused_again_in_the_same_turn() -> None:
    state: Any = planning()
    broken = PLAN.replace("## Risks", "## Risk")
    verdicts = []
    for _ in range(4):
        found = FakeWorld().decide(stop(broken), state)
        verdicts.append(found.decision.verdict)
        state = found.state
    assert verdicts == ["block", "block", "block", "pass"]


@pytest.mark.contract("C6.9")
@pytest.mark.parametrize("name", ["planning", *PAUSED])
def test_words_pass_in_silence_where_the_human_is_awaited(name: str) -> None:
    assert FakeWorld().decide(stop("A question?"), in_state(name)).decision.verdict == "pass"


@pytest.mark.contract("C6.9", "C6.10")
@pytest.mark.parametrize(("host", "verdict"), [("claude", "pass"), ("codex", "block")])
def test_while_the_reviewer_runs(host: str, verdict: str) -> None:
    state: Any = in_state("verifying")
    for _ in range(6):
        found = FakeWorld().decide(stop("Waiting.", host=host), state)
        assert found.decision.verdict == verdict
        state = found.state
    assert state.stop.blocks == 0  # it does not count


@pytest.mark.contract("C6.11")
@pytest.mark.parametrize(
    ("name", "part"),
    [("executing", '"subagent_type"'), ("verifying", '"subagent_type"'), ("reviewing", f"diff_revision: {DIFF}")],
)
def test_a_block_names_the_next_step_and_its_bindings(name: str, part: str) -> None:
    state = in_state(name)
    state = replace(state, reviewer=replace(state.reviewer, agent_id=None))
    found = FakeWorld().decide(stop("Done."), state)
    assert found.decision.reason is not None
    assert part in found.decision.reason.more


# Reviews.


@pytest.mark.parametrize("verdict", ["PASS", "PASS_WITH_NOTES"])
def test_an_attested_review_that_passes(verdict: str) -> None:
    notes = (finding(severity="suggestion"),) if verdict == "PASS_WITH_NOTES" else ()
    text = review(verdict, notes)
    found = FakeWorld(PendingAttestation=text).decide(stop(text), in_state("verifying"))
    assert found.state is not None
    assert (found.state.state, found.duties) == ("reviewing", (DropAttestation(),))


@pytest.mark.contract("L2.3", "L2.4", "L4.1")
@pytest.mark.parametrize(
    ("text", "state"),
    [
        (review("BLOCKED"), "paused_blocked"),
        (review("REPAIR_REQUIRED", (finding(path="lib/a.py"),)), "paused_material"),
        (review("REPAIR_REQUIRED", (finding(classification="MATERIAL_AMENDMENT"),)), "paused_material"),
        (
            review("REPAIR_REQUIRED", (finding(), finding(id="R1-F2", classification="MATERIAL_AMENDMENT"))),
            "paused_material",
        ),
    ],
)
def test_an_attested_review_that_does_not_pass(text: str, state: str) -> None:
    found = FakeWorld(PendingAttestation=text).decide(stop(text), in_state("verifying"))
    assert found.state is not None
    assert (found.state.state, found.state.authority_status, found.duties) == (state, "revoked", (DropAttestation(),))
    assert found.decision.reason is not None
    assert "# Repair Resume" in found.decision.reason.more


@pytest.mark.contract("C1.6", "C8.17")
def test_reviews_that_do_not_count() -> None:
    state = in_state("verifying")
    assert FakeWorld().decide(stop(review()), state).decision.reason.rule == "review.self"  # type: ignore[union-attr]
    other = FakeWorld(PendingAttestation=review("BLOCKED")).decide(stop(review()), state)
    assert (other.decision.reason.rule, other.decision.reason.more) == ("review.changed", review("BLOCKED"))  # type: ignore[union-attr]
    moved = FakeWorld(PendingAttestation=review(), TreeNow=ELSEWHERE).decide(stop(review()), state)
    assert moved.decision.reason.rule == "review.stale"  # type: ignore[union-attr]
    assert all(found.state.state == "verifying" for found in (other, moved))  # type: ignore[union-attr]


# Completions.


@pytest.mark.contract("C1.6", "C4.33", "C4.34", "C8.19")
@pytest.mark.parametrize(
    ("text", "fields", "answers", "rule"),
    [
        (completion(), {}, {}, None),
        (completion(()), {}, {}, "completion.criteria"),
        (completion(("AC1", "AC2")), {}, {}, "completion.criteria"),
        (completion(("AC2",)), {}, {}, "completion.criteria"),
        (completion(evidence=("V2",)), {}, {}, "completion.evidence"),
        (completion(evidence=("V1", "V9")), {}, {}, "completion.evidence"),
        (completion(diff_revision="sha256:" + "0" * 64), {}, {}, "artifact.binding"),
        (completion(verification_fingerprint="sha256:" + "0" * 64), {}, {}, "artifact.binding"),
        (completion(accepted_plan_hash="sha256:" + "0" * 64), {}, {}, "artifact.binding"),
        (completion(review_round=2), {}, {}, "artifact.binding"),
        (completion(), {"live_tasks": ("bash-1",)}, {}, "completion.background"),
        (completion(), {}, {"TreeNow": ELSEWHERE}, "completion.stale"),
    ],
)  # fmt: skip
def test_completions(text: str, fields: dict[str, Any], answers: dict[str, Any], rule: str | None) -> None:
    found = FakeWorld(**answers).decide(stop(text, **fields), in_state("reviewing"))
    assert found.state is not None
    if rule is None:
        assert (found.decision.verdict, found.state.state, found.state.authority_status) == (
            "pass",
            "completed",
            "revoked",
        )
        assert EndMarker() in found.duties
    else:
        assert found.decision.reason is not None
        # An empty list is a near miss already.
        assert found.decision.reason.rule == rule or (
            rule == "completion.criteria" and found.state.state == "reviewing"
        )
        assert found.state.state == "reviewing"


@pytest.mark.contract("C8.19")
def test_a_completion_waits_for_children() -> None:
    found = FakeWorld().decide(stop(completion()), in_state("reviewing", children=("a-9",)))
    assert found.decision.reason is not None
    assert (found.decision.reason.rule, "a-9" in found.decision.reason.seen) == ("completion.background", True)


# The sweep.


def outside(*paths: str) -> Snapshot:
    return Snapshot(DIFF, paths, "3" * 40)


@pytest.mark.contract("C7.17")
@pytest.mark.parametrize("name", UNFINISHED)
def test_a_foreign_change_is_recorded_and_absorbed(name: str) -> None:
    found = FakeWorld(TreeNow=outside("README.md", "src/a.py")).decide(stop("Done."), in_state(name))
    assert found.state is not None
    assert (found.state.state, found.state.foreign, found.state.baseline.tree) == (name, ("README.md",), "2" * 40)  # type: ignore[union-attr]


@pytest.mark.contract("C7.17")
@pytest.mark.parametrize("name", UNFINISHED)
def test_a_change_that_the_run_could_have_made_pauses(name: str) -> None:
    found = FakeWorld(TreeNow=outside("README.md")).decide(stop("Done."), in_state(name, wrote_unseen=True))
    assert found.state is not None
    assert (found.state.state, found.state.paused_from, found.state.authority_status) == (
        "paused_boundary",
        name,
        "revoked",
    )
    assert found.decision.reason is not None
    assert "`README.md`" in found.decision.reason.seen


@pytest.mark.contract("C7.19")
@pytest.mark.parametrize("name", PAUSED)
def test_such_a_change_in_a_pause_is_named_and_the_pause_stays(name: str) -> None:
    found = FakeWorld(TreeNow=outside("README.md")).decide(stop("Done."), in_state(name, wrote_unseen=True))
    assert found.state is not None
    assert (found.state.state, found.decision.verdict) == (name, "block")
    assert found.decision.reason is not None
    assert "# Repair Resume" in found.decision.reason.more


def test_changes_inside_the_boundary_are_no_matter() -> None:
    found = FakeWorld(TreeNow=outside("src/a.py", "docs/x.md")).decide(
        stop("Done."), in_state("executing", wrote_unseen=True)
    )
    assert found.state is not None
    assert (found.state.state, found.state.foreign, found.state.wrote_unseen) == ("executing", (), True)


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_what_an_exact_command_left_running_may_write_for_the_rest_of_the_run(host: str) -> None:
    found = FakeWorld().decide(stop("Done.", host=host), in_state("executing", wrote_unseen=True))
    assert found.state is not None
    assert found.state.wrote_unseen


@pytest.mark.contract("C8.21")
def test_the_host_tells_which_children_live() -> None:
    state = in_state("executing", children=("a", "b", "spawn u1"))
    assert FakeWorld().decide(stop("x", live_agents=("b",)), state).state.children == ("b",)  # type: ignore[union-attr]
    assert FakeWorld().decide(stop("x"), state).state.children == ("a", "b")  # type: ignore[union-attr]
    lost = FakeWorld().decide(stop("x", live_agents=()), in_state("verifying"))
    assert lost.state is not None
    assert lost.state.reviewer.agent_id is None


@pytest.mark.contract("C4.25")
@pytest.mark.parametrize(("cache", "rule"), [("__pycache__/", None), (".frobnicate/", "plan.cache")])
def test_a_cache_that_nobody_knows_opens_no_gate(cache: str, rule: str | None) -> None:
    text = PLAN.replace("- In: the slug helper.", f"- In: the slug helper.\n- Tool caches: `{cache}`")
    found = FakeWorld().decide(stop(text), planning())
    assert (found.decision.reason.rule if found.decision.reason else None) == rule
    assert found.state is not None
    assert (found.state.pending_gate is None) == (rule is not None)


@pytest.mark.contract("C6.8")
def test_the_resume_after_a_review_says_what_was_found() -> None:
    text = review("REPAIR_REQUIRED", (finding(message="loses digits", classification="MATERIAL_AMENDMENT"),))
    found = FakeWorld(PendingAttestation=text).decide(stop(text), in_state("verifying"))
    assert found.decision.reason is not None
    assert found.decision.reason.remedy == "Emit the Repair Resume below, alone, and end your turn."
    assert found.decision.reason.more.startswith("After a Resume: Work on the findings inside the boundary.\n")
    resume = found.decision.reason.more.partition("# Repair Resume")[2]
    assert "R1-F1 in src/a.py: loses digits" in resume.partition("## Reason")[2]


@pytest.mark.contract("C7.17")
def test_a_change_of_the_run_is_told_once_and_stays_in_the_diff() -> None:
    from harness_guard.kernel.texts import status_text

    before = in_state("executing", wrote_unseen=True)
    world = FakeWorld(TreeNow=outside("README.md"))
    first = world.decide(stop("Done."), before)
    assert first.state is not None
    assert (first.state.told_outside, first.state.foreign, first.state.baseline) == (
        ("README.md",),
        (),
        before.baseline,
    )
    assert "changed outside by the run: README.md" in status_text(first.state)
    again = world.decide(stop("Done."), replace(first.state, wrote_unseen=True))
    assert (again.decision.verdict, again.state.state) == ("pass", "paused_boundary")  # type: ignore[union-attr]


@pytest.mark.contract("C8.21")
@pytest.mark.parametrize(
    ("host", "live", "awaited"), [("claude", (), False), ("claude", ("a-9",), True), ("codex", None, True)]
)
def test_a_reviewer_that_never_started_is_cleared_where_the_host_tells(
    host: str, live: tuple[str, ...] | None, *, awaited: bool
) -> None:
    state = in_state("verifying")
    state = replace(state, reviewer=replace(state.reviewer, agent_id=None, is_awaited=True))
    found = FakeWorld().decide(stop("x", host=host, live_agents=live), state)
    assert found.state is not None
    assert found.state.reviewer.is_awaited == awaited


@pytest.mark.contract("C5.6")
@pytest.mark.parametrize("text", [review(), completion()])
def test_an_artifact_that_is_refused_closes_the_question(text: str) -> None:
    before = in_state("paused_danger", pending_gate=replace(GATE, kind="Repair Resume"))
    found = FakeWorld().decide(stop(text), before)
    assert found.state is not None
    assert (found.decision.verdict, found.state.pending_gate) == ("block", None)


@pytest.mark.contract("C5.11")
@pytest.mark.parametrize(
    ("author", "rule", "state"),
    [("forged", "provenance.forged", "planning"), ("missing", "provenance.unproved", "executing")],
)
def test_no_unchecked_approval_is_carried_into_a_pause_by_the_sweep(author: str, rule: str, state: str) -> None:
    before = in_state("executing", wrote_unseen=True)
    assert before.approval is not None
    unproved = replace(before, approval=replace(before.approval, is_verified=False))
    found = FakeWorld(TreeNow=outside("README.md"), AuthorOf=author).decide(stop("Done."), unproved)
    assert found.state is not None
    assert found.decision.reason is not None
    assert (found.decision.reason.rule, found.state.state, found.state.told_outside) == (rule, state, ())


@pytest.mark.contract("L2.6")
def test_a_taken_review_leaves_its_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    text = review("REPAIR_REQUIRED", (finding(message="loses digits"), finding(id="R1-F2", severity="suggestion")))
    found = FakeWorld(PendingAttestation=text).decide(stop(text), in_state("verifying"))
    assert found.state is not None
    assert found.state.latest_finding_ids == ("R1-F1", "R1-F2")
    assert found.state.reviewed_ids == ("R1-F1",)
    assert found.state.open_findings == (("R1-F1", "src/a.py", "loses digits"), ("R1-F2", "src/a.py", "wrong"))
    assert (found.state.repair.repeated, found.state.repair.round) == (1, 1)
    assert found.decision.reason is not None
    assert "- R1-F1 (important) src/a.py:3: loses digits" in found.decision.reason.more


@pytest.mark.contract("C7.19")
def test_a_change_in_a_pause_is_told_however_often_stop_has_refused() -> None:
    from harness_guard.kernel.state import StopCount

    before = in_state("paused_danger", wrote_unseen=True, stop=StopCount(blocks=3))
    found = FakeWorld(TreeNow=outside("LICENSE")).decide(stop("Done."), before)
    assert found.state is not None
    assert (found.decision.verdict, found.state.told_outside) == ("block", ("LICENSE",))
    assert found.state.pause_reason is not None
    assert found.state.pause_reason.startswith("sweep.outside: ")


@pytest.mark.contract("L2.3", "C6.8")
@pytest.mark.parametrize(
    ("changes", "found", "told"),
    [
        ({"round": 3}, {}, "REPAIR_REQUIRED: the repair budget is spent; R1-F1 in src/a.py: wrong"),
        ({"repeated": 1}, {}, "REPAIR_REQUIRED: the same finding is seen again; R1-F1 in src/a.py: wrong"),
        (
            {},
            {"classification": "MATERIAL_AMENDMENT"},
            "REPAIR_REQUIRED: R1-F1 is MATERIAL_AMENDMENT; R1-F1 in src/a.py: wrong",
        ),
        ({}, {"path": "lib/a.py"}, "`lib/a.py` cannot be repaired inside the Plan: it lies outside the write boundary"),
    ],
)
def test_a_pause_after_a_review_says_why(changes: dict[str, int], found: dict[str, str], told: str) -> None:
    state = in_state("verifying", reviewed_ids=("R1-F1",))
    state = replace(state, repair=replace(state.repair, **changes))
    text = review("REPAIR_REQUIRED", (finding(**found),))
    reason = FakeWorld(PendingAttestation=text).decide(stop(text), state).decision.reason
    assert reason is not None
    assert told in reason.seen
    assert "Work on the findings inside the boundary." in reason.more


def test_a_blocked_review_says_what_it_lacked() -> None:
    text = review("BLOCKED").replace("Read it.", "The brief holds no diff.")
    reason = FakeWorld(PendingAttestation=text).decide(stop(text), in_state("verifying")).decision.reason
    assert reason is not None
    assert "BLOCKED: the Reviewer is blocked; The brief holds no diff." in reason.seen
    assert "After a Resume: Give the Reviewer what it lacked." in reason.more


@pytest.mark.contract("C6.11")
@pytest.mark.parametrize(
    ("name", "told", "untold"),
    [
        ("executing", "Arguments of the Reviewer's spawn:", "review_round:"),
        ("reviewing", "review_round: 1", "Arguments of the Reviewer's spawn:"),
        ("auto_repairing", "Findings of this round:", "Arguments of the Reviewer's spawn:"),
    ],
)
def test_an_unfinished_stop_hands_out_what_is_due(name: str, told: str, untold: str) -> None:
    reason = FakeWorld().decide(stop("Done."), in_state(name)).decision.reason
    assert reason is not None
    assert reason.rule == "stop.unfinished"
    assert told in reason.more
    assert untold not in reason.more
    assert reason.text.startswith("harness-guard stop.unfinished: the accepted Plan is unfinished")
    assert f"\nNext: {reason.remedy}\n" in reason.text


@pytest.mark.contract("C8.21")
@pytest.mark.parametrize(
    ("before", "live", "agent", "awaited"),
    [
        (True, None, "a-1", True),
        (True, ("a-1",), "a-1", True),
        (True, ("b",), None, True),
        (True, (), None, False),
        (False, ("b",), None, False),
    ],
)
def test_who_lives_stays_the_reviewer(
    live: tuple[str, ...] | None, agent: str | None, *, before: bool, awaited: bool
) -> None:
    state = in_state("verifying")
    state = replace(state, reviewer=replace(state.reviewer, is_awaited=before))
    after = FakeWorld().decide(stop("x", live_agents=live), state).state
    assert after is not None
    assert after.reviewer == replace(state.reviewer, agent_id=agent, is_awaited=awaited)


def test_a_review_that_is_refused_closes_the_question_all_the_same() -> None:
    state = in_state("verifying", pending_gate=replace(GATE, kind="Plan Amendment"))
    found = FakeWorld().decide(stop(review()), state)
    assert found.decision.reason is not None
    assert found.state is not None
    assert (found.decision.reason.rule, found.state.pending_gate) == ("review.self", None)


@pytest.mark.contract("C5.11")
@pytest.mark.parametrize(
    ("text", "name", "is_asked"),
    [("Done.", "executing", False), (PLAN, "planning", False), (review(), "verifying", True)],
)
def test_only_what_rests_on_the_approval_asks_who_wrote_it(text: str, name: str, *, is_asked: bool) -> None:
    state = in_state(name, approval=Approval("t", 1, is_verified=False), open_turn="turn-2")
    world = FakeWorld(AuthorOf="missing", PendingAttestation=review())
    found = world.decide(stop(text), state)
    assert ("AuthorOf" in world.asked) == is_asked
    assert (found.decision.reason is not None and found.decision.reason.rule == "provenance.unproved") == is_asked


@pytest.mark.contract("C6.11")
@pytest.mark.parametrize("name", [*UNFINISHED, "auto_repairing"])
def test_what_an_unfinished_stop_says(name: str) -> None:
    state = in_state(name, reviewer=Reviewer(spawns=1))
    spawned = f"Arguments of the Reviewer's spawn:\n{spawn_block(state)}"
    more = {"reviewing": bindings_text(state), "auto_repairing": findings_text(state)}.get(name, spawned)
    relay = "Relay the Reviewer's Review unchanged; if it is lost, spawn the Reviewer again with these arguments."
    remedy = relay if name == "verifying" else next_step(state)
    seen = f"the accepted Plan is unfinished: the run is {name}"
    assert FakeWorld().decide(stop("Done."), state).decision.reason == Reason("stop.unfinished", seen, remedy, more)


def test_a_reviewer_is_waited_for_while_verifying_only() -> None:
    state = in_state("executing", reviewer=Reviewer(spawns=1, agent_id="a-1"))
    for host in ("claude", "codex"):
        reason = FakeWorld().decide(stop("Done.", host=host), state).decision.reason
        assert reason is not None
        assert reason.rule == "stop.unfinished"


def test_a_turn_without_an_id_is_no_turn_that_was_reminded() -> None:
    found = FakeWorld().decide(stop("Done.", turn_id=None), in_state("executing"))
    assert (found.decision.verdict, found.note) == ("block", "")


def test_an_approval_that_is_checked_on_the_way_into_a_pause_is_checked_for_good() -> None:
    state = in_state("executing", wrote_unseen=True, approval=Approval("t", 1, is_verified=False))
    after = FakeWorld(TreeNow=outside("README.md"), AuthorOf="human").decide(stop("Done."), state).state
    assert after is not None
    assert (after.state, after.approval) == ("paused_boundary", Approval("t", 1, is_verified=True))


@pytest.mark.contract("C7.19")
def test_a_change_in_a_pause_closes_the_question_about_another_tree() -> None:
    state = in_state("paused_danger", wrote_unseen=True, pending_gate=replace(GATE, kind="Repair Resume"))
    found = FakeWorld(TreeNow=outside("README.md")).decide(stop("Done."), state)
    assert found.state is not None
    assert (found.state.state, found.state.pending_gate, found.note) == ("paused_danger", None, "changed in a pause")
