"""The control plane against one tool call: what no call may write, and the key that none may read (promise P7)."""

from __future__ import annotations

from harness_guard.kernel.decision import deny
from harness_guard.kernel.questions import LinkPlaces, PlacesOf, RealPath, ask
from harness_guard.kernel.tool_effects import short
from harness_guard.paths import folded, segment_matches
from harness_guard.policy.control_plane import key_read_by, named_in, protected_by, reaches
from harness_guard.shell.effects import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.decision import Decision
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.tool_effects import Judged
    from harness_guard.kernel.tools import ToolCall
    from harness_guard.policy.control_plane import ControlPlane
    from harness_guard.shell.effects import Effects


def check_reads(call: ToolCall, effects: Effects, plane: ControlPlane) -> Asking[Decision | None]:
    """Refuse a call that would read the sealing key."""
    shown = [read for read in effects.reads if not read.is_listing]
    anything = next((read for read in shown if read.path == "/" and not read.is_flat), None)
    if anything is not None:
        seen = f"`{short(anything.by)}` may read any file, the guard's sealing key among them"
        return deny("control-plane.key", seen, "Name the files, or search below a folder of the repository.")
    named = [(read.path, read.is_flat) for read in shown if not read.is_pattern]
    for path, is_flat in (*((path, False) for path in call.reads), *named):
        if key_read_by(plane, (yield from ask(RealPath(path))), recursive=not is_flat):
            return _key(path)
    for read in shown:
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
    return deny("control-plane.key", f"`{short(path)}` would read the guard's sealing key", "Read something else.")


def check_control_plane(judged: Judged) -> Asking[Decision | None]:
    """Refuse a call that would write into the control plane or around it (C7.3)."""
    unpacked = _unpacked(judged)
    if unpacked is not None:
        return unpacked
    for write, places in judged.places:
        for place in places:
            what = protected_by(judged.plane, place.real)
            if place.reach != "path":
                what = reaches(judged.plane, place.real) or (place.below[0] if place.below else None)
            if what is not None:
                return _protected(write.path, what, write.by)
    for link in judged.effects.links:
        for place in (yield from ask(LinkPlaces(link))):
            what = reaches(judged.plane, place.real)
            if what is not None:
                return _protected(link.target, what, "the new link")
    return (yield from _check_mentions(judged))


def _unpacked(judged: Judged) -> Decision | None:
    """Refuse what brings names along that only an archive's or a patch's content tells, unless it is approved."""
    trees = [(write, places) for write, places in judged.places if write.kind == "tree"]
    if judged.is_exact or not trees:
        return None
    from harness_guard.shell.aftermath import BRINGS_NAMES

    for write, places in trees:
        if write.by in BRINGS_NAMES and any(place.relative is not None for place in places):
            seen = f"what `{write.by}` brings into `{short(write.path)}` may have a protected name"
            remedy = "Unpack into the run's scratch folder and copy the files by name, or have the command approved."
            return deny("control-plane.unpack", seen, remedy)
    return None


_MENTIONS: Final = 200  # texts that are looked up on disk; a call with more is refused
_PATH_LENGTH: Final = 4096  # PATH_MAX of Linux; a longer text is no path, but may hold one


def _check_mentions(judged: Judged) -> Asking[Decision | None]:
    """Refuse a tool without a model whose arguments name the control plane, as a path or in the middle of a text."""
    mentions = judged.call.mentions
    if len(mentions) > _MENTIONS:
        return _protected(f"{len(mentions)} texts", "what cannot be looked through", judged.call.name)
    for text in mentions:
        named = named_in(judged.plane, text)
        if named is not None:
            return _protected(text, named, judged.call.name)
        if len(text) > _PATH_LENGTH:
            continue
        what = protected_by(judged.plane, (yield from ask(RealPath(text))))
        if what is not None:
            return _protected(text, what, judged.call.name)
    return None


def _protected(path: str, what: str, by: str) -> Decision:
    seen = f"`{short(by)}` would write `{short(path)}`, which belongs to {what}"
    return deny("control-plane.write", seen, "Leave it alone; only the human changes it, outside a run.")
