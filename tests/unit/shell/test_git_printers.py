"""Names that git prints out of its history are taken by readers; what git is asked beforehand covers all of them."""

from __future__ import annotations

import pytest
import shell_effects

from harness_guard.shell.effects import Effects
from harness_guard.shell.git_printers import printed_by_git, printed_in_columns

INDEX = ("ls-files", "--full-name", "--", ":/")
STAGED = ("diff", "--cached", "--name-only", "--no-renames")


def effects_of(command: str, *, plain: bool = True) -> Effects:
    return shell_effects.effects_of(command, believed=lambda _source: plain)


@pytest.mark.contract("E3.5")
@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("diff --name-only", (INDEX,)),
        ("diff --name-only -- src", (INDEX,)),
        ("diff --name-only HEAD", (INDEX, (*STAGED, "HEAD"))),
        ("diff --name-only HEAD -- src", (INDEX, (*STAGED, "HEAD", "--"))),
        ("diff --cached --name-only", (STAGED,)),
        ("diff --name-only a...b", (("diff", "--name-only", "--no-renames", "a...b", "--"),)),
        ("diff --name-only a b", (("diff", "--name-only", "--no-renames", "a..b", "--"),)),
        ("show --name-only --format= HEAD~2", (("show", "-m", *STAGED[2:], "--format=", "HEAD~2", "--"),)),
        ("log -3 --name-only --format=", (("log", "--no-renames", "-3", "--name-only", "--format="),)),
        ("ls-tree -r --name-only HEAD", (("ls-tree", "-r", "--name-only", "HEAD"),)),
    ],
)
def test_what_git_is_asked(words: str, asked: tuple[tuple[str, ...], ...]) -> None:
    printed = printed_by_git(words.split(), ("/repo",))
    assert printed is not None
    assert printed.sources is not None
    assert {(source.kind, source.folder) for source in printed.sources} == {("history", "/repo")}
    assert tuple(source.words for source in printed.sources) == asked


@pytest.mark.parametrize(
    "words",
    [
        "diff",
        "diff --name-status",
        "diff --name-only --relative",
        "diff --name-only --no-index a b",
        "diff --name-only -- /dev/null /data/key",
        "diff --name-only ../a b",
        "diff --name-only a b c",
        "diff --name-only a..b c",
        "diff --name-only --output=x",
        "show --name-only HEAD",
        "show --name-only --format=%s",
        "show --name-only --format= v1",
        "show --name-only --format= HEAD:src",
        "log --name-only",
        "log --name-only --format=%s",
        "log --name-only --oneline",
        "log --format=%s",
        "log --format=%h%n%b",
        "log --format=%h --stat",
        "log --format=%h --graph",
        "rev-list --objects HEAD",
        "rev-list --left-right a...b",
        "rev-list --format=%b HEAD",
        "ls-tree HEAD",
        "branch",
        "branch --show-current -v",
        "rev-parse --abbrev-ref --all",
        "rev-parse --git-dir",
        "describe --all",
        "stash list",
        "",
    ],
)
def test_what_may_print_more(words: str) -> None:
    assert printed_by_git(words.split(), ("/repo",)) is None


@pytest.mark.parametrize(
    ("words", "column"),
    [
        (["log", "--oneline"], (" ", 1)),
        (["log", "-3", "--format=%h %s"], (" ", 1)),
        (["log", "--format=%h %an, %ad"], (" ", 1)),
        (["status", "--short"], ("", 2)),
        (["status", "--porcelain=v1", "-s"], ("", 2)),
        (["status"], None),
        (["status", "--porcelain=v2"], None),
        (["status", "--short", "-b"], None),
        (["log"], None),
        (["log", "--oneline", "--format=%s"], None),
        (["log", "--format=%s %h"], None),
        (["log", "--format=%h %b"], None),
        (["log", "--format=%h %x0a"], None),
        (["log", "--format=%h %%n"], None),
        (["log", "--format=%h\n%s"], None),
        (["log", "--format=%h x\ny"], None),
    ],
)
def test_columns(words: list[str], column: tuple[str, int] | None) -> None:
    found = printed_in_columns(words, ("/repo",))
    assert (None if found is None else found[0]) == column


READERS = [
    "git diff --name-only | xargs cat",
    "git diff --name-only HEAD~1 | grep '\\.py$' | xargs wc -l",
    "git diff -z --name-only HEAD | xargs -0 wc -l",
    "git show --name-only --format= HEAD | sort -u | xargs cat",
    "git log -3 --name-only --pretty=format: | sort -u | head -5 | xargs cat",
    "git ls-tree -r --name-only HEAD src | xargs wc -l",
    "git status --short | awk '{print $2}' | xargs cat",
    "git status --short | grep '^ M' | awk '{ print $2 }' | xargs cat",
    "git grep -n x -- src | cut -d: -f1 | sort -u | xargs wc -l",
    "grep -rn x src | cut -d: -f1 | sort -u | xargs wc -l",
    "grep -rn x src --include='*.py' | awk -F: '{print $1}' | uniq | xargs cat",
    "grep -rc x | cut -f1 -d ':' | xargs cat",
    "for f in $(git diff --name-only HEAD~1); do wc -l $f; done",
    'git diff --name-only HEAD~1 | while read -r f; do head -5 "$f"; done',
    "cat $(git diff --name-only)",
    "git log --format=%H -3 | xargs git show --stat",
    "git log --oneline -3 | cut -d' ' -f1 | xargs -n1 git show",
    "git log --oneline | head -5 | awk '{print $1}' | xargs -n1 git show --stat",
    "git rev-list --max-count=3 HEAD | xargs -I{} git show {}",
    "git show $(git log --format=%h -1 -- src/a.py)",
    "git log $(git branch --show-current)",
    "git diff main $(git rev-parse --abbrev-ref HEAD)",
    "ls src | xargs -I{} cat src/{}",
    "ls -t src | head -1 | xargs -I{} wc -l src/{}",
    "ls src/*.py | xargs wc -l",
    "ls -td src/* | head -1 | xargs cat",
]


