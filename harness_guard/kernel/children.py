"""Children: spawns, messages to them, their start and their end; among them the Reviewer (contract 5, 7, 8)."""

from __future__ import annotations

from harness_guard.kernel.brief import brief_head
from harness_guard.kernel.decision import PASS, Decision, Reason, block, context, deny
from harness_guard.kernel.outcome import DropAttestation, Outcome, WriteAttestation, WriteBrief
from harness_guard.kernel.pause import pause
from harness_guard.kernel.provenance import check_process, check_provenance, prompting_problem
from harness_guard.kernel.questions import EngineRuns, ask
from harness_guard.kernel.repair import at_round_begin
from harness_guard.kernel.run_questions import Installed, LastVerification, PendingAttestation, TreeNow, Verified
from harness_guard.kernel.spawn import REVIEWER_TYPE, is_review_spawn, next_spawn, spawn_problem
from harness_guard.kernel.state import AT_WORK, STARTING, Reviewer
from harness_guard.kernel.sweep import sweep
from harness_guard.kernel.texts import next_step, spawn_block
from harness_guard.kernel.transitions import find_row, step
from harness_guard.kernel.verification import after_engine, recorded, red, unavailable, without_evidence
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.values import Review
    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.run_questions import Verification
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.tools import ToolCall

PLANNING_HELPERS: Final = 2  # contract section 4: helpers 0 to 2; before a plan is accepted nothing says fewer
REVIEWER_BLOCKS: Final = 3  # contract section 6 counts three for Stop; a child that cannot do better is lost


def decide_spawn(event: Event, state: RunState) -> Asking[Outcome]:
    """Decide a spawn: the Reviewer's claim, or a read-only helper."""
    if event.is_child:
        seen = f"child agent {event.agent_id} may not spawn: the delegation depth is 1"
        return Outcome(deny("spawn.depth", seen, "Report to the root; the root decides about helpers."))
    if state.cancel_asked or state.state == "cancelled":
        return Outcome(deny("spawn.cancelled", "the run is cancelled", next_step(state)))
    if is_review_spawn(event) or state.state in ("verifying", "reviewing"):
        return (yield from _claim(event, state))
    return _helper(event, state)


def _helper(event: Event, state: RunState) -> Outcome:
    arguments = event.tool_input or {}
    if arguments.get("isolation"):
        seen = "a helper in a worktree of its own would write there"
        return Outcome(deny("spawn.isolation", seen, "Spawn it without isolation; helpers only read."))
    limit = PLANNING_HELPERS if state.state == "planning" else state.max_helpers if state.state in AT_WORK else 0
    if len(state.children) >= limit:
        seen = f"{len(state.children)} of {limit} read-only helpers are at work in {state.state}"
        remedy = "Do the reading yourself, or wait until a helper has ended."
        if limit == 0:
            seen = f"no helper is allowed in {state.state}" + (": the Plan allows none" * (state.state in AT_WORK))
            remedy = "Do the reading yourself."
        return Outcome(deny("spawn.helpers", seen, remedy))
    return Outcome(PASS, _starting(event, state))


def _starting(event: Event, state: RunState) -> RunState:
    """Count a child that is on its way: whoever starts next must not be taken for the Reviewer (promise P6)."""
    return replace(state, children=(*state.children, f"{STARTING}{event.tool_use_id}"))


def _started(state: RunState, child: str) -> RunState:
    """Put a child that has started in the place of the spawn that waited longest."""
    waiting = next((other for other in state.children if other.startswith(STARTING)), None)
    return replace(state, children=(*(other for other in state.children if other not in (child, waiting)), child))


def _claim(event: Event, state: RunState) -> Asking[Outcome]:
    """The reviewer's spawn is the moment of claim: the engine runs the required verification (contract section 8)."""
    policy = state.active_policy
    if state.state == "auto_repairing":
        seen = f"round {state.repair.round} has no Repair Record yet"
        return Outcome(deny("spawn.record-due", seen, next_step(state)))
    if state.state not in ("executing", "verifying", "reviewing") or policy is None or state.pending_gate is not None:
        seen = f"the run is {state.state} and no review is due"
        return Outcome(deny("spawn.not-due", seen, next_step(state)))
    refusal = _claim_problem(event, state)
    if refusal is not None:
        return Outcome(refusal)
    state, waiting = yield from _waiting_review(state)
    if waiting is not None:
        return Outcome(waiting)
    if (yield from ask(EngineRuns())):
        return Outcome(deny("state.engine-runs", "the engine is running the verification", "Wait until it has ended."))
    state, lost = yield from check_provenance(event, state)
    if lost is not None:
        return lost
    state, breach = yield from sweep(state)
    if breach is not None:
        return (yield from pause(state, "tree changed outside the boundary", "deny", breach))
    found = yield from ask(Verified(policy))
    return (yield from _judge(state, found))


