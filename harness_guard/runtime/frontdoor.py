"""One hook event or one command line: read it, hand it to the package, send the answer.

This is the only place beside ``dispatch`` that catches broadly. Whatever goes wrong here or behind it becomes the
event's failure answer with a reason and a remedy, as long as any marker stands; with none there is silence.
"""

from __future__ import annotations

import gc
import posix
import sys

from harness_guard.errors import HarnessError
from harness_guard.places import Places, data_folder
from harness_guard.runtime import bundle, deadline
from harness_guard.runtime.failure import describe, failure, framed
from harness_guard.runtime.naming import runtime_name
from harness_guard.runtime.spelling import shell_word, verb_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PAYLOAD_LIMIT: Final = 64 << 20  # bytes
_CHUNK: Final = 1 << 20
_ENDS: Final = (b"}", b"]", b'"', b"l", b"e")  # last byte of a JSON value that is no number
_BLANKS: Final = b" \t\r\n"
_VERDICT_DENIED: Final = 2


class _Call:
    """What is known of one event while it is answered."""

    __slots__ = ("environ", "event", "launched", "marker", "root")

    def __init__(self, root: str) -> None:
        """Start with nothing but the plugin's folder and the environment."""
        self.root = root
        self.environ = _environment()
        self.event = ""
        self.launched = False
        self.marker: str | None = None


def _environment() -> dict[str, str]:
    # What ``os.environ`` holds, without importing ``os`` for it; undecodable bytes survive as in the standard library.
    return {
        name.decode(errors="surrogateescape"): value.decode(errors="surrogateescape")
        for name, value in posix.environ.items()
    }


def main(arguments: list[str], root: str) -> int:
    """Answer one event, or run one verb of the command line.

    Args:
        arguments: ``--launched EVENT [MARKER]`` from the launcher, nothing for a payload on standard input in the
            hosts' own protocol, or a verb with its arguments.
        root: The plugin's folder.

    Returns:
        The exit status.
    """
    if arguments and arguments[0] != "--launched":
        from harness_guard.runtime.verbs import run

        run(arguments, root)
    gc.disable()  # the process ends with its answer; collecting only costs
    call = _Call(root)
    call.launched = bool(arguments)
    call.event = arguments[1] if len(arguments) > 1 else ""
    call.marker = arguments[2] if len(arguments) > 2 and arguments[2] else None  # noqa: PLR2004  the third argument
    # The process ends there and then: whatever did not heed the exception must not run on.
    deadline.start(lambda: posix._exit(_fail(call, "the guard's 10 seconds are over", _again(call))))
    try:
        answer = _answer(call)
        deadline.stop()
        return _send(call, answer)
    except deadline.DeadlineError:
        return _fail(call, "the guard's 10 seconds are over", _again(call))
    except _Unusable as error:
        return _fail(call, str(error), _mend(call))
    except HarnessError as error:
        return _fail(call, error.seen, error.remedy, rule=error.rule)
    except BaseException as error:  # noqa: BLE001  the front door: see the module's docstring
        return _fail(call, f"the guard failed with {describe(error)}", _again(call))


class _Unusable(Exception):
    """The runtime that ``provision`` prepares is not there, or is not this plugin's."""


def _again(call: _Call) -> str:
    doctor = verb_command(call.root, "doctor")
    return f"repeat the call once; if it is refused again, have the user run in a terminal: {doctor}"


def _mend(call: _Call) -> str:
    data = data_folder(call.environ)
    if data is None:
        # Started by hand, or by a host that breaks its own protocol: no command of ours could name the folder.
        person = verb_command(call.root, "--help")
        return f"the host has to name the data folder in PLUGIN_DATA; a person at a shell: try {person}"
    return f"have the user run in a terminal: PLUGIN_DATA={shell_word(data)} {verb_command(call.root, 'provision')}"


def _answer(call: _Call) -> tuple[str, str, int]:
    if not call.launched:
        _isolate(call)
    raw = _payload()
    if not call.launched:
        call.event = _event_name(raw)
        if not _may_be_active(call) and not _may_activate(call.event, raw):
            return "", "", 0
    _use_runtime(call)
    from harness_guard.dispatch import answer

    given = answer(raw, call.environ, call.root, call.marker)
    return given.stdout, given.stderr, given.status


