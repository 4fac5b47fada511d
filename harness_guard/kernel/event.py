"""The one event type that both hosts' payloads decode into (contract section 2)."""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal

    HostName = Literal["claude", "codex"]
    EventName = Literal[
        "UserPromptSubmit",
        "PreToolUse",
        "PreSkillShellCommand",
        "ConfigChange",
        "SubagentStart",
        "SubagentStop",
        "Stop",
    ]

EVENT_NAMES: Final = (
    "UserPromptSubmit",
    "PreToolUse",
    "PreSkillShellCommand",
    "ConfigChange",
    "SubagentStart",
    "SubagentStop",
    "Stop",
)


@dataclass(frozen=True, slots=True)
class HostProcess:
    """The host process behind an event, as far as the host tells (contract section 5).

    Attributes:
        pid: Its process id.
        started: When it started, in the operating system's own ticks or words; with the pid it names one process.
        attended: Whether a human sits in front of it; ``None`` where the host does not say.
    """

    pid: int
    started: str
    attended: bool | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One hook call of a host.

    Attributes:
        host: Which host sent it.
        name: The hook event.
        session_id: The root conversation's id, already validated as a path segment.
        cwd: Working folder of that call, absolute; it resolves that call's relative paths and nothing else.
        turn_id: Prompt id (Claude Code) or turn id (Codex); ``None`` if the payload has none.
        agent_id: Set exactly when the event comes from a child.
        agent_type: The host's name for the kind of agent.
        transcript_path: The host's transcript file, absolute.
        source: Who the host says made the prompt; ``None`` where it does not say.
        prompt: Text of a prompt event.
        tool_name: Name of the tool of a tool event.
        tool_input: Its arguments.
        tool_use_id: The host's id of the call.
        message: The agent's last message at Stop and SubagentStop, ``""`` if there is none.
        live_agents: Ids of background agents that still run; ``None`` where the host does not send them.
        live_tasks: Ids of background shell tasks that still run.
        process: The host process, if the host tells it.
        is_late: Whether it is a prompt whose own hook never judged it; it may activate or cancel, and answers nothing.
    """

    host: HostName
    name: EventName
    session_id: str
    cwd: str
    turn_id: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    transcript_path: str | None = None
    source: str | None = None
    prompt: str = ""
    tool_name: str = ""
    tool_input: Mapping[str, object] | None = None
    tool_use_id: str | None = None
    message: str = ""
    live_agents: tuple[str, ...] | None = None
    live_tasks: tuple[str, ...] = ()
    process: HostProcess | None = None
    is_late: bool = False

    @property
    def is_child(self) -> bool:
        """Whether the event comes from a child agent."""
        return self.agent_id is not None
