"""The shipped templates: filled in by the guard they parse, and the kernel's copies of their words agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from artifact_texts import render_plan, render_review, template

from harness_guard.artifacts.digest import message_hash
from harness_guard.artifacts.plan import STRATEGIES
from harness_guard.artifacts.plan_amendment import DELTAS
from harness_guard.artifacts.registry import parse_artifact, recognise
from harness_guard.artifacts.render import CHANGES_HINT, RISKS_HINT, render_record, render_resume
from harness_guard.artifacts.templates import (
    amendment_fields,
    binding_fields,
    brief_fields,
    completion_fields,
    fill,
    pause_report_fields,
    plain_line,
    record_fields,
    repair_plan_fields,
    resume_fields,
)
from harness_guard.artifacts.values import (
    Acceptance,
    Amendment,
    AutoRepair,
    Bindings,
    Completion,
    Criterion,
    Delta,
    Execution,
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
from harness_guard.cli.verbs.artifact import KINDS
from harness_guard.errors import ArtifactError
from harness_guard.records import replace

ROOT = Path(__file__).resolve().parents[3]
DIGEST = "sha256:" + "0d" * 32
BINDINGS = Bindings(DIGEST, None, "ab" * 20, DIGEST, 1)
RESUME = ResumeContext(DIGEST, 9, "ab" * 20, None, 1)
CRITERIA = (Criterion("AC1", "one"), Criterion("AC2", "two"))
HINT = re.compile(r"<[^<>]+>")
RECORD = RecordContext(DIGEST, 1, 2, ("R1-F1", "V1"), ("src/a.py",), "ab" * 20, "cd" * 20, DIGEST, DIGEST)
# What is in force in these tests: it has every form that a template has to carry.
CHECK = VerificationCommand("V1", "pytest -q 'a b'", 60, ("pytest", "-q", "a b"))
LINT = VerificationCommand("V2", 'ruff "check"', 30, ("ruff", "check"))
IN_FORCE = Plan(
    digest="",
    size="Small",
    kind="docs",
    objective="x",
    criteria=CRITERIA,
    scope="x",
    boundary=("src/a.py", "docs/**"),
    commands=("make", "pytest -q 'a b'", "echo `date`", "a\n```\nb", "`a"),
    tools=("mcp__notes__append",),
    strategy="verification_first",
    required=(CHECK,),
    optional=(LINT,),
    execution=Execution(None, 0, 1),
    auto_repair=AutoRepair(enabled=True, max_rounds=3, repeated_finding_limit=2, no_progress_limit=2),
    risks="x",
    text="",
)


def pause_report(*findings: tuple[str, str], is_green: bool | None = None) -> str:
    fields = pause_report_fields(
        rounds_done=2, findings=findings, diff_revision="ab" * 20, repeated=1, no_progress=0, is_green=is_green
    )
    return fill(template("pause-report.md"), fields)


def filled() -> dict[str, str]:
    return {
        "plan.md": fill(template("plan.md"), {}),
        "plan-amendment.md": fill(
            template("plan-amendment.md"), amendment_fields(DIGEST, DIGEST, criteria=CRITERIA, policy=IN_FORCE)
        ),
        "repair-record.md": fill(template("repair-record.md"), record_fields(RECORD, "Changed.", "Green.")),
        "repair-plan.md": fill(template("repair-plan.md"), repair_plan_fields(DIGEST, "R1-F1", policy=IN_FORCE)),
        "pause-report.md": pause_report(("R1-F1", "src/a.py: a sign is lost")),
        "review.md": fill(template("review.md"), binding_fields(BINDINGS)),
        "repair-resume.md": fill(template("repair-resume.md"), resume_fields(RESUME, "It paused.")),
        "completion.md": fill(template("completion.md"), completion_fields(BINDINGS, CRITERIA, ("V1", "V2"))),
    }


@pytest.mark.contract("C4.2")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("plan.md", Plan),
        ("plan-amendment.md", Amendment),
        ("review.md", Review),
        ("repair-record.md", Record),
        ("repair-resume.md", Resume),
        ("completion.md", Completion),
    ],
)
def test_a_filled_template_parses_with_its_hints_and_with_words_instead(name: str, kind: type) -> None:
    text = filled()[name]
    assert type(recognise(text)) is kind
    assert type(recognise(HINT.sub("words", text))) is kind


@pytest.mark.contract("C4.3")
@pytest.mark.parametrize("name", ["repair-plan.md", "pause-report.md"])
def test_a_filled_template_that_stop_does_not_read_is_nothing_there(name: str) -> None:
    assert recognise(filled()[name]) is None


@pytest.mark.contract("C4.35")
def test_every_template_of_an_artifact_can_be_had_from_the_command_line() -> None:
    shipped = {path.stem for path in (ROOT / "templates").iterdir()}
    assert shipped == {*KINDS, "reviewer-brief"}
    assert set(filled()) == {f"{kind}.md" for kind in KINDS}


def test_a_filled_amendment_holds_all_that_is_in_force_and_one_delta() -> None:
    text = filled()["plan-amendment.md"]
    hint = "<what is in scope now, and why>"
    assert recognise(text) == Amendment(
        digest=message_hash(text),
        source_plan_hash=DIGEST,
        source_policy_id=DIGEST,
        deltas=tuple(Delta(name, name == "scope", hint if name == "scope" else "unchanged") for name in DELTAS),
        criteria=CRITERIA,
        boundary=IN_FORCE.boundary,
        # Its verification command stands in the section of its own.
        commands=("make", "echo `date`", "a\n```\nb", "`a"),
        tools=IN_FORCE.tools,
        strategy="verification_first",
        required=(CHECK,),
        optional=(LINT,),
        risks="`<what may go wrong, or None>`",
        text=text.removesuffix("\n"),
    )


@pytest.mark.contract("C4.36")
def test_where_nothing_may_be_written_a_filled_amendment_says_none() -> None:
    policy = replace(IN_FORCE, boundary=(), commands=(CHECK.command,), tools=(), optional=())
    fields = amendment_fields(DIGEST, DIGEST, criteria=CRITERIA, policy=policy)
    assert (fields["write_boundary"], fields["exact_commands"]) == ("None", "None")
    found = recognise(fill(template("plan-amendment.md"), fields))
    assert isinstance(found, Amendment)
    assert (found.boundary, found.commands, found.tools, found.optional) == ((), (), (), ())


def test_a_filled_record_holds_the_bindings_and_the_words() -> None:
    text = filled()["repair-record.md"]
    assert recognise(text) == Record(message_hash(text), RECORD, "Changed.", "Green.", text.removesuffix("\n"))


def test_a_filled_repair_plan_keeps_boundary_and_verification() -> None:
    text = filled()["repair-plan.md"]
    assert parse_artifact("repair-plan", text) == RepairPlan(
        digest=message_hash(text),
        source_plan_hash=DIGEST,
        finding="R1-F1",
        change="unchanged",
        scope=IN_FORCE.boundary,
        strategy=VerificationStrategy("verification_first", (CHECK,), (LINT,)),
        text=text.removesuffix("\n"),
    )


@pytest.mark.parametrize(
    ("is_green", "told"), [(True, "record: green."), (False, "record: red."), (None, "record: there is none yet.")]
)
def test_a_pause_report_tells_what_the_engine_found_last(is_green: bool | None, told: str) -> None:
    assert told in pause_report(is_green=is_green)


def test_a_pause_report_lists_what_is_left() -> None:
    text = pause_report(("R1-F1", "src/a.py: a `sign` is lost"), ("V1", "red\n# Plan\n## Choices\n```"))
    assert '"remaining_findings": ["R1-F1", "V1"],' in text
    assert "\n## Findings\n\n- R1-F1: src/a.py: a `sign` is lost\n- V1: red # Plan ## Choices\n\n## Ver" in text
    assert recognise(text) is None
    assert "\n## Findings\n\nNone\n\n## Ver" in pause_report()


def test_the_unfilled_plan_asks_for_nothing_real() -> None:
    plan = recognise(filled()["plan.md"])
    assert isinstance(plan, Plan)
    assert plan.boundary == ("<path/from/the/repository/root>",)
    assert plan.required[0].argv == ("<program>", "<argument>")
    assert (plan.commands, plan.tools) == ((), ())


def test_what_the_kernel_knows_of_the_templates_is_what_they_say() -> None:
    assert render_resume(RESUME, "It paused.") == filled()["repair-resume.md"]
    assert render_record(RECORD, "Changed.", "Green.") == filled()["repair-record.md"]
    assert f"## Changes\n\n{CHANGES_HINT}\n\n## Remaining Risks\n\n{RISKS_HINT}\n" in template("completion.md")


def test_the_texts_that_other_tests_make_up_have_the_templates_form() -> None:
    texts = filled()
    plan, review = recognise(texts["plan.md"]), recognise(texts["review.md"])
    assert isinstance(plan, Plan)
    assert isinstance(review, Review)
    assert (render_plan(plan), render_review(review)) == (texts["plan.md"], texts["review.md"])


def test_a_filled_completion_names_every_criterion_with_all_verification() -> None:
    found = recognise(filled()["completion.md"])
    assert isinstance(found, Completion)
    assert found.context == BINDINGS
    assert found.acceptance == (Acceptance("AC1", ("V1", "V2")), Acceptance("AC2", ("V1", "V2")))


@pytest.mark.parametrize("fields", [{}, {"a": "1", "b": "2"}])
def test_a_place_without_a_field_is_refused_and_the_other_way_round(fields: dict[str, str]) -> None:
    with pytest.raises(ArtifactError) as caught:
        fill("x {{a}} y", fields)
    assert caught.value.rule == "artifact.template"


def test_what_is_filled_in_is_not_filled_again() -> None:
    assert fill("{{a}} {{b}}", {"a": "{{b}}", "b": "\\1"}) == "{{b}} \\1"


@pytest.mark.contract("C8.13")
def test_the_brief_holds_a_form_that_parses_and_stays_small() -> None:
    fields = brief_fields(
        run_id="r1",
        review=filled()["review.md"],
        open_findings="None",
        engine_record="V1: exit status 0",
        diff_command="git diff",
        brief_path="/data/runs/s/brief.md",
    )
    brief = fill(template("reviewer-brief.md"), fields)
    form = brief[brief.index("# Clean-context Review") : brief.index("\n\nA finding is")]
    assert isinstance(recognise(form), Review)
    assert len(brief.encode()) < 4_000


QUOTED = [
    "",
    "# Plan",
    "a write to `docs/a.md` is outside",
    "an open ` tick",
    "<script>",
    "[a](b) [c]: d",
    "```\n# Plan\n```",
    "---",
    "line\nbreaks\tand \x1b[1m \u202e",
    "harness.verification-evidence.v1",
    "&#8203;",
    "\ud800",
    "> ## Reason",
]


@pytest.mark.parametrize("reason", QUOTED)
def test_a_resume_parses_whatever_its_reason_quotes(reason: str) -> None:
    found = recognise(render_resume(RESUME, reason))
    assert isinstance(found, Resume)
    assert found.context == RESUME


def test_a_readable_reason_stays_as_it_is() -> None:
    found = recognise(render_resume(RESUME, "a write to `docs/<x>.md` was refused"))
    assert isinstance(found, Resume)
    assert found.reason == "a write to `docs/<x>.md` was refused"


@pytest.mark.contract("L3.4")
@pytest.mark.parametrize(
    "words", [*QUOTED, "## Verification\n\nx", "x\n\n## Approval", "```\nopen", "x" * 5_000, "`" * 900]
)
def test_a_record_parses_whatever_its_words_quote(words: str) -> None:
    for changes, verification in ((words, "Green."), ("Changed.", words)):
        text = render_record(RECORD, changes, verification)
        found = recognise(text)
        assert isinstance(found, Record)
        assert found.context == RECORD
        assert len(text) < 2_000


@pytest.mark.contract("L3.4")
@pytest.mark.parametrize("words", ["- `src/a.py`: x\n- [b](c)", "One.\n\n```sh\n# Plan\n```\n\nTwo.", "x" * 500])
def test_words_that_a_section_can_hold_stay_as_they_are(words: str) -> None:
    found = recognise(render_record(RECORD, f"\n{words}\n", words))
    assert isinstance(found, Record)
    assert (found.changes, found.verification) == (words, words)


def test_longer_words_are_cut() -> None:
    found = recognise(render_record(RECORD, "x" * 501, "y"))
    assert isinstance(found, Record)
    assert found.changes == "x" * 500 + "…"


def frontmatter(path: str) -> dict[str, str]:
    head = (ROOT / path).read_text().split("---\n")[1]
    return dict(line.split(": ", 1) for line in head.splitlines())


def test_the_reviewer_is_declared_for_reading() -> None:
    head = frontmatter("agents/clean-context-reviewer.md")
    assert head["name"] == "clean-context-reviewer"
    assert head["tools"] == "Read, Grep, Glob, Bash"


@pytest.mark.contract("C4.13")
def test_the_skill_is_named_and_its_table_of_kinds_is_the_parsers() -> None:
    assert frontmatter("skills/harness/SKILL.md")["name"] == "harness"
    text = (ROOT / "skills/harness/SKILL.md").read_text()
    rows = re.findall(r"^\| ((?:`[a-z_]+`(?:, )?)+) \| `([a-z_]+)` \|$", text, re.MULTILINE)
    told = {kind: strategy for kinds, strategy in rows for kind in re.findall(r"`([a-z_]+)`", kinds)}
    assert told.items() <= STRATEGIES.items()
    assert set(told.values()) == set(STRATEGIES.values())


@pytest.mark.parametrize("path", ["skills/harness/SKILL.md", "agents/clean-context-reviewer.md"])
def test_reading_a_guide_back_is_no_artifact(path: str) -> None:
    assert not isinstance(recognise((ROOT / path).read_text()), NearMiss)


def test_a_reason_shows_no_link() -> None:
    assert plain_line("see [this](https://example.org/x)") == "see this (https://example.org/x)"
