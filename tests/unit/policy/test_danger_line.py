"""One command line as the danger rows see it: names, options with values, operands, help, and what spares it."""

from __future__ import annotations

import shlex

import pytest

from harness_guard.policy.danger.line import Line, names_of


def line(text: str) -> Line:
    return Line(shlex.split(text), "/repo")


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("rm", ("rm",)),
        ("/bin/RM.exe", ("rm",)),
        ("python3.12", ("python3.12", "python", "python3")),
        ("mkfs.ext4", ("mkfs.ext4", "mkfs.ext", "mkfs")),
        ("7z", ("7z",)),
        ("123", ("123",)),
        (".", (".",)),
        ("a/b/", ("",)),
        ("", ("",)),
    ],
)
def test_the_names_of_a_program(word: str, names: tuple[str, ...]) -> None:
    assert names_of(word) == names


@pytest.mark.parametrize(
    ("words", "names", "rest", "is_path"),
    [
        (["/bin/rm", "-f", "x"], ("rm",), ["-f", "x"], True),
        (["./a.sh"], ("a.sh", "a"), [], True),
        (["rm"], ("rm",), [], False),
        ([], ("",), [], False),
    ],
)
def test_a_line_of_words(words: list[str], names: tuple[str, ...], rest: list[str], *, is_path: bool) -> None:
    found = Line(words, "/repo", ("out",))
    assert (found.names, found.words, found.is_path, found.cwd, found.targets) == (
        names, rest, is_path, "/repo", ("out",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "options", "operands"),
    [
        ("x a b", [], [("a", False), ("b", False)]),
        ("x -a b c", [("-a", None)], [("b", True), ("c", False)]),
        ("x --long b", [("--long", None)], [("b", True)]),
        ("x --long=v b", [("--long", "v")], [("b", True)]),
        ("x -abc", [("-abc", None), ("-a", None), ("-b", None), ("-c", None)], []),
        ("x -ab=c", [("-ab", "c"), ("-a", None), ("-b", None)], []),
        ("x -a#+1", [("-a#+1", None), ("-a", None), ("-#", None), ("-+", None), ("-1", None)], []),
        ("x - b", [], [("-", False), ("b", False)]),
        ("x a -- -b --c", [], [("a", False), ("-b", False), ("--c", False)]),
        ("git -C d push", [("-C", "d")], [("push", False)]),
        ("git -Cd push", [("-Cd", None), ("-C", "d")], [("push", True)]),
        ("git -C", [("-C", None)], []),
        ("git --git-dir d push", [("--git-dir", "d")], [("push", False)]),
        ("git --git-dir=d push", [("--git-dir", "d")], [("push", True)]),
        ("git push -o v x", [("-o", "v")], [("push", False), ("x", False)]),
        ("git pull -o v x", [("-o", None)], [("pull", False), ("v", True), ("x", False)]),
        ("git remote push -o v", [("-o", None)], [("remote", False), ("push", False), ("v", True)]),
        ("git -v push -o v", [("-v", None), ("-o", "v")], [("push", True)]),
        ("git -vC d push", [("-vC", None), ("-v", None), ("-C", "d")], [("push", False)]),
        ("find -name x -delete", [("-name", "x"), ("-delete", None), *((f"-{c}", None) for c in "delete")], []),
    ],
)
def test_options_and_operands(
    text: str, options: list[tuple[str, str | None]], operands: list[tuple[str, bool]]
) -> None:
    found = line(text)
    assert (found.options, found.operands) == (options, operands)
    assert (found.options, found.operands) == (options, operands)  # sorted once


@pytest.mark.parametrize(
    ("text", "path", "rest"),
    [
        ("x a b c", "", ["a", "b", "c"]),
        ("x a b c", "a", ["b", "c"]),
        ("x A b", "a", ["b"]),
        ("x a b c", "a b", ["c"]),
        ("x a b c", "b", None),
        ("x a b c", "a c", None),
        ("x a b c", "b|a", ["b", "c"]),
        ("x a b c", "q|a b|a", ["c"]),
        ("x a", "a b", None),
        ("x", "a", None),
        ("x -o v a b", "a", ["b"]),  # v may be what -o takes
        ("x -o a b", "a", ["b"]),
        ("x a -o v b", "a b", []),
        ("x v a", "a", None),
    ],
)
def test_the_operands_behind_a_subcommand(text: str, path: str, rest: list[str] | None) -> None:
    assert line(text).behind(path) == rest


