"""Hosts on ``PATH``: found, asked, and their failures told."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_guard.cli.hosts.host import Host, chosen_hosts, find_host
from harness_guard.cli.hosts.installed import Installed, installed_plugin
from harness_guard.cli.main import main
from harness_guard.errors import ProvisionError


def program(folder: Path, name: str, text: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_host_is_found_with_its_own_home(tmp_path: Path) -> None:
    binary = program(tmp_path / "bin", "codex", "true")
    environ = {"PATH": str(tmp_path / "bin"), "CODEX_HOME": str(tmp_path / "home"), "PLUGIN_DATA": "/x"}
    found = find_host("codex", environ)
    assert found == Host("codex", binary, str(tmp_path / "home"), {key: environ[key] for key in ("PATH", "CODEX_HOME")})
    assert found.places.data == f"{tmp_path}/home/plugins/data/harness-harness-guard"
    assert find_host("claude", environ) is None


@pytest.mark.parametrize(
    ("choice", "there", "seen"),
    [
        ("codex", ["claude"], "there is no `codex` on PATH"),
        ("both", ["codex"], "there is no `claude` on PATH"),
        (None, [], "neither `codex` nor `claude` is on PATH"),
    ],
)
def test_a_host_that_is_not_there(tmp_path: Path, choice: str | None, there: list[str], seen: str) -> None:
    for name in there:
        program(tmp_path / "bin", name, "true")
    with pytest.raises(ProvisionError) as caught:
        chosen_hosts(choice, {"PATH": str(tmp_path / "bin")})
    assert caught.value.seen == seen


def test_without_a_choice_it_is_those_that_are_there(tmp_path: Path) -> None:
    program(tmp_path / "bin", "claude", "true")
    assert [host.name for host in chosen_hosts(None, {"PATH": str(tmp_path / "bin")})] == ["claude"]


def test_a_failing_command_is_told_without_noise(tmp_path: Path) -> None:
    text = "echo 'WARNING: helpers' >&2; echo 'Error: already added from a different source' >&2; exit 3"
    host = Host("codex", program(tmp_path / "bin", "codex", text), str(tmp_path), {"PATH": "/bin:/usr/bin"})
    with pytest.raises(ProvisionError) as caught:
        host.run("plugin", "add", "x")
    assert caught.value.seen == (
        "`codex plugin add x` ended with status 3: Error: already added from a different source"
    )


CAUSED = """\
Error: failed to add the marketplace

Caused by:
    0: cannot write {0}
    1: while copying
    2: Permission denied
    3: not told any more
Stack backtrace
   0: main
"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (CAUSED, "Error: failed to add the marketplace | Caused by: 0: cannot write {0}; 1: while copying; 2: Permission denied"),
        ("Error: x\nCaused by:\n    No such file\nmore", "Error: x | more | Caused by: No such file"),
        ("Caused by:\nnothing indented", "nothing indented"),
        ("", "it says nothing"),
    ],
)  # fmt: skip
def test_the_cause_is_told(tmp_path: Path, said: str, told: str) -> None:
    binary = program(tmp_path / "bin", "codex", f"cat >&2 <<'E'\n{said}\nE\nexit 1")
    with pytest.raises(ProvisionError) as caught:
        Host("codex", binary, str(tmp_path), {"PATH": "/bin:/usr/bin"}).run("x")
    assert caught.value.seen == f"`codex x` ended with status 1: {told}"


def test_a_named_home_of_codex_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path / "bin", "codex", "exit 1")
    home = tmp_path / "it's new"
    for name, value in (("PATH", tmp_path / "bin"), ("CODEX_HOME", home), ("PLUGIN_DATA", tmp_path / "data")):
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr("harness_guard.cli.verbs.install.symbolic_links", lambda _root: [])
    assert main(["install"]) == 1
    quoted = str(home).replace("'", "'\\''")
    assert capsys.readouterr().err == (
        f"harness-guard host.home: CODEX_HOME names `{home}`, which is not there\nNext: run: mkdir -p '{quoted}'\n"
    )
    home.mkdir()
    assert main(["install"]) == 1
    assert "harness-guard host.command: `codex plugin marketplace add" in capsys.readouterr().err


def test_one_failed_check_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path / "bin", "claude", "echo []")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--host", "claude"]) == 1
    assert capsys.readouterr().out.endswith("\n1 check failed\n")


CODEX_LIST = '{"installed": [{"pluginId": "harness@harness-guard", "version": "1.2", "installed": true, "enabled": %s, "source": {"path": "/src"}}]}'
CLAUDE_LIST = (
    '[{"id": "other@x"}, {"id": "harness@harness-guard", "version": "1.2", "enabled": %s, "installPath": "/copy"%s}]'
)


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        ("codex", CODEX_LIST % "true", Installed("HOME/plugins/cache/harness-guard/harness/1.2", "1.2", is_enabled=True, source="/src")),
        ("codex", CODEX_LIST % "false", Installed("HOME/plugins/cache/harness-guard/harness/1.2", "1.2", is_enabled=False, source="/src")),
        ("codex", '{"installed": []}', None),
        ("claude", CLAUDE_LIST % ("true", ""), Installed("/copy", "1.2", is_enabled=True, source="/copy")),
        ("claude", CLAUDE_LIST % ("false", ', "readFromFolder": "/src", "folderVersion": "1.3"'), Installed("/src", "1.3", is_enabled=False, source="/src")),
        ("claude", "[]", None),
    ],
)  # fmt: skip
def test_what_a_host_says_of_the_plugin(tmp_path: Path, name: str, said: str, expected: Installed | None) -> None:
    binary = program(tmp_path / "bin", name, f"cat <<'E'\n{said}\nE")
    host = Host("codex" if name == "codex" else "claude", binary, "HOME", {"PATH": "/bin:/usr/bin"})
    assert installed_plugin(host) == expected


def test_a_host_that_says_no_json(tmp_path: Path) -> None:
    host = Host("claude", program(tmp_path / "bin", "claude", "echo hello"), "HOME", {"PATH": "/bin:/usr/bin"})
    with pytest.raises(ProvisionError, match="printed no JSON"):
        installed_plugin(host)
