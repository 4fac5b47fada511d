"""Rows: switching the guard, the host's hooks or the host's own safety off.

Files of the guard and of the hosts are the control plane's business, which is judged before danger. Sources: the help
of Codex and of Claude Code.
"""

from __future__ import annotations

from harness_guard.policy.danger.model import Rule
from harness_guard.policy.danger.operands import is_guard, is_hooks, is_hooks_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

GUARD: Final = (
    Rule(
        "danger.guard",
        "plugins",
        "it would switch a plugin of the host off",
        "claude codex",
        path="plugin disable|plugin uninstall|plugin remove|plugin rm|plugins disable|plugins remove|plugins uninstall|"
        "plugin marketplace remove|plugin marketplace rm|features disable",
    ),
    Rule(
        "danger.guard",
        "safety",
        "it would switch the host's safety off",
        "claude codex",
        options=(
            (
                "--dangerously-skip-permissions --allow-dangerously-skip-permissions --yolo "
                "--dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust --bare"
            ),
        ),
    ),
    Rule(
        "danger.guard",
        "hooks-setting",
        "it would switch the host's hooks or its asking off",
        "claude codex",
        among="words",
        operand=is_hooks_off,
    ),
    Rule(
        "danger.guard",
        "hooks-feature",
        "it would switch the host's hooks off",
        "codex",
        options=("--disable",),
        among="values",
        operand=is_hooks,
    ),
    Rule(
        "danger.guard",
        "packages-guard",
        "it would remove the guard",
        "pip pip3 pipx uv npm brew",
        path="uninstall|remove|pip uninstall|tool uninstall",
        operand=is_guard,
    ),
)
