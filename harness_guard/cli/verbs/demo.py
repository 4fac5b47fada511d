"""``harness-guard demo``: a whole guarded run on a throwaway repository, each event with its decision."""

from __future__ import annotations

import os

import click

from harness_guard.cli.installation import data_places, plugin_root
from harness_guard.cli.rehearsal.material import FILES
from harness_guard.cli.rehearsal.scenes import SCENES, Play
from harness_guard.cli.rehearsal.stage import set_stage
from harness_guard.cli.say import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harness_guard.cli.registered import Fired
    from harness_guard.cli.rehearsal.scenes import Scene

_WORDS: Final = {
    "silent": "passes in silence",
    "denied": "DENIED",
    "blocked": "BLOCKED",
    "told": "TOLD",
    "broken": "BROKEN ANSWER",
}
_LINE: Final = 160  # characters of a reason's first line


@click.command("demo")
def command() -> int:
    """Play a whole guarded run on a throwaway repository, through the registered hook commands.

    Each event is shown with what was tried and what the guard answered. Ends with status 1 if one answer is not what
    it has to be. Nothing is left behind but the runtime in the cache folder.
    """
    root = plugin_root()
    differing = 0
    with set_stage(root, data_places(None, os.environ), FILES) as stage:
        say(f"A guarded run in {stage.repository}, fired through {root}/hooks/hooks.json\n")
        play = Play(stage, root)
        for number, scene in enumerate(SCENES, 1):
            fired, problem = play.play(scene)
            _show(number, scene, fired)
            if problem is not None:
                differing += 1
                say(f"    UNEXPECTED: {problem}")
    if differing:
        say(f"\n{differing} of {len(SCENES)} answers are not what they have to be; please report this output.")
        return 1
    say(f"\nAll {len(SCENES)} answers are what they have to be.")
    return 0


def _show(number: int, scene: Scene, fired: Fired) -> None:
    say(f"{number:2}. {scene.event}: {scene.tried}")
    first = fired.first_line.removeprefix("harness-guard ").removeprefix("harness-guard: ")
    short = first if len(first) <= _LINE else f"{first[: _LINE - 1]}…"
    say(f"    -> {_WORDS[fired.verdict]}{': ' + short if short else ''}")
