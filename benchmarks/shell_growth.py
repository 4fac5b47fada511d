"""How the time of the shell analysis grows with the length of the text: each kind of text at doubling lengths.

    python benchmarks/shell_growth.py [--shfmt PATH] [--longest BYTES] [KIND ...]

Prints, for each kind and length, the seconds of the readers (processes) and of the analysis, and the ratio to half the
length: 2.0 is linear. What is read stays under the limits of the analysis; beyond them a text is refused unread.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from harness_guard.evidence.shell_facts import gather  # noqa: E402  the path has to be set first
from harness_guard.shell.analysis import Needs, ShellFacts, Surroundings, analyse  # noqa: E402
from harness_guard.shell.effects import Effects  # noqa: E402

WHERE = Surroundings("/repo", "/repo", "/home/dev", git_folders=("/repo/.git",))
SHORTEST = 8_000

# Kind -> what is repeated, with ``#`` for the number of the round, and what stands in front and behind.
KINDS: dict[str, tuple[str, str, str]] = {
    "commands": ("", "ls src\n", ""),
    "variables": ("", "v#=a$v#\n", "echo $v1"),
    "one variable": ("x=a\n", "x=$x\n", "echo $x"),
    "words": ("touch", " a#", "\n"),
    "pipeline": ("ls", " | cat", "\n"),
    "lists": ("ls", " && ls || pwd", "\n"),
    "functions": ("", "f#() { ls; }\nf#\n", ""),
    "one function": ("f() { x=$1; ls; }\n", "f a\n", ""),
    "loops": ("", "for i in a b; do touch $i; done\n", ""),
    "folders": ("", "cd src; cd ..\n", ""),
    "branches": ("", "if ls; then x=#; fi\n", ""),
    "array": ("a=(", " w#", ')\necho "${a[@]}"\n'),
    "here-document": ("cat <<'E'\n", "some line of text\n", "E\n"),
    "comment": ("", "# nothing to see here\n", "ls\n"),
    "quotes": ("echo '", "a\\$`", "'\n"),
    "braces": ("echo ", "{a,b}", "\n"),
    "nesting": ("", "( ", ""),
    "open quotes": ("", "'\"", ""),
    "dollars": ("echo ", "$x${y}", "\n"),
    "writes": ("", "touch a#\n", ""),
    "renames": ("", "mv a# b#\n", ""),
    "one word": ("echo ", "abcdefgh", "\n"),
    "plain": ("echo ", "word ", ""),
    "blanks": ("", " \t", "ls"),
}


def text_of(kind: str, length: int) -> str:
    """Build a text of a kind that is about so long."""
    head, piece, tail = KINDS[kind]
    rounds = max(1, (length - len(head) - len(tail)) // len(piece))
    return head + "".join(piece.replace("#", str(number)) for number in range(rounds)) + tail


def measure(text: str, shfmt: str) -> tuple[float, float, str]:
    """Give the seconds of the readers and of the analysis, and what came of it."""
    facts = ShellFacts()
    readers = analysis = 0.0
    while True:
        start = time.perf_counter()
        found = analyse(text, WHERE, facts)
        analysis += time.perf_counter() - start
        if isinstance(found, Effects):
            return readers, analysis, found.unknown[0].why if found.unknown else "understood"
        start = time.perf_counter()
        facts = gather(text, Needs(found.texts, found.folders), facts, shfmt=shfmt)
        readers += time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    parser.add_argument("--shfmt", default=str(Path(sys.executable).parent / "shfmt"))
    parser.add_argument("--longest", type=int, default=1_000_000)
    args = parser.parse_args()
    for kind in args.kinds:
        before = 0.0
        length = SHORTEST
        while length <= args.longest:
            readers, analysis, came = measure(text_of(kind, length), args.shfmt)
            total = readers + analysis
            ratio = f"{total / before:5.2f}" if before else "     "
            print(
                f"{kind:14} {length:7} readers {readers:6.3f} s, analysis {analysis:6.3f} s  ratio {ratio}  {came[:45]}"
            )
            before = total
            length *= 2
    print("ratio: to half the length; 2.0 is linear")


if __name__ == "__main__":
    main()
