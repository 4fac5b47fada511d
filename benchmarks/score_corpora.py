"""Score the shell analysis on the corpora: unsound allows, false denies and their causes, verdicts on peer cases.

    python benchmarks/score_corpora.py --corpora DIR [--shfmt PATH] [--strict] [--causes N]

``DIR`` holds ``shell-oracle/`` (corpus, fixture, ``score.py``) and ``peer-cases/``. Needs root, for the mounts.
The analysis runs in this process; what it says is resolved on the fixture and compared as the kernel does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from harness_guard.errors import EvidenceError  # noqa: E402  the path has to be set first
from harness_guard.evidence.resolve import resolve_link, resolve_path, resolve_write  # noqa: E402
from harness_guard.evidence.shell_facts import gather  # noqa: E402
from harness_guard.paths import names_control_plane  # noqa: E402
from harness_guard.policy.boundary import covers_reach  # noqa: E402
from harness_guard.policy.danger import danger_of  # noqa: E402
from harness_guard.policy.odd_name import odd_part  # noqa: E402
from harness_guard.shell.analysis import Surroundings, analyse  # noqa: E402
from harness_guard.shell.effects import MOVED_AWAY, Effects  # noqa: E402
from harness_guard.shell.facts import ShellFacts  # noqa: E402

if TYPE_CHECKING:
    from harness_guard.policy.place import Place

BOUNDARIES = (("/repo",), ("/repo/src",), ("/repo/docs", "/repo/tests"))
SHFMT = os.environ.get("SCORE_SHFMT", "")


def effects_of(command: str, *, cwd: str = "/repo", root: str = "/repo", home: str = "/home/dev") -> Effects:
    """Give a command's effects, with every fact gathered from this machine."""
    surroundings = Surroundings(cwd, root, home, git_folders=(f"{root}/.git",))
    facts = ShellFacts()
    while True:
        found = analyse(command, surroundings, facts)
        if isinstance(found, Effects):
            return found
        facts = gather(command, found, facts, shfmt=SHFMT)


def entries_of(boundary: list[str]) -> tuple[str, ...]:
    """Write the scorer's folders as a Plan does."""
    return tuple("**" if entry == "/repo" else f"{entry.removeprefix('/repo/')}/**" for entry in boundary)


def problem_of(place: Place, boundary: tuple[str, ...]) -> str:
    """Say why a place may not be written, as the kernel's checks do; ``""`` if it may."""
    if place.is_harmless or place.real.startswith("/dev/"):
        return ""
    if place.below or any(names_control_plane(name) for name in place.real.split("/")):
        return "the control plane"
    if place.relative is None or place.nested is not None:
        return "outside the repository"
    if not covers_reach(boundary, place.relative, reach=place.reach):
        return "outside the boundary"
    return "a hard link" if place.has_other_names else ""


_NAMES = {"modules": "json.py", "listed": "a b", "settings": "pyproject.toml"}


def is_unsettled(real: str, boundary: tuple[str, ...], reached: list[str], *, what: str) -> bool:
    """Whether what the effects go by may change, in the call or beside it, as the kernel asks."""
    if what in {"names", "dashes", "links"}:
        return False  # no call makes a name that would come apart or look like an option, nor a link that leads out
    if any(f"{real}/".startswith(f"{place}/") for place in reached):
        return True
    if f"{real}/".startswith("/repo/"):
        inside = real.removeprefix("/repo").removeprefix("/")
        return covers_reach(boundary, f"{inside}/{_NAMES.get(what, '')}".strip("/"), reach="path")
    return False


KEY = "/home/dev/.claude/plugins/data/harness-guard/key"  # where a host would have the guard's data


def may_read_key(found: Effects) -> bool:
    """Whether a command shows what stands in the guard's key, or in any folder around it, as the kernel asks."""
    shown = [read.path for read in found.reads if not (read.is_listing or read.is_pattern or read.is_flat)]
    try:
        return any(f"{KEY}/".startswith(resolve_path(path, follow=True).rstrip("/") + "/") for path in shown)
    except EvidenceError:
        return True


