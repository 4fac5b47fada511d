"""Write down one hook call; answer those whose payload holds an agreed word."""

import json
import os
import sys

CONTEXT = "WITNESSED-PROMPT"
BRIEF = "WITNESSED-CHILD"


def answer(event: dict[str, object]) -> None:
    """Deny, add context or block, so that a driver's report can be checked on each."""
    name, text = event["hook_event_name"], json.dumps(event)
    if name == "PreToolUse" and "forbidden" in text:
        output = {"hookEventName": name, "permissionDecision": "deny", "permissionDecisionReason": "standin says no"}
        sys.stdout.write(json.dumps({"hookSpecificOutput": output}))
        sys.stdout.flush()
        sys.stderr.write("standin says no")
        sys.stderr.flush()
        os._exit(2)
    if name in ("UserPromptSubmit", "SubagentStart"):
        context = CONTEXT if name == "UserPromptSubmit" else BRIEF
        print(json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}))
    if name in ("Stop", "SubagentStop") and "once more" in str(event.get("last_assistant_message")):
        print(json.dumps({"decision": "block", "reason": "standin wants more"}))


def rows(path: object) -> list[object]:
    """The transcript as it is at this moment."""
    try:
        with open(str(path), encoding="utf-8") as transcript:
            return [json.loads(line) for line in transcript if line.strip()]
    except (OSError, ValueError):
        return []


def main() -> None:
    """Append a row to the log in the data folder, then answer."""
    event = json.load(sys.stdin)
    folder = os.environ["CLAUDE_PLUGIN_DATA"]
    os.makedirs(folder, exist_ok=True)
    with open(f"/proc/{os.getppid()}/cmdline", "rb") as parent:
        words = parent.read().decode(errors="replace").split("\0")
    row = {"event": event, "environment": sorted(os.environ), "parent": words, "cwd": os.getcwd()}
    if "WITNESS_TRANSCRIPT" in os.environ:
        row["transcript"] = rows(event.get("transcript_path"))
        row["process"] = [os.getpid(), os.getppid()]
    log = os.open(f"{folder}/witness.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(log, (json.dumps(row) + "\n").encode())
    os.close(log)
    answer(event)


main()
