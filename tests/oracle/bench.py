"""A test bench: what real bash writes when it runs a program, and whether that was among what was predicted.

``Bench`` starts ``bench_server.py`` in namespaces of its own (mounts, processes, network); that takes root, or a system that
lets its users make such namespaces.
"""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path

from harness_guard.evidence.plain_names import are_inside, are_plain_on_disk, are_undashed
from harness_guard.evidence.shell_facts import gather, read_text
from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings, analyse
from harness_guard.shell.effects import Effects, Search, Write
from harness_guard.shell.facts import GitFacts
from harness_guard.shell.names import NameSource

SERVER = Path(__file__).with_name("bench_server.py")
WHERE = Surroundings("/repo", "/repo", "/home/dev", git_folders=("/repo/.git",))
SHFMT = str(Path(sys.executable).parent / "shfmt")
NAMESPACES = ("--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc", "--uts", "--propagation", "private")
MOST_LINKS = 40


class Unavailable(Exception):
    """The machine gives no namespaces; the text says why."""


class Bench:
    """A world in which programs run, one after the other."""

    def __init__(self, root: Path) -> None:
        """Start the server; its world is built below ``root``, which must be an empty folder."""
        self.root = str(root)
        own = () if os.geteuid() == 0 else ("--user", "--map-root-user")
        argv = ["unshare", *own, *NAMESPACES, sys.executable, "-I", "-S", str(SERVER), self.root]
        self.server = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if self._line() != "ready":
            _, errors = self.server.communicate()
            raise Unavailable(f"no namespaces to run shell programs in: {errors.strip()[-300:]}")

    def _line(self) -> str:
        assert self.server.stdout is not None
        return self.server.stdout.readline().strip()

    def close(self) -> None:
        """End the server; the kernel ends what it started."""
        self.server.communicate()

    def run(self, program: str) -> list[str]:
        """Run a program and give the paths that it wrote, as the world names them."""
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps(program) + "\n")
        self.server.stdin.flush()
        return list(json.loads(self._line())["written"])

    def predict(self, program: str) -> Effects:
        """Give the effects that the guard tells, with facts of this world."""
        facts = ShellFacts()
        for _ in range(12):
            found = analyse(program, WHERE, facts)
            if isinstance(found, Effects):
                return found
            read = gather(program, Needs(found.texts), facts, shfmt=SHFMT)
            quiet = GitFacts("/repo", "/repo/.git", "/repo/.git", answers=dict.fromkeys(found.moves))
            git = dict.fromkeys((*found.folders, *(question.folder for question in found.moves)), quiet)
            plain = {source: self.looked_at(source) for source in found.names}
            files = {**facts.files, **{path: read_text(self.root + path) for path in found.files}}
            facts = ShellFacts(read.readings, {**facts.git, **git}, {**facts.names, **plain}, files)
        raise AssertionError("the analysis does not come to an end")

    def looked_at(self, source: NameSource) -> bool:
        """Look at names in the world; what is not looked at there is not so."""
        look = {"disk": are_plain_on_disk, "inside": are_inside, "undashed": are_undashed}.get(source.kind)
        if source.kind == "absent":
            return not os.path.lexists(self.root + source.folder)
        return look is not None and look(self.root + source.folder)

    def missed(self, program: str, effects: Effects) -> list[str]:
        """Run a program; give what it wrote and was not predicted."""
        covers = [cover for write in effects.writes for cover in self.covers(write)]
        named = [self.named(write.path) for write in effects.writes if "*" in write.path.rpartition("/")[2]]
        return [
            path
            for path in self.run(program)
            if not any(is_covered(path, *cover) for cover in covers) and not any(fnmatch(path, name) for name in named)
        ]

    def named(self, path: str) -> str:
        """Give the pattern of new names: a boundary covers it by a star or a folder only."""
        head, _, name = path.rpartition("/")
        return f"{self.resolve(head or '/').rstrip('/')}/{name}"

    def found(self, write: Write, search: Search) -> list[str]:
        """Give what a search finds in the world, or what is called after it."""
        top = f"{self.root}{self.resolve(write.path) if write.path.endswith('/') else write.path}"
        below = [f"{folder}/{name}" for folder, folders, files in os.walk(top) for name in (*folders, *files)]
        words = [write.path, *(path.removeprefix(self.root) for path in below)]
        names = [(word, word.rstrip("/").rpartition("/")[2].casefold()) for word in words]
        globs = [glob.casefold() for glob in search.names]
        meant = [word for word, name in names if any(fnmatch(name, glob) for glob in globs)]
        return [word.removesuffix(search.cut) + search.add for word in meant]

    # --- what a prediction covers, resolved in the world as it stands before the program runs -----------------------------

    def covers(self, write: Write) -> list[tuple[str, bool, bool]]:
        """Give the places that a write may land, each with whether all below and all above belong to it."""
        paths = [write.path] if write.search is None else self.found(write, write.search)
        if write.is_pattern:
            # The world has no name with a bracket in it, so a bracket can stand for a backslash.
            pattern = _bracketed(write.path)
            found = glob.glob(self.root + pattern, include_hidden=True) + glob.glob(self.root + pattern)
            paths = [path.removeprefix(self.root) for path in found]
        made = []
        for path in paths:
            head, _, name = (path.rstrip("/") or "/").rpartition("/")
            places = {f"{self.resolve(head or '/')}/{name}".replace("//", "/")}
            if name in {".", "..", ""} or write.kind != "entry" or path.endswith("/"):
                places.add(self.resolve(path))
            # A folder that is moved takes along what is in it.
            is_tree = write.kind == "tree" or write.by.startswith("mv")
            made += [(place, is_tree, write.by in {"mkdir", "install"}) for place in places]
        return made

    def resolve(self, path: str) -> str:
        """Follow every link of a path within the world."""
        done = ""
        todo = [part for part in path.split("/") if part not in {"", "."}]
        links = 0
        while todo:
            part = todo.pop(0)
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            full = f"{self.root}{done}/{part}"
            if os.path.islink(full) and links < MOST_LINKS:
                links += 1
                target = os.readlink(full)
                done = "" if target.startswith("/") else done
                todo = [piece for piece in target.split("/") if piece not in {"", "."}] + todo
            else:
                done = f"{done}/{part}"
        return done or "/"


def _bracketed(pattern: str) -> str:
    made = ""
    index = 0
    while index < len(pattern):
        if pattern[index] == "\\" and index + 1 < len(pattern):
            index += 1
            made += f"[{pattern[index]}]"
        else:
            made += pattern[index]
        index += 1
    return made


def is_covered(path: str, place: str, is_tree: bool, takes_parents: bool) -> bool:
    """Tell whether a written path is the place, or belongs to it; ``folder/?`` is anything in the folder."""
    if path.endswith("/?"):
        folder = path[:-2]
        return folder in {place, place.rpartition("/")[0]} or (is_tree and f"{folder}/".startswith(f"{place}/"))
    if path == place or (is_tree and path.startswith(f"{place.rstrip('/')}/")):
        return True
    return takes_parents and place.startswith(f"{path}/")
