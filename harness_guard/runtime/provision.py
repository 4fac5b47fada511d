"""Prepare a data folder: packages, prepared tables, bytecode, the sealing key, the command line.

Standard library only, because it runs before anything else is there. Every file and folder appears under its name
complete or not at all, so that a kill at any instant leaves the old runtime or the new one; a lock lets two of these
run at once. Nothing is written below the plugin's own folder, ever: one host then stops every hook of it.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import contextmanager

from harness_guard.errors import ProvisionError
from harness_guard.places import Places, data_folder
from harness_guard.runtime.manifests import LOCK
from harness_guard.runtime.naming import runtime_name
from harness_guard.runtime.spelling import shell_word, verb_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Final

OLDEST: Final = (3, 11)
KEY_BYTES: Final = 32  # HMAC-SHA-256 gains nothing from a longer key (RFC 2104 section 3)
_TAIL_LINES: Final = 12
_HELPS: Final = (["--help"], ["-h"])
_HELP: Final = """\
Usage: harness-guard provision [--from DIR]

  Prepare the data folder that PLUGIN_DATA names: packages, bytecode, the key, bin/harness-guard.

Options:
  --from DIR  Copy the packages from a data folder that is provisioned already, instead of fetching them.
  -h, --help  Show this message and exit.
"""
_NO_PIP: Final = (
    "on Debian and Ubuntu run `apt install python3-pip python3-venv`, elsewhere install pip for this Python; "
    "or give --from a data folder that is provisioned already"
)
_NO_FETCH: Final = (
    "check the network and pip's proxy and index settings and run the same command again; without a network, from a "
    "data folder DIR that is provisioned already for the same Python: "
)


def main(arguments: list[str], root: str, environ: Mapping[str, str]) -> int:
    """Run the verb ``provision [--from DIR]`` for the data folder that the environment names.

    Args:
        arguments: What follows the verb.
        root: The plugin's folder.
        environ: Where ``PLUGIN_DATA`` or ``CLAUDE_PLUGIN_DATA`` stands.

    Returns:
        The exit status, 0.

    Raises:
        ProvisionError: If the arguments are not understood or the machine lacks something; it says what.
    """
    if arguments in _HELPS:
        sys.stdout.write(_HELP)
        return 0
    source = None
    if arguments == ["--from"]:
        raise ProvisionError("provision.usage", "--from needs a folder", "give --from DIR or nothing")
    if len(arguments) == 2 and arguments[0] == "--from":  # noqa: PLR2004  the option and its value
        source = os.path.abspath(arguments[1])
    elif arguments:
        unknown = arguments[2] if arguments[0] == "--from" else arguments[0]
        raise ProvisionError("provision.usage", f"unknown argument `{unknown}`", "give --from DIR or nothing")
    data = data_folder(environ)
    if data is None:
        raise ProvisionError(
            "provision.no-data-folder",
            "no environment variable names the data folder as an absolute path",
            f"set PLUGIN_DATA to the data folder of the host's plugin, or run: {verb_command(root, 'install')}",
        )
    provision(data, root, source=source)
    return 0


def provision(data: str, root: str, *, source: str | None = None) -> None:
    """Prepare ``data`` for the plugin at ``root``, telling each step on standard error.

    Args:
        data: Absolute path of the data folder; made if it is not there.
        root: The plugin's folder.
        source: A provisioned data folder to copy packages and bytecode from, instead of fetching.

    Raises:
        ProvisionError: If this Python is too old, has no pip, nothing can be fetched or nothing can be written.
    """
    if sys.version_info < OLDEST:
        found = f"this is Python {sys.version.split()[0]}"
        raise ProvisionError("provision.python", found, "run it with Python 3.11 or newer")
    places = Places(data)
    try:
        os.makedirs(places.runtime, mode=0o700, exist_ok=True)
        with _lock(f"{data}/.provision.lock"):
            _prepare(places, root, source)
    except OSError as error:
        raise ProvisionError(
            "provision.unwritable",
            f"{error.filename or data}: {error.strerror or error}",
            "make the data folder writable for this user, and the disk not full, and run the same command again",
        ) from error
    _tell(f"ready: {data}")


def default_data_folder() -> str:
    """Give the data folder of a command that no host and no variable gave one, as the demo's is.

    Raises:
        ProvisionError: If neither ``XDG_CACHE_HOME`` nor ``HOME`` names a folder.
    """
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not cache.startswith("/"):
        # An empty HOME would make it a folder of the whole machine; without one the user's entry counts.
        if not os.environ.get("HOME", "/").startswith("/"):
            raise ProvisionError("provision.no-data-folder", "HOME names no folder", "set HOME or PLUGIN_DATA")
        cache = os.path.expanduser("~/.cache")
    return f"{cache}/harness-guard"


def _prepare(places: Places, root: str, source: str | None) -> None:
    python = interpreter()
    folder = f"{places.runtime}/{runtime_name()}"
    for name in os.listdir(places.runtime):
        if name.startswith(".build-"):
            shutil.rmtree(f"{places.runtime}/{name}", ignore_errors=True)  # of one that was killed; we hold the lock
    if os.path.isdir(folder):
        _tell("packages are there already")
    else:
        _make_packages(folder, python, root, source)
    for private in (places.active, places.runs):
        os.makedirs(private, mode=0o700, exist_ok=True)
        os.chmod(private, 0o700)
    _make_key(places.key)
    if source is not None:
        _copy_bytecode(Places(source), places)
    _drop_bytecode(places.pycache, (*_library(), places.data, root))
    _tell("compiling what a tool call loads")
    _run_prepared(python, places.pycache, root, folder, _WARM)
    _run_prepared(python, places.pycache, root, places.bundle, _BUNDLE)
    os.makedirs(os.path.dirname(places.command), mode=0o700, exist_ok=True)
    replace_file(places.command, _command_text(places, root, python), 0o700)
    replace_file(places.current_runtime, os.path.basename(folder) + "\n", 0o600)
    # Last, because it is what the launcher starts from: everything it needs is there by now.
    replace_file(places.interpreter, python + "\n", 0o600)


def interpreter() -> str:
    """Choose the interpreter to record: the real file behind shims and links, of a virtual environment its base.

    A virtual environment adds nothing to an isolated start and may be deleted with the project that it belongs to. The
    choice is tried before it is taken.

    Returns:
        An absolute path.

    Raises:
        ProvisionError: If no candidate starts.
    """
    base = getattr(sys, "_base_executable", None) or sys.executable
    for candidate in (os.path.realpath(base), base, sys.executable):
        check = [candidate, "-I", "-S", "-c", "import sys; print(sys.version)"]
        try:
            told = subprocess.run(check, capture_output=True, text=True, check=False)
        except OSError:
            continue
        if told.returncode == 0 and told.stdout.strip() == sys.version.strip():
            return os.path.abspath(candidate)
    raise ProvisionError("provision.python", f"`{base}` does not start isolated", "run provision with a working Python")


def replace_file(path: str, text: str, mode: int) -> None:
    """Write a file so that its name always holds the old text or the new one.

    Args:
        path: Where it lies; the folder is there.
        text: What it holds.
        mode: Its permissions.

    Raises:
        OSError: If it cannot be written.
    """
    draft = f"{path}.{os.getpid()}.{secrets.token_hex(4)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


@contextmanager
def _lock(path: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _tell("waiting for another provision of the same folder")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make_packages(folder: str, python: str, root: str, source: str | None) -> None:
    build = f"{os.path.dirname(folder)}/.build-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        if source is None:
            _fetch(build, root, os.path.dirname(os.path.dirname(folder)))
            _tell("preparing parser tables")
            with tempfile.TemporaryDirectory() as scratch:
                _run_prepared(python, scratch, root, build, _TABLES)
        else:
            _copy_packages(build, f"{Places(source).runtime}/{os.path.basename(folder)}")
        os.rename(build, folder)
    finally:
        shutil.rmtree(build, ignore_errors=True)


def _copy_packages(build: str, found: str) -> None:
    if not os.path.isdir(found):
        raise ProvisionError(
            "provision.source",
            f"there is no `{found}`",
            "give --from a data folder provisioned by the same version of the plugin with the same Python",
        )
    _tell(f"copying packages from {found}")
    shutil.copytree(found, build, symlinks=False)


def _copy_bytecode(source: Places, places: Places) -> None:
    # The tree below a pycache prefix mirrors absolute paths; only the data folder's own part of it moves. A file whose
    # source differs in time or size is compiled anew by the interpreter, so stale copies do no harm.
    if not os.path.isdir(source.pycache) or os.path.isdir(places.pycache):
        return
    draft = f"{places.data}/.pycache-{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    kept = (*_library(), source.data)
    shutil.copytree(source.pycache, draft, ignore=lambda folder, _: _others(source.pycache, folder, kept))
    if os.path.isdir(f"{draft}{source.data}"):
        moved = f"{draft}{places.data}"
        os.makedirs(os.path.dirname(moved), exist_ok=True)
        os.rename(f"{draft}{source.data}", moved)
    os.rename(draft, places.pycache)


def _drop_bytecode(pycache: str, kept: tuple[str, ...]) -> None:
    """Remove what was compiled for another place: of an earlier version of the plugin, or of another interpreter."""
    for folder, below, _ in os.walk(pycache):
        for name in _others(pycache, folder, kept).intersection(below):
            shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
            below.remove(name)


def _others(pycache: str, folder: str, kept: tuple[str, ...]) -> set[str]:
    """Give the names in a folder below the prefix that lead to none of the kept folders and lie in none of them."""
    mirrored = folder[len(pycache) :]
    if any(f"{mirrored}/".startswith(f"{place}/") for place in kept):
        return set()
    return {
        name for name in os.listdir(folder) if not any(f"{place}/".startswith(f"{mirrored}/{name}/") for place in kept)
    }


def _library() -> tuple[str, ...]:
    """Give the folders of the interpreter's own modules."""
    return tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})


