"""The rows of tests/cases/shell: what each command reads, writes or leaves unknown."""

from __future__ import annotations

import json
import sys
from os.path import normpath
from pathlib import Path

import pytest

from harness_guard.evidence.shell_facts import gather
from harness_guard.records import replace
from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings, analyse
from harness_guard.shell.effects import Effects, Relied, Unknown
from harness_guard.shell.facts import FileText, GitFacts
from harness_guard.shell.names import NameSource

CASES = [
    json.loads(line)
    for file in sorted((Path(__file__).parents[2] / "cases/shell").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
]
SHFMT = str(Path(sys.executable).parent / "shfmt")
QUIET_GIT = GitFacts("/repo", "/repo/.git", "/repo/.git")
WHERE = Surroundings("/repo", "/repo", "/home/dev", "/data/bin/harness-guard", ("/repo/.git",))


FILES = {
    "/repo/x.sh": FileText(is_there=True),  # not to be read
    "/repo/plain.sh": FileText(is_there=True, text='set -e\nmkdir -p "$1"\ntouch "$1/made"\n'),
    "/repo/scripts/run.sh": FileText(is_there=True, text="#!/usr/bin/env bash\ncd docs && touch made\n"),
    "/repo/posix.sh": FileText(is_there=True, text="#!/bin/sh -e\ntouch made\n"),
    "/repo/array.sh": FileText(is_there=True, text="#!/bin/sh\na+=(touch)\n"),
    "/repo/tool.py": FileText(is_there=True, text="#!/usr/bin/env python3\nprint(1)\n"),
    "/repo/env.sh": FileText(is_there=True, text="A=docs\nreturn 0\ntouch never\n"),
    "/repo/secret": FileText(is_there=True, text="machine x password hunter2\n"),
    "/repo/again.sh": FileText(is_there=True, text="bash ./again.sh\n"),
    "/repo/self.sh": FileText(is_there=True, text="echo x >> self.sh\n"),
}


def effects_of(command: str, git: GitFacts = QUIET_GIT, *, plain: bool = False) -> Effects:
    facts = ShellFacts()
    for _ in range(8):
        found = analyse(command, WHERE, facts)
        if isinstance(found, Effects):
            return found
        read = gather(command, Needs(found.texts), facts, shfmt=SHFMT)
        is_usual = {source: plain or source.kind in {"absent", "undashed"} for source in found.names}
        names = {**facts.names, **is_usual}
        told = {**facts.git, **dict.fromkeys(found.folders, git)}
        for question in found.moves:
            told[question.folder] = replace(told[question.folder], answers=dict.fromkeys(found.moves))
        files = {**facts.files, **{path: FILES.get(normpath(path), FileText(is_there=False)) for path in found.files}}
        facts = ShellFacts(read.readings, told, names, files)
    raise AssertionError("the analysis does not come to an end")


@pytest.mark.contract("E2.1", "E2.6", "E2.7", "E2.8", "E2.9", "E4.1", "E4.2", "E4.4")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, object]) -> None:
    found = effects_of(str(case["cmd"]))
    kind = "unknown" if found.unknown else "writes" if found.writes or found.links else "reads"
    assert (kind, found.unknown if kind != "unknown" else ()) == (case["kind"], ())
    if kind == "writes":
        assert sorted({write.path for write in found.writes}) == sorted(case["writes"])  # type: ignore[call-overload]


def test_the_cases_are_there() -> None:
    assert len(CASES) == len({case["cmd"] for case in CASES}) > 150


@pytest.mark.contract("C10.2")
@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("/data/bin/harness-guard status", ()),
        ("/data/bin/harness-guard artifact plan | head", ()),
        ("/data/bin/harness-guard install", ("a program named by its path",)),
        ("/data/bin/../bin/harness-guard status", ("a program named by its path",)),
        ("/data/bin/harness-guard status $x", ("a program named by its path",)),
    ],
)
def test_own_command_line(command: str, rest: tuple[str, ...]) -> None:
    assert tuple(unknown.why for unknown in effects_of(command).unknown) == rest


