"""Git as a source of facts: plumbing only, no hook, no filter, no pager, no prompt, no lock on the user's index.

Two views of one working tree: the user's repository (HEAD, what is tracked), and a private one of the run, whose folder
lies in the run's own. In the private one nothing of the repository's settings or attributes holds: its own
``info/attributes`` outranks every ``.gitattributes`` (gitattributes(5)), so that what is hashed is what lies on disk.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from harness_guard.errors import EvidenceError
from harness_guard.policy.odd_name import odd_part

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
# Every attribute that changes bytes between disk and object, or what a diff shows of them.
_NO_ATTRIBUTES: Final = b"* -text -eol -crlf -ident -filter -working-tree-encoding -diff -merge -whitespace\n* diff\n"
# What a private repository takes over of the user's settings; whether letter case counts, git asks the disk itself.
_CARRIED: Final = ("core.precomposeUnicode",)


class Git:
    """Git in one working tree."""

    __slots__ = ("_environ", "root")

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        """Take the working tree's root and the environment that git may see a part of."""
        self.root = root
        self._environ = {name: environ[name] for name in _KEPT if name in environ}
        self._environ |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_PAGER": "cat"}

    def run(
        self,
        arguments: Sequence[str],
        *,
        private: str | None = None,
        index: str | None = None,
        data: bytes | None = None,
        may_fail: bool = False,
    ) -> bytes:
        """Run one git command.

        Args:
            arguments: Subcommand and its arguments.
            private: Folder of a private repository to run it in, made by :meth:`make_private`.
            index: Another index file than the repository's.
            data: What it reads on standard input.
            may_fail: Give empty output instead of an error.

        Returns:
            Its standard output.

        Raises:
            EvidenceError: If git is missing, fails or takes too long.
        """
        environ = dict(self._environ)
        if private is not None:
            environ |= {"GIT_DIR": private, "GIT_WORK_TREE": self.root}
        if index is not None:
            environ["GIT_INDEX_FILE"] = index
        settings = [part for setting in _NEUTRAL for part in ("-c", setting)]
        return self._start(["git", "-C", self.root, *settings, *arguments], environ, data=data, may_fail=may_fail)

    def make_private(self, folder: str) -> None:
        """Make a private repository over this working tree; the user's objects stay readable through it.

        Args:
            folder: Where it will lie; a folder that stands there already is taken for made.

        Raises:
            EvidenceError: If git cannot make it.
        """
        if os.path.isdir(folder):
            return
        made = f"{folder}.{os.getpid()}.tmp"
        shutil.rmtree(made, ignore_errors=True)
        named = self.run(["rev-parse", "--show-object-format"], may_fail=True).decode().strip() or "sha1"
        self._start(["git", "init", "-q", "--bare", f"--object-format={named}", made], self._environ)
        # What the user ignores by setting or by ``info/exclude`` is ignored here too, as it was at approval: the file
        # that a setting names may lie where the run writes.
        frozen = _content(self._excludes_file()) + b"\n" + _content(self._path("info/exclude"))
        _write(f"{made}/info/exclude", frozen)
        _write(f"{made}/info/attributes", _NO_ATTRIBUTES)
        _write(f"{made}/objects/info/alternates", os.fsencode(self._path("objects")) + b"\n")
        for setting in _CARRIED:
            value = self.run(["config", "--get", setting], may_fail=True).decode().rstrip("\n")
            if value:
                self._start(["git", f"--git-dir={made}", "config", setting, value], self._environ)
        for setting, value in (("core.bare", "false"), ("core.excludesFile", "/dev/null")):
            self._start(["git", f"--git-dir={made}", "config", setting, value], self._environ)
        os.rename(made, folder)

    def odd_deleted(self, path: str) -> str | None:
        """Find a name that the index has at or below a path, that is gone from disk, and that is no plain word.

        Args:
            path: Absolute path; one that stands nowhere in this working tree counts as odd itself, as a new working
                tree may bring any name.

        Returns:
            The first such name, relative to the root; ``None`` if there is none.

        Raises:
            EvidenceError: If git does not tell.
        """
        relative = os.path.relpath(os.path.realpath(path), os.path.realpath(self.root))
        gone = os.fsdecode(self.run(["ls-files", "--deleted", "-z"])).split("\0")
        below = [name for name in gone if name and (relative == "." or f"{name}/".startswith(f"{relative}/"))]
        if not below and not os.path.lexists(path):
            return relative
        return next((name for name in below if odd_part(name)), None)

    def _excludes_file(self) -> str:
        """Name the user's own ignore file (gitignore(5)): by setting, else in the configuration folder."""
        named = self.run(["config", "--type=path", "--get", "core.excludesFile"], may_fail=True)
        path = os.fsdecode(named).rstrip("\n")
        if path:
            return path if path.startswith("/") else f"{self.root}/{path}"
        home = self._environ.get("HOME", "/nonexistent")
        return f"{self._environ.get('XDG_CONFIG_HOME') or f'{home}/.config'}/git/ignore"

    def _path(self, name: str) -> str:
        found = os.fsdecode(self._start(["git", "-C", self.root, "rev-parse", "--git-path", name], self._environ))
        path = found.rstrip("\n")
        return path if path.startswith("/") else f"{self.root}/{path}"

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
            lines = done.stderr.decode(errors="replace").strip().split("\n")
            told = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])
            raise EvidenceError("evidence.git", f"git failed: {told}", remedy)
        return b"" if done.returncode != 0 else done.stdout


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    with open(path, "wb") as handle:
        handle.write(data)


def find_root(folder: str, environ: Mapping[str, str]) -> str | None:
    """Give the root of the working tree that a folder lies in; ``None`` outside git or in a bare repository."""
    found = Git(folder, environ).run(["rev-parse", "--show-toplevel"], may_fail=True)
    return os.fsdecode(found).rstrip("\n") or None
