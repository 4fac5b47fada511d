"""The whole table, and its rows by the name of the program that they look at."""

from __future__ import annotations

from harness_guard.policy.danger.table.files import FILES
from harness_guard.policy.danger.table.guard import GUARD
from harness_guard.policy.danger.table.history import HISTORY
from harness_guard.policy.danger.table.machine import MACHINE
from harness_guard.policy.danger.table.publish import PUBLISH
from harness_guard.policy.danger.table.secrets import SECRETS
from harness_guard.policy.danger.table.services import SERVICES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.policy.danger.model import Rule

RULES: Final[tuple[Rule, ...]] = (*FILES, *HISTORY, *PUBLISH, *MACHINE, *SECRETS, *SERVICES, *GUARD)
_PATHS: Final = ("read", "written")
ON_PATHS: Final = tuple(row for row in RULES if row.among in _PATHS)
BY_NAME: Final[dict[str, list[Rule]]] = {}
for _row in RULES:
    for _name in () if _row.among in _PATHS else _row.programs.split():
        BY_NAME.setdefault(_name, []).append(_row)
