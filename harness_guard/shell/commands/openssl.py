"""openssl: which of its subcommands' options name files that are written or read.

Source: ``openssl SUBCOMMAND -help`` of OpenSSL 3.0. Not listed, because they load code, write further files, connect or
ask a configuration what to do: -engine, -provider, -provider-path, -config, -writerand, -rand, -CA (its serial file),
-reply, -keygen_engine, and the subcommands s_client, s_server, ca, cmp, ocsp, smime and the like.
"""

from __future__ import annotations

from harness_guard.records import dataclass
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_WRITES: Final = frozenset(("-out", "-keyout", "-sigfile"))
_READS: Final = frozenset(
    ("-in", "-key", "-inkey", "-sign", "-verify", "-prverify", "-signature", "-data", "-CAfile", "-untrusted",
     "-certfile", "-paramfile", "-kfile", "-trusted", "-CRLfile", "-peerkey")
)  # fmt: skip
_PASSWORDS: Final = frozenset(("-passin", "-passout", "-pass"))
_DIGESTS: Final = (
    "md5 sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 blake2b512 "
    "blake2s256 ripemd160 rmd160 shake128 shake256 sm3"
)
_CIPHERS: Final = (
    "aes128 aes192 aes256 des3 des aes-128-cbc aes-192-cbc aes-256-cbc aes-128-ecb aes-256-ecb aes-128-ctr aes-256-ctr "
    "des-ede3-cbc camellia128 camellia256 aria256 chacha20"
)


@dataclass(frozen=True, slots=True)
class _Use:
    """A subcommand's options without a value, those with one, and whether its operands are files that are read."""

    flags: str
    valued: str = ""
    reads: bool = False


_KEYS: Final = _Use(
    "help check pubin pubout noout text modulus traditional text_pub RSAPublicKey_in RSAPublicKey_out pvk-none "
    "no_public param_out pubcheck " + _CIPHERS,
    "in inform out outform passin passout conv_form param_enc",
)
_ENC: Final = _Use(
    "help list ciphers e d p P v a base64 A nopad salt nosalt pbkdf2 none " + _CIPHERS,
    "in k kfile out pass bufsize K S iv md iter",
)
_DGST: Final = _Use(
    "help list c r hex binary " + _DIGESTS,
    "passin out keyform sign verify prverify sigopt signature hmac mac macopt xoflen",
    reads=True,
)
_USES: Final = {
    "version": _Use("help a b d e f o p r v m c"),
    "help": _Use("", reads=False),
    "list": _Use(
        "help 1 all-algorithms commands standard-commands digest-commands digest-algorithms cipher-commands "
        "cipher-algorithms public-key-algorithms encoders decoders disabled providers kdf-algorithms mac-algorithms"
    ),
    "ciphers": _Use("help v V s tls1 tls1_1 tls1_2 tls1_3 psk srp stdname", "convert ciphersuites"),
    "errstr": _Use("help"),
    "rand": _Use("help base64 hex", "out"),
    "passwd": _Use("help noverify stdin quiet table reverse 6 5 apr1 1 aixmd5 crypt", "in salt"),
    "prime": _Use("help hex generate safe", "bits checks"),
    "dgst": _DGST,
    **dict.fromkeys(_DIGESTS.split(), _DGST),
    "enc": _ENC,
    "base64": _ENC,
    **dict.fromkeys(_CIPHERS.split(), _ENC),
    "genrsa": _Use("help 3 F4 f4 verbose traditional " + _CIPHERS, "out passout primes"),
    "genpkey": _Use("help quiet genparam text " + _CIPHERS, "paramfile algorithm pkeyopt out outform pass"),
    **dict.fromkeys(("rsa", "dsa", "ec", "pkey"), _KEYS),
    "ecparam": _Use(
        "help text noout check check_named list_curves no_seed genkey", "in inform out outform name conv_form param_enc"
    ),
    "dhparam": _Use("help check text noout 2 3 5 dsaparam", "in inform out outform"),
    "pkcs8": _Use("help topk8 nocrypt traditional noiter", "in inform out outform passin passout v1 v2 v2prf iter"),
    "pkcs12": _Use(
        "help export info nokeys nocerts noout clcerts cacerts nodes noenc nomac twopass "
        "nomaciter noiter " + _CIPHERS,
        "in out inkey certfile name caname passin passout macalg keypbe certpbe",
    ),
    "pkcs7": _Use("help noout text print print_certs", "in inform out outform"),
    "crl": _Use(
        "help text noout hash hash_old fingerprint issuer lastupdate nextupdate crlnumber",
        "in inform out outform nameopt",
    ),
    "asn1parse": _Use("help i noout dump oid_off", "in inform out offset length strparse dlimit"),
    "x509": _Use(
        "help noout nocert text fingerprint alias serial startdate enddate dates subject issuer email hash "
        "subject_hash subject_hash_old issuer_hash issuer_hash_old ocspid ocsp_uri purpose pubkey modulus next_serial "
        "trustout clrtrust clrreject " + _DIGESTS,
        "in inform out outform passin nameopt certopt dateopt ext checkend checkhost checkemail checkip setalias",
    ),
    "req": _Use(
        "help verify new utf8 text x509 subject pubkey batch verbose noenc nodes noout newhdr modulus " + _DIGESTS,
        "in inform out outform subj days key keyform keyout passin passout newkey pkeyopt sigopt nameopt reqopt "
        "set_serial addext extensions reqexts section",
    ),
    "ts": _Use("help query text no_nonce cert " + _DIGESTS, "data digest tspolicy in out"),
    "verify": _Use(
        "help verbose partial_chain show_chain x509_strict no_check_time crl_check crl_check_all trusted_first "
        "check_ss_sig no-CAfile no-CApath no-CAstore",
        "CAfile untrusted trusted CRLfile purpose verify_depth verify_hostname verify_email verify_ip nameopt attime",
        reads=True,
    ),
}  # fmt: skip


