"""The answer when not even the front door's own module can be had; loaded by ``harness_guard.py`` then and only then.

It depends on nothing of the package. Behind the launcher it is not needed: that answers for all that ends without a
verdict.
"""

import posix

_DENIED = ("PreToolUse", "PreSkillShellCommand", "ConfigChange")
_PASSED = ("UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop")
_FIRST = "harness-guard entry.broken: the guard cannot be loaded, so nothing can be decided"
_NEXT = "Next: have the user install the plugin harness again and provision it"
_LIMIT = 1 << 26  # bytes of a payload that are looked at


def answer(error: BaseException, *, is_event: bool) -> int:
    """Give the failure answer, or the complaint of a command line.

    Args:
        error: What went wrong.
        is_event: Whether a payload waits on standard input.

    Returns:
        The exit status.
    """
    seen = f"{_FIRST}: {type(error).__name__}"
    if not is_event:
        posix.write(2, f"{seen}\n{_NEXT}\n".encode())
        return 1
    if not _may_be_active():
        return 0
    event = _event()
    if event in _PASSED:
        return 0
    deny = f'"hookEventName":"{event}","permissionDecision":"deny","permissionDecisionReason":"{seen}\\n{_NEXT}"'
    block = f'{{"decision":"block","reason":"{seen}\\n{_NEXT}"}}'
    posix.write(2, f"{seen}\n{_NEXT}\n".encode())
    posix.write(1, (block if event == "ConfigChange" else f'{{"hookSpecificOutput":{{{deny}}}}}').encode() + b"\n")
    return 2


def _may_be_active() -> bool:
    data = (posix.environ.get(b"CLAUDE_PLUGIN_DATA") or posix.environ.get(b"PLUGIN_DATA") or b"").rstrip(b"/")
    try:
        return not data.startswith(b"/") or any(not name.startswith(b".") for name in posix.listdir(data + b"/active"))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _event() -> str:
    text = more = posix.read(0, 1 << 16)
    while more and len(text) < _LIMIT and text.count(b"{") > text.count(b"}"):
        more = posix.read(0, 1 << 16)
        text += more
    named = text.replace(b" ", b"").partition(b'"hook_event_name":"')[2].partition(b'"')[0].decode("ascii", "replace")
    return named if named in _DENIED + _PASSED else "PreToolUse"
