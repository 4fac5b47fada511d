"""Laws of the artifacts: what is rendered parses back, and no text makes the parsers raise or say two things."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from artifact_texts import render_plan, render_review, template
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from harness_guard.artifacts.activation import read_prompt, would_act
from harness_guard.artifacts.characters import is_plain
from harness_guard.artifacts.digest import message_hash
from harness_guard.artifacts.fault import LineError
from harness_guard.artifacts.names import is_file_path
from harness_guard.artifacts.plan import STRATEGIES, TITLES
from harness_guard.artifacts.plan_amendment import DELTAS
from harness_guard.artifacts.plan_amendment import TITLES as AMENDMENT_TITLES
from harness_guard.artifacts.registry import DIRECT, PARSERS, parse_artifact, recognise
from harness_guard.artifacts.render import render_record, render_resume
from harness_guard.artifacts.templates import (
    amendment_fields,
    completion_fields,
    fill,
    pause_report_fields,
    plain_line,
    repair_plan_fields,
)
from harness_guard.artifacts.values import (
    Amendment,
    AutoRepair,
    Bindings,
    Completion,
    Criterion,
    Delta,
    Execution,
    Finding,
    NearMiss,
    Plan,
    Record,
    RecordContext,
    RepairPlan,
    Resume,
    ResumeContext,
    Review,
    VerificationCommand,
    VerificationStrategy,
)
from harness_guard.canonical import canonical
from harness_guard.records import replace

if TYPE_CHECKING:
    from harness_guard.artifacts.values import Artifact

CASES = Path(__file__).resolve().parents[1] / "cases" / "artifacts"
SKILL = "/opt/harness/skills/harness/SKILL.md"
LETTERS = string.ascii_letters + string.digits

words = st.text(LETTERS + " äß漢😀.,;:!?'\"()/*_#=$<>&-", min_size=1, max_size=60).map(plain_line)
prose = st.lists(words, min_size=1, max_size=3).map("\n".join)
ids = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True)
digests = st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:".__add__)
revisions = st.text("0123456789abcdef", min_size=40, max_size=64)
names = st.text(LETTERS + "._-", min_size=1, max_size=8).filter(lambda name: name not in {".", ".."} and name[0] != ".")
entries = st.lists(names | st.sampled_from(["*", "**", "*.py"]), min_size=1, max_size=4).map("/".join)
quoted = st.text(string.printable[:95].replace("'", "") + "ä", max_size=12).map(lambda text: f"'{text}'")
plain = st.text(LETTERS + "._/:,@%+-", min_size=1, max_size=12)
RESERVED = set("if then else elif fi do done case esac while until for in select function time coproc".split())  # noqa: SIM905  POSIX XCU 2.4, and bash's
simple = st.tuples(plain.filter(lambda word: word not in RESERVED), st.lists(quoted | plain, max_size=4))
exact_line = st.text(string.printable[:95] + "äß", min_size=1, max_size=30)


def readable(command: str) -> bool:
    lines = command.split("\n")
    return command == command.strip() != "" and all(line == line.rstrip() and is_plain(line) for line in lines)


exact = (
    st.lists(exact_line.map(str.rstrip), min_size=1, max_size=3)
    .map("\n".join)
    .filter(lambda command: readable(command) and not command.startswith("mcp__") and command != "None")
    # A line inside a block that could close or open a fence is for the parser to refuse, not to carry.
    .filter(lambda command: "\n" not in command or ("```" not in command and "~~~" not in command))
)


@st.composite
def checks(draw: st.DrawFn, name: str) -> VerificationCommand:
    program, arguments = draw(simple)
    argv = [program, *(word[1:-1] if word[0] == "'" else word for word in arguments)]
    return VerificationCommand(name, " ".join([program, *arguments]), draw(st.integers(1, 600)), tuple(argv))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    kind = draw(st.sampled_from(sorted(STRATEGIES)))
    required = [draw(checks(f"V{number}")) for number in range(draw(st.integers(1, 3)))]
    optional = [draw(checks(f"O{number}")) for number in range(draw(st.integers(0, 2)))]
    criteria = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
    return Plan(
        digest="",
        size=draw(st.sampled_from(["Tiny", "Small", "Non-trivial"])),
        kind=kind,
        objective=draw(prose),
        criteria=tuple(Criterion(name, draw(words)) for name in criteria),
        scope=draw(prose),
        boundary=tuple(draw(st.lists(entries, max_size=4, unique=True))),
        commands=tuple(draw(st.lists(exact, max_size=3, unique=True))),
        tools=tuple(
            f"mcp__{name}__run" for name in draw(st.lists(st.text(LETTERS, min_size=1), max_size=2, unique=True))
        ),
        strategy=STRATEGIES[kind],
        required=tuple(required),
        optional=tuple(optional),
        execution=Execution(draw(st.sampled_from(["native", "guided", None])), draw(st.integers(0, 2)), 1),
        auto_repair=AutoRepair(
            draw(st.booleans()), draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(1, 2))
        ),
        risks=draw(prose),
        text="",
    )


bindings = st.builds(Bindings, digests, st.none() | digests, revisions, digests, st.integers(1, 9))
findings = st.builds(
    Finding,
    st.just("R1-F1"),
    st.sampled_from(["critical", "important", "suggestion"]),
    st.sampled_from(["IN_PLAN_REPAIR", "MATERIAL_AMENDMENT"]),
    st.lists(names, min_size=1, max_size=3).map("/".join),
    st.integers(1, 9_999),
    words,
)


deltas = st.tuples(*[st.builds(Delta, st.just(name), st.booleans(), words) for name in DELTAS]).filter(
    lambda six: any(delta.material for delta in six)
)


@st.composite
def amendments(draw: st.DrawFn) -> Amendment:
    """An Amendment as an agent makes one of the filled template: other deltas, and words for the risks."""
    policy = draw(plans())
    source, identifier, six, risks = draw(st.tuples(digests, digests, deltas, prose))
    fields = amendment_fields(source, identifier, criteria=policy.criteria, policy=policy)
    text = fill(template("plan-amendment.md"), fields)
    for delta in six:
        old = re.search(rf'^      "{delta.name}": .*?(?=,?$)', text, re.MULTILINE)
        assert old is not None
        row = (
            f'      "{delta.name}": {{"material": {canonical(delta.material)}, "summary": {canonical(delta.summary)}}}'
        )
        text = text.replace(old[0], row, 1)
    text = text.replace("`<what may go wrong, or None>`", risks, 1)
    verifying = {check.command for check in (*policy.required, *policy.optional)}
    return Amendment(
        digest=message_hash(text),
        source_plan_hash=source,
        source_policy_id=identifier,
        deltas=six,
        criteria=policy.criteria,
        boundary=policy.boundary,
        commands=tuple(command for command in policy.commands if command not in verifying),
        tools=policy.tools,
        strategy=policy.strategy,
        required=policy.required,
        optional=policy.optional,
        risks=risks,
        text=text.removesuffix("\n"),
    )


file_paths = st.lists(names | words, min_size=1, max_size=3).map("/".join).filter(is_file_path)
records = st.builds(
    RecordContext,
    digests,
    st.integers(1, 9),
    st.integers(1, 9),
    st.lists(ids | st.just("R1-F1"), max_size=3, unique=True).map(tuple),
    st.lists(file_paths, max_size=4, unique=True).map(tuple),
    revisions,
    revisions,
    digests,
    digests,
)


@given(amendments())
def test_a_filled_amendment_parses_back(amendment: Amendment) -> None:
    assert recognise(amendment.text) == amendment


@given(records, st.text(), st.text())
def test_a_rendered_record_parses_back_whatever_its_words(context: RecordContext, one: str, two: str) -> None:
    found = recognise(render_record(context, one, two))
    assert isinstance(found, Record)
    assert found.context == context


@given(records, prose, prose)
def test_a_record_keeps_words_that_can_be_kept(context: RecordContext, one: str, two: str) -> None:
    found = recognise(render_record(context, one, two))
    assert isinstance(found, Record)
    assert (found.context, found.changes, found.verification) == (context, one, two)


@given(plans().filter(lambda policy: policy.boundary != ()), digests, ids)
def test_a_filled_repair_plan_parses_back_and_is_nothing_at_stop(policy: Plan, source: str, finding: str) -> None:
    text = fill(template("repair-plan.md"), repair_plan_fields(source, finding, policy=policy))
    strategy = VerificationStrategy(policy.strategy, policy.required, policy.optional)
    assert parse_artifact("repair-plan", text) == RepairPlan(
        message_hash(text), source, finding, "unchanged", policy.boundary, strategy, text.removesuffix("\n")
    )
    assert recognise(text) is None


@given(st.lists(st.tuples(ids, st.text()), max_size=4))
def test_a_pause_report_is_nothing_at_stop_whatever_its_findings_say(findings: list[tuple[str, str]]) -> None:
    fields = pause_report_fields(
        rounds_done=1, findings=findings, diff_revision="ab" * 20, repeated=0, no_progress=0, is_green=None
    )
    text = fill(template("pause-report.md"), fields)
    assert recognise(text) is None
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# Pause Report", "## Pause Context", "## Findings", "## Verification Trend", "## Choices"
    ]  # fmt: skip


@given(plans())
def test_a_rendered_plan_parses_back(plan: Plan) -> None:
    text = render_plan(plan)
    assert recognise(text) == replace(plan, digest=message_hash(text), text=text.removesuffix("\n"))


@given(bindings, findings, prose)
def test_a_rendered_review_parses_back(context: Bindings, finding: Finding, evidence: str) -> None:
    review = Review("", context, "REPAIR_REQUIRED", (finding,), evidence, "")
    found = recognise(render_review(review))
    assert isinstance(found, Review)
    assert found.content == review.content


@given(
    st.builds(ResumeContext, digests, st.integers(0, 10**9), revisions, st.none() | digests, st.integers(0, 3)),
    st.text(),
)
def test_a_rendered_resume_parses_back_whatever_its_reason(context: ResumeContext, reason: str) -> None:
    found = recognise(render_resume(context, reason))
    assert isinstance(found, Resume)
    assert found.context == context


@given(bindings, st.lists(ids, min_size=1, max_size=4, unique=True), st.lists(ids, min_size=1, max_size=3, unique=True))
def test_a_filled_completion_parses_back(context: Bindings, criteria: list[str], required: list[str]) -> None:
    fields = completion_fields(context, [Criterion(name, "x") for name in criteria], required)
    found = recognise(fill(template("completion.md"), fields))
    assert isinstance(found, Completion)
    assert found.context == context
    assert [(item.criterion, list(item.evidence)) for item in found.acceptance] == [
        (name, required) for name in criteria
    ]


gated = plans().map(render_plan) | amendments().map(lambda amendment: f"{amendment.text}\n")


@given(gated, st.data())
def test_a_changed_character_never_changes_the_policy_under_the_same_hash(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    middle = data.draw(st.sampled_from(["", text[place] * 2, "\u200b", "`", "\n", " ", "<", "\r\n"]))
    changed = text[:place] + middle + text[place + 1 :]
    found, original = recognise(changed), recognise(text)
    assert isinstance(found, Plan | Amendment | NearMiss | None)
    assert isinstance(original, Plan | Amendment)
    if message_hash(changed) == message_hash(text):
        assert found == original
    elif isinstance(found, Plan | Amendment):
        assert found.digest != original.digest


@given(st.text(), st.sampled_from(sorted(PARSERS)), st.text())
def test_no_text_raises_and_an_exact_heading_is_never_overlooked(before: str, heading: str, behind: str) -> None:
    found = recognise(f"{before}\n{heading}\n{behind}")
    assert isinstance(found, NearMiss | None)
    assume("`" not in before and "~" not in before)
    assert isinstance(found, NearMiss)


@given(gated, st.text(max_size=20), st.integers(0, 400))
def test_text_put_anywhere_into_what_is_gated_raises_nothing(whole: str, text: str, place: int) -> None:
    assert isinstance(recognise(whole[:place] + text + whole[place:]), Plan | Amendment | NearMiss | None)


FRAGMENTS = st.sampled_from(
    ["```", "````", "~~~", "  ```", "- ```", "> ```", "    ", "- ", "> ", "1. ", "`", "``", "\\", "<!--", "-->", "<pre>", "<", "&", "]", "[a]",
     "(", ":", "# Plan", "## Scope", "## Write Boundary", "### x", "===", "---", "- - -", "None", "- `src/x.py`", "- `` `a` ``", "\n", "\n\n", "word", "* a",
     "+ b", "|", "![", "*", "_", "**", "&#9;", "\\\n", "  \n"]
)  # fmt: skip


def spoken(text: str, section: str) -> tuple[list[str], list[str]]:
    """The headings of a message, and what a CommonMark renderer shows as code in one of its sections."""
    headings, code = [], []
    previous = current = ""
    for block in MarkdownIt("commonmark").parse(text):
        kinds = {child.type for child in block.children or ()}
        assert block.type != "html_block"
        assert "html_inline" not in kinds
        if previous == "heading_open" and int(block.level) == 1:
            current = block.content
            headings.append(current)
        elif current == section:
            code += [child.content for child in block.children or () if child.type == "code_inline"]
            code += [block.content.removesuffix("\n")] if block.type == "fence" else []
        previous = block.type if block.tag in {"h1", "h2"} or block.type != "heading_open" else "deeper"
    return headings, code


GOOD = {kind: (CASES / kind / "ok-full.md").read_text() for kind in DIRECT}
JSON_FRAGMENTS = st.sampled_from(
    ["null", "true", "1e999", "-0", "1.0", "9" * 400, '"', '"x"', '"\\u0041"', "[", "]", "{", "}", ",", "{}", "[]", '{"a": 1}', "NaN", "\\",
     "sha256:" + "0" * 64, '"R1-F1"', "\ud800", "\x00", "\r\n", "\t"]
)  # fmt: skip


@pytest.mark.parametrize("kind", DIRECT)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 3_000), st.integers(0, 60), FRAGMENTS | JSON_FRAGMENTS | st.text(max_size=9)),
        min_size=1,
        max_size=4,
    )
)
def test_any_text_is_the_artifact_or_the_parsers_own_error(kind: str, changes: list[tuple[int, int, str]]) -> None:
    text = GOOD[kind]
    for place, length, piece in changes:
        at = place % len(text)
        text = text[:at] + piece + text[at + length :]
    found = value_or_error(kind, text)
    if isinstance(found, LineError):
        # What Stop says of it stays on one line of the human's screen and names a line that is there.
        assert (found.seen + found.remedy).isprintable()
        assert 1 <= found.line <= text.count("\n") + 1
        assert recognise(text) is None or isinstance(recognise(text), NearMiss)
    else:
        assert type(found) is type(parse_artifact(kind, GOOD[kind]))
        assert recognise(text) == (None if kind == "repair-plan" else found)


def value_or_error(kind: str, text: str) -> Artifact | RepairPlan | LineError:
    try:
        return parse_artifact(kind, text)
    except LineError as error:
        return error


@pytest.mark.contract("C4.7")
@given(gated, st.lists(st.tuples(st.integers(0, 120), st.lists(FRAGMENTS, min_size=1, max_size=4)), max_size=3))
def test_what_is_approved_is_what_a_renderer_shows(whole: str, changes: list[tuple[int, list[str]]]) -> None:
    lines = whole.split("\n")
    for place, fragments in changes:
        lines.insert(place, "".join(fragments))
    text = "\n".join(lines)
    found = recognise(text)
    if isinstance(found, Plan | Amendment):
        headings, boundary = spoken(text, "Write Boundary")
        _, commands = spoken(text, "Exact Commands")
        titles = ["Plan", *TITLES] if isinstance(found, Plan) else ["Plan Amendment", *AMENDMENT_TITLES]
        assert headings == titles
        assert boundary == list(found.boundary)
        assert sorted(commands) == sorted([*found.commands, *found.tools])


FORMS = st.sampled_from(["$harness", "$harness:harness", "[@harness](plugin://harness@personal)", f"[x]({SKILL})"])
TASKS = st.text(LETTERS + " .,", max_size=20)


@pytest.mark.contract("C3.3")
@pytest.mark.parametrize(
    "wrap",
    ["```\n{}\n```", "~~~ x\n{}\n~~~", "> {}", "- {}", "* a\n{}", "7. {}", "    {}", " {}", "`{}`", "x {}", "\\{}", "<!-- a\n{}\n-->",
     "<pre>\n\n{}\n\n</pre>", "<code>\n\n{}", "<script>\n{}", "<textarea>\n\n{}", "## {}", "> a\n{}", "**a\n{}z**", "{}\n---"],
)  # fmt: skip
@given(form=FORMS, task=TASKS)
def test_a_quoted_form_never_activates(wrap: str, form: str, task: str) -> None:
    assert read_prompt(wrap.format(f"{form} {task}"), skill_path=SKILL, marketplace="acme") is None


@pytest.mark.contract("C5.13")
@given(
    st.lists(
        st.text(max_size=8) | st.sampled_from(["\n", "$harness ", "y", "`", "<pre>", "> ", "```\n"]), max_size=8
    ).map("".join)
)
def test_a_tool_may_never_send_what_would_act(text: str) -> None:
    if read_prompt(text, skill_path=SKILL, marketplace="acme") is not None:
        assert would_act(text, skill_path=SKILL, marketplace="acme")