@pytest.mark.contract("E5.1", "E5.2")
def test_git_facts_decide() -> None:
    hooked = GitFacts("/repo", "/repo/.git", "/repo/.git", writing=("the hook pre-commit",))
    assert effects_of("git status", hooked).is_read_only
    assert effects_of("git commit -m x", hooked).unknown == (
        Unknown("git commit would run the hook pre-commit", "commit -m x"),
    )
    own = effects_of("git commit -m x").writes
    assert [(write.path, write.kind, write.is_git_own) for write in own] == [("/repo/.git", "tree", True)]


def test_asks_for_what_it_needs() -> None:
    assert analyse("ls && pwd", WHERE, ShellFacts()) == Needs(("ls && pwd",))
    assert analyse("git status", WHERE, ShellFacts()) == Needs((), ("/repo",))
    assert analyse("git status | cat", WHERE, ShellFacts()) == Needs(("git status | cat",), ("/repo",))


@pytest.mark.contract("E1.3")
def test_a_text_that_is_too_long_is_refused_unread() -> None:
    found = analyse("ls " + "a" * 1_000_001, WHERE, ShellFacts())
    assert isinstance(found, Effects)
    assert found.unknown[0].why == "the text is too long or holds a NUL"


def read_by(command: str) -> set[str]:
    found = effects_of(command)
    assert not found.unknown
    return {read.path for read in found.reads}


@pytest.mark.parametrize(
    "command",
    [
        "git diff --no-index --text /dev/null /data/key",
        "git diff /dev/null /data/key",
        "git diff -O /data/key",
        "git grep -f /data/key",
        "git grep --no-index x /data/key",
        "git config --file=/data/key --list",
        "git config --file /data/key --list",
        "git ls-files -X /data/key",
        "git ls-files --exclude-from=/data/key",
        "git blame -S /data/key a.txt",
        "date -f /data/key",
        "date --file=/data/key",
        "file -f /data/key",
        "file -m /data/key a.txt",
        "rg -f /data/key",
        "rg --file=/data/key",
        "diff -X /data/key a b",
        "grep -f /data/key a",
        "grep -nf/data/key a",
        "grep -nf /data/key a",
        "grep --file=/data/key a",
        "wc --files0-from=/data/key",
        "strings @/data/key",
        "tar tf /data/key",
        "while read -r x; do echo $x; done < /data/key",
        "mv /data/key n",
        "xxd /data/key",
    ],
)
def test_a_file_that_any_word_names_is_read(command: str) -> None:
    assert "/data/key" in read_by(command)


@pytest.mark.parametrize(
    "command",
    ["git log --oneline", "git diff HEAD~1 -- src", "git grep -n foo", "date +%s", "file a.txt", "grep -n x a"],
)
def test_other_words_name_no_file_elsewhere(command: str) -> None:
    assert not {path for path in read_by(command) if not path.startswith("/repo/")}


@pytest.mark.parametrize("text", ["%G?", "%h %GS", "%(signature:key)"])
@pytest.mark.parametrize("command", ["log --format=", "log --pretty=tformat:", "for-each-ref --format="])
def test_a_format_that_checks_signatures_is_refused(command: str, text: str) -> None:
    verb = command.partition(" ")[0]
    assert [unknown.why for unknown in effects_of(f"git {command}'{text}'").unknown] == [
        f"git {verb} that may run the signing program"
    ]


@pytest.mark.parametrize(
    ("facts", "is_own"),
    [
        (GitFacts("/repo", "/repo/.git", "/repo/.git"), True),
        (GitFacts("/repo/sub", "/repo/.git/modules/sub", "/repo/.git/modules/sub"), True),
        (GitFacts("/tree", "/repo/.git/worktrees/tree", "/repo/.git"), True),
        (GitFacts("", "", ""), True),
        (GitFacts("", "/repo/src/bare", "/repo/src/bare"), False),
        (GitFacts("/repo/src", "/repo/src/.git", "/repo/src/.git"), False),
        (GitFacts("/repo", "/repo/.git", "/repo/src/bare"), False),
        (GitFacts("/repo", "/repo/.gitx", "/repo/.gitx"), False),
    ],
)
def test_git_in_a_repository_that_is_not_the_runs_own(facts: GitFacts, *, is_own: bool) -> None:
    for command in ("git log", "git -C src status", "git add a"):
        assert bool(effects_of(command, facts).unknown) is not is_own


