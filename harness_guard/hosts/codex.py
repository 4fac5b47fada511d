"""What only Codex's payloads say (observed on 0.171.0). It tells neither its process nor its live children."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MARKS: Final = ("turn_id", "model")
TURN_ID: Final = "turn_id"

# Tools that always come with an object as their input: without one the payload is refused. What a tool does
# is judged elsewhere (``kernel/tools.py``).
KNOWN_TOOLS: Final = frozenset(
    (
        "Bash",
        "apply_patch",
        "collaborationfollowup_task",
        "collaborationinterrupt_agent",
        "collaborationlist_agents",
        "collaborationsend_message",
        "collaborationspawn_agent",
        "collaborationwait_agent",
        "create_goal",
        "get_goal",
        "list_mcp_resources",
        "multi_agent_v1close_agent",
        "multi_agent_v1resume_agent",
        "multi_agent_v1send_input",
        "multi_agent_v1wait_agent",
        "read_mcp_resource",
        "request_user_input",
        "spawn_agent",
        "update_goal",
        "update_plan",
        "view_image",
        "write_stdin",
    )
)
