"""The form of ``tests/cases/bug-reports.jsonl``: cases from public bug reports of guards for coding agents, read strictly.

One JSON object in each line: what stands before (``setup``), what a host sends (``steps``, each with an ``event``), and
what a guard owes (``expect``, ``output``). Whatever the form says that this reader or the player does not know raises
:class:`Unknown`: a case that is not understood must not pass.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator import PLAN

ROOT = "/proj"
SESSION = "s-1"  # the session that the form's workflow belongs to
HOSTS = {"claude": ("claude",), "codex": ("codex",), "both": ("claude", "codex")}
CASE_KEYS = frozenset(("id", "kind", "title", "host", "setup", "steps", "why"))
SETUP_KEYS = frozenset(("phase", "root", "plan", "fault", "input", "evidence", "note", "fs", "files"))
PLAN_KEYS = frozenset(("allow_write", "commands", "reviewer", "prose"))
STEP_KEYS = frozenset(("event", "expect", "output", "repeat", "parallel"))


class Unknown(Exception):
    """The case says something that nobody here understands."""


@dataclass(frozen=True)
class Step:
    """What one step sends and what it demands.

    Attributes:
        event: The payload: an object, another JSON value, or text that is sent as it stands.
        expect: The outcome, in the form's words.
        output: Further demands by name.
        repeat: How often it is sent.
        parallel: Whether all of them are sent at the same time.
    """

    event: Any
    expect: str
    output: dict[str, Any] = field(default_factory=dict)
    repeat: int = 1
    parallel: bool = False


@dataclass(frozen=True)
class Case:
    """One case."""

    id: str
    kind: str
    title: str
    hosts: tuple[str, ...]
    setup: dict[str, Any]
    steps: tuple[Step, ...]

    @property
    def plan(self) -> dict[str, Any]:
        """The accepted plan in the form's own terms."""
        found = self.setup.get("plan") or {}
        assert isinstance(found, dict)
        return found


def rows_of(file: Path) -> tuple[dict[str, Any], ...]:
    """Read the lines of a file of cases, each of which :func:`case_of` can read or not."""
    return tuple(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())


def case_of(row: dict[str, Any]) -> Case:
    """Read one case.

    Raises:
        Unknown: If it has a key or a value that the form does not have.
    """
    _only(row, CASE_KEYS, "case")
    if row["host"] not in HOSTS:
        raise Unknown(f"{row['id']}: host {row['host']!r}")
    setup = row["setup"]
    _only(setup, SETUP_KEYS, f"{row['id']}: setup")
    if setup.get("root", ROOT) != ROOT:
        raise Unknown(f"{row['id']}: root {setup['root']!r}")
    _only(setup.get("plan") or {}, PLAN_KEYS, f"{row['id']}: plan")
    steps = tuple(_step(step, row["id"]) for step in row["steps"])
    return Case(row["id"], row["kind"], row["title"], HOSTS[row["host"]], setup, steps)


def _step(row: dict[str, Any], case: str) -> Step:
    _only(row, STEP_KEYS, f"{case}: step")
    output = row.get("output") or {}
    return Step(row["event"], row["expect"], output, row.get("repeat", 1), row.get("parallel", False))


def _only(row: dict[str, Any], known: frozenset[str], where: str) -> None:
    unknown = set(row) - known
    if unknown:
        raise Unknown(f"{where}: {', '.join(sorted(unknown))}")


# The form's places: a project, any other folder, a home, the guard's own folders.
PLACES = (
    ("root", r"(?<![\w.-])/proj(?![\w-])"),
    ("outside", r"(?<![\w.-])/outside(?![\w-])"),
    ("home", r"(?<![\w.-])/home/dev(?![\w-])"),
    ("state", r"\$(?:GUARD_STATE\b|\{GUARD_STATE\})"),
    ("plugin", r"\$(?:GUARD_PLUGIN\b|\{GUARD_PLUGIN\})"),
)


def placed(value: Any, places: dict[str, str]) -> Any:
    """Put real paths in the place of the form's.

    Args:
        value: Any JSON value.
        places: The path of each name of ``PLACES``.
    """
    if isinstance(value, str):
        for name, pattern in PLACES:
            value = re.sub(pattern, lambda _, name=name: places[name], value)  # type: ignore[misc]  # a text
        return value
    if isinstance(value, list):
        return [placed(item, places) for item in value]
    if isinstance(value, dict):
        return {placed(key, places): placed(item, places) for key, item in value.items()}
    return value


def plan_text(plan: dict[str, Any]) -> str:
    """Write the form's plan as a ``# Plan``: boundary, exact commands, and its prose among the risks."""
    text = PLAN.replace("- `src/`\n- `check.sh`", _list(plan.get("allow_write", ())))
    text = text.replace("## Exact Commands\n\nNone", "## Exact Commands\n\n" + _commands(plan.get("commands", ())))
    text = text.replace("sh check.sh", "sh verify.sh")
    return text.replace("## Risks\n\nNone", "## Risks\n\n" + plan.get("prose", "None"))


def _list(entries: list[str]) -> str:
    return "\n".join(f"- `{entry.removeprefix(f'{ROOT}/')}`" for entry in entries) or "None"


def _commands(commands: list[str]) -> str:
    shown = [f"- `{text}`" if "\n" not in text and "`" not in text else f"```sh\n{text}\n```" for text in commands]
    return "\n\n".join(shown) or "None"
