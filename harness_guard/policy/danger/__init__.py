"""Hard danger: what no plan and no approval makes right, told from the programs that a command starts.

The rows of ``table/`` read argument vectors, never text: a commit message that mentions ``rm -rf /`` is no danger.
``line`` sorts a program's words, ``layers`` opens its wrappers, ``match`` asks the rows, ``flows`` looks at pipelines.
"""

from __future__ import annotations

from harness_guard.policy.danger.flows import (
    drops_by_text,
    fed_lines,
    flow_of,
    fork_bomb,
    network_shell,
    printed_secret,
    run_download,
)
from harness_guard.policy.danger.match import Pipelines, first_path, first_row, holds, rows_for
from harness_guard.policy.danger.model import Danger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.policy.danger.model import Told

__all__ = ["Danger", "danger_of"]


def danger_of(command: str, effects: Told) -> Danger | None:
    """Tell whether a command is a hard danger.

    Args:
        command: Its text; only what stands behind a here-document's mark is looked at, since nothing else shows it.
        effects: What the shell room found.

    Returns:
        The first danger found, programs first, then paths, then pipelines; ``None`` for none.
    """
    pipelines = Pipelines(effects)
    bomb = fork_bomb(effects) or printed_secret(effects)
    if bomb is not None:
        return bomb
    found = first_row(pipelines) or first_path(effects.reads, "read") or first_path(effects.writes, "written")
    if found is not None:
        row, seen = found
        return Danger(row.id, f"{row.what}: `{seen}`")
    return flow_of(pipelines) or run_download(pipelines) or network_shell(pipelines) or _from_text(command, pipelines)


def _from_text(command: str, pipelines: Pipelines) -> Danger | None:
    for line in fed_lines(command, pipelines):
        for row in rows_for(line):
            if holds(row, line):
                return Danger(row.id, f"{row.what}: `{' '.join((line.names[0], *line.words))}`")
    return drops_by_text(command, pipelines)
