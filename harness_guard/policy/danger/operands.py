"""What an operand has to be for a rule: tests over one word (paths are judged in ``places``)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

OCTAL_DIGITS: Final = 4  # with the set-id digit in front
_OPEN_DIGITS: Final = frozenset("2367")  # what lets others write
_SET_ID: Final = frozenset("24567")

# What drops or empties data, in SQL and in the shells of other databases.
_DROPS: Final = (
    "drop table", "drop database", "drop schema", "drop user", "drop role", "drop index", "drop view", "drop column",
    "drop keyspace", "drop tablespace", "drop type", "drop materialized", "drop owned", "drop collection",
    "truncate ", "delete from", "dropdatabase", "drop()", ".drop(", "deletemany({})", "remove({})", "flushall",
    "flushdb", "dropindexes(",
)  # fmt: skip
_ENDINGS: Final = (
    "delete", "terminate", "destroy", "remove", "purge", "deregister", "batch-delete", "force-delete",
    "schedule-key-deletion", "reset-db", "disable-key",
)  # fmt: skip
_REVEALING: Final = ("key", "token", "secret", "pass", "pwd", "cred", "auth", "api", "private", "session", "dsn")
LEAST_PATTERN: Final = 2


def is_force_refspec(word: str, _cwd: str) -> bool:
    """Tell whether a refspec forces (``+src:dst``) or deletes (``:dst``)."""
    return len(word) > 1 and (word.startswith(("+", ":")) or ":+" in word)


def is_everything(word: str, _cwd: str) -> bool:
    """Tell whether a pathspec is the whole tree."""
    return word in {".", "./", "*", ":/", ":", ":/*", ":(top)", ":/."}


def is_lasting_worktree(word: str, _cwd: str) -> bool:
    """Tell whether a worktree is not one of those that the host makes and removes for itself."""
    return "/.claude/worktrees/" not in f"/{word}"


def is_opening_mode(word: str, _cwd: str) -> bool:
    """Tell whether a mode lets everybody write."""
    if word.isdigit():
        return word[-1] in _OPEN_DIGITS
    return any(_opens(part) for part in word.split(","))


def _opens(part: str) -> bool:
    who, _, what = part.partition("+") if "+" in part else part.partition("=")
    return "w" in what and (not who or "o" in who or "a" in who)


def is_set_id_mode(word: str, _cwd: str) -> bool:
    """Tell whether a mode sets the set-user-id or set-group-id bit."""
    if word.isdigit():
        return len(word) == OCTAL_DIGITS and word[0] in _SET_ID
    return any("s" in part.partition(sign)[2] for part in word.split(",") for sign in "+=" if sign in part)


def is_dropping(word: str, _cwd: str) -> bool:
    """Tell whether a statement drops or empties data; a ``delete from`` with a condition does not."""
    text = word.lower()
    first, *rest = text.split("/*")
    # A comment parts words; but MySQL runs what stands in ``/*! … */``.
    without = " ".join([first, *(part.partition("*/")[2] for part in rest)])
    for one in (without, text.replace("/*!", " ")):
        for part in one.split(";"):
            statement = f"{' '.join(part.split())} "
            if any(phrase in statement for phrase in _DROPS if not _is_conditional(phrase, statement)):
                return True
    return False


def _is_conditional(phrase: str, part: str) -> bool:
    return phrase == "delete from" and " where " in part


def is_ending(word: str, _cwd: str) -> bool:
    """Tell whether a subcommand ends a resource: ``delete-stack``, ``terminate-instances``, ``apps:destroy``."""
    return word.rpartition(":")[2].startswith(_ENDINGS) or word in {"rb", "rm"}


def is_database_end(word: str, _cwd: str) -> bool:
    """Tell whether a task of a framework drops, empties or rolls back the whole database."""
    return word in {
        "db:drop", "db:reset", "db:wipe", "db:purge", "db:seed:replant", "db:schema:load", "db:setup", "migrate:fresh",
        "migrate:reset", "migrate:refresh", "db:drop:all", "db:migrate:reset", "db:migrate:undo:all", "schema:drop",
        "doctrine:database:drop", "doctrine:schema:drop", "doctrine:fixtures:load", "ecto.drop", "ecto.reset",
    }  # fmt: skip


def is_revealing_name(word: str, _cwd: str) -> bool:
    """Tell whether a variable's name speaks of a secret."""
    lowered = word.lower()
    return any(part in lowered for part in _REVEALING)


def is_telling_pattern(word: str, cwd: str) -> bool:
    """Tell whether a pattern picks out variables whose names speak of no secret."""
    letters = [letter for letter in word if letter.isalnum()]
    is_wide = any(sign in word for sign in (".*", ".+", "[^"))
    return len(letters) >= LEAST_PATTERN and not is_wide and not is_revealing_name(word, cwd)


def is_root_mount(word: str, _cwd: str) -> bool:
    """Tell whether a mount hands a container the machine's root or the container engine."""
    return word.startswith("/:/") or "docker.sock" in word or "source=/," in word or "src=/," in word


def is_all_processes(word: str, _cwd: str) -> bool:
    """Tell whether a process number stands for every process, the group, or the first process."""
    return word in {"0", "1", "-1"}


def is_zero(word: str, _cwd: str) -> bool:
    """Tell whether a word is the number nought."""
    return word == "0"


def is_network_shell(word: str, _cwd: str) -> bool:
    """Tell whether an address of socat starts a program."""
    return word.lower().startswith(("exec:", "shell", "system:"))


def is_firewall_end(word: str, _cwd: str) -> bool:
    """Tell whether a word drops the firewall's rules."""
    return word in {"-F", "--flush", "flush", "disable", "reset", "-X", "-d"}


def is_hooks_setting(word: str, _cwd: str) -> bool:
    """Tell whether a word sets git's folder of hooks."""
    return word.lower().startswith(("core.hookspath=", "core.hookspath"))


def is_hooks_off(word: str, _cwd: str) -> bool:
    """Tell whether a setting switches the host's hooks or its asking off."""
    text = word.replace(" ", "").replace('"', "").lower()
    return any(
        part in text
        for part in ("features.hooks=false", "features.hooks=0", "disableallhooks:true", "features={hooks=false",
                     "bypasspermissions", "approval_policy=never", "features.plugins=false")
    )  # fmt: skip


def is_guard(word: str, _cwd: str) -> bool:
    """Tell whether a word names this guard, as a package or a plugin."""
    name = word.lower().replace("_", "-")
    return name.startswith("harness-guard")


def is_hooks(word: str, _cwd: str) -> bool:
    """Tell whether a word names the hosts' hooks."""
    return word in {"hooks", "plugins"}


def is_anything(word: str, _cwd: str) -> bool:
    """Tell whether there is a word at all, an unknown one included."""
    return bool(word) or not word


def is_registry(word: str, _cwd: str) -> bool:
    """Tell whether an address of an image is one of a registry."""
    return word.startswith("docker://")


def is_runlevel(word: str, _cwd: str) -> bool:
    """Tell whether a word is a run level of init."""
    return len(word) == 1 and word in "0123456Ss"


def is_stopping(word: str, _cwd: str) -> bool:
    """Tell whether a word stops a service."""
    return word in {"stop", "--full-restart"}


def is_setting(word: str, _cwd: str) -> bool:
    """Tell whether a word sets a value: ``name=value``."""
    return "=" in word


def is_network_change(word: str, _cwd: str) -> bool:
    """Tell whether an option of networksetup changes something."""
    return word.startswith(("-set", "-delete", "-remove", "-add", "-create", "-switch"))
