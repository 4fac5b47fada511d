"""The engine: what counts as green, that nothing of a run lives on, that no secret reaches it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from fake_world import HASH, POLICY, in_state

from harness_guard.errors import EvidenceError, StateError
from harness_guard.evidence import supervisor
from harness_guard.evidence.diff import WorkingTree
from harness_guard.evidence.engine import Bench, reuse, verification_of, verify, watch_fingerprint
from harness_guard.evidence.environment import clean_environment, environment_fingerprint
from harness_guard.evidence.git import Git
from harness_guard.evidence.process import is_alive, started_at
from harness_guard.evidence.runner import run_check
from harness_guard.evidence.scratch import make_scratch
from harness_guard.kernel.state import Baseline
from harness_guard.policy.model import Check
from harness_guard.records import replace

SCRIPT = str(Path(supervisor.__file__))


class Bench2:
    """A repository with one check script, and the engine on it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repo"
        self.root.mkdir()
        (folder / "run").mkdir()
        (folder / "plane").mkdir()
        (folder / "plane" / "settings.json").write_text("{}")
        self.plane = folder / "plane"
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ANTHROPIC_API_KEY": "secret",
            "GITHUB_TOKEN": "t",
        }
        subprocess.run(["git", "-C", str(self.root), "init", "-q"], check=True)
        self.check("exit 0")
        self.tree = WorkingTree(Git(str(self.root), self.environ), str(folder / "run"), nullcontext)
        self.extended: list[float] = []
        self.baseline = Baseline("", self.tree.snapshot(()))
        self.last: dict[str, object] | None = None

    def check(self, text: str) -> None:
        (self.root / "check.sh").write_text(text + "\n")

    def verify(self, policy: Any = POLICY) -> Any:
        bench = Bench(self.tree, str(self.root), self.environ, (str(self.plane),), self.extended.append)
        found, record = verify(in_state("executing", baseline=self.baseline), policy, bench, self.last)
        if record is not None:
            self.last = json.loads(json.dumps(record))
        return found


@pytest.fixture
def bench(tmp_path: Path) -> Bench2:
    return Bench2(tmp_path)


@pytest.mark.contract("D5.6")
@pytest.mark.contract("C8.3", "C8.6")
def test_green(bench: Bench2) -> None:
    bench.check("echo fine; exit 0")
    found = bench.verify()
    assert (found.outcome, found.failed, found.runs[0].tail) == ("green", None, "fine\n")
    assert found.diff_revision == bench.tree.against(bench.baseline, ()).diff_revision
    assert bench.extended == [80]  # 20 s of the plan and 60 more
    assert bench.last is not None
    assert (bench.last["schema"], bench.last["isolation"]) == ("harness.verification-evidence.v2", "none")
    assert bench.last["diff_revision_before"] == bench.last["diff_revision_after"] == found.diff_revision
    command = bench.last["commands"][0]  # type: ignore[index]
    assert (command["id"], command["command"], command["exit_status"]) == ("V1", "sh check.sh", 0)
    assert command["started_at_ms"] <= command["ended_at_ms"]


@pytest.mark.parametrize(("script", "status"), [("exit 1", 1), ("exit 77", 77), ("kill -9 $$", -9)])
def test_red(bench: Bench2, script: str, status: int) -> None:
    bench.check(f"echo broken >&2; {script}")
    found = bench.verify()
    assert (found.outcome, found.failed.exit_status, found.failed.tail) == ("red", status, "broken\n")


def test_unavailable(bench: Bench2) -> None:
    found = bench.verify(replace(POLICY, required=(Check("V1", "no-such-program -x", 5),)))
    assert (found.outcome, found.failed.exit_status) == ("unavailable", None)
    assert "No such file" in found.failed.tail