def _waiting_review(state: RunState) -> Asking[tuple[RunState, Decision | None]]:
    """Refuse another Reviewer while one's Review of this very tree waits: a verdict is not to be shopped for.

    What a Review of a tree that has moved since has found stays open: the next Reviewer's brief lists it.
    """
    if state.state != "verifying":
        return state, None
    attested = yield from ask(PendingAttestation())
    if attested is None:
        return state, None
    if (yield from ask(TreeNow())).diff_revision == state.diff_revision:
        seen = "the Reviewer has given its Review of this tree"
        return state, deny("spawn.review-waits", seen, "Relay this text unchanged as your whole message:", attested)
    from harness_guard.artifacts.registry import recognise
    from harness_guard.artifacts.values import Review
    from harness_guard.kernel.review import with_open_findings

    found = recognise(attested)
    return (with_open_findings(state, found) if isinstance(found, Review) else state), None


def _claim_problem(event: Event, state: RunState) -> Decision | None:
    refusal = check_process(event, state)
    if refusal is not None:
        return refusal
    problem = spawn_problem(event, next_spawn(state))
    if problem is not None:
        remedy = "Spawn the Reviewer with exactly these arguments and no others:"
        return deny("spawn.arguments", problem, remedy, spawn_block(state))
    others = [child for child in state.children if child != state.reviewer.agent_id]
    if others:
        seen = f"other children are alive or about to start: {', '.join(others)}"
        remedy = "End them first (TaskStop on Claude Code, close_agent or interrupt_agent on Codex), or end your turn."
        return deny("spawn.children", seen, remedy)
    return None


def _judge(state: RunState, found: Verification) -> Asking[Outcome]:
    nothing = without_evidence(found, "spawn the Reviewer again")
    state = after_engine(state, found)
    if nothing is not None:
        return Outcome(Decision("deny", nothing), state)
    if found.outcome == "unavailable":
        return (yield from pause(state, "verification unavailable", "deny", unavailable(found)))
    state = recorded(state, found)
    if found.outcome == "red":
        return (yield from _red(state, found))
    round_ = state.review_round + (0 if state.state == "verifying" else 1)
    reviewer = Reviewer(spawns=state.reviewer.spawns + 1, is_awaited=True)
    after = step(replace(state, review_round=round_, reviewer=reviewer), "review claimed, verification green")
    head = yield from brief_for(after, found)
    return Outcome(PASS, after, (DropAttestation(), WriteBrief(head)), note="green")


def _red(state: RunState, found: Verification) -> Asking[Outcome]:
    """A red claim: while executing it is told; after a claim that was green it is a finding, and a round begins."""
    reason = red(found, _RED_REMEDY)
    if state.state == "executing":
        return Outcome(Decision("deny", reason), step(state, "review claimed, verification red"), note="red")
    failed = () if found.failed is None else (found.failed.id,)
    noted = yield from at_round_begin(replace(state, latest_finding_ids=failed))
    row = find_row(noted, "review claimed, verification red")
    if row is not None and row.to == "paused_budget":
        seen = f"{reason.seen}; the repair budget of {noted.repair.max_rounds} rounds is spent"
        spent = Reason("evidence.red", seen, "Fix the cause, then emit the Repair Record.", reason.more)
        return (yield from pause(noted, "review claimed, verification red", "deny", spent))
    begun = step(noted, "review claimed, verification red")
    seen = f"{reason.seen}; repair round {begun.repair.round} of {begun.repair.max_rounds} begins"
    told = Reason("repair.begun", seen, next_step(begun), reason.more)
    return Outcome(Decision("deny", told), begun, (DropAttestation(),), note="repair round begun")


_RED_REMEDY: Final = "Fix the cause inside the boundary, then spawn the Reviewer again."


def brief_for(state: RunState, found: Verification | None) -> Asking[str]:
    """Write the head of the Reviewer's brief."""
    return (yield from brief_head(state, found.runs if found is not None else ()))


