"""Assignments and declarations: what variables hold afterwards, and what would be evaluated as code on the way.

Source: bash manual, 3.4, 4.2 (declare, export, local, readonly) and 6.7.
"""

from __future__ import annotations

from harness_guard.records import replace
from harness_guard.shell.altered import OF_THE_SHELL
from harness_guard.shell.expansion import Expansion
from harness_guard.shell.state import Ends, State, merge
from harness_guard.shell.syntax import Bare, Param, Word
from harness_guard.shell.values import COUNT, MAP, NUMBER, Field, Value
from harness_guard.shell.words import is_plain_key, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness_guard.shell.syntax import Assign, Redirect, Simple

    Entries = tuple[tuple[str, str], ...] | None

# What declares variables -> the letters of its options that are modelled. ``-n`` makes a name stand for another,
# ``-u``, ``-l`` and ``-c`` change what is assigned: none of these is.
DECLARING = {
    "export": "p", "declare": "xaAirgpfF", "typeset": "xaAirgpfF", "local": "xaAir", "readonly": "apA",
}  # fmt: skip
_CLEARING = "x"  # ``declare +x``


def _is_kept(folder: str, home: str) -> bool:
    """Whether a folder is the user's or the system's, as far as its name tells: others may write elsewhere."""
    places = (f"{home}/", *_OF_THE_SYSTEM) if home.strip("/") else _OF_THE_SYSTEM
    is_plain = not {"", ".", "..", "tmp"} & set(folder.split("/")[1:])
    return is_plain and f"{folder}/".startswith(places)


_OF_THE_SYSTEM = (
    "/usr/", "/opt/", "/bin/", "/sbin/", "/snap/", "/nix/", "/home/linuxbrew/", "/Applications/", "/Library/",
    "/System/",
)  # fmt: skip
_BEFORE = "\1"  # stands for what the PATH held