def test_without_known_folders_every_repository_is_foreign() -> None:
    facts = ShellFacts({}, {"/repo": QUIET_GIT})
    found = analyse("git status", Surroundings("/repo", "/repo"), facts)
    assert isinstance(found, Effects)
    assert found.unknown == (
        Unknown("git status would run what a repository that is not the run's own names: /repo/.git", "status"),
    )


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("a | b && c || d; e &", {"a", "b", "c", "d", "e"}),
        ("if a; then b; elif c; then d; else e; fi", {"a", "b", "c", "d", "e"}),
        ("while a; do b; done; for x in $(c); do d; done", {"a", "b", "c", "d"}),
        ("case x in a) b;; *) c;; esac", {"b", "c"}),
        ('echo $(a $(b)) `c` <(d) "$(e)"', {"echo", "a", "b", "c", "d", "e"}),
        ("x=$(a) b; y=(1 $(c)); [[ $(d) ]]; echo ${x:-$(e)}", {"a", "b", "c", "d", "e", "echo"}),
        ("find . -exec a {} ';' -o -exec env b {} +", {"find", "a", "env", "b"}),
        ("ls | xargs -0 nice timeout 5 a", {"ls", "xargs", "nice", "timeout", "a"}),
        ("bash -c 'a; sh -c b'", {"bash", "a", "sh", "b"}),
        ("bash <<'E'\na\nE", {"bash", "a"}),
        ("(a); { b; }; ! c; time d; exec e", {"a", "b", "c", "d", "exec", "e"}),
        ("f() { a; }; f", {"a", "f"}),
        ("cat > $(a) <<E\n$(b)\nE", {"cat", "a", "b"}),
        ("egrep x y", {"egrep", "grep"}),
        ("xargs", {"xargs", "echo"}),
        ("command a; builtin b", {"command", "a", "builtin", "b"}),
    ],
)
def test_every_program_is_listed(command: str, programs: set[str]) -> None:
    assert {program.argv[0] for program in effects_of(command).programs} == programs


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize(
    "command",
    [
        "git ls-files | xargs wc -l",
        "git ls-files '*.py' | sort -u | head -n 5 | xargs cat",
        "git ls-files src | grep -v test | xargs -I{} cat {}",
        "find . -name '*.py' | xargs grep x",
        "find . -name '*.py' -print0 2>/dev/null | xargs -0 grep x",
        "find . -type f -exec grep -l x {} +",
        "find src -exec cat {} ';'",
        'for f in $(git ls-files); do wc -l "$f"; done',
        "cat $(git ls-files)",
        "ls -t | head -n 3 | xargs cat",
    ],
)
def test_names_that_stay_below_the_folder(command: str) -> None:
    assert not effects_of(command, plain=True).unknown
    assert "/" not in {read.path for read in effects_of(command, plain=True).reads}
    # Names that are not plain may become any other, unless each of them is handed on whole.
    is_exact = "-print0" in command or "-exec" in command
    assert ("/" in {read.path for read in effects_of(command).reads}) is not is_exact


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize(
    "command",
    [
        "git ls-files | xargs -d e cat",  # split elsewhere
        "git ls-files | grep -o /.* | xargs cat",  # cut
        "git ls-files | tail -c 5 | xargs cat",
        "git ls-files | sed s/a/b/ | xargs cat",
        "git ls-files | head 5 | xargs cat",  # another file
        "git ls-files :/ | xargs cat",  # above
        "git ls-files --full-name | xargs cat",
        "git ls-files -s | xargs cat",
        "git ls-files --format=x | xargs cat",
        "git diff --name-status | xargs cat",  # more than names
        "git -C src ls-files | xargs cat",
        "find / | xargs cat",
        "find .. | xargs cat",
        "find a/../.. | xargs cat",
        "find -L . | xargs cat",
        "find . -follow -exec cat {} +",
        "find . -printf %l | xargs cat",
        "find . -ls | xargs cat",
        "ls src | xargs cat",  # names without their folder
        "git ls-files | xargs -I{} cat /{}",
        "git ls-files | xargs sh -c 'xargs cat'",
        "for f in $(git ls-files) $(cat a); do cat $f; done",
        "for f in $(git ls-files; cat a); do cat $f; done",
        "cat /$(git ls-files)",
        "git ls-files | xargs cat > out",  # the text makes names itself
        "touch n; git ls-files | xargs cat",
        "git ls-files | xargs echo $(xargs cat < a)",  # another xargs, with another input
        "git ls-files | xargs cat < a",
        "while read f; do cat $f; done < a",
    ],
)
def test_names_that_may_be_any(command: str) -> None:
    assert effects_of(command, plain=True).unknown or "/" in {
        read.path for read in effects_of(command, plain=True).reads
    }


