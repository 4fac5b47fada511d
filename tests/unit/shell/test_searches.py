"""Names that a search gives, and names made of them: what a loop, ``xargs`` or an action writes."""

from __future__ import annotations

import pytest
from shell_effects import effects_of, wanted_by

from harness_guard.shell.effects import Effects, Search
from harness_guard.shell.names import NameSource

SRC = "/repo/src"
PY = Search(("*.py",))


def writes(found: Effects) -> set[tuple[str, Search | None]]:
    assert found.unknown == ()
    return {(write.path, write.search) for write in found.writes}


@pytest.mark.contract("E3.1")
@pytest.mark.parametrize(
    ("command", "search"),
    [
        ("find src -name '*.py' -exec touch {} +", PY),
        ("find src -type f -iname '*.py' -mtime +3 -exec touch {} ';'", PY),
        ("find src -name '*.py' -print0 | xargs -0 touch", PY),
        ("find src -name '*.py' -print0 | sort -z | xargs -0 -n 1 touch", PY),
        ("find src -name '*.py' -print0 | while IFS= read -r -d '' f; do touch \"$f\"; done", PY),
        ("while IFS= read -r -d '' f; do touch \"$f\"; done < <(find src -name '*.py' -print0)", PY),
        ("find src '(' -name '*.py' -o -name a ')' -exec touch {} +", Search(("*.py", "a"))),
        ("find src -name a -prune -o -name '*.py' -exec touch {} +", PY),
        ("find src ! -name a -exec touch {} +", Search()),
        ("find src -name a -o -exec touch {} +", Search()),
        ("find src -path '*/lib/*.py' -exec touch {} +", PY),
        ("find src -path '*/lib/x' -exec touch {} +", Search(("x",))),
        ("find src -exec touch {} + -name '*.py'", Search()),
        ("find src -name '*.py' -print0 | while IFS= read -r -d '' f; do touch \"$f.bak\"; done", Search(("*.py",), add=".bak")),
        (
            "find src -name '*.py' -print0 | while IFS= read -r -d '' f; do touch \"${f%.py}.x\"; done",
            Search(("*.py",), cut=".py", add=".x"),
        ),
    ],
)  # fmt: skip
def test_each_name_whose_last_part_matches(command: str, search: Search) -> None:
    assert writes(effects_of(command)) == {(SRC, search)}


@pytest.mark.contract("E3.3")
@pytest.mark.parametrize("other", ["cat", "head -c 3", "read x", "ssh h", "rm -i a", "sed p", "x=$(cat)", "bash"])
def test_nothing_else_reads_the_names(other: str) -> None:
    loop = "find src -name '*.py' -print0 | while IFS= read -r -d '' f; do {}touch \"$f\"; done"
    assert effects_of(loop.format(other + "; ")).unknown
    assert not effects_of(loop.format('echo "$f"; ')).unknown


@pytest.mark.contract("E3.4")
@pytest.mark.parametrize(
    ("before", "is_known"),
    [
        ("touch src/new.py; ", False),
        ("cp a.txt src/new.PY; ", False),
        ("mv docs src/docs; ", False),
        ("tar xf a.tar -C src; ", False),
        ("touch src/new.txt; ", True),
        ("rm src/old.py; ", True),
        ("chmod 600 src/old.py; ", True),
    ],
)
def test_a_name_that_the_text_may_make(before: str, *, is_known: bool) -> None:
    found = effects_of(f"{before}find src -name '*.py' -exec touch {{}} +")
    assert (found.unknown == ()) is is_known


@pytest.mark.contract("E2.2")
@pytest.mark.parametrize(
    ("command", "written"),
    [("y=a; y=b touch c > $y", {"/repo/a", "/repo/c"}), ("y=a; x=b > $y", {"/repo/a"}), ("y=a; y=b > $y", None)],
)
def test_a_target_behind_assignments(command: str, written: set[str] | None) -> None:
    found = effects_of(command)
    assert (None if found.unknown else {write.path for write in found.writes}) == written