def why_not(command: str, boundary: list[str]) -> str:
    """Give the reason to refuse a command, ``""`` to let it pass."""
    found = effects_of(command)
    danger = danger_of(command, found)
    if danger is not None:
        return f"danger {danger.rule}"
    if found.unknown:
        return found.unknown[0].why
    if may_read_key(found):
        return "it may read the guard's key"
    entries = entries_of(boundary)
    relied = [(resolve_path(one.path, follow=True), one.what) for one in found.relies]
    try:
        # P7: git's own files through a subcommand of the table are no place.
        places = [place for write in found.writes if not write.is_git_own for place in resolve_write(write, "/repo")]
        links = [place for link in found.links for place in resolve_link(link, "/repo")]
    except EvidenceError:
        return "what it reaches on disk cannot be told"
    reached = [place.real for place in places]
    if any(is_unsettled(real, entries, reached, what=what) for real, what in relied):
        return "it goes by what the run may change meanwhile"
    problem = next(filter(None, (problem_of(place, entries) for place in [*places, *links])), "")
    return problem or ("a new name that would come apart" if makes_odd_name(found) else "")


def makes_odd_name(found: Effects) -> bool:
    """Whether a new name in the repository is no single plain word, as the kernel asks of literal names."""
    paths = [link.path for link in found.links]
    for write in found.writes:
        if write.kind != "meta" and write.by not in {"rm", "rmdir", "unlink", MOVED_AWAY}:
            paths += [place.real for place in resolve_write(write, "/repo") if place.relative is not None]
    parts = [odd_part(path.removeprefix("/repo/")) for path in paths]
    return any(part and not os.path.lexists(f"/repo/{part}") for part in parts)


def decide(payload: dict[str, dict[str, str]], boundary: list[str]) -> str:
    """Answer as ``score.py`` asks a callable guard."""
    return "deny" if why_not(payload["tool_input"]["command"], boundary) else "allow"