def test_a_name_is_no_number() -> None:
    assert effects_of("for f in $(git ls-files); do echo $((f)); done", plain=True).unknown
    assert effects_of("for f in $(git ls-files); do [[ $f -eq 0 ]]; done", plain=True).unknown


def test_asks_for_the_names_it_wants() -> None:
    found = analyse("find src -exec cat '{}' +", WHERE, ShellFacts())
    assert found == Needs(names=(NameSource("inside", "/repo/src"),))


@pytest.mark.contract("E6.1")
@pytest.mark.contract("E6.2")
@pytest.mark.parametrize(
    ("command", "writes"),
    [
        ("bash plain.sh docs", {"/repo/docs", "/repo/docs/made"}),
        ("./scripts/run.sh", {"/repo/docs/made"}),
        ("cd docs && ../scripts/run.sh", {"/repo/docs/docs/made"}),
        ("sh posix.sh", {"/repo/made"}),
        ("./posix.sh", {"/repo/made"}),
        (". ./env.sh; touch $A/x", {"/repo/docs/x"}),
        ("bash scripts/none.sh", set()),
        ("./none.sh", set()),
        ("source ./none.sh || touch x", {"/repo/x"}),
    ],
)
def test_a_script_on_disk_is_read(command: str, writes: set[str]) -> None:
    found = effects_of(command)
    assert found.unknown == ()
    assert {write.path for write in found.writes} == writes
    assert found.relies


@pytest.mark.contract("E6.2")
@pytest.mark.parametrize(
    "command",
    [
        "bash x.sh",
        "./tool.py",
        "./plain.sh docs",  # without a first line that names a shell
        "./array.sh",  # for another shell than it is written for
        "bash none.sh",  # looked for on the PATH
        ". env.sh",
        "source ./env.sh a",
        "bash ./again.sh",
        "bash $x/plain.sh",
        "cd $x; bash plain.sh",
        "bash /proc/self/fd/3",
        "echo touch y > scripts/none.sh; bash scripts/none.sh",
        "cp a.txt plain.sh; bash plain.sh docs",
        "mv a.txt scripts; scripts/run.sh",
        "bash --norc scripts/run.sh",
    ],
)
def test_a_script_that_is_not_known_is_refused(command: str) -> None:
    assert effects_of(command).unknown


def test_what_a_script_writes_into_itself_is_among_its_effects() -> None:
    found = effects_of("bash ./self.sh")
    assert found.unknown or found.relies[0].path in {write.path for write in found.writes}


@pytest.mark.contract("E6.1")
def test_a_refusal_quotes_nothing_of_a_file() -> None:
    assert [unknown.seen for unknown in effects_of("bash ./secret").unknown] == ["./secret: …"]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo $API_KEY", ("API_KEY",)),
        ('echo "key: ${API_KEY:-none}"', ("API_KEY",)),
        ("echo ${API_KEY:0:4}", ("API_KEY",)),
        ("echo ${#API_KEY} ${API_KEY:+set}", ()),
        ("API_KEY=x; echo $API_KEY", ()),
        ("for API_KEY in a b; do echo $API_KEY; done", ()),
        ("echo '$API_KEY'", ()),
        ("env echo $API_KEY", ("API_KEY",)),
    ],
)
def test_which_variables_of_the_environment_a_program_is_shown(command: str, shown: tuple[str, ...]) -> None:
    assert effects_of(command).programs[0].variables == shown