@pytest.mark.contract("E2.3", "E2.5")
@pytest.mark.parametrize(
    ("command", "written"),
    [
        ('touch "a.$(date +%F)"', {"/repo/a.*"}),
        ("i=$((1 + 1)); touch a$i.txt", {"/repo/a*.txt"}),
        ('for f in *.txt; do touch "$f.bak"; done', {"/repo/*.txt.bak"}),
        ('for f in *.txt; do touch "${f%.txt}.md"; done', {"/repo/*.md"}),
        ('touch "a.$(date +%D)"', None),
        ("touch $((1 + 1))", None),
    ],
)
def test_a_name_that_looks_so(command: str, written: set[str] | None) -> None:
    found = effects_of(command)
    assert (None if found.unknown else {write.path for write in found.writes}) == written


@pytest.mark.contract("E2.4")
@pytest.mark.parametrize(
    ("command", "relied"),
    [
        ("cat *.txt", ()),
        ("rm *.txt", ("dashes",)),
        ("cp *.txt src", ("dashes",)),
        ("sort *.txt", ("dashes",)),
        ("sort ./*.txt", ()),
    ],
)
def test_what_a_glob_is_believed_to_match(command: str, relied: tuple[str, ...]) -> None:
    found = effects_of(command)
    assert found.unknown == ()
    assert tuple(one.what for one in found.relies) == relied
    assert effects_of(f"touch -- -x; {command}").unknown or not relied


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize(
    ("command", "is_known"),
    [
        ("find src | xargs touch", True),
        ("find 'src/x /etc/passwd' | xargs touch", False),
        ("find 'src/x /etc/passwd' -print0 | xargs -0 touch", True),
        ("grep -rl x 'src/x /etc/passwd' | xargs touch", False),
        ("ls -A | xargs touch", True),
        ("ls -f | xargs touch", False),
        ("grep -rlZ x | xargs -0 touch", True),
    ],
)
def test_where_every_name_on_disk_is_plain(command: str, *, is_known: bool) -> None:
    assert (effects_of(command).unknown == ()) is is_known


@pytest.mark.contract("E3.1")
@pytest.mark.parametrize(
    ("options", "place", "names"),
    [
        ("--include='*.py'", "src", ("*.py",)),
        ("--include='*.py' --exclude-dir=lib", "src", ("*.py",)),
        ("--exclude=x --include='*.py'", "src", ("*",)),
        ("--include='s*'", "src/a.txt", ("s*", "a.txt")),
        ("--include='D*'", "./docs/a[1]", ("D*", "a\\[1\\]")),
        ("--include='*.py'", "src/a.txt", ("*.py",)),
    ],
)
def test_what_grep_looks_into(options: str, place: str, names: tuple[str, ...]) -> None:
    found = effects_of(f"grep -rlZ {options} x '{place}' | xargs -0 touch")
    assert {write.search for write in found.writes} == {Search(names)}


@pytest.mark.contract("E3.1")
@pytest.mark.parametrize(
    ("command", "search"),
    [
        ("rg -l0 x src | xargs -0 touch", Search()),
        ("rg --files -0 src | xargs -0 touch", Search()),
        ("rg --files -0 -g '#*' src | xargs -0 touch", Search(("*", "src"))),
        ("rg --files -0 -g '*.md ' src | xargs -0 touch", Search(("*", "src"))),
        ("rg --files -0 -g ' ' src | xargs -0 touch", Search(("*", "src"))),
        ("rg -l --null -g '*.py' -g '!a.py' -e x src | xargs -0 touch", Search(("*.py", "src"))),
        ("rg -l0 -g '**/*.py' -g '!a' x src | xargs -0 touch", Search(("*.py", "src"))),
        ("rg -l0 -g '*.{py,js}' x src | xargs -0 touch", Search(("*", "src"))),
        ("rg -l0 -g 'src/**' x src | xargs -0 touch", Search(("*", "src"))),
        ("fd -0 -e py . src | xargs -0 touch", Search(("*.py", "src"))),
        ("fdfind -0 x src | xargs -0 touch", Search()),
        ("fd -e py . src -x touch {}", Search(("*.py", "src"))),
        ("fd . src -X touch", Search()),
    ],
)
def test_names_of_other_finders(command: str, search: Search) -> None:
    found = effects_of(command)
    assert writes(found) == {(SRC, search), (f"{SRC}/", search)}


