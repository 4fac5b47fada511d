"""The installed plugin's own files: all there, unchanged, no symbolic link, nothing added that runs."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from shlex import quote

from harness_guard.cli.checks.check import fine, wrong
from harness_guard.cli.registered import load_commands
from harness_guard.errors import ProvisionError
from harness_guard.runtime.manifests import stale
from harness_guard.runtime.registration import FAILURE_ANSWERS, command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from harness_guard.cli.checks.check import Check

# What the hooks run or hand to the model. A checkout holds more, which neither host runs.
_RUNNING: Final = ("hooks", "harness_guard", "agents", "skills", "templates", "contracts", "requirements/runtime.lock")
_INSTALL: Final = "run `python3 hooks/harness_guard.py install` in a fresh checkout"
_GIT_TIMEOUT_S: Final = 30
_LEFT_OUT: Final = ("__pycache__",)  # neither host counts bytecode, and an isolated start with a prefix reads none


def check_files(root: str, own: str) -> list[Check]:
    """Check the files of an installed plugin.

    Args:
        root: The folder that the host runs.
        own: The plugin's folder that this command runs from, to compare with.
    """
    return [_links(root), _generated(root), _hooks(root), _unchanged(root, own), _foreign_writers(root)]


def symbolic_links(root: str) -> list[str]:
    """Name the symbolic links below a folder, git's own folder left out."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        found += [f"{folder}/{name}" for name in (*folders, *files) if os.path.islink(f"{folder}/{name}")]
    return found


def _links(root: str) -> Check:
    found = symbolic_links(root)
    if found:
        return wrong(
            "no symbolic link", f"{found[0]} is one, and Codex then loads no hook", f"remove it, then {_INSTALL}"
        )
    return fine("no symbolic link", root)


def _generated(root: str) -> Check:
    title = "generated files"
    try:
        found = stale(root)
    except (OSError, ValueError, KeyError) as error:
        return wrong(title, f"they cannot be compared: {error}", _INSTALL)
    if found:
        return wrong(title, f"{', '.join(found)} differ from what they are made of", _INSTALL)
    return fine(title, "manifests and hooks.json are what they are made of")


def _hooks(root: str) -> Check:
    title = "registered hooks"
    try:
        found = load_commands(root)
    except ProvisionError as error:
        return wrong(title, error.seen, _INSTALL)
    for event in FAILURE_ANSWERS:
        if found.get(event) != (command(event),):
            return wrong(title, f"{event} is not registered once with its one command", _INSTALL)
    for name in ("launch.sh", "harness_guard.py"):
        if not os.access(f"{root}/hooks/{name}", os.R_OK):
            return wrong(title, f"{root}/hooks/{name} cannot be read", _INSTALL)
    return fine(title, ", ".join(FAILURE_ANSWERS))


def _unchanged(root: str, own: str) -> Check:
    title = "unchanged files"
    if os.path.realpath(root) == os.path.realpath(own):
        return _committed(root)
    here, there = _digests(own), _digests(root)
    different = sorted(path for path in here.keys() | there.keys() if here.get(path) != there.get(path))
    if different:
        more = f" and {len(different) - 1} more" if len(different) > 1 else ""
        return wrong(title, f"{different[0]}{more} differ between {own} and {root}", _INSTALL)
    return fine(title, f"the same as in {own}")


def _committed(root: str) -> Check:
    """Compare a checkout that is run in place with its commit; there is nothing else to compare it with."""
    title = "unchanged files"
    if not os.path.lexists(f"{root}/.git"):
        return fine(title, "the host runs this very folder, which is no checkout to compare with")
    # No lock and no monitor: looking writes nothing and starts nothing that the checkout names.
    git = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", root]
    try:
        done = subprocess.run(
            [*git, "status", "--porcelain", "-z", "--", *_RUNNING],
            capture_output=True,
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return wrong(title, f"git cannot compare {root} with its commit: {error}", "mend git")
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().split("\n")[0]
        return wrong(title, f"git cannot compare {root} with its commit: {said}", "mend git")
    changed = [os.fsdecode(row) for row in done.stdout.split(b"\0") if row]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        seen = f"{changed[0][3:]}{more} differ from the commit that is checked out in {root}"
        return wrong(title, seen, "look at `git status` there; put the files back, or commit what you want to run")
    return fine(title, "the host runs this very checkout, which is as it was committed")


def _digests(root: str) -> dict[str, str]:
    return {os.path.relpath(path, root): _digest(path) for path in _running_files(root)}


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror}"


def _running_files(root: str) -> Iterator[str]:
    for name in _RUNNING:
        if os.path.isfile(f"{root}/{name}"):
            yield f"{root}/{name}"
        for folder, folders, files in os.walk(f"{root}/{name}"):
            folders[:] = [inner for inner in folders if inner not in _LEFT_OUT]
            yield from (f"{folder}/{file}" for file in files)


def _foreign_writers(root: str) -> Check:
    title = "writable by you alone"
    for path in (root, f"{root}/hooks", *_running_files(root)):
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue  # what is missing is another check's matter
        if mode & stat.S_IWOTH:
            return wrong(title, f"{path} is writable by everybody", f"run: chmod -R o-w {quote(root)}")
    return fine(title, root)
