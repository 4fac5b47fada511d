"""Write the parts of the documents that are made of the code: lifecycle table, state diagram, table of rule ids.

    python3 tests/architecture/generate_docs.py [--check]

A part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. With ``--check`` nothing is written and the
status is 1 if a part differs. The meaning of a rule is written by hand, in the table itself: a new id comes with an
empty one, which fails the check until somebody fills it in.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import gates  # noqa: E402  the path has to be set first

from harness_guard.kernel.state import STATE_NAMES, TERMINAL, HostBinding, RunState  # noqa: E402  as above
from harness_guard.kernel.texts import next_step  # noqa: E402  as above
from harness_guard.kernel.transitions import TRANSITIONS  # noqa: E402  as above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from harness_guard.kernel.transitions import Row

LIFECYCLE: Final = ROOT / "contracts" / "p3-policy-lifecycle.md"
PROTOCOL: Final = ROOT / "contracts" / "hook-decision-protocol.md"
README: Final = ROOT / "README.md"
ARCHITECTURE: Final = ROOT / "docs" / "architecture.md"
DOCUMENTS: Final = (LIFECYCLE, PROTOCOL, README, ARCHITECTURE)
SOURCES: Final = ("harness_guard", "hooks")

_PART = re.compile(r"(<!-- generated: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
# ``room.what``; some names of files and settings look the same.
_RULE = re.compile(r"(?P<room>[a-z]+(?:-[a-z]+)*)\.[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_OTHERS: Final = frozenset(
    ("config.get", "config.list", "config.worktree", "state.json", "plan.md", "review.md", "completion.md")
)
_QUOTING: Final = "harness_guard/cli/rehearsal/"  # the demo quotes the rules that it expects
# The rooms of rules; a string that looks like an id of another room is a name of git's or of a module's.
ROOMS: Final = (
    "amendment", "artifact", "boundary", "cli", "completion", "config", "control-plane", "danger", "demo", "doctor", "effects", "entry",
    "evidence", "gate", "identity", "install", "launcher", "manifests", "payload", "plan", "prompt", "provenance",
    "provision", "repair", "review", "spawn", "state", "status", "stop", "store", "sweep",
)  # fmt: skip
_SPOKEN = re.compile(r"harness-guard ((?:[a-z]+-)*[a-z]+\.[a-z][a-z0-9-]*):")
_ROW = re.compile(r"\| `(?P<rule>[^`]+)` \| (?P<meaning>.*?) \| (?P<where>.*?) \|$", re.MULTILINE)

_EFFECTS: Final = {
    "accept amendment": "the Amendment's policy is in force, counters and evidence anew",
    "accept plan": "the Plan's policy is in force",
    "begin round": "round + 1",
    "derive child": "child policy",
    "discard policy": "policy and evidence discarded",
    "drop gate": "",
    "go on": "the Resume's rounds are added, a round that is due begins",
    "next review": "review round + 1",
    "pause": "",
    "pause before round": "its Resume begins a round",
}


# Where a run may have paused, and so where a Resume may lead.
AT_PAUSE: Final = ("executing", "auto_repairing", "verifying", "reviewing")
_EXAMPLE: Final = {
    name: RunState(
        revision=1,
        run_id="r",
        session_id="s",
        repository_root="/",
        state=name,
        authority_status="revoked",
        host=HostBinding("claude"),
    )
    for name in STATE_NAMES
}


# --- lifecycle --------------------------------------------------------------------------------------------------------


def lifecycle() -> str:
    """Render the transition table for the contract."""
    lines = ["| from | on | if | to | authority | also | next step |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in TRANSITIONS:
        also = "; ".join(text for name in row.effects if (text := _EFFECTS[name]))
        cells = (_from(row), row.on, row.guard, _to(row), row.authority, also, _next(row))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _next(row: Row) -> str:
    """Give what the answer names as the next step, in the words of the code itself."""
    name = row.states[0] if row.to == "=" else row.to
    if name == "paused_from":
        return "by state"
    return next_step(_EXAMPLE[name]).replace("harness-guard artifact", "artifact")


def _from(row: Row) -> str:
    if not row.states:
        return "every state but " + ", ".join(f"`{name}`" for name in TERMINAL)
    paused = [name for name in STATE_NAMES if name.startswith("paused_")]
    named = [name for name in row.states if name not in paused] if set(paused) <= set(row.states) else row.states
    cells = [f"`{name}`" for name in named]
    return ", ".join(cells if len(named) == len(row.states) else [*cells, "`paused_…`"])


def _to(row: Row) -> str:
    return {"=": "unchanged", "paused_from": "the state it paused in"}.get(row.to, f"`{row.to}`")


def diagram() -> str:
    """Render the same rows as a Mermaid state diagram; all pauses are one box, and refusals are no arrows."""
    arrows: dict[tuple[str, str], list[str]] = {("[*]", "planning"): ["activation"], ("completed", "[*]"): []}
    for row in TRANSITIONS:
        if row.to == "=":
            continue
        targets = AT_PAUSE if row.to == "paused_from" else (_box(row.to),)
        going = tuple(name for name in STATE_NAMES if name not in TERMINAL)
        pairs = dict.fromkeys((_box(name), target) for name in row.states or going for target in targets)
        for pair in pairs:
            if pair == ("planning", "planning"):
                continue
            labels = arrows.setdefault(pair, [])
            if row.on not in labels:
                labels.append(row.on)
    lines = ["```mermaid", "stateDiagram-v2"]
    for (source, target), labels in arrows.items():
        label = f" : {_label(labels)}" if labels else ""
        lines.append(f"    {source} --> {target}{label}")
    return "\n".join([*lines, "```"]) + "\n"


def _label(labels: list[str]) -> str:
    shown = labels[:2] + (["…"] if len(labels) > 2 else [])  # the table beside it has them all
    return " · ".join(label.replace("'", "") for label in shown)


def _box(state: str) -> str:
    return "paused" if state.startswith("paused_") else state


# --- rule ids ---------------------------------------------------------------------------------------------------------


def rules() -> dict[str, tuple[str, ...]]:
    """Find every rule id that the code can answer with, and the files that say it."""
    found: dict[str, set[str]] = {}
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in {".py", ".sh"} or "__pycache__" in path.parts:
                continue
            text = path.read_text(encoding="utf-8")
            ids = set(_SPOKEN.findall(text)) | (set(_literals(ast.parse(text))) if path.suffix == ".py" else set())
            name = path.relative_to(ROOT).as_posix()
            for rule in ids:
                if not name.startswith(_QUOTING) or rule.startswith("cli."):
                    found.setdefault(rule, set()).add(name)
    return {rule: tuple(sorted(found[rule])) for rule in sorted(found)}


def _literals(tree: ast.AST) -> Iterator[str]:
    compared = {
        id(node) for compare in ast.walk(tree) if isinstance(compare, ast.Compare) for node in ast.walk(compare)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in compared:
            shape = _RULE.fullmatch(node.value)
            if shape and shape["room"] in ROOMS and node.value not in _OTHERS:
                yield node.value


def rule_table(current: str) -> str:
    """Render the table of rule ids, keeping the meanings that stand in the current one.

    Args:
        current: Text of the part as it stands in the document.
    """
    meanings = {row["rule"]: row["meaning"] for row in _ROW.finditer(current)}
    lines = ["| rule | meaning | said by |", "| --- | --- | --- |"]
    for rule, where in rules().items():
        said = ", ".join(sorted({_room(path) for path in where}))
        lines.append(f"| `{rule}` | {meanings.get(rule, '')} | {said} |")
    return "\n".join(lines) + "\n"


def _room(path: str) -> str:
    """Name the room only: a rule that moves from one file to the next is the same rule."""
    return path.removeprefix("harness_guard/").partition("/")[0].removesuffix(".py")


def unexplained() -> tuple[str, ...]:
    """Give the rule ids whose meaning nobody has written yet."""
    text = PROTOCOL.read_text(encoding="utf-8")
    return tuple(row["rule"] for row in _ROW.finditer(text) if not row["meaning"].strip())


# --- rooms ------------------------------------------------------------------------------------------------------------


def imports() -> str:
    """Render which room may import which, from the table that the structure test enforces."""
    lines = ["| room | may import |", "| --- | --- |"]
    for room, others in gates.ROOMS.items():
        lines.append(f"| `{room}` | {', '.join(f'`{other}`' for other in sorted(others)) or 'the leaves only'} |")
    return "\n".join(lines) + "\n"


# --- documents --------------------------------------------------------------------------------------------------------


def rendered(path: Path) -> str:
    """Give a document with its generated parts as they have to be."""

    def part(found: re.Match[str]) -> str:
        name = found["name"]
        if name == "lifecycle":
            body = lifecycle()
        elif name == "state-diagram":
            body = diagram()
        elif name == "imports":
            body = imports()
        elif name == "rules":
            body = rule_table(found[0])
        else:
            raise ValueError(f"{path.name} has a generated part `{name}` that nothing makes")
        return f"{found[1]}{body}{found[3]}"

    return _PART.sub(part, path.read_text(encoding="utf-8"))


def stale() -> tuple[str, ...]:
    """Name the documents whose generated parts differ from the code."""
    return tuple(path.name for path in DOCUMENTS if rendered(path) != path.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> int:
    """Write the documents, or check them with ``--check``."""
    if arguments == ["--check"]:
        for name in (*stale(), *unexplained()):
            sys.stderr.write(f"not up to date or without a meaning: {name}\n")
        return 1 if stale() or unexplained() else 0
    for path in DOCUMENTS:
        path.write_text(rendered(path), encoding="utf-8")
    for rule in unexplained():
        sys.stderr.write(f"write the meaning of {rule} into {PROTOCOL.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
