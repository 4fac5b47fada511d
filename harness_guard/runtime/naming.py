"""The name of the package folder that an interpreter needs: what was locked, and for which Python on which machine.

Worked out anew at every start instead of read from a file, so that a change of interpreter and of packages is one
atomic change of one file, and a folder made for another Python is never taken.
"""

from __future__ import annotations

import posix
import sys

from harness_guard.runtime.lock_digest import LOCK_DIGEST


def runtime_name() -> str:
    """Give the folder's name for the running interpreter."""
    # What compiled packages depend on: the Python, its ABI (a free-threaded one has its own), the machine.
    major, minor = sys.version_info[:2]
    return f"{LOCK_DIGEST}-cp{major}{minor}{sys.abiflags}-{sys.platform}-{posix.uname().machine}"
