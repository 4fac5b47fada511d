"""Programs that tell about the network, ask name servers and other machines, or handle keys.

Sources: the man pages of iproute2 6.1, net-tools 2.10, iputils, BIND 9.18 (dig, host, nslookup), whois 5.5, traceroute
2.1, NetworkManager 1.42, iw 5.19, OpenSSH 9.2 and GnuPG 2.2. What another machine is asked about has to be known
whole. nc, telnet, ssh to a machine, scp and sftp send, or run what another machine says: they stay unknown.
"""

from __future__ import annotations

from harness_guard.shell.commands.addresses import is_local
from harness_guard.shell.commands.model import Call, Options, Row, is_known
from harness_guard.shell.names import NameSource
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_UNKNOWN: Final = "is told something that is not known whole"


def _texts(call: Call) -> list[str] | None:
    """Give the words of a call, ``None`` if some is not known: they go to another machine, or may change this one."""
    if not all(is_known(field) for field in call.args):
        call.opaque(f"{call.name} {_UNKNOWN}")
        return None
    return [field.text or "" for field in call.args]


_IP_OPTIONS: Final = frozenset(
    ("-V", "-Version", "-h", "-human", "-s", "-stats", "-statistics", "-d", "-details", "-r", "-resolve", "-p",
     "-pretty", "-o", "-oneline", "-c", "-color", "-br", "-brief", "-j", "-json", "-4", "-6", "-0", "-M", "-t",
     "-timestamp", "-ts", "-iec", "-N", "-Numeric", "--json", "--brief", "-c=never", "-color=never")
)  # fmt: skip
_IP_OBJECTS: Final = frozenset(
    ("a", "addr", "address", "l", "link", "r", "ro", "route", "ru", "rule", "n", "neigh", "neighbor", "neighbour", "m",
     "maddr", "maddress", "mroute", "tunnel", "tuntap", "netns", "stats", "ntable", "tcp_metrics", "nexthop", "token",
     "addrlabel", "vrf", "xfrm", "mptcp")
)  # fmt: skip
_IP_VERBS: Final = frozenset(("show", "list", "lst", "ls", "get", "identify", "pids", "list-id", "help"))


def _ip(call: Call, _options: Options) -> None:
    words = _texts(call)
    if words is None:
        return
    while words and words[0] in _IP_OPTIONS:
        words = words[1:]
    if not words or words == ["help"] or words[0] == "monitor":
        return
    if words[0] not in _IP_OBJECTS or (words[1:] and words[1] not in _IP_VERBS):
        call.opaque(f"ip {' '.join(words[:2])}: it may change the network, or run a program")


def _ifconfig(call: Call, _options: Options) -> None:
    words = _texts(call)
    if words is None:
        return
    operands = [word for word in words if word not in {"-a", "-v", "-s", "-l", "-L", "-m"}]
    if len(operands) > 1 or any(word.startswith("-") for word in operands):
        call.opaque("ifconfig may change an interface")


def _netstat(call: Call, _options: Options) -> None:
    """Of all its options only BSD's ``-z`` does anything but print: it sets counters back."""
    words = _texts(call)
    if words is not None and any(word[:1] == "-" and word[:2] != "--" and "z" in word for word in words):
        call.opaque("netstat may set counters back")


def _route(call: Call, _options: Options) -> None:
    words = _texts(call)
    if words is None:
        return
    while words and words[0].startswith("-") and set(words[0][1:]) <= set("nevFC46"):
        words = words[1:]
    if words and words[0] not in {"get", "--help", "--version", "-V", "-h"}:
        call.opaque("route may change the routes")


_NMCLI: Final = {
    "general": {"status", "permissions"},
    "networking": {"connectivity"},
    "radio": {"all"},
    "connection": {"show"},
    "device": {"status", "show", "wifi", "lldp"},
}


def _nmcli(call: Call, _options: Options) -> None:
    words = _texts(call)
    if words is None:
        return
    while words and words[0].startswith("-"):
        takes = words[0] in {"-f", "--fields", "-g", "--get-values", "-c", "--colors", "-m", "--mode", "-e", "--escape"}
        if not takes and words[0] not in {"-t", "--terse", "-p", "--pretty", "-v", "--version", "-h", "--help"}:
            call.opaque(f"nmcli: an option that the table does not list: {words[0]}")
            return
        words = words[1 + takes :]
    name = next((name for name in _NMCLI if words and words[0] and name.startswith(words[0])), "")
    is_listing = len(words) <= 1 or (words[1] in _NMCLI.get(name, set()) and _is_nm_list(words))
    if words and (not name or not is_listing or "--show-secrets" in words):
        call.opaque("nmcli may change the network, or give out a secret")


def _is_nm_list(words: list[str]) -> bool:
    """A further word sets what it names, but for a connection or a device that is shown."""
    if words[1] == "all":
        return len(words) == len(("radio", "all"))
    return words[1] != "wifi" or words[2:3] in ([], ["list"])