@pytest.mark.contract("C8.3")
def test_the_first_command_that_is_not_green_ends_the_run(bench: Bench2) -> None:
    checks = (Check("V1", "sh -c 'exit 2'", 5), Check("V2", "touch ../ran", 5))
    found = bench.verify(replace(POLICY, required=checks))
    assert (found.outcome, [run.id for run in found.runs]) == ("red", ["V1"])
    assert not (bench.root.parent / "ran").exists()


@pytest.mark.contract("C8.3")
def test_a_command_is_split_as_words_and_no_shell_reads_it(bench: Bench2) -> None:
    bench.check('printf "%s|" "$@"')
    found = bench.verify(replace(POLICY, required=(Check("V1", "sh check.sh 'a b' $HOME ';' \"c>d\" \\*", 5),)))
    assert found.runs[0].tail == "a b|$HOME|;|c>d|*|"


@pytest.mark.contract("C8.5")
def test_a_tree_that_moved_is_no_evidence(bench: Bench2) -> None:
    bench.check("date > out")
    found = bench.verify()
    assert (found.outcome, found.paths) == ("moved", ("out",))
    assert bench.last is None


@pytest.mark.contract("C8.5")
def test_written_and_put_back_has_moved(bench: Bench2) -> None:
    bench.check("cp -p check.sh ../keep; echo x > check.sh; cat ../keep > check.sh")
    found = bench.verify()
    assert (found.outcome, found.paths) == ("moved", ("check.sh",))


@pytest.mark.contract("C8.5")
def test_a_changed_control_plane_is_no_evidence(bench: Bench2) -> None:
    bench.check(f"echo x >> {bench.plane}/settings.json")
    found = bench.verify()
    assert (found.outcome, found.detail) == ("moved", "the control plane changed")


@pytest.mark.contract("C8.8")
def test_an_unmoved_green_tree_is_not_run_twice(bench: Bench2) -> None:
    bench.check("echo run >> ../runs")
    first = bench.verify()
    assert bench.verify() == first
    assert (bench.root.parent / "runs").read_text() == "run\n"
    bench.verify(replace(POLICY, required=(*POLICY.required, Check("V2", "true", 5))))
    assert (bench.root.parent / "runs").read_text() == "run\nrun\n"


@pytest.mark.contract("C8.8")
@pytest.mark.parametrize(
    "change",
    [
        {"schema": "harness.verification-evidence.v1"},
        {"diff_revision_after": "sha256:x"},
        {"commands": None},
        {"commands": []},
    ],
)
def test_another_record_is_not_reused(bench: Bench2, change: dict[str, Any]) -> None:
    found = bench.verify()
    assert bench.last is not None
    assert reuse(bench.last, POLICY, found.diff_revision) == found
    assert reuse({**bench.last, **change}, POLICY, found.diff_revision) is None
    assert reuse(None, POLICY, found.diff_revision) is None


@pytest.mark.contract("C8.7")
def test_fingerprints(bench: Bench2) -> None:
    bench.check("echo $(date +%N) 0x1f; exit 3")
    first = bench.verify()
    second = bench.verify()
    assert first.integrity_fingerprint == second.integrity_fingerprint
    assert first.progress_fingerprint == second.progress_fingerprint  # numbers are wording
    bench.check("echo other; exit 3")
    third = bench.verify()
    assert third.progress_fingerprint != first.progress_fingerprint
    bench.check("echo other; exit 4")
    assert bench.verify().integrity_fingerprint != third.integrity_fingerprint


def test_a_damaged_record_is_no_finding() -> None:
    with pytest.raises(StateError):
        verification_of({"commands": "x"})


def test_a_run_without_a_baseline_is_our_own_fault(bench: Bench2) -> None:
    with pytest.raises(StateError):
        verify(in_state("executing", baseline=None), POLICY, Bench(bench.tree, "", {}, (), lambda _s: None), None)


# Nothing lives on.


def alive(marker: str) -> list[str]:
    found = subprocess.run(["pgrep", "-f", marker], capture_output=True, text=True, check=False).stdout.split()
    return [pid for pid in found if pid != str(os.getpid())]


