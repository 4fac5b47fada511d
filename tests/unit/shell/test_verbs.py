"""The engine of the tables of verbs: for each field of a table what passes, and its neighbour that does not."""

from __future__ import annotations

import pytest

from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.commands.registry import TABLE, rows_of
from harness_guard.shell.commands.verbs import HELP, Tool, Verb, ask, row_of, rows_by
from harness_guard.shell.effects import Connection, Read
from harness_guard.shell.names import NameSource
from harness_guard.shell.values import Field

UNKNOWN = {
    "$x": Field(None, is_one=False),
    "a$x": Field(None, prefix="a", is_one=False),
    "-$x": Field(None, prefix="-"),
    "--long=$x": Field(None, prefix="--long="),
    "*": Field("*", is_pattern=True),
    "a*": Field("a*", is_pattern=True),
    "$n": Field(None, is_operand=True),
    "''": Field(""),
    "'two words'": Field("two words"),
}


def call_of(tool: Tool, line: str, *, names: dict[NameSource, bool] | None = None) -> Call:
    """Ask by a table, of words that stand for themselves but for those of ``UNKNOWN``."""
    quoted = line.replace("'two words'", "'two\u00a0words'")
    args = tuple(UNKNOWN.get(word.replace("\u00a0", " "), Field(word)) for word in quoted.split(" ") if word)
    call = Call("tool", args, cwds=("/repo/a",), home="/home/dev", git={}, names=names or {})
    ask(call, tool, args)
    return call


def seen_in(tool: Tool, line: str) -> tuple[list[str], list[str]] | None:
    """Give what a call reads and whom it asks, ``None`` if it is unknown."""
    call = call_of(tool, line)
    if call.unknown:
        return None
    return [read.path for read in call.reads], [connection.to for connection in call.connects]


def lines(text: str) -> list[tuple[str, bool]]:
    """Give the lines of a text, each with whether it is to pass: what comes behind the rule does not."""
    passing, _, refused = text.partition("---\n")
    parts = ((passing, True), (refused, False))
    return [(line.strip(), passes) for part, passes in parts for line in part.splitlines() if line.strip()]


VERBS = Tool({"list|pool list": "", "pool list all": "", "-q|--print cfg|get*": "", "pool": "json"})


@pytest.mark.contract("E4.11")
@pytest.mark.parametrize(
    ("line", "passes"),
    lines("""list
        list x
        pool list
        pool x
        pool list all
        -q x
        --print cfg
        get
        getenv x
        ---

        lists
        LIST
        x list
        list --json
        pool list --json
        'two words'
        --print
        --print x
        -qq
        -- list
        ge
        $x
        a$x
        list --
        list -- x
        list -x
        list ---
        """),
)
def test_verbs(line: str, *, passes: bool) -> None:
    assert (seen_in(VERBS, line) is not None) is passes


def test_a_verb_is_no_word_with_a_blank() -> None:
    tool = Tool({"two words": ""})
    assert seen_in(tool, "two words x") == (["/repo/a/x"], [])
    assert seen_in(tool, "'two words' x") is None


def test_the_longest_verb_counts() -> None:
    assert seen_in(VERBS, "pool list all x") == (["/repo/a/x"], [])
    assert seen_in(VERBS, "pool list alles") == (["/repo/a/alles"], [])
    assert seen_in(VERBS, "pool --json list") == (["/repo/a/list"], [])


OPTIONS = Tool({"get": "a b f= long file= color=? type=! depth* -x -json -w*"}, takes="words")


@pytest.mark.parametrize(
    ("line", "passes"),
    lines("""get -a -b
        get -ab
        get -abf1
        get -af 1
        get -f -a
        get --long --file 1 --file=1
        get --color --color=1
        get --type=1
        get --depth --depth=1 --depth1
        get -x -json
        get -w -w=1 -w1
        get -h
        get --help
        get a --long -- --zzz
        get --file --zzz
        ---
        get -c
        get -ax
        get -xa
        get -f
        get -f=1 -c
        get --lon
        get --long=1
        get --fil 1
        get --file
        get --type
        get --type 1 --type
        get --dept
        get -jso
        get -json=1
        get --json
        get -v
        get --version
        get --long=$x
        get -$x
        get --file $x
        """),
)
def test_options(line: str, *, passes: bool) -> None:
    assert (seen_in(OPTIONS, line) is not None) is passes


