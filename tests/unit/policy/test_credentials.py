"""Files that hold credentials, in whatever word a program names them, and the neighbours that hold none (C7.20)."""

from __future__ import annotations

import pytest

from harness_guard.policy.credentials import first_secret, is_credential, is_secret_file

CREDENTIALS = [
    ("/home/u/.ssh/id_rsa", True),
    ("/home/u/.ssh/id_rsa.pub", False),
    ("/home/u/.ssh/config", False),
    ("/home/u/.ssh/known_hosts", False),
    (".ssh/config", False),
    ("/home/u/.gnupg/gpg.conf", False),
    ("/home/u/.gnupg/secring.gpg", True),
    (".ssh/id_work", True),
    ("~/.aws/credentials", True),
    ("/home/u//.aws//credentials", True),
    ("/etc/shadow", True),
    ("/etc//shadow", True),
    ("etc/shadow", True),  # a path from the root of a container or of git
    ("/etc/shells", False),
    ("id_rsa", True),
    ("keys/id_ed25519", True),
    ("id_rsa_notes", False),
    (".netrc", True),
    ("src/netrc.py", False),
    ("/proc/self/environ", True),
    ("/proc/12/environ", True),
    ("src/environ", False),
    ("/home/u/environ", False),
    # Behind what a program puts in front of a path.
    ("@/home/u/.netrc", True),
    ("@.netrc", True),
    ("@id_rsa", True),
    ("name@/proc/self/environ", True),  # curl --data-urlencode
    ("name/proc/self/environ", False),
    ("--data=@/home/u/.netrc", True),
    ("--file=/home/u/.netrc", True),
    ("a=b=.netrc", True),
    ("file=@.netrc", True),
    ("user@host", False),
    ("u@host/.netrc", True),
    ("x@.netrc", True),
    ("HEAD:.netrc", True),
    ("HEAD:a/.netrc", True),
    ("HEAD:id_rsa", True),
    ("host:/home/u/.netrc", True),
    ("dir/a:id_rsa", False),  # behind a slash a colon is part of the name
    (":id_rsa", True),
    ("id_rsa:", False),
    (".netrc:", True),
    ("host:/proc/1/environ", False),  # of another machine
    ("<id_rsa", True),
    ("<<id_rsa", True),
    ("/a=b/id_rsa", True),
    ("/a=id_rsa", False),
    ("", False),
]
SECRETS = [
    (".env", True),
    (".ENV", True),
    ("/repo/.env", True),
    (".env.local", True),
    (".env.production", True),
    (".env.example", False),
    (".env.local.sample", False),
    (".environment", False),
    ("a.env", False),
    ("secrets.json", True),
    ("conf/Credentials.YAML", True),
    ("client_secret.txt", True),
    ("secrets.py", False),
    ("secrets", False),
    ("my-secrets.json", False),
    ("package.json", False),
    ("server.pem", True),
    ("priv.pem", True),
    ("tls-key.pem", True),
    ("cert.pem", False),
    ("public-key.pem", False),
    ("tls.key", True),
    ("TLS.KEY", True),
    (".key", False),
    ("pub.key", False),
    ("store.p12", True),
    ("db.kdbx", True),
    ("keyboard.py", False),
    ("--key=tls.key", True),
    ("HEAD:.env", True),
    ("/home/u/.ssh/id_rsa", True),
    ("src/a.py", False),
]


@pytest.mark.contract("C7.20")
@pytest.mark.parametrize(("word", "expected"), CREDENTIALS)
def test_a_word_that_names_a_credential(word: str, *, expected: bool) -> None:
    assert is_credential(word, "/repo") is expected


@pytest.mark.contract("C7.20")
@pytest.mark.parametrize(("word", "expected"), SECRETS)
def test_a_word_that_names_a_secret_file(word: str, *, expected: bool) -> None:
    assert is_secret_file(word, "/repo") is expected


@pytest.mark.contract("C7.20")
@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (("/repo/a.py", "/repo/.env", "/repo/tls.key"), "/repo/.env"),
        (("/home/u/.ssh/id_rsa",), "/home/u/.ssh/id_rsa"),
        (("/repo/a.py",), None),
        ((), None),
    ],
)
def test_the_first_secret_of_some_paths(paths: tuple[str, ...], found: str | None) -> None:
    assert first_secret(paths) == found
