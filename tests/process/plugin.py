"""A stand-in plugin on disk: the real launcher, entry and front door around a ``dispatch`` that a test writes.

What is tested here is the frame: whatever the inside does, the answer is the safe one. The inside has its own tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from harness_guard.runtime.naming import runtime_name
from harness_guard.runtime.registration import command

ROOT = Path(__file__).resolve().parents[2]
LEAVES = ("__init__.py", "errors.py", "places.py", "rawjson.py", "records.py")
SHELLS = tuple(shell for shell in ("/bin/dash", "/bin/bash") if Path(shell).exists())

DISPATCH = '''\
"""Stand-in: a test's own decision."""


class Answer:
    def __init__(self, stdout="", stderr="", status=0):
        self.stdout, self.stderr, self.status = stdout, stderr, status


def answer(raw, environ, plugin_root, marker):
    {body}
'''


@dataclass(frozen=True)
class Reply:
    """What a hook process gave back."""

    stdout: str
    stderr: str
    status: int

    @property
    def parsed(self) -> dict[str, object]:
        """The JSON object on standard output."""
        value = json.loads(self.stdout)
        assert isinstance(value, dict)
        return value


SILENCE = Reply("", "", 0)


@dataclass
class StandIn:
    """One plugin folder and one data folder below a temporary folder."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Lay out both folders, without a marker."""
        self.root, self.data = self.folder / "the plugin's folder", self.folder / "the data folder"
        (self.root / "hooks").mkdir(parents=True)
        for name in ("launch.sh", "harness_guard.py", "last_resort.py"):
            shutil.copy2(ROOT / "hooks" / name, self.root / "hooks" / name)
        shutil.copytree(
            ROOT / "harness_guard" / "runtime",
            self.root / "harness_guard" / "runtime",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for name in LEAVES:
            shutil.copy2(ROOT / "harness_guard" / name, self.root / "harness_guard" / name)
        self.decide("return Answer()")
        (self.data / "active").mkdir(parents=True)
        (self.data / "runtime" / runtime_name()).mkdir(parents=True)
        self.record(sys.executable)
        keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environ = keep | {"CLAUDE_PLUGIN_ROOT": str(self.root), "CLAUDE_PLUGIN_DATA": str(self.data)}

    def decide(self, body: str) -> None:
        """Give the inside its decision: the body of ``answer``."""
        text = DISPATCH.format(body=body.replace("\n", "\n    "))
        (self.root / "harness_guard" / "dispatch.py").write_text(text)

    def record(self, interpreter: str) -> None:
        """Record an interpreter, as ``provision`` does."""
        (self.data / "interpreter").write_text(interpreter + "\n")

    def program(self, text: str) -> str:
        """Make an executable shell script and give its path."""
        path = self.folder / "program"
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return str(path)

    def activate(self, name: str = "run-1") -> Path:
        """Put a marker in place."""
        marker = self.data / "active" / name
        marker.write_text("{}")
        return marker

    def markers(self) -> list[str]:
        """Name the markers that stand."""
        return sorted(path.name for path in (self.data / "active").iterdir())

    def hook(self, event: str, payload: bytes | str = b"{}", *, shell: str = "/bin/sh") -> Reply:
        """Run the registered command of an event as a host does."""
        return self.run([shell, "-c", command(event)], payload)

    def direct(self, payload: bytes | str, *flags: str) -> Reply:
        """Pipe a payload into the entry itself, in the hosts' own protocol."""
        return self.run([sys.executable, *flags, str(self.root / "hooks" / "harness_guard.py")], payload)

    def run(self, argv: list[str], payload: bytes | str) -> Reply:
        """Run a command with the plugin's environment."""
        raw = payload.encode() if isinstance(payload, str) else payload
        done = subprocess.run(
            argv, input=raw, capture_output=True, env=self.environ, cwd=self.folder, check=False, timeout=60
        )
        return Reply(done.stdout.decode(), done.stderr.decode(), done.returncode)
