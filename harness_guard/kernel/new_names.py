"""New names against one tool call: none is made that other commands would take apart, or for an option (C7.24)."""

from __future__ import annotations

from harness_guard.kernel.decision import Reason
from harness_guard.kernel.questions import IsThere, LinkPlaces, OddDeleted, OddName, ask
from harness_guard.kernel.tool_effects import short
from harness_guard.policy.boundary import covers_reach
from harness_guard.policy.odd_name import is_odd, odd_part, spells_odd
from harness_guard.shell.effects import MOVED_AWAY, PLAIN_COPY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.tool_effects import Judged
    from harness_guard.policy.place import Place
    from harness_guard.shell.effects import Write

RULE: Final = "boundary.name"
_ODD: Final = "a blank, a quote, a backslash or a dash in front (or a file `HEAD`, which makes a repository)"
# Programs that bring the names below a folder, or those that a pattern matches, to another place.
_CARRIERS: Final = frozenset(("cp", PLAIN_COPY, "mv", "install", "rsync"))
_SYNC: Final = "rsync"
_GIT_CARRIER: Final = "git mv"
_FROM_INDEX: Final = frozenset(("checkout", "restore"))
_REMOVERS: Final = frozenset((MOVED_AWAY, "rm", "rmdir", "unlink", "git rm", "shred"))
# Programs that write a whole folder and make no new name in it but out of those that are there, or plain ones.
_KEEPERS: Final = frozenset(
    ("chmod", "chown", "chgrp", "setfacl", "find", "sort", "sed", "perl", "python", "python3", "compileall",
     "ruff", "black", "isort", "gofmt", "goimports", "clang-format", "shfmt", "terraform", "tofu", "format-patch",
     "tar", "unzip", "patch")  # the last three bring names only where the human approved the exact command
)  # fmt: skip
# Programs that make names up of what is there and of their own words.
_COINERS: Final = frozenset(
    ("split", "csplit", "mktemp", "cp", "mv", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd",
     "zip", "compress", "uncompress", "wget")
)  # fmt: skip

_UNPACKERS: Final = frozenset(("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd"))
# Options of wget that leave the name of what it gets as the address has it.
_WGET: Final = frozenset(
    ("-P", "-q", "-nv", "-c", "-S", "-t", "-T", "--directory-prefix", "--quiet", "--no-verbose", "--continue",
     "--server-response", "--tries", "--timeout", "--show-progress", "--progress", "--no-check-certificate",
     "--no-config")
)  # fmt: skip


def check_names(judged: Judged, state: RunState) -> Asking[Reason | None]:
    """Find a name that the call would make and that is no single plain word; ``None`` if there is none.

    A name that stands already may be written, and so may one where the accepted boundary spells such a name.
    """
    boundary = state.active_policy.boundary if state.active_policy is not None else ()
    # What a search will find need not be there yet: then it has no place.
    searches = [write.search for write in judged.effects.writes if write.search is not None and _makes(write)]
    added = next((search.add for search in searches if is_odd(f"x{search.add}")), None)
    if added is not None:
        return _refused(f"…{added}")
    made = [(write, _in_repository(places)) for write, places in judged.places if _makes(write)]
    for _write, places in made:
        for place in places:
            reason = yield from _check_place(place, boundary)
            if reason is not None:
                return reason
    for link in judged.effects.links:
        stands, _ = yield from ask(LinkPlaces(link))
        reason = yield from _check_place(stands, boundary)
        if reason is not None:
            return reason
    for write, places in made:
        reason = (yield from _check_brought(write, judged, state)) if places else None
        if reason is not None:
            return reason
    return None


def _makes(write: Write) -> bool:
    return not (write.kind == "meta" or write.is_cache or write.by in _REMOVERS)


def _in_repository(places: tuple[Place, ...]) -> tuple[Place, ...]:
    return tuple(place for place in places if place.relative is not None)


def _check_place(place: Place, boundary: tuple[str, ...]) -> Asking[Reason | None]:
    relative = place.relative or ""
    odd = odd_part(relative, is_folder=place.reach == "folder")
    if not odd or any(spells_odd(entry) and covers_reach((entry,), relative, reach=place.reach) for entry in boundary):
        return None
    behind = relative.count("/") - odd.count("/")
    if (yield from ask(IsThere(place.real.rsplit("/", behind)[0]))):
        return None
    return _refused(odd)


def _check_brought(write: Write, judged: Judged, state: RunState) -> Asking[Reason | None]:
    """Look at names that come along with a folder, that a pattern matches, or that the program makes itself."""
    if write.kind != "tree":
        return _may_bring(write) if _is_coined(write) and _has_odd_word(judged, write) else None
    if write.by in _KEEPERS:
        return None
    if write.by == _SYNC and _has_odd_word(judged, write):
        return _may_bring(write)
    if write.by in _CARRIERS or write.by == _GIT_CARRIER:
        odd = yield from _carried(judged, write.by, state)
        return None if odd is None else _refused(odd)
    if write.by in _FROM_INDEX:
        gone = yield from ask(OddDeleted(write.path))
        return None if gone is None else _refused(gone) if odd_part(gone) else _may_bring(write)
    return None if write.by in _COINERS and not _has_odd_word(judged, write) else _may_bring(write)


def _may_bring(write: Write) -> Reason:
    seen = f"`{short(write.by)}` may make names at `{short(write.path)}` with {_ODD}"
    return Reason(RULE, seen, "Have it make one name after the other, written out, or have the exact command approved.")


def _is_coined(write: Write) -> bool:
    """Whether the program itself makes up how the name ends."""
    return write.path.endswith("*") and write.by in _COINERS


def _has_odd_word(judged: Judged, write: Write) -> bool:
    """Whether one of a program's words may put something odd into the names that it makes up.

    What is not known of a word that is a path shows in the path itself; of ``rsync`` it may be a suffix.
    """
    started = [program.argv for program in judged.effects.programs if (program.argv[0] or "").endswith(write.by)]
    words = [word for argv in started for word in argv[1:]]
    if write.by == _SYNC and None in words:
        return True
    texts = [word for word in words if word is not None]
    return any(is_odd(text.lstrip("-")) or _names_itself(write.by, text) for text in texts)


def _names_itself(by: str, word: str) -> bool:
    """Whether a word has the program take names from what it reads: a packed file's header, a server's answer."""
    if by in _UNPACKERS:
        return word.startswith("--n") or (word[:1] == "-" != word[1:2] and "N" in word)
    if by != "wget":
        return False
    return "%" in word or (word.startswith("-") and word.partition("=")[0] not in _WGET)


def _carried(judged: Judged, by: str, state: RunState) -> Asking[str | None]:
    """Give a name that is carried along and odd, or the source whose names may change before they are.

    In the run's scratch folder names of all kinds may be made.
    """
    sources = [(read.path, read.is_pattern, read.is_tree) for read in judged.effects.reads if read.by in _CARRIERS]
    if by == _GIT_CARRIER:
        sources = [(write.path, write.is_pattern, True) for write in judged.effects.writes if write.by == by]
    for path, is_pattern, is_deep in dict.fromkeys(sources):
        odd = yield from ask(OddName(path, is_pattern=is_pattern, is_deep=is_deep, scratch=state.scratch))
        if odd is not None:
            return odd
    return None


def _refused(odd: str) -> Reason:
    seen = f"`{short(odd)}` would be a new name with {_ODD}"
    remedy = "Name it in plain words (letters, digits, `.`, `_`, `-`), or have the Plan's boundary spell that name."
    return Reason(RULE, seen, remedy)
