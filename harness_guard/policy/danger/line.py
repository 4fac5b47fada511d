"""One command line, sorted into subcommands, options and operands without a table of each program's options.

What an option takes is known for a few programs (``VALUED``). Everywhere else a word behind an option may be its value
or an operand; a subcommand path is found past such words, so an option in front of it hides nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

# Options of their own, though they are the beginning of another one that a rule names.
_WHOLE: Final = frozenset(("--export", "--all", "--no", "--force-with"))
_NEGATIONS: Final = frozenset(("false", "0", "no", "off"))
_HELP: Final = frozenset(("--help", "-help"))

# Program, or program and subcommand -> options that take a value. Sources: the programs' man pages.
VALUED: Final = {
    "git": "-C -c --git-dir --work-tree --namespace --config-env",
    "git push": "-o --push-option --repo --receive-pack --exec",
    "git checkout": "-b -B --orphan --conflict --pathspec-from-file",
    "git switch": "-c -C --create --force-create --orphan --conflict",
    "git clean": "-e --exclude",
    "git restore": "-s --source --conflict --pathspec-from-file --inter-hunk-context -U --unified",
    "git reset": "--pathspec-from-file",
    "git branch": "-u --set-upstream-to --contains --no-contains --points-at --format --sort",
    "docker": "-H --host -c --context -l --log-level --config",
    "docker run": "-v --volume --mount -e --env --name -w --workdir -u --user -p --publish --network --entrypoint",
    "podman run": "-v --volume --mount -e --env --name -w --workdir -u --user -p --publish --network --entrypoint",
    "kubectl": "-n --namespace --context --kubeconfig --cluster -f --filename -l --selector -o --output",
    "aws": "--profile --region --output --endpoint-url --query",
    "gh": "-R --repo -X --method -f -F --field --raw-field -H --header -q --jq",
    "mv": "-t --target-directory -S --suffix",
    "cp": "-t --target-directory -S --suffix",
    "rsync": "-e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter --rsync-path",
    "grep": "-e -f -A -B -C -m --regexp --file --include --exclude --exclude-from --exclude-dir",
    "egrep": "-e -f -A -B -C -m --regexp --file --include --exclude",
    "rg": "-e -f -A -B -C -m -g -t -T --regexp --file --glob --type",
    "sed": "-e -f --expression --file -l",
    "awk": "-f -v -F",
    "chmod": "--reference",
    "chown": "--reference --from",
    "curl": "-d --data --data-binary --data-raw --data-urlencode -F --form -T --upload-file -o --output -H --header -X "
    "--request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -K --config --cacert --cert --key "
    "--json -m --max-time --url-query -w --write-out -x --proxy --connect-to --proxy-header",
    "wget": "-O --output-document -o --output-file -P --directory-prefix --post-file --body-file --post-data -U "
    "--user-agent --header -i --input-file",
    "ssh": "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
    "scp": "-c -D -F -i -J -l -o -P -S",
    "psql": "-c --command -f --file -d --dbname -h --host -p --port -U --username",
    "cut": "-d -f -b -c --delimiter --fields",
    "tar": "-f --file -C --directory --exclude --exclude-from -X",
    "find": "-exec -execdir -ok -okdir -name -iname -path -type -newer -regex -size -mtime",
    "gfind": "-exec -execdir -ok -okdir -name -iname -path -type -newer -regex -size -mtime",
    "security": "-a -s -l -c -C -D -j -r -t",
    "crontab": "-u",
    "kill": "-s -n",
}  # fmt: skip

# What is known to take no value, so that a ``--dry-run`` behind it is one.
FLAGS: Final = {
    "sed": "-E -r -n -s -z -u -b",
    "grep": "-i -n -r -R -E -F -G -P -w -x -v -o -s -H -h -I -a",
    "git": "-u -v -q -d -x -X --tags --all --no-verify --follow-tags --atomic --verbose --quiet --set-upstream",
    "rsync": "-a -v -z -r -t -u -x -P -h -c -l -p -g -o --progress --archive --verbose",
    "npm": "--provenance --json",
    "cargo": "--locked --frozen --offline --all-features --no-verify --allow-dirty -v -q",
}


def names_of(word: str) -> tuple[str, ...]:
    """Give the names a rule may know a program by: without folder, ``.exe``, version (``python3.12``), ``mkfs.ext4``.

    Args:
        word: The program as written.
    """
    name = word.rpartition("/")[2].lower().removesuffix(".exe")
    return tuple(dict.fromkeys((name, name.rstrip("0123456789.-") or name, name.partition(".")[0] or name)))


class Line:
    """A program's words."""

    __slots__ = ("_is_sorted", "_operands", "_options", "cwd", "is_path", "names", "targets", "words")

    def __init__(self, words: list[str], cwd: str, targets: tuple[str, ...] = ()) -> None:
        """Take the words, unknown ones empty, the folder and where the output goes."""
        self.words = words[1:]
        self.names = names_of(words[0]) if words else ("",)
        self.is_path = bool(words) and "/" in words[0]
        self.cwd = cwd
        self.targets = targets
        self._is_sorted = False
        self._options: list[tuple[str, str | None]] = []
        self._operands: list[tuple[str, bool]] = []

    @property
    def options(self) -> list[tuple[str, str | None]]:
        """Options with their values, ``None`` where none is known."""
        self._sort()
        return self._options

    @property
    def operands(self) -> list[tuple[str, bool]]:
        """Words that are no options, and whether they may be the value of the option in front of them."""
        self._sort()
        return self._operands

    def _sort(self) -> None:
        if self._is_sorted:
            return
        self._is_sorted = True
        valued = set(VALUED.get(self.names[0], "").split())
        is_behind_option = False
        index = 0
        while index < len(self.words):
            word = self.words[index]
            index += 1
            if word == "--":
                self._operands += [(rest, False) for rest in self.words[index:]]
                return
            if len(word) > 1 and word.startswith("-"):
                following = self.words[index] if index < len(self.words) else None
                took = self._option(word, following, valued)
                index += took
                is_behind_option = not took
                continue
            if not self._operands:
                valued.update(VALUED.get(f"{self.names[0]} {word}", "").split())
            self._operands.append((word, is_behind_option))
            is_behind_option = False

    def _option(self, word: str, following: str | None, valued: set[str]) -> bool:
        """Note one word of options; gives whether it takes the following word as its value."""
        name, sign, value = word.partition("=")
        if name in valued:
            self._options.append((name, value if sign else following))
            return not sign
        if len(name) > 2:  # noqa: PLR2004  more than a dash and a letter
            self._options.append((name, value if sign else None))
        for place, letter in enumerate(word[1:], 2):
            short = f"-{letter}"
            if not (letter.isalnum() or letter in "#+"):
                break
            if short in valued:
                rest = word[place:]
                self._options.append((short, rest or following))
                return not rest
            self._options.append((short, None))
        return False

    def behind(self, path: str) -> list[str] | None:
        """Give the operands behind a subcommand path, ``None`` if they do not start with one.

        Args:
            path: Paths separated by ``|``; ``""`` is the path of every line.
        """
        if not path:
            return [word for word, _ in self.operands]
        for phrase in path.split("|"):
            rest = self._behind_phrase(phrase.split())
            if rest is not None:
                return rest
        return None

    def _behind_phrase(self, phrase: list[str]) -> list[str] | None:
        found = 0
        for index, (word, is_maybe_value) in enumerate(self.operands):
            if word.lower() == phrase[found]:
                found += 1
                if found == len(phrase):
                    return [rest for rest, _ in self.operands[index + 1 :]]
            elif not is_maybe_value:
                return None
        return None

    def gives(self, group: str) -> bool:
        """Tell whether one of these options is given.

        Args:
            group: Options separated by blanks.
        """
        return any(_is_same(name, value, asked) for asked in group.split() for name, value in self.options)

    def is_spared(self, without: str, known: str) -> bool:
        """Tell whether an option that makes the line harmless is surely given.

        Behind an option that may take a value such a word may be that value, and a later word may take it back.

        Args:
            without: The options that make it harmless.
            known: Further options that are known to take no value.
        """
        if not without:
            return False
        flags = set(f"{without} {known} {FLAGS.get(self.names[0], '')}".split())
        for index, word in enumerate(self.words):
            if word == "--":
                return False
            before = self.words[index - 1] if index else ""
            following = self.words[index + 1] if index + 1 < len(self.words) else ""
            is_value = before.startswith("-") and before not in flags and not _is_cluster_of(before, flags)
            if is_value or following in _NEGATIONS:
                continue
            if any(asked in _spelled(word) and self._stays(asked) for asked in without.split()):
                return True
        return False

    def _stays(self, asked: str) -> bool:
        """Whether no other word takes an option back, and none that takes a value stands in its cluster."""
        denied = f"--no-{asked.lstrip('-').partition('=')[0]}"
        is_given = any(_is_same(name, value, asked) for name, value in self.options)
        return is_given and not any(name == denied for name, _ in self.options)

    def is_help(self, path: str) -> bool:
        """Tell whether the line asks for help or version alone: no option in front can have taken that word.

        Args:
            path: The row's subcommand path; without one there may be no other word, since it may be a program's.
        """
        first = next((word for word in self.words if word.startswith("-")), "")
        if path and first in _HELP:
            return True
        # ``-h`` is a host to some, ``--version`` takes a value in others: nothing may follow these.
        is_last = self.words[-1:] == [first]
        if path:
            return is_last and first in {"-h", "--version"}
        return len(self.words) == 1 and first in _HELP | {"--version"}

    def leading(self) -> list[str]:
        """Words in front of the first option that has a name of more than a letter."""
        found = []
        for word in self.words:
            if (word.startswith("-") and len(word) > 2) or word in {"(", "!"}:  # noqa: PLR2004  as above
                break
            if not word.startswith("-"):
                found.append(word)
        return found or ["."]

    def values(self) -> Iterator[str]:
        """What options are given, and words that an option in front may take."""
        for _, value in self.options:
            if value:
                yield value
        for word, is_maybe in self.operands:
            if is_maybe:
                yield word


def _is_cluster_of(word: str, flags: set[str]) -> bool:
    return all(f"-{letter}" in flags for letter in word[1:])


def _spelled(word: str) -> tuple[str, ...]:
    """Give the options that one word names."""
    if word.startswith("--") or not word.startswith("-"):
        return (word,)
    return (word, *(f"-{letter}" for letter in word[1:]))


def _is_same(name: str, value: str | None, asked: str) -> bool:
    wanted, sign, wanted_value = asked.partition("=")
    given = value or ""
    if sign and wanted_value not in (given, given.rpartition("/")[2]):
        return False
    if name == wanted:
        return True
    is_beginning = name.startswith("--") and name not in _WHOLE  # ``--h`` stands for ``--hard``
    return is_beginning and wanted.startswith(name)
