"""PreToolUse: the checks in the contract's order (section 7), each carrying its number.

(1) decode and (2) active run are behind us when we start. Then (3) control plane, (4) hard danger, (5) state,
(6) identity, (7) the tool's effects, (8) boundary. The effects are computed first, because (3) and (4) judge them.
"""

from __future__ import annotations

from harness_guard.kernel.decision import PASS, Decision, Reason, deny
from harness_guard.kernel.outcome import DropAttestation, Outcome
from harness_guard.kernel.provenance import check_process, check_provenance, prompting_problem
from harness_guard.kernel.questions import (
    CarriedAlong,
    EngineRuns,
    LinkPlaces,
    PlacesOf,
    PlantedProgram,
    ProgramFolders,
    RealPath,
    ShellFactsFor,
    WhereShell,
    ask,
)
from harness_guard.kernel.state import StopCount
from harness_guard.kernel.tools import classify
from harness_guard.paths import folded, segment_matches
from harness_guard.policy.boundary import covers_reach, explain
from harness_guard.policy.control_plane import from_json, key_read_by, protected_by, reaches
from harness_guard.records import dataclass, replace
from harness_guard.shell.effects import Effects, Unknown, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.tools import ToolCall
    from harness_guard.policy.control_plane import ControlPlane
    from harness_guard.policy.place import Place

OPAQUE_LIMIT: Final = 3  # contract section 6: the third opaque call without an allowed mutation between them pauses
_HOST_SCRATCH: Final = "the host's own scratch and memory files are not the run's to write"


@dataclass(frozen=True, slots=True)
class Judged:
    """A call with everything that the checks need.

    Attributes:
        event: The event.
        call: The classified call.
        effects: What it would do.
        places: Each write with the places where it would land.
        plane: What no tool call may write.
        is_exact: Whether the human approved exactly this command or tool.
    """

    event: Event
    call: ToolCall
    effects: Effects
    places: tuple[tuple[Write, tuple[Place, ...]], ...]
    plane: ControlPlane
    is_exact: bool


def decide_tool(event: Event, state: RunState) -> Asking[Outcome]:
    """Decide one tool call of a session with a run.

    Args:
        event: A PreToolUse or PreSkillShellCommand event.
        state: The run, terminal ones included (a cancelled run denies to the end of its turn).

    Returns:
        The outcome, through questions.
    """
    call = classify(event)
    if call.family == "spawn":
        from harness_guard.kernel.children import decide_spawn

        return (yield from decide_spawn(event, state))
    if call.family in ("prompt", "child"):
        return (yield from _decide_prompting(event, state, call))
    effects = yield from _effects(event, call)
    plane = from_json(state.control_plane or {})
    refusal = yield from _check_reads(call, effects, plane)
    if refusal is not None:
        return Outcome(refusal)
    places = yield from _places(effects, plane)
    judged = Judged(event, call, effects, places, plane, _is_exact(event, state, call))
    refusal = yield from _check_control_plane(judged)  # C7.3
    if refusal is not None:
        return Outcome(refusal)
    danger = _danger(judged)  # C7.4; reading a credential is one too
    if danger is not None:
        return (yield from _pause_or_deny(judged, state, "hard danger", danger))
    if call.wakes and (refusal := prompting_problem(call.name, state)) is not None:
        return Outcome(refusal)
    if not (places or effects.links or effects.unknown):
        return Outcome(PASS)  # reads only, or writes to streams
    return (yield from _decide_mutation(judged, state))


def _decide_mutation(judged: Judged, state: RunState) -> Asking[Outcome]:
    refusal = _check_state(state) or _check_identity(judged.event, state)  # C7.5, C7.6
    if refusal is not None:
        return Outcome(refusal)
    if (yield from ask(EngineRuns())):
        return Outcome(deny("state.engine-runs", "the engine is running the verification", "Wait until it has ended."))
    state, lost = yield from check_provenance(judged.event, state)
    if lost is not None:
        return lost
    if judged.is_exact:
        return _allow(state, wrote_unseen=True)
    return (yield from _check_effects(judged, state))


