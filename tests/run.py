"""Install what the tests need and run them all: the second command of the README.

    python3 tests/run.py [--only STAGE]... [--hosts DIR] [PYTEST_ARGUMENT ...]

Standard library only. Everything it makes (a virtual environment keyed by the lock, the pinned hosts from npm, a
provisioned data folder) lies in a cache folder outside the repository: $HARNESS_GUARD_CACHE, else
${XDG_CACHE_HOME:-~/.cache}/harness-guard-tests. HARNESS_GUARD_HOSTS may name a folder that has the hosts already.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOSTS = ("@openai/codex@0.171.0", "@anthropic-ai/claude-code@2.1.332")
HOST_COMMANDS = ("codex", "claude")
OLDEST = (3, 11)
STAGES = ("lint", "format", "types", "generated", "tests")


def main() -> int:
    """Run the stages in order; stop at none, fail if one failed."""
    _check_python(sys.version_info[:3])
    options = _arguments()
    cache = _cache()
    python = _environment(cache)
    tool = {name: str(python.parent / name) for name in ("ruff", "mypy")}
    entry = ROOT / "hooks" / "harness_guard.py"
    commands = {
        "lint": [tool["ruff"], "check", "."],
        "format": [tool["ruff"], "format", "--check", "."],
        "types": [tool["mypy"], "--strict", "harness_guard", "hooks"],
        "generated": [str(python), str(entry), "manifests", "--check"],
        "tests": [str(python), "-m", "pytest", "-n", "2", *(options.pytest or ["tests"])],
    }
    environ = _environ(cache)
    if "tests" in options.only:
        environ["HARNESS_GUARD_HOSTS"] = str(_hosts(cache, options.hosts))
        environ["HARNESS_GUARD_RUNTIME"] = str(_runtime(cache, python, environ))
    failed = [stage for stage in STAGES if stage in options.only and _run(stage, commands[stage], environ)]
    for stage in failed:
        _tell(f"FAILED: {stage}")
    return 1 if failed else 0


def _check_python(version: tuple[int, ...]) -> None:
    if version < OLDEST:
        found, needed = ".".join(map(str, version)), ".".join(map(str, OLDEST))
        sys.exit(f"tests/run.py needs Python {needed} or newer and this is {found}: start it as `python{needed} ...`")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Install what the tests need and run them all.")
    parser.add_argument("--only", action="append", choices=STAGES, help="run this stage only; may be repeated")
    parser.add_argument("--hosts", type=Path, help="a folder that has the hosts in node_modules/.bin")
    parser.add_argument("pytest", nargs=argparse.REMAINDER, help="what pytest gets instead of all the tests")
    options = parser.parse_args()
    options.only = options.only or list(STAGES)
    return options


def _cache() -> Path:
    named = os.environ.get("HARNESS_GUARD_CACHE")
    folder = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "harness-guard-tests"
    folder = folder.expanduser().resolve()
    if folder.is_relative_to(ROOT):
        sys.exit(f"the cache folder must lie outside the repository: {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _environment(cache: Path) -> Path:
    lock = ROOT / "requirements" / "dev.lock"
    key = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    folder = cache / f"venv-{key}-{sys.implementation.cache_tag}"
    python = folder / "bin" / "python"
    if (folder / "complete").exists():
        return python
    _tell("making the environment of the tests")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        venv.create(folder, with_pip=True)
    except subprocess.CalledProcessError:
        sys.exit("this Python cannot make a virtual environment: on Debian and Ubuntu run `apt install python3-venv`")
    install = ["-m", "pip", "install", "-q", "--require-hashes", "--only-binary", ":all:", "-r", str(lock)]
    _need([str(python), *install], "check the network and pip's proxy and index settings, then run it again")
    (folder / "complete").touch()
    return python


def _hosts(cache: Path, given: Path | None) -> Path:
    named = given or (Path(os.environ["HARNESS_GUARD_HOSTS"]) if os.environ.get("HARNESS_GUARD_HOSTS") else None)
    folder = named or cache / ("hosts-" + hashlib.sha256(" ".join(HOSTS).encode()).hexdigest()[:12])
    if all((folder / "node_modules" / ".bin" / name).exists() for name in HOST_COMMANDS):
        return folder
    if named:
        sys.exit(f"{named} has no node_modules/.bin/codex and claude")
    if shutil.which("npm") is None:
        sys.exit("the end-to-end tests drive the real hosts: install node and npm, or set HARNESS_GUARD_HOSTS")
    _tell("installing the pinned hosts from npm")
    folder.mkdir(parents=True, exist_ok=True)
    install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *HOSTS]
    _need(install, "check the network and npm's proxy and registry settings, or set HARNESS_GUARD_HOSTS")
    return folder


def _runtime(cache: Path, python: Path, environ: dict[str, str]) -> Path:
    folder = cache / "data"
    entry = ROOT / "hooks" / "harness_guard.py"
    _tell("provisioning a runtime for the tests")
    environ = environ | {"PLUGIN_DATA": str(folder)}
    _need(
        [str(python), str(entry), "provision"], f"do what it says above, or remove {folder} and run it again", environ
    )
    return folder


def _environ(cache: Path) -> dict[str, str]:
    # Nothing is written into the repository: it is a plugin's folder, and one host hashes all of it.
    return os.environ | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "MYPY_CACHE_DIR": str(cache / "mypy"),
        "RUFF_CACHE_DIR": str(cache / "ruff"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(cache / "hypothesis"),
    }


def _need(command: list[str], remedy: str, environ: dict[str, str] | None = None) -> None:
    """Run a step without which nothing can be tested; what it said stands above our line."""
    status = subprocess.run(command, env=environ, check=False).returncode
    if status:
        sys.exit(f"tests/run.py: `{shlex.join(command[:4])} ...` ended with status {status}. Next: {remedy}")


def _run(stage: str, command: list[str], environ: dict[str, str]) -> bool:
    _tell(stage)
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode != 0


def _tell(text: str) -> None:
    sys.stderr.write(f"tests/run.py: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
