"""Runs that go through repair: rounds, a pause for no progress, an Amendment, a cancel, a boundary attempt in a round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.agent import (
    BEST_DOC,
    BETTER_DOC,
    DOC,
    RECORD,
    VERIFICATION,
    Reviews,
    complete,
    finding,
    guess_record,
    print_artifact,
    to_first_round,
    where,
    widened,
    work,
)
from tests.e2e.guarded import REVIEW_TASK, resume
from tests.e2e.hosts.script import Say

if TYPE_CHECKING:
    from tests.e2e.guarded import Guarded


@pytest.mark.contract("A4.2")
def test_a_run_with_two_repair_rounds(host: Guarded) -> None:
    reviews = Reviews(host)
    turn = host.approved(
        *work(host),
        *reviews.claim(),
        host.host.edit("src/slug.py", DOC, BETTER_DOC),
        host.spawn,
        *RECORD,
        *reviews.claim(),
        host.host.edit("src/slug.py", BETTER_DOC, BEST_DOC),
        *RECORD,
        *reviews.claim(),
        complete,
        children={
            REVIEW_TASK: (
                *reviews.reviewer(finding("R1-F1")),
                *reviews.reviewer(finding("R2-F1")),
                *reviews.reviewer(),
            )
        },
        verification=VERIFICATION,
    )
    spawns = [call for call in turn.calls if call.lane == "root" and call.tool in ("Agent", "spawn_agent")]
    assert [call.blocked for call in spawns] == [False, True, False, False]
    assert "spawn.record-due" in str(spawns[1].output), "the round's Record comes before the next Reviewer"
    told = turn.told()
    for round_ in (1, 2):
        assert f"repair round {round_} of 3 begins" in told
        assert f"the Repair Record of round {round_} is taken" in told
    assert "The line says what the function does now." in told, "a guessed Record comes back with its own words"
    assert "The line says what the function does now." not in turn.told(REVIEW_TASK)
    assert "R2-F1" in turn.told(REVIEW_TASK), "the third Reviewer is told of the open finding"
    assert where(host) == ("completed", "revoked", 2, 3)
    assert len(host.state()["lineage"]) == 3
    assert BEST_DOC in (host.repository / "src/slug.py").read_text()


@pytest.mark.contract("A4.3")
def test_the_same_finding_twice_pauses_and_a_resume_goes_on(host: Guarded) -> None:
    reviews = Reviews(host)
    to_first_round(host, reviews)
    again = finding("R1-F1", message="Numbers are still not named.")
    paused = host.host.answer(
        "Go on.",
        host.host.edit("src/slug.py", DOC, BETTER_DOC),
        *RECORD,
        *reviews.claim(),
        resume,
        children={REVIEW_TASK: reviews.reviewer(again)},
    )
    assert "the same finding is seen again" in paused.told()
    assert where(host) == ("paused_no_progress", "revoked", 1, 2)
    assert host.gate() == "Repair Resume"
    turn = host.approve(
        host.host.edit("src/slug.py", BETTER_DOC, BEST_DOC),
        *RECORD,
        *reviews.claim(),
        complete,
        children={REVIEW_TASK: reviews.reviewer()},
    )
    assert "Approval activated (Repair Resume). The run is auto_repairing." in turn.told()
    assert where(host) == ("completed", "revoked", 2, 3)


@pytest.mark.contract("A4.4")
def test_an_amendment_in_the_middle_of_the_work_widens_the_boundary(host: Guarded) -> None:
    reviews = Reviews(host)
    asked = host.approved(
        *work(host), print_artifact(host, "plan-amendment"), widened("docs/**"), verification=VERIFICATION
    )
    assert "# Plan Amendment" in str(asked.call(3).output), "the guard's command line prints it with what is in force"
    assert (where(host)[:2], host.gate()) == (("executing", "active"), "Plan Amendment")
    turn = host.approve(
        host.host.write("docs/slugs.md", "Numbers are kept.\n"),
        *reviews.claim(),
        complete,
        children={REVIEW_TASK: reviews.reviewer()},
    )
    assert "Approval activated (Plan Amendment). The run is executing." in turn.told()
    assert turn.changed == ("docs/slugs.md",)
    state = host.state()
    assert where(host) == ("completed", "revoked", 0, 1)
    assert state["accepted_policy"]["parent"] == state["lineage"][0]
    assert state["accepted_amendment_hash"] in reviews.given[0], "the Reviewer's bindings name the Amendment"


@pytest.mark.contract("A4.5")
def test_a_cancel_in_a_round_ends_the_run(host: Guarded) -> None:
    to_first_round(host, Reviews(host))
    turn = host.host.answer("$harness cancel", host.host.edit("src/slug.py", DOC, BETTER_DOC), guess_record)
    assert turn.call().blocked, "mutations stay denied to the end of that turn"
    assert turn.changed == ()
    assert host.standing() == ("cancelled", "revoked")
    later = host.host.answer("Go on without.", host.host.write("free.txt", "free\n"), Say("Written."))
    assert later.changed == ("free.txt",)
    assert not list((host.host.data / "active").iterdir())


@pytest.mark.contract("L4.4", "A4.6")
def test_a_boundary_attempt_in_a_round_pauses_and_the_resume_goes_on_in_it(host: Guarded) -> None:
    reviews = Reviews(host)
    to_first_round(host, reviews)
    paused = host.host.answer(
        "Go on.",
        host.host.edit("src/slug.py", DOC, BETTER_DOC),
        host.host.write("docs/outside.md", "outside\n"),
        resume,
    )
    assert [call.blocked for call in paused.calls] == [False, True]
    assert paused.changed == ("src/slug.py",)
    assert where(host) == ("paused_boundary", "revoked", 1, 1)
    turn = host.approve(
        host.host.edit("src/slug.py", BETTER_DOC, BEST_DOC),
        *RECORD,
        *reviews.claim(),
        complete,
        children={REVIEW_TASK: reviews.reviewer()},
    )
    assert "Approval activated (Repair Resume). The run is auto_repairing." in turn.told()
    assert "Findings of this round:\n- R1-F1 src/slug.py" in turn.told()
    assert turn.changed == ("src/slug.py",)
    assert where(host) == ("completed", "revoked", 1, 2)
