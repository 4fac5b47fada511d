"""What a scripted model does in a run as an agent does it: every binding is copied from what the guard has said."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.e2e.guarded import DIGITS_TEST, NEW_LINE, OLD_LINE, REVIEW_TASK, completion, review
from tests.e2e.hosts.claude import Claude
from tests.e2e.hosts.script import Call, JsonObject, Say, ScriptError, Seen

if TYPE_CHECKING:
    from tests.e2e.guarded import Guarded
    from tests.e2e.hosts.script import Step, Turn

VERIFICATION = "python3 -m unittest -q tests.test_digits"
# What the work leaves to be found, and the repairs of it.
DOC = '    """Lower-case words joined by hyphens."""'
BETTER_DOC = '    """Lower-case words and numbers joined by hyphens."""'
BEST_DOC = '    """Lower-case words and numbers, joined by hyphens."""'

_RECORD = """\
# Repair Record

## Repair Context

```json
{context}
```

## Changes

The line says what the function does now.

## Verification

The engine runs V1; the line is no code.
"""


def finding(name: str, path: str = "src/slug.py", **changes: object) -> JsonObject:
    """A finding that a repair inside the Plan answers."""
    base = {"severity": "important", "classification": "IN_PLAN_REPAIR", "line": 5, "message": "Numbers are not named."}
    return {"id": name, "path": path, **base, **changes}


@dataclass
class Reviews:
    """The Reviewers of one run and the root that relays what they said.

    Attributes:
        given: Every Review that was said, oldest first.
    """

    host: Guarded
    given: list[str] = field(default_factory=list)

    def judge(self, *findings: JsonObject) -> Step:
        """A Reviewer's last message: PASS, or with findings REPAIR_REQUIRED."""

        def step(seen: Seen) -> Say:
            self.given.append(review(seen, findings=findings))
            return Say(self.given[-1])

        return step

    def reviewer(self, *findings: JsonObject) -> tuple[Step, ...]:
        """A whole Reviewer: it reads its brief, then judges."""
        return self.host.look, self.judge(*findings)

    def relay(self, _seen: Seen) -> Say:
        """The root's message with the latest Review."""
        return Say(self.given[-1])

    def claim(self) -> tuple[Step, ...]:
        """The root's way from finished work to a Review: spawn, wait, relay."""
        return self.host.spawn, *self.host.host.await_child(), self.relay


def work(host: Guarded) -> tuple[Step, ...]:
    """The work of the Plan: a test of digits, and the line that keeps them."""
    return (
        host.host.write("tests/test_digits.py", DIGITS_TEST),
        host.host.read("src/slug.py"),
        host.host.edit("src/slug.py", OLD_LINE, NEW_LINE),
    )


def complete(seen: Seen) -> Say:
    """The Completion with the bindings that the guard has given last."""
    return Say(completion(seen))


def guess_record(seen: Seen) -> Say:
    """A Repair Record: what was before is known from the Review, what is after is a guess."""
    before = {
        "diff_revision": seen.find(r'^\s*"diff_revision": "([^"]+)"'),
        "verification": seen.find(r'^\s*"verification_fingerprint": "([^"]+)"'),
    }
    context = {
        "accepted_plan_hash": seen.find(r'^\s*"accepted_plan_hash": "([^"]+)"'),
        "source_review_round": int(seen.find(r'^\s*"review_round": (\d+)')),
        "repair_round": int(seen.find(r"repair round (\d+) of \d+ begins")),
        "finding_ids": [seen.find(r"^- (R\d+-F\d+) ")],
        "changed_files": ["src/slug.py"],
        "diff_revision_before": before["diff_revision"],
        "diff_revision_after": before["diff_revision"],
        "verification_before": before["verification"],
        "verification_after": before["verification"],
    }
    return Say(_RECORD.format(context=json.dumps({"repair_context": context}, indent=2)))


def filled_record(seen: Seen) -> Say:
    """The Repair Record that the guard has filled in."""
    return Say(newest(seen, "Repair Record"))


# An agent's way to a Record that is taken: emit what it knows, then what the guard made of it.
RECORD = (guess_record, filled_record)


def newest(seen: Seen, heading: str) -> str:
    """The newest whole artifact of one kind that the model was shown, to its end or to where another text begins.

    Raises:
        ScriptError: There is none.
    """
    for piece in map(_unwrapped, reversed(seen.pieces)):
        found = re.findall(rf"^# {heading}\n.*?(?:\? \[y/N\]$|\Z)", piece, re.DOTALL | re.MULTILINE)
        if found:
            return str(found[-1]).rstrip("\n") + "\n"
    message = f"the model was shown no {heading}; the newest text was:\n{seen.pieces[-1]}"
    raise ScriptError(message)


def where(host: Guarded) -> tuple[str, str, int, int]:
    """State, authority, repair round and review round."""
    state = host.state()
    return state["state"], state["authority_status"], state["repair"]["round"], state["review_round"]


def to_first_round(host: Guarded, reviews: Reviews) -> Turn:
    """Play a run up to its first repair round and let the turn end there."""
    turn = host.approved(
        *work(host),
        *reviews.claim(),
        *host.idle(),
        children={REVIEW_TASK: reviews.reviewer(finding("R1-F1"))},
        verification=VERIFICATION,
    )
    assert where(host) == ("auto_repairing", "active", 1, 1)
    return turn


def _newest_child(host: Guarded, seen: Seen) -> str:
    return seen.find(r"agentId: (\w+)" if isinstance(host.host, Claude) else r'"agent_id":\s*"([^"]+)"')


def end_child(host: Guarded, seen: Seen) -> Call:
    """The end of the child that was spawned last."""
    if isinstance(host.host, Claude):
        return Call("TaskStop", {"task_id": _newest_child(host, seen)})
    return Call("close_agent", {"target": _newest_child(host, seen)}, namespace="multi_agent_v1")


def message_child(host: Guarded, seen: Seen, text: str) -> Call:
    """A message to the child that was spawned last."""
    if isinstance(host.host, Claude):
        return Call("SendMessage", {"to": _newest_child(host, seen), "summary": "a word", "message": text})
    return Call("send_input", {"target": _newest_child(host, seen), "message": text}, namespace="multi_agent_v1")


def _unwrapped(piece: str) -> str:
    """What a hook said: Codex hands it to the model as the text of an XML element, escaped like one."""
    wrapped = re.fullmatch(r"<hook_prompt [^>]*>(.*)</hook_prompt>\s*", piece, re.DOTALL)
    return piece if wrapped is None else html.unescape(wrapped[1])


def print_artifact(host: Guarded, kind: str) -> Step:
    """A call of the guard's own command line, in the one spelling that the activation has told."""

    def step(seen: Seen) -> Call:
        return host.host.shell(f"{seen.find(r'has one spelling: (.+)$')} artifact {kind}")

    return step


def widened(entry: str) -> Step:
    """The printed Plan Amendment with one more boundary entry, and the delta that this is."""

    def step(seen: Seen) -> Say:
        text = newest(seen, "Plan Amendment")
        text = text.replace("## Write Boundary\n\n", f"## Write Boundary\n\n- `{entry}`\n")
        unchanged = '"write_boundary": {"material": false, "summary": "unchanged"}'
        changed = '"write_boundary": {"material": true, "summary": "the page that describes the function"}'
        text = text.replace(unchanged, changed)
        return Say(re.sub(r"`?<[^>`]+>`?", "None", text))

    return step