def gone(marker: str) -> bool:
    for _ in range(100):
        if not alive(marker):
            return True
        time.sleep(0.05)
    return False


SPAWNERS = {
    "child": "sleep {n} & sleep {n}",
    "own session": "setsid sleep {n} & sleep {n}",
    "orphan of an orphan": "(setsid sh -c 'setsid sleep {n} & exit 0' &) ; sleep {n}",
    "deaf to signals": "trap '' TERM HUP INT; setsid sh -c \"trap '' TERM HUP INT; sleep {n}; sleep {n}\" & sleep {n}",
}


@pytest.mark.contract("C8.4")
@pytest.mark.parametrize("how", SPAWNERS)
def test_a_time_limit_ends_the_whole_tree(tmp_path: Path, how: str) -> None:
    marker = f"{300 + len(how)}.{time.time_ns() % 10**9}"
    (tmp_path / "c.sh").write_text(SPAWNERS[how].format(n=marker) + "\n")
    found = run_check(Check("V1", "sh c.sh", 1), str(tmp_path), {"PATH": os.environ["PATH"]})
    assert (found.timed_out, found.exit_status, found.is_green) == (True, -9, False)
    assert gone(marker)


def test_what_a_green_command_left_behind_is_ended(tmp_path: Path) -> None:
    marker = f"400.{time.time_ns() % 10**9}"
    (tmp_path / "c.sh").write_text(f"setsid sleep {marker} & exit 0\n")
    assert run_check(Check("V1", "sh c.sh", 20), str(tmp_path), {"PATH": os.environ["PATH"]}).is_green
    assert gone(marker)


@pytest.mark.contract("C8.4")
@pytest.mark.parametrize("how", ["stdin closed", "SIGTERM", "engine killed"])
def test_everything_ends_with_the_engine(tmp_path: Path, how: str) -> None:
    marker = f"500.{time.time_ns() % 10**9}"
    (tmp_path / "c.sh").write_text(f"setsid sleep {marker} & sleep {marker}\n")
    order = {"argv": ["sh", "c.sh"], "cwd": str(tmp_path), "env": {"PATH": os.environ["PATH"]}, "timeout_s": 60}
    engine = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-I', '-S', sys.argv[1]], stdin=subprocess.PIPE)\n"
        "p.stdin.write(sys.argv[2].encode() + b'\\n'); p.stdin.flush(); time.sleep(60)\n"
    )
    argv = (
        [sys.executable, "-c", engine, SCRIPT, json.dumps(order)]
        if how == "engine killed"
        else [sys.executable, "-I", "-S", SCRIPT]
    )
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        if how != "engine killed":
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
        for _ in range(400):
            if len(alive(f"sleep {marker}")) == 2:
                break
            time.sleep(0.025)
        assert len(alive(f"sleep {marker}")) == 2
        if how == "stdin closed":
            process.stdin.close()
        else:
            process.send_signal(signal.SIGTERM if how == "SIGTERM" else signal.SIGKILL)
        assert gone(f"sleep {marker}")
        process.kill()


@pytest.mark.contract("C8.4")
def test_a_run_that_is_cut_short_records_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/true")
    with pytest.raises((EvidenceError, BrokenPipeError)) as caught:
        run_check(Check("V1", "true", 5), str(tmp_path), {})
    assert getattr(caught.value, "rule", "evidence.engine") == "evidence.engine"


def test_long_output_keeps_its_end_and_digest(tmp_path: Path) -> None:
    found = run_check(Check("V1", "seq 1 200000", 20), str(tmp_path), {"PATH": os.environ["PATH"]})
    assert found.is_green
    assert found.tail.endswith("199999\n200000\n")
    assert len(found.tail.encode()) <= supervisor.TAIL_BYTES
    assert (
        found.digest
        == "sha256:" + __import__("hashlib").sha256("".join(f"{n}\n" for n in range(1, 200001)).encode()).hexdigest()
    )