class Assignments(Expansion):
    """The part of a walk that sets variables."""

    ever_array: set[str]

    def assign(self, item: Assign, state: State) -> State:
        """Walk ``name=word``, ``name=(…)`` or ``name[key]=word``."""
        value = self.assigned_value(item, state)
        return self.assigned(item.name, value, state, folders=self.added_folders(item, state))

    def added_folders(self, item: Assign, state: State) -> tuple[str, ...]:
        """Give the folders that an assignment adds to the PATH before or behind what it holds; none for any other."""
        is_plain = item.name == "PATH" and item.items is None and not (item.keys or item.is_bare)
        if not is_plain or item.value is None or "PATH" in state.altered | state.counted:
            return ()
        before = [part for part in item.value.parts if isinstance(part, Param) and part.name == "PATH"]
        if item.is_append:
            before.append(Param("PATH", is_quoted=True))
        scope = self.scope(state.with_value("PATH", Value(_BEFORE)))
        found = value_of(item.value, scope)
        text = (found.text or "") if found is not None else ""
        parts = f"{_BEFORE if item.is_append else ''}{text}".split(":")
        folders = tuple(part for part in parts if part != _BEFORE)
        is_known = len(before) == 1 and not before[0].op and len(parts) == len(folders) + 1
        return folders if is_known and all(_is_kept(folder, scope.home) for folder in folders) else ()

    def assigned_value(self, item: Assign, state: State) -> Value | None:
        """Give what the variable holds afterwards; subscripts are looked at."""
        before = state.values.get(item.name)
        is_map = before is not None and before.is_map
        if item.items is not None or item.keys:
            self.ever_array.add(item.name)
        for key in item.keys:
            self.check_key(item.name, key, state, is_set=True)
        if is_map:
            return self._mapped(item, before.entries if before is not None else None, state)
        if item.items is not None:
            old = _elements(before) if item.is_append else ()
            if item.keys or old is None:
                return None
            return Value(items=(*old, *self.fields(item.items, state)))
        if item.keys:
            return None
        value = self.value(item.value, state)
        if item.is_append and item.name in state.counted:
            return NUMBER if value is not None and value.is_number else None
        if item.is_append:
            is_text = before is not None and value is not None and before.text is not None and value.text is not None
            return Value(f"{before.text}{value.text}") if is_text and before and value else None
        return value

    def _mapped(self, item: Assign, before: Entries, state: State) -> Value:
        """Give what an associative array holds afterwards, as far as keys and elements are known."""
        kept = before if item.items is None or item.is_append else ()
        words: Sequence[Word | None] = (item.value,) if item.items is None else item.items
        if kept is None or len(item.keys) != len(words) or (item.is_append and item.items is None):
            return MAP
        entries = dict(kept)
        for key, word in zip(item.keys, words, strict=True):
            name, value = self.value(key, state), self.value(word, state)
            if name is None or value is None or name.text is None or value.text is None:
                return MAP
            if not is_plain_key(name.text) or _holds_marks(key) or _holds_marks(word):
                return MAP
            entries[name.text] = value.text
        return Value(is_map=True, entries=tuple(entries.items()))

    def declare(self, command: Simple, fields: tuple[Field, ...], state: State) -> Ends:
        """Walk ``export``, ``declare`` and the like with their words and assignments."""
        letters = self._letters(command.declares, fields)
        items = list(command.assigns)
        if letters is None:
            return Ends(state, state)
        words = [field for field in fields if not (field.text or "").startswith(("-", "+"))]
        if not set("pfF").isdisjoint(letters):
            if any(not item.is_bare for item in items) or any("=" in (field.text or "=") for field in words):
                self.unknown(f"{command.declares} with an option that keeps it from setting anything", "…")
            return Ends(state, state)
        for word in words:
            made = self._dynamic(word)
            if made is None:
                self.unknown(f"{command.declares} with a word that is not known", word.text or "…")
                return Ends(state, state)
            items.append(made)
        if command.declares == "readonly":
            letters += "r"
        return self._declared(command.declares, letters, items, state=state)

    def _letters(self, name: str, fields: tuple[Field, ...]) -> str | None:
        allowed = DECLARING.get(name)
        found = ""
        for field in fields:
            text = field.text
            if text is None or field.is_pattern:
                self.unknown(f"{name} with a word that is not known", "…")
                return None
            if text.startswith("-") and text != "--":
                found += text[1:]
            elif text.startswith("+") and set(text[1:]) - set(_CLEARING):
                found += "?"
        if allowed is None or set(found) - set(allowed) or ("f" in found and set(found) - set("fFp")):
            self.unknown(f"{name} with an option that changes what variables mean", f"-{found}")
            return None
        return found

    def _dynamic(self, field: Field) -> Assign | None:
        """Read a word that a declaration gets as an assignment of a text."""
        from harness_guard.shell.syntax import Assign, Quoted

        name, sign, value = (field.text or "").partition("=")
        if not name.isascii() or not name.isidentifier():
            return None
        return Assign(name, Word((Quoted(value),)) if sign else None, is_bare=not sign)

    def _declared(self, name: str, letters: str, items: Sequence[Assign], *, state: State) -> Ends:
        # All words of a builtin are expanded before it assigns: in ``declare A=echo B=$A`` B gets the old A.
        before = state
        is_local = name == "local" or (name in {"declare", "typeset"} and bool(self.returns) and "g" not in letters)
        if name == "local" and not self.returns:
            # Outside a function it fails; whether this is one the text may not tell.
            for item in items:
                state = merge(self.assigned(item.name, None, state), state) or state
            return Ends(state, state)
        for item in items:
            if "g" in letters and (item.name in before.locals or item.name in before.outer):
                self.unknown("a global variable is set behind a local one of the same name", item.name)
            state = self._declared_one(item, letters, before, state=state, is_local=is_local)
        return Ends(state, state)

    def _declared_one(self, item: Assign, letters: str, before: State, *, state: State, is_local: bool) -> State:
        is_new = is_local and item.name not in state.locals
        if {"a", "A"} & set(letters):
            self.ever_array.add(item.name)
        self._check_compound(item, before)
        if is_local:
            state = _made_local(item.name, state)
        if "i" in letters:
            state = replace(state, counted=state.counted | {item.name})
        value = self._declared_value(item, letters, before, is_new=is_new)
        if item.name in state.counted and value is not None and value.text == "":
            value = COUNT
        is_kept = item.is_bare and not is_new and not {"a", "A", "i"} & set(letters)
        if not is_kept or (item.name in OF_THE_SHELL and "r" in letters):
            folders = () if letters.strip("x") or is_local else self.added_folders(item, before)
            state = self.assigned(item.name, value, state, folders=folders)
        if "r" in letters:
            state = replace(state, frozen=state.frozen | {item.name})
        return state

    def _declared_value(self, item: Assign, letters: str, before: State, *, is_new: bool) -> Value | None:
        """Give what a declared variable holds afterwards."""
        known = before.values.get(item.name)
        if "A" in letters:
            if item.name in self.ever_set and not is_new and (known is None or not known.is_map):
                self.unknown("an array that may be of the other kind already", item.name)
            if item.is_bare:
                return known if known is not None and known.is_map and not is_new else Value(is_map=True, entries=())
            return self._mapped(item, known.entries if known is not None and not is_new else (), before)
        if item.is_bare and is_new:
            return Value(items=()) if "a" in letters else Value("")  # ``local x`` makes it unset
        if item.is_bare:
            is_other = "a" in letters and known is not None and known.items is None
            return None if is_other else known  # ``export x`` leaves it
        # Words of a command are expanded first: ``export x={a,b}`` sets it twice.
        is_twice = item.items is None and not item.keys and _holds_marks(item.value, "{")
        return None if is_twice or ("a" in letters and item.items is None) else self.assigned_value(item, before)

    def _check_compound(self, item: Assign, state: State) -> None:
        """Refuse a text that ``declare`` would take for an array's elements: it expands what stands in the text."""
        if item.is_bare or item.items is not None or item.name not in {*self.ever_array, "MAPFILE"}:
            return
        value = self.value(item.value, state)
        is_plain = value is not None and (value.is_number if value.text is None else value.text[:1] != "(")
        if not is_plain:
            self.unknown("a declaration may expand its text as the elements of an array", item.name)

    @staticmethod
    def unless_redirect_fails(ends: Ends, before: State, redirects: tuple[Redirect, ...]) -> Ends:
        """A redirection that fails keeps the shell from what the command would have set."""
        return Ends(ends.ok, merge(ends.failed, before)) if redirects else ends


def _holds_marks(word: Word | None, marks: str = "{~") -> bool:
    """Whether braces or a tilde stand in a word: in some places they mean something else."""
    return any(isinstance(part, Bare) and not set(marks).isdisjoint(part.text) for part in (word.parts if word else ()))


def _elements(value: Value | None) -> tuple[Field, ...] | None:
    if value is None or value.items is None:
        return None
    return value.items


def _made_local(name: str, state: State) -> State:
    kept = state.locals.get(name)
    before = state.values.get(name) if kept is None else kept[0]
    return replace(state, locals={**state.locals, name: (before, True)})
