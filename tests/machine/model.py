"""The lifecycle as a graph: what a run and the world around it are, all that can happen to them, and when two are one.

A node is a real ``RunState`` with the world that the kernel asks about. A move is one event with the world's answers,
handed to the kernel's own door, or a change of the tree. Two nodes are one abstract state if :func:`abstract` says so.

What is abstracted, and why nothing that decides is lost:

- Revision, run id, hashes, lineage and the absolute numbers of rounds and Reviews: the kernel compares them only for
  equality with what an artifact, a gate or an attestation names (here: is it the current one), and rounds only with the
  budget (here: what is left of it). Both are kept as relations; the promises are checked on the real numbers.
- The tree has one file inside the boundary and one outside, each with two contents; the one outside stays as it is once
  the run was told of it, because from then on it is one more file of the diff. A tree or diff revision is kept as
  "what is here now or the other one": swapping the two contents everywhere changes no decision.
- A value that the state overwrites before it reads it again is left out (what rounds are measured against outside of
  rounds, the counters that a Resume sets to 0, everything once a cancel was asked for or the run has ended).
- Turn ids: a prompt comes in a new turn or in the running one. Codex, host processes and transcripts that cannot be
  read have tests of their own.
- Counters that a refusal, a round or a Review moves are kept as they are; they end at their limits. Budgets stay small
  because a Resume asks for a round only while none is left.
- The engine may say anything at any time: more than the real one, which repeats a green answer on an unmoved tree.

:func:`sides` counts how many of the matters that stand beside the lifecycle (counters of refusals, helpers, changes
outside, an Amendment, an unproved approval, a cancel) are away from rest; the search bounds it to stay finite in time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fake_world import (
    PLANE,
    RED_RUN,
    ROOT,
    SESSION,
    TEMPLATES,
    FakeWorld,
    completion,
    finding,
    prompt,
    review,
)
from simulator import PLAN as SIMULATED_PLAN

from harness_guard.artifacts.digest import message_hash
from harness_guard.artifacts.render import render_record, render_resume
from harness_guard.artifacts.values import RecordContext, ResumeContext
from harness_guard.kernel.event import Event
from harness_guard.kernel.outcome import ArchiveRun, DropAttestation, Outcome, WriteAttestation
from harness_guard.kernel.run_questions import BaselineFacts, CommandRun, NewRunFacts, Snapshot, Verification
from harness_guard.kernel.spawn import REVIEWER_TYPE, next_spawn
from harness_guard.kernel.state import STARTING, RunState
from harness_guard.policy.model import Check, Policy
from harness_guard.records import replace as changed
from harness_guard.shell.analysis import Surroundings
from harness_guard.world import attestation_bindings

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = tuple[int, int]  # contents of the file inside the boundary and of the one outside

INSIDE, OUTSIDE = "src/a.py", "LICENSE"
AT_REST: Tree = (1, 0)
FINGERPRINTS = {"green": "sha256:" + "f" * 64, "red": "sha256:" + "e" * 64}
UNDER_WAY = ("executing", "auto_repairing", "verifying", "reviewing")
JUDGED = ("verifying", "reviewing")
PLAN_ROUNDS, MOST_LEFT = 1, 1  # rounds of the Plan; a Resume that asks for one is tried while fewer than these are left
HELPERS = 1
OPENED_AT, ANSWERED_AT, TOO_EARLY = 1_000_000, 1_005_000, 1_000_500
PLAN = (
    SIMULATED_PLAN.replace("- `check.sh`\n", "")
    .replace("## Exact Commands\n\nNone", "## Exact Commands\n\n- `make test`")
    .replace('"max_rounds": 3', f'"max_rounds": {PLAN_ROUNDS}')
)
PLAN_HASH = message_hash(PLAN)
# What the Plan and the Amendment put in force, written down here without the kernel's reading of them.
PLANNED = Policy(
    boundary=("src/",),
    commands=("make test", "sh check.sh"),
    tools=(),
    caches=(),
    strategy="regression_first",
    required=(Check("V1", "sh check.sh", 20),),
    optional=(),
    max_rounds=PLAN_ROUNDS,
    repeated_finding_limit=2,
    no_progress_limit=2,
    plan_hash=PLAN_HASH,
)
AMENDED = changed(PLANNED, boundary=("src/", "lib/"))
CRITERIA = '`slugify("Release 2.1")` returns `release-2-1`.'
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "read": ("Read", {"file_path": f"{ROOT}/README.md"}),
    "write inside": ("Write", {"file_path": f"{ROOT}/{INSIDE}", "content": "x"}),
    "write outside": ("Write", {"file_path": f"{ROOT}/{OUTSIDE}", "content": "x"}),
    "unknown target": ("Write", {"file_path": "~/notes", "content": "x"}),
    "danger": ("Bash", {"command": "rm -rf /"}),
    "opaque": ("Frobnicate", {}),
    "exact command": ("Bash", {"command": "make test"}),
}
BRIEF = "/data/runs/s/brief.md"
HELPER, STRANGER = "h-1", "r-old"
SETTLED = 9
NEW_RUN = NewRunFacts("r1", ROOT, dict(PLANE))


# Artifacts --------------------------------------------------------------------------------------------------------

_AMENDMENT = """# Plan Amendment

