"""Draw the README's picture of a guarded run from real output of the demo.

    python3 docs/img/guarded_run.py            plays the demo, keeps its output beside the picture and draws it
    python3 docs/img/guarded_run.py --check    draws the kept output again and compares; nothing is written

Random ids and temporary paths are cut out of the kept output, so that a new recording differs only where the guard's
words do. Plain text in SVG: it can be read, searched and selected, and runs nothing.
"""  # noqa: INP001  a script, no package

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
ROOT: Final = FOLDER.parents[1]
TRANSCRIPT: Final = FOLDER / "guarded-run.txt"
PICTURE: Final = FOLDER / "guarded-run.svg"

COLUMNS: Final = 112
_LINE_PX: Final = 19
_CHARACTER_PX: Final = 8.0  # of the monospaced face below, so that text never leaves the box
_MARGIN_PX: Final = 20
_COLOURS: Final = {
    "DENIED": "#ff7b72",
    "BLOCKED": "#ffa657",
    "TOLD": "#79c0ff",
    "passes": "#7ee787",
    "All": "#7ee787",
}
_PLAIN: Final = "#c9d1d9"
_DIM: Final = "#8b949e"
_ANSWER = re.compile(r"^    -> (DENIED|BLOCKED|TOLD|passes)")
_RUN = re.compile(r"\b[0-9a-f]{16}\b")
_STAGE = re.compile(r"A guarded run in \S+, fired through \S+/hooks/hooks\.json")


def cleaned(output: str) -> str:
    """Cut what differs from one recording to the next: run ids, temporary paths."""
    return _RUN.sub("…", _STAGE.sub("A guarded run in a throwaway repository, fired through hooks/hooks.json", output))


def _lines(transcript: str) -> Iterator[tuple[str, str]]:
    """Give each line to draw with its colour; an answer's colour holds over its wrapped lines."""
    for line in transcript.rstrip("\n").split("\n"):
        found = _ANSWER.match(line)
        first = line.split(" ", 1)[0]
        colour = _COLOURS[found[1]] if found else _COLOURS.get(first, _PLAIN if line[:2].strip() else _DIM)
        indent = " " * (7 if found else 4)
        for part in textwrap.wrap(line, COLUMNS, subsequent_indent=indent, drop_whitespace=True) or [""]:
            yield part, colour


def draw(transcript: str) -> str:
    """Give the picture of a transcript as SVG."""
    lines = [("$ python3 hooks/harness_guard.py demo", _PLAIN), *_lines(transcript)]
    width = int(COLUMNS * _CHARACTER_PX) + 2 * _MARGIN_PX
    height = len(lines) * _LINE_PX + 2 * _MARGIN_PX
    rows = [
        f'<text x="{_MARGIN_PX}" y="{_MARGIN_PX + (number + 1) * _LINE_PX - 5}" fill="{colour}" '
        f'xml:space="preserve">{escape(text)}</text>'
        for number, (text, colour) in enumerate(lines)
        if text
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="A guarded run, event by event" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">'
    )
    box = f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>'
    return "\n".join([head, box, *rows, "</svg>"]) + "\n"


def record() -> str:
    """Play the demo and give its cleaned output.

    Raises:
        SystemExit: If the demo did not end as it must.
    """
    command = [sys.executable, str(ROOT / "hooks" / "harness_guard.py"), "demo"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise SystemExit("the demo did not end as it must; nothing is drawn")
    return cleaned(done.stdout)


def main(arguments: list[str]) -> int:
    """Record and draw, or with ``--check`` compare the picture with the kept output."""
    if arguments == ["--check"]:
        kept = TRANSCRIPT.read_text(encoding="utf-8")
        return int(PICTURE.read_text(encoding="utf-8") != draw(kept) or cleaned(kept) != kept)
    transcript = record()
    TRANSCRIPT.write_text(transcript, encoding="utf-8")
    PICTURE.write_text(draw(transcript), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