def _openssl(call: Call, _options: Options) -> None:
    first = call.args[0].text if call.args and not call.args[0].is_pattern else None
    use = _USES.get(first or "")
    if use is None:
        call.opaque(f"openssl: a subcommand that the table does not list: {first}")
        return
    given = _sorted(call, use)
    if given is None:
        return
    names = {name for name, _ in given}
    is_making_key = bool(names & {"-new", "-newkey", "-x509"}) and "-key" not in names
    if first == "req" and is_making_key and "-keyout" not in names:
        call.opaque("openssl writes a key where its configuration says", is_writer=True)
    for name, value in given:
        if name in _WRITES:
            call.write(value, "file")
        elif name in _READS:
            call.read(value)
        elif name in _PASSWORDS and value.start[:5] in {"file:", ""}:
            call.read(Field(value.text[5:] if value.text else None))


def _sorted(call: Call, use: _Use) -> list[tuple[str, Field]] | None:
    """Sort a subcommand's words; one that the table does not list makes it unknown."""
    flags = {f"-{name}" for name in use.flags.split()}
    valued = {f"-{name}" for name in use.valued.split()}
    given: list[tuple[str, Field]] = []
    words = list(call.args[1:])
    while words:
        field = words.pop(0)
        if not field.start.startswith("-"):
            if not field.start:
                call.opaque("openssl: a word that may be an option")
                return None
            if use.reads:
                call.read(field)
            continue
        text = "?" if field.text is None or field.is_pattern else field.text
        name, sign, value = text.replace("--", "-", 1).partition("=")
        if name in valued and (sign or (words and words[0].is_one)):
            given.append((name, Field(value) if sign else words.pop(0)))
        elif name in flags and not sign:
            given.append((name, Field("")))
        else:
            call.opaque(f"openssl: an option that the table does not list: {name}", is_writer=name in _WRITES)
            return None
    return given


COMMANDS: Final = (Row("openssl", is_free=True, reads=False, act=_openssl),)
