"""Programs that go by what stands in the folder: what passes where the folder is plain, and what never does."""

from __future__ import annotations

import pytest
from shell_effects import SHFMT, WHERE, effects_of, verdict_of

from harness_guard.evidence.shell_facts import gather
from harness_guard.shell.aftermath import unsettles
from harness_guard.shell.analysis import Needs, ShellFacts, analyse
from harness_guard.shell.commands.model import is_listed
from harness_guard.shell.commands.option_files import above
from harness_guard.shell.effects import Effects, Write
from harness_guard.shell.facts import FileText
from harness_guard.shell.names import NameSource

PLAIN = """
npm --version => reads
npm view react => reads
npm view @types/node version => reads
npm ls --depth=0 => reads
npm config get registry => reads
npm outdated --json => reads
npm audit --json => reads
npm audit fix => unknown
npm dist-tag ls => reads
npm version => reads
npm fund => reads
npm fund react => unknown
npm view ./x => unknown
npm view x:y => unknown
python3 -c 'print(1)' => reads
python3 -m json.tool a.json => reads
python3 -m json.tool a.json b.json => writes
python3 -m black src => unknown
python3 -I -m black --check src => reads
node -p "require('./package.json').version" => reads
node -p "require('./package.json').scripts.test" => reads
node -e "console.log(process.argv[1])" a b => reads
node -e "1" --require ./x.js => unknown
node --eval=1+1 => reads
node --eval= => unknown
node --print='process.exit()' => reads
node --print='process.kill(1)' => unknown
node -p "x.require('./package.json')" => unknown
node -p "require('./x.js')" => unknown
node -p "require('package.json')" => unknown
black src => writes
black src/*.py => writes
isort src => writes
gofmt -w a.go => writes
gofmt -l -w a.go => writes
shfmt -i 2 -w a.sh => writes
shfmt -i 2 -d a.sh => reads
clang-format -i a.c => writes
clang-format --style=google a.c => reads
ruff check --isolated --fix --no-cache src => writes
ruff format --isolated --no-cache => writes
ruff check --config pyproject.toml --no-cache src => reads
ruff check --config=pyproject.toml --no-cache --fix src => writes
ruff check --config lint.fixable=x --no-cache src => unknown
ruff check --config "$X" --no-cache src => unknown
ruff check --config a.toml --config b.toml --no-cache src => unknown
ruff format --isolated --no-cache --check => reads
ruff check src => writes
ruff check --no-cache src => reads
ruff check --no-cache --fix src => writes
ruff check --no-cache ../src => unknown
ruff check --no-cache /repo/src => unknown
ruff check --no-cache src/../../x => unknown
ruff check --no-cache .venv/x.py => unknown
ruff check --no-cache src/*.py => unknown
shellcheck a.sh => reads
shellcheck --norc a.sh => reads
shellcheck -ax a.sh => unknown
yamllint . => reads
rustup show => reads
rustup default nightly => unknown
"""
CASES = [tuple(line.split(" => ")) for line in PLAIN.strip().split("\n")]


@pytest.mark.parametrize(("command", "expected"), CASES)
def test_where_the_folder_is_plain(command: str, expected: str) -> None:
    assert verdict_of(command) == expected


@pytest.mark.contract("E6.2")
@pytest.mark.parametrize(
    "command",
    [
        "echo x > json.py; python3 -c 'print(1)'",
        "mkdir json; echo x > json/__init__.py; python3 -c 'print(1)'",
        "mv evil json; python3 -c 'print(1)'",
        "ln -s evil.py re.py; python3 -m json.tool a",
        'python3 -c \'open("json.py","w").write("x")\'',
        "cp -r evil json; python3 -c 'print(1)'",
        "rm package.json; node -p \"require('./package.json').version\"",
        "mv a.js package.json; node -p \"require('./package.json').version\"",
        "ln -sf a.js package.json; node -p \"require('./package.json').version\"",
        "echo x > .npmrc; npm ls",
        "mv x .npmrc; npm ls",
        "ln -s ../docs/x.py src/x.py; black src",
        "echo fix=true > ruff.toml; ruff check --no-cache src",
        "mv x pyproject.toml; ruff check --no-cache",
        "tar xf a.tar -C docs; ruff check --no-cache",
        "cp -r x src; black src",
    ],
)
def test_the_text_itself_changes_the_folder(command: str) -> None:
    assert "a program goes by what stands in the folder, which the text itself changes" in {
        unknown.why for unknown in effects_of(command).unknown
    }


