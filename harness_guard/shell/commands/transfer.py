"""curl and wget: what they ask for, and the files that the answer is written to.

Sources: curl(1) of curl 7.88 and 8.10, ``src/tool_operate.c`` (names made from an address), wget(1) of GNU wget 1.21.

An address is asked for only if it is known whole. A redirection is followed by the server's word, as a name is resolved
by its name server's: where an answer leads cannot be read off a command, and what follows it is a plain request without
a header, body or upgrade of the agent's. So only the address that is written decides whether this machine is asked.
"""

from __future__ import annotations

from harness_guard.shell.commands.addresses import Address, parse
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.commands.option_files import changes_nothing
from harness_guard.shell.words import Field, escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Final

METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
# Headers that say what kind of answer is wanted, and carry nothing else.
HEADERS: Final = frozenset(
    ("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-type", "dnt",
     "if-modified-since", "if-none-match", "origin", "pragma", "range", "referer", "user-agent",
     "upgrade-insecure-requests", "x-github-api-version", "x-requested-with")
)  # fmt: skip
_SCHEMES: Final = frozenset(("", "http", "https", "ftp", "ftps"))
_GUESSED: Final = ("ftp.", "dict.", "ldap.", "imap.", "smtp.", "pop3.", "pop.")  # curl guesses the scheme by them
_FILE_NAME: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-~@=,")
_STREAMS: Final = {
    **dict.fromkeys(("-D", "--dump-header", "-c", "--cookie-jar", "--libcurl", "--etag-save"), ("-", "")),
    **dict.fromkeys(("--trace", "--trace-ascii"), ("-", "%", "")),
}