## Amendment Context

```json
{{
  "amendment_context": {{
    "source_plan_hash": "{plan}",
    "source_policy_id": "{policy}",
    "deltas": {{
      "objective": {{"material": true, "summary": "more"}},
      "acceptance_criteria": {{"material": false, "summary": "unchanged"}},
      "scope": {{"material": false, "summary": "unchanged"}},
      "write_boundary": {{"material": {wider}, "summary": "lib"}},
      "verification": {{"material": false, "summary": "unchanged"}},
      "risk": {{"material": false, "summary": "unchanged"}}
    }}
  }}
}}
```

## Acceptance Criteria

- AC1: {criteria}

## Write Boundary

- `src/`
- `lib/`

## Exact Commands

- `make test`

## Verification Strategy

```json
{{
  "verification_strategy": {{
    "kind": "regression_first",
    "required": [
      {{"id": "V1", "command": "sh check.sh", "timeout_s": 20}}
    ],
    "optional": []
  }}
}}
```

## Risks

None

## Approval

Proceed with this Plan Amendment? [y/N]
"""


@cache
def amendment_text(policy_id: str, *, is_wide: bool) -> str:
    wider = str(not is_wide).lower()
    return _AMENDMENT.format(plan=PLAN_HASH, policy=policy_id, wider=wider, criteria=CRITERIA)


@cache
def resume_text(context: ResumeContext, reason: str | None) -> str:
    return render_resume(context, f"Paused: {reason}")


@cache
def record_text(context: RecordContext) -> str:
    return render_record(context, "Mended it.", "It ran.")


@cache
def review_text(
    verdict: str, findings: tuple[tuple[tuple[str, object], ...], ...], bound: tuple[tuple[str, object], ...]
) -> str:
    return review(verdict, tuple(dict(row) for row in findings), **dict(bound))


@cache
def completion_text(bound: tuple[tuple[str, object], ...]) -> str:
    return completion(**dict(bound))


@cache
def hashed(text: str) -> str:
    return message_hash(text)


@cache
def verdict_of(text: str) -> str:
    return text.split("## Verdict\n\n")[1].partition("\n")[0]


# Trees ------------------------------------------------------------------------------------------------------------


def tree_id(tree: Tree) -> str:
    return f"{tree[0]}{tree[1]}".ljust(40, "0")


def tree_of(identifier: str) -> Tree:
    return int(identifier[0]), int(identifier[1])


def diff_of(baseline: Tree, tree: Tree) -> str:
    return "sha256:" + f"{baseline[0]}{baseline[1]}{tree[0]}{tree[1]}".ljust(64, "0")


def changes(before: Tree, after: Tree) -> tuple[str, ...]:
    return tuple(
        path for path, old, new in zip((OUTSIDE, INSIDE), before[::-1], after[::-1], strict=True) if old != new
    )


# Nodes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What a bystander knows who trusts no field of the state: the promises are held against it.

    Attributes:
        awaited: Whether a right spawn was let through at a green engine, and no Reviewer has started on it.
        reviewer: The child that started on it.
        has_read: Whether that child has read the brief.
        green: Diff revision of the tree that the engine was last green on.
        attested: Text and verdict of the Review that such a child gave last.
        passed: Diff revision of the tree that a relayed PASS was about.
    """

    awaited: bool = False
    reviewer: str | None = None
    has_read: bool = False
    green: str | None = None
    attested: tuple[str, str] | None = None
    passed: str | None = None