@pytest.mark.contract("E3.1")
@pytest.mark.parametrize(
    "command",
    [
        "rg -l0 -L x src | xargs -0 touch",
        "rg -l0 --hidden x src | xargs -0 touch",
        "rg -l0 x ../b | xargs -0 touch",
        "rg -l0 x .git | xargs -0 touch",
        "rg -c0 x src | xargs -0 touch",
        "rg -0 x src | xargs -0 touch",
        "rg -l x src | xargs -0 touch",
        "rg -l0 x - | xargs -0 touch",
        "rg -l0 x | xargs -0 touch",  # <stdin>
        "fd d src -x gzip -S '{'",
        "fd d src -x touch a{b",
        "fd -e py -x touch {}",  # before fd 8.3 a name may start with a dash
        "rg -l0 x src | xargs touch",
        "fd -0 -L x src | xargs -0 touch",
        "fd -0 -H x src | xargs -0 touch",
        "fd -H . src -x touch",
        "fd . src -x touch {.}",
    ],
)
def test_other_names_of_other_finders(command: str) -> None:
    assert effects_of(command).unknown


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize("command", ["git ls-files '*.py'", "git grep -l x -- '*.py'", "git grep -li -e x -- '*.py'"])
def test_names_of_the_index_need_not_be_there(command: str) -> None:
    found = effects_of(f"{command} | xargs touch")
    assert {write.search for write in found.writes} == {Search(skips_git=True)}


@pytest.mark.contract("E6.2")
@pytest.mark.parametrize(
    ("command", "is_lasting"),
    [
        ("cat $(find src -name '*.py')", False),
        ("find src | xargs grep -n x", False),
        ('for f in $(git ls-files); do wc -l "$f"; done', False),
        ("touch $(find src -name '*.py')", True),
        ("cat $(find src -name '*.py') > a", True),
        ("sort $(find src -name '*.py')", True),
        ("find src | xargs sort", True),
        ('for f in $(find src); do sort "$f"; done', True),
    ],
)
def test_names_that_are_only_read_need_not_stay_so(command: str, *, is_lasting: bool) -> None:
    found = effects_of(command)
    assert found.unknown == ()
    assert bool(found.relies) is is_lasting
    assert all(read.path != "/" for read in found.reads)


@pytest.mark.contract("E2.3")
@pytest.mark.parametrize(
    ("command", "written"),
    [
        ('for f in src/*.py; do b=$(basename "$f" .py); touch "docs/$b.md"; done', {"/repo/docs/*.md"}),
        ('touch "docs/$(basename "src/$x").md"', {"/repo/docs/**.md"}),  # blanks, in one name
        ('touch "docs/$(basename "src/$x")"', None),  # `..`
        ('touch "docs/$(basename "src/$x")/a"', None),
        ('touch "docs/.$(basename "src/$x")"', None),
        ('touch docs/$(basename "src/$x").md', None),  # blanks
        ('touch "docs/$(basename "$x").md"', None),  # `--help`
        ('touch "docs/$(basename src/$x).md"', None),
        ('touch "docs/$(basename "src/$x" "$y").md"', None),
        ('touch "docs/a$(basename "/$x").md"', None),  # `/`
        ('touch "docs/a$(basename "$(git rev-parse HEAD)/$x").md"', None),
        ('touch "docs/$(git rev-parse HEAD).md"', {"/repo/docs/*.md"}),
        ('touch "docs/$(git rev-parse --short=8 HEAD~2).md"', {"/repo/docs/*.md"}),
        ('touch "docs/$(git merge-base a b).md"', {"/repo/docs/*.md"}),
        ('touch "docs/$(git rev-parse a/b).md"', None),  # printed as it stands where it is none
        ('touch "docs/$(git rev-parse --abbrev-ref HEAD).md"', None),
        ('touch "docs/$(git rev-parse --verify ^HEAD).md"', None),
        ('touch "docs/$(git rev-parse a..b).md"', None),
        ('touch "docs/$(git rev-parse --short HEAD^!).md"', None),
        ('touch "docs/$(git rev-parse --verify HEAD^@).md"', None),
        ('touch "docs/$(git rev-parse --short HEAD^-).md"', None),
        ('touch "docs/$(git merge-base --all a b).md"', None),
        ('touch "docs/$(git describe).md"', None),
    ],
)
def test_names_made_of_what_is_computed(command: str, written: set[str] | None) -> None:
    found = effects_of(command)
    assert (None if found.unknown else {write.path for write in found.writes}) == written


