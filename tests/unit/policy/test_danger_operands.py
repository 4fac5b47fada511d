"""The tests over one word that danger rows ask: what each takes for its danger, and the neighbour it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness_guard.policy.danger import operands, places

if TYPE_CHECKING:
    from harness_guard.policy.danger.model import Test

# Test, words that it takes, words that it leaves alone.
ROWS: tuple[tuple[Test, tuple[str, ...], tuple[str, ...]], ...] = (
    (operands.is_force_refspec, ("+a:b", ":b", "a:+b", "+a"), ("+", ":", "a:b", "a", "", "a+b")),
    (operands.is_everything, (".", "./", "*", ":/", ":", ":/*", ":(top)", ":/."), ("src", "", "*.py", "..")),
    (
        operands.is_lasting_worktree,
        ("../w", "/repo/.claude/worktree/a", "x.claude/worktrees/a"),
        (".claude/worktrees/a", "/repo/.claude/worktrees/a"),
    ),
    (
        operands.is_opening_mode,
        ("777", "666", "602", "643", "0777", "2", "o+w", "a+w", "+w", "o=w", "=rw", "u+x,o+w", "go=rw", "ugo+rwx"),
        ("644", "755", "640", "4755", "0", "5", "u+w", "g+w", "o+x", "o-w", "u=rw,g=r", "w", "a+r", "-w", ""),
    ),
    (
        operands.is_set_id_mode,
        ("4755", "2755", "6755", "5755", "7755", "u+s", "g=s", "a+x,u+s", "+s"),
        ("1777", "0755", "755", "475", "47555", "u-s", "u+x", "s", "a=x", ""),
    ),
    (
        operands.is_dropping,
        (
            "drop table x", "DROP  TABLE x", "drop\ntable x", "drop/**/table x", "drop/* a */ table x",
            "/*!50000 drop table x */", "/*! drop table x */", "select 1; drop view v", "truncate x", "TRUNCATE",
            "delete from x", "delete from x; select 1 from y where z", "drop table x where y", "db.a.drop()", "db.a.drop({})",
            "db.dropDatabase()", "db.a.deleteMany({})", "db.a.remove({})", "FLUSHALL", "flushdb",
            "delete from x /* where */", "a /* b */ c /* d */ drop index i",
        ),
        (
            "delete from x where y", "select 1", "drop", "dropped tables", "truncated", "remove({a: 1})",
            "/* a */ select 1", "",
        ),
    ),
    (
        operands.is_ending,
        ("delete-stack", "terminate-instances", "apps:destroy", "rm", "rb", "purge", "a:b:remove"),
        ("describe-stacks", "undelete", "destroy:apps", "rmdir", "ls", "arm", ""),
    ),
    (
        operands.is_database_end,
        (
            "db:drop", "db:reset", "db:wipe", "db:purge", "db:seed:replant", "db:schema:load", "db:setup",
            "migrate:fresh", "migrate:reset", "migrate:refresh", "db:drop:all", "db:migrate:reset",
            "db:migrate:undo:all", "schema:drop", "doctrine:database:drop", "doctrine:schema:drop",
            "doctrine:fixtures:load", "ecto.drop", "ecto.reset",
        ),
        ("db:migrate", "db:drops", "db:seed", "migrate", "schema:update", "ecto.migrate", ""),
    ),
    (
        operands.is_revealing_name,
        ("API_KEY", "token", "DB_PASSWORD", "PWD", "SESSION_ID", "SENTRY_DSN"),
        ("PATH", "HOME", "LANG", ""),
    ),
    (
        operands.is_telling_pattern,
        ("^PATH=", "GO", "ab", "LANG|LC_", "a+b"),
        ("", "a", ".*", ".", "HO.*", "A.+", "[^x]y", "TOKEN", "my_key", "=x"),
    ),
    (
        operands.is_root_mount,
        ("/:/host", "/var/run/docker.sock:/x", "type=bind,source=/,target=/h", "src=/,dst=/h"),
        ("/repo:/w", "source=/repo,target=/w", "a/:/b", ""),
    ),
    (operands.is_all_processes, ("0", "1", "-1"), ("2", "10", "", "-9")),
    (operands.is_zero, ("0",), ("00", "", "1")),
    (
        operands.is_network_shell,
        ("EXEC:/bin/sh", "exec:sh", "SHELL:ls", "shell", "SYSTEM:x"),
        ("TCP:x:1", "STDOUT", "a-exec:sh", ""),
    ),
    (
        operands.is_firewall_end,
        ("-F", "--flush", "flush", "disable", "reset", "-X", "-d"),
        ("-L", "enable", "-f", "status", ""),
    ),
    (
        operands.is_hooks_setting,
        ("core.hooksPath=/x", "CORE.HOOKSPATH=x", "core.hookspath"),
        ("core.pager=cat", "x.core.hookspath", ""),
    ),
    (
        operands.is_hooks_off,
        (
            "features.hooks=false", "features.hooks = false", "FEATURES.HOOKS=0", '{"disableAllHooks": true}',
            "features={hooks=false}", "bypassPermissions", 'approval_policy="never"', "features.plugins=false",
        ),
        ("features.hooks=true", '{"disableAllHooks": false}', "acceptEdits", 'approval_policy="untrusted"', ""),
    ),
    (operands.is_guard, ("harness-guard", "harness_guard", "Harness-Guard@m"), ("harness", "my-harness-guard", "")),
    (operands.is_hooks, ("hooks", "plugins"), ("hook", "my-hooks", "")),
    (operands.is_anything, ("", "x"), ()),
    (operands.is_registry, ("docker://x/y",), ("docker:x", "oci:x", "")),
    (operands.is_runlevel, ("0", "6", "S", "s"), ("7", "", "01", "a")),
    (operands.is_stopping, ("stop", "--full-restart"), ("start", "restart", "")),
    (operands.is_setting, ("a=b", "="), ("a", "")),
    (
        operands.is_network_change,
        ("-setdnsservers", "-deletepppoeservice", "-removenetworkservice", "-addx", "-createx", "-switchtolocation"),
        ("-listallnetworkservices", "-getinfo", "set", ""),
    ),
    (
        places.is_device,
        ("/dev/sda", "/dev/nvme0n1", "/dev/disk2", "/dev/mem", "/dev/mapper/x"),
        ("/dev/null", "/dev/stdout", "/dev/tty", "/repo/dev/sda", ""),
    ),
    (places.is_device_output, ("of=/dev/sda",), ("of=disk.img", "if=/dev/sda", "/dev/sda", "of=/dev/null", "")),
    (places.is_below_dev, ("/dev/sda", "/dev/x", "disk2", ""), ("./disk.img", "x", "dev/sda")),
    (
        places.is_system_file,
        ("/etc/hosts", "/usr/bin/x", "/usr//bin/x", "/usr/srcs/x", "/proc/sys/x", "/var/log/x", "/private/etc/x"),
        ("/dev/null", "/proc/self/fd/1", "/usr/src/app/x", "/repo/etc/x", "etc/x", "/var/tmp/x", "/etc", ""),
    ),
    (
        places.is_secret_upload,
        ("@.env", "f=@.env", "f=<.env", "@/home/u/.netrc"),
        (".env", "@README.md", "f=.env", "f=<README.md", ""),
    ),
    (
        places.is_credential_folder,
        ("/home/u/.ssh", "/home/u/.ssh/", "~/.aws", ".gnupg/*", ".kube/", ".password-store", ".azure/**"),
        ("/home/u/.sshx", "a.ssh", "/home/u/.ssh/config", "src", ""),
    ),
    (
        places.is_home_store,
        ("/home/u/.ssh/id_rsa", "/home/u/.netrc", "/home/u/.kube/config", "/home/u/.pgpass", "/home/u/.ssh/authorized_keys"),
        ("/home/u/.ssh/known_hosts", "/home/u/.kube/cache", "src/a", ""),
    ),
)  # fmt: skip


@pytest.mark.contract("C7.4")
@pytest.mark.parametrize(("test", "word"), [(test, word) for test, taken, _ in ROWS for word in taken])
def test_what_a_word_has_to_be(test: Test, word: str) -> None:
    assert test(word, "/repo") is True


@pytest.mark.contract("C7.4")
@pytest.mark.parametrize(("test", "word"), [(test, word) for test, _, left_alone in ROWS for word in left_alone])
def test_which_neighbour_it_leaves_alone(test: Test, word: str) -> None:
    assert test(word, "/repo") is False