@pytest.mark.parametrize(
    "command",
    [
        "echo x > a.json; python3 -m json.tool a.json",
        'python3 -c \'open("src/main.py","w").write("x")\'',
        "rm json.py; python3 -c 'print(1)'",
        "echo x > a.txt; node -p \"require('./package.json').version\"",
        "touch src/a.py; black src",
        "touch src/a.py; ruff check src; ruff format --no-cache src",
        "ln -s a b; black src",
        "python3 -m compileall -q src",
    ],
)
def test_the_text_changes_something_else(command: str) -> None:
    assert effects_of(command).unknown == ()


@pytest.mark.parametrize(
    ("write", "source", "expected"),
    [
        (Write("/repo/json.py", "file", "tee"), NameSource("unshadowed", "/repo"), True),
        (Write("/repo/JSON.py", "file", "tee"), NameSource("unshadowed", "/repo"), True),
        (Write("/repo/json.cpython-311-x86_64-linux-gnu.so", "file", "tee"), NameSource("unshadowed", "/repo"), True),
        (Write("/repo/json.txt", "file", "tee"), NameSource("unshadowed", "/repo"), False),
        (Write("/repo/main.py", "file", "tee"), NameSource("unshadowed", "/repo"), False),
        (Write("/repo/x/__init__.py", "file", "tee"), NameSource("unshadowed", "/repo"), True),
        (Write("/repo/src", "tree", "tar"), NameSource("unshadowed", "/repo"), True),
        (Write("/other", "tree", "tar"), NameSource("unshadowed", "/repo"), False),
        (Write("/repo/json.py", "entry", "rm"), NameSource("unshadowed", "/repo"), False),
        (Write("/repo/json.py", "meta", "chmod"), NameSource("unshadowed", "/repo"), False),
        (Write("/repo/src/__pycache__", "tree", "python3"), NameSource("unshadowed", "/repo"), False),
        (Write("/repo", "tree", "tar"), NameSource("absent", "/repo/.npmrc"), True),
        (Write("/repo/.npmrc", "file", "tee"), NameSource("absent", "/repo/.npmrc"), True),
        (Write("/repo/sub/.npmrc", "file", "tee"), NameSource("absent", "/repo/.npmrc"), True),
        (Write("/repo/x", "file", "tee"), NameSource("absent", "/repo/.npmrc"), False),
        (Write("/repo/*", "file", "tee", is_pattern=True), NameSource("absent", "/repo/.npmrc"), True),
        (Write("/repo/a.json", "entry", "rm"), NameSource("regular", "/repo/a.json"), True),
        (Write("/repo/b.json", "entry", "rm"), NameSource("regular", "/repo/a.json"), False),
        (Write("/repo/src/l", "entry", "ln"), NameSource("inside", "/repo/src"), True),
        (Write("/repo/src/l", "file", "tee"), NameSource("inside", "/repo/src"), False),
        (Write("/repo/l", "entry", "ln"), NameSource("inside", "/repo/src"), False),
        (Write("/repo/src/ruff.toml", "file", "tee"), NameSource("untuned", "/repo"), True),
        (Write("/repo/src", "tree", "cp"), NameSource("untuned", "/repo"), True),
        (Write("/repo/src", "tree", "ruff"), NameSource("untuned", "/repo"), False),
        (Write("/repo/src/a.py", "file", "tee"), NameSource("untuned", "/repo"), False),
    ],
)
def test_unsettles(write: Write, source: NameSource, *, expected: bool) -> None:
    assert unsettles(write, source) is expected


def test_above() -> None:
    assert above("/repo/a/") == ["/repo/a", "/repo", ""]
    assert above("/") == [""]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [("--all", "-a --all", True), ("--al", "-a --all", False), ("--depth=1", "--depth*", True), ("", "-a", False)],
)
def test_is_listed(text: str, words: str, *, expected: bool) -> None:
    assert is_listed(text, words.split()) is expected


PROGRAM = "import json\nprint(json.loads(open('a.json').read()))\nopen('out.txt', 'w').write('x')\n"


def in_file(command: str, text: str | None, *, believed: tuple[str, ...] = ("regular", "unshadowed")) -> Effects:
    facts = ShellFacts()
    while True:
        found = analyse(command, WHERE, facts)
        if isinstance(found, Effects):
            return found
        read = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
        names = {**facts.names, **{source: source.kind in believed for source in found.names}}
        files = {**facts.files, **dict.fromkeys(found.files, FileText(is_there=True, text=text))}
        facts = ShellFacts(read.readings, facts.git, names, files)


