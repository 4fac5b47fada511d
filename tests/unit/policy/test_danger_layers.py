"""Programs inside a program's words: each way to start one, and what no wrapper opens."""

from __future__ import annotations

import shlex

import pytest

from harness_guard.policy.danger.layers import (
    DEEPEST,
    MOST_LAYERS,
    MOST_WORDS,
    _option_values,
    commands_in,
    layers_of,
)


def inner(text: str) -> list[str]:
    """Give the lines inside a command, each as one text; unknown words as two dots."""
    return [" ".join(word or ".." for word in line) for line in layers_of(shlex.split(text))[1:]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls a", []),
        ("sudo rm x", ["rm x"]),
        ("/usr/bin/sudo rm x", ["rm x"]),
        ("sudo -u root rm x", ["rm x"]),
        ("sudo -n rm x", ["rm x"]),
        ("sudo -nu root rm x", ["rm x"]),
        ("sudo -uroot rm x", ["rm x"]),
        ("sudo -- rm x", ["rm x"]),
        ("sudo -u root -- rm x", ["rm x"]),
        ("sudo A=b rm x", ["rm x"]),
        ("sudo 'rm x; ls'", ["rm x", "ls"]),
        ("sudo -- -x rm", ["-x rm"]),
        ("sudo - rm x", ["rm x"]),
        ("sudo", []),
        ("sudo -u", []),
        ("sudo sudo rm x", ["sudo rm x", "rm x"]),
        ("pkexec --user root rm x", ["rm x"]),
        ("pkexec --user=root rm x", ["rm x"]),
        ("env A=b C=d rm x", ["rm x"]),
        ("env - rm x", ["rm x"]),
        ("env -u A rm x", ["rm x"]),
        ("env -S 'rm x'", ["rm x", "rm x"]),
        ("env a-b=c rm x", ["a-b=c rm x"]),
        ("timeout 5 rm x", ["rm x"]),
        ("timeout -k 1 5 rm x", ["rm x"]),
        ("timeout 5 -s KILL rm x", ["rm x"]),
        ("chroot /mnt rm x", ["rm x"]),
        ("flock /tmp/l rm x", ["rm x"]),
        ("taskset 1 rm x", ["rm x"]),
        ("chrt 5 rm x", ["rm x"]),
        ("tmux new-session -d 'rm x'", ["rm x"]),
        ("screen -dm rm x", ["x"]),  # the first word is taken for a verb
        ("yarn run rm", ["rm"]),
        ("bundle exec rm x", ["rm x"]),
        ("xargs rm x", ["rm x .."]),
        ("xargs", []),
        ("xargs -n 1 rm", ["rm .."]),
        ("watch -n 1 rm x", ["rm x"]),
        ("watch 'ls; rm x'", ["ls", "rm x"]),
        ("ssh -p 22 host rm x", ["rm x"]),
        ("ssh host 'a; rm x'", ["a", "rm x"]),
        ("ssh host", []),
        ("ssh host ls", ["ls"]),
        ("eval rm x", ["rm x"]),
        ("sh -c 'rm x'", ["rm x"]),
        ("bash -euc 'rm x'", ["rm x"]),
        ("sh a.sh", []),
        ("su --command 'rm x'", ["rm x"]),
        ("su --command", []),
        ("bash --rcfile a", []),
        ("rsync --rsh='rm x' a b:c", ["rm x"]),
        ("rsync -e 'rm x' a b:c", ["rm x"]),
        ("python -m pip install x", ["pip install x", "install x"]),
        ("python -mpip install x", ["pip install x", "install x", "install x"]),
        ("python -c 'a=b'", []),
        ("find . -exec rm {} ;", ["rm {}"]),
        ("find . -exec rm {} + -ok ls ;", ["rm {}", "ls"]),
        ("find . -exec rm {}", ["rm {}"]),
        ("find . -exec rm {} \\\\;", ["rm {}"]),
        ("find . -exec", []),
        ("find . ; rm x", []),
        ("fd -x rm", ["rm"]),
        ("npm exec rm x", ["rm x"]),
        ("npm x rm", ["rm"]),
        ("npm install rm", []),
        ("npm ls a x", []),
        ("uv run --with a rm x", ["rm x"]),
        ("docker exec -it c rm x", ["rm x"]),
        ("docker exec -u root c rm x", ["rm x"]),
        ("docker run img rm x", []),
        ("git -c alias.p='push -f' p", ["git push -f"]),
        ("git -c alias.p='!rm x' p", ["rm x"]),
        ("git -c ALIAS.p='!rm x; ls' p", ["rm x", "ls"]),
        ("git -c core.pager=cat log", []),
        ("svn -c alias.p='!rm x' p", []),
        ("git -c alias.p", []),
        ("git -calias.p='!rm x' p", ["rm x"]),
        ("parallel rm ::: a b", ["rm a b", "rm a", "rm b"]),
        ("parallel -j 2 rm ::: a", ["rm a", "rm a"]),
        ("parallel ::: 'rm x'", ["rm x"]),
        ("parallel 'rm {} b' ::: a", ["rm {} b a", "rm a b"]),
        ("parallel rm x", ["rm x", "rm x"]),
    ],
)
def test_what_a_program_starts(text: str, expected: list[str]) -> None:
    assert inner(text) == expected


def test_layers_end() -> None:
    assert (DEEPEST, MOST_LAYERS, MOST_WORDS) == (6, 40, 20_000)
    nested = ["sudo"] * (DEEPEST + 3) + ["rm"]
    assert len(layers_of(nested)) == DEEPEST + 1
    assert layers_of(["env"] + ["x"] * 19_999) == [["env"] + ["x"] * 19_999]
    assert len(layers_of(["env"] + ["x"] * 19_998)) == 2
    many = layers_of(["sh", "-c", ";".join(f"c{number}" for number in range(100))])
    assert (len(many), many[1], many[-1]) == (MOST_LAYERS, ["c0"], ["c38"])
    assert layers_of([]) == []


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("", []),
        ("a b", [["a", "b"]]),
        ("a;b&c|d", [["a"], ["b"], ["c"], ["d"]]),
        ("a\nb", [["a"], ["b"]]),
        ("(a b)", [["a", "b"]]),
        ("`a` b", [["a"], ["b"]]),
        ("a 'b c' \"d e\"", [["a", "b c", "d e"]]),
        ("a 'b;c' \"d'e\"", [["a", "b;c", "d'e"]]),
        ("a''b \"\" c", [["ab", "", "c"]]),
        ("a'b c'd", [["ab cd"]]),
        ("r\\m x", [["rm", "x"]]),
        ("a\tb", [["a", "b"]]),
        ("a b\n\nc", [["a", "b"], ["c"]]),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"], ["fi"]]),
        ("! a", [["a"]]),
        ("{ a; }", [["a"], ["}"]]),
        ("A=b C=d e", [["e"]]),
        ("while A=b do c", [["c"]]),
        ("a-b=c d", [["a-b=c", "d"]]),
        ("A=b", []),
        ("then", []),
    ],
)
def test_a_text_for_a_shell_read_plainly(text: str, commands: list[list[str]]) -> None:
    assert commands_in(text) == commands


def test_where_the_words_behind_an_options_value_start() -> None:
    assert list(_option_values(["--run", "-c"], ["--run=ls a", "b"])) == [(1, "ls a")]
    assert list(_option_values(["-c"], ["-xcls", "b"])) == [(1, "ls"), (2, "b")]
    assert list(_option_values(["-c"], ["a", "-c", "ls"])) == [(3, "ls")]