def _check_effects(judged: Judged, state: RunState) -> Asking[Outcome]:
    outside = yield from _check_boundary(judged, state)  # C7.8: known targets first, they say the most
    if outside is not None:
        if outside.seen == _HOST_SCRATCH:
            return Outcome(Decision("deny", outside), state)
        return (yield from _pause_or_deny(judged, state, "boundary exceeded", outside))
    writers = [unknown for unknown in judged.effects.unknown if unknown.is_writer]  # C7.7
    if writers:
        seen = f"where `{_short(writers[0].seen)}` writes cannot be known: {writers[0].why}"
        reason = Reason("effects.target", seen, "Name the target literally, or resume and use another command.")
        return (yield from _pause_or_deny(judged, state, "writer's target unknown", reason))
    if judged.effects.unknown:
        return (yield from _deny_opaque(judged, state))
    return _allow(state, wrote_unseen=state.wrote_unseen)


def _deny_opaque(judged: Judged, state: RunState) -> Asking[Outcome]:
    unknown = judged.effects.unknown[0]
    seen = f"what `{_short(unknown.seen)}` does is not known: {unknown.why}"
    remedy = "Use the file tools or a command of the table, or have the exact command approved in a Plan."
    reason = Reason("effects.unknown", seen, remedy)
    counted = replace(state, opaque_denies=state.opaque_denies + 1)
    if counted.opaque_denies >= OPAQUE_LIMIT:
        return (yield from _pause_or_deny(judged, counted, "third opaque call", reason))
    return Outcome(Decision("deny", reason), counted)


def _allow(state: RunState, *, wrote_unseen: bool) -> Outcome:
    """Let a mutation pass: the pending attestation goes first, the counters start anew."""
    after = replace(state, opaque_denies=0, stop=StopCount(), wrote_unseen=wrote_unseen)
    return Outcome(PASS, after, (DropAttestation(),))


def _pause_or_deny(judged: Judged, state: RunState, on: str, reason: Reason) -> Asking[Outcome]:
    from harness_guard.kernel.pause import pause
    from harness_guard.kernel.transitions import find_row

    happening = on
    may_pause = state.has_authority and (not judged.event.is_child or on == "hard danger")
    if may_pause:
        # INVARIANT (P1): an approval that was never checked is not carried over into a pause, where a Resume renews it.
        state, lost = yield from check_provenance(judged.event, state)
        if lost is not None:
            return lost if lost.state is not None else Outcome(Decision("deny", reason))
    if may_pause and find_row(state, happening) is not None:  # type: ignore[arg-type]  # callers pass the table's words
        return (yield from pause(state, happening, "deny", reason))  # type: ignore[arg-type]  # as above
    return Outcome(Decision("deny", reason))


def _effects(event: Event, call: ToolCall) -> Asking[Effects]:
    if call.family == "patch":
        from harness_guard.shell.patch import effects_of_patch

        return effects_of_patch(call.text, event.cwd)
    if call.family != "shell":
        return call.effects
    from harness_guard.shell.analysis import ShellFacts, analyse

    surroundings = yield from ask(WhereShell(event.cwd))
    facts = ShellFacts()
    found = analyse(call.text, surroundings, facts)
    while not isinstance(found, Effects):
        facts = yield from ask(ShellFactsFor(call.text, found, facts))
        found = analyse(call.text, surroundings, facts)
    return (yield from _with_planted(found))


def _with_planted(effects: Effects) -> Asking[Effects]:
    """Take a program for unknown if a file that the run could have written stands in its place on the PATH."""
    names = tuple(dict.fromkeys(name for program in effects.programs for name in program.argv[:1] if name is not None))
    if not names:
        return effects
    folders = yield from ask(ProgramFolders())
    if not folders:
        return effects
    planted = yield from ask(PlantedProgram(folders, names))
    if planted is None:
        return effects
    unknown = Unknown("a file of the repository stands in its place on the PATH", planted)
    return replace(effects, unknown=(*effects.unknown, unknown))


