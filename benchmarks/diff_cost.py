"""Print what a diff revision costs, as a ratio to ``git status`` in the same repository and the same run.

    python benchmarks/diff_cost.py [--files N] [--rounds N]

Makes a throwaway repository of ``N`` files (default 10,000) with a few changes, takes the first snapshot (which hashes
every file) and then compares the medians of an unmoved tree's revision and of ``git status``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from harness_guard.evidence.diff import WorkingTree  # noqa: E402  the path has to be set first
from harness_guard.evidence.git import Git  # noqa: E402
from harness_guard.kernel.state import Baseline  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER_SIZE = 100
T = TypeVar("T")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a diff revision costs beside git status.")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "repository")
        environ = dict(os.environ, HOME=scratch)
        _make(root, options.files, environ)
        tree = WorkingTree(Git(str(root), environ), f"{scratch}/run", nullcontext)
        first, base = _timed(lambda: tree.snapshot(()))
        baseline = Baseline(tree.head(), base)
        Path(root, "d0", "f0.txt").write_text("changed\n")
        Path(root, "new.txt").write_text("new\n")
        tree.against(baseline, ())
        status = ["git", "-C", str(root), "status", "--porcelain", "--untracked-files=all"]
        revisions, statuses = [], []
        for _ in range(options.rounds):
            revisions.append(_timed(lambda: tree.against(baseline, ()))[0])
            statuses.append(_timed(lambda: subprocess.run(status, env=environ, check=True, capture_output=True))[0])
    ratio = statistics.median(revisions) / statistics.median(statuses)
    print(f"{options.files} files: diff revision / git status = {ratio:.2f} (budget 1.5)")
    print(f"first snapshot / git status = {first / statistics.median(statuses):.1f}")


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def _make(root: Path, files: int, environ: dict[str, str]) -> None:
    for number in range(files):
        folder = root / f"d{number // FOLDER_SIZE}"
        if number % FOLDER_SIZE == 0:
            folder.mkdir(parents=True)
        (folder / f"f{number}.txt").write_text(f"{number}\n" * 20)
    identity = ["-c", "user.name=b", "-c", "user.email=b@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(root), *command], env=environ, check=True, capture_output=True)


if __name__ == "__main__":
    main()
