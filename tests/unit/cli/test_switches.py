"""Settings files that switch the guard off, each beside its harmless neighbour."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness_guard.cli.hosts.host import Host
from harness_guard.cli.hosts.switches import find_problems, has_no_terminal, project_folders

ID = "harness@harness-guard"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    inner = tmp_path / "repo" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    return inner


def host(name: str, tmp_path: Path) -> Host:
    (tmp_path / "home").mkdir(exist_ok=True)
    return Host("codex" if name == "codex" else "claude", f"/bin/{name}", str(tmp_path / "home"), {})


CLAUDE = [
    ("home/settings.json", {"disableAllHooks": True}, "`disableAllHooks` switches the hooks off"),
    ("repo/.claude/settings.json", {"disableAllHooks": True}, "`disableAllHooks` switches the hooks off"),
    ("repo/inner/.claude/settings.local.json", {"disableAllHooks": True}, "`disableAllHooks` switches the hooks off"),
    ("repo/.claude/settings.json", {"enabledPlugins": {ID: False}}, f"`enabledPlugins` switches {ID} off"),
    ("home/settings.json", {"allowManagedHooksOnly": True}, "`allowManagedHooksOnly` leaves the hooks of plugins out"),
    ("repo/.claude/settings.json", [], "it is no object"),
]
CODEX = [
    ("home/config.toml", "[features]\nhooks = false\n", "`features.hooks = false` switches the hooks off"),
    ("repo/.codex/config.toml", "[features]\nplugins = false\n", "`features.plugins = false` switches the hooks off"),
    (
        "repo/inner/.codex/config.toml",
        f'[plugins."{ID}"]\nenabled = false\n',
        f'`plugins."{ID}".enabled = false` switches the plugin off',
    ),
    (
        "repo/.codex/config.toml",
        "[features]\nunified_exec_tty = true\n",
        "`features.unified_exec_tty = true` lets the model type into a program unseen",
    ),
    (
        "home/config.toml",
        "[profiles.fast.features]\nhooks = false\n",
        "`profiles.fast.features.hooks = false` switches the hooks off",
    ),
]
HARMLESS = [
    ("claude", "home/settings.json", json.dumps({"disableAllHooks": False, "enabledPlugins": {ID: True, "x@y": False}})),
    ("claude", "repo/.claude/settings.json", ""),
    ("claude", "settings.json", json.dumps({"disableAllHooks": True})),
    ("codex", "home/config.toml", f'[features]\nhooks = true\n[plugins."{ID}"]\nenabled = true\n[plugins."x@y"]\nenabled = false\n'),
    ("codex", "home/.codex/config.toml", "[features]\nhooks = false\n"),
]  # fmt: skip


def put(folder: Path, path: str, text: str) -> str:
    whole = folder / path
    whole.parent.mkdir(parents=True, exist_ok=True)
    whole.write_text(text)
    return str(whole)


@pytest.mark.parametrize(("path", "settings", "seen"), CLAUDE)
def test_claude(tmp_path: Path, project: Path, path: str, settings: object, seen: str) -> None:
    file = put(tmp_path, path, json.dumps(settings))
    found = [(problem.file, problem.seen) for problem in find_problems(host("claude", tmp_path), str(project))]
    assert found == [(file, seen)]


@pytest.mark.parametrize(("path", "text", "seen"), CODEX)
def test_codex(tmp_path: Path, project: Path, path: str, text: str, seen: str) -> None:
    file = put(tmp_path, path, text)
    found = [(problem.file, problem.seen) for problem in find_problems(host("codex", tmp_path), str(project))]
    assert found == [(file, seen)]


@pytest.mark.parametrize(("name", "path", "text"), HARMLESS)
def test_harmless(tmp_path: Path, project: Path, name: str, path: str, text: str) -> None:
    put(tmp_path, path, text)
    assert find_problems(host(name, tmp_path), str(project)) == []


@pytest.mark.parametrize(("name", "path"), [("claude", "repo/.claude/settings.json"), ("codex", "home/config.toml")])
def test_what_cannot_be_read_is_a_problem(tmp_path: Path, project: Path, name: str, path: str) -> None:
    put(tmp_path, path, "{nonsense")
    (found,) = find_problems(host(name, tmp_path), str(project))
    assert found.seen.startswith("it cannot be read: ")


def test_folders_end_at_the_repository(tmp_path: Path, project: Path) -> None:
    assert project_folders(str(project)) == [str(project), str(tmp_path / "repo")]
    lone = tmp_path / "lone"
    lone.mkdir()
    assert project_folders(str(lone)) == [str(lone)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("[features]\nunified_exec_tty = false\n", True),
        ("[features]\nunified_exec_tty = true\n", False),
        ("=", False),
    ],
)
def test_terminals(tmp_path: Path, text: str, *, expected: bool) -> None:
    codex = host("codex", tmp_path)
    assert has_no_terminal(codex) is False
    put(tmp_path, "home/config.toml", text)
    assert has_no_terminal(codex) is expected
    os.unlink(tmp_path / "home" / "config.toml")
