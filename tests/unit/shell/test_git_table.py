"""git's part of the table: each subcommand in its module, and its options as the installed git takes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness_guard.shell.commands.git import MODULES, OTHERS, VERBS, verbs_of
from harness_guard.shell.commands.model import Row, longs_of

MARK = "--zz-no-such"
COMPLAINTS = ("unrecognized option", "unknown option", "unrecognized argument", "unknown switch")
PROGRAM = """
import sys
from harness_guard.shell.commands.git import VERBS
print(VERBS.get({name!r}) is not None, sorted(name.rpartition(".")[2] for name in sys.modules if ".git_" in name))
"""


def taking(row: Row) -> list[str]:
    """The options that the table lets take the next word."""
    return [f"-{letter}" for letter in row.valued] + [name for name, kind in longs_of(row).items() if kind == "="]


def run(argv: list[str], folder: Path) -> str:
    done = subprocess.run(
        argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=20,
        check=False,
    )  # fmt: skip
    return done.stderr


def complains(argv: list[str], folder: Path) -> str:
    """Give what git says of the mark, ``""`` if it took it for a value."""
    said = [line for line in run(argv, folder).splitlines() if "zz-no-such" in line]
    return next((line for line in said if any(word in line for word in COMPLAINTS)), "")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a").write_text("a\n")
    subprocess.run(["git", "add", "a"], cwd=tmp_path, check=True)
    subprocess.run(["git", *who, "commit", "-qm", "a"], cwd=tmp_path, check=True)
    (tmp_path / "a").write_text("b\n")
    return tmp_path


@pytest.mark.parametrize("module", sorted(MODULES))
def test_the_names_are_the_modules_verbs(module: str) -> None:
    assert sorted(MODULES[module].split()) == sorted(verb.row.name for verb in verbs_of(module))


def test_no_subcommand_stands_twice() -> None:
    names = [name for module in MODULES.values() for name in module.split()]
    assert len(names) == len(set(names)) == len(dict(VERBS.items()))
    assert not set(OTHERS.split()) & set(names)


@pytest.mark.parametrize(
    ("name", "loaded"),
    [
        ("status", "['git_reading', 'git_verbs']"),
        ("checkout", "['git_moving', 'git_verbs']"),
        ("fetch", "['git_asking', 'git_verbs']"),
    ],
)
def test_only_one_module_is_loaded(name: str, loaded: str) -> None:
    root = str(Path(__file__).parents[3])
    program = [sys.executable, "-c", PROGRAM.format(name=name)]
    done = subprocess.run(program, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"True {loaded}"


@pytest.mark.parametrize("name", sorted(name for name, verb in VERBS.items() if taking(verb.row)))
def test_a_value_of_the_table_is_one_of_git(name: str, repo: Path) -> None:
    verb = VERBS.get(name)
    assert verb is not None
    output = repo / "output"
    for option in taking(verb.row):
        output.unlink(missing_ok=True)
        said = complains(["git", *name.split("."), option, MARK], repo)
        complains(["git", *name.split("."), option, f"--output={output}"], repo)
        assert (option, said, output.exists()) == (option, "", False)


@pytest.mark.parametrize("name", ["-X", "--unified", "-U"])
def test_the_comparison_sees_an_option_that_takes_no_word(name: str, repo: Path) -> None:
    complains(["git", "diff", name, f"--output={repo}/seen"], repo)
    assert (repo / "seen").exists()


@pytest.mark.parametrize("option", ["--create-reflog", "-d"])
def test_the_comparison_sees_an_option_that_git_does_not_take(option: str, repo: Path) -> None:
    assert complains(["git", "tag", option, MARK], repo)


@pytest.mark.parametrize("name", sorted(set(OTHERS.split())))
def test_what_is_called_a_command_of_git_is_one_where_it_is_known_here(name: str, repo: Path) -> None:
    known = subprocess.run(["git", "--list-cmds=main,others"], capture_output=True, text=True, check=True)
    newer = {"backfill", "diagnose", "last-modified", "refs", "replay", "repo", "scalar"}
    packaged = {"citool", "cvsexportcommit", "cvsimport", "cvsserver", "gui", "gitk", "p4", "send-email", "svn"}
    assert name in set(known.stdout.split()) | newer | packaged | {"sh-i18n", "sh-setup"}
