"""A place: one thing on disk that a write would reach, with every fact that the comparison with a boundary needs."""

from __future__ import annotations

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness_guard.policy.boundary import Reach


@dataclass(frozen=True, slots=True)
class Place:
    """One thing that a write would reach.

    Attributes:
        real: Absolute path with links resolved, spelled as on disk as far as it exists; for ``pattern`` the real
            folder followed by the pattern.
        relative: The same relative to the repository root in NFC, ``""`` for the root; ``None`` if it lies outside.
        reach: ``path``: that name or content. ``folder``: an empty folder. ``tree``: all below it too. ``pattern``: all
            that the pattern could match.
        nested: Folder, relative to the root, of another repository below the root in which it lies.
        links: Names that the content has; with more than one, the write is seen under names that are not known here.
        below: Names of the control plane found below a tree, at least one if there is any.
        is_harmless: Whether nothing is written after all: a stream, or a folder that ``mkdir`` finds in place.
    """

    real: str
    relative: str | None
    reach: Reach = "path"
    nested: str | None = None
    links: int = 1
    below: tuple[str, ...] = ()
    is_harmless: bool = False

    @property
    def has_other_names(self) -> bool:
        """Whether what is written is seen under another name too (a hard link)."""
        return self.links > 1
