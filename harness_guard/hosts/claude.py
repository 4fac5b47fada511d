"""What only Claude Code's payloads and environment say (observed on 2.1.332)."""

from __future__ import annotations

from harness_guard.hosts.fields import kind_of, malformed, word
from harness_guard.kernel.event import HostProcess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

MARKS: Final = ("prompt_id", "effort", "background_tasks", "session_crons", "mcp_server")
TURN_ID: Final = "prompt_id"

KNOWN_TOOLS: Final = frozenset(
    (
        "Agent",
        "Bash",
        "BashOutput",
        "CronCreate",
        "CronDelete",
        "CronList",
        "Edit",
        "EnterPlanMode",
        "EnterWorktree",
        "ExitPlanMode",
        "ExitWorktree",
        "Glob",
        "Grep",
        "KillShell",
        "LSP",
        "ListAgents",
        "Monitor",
        "MultiEdit",
        "NotebookEdit",
        "PowerShell",
        "REPL",
        "Read",
        "ReportFindings",
        "ScheduleWakeup",
        "SendMessage",
        "Skill",
        "Task",
        "TaskCreate",
        "TaskStop",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "Workflow",
        "Write",
    )
)

# Types of background work that are a process and no agent. Every other type, one that is not known yet included,
# counts as an agent, because a living child is what keeps a Reviewer from being spawned.
_SHELL_TASKS: Final = frozenset(("shell", "monitor", "MCP task"))
_ATTENDED: Final = {"1": True, "0": False}
_PID_DIGITS: Final = 10  # Linux allows at most 4194304; more digits are no process id


def live(payload: Mapping[str, object]) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Read the background work in flight, which the host lists at Stop and SubagentStop.

    Returns:
        Ids of agents, ``None`` if the payload does not list any work, and ids of shell tasks.

    Raises:
        PayloadError: If the list or one of its members is ill-typed.
    """
    if "background_tasks" not in payload:
        return None, ()
    tasks = payload["background_tasks"]
    if not isinstance(tasks, list):
        raise malformed("background_tasks", kind_of(tasks), "a list")
    agents: list[str] = []
    shells: list[str] = []
    for task in tasks:
        if not isinstance(task, dict):
            raise malformed("background_tasks", kind_of(task), "a list of objects")
        (shells if word(task, "type") in _SHELL_TASKS else agents).append(word(task, "id"))
    return tuple(agents), tuple(shells)


def process(environ: Mapping[str, str]) -> HostProcess | None:
    """Read the host process from the hook's environment.

    Returns:
        The process without its start time, which only the operating system knows; ``None`` if the host does not say.
    """
    digits = environ.get("CLAUDE_PID", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _PID_DIGITS and int(digits)):
        return None
    return HostProcess(int(digits), "", _ATTENDED.get(environ.get("CLAUDE_CODE_SESSION_ATTENDED", "")))
