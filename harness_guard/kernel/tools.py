"""The table of tools: for each the family that decides what a call of it would do (contract section 7).

The names are those that the hosts' fact pages list; a tool that no row names is unknown, and unknown is refused.
"""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.effects import NO_EFFECTS, Effects, Unknown, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal

    from harness_guard.kernel.event import Event

    Family = Literal["quiet", "file", "patch", "shell", "spawn", "prompt", "child", "mcp", "unknown"]

# Codex puts the namespace in front of the names of its agent tools (v1 and v2).
_NAMESPACES: Final = ("multi_agent_v1", "collaboration")

# Tools without an effect on files, prompts or children's tasks.
_QUIET: Final = (
    "AskUserQuestion",
    "BashOutput",
    "CronList",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "NotebookRead",
    "Read",
    "ReadMcpResourceTool",
    "ReportFindings",
    "Skill",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "close_agent",
    "get_goal",
    "interrupt_agent",
    "list_agents",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "read_mcp_resource",
    "request_user_input",
    "update_plan",
    "view_image",
    "wait_agent",
)
# Tool -> the argument that names the one file it writes.
_FILE: Final = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
# Tool -> the argument that holds a shell command.
_SHELL: Final = {"Bash": "command", "Monitor": "command", "PreSkillShellCommand": "command"}
_SPAWN: Final = ("Agent", "Task", "spawn_agent")
# Tools whose text comes back as a prompt of this session.
_PROMPTS: Final = ("CronCreate", "ScheduleWakeup", "create_goal", "update_goal")
# Tools whose text a child gets as its next task.
_CHILDREN: Final = ("SendMessage", "followup_task", "resume_agent", "send_input", "send_message")
# Tool -> arguments that name what it reads.
_READS: Final = {
    "Read": ("file_path",),
    "NotebookRead": ("notebook_path",),
    "LSP": ("filePath", "file_path"),
    "Grep": ("path",),
    "Glob": ("path",),
    "LS": ("path",),
    "view_image": ("path",),
    "ReadMcpResourceTool": ("uri",),
    "read_mcp_resource": ("uri",),
}
# Tools that end a child; the argument that names it differs.
_ENDING: Final = ("TaskStop", "KillShell", "close_agent", "interrupt_agent")
_ENDED: Final = ("agent_id", "id", "shell_id", "target", "task_id")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call, classified.

    Attributes:
        family: What kind of tool it is.
        name: Its name without a namespace.
        effects: What it would do, as far as the arguments tell; shell and patch texts are read elsewhere.
        text: The shell command or the patch that it carries.
        prompts: Texts of it that may come back as a prompt or reach a child.
        reads: Paths that it reads by argument.
        ends: Ids of what it ends.
        wakes: Whether the host makes a prompt of its output.
        mentions: Arguments that may name a path, for tools that no model covers.
    """

    family: Family
    name: str
    effects: Effects = NO_EFFECTS
    text: str = ""
    prompts: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    wakes: bool = False
    mentions: tuple[str, ...] = ()


def classify(event: Event) -> ToolCall:
    """Look a tool call up in the table.

    Args:
        event: A PreToolUse or PreSkillShellCommand event.

    Returns:
        The call; an argument that is missing or ill-typed makes its effects unknown.
    """
    arguments = event.tool_input or {}
    name = _bare(event.tool_name)
    if event.name == "PreSkillShellCommand":
        name = "PreSkillShellCommand"
    if name in _FILE:
        return _file_call(name, arguments.get(_FILE[name]), event.cwd)
    if name in _SHELL:
        return _text_call("shell", name, arguments.get(_SHELL[name]), wakes=name == "Monitor")
    if name == "apply_patch":
        return _text_call("patch", name, arguments.get("command"))
    if name in _QUIET:
        ended = [arguments.get(key) for key in _ENDED] if name in _ENDING else []
        ends = tuple(value for value in ended if isinstance(value, str))
        return ToolCall("quiet", name, reads=_reads(name, arguments, event.cwd), ends=ends)
    if name in _SPAWN:
        return ToolCall("spawn", name)
    if name in _PROMPTS:
        return ToolCall("prompt", name, prompts=tuple(_strings(dict(arguments))))
    if name in _CHILDREN:
        return ToolCall("child", name, prompts=tuple(_strings(dict(arguments))))
    if name.startswith("mcp__"):
        unknown = Unknown("what an MCP tool does cannot be read from its arguments", name)
        return ToolCall("mcp", name, Effects(unknown=(unknown,)), mentions=_mentions(arguments, event.cwd))
    unknown = Unknown("this tool is not in the guard's table", name)
    return ToolCall("unknown", name, Effects(unknown=(unknown,)), mentions=_mentions(arguments, event.cwd))


def _bare(name: str) -> str:
    for namespace in _NAMESPACES:
        if name.startswith(namespace) and len(name) > len(namespace):
            return name[len(namespace) :].lstrip("_.")
    return name


def absolute(path: str, cwd: str) -> str:
    """Give a call's path from the root of the file system, not normalized: links decide what ``..`` means.

    A leading tilde stays: only the disk's side knows the home folder.
    """
    return path if path.startswith(("/", "~")) else f"{cwd}/{path}"


def _file_call(name: str, path: object, cwd: str) -> ToolCall:
    if not isinstance(path, str) or not path or "\0" in path or path.startswith("~"):
        unknown = Unknown("the call does not name its file by an absolute path", name, is_writer=True)
        return ToolCall("file", name, Effects(unknown=(unknown,)))
    return ToolCall(
        "file", name, Effects(writes=(Write(path if path.startswith("/") else f"{cwd}/{path}", "file", name),))
    )


def _text_call(family: Literal["shell", "patch"], name: str, text: object, *, wakes: bool = False) -> ToolCall:
    if not isinstance(text, str):
        unknown = Unknown("the call carries no command text", name)
        return ToolCall("unknown", name, Effects(unknown=(unknown,)))
    return ToolCall(family, name, text=text, wakes=wakes)


def _reads(name: str, arguments: Mapping[str, object], cwd: str) -> tuple[str, ...]:
    found = [arguments.get(key) for key in _READS.get(name, ())]
    paths = [absolute(_without_scheme(path), cwd) for path in found if isinstance(path, str) and path]
    # A search without a path reads the whole working folder.
    return tuple(paths) if paths or name not in ("Grep", "Glob", "LS") else (cwd,)


def _strings(value: object) -> list[str]:
    """Collect every text of a value, the names of members too: some tools take paths there."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (str(key), *_strings(item))]
    return [text for item in value for text in _strings(item)] if isinstance(value, list) else []


def _without_scheme(text: str) -> str:
    """Give the path of a ``file:`` address (RFC 8089), with its percent signs decoded; other texts as they are."""
    if not text.lower().startswith("file:"):
        return text
    path = text[5:]
    if path.startswith("//"):
        path = path[2:].partition("/")[1] + path[2:].partition("/")[2]
    pieces = path.split("%")
    decoded = [pieces[0]]
    for piece in pieces[1:]:
        code = piece[:2]
        is_hex = len(code) == 2 and all(char in "0123456789abcdefABCDEF" for char in code)  # noqa: PLR2004  %XX
        decoded.append(chr(int(code, 16)) + piece[2:] if is_hex else f"%{piece}")
    return "".join(decoded)


def _mentions(arguments: Mapping[str, object], cwd: str) -> tuple[str, ...]:
    """Give every text that may name a path, line by line; the texts themselves too, for paths in the middle of them."""
    lines = [line.strip() for text in _strings(dict(arguments)) for line in text.split("\n")]
    return tuple(dict.fromkeys(absolute(_without_scheme(line), cwd) for line in lines if line and "\0" not in line))