def test_a_row_is_made_of_a_text() -> None:
    made = row_of("x", "a f= all file= color=? type=! no-* -json -list=false -w*", is_strict=True)
    longs = "all file= color=? type=! no-*"
    expected = Row("x", flags="a", valued="f", longs=longs, reads=False, words="json list=false w*", is_strict=True)
    assert made == expected


TAKES = Tool(
    {
        "files": Verb("n", "files"),
        "words": Verb("n", "words"),
        "plain": Verb("n", "plain"),
        "names": Verb("n", "names"),
        "nothing": Verb("n", "nothing"),
        "own": "n",
    },
    asks="it",
)


@pytest.mark.parametrize(
    ("word", "taking"),
    [
        ("x", "files words plain names own"),
        ("-n", "files words plain names nothing own"),
        ("./x", "files words plain own"),
        ("a/b", "files words plain own"),
        ("@a/b", "files words plain names own"),
        ("@a/b/c", "files words plain own"),
        ("x:y", "files words plain own"),
        ("~x", "files words plain own"),
        ("https://x", "files words own"),
        ("''", "files words own"),
        ("'two words'", "files words plain names own"),
        ("-", "files words plain names own"),
        ("--", "words own"),
        ("-- -z", "words own"),
        ("-- $x", ""),
        ("a$x", "files"),
        ("a*", "files"),
        ("$n", "files"),
        ("$x", ""),
        ("*", ""),
        ("-z", ""),
    ],
)
def test_what_further_words_are(word: str, taking: str) -> None:
    assert [verb for verb in TAKES.verbs if seen_in(TAKES, f"{verb} {word}") is not None] == taking.split()


def test_files_are_read_and_others_are_not() -> None:
    assert seen_in(TAKES, "files x -n y") == (["/repo/a/x", "/repo/a/y"], ["it"])
    assert call_of(TAKES, "files x").reads == [Read("/repo/a/x", "tool", is_tree=True)]
    assert seen_in(TAKES, "words x") == ([], ["it"])


def test_what_words_are_by_default() -> None:
    assert seen_in(Tool({"get": ""}), "get x") == (["/repo/a/x"], [])
    assert seen_in(Tool({"get": ""}, asks="it"), "get x") == ([], ["it"])
    assert seen_in(Tool({"get": Verb(asks="it")}), "get x") == ([], ["it"])
    assert seen_in(Tool({"get": ""}, takes="words"), "get x") == ([], [])
    assert seen_in(Tool({"get": ""}, takes="nothing"), "get x") is None
    assert seen_in(Tool({"get": Verb(takes="words")}, takes="nothing"), "get x") == ([], [])


@pytest.mark.parametrize(
    ("line", "passes"),
    lines("""
        -q
        -q --user u
        ---
        x
        -n
        --
        --zzz
        $x
        """),
)
def test_the_empty_verb(line: str, *, passes: bool) -> None:
    tool = Tool({"": Verb("n", "files"), "get": ""}, leading="q user=")
    assert (seen_in(tool, line) is not None) is passes
    assert seen_in(Tool({"get": ""}, leading="q user="), line) is None


def test_no_word_at_all() -> None:
    assert seen_in(Tool({"": Verb("n", "files")}), "") == ([], [])
    assert seen_in(Tool({"get": ""}), "") is None


@pytest.mark.parametrize(
    ("line", "passes"),
    lines("""get -v
        -R r get x
        -Rr --user=u get
        get --json
        -R r -p x
        ---
        -R get
        get -R r
        --json get
        -v get
        -R r -- get
        -p -R r
        """),
)
def test_options_in_front_and_of_every_verb(line: str, *, passes: bool) -> None:
    tool = Tool({"get": "v", "-p": ""}, leading="R= user=", common="json")
    assert (seen_in(tool, line) is not None) is passes


@pytest.mark.parametrize(
    ("line", "passes"),
    lines("""help
        version
        --version
        -h
        help get
        help get-all x
        ---
        version upgrade
        --help x
        -h help
        help ./x
        help --all=1
        help $x
        -V
        """),
)
def test_what_tells_about_the_program(line: str, *, passes: bool) -> None:
    assert (seen_in(Tool({}, help=HELP), line) == ([], [])) is passes