def _places(effects: Effects, plane: ControlPlane) -> Asking[tuple[tuple[Write, tuple[Place, ...]], ...]]:
    """Find where each write lands; what is harmless (a stream, a folder that stands already) is no write.

    Git's own files, written by a git subcommand of the table, are no place that a boundary covers: the write stays as
    a mutation without one (promise P7). Only this repository's are meant.
    """
    found: list[tuple[Write, tuple[Place, ...]]] = []
    for write in effects.writes:
        if write.is_git_own and write.path in plane.git_dirs:
            found.append((write, ()))
            continue
        places = yield from ask(PlacesOf(write))
        real = tuple(place for place in places if not place.is_harmless)
        if real:
            found.append((write, real))
    return tuple(found)


def _check_reads(call: ToolCall, effects: Effects, plane: ControlPlane) -> Asking[Decision | None]:
    for path in (*call.reads, *(read.path for read in effects.reads if not read.is_pattern)):
        if key_read_by(plane, (yield from ask(RealPath(path)))):
            return _key(path)
    for read in effects.reads:
        if read.is_pattern and (read.is_tree or _may_name_key(read.path)):
            for place in (yield from ask(PlacesOf(Write(read.path, "file", read.by, is_pattern=True)))):
                if key_read_by(plane, place.real):
                    return _key(read.path)
    return None


def _may_name_key(pattern: str) -> bool:
    """Tell whether a shell pattern's last segment could match the key's name; read more widely than bash does."""
    plain, bracket, _ = pattern.rpartition("/")[2].replace("\\", "").partition("[")
    widened = folded(plain.replace("?", "*") + ("*" if bracket else ""))
    return not widened or segment_matches(widened, "key")


def _key(path: str) -> Decision:
    return deny("control-plane.key", f"`{_short(path)}` would read the guard's sealing key", "Read something else.")


def _check_control_plane(judged: Judged) -> Asking[Decision | None]:
    for write, places in judged.places:
        for place in places:
            what = protected_by(judged.plane, place.real)
            if what is None and place.reach != "path":
                what = reaches(judged.plane, place.real) or (place.below[0] if place.below else None)
            if what is not None:
                return _protected(write.path, what, write.by)
    for link in judged.effects.links:
        for place in (yield from ask(LinkPlaces(link))):
            what = protected_by(judged.plane, place.real) or reaches(judged.plane, place.real)
            if what is not None:
                return _protected(link.target, what, "the new link")
    for path in judged.call.mentions:
        real = yield from ask(RealPath(path))
        what = protected_by(judged.plane, real)
        if what is not None:
            return _protected(path, what, judged.call.name)
    return None


def _protected(path: str, what: str, by: str) -> Decision:
    seen = f"`{_short(by)}` would write `{_short(path)}`, which belongs to {what}"
    return deny("control-plane.write", seen, "Leave it alone; only the human changes it, outside a run.")


def _danger(judged: Judged) -> Reason | None:
    if judged.call.family != "shell":
        return None
    from harness_guard.policy.danger import danger_of

    danger = danger_of(judged.call.text, judged.effects)
    if danger is None:
        return None
    remedy = "Reach the goal another way; no approval clears this rule, the human runs such a command by hand."
    return Reason(danger.rule, danger.seen, remedy)


def _check_state(state: RunState) -> Decision | None:
    from harness_guard.kernel.texts import next_step

    if state.state == "executing" and state.has_authority:
        return None
    seen = f"the run is {state.state} and nothing may be written now"
    if state.cancel_asked or state.state == "cancelled":
        seen = "the human cancelled the run and nothing may be written until this turn has ended"
    return deny("state.no-authority", seen, next_step(state))


def _check_identity(event: Event, state: RunState) -> Decision | None:
    if event.is_child:
        seen = f"child agent {event.agent_id} may only read; the root is the only writer"
        return deny("identity.child", seen, "Report what should change; the root does it.")
    return check_process(event, state)


def _is_exact(event: Event, state: RunState, call: ToolCall) -> bool:
    policy = state.active_policy
    if policy is None:
        return False
    if call.family == "mcp":
        return event.tool_name in policy.tools
    # The human read the command as one that runs at the root; elsewhere the same bytes do something else.
    return call.family == "shell" and event.cwd == state.repository_root and call.text in policy.commands


