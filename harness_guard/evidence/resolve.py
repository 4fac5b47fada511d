"""What a write would really reach on disk: links, patterns, nested repositories, spellings (contract section 7).

The kernel compares; this file only finds out. Whatever cannot be found out is an ``EvidenceError``, which denies.
Nothing is written, and every search has a limit.

How a path is read: segment by segment from the top, as the operating system does (path_resolution(7)), so that ``..``
behind a link leaves the folder that the link leads to. Hosts' own file tools normalise the text first; where both
readings differ, both are given, and both must be inside.
"""

from __future__ import annotations

from _stat import S_ISDIR, S_ISLNK, S_ISREG
from posix import lstat, readlink, scandir

from harness_guard.errors import EvidenceError
from harness_guard.paths import glob_matches, names_control_plane, normal_form, segment_matches, widened
from harness_guard.policy.odd_name import is_odd, is_odd_file
from harness_guard.policy.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from posix import stat_result
    from typing import Final

    from harness_guard.policy.boundary import Reach
    from harness_guard.shell.effects import Link, Search, Write

# C7: these are no writes; the names are taken as text, because the files behind them differ from process to process.
STREAMS: Final = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"))
_READ_STREAMS: Final = STREAMS | {"/dev/stdin", "/dev/fd/0"}

LINKS_MAX: Final = 40  # path_resolution(7): Linux follows at most 40 links in one path
MATCHES_MAX: Final = 1_000  # of a shell pattern; an agent's command means a handful
SEARCHED_MAX: Final = 5_000  # names that a search gives; each is judged by itself
BELOW_MAX: Final = 50_000  # entries below a folder that is written whole; about a tenth of a second
_PATH_BYTES: Final = 4_096  # PATH_MAX of Linux

# Programs that remove or move names without touching what a link below the folder leads to.
_NAME_ONLY: Final = frozenset(("rm", "rmdir", "mv", "unlink", "git rm", "git mv"))
# Programs that take a link for the link; others (mv, ln) go into the folder that a link leads to.
_REMOVERS: Final = frozenset(("rm", "rmdir", "unlink", "git rm", "mkdir"))
_MOVERS: Final = frozenset(("mv", "git mv"))
_EDITORS: Final = frozenset(("sed", "perl"))  # in place: what is no file they leave alone
_FOLDER_ONLY: Final = frozenset(("mkdir", "rmdir"))
# Git puts a folder where a link stands on the way to what it writes (``create_directories`` in its entry.c).
_UNLINKING: Final = frozenset(("checkout", "restore"))
# Links in /proc that lead elsewhere in /proc; every other one leads where only the process that opens it knows.
_PLAIN_PROC_LINKS: Final = frozenset(("/proc/self", "/proc/thread-self", "/proc/mounts", "/proc/net"))


def resolve_path(path: str, *, follow: bool) -> str:
    """Resolve a path as the operating system would.

    Args:
        path: Absolute path, not normalized.
        follow: Whether a link at the end is followed (opening a file) or not (removing or renaming a name).

    Returns:
        The absolute path without links, ``.`` and ``..``, spelled as on disk; what does not exist stays as written.

    Raises:
        EvidenceError: If it cannot be known: not absolute, a loop, no permission, a link of /proc.
    """
    if path in _READ_STREAMS:
        return path
    _check_text(path)
    real = ""
    pending = path.split("/")[::-1]
    links = 0
    while pending:
        name = pending.pop()
        if name in ("", "."):
            continue
        if name == "..":
            real = real.rpartition("/")[0]
            continue
        here = f"{real}/{name}"
        found = _status(here)
        if found is not None and S_ISLNK(found.st_mode) and (follow or pending):
            links += 1
            target = _target(here, links)
            real = "" if target.startswith("/") else real
            pending += target.split("/")[::-1]
        else:
            real = here if found is None else f"{real}/{_spelling(real, name, found=found)}"
    return real or "/"


