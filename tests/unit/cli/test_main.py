"""The assembled command line: every verb has help and stands in the README; failures name what was found and the mend."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness_guard.cli.main import VERBS, cli, main
from harness_guard.places import Places
from harness_guard.store.runs import RunStore

ROOT = Path(__file__).resolve().parents[3]
NAMES = [verb.name for verb in VERBS]


def test_the_verbs_are_the_modules() -> None:
    modules = sorted(path.stem for path in (ROOT / "harness_guard/cli/verbs").glob("*.py") if path.stem != "__init__")
    assert sorted(str(name) for name in NAMES) == modules


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_each_verb_has_help(verb: object) -> None:
    name = str(getattr(verb, "name", ""))
    shown = CliRunner().invoke(cli, [name, "--help"])
    assert shown.exit_code == 0
    assert shown.output.startswith(f"Usage: harness-guard {name}")
    said = shown.output.split("\n\n")[1].strip()
    assert len(said.split()) >= 4, "a sentence that says what it does"
    for parameter in getattr(verb, "params", []):
        if parameter.param_type_name == "option":
            assert parameter.help, f"option {parameter.name} is explained"


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_mentions_each_verb(name: str) -> None:
    text = (ROOT / "README.md").read_text()
    assert f"harness-guard {name}" in text or f"harness_guard.py {name}" in text


def test_without_a_verb_it_helps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert [name for name in NAMES if f"\n  {name} " in shown] == NAMES
    assert "provision [--from DIR]" in shown


def test_the_version_is_the_manifest_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    version = json.loads((ROOT / "plugin.json").read_text())["version"]
    assert capsys.readouterr().out == f"harness-guard {version}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["status", "--frobnicate"], "No such option"),
        (["artifact"], "Missing argument 'KIND'"),
        (["artifact", "amendment"], "'amendment' is not one of"),
        (["install", "--host", "cursor"], "'cursor' is not one of"),
    ],
)
def test_wrong_usage_is_status_2(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err


def test_a_failure_names_rule_finding_and_mend(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    assert main(["artifact", "completion", "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"harness-guard cli.no-run: no run is active in {tmp_path}\n"
        "Next: start one: type $harness and the task in Codex or Claude Code\n"
    )


def test_without_a_data_folder_it_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)
    assert main(["status"]) == 1
    assert capsys.readouterr().err == (
        "harness-guard cli.no-data-folder: no data folder is named\nNext: give --data DIR or set PLUGIN_DATA\n"
    )


def test_a_reader_that_has_seen_enough_gets_no_traceback(tmp_path: Path) -> None:
    for number in range(3000):
        store = RunStore(Places(str(tmp_path)), f"session-{number}")
        os.makedirs(store.folder)
    script = "import sys; from harness_guard.cli.main import main; sys.exit(main(sys.argv[1:]))"
    argv = [sys.executable, "-c", script, "status", "--data", str(tmp_path)]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1
