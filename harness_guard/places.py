"""Where things lie in the data folder that the host names (contract sections 2 and 9); names only, nothing is touched.

Standard library only: the front door and ``provision`` use it before any package is there.

    DATA/
      active/run-<session>  active/prompt-<pid>   markers; an empty folder means silence
      interpreter                                 one line: absolute path of the recorded Python
      runtime/<lock>-<python>/                    third-party packages; runtime/current names the one in use
      pycache/                                    bytecode of everything, the plugin included
      bundle                                      the plugin's bytecode in one file
      bin/harness-guard                           the one spelling of the command line
      key                                         seals the states; no tool call may read it
      runs/<session>/                             all of a run but key and marker
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SESSION_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
SESSION_LENGTH = 128  # both hosts send UUIDs of 36 characters


def data_folder(environ: Mapping[str, str]) -> str | None:
    """Give the plugin's data folder as the environment names it, ``None`` if it does not.

    Args:
        environ: ``PLUGIN_DATA`` (Codex, the provisioning command) or ``CLAUDE_PLUGIN_DATA`` (both hosts' hooks).

    Returns:
        An absolute path; a relative one counts as not named, because a hook's working folder is the repository.
    """
    found = environ.get("CLAUDE_PLUGIN_DATA") or environ.get("PLUGIN_DATA") or ""
    return found.rstrip("/") if found.startswith("/") and found.rstrip("/") else None


def is_session_id(text: str) -> bool:
    """Tell whether a host's session id is safe as one path segment."""
    return 0 < len(text) <= SESSION_LENGTH and SESSION_CHARACTERS.issuperset(text)


class Places:
    """Paths below one data folder."""

    __slots__ = ("data",)

    def __init__(self, data: str) -> None:
        """Take the absolute path of the data folder."""
        self.data = data

    @property
    def active(self) -> str:
        """Folder of the markers."""
        return f"{self.data}/active"

    @property
    def interpreter(self) -> str:
        """File with the recorded interpreter's path."""
        return f"{self.data}/interpreter"

    @property
    def runtime(self) -> str:
        """Folder of the package folders."""
        return f"{self.data}/runtime"

    @property
    def current_runtime(self) -> str:
        """File with the name of the package folder in use."""
        return f"{self.data}/runtime/current"

    @property
    def pycache(self) -> str:
        """Folder of the bytecode."""
        return f"{self.data}/pycache"

    @property
    def bundle(self) -> str:
        """File with the plugin's bytecode."""
        return f"{self.data}/bundle"

    @property
    def command(self) -> str:
        """The command line's one spelling."""
        return f"{self.data}/bin/harness-guard"

    @property
    def key(self) -> str:
        """The sealing key."""
        return f"{self.data}/key"

    @property
    def runs(self) -> str:
        """Folder of the runs."""
        return f"{self.data}/runs"

    def marker(self, session_id: str) -> str:
        """Marker of a session's active run."""
        return f"{self.data}/active/run-{session_id}"

    def run(self, session_id: str) -> str:
        """Folder of a session's run."""
        return f"{self.data}/runs/{session_id}"
