"""The diff revision: a content hash of the working tree against the run's baseline (contract section 8).

Taken in a private repository of the run, so that neither the user's index nor the repository is written, and nothing of
the repository's attributes or settings changes what is hashed: the bytes on disk. The private index keeps git's stat
cache between snapshots: an unmoved tree costs about what ``git status`` costs.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

from harness_guard.canonical import canonical
from harness_guard.errors import EvidenceError
from harness_guard.kernel.run_questions import Snapshot
from harness_guard.sha256 import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import Final

    from harness_guard.evidence.git import Git
    from harness_guard.kernel.state import Baseline

_DIFF_BYTES: Final = 4_000_000  # a longer diff is cut in brief.md; the Reviewer can read the files


def _names(listed: bytes) -> list[bytes]:
    """Split what git lists with ``-z``."""
    return [name for name in listed.split(b"\0") if name]


class WorkingTree:
    """Snapshots of one working tree, kept in one folder of the run."""

    __slots__ = ("_folder", "_git", "_hold")

    def __init__(self, git: Git, folder: str, hold: Callable[[], AbstractContextManager[object]]) -> None:
        """Take git in the working tree, a folder of the run, and what keeps other hooks out of it meanwhile."""
        self._git = git
        self._folder = folder
        self._hold = hold

    @property
    def _private(self) -> str:
        return f"{self._folder}/git"

    def head(self) -> str:
        """Give HEAD's commit id, ``""`` in a repository without a commit."""
        found = self._git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], may_fail=True)
        return found.decode().strip()

    def snapshot(self, caches: Iterable[str], base: str | None = None) -> str:
        """Write the working tree as a tree object of ours and give its id.

        Args:
            caches: Folder names that are left out wherever they lie.
            base: Tree of the baseline: what its ignore files ignore is ignored, not what today's do.

        Returns:
            The tree's id.

        Raises:
            EvidenceError: If git cannot tell.
        """
        with self._held():
            self._take(caches, base)
            return self._first_tree() if base is None else self._compared(base)[0]

    def _first_tree(self) -> str:
        """Write the baseline's tree, and commit it: a status then lists what differs from it, not every file."""
        tree = self._write_tree()
        identity = ["-c", "user.name=harness-guard", "-c", "user.email=harness-guard@localhost"]
        commit = self._run([*identity, "commit-tree", "-m", "baseline", tree]).decode().strip()
        self._run(["update-ref", "HEAD", commit])
        return tree

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Keep others out, make the private repository, and clear what a killed git has left locked."""
        os.makedirs(self._folder, 0o700, exist_ok=True)
        with self._hold():
            self._git.make_private(self._private)
            for name in ("index.lock", "absorb-index.lock"):
                if os.path.lexists(f"{self._private}/{name}"):
                    os.unlink(f"{self._private}/{name}")
            yield

    def _take(self, caches: Iterable[str], base: str | None) -> None:
        """Bring the private index up to what lies on disk."""
        names = tuple(caches)
        left_out = [f":(exclude,glob)**/{name}/**" for name in names]
        if base is None:
            # What git tracks counts even where an ignore file names it; without times, so that all of it is hashed.
            self._run(["read-tree", "--empty"])
            self._run(["update-index", "-z", "--index-info"], self._git.run(["ls-files", "--stage", "-z"]))
            self._run(["add", "--all", "--", ".", *left_out])
            self._run(["add", "--update", "--", "."])  # a tracked file is no cache, whatever its folder is called
            self._note_hidden(self._walk(names)[1])
            return
        changed, hidden = self._walk(names)
        self._add(changed)
        self._show_hidden(base, hidden, frozenset(map(os.fsencode, names)))

    def _note_hidden(self, hidden: list[bytes]) -> None:
        """Keep what is ignored at approval: an ignore file that ignores itself stands in no tree to ask later."""
        with open(f"{self._folder}/hidden.tmp", "wb") as handle:
            handle.write(b"\0".join(hidden))
        os.rename(f"{self._folder}/hidden.tmp", f"{self._folder}/hidden")

    def _was_hidden(self) -> frozenset[bytes]:
        with open(f"{self._folder}/hidden", "rb") as handle:
            return frozenset(_names(handle.read()))

    def _walk(self, caches: tuple[str, ...]) -> tuple[list[bytes], list[bytes]]:
        """Walk the working tree once: what differs from the index, and what today's ignore files ignore."""
        left_out = frozenset(map(os.fsencode, caches))
        options = ["--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"]
        changed, hidden = [], []
        for line in _names(self._run(["status", *options])):
            state, name = line[:2], line[3:]
            if state in (b"!!", b"??") and left_out.intersection(name.split(b"/")[:-1]):
                continue  # a listed cache; a tracked file of that name still counts
            if state == b"!!":
                hidden.append(name)
            elif state[1:] != b" ":  # the second letter compares the index with the disk
                changed.append(name)
        return changed, hidden

    def _add(self, names: list[bytes]) -> None:
        """Add exactly these names; whether one is ignored has been decided already."""
        unborn = [name for name in names if self._is_unborn(name)]
        names = [name for name in names if name not in unborn]
        if names:
            options = ["--all", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"]
            self._run(["--literal-pathspecs", "add", *options], b"\0".join(names) + b"\0")
        if unborn:
            # Git adds no repository without a commit; that one is there has to show all the same.
            mark = self._run(["hash-object", "-w", "--stdin"], b"a repository without a commit\n").strip()
            rows = (b"100644 " + mark + b"\t" + name + b"\0" for name in sorted({name.rstrip(b"/") for name in unborn}))
            self._run(["update-index", "--add", "-z", "--index-info"], b"".join(rows))

    def _is_unborn(self, folder: bytes) -> bool:
        """Tell whether a folder is a repository of its own that has no commit yet."""
        root = os.path.join(os.fsencode(self._git.root), folder)
        if not os.path.lexists(os.path.join(root, b".git")):
            return False
        arguments = ["-C", os.fsdecode(root), "rev-parse", "--verify", "--quiet", "HEAD^{commit}"]
        return not self._git.run(arguments, may_fail=True).strip()

    def _write_tree(self) -> str:
        return self._run(["write-tree"]).decode().strip()

    def _run(self, arguments: list[str], data: bytes | None = None) -> bytes:
        return self._git.run(arguments, private=self._private, data=data)

    def _show_hidden(self, base: str, hidden: list[bytes], caches: frozenset[bytes]) -> None:
        """Add what only today's ignore files ignore: a file may not hide behind a line that the run itself wrote.

        Asked of the disk, not of the tree: an ignore file may ignore itself.
        """
        ignored = self._ignored_by(base, hidden) | self._was_hidden()
        shown = [name for name in hidden if name not in ignored]
        folders = [name for name in shown if name.endswith(b"/")]
        if folders:
            arguments = ["--literal-pathspecs", "ls-files", "-z", "--others", "--", *map(os.fsdecode, folders)]
            below = [name for name in _names(self._run(arguments)) if not caches.intersection(name.split(b"/"))]
            ignored = self._ignored_by(base, below)
            shown = [name for name in shown if name not in folders] + [name for name in below if name not in ignored]
        self._add(shown)

    def _compared(self, base: str) -> tuple[str, dict[bytes, bytes]]:
        """Write the index as a tree and compare it with the baseline's: name -> letter of the change.

        What the baseline ignored and today's ignore files do not is left out: it was there, unseen, at approval.
        """
        tree = self._write_tree()
        changes = self._changes(base, tree)
        ignored = self._ignored_by(base, [name for name, letter in changes.items() if letter == b"A"])
        if not ignored:
            return tree, changes
        self._run(["update-index", "--force-remove", "-z", "--stdin"], b"\0".join(sorted(ignored)) + b"\0")
        tree = self._write_tree()
        return tree, self._changes(base, tree)

    def _changes(self, base: str, tree: str) -> dict[bytes, bytes]:
        if base == tree:
            return {}
        fields = _names(self._run(["diff-tree", "-r", "-z", "--name-status", "--no-renames", base, tree]))
        return dict(zip(fields[1::2], fields[::2], strict=True))

    def _ignored_by(self, base: str, names: list[bytes]) -> set[bytes]:
        """Give those of the names that the baseline's ignore files ignore; a folder's ends with a slash."""
        if not names:
            return set()
        # The baseline's rules do not change, so the same question has the same answer at every snapshot.
        known = f"{self._folder}/ignored-{sha256_hex(b'%s %s' % (base.encode(), chr(0).encode().join(names)))}"
        if os.path.exists(known):
            with open(known, "rb") as handle:
                return set(_names(handle.read()))
        found = self._asked(base, names)
        with open(f"{known}.tmp", "wb") as handle:
            handle.write(b"\0".join(sorted(found)))
        os.rename(f"{known}.tmp", known)
        return found

    def _asked(self, base: str, names: list[bytes]) -> set[bytes]:
        folder = self._base_ignores(base)
        for name in names:
            if name.endswith(b"/"):
                os.makedirs(os.fsencode(f"{folder}/") + name, 0o700, exist_ok=True)  # git asks the disk
        asked = {name.rstrip(b"/"): name for name in names}
        arguments = [f"--work-tree={folder}", "check-ignore", "--no-index", "-z", "--stdin"]
        data = b"\0".join(asked) + b"\0"
        found = self._git.run(arguments, private=self._private, data=data, may_fail=True)
        return {asked[name] for name in _names(found)}

    def _base_ignores(self, base: str) -> str:
        """Lay out the baseline's ignore files in a folder of their own."""
        folder = f"{self._folder}/ignores-{base}"
        if os.path.isdir(folder):
            return folder
        made = f"{folder}.{os.getpid()}.tmp"
        shutil.rmtree(made, ignore_errors=True)
        os.makedirs(made, 0o700)
        for line in _names(self._run(["ls-tree", "-r", "-z", base])):
            meta, _, name = line.partition(b"\t")
            # Git follows no ignore file that is a link.
            if name.rpartition(b"/")[2] == b".gitignore" and meta.startswith(b"100"):
                path = os.fsencode(f"{made}/") + name
                os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
                with open(path, "wb") as copy:
                    copy.write(self._run(["cat-file", "blob", meta.split()[2].decode()]))
        os.rename(made, folder)
        return folder

    def against(self, baseline: Baseline, caches: Iterable[str]) -> Snapshot:
        """Take a snapshot and compare it with the baseline.

        Raises:
            EvidenceError: If git cannot tell.
        """
        with self._held():
            return self._against(baseline, caches)

    def _against(self, baseline: Baseline, caches: Iterable[str]) -> Snapshot:
        self._take(caches, baseline.tree)
        tree, changes = self._compared(baseline.tree)
        changed = tuple(sorted(os.fsdecode(name) for name in changes))
        text = canonical({"head": baseline.head, "base": baseline.tree, "tree": tree})
        return Snapshot(f"sha256:{sha256_hex(text.encode())}", changed, tree)

    def absorb(self, baseline: Baseline, paths: Iterable[str], caches: Iterable[str]) -> str:
        """Give the baseline's tree with some paths as they are now.

        Raises:
            EvidenceError: If git cannot tell.
        """
        with self._held():
            self._take(caches, baseline.tree)
            now = self._compared(baseline.tree)[0]
            wanted = {os.fsencode(path) for path in paths}
            index = f"{self._private}/absorb-index"
            if os.path.exists(index):
                os.unlink(index)
            removed = b"".join(b"0 " + b"0" * len(now) + b"\t" + name + b"\0" for name in sorted(wanted))
            added = b"".join(line + b"\0" for line in self._entries(now, wanted))
            steps = ((["read-tree", baseline.tree], b""), (["update-index", "-z", "--index-info"], removed + added))
            for arguments, data in steps:
                self._git.run(arguments, private=self._private, index=index, data=data)
            return self._git.run(["write-tree"], private=self._private, index=index).decode().strip()

    def _entries(self, tree: str, wanted: set[bytes]) -> list[bytes]:
        found = []
        for line in self._run(["ls-tree", "-r", "-z", tree]).split(b"\0"):
            meta, _, name = line.partition(b"\t")
            if name in wanted:
                mode, _, digest = meta.split()
                found.append(mode + b" " + digest + b"\t" + name)
        return found

    def moved_since(self, tree: str, started_ns: int) -> tuple[str, ...]:
        """List files of a tree whose inode changed since a moment: written and put back is moved too (ctime).

        Args:
            tree: A tree that the working tree equals now.
            started_ns: The moment, in nanoseconds since the epoch.
        """
        found = []
        for name in self._run(["ls-tree", "-r", "-z", "--name-only", tree]).split(b"\0"):
            if not name:
                continue
            try:
                changed = os.lstat(os.path.join(os.fsencode(self._git.root), name)).st_ctime_ns
            except OSError as error:
                raise EvidenceError("evidence.tree", f"{os.fsdecode(name)}: {error.strerror}", "Try again.") from error
            if changed >= started_ns:
                found.append(os.fsdecode(name))
        return tuple(found)

    def between(self, before: str, after: str) -> tuple[str, ...]:
        """List the paths that differ between two trees of this run, sorted.

        Raises:
            EvidenceError: If git does not know one of them.
        """
        with self._held():
            return tuple(sorted(os.fsdecode(name) for name in self._changes(before, after)))

    def diff_text(self, baseline: Baseline, tree: str) -> str:
        """Give the whole diff as text, for the Reviewer's brief."""
        # What looks binary is shown all the same: the Reviewer reads every byte that counts.
        options = ["-r", "-p", "--text", "--no-renames", "--no-ext-diff", "--no-textconv"]
        found = self._run(["diff-tree", *options, baseline.tree, tree])
        text = found[:_DIFF_BYTES].decode(errors="replace")
        return text if len(found) <= _DIFF_BYTES else f"{text}\n[cut at {_DIFF_BYTES} bytes of {len(found)}]\n"

    def tracked(self) -> tuple[str, ...]:
        """List every path that git tracks."""
        found = self._git.run(["ls-files", "-z"])
        return tuple(os.fsdecode(name) for name in found.split(b"\0") if name)