@dataclass(frozen=True)
class Node:
    """A run in its world; ``attestation`` is what lies sealed in its folder: bindings and text."""

    state: RunState
    tree: Tree = AT_REST
    attestation: tuple[dict[str, object], str] | None = None
    seen: Seen = Seen()

    @property
    def baseline(self) -> Tree | None:
        found = self.state.baseline
        return None if found is None else tree_of(found.tree)

    @property
    def diff(self) -> str:
        return diff_of(self.baseline or self.tree, self.tree)

    @property
    def attested(self) -> str | None:
        """The text that the world gives the kernel as attested."""
        if self.attestation is None or self.attestation[0] != attestation_bindings(self.state):
            return None
        return self.attestation[1]

    @property
    def verdict(self) -> str | None:
        text = self.attested
        return None if text is None else verdict_of(text)

    @property
    def waiting(self) -> str | None:
        """Name of the attested Review among those that the model makes."""
        text = self.attested
        return None if text is None else next(name for name, made in _reviews(self.state) if made == text)


@dataclass(frozen=True)
class Move:
    """One thing that happens.

    Attributes:
        label: Its name in a trace.
        event: What the kernel is told; ``None`` if only the tree changes.
        answers: The world's answers that this move is about.
        what: What is true of it, in words that the promises look for.
        shows: The policy that a human reads in the artifact, if it is one that asks.
        text: The artifact.
        tree: The tree afterwards, if it changes.
    """

    label: str
    event: Event | None = None
    answers: dict[str, Any] = field(default_factory=dict)
    what: frozenset[str] = frozenset()
    shows: Policy | None = None
    text: str = ""
    tree: Tree | None = None


def settle(node: Node) -> Node:
    """Number the revisions anew, so that texts that bind to them come again; which are equal stays."""
    state, kept = node.state, node.attestation
    gate = state.pending_gate
    if gate is not None:
        gate = changed(gate, revision=SETTLED if gate.revision == state.revision else SETTLED - 1)
    if kept is not None:
        kept = ({**kept[0], "state_revision": SETTLED}, kept[1]) if node.attested is not None else None
    return replace(node, state=changed(state, revision=SETTLED, pending_gate=gate), attestation=kept)


def start() -> Node:
    """A run right after a human's activation, as the kernel makes it."""
    outcome = FakeWorld(NewRun=NEW_RUN).decide(prompt("$harness keep digits", turn_id="turn-a"), None)
    assert outcome.state is not None
    return Node(outcome.state)


# The world --------------------------------------------------------------------------------------------------------

_TEMPLATES = {path.stem: path.read_text() for path in Path(TEMPLATES).iterdir()}


