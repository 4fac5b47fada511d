"""Web addresses and host names: which machine a program would ask, and whether that is, or may be, this one.

An address is taken only in its plain spelling; of a host in any odd spelling it is said that it may be this machine.
Sources: RFC 3986 (addresses), RFC 6890 and RFC 6761 (addresses and names with a meaning of their own), inet_aton(3)
(the short, octal and hexadecimal spellings). A name that a public name server leads back here cannot be seen.
"""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_DIGITS: Final = frozenset("0123456789")
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz")
_NAME: Final = _DIGITS | _LETTERS | frozenset("-_.")
_HEXADECIMAL: Final = _DIGITS | frozenset("abcdef:")
# Names that stand for this machine, or for machines of the same household: as the last labels of a name.
_NEAR: Final = (
    "localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "lan", "home", "test", "arpa",
    "localtest.me", "lvh.me", "nip.io", "sslip.io", "xip.io", "vcap.me", "lacolhost.com", "traefik.me", "localho.st",
    "localdev.me", "127-0-0-1.org.uk", "loopback.jp",
)  # fmt: skip
_BYTES: Final = 4
_LAST_BYTE: Final = 255
# Beginnings of the IPv4 addresses that are no public machine's: 0/8, 10/8, 100.64/10, 127/8, 169.254/16, 172.16/12,
# 192.168/16, and all from 224.0.0.0 on (RFC 6890).
_NEAR_BITS: Final = (
    "00000000", "00001010", "0110010001", "01111111", "1010100111111110", "101011000001", "1100000010101000", "111",
)  # fmt: skip
LONGEST: Final = 4096  # characters of an address


@dataclass(frozen=True, slots=True)
class Address:
    """An address taken apart.

    Attributes:
        scheme: In lower case, ``""`` if none is written.
        host: In lower case; an IPv6 address in its brackets.
        port: Digits, or ``""``.
        path: What stands behind the host and its port, from ``/``, ``?`` or ``#`` on.
        is_local: Whether the host is, or may be, this machine.
    """

    scheme: str
    host: str
    port: str
    path: str
    is_local: bool

    @property
    def place(self) -> str:
        """Host and port as written down for a reason."""
        return f"{self.host}:{self.port}" if self.port else self.host


def parse(text: str) -> Address | None:
    """Take an address apart.

    Args:
        text: ``[scheme://][user[:password]@]host[:port][/path…]``.

    Returns:
        Its parts, ``None`` for a text that programs may understand in different ways.
    """
    if len(text) > LONGEST or not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        return None
    scheme, sign, rest = text.partition("://")
    if not sign or not set(scheme.lower()) <= _LETTERS | _DIGITS or not scheme:
        scheme, rest = "", text
    end = min((at for at in (rest.find(mark) for mark in "/?#") if at >= 0), default=len(rest))
    authority, path = rest[:end].lower(), rest[end:]
    if authority.count("@") > 1 or not authority or any(mark in authority for mark in "%{}$`'\"<>|^"):
        return None
    user, _, machine = authority.rpartition("@")
    host, port = _host_and_port(machine)
    if not host or "[" in user or "]" in user or (port and not set(port) <= _DIGITS):
        return None
    return Address(scheme.lower(), host, port, path, is_local(host))


def _host_and_port(text: str) -> tuple[str, str]:
    """Split ``host:port``; no host for what is not plain."""
    if text.startswith("["):
        inside, sign, rest = text[1:].partition("]")
        is_plain = sign and set(inside) <= _HEXADECIMAL | {"."} and (not rest or (rest[0] == ":" and len(rest) > 1))
        return (f"[{inside}]", rest[1:]) if is_plain else ("", "")
    host, sign, port = text.partition(":")
    if not set(host) <= _NAME or (sign and not port):
        return "", ""
    return host, port


def is_local(host: str) -> bool:
    """Tell whether a host is, or may be, this machine or one of its own network.

    Args:
        host: A name, an IPv4 address, or an IPv6 address with or without brackets.

    Returns:
        False for a name with a dot in it and for a public address in their plain spellings, True for all else.
    """
    name = host.lower().removesuffix(".")
    if ":" in name or name.startswith("["):
        return _is_near_v6(name.removeprefix("[").removesuffix("]"))
    labels = name.split(".")
    if not set(name) <= _NAME or len(labels) == 1 or "" in labels:
        return True
    if labels[-1][0] in _DIGITS:
        return _is_near_v4(labels)
    return any(name == near or name.endswith(f".{near}") for near in _NEAR)


def _is_near_v4(labels: list[str]) -> bool:
    """Whether an IPv4 address is no public one in the usual spelling."""
    is_usual = len(labels) == _BYTES and all(
        set(label) <= _DIGITS and len(label) <= len("255") and (label[0] != "0" or label == "0") for label in labels
    )
    numbers = [int(label) for label in labels] if is_usual else []
    if not numbers or max(numbers) > _LAST_BYTE:
        return True
    bits = "".join(f"{number:08b}" for number in numbers)
    return any(bits.startswith(start) for start in _NEAR_BITS)


def _is_near_v6(text: str) -> bool:
    """Whether an IPv6 address is not a plainly spelled global one; those that carry an IPv4 address count as near."""
    groups = text.split(":")
    is_plain = (
        set(text) <= _HEXADECIMAL and text.count("::") <= 1 and ":::" not in text and len(groups) <= len("8 groups")
    )
    if not is_plain or len(groups[0]) != len("2001") or any(len(group) > len("2001") for group in groups):
        return True
    is_tunnel = groups[0] == "2002" or (groups[0] == "2001" and groups[1].lstrip("0") == "")
    return groups[0][0] not in "23" or is_tunnel
