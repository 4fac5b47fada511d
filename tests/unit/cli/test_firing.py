"""The doctor's shots: a guard that is too lax or too strict is told, whatever its files look like."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness_guard.cli.checks.firing import check_firing
from harness_guard.cli.hosts.host import Host
from harness_guard.runtime.registration import command

REASON = "harness-guard x.y: seen.\\nNext: mend."
DENY = f'printf \'%s\' \'{{"decision":"block","reason":"{REASON}"}}\'; echo seen >&2; exit 2'
SILENT_IF_EMPTY = '[ -n "$(ls "$CLAUDE_PLUGIN_DATA/active")" ] || exit 0; '
TITLES = ("fired without a run", "fired without a runtime", "fired without a state")


@pytest.fixture(params=["codex", "claude"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Host:
    """A host whose data folder has an interpreter."""
    found = Host(request.param, "/bin/host", str(tmp_path / "home"), {"PATH": "/usr/bin:/bin"})
    Path(found.places.data).mkdir(parents=True)
    Path(found.places.interpreter).write_text(sys.executable + "\n")
    return found


def fired(host: Host, folder: Path, line: str) -> dict[str, bool]:
    root = folder / "plugin"
    (root / "hooks").mkdir(parents=True)
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}
    (root / "hooks" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    return {check.title: check.is_ok for check in check_firing(host, str(root))}


def test_a_guard_that_never_answers(host: Host, tmp_path: Path) -> None:
    assert fired(host, tmp_path, "exit 0") == dict(zip(TITLES, (True, False, False), strict=True))


def test_a_guard_that_always_denies(host: Host, tmp_path: Path) -> None:
    assert fired(host, tmp_path, DENY) == dict(zip(TITLES, (False, True, False), strict=True))


def test_a_guard_that_crashes(host: Host, tmp_path: Path) -> None:
    assert fired(host, tmp_path, SILENT_IF_EMPTY + "exit 1") == dict(zip(TITLES, (True, False, False), strict=True))


def test_a_deny_must_be_the_guard_s_own_where_it_can_start(host: Host, tmp_path: Path) -> None:
    """The last resort of the registered line denies too; where a runtime is there, the guard itself has to answer."""
    assert fired(host, tmp_path, SILENT_IF_EMPTY + DENY) == dict(zip(TITLES, (True, True, False), strict=True))
    vanished = DENY.replace("x.y: seen", "store.vanished: the run has no state, the run\\u0027s state has vanished")
    assert fired(host, tmp_path / "two", SILENT_IF_EMPTY + vanished) == dict.fromkeys(TITLES, True)


def test_the_registered_line_alone_denies(host: Host, tmp_path: Path) -> None:
    """Without the launcher behind it: silence without a run, else the refusal of its own."""
    assert fired(host, tmp_path, command("PreToolUse")) == dict(zip(TITLES, (True, True, False), strict=True))


def test_without_a_recorded_interpreter_the_guard_cannot_start(host: Host, tmp_path: Path) -> None:
    Path(host.places.interpreter).unlink()
    assert fired(host, tmp_path, SILENT_IF_EMPTY + DENY)["fired without a state"] is False


def test_a_missing_or_doubled_registration(host: Host, tmp_path: Path) -> None:
    (found,) = check_firing(host, str(tmp_path))
    assert (found.is_ok, found.title) == (False, "fired PreToolUse")