def _iw(call: Call, _options: Options) -> None:
    words = _texts(call)
    shapes: tuple[list[str], ...] = (["dev"], ["list"], ["phy"], ["reg", "get"], ["help"], ["--version"], [])
    if words is None or words in shapes:
        return
    if words[0] not in {"dev", "phy"} or words[2:] not in (["info"], ["link"], ["station", "dump"]):
        call.opaque("iw may change the network")


def _asks_hosts(call: Call, options: Options) -> None:
    """Each operand is a machine or a name that is looked up; nothing but the question leaves this machine."""
    if not all(is_known(field) for field in (*options.operands, *options.values(*_SENT))):
        call.opaque(f"{call.name} {_UNKNOWN}")
        return
    servers = options.values("-h", "--host") if call.name == "whois" else ()
    if options.operands:
        # Sent as a line of text, or to a daemon: nothing else here reaches a program's socket.
        is_near = call.name == "ssh-keyscan" and any(_is_near(field) for field in options.operands)
        call.connect(options.operands[0].text or "", is_local=is_near)
    for field in servers:
        call.connect(field.text or "", is_local=is_local(field.text or ""))


def _is_near(field: Field) -> bool:
    return any(is_local(host) for host in (field.text or "").split(","))


_SENT: Final = ("-p", "-h", "--host", "--port", "-t", "-x", "-q", "-c", "-T", "--type", "-i", "-b", "-s")


def _names(call: Call, options: Options) -> None:
    """``host NAME [SERVER]``, ``nslookup NAME [SERVER]``; without a name nslookup reads its orders."""
    _asks_hosts(call, options)
    if not options.operands:
        call.opaque(f"{call.name} reads what to do")
    elif options.operands[1:]:
        server = options.operands[1].text or ""
        call.connect(server, is_local=is_local(server))


def _nslookup(call: Call, _options: Options) -> None:
    names = [field for field in call.args if not field.start.startswith("-")]
    plain = ("-type=", "-query=", "-q=", "-class=", "-port=", "-timeout=", "-retry=", "-debug", "-nodebug", "-ty=")
    options = [field for field in call.args if field.start.startswith("-")]
    if not all(is_known(field) and (field.text or "").startswith(plain) for field in options):
        call.opaque("nslookup: an option that the table does not list")
        return
    _names(call, Options((), tuple(names)))


_DIG_TAKES: Final = frozenset(("-t", "-x", "-p", "-q", "-c", "-b"))
_DIG_PLAIN: Final = frozenset(("-4", "-6", "-h", "-v", "-m", "-u", "-r"))


def _dig(call: Call, _options: Options) -> None:
    """``dig [@SERVER] NAME [TYPE] [+OPTION…]``; ``-f`` and ``-k`` read files, of which the first is sent."""
    words = _texts(call)
    if words is None:
        return
    if "-r" not in words and not call.believes([NameSource("absent", f"{call.home}/.digrc")]):
        call.opaque("dig takes further options from ~/.digrc; `-r` stops it")
        return
    at = 0
    while at < len(words):
        word = words[at]
        if word.startswith("@"):
            call.connect(word[1:], is_local=is_local(word[1:]))
        elif word.startswith("-") and word not in _DIG_TAKES | _DIG_PLAIN:
            call.opaque(f"dig: an option that the table does not list: {word}")
            return
        at += 2 if word in _DIG_TAKES else 1
    call.connect("the name server")


def _arp(call: Call, options: Options) -> None:
    if not all(is_known(field) for field in options.operands):
        call.opaque(f"arp {_UNKNOWN}")


def _ssh(call: Call, _options: Options) -> None:
    """``ssh -V``, ``ssh -Q WHAT``; ``ssh -G HOST`` prints what the user's own configuration says for it."""
    words = [field.text or "" if is_known(field) else "" for field in call.args]
    is_telling = words == ["-V"] or (len(words) == len(("-Q", "what")) and words[0] in {"-Q", "-G"})
    if not is_telling or words[-1].startswith("-") != (words == ["-V"]) or "" in words:
        call.opaque("ssh runs on another machine: what it does there is not known")


def _keygen(call: Call, options: Options) -> None:
    """Tells about keys, or makes a pair ``FILE`` and ``FILE.pub``; without a file it asks for one."""
    files = options.values("-f")
    file = files[-1] if files else None
    known_hosts = file or Field(f"{call.home}/.ssh/known_hosts")
    is_telling = options.has("-l", "-y", "-B", "-e", "-L")
    if options.operands or options.has("-p", "-c", "-i", "-H"):
        call.opaque("ssh-keygen changes a file, or is told what the table does not list", is_writer=True)
    elif options.has("-R"):
        _write_pair(call, known_hosts, ".old")
    elif options.has("-F"):
        call.read(known_hosts)
    elif is_telling:
        call.read(file or Field(f"{call.home}/.ssh"), is_tree=True)
    elif file is None:
        call.opaque("ssh-keygen makes a key where it is told to when it asks", is_writer=True)
    else:
        _write_pair(call, file, ".pub")


