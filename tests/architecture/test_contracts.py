"""The contracts' sentences: numbered without gaps, each carried by a test, and their generated parts equal to the code.

A test names the sentences that it carries with ``@pytest.mark.contract("C5.2")``. The marks are read from the files, so
that those of tests count that need a host. Run as a script, it prints the sentences that no test names.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import generate_docs
import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "C": ROOT / "contracts" / "harness-contract.md",
    "D": ROOT / "contracts" / "hook-decision-protocol.md",
    "L": ROOT / "contracts" / "p3-policy-lifecycle.md",
    "E": ROOT / "contracts" / "shell-effects.md",
    "A": ROOT / "contracts" / "runtime-acceptance.md",
}
# A model reads the contract whole at the start of every run.
MOST_BYTES = 29_000
PAGES = ("README.md", "CHANGELOG.md", "SECURITY.md", "contracts/*.md", "docs/*.md", "skills/*/*.md", "agents/*.md")

_SENTENCE = re.compile(r"^- \*\*([ACDEL])([0-9]+)\.([0-9]+)\*\* (\S.*)$", re.MULTILINE)
_CHAPTER = re.compile(r"^## ([0-9]+)\. ", re.MULTILINE)
_NAMED = re.compile(r"\b([ACDEL][0-9]{1,2}\.[0-9]{1,2})\b")


def sentences(letter: str) -> list[tuple[int, int, str]]:
    """Give chapter, number and words of each sentence in the order of the document."""
    found = _SENTENCE.findall(DOCUMENTS[letter].read_text(encoding="utf-8"))
    return [(int(chapter), int(number), words) for document, chapter, number, words in found if document == letter]


def ids() -> frozenset[str]:
    """Give the ids of all documents."""
    return frozenset(f"{letter}{chapter}.{number}" for letter in DOCUMENTS for chapter, number, _ in sentences(letter))


def marks() -> dict[str, list[str]]:
    """Give each sentence id that a test's ``contract`` mark names, with the tests."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for identifier in _marked(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(identifier, []).append(path.relative_to(ROOT).as_posix())
    return found


