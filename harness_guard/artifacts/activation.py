"""Prompt text to an activation, a verb, an answer or nothing (contract sections 3 and 5).

Two readers have to agree: a line reader that finds the lines which start with one of the exact forms, and a
CommonMark parser that says whether such a line is ordinary paragraph text. Where a text can be read two ways, the
reading that does not activate is taken:

- a paragraph inside a list item, a quote or emphasis is no ordinary text, a lazy continuation line of one neither;
- only ASCII blanks and line ends end the word, so ``$harness.`` and a no-break space behind it are a mention;
- an opening ``<pre>``, ``<code>``, ``<script>`` or ``<textarea>`` counts wherever CommonMark sees HTML, inside a
  comment too, and only an end tag that CommonMark sees as HTML ends it;
- text that a host wraps as pasted (``<pasted_content …>``) is a quotation;
- a link's target has to be written out on its line, without a title.

A verb is the whole line; what else the prompt says does not matter. Of several activating lines the first one counts.
"""

from __future__ import annotations

import re

from harness_guard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final, Literal

    from markdown_it.token import Token

    VerbName = Literal["cancel", "status"]

PERSONAL_MARKETPLACE: Final = "personal"
# Bounds the time that hostile Markdown can take (seconds at worst); a longer prompt does not activate.
MOST_CHARACTERS: Final = 200_000

_LINE_END = re.compile(r"\r\n|\r|\n")  # CommonMark 2.1
_RAW_TAG = re.compile(r"<(/?)(pre|code|script|textarea)(?=[\s/>]|$)", re.IGNORECASE)
_PASTED_TAG = re.compile(r"<(/?)(pasted_content)(?=[\s/>]|$)")
_PRIVATE_USE = range(0xE000, 0xF900)
_BREAKS = frozenset({"softbreak", "hardbreak"})


@dataclass(frozen=True, slots=True)
class Activation:
    """The prompt starts a run; ``task`` is everything behind the activating words, without blanks at its ends."""

    task: str


@dataclass(frozen=True, slots=True)
class Verb:
    """The prompt is a verb of an active run."""

    name: VerbName


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line that starts with an exact form: its index, where the form ends on it, a link's target (else ``""``)."""

    index: int
    end: int
    target: str


def read_prompt(prompt: str, *, skill_path: str, marketplace: str) -> Activation | Verb | None:
    """Read what a prompt asks of the guard.

    Args:
        prompt: The prompt as the host sent it.
        skill_path: Absolute path of this plugin's ``skills/harness/SKILL.md``, ``""`` if unknown.
        marketplace: Name of the marketplace that this copy was installed from, ``""`` if unknown.

    Returns:
        An activation, a verb, or ``None`` for every other prompt.
    """
    if len(prompt) > MOST_CHARACTERS or not _may_hold_a_form(prompt):
        return None
    lines = _LINE_END.split(prompt)
    forms = _forms(skill_path, marketplace)
    candidates = [found for found in (_candidate(i, line, forms) for i, line in enumerate(lines)) if found]
    first = _first_in_paragraph(lines, candidates) if candidates else None
    if first is None:
        return None
    rest = lines[first.index][first.end :].strip()
    if rest == "cancel":
        return Verb("cancel")
    if rest == "status":
        return Verb("status")
    return Activation("\n".join([rest, *lines[first.index + 1 :]]).strip())


def is_approval(prompt: str) -> bool:
    """Tell whether a prompt is exactly the answer that approves: ``y``, at most one line end (contract section 5)."""
    return prompt in {"y", "y\n", "y\r\n"}


def would_act(text: str, *, skill_path: str, marketplace: str) -> bool:
    """Tell whether a text, made a prompt by a tool, could activate, be a verb or approve (contract section 5).

    Says yes more often than ``read_prompt``: hosts trim and wrap prompts, so blanks around lines and characters that
    cannot be seen do not count, and no Markdown excuses a line.

    Args:
        text: The text that a tool call would send.
        skill_path: As for ``read_prompt``.
        marketplace: As for ``read_prompt``.

    Returns:
        Whether the call has to be refused.
    """
    seen = "".join([c if c.isprintable() or c in "\r\n" else " " * c.isspace() for c in text])
    if seen.strip() == "y":
        return True
    forms = _forms(skill_path, marketplace)
    return _may_hold_a_form(seen) and any(_candidate(0, line.strip(), forms) for line in seen.splitlines())


