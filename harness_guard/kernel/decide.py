"""One door: an event and the session's run to an outcome, through questions. Nothing else decides anything."""

from __future__ import annotations

from harness_guard.kernel.decision import PASS, block
from harness_guard.kernel.outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.kernel.decision import Decision
    from harness_guard.kernel.event import Event
    from harness_guard.kernel.questions import Asking
    from harness_guard.kernel.state import RunState
    from harness_guard.kernel.unreadable import Unreadable


def decide(event: Event, state: RunState | None) -> Asking[Outcome]:
    """Decide one event.

    Args:
        event: The decoded hook call.
        state: The session's run; ``None`` if the session has none.

    Returns:
        The outcome, by way of questions: drive the generator and send it the answers.
    """
    if event.name == "UserPromptSubmit":
        from harness_guard.kernel.prompt import decide_prompt

        return (yield from decide_prompt(event, state))
    if state is None:
        return Outcome(PASS)
    if event.name in ("PreToolUse", "PreSkillShellCommand"):
        if state.state == "completed":
            return Outcome(PASS)
        from harness_guard.kernel.tool_use import decide_tool

        return (yield from decide_tool(event, state))
    if event.name == "ConfigChange":
        return Outcome(_config_change(state))
    return (yield from _stops(event, state))


def decide_unreadable(event: Event, problem: Unreadable) -> Asking[Outcome]:
    """Decide a prompt of a session whose state cannot be read; every other event fails closed before it gets here."""
    from harness_guard.kernel.prompt import decide_unreadable as decide_prompt

    return (yield from decide_prompt(event, problem))


def _config_change(state: RunState) -> Decision:
    if state.state == "completed":
        return PASS
    seen = "a host setting changed during an active run, and the change may switch the guard off"
    return block("config.changed", seen, "End the run first: the human types `$harness cancel`.")


def _stops(event: Event, state: RunState) -> Asking[Outcome]:
    if event.name == "Stop":
        from harness_guard.kernel.stop import decide_stop

        return (yield from decide_stop(event, state))
    from harness_guard.kernel.children import decide_subagent_start, decide_subagent_stop

    if event.name == "SubagentStart":
        return (yield from decide_subagent_start(event, state))
    return (yield from decide_subagent_stop(event, state))