def _isolate(call: _Call) -> None:
    """Start again under the recorded interpreter, isolated, if this is not how the process was started."""
    if sys.flags.isolated and sys.flags.no_site:
        return
    data = data_folder(call.environ)
    try:
        with open(f"{data}/interpreter", encoding="utf-8") as file:
            python = file.read().strip()
    except OSError:
        python = ""
    if data is None or not python.startswith("/"):
        # Whether anything has to be denied is still to be seen, and that needs none of what isolation protects.
        return
    deadline.stop()
    flags = ["-I", "-S", "-X", f"pycache_prefix={data}/pycache"]
    posix.execv(python, [python, *flags, f"{call.root}/hooks/harness_guard.py"])


def _payload() -> bytes:
    """Read standard input up to the end of one JSON value, even if the host keeps the pipe open."""
    parts: list[bytes] = []
    size = tried = 0
    while True:
        part = posix.read(0, _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > PAYLOAD_LIMIT:
            raise ValueError("the payload is larger than 64 MiB")
        if part.rstrip(_BLANKS).endswith(_ENDS) and _is_drained(size, tried):
            whole, tried = b"".join(parts), size
            parts = [whole]
            if _is_complete(whole):
                return whole


def _is_drained(size: int, tried: int) -> bool:
    # The first look is free. After a failed one, look again only when nothing more comes for the moment or the text has
    # grown by half: or a long payload would be read anew at every chunk that happens to end in a brace.
    if not tried or size > tried + tried // 2:
        return True
    import select

    return not select.select([0], [], [], 0.05)[0]


def _is_complete(raw: bytes) -> bool:
    from harness_guard.rawjson import loads

    try:
        loads(raw.decode())
    except (ValueError, RecursionError):
        return False
    return True


def _event_name(raw: bytes) -> str:
    from harness_guard.rawjson import loads

    try:
        value = loads(raw.decode())
    except (ValueError, RecursionError):
        return ""
    name = value.get("hook_event_name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


def _may_activate(event: str, raw: bytes) -> bool:
    return event == "UserPromptSubmit" and b"harness" in raw


def _may_be_active(call: _Call) -> bool:
    data = data_folder(call.environ)
    if data is None:
        return True
    try:
        return any(not name.startswith(".") for name in posix.listdir(Places(data).active))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _use_runtime(call: _Call) -> None:
    data = data_folder(call.environ)
    if data is None:
        raise _Unusable("the host named no data folder")
    if not (sys.flags.isolated and sys.flags.no_site):
        raise _Unusable("no interpreter is recorded, so nothing was provisioned")
    packages = f"{Places(data).runtime}/{runtime_name()}"
    try:
        posix.stat(packages)
    except OSError:
        raise _Unusable("no runtime for this version of the plugin and this interpreter is provisioned") from None
    sys.path.append(packages)
    bundle.install(data, call.root)


def _send(call: _Call, answer: tuple[str, str, int]) -> int:
    stdout, stderr, status = answer
    text = framed(stdout, stderr, status)
    if text is None:
        return _fail(call, f"the guard gave no answer that a host understands (status {status})", _again(call))
    if call.launched:
        _write(1, text)
        return status
    if status == _VERDICT_DENIED:
        # Standard error first: with it and the status the call is refused even if standard output is gone.
        _write(2, stderr.strip() + "\n")
    if stdout:
        _write(1, stdout.strip() + "\n")
    return status


def _fail(call: _Call, seen: str, remedy: str, *, rule: str = "entry.cannot-decide") -> int:
    deadline.stop()
    answer = failure(call.event, seen, remedy, rule=rule)
    # The launcher has looked already: what it starts may be denied. Without it, no marker means silence.
    if not call.launched and not _may_be_active(call):
        return 0
    try:
        stdout, stderr, status = answer
        if call.launched:
            _write(1, framed(stdout, stderr, status) or "")
        else:
            _write(2, stderr + "\n" if stderr else "")
            _write(1, stdout + "\n" if stdout else "")
    except OSError:
        pass  # nobody listens any more; the status still refuses
    return answer[2]


def _write(descriptor: int, text: str) -> None:
    left = text.encode(errors="backslashreplace")
    while left:
        left = left[posix.write(descriptor, left) :]