def _may_hold_a_form(text: str) -> bool:
    return "$harness" in text or "/skills/harness/SKILL.md" in text or "plugin://harness@" in text


def _forms(skill_path: str, marketplace: str) -> re.Pattern[str]:
    names = {PERSONAL_MARKETPLACE, marketplace} - {""}
    plugins = "|".join([re.escape(name) for name in sorted(names)])
    targets = {skill_path, f"<{skill_path}>", skill_path.replace(" ", "%20")} if skill_path else set()
    skills = "|".join([re.escape(target) for target in sorted(targets)]) or "(?!)"  # an unknown path matches nothing
    return re.compile(
        rf"(?:\$harness(?::harness)?"
        rf"|\[@harness\]\((?P<plugin>plugin://harness@(?:{plugins}))\)"
        rf"|\[[^\[\]\\`<>\n]*\]\((?P<skill>{skills})\))"
        rf"(?=[ \t]|$)"
    )


def _candidate(index: int, line: str, forms: re.Pattern[str]) -> _Candidate | None:
    found = forms.match(line)
    return None if found is None else _Candidate(index, found.end(), found["plugin"] or found["skill"] or "")


def _first_in_paragraph(lines: list[str], candidates: list[_Candidate]) -> _Candidate | None:
    """Ask the CommonMark parser which of the lines is ordinary paragraph text; give the first.

    Each candidate gets a mark of private-use characters (in place of ``$harness``, in front of a link). They mean
    nothing to Markdown, so the text is parsed as it stands, and a mark that comes back as the start of a line of plain
    text proves that line and no other.
    """
    used = set("\n".join(lines))
    mark = next((chr(code) for code in _PRIVATE_USE if chr(code) not in used), None)
    if mark is None:
        return None
    marked = list(lines)
    for number, item in enumerate(candidates):
        kept = lines[item.index][0 if item.target else item.end :]
        marked[item.index] = f"{mark}{number}{mark}{kept}"
    for number, target in _proved_marks("\n".join(marked), mark):
        if target == _normalized(candidates[number].target):
            return candidates[number]
    return None


def _normalized(target: str) -> str:
    from markdown_it.common.normalize_url import normalizeLink

    return normalizeLink(target.removeprefix("<").removesuffix(">")) if target else ""


def _proved_marks(text: str, mark: str) -> Iterator[tuple[int, str]]:
    """Give the marks that start a line of ordinary text, in order, each with the target of the link right behind it."""
    from markdown_it import MarkdownIt  # several bare starts, paid only by a prompt that may activate

    starts = re.compile(rf"{mark}([0-9]+){mark}")
    open_raw: list[str] = []
    previous = ""
    for block in MarkdownIt("commonmark").parse(text):
        is_paragraph = block.level == 1 and previous == "paragraph_open"
        previous = block.type
        children = [block] if block.type == "html_block" else (block.children or [])
        for index, child in enumerate(children):
            if is_paragraph and not open_raw and _starts_a_line(children, index):
                found = starts.match(child.content)
                if found:
                    yield int(found[1]), _target_behind(children, index, found.end())
            _track_raw(child, open_raw)


def _starts_a_line(children: list[Token], index: int) -> bool:
    # Level 0: inside emphasis or a link's text nothing is ordinary any more.
    is_first = not index or children[index - 1].type in _BREAKS
    return is_first and children[index].type == "text" and children[index].level == 0


def _target_behind(children: list[Token], index: int, end: int) -> str:
    """Give the target of the link that follows a text at its character ``end``, ``""`` if something else does."""
    if end < len(children[index].content) or index + 1 == len(children) or children[index + 1].type != "link_open":
        return ""
    return str(children[index + 1].attrs.get("href", ""))


def _track_raw(token: Token, open_raw: list[str]) -> None:
    pattern = {"html_block": _RAW_TAG, "html_inline": _RAW_TAG, "text": _PASTED_TAG}.get(token.type)
    for tag in pattern.finditer(token.content) if pattern else ():
        name = tag[2].lower()
        if not tag[1]:
            open_raw.append(name)
        elif name in open_raw:
            open_raw.remove(name)