def resolve_write(write: Write, root: str) -> tuple[Place, ...]:
    """Find everything that one write would reach.

    Args:
        write: The write, as reading the call gave it.
        root: The repository root, absolute.

    Returns:
        The places, at least one; all must be allowed.

    Raises:
        EvidenceError: If it cannot be known.
    """
    home = resolve_path(root, follow=True)
    if write.search is not None:
        return _unique(_searched(write, write.search, root=home))
    if not write.is_pattern:
        return _unique(_places(write, write.path, root=home))
    found: list[Place] = []
    matches = _expand(write.path)
    # Only a plain `*` is read exactly as bash reads it; where our wider reading finds names, bash may find none.
    literal = [] if matches and not any(char in write.path for char in "?[") else [_plain(write.path)]
    for path in matches + literal:
        found += _places(write, path, root=home)
    if not matches:
        found += _could_match(write, home)
    return _unique(found)


def resolve_link(link: Link, root: str) -> tuple[Place, Place]:
    """Find where a link would stand and what it would lead to.

    Args:
        link: The link that a call would make.
        root: The repository root, absolute.

    Returns:
        The place of the link and the place of its target.

    Raises:
        EvidenceError: If it cannot be known.
    """
    home = resolve_path(root, follow=True)
    stands = resolve_path(link.path.rstrip("/") or "/", follow=False)
    target = link.target
    if not target.startswith("/"):
        target = f"{stands.rpartition('/')[0]}/{target}"
    leads = resolve_path(target, follow=True)
    return _place(stands, home), _place(leads, home, links=_names(leads))


def carried_along(path: str) -> str | None:
    """Find a name at or below a path that a copy must not bring along: a link, or a name of the control plane.

    A link that stands elsewhere may lead elsewhere, and what the same command then writes through it cannot be told
    beforehand.

    Args:
        path: Absolute path of what is copied with its links and folders.

    Returns:
        The first such name; ``None`` if there is none.

    Raises:
        EvidenceError: If it cannot be listed or holds too much.
    """
    top = resolve_path(path.rstrip("/") or "/", follow=False)
    status = _status(top)
    if status is not None and S_ISLNK(status.st_mode):
        return top
    for here, found in _below(top):
        if names_control_plane(here.rpartition("/")[2]) or S_ISLNK(found.st_mode):
            return here
    return None


def odd_along(path: str, *, is_pattern: bool, is_deep: bool, scratch: str) -> str | None:
    """Find a name that comes along with a path and is no single plain word.

    Args:
        path: Absolute path of what is copied or moved.
        is_pattern: Whether it is a glob; then its matches come along.
        is_deep: Whether a folder comes along with all that lies below it.
        scratch: The run's scratch folder, where names may still change: all below it counts as odd, but a file that is
            named itself, and comes along as nothing else, does not.

    Returns:
        The first such name; ``None`` if there is none.

    Raises:
        EvidenceError: If it cannot be listed or holds too much.
    """
    if (is_pattern or is_deep) and _may_change(path, scratch, is_pattern=is_pattern):
        return path
    for match in _expand(path) if is_pattern else [path]:
        top = resolve_path(match.rstrip("/") or "/", follow=False)
        if is_pattern and is_odd_file(top.rpartition("/")[2]):
            return top
        for here, found in _below(resolve_path(top, follow=True)):
            name = here.rpartition("/")[2]
            if is_odd(name) or (not S_ISDIR(found.st_mode) and is_odd_file(name)):
                return here
    return None


def _may_change(path: str, scratch: str, *, is_pattern: bool) -> bool:
    """Whether what lies at a path, or what a pattern may come to match, lies below the scratch folder."""
    known = path.partition("*")[0].partition("?")[0].partition("[")[0].rpartition("/")[0] if is_pattern else path
    real = resolve_path(known or "/", follow=True)
    home = resolve_path(scratch, follow=True) if scratch else ""
    return bool(home) and (f"{real}/".startswith(f"{home}/") or (is_pattern and f"{home}/".startswith(f"{real}/")))


def is_there(real: str) -> bool:
    """Tell whether anything stands at a real path, a link that leads nowhere too.

    Raises:
        EvidenceError: If it cannot be told.
    """
    return _status(real) is not None


def _unknown(path: str, why: str) -> EvidenceError:
    remedy = "name the file by a plain path inside the repository, or change one file at a time"
    return EvidenceError("evidence.path", f"cannot tell what `{path}` reaches: {why}", remedy)