def score_oracle(
    folder: Path, *, boundary: tuple[str, ...], strict: bool
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Run ``score.py`` with this file as the guard; gives its summary and its details."""
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as details:
        argv = [sys.executable, str(folder / "score.py"), "--corpus", str(folder / "corpus-dev.jsonl"), "--fixture",
                str(folder / "fixture.py"), "--guard-callable", f"{Path(__file__).resolve()}:decide", "--json",
                "--details", details.name]  # fmt: skip
        for entry in boundary:
            argv += ["--boundary", entry]
        done = subprocess.run([*argv, *(["--strict"] if strict else [])], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip
        if done.returncode:
            sys.exit(done.stderr or done.stdout)
        return json.loads(done.stdout), [json.loads(line) for line in details]


def print_oracle(folder: Path, *, strict: bool, causes: int) -> int:
    """Print the table for each boundary; gives the number of unsound allows."""
    corpus = {row["id"]: row for row in map(json.loads, (folder / "corpus-dev.jsonl").read_text().splitlines())}
    unsound = 0
    for boundary in BOUNDARIES:
        summary, details = score_oracle(folder, boundary=boundary, strict=strict)
        total = summary["total"]
        shown = " ".join(boundary)
        denies = f"{total['false_deny']:4} of {total['harmless']:4} ({total['false_deny_pct']} %)"
        print(f"{shown:24} unsound {total['unsound_allow']:3} of {total['must_deny']:4}  false denies {denies}")
        print(f"    faults {summary['faults']}  latency {summary['latency_ms']}")
        unsound += _unsound_beyond_git(details, corpus, boundary)
        if boundary == BOUNDARIES[0] and causes:
            print_groups(summary, details, corpus)
            print_causes(details, corpus, causes)
    return unsound


def _unsound_beyond_git(
    details: list[dict[str, object]], corpus: dict[str, dict[str, object]], boundary: tuple[str, ...]
) -> int:
    """Count the unsound allows; git's own files (P7) and what the command does not name are told apart."""
    counts: Counter[str] = Counter()
    for row in (corpus[found["id"]] for found in details if "unsound_allow" in found["tags"]):
        wrote = [path for path in row["writes_inside"] + row["writes_outside"] if not is_inside(path, boundary)]
        named = [path for path in wrote if path not in row["incidental_outside"]]
        outside = [path for path in named if "/.git/" not in f"{path}/"]
        label = "unsound" if outside else "git's own files" if named else "not named"
        counts[label] += 1
        if outside:
            print(f"    {label:16}", row["id"], repr(row["cmd"][:100]), outside[:3])
    print("    allowed writes outside: " + (", ".join(f"{count} {name}" for name, count in counts.items()) or "none"))
    return counts["unsound"]


def is_inside(path: str, boundary: tuple[str, ...]) -> bool:
    """Whether a path that was written lies in the boundary."""
    return any(path == entry or path.startswith(entry.rstrip("/") + "/") for entry in boundary)


# A program or text whose code reading cannot see, or that acts on another machine: these wait for confinement.
OPAQUE = (
    "is not in the table", "program that is not read", "named by its path", "program whose name", "shell whose text",
    "command that runs text", "no command of git", "code that was not read", "runs on another machine", "sends",
    "in a way that the table does not list", "run the hook", "runs the signing program", "runs a program", "an applet",
    "starts a program", "runs a module", "may do more than compute", "program in a file", "would open an editor",
    "may run a program", "text for another shell",
)  # fmt: skip
REAL = ("agent", "workflow", "doc-block", "makefile")  # what people and agents wrote for their own work


def kind_of(command: str) -> str:
    """Say of a refused command why it was: danger, opaque, or the reason itself.

    A command with an opaque program in it waits for confinement, whatever else is not known of it.
    """
    why = why_not(command, ["/repo"])
    if why.startswith("danger"):
        return "danger"
    reasons = [why, *(unknown.why for unknown in effects_of(command).unknown)]
    return "opaque" if any(phrase in reason for phrase in OPAQUE for reason in reasons) else why


def print_groups(
    summary: dict[str, object], details: list[dict[str, object]], corpus: dict[str, dict[str, str]]
) -> None:
    """Print the false denies by group, and the shares with opaque programs, and with named dangers, aside."""
    refused = [row["id"] for row in details if "false_deny" in row["tags"]]
    kinds = {identifier: kind_of(corpus[identifier]["cmd"]) for identifier in refused}
    harmless = {name: row["harmless"] for name, row in summary["by_group"].items()}
    for name, row in summary["by_group"].items():
        if row["false_deny"]:
            print(f"    {name:22} {row['false_deny']:4} of {row['harmless']:4}")
    for label, groups in (("agent, workflow, doc-block, makefile", REAL), ("all groups", tuple(harmless))):
        found = [kinds[identifier] for identifier in refused if corpus[identifier]["group"] in groups]
        opaque, danger, total = found.count("opaque"), found.count("danger"), sum(harmless[name] for name in groups)
        rest = len(found) - opaque
        print(
            f"    {label}: {len(found)} of {total}; opaque programs aside {rest} of {total - opaque} "
            f"({rest / (total - opaque):.1%}); named dangers aside too {rest - danger} of {total - opaque - danger} "
            f"({(rest - danger) / (total - opaque - danger):.1%})"
        )


def print_causes(details: list[dict[str, object]], corpus: dict[str, dict[str, str]], most: int) -> None:
    """Print why harmless commands were refused, most frequent first."""
    found: Counter[str] = Counter()
    example = {}
    for row in details:
        if "false_deny" in row["tags"]:
            command = corpus[row["id"]]["cmd"]
            why = why_not(command, ["/repo"])
            found[why] += 1
            example.setdefault(why, command)
    for why, count in found.most_common(most):
        print(f"    {count:4}  {why[:60]:60}  {example[why][:70]!r}")


def print_peers(file: Path) -> None:
    """Print, by class, how many commands are named dangerous, refused as unknown, or pass."""
    table: dict[tuple[str, str], Counter[str]] = {}
    top = tempfile.mkdtemp()
    subprocess.run(["git", "init", "-q", top], check=True)
    for row in map(json.loads, file.read_text().splitlines()):
        if row.get("tool") != "Bash" or not isinstance(row.get("cmd"), str):
            continue
        command = row["cmd"].replace("/proj", top)  # the cases' repository
        found = effects_of(command, cwd=top, root=top)
        danger = danger_of(command, found)
        is_known = not found.unknown and not may_read_key(found)
        verdict = "danger" if danger else "unknown" if not is_known else "writes" if found.writes else "reads"
        table.setdefault((row["class"], row["expect"]), Counter())[verdict] += 1
    for (kind, expect), counts in sorted(table.items()):
        print(
            f"{kind:24} {expect:6} "
            + "  ".join(f"{name} {counts[name]:4}" for name in ("danger", "unknown", "writes", "reads"))
        )


def main() -> None:
    """Print both tables; fails if any allow is unsound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--shfmt", default=str(Path(sys.executable).parent / "shfmt"))
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--causes", type=int, default=25)
    args = parser.parse_args()
    os.environ["SCORE_SHFMT"] = args.shfmt
    globals()["SHFMT"] = args.shfmt
    unsound = print_oracle(args.corpora / "shell-oracle", strict=args.strict, causes=args.causes)
    print_peers(args.corpora / "peer-cases" / "dev.jsonl")
    sys.exit(1 if unsound else 0)


if __name__ == "__main__":
    main()
