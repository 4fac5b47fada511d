"""Print what a hook costs, as ratios against a bare interpreter start in the same minutes.

    python3 benchmarks/hook_cost.py [--from DATA] [--rounds N]

It plays a run through the registered commands in a throwaway repository, then times each kind of call and the bare
start in turns, so that a busy machine slows both. Absolute times mean nothing; the ratios are medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "process")]
sys.dont_write_bytecode = True

from live import LiveRun  # noqa: E402  the path is set above

from harness_guard.runtime.registration import command  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

# Path of a call -> at most so many bare starts (docs/architecture.md, "Budgets"); None: reported only.
BUDGETS = {
    "tool call, no run": 0.5,
    "write in a run": 2.5,
    "read-only shell command in a run": 4.0,
    "stop in a run": None,
}


def main() -> int:
    """Measure and print; fail if a budget is broken."""
    parser = argparse.ArgumentParser(description="Hook cost as ratios against a bare interpreter start.")
    parser.add_argument("--from", dest="source", help="a provisioned data folder to copy the runtime from")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = _measure(Path(folder), options.source, options.rounds)
    bare = rows.pop("bare")
    print(f"bare start: {bare * 1000:.1f} ms (median of {options.rounds})")
    broken = False
    for name, seconds in rows.items():
        budget = BUDGETS[name]
        within = budget is None or seconds <= budget * bare
        broken |= not within
        limit = "" if budget is None else f"  (budget {budget})"
        print(f"{name:34} {seconds / bare:5.2f} x{limit}{'' if within else '  OVER'}")
    return 1 if broken else 0


def _measure(folder: Path, source: str | None, rounds: int) -> dict[str, float]:
    data = folder / "data"
    provision = [sys.executable, str(ROOT / "hooks" / "harness_guard.py"), "provision"]
    provision += ["--from", source] if source else []
    subprocess.run(provision, env=os.environ | {"PLUGIN_DATA": str(data)}, check=True, stderr=subprocess.DEVNULL)
    run = LiveRun(folder, data)
    idle = run.environ | {"CLAUDE_PLUGIN_DATA": str(folder / "idle")}
    run.approve()
    python = (data / "interpreter").read_text().strip()
    patch = "*** Begin Patch\n*** Update File: docs/about.md\n@@\n-draft\n+text\n*** End Patch\n"
    tool = _shell("PreToolUse")
    calls: dict[str, Callable[[], float]] = {
        "bare": lambda: _time([python, "-I", "-S", "-c", "pass"], b"", run, run.environ),
        "tool call, no run": lambda: _time(tool, run.tool("Bash", command="ls"), run, idle),
        "write in a run": lambda: _time(tool, run.tool("apply_patch", command=patch), run, run.environ),
        "read-only shell command in a run": lambda: _time(
            tool, run.tool("Bash", command="git status"), run, run.environ
        ),
        "stop in a run": lambda: _time(_shell("Stop"), _stop(run), run, run.environ),
    }
    stop = {"stop in a run": calls.pop("stop in a run")}
    # A stop that is refused is counted in the state, and the next call that is let through takes the count back: each
    # would then pay for the other's commit. So the stops have their turn at the end.
    return _medians(calls, rounds) | _medians(stop, rounds)


def _medians(calls: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    for call in calls.values():
        call()  # the first of a kind may commit what later ones find
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(call())
    return {name: statistics.median(found) for name, found in times.items()}


def _shell(event: str) -> list[str]:
    return ["/bin/sh", "-c", command(event)]


def _stop(run: LiveRun) -> bytes:
    return run.payload("Stop", stop_hook_active=True, last_assistant_message="Still at work.")


def _time(argv: list[str], payload: bytes, run: LiveRun, environ: dict[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(argv, input=payload, env=environ, cwd=run.repository, capture_output=True, check=False)
    took = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"a call that should pass was refused: {done.stderr.decode()}")
    return took


if __name__ == "__main__":
    sys.exit(main())
