"""Whether a row of the table holds for a command line: one small matcher for all rows."""

from __future__ import annotations

from harness_guard.policy.danger.layers import layers_of
from harness_guard.policy.danger.line import Line
from harness_guard.policy.danger.rules import BY_NAME, ON_PATHS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Final

    from harness_guard.policy.danger.model import Rule, Softener, Told, Touched

_TRANSFERS_WORDS: Final = frozenset(("xargs", "parallel"))
_PRINTERS: Final = frozenset(("echo", "printf"))


class Pipelines:
    """The lines of each program, and which of them share a pipeline."""

    def __init__(self, effects: Told) -> None:
        """Take the effects of one text."""
        self.lines: list[tuple[Line, int, str]] = []
        for program in effects.programs:
            words = [word or "" for word in program.argv]
            for layer in layers_of(words):
                self.lines.append((Line(layer, program.cwd, program.writes_to), program.group, program.text))
        self._feed_words()

    def of(self, group: int) -> list[Line]:
        """Give the lines of a pipeline."""
        return [line for line, other, _ in self.lines if other == group]

    def _feed_words(self) -> None:
        """Hand the words that ``echo`` prints to what xargs starts in the same pipeline."""
        made = []
        for line, group, text in self.lines:
            if not _TRANSFERS_WORDS & set(line.names):
                continue
            printed = [word for other in self.of(group) if _PRINTERS & set(other.names) for word in other.words]
            if printed:
                words = [part for word in printed for part in word.replace("\\n", " ").split()]
                inner = layers_of([line.names[0], *line.words, *words])[1:]
                made += [(Line(layer, line.cwd), group, text) for layer in inner]
        self.lines += made


def first_row(pipelines: Pipelines) -> tuple[Rule, str] | None:
    """Find the first row that holds for a program, in the order of the programs.

    Args:
        pipelines: The lines.

    Returns:
        The row and the program's text.
    """
    for line, group, text in pipelines.lines:
        for rule in rows_for(line):
            if holds(rule, line) and not any(_softens(soft, pipelines.of(group)) for soft in rule.softened_by):
                return rule, text
    return None


def rows_for(line: Line) -> Iterable[Rule]:
    """Give the rows that look at a program of this name."""
    for name in (*line.names, "*"):
        for rule in BY_NAME.get(name, ()):
            if not set(rule.spares.split()) & set(line.names):
                yield rule


def first_path(touched: Sequence[Touched], among: str) -> tuple[Rule, str] | None:
    """Find the first row that holds for a path that is read or written.

    Args:
        touched: The paths.
        among: ``read`` or ``written``.

    Returns:
        The row, and who does what to which path.
    """
    for row in ON_PATHS:
        if row.among != among or row.operand is None:
            continue
        for one in touched:
            is_named = row.programs == "*" or one.by in row.programs.split()
            if is_named and one.by not in row.spares.split() and row.operand(one.path, ""):
                return row, f"{one.by} {one.path}"
    return None


def holds(rule: Rule, line: Line) -> bool:
    """Tell whether a row holds for a line; its name is not asked again."""
    rest = line.behind(rule.path)
    if rest is None or line.is_help(rule.path):
        return False
    if not all(line.gives(group) for group in rule.options):
        return False
    if line.is_spared(rule.without, " ".join(rule.options)):
        return False
    if (rule.is_bare and rest) or (rule.is_alone and line.words):
        return False
    return rule.operand is None or any(rule.operand(word, line.cwd) for word in _among(rule, line, rest))


def _among(rule: Rule, line: Line, rest: list[str]) -> Iterable[str]:
    match rule.among:
        case "first":
            return rest[:1]
        case "last":
            return rest[-1:]
        case "leading":
            return line.leading()
        case "sources":
            return rest if line.gives("-t --target-directory") else rest[:-1]
        case "files":
            return rest if line.gives("-e -f --regexp --expression --file") else rest[1:]
        case "values":
            return line.values()
        case "words":
            return line.words
        case "targets":
            return line.targets
        case _:
            return rest


def _softens(soft: Softener, lines: list[Line]) -> bool:
    names = set(soft.programs.split())
    return any(
        names & set(line.names)
        and (not soft.options or line.gives(soft.options))
        and not line.gives(soft.without)
        and (soft.first is None or any(soft.first(word, line.cwd) for word in line.behind("") or []))
        for line in lines
    )
