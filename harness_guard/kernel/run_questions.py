"""What the kernel asks of the world about a run as a whole, and what it is told: tree, verification, plugin, new runs.

Apart from ``questions.py``, because a tool call that is let pass asks none of it and would pay for loading it.
"""

from __future__ import annotations

from harness_guard.kernel.questions import Question
from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from harness_guard.policy.model import Policy


@dataclass(frozen=True, slots=True)
class Now(Question["int"]):
    """Wall clock, milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class TurnSeen(Question["bool"]):
    """Whether this turn or prompt id was seen in an earlier event of the session."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class ProcessAlive(Question["bool"]):
    """Whether the process with this id and start still runs."""

    pid: int
    started: str


@dataclass(frozen=True, slots=True)
class QueuedBefore(Question["bool"]):
    """Whether the transcript shows this prompt as enqueued before the moment."""

    transcript_path: str | None
    prompt: str
    before_ms: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The working tree against the run's baseline.

    Attributes:
        diff_revision: Content hash of the working tree against the baseline.
        changed: Repository-relative paths that differ, sorted.
        tree: Tree id of the working tree.
    """

    diff_revision: str
    changed: tuple[str, ...]
    tree: str


@dataclass(frozen=True, slots=True)
class TreeNow(Question["Snapshot"]):
    """The working tree now, against the baseline."""


@dataclass(frozen=True, slots=True)
class ChangedSince(Question["tuple[str, ...]"]):
    """Repository-relative paths that differ between a tree of an earlier snapshot and the working tree, sorted."""

    tree: str


@dataclass(frozen=True, slots=True)
class TrackedPaths(Question["tuple[str, ...]"]):
    """Every path that git tracks below the root, for the second reader of a boundary."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One command that the engine ran.

    Attributes:
        id: Its id in the plan.
        command: Its text.
        exit_status: Its exit status; negative for a signal; ``None`` if it could not be started.
        timed_out: Whether the engine ended it at its limit.
        tail: The end of its output.
    """

    id: str
    command: str
    exit_status: int | None
    timed_out: bool
    tail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What one engine run found.

    Attributes:
        outcome: ``green``, ``red``, ``unavailable`` (a command could not be started), ``moved`` (the tree or the
            control plane changed meanwhile) or ``busy`` (another engine run is under way).
        diff_revision: Diff revision before and after; they are equal unless ``moved``.
        integrity_fingerprint: Over strategy, commands and results.
        progress_fingerprint: Over what the results mean, without wording.
        failed: The first command that was not green.
        detail: What moved or is busy, for the reason.
        paths: Paths that moved, sorted.
        runs: Every command that ran.
    """

    outcome: Literal["green", "red", "unavailable", "moved", "busy"]
    diff_revision: str = ""
    integrity_fingerprint: str = ""
    progress_fingerprint: str = ""
    failed: CommandRun | None = None
    detail: str = ""
    paths: tuple[str, ...] = ()
    runs: tuple[CommandRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified(Question["Verification"]):
    """Run the required commands of the policy now, unless the tree has not moved since a run of the same ones."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class LastVerification(Question["Verification | None"]):
    """The engine's last record, if it is whole and the one that the state names."""


@dataclass(frozen=True, slots=True)
class LatestRecord(Question["Verification | None"]):
    """The engine's latest whole record of this run, whether or not the state has taken it."""


@dataclass(frozen=True, slots=True)
class BriefFile(Question["str"]):
    """Absolute path of the Reviewer's ``brief.md``."""


@dataclass(frozen=True, slots=True)
class TemplateText(Question["str"]):
    """Text of the template of this name, without its ending."""

    name: str


@dataclass(frozen=True, slots=True)
class PendingAttestation(Question["str | None"]):
    """Text of the Review that the Reviewer of this revision gave, if its sealed attestation is whole and current."""


@dataclass(frozen=True, slots=True)
class Installed(Question["Installation"]):
    """Where this copy of the plugin lies."""


@dataclass(frozen=True, slots=True)
class Installation:
    """Where this copy of the plugin lies and how it is called.

    Attributes:
        skill: Absolute path of ``skills/harness/SKILL.md``.
        contract: Absolute path of ``contracts/harness-contract.md``.
        templates: Absolute path of the folder of templates.
        command: The one spelling of the command line.
        marketplace: Marketplace that this copy was installed from.
        version: The plugin's version.
        root: Repository root for a new run: where the host's conversation stands.
    """

    skill: str
    contract: str
    templates: str
    command: str
    marketplace: str
    version: str
    root: str


@dataclass(frozen=True, slots=True)
class NewRun(Question["NewRunFacts"]):
    """What a new run needs: a random id, its scratch folder, the control plane around its repository."""

    root: str


@dataclass(frozen=True, slots=True)
class NewRunFacts:
    """Facts of a new run.

    Attributes:
        run_id: A random id.
        root: The repository's real root; ``""`` if the folder is in no git repository.
        control_plane: JSON of the control plane.
        problem: Why no run can start here, ``""`` if one can.
    """

    run_id: str
    root: str
    control_plane: dict[str, object]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TakeBaseline(Question["BaselineFacts"]):
    """Record HEAD and the working tree as they are now, and make the run's scratch folder."""

    caches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BaselineFacts:
    """What was recorded at approval."""

    head: str
    tree: str
    scratch: str


@dataclass(frozen=True, slots=True)
class AbsorbForeign(Question["str"]):
    """Take these paths, as they are now, into the baseline; the answer is the new baseline tree."""

    paths: tuple[str, ...]