def _check_text(path: str) -> None:
    if not path.startswith("/"):
        raise _unknown(path, "it is not absolute")
    if "\0" in path or len(path) > _PATH_BYTES:
        raise _unknown(path[:80], "it holds a NUL or is too long")


def _status(path: str) -> stat_result | None:
    try:
        return lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _unknown(path, str(error)) from None


def _target(path: str, links: int) -> str:
    if links > LINKS_MAX:
        raise _unknown(path, f"more than {LINKS_MAX} links")
    if path.startswith("/proc/") and path not in _PLAIN_PROC_LINKS:
        raise _unknown(path, "it depends on the process that opens it")
    try:
        return readlink(path)
    except OSError as error:
        raise _unknown(path, str(error)) from None


def _listing(folder: str) -> list[str]:
    try:
        with scandir(folder) as entries:
            return [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unknown(folder, str(error)) from None


def _spelling(folder: str, name: str, *, found: stat_result) -> str:
    """Give a name as the folder spells it, if its file system takes several spellings for the same name."""
    for other in _other_spellings(name):
        same = _status(f"{folder}/{other}")
        if same is not None and (same.st_ino, same.st_dev) == (found.st_ino, found.st_dev):
            return _listed(folder, name, found=found)
    return name


def _other_spellings(name: str) -> tuple[str, ...]:
    swapped = name.swapcase()
    spellings = () if swapped == name else (swapped,)
    if name.isascii():
        return spellings
    from unicodedata import normalize

    return spellings + tuple([form for kind in ("NFC", "NFD") if (form := normalize(kind, name)) != name])


def _listed(folder: str, name: str, *, found: stat_result) -> str:
    names = _listing(folder or "/")
    if name in names:  # two hard links whose names differ in case only look the same from outside
        return name
    for listed in names:
        if normal_form(listed.casefold()) == normal_form(name.casefold()):
            same = _status(f"{folder}/{listed}")
            if same is not None and same.st_ino == found.st_ino:
                return listed
    raise _unknown(f"{folder}/{name}", "the folder does not list it under any spelling")


def _names(real: str) -> int:
    found = _status(real)
    return found.st_nlink if found is not None and S_ISREG(found.st_mode) else 1


def _is_folder(real: str) -> bool:
    found = _status(real)
    return found is not None and S_ISDIR(found.st_mode)


def _relative(real: str, root: str) -> str | None:
    if real == root:
        return ""
    prefix = root.rstrip("/") + "/"
    return normal_form(real[len(prefix) :]) if real.startswith(prefix) else None


def _place(real: str, root: str, *, reach: Reach = "path", links: int = 1, below: tuple[str, ...] = ()) -> Place:
    nested = _nested(real, root, itself=reach == "tree")
    return Place(real, _relative(real, root), reach, nested, links, below)


def _content(real: str, root: str, *, path: str) -> Place:
    if real in STREAMS:  # the null device may be reached through a link; the others are known by name only
        return Place(real, None, is_harmless=True)
    if _is_folder(real):
        # No content can be written to a folder. What a copy puts into it is a write of its own; only where the same
        # command may have removed the folder first does its name still count.
        if real == root or path.endswith(("/", "/.")):
            return Place(real, _relative(real, root), "folder", is_harmless=True)
        return _place(real, root, reach="folder")
    return _place(real, root, links=_names(real))


def _nested(real: str, root: str, *, itself: bool) -> str | None:
    """Find the innermost folder between the root and a path that is a repository of its own."""
    prefix = root.rstrip("/") + "/"
    if not real.startswith(prefix):
        return None
    segments = real[len(prefix) :].split("/")
    for count in range(len(segments) if itself else len(segments) - 1, 0, -1):
        folder = prefix + "/".join(segments[:count])
        if _is_repository(folder):
            return normal_form("/".join(segments[:count]))
    return None


def _is_repository(folder: str) -> bool:
    if _status(f"{folder}/.git") is not None:
        return True
    # A bare repository: git takes any folder that holds these three for one (gitrepository-layout(5)).
    return all(_status(f"{folder}/{name}") is not None for name in ("HEAD", "objects", "refs"))


def _readings(path: str, *, follow: bool) -> list[str]:
    """Read a path as the operating system does, and as a tool that normalises the text first."""
    readings = [path]
    if "/.." in path:
        readings.append(_normal(path))
    return [resolve_path(reading, follow=follow) for reading in readings]


def _places(write: Write, path: str, *, root: str) -> list[Place]:
    if write.kind == "file":
        reals = [path] if path in STREAMS else _readings(path, follow=True)
        return [_content(real, root, path=path) for real in reals]
    if write.kind == "meta":
        reals = _readings(path, follow=True) + _readings(path, follow=False)
        return [_place(real, root, links=_names(real)) for real in reals]
    reals = _name_readings(write, path)
    if write.by == "mkdir" and all(_is_folder(resolve_path(real, follow=True)) for real in reals):
        return [Place(real, _relative(real, root), "folder", is_harmless=True) for real in reals]
    found: list[Place] = []
    for real in reals:
        found += _named(write, real, root=root)
    named = _as_named(path, root) if write.by in _UNLINKING else None
    if named is not None and named not in reals:
        found.append(_place(named, root, reach="tree"))
    return found


def _as_named(path: str, root: str) -> str | None:
    """Give a path below the root with no link below it followed, ``None`` for a path that is not named through it."""
    segments = [name for name in _normal(path).split("/") if name]
    for count in range(len(segments) + 1):
        if resolve_path("/" + "/".join(segments[:count]), follow=True) == root:
            return "/".join((root, *segments[count:]))
    return None


def _normal(path: str) -> str:
    """Take out ``.`` and ``..`` by the text alone."""
    kept: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del kept[-1:]
        elif name not in ("", "."):
            kept.append(name)
    return "/" + "/".join(kept)


def _name_readings(write: Write, path: str) -> list[str]:
    """Read the path of a name that is itself written (made, moved, removed), whatever stands behind it."""
    # With `/` or `/.` behind the name some programs follow a link there, others do not.
    bare = path
    while bare.endswith(("/", "/.")) and len(bare) > 1:
        bare = bare[:-1] if bare.endswith("/") else bare[:-2] or "/"
    reals = _readings(bare, follow=False)
    if (
        write.kind == "tree"
        or bare != path
        or (write.by not in _REMOVERS and _is_folder(_readings(bare, follow=True)[0]))
    ):
        reals += _readings(bare, follow=True)
    return reals


def _named(write: Write, real: str, *, root: str) -> list[Place]:
    if write.by in _FOLDER_ONLY:
        return [_place(real, root, reach="folder")]
    if write.kind == "tree" or _is_folder(real):
        return _tree(real, root, by=write.by)
    return [_place(real, root)]


def _below(top: str, *, enters_all: bool = False) -> Iterator[tuple[str, stat_result]]:
    """Walk everything below a folder; links are given but not entered, nor folders with protected names unless asked.

    Raises:
        EvidenceError: If a folder cannot be listed, or after ``BELOW_MAX`` entries.
    """
    pending = [top] if _is_folder(top) else []
    seen = 0
    while pending:
        folder = pending.pop()
        names = _listing(folder)
        seen += len(names)
        if seen > BELOW_MAX:
            raise _unknown(top, f"more than {BELOW_MAX} entries below it")
        for name in names:
            here = f"{folder.rstrip('/')}/{name}"
            status = _status(here)
            if status is None:
                continue
            if S_ISDIR(status.st_mode) and (enters_all or not names_control_plane(name)):
                pending.append(here)
            yield here, status


def _tree(top: str, root: str, *, by: str) -> list[Place]:
    """Find what a write to a whole folder reaches: protected names below it and, if files are written, links out."""
    found: list[Place] = []
    is_name_only = by in _NAME_ONLY
    if by in _MOVERS and (link := carried_along(top)) is not None and not names_control_plane(link.rpartition("/")[2]):
        raise _unknown(link, "it is a link that would be moved, and where it leads from there is not known")
    for here, status in _below(top):
        if names_control_plane(here.rpartition("/")[2]):  # one is enough: the whole write is refused
            return [_place(top, root, reach="tree", below=(here,))]
        if not is_name_only:
            found += _written_below(here, status, root=root, top=top)
    return [_place(top, root, reach="tree", links=1 if is_name_only else _names(top)), *found]


def _written_below(path: str, status: stat_result, *, root: str, top: str) -> list[Place]:
    if S_ISREG(status.st_mode):
        return [_place(path, root, links=status.st_nlink)] if status.st_nlink > 1 else []
    if not S_ISLNK(status.st_mode):
        return []
    leads = resolve_path(path, follow=True)
    if leads.startswith(top.rstrip("/") + "/"):
        return []
    return [_place(leads, root, reach="tree" if _is_folder(leads) else "path", links=_names(leads))]


def _searched(write: Write, search: Search, *, root: str) -> list[Place]:
    """Find what a search would give, or what is called after it: each name below a folder that a glob matches."""
    top = resolve_path(write.path.rstrip("/") or "/", follow=write.path.endswith("/"))
    globs = [glob.casefold() for glob in search.names]
    paths = [(top, write.path)]
    paths += [(path, path) for path, _ in _below(top, enters_all=True)]
    found: list[Place] = []
    matches = 0
    for path, word in paths:
        # What the search starts from is called as it is written: `.`, or the name of a link.
        names = {path.rpartition("/")[2], word.rstrip("/").rpartition("/")[2]}
        if search.skips_git and (".git" in names or ".git" in path.removeprefix(top).split("/")):
            continue
        if not any(glob_matches(glob, name.casefold()) for glob in globs for name in names):
            continue
        if write.by in _EDITORS and search.is_there and _is_folder(path):
            continue
        matches += 1
        if matches > SEARCHED_MAX:
            raise _unknown(top, f"more than {SEARCHED_MAX} names below it are meant")
        for made in _made_of(word, search):
            found += _places(write, made, root=root)
    return found or [Place(top, _relative(top, root), "folder", is_harmless=True)]


def _made_of(word: str, search: Search) -> set[str]:
    """Give what a found word may become; where only the letter case of the ending differs, with and without it."""
    made = {word.removesuffix(search.cut) + search.add}
    if word.casefold().endswith(search.cut.casefold()):
        made.add(word[: len(word) - len(search.cut)] + search.add)
    return made


def _unique(places: list[Place]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(places))


def _plain(pattern: str) -> str:
    """Give the text of a pattern that matches nothing: bash leaves it as it is, without its backslashes."""
    read: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\" and at + 1 < len(pattern):
            at += 1
        read.append(pattern[at])
        at += 1
    return "".join(read)


def _expand(pattern: str) -> list[str]:
    """Expand a pattern on disk: at least what bash gives without dotglob, globstar and extglob."""
    if not pattern.startswith("/"):
        raise _unknown(pattern, "it is not absolute")
    prefixes = [""]
    for text in pattern.split("/")[1:]:
        segment, is_pattern = widened(text)
        if not is_pattern:
            prefixes = [f"{prefix}/{segment}" for prefix in prefixes]
            continue
        prefixes = [f"{prefix}/{name}" for prefix in prefixes for name in _matching(prefix, segment)]
        if len(prefixes) > MATCHES_MAX:
            raise _unknown(pattern, f"it matches more than {MATCHES_MAX} names")
    return [prefix for prefix in prefixes if _status(prefix.rstrip("/") or "/") is not None]


def _matching(prefix: str, segment: str) -> list[str]:
    names = _listing(prefix or "/")
    if segment.startswith("."):  # bash before 5.2 gives the two folders themselves to `.*`
        return [name for name in [".", "..", *names] if segment_matches(segment, name)]
    return [name for name in names if not name.startswith(".") and segment_matches(segment, name)]


def _could_match(write: Write, root: str) -> list[Place]:
    """Give the set that a pattern without a match could come to match before the command gets there."""
    segments = [widened(text) for text in write.path.split("/")[1:]]
    first = next((at for at, (_, is_pattern) in enumerate(segments) if is_pattern), None)
    if first is None:
        return []
    rest = "/".join([text for text, _ in segments[first:] if text not in ("", ".")])
    if ".." in rest.split("/"):
        raise _unknown(write.path, "`..` stands behind a pattern")
    folder = resolve_path("/" + "/".join([text for text, _ in segments[:first]]), follow=True)
    real = f"{folder.rstrip('/')}/{rest}"
    found = [_place(real, root, reach="pattern")]
    if write.kind == "tree":
        found.append(_place(real + "/**", root, reach="pattern"))
    return found
