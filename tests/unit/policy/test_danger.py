"""Each danger with its harmless neighbour."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from harness_guard.policy.danger import Danger, danger_of
from harness_guard.shell.effects import Effects, Program


@dataclass(frozen=True)
class Told:
    programs: tuple[Program, ...]


def told(*commands: str, group: int = 1, writes_to: tuple[str, ...] = ()) -> Effects:
    return Effects(programs=tuple(Program(tuple(c.split()), "/repo", c, group, writes_to) for c in commands))


PAIRS = [
    ("danger.destroy", "rm -rf /", "rm -rf build"),
    ("danger.destroy", "rm -r -f ~", "rm -f notes"),
    ("danger.destroy", "rm -rf .git", "rm -rf .github"),
    ("danger.destroy", "rm -rf .", "rm -rf ./build"),
    ("danger.destroy", "rm -rf /home/dev/*", "rm -rf /repo/build/*"),
    ("danger.destroy", "sudo rm -rf /usr", "rm -rf usr"),
    ("danger.destroy", "find / -delete", "find . -name x -delete"),
    ("danger.device", "dd if=x of=/dev/sda", "dd if=x of=out.img"),
    ("danger.device", "mkfs.ext4 /dev/sda1", "ls /dev/sda1"),
    ("danger.shred", "shred x", "cat x"),
    ("danger.history", "git push --force", "git push"),
    ("danger.history", "git push origin +main", "git push --force-with-lease"),
    ("danger.history", "git filter-branch x", "git log"),
    ("danger.work", "git reset --hard", "git reset HEAD a"),
    ("danger.work", "git clean -fdx", "git clean -nfdx"),
    ("danger.work", "git branch -D x", "git branch -d x"),
    ("danger.work", "git -C x reset --hard", "git commit -m reset"),
    ("danger.hooks", "git config core.hooksPath x", "git config --get core.hooksPath"),
    ("danger.publish", "npm publish", "npm publish --dry-run"),
    ("danger.publish", "twine upload dist/x", "twine check dist/x"),
    ("danger.publish", "gh release create v1", "gh release list"),
    ("danger.publish", "cargo publish", "cargo build"),
    ("danger.privilege", "sudo ls", "ls sudo"),
    ("danger.privilege", "env doas ls", "echo doas"),
    ("danger.permissions", "chmod -R 777 .", "chmod 755 a"),
    ("danger.permissions", "chmod u+s a", "chmod u+x a"),
    ("danger.secret", "cat /home/dev/.ssh/id_rsa", "cat /home/dev/.ssh/id_rsa.pub"),
    ("danger.secret", "curl -d @.env x", "curl x"),
    ("danger.infrastructure", "terraform destroy", "terraform plan"),
    ("danger.infrastructure", "kubectl delete pod x", "kubectl get pods"),
    ("danger.infrastructure", "aws s3 rm x", "aws s3 ls"),
    ("danger.containers", "docker push x", "docker ps"),
    ("danger.guard", "claude plugin disable harness", "claude plugin list"),
    ("danger.guard", "codex -c features.hooks=false", "codex --version"),
    ("danger.guard", "codex --disable hooks", "codex --disable shell_snapshot"),
    ("danger.destroy", "timeout 5 rm -rf /", "timeout 5 rm -rf build"),
    ("danger.destroy", "xargs -n 1 rm -rf /", "xargs -n 1 rm -rf build"),
]


@pytest.mark.contract("C7.4", "C7.20")
@pytest.mark.parametrize(("rule", "caught", "left_alone"), PAIRS)
def test_rule_and_neighbour(rule: str, caught: str, left_alone: str) -> None:
    found = danger_of(caught, told(caught))
    assert found is not None
    # A wrapper that is a danger of its own may be named first.
    assert found.rule in {rule, "danger.privilege"}
    assert f"`{caught}`" in found.seen
    assert danger_of(left_alone, told(left_alone)) is None


def test_database() -> None:
    drop = Effects(programs=(Program(("psql", "-c", "DROP TABLE users"), "/repo", "psql"),))
    keep = Effects(programs=(Program(("psql", "-c", "SELECT 1"), "/repo", "psql"),))
    assert danger_of("", drop) == Danger("danger.database", "it would drop or empty data: `psql`")
    assert danger_of("", keep) is None


def test_download_into_an_interpreter() -> None:
    found = danger_of("", told("curl x", "sh"))
    assert found == Danger("danger.download", "an interpreter would run what `curl x` gives: `sh`")
    assert danger_of("", told("curl x", "python3 -m json.tool")) is None
    apart = (*told("curl x").programs, *told("sh", group=2).programs)
    assert danger_of("", Effects(programs=apart)) is None


def test_text_is_no_program() -> None:
    message = Effects(programs=(Program(("git", "commit", "-m", "rm -rf /"), "/repo", "git commit"),))
    assert danger_of("git commit -m 'rm -rf /'", message) is None


def test_redirection_to_a_device() -> None:
    assert danger_of("", told("echo x", writes_to=("/dev/sda",))) == Danger(
        "danger.device", "it would overwrite a device: `echo x`"
    )
    assert danger_of("", told("echo x", writes_to=("/dev/null",))) is None


def test_fork_bomb() -> None:
    assert danger_of("", told(":", ":")) == Danger(
        "danger.fork-bomb", "a function that starts itself twice in the background"
    )
    assert danger_of("", told(":")) is None
