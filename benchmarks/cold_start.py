"""Print what it costs to import a module in a fresh isolated interpreter, as ratios against a bare start.

    python3 benchmarks/cold_start.py [--rounds N]

These are the numbers of docs/adr/0002-cold-start.md. The bare start is timed in turn with every module.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STANDARD = ("os", "re", "enum", "typing", "dataclasses", "json", "pathlib", "subprocess", "hashlib")
OURS = ("harness_guard.records", "harness_guard.rawjson", "harness_guard.canonical", "harness_guard.sha256")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Import cost as ratios against a bare interpreter start.")
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as pycache:
        times: dict[str, list[float]] = {name: [] for name in ("", *STANDARD, *OURS)}
        for number in range(rounds + 1):
            for name, found in times.items():
                took = _start(name, pycache)
                if number:  # the first round compiles
                    found.append(took)
    medians = {name: statistics.median(found) for name, found in times.items()}
    bare = medians.pop("")
    print(f"bare start: {bare * 1000:.1f} ms (median of {rounds})")
    for name, seconds in medians.items():
        print(f"import {name:26} {seconds / bare:5.2f} x")
    return 0


def _start(name: str, pycache: str) -> float:
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {name}" if name else "pass"
    argv = [sys.executable, "-I", "-S", "-X", f"pycache_prefix={pycache}", "-c", script]
    start = time.perf_counter()
    subprocess.run(argv, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
