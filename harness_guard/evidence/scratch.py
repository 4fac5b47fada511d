"""The run's scratch folder in the system's temporary folder (contract section 7)."""

from __future__ import annotations

import os
import stat

from harness_guard.errors import EvidenceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def make_scratch(run_id: str, root: str, environ: Mapping[str, str]) -> str:
    """Make the folder for the user alone; one that stands there already must be the user's own.

    Args:
        run_id: The run.
        root: The repository's root; a temporary folder below it is passed over, because what lies there is no scratch.
        environ: ``TMPDIR`` names the temporary folder, else ``/tmp``.

    Returns:
        Its real path.

    Raises:
        EvidenceError: If it cannot be made or belongs to somebody else.
    """
    temporary = environ.get("TMPDIR", "")
    parent = os.path.realpath(temporary if temporary.startswith("/") and os.path.isdir(temporary) else "/tmp")  # noqa: S108
    if f"{parent}/".startswith(f"{root}/"):
        parent = os.path.realpath("/tmp")  # noqa: S108
    path = f"{parent}/harness-guard-{run_id}"
    remedy = "Remove it, then let the human approve the Plan again."
    if f"{parent}/".startswith(f"{root}/"):
        raise EvidenceError("evidence.scratch", f"the temporary folder {parent} lies in the repository", remedy)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        status = os.lstat(path)
        if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode) or status.st_mode & 0o022:
            raise EvidenceError("evidence.scratch", f"{path} is no folder of the user's alone", remedy) from None
    except OSError as error:
        raise EvidenceError("evidence.scratch", f"{path}: {error.strerror}", remedy) from error
    return path