# What an option would do that is not modelled, for the reason.
_SENDS: Final = "sends what its words or files say"
_CURL_REFUSED: Final = {
    **dict.fromkeys(("-T", "--upload-file", "-F", "--form", "--form-string", "--json"), _SENDS),
    **dict.fromkeys(("-K", "--config"), "takes its options from a file"),
    **dict.fromkeys(("-b", "--cookie"), "sends cookies"),
    **dict.fromkeys(("-x", "--proxy", "--preproxy", "--unix-socket", "--abstract-unix-socket"), "asks by another way"),
    **dict.fromkeys(("-J", "--remote-header-name"), "writes to a name that the server chooses"),
    **dict.fromkeys(("-Q", "--quote"), "sends commands"),
}
_CURL_DATA: Final = ("-d", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode")
_CURL_TEXTS: Final = (
    "-A", "--user-agent", "-e", "--referer", "-u", "--user", "-r", "--range", "-C", "--continue-at",
    "-z", "--time-cond",
)  # fmt: skip
_CURL_OUTPUTS: Final = ("-o", "--output")
_CURL_FILES: Final = (
    "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--etag-save", "--libcurl",
    "--hsts", "--alt-svc",
)  # fmt: skip
_CURL_HELP: Final = ("-V", "--version", "-h", "--help", "-M", "--manual")


def _is_clean(field: Field) -> bool:
    """Whether a text is known whole and holds no line end that would begin another header."""
    return field.text is not None and not field.is_pattern and field.text.isprintable()


def is_harmless_header(field: Field) -> bool:
    """Whether a header is known whole, and only says what kind of answer is wanted."""
    return _is_clean(field) and (field.text or "").partition(":")[0].strip().lower() in HEADERS


def _addresses(call: Call, fields: Iterable[Field]) -> list[tuple[Address, bool]] | None:
    """Give the addresses that are asked, each with whether it is only one reading of a glob."""
    made = []
    for field in fields:
        text = (field.literal if field.is_pattern else field.text) or ""
        address = parse(text) if not text.startswith(("-", "@")) else None  # ``@FILE`` holds addresses
        # Whatever a glob matches instead begins like it: the host has to be known from that beginning.
        is_sure = address is not None and text.startswith(field.start) and len(field.start) > _head(text)
        if address is None or (field.is_pattern and not is_sure) or address.scheme not in _SCHEMES:
            call.opaque(f"{call.name} asks an address that is not known whole, or in a way that is not modelled")
            return None
        if address.scheme[:3] == "ftp" and "%" in text:
            call.opaque(f"{call.name} asks for a coded name by FTP")
            return None
        made.append((address, field.is_pattern))
    return made


def _head(text: str) -> int:
    """The length of scheme and host, and the mark behind them."""
    start = text.find("://") + len("://") if "://" in text else 0
    ends = [text.find(mark, start) for mark in "/?#"]
    return min((at for at in ends if at >= 0), default=len(text))


def _ask(call: Call, addresses: Iterable[tuple[Address, bool]]) -> None:
    for address, _ in addresses:
        call.connect(address.place, is_local=address.is_local)


def _curl(call: Call, options: Options) -> None:
    if options.has(*_CURL_HELP) and {name for name, _ in options.given} <= {*_CURL_HELP}:
        return
    why = _curl_problem(options)
    if why:
        call.opaque(f"curl {why}", is_writer=options.has("-J", "--remote-header-name"))
        return
    first = call.args[0].start if call.args else ""
    places = [f"{call.home}/{name}" for name in (".curlrc", ".config/curlrc")]
    if not (first.startswith("-q") or first == "--disable" or changes_nothing(call, places)):
        call.opaque("curl takes further options from a file in the home folder; `-q` as the first word stops it")
        return
    fields = (*options.operands, *options.values("--url"))
    files = [field for field in fields if field.start.lower().startswith("file:")]
    for field in files:
        _read_file(call, field)
    found = _addresses(call, (field for field in fields if field not in files))
    if found is None:
        return
    if any(not address.scheme and address.host.startswith(_GUESSED) for address, _ in found):
        call.opaque("curl guesses the protocol from the host's name")
        return
    _ask(call, found)
    _ask_besides(call, options)
    _curl_writes(call, options, [*found, *((_on_disk(field), field.is_pattern) for field in files)])


def _on_disk(field: Field) -> Address:
    return Address(scheme="file", host="", port="", path=field.text or "", is_local=False)


def _refused(options: Options, refused: Mapping[str, str]) -> str:
    """Say what a refused option would do; a glob in a value's place may be many words, of which some are addresses."""
    if any(value is not None and value.is_pattern for _, value in options.given):
        return "has an option whose value is a glob"
    return next((why for name, why in refused.items() if options.has(name)), "")


def _curl_problem(options: Options) -> str:
    """Say why a call is not a plain question, ``""`` if it is one."""
    refused = _refused(options, _CURL_REFUSED)
    if refused:
        return refused
    methods = {field.text if not field.is_pattern else None for field in options.values("-X", "--request")}
    if not methods <= METHODS:
        return "sends another request than one that asks"
    if options.has(*_CURL_DATA) and not options.has("-G", "--get"):
        return _SENDS
    data = options.values(*_CURL_DATA, "--url-query")
    if not all(_is_clean(field) and "@" not in (field.text or "").partition("=")[0] for field in data):
        return "sends a text that is not known"
    if not all(is_harmless_header(field) for field in options.values("-H", "--header")):
        return "sends a header of its own"
    if not all(_is_clean(field) for field in options.values(*_CURL_TEXTS)):
        return "sends a text that is not known"
    formats = options.values("-w", "--write-out")
    if any(not field.text or field.is_pattern or field.text[0] == "@" or "%output" in field.text for field in formats):
        return "writes out by a format that is not known, or to a file that it names"
    protocols = options.values("--proto", "--proto-redir")
    if not all(
        set((field.text or "?").strip("=").split(",")) <= {"http", "https", "ftp", "-all"} for field in protocols
    ):
        return "lets another protocol be used"
    return ""


def _ask_besides(call: Call, options: Options) -> None:
    """Take in the machines that are asked instead, or for a name: ``HOST:PORT:OTHER[:PORT]``, and name servers."""
    for field in options.values("--resolve", "--connect-to"):
        parts = (field.text or "").split(":")
        host = parts[2] if len(parts) in {3, 4} and not field.is_pattern else ""
        call.connect(host or "another machine", is_local=not host or "," in host or _is_local(host))
    for field in options.values("--dns-servers"):
        for host in (field.text or "").split(","):
            call.connect(host or "a name server", is_local=field.is_pattern or _is_local(host.partition(":")[0]))
    for field in options.values("--doh-url"):
        address = parse(field.text or "") if not field.is_pattern else None
        call.connect(address.place if address else "a name server", is_local=address is None or address.is_local)


def _is_local(host: str) -> bool:
    address = parse(host)
    return address is None or address.is_local


def _read_file(call: Call, field: Field) -> None:
    text = field.text or ""
    path = text[len("file://") :].removeprefix("localhost")
    is_plain = text.startswith("file://") and path.startswith("/") and set(path) <= _FILE_NAME | {"/"}
    call.read(Field(path) if is_plain and not field.is_pattern else Field(None))


def _curl_writes(call: Call, options: Options, asked: list[tuple[Address, bool]]) -> None:
    is_globbed = not options.has("-g", "--globoff") and any(set("{}[]") & set(address.path) for address, _ in asked)
    folders = options.values("--output-dir")
    for field in options.values(*_CURL_OUTPUTS):
        if is_globbed and "#" in (field.text or "#"):
            call.opaque("curl writes to names that its address makes", is_writer=True)
        elif field.text != "-":
            _write_below(call, folders, field)
    if options.has("-O", "--remote-name", "--remote-name-all"):
        _curl_writes_named(call, folders, asked, is_globbed=is_globbed)
    for name, value in options.given:
        if name in _CURL_FILES and value is not None and value.text not in _STREAMS.get(name, ("",)):
            call.write(value, "file")
    for field in options.values("--cacert", "--etag-compare"):
        call.read(field)


def _curl_writes_named(
    call: Call, folders: tuple[Field, ...], asked: list[tuple[Address, bool]], *, is_globbed: bool
) -> None:
    for address, is_pattern in asked:
        names = _remote_names(address)
        if is_pattern or is_globbed or not names:
            call.opaque("curl writes to a name that its address makes", is_writer=True)
        for name in names:
            _write_below(call, folders, Field(name))


def _write_below(call: Call, folders: tuple[Field, ...], field: Field) -> None:
    """Say that a file is written in the output folder; the last one counts, and it stands even before ``/``."""
    if not folders:
        call.write(field, "file")
        return
    folder = folders[-1]
    is_known = folder.text and field.text is not None and not folder.is_pattern and not field.is_pattern
    call.write(Field(f"{folder.text}/{field.text}") if is_known else Field(None), "file")


def _remote_names(address: Address) -> set[str]:
    """Give the names that an answer may be kept under; before 7.80 the query counted too. None if not plain."""
    whole = address.path.partition("#")[0]
    path = whole.partition("?")[0]
    names = {path.rstrip("/").rpartition("/")[2] or "curl_response"}
    if whole != path:
        names.add(whole.rpartition("/")[2])
    return names if all(set(name) <= _FILE_NAME | {"?", "&"} and set(name) != {"."} for name in names) else set()


_WGET_REFUSED: Final = {
    **dict.fromkeys(("--post-data", "--post-file", "--body-data", "--body-file", "--method"), _SENDS),
    **dict.fromkeys(("-i", "--input-file"), "asks for the addresses that a file names"),
    **dict.fromkeys(("-e", "--execute", "--config"), "takes its options from a file or a text"),
    **dict.fromkeys(("-b", "--background"), "goes on when the call has ended, and writes a log"),
    "--load-cookies": "sends cookies",
    "--use-askpass": "starts a program",
}
_WGET_TEXTS: Final = (
    "-U", "--user-agent", "--referer", "--user", "--password", "--http-user", "--http-password", "--start-pos",
)  # fmt: skip
_WGET_HELP: Final = ("-V", "--version", "-h", "--help")
_WGET_TREES: Final = (
    "-r", "--recursive", "-m", "--mirror", "-p", "--page-requisites", "-x", "--force-directories", "-k",
    "--convert-links", "-K", "--backup-converted", "-E", "--adjust-extension", "--content-disposition",
    "--trust-server-names", "--protocol-directories", "--delete-after",
    "--restrict-file-names",
)  # fmt: skip


def _wget(call: Call, options: Options) -> None:
    if options.has(*_WGET_HELP) and {name for name, _ in options.given} <= {*_WGET_HELP}:
        return
    why = _refused(options, _WGET_REFUSED)
    if not why and not all(is_harmless_header(field) for field in options.values("--header")):
        why = "sends a header of its own"
    if not why and not all(_is_clean(field) for field in options.values(*_WGET_TEXTS)):
        why = "sends a text that is not known"
    if why:
        call.opaque(f"wget {why}")
        return
    places = [f"{call.home}/{name}" for name in (".wgetrc", ".config/wget/wget2rc", ".wget2rc")]
    if not options.has("--no-config") and not changes_nothing(call, places):
        call.opaque("wget takes further options from a file in the home folder; `--no-config` stops it")
        return
    found = _addresses(call, options.operands)
    if found is None:
        return
    _ask(call, found)
    for field in options.values("-o", "--output-file", "-a", "--append-output", "--save-cookies"):
        if field.text != "-":
            call.write(field, "file")
    _wget_writes(call, options, found)


def _wget_writes(call: Call, options: Options, asked: list[tuple[Address, bool]]) -> None:
    folder = (options.values("-P", "--directory-prefix") or (Field("."),))[-1]
    documents = options.values("-O", "--output-document")
    for field in documents:
        if field.text != "-":
            call.write(field, "file")
    is_ftp = any(address.scheme.startswith("ftp") for address, _ in asked)
    if options.has(*_WGET_TREES) or is_ftp:  # by FTP a listing is kept for a while
        call.write(folder, "tree")
    elif not documents and not options.has("--spider"):
        pages = options.values("--default-page")
        page = pages[-1].text if pages else "index.html"
        is_once = options.has("-nc", "--no-clobber", "-N", "--timestamping", "-c", "--continue")
        for address, is_pattern in asked:
            name = "" if is_pattern else address.path.partition("?")[0].rpartition("/")[2] or page
            _wget_write(call, folder, name or "", is_exact=is_once and "?" not in address.path)


def _wget_write(call: Call, folder: Field, name: str, *, is_exact: bool) -> None:
    """Say that an answer is kept under a name of its address; no name: under one that the address does not tell."""
    if not name.strip(".") or not set(name) <= _FILE_NAME or folder.text is None:
        call.write(folder, "tree")
        return
    below = "" if folder.text == "." else f"{folder.text}/"
    if is_exact:
        call.write(Field(f"{below}{name}"), "file")
    else:
        # A number is put behind a name that is there already, and a query stays in the name.
        call.write_new(Field(f"{escape(below)}{escape(name)}*", is_pattern=True))


_CURL: Final = Row(
    "curl",
    flags="sSfLIiGkvgNOqRZ012346#lVhMJ",
    valued="oDcwAeHXumryYzCdTFKbxQ",
    longs="silent show-error fail fail-early fail-with-body location head include get insecure verbose globoff "
    "no-buffer remote-name remote-name-all disable remote-time parallel parallel-immediate parallel-max= http0.9 "
    "http1.0 http1.1 http2 http2-prior-knowledge http3 tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tls-max= ipv4 ipv6 "
    "progress-bar no-progress-meter compressed output= output-dir= create-dirs dump-header= cookie-jar= trace= "
    "trace-ascii= trace-time etag-save= etag-compare= hsts= alt-svc= libcurl= write-out= user-agent= referer= "
    "header= request= user= basic digest anyauth max-time= connect-timeout= expect100-timeout= retry= retry-delay= "
    "retry-max-time= retry-connrefused retry-all-errors range= rate= speed-limit= speed-time= time-cond= continue-at= "
    "data= data-ascii= data-binary= data-raw= data-urlencode= url= url-query= limit-rate= max-redirs= max-filesize= "
    "proto= proto-redir= ssl ssl-reqd ciphers= curves= cacert= cert-status path-as-is raw no-keepalive keepalive-time= "
    "list-only remove-on-error ftp-pasv disable-epsv tcp-nodelay tcp-fastopen dns-servers= doh-url= resolve= "
    "connect-to= styled-output no-styled-output no-sessionid no-alpn tr-encoding ignore-content-length "
    "happy-eyeballs-timeout-ms= disallow-username-in-url version help manual upload-file= form= form-string= json= "
    "config= cookie= proxy= preproxy= unix-socket= abstract-unix-socket= remote-header-name quote=",
    reads=False,
    act=_curl,
)
_WGET: Final = Row(
    "wget",
    flags="qvdcNS46rkKmpExHLVhb",
    valued="OtTwQPlARDXIUoaie",
    words="nv nc nd nH np",
    longs="quiet verbose no-verbose debug report-speed=? tries= retry-connrefused retry-on-http-error= "
    "output-document= no-clobber no-netrc continue start-pos= progress= show-progress timestamping "
    "no-if-modified-since no-use-server-timestamps server-response spider timeout= dns-timeout= connect-timeout= "
    "read-timeout= wait= waitretry= random-wait no-proxy quota= limit-rate= no-dns-cache restrict-file-names=? "
    "ignore-case inet4-only inet6-only prefer-family= user= password= no-iri no-directories force-directories "
    "no-host-directories protocol-directories directory-prefix= cut-dirs= http-user= http-password= no-cache "
    "default-page= adjust-extension ignore-length header= compression= max-redirect= referer= save-headers user-agent= "
    "no-http-keep-alive no-cookies save-cookies= keep-session-cookies content-disposition content-on-error "
    "auth-no-challenge secure-protocol= https-only no-check-certificate ca-certificate= ciphers= no-hsts "
    "no-passive-ftp recursive level= delete-after convert-links backup-converted mirror page-requisites "
    "strict-comments accept= reject= accept-regex= reject-regex= regex-type= domains= exclude-domains= span-hosts "
    "relative include-directories= trust-server-names exclude-directories= no-parent output-file= append-output= "
    "no-config version help post-data= post-file= method= body-data= body-file= input-file= execute= config= "
    "background load-cookies= use-askpass=",
    files="--ca-certificate",
    reads=False,
    act=_wget,
)

COMMANDS: Final = (_CURL, _WGET)
