"""What the programs of the network and of keys ask of the disk and of whom; their rows are in cases/shell."""

from __future__ import annotations

import pytest
from shell_effects import WHERE, effects_of, verdict_of

from harness_guard.shell.analysis import Needs, ShellFacts, analyse
from harness_guard.shell.effects import Connection
from harness_guard.shell.facts import NO_NAMES
from harness_guard.shell.names import NameSource


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ping -c 1 example.com", [("example.com", False)]),
        ("ping localhost", [("localhost", False)]),  # no socket of a program answers
        ("host example.com 127.0.0.1", [("example.com", False), ("127.0.0.1", True)]),
        ("nslookup example.com 8.8.8.8", [("example.com", False), ("8.8.8.8", False)]),
        ("dig @127.1 example.com", [("127.1", True), ("the name server", False)]),
        ("dig example.com", [("the name server", False)]),
        ("ip addr", []),
        ("whois example.com", [("example.com", False)]),
        ("whois -h 127.0.0.1 x", [("x", False), ("127.0.0.1", True)]),
        ("ssh-keyscan github.com", [("github.com", False)]),
        ("ssh-keyscan github.com,localhost", [("github.com,localhost", True)]),
        ("ssh-keygen -F example.com", []),
    ],
)
def test_who_is_asked(command: str, expected: list[tuple[str, bool]]) -> None:
    found = effects_of(command)
    name = command.partition(" ")[0]
    assert (found.unknown, list(found.connects)) == ((), [Connection(to, name, is_local=near) for to, near in expected])


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("dig example.com", "/home/dev/.digrc"),
        ("dig -r example.com", ""),
        ("gpg --list-keys", "/home/dev/.gnupg/gpg.conf"),
        ("gpg --version", ""),
        ("psql -c 'SELECT 1'", "/home/dev/.psqlrc"),
        ("psql -X -c 'SELECT 1'", ""),
        ("mysql -e 'SELECT 1'", "/home/dev/.my.cnf"),
        ("ansible --version", "/repo/ansible.cfg"),
        ("ansible-galaxy role list", "/repo/ansible.cfg"),
        ("terraform output", "/repo/.terraform/terraform.tfstate"),
        ("terraform version", ""),
        ("duckdb -readonly d.db 'SELECT * FROM v'", "/repo/d.db"),
    ],
)
def test_a_file_that_changes_what_is_done_is_asked_for(command: str, wanted: str) -> None:
    sources = (NameSource("absent", wanted),) if wanted else ()
    first = analyse(command, WHERE, ShellFacts())
    assert (first.names if isinstance(first, Needs) else ()) == sources
    there = analyse(command, WHERE, ShellFacts(names=dict.fromkeys(sources, False) or NO_NAMES))
    assert not isinstance(there, Needs)
    assert bool(there.unknown) is bool(wanted)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("gpg -k", "reads"),
        ("gpg --with-colons --fingerprint x", "reads"),
        ("gpg --verify a.sig a", "reads"),
        ("gpg --dearmor -o k.gpg a.asc", "writes"),
        ("gpg --dearmor a.asc", "writes"),
        ("gpg --armor --export x", "reads"),
        ("gpg --armor --export x -o k.asc", "writes"),  # more than gpg does: behind a name it sees no option
        ("gpg -k --homedir .", "unknown"),
        ("gpg --verify", "reads"),
    ],
)
def test_gpg(command: str, expected: str) -> None:
    assert verdict_of(command) == expected


def test_keys_are_written_where_they_are_told_to() -> None:
    assert [write.path for write in effects_of("gpg --dearmor a.asc").writes] == ["/repo/a.asc.gpg"]
    assert [write.path for write in effects_of("gpg --dearmor -o k a.asc").writes] == ["/repo/k"]
    assert [read.path for read in effects_of("ssh-keygen -l").reads] == ["/home/dev/.ssh"]
    assert [write.path for write in effects_of("ssh-keygen -R x -f hosts").writes] == ["/repo/hosts", "/repo/hosts.old"]