@pytest.mark.parametrize("command", READERS)
def test_a_reader_takes_them(command: str) -> None:
    found = effects_of(command)
    assert (found.is_read_only, "/" in {read.path for read in found.reads}) == (True, False)


@pytest.mark.parametrize("command", READERS)
def test_not_where_they_are_odd(command: str) -> None:
    found = effects_of(command, plain=False)
    assert found.unknown or "/" in {read.path for read in found.reads}


@pytest.mark.parametrize(
    "command",
    [
        "grep -r x a.txt | cut -d: -f1 | xargs cat",  # the file's text
        "grep -rnh x src | cut -d: -f1 | xargs cat",
        "grep -rn -A1 x src | cut -d: -f1 | xargs cat",  # lines around have no colon
        "grep -rn x src | cut -d: -f3 | xargs cat",
        "grep -rn x src | cut -d- -f1 | xargs cat",
        "grep -rn x src | cut -d: -f1 --output-delimiter=/ | xargs cat",
        "grep -rn x src | awk -F: '{print $1 $3}' | xargs cat",
        "grep -rn x src | awk '{print $1}' | xargs cat",
        "grep -rn x src | xargs cat",
        "grep -rn x /etc | cut -d: -f1 | xargs cat",
        "git grep -n x HEAD | cut -d: -f1 | xargs cat",
        "git grep -nh x | cut -d: -f1 | xargs cat",
        "git log --oneline | cut -d' ' -f2 | xargs cat",
        "git log --oneline | awk '{print $2}' | xargs cat",
        "git log --oneline | xargs cat",
        "git status --short | awk '{print $1}' | xargs cat",
        "git status --short | cut -c4- | xargs cat",
        "ls src | xargs cat",
        "ls src | xargs -I{} cat other/{}",
        "ls src | xargs -I{} cat src/../{}",
        "ls ../* | xargs cat",
        "ls /etc | xargs -I{} cat /etc/{}",
        "ls -R src | xargs -I{} cat src/{}",
        "ls -f src | xargs -I{} cat src/{}",
    ],
)
def test_what_is_no_name(command: str) -> None:
    found = effects_of(command)
    assert found.unknown or "/" in {read.path for read in found.reads}


@pytest.mark.parametrize(
    "command",
    [
        "git log --format=%H | xargs touch",
        "git log --format=%H | xargs -I{} touch src/{}",
        "git diff --name-only | xargs touch",
        "grep -rn x src | cut -d: -f1 | xargs touch",
        "ls src/* | xargs touch",
    ],
)
def test_a_writer_takes_what_need_not_be_there_for_anything(command: str) -> None:
    found = effects_of(command)
    assert found.unknown or {write.path for write in found.writes} == {"/repo"}


def test_names_in_a_folder_are_found_ones_to_a_writer() -> None:
    found = effects_of("ls src | xargs -I{} rm src/{}")
    assert found.unknown == ()
    assert {(write.path, write.search is not None) for write in found.writes} == {
        ("/repo/src", True),
        ("/repo/src/", True),
    }


@pytest.mark.parametrize(
    "command",
    [
        "git reset --soft HEAD~1 && git diff --name-only HEAD~1 | xargs cat",
        "git reset --soft HEAD~1 && git show $(git diff --name-only HEAD~1)",
        "git add -A && for f in $(git diff --name-only --cached); do git log -1 $f; done",
    ],
)
def test_the_text_itself_changes_what_is_printed(command: str) -> None:
    assert "a program goes by what stands in the folder, which the text itself changes" in {
        unknown.why for unknown in effects_of(command).unknown
    }


@pytest.mark.parametrize(
    "command",
    ["git commit -m x && git show $(git log --format=%h -1)", "git branch x && git log $(git branch --show-current)"],
)
def test_hashes_and_branches_stay_what_they_are(command: str) -> None:
    assert effects_of(command).unknown == ()


@pytest.mark.parametrize(
    "command", ["git update-ref refs/heads/-x HEAD", "git symbolic-ref HEAD refs/heads/--output=x"]
)
def test_no_branch_is_made_that_looks_like_an_option(command: str) -> None:
    (unknown,) = effects_of(command).unknown
    assert (unknown.why.endswith("makes a name that starts with a dash"), unknown.is_writer) == (True, True)
