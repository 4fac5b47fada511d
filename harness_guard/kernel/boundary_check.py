"""The write boundary against one tool call: each place where it would land, each link that it would make or carry."""

from __future__ import annotations

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.questions import CarriedAlong, LinkPlaces, ProgramFolders, ask
from harness_guard.kernel.tool_effects import short
from harness_guard.policy.boundary import covers_reach, explain
from harness_guard.policy.caches import LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.tool_effects import Judged
    from harness_guard.policy.place import Place
    from harness_guard.shell.effects import Write

HOST_SCRATCH: Final = "the host's own scratch and memory files are not the run's to write"


def check_boundary(judged: Judged, state: RunState) -> Asking[Reason | None]:
    """Compare every target with the active boundary; ``None`` if all of them are inside."""
    policy = state.active_policy
    boundary = policy.boundary if policy is not None else ()
    special = yield from _check_carried(judged)
    if special is None:
        special = yield from _check_program_folders(judged)
    if special is not None:
        return special
    for write, places in judged.places:
        for place in () if write.is_cache else places:
            reason = _outside(write, place, boundary, state)
            if reason is not None:
                return reason
    for link in judged.effects.links:
        stands, leads = yield from ask(LinkPlaces(link))
        is_bridge = stands.relative is not None and leads.relative is None  # into the scratch folder
        for place in (stands, leads):
            if is_bridge or not _is_inside(place, boundary, state):
                seen = f"the link `{short(link.path)}` would lead out of the boundary, to `{short(leads.real)}`"
                return Reason("boundary.link", seen, "Link to a file inside the boundary, or copy it.")
    return None


def _check_carried(judged: Judged) -> Asking[Reason | None]:
    """Refuse a copy that brings a link along: where it stands afterwards it may lead out of the boundary."""
    if not any(write.by == "cp" and write.kind == "tree" for write in judged.effects.writes):
        return None
    for read in judged.effects.reads:
        carried = None if read.by != "cp" or read.is_pattern else (yield from ask(CarriedAlong(read.path)))
        if carried is not None or (read.by == "cp" and read.is_pattern):
            seen = f"copying `{short(read.path)}` may bring along a link or a protected name: `{carried or 'a match'}`"
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
                seen = f"`{short(write.path)}` lies in a folder of the PATH, whose files are started as programs"
                return Reason("boundary.path-folder", seen, "Leave it to the human, or approve the exact command.")
    return None


def unlisted_cache(judged: Judged, state: RunState) -> Reason | None:
    """Say which cache a program would keep outside the boundary though the Plan lists none of that name (E4.9)."""
    policy = state.active_policy
    boundary, caches = (policy.boundary, policy.caches) if policy is not None else ((), ())
    for write, places in judged.places:
        for place in places if write.is_cache else ():
            if _is_listed(place, caches) or _outside(write, place, boundary, state) is None:
                continue
            seen = f"`{short(write.by)}` keeps a cache in `{short(place.real)}`, which no Plan lists"
            listed = f", or list `{_last(place)}/` under `{LABEL}`" if _last(place) else ""
            return Reason("boundary.cache", seen, f"Switch it off by an option{listed}.")
    return None


def _last(place: Place) -> str:
    """What a folder of this repository is called; ``""`` of any other."""
    return (place.relative or "").rpartition("/")[2] if place.nested is None else ""


def _is_listed(place: Place, caches: tuple[str, ...]) -> bool:
    return _last(place) in caches


def _outside(write: Write, place: Place, boundary: tuple[str, ...], state: RunState) -> Reason | None:
    if _in_scratch(place.real, state):
        return None
    remedy = f"Write inside {explain(boundary)} or in the scratch folder {state.scratch}."
    if _is_host_scratch(place.real, state):
        return Reason("boundary.host-scratch", HOST_SCRATCH, remedy)
    if place.relative is None:
        seen = f"`{short(write.by)}` would write `{short(place.real)}`, which is outside the repository"
        return Reason("boundary.outside", seen, remedy)
    if not _is_inside(place, boundary, state):
        named = short(place.relative or ".")
        seen = f"`{short(write.by)}` would write `{named}`, outside the write boundary {explain(boundary)}"
        return Reason("boundary.outside", seen, remedy)
    if place.has_other_names:
        seen = (
            f"`{short(place.relative)}` has a second name (hard link), so a write to it may land outside the boundary"
        )
        return Reason("boundary.hard-link", seen, "Replace the file by a copy of its own, or leave it alone.")
    return None


def _is_inside(place: Place, boundary: tuple[str, ...], state: RunState) -> bool:
    if _in_scratch(place.real, state):
        return True
    relative = place.relative
    if relative is None or place.nested is not None:
        # What changes in another repository below the root stands in no diff that the Reviewer could read (P6).
        return False
    return covers_reach(boundary, relative, reach=place.reach)


def _is_host_scratch(real: str, state: RunState) -> bool:
    # Claude Code's scratch folders stand beside the run's own, in the system's temporary folder.
    return bool(state.scratch) and real.startswith(f"{state.scratch.rpartition('/')[0]}/claude-")


def _in_scratch(real: str, state: RunState) -> bool:
    return bool(state.scratch) and (real == state.scratch or real.startswith(state.scratch + "/"))
