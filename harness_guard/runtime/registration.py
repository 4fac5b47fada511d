"""The hook commands that the hosts register, and ``hooks/hooks.json`` made of them (contract section 2).

One wrong field makes a host drop the whole file and run every tool unguarded, so the file is written from this table
and compared with it by a test. No matcher and no ``if``: where one of them does not parse, a host never runs the hook.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# What the engine may need: 3,600 s of verification and 60 s around it (contract section 2, "Time"), twice over. A host
# lets the tool run when its own limit expires, so the guard's own limits must always end first.
TIMEOUT_S: Final = 7200

DENY_TOOL: Final = "deny"
BLOCK_CHANGE: Final = "block"
GO_ON_WITH_CONTEXT: Final = "context"
GO_ON_IN_SILENCE: Final = "silence"

# Event -> what it answers when the guard cannot run while a marker stands.
FAILURE_ANSWERS: Final = {
    "UserPromptSubmit": GO_ON_WITH_CONTEXT,
    "PreToolUse": DENY_TOOL,
    "SubagentStart": GO_ON_IN_SILENCE,
    "SubagentStop": GO_ON_IN_SILENCE,
    "Stop": GO_ON_IN_SILENCE,
    "PreSkillShellCommand": DENY_TOOL,
    "ConfigChange": BLOCK_CHANGE,
}

_LAUNCHER = '"$CLAUDE_PLUGIN_ROOT/hooks/launch.sh"'
_GONE = "harness-guard launcher.missing: hooks/launch.sh of the plugin cannot be read, so nothing can be decided."
_NEXT = "Next: have the user install the plugin harness again, or remove it."
# A folder that is not there holds no marker; one that ``ls`` complains about may hold any.
_SILENT = (
    'a="$CLAUDE_PLUGIN_DATA/active"; if [ -n "$CLAUDE_PLUGIN_DATA" ] && '
    '{ [ ! -e "$a" ] || [ -z "$(ls -A "$a" 2>&1)" ]; }; then exit 0; fi'
)


def _answer(event: str) -> str:
    reason = f"{_GONE}\\n{_NEXT}"
    if FAILURE_ANSWERS[event] == BLOCK_CHANGE:
        return f'{{"decision":"block","reason":"{reason}"}}'
    if FAILURE_ANSWERS[event] == GO_ON_WITH_CONTEXT:
        inner = f'"additionalContext":"{reason}\\nThis prompt activated nothing and approved nothing."'
    else:
        inner = f'"permissionDecision":"deny","permissionDecisionReason":"{reason}"'
    return f'{{"hookSpecificOutput":{{"hookEventName":"{event}",{inner}}}}}'


def command(event: str) -> str:
    """Give the POSIX shell line that a host runs for an event.

    The launcher is tested before it is sourced, because dash leaves the shell with status 2 when it cannot open the
    file, and sourced in a subshell where status 2 would be a block that nobody meant. The path is taken from the
    variable: the ``${...}`` form would be pasted in as text by both hosts.

    Args:
        event: One of ``FAILURE_ANSWERS``.

    Returns:
        The line, without a newline.
    """
    source = f"harness_event={event}; . {_LAUNCHER}"
    if FAILURE_ANSWERS[event] == GO_ON_IN_SILENCE:
        return f"if [ -r {_LAUNCHER} ]; then ({source}) 2>/dev/null; fi; exit 0"
    if FAILURE_ANSWERS[event] == GO_ON_WITH_CONTEXT:
        # Without the launcher nobody notes an activation: who typed one must not believe that the guard is on.
        unseen = f"case $(cat) in *'$harness'*) ;; *) {_SILENT};; esac"
        told = f"printf '%s\\n' '{_answer(event)}'; exit 0"
        return f"if [ -r {_LAUNCHER} ]; then ({source}; exit 1) 2>/dev/null && exit 0; fi; {unseen}; {told}"
    refuse = f"printf '%s\\n' '{_answer(event)}'; echo '{_GONE}' >&2; echo '{_NEXT}' >&2; exit 2"
    return f"if [ -r {_LAUNCHER} ]; then {source}; fi; {_SILENT}; {refuse}"


def hooks_json() -> str:
    """Render ``hooks/hooks.json``."""
    events = {}
    for event in FAILURE_ANSWERS:
        # In the order in which the hosts' documentation lists the keys; ``statusMessage`` keeps one host from showing
        # the model the shell line (host fact).
        entry: dict[str, object] = {"type": "command", "command": command(event), "timeout": TIMEOUT_S}
        if event != "UserPromptSubmit":
            entry["onFailure"] = "block"
        entry["statusMessage"] = "harness-guard"
        events[event] = [{"hooks": [entry]}]
    whole = {"description": "Guards a run that a human activated and approved", "hooks": events}
    return json.dumps(whole, indent=2) + "\n"