def _marked(tree: ast.AST) -> Iterator[str]:
    """Give the ids in the marks of tests; a mark on anything else carries nothing, because nothing runs."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.contract":
                yield from (str(word.value) for word in mark.args if isinstance(word, ast.Constant))


def unnamed() -> list[str]:
    """Give the sentences that no test names, in the order of the documents."""
    named = marks()
    wanted = [f"{letter}{chapter}.{number}" for letter in DOCUMENTS for chapter, number, _ in sentences(letter)]
    return [identifier for identifier in wanted if identifier not in named]


@pytest.mark.parametrize("letter", DOCUMENTS)
def test_sentences_are_numbered_without_a_gap(letter: str) -> None:
    text = DOCUMENTS[letter].read_text(encoding="utf-8")
    chapters = [int(number) for number in _CHAPTER.findall(text)]
    assert chapters == list(range(1, len(chapters) + 1))
    counted = dict.fromkeys(chapters, 0)
    expected = []
    for chapter, _, _ in sentences(letter):
        counted[chapter] += 1
        expected.append((chapter, counted[chapter]))
    assert [(chapter, number) for chapter, number, _ in sentences(letter)] == expected
    assert [chapter for chapter, _ in expected] == sorted(chapter for chapter, _ in expected)
    assert all(counted.values())


@pytest.mark.parametrize("letter", DOCUMENTS)
def test_every_bullet_with_an_id_is_one_sentence_of_this_document(letter: str) -> None:
    bullets = re.findall(r"^- \*\*.*$", DOCUMENTS[letter].read_text(encoding="utf-8"), re.MULTILINE)
    assert [bullet for bullet in bullets if not bullet.startswith(f"- **{letter}")] == []
    assert len(bullets) == len(sentences(letter))


def test_no_sentence_is_said_twice() -> None:
    words = [words for letter in DOCUMENTS for _, _, words in sentences(letter)]
    assert sorted(words) == sorted(set(words))


def test_the_contract_is_short_enough_to_be_read_whole() -> None:
    assert len(DOCUMENTS["C"].read_bytes()) <= MOST_BYTES


def test_a_mark_names_a_sentence_that_exists() -> None:
    strange = {identifier: tests for identifier, tests in marks().items() if identifier not in ids()}
    assert strange == {}


def test_a_reference_between_documents_leads_to_a_sentence() -> None:
    known = ids()
    strange = {
        path.relative_to(ROOT).as_posix(): gone
        for pattern in PAGES
        for path in sorted(ROOT.glob(pattern))
        if (gone := [name for name in _NAMED.findall(path.read_text(encoding="utf-8")) if name not in known])
    }
    assert strange == {}


def test_every_sentence_is_carried_by_a_test() -> None:
    assert unnamed() == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('@pytest.mark.contract("C1.1", "D2.3")\ndef test_x(): ...', ["C1.1", "D2.3"]),
        ('@given()\n@pytest.mark.contract("C1.1")\ndef test_x(): ...', ["C1.1"]),
        ('@pytest.mark.contract("C1.1")\ndef check(): ...', []),
        ('@other.contract("C1.1")\ndef test_x(): ...', []),
        ('def test_x():\n    pytest.mark.contract("C1.1")', []),
        ('# @pytest.mark.contract("C1.1")\ndef test_x(): ...', []),
    ],
)
def test_only_a_tests_own_mark_carries_a_sentence(source: str, found: list[str]) -> None:
    assert list(_marked(ast.parse(source))) == found


@pytest.mark.contract("L6.1")
@pytest.mark.contract("D7.2")
def test_generated_parts_are_what_the_code_says() -> None:
    assert generate_docs.stale() == ()


@pytest.mark.contract("L6.1")
def test_the_published_machine_is_the_machine() -> None:
    from harness_guard.kernel.state import STATE_NAMES, TERMINAL
    from harness_guard.kernel.transitions import TRANSITIONS

    paused = tuple(name for name in STATE_NAMES if name.startswith("paused_"))
    text = DOCUMENTS["L"].read_text(encoding="utf-8").partition("<!-- generated: lifecycle -->")[2]
    lines = [line for line in text.split("\n") if line.startswith(("| `", "| every"))]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    read = []
    for left, on, guard, to, *_ in rows:
        named = re.findall(r"`([a-z_…]+)`", left)
        states = tuple(name for name in STATE_NAMES if name not in TERMINAL) if left.startswith("every") else named
        whole = frozenset(name for item in states for name in (paused if item == "paused_…" else (item,)))
        read.append((whole, on, guard, to.strip("`")))
    going = frozenset(name for name in STATE_NAMES if name not in TERMINAL)
    words = {"=": "unchanged", "paused_from": "the state it paused in"}
    assert read == [
        (frozenset(row.states) or going, row.on, row.guard, words.get(row.to, row.to)) for row in TRANSITIONS
    ]


@pytest.mark.contract("D7.1")
def test_every_rule_id_is_explained_and_every_row_is_a_rule_of_the_code() -> None:
    assert generate_docs.unexplained() == ()
    text = generate_docs.PROTOCOL.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+\.[a-z0-9-]+)` \|", text, re.MULTILINE)
    assert rows == sorted(generate_docs.rules())


def test_a_new_rule_gets_a_row_without_a_meaning_and_a_known_one_keeps_its_own() -> None:
    kept = "| `effects.unknown` | Nobody knows | kernel |\n| `gone.rule` | Old | kernel |\n"
    made = generate_docs.rule_table(kept)
    assert "| `effects.unknown` | Nobody knows |" in made
    assert "gone.rule" not in made
    assert "| `boundary.outside` |  |" in made


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('deny("effects.unknown", seen, remedy)', ["effects.unknown"]),
        ('RULE = "plan.verification-command"', ["plan.verification-command"]),
        ('Reason(rule="store.lock", seen=a, remedy=b)', ["store.lock"]),
        ('if problem.rule == "review.tree-moved": pass', []),
        ('open(f"{folder}/state.json"); name = "state.json"', []),
        ('key == "core.fsmonitor" or "log.showsignature"', []),
        ('text = "see effects.unknown"', []),
    ],
)
def test_rule_ids_are_found_in_code_and_nothing_else_is(source: str, found: list[str]) -> None:
    assert list(generate_docs._literals(ast.parse(source))) == found


if __name__ == "__main__":
    print("\n".join(unnamed()))