def _fetch(build: str, root: str, data: str) -> None:
    lock = f"{root}/{LOCK}"
    with tempfile.TemporaryDirectory() as scratch:
        pip = _pip(scratch)
        _tell("fetching the locked packages with pip: some 20 MB, once; this may take a minute")
        command = [*pip, "install", "-q", "--target", build, "--require-hashes", "--only-binary", ":all:", "--no-deps"]
        command += [
            "--no-compile",
            "--root-user-action=ignore",
            "--no-input",
            "--disable-pip-version-check",
            "--no-warn-script-location",
            "-r",
            lock,
        ]
        environ = {**os.environ, "PIP_USER": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        done = _narrated(command, cwd=scratch, environ=environ)
    if done:
        offline = f"PLUGIN_DATA={shell_word(data)} {verb_command(root, 'provision', '--from', 'DIR')}"
        raise ProvisionError(
            "provision.fetch", "pip could not install the locked packages: " + done, _NO_FETCH + offline
        )
    _tell("packages fetched")


def _pip(scratch: str) -> list[str]:
    if _can([sys.executable, "-P", "-m", "pip", "--version"], scratch):
        return [sys.executable, "-P", "-m", "pip"]
    _tell("this Python has no pip; trying a throwaway one")
    if _can([sys.executable, "-P", "-m", "venv", f"{scratch}/venv"], scratch):
        return [f"{scratch}/venv/bin/python", "-P", "-m", "pip"]
    raise ProvisionError("provision.no-pip", f"neither pip nor ensurepip works for `{sys.executable}`", _NO_PIP)


def _can(command: list[str], folder: str) -> bool:
    done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def _narrated(command: list[str], *, cwd: str, environ: Mapping[str, str]) -> str:
    """Run pip with its output shown on standard error; give what it calls errors if it failed, else ``""``."""
    tail: list[str] = []
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as running:
        for line in running.stdout or ():
            sys.stderr.write(f"  {line}")
            tail = [*tail, line.strip()][-_TAIL_LINES:]
    if running.returncode == 0:
        return ""
    errors = [line.removeprefix("ERROR:").strip() for line in tail if line.startswith("ERROR:")]
    return " | ".join(errors or [line for line in tail if line]) or f"status {running.returncode}"


def _make_key(path: str) -> None:
    # Linked into place: it appears whole, and one that is there is never replaced, or its states were lost.
    if os.path.lexists(path):
        if os.path.getsize(path) != KEY_BYTES:
            raise ProvisionError("provision.key", f"`{path}` is damaged", "move it away: runs sealed with it are lost")
        os.chmod(path, 0o600)
        return
    draft = f"{path}.{os.getpid()}.{secrets.token_hex(4)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def _command_text(places: Places, root: str, python: str) -> str:
    data, entry = shell_word(places.data), shell_word(f"{root}/hooks/harness_guard.py")
    return (
        "#!/bin/sh\n"
        "# The command line of harness-guard for one data folder; made by provision.\n"
        f"PLUGIN_DATA={data} CLAUDE_PLUGIN_DATA={data}\n"
        "export PLUGIN_DATA CLAUDE_PLUGIN_DATA\n"
        "[ $# -gt 0 ] || set -- --help\n"
        f'exec {shell_word(python)} -I -S -X pycache_prefix={shell_word(places.pycache)} {entry} "$@"\n'
    )


def _run_prepared(python: str, pycache: str, root: str, packages: str, script: str) -> None:
    command = [python, "-I", "-S", "-X", f"pycache_prefix={pycache}", "-c", script, root, packages]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        found = f"the packages do not work here: {last}"
        raise ProvisionError("provision.prepare", found, "report this with the text above")


def _tell(text: str) -> None:
    sys.stderr.write(f"harness-guard provision: {text}\n")
    sys.stderr.flush()


_TABLES: Final = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
from harness_guard.shell.tables import prepare
prepare(sys.argv[2])
"""

# Made by the recorded interpreter, which alone reads it.
_BUNDLE: Final = """
import os, sys
sys.path[:0] = [sys.argv[1]]
from harness_guard.runtime.bundle import render
draft = f"{sys.argv[2]}.{os.getpid()}"
with open(draft, "wb") as file:
    file.write(render(sys.argv[1]))
os.rename(draft, sys.argv[2])
"""

# Import once whatever an event may import: with a prefix set, the standard library's own bytecode is not used either,
# so it is made here too. The command line is compiled without being run.
_WARM: Final = """
import importlib, pkgutil, sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import argparse, compileall, json, logging, select, shutil, signal, subprocess, tempfile, traceback, typing
import bashlex, click, cryptography.hazmat.primitives.asymmetric.ed25519, cryptography.hazmat.primitives.serialization
import markdown_it, pathspec, pydantic
import harness_guard_bashlex_tables
import harness_guard
compileall.compile_dir(sys.argv[1] + "/harness_guard", quiet=1)
for module in pkgutil.walk_packages(harness_guard.__path__, "harness_guard."):
    if not module.name.startswith("harness_guard.cli"):
        importlib.import_module(module.name)
"""
