"""Git as a source of facts: plumbing only, no hook, no filter, no pager, no prompt, no lock on the user's index."""

from __future__ import annotations

import os
import subprocess

from harness_guard.errors import EvidenceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

GIT_TIMEOUT_S: Final = 120  # the first snapshot of 100,000 files hashes all of them
_KEPT: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME", "SYSTEMROOT")
# Settings that would run code or change what is seen; the last word is ours.
_NEUTRAL: Final = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "index.sparse=false",
    "core.quotePath=false",
    "advice.addEmbeddedRepo=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "diff.external=",
    "color.ui=false",
)


class Git:
    """Git in one working tree."""

    __slots__ = ("_environ", "_filters", "root")

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        """Take the working tree's root and the environment that git may see a part of."""
        self.root = root
        self._environ = {name: environ[name] for name in _KEPT if name in environ}
        self._environ |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_PAGER": "cat"}
        self._filters: tuple[str, ...] | None = None

    def run(
        self,
        arguments: Sequence[str],
        *,
        index: str | None = None,
        objects: str | None = None,
        data: bytes | None = None,
        may_fail: bool = False,
    ) -> bytes:
        """Run one git command.

        Args:
            arguments: Subcommand and its arguments.
            index: A private index file.
            objects: A folder for new objects; git's own stays readable.
            data: What it reads on standard input.
            may_fail: Give empty output instead of an error.

        Returns:
            Its standard output.

        Raises:
            EvidenceError: If git is missing, fails or takes too long.
        """
        environ = dict(self._environ)
        if index is not None:
            environ["GIT_INDEX_FILE"] = index
        if objects is not None:
            environ["GIT_OBJECT_DIRECTORY"] = objects
            environ["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = self._own_objects()
        settings = [part for setting in (*_NEUTRAL, *self._neutral_filters()) for part in ("-c", setting)]
        return self._start(["git", "-C", self.root, *settings, *arguments], environ, data=data, may_fail=may_fail)

    def _start(
        self, argv: list[str], environ: Mapping[str, str], *, data: bytes | None = None, may_fail: bool = False
    ) -> bytes:
        remedy = "Repair the repository or git itself, then try again."
        try:
            done = subprocess.run(
                argv,
                env=dict(environ),
                input=data if data is not None else b"",
                capture_output=True,
                timeout=GIT_TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError:
            raise EvidenceError("evidence.git", "git is not on the PATH", "Install git, then try again.") from None
        except subprocess.TimeoutExpired:
            seen = f"git took longer than {GIT_TIMEOUT_S} s"
            raise EvidenceError("evidence.git", seen, remedy) from None
        if done.returncode != 0 and not may_fail:
            last = done.stderr.decode(errors="replace").strip().split("\n")[-1]
            raise EvidenceError("evidence.git", f"git failed: {last}", remedy)
        return b"" if done.returncode != 0 else done.stdout

    def _own_objects(self) -> str:
        found = self._start(["git", "-C", self.root, "rev-parse", "--git-path", "objects"], self._environ)
        path = os.fsdecode(found).rstrip("\n")
        return path if path.startswith("/") else f"{self.root}/{path}"

    def _neutral_filters(self) -> tuple[str, ...]:
        """Switch every configured content filter off: it is code, and it would hide what is really on disk."""
        if self._filters is None:
            argv = ["git", "-C", self.root, "config", "--name-only", "-z", "--get-regexp", r"^filter\..*\."]
            names = os.fsdecode(self._start(argv, self._environ, may_fail=True)).split("\0")
            drivers = sorted({name.rpartition(".")[0] for name in names if name})
            self._filters = tuple(
                setting
                for driver in drivers
                for setting in (
                    f"{driver}.clean=",
                    f"{driver}.smudge=",
                    f"{driver}.process=",
                    f"{driver}.required=false",
                )
            )
        return self._filters


def find_root(folder: str, environ: Mapping[str, str]) -> str | None:
    """Give the root of the working tree that a folder lies in; ``None`` outside git or in a bare repository."""
    found = Git(folder, environ).run(["rev-parse", "--show-toplevel"], may_fail=True)
    return os.fsdecode(found).rstrip("\n") or None
