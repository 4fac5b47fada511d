"""What the naive lifecycle speaks of: trees, policies, messages, what the engine finds; as plain as the tests need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

Answer = Literal["pass", "deny", "block", "context"]
Author = Literal["human", "forged", "missing", "unreadable"]
Tree = Mapping[str, int]
Content = tuple[tuple[str, int], ...]
Diff = tuple[Content, Content]

# L2.4: what changes how the whole is built or run, if only a pattern of the boundary covers it.
SENSITIVE = ("pyproject.toml", "package.json", "Dockerfile")


def content(tree: Tree) -> Content:
    """Give a tree as a value; a file with content 0 is not there."""
    return tuple(sorted((path, version) for path, version in tree.items() if version))


def changed(before: Content, after: Content) -> frozenset[str]:
    """Give the paths that differ between two trees."""
    return frozenset(path for path, _ in set(before) ^ set(after))


def covers(entry: str, path: str) -> bool:
    """Tell whether a boundary entry covers a path (C4.16), for the entries that these tests use."""
    if entry.endswith("/"):
        return path.startswith(entry)
    return fnmatchcase(path, entry) and path.count("/") == entry.count("/")


def lies_within(entry: str, wider: str) -> bool:
    """Tell whether a boundary entry is another one or lies below it (L1.6), for the entries that these tests use."""
    return entry == wider or (wider.endswith("/") and entry.startswith(wider))


@dataclass(frozen=True)
class Check:
    """A required command."""

    id: str
    command: str
    timeout_s: int = 20


@dataclass(frozen=True)
class Policy:
    """What a policy names (L1.1), as far as the lifecycle depends on it; ``plan`` stands for the Plan's hash."""

    plan: str
    boundary: frozenset[str]
    commands: frozenset[str]
    required: tuple[Check, ...]
    max_rounds: int
    repeated_limit: int
    no_progress_limit: int
    parent: Policy | None = None

    def inside(self, path: str) -> bool:
        return any(covers(entry, path) for entry in self.boundary)

    def child(self) -> Policy:
        """L1.4: the same in all, with the active policy as parent."""
        return Policy(
            self.plan,
            self.boundary,
            self.commands,
            self.required,
            self.max_rounds,
            self.repeated_limit,
            self.no_progress_limit,
            parent=self,
        )


@dataclass(frozen=True)
class Plan:
    """A valid Plan as it stands in a message."""

    hash: str
    boundary: frozenset[str]
    commands: frozenset[str]
    required: tuple[Check, ...]
    criteria: tuple[str, ...] = ("AC1",)
    is_repair_enabled: bool = True
    max_rounds: int = 3
    repeated_limit: int = 2
    no_progress_limit: int = 2

    def policy(self) -> Policy:
        return Policy(
            plan=self.hash,
            boundary=self.boundary,
            commands=self.commands | {check.command for check in self.required},  # C4.22
            required=self.required,
            max_rounds=self.max_rounds if self.is_repair_enabled else 0,  # L2.2
            repeated_limit=self.repeated_limit,
            no_progress_limit=self.no_progress_limit,
        )


@dataclass(frozen=True)
class Amendment:
    """A Plan Amendment; ``material`` names the deltas that it declares material, ``wrong`` the binding that is stale."""

    hash: str
    boundary: frozenset[str]
    commands: frozenset[str]
    required: tuple[Check, ...]
    criteria: tuple[str, ...]
    material: frozenset[str]
    wrong: str = ""

    def policy(self, accepted: Policy, active: Policy) -> Policy:
        """L4.9: the limits and the Plan of the accepted policy, the replaced one as parent."""
        return Policy(
            plan=accepted.plan,
            boundary=self.boundary,
            commands=self.commands | {check.command for check in self.required},
            required=self.required,
            max_rounds=accepted.max_rounds,
            repeated_limit=accepted.repeated_limit,
            no_progress_limit=accepted.no_progress_limit,
            parent=active,
        )


@dataclass(frozen=True)
class Finding:
    id: str
    path: str
    is_material: bool = False


@dataclass(frozen=True)
class Review:
    """A Review; ``wrong`` names the binding that is not the one that the brief gave."""

    verdict: str
    findings: tuple[Finding, ...] = ()
    wrong: str = ""


@dataclass(frozen=True)
class Record:
    """A Repair Record; ``wrong`` names the binding that is not current."""

    wrong: str = ""


@dataclass(frozen=True)
class Resume:
    """A Repair Resume; ``wrong`` names the binding that is not current."""

    additional_rounds: int = 0
    wrong: str = ""


@dataclass(frozen=True)
class Completion:
    """A Completion; ``is_whole`` tells whether it lists each criterion once with a required id (C4.33)."""

    wrong: str = ""
    is_whole: bool = True


@dataclass(frozen=True)
class NearMiss:
    """An artifact's heading over a text that does not parse."""


@dataclass(frozen=True)
class Prose:
    """Any other message."""


Message = Plan | Amendment | Review | Record | Resume | Completion | NearMiss | Prose


@dataclass(frozen=True)
class Engine:
    """What a run of the required commands would find; ``output`` stands for what they print, numbers aside."""

    kind: Literal["green", "red", "unavailable", "moved", "busy"] = "green"
    output: int = 0


@dataclass(frozen=True)
class Evidence:
    """The engine's last record (C8.6, C8.7)."""

    is_green: bool
    diff: Diff
    commands: tuple[Check, ...]
    output: int

    @property
    def integrity(self) -> tuple[object, ...]:
        return (self.commands, self.is_green)

    @property
    def progress(self) -> tuple[object, ...]:
        return (self.commands, self.is_green, self.output)


@dataclass
class Gate:
    """The one open question (C5.1)."""

    kind: Literal["Plan", "Plan Amendment", "Repair Resume"]
    artifact: Plan | Amendment | Resume
    opened_ms: int
    revision: int
    diff: Diff | None = None


@dataclass
class Begin:
    """Diff and evidence at a round's begin, what it is about, and what its last Record found (L2.6, L3.3, L3.5)."""

    diff: Diff
    evidence: Evidence
    findings: tuple[str, ...]
    last_record: tuple[Diff, tuple[object, ...]] | None = None


@dataclass
class Attestation:
    """The Review that the Reviewer of this revision gave (C8.16)."""

    review: Review
    revision: int
    diff: Diff