def test_output_that_is_no_text(tmp_path: Path) -> None:
    found = run_check(Check("V1", r"printf '\377\000x'", 5), str(tmp_path), {"PATH": os.environ["PATH"]})
    assert found.tail == "\ufffd\0x"


def test_a_command_that_closes_its_output_is_waited_for(tmp_path: Path) -> None:
    found = run_check(
        Check("V1", "sh -c 'exec >&- 2>&-; sleep 0.3; exit 5'", 5), str(tmp_path), {"PATH": os.environ["PATH"]}
    )
    assert found.exit_status == 5


# Environment, control plane, processes, scratch.


@pytest.mark.contract("C8.3")
def test_no_secret_reaches_a_command(bench: Bench2) -> None:
    bench.check("env")
    found = bench.verify()
    names = {line.split("=", 1)[0] for line in found.runs[0].tail.splitlines()}
    assert {"PATH", "HOME", "PYTHONDONTWRITEBYTECODE"} <= names
    assert not {
        name for name in names if "KEY" in name or "TOKEN" in name or name.startswith(("CLAUDE", "PLUGIN", "CODEX"))
    }


@pytest.mark.contract("C8.6")
def test_the_environments_fingerprint_holds_no_value() -> None:
    environ = clean_environment({"PATH": "/secret/bin", "X_TOKEN": "t"})
    assert "X_TOKEN" not in environ
    assert environment_fingerprint(environ) != environment_fingerprint({**environ, "PATH": "/other"})
    assert "secret" not in environment_fingerprint(environ)


def test_the_control_planes_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f").write_text("1")
    paths = (str(tmp_path / "a"), str(tmp_path / "missing"))
    seen = [watch_fingerprint(paths)]
    assert watch_fingerprint(reversed(paths)) == seen[0]
    for change in (
        lambda: (tmp_path / "a" / "f").write_text("2"),
        lambda: (tmp_path / "a" / "g").symlink_to("f"),
        lambda: (tmp_path / "a" / "f").chmod(0o755),
        lambda: (tmp_path / "missing").write_text(""),
        (tmp_path / "a" / "f").unlink,
    ):
        change()
        seen.append(watch_fingerprint(paths))
    assert len(set(seen)) == len(seen)


def test_a_process_is_named_by_id_and_start() -> None:
    mine = started_at(os.getpid())
    assert mine.isdecimal()
    assert is_alive(os.getpid(), mine)
    assert not is_alive(os.getpid(), str(int(mine) + 1))
    assert not is_alive(os.getpid(), "")
    assert started_at(999999999) == ""
    assert not is_alive(999999999, mine)


def test_a_programs_name_may_hold_anything(tmp_path: Path) -> None:
    program = tmp_path / "a) S 1 (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([str(program), "30"]) as process:
        assert started_at(process.pid).isdecimal()
        process.kill()


@pytest.mark.contract("C7.15")
def test_scratch(tmp_path: Path) -> None:
    environ = {"TMPDIR": str(tmp_path)}
    path = make_scratch("r1", "/repo", environ)
    assert path == f"{os.path.realpath(tmp_path)}/harness-guard-r1"
    assert os.stat(path).st_mode & 0o777 == 0o700
    assert make_scratch("r1", "/repo", environ) == path


@pytest.mark.contract("C7.15")
@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_scratch_folder_that_is_not_ours(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "harness-guard-r1"
    if kind == "link":
        (tmp_path / "elsewhere").mkdir()
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.write_text("")
    with pytest.raises(EvidenceError):
        make_scratch("r1", "/repo", {"TMPDIR": str(tmp_path)})


@pytest.mark.contract("C8.6")
def test_the_plan_hash_is_in_the_record(bench: Bench2) -> None:
    bench.verify()
    assert bench.last is not None
    assert bench.last["accepted_plan_hash"] == HASH
