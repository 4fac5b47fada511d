"""The data folder of a host: interpreter, packages, key, command line, and the runs that are active in it."""

from __future__ import annotations

import os
import stat
import subprocess
from shlex import quote

from harness_guard.cli.checks.check import fine, wrong
from harness_guard.cli.runs import all_runs
from harness_guard.errors import HarnessError
from harness_guard.store.seal import KEY_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.cli.checks.check import Check
    from harness_guard.places import Places

# -B: nothing may be written below the plugin's folder.
_NAME: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from harness_guard.runtime.naming import runtime_name; print(runtime_name())"
)
_TIMEOUT_S: Final = 30
_TITLE: Final = "runtime"


def check_runtime(places: Places, root: str) -> list[Check]:
    """Check a host's data folder.

    Args:
        places: The data folder.
        root: The folder that the host runs the plugin from.
    """
    entry = f"{root}/hooks/harness_guard.py"
    mend = f"run: PLUGIN_DATA={quote(places.data)} python3 {quote(entry)} provision"
    if not os.path.isdir(places.data):
        return [wrong(_TITLE, f"there is no {places.data}", mend)]
    return [
        _interpreter(places, root, mend),
        _folder(places),
        _key(places, mend),
        _command(places, root, mend),
        _runs(places),
    ]


def _interpreter(places: Places, root: str, mend: str) -> Check:
    try:
        with open(places.interpreter, encoding="utf-8") as file:
            python = file.read().strip()
        with open(places.current_runtime, encoding="utf-8") as file:
            current = file.read().strip()
    except OSError as error:
        return wrong(_TITLE, f"{error.filename}: {error.strerror}", mend)
    try:
        argv = [python, "-I", "-S", "-B", "-c", _NAME, root]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired) as error:
        return wrong(_TITLE, f"the recorded interpreter {python} does not start: {error}", mend)
    wanted = done.stdout.strip()
    if done.returncode or not wanted:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return wrong(_TITLE, f"the recorded interpreter {python} does not load the plugin: {last}", mend)
    if current != wanted or not os.path.isdir(f"{places.runtime}/{wanted}"):
        return wrong(_TITLE, f"the packages are {current}, this plugin and interpreter need {wanted}", mend)
    return fine(_TITLE, f"{python}, packages {current}")


def _folder(places: Places) -> Check:
    title = "data folder"
    # Who may write there may remove a marker, which ends the guarding, or swap a package.
    for path in (places.data, places.active, places.runs, places.runtime):
        try:
            found = os.stat(path)
        except OSError as error:
            return wrong(title, f"{path}: {error.strerror}", "provision it again")
        if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return wrong(title, f"{path} is not yours alone to write", f"run: chmod go-w {quote(path)}")
    return fine(title, places.data)


def _key(places: Places, mend: str) -> Check:
    title = "sealing key"
    # The link itself and not what it leads to: a key that somebody else keeps is no key of ours.
    try:
        found = os.lstat(places.key)
    except OSError as error:
        return wrong(title, f"{places.key}: {error.strerror}", mend)
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISREG(found.st_mode) or found.st_size != KEY_BYTES or found.st_uid != os.getuid():
        return wrong(title, f"{places.key} is no key of yours", f"move it away, then {mend}")
    if mode != stat.S_IRUSR | stat.S_IWUSR:
        return wrong(title, f"{places.key} has mode {mode:04o}, expected 0600", f"run: chmod 600 {quote(places.key)}")
    return fine(title, "mode 0600")


def _command(places: Places, root: str, mend: str) -> Check:
    title = "command line"
    try:
        with open(places.command, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        return wrong(title, f"{places.command}: {error.strerror}", mend)
    quoted = f"{root}/hooks/harness_guard.py".replace("'", "'\\''")
    if f"'{quoted}'" not in text or not os.access(places.command, os.X_OK):
        return wrong(title, f"{places.command} does not start the plugin in {root}", mend)
    return fine(title, places.command)


def _runs(places: Places) -> Check:
    title = "active runs"
    mend = "have the human type `$harness cancel` in that session"
    active = [store for store in all_runs([places]) if store.has_marker()]
    for store in active:
        try:
            loaded = store.load()
        except HarnessError as error:
            return wrong(title, f"session {store.session_id}: {error.seen}", mend)
        if loaded is None:
            return wrong(title, f"session {store.session_id}: its state has vanished", mend)
    left = [name for name in os.listdir(places.active) if name.startswith("prompt-")]
    if left:
        return wrong(
            title, f"the prompt noted in {places.active}/{left[0]} was never judged", "type any prompt in the host"
        )
    return fine(title, f"{len(active)} with a readable state")