def decide_prompting(event: Event, state: RunState, call: ToolCall) -> Asking[Outcome]:
    """Decide a call whose text would come back as a prompt or reach a child (contract sections 5 and 7)."""
    from harness_guard.artifacts.activation import would_act

    installed = yield from ask(Installed())
    for text in call.prompts:
        if would_act(text, skill_path=installed.skill, marketplace=installed.marketplace):
            seen = f"`{call.name}` would make a prompt that acts like a human's"
            return Outcome(deny("prompt.acts", seen, "Leave activation, verbs and answers to the human."))
    if event.is_child:
        return Outcome(deny("identity.child", f"child agent {event.agent_id} may only read", "Report to the root."))
    refusal = prompting_problem(call.name, state)
    if refusal is not None:
        return Outcome(refusal)
    # A message may wake a child that has ended, and hosts then tell of a start.
    return Outcome(PASS, _starting(event, state) if call.family == "child" else None)


def decide_subagent_start(event: Event, state: RunState) -> Asking[Outcome]:
    """Record a child that starts; brief it if it is the awaited Reviewer."""
    child = event.agent_id or ""
    is_reviewer = state.reviewer.is_awaited and (event.host != "claude" or event.agent_type == REVIEWER_TYPE)
    if not is_reviewer:
        return Outcome(PASS, _started(state, child))
    started = replace(state.reviewer, is_awaited=False, agent_id=child)
    found = yield from ask(LastVerification())
    head = yield from brief_for(state, found)
    return Outcome(context(head), replace(state, reviewer=started), note="reviewer started")


def decide_subagent_stop(event: Event, state: RunState) -> Asking[Outcome]:
    """Attest the Reviewer's Review; let every other child end (contract section 8)."""
    from harness_guard.artifacts.registry import recognise

    child = event.agent_id
    left = tuple(other for other in state.children if other != child)
    if child is None or child != state.reviewer.agent_id:
        return Outcome(PASS, replace(state, children=left))
    ended = replace(state, children=left, reviewer=replace(state.reviewer, agent_id=None))
    if state.state != "verifying":
        return Outcome(PASS, ended)
    found = recognise(event.message)
    problem = yield from review_problem(found, state)
    if problem is None and found is not None:
        return Outcome(PASS, ended, (WriteAttestation(found.digest, event.message),), note="attested")  # type: ignore[union-attr]  # a Review
    if state.reviewer.blocks + 1 > REVIEWER_BLOCKS or problem is None or problem.rule == "review.tree-moved":
        return Outcome(PASS, ended, note="reviewer lost")
    again = replace(state, reviewer=replace(state.reviewer, blocks=state.reviewer.blocks + 1))
    return Outcome(block(problem.rule, problem.seen, problem.remedy, problem.more), again)


def review_problem(found: object, state: RunState) -> Asking[Reason | None]:
    """Say what keeps a child's last message from being attested; ``None`` if nothing does."""
    from harness_guard.artifacts.values import NearMiss, Review
    from harness_guard.kernel.near_miss import binding_problem, near_miss

    if isinstance(found, NearMiss):
        return near_miss(found)
    if not isinstance(found, Review):
        seen = "the Reviewer's last message is no # Clean-context Review"
        return Reason("review.missing", seen, "End with exactly one # Clean-context Review as the brief shows it.")
    problem = binding_problem(found.context, state)
    if problem is not None:
        return problem
    problem = _findings_problem(found, state) or _reading_problem(found, state)
    if problem is not None:
        return problem
    tree = yield from ask(TreeNow())
    if tree.diff_revision != state.diff_revision:
        return Reason("review.tree-moved", "the tree moved while the Reviewer read it", "Spawn a new Reviewer.")
    return None


def _reading_problem(review: Review, state: RunState) -> Reason | None:
    """A verdict on a diff that was never looked at is none; who is blocked may say so all the same."""
    if state.reviewer.has_read_diff or review.verdict == "BLOCKED":
        return None
    seen = "the Reviewer has not looked at the diff"
    return Reason("review.unread", seen, "Read the whole brief.md that your brief names, then judge and answer again.")


def _findings_problem(review: Review, state: RunState) -> Reason | None:
    known = {name: path for name, path, _ in state.open_findings}
    remedy = f"Name new findings R{state.review_round}-F<n>; repeat an open one by its id, with its path."
    for finding in review.findings:
        is_new = finding.id.startswith(f"R{state.review_round}-F")
        if not is_new and finding.id not in known:
            return Reason("review.finding-id", f"finding id `{finding.id}` is neither open nor of this round", remedy)
        if known.get(finding.id, finding.path) != finding.path:
            seen = f"finding `{finding.id}` is about `{known[finding.id]}`, not about `{finding.path}`"
            return Reason("review.finding-path", seen, remedy)
    return None