def _write_pair(call: Call, file: Field, ending: str) -> None:
    call.write(file, "file")
    call.write(Field(f"{file.text}{ending}") if is_known(file) else _NONE, "file")


_NONE: Final = Field(None)
_GPG_VERBS: Final = (
    "-k", "--list-keys", "--list-public-keys", "-K", "--list-secret-keys", "--fingerprint", "--show-keys",
    "--list-packets", "--verify", "--list-sigs", "--check-sigs", "--list-config", "--print-md", "--dearmor",
    "--enarmor", "--version", "--help", "--export", "--export-ssh-key",
)  # fmt: skip
_GPG_FILES: Final = ("--show-keys", "--list-packets", "--verify", "--print-md", "--dearmor", "--enarmor")


def _gpg(call: Call, options: Options) -> None:
    """Tells about keys and signatures; its own folder is the user's."""
    if not options.has(*_GPG_VERBS):
        call.opaque("gpg without a verb that only tells")
        return
    if not call.believes([NameSource("absent", f"{call.home}/.gnupg/gpg.conf")]):
        call.opaque("gpg takes further options from ~/.gnupg/gpg.conf")
        return
    outputs = options.values("-o", "--output")
    for field in outputs:
        if field.text != "-":
            call.write(field, "file")
    if options.has(*_GPG_FILES):
        for field in options.operands:
            call.read(field)
    if options.has("--dearmor", "--enarmor") and options.operands and not outputs:
        ending = ".gpg" if options.has("--dearmor") else ".asc"
        for field in options.operands:
            call.write(Field(f"{field.text}{ending}") if is_known(field) else _NONE, "file")


COMMANDS: Final = (
    Row("ip", is_free=True, reads=False, act=_ip),
    Row("ifconfig", is_free=True, reads=False, act=_ifconfig),
    Row("netstat", is_free=True, reads=False, act=_netstat),
    Row("route", is_free=True, reads=False, act=_route),
    Row("nmcli", is_free=True, reads=False, act=_nmcli),
    Row("iw", is_free=True, reads=False, act=_iw),
    Row(
        "ss",
        flags="hVHOrnaliomepBTusp46tudwxSMZzbE",
        valued="fA",
        longs="help version no-header oneline numeric resolve all listening options extended memory processes threads "
        "info tos summary bpf events context contexts ipv4 ipv6 packet tcp sctp udp dccp raw unix tipc vsock xdp "
        "mptcp inet-sockopt family= query= socket=",
        reads=False,
    ),
    Row("arp", flags="aenvl46", valued="iHAt", longs="verbose numeric all device= help version", reads=False, act=_arp),
    Row("ping", flags="46nqOdDvAULRaBVh", valued="cWwistImMQS", longs="help version", reads=False, act=_asks_hosts),
    Row("ping6", flags="nqOdDvAULRaBVh", valued="cWwistImMQS", reads=False, act=_asks_hosts),
    Row(
        "traceroute",
        flags="46nIdTUArV",
        valued="fmqwNpszi",
        longs="help version icmp tcp udp resolve-hostnames max-hops= wait= queries= port=",
        reads=False,
        act=_asks_hosts,
    ),
    Row("traceroute6", flags="nIdTUArV", valued="fmqwNpszi", reads=False, act=_asks_hosts),
    Row("tracepath", flags="46nbV", valued="mpl", reads=False, act=_asks_hosts),
    Row(
        "mtr",
        flags="46nbrwejxClTuz",
        valued="cisPmfaIo",
        longs="report report-wide report-cycles= no-dns show-ips json xml csv raw tcp udp aslookup help version",
        reads=False,
        act=_asks_hosts,
    ),
    Row(
        "whois",
        flags="HIaABbcdFgGKlLmMrRxv",
        valued="hTitsSqV",
        longs="host= verbose help version no-recursion",
        reads=False,
        act=_asks_hosts,
    ),
    Row("host", flags="aCdilrsTUvVw46", valued="ctWNRmp", reads=False, act=_names),
    Row("nslookup", is_free=True, reads=False, act=_nslookup),
    Row("dig", is_free=True, reads=False, act=_dig),
    Row("ssh", is_free=True, reads=False, act=_ssh),
    Row("ssh-keyscan", flags="46cDHqv", valued="ptTO", reads=False, act=_asks_hosts),
    Row("ssh-keygen", flags="lyBqvHpceiL", valued="fRFtbNCEmPaZ", reads=False, act=_keygen),
    Row(
        "gpg",
        flags="kKqvan",
        valued="ou",
        longs="list-keys list-public-keys list-secret-keys fingerprint show-keys list-packets verify list-sigs "
        "check-sigs list-config print-md dearmor enarmor version help export export-ssh-key armor output= with-colons "
        "with-fingerprint with-subkey-fingerprint with-subkey-fingerprints with-keygrip keyid-format= fixed-list-mode "
        "batch no-tty no-auto-key-retrieve quiet verbose status-fd= textmode",
        reads=False,
        act=_gpg,
    ),
)
