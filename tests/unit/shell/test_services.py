"""Services: whom they ask, the rows that leave traces in a home folder, and the texts that only read a database."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell_effects import effects_of, verdict_of

from harness_guard.shell.commands.cloud import _FIRST_GROUPS, _GCLOUD_READS, _GROUPS
from harness_guard.shell.commands.databases import is_reading
from harness_guard.shell.commands.registry import TABLE
from harness_guard.shell.effects import Connection
from harness_guard.shell.variables import is_harmless


@pytest.mark.contract("E7.1")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("gcloud compute instances list --format=json", "reads"),
        ("gcloud --project x projects list", "reads"),
        ("gcloud beta run services describe x --region y", "reads"),
        ("gcloud iam workload-identity-pools providers list --location=global", "reads"),
        ("gcloud config get project", "reads"),
        ("gcloud info", "reads"),
        ("gcloud --version", "reads"),
        ("gcloud logging read 'severity>=ERROR' --limit 5", "reads"),
        ("gsutil ls gs://b", "reads"),
        ("gcloud compute instances stop list", "unknown"),
        ("gcloud compute instances add-tags list --tags=x", "unknown"),
        ("gcloud config set project list", "unknown"),
        ("gcloud compute ssh describe", "unknown"),
        ("gcloud app deploy list", "unknown"),
        ("gcloud builds submit list", "unknown"),
        ("gcloud workflows run list", "unknown"),
        ("gcloud beta list", "unknown"),
        ("gcloud list", "unknown"),
        ("gcloud projects list --impersonate-service-account=x", "unknown"),
        ('gcloud projects list --filter="$x"', "unknown"),
        ("kubectl get pods", "reads"),
        ("terraform output", "local"),
        ("terraform workspace list", "local"),
        ("terraform workspace show", "reads"),
        ("terraform workspace new x", "unknown"),
        ("terraform providers lock", "unknown"),
        ("terraform providers mirror d", "unknown"),
        ("heroku apps create", "unknown"),
        ("heroku ps:type web=performance-l", "unknown"),
        ("heroku pg:backups capture", "unknown"),
        ("heroku pg:backups -a x", "reads"),
        ("heroku addons create x", "unknown"),
        ("heroku apps -a x", "reads"),
        ("fly version upgrade", "unknown"),
        ("kubectl cluster-info dump", "unknown"),
        ("gh extension list x", "unknown"),
        ("docker --host tcp://localhost:2375 ps", "local"),
        ("docker -H tcp://1.1.1.1:2375 ps", "reads"),
        ("tmux ls", "local"),
        ("crontab -l", "reads"),
        ("crontab -lu me", "reads"),
        ("crontab -u -l", "unknown"),
        ("crontab", "unknown"),
        ("at -l", "reads"),
        ("at -q a", "unknown"),
        ("gh 'pr list' --web", "unknown"),
        ("gh -- pr list", "unknown"),
        ("gh search issues -- -label:bug", "reads"),
        ("apt-get -- install -s x", "unknown"),
        ("apt-get -s install x", "reads"),
        ("docker compose config", "unknown"),
        ("docker compose config --services", "reads"),
        ("aws ec2 describe-instances --endpoint-url http://localhost:4566", "local"),
        ("aws ec2 describe-instances --endpoint-u http://localhost:4566", "unknown"),
        ("psql -c 'SELECT 1'", "local"),
        ("psql -h db.example.com -c 'SELECT 1'", "reads"),
        ("psql -h /tmp -c 'SELECT 1'", "local"),
        ("psql -h db.example.com,127.0.0.1 -c 'SELECT 1'", "local"),
        ("psql postgres://me:x@db.example.com/d -c 'SELECT 1'", "reads"),
        ("psql postgres://127.0.0.1/d -c 'SELECT 1'", "local"),
        ("redis-cli ping", "local"),
        ("promtool query instant http://localhost:9090 up", "local"),
        ("gh api /user --hostname localhost", "local"),
        ("promtool query instant localhost:9090 up", "local"),
        ("vault status", "local"),
        ("helm template x http://localhost/c.tgz", "local"),
        ("helm template x https://example.com/c.tgz", "reads"),
    ],
)
def test_whom_it_asks(command: str, expected: str) -> None:
    assert verdict_of(command) == expected


def test_a_service_is_named() -> None:
    assert effects_of("gh pr list").connects == (Connection("the forge", "gh"),)
    assert effects_of("gh pr create").connects == ()


@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("docker compose -f a.yml ps", ["/repo/a.yml"]),
        ("kubectl get pods -o jsonpath-file=a", ["/repo/a"]),
        ("helm template x ./c -f v.yml --set-file k=f", ["/repo/x", "/repo/./c", "/repo/v.yml", "/repo/f"]),
        ("promtool check rules a.yml", ["/repo/a.yml"]),
        ("gh attestation verify a.tgz -o me -b b.json", ["/repo/a.tgz", "/repo/b.json"]),
        ("kubectl get pods -o go-template-file --template=a", ["/repo/a"]),
        ("kubectl get pods -o go-template --template=a", []),
        ("gsutil cat gs://b/x /etc/hosts", ["/etc/hosts"]),
        ("gcloud storage cat /etc/hosts", ["/etc/hosts"]),
        ("terraform fmt -check d", ["/repo/d"]),
    ],
)
def test_files_that_are_told_of_are_read(command: str, read: list[str]) -> None:
    found = effects_of(command)
    assert (found.unknown, [read.path for read in found.reads]) == ((), read)


def test_no_group_of_gcloud_is_a_verb_that_reads() -> None:
    assert _GROUPS.isdisjoint(_GCLOUD_READS | _FIRST_GROUPS | {"docker", "metrics", "create", "deploy", "delete"})


@pytest.mark.contract("E7.4")
@pytest.mark.parametrize(
    "name", ["gh", "docker", "kubectl", "helm", "aws", "az", "gcloud", "terraform", "brew", "tmux"]
)
def test_no_word_of_these_may_be_unknown(name: str) -> None:
    assert TABLE.get(name) is not None
    assert verdict_of(f'{name} "$x"') == "unknown"
    assert verdict_of(f"{name} *") == "unknown"


READING = """
SELECT * FROM users;
select count(*), max(a) from t where x in (1, 2) group by b
SELECT 'DROP TABLE t;' AS x
EXPLAIN SELECT 1
SHOW TABLES
DESCRIBE t
VALUES (1, 2)
SELECT @@VERSION
SELECT "delete" FROM t
SELECT cast(x AS decimal(10, 2)) FROM t
"""
MORE = """
DELETE FROM t
SELECT 1; DELETE FROM t
SELECT 1 INTO x
SELECT f(1)
SELECT s.count(1)
SELECT "f"(1)
SELECT [f](1)
SELECT 'f' (1)
SELECT 1 -- x
SELECT 1 # x
SELECT /* x */ 1
SELECT E'\\' OR f(1)
SELECT $$x$$
SELECT `f`(1)
SELECT 'open
EXPLAIN ANALYZE DELETE FROM t
WITH x AS (DELETE FROM t RETURNING 1) SELECT 1
SELECT 1 EXEC p
SELECT 1 FOR UPDATE
COPY t TO 'x'
"""


@pytest.mark.parametrize("text", [line for line in READING.splitlines() if line])
def test_a_statement_that_reads(text: str) -> None:
    assert is_reading(text)


@pytest.mark.parametrize("text", [*(line for line in MORE.splitlines() if line), "", ";", "SELECT ä", "SELECT 1\0"])
def test_a_statement_that_may_do_more(text: str) -> None:
    assert not is_reading(text)


def test_a_quoted_name_may_be_a_file() -> None:
    assert is_reading("SELECT * FROM 'a.csv'")
    assert not is_reading("SELECT * FROM 'a.csv'", quotes_are_files=True)
    assert is_reading("SELECT * FROM t WHERE a = 'b'", quotes_are_files=True)


@given(st.text("aA1 '\";(),.*", max_size=12), st.sampled_from(["lo_export", "DELETE", "writefile", ";drop"]))
def test_no_quoting_hides_a_word_that_writes(before: str, word: str) -> None:
    """Whatever stands in front: the word is inside a quoted text, or it is seen."""
    text = f"SELECT {before} {word} (1)"
    if is_reading(text):
        quotes = [mark for mark in "'\"" if mark in before]
        assert quotes
        assert word in _quoted(text)


def _quoted(text: str) -> str:
    made, open_mark = "", ""
    for character in text:
        if character == open_mark:
            open_mark = ""
        elif open_mark:
            made += character
        elif character in "'\"":
            open_mark = character
    return made


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("http_proxy", "x", False),
        ("ALL_PROXY", "", False),
        ("SSLKEYLOGFILE", "keys", False),
        ("CURL_HOME", ".", False),
        ("KUBECONFIG", "a", False),
        ("DOCKER_HOST", "x", False),
        ("GH_HOST", "x", False),
        ("GH_CONFIG_DIR", ".", False),
        ("PSQLRC", "a", False),
        ("PGHOST", "x", False),
        ("HOSTALIASES", "a", False),
        ("AWS_CONFIG_FILE", "a", False),
        ("TMUX", "x", False),
        ("AWS_PROFILE", "dev", True),
        ("AWS_PROFILE", None, False),
        ("AWS_PAGER", "", True),
        ("AWS_PAGER", "./x", False),
        ("PGUSER", "me", True),
        ("PGPASSWORD", "x", True),
        ("PGPASSWORD", None, False),
        ("PGSSLKEY", "a", False),
        ("proxy", "x", True),
    ],
)
def test_variables_that_lead_elsewhere(name: str, *, value: str | None, expected: bool) -> None:
    assert is_harmless(name, value) is expected
