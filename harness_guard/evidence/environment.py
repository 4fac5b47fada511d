"""The environment that the engine's commands get, and its fingerprint (contract section 8)."""

from __future__ import annotations

from harness_guard.canonical import canonical
from harness_guard.sha256 import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

# What programs need to find themselves; everything else of the host (its API keys too) stays out.
_KEPT: Final = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "TERM",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "NVM_DIR",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "LD_LIBRARY_PATH",
)
# The usual switches that keep caches out of the tree.
_SWITCHES: Final = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_ADDOPTS": "-p no:cacheprovider",
    "RUFF_NO_CACHE": "true",
    "MYPY_CACHE_DIR": "/dev/null",
    "HYPOTHESIS_STORAGE_DIRECTORY": "/dev/null/none",
    "GIT_OPTIONAL_LOCKS": "0",
    "CI": "true",
    "NO_COLOR": "1",
}


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the environment of an engine run: the few names that programs need, and the switches."""
    return {name: environ[name] for name in _KEPT if name in environ} | _SWITCHES


def environment_fingerprint(environ: Mapping[str, str]) -> str:
    """Give the fingerprint of an environment; its values are not kept."""
    return "sha256:" + sha256_hex(canonical(dict(environ)).encode())