@pytest.mark.contract("E2.1")
@pytest.mark.parametrize(
    ("command", "is_known"),
    [
        ("git show $(git rev-parse HEAD)", True),
        ('git diff "$(git merge-base a b)"...c', True),
        ("X=$(git rev-parse HEAD); git show $X:a", True),
        ("X=$(git rev-parse HEAD); git show $X-x", False),
        ("X=$(git rev-parse HEAD); git show $X$Y", False),
        ("X=$(git rev-parse HEAD); git show $Y$X", False),
        ("X=$(git rev-parse HEAD); git show $X$X-x", False),
        ("X=$(git rev-parse HEAD); git show $X*", False),
        ('X=$(git rev-parse HEAD); git show "$X*"', True),
        ("X=$(git rev-parse HEAD); git show $X$X", True),
        ("X=$(git branch --show-current); git show $X", False),
        ("X=$(git rev-parse HEAD); git show $X/../../x", True),
    ],
)
def test_a_hash_is_no_option(command: str, *, is_known: bool) -> None:
    assert (effects_of(command).unknown == ()) is is_known


@pytest.mark.parametrize(
    ("behind", "is_below"), [("", True), (":a", True), ("...b", True), ("/../x", False), ("/x", False)]
)
def test_what_starts_with_a_hash_stays_below_the_folder(behind: str, *, is_below: bool) -> None:
    found = effects_of(f"git diff $(git rev-parse HEAD){behind}")
    assert (found.unknown, any(read.path == "/" for read in found.reads)) == ((), not is_below)


@pytest.mark.contract("E3.2")
def test_a_pattern_in_the_word_of_its_option_leaves_a_revision() -> None:
    found = effects_of("git grep -eli HEAD -- '*.py' | xargs touch")
    assert [unknown.why for unknown in found.unknown] == ["touch: a word that may be an option"]


def test_what_may_stand_in_the_middle_of_a_word_that_starts_with_a_hash() -> None:
    known = effects_of('cd docs && rm -- "$(git rev-parse HEAD)x"')
    assert {(write.path, write.kind) for write in known.writes} == {("/repo/docs", "tree")}
    assert effects_of('cd docs && rm -- "$(git rev-parse HEAD)x$y"').unknown
    assert effects_of("cd docs && rm -- $(git rev-parse HEAD)x/.?/.?/y").unknown


