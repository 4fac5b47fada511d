"""Subcommands of git that ask another machine: what it has, or for a copy of it. Sending (push) is not in the table.

A remote is asked where its URL is literal and of a transport that runs no program named by the repository. ``ext::``
and other helpers run what their address says; a folder of this machine is served by its own configuration. Sources:
git-ls-remote, git-fetch, git-remote, git-clone, gitremote-helpers, git-config, version 2.39 and later.
"""

from __future__ import annotations

from harness_guard.shell.commands.git_verbs import (
    ASKS,
    FETCHES,
    READS,
    Does,
    Verb,
    plain,
    plain_first,
    verbs,
)
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_HERE: Final = ("localhost", "127.", "[", "0.", "::1")
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+")
_HOST: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")
_SCHEMES: Final = ("https://", "http://", "ssh://", "git://")


def host_of(url: str) -> str:
    """Give the machine that a URL names, ``""`` if git would not simply ask one over the network."""
    scheme = next((known for known in _SCHEMES if url.startswith(known)), "")
    if scheme:
        host = url[len(scheme) :].partition("/")[0].rpartition("@")[2]
    else:
        # ``[user@]host:path``, if no slash stands in front of the colon; two colons name a helper.
        head, sign, path = url.partition(":")
        is_apart = bool(sign) and "/" not in head and not path.startswith((":", "//"))
        host = head.rpartition("@")[2] if is_apart and path else ""
    return host if host and _HOST.issuperset(host) and not host.startswith("-") else ""


def _connect(call: Call, url: str) -> None:
    host = host_of(url)
    if not host:
        call.opaque(f"git {call.name} from a place that is no other machine: {url}")
        return
    lowered = host.lower()
    is_local = lowered.startswith(_HERE) or "." not in lowered.partition(":")[0]
    call.connect(host, is_local=is_local)


def _ask(call: Call, name: str) -> None:
    """Connect to a configured remote, ``""`` for whichever git would take, or to a URL."""
    if ":" in name:
        _connect(call, name)
        return
    for folder in call.cwds or ():
        facts = call.git.get(folder)
        if facts is None:
            continue  # asked for in any case
        urls = [url for remote, url in facts.remotes if not name or remote == name]
        if not urls:
            call.opaque(f"git {call.name} from a remote that is not configured")
        for url in urls:
            _connect(call, url)


def _asked(call: Call, options: Options) -> str | None:
    """Give the remote that the first operand names; ``None``, and refused, if that is not known."""
    name = plain_first(options)
    if name is None or name.startswith("-"):
        call.opaque(f"git {call.name} from a place that is not known")
        return None
    return name


def _ls_remote(call: Call, options: Options) -> None:
    name = _asked(call, options)
    # A pattern is no secret channel: git asks for all and compares by itself.
    if name is not None:
        _ask(call, name)


def _fetch(call: Call, options: Options) -> None:
    name = _asked(call, options)
    if name is None:
        return
    for field in options.operands[1:]:
        text = plain(field) or "-"
        if not _NAME.issuperset(text) or text[:1] in {"-", "+"}:
            call.opaque("git fetch into references that its words name", is_writer=True)
    _ask(call, "" if options.has("--all") else name)
    is_below = any(facts.has_submodules for facts in filter(None, map(call.git.get, call.cwds or ())))
    if is_below and not options.has("--no-recurse-submodules"):
        call.opaque("git fetch that also fetches for submodules")


def _remote(call: Call, options: Options) -> Does | None:
    if call.name == "remote.show" and (not options.operands or options.has("-n")):
        return READS
    for field in options.operands:
        name = plain(field)
        if not name or name.startswith("-") or ":" in name:
            call.opaque(f"git {call.name} of a remote that is not known")
        else:
            _ask(call, name)
    if not options.operands:
        _ask(call, "")
    return None


def _clone(call: Call, options: Options) -> None:
    texts = [plain(field) or "-" for field in options.operands]
    if len(texts) not in {1, 2} or any(text.startswith("-") for text in texts):
        call.opaque("git clone with words that are not known", is_writer=True)
        return
    url = texts[0]
    _connect(call, url)
    name = url.rstrip("/").removesuffix("/.git").removesuffix(".git").rpartition("/")[2].rpartition(":")[2]
    folder = texts[1] if texts[1:] else f"{name}.git" if options.has("--bare") else name
    # Without a path git takes the host's name, and leaves its port out.
    is_port = not texts[1:] and url.rstrip("/").endswith(f":{name}")
    if folder in {"", ".", ".."} or is_port or (not texts[1:] and not _NAME.issuperset(folder)):
        call.opaque("git clone into a folder that reading cannot tell", is_writer=True)
        return
    call.write(Field(folder), "tree", "checkout")


CLONES: Final = Does(("writing", "asking", "moving"))

VERBS: Final = verbs(
    Verb(
        Row("ls-remote", flags="htbq", longs="heads tags branches refs quiet get-url symref exit-code sort="),
        ASKS,
        _ls_remote,
    ),
    Verb(
        Row(
            "fetch",
            flags="apPtnqv4",
            valued="j",
            longs="all append prune prune-tags tags no-tags quiet verbose progress no-progress depth= deepen= "
            "shallow-since= unshallow update-shallow dry-run jobs= no-recurse-submodules atomic ipv4 ipv6 "
            "no-auto-gc no-auto-maintenance no-write-fetch-head write-fetch-head porcelain "
            "show-forced-updates no-show-forced-updates",
        ),
        FETCHES,
        _fetch,
    ),
    Verb(Row("remote.show", flags="nv"), ASKS, _remote),
    Verb(Row("remote.prune", flags="nv", longs="dry-run"), FETCHES, _remote),
    Verb(Row("remote.update", flags="p", longs="prune"), FETCHES, _remote),
    Verb(
        Row(
            "clone",
            flags="qvn",
            valued="bj",
            longs="quiet verbose progress no-checkout branch= depth= single-branch no-single-branch no-tags "
            "shallow-since= jobs= bare origin= ipv4 ipv6",
        ),
        CLONES,
        _clone,
    ),
)