def _check_boundary(judged: Judged, state: RunState) -> Asking[Reason | None]:
    policy = state.active_policy
    boundary = policy.boundary if policy is not None else ()
    special = yield from _check_carried(judged)
    if special is None:
        special = yield from _check_program_folders(judged)
    if special is not None:
        return special
    for write, places in judged.places:
        for place in places:
            reason = _outside(write, place, boundary, state)
            if reason is not None:
                return reason
    for link in judged.effects.links:
        stands, leads = yield from ask(LinkPlaces(link))
        for place in (stands, leads):
            if not _is_inside(place, boundary, state):
                seen = f"the link `{_short(link.path)}` would lead out of the boundary, to `{_short(leads.real)}`"
                return Reason("boundary.link", seen, "Link to a file inside the boundary, or copy it.")
    return None


def _check_carried(judged: Judged) -> Asking[Reason | None]:
    """Refuse a copy that brings a link along: where it stands afterwards it may lead out of the boundary."""
    if not any(write.by == "cp" and write.kind == "tree" for write in judged.effects.writes):
        return None
    for read in judged.effects.reads:
        carried = None if read.by != "cp" or read.is_pattern else (yield from ask(CarriedAlong(read.path)))
        if carried is not None or (read.by == "cp" and read.is_pattern):
            seen = f"copying `{_short(read.path)}` may bring along a link or a protected name: `{carried or 'a match'}`"
            return Reason("boundary.copied-link", seen, "Copy the plain files by name.")
    return None


def _check_program_folders(judged: Judged) -> Asking[Reason | None]:
    """Refuse writes into a folder of the PATH: what stands there is started under the name of another program."""
    if not judged.places:
        return None
    folders = yield from ask(ProgramFolders())
    for write, places in judged.places:
        for place in places:
            folder = next((f for f in folders if place.real == f or place.real.startswith(f"{f}/")), None)
            if folder is not None:
                seen = f"`{_short(write.path)}` lies in a folder of the PATH, whose files are started as programs"
                return Reason("boundary.path-folder", seen, "Leave it to the human, or approve the exact command.")
    return None


def _outside(write: Write, place: Place, boundary: tuple[str, ...], state: RunState) -> Reason | None:
    if _in_scratch(place.real, state):
        return None
    remedy = f"Write inside {explain(boundary)} or in the scratch folder {state.scratch}."
    if _is_host_scratch(place.real, state):
        return Reason("boundary.host-scratch", _HOST_SCRATCH, remedy)
    if place.relative is None:
        seen = f"`{_short(write.by)}` would write `{_short(place.real)}`, which is outside the repository"
        return Reason("boundary.outside", seen, remedy)
    if not _is_inside(place, boundary, state):
        named = _short(place.relative or ".")
        seen = f"`{_short(write.by)}` would write `{named}`, outside the write boundary {explain(boundary)}"
        return Reason("boundary.outside", seen, remedy)
    if place.has_other_names:
        seen = (
            f"`{_short(place.relative)}` has a second name (hard link), so a write to it may land outside the boundary"
        )
        return Reason("boundary.hard-link", seen, "Replace the file by a copy of its own, or leave it alone.")
    return None


def _is_inside(place: Place, boundary: tuple[str, ...], state: RunState) -> bool:
    if _in_scratch(place.real, state):
        return True
    relative = place.relative
    return relative is not None and covers_reach(boundary, relative, reach=place.reach, nested=place.nested)


def _is_host_scratch(real: str, state: RunState) -> bool:
    # Claude Code's scratch folders stand beside the run's own, in the system's temporary folder.
    return bool(state.scratch) and real.startswith(f"{state.scratch.rpartition('/')[0]}/claude-")


def _in_scratch(real: str, state: RunState) -> bool:
    return bool(state.scratch) and (real == state.scratch or real.startswith(state.scratch + "/"))


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _decide_prompting(event: Event, state: RunState, call: ToolCall) -> Asking[Outcome]:
    from harness_guard.kernel.children import decide_prompting

    return (yield from decide_prompting(event, state, call))
