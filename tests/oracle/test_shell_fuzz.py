"""Random shell programs under real bash: whatever they write was predicted, unless the guard said that it cannot tell."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from oracle.bench import Bench, Unavailable
from oracle.grammar import programs

EXAMPLES = {"deep": 20_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 300)
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    root = tempfile.mkdtemp(prefix="shell-world-", dir=MEMORY)
    try:
        made = Bench(Path(root))
    except Unavailable as missing:
        pytest.skip(str(missing))  # neither root nor user namespaces: nothing here could hold a random program
    yield made
    made.close()
    shutil.rmtree(root, ignore_errors=True)


@pytest.mark.contract("C10.1", "E2.1", "E4.2")
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)
@given(program=programs())
def test_what_is_written_was_predicted(bench: Bench, program: str) -> None:
    effects = bench.predict(program)
    event("unknown" if effects.unknown else "writes" if effects.writes else "reads")
    if not effects.unknown:
        assert bench.missed(program, effects) == []


def test_the_bench_sees_what_is_not_predicted(bench: Bench) -> None:
    reads = bench.predict("ls")
    assert bench.missed("cd link-out/dir; echo x > q; mv ../secret.txt .", reads) == [
        "/outside/dir/q",
        "/outside/dir/secret.txt",
        "/outside/secret.txt",
    ]
    assert bench.missed("touch q; rm q", reads) == ["/repo/?"]
    assert bench.missed("rm -rf /*; ls", bench.predict("touch /tmp/x")) != []
    assert bench.missed("ls", reads) == []