class Around(FakeWorld):
    """The world around one node; what a decision takes into the baseline is there for its later questions."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node, self.baseline = node, node.baseline
        self.engine = "green"
        self.answers |= {
            "Now": OPENED_AT,
            "AuthorOf": "human",
            "WhereShell": Surroundings(ROOT, ROOT, "/home/u"),
            "TemplateText": lambda question: _TEMPLATES[question.name],
            "BriefFile": BRIEF,
            "TreeNow": lambda _: Snapshot(self.diff(), changes(self.base(), node.tree), tree_id(node.tree)),
            "ChangedSince": lambda question: changes(tree_of(question.tree), node.tree),
            "TakeBaseline": lambda _: BaselineFacts("c" * 40, tree_id(node.tree), "/tmp/harness-guard-r1"),
            "AbsorbForeign": self._absorb,
            "Verified": lambda _: engine_says(self.engine, self.diff()),
            "LastVerification": None,
            "PendingAttestation": lambda _: node.attested,
            "NewRun": NEW_RUN,
        }

    def base(self) -> Tree:
        return self.baseline or self.node.tree

    def diff(self) -> str:
        return diff_of(self.base(), self.node.tree)

    def _absorb(self, question: Any) -> str:
        base, tree = self.base(), self.node.tree
        self.baseline = (
            tree[0] if INSIDE in question.paths else base[0],
            tree[1] if OUTSIDE in question.paths else base[1],
        )
        return tree_id(self.baseline)


def engine_says(outcome: str, diff: str) -> Verification:
    if outcome in FINGERPRINTS:
        found = FINGERPRINTS[outcome]
        run = RED_RUN if outcome == "red" else CommandRun("V1", "sh check.sh", 0, timed_out=False, tail="ok\n")
        return Verification(outcome, diff, found, found, failed=run if outcome == "red" else None, runs=(run,))  # type: ignore[arg-type]
    if outcome == "unavailable":
        return Verification("unavailable", diff, failed=CommandRun("V1", "sh check.sh", None, timed_out=False, tail=""))
    return Verification(outcome, detail="it moved", paths=(INSIDE,))  # type: ignore[arg-type]


def take(node: Node, move: Move) -> tuple[Node, Outcome | None]:
    """Let a move happen: the kernel decides, the world does what is left to do, the bystander looks on."""
    if move.event is None:
        return replace(node, tree=move.tree or node.tree), None
    world = Around(node)
    world.engine = move.answers.get("engine", "green")
    world.answers.update(move.answers)
    outcome = world.decide(move.event, node.state)
    if outcome.state is None and not outcome.duties and world.baseline == node.baseline:
        return node, outcome
    after = replace(node, state=outcome.state) if outcome.state is not None else node
    for duty in outcome.duties:
        if isinstance(duty, ArchiveRun | DropAttestation):
            after = replace(after, attestation=None)
        elif isinstance(duty, WriteAttestation):
            after = replace(after, attestation=(attestation_bindings(after.state), duty.text))
    if after.state.baseline is None:
        after = replace(after, tree=AT_REST)  # nothing is measured against it
    seen = look(node, move, outcome, after)
    if "Verified" in world.asked and world.engine in FINGERPRINTS:
        seen = replace(seen, green=world.diff() if world.engine == "green" else None)
    is_judged = after.state.state in (*JUDGED, "completed") or after.state.paused_from in JUDGED
    return replace(after, seen=seen if is_judged else Seen()), outcome


def look(before: Node, move: Move, outcome: Outcome, after: Node) -> Seen:
    """What the bystander knows afterwards of the Reviewer and its Review."""
    seen, what = before.seen, move.what
    if "right spawn" in what and outcome.decision.verdict == "pass":
        seen = replace(seen, awaited=True, reviewer=None, has_read=False, attested=None, passed=None)
    if "reviewer starts" in what and seen.awaited and after.state.reviewer.agent_id == move.event.agent_id:  # type: ignore[union-attr]
        seen = replace(seen, awaited=False, reviewer=move.event.agent_id, has_read=False)  # type: ignore[union-attr]
    if "reads brief" in what and outcome.decision.verdict == "pass" and seen.reviewer is not None:
        seen = replace(seen, has_read=True)
    if any(isinstance(duty, WriteAttestation) for duty in outcome.duties):
        verdict = after.verdict or ""
        is_reviewers = move.event.agent_id == seen.reviewer and (seen.has_read or verdict == "BLOCKED")  # type: ignore[union-attr]
        seen = replace(seen, attested=(move.text, verdict) if is_reviewers else None, reviewer=None)
    elif any(isinstance(duty, DropAttestation) for duty in outcome.duties) and after.state.state != "verifying":
        if after.state.state == "reviewing" and "relayed" in what and seen.attested is not None:
            text, verdict = seen.attested
            is_pass = text == move.text and verdict in ("PASS", "PASS_WITH_NOTES")
            seen = replace(seen, passed=after.diff if is_pass else None)
        seen = replace(seen, attested=None)
    if after.state.reviewer.agent_id is None and not after.state.reviewer.is_awaited:
        seen = replace(seen, awaited=False, reviewer=None, has_read=False)
    return seen


# What can happen --------------------------------------------------------------------------------------------------


@cache
def _prompt(text: str, turn: str, **fields: Any) -> Event:
    return prompt(text, turn_id=turn, **fields)


@cache
def _call(name: str, agent: str | None = None) -> Event:
    tool, arguments = CALLS[name]
    return _tool(tool, arguments, agent)


def _tool(tool: str, arguments: dict[str, Any], agent: str | None = None) -> Event:
    return _event("PreToolUse", tool_name=tool, tool_input=arguments, tool_use_id="u1", agent_id=agent)


def _event(name: Any, **fields: Any) -> Event:
    return Event(host="claude", name=name, session_id=SESSION, cwd=ROOT, transcript_path="/t.jsonl", **fields)


def moves(node: Node) -> Iterator[Move]:
    """All that can happen to a node."""
    yield from _trees(node)
    yield from _prompts(node)
    if node.state.state != "completed":
        yield from _tools(node)
        yield from _spawns(node)
        yield from _children(node)
    yield from _stops(node)


def _trees(node: Node) -> Iterator[Move]:
    if node.baseline is not None and not node.state.is_terminal:
        yield Move("tree moves inside", tree=(3 - node.tree[0], node.tree[1]))
        if not node.state.told_outside:
            yield Move("tree moves outside", tree=(node.tree[0], 1 - node.tree[1]))


def _authors(state: RunState) -> tuple[str, ...]:
    is_open = state.approval is not None and not state.approval.is_verified
    return ("human", "forged", "missing") if is_open else ("human",)


def _prompts(node: Node) -> Iterator[Move]:
    state = node.state
    turn = "turn-b" if state.open_turn == "turn-a" else "turn-a"
    yes, now = _prompt("y", turn), {"Now": ANSWERED_AT}
    fresh = frozenset({"fresh"})
    yield Move("y", yes, now, frozenset({"fresh", "answer"}))
    yield Move("other prompt", _prompt("Go on.", turn), now, fresh)
    for author in ("human", "forged") if state.state == "cancelled" else ("human",):
        yield Move(
            f"cancel, {author}", _prompt("$harness cancel", turn), {**now, "AuthorOf": author}, fresh | {"cancel"}
        )
    yield Move("status", _prompt("$harness status", turn), now, fresh)
    yield Move("activation", _prompt("$harness keep digits", turn), now, fresh | {"activates"})
    yield Move("activation by the host", _prompt("$harness keep digits", turn, source="agent"), now, frozenset())
    if state.pending_gate is not None:
        yield Move("y, too early", yes, {"Now": TOO_EARLY}, fresh)
        yield Move("y, queued before", yes, now | {"QueuedBefore": True}, fresh)
        yield Move("y, judged late", _prompt("y", turn, is_late=True), now, fresh)
        yield Move("y by the host", _prompt("y", turn, source="agent"), now, frozenset())
        yield Move("yes", _prompt("yes", turn), now, fresh)
    running = state.open_turn or "turn-z"
    seen = now | {"TurnSeen": True}
    for text in ("y", "$harness cancel", "$harness status", "$harness keep digits"):
        yield Move(
            f"mid-turn {text}",
            _prompt(text, running),
            seen,
            frozenset({"mid-turn", "cancel"} if "cancel" in text else {"mid-turn"}),
        )


def _tools(node: Node) -> Iterator[Move]:
    state = node.state
    for name in CALLS:
        mutation = frozenset({"tool", name}) | ({"mutates"} if name != "read" else frozenset())
        for author in ("human",) if name == "read" else _authors(state):
            yield Move(f"{name}, {author}", _call(name), {"AuthorOf": author}, mutation | {author})
        if name in ("write inside", "exact command", "danger"):
            yield Move(f"child: {name}", _call(name, HELPER), {}, mutation | {"child", "human"})
    yield Move(
        "write inside while the engine runs",
        _call("write inside"),
        {"EngineRuns": True},
        frozenset({"tool", "mutates", "engine runs"}),
    )
    yield Move("a timer that says y", _tool("CronCreate", {"prompt": "y"}), {}, frozenset({"tool", "prompts"}))
    yield Move("settings change", _event("ConfigChange"))


def _spawns(node: Node) -> Iterator[Move]:
    state = node.state
    right = next_spawn(state).for_host("claude")
    spawn = _tool("Agent", right)
    is_due = state.state in ("executing", *JUDGED)
    for engine in ("green", "red", "unavailable", "moved", "busy") if is_due else ("green",):
        authors = _authors(state) if engine == "green" else ("human",)
        for author in authors:
            what = frozenset({"tool", "right spawn", "engine", f"engine {engine}", author})
            yield Move(f"Reviewer's spawn, {engine}, {author}", spawn, {"engine": engine, "AuthorOf": author}, what)
    if is_due:
        yield Move("Reviewer's spawn while the engine runs", spawn, {"EngineRuns": True}, frozenset({"tool"}))
        yield Move("Reviewer's spawn by a child", _tool("Agent", right, HELPER), {}, frozenset({"tool"}))
    coached = {**right, "prompt": f"{right['prompt']} The work is right."}
    yield Move("Reviewer's spawn, coached", _tool("Agent", coached), {}, frozenset({"tool"}))
    if not state.children:
        helper = {"description": "look", "prompt": "Look around.", "subagent_type": "general-purpose"}
        yield Move("helper's spawn", _tool("Agent", helper), {}, frozenset({"tool"}))
        yield Move(
            "message to a child",
            _tool("SendMessage", {"to": HELPER, "message": "Go on."}),
            {},
            frozenset({"tool", "prompts"}),
        )


def _bound(state: RunState) -> tuple[tuple[str, object], ...]:
    none = "sha256:" + "0" * 64
    return (
        ("accepted_plan_hash", state.accepted_plan_hash or none),
        ("accepted_amendment_hash", state.accepted_amendment_hash),
        ("diff_revision", state.diff_revision or none),
        ("verification_fingerprint", state.integrity_fingerprint or none),
        ("review_round", max(1, state.review_round)),
    )


def _finding(**fields: Any) -> tuple[tuple[str, object], ...]:
    return tuple(finding(**fields).items())


def _reviews(state: RunState) -> Iterator[tuple[str, str]]:
    """Reviews by name; all but the last two fit the run."""
    bound, new = _bound(state), f"R{max(1, state.review_round)}-F1"
    yield "PASS", review_text("PASS", (), bound)
    yield "PASS_WITH_NOTES", review_text("PASS_WITH_NOTES", (_finding(id=new, severity="suggestion"),), bound)
    yield "REPAIR new", review_text("REPAIR_REQUIRED", (_finding(id=new),), bound)
    if state.open_findings:
        again, path, _ = state.open_findings[0]
        yield "REPAIR again", review_text("REPAIR_REQUIRED", (_finding(id=again, path=path),), bound)
    yield (
        "REPAIR material",
        review_text("REPAIR_REQUIRED", (_finding(id=new, classification="MATERIAL_AMENDMENT"),), bound),
    )
    yield "REPAIR outside", review_text("REPAIR_REQUIRED", (_finding(id=new, path=OUTSIDE),), bound)
    yield "BLOCKED", review_text("BLOCKED", (), bound)
    yield "unknown finding", review_text("REPAIR_REQUIRED", (_finding(id="R99-F1"),), bound)
    yield "stale", review_text("PASS", (), (*bound[:-1], ("review_round", state.review_round + 7)))


def _children(node: Node) -> Iterator[Move]:
    state, reviewer = node.state, node.state.reviewer
    own = f"r-{reviewer.spawns}" if reviewer.is_awaited else HELPER
    start = frozenset({"reviewer starts"})
    helper = {"agent_id": HELPER, "agent_type": "general-purpose"}
    if reviewer.is_awaited or not state.children:
        yield Move(
            "a reviewer-type child starts", _event("SubagentStart", agent_id=own, agent_type=REVIEWER_TYPE), {}, start
        )
    if all(child.startswith(STARTING) for child in state.children):
        yield Move("a helper starts", _event("SubagentStart", **helper))
    passing = next(_reviews(state))[1]
    yield Move("a helper ends with PASS", _event("SubagentStop", message=passing, **helper), text=passing)
    stranger = {"agent_id": STRANGER, "agent_type": REVIEWER_TYPE}
    yield Move("a disowned Reviewer ends with PASS", _event("SubagentStop", message=passing, **stranger), text=passing)
    if state.children:
        yield Move("the helper is ended", _tool("TaskStop", {"task_id": HELPER}), {}, frozenset({"tool"}))
    agent = reviewer.agent_id
    if agent is None:
        return
    who = {"agent_id": agent, "agent_type": REVIEWER_TYPE}
    yield Move(
        "the Reviewer reads the brief",
        _tool("Read", {"file_path": BRIEF}, agent),
        {},
        frozenset({"tool", "reads brief"}),
    )
    yield Move("the Reviewer writes", _call("write inside", agent), {}, frozenset({"tool", "mutates", "child"}))
    yield Move("the Reviewer is ended", _tool("TaskStop", {"task_id": agent}), {}, frozenset({"tool"}))
    yield Move("the Reviewer ends in prose", _event("SubagentStop", message="Fine.", **who))
    for name, text in _reviews(state):
        yield Move(
            f"the Reviewer ends with {name}",
            _event("SubagentStop", message=text, **who),
            {},
            frozenset({"review"}),
            text=text,
        )


def _stop(message: str = "", **fields: Any) -> Event:
    return _event("Stop", message=message, **fields)


def _stops(node: Node) -> Iterator[Move]:
    state, stop = node.state, frozenset({"stop"})
    reminded = state.stop.reminded_turn
    turn = "turn-b" if reminded == "turn-a" else "turn-a"
    for author in ("human", "forged", "missing") if state.state == "cancelled" else ("human",):
        yield Move(f"Stop with prose, {author}", _stop("Done.", turn_id=turn), {"AuthorOf": author}, stop)
    if state.is_terminal:
        return
    if reminded is not None:
        yield Move("Stop with prose, reminded", _stop("Done.", turn_id=reminded), {}, stop)
    yield Move("Stop, no agent lives", _stop("Done.", turn_id=turn, live_agents=()), {}, stop)
    yield Move("Stop with a near miss", _stop("# Plan\n\nsoon\n", turn_id=turn), {}, stop)
    yield Move("Stop with Plan", _stop(PLAN, turn_id=turn), {}, stop | {"asks"}, PLANNED, PLAN)
    yield from _resumes(node, turn)
    yield from _amendments(state, turn)
    yield from _records(node, turn)
    yield from _relays(node, turn)
    yield from _completions(node, turn)


def _resumes(node: Node, turn: str) -> Iterator[Move]:
    state = node.state
    right = ResumeContext(
        state.accepted_plan_hash or PLAN_HASH, state.revision, node.diff, state.integrity_fingerprint, 0
    )
    tried = [("right", right)]
    if state.is_paused:
        if state.repair.max_rounds - state.repair.round < MOST_LEFT:
            tried.append(("right, one more", changed(right, additional_rounds=1)))
        other = diff_of((7, 7), (7, 7))
        tried += [
            ("stale revision", changed(right, paused_revision=state.revision - 1)),
            ("stale tree", changed(right, diff_revision=other)),
        ]
    for name, context in tried:
        text = resume_text(context, state.pause_reason)
        shows = state.active_policy if name.startswith("right") else None
        yield Move(
            f"Stop with Resume, {name}",
            _stop(text, turn_id=turn),
            {},
            frozenset({"stop", "asks", f"Resume {context.additional_rounds}"}),
            shows,
            text,
        )


def _amendments(state: RunState, turn: str) -> Iterator[Move]:
    is_wide = state.active_policy is not None and state.active_policy.boundary == AMENDED.boundary
    none = "sha256:" + "0" * 64
    text = amendment_text(state.active_policy_id or none, is_wide=is_wide)
    for author in _authors(state):
        what = frozenset({"stop", "asks", author})
        yield Move(
            f"Stop with Amendment, {author}", _stop(text, turn_id=turn), {"AuthorOf": author}, what, AMENDED, text
        )
    if state.active_policy is not None:
        stale = amendment_text(none, is_wide=is_wide)
        yield Move("Stop with Amendment, stale", _stop(stale, turn_id=turn), {}, frozenset({"stop"}), None, stale)


def _records(node: Node, turn: str) -> Iterator[Move]:
    state, repair = node.state, node.state.repair
    is_due = state.state == "auto_repairing"
    none = "sha256:" + "0" * 64
    for engine in ("green", "red", "unavailable", "moved") if is_due else ("green",):
        context = RecordContext(
            accepted_plan_hash=state.accepted_plan_hash or none,
            source_review_round=max(1, state.review_round),
            repair_round=max(1, repair.round),
            finding_ids=state.latest_finding_ids,
            changed_files=changes(tree_of(repair.tree_before), node.tree) if repair.tree_before else (),
            diff_revision_before=repair.diff_before or none,
            diff_revision_after=node.diff,
            verification_before=repair.verification_before or none,
            verification_after=FINGERPRINTS.get(engine, none),
        )
        for author in _authors(state) if engine == "green" else ("human",):
            what = frozenset({"stop", "engine", f"engine {engine}", author, "record"})
            answers = {"engine": engine, "AuthorOf": author}
            yield Move(
                f"Stop with Record, {engine}, {author}", _stop(record_text(context), turn_id=turn), answers, what
            )
        if is_due and engine in ("green", "red"):
            wrong = record_text(changed(context, repair_round=repair.round + 1))
            what = frozenset({"stop", "engine", f"engine {engine}"})
            yield Move(f"Stop with Record, wrong, {engine}", _stop(wrong, turn_id=turn), {"engine": engine}, what)


def _relays(node: Node, turn: str) -> Iterator[Move]:
    attested, own = node.attested, next(_reviews(node.state))[1]
    relays = [("own PASS", own, frozenset({"stop"}))]
    if attested is not None:
        relays = [
            ("relayed", attested, frozenset({"stop", "relayed"})),
            ("altered", attested.replace("Read it.", "Read it all."), frozenset({"stop"})),
            *([("own PASS", own, frozenset({"stop"}))] if own != attested else []),
        ]
    for name, text, what in relays:
        for author in _authors(node.state):
            yield Move(
                f"Stop with Review, {name}, {author}",
                _stop(text, turn_id=turn),
                {"AuthorOf": author},
                what | {author},
                text=text,
            )


def _completions(node: Node, turn: str) -> Iterator[Move]:
    text = completion_text(_bound(node.state))
    for author in _authors(node.state):
        yield Move(
            f"Stop with Completion, {author}",
            _stop(text, turn_id=turn),
            {"AuthorOf": author},
            frozenset({"stop", "completion", author}),
        )
    if node.state.state == "reviewing":
        stale = completion_text(
            (*_bound(node.state)[:2], ("diff_revision", diff_of((7, 7), (7, 7))), *_bound(node.state)[3:])
        )
        yield Move("Stop with Completion, stale", _stop(stale, turn_id=turn), {}, frozenset({"stop"}))
        busy = _stop(text, turn_id=turn, live_tasks=("t1",))
        yield Move("Stop with Completion while a task runs", busy, {}, frozenset({"stop"}))


# When two are one -------------------------------------------------------------------------------------------------


def _here(node: Node, diff: str | None) -> tuple[bool, ...] | None:
    """Where a diff revision lies, seen from the tree as it is now."""
    if diff is None or not diff:
        return None
    base, tree = node.baseline or (0, 0), node.tree
    _, bound, inside, outside = (int(digit) for digit in diff[7:11])
    return bound == base[1], inside == tree[0], outside == tree[1]


def _gate(node: Node) -> tuple[object, ...] | None:
    gate = node.state.pending_gate
    if gate is None:
        return None
    return gate.kind, gate.added_rounds, gate.revision == node.state.revision, _here(node, gate.diff_revision)


def _side(node: Node) -> dict[str, object]:
    """What stands beside the lifecycle; at rest each is false."""
    state = node.state
    base, tree, gate = node.baseline, node.tree, state.pending_gate
    return {
        "opaque": state.opaque_denies,
        "blocks": state.stop.blocks,
        "reviewer's blocks": state.reviewer.blocks,
        "children": "".join("s" if child.startswith(STARTING) else "l" for child in state.children),
        "outside": (base is not None and base[1] != tree[1]) + 2 * bool(state.told_outside),
        "approval": (state.approval is not None and not state.approval.is_verified)
        + 2 * (state.accepted_amendment_hash is not None)
        + 4 * (gate is not None and gate.kind == "Plan Amendment"),
        "finding of this round": _taken(state),
        "cancel asked": state.cancel_asked,
    }


def sides(node: Node) -> int:
    """Count what is away from rest beside the lifecycle.

    An Amendment and the proof of its approval are one matter. A proof that is due is none by itself, because every run
    goes through it, nor beside a change outside, which pauses.
    """
    if node.state.is_terminal:
        return 0
    side = _side(node)
    approval, outside = side.pop("approval"), side.pop("outside")
    others = sum(bool(value) for value in side.values())
    if approval == 1 and not others:
        return int(bool(outside))
    return others + bool(outside) + (0, 1, 1, 1, 1, 2, 2, 2)[approval]  # type: ignore[call-overload]  # three bits


def _round(node: Node) -> frozenset[object]:
    """What the next Record is measured against: a Record is stuck if the engine's answer is one of these."""
    state, repair = node.state, node.state.repair
    measured = ((repair.diff_before, repair.progress_before), (state.diff_revision, state.progress_fingerprint))
    return frozenset((_here(node, diff), progress == FINGERPRINTS["green"]) for diff, progress in measured)


