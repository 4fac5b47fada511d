"""Front door of harness-guard: every hook event and the command line start here, on the standard library alone.

It finds the package, hands over to ``harness_guard.runtime.frontdoor`` and turns whatever fails behind it into an
answer. It is compiled at every start, so it is short. It has the package's name: the plugin's root goes on the path
explicitly, in front, or it would import itself.
"""

import posix
import sys

_DENIED = ("PreToolUse", "PreSkillShellCommand", "ConfigChange")
_PASSED = ("UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop")
_FIRST = "harness-guard entry.broken: the guard cannot be loaded, so nothing can be decided"
_NEXT = "Next: have the user install the plugin harness again and provision it"
_LIMIT = 1 << 26  # bytes of a payload that are looked at


def _root() -> str:
    path = __file__ if __file__.startswith("/") else f"{posix.getcwd()}/{__file__}"
    return path.rpartition("/")[0].rpartition("/")[0]


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


def _last_resort(arguments: list[str], error: BaseException) -> int:
    """Answer when not even the front door's own module could be had."""
    if arguments[:1] == ["--launched"]:
        return 70  # The launcher answers for everything that ends without a verdict.
    seen = f"{_FIRST}: {type(error).__name__}"
    if arguments:
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


def _main() -> int:
    arguments = sys.argv[1:]
    if sys.pycache_prefix is None:
        sys.dont_write_bytecode = True  # or it would land in the plugin's folder, and a host would stop every hook
    try:
        root = _root()
        sys.path.insert(0, root)
        from harness_guard.runtime.frontdoor import main

        return main(arguments, root)
    except BaseException as error:
        if isinstance(error, SystemExit) and arguments and arguments[0] != "--launched":
            raise  # a verb of the command line ends as it says
        try:
            return _last_resort(arguments, error)
        except BaseException:  # noqa: BLE001  a closed output, say: the status alone still refuses
            return 2


if __name__ == "__main__":
    # Nothing is left to tear down after an answer, and tearing down an interpreter costs milliseconds.
    posix._exit(_main())