@pytest.mark.parametrize(
    ("text", "group", "is_given"),
    [
        ("x -f", "-f", True),
        ("x -rf", "-f --force", True),
        ("x --force", "-f --force", True),
        ("x --forc", "--force", True),
        ("x --f", "--force", True),
        ("x --", "--force", False),
        ("x -f", "--force", False),
        ("x --forced", "--force", False),
        ("x --export", "--export-all", False),
        ("x --all", "--all-resources", False),
        ("x --no", "--no-verify", False),
        ("x --force-with", "--force-with-lease", False),
        ("x --force-w", "--force-with-lease", True),
        ("x --mode=a", "--mode=a", True),
        ("x --mode=b", "--mode=a", False),
        ("x --mode=p/a", "--mode=a", True),
        ("x --mode=p/a", "--mode=p/a", True),
        ("x --mode", "--mode=a", False),
        ("x --mode", "--mode=", True),
        ("x --mode=", "--mode=", True),
        ("x --mode=a", "--mode", True),
        ("x", "-f", False),
        ("x f", "-f", False),
        ("x -g", "", False),
        ("find -del", "-delete", False),
        ("x --=a", "--force", False),
    ],
)
def test_an_option_is_given_in_a_cluster_or_by_its_beginning(text: str, group: str, *, is_given: bool) -> None:
    assert line(text).gives(group) is is_given


@pytest.mark.parametrize(
    ("text", "without", "known", "is_spared"),
    [
        ("x --dry-run", "--dry-run", "", True),
        ("x a --dry-run", "--dry-run", "", True),
        ("x -n", "-n --dry-run", "", True),
        ("x -vn", "-n", "", True),
        ("x --dry-run", "", "", False),
        ("x a", "--dry-run", "", False),
        ("x dry-run", "--dry-run", "", False),
        ("x -- --dry-run", "--dry-run", "", False),
        ("x -a -- --dry-run", "--dry-run", "", False),
        ("x -o --dry-run -- a --dry-run", "--dry-run", "", False),
        # What stands behind an option may be its value, unless that option is known to take none.
        ("x -o --dry-run", "--dry-run", "", False),
        ("x -f --dry-run", "--dry-run", "-f", True),
        ("x -ff --dry-run", "--dry-run", "-f", True),
        ("x -fo --dry-run", "--dry-run", "-f", False),
        ("x --ff --dry-run", "--dry-run", "-f", False),
        ("x --force --dry-run", "--dry-run", "--force", True),
        ("x --dry-run --dry-run", "--dry-run", "", True),
        ("git --quiet --dry-run", "--dry-run", "", True),
        ("git -qv --dry-run", "--dry-run", "", True),
        ("x -qv --dry-run", "--dry-run", "", False),
        # A later word may take it back.
        ("x --dry-run false", "--dry-run", "", False),
        ("x --dry-run 0", "--dry-run", "", False),
        ("x --dry-run no", "--dry-run", "", False),
        ("x --dry-run off", "--dry-run", "", False),
        ("x --dry-run true", "--dry-run", "", True),
        ("x --dry-run --no-dry-run", "--dry-run", "", False),
        ("x --no-dry-run --dry-run", "--dry-run", "--no-dry-run", False),
        ("x --dry-run=client", "--dry-run=client", "", True),
        ("x --dry-run=client --no-dry-run", "--dry-run=client", "", False),
        ("x --dry-run=none", "--dry-run=client", "", False),
        # What only looks like the option, behind one that took it for its value.
        ("x -o -v --verbose", "-v", "", False),
        ("x -o -v xv", "-v", "", False),
        # A cluster of which a letter takes the rest names no further option.
        ("git push -on", "-n", "", False),
        ("git push -vn", "-n", "", True),
    ],
)
def test_what_spares_a_line(text: str, without: str, known: str, *, is_spared: bool) -> None:
    assert line(text).is_spared(without, known) is is_spared


@pytest.mark.parametrize(
    ("text", "path", "is_help"),
    [
        ("x --help", "", True),
        ("x -help", "", True),
        ("x --version", "", True),
        ("x -h", "", False),
        ("x --help a", "", False),
        ("x a --help", "", False),
        ("x", "", False),
        ("x a", "", False),
        ("x a --help", "a", True),
        ("x a --help b -c", "a", True),
        ("x a -c --help", "a", False),
        ("x a -h", "a", True),
        ("x a --version", "a", True),
        ("x a -h b", "a", False),
        ("x a --version 1", "a", False),
        ("x a -v", "a", False),
        ("x a", "a", False),
    ],
)
def test_a_line_that_asks_for_help_alone(text: str, path: str, *, is_help: bool) -> None:
    assert line(text).is_help(path) is is_help


@pytest.mark.parametrize(
    ("text", "leading"),
    [
        ("find", ["."]),
        ("find -name x", ["."]),
        ("find a b -name c", ["a", "b"]),
        ("find -L a -delete", ["a"]),
        ("find -L a b ( -name c )", ["a", "b"]),
        ("find a ! -name b c", ["a"]),
        ("find a -H b", ["a", "b"]),
        ("find a -ok b", ["a"]),
    ],
)
def test_the_folders_in_front(text: str, leading: list[str]) -> None:
    assert Line(text.split(), "/repo").leading() == leading


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x a", []),
        ("x --a=b c", ["b", "c"]),
        ("x -a b c", ["b"]),
        ("git -C d push -o v w", ["d", "v"]),
        ("x --a= -b", []),
        ("x -- -a b", []),
    ],
)
def test_what_options_are_given(text: str, values: list[str]) -> None:
    assert list(line(text).values()) == values