@pytest.mark.contract("E2.3", "E3.6")
@pytest.mark.parametrize(
    ("command", "written", "relied"),
    [
        ("for f in src/*.py; do wc -l $f; done", set(), ()),
        ("for f in src/*.py; do wc -l < $f; done", set(), ()),
        ("for f in src/*.py; do touch $f; done", {"/repo/src/*.py"}, ("names",)),
        ("for f in src/*/*.py; do touch $f; done", {"/repo/src/*/*.py"}, ("names",)),
        # Where nothing matches, what is made of the glob is one itself.
        ("for f in src/*.zz; do rm $f.bak; done", {"/repo/src/*.zz.bak"}, ("names",)),
        ("for f in src/*.py; do touch ${f%.py}.txt; done", {"/repo/src/*.txt"}, ("names",)),
        ("for f in src/*.py; do touch ${f%%*}; done", None, ("names",)),
        ("for f in *.py; do touch ${f%.py}; done", None, ("dashes", "names")),
        ("for f in src/*.py; do touch ${f/main/a b}; done", None, ("names",)),
        ("for f in 'a b'/*; do touch $f; done", None, ()),
        ("IFS=a; for f in src/*.py; do touch $f; done", None, ("names",)),
        ("for f in src/*.py; do IFS=a; touch $f; done", None, ("names",)),
    ],
)
def test_a_glob_s_matches_without_quotes(command: str, written: set[str] | None, relied: tuple[str, ...]) -> None:
    found = effects_of(command)
    assert (None if found.unknown else {write.path for write in found.writes}) == written
    assert tuple(one.what for one in found.relies) == relied
    assert written is None or all(read.path != "/" for read in found.reads)


@pytest.mark.parametrize(
    ("glob", "source"),
    [
        ("*.md", NameSource("direct", "/repo")),
        ("docs/*.md", NameSource("direct", "/repo/docs")),
        ("docs/*/", NameSource("direct", "/repo/docs")),
        ("docs/*/x.md", NameSource("disk", "/repo/docs")),
        ("/srv/*", NameSource("direct", "/srv")),
        ("/*", NameSource("direct", "/")),
    ],
)
def test_where_the_names_of_a_glob_are_looked_at(glob: str, source: NameSource) -> None:
    assert wanted_by(f"for f in {glob}; do cat $f; done").names == (source,)


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize(
    ("command", "is_read"),
    [
        ("find src -name '*.py' | xargs cat", True),
        ("cat $(find src -name '*.py')", True),
        ("find src | xargs cat", False),
        ("find src -name '*.py' -o -name '*' | xargs cat", False),
        ("git ls-files '*.py' | xargs cat", False),
    ],
)
def test_where_other_names_come_apart_those_of_the_search_may_be_read(command: str, *, is_read: bool) -> None:
    found = effects_of(command, believed=lambda source: source.words == ("*.py",))
    assert found.unknown == ()
    assert any(read.path == "/" for read in found.reads) != is_read


@pytest.mark.contract("E3.2")
def test_where_other_names_come_apart_nothing_is_written_by_those_of_the_search() -> None:
    found = effects_of("find src -name '*.py' | xargs touch", believed=lambda source: source.words == ("*.py",))
    assert [one.what for one in found.relies] == ["names", "listed"]


@pytest.mark.contract("E3.1")
@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("git ls-files -z src | xargs -0 touch", {("/repo/src", Search(skips_git=True))}),
        (
            "git ls-files -z 'src/*.py' docs/ | xargs -0 touch",
            {(f"/repo/{top}", Search(skips_git=True)) for top in ("src", "docs")},
        ),
        ("git ls-files -z 'src/a/**/b[x].py' | xargs -0 touch", {("/repo/src/a", Search(skips_git=True))}),
        ("git grep -lz x -- src | xargs -0 touch", {("/repo/src", Search(skips_git=True))}),
        ("git ls-files -z '*.py' | xargs -0 touch", {("/repo/.", Search(skips_git=True))}),
    ],
)
def test_names_of_the_index_lie_where_the_pathspecs_say(command: str, written: set[tuple[str, Search]]) -> None:
    assert writes(effects_of(command)) == written


@pytest.mark.contract("E3.2")
@pytest.mark.parametrize(
    ("command", "relied"),
    [
        ("git ls-files -z src | xargs -0 touch", []),
        ("git ls-files src | xargs touch", ["listed"]),
        ("git ls-files -z | xargs -0 touch", ["listed"]),  # one of them may start with a dash
        ("git ls-files -oz src | xargs -0 touch", ["listed", "names"]),
    ],
)
def test_what_names_of_the_index_go_by(command: str, relied: list[str]) -> None:
    assert [one.what for one in effects_of(command).relies] == relied
