"""The table of ``tests/cases/bug-reports-exceptions.md``: demands that are not met by design, each with its argument."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

EXCEPTIONS = Path(__file__).resolve().parents[1] / "cases" / "bug-reports-exceptions.md"


@dataclass(frozen=True)
class Exempt:
    """One row: a demand of some steps of a case, the sentence of the contract that says otherwise, and why."""

    case: str
    hosts: tuple[str, ...]
    steps: tuple[int, ...]
    demand: str
    sentence: str
    argument: str


def exempt_rows() -> tuple[Exempt, ...]:
    """Read the table."""
    lines = EXCEPTIONS.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| br-")]
    return tuple(
        Exempt(case, tuple(hosts.split()), tuple(map(int, steps.split())), demand, sentence, argument)
        for case, hosts, steps, demand, sentence, argument in cells
    )


def exempt(case: str, host: str) -> set[tuple[int, str]]:
    """Give the steps and demands of a case that are not met on a host by design."""
    rows = [row for row in exempt_rows() if row.case == case and host in row.hosts]
    return {(step, row.demand) for row in rows for step in row.steps}
