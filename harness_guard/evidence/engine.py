"""The engine: runs the required verification on a tree that holds still, and records what it found (contract 8)."""

from __future__ import annotations

import os
import re
import time

from harness_guard.canonical import canonical
from harness_guard.errors import EvidenceError, StateError
from harness_guard.evidence.environment import clean_environment, environment_fingerprint
from harness_guard.evidence.runner import run_check
from harness_guard.kernel.run_questions import CommandRun, Verification
from harness_guard.policy.digest import policy_id
from harness_guard.records import dataclass
from harness_guard.sha256 import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Final

    from harness_guard.evidence.diff import WorkingTree
    from harness_guard.evidence.runner import RunResult
    from harness_guard.kernel.run_questions import Snapshot
    from harness_guard.kernel.state import Baseline, RunState
    from harness_guard.policy.model import Policy

SCHEMA: Final = "harness.verification-evidence.v2"
RECORD: Final = "verification.json"
# Numbers and addresses differ from run to run without meaning anything (times, process ids, temporary names).
_WORDING: Final = re.compile(r"0x[0-9a-fA-F]+|\d+|/tmp/\S+")


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything an engine run needs of the world.

    Attributes:
        tree: Snapshots of the working tree.
        root: The repository's root.
        environ: The hook's environment.
        watched: Files and folders of the control plane that must not change meanwhile.
        extend: Lengthens the front door's deadline by seconds.
    """

    tree: WorkingTree
    root: str
    environ: Mapping[str, str]
    watched: tuple[str, ...]
    extend: Callable[[float], None]


def verify(
    state: RunState, policy: Policy, bench: Bench, last: dict[str, object] | None
) -> tuple[Verification, dict[str, object] | None]:
    """Run the required commands, unless the tree has not moved since a green run of the same ones.

    Args:
        state: The run; it has a baseline.
        policy: The active policy.
        bench: The world.
        last: The engine's last record.

    Returns:
        What was found, and the record to keep; ``None`` if there is nothing new to keep.

    Raises:
        EvidenceError: If git or the supervisor cannot do their part.
    """
    baseline = _baseline(state)
    before = bench.tree.against(baseline, policy.caches)
    reused = reuse(last, policy, before.diff_revision)
    if reused is not None and reused.outcome == "green":
        return reused, None
    bench.extend(sum(check.timeout_s for check in policy.required) + 60)
    plane = watch_fingerprint(bench.watched)
    environ = clean_environment(bench.environ)
    started_ns = time.time_ns()
    results = _run_all(policy, bench.root, environ)
    after = bench.tree.against(baseline, policy.caches)
    moved = _moved(bench, before, after, started_ns=started_ns)
    if moved or watch_fingerprint(bench.watched) != plane:
        detail = "" if moved else "the control plane changed"
        return Verification("moved", paths=moved, detail=detail), None
    record = _record(state, policy, results, diff_revision=after.diff_revision, environ=environ)
    return verification_of(record), record


def _baseline(state: RunState) -> Baseline:
    if state.baseline is None:
        raise StateError("evidence.baseline", "the run has no baseline", "Emit the Plan again.")
    return state.baseline


def _run_all(policy: Policy, root: str, environ: Mapping[str, str]) -> list[RunResult]:
    """Run the commands in order; the first that is not green ends the run."""
    results = []
    for check in policy.required:
        results.append(run_check(check, root, environ))
        if not results[-1].is_green:
            break
    return results


def _moved(bench: Bench, before: Snapshot, after: Snapshot, *, started_ns: int) -> tuple[str, ...]:
    if before.tree != after.tree:
        return tuple(sorted(set(before.changed) ^ set(after.changed))) or ("a file that had changed before",)
    # ctime is coarser than the clock (one tick of the kernel), so a change right before the run does not count here.
    return bench.tree.moved_since(after.tree, started_ns)


def watch_fingerprint(paths: Iterable[str]) -> str:
    """Fingerprint files and folders of the control plane by name, size and times of everything in them."""
    found: list[object] = []
    for path in sorted(paths):
        found.append(_stat(path))
        for folder, names, files in os.walk(path):
            names.sort()
            found += [_stat(os.path.join(folder, name)) for name in sorted([*files, *names])]
    return sha256_hex(canonical(found).encode())


def _stat(path: str) -> list[object]:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return [path, None]
    except OSError as error:
        raise EvidenceError("evidence.control-plane", f"{path}: {error.strerror}", "Repair its permissions.") from error
    return [path, status.st_mode, status.st_size, str(status.st_mtime_ns), str(status.st_ctime_ns)]


def _record(
    state: RunState, policy: Policy, results: list[RunResult], *, diff_revision: str, environ: Mapping[str, str]
) -> dict[str, object]:
    commands: list[dict[str, object]] = [
        {
            "id": result.check.id,
            "command": result.check.command,
            "exit_status": result.exit_status,
            "timed_out": result.timed_out,
            "started_at_ms": result.started_at_ms,
            "ended_at_ms": result.ended_at_ms,
            "output_tail": result.tail,
            "output_digest": result.digest,
        }
        for result in results
    ]
    outcome = "green" if len(results) == len(policy.required) and all(r.is_green for r in results) else "red"
    if any(result.exit_status is None for result in results):
        outcome = "unavailable"
    wording = [[c["id"], c["exit_status"], _WORDING.sub("#", str(c["output_tail"]))] for c in commands]
    return {
        "schema": SCHEMA,
        "run_id": state.run_id,
        "policy_id": policy_id(policy),
        "accepted_plan_hash": state.accepted_plan_hash,
        "outcome": outcome,
        "commands": commands,
        "diff_revision_before": diff_revision,
        "diff_revision_after": diff_revision,
        "isolation": "none",
        "environment_fingerprint": environment_fingerprint(environ),
        "integrity_fingerprint": _integrity(policy, commands),
        "progress_fingerprint": _fingerprint(wording),
    }


def _integrity(policy: Policy, commands: list[dict[str, object]]) -> str:
    strategy = {"kind": policy.strategy, "required": [[c.id, c.command, c.timeout_s] for c in policy.required]}
    meaning = [[c["id"], c["command"], c["exit_status"], c["timed_out"]] for c in commands]
    return _fingerprint({"strategy": strategy, "results": meaning})


def _fingerprint(value: object) -> str:
    return "sha256:" + sha256_hex(canonical(value).encode())


def verification_of(record: Mapping[str, object]) -> Verification:
    """Read a record as the kernel's value."""
    commands = record["commands"]
    if not isinstance(commands, list):
        raise StateError("evidence.record", "the engine's record is malformed", "Spawn the Reviewer again.")
    runs = tuple(
        CommandRun(item["id"], item["command"], item["exit_status"], item["timed_out"], item["output_tail"])
        for item in commands
    )
    failed = [run for run in runs if run.exit_status != 0 or run.timed_out]
    return Verification(
        outcome=record["outcome"],  # type: ignore[arg-type]  # sealed: one of our own words
        diff_revision=str(record["diff_revision_after"]),
        integrity_fingerprint=str(record["integrity_fingerprint"]),
        progress_fingerprint=str(record["progress_fingerprint"]),
        failed=failed[0] if failed else None,
        runs=runs,
    )


def reuse(last: Mapping[str, object] | None, policy: Policy, diff_revision: str) -> Verification | None:
    """Give the last record's finding if it is about this tree and these commands: an unmoved tree is not run twice."""
    if last is None or last.get("schema") != SCHEMA or last.get("diff_revision_after") != diff_revision:
        return None
    commands = last.get("commands")
    wanted = [(check.id, check.command) for check in policy.required]
    if not isinstance(commands, list) or [(item["id"], item["command"]) for item in commands] != wanted:
        return None
    # The fingerprint covers kind and limits too: another policy's record is none, though its commands are the same.
    if last.get("integrity_fingerprint") != _integrity(policy, commands):
        return None
    return verification_of(last)