def test_a_program_in_a_file() -> None:
    found = in_file("python3 tools/x.py --flag", PROGRAM)
    assert found.unknown == ()
    assert [read.path for read in found.reads] == ["/repo/tools/x.py", "/repo/a.json"]
    assert [write.path for write in found.writes] == ["/repo/out.txt"]


@pytest.mark.parametrize(
    ("command", "text", "believed", "why"),
    [
        ("python3 x.py", PROGRAM, (), "python3 runs a program that is not read"),
        ("python3 x.py", None, ("regular", "unshadowed"), "python3 runs a program that is not read"),
        ("python3 $x", PROGRAM, ("regular", "unshadowed"), "python3 runs a program that is not read"),
        (
            "python3 x.py",
            PROGRAM,
            ("regular",),
            "python3 where a file of the folder may stand in for a module of its library; -I leaves it out",
        ),
        (
            "python3 x.py",
            "import helpers",
            ("regular", "unshadowed"),
            "python3 with a program that may do more than compute, print and open files that it names",
        ),
        (
            "echo x > tools/json.py; python3 tools/x.py",
            PROGRAM,
            ("regular", "unshadowed"),
            "a program goes by what stands in the folder, which the text itself changes",
        ),
        (
            "echo x > x.py; python3 x.py",
            PROGRAM,
            ("regular", "unshadowed"),
            "a program goes by what stands in the folder, which the text itself changes",
        ),
    ],
)
def test_a_program_in_a_file_that_is_not_believed(
    command: str, text: str | None, believed: tuple[str, ...], why: str
) -> None:
    assert why in {unknown.why for unknown in in_file(command, text, believed=believed).unknown}


def test_apart_from_its_folder_a_program_needs_no_look_at_it() -> None:
    assert in_file("python3 -I x.py", PROGRAM, believed=("regular",)).unknown == ()


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("sed -f x.sed a.txt", "# a comment\ns/a/b/\n", []),
        ("sed -n --file=x.sed a.txt", "s/a/b/p\n", []),
        ("sed -i -f x.sed a.txt", "s/a/b/\n", ["/repo/a.txt"]),
        ("sed -f x.sed a.txt", "w docs/x\n", ["/repo/docs/x"]),
        ("awk -f x.awk a.txt", "{ print $1 }\n", []),
        ("awk -F: -f x.awk a.txt b.txt", '{ print > "docs/x" }\n', ["/repo/docs/x"]),
    ],
)
def test_a_script_in_a_file(command: str, text: str, expected: list[str]) -> None:
    found = in_file(command, text)
    assert found.unknown == ()
    assert [write.path for write in found.writes] == expected
    assert "/repo/x." in " ".join(read.path for read in found.reads)


@pytest.mark.parametrize(
    ("command", "text", "believed"),
    [
        ("sed -f x.sed a.txt", "1e touch docs/x\n", ("regular",)),
        ("sed -f x.sed a.txt", "s/a/b/\n", ()),
        ("sed -f x.sed a.txt", None, ("regular",)),
        ("sed -f x.sed -e p a.txt", "s/a/b/\n", ("regular",)),
        ("sed -f x.sed -f y.sed a.txt", "s/a/b/\n", ("regular",)),
        ("sed -f - a.txt", "s/a/b/\n", ("regular",)),
        ("sed -f /dev/stdin a.txt", "s/a/b/\n", ("regular",)),
        ("sed -f *.sed a.txt", "s/a/b/\n", ("regular",)),
        ("echo w > x.sed; sed -f x.sed a.txt", "s/a/b/\n", ("regular",)),
        ("awk -f x.awk a.txt", 'BEGIN { system("touch docs/x" x) }\n', ("regular",)),
        ("awk -f x.awk -f y.awk a.txt", "{ print $1 }\n", ("regular",)),
        ("gawk -f x.awk a.txt", '@include "y"\n{ print $1 }\n', ("regular",)),
        ("awk -f $x a.txt", "{ print $1 }\n", ("regular",)),
    ],
)
def test_a_script_in_a_file_that_is_not_believed(command: str, text: str | None, believed: tuple[str, ...]) -> None:
    assert in_file(command, text, believed=believed).unknown


@pytest.mark.contract("E4.6")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest", "unknown"),
        ("npm test", "unknown"),
        ("cargo build", "unknown"),
        ("make", "unknown"),
        ("eslint .", "unknown"),
        ("ruff check --no-cache --isolated .", "reads"),
        ("ruff check --isolated .", "writes"),
        ("gofmt -l .", "reads"),
    ],
)
def test_code_that_was_not_read_and_tools_that_run_none(command: str, expected: str) -> None:
    assert verdict_of(command) == expected
