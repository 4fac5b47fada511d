"""``# Clean-context Review``: four sections to a ``Review`` (contract section 4)."""

from __future__ import annotations

import re

from harness_guard.artifacts.bindings import read_bindings
from harness_guard.artifacts.fault import LineError, shown
from harness_guard.artifacts.names import is_file_path
from harness_guard.artifacts.sections import read_document
from harness_guard.artifacts.strict_json import read_block
from harness_guard.artifacts.values import Finding, Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.artifacts.sections import Section
    from harness_guard.artifacts.strict_json import Node
    from harness_guard.artifacts.values import Classification, Severity, Verdict

TITLES: Final = ("Review Context", "Verdict", "Findings", "Evidence")
MOST_BYTES: Final = 8000  # contract section 4; both hosts cut texts for a model near 10,000
# Words to themselves: a look-up narrows a text to the literal type, and what is not listed is refused.
VERDICTS: Final[dict[str, Verdict]] = {
    "PASS": "PASS",
    "PASS_WITH_NOTES": "PASS_WITH_NOTES",
    "REPAIR_REQUIRED": "REPAIR_REQUIRED",
    "BLOCKED": "BLOCKED",
}
SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "important", "suggestion")
CLASSIFICATIONS: Final[tuple[Classification, ...]] = ("IN_PLAN_REPAIR", "MATERIAL_AMENDMENT")

# Nine digits at most, so that turning them into a number costs nothing whatever the text.
_FINDING_ID = re.compile(r"R([1-9][0-9]{0,8})-F[1-9][0-9]{0,8}")


def parse_review(text: str) -> Review:
    """Parse a normalized message whose first line is ``# Clean-context Review``.

    Raises:
        LineError: With the first rule that it breaks.
    """
    # The length in characters is looked at first: a text that is far too long is not encoded to be measured.
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise LineError(
            1,
            "review.size",
            seen=f"found a Review of more than {MOST_BYTES} bytes",
            remedy="Shorten the messages and the evidence; keep every finding.",
        )
    document = read_document(text, TITLES, is_gated=False)
    context, verdict_section, findings_section, evidence = document.sections
    bindings = read_bindings(read_block(context, "review_context"))
    verdict = _read_verdict(verdict_section)
    nodes = read_block(findings_section, "findings").items()
    findings = _read_findings(nodes, bindings.review_round)
    _check_verdict(verdict_section.rows[0][0], verdict, findings=findings)
    return Review(
        digest=document.digest,
        context=bindings,
        verdict=verdict,
        findings=findings,
        evidence=evidence.text,
        text=text,
    )


def _read_verdict(section: Section) -> Verdict:
    rows = section.rows
    verdict = VERDICTS.get(rows[0][1])
    if verdict is None or len(rows) > 1:
        number, line = rows[0] if verdict is None else rows[1]
        raise LineError(
            number,
            "review.verdict",
            seen=f"found {shown(line)}, expected one of {', '.join(VERDICTS)} alone",
            remedy="Write the verdict as one word on one line; reasons belong under Evidence.",
        )
    return verdict


def _read_findings(nodes: tuple[Node, ...], review_round: int) -> tuple[Finding, ...]:
    found: dict[str, Finding] = {}
    for node in nodes:
        finding = _read_finding(node, review_round)
        if finding.id in found:
            raise node.error(
                "artifact.unique",
                seen=f"found the finding id `{finding.id}` twice",
                remedy="Give each finding an id of its own.",
            )
        found[finding.id] = finding
    return tuple(found.values())


def _read_finding(node: Node, review_round: int) -> Finding:
    members = node.members(("id", "severity", "classification", "path", "line", "message"))
    return Finding(
        id=_read_id(members["id"], review_round),
        severity=members["severity"].one_of(SEVERITIES),
        classification=members["classification"].one_of(CLASSIFICATIONS),
        path=_read_path(members["path"]),
        line=members["line"].integer(1),
        message=members["message"].text(),
    )


def _read_id(node: Node, review_round: int) -> str:
    text = node.text()
    found = _FINDING_ID.fullmatch(text)
    # An id of a later round would be an open finding before anybody looked.
    if found is None or int(found[1]) > review_round:
        raise node.error(
            "review.finding-id",
            seen=f"found the finding id {shown(text)}, expected `R{review_round}-F1` and so on or an earlier round's",
            remedy="Repeat the id of an open finding that is seen again, and number new ones with this round.",
        )
    return text


def _read_path(node: Node) -> str:
    # The id of a finding and its path are what tells a repeated one; two spellings of a path would be two findings.
    text = node.text()
    if not is_file_path(text):
        raise node.error(
            "review.finding-path",
            seen=f"found {shown(text)} as {node.name}, expected one file's path from the repository root",
            remedy="Write the path as the diff names it, with `/` and without `.`, `..` or a leading `/`.",
        )
    return text


def _check_verdict(line: int, verdict: Verdict, *, findings: tuple[Finding, ...]) -> None:
    # A verdict that its own findings contradict was made up, or misread; neither may move the run.
    heavy = [finding for finding in findings if finding.severity != "suggestion"]
    wrong = {
        "PASS": "no finding" if findings else "",
        "PASS_WITH_NOTES": "no finding that is critical or important" if heavy else "",
        "REPAIR_REQUIRED": "" if findings else "at least one finding",
        "BLOCKED": "",
    }[verdict]
    if wrong:
        raise LineError(
            line,
            "review.verdict-findings",
            seen=f"found {verdict} with {len(findings)} findings, {len(heavy)} of them heavy, expected {wrong}",
            remedy="Let the verdict follow from the findings.",
        )
