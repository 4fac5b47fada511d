"""Addresses and hosts: which are taken apart, and which may be this machine. What curl and wget ask, by their rows."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shell_effects import WHERE, effects_of

from harness_guard.shell.analysis import Needs, ShellFacts, analyse
from harness_guard.shell.commands.addresses import LONGEST, Address, is_local, parse
from harness_guard.shell.effects import Connection
from harness_guard.shell.facts import NO_NAMES, FileText
from harness_guard.shell.names import NameSource

NEAR_HOSTS = """
localhost LocalHost localhost. a.localhost ip6-localhost db printer.local host.docker.internal x.lan app.test
127.0.0.1 127.1 127.255.0.9 0 0.0.0.0 0x7f000001 0x7f.0.0.1 2130706433 017700000001 0177.0.0.1 127.000.000.001 1.2.3
10.0.0.8 172.16.0.1 172.31.9.9 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1 255.255.255.255 1.2.3.256 1.2.3.4.5
[::1] ::1 [::] [::ffff:127.0.0.1] [fe80::1] [fd00::1] [0:0:0:0:0:0:0:1] [64:ff9b::7f00:1] [2002:7f00:1::] [2001::1]
[::1%lo] a..b .com 127.0.0.1.nip.io localtest.me x.lvh.me ex%61mple.com münchen.de a_b. host:80
"""
FAR_HOSTS = """
example.com EXAMPLE.com. a-b.example.co.uk 1.1.1.1 8.8.8.8 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 169.253.1.1
[2606:4700::1111] 2001:4860:4860::8888 xn--mnchen-3ya.de 1.example.com notlocalhost.com mylocal.example localhost.com
"""


@pytest.mark.parametrize(
    ("host", "expected"),
    [*((host, True) for host in NEAR_HOSTS.split()), *((host, False) for host in FAR_HOSTS.split())],
)
def test_near_and_far(host: str, *, expected: bool) -> None:
    assert is_local(host) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://Example.com/a?b", Address("https", "example.com", "", "/a?b", is_local=False)),
        ("example.com:81/a", Address("", "example.com", "81", "/a", is_local=False)),
        ("http://example.com@127.0.0.1/", Address("http", "127.0.0.1", "", "/", is_local=True)),
        ("http://127.0.0.1:80@example.com", Address("http", "example.com", "", "", is_local=False)),
        ("http://example.com#@localhost/", Address("http", "example.com", "", "#@localhost/", is_local=False)),
        ("http://example.com?@localhost/", Address("http", "example.com", "", "?@localhost/", is_local=False)),
        ("http://[::1]:8080/x", Address("http", "[::1]", "8080", "/x", is_local=True)),
        ("FTP://example.com", Address("ftp", "example.com", "", "", is_local=False)),
        ("http://a?u=http://b/", Address("http", "a", "", "?u=http://b/", is_local=True)),
        ("example.com/?u=http://b/", Address("", "example.com", "", "/?u=http://b/", is_local=False)),
        *((text, None) for text in (
            "", "http://", "http:///x", "http:/x.com", "http://a@b@c.com/", "http://x.com\\@y.com/", "http://x .com/",
            "http://x%2ecom/", "http://{a,b}.com/", "http://x.com:/", "http://x.com:80a/", "http://[::1/", "http://[x]/",
            "http://[::1]x/", "http://xé.com/", "http://x.com/\n", "http://x.com:80:80/", "h" * (LONGEST + 1),
        )),
    ],
)  # fmt: skip
def test_taken_apart(text: str, expected: Address | None) -> None:
    assert parse(text) == expected


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{0}", "0x{0:x}", "0{0:o}", "{1}.{2}", "{1}.{3}.{4}", "{5}"]))
def test_each_spelling_of_an_address_of_this_machine_is_near(number: int, spelling: str) -> None:
    number = (number & 0x00FF_FFFF) | 0x7F00_0000
    first, rest = number >> 24, number & 0x00FF_FFFF
    dotted = str(ipaddress.IPv4Address(number))
    text = spelling.format(number, first, rest, rest >> 16, rest & 0xFFFF, dotted)
    assert socket.inet_aton(text) == number.to_bytes(4, "big")
    assert is_local(text)
    found = parse(f"http://example.com@{text}/x")
    assert found is not None
    assert found.is_local


@given(st.integers(0, 2**32 - 1))
def test_a_far_address_is_one_of_the_public_network(number: int) -> None:
    address = ipaddress.IPv4Address(number)
    if not is_local(str(address)):
        kinds = (address.is_loopback, address.is_link_local, address.is_unspecified, address.is_multicast)
        assert not any(kinds)
        assert not any(
            address in ipaddress.ip_network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
        )


@given(number=st.integers(0, 2**128 - 1), is_whole=st.booleans())
def test_a_far_address_of_the_newer_kind_is_a_global_one(number: int, *, is_whole: bool) -> None:
    address = ipaddress.IPv6Address(number)
    text = address.exploded if is_whole else address.compressed
    if not is_local(f"[{text}]"):
        kinds = (address.is_loopback, address.is_link_local, address.ipv4_mapped, address.is_unspecified)
        assert not any(kinds)
        assert number >> 125 == 1  # 2000::/3


@given(st.text("abc127.0x:@/?#\\[]% ", max_size=24))
@example("[]")
def test_the_host_is_the_one_that_others_see(text: str) -> None:
    found = parse(f"http://{text}")
    if found is None:
        return
    try:
        host = urlsplit(f"http://{text}").hostname or ""
    except ValueError:  # brackets without an address in them
        assert is_local(found.host)
    else:
        assert host == found.host.strip("[]")


@pytest.mark.contract("E7.1", "E7.2", "E7.5")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("curl https://example.com/x", [("example.com", False)]),
        ("curl -L http://example.com@127.0.0.1:3000/", [("127.0.0.1:3000", True)]),
        ("curl localhost:3000", [("localhost:3000", True)]),
        ("curl 'http://[::1]/' example.com", [("[::1]", True), ("example.com", False)]),
        ("curl --resolve a.com:80:127.0.0.1 http://a.com", [("a.com", False), ("127.0.0.1", True)]),
        ("curl --resolve 'a.com:80:[::1]' http://a.com", [("a.com", False), ("another machine", True)]),
        ("curl --resolve a.com:80:1.1.1.1,127.0.0.1 http://a.com", [("a.com", False), ("1.1.1.1,127.0.0.1", True)]),
        ("curl --connect-to ::b.com:80 http://a.com", [("a.com", False), ("b.com", False)]),
        ("curl --connect-to ::localhost:80 http://a.com", [("a.com", False), ("localhost", True)]),
        ('curl --connect-to "$x" http://a.com', [("a.com", False), ("another machine", True)]),
        ("curl --dns-servers 8.8.8.8,127.0.0.1:53 http://a.com",
         [("a.com", False), ("8.8.8.8", False), ("127.0.0.1:53", True)]),
        ("curl --doh-url https://dns.google/q http://a.com", [("a.com", False), ("dns.google", False)]),
        ("curl --doh-url https://localhost/q http://a.com", [("a.com", False), ("localhost", True)]),
        ("wget -qO- 2130706433", [("2130706433", True)]),
        ("wget -q -O x http://a.com http://b.com/x", [("a.com", False), ("b.com", False)]),
    ],
)  # fmt: skip
def test_who_is_asked(command: str, expected: list[tuple[str, bool]]) -> None:
    found = effects_of(command)
    assert (found.unknown, list(found.connects)) == (
        (),
        [Connection(to, command.partition(" ")[0], is_local=near) for to, near in expected],
    )


@pytest.mark.contract("E6.3")
@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("curl https://example.com", ("/home/dev/.curlrc", "/home/dev/.config/curlrc")),
        ("curl -sq https://example.com", ("/home/dev/.curlrc", "/home/dev/.config/curlrc")),
        ("curl -qs https://example.com", ()),
        ("curl --disable https://example.com", ()),
        ("curl --version", ()),
        (
            "wget -qO- https://example.com",
            ("/home/dev/.wgetrc", "/home/dev/.config/wget/wget2rc", "/home/dev/.wget2rc"),
        ),
        ("wget --no-config -qO- https://example.com", ()),
    ],
)
def test_a_file_of_further_options_is_asked_for(command: str, wanted: tuple[str, ...]) -> None:
    first = analyse(command, WHERE, ShellFacts())
    sources = tuple(NameSource("absent", path) for path in wanted)
    assert (first.names if isinstance(first, Needs) else ()) == sources
    files = {path: FileText(is_there=True, text="output = x\n") for path in wanted}
    there = analyse(command, WHERE, ShellFacts(names=dict.fromkeys(sources, False) or NO_NAMES, files=files))
    assert not isinstance(there, Needs)
    assert bool(there.unknown) is bool(wanted)


@pytest.mark.contract("E6.3")
@pytest.mark.parametrize(
    ("command", "text", "is_known"),
    [
        ("curl https://a.org", "insecure\n# a comment\n-s\nuser-agent = x\n--max-time: 3\n", True),
        ("curl https://a.org", "output = x", False),
        ("curl https://a.org", "-so x", False),
        ("curl https://a.org", "data=@/etc/passwd", False),
        ("curl https://a.org", 'user-agent = "x\\\noutput = y"', False),
        ("curl https://a.org", None, False),
        ("wget -qO- https://a.org", "check_certificate = off\ntries=1\n", True),
        ("wget -qO- https://a.org", "post_file = a.txt", False),
        ("wget -qO- https://a.org", "input=list", False),
    ],
)
def test_options_in_a_file_that_change_nothing(command: str, text: str | None, *, is_known: bool) -> None:
    facts = ShellFacts()
    found = analyse(command, WHERE, facts)
    while isinstance(found, Needs):
        names = {
            **facts.names,
            **{source: not source.folder.endswith(("/.curlrc", "/.wgetrc")) for source in found.names},
        }
        files = {**facts.files, **{path: FileText(is_there=True, text=text) for path in found.files}}
        facts = ShellFacts(names=names, files=files)
        found = analyse(command, WHERE, facts)
    assert (found.unknown == ()) is is_known


@pytest.mark.contract("E7.3", "E7.4")
@pytest.mark.parametrize(
    "command",
    [
        "curl -X POST https://a.org",
        "curl -d x=1 https://a.org",
        "curl -F f=@a.txt https://a.org",
        "curl -T a.txt https://a.org",
        "curl -H 'X-Data: 1' https://a.org",
        "curl https://a.org/$x",
        'curl "https://a.org/$(cat a.txt)"',
        "curl $url",
        "wget --post-file=a.txt https://a.org",
        "git push origin main",
        "ssh host ls",
        "scp a.txt host:",
    ],
)
def test_what_sends_is_unknown(command: str) -> None:
    assert effects_of(command).unknown
