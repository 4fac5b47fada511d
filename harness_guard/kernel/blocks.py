"""How Stop refuses: a counted block, and the answer to an artifact that is not due (contract section 6)."""

from __future__ import annotations

from harness_guard.kernel.decision import PASS, Decision, Reason
from harness_guard.kernel.outcome import Outcome
from harness_guard.kernel.texts import next_step
from harness_guard.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.kernel.state import RunState

BLOCK_LIMIT: Final = 3  # contract section 6: one host never tires of blocks, the other overrides the ninth


def refuse(state: RunState, reason: Reason) -> Outcome:
    """Block, at most three times without a permitted call or a transition between them; then pass as incomplete."""
    count = state.stop
    if count.blocks >= BLOCK_LIMIT:
        return Outcome(PASS, replace(state, stop=replace(count, is_incomplete=True)), note="incomplete")
    counted = replace(state, stop=replace(count, blocks=count.blocks + 1))
    return Outcome(Decision("block", reason), counted)


def refuse_without_gate(state: RunState, reason: Reason) -> Outcome:
    """Refuse likewise, and close the open question: the human would answer to another text."""
    return refuse(replace(state, pending_gate=None), reason)


def not_now(state: RunState, kind: str) -> Outcome:
    """Refuse an artifact that is not due in this state."""
    reason = Reason("artifact.not-now", f"no {kind} is due: the run is {state.state}", next_step(state))
    return refuse_without_gate(state, reason)
