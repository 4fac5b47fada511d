"""The shipped templates: filled in by the guard they parse, and the kernel's copies of their words agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from artifact_texts import render_plan, render_review, template

from harness_guard.artifacts.plan import STRATEGIES
from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.render import CHANGES_HINT, RISKS_HINT, render_resume
from harness_guard.artifacts.templates import binding_fields, brief_fields, completion_fields, fill, resume_fields
from harness_guard.artifacts.values import (
    Acceptance,
    Bindings,
    Completion,
    Criterion,
    NearMiss,
    Plan,
    Resume,
    ResumeContext,
    Review,
)
from harness_guard.errors import ArtifactError

ROOT = Path(__file__).resolve().parents[3]
DIGEST = "sha256:" + "0d" * 32
BINDINGS = Bindings(DIGEST, None, "ab" * 20, DIGEST, 1)
RESUME = ResumeContext(DIGEST, 9, "ab" * 20, None, 1)
CRITERIA = (Criterion("AC1", "one"), Criterion("AC2", "two"))
HINT = re.compile(r"<[^<>]+>")


def filled() -> dict[str, str]:
    return {
        "plan.md": fill(template("plan.md"), {}),
        "review.md": fill(template("review.md"), binding_fields(BINDINGS)),
        "repair-resume.md": fill(template("repair-resume.md"), resume_fields(RESUME, "It paused.")),
        "completion.md": fill(template("completion.md"), completion_fields(BINDINGS, CRITERIA, ("V1", "V2"))),
    }


@pytest.mark.contract("C4.2")
@pytest.mark.parametrize(
    ("name", "kind"),
    [("plan.md", Plan), ("review.md", Review), ("repair-resume.md", Resume), ("completion.md", Completion)],
)
def test_a_filled_template_parses_with_its_hints_and_with_words_instead(name: str, kind: type) -> None:
    text = filled()[name]
    assert type(recognise(text)) is kind
    assert type(recognise(HINT.sub("words", text))) is kind


def test_the_unfilled_plan_asks_for_nothing_real() -> None:
    plan = recognise(filled()["plan.md"])
    assert isinstance(plan, Plan)
    assert plan.boundary == ("<path/from/the/repository/root>",)
    assert plan.required[0].argv == ("<program>", "<argument>")
    assert (plan.commands, plan.tools) == ((), ())


def test_what_the_kernel_knows_of_the_templates_is_what_they_say() -> None:
    assert render_resume(RESUME, "It paused.") == filled()["repair-resume.md"]
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


@pytest.mark.parametrize(
    "reason",
    [
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
    ],
)
def test_a_resume_parses_whatever_its_reason_quotes(reason: str) -> None:
    found = recognise(render_resume(RESUME, reason))
    assert isinstance(found, Resume)
    assert found.context == RESUME


def test_a_readable_reason_stays_as_it_is() -> None:
    found = recognise(render_resume(RESUME, "a write to `docs/<x>.md` was refused"))
    assert isinstance(found, Resume)
    assert found.reason == "a write to `docs/<x>.md` was refused"


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