def test_by_default_no_bare_word_tells() -> None:
    tells = [word for word in (*HELP.split(), "-V") if seen_in(Tool({}), word) is not None]
    assert tells == ["--help", "-h", "--version"]
    assert seen_in(Tool({}, help=""), "--help") is None


@pytest.mark.parametrize(
    ("line", "passes"),
    lines("""get -s
        -s get
        get --dry-run x
        get --dry-run=none
        ---
        get
        get -v
        get -x -s
        get -- -s
        """),
)
def test_an_option_that_has_to_be_given(line: str, *, passes: bool) -> None:
    tool = Tool({"get": Verb("s v x= dry-run=?", needs="-s --dry-run"), "put": ""}, takes="words", leading="s")
    assert (seen_in(tool, line) is not None) is passes


def test_an_option_that_is_needed_is_named() -> None:
    tool = Tool({"get": Verb("n", needs="-n --dry-run")}, warns="it may send")
    assert [unknown.why for unknown in call_of(tool, "get").unknown] == [
        "tool get, without -n or --dry-run: it may send"
    ]


def test_whom_it_asks() -> None:
    tool = Tool({"get": "", "find": Verb(asks="another")}, asks="it", is_local=True)
    assert call_of(tool, "get").connects == [Connection("it", "tool", is_local=True)]
    assert call_of(tool, "find").connects == [Connection("another", "tool", is_local=True)]
    assert call_of(tool, "put").connects == call_of(tool, "--help").connects == []


@pytest.mark.parametrize("line", ["get x", "--help"])
def test_a_file_that_has_to_be_absent(line: str) -> None:
    tool = Tool({"get": ""}, absent=".rc")
    asked = [NameSource("absent", f"{folder}/.rc") for folder in ("/repo/a", "/repo", "")]
    assert call_of(tool, line).needs_names == asked
    assert call_of(tool, line, names=dict.fromkeys(asked, True)).unknown == []
    assert call_of(tool, line, names={**dict.fromkeys(asked, True), asked[1]: False}).unknown
    assert call_of(tool, "put").needs_names == []


def test_what_a_verb_does_besides() -> None:
    done: list[Options] = []
    tool = Tool({"get": Verb("f=", act=lambda _call, options: done.append(options)), "put": ""}, "it", leading="q")
    assert seen_in(tool, "-q get -f 1 x") == ([], ["it"])
    assert done == [Options((("-q", None), ("-f", Field("1"))), (Field("x"),))]
    assert seen_in(tool, "put x") == ([], ["it"])
    assert seen_in(tool, "get --zzz") is None
    assert len(done) == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "tool without a verb: it may send"),
        ("put it there", "tool put it: it may send"),
        ("get --zzz", "tool get: an option that the table does not list: --zzz"),
        ("--zzz get", "tool: an option that the table does not list: --zzz"),
        ("bare x y", "tool bare x: it may send"),
        ("bare --", "tool bare --: it may send"),
        ("get a$x", "tool is told something that is not known whole"),
    ],
)
def test_the_reason(line: str, why: str) -> None:
    tool = Tool({"get": "", "bare": Verb(takes="nothing")}, asks="it", warns="it may send")
    assert [unknown.why for unknown in call_of(tool, line).unknown] == [why]


def test_rows_are_made_of_a_table() -> None:
    one, two = rows_by({"gh": Tool({"get": ""}), "glab": Tool({"put": ""})})
    assert (one.name, one.is_free, one.reads, two.name) == ("gh", True, False, "glab")
    for name, refused in (("gh", False), ("glab", True)):
        call = Call(name, (Field("get"),), cwds=("/repo",), home="/home/dev", git={})
        assert one.act is not None
        assert two.act is not None
        (one if name == "gh" else two).act(call, Options((), call.args))
        assert bool(call.unknown) is refused


def test_a_module_with_a_table_has_its_rows() -> None:
    for module, name in (("system", "systemctl"), ("packages", "npm"), ("forges", "glab"), ("containers", "helm")):
        assert TABLE.get(name) in rows_of(module)