def _taken(state: RunState) -> str | None:
    """The path that an id of this round has already, because a Review of a tree that moved named it."""
    is_open = "verifying" in (state.state, state.paused_from)
    new = f"R{state.review_round}-F1"
    return next((path for name, path, _ in state.open_findings if is_open and name == new), None)


def _findings(state: RunState) -> tuple[object, ...] | None:
    """What the next Review's findings are compared with; the first one that asks for repair counts 1 in any case."""
    if state.is_paused or not state.repair.repeated or not state.open_findings:
        return None
    again, path, _ = state.open_findings[0]
    return again in state.reviewed_ids, path


def abstract(node: Node) -> tuple[object, ...]:
    """Give what decides how a node behaves."""
    state, repair, reviewer = node.state, node.state.repair, node.state.reviewer
    if state.is_terminal:
        return state.state, state.authority_status, state.open_turn is None
    running = reviewer.is_awaited, reviewer.agent_id is not None, reviewer.has_read_diff, node.waiting
    if state.cancel_asked:
        return state.state, state.authority_status, "cancel asked", *_side(node).values(), running
    found = state.state, state.authority_status, *_side(node).values(), _gate(node), state.wrote_unseen
    if state.state == "planning":
        return *found, state.baseline is None
    relation = state.active_policy == state.accepted_policy, repair.max_rounds - repair.round
    found = *found, *relation, _findings(state), state.paused_from, repair.is_due
    origin, seen = state.paused_from or state.state, node.seen
    if origin == "auto_repairing":
        found = *found, _round(node)
    if origin == "reviewing":
        found = (
            *found,
            _here(node, state.diff_revision),
            seen.green == state.diff_revision,
            seen.passed == state.diff_revision,
        )
    if state.state == "verifying":
        is_waited = reviewer.is_running or node.verdict is not None
        judged = (_here(node, state.diff_revision), seen.green == state.diff_revision) if is_waited else None
        watched = seen.awaited, seen.reviewer == reviewer.agent_id, seen.has_read, seen.attested and seen.attested[1]
        found = *found, running, judged, watched
    if not state.is_paused:
        found = *found, repair.repeated, repair.no_progress
    return found
