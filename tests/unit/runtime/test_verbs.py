"""Verbs that need no package: what they answer, and how they are spelled for a person."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from harness_guard.errors import ProvisionError
from harness_guard.runtime.provision import default_data_folder
from harness_guard.runtime.spelling import shell_word, verb_command
from harness_guard.runtime.verbs import run

ROOT = Path(__file__).resolve().parents[3]


def ended(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as caught:
        run(list(arguments), str(ROOT))
    return caught.value.code


@pytest.mark.parametrize("word", ["/a/b", "it's", "a b", "$(x)", ""])
def test_a_word_is_one_word(word: str) -> None:
    assert shlex.split(shell_word(word)) == [word]
    assert shlex.split(verb_command(word, "install")) == ["python3", f"{word}/hooks/harness_guard.py", "install"]


@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_provision_explains_itself(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("provision", asked) == 0
    shown = capsys.readouterr()
    assert (shown.out.split("\n")[0], shown.err) == ("Usage: harness-guard provision [--from DIR]", "")


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        (("--from",), "--from needs a folder"),
        (("--form", "x"), "unknown argument `--form`"),
        (("--from", "x", "y"), "unknown argument `y`"),
    ],
)
def test_wrong_usage_of_provision(arguments: tuple[str, ...], seen: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("provision", *arguments) == 2
    told = f"harness-guard provision.usage: {seen}\nNext: give --from DIR or nothing\n"
    assert capsys.readouterr().err == told


def test_without_a_data_folder_the_next_step_can_be_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)
    assert ended("provision") == 1
    assert capsys.readouterr().err.endswith(f"or run: python3 '{ROOT}/hooks/harness_guard.py' install\n")


@pytest.mark.parametrize(
    ("cache", "home", "expected"),
    [
        ("/c", "", "/c/harness-guard"),
        ("", "/h", "/h/.cache/harness-guard"),
        ("relative", "/h", "/h/.cache/harness-guard"),
        ("", "", None),
        ("", "relative", None),
    ],
)
def test_the_folder_nobody_chose(cache: str, home: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    monkeypatch.setenv("HOME", home)
    if expected is not None:
        assert default_data_folder() == expected
        return
    with pytest.raises(ProvisionError, match="HOME names no folder"):
        default_data_folder()


PIP = """\
import sys
if "--version" in sys.argv:
    sys.exit()
assert "-q" in sys.argv
print("WARNING: Retrying\\nERROR: Could not find x\\nsome trace\\nERROR: No matching x", file=sys.stderr)
sys.exit(1)
"""


FETCHING = "harness-guard provision: fetching the locked packages with pip: some 20 MB, once; this may take a minute"


@pytest.fixture
def failing_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A pip that installs nothing, and a data folder that has nothing yet."""
    folder = tmp_path / "modules" / "pip"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "__main__.py").write_text(PIP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    monkeypatch.setenv("PLUGIN_DATA", f"{tmp_path}/data")
    monkeypatch.setenv("CLAUDE_PLUGIN_DATA", f"{tmp_path}/data")
    return f"{tmp_path}/data"


def test_what_pip_calls_errors_is_told_and_the_way_without_a_network(
    failing_pip: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended("provision") == 1
    lines = capsys.readouterr().err.strip().split("\n")
    assert lines[0] == FETCHING
    assert lines[-2] == (
        "harness-guard provision.fetch: pip could not install the locked packages: Could not find x | No matching x"
    )
    assert lines[-1].endswith(
        f"PLUGIN_DATA='{failing_pip}' python3 '{ROOT}/hooks/harness_guard.py' provision --from DIR"
    )


def test_a_first_run_says_what_it_waits_for(failing_pip: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("demo") == 1
    lines = capsys.readouterr().err.split("\n")
    assert lines[:2] == [f"harness-guard: first run: preparing the runtime in {failing_pip}, once", FETCHING]