@pytest.mark.contract("E3.1", "E4.10")
@pytest.mark.parametrize(
    ("command", "read", "is_listing"),
    [
        ("find / -name x", "/", True),
        ("find /etc -exec ls -l {} +", "/etc", True),
        ("find /etc -exec cat {} +", "/etc", False),
        ("ls -R /", "/", True),
        ("du -sh /etc", "/etc", True),
        ("tree /etc", "/etc", True),
        ("fd x /etc", "/etc", True),
        ("rg --files /etc", "/etc", True),
        ("rg x /etc", "/etc", False),
        ("grep -r x /etc", "/etc", False),
        ("md5sum /etc/x", "/etc/x", False),
        ("wc --files0-from=/etc/x", "/etc/x", False),
        ("wc --files0-from /etc/x", "/etc/x", False),
        ("wc --fi=/etc/x", "/etc/x", False),
        ("find /etc/x -exec wc --files0-from {} +", "/etc/x", False),
        ("eza --config /etc/x", "/etc/x", False),
        ("du --files0-from=/etc/x", "/etc/x", False),
        ("fd --ignore-file /etc/x", "/etc/x", False),
        ("eza /etc", "/etc", True),
        ("wc -l /etc/x", "/etc/x", True),
    ],
)
def test_what_only_lists(command: str, read: str, *, is_listing: bool) -> None:
    found = effects_of(command)
    assert (found.unknown, {(one.path, one.is_listing) for one in found.reads if one.path == read}) == (
        (),
        {(read, is_listing)} | ({(read, True)} if command.startswith("find") else set()),
    )


@pytest.mark.contract("E4.10")
@pytest.mark.parametrize(
    ("command", "may_be_any"),
    [
        ("ls -l $(which cc)", False),
        ("stat $x", False),
        ('wc -l "src/$x"', False),
        ("wc -l $x", True),  # --files0-from
        ("du $x", True),
        ("cat $x", True),
        ('cat "src/$x"', True),
        ("cksum $x", True),
        ("xargs md5sum", True),
        ("xargs ls -l", False),
        ("eza $x", True),
        ("xargs cat", True),
    ],
)
def test_what_shows_nothing_may_be_given_any_name(command: str, *, may_be_any: bool) -> None:
    found = effects_of(command)
    assert (found.unknown, any(read.path == "/" for read in found.reads)) == ((), may_be_any)


@pytest.mark.contract("E4.10")
@pytest.mark.parametrize(
    ("command", "is_flat"),
    [("cut -d/ -f3", True), ("cut -d '/' -f 3", True), ("tr / _", True), ("cat /", True), ("grep -f/ x", False)],
)
def test_what_goes_into_no_folder(command: str, *, is_flat: bool) -> None:
    assert {read.is_flat for read in effects_of(command).reads if read.path == "/"} <= {is_flat}
    assert any(read.path == "/" for read in effects_of(command).reads)


def test_a_filter_is_no_file() -> None:
    found = effects_of("jq --slurpfile a b.json .env c.json")
    assert {read.path for read in found.reads} == {"/repo/b.json", "/repo/c.json"}
    assert {read.path for read in effects_of("yq .env c.yml").reads} == {"/repo/c.yml"}
    assert "/" in {read.path for read in effects_of("jq 'import \"a\" as $x; $x' c.json").reads}
    assert "/" in {read.path for read in effects_of("jq $x c.json").reads}
    assert "/" not in {read.path for read in effects_of('jq ".a.$x" c.json').reads}


@pytest.mark.contract("E4.7")
def test_what_python_looks_up_in_the_environment_is_told() -> None:
    found = effects_of("python3 -I -c \"import os; print(os.environ['A'], os.getenv('B'))\"; echo $C", plain=True)
    assert [(program.argv[0], program.prints) for program in found.programs] == [("python3", ("A", "B")), ("echo", ())]


@pytest.mark.contract("E4.4")
def test_the_folders_that_a_text_adds_to_the_path_are_relied_on() -> None:
    found = effects_of('PATH="$HOME/bin:$PATH:/opt/a"; ls; PATH=/opt/b:$PATH ls')
    assert found.relies == tuple(Relied(path, "programs") for path in ("/home/dev/bin", "/opt/a", "/opt/b"))
