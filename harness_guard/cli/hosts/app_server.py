"""Asks Codex's app server one question: which hooks it has, and whether it trusts them."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time

from harness_guard.errors import ProvisionError
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from harness_guard.cli.hosts.host import Host

_TIMEOUT_S: Final = 30
_HELLO: Final = {"clientInfo": {"name": "harness-guard", "version": "1"}, "capabilities": {"experimentalApi": True}}


@dataclass(frozen=True, slots=True)
class ListedHook:
    """One hook as the host lists it.

    Attributes:
        event: The event, as ``hooks.json`` spells it.
        plugin: Id of the plugin that it belongs to, ``""`` if to none.
        command: Its shell line.
        is_enabled: Whether it is switched on.
        trust: ``untrusted``, ``trusted``, ``modified`` or ``managed``.
    """

    event: str
    plugin: str
    command: str
    is_enabled: bool
    trust: str


def list_hooks(host: Host, cwd: str) -> list[ListedHook]:
    """Give the hooks that Codex would run in a folder.

    Args:
        host: Codex.
        cwd: The folder; its project's configuration counts.

    Raises:
        ProvisionError: If the host does not answer, or in another form.
    """
    requests: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": _HELLO},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [cwd]}},
    ]
    answer = _ask(host, requests, cwd)
    try:
        return [_hook(hook) for entry in answer["result"]["data"] for hook in entry["hooks"]]
    except (KeyError, TypeError, AttributeError):
        seen = f"`codex app-server` answered hooks/list in an unknown form: {json.dumps(answer)[:300]}"
        raise ProvisionError("host.app-server", seen, "update harness-guard; look at /hooks in Codex") from None


def _hook(found: dict[str, object]) -> ListedHook:
    name = str(found["eventName"])
    return ListedHook(
        # The app server spells events in camel case, hooks.json in Pascal case.
        event=name[:1].upper() + name[1:],
        plugin=str(found.get("pluginId") or ""),
        command=str(found.get("command")),
        is_enabled=found.get("enabled") is True,
        trust=str(found.get("trustStatus")),
    )


def _ask(host: Host, requests: list[dict[str, object]], cwd: str) -> dict[str, Any]:
    try:
        running = subprocess.Popen(
            [host.binary, "app-server"],
            env=dict(host.environ),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise ProvisionError("host.app-server", f"`codex app-server` cannot be run: {error}", "mend it") from error
    with running:
        try:
            if running.stdin is not None:
                running.stdin.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
                running.stdin.flush()
            return _answer_to(2, running)
        except BrokenPipeError:
            raise _silent() from None
        finally:
            # It serves until it is told to go; waiting for its end would be waiting for ever.
            running.terminate()


def _silent() -> ProvisionError:
    return ProvisionError(
        "host.app-server", "`codex app-server` does not answer", "run it by hand and see what it says"
    )


def _answer_to(number: int, running: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Read lines until the answer to a request; its shape is checked by who takes it apart."""
    out = running.stdout
    end, text = time.monotonic() + _TIMEOUT_S, b""
    while out is not None and (left := end - time.monotonic()) > 0:
        if not select.select([out], [], [], left)[0]:
            break
        part = os.read(out.fileno(), 1 << 16)
        if not part:
            break
        *lines, text = (text + part).split(b"\n")
        for line in lines:
            # Notices and logs come in between; only the answer to our own number counts.
            message = json.loads(line) if line.startswith(b"{") else {}
            if message.get("id") == number:
                answer: dict[str, Any] = message
                return answer
    raise _silent()
