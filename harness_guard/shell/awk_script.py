"""What an awk program opens: the files that it prints to or reads by name, the commands that it runs.

Enough of a reader to find every redirection, pipe, ``system`` and ``getline``: strings, regular expressions, comments
and brackets are told apart, everything else is passed over. Where gawk, mawk and the one true awk could disagree about
where something ends, or a name is not a literal, the program is not read at all. Sources: POSIX awk (grammar and
lexical conventions), the gawk manual 4 and 5, mawk 1.3.4's ``scan.c``.
"""

from __future__ import annotations

from harness_guard.records import dataclass

LONGEST = 65_536  # characters
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_DIGITS = frozenset("0123456789.")
_PAIRS = frozenset(
    (">>", "||", "|&", "&&", "==", ">=", "<=", "!=", "!~", "++", "--", "+=", "-=", "*=", "%=", "^=", "**")
)
_SINGLE = frozenset("{}()[];,+-*%^!<>|?:=~$")
_WORDS_BEFORE_PATTERN = frozenset(("print", "printf", "return", "in", "else", "do", "exit", "case"))
_CONTROLS = frozenset(("if", "while", "for", "switch"))
_ENDS = frozenset((";", "\n", "}", ""))
_GOES_ON = frozenset((",", "&&", "||", "{", "}", ";", ")", "]", "++", "--"))  # a line may end behind these
_BEHIND_GETLINE = _ENDS | {")", ">", ">=", "<=", "==", "!=", "&&", "||", "?"}
_FORBIDDEN = frozenset(("SYMTAB", "FUNCTAB", "extension", "ARGV", "ARGC"))
_ESCAPES = {"\\": "\\", '"': '"', "/": "/", "n": "\n", "t": "\t"}
_TO_ERRORS = frozenset(("cat 1>&2", "cat >&2", "cat 1>& 2"))


@dataclass(frozen=True, slots=True)
class Opened:
    """What a program opens.

    Attributes:
        writes: Names of files that it prints to.
        reads: Names of files that it reads with ``getline``.
        commands: Texts that it hands to ``sh -c``.
    """

    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Token:
    """``kind``: ``name``, ``number``, ``string``, ``pattern``, ``sign``; ``value``: what a string holds, if certain."""

    kind: str
    text: str
    value: str | None = None


_END = _Token("sign", "")


def read(program: str) -> Opened | None:
    """Read an awk program.

    Args:
        program: Its text.

    Returns:
        What it opens, ``None`` where that is not certain.
    """
    tokens = _Lexer(program).tokens() if len(program) <= LONGEST else None
    if tokens is None or any(token.kind == "name" and token.text in _FORBIDDEN for token in tokens):
        return None
    if any(token.text == "ENVIRON" for token in tokens):
        return None  # it holds secrets, and gawk hands changed variables on
    return _Finder(tokens).found()


class _Lexer:
    """Takes a program apart; ``None`` instead of tokens where it is not certain what is a string or a pattern."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.made: list[_Token] = []
        self.controls: list[bool] = []  # for each open parenthesis: whether it belongs to ``if``, ``while`` …
        self.is_behind_control = False

    def tokens(self) -> list[_Token] | None:
        while self.at < len(self.text):
            character = self.text[self.at]
            if character in " \t\r":
                self.at += 1
            elif character == "\\" and self.text[self.at + 1 : self.at + 2] == "\n":
                self.at += 2
            elif character == "#":
                end = self.text.find("\n", self.at)
                self.at = end if end >= 0 else len(self.text)
            elif not self._take(character):
                return None
        return self.made

    def _take(self, character: str) -> bool:
        if character in _DIGITS or character == ".":
            return self._number()
        if character in _NAME:
            self._name()
            return True
        if character == '"':
            return self._string()
        if character == "/":
            return self._slash()
        return self._sign(character)

    def _number(self) -> bool:
        """A number; one that touches a name is not certain to end there (``1e5system``, ``0x1``)."""
        start = self.at
        self._skip(_DIGITS | {"."})
        if self.text[self.at : self.at + 1] in {"e", "E"}:
            self.at += 1
            self.at += self.text[self.at : self.at + 1] in {"+", "-"}
            self._skip(_DIGITS)
        self._add(_Token("number", self.text[start : self.at]))
        return self.text[self.at : self.at + 1] not in _NAME and self.text[self.at : self.at + 1] != "."

    def _name(self) -> None:
        start = self.at
        self._skip(_NAME)
        self._add(_Token("name", self.text[start : self.at]))

    def _skip(self, characters: frozenset[str]) -> None:
        while self.at < len(self.text) and self.text[self.at] in characters:
            self.at += 1

    def _add(self, token: _Token) -> None:
        self.made.append(token)
        self.is_behind_control = False

    def _string(self) -> bool:
        value: list[str] | None = []
        index = self.at + 1
        while index < len(self.text):
            character = self.text[index]
            if character == '"':
                self._add(_Token("string", "", None if value is None else "".join(value)))
                self.at = index + 1
                return True
            if character == "\\":
                if not self.text[index - 1].isascii():
                    return False  # in some encodings the backslash is the second half of that character
                index += 1
                character = _ESCAPES.get(self.text[index : index + 1], "")
                value = None if not character else value
                if self.text[index : index + 1] == "\n":
                    return False
            elif character == "\n":
                return False
            if value is not None:
                value.append(character)
            index += 1
        return False

    def _slash(self) -> bool:
        if self.is_behind_control:
            return False
        before = self.made[-1] if self.made else _Token("sign", "\n")
        if before.text in {"++", "--", "getline", "length", "$"} or before.kind == "pattern":
            return False
        is_value = before.kind in {"number", "string"} or before.text in {")", "]"}
        if is_value or (before.kind == "name" and before.text not in _WORDS_BEFORE_PATTERN):
            self.made.append(_Token("sign", "/"))
            self.at += 1
            return self.text[self.at : self.at + 1] != "="
        return self._pattern()

    def _pattern(self) -> bool:
        index = self.at + 1
        is_inside = False  # a bracket expression, in which some awks let a slash stand and others end the pattern
        while index < len(self.text):
            character = self.text[index]
            if character == "\n" or (character == "\\" and not self.text[index - 1].isascii()):
                return False
            if character == "/":
                self.made.append(_Token("pattern", ""))
                self.at = index + 1
                return not is_inside
            if character == "\\":
                index += 1
                if self.text[index : index + 1] == "\n":
                    return False
            elif is_inside and self.text.startswith(("[:", "[.", "[="), index):
                end = self.text.find(":]", index + 2)
                if not self.text[index + 2 : end].isalpha() or self.text[index + 1] != ":":
                    return False
                index = end + 1
            elif character == "]":
                is_inside = False
            elif character == "[" and not is_inside:
                is_inside = True
                index += self.text[index + 1 : index + 2] == "^"
                index += self.text[index + 1 : index + 2] == "]"
            index += 1
        return False

    def _sign(self, character: str) -> bool:
        pair = self.text[self.at : self.at + 2]
        if character == "\n":
            return self._line_end()
        if character not in _SINGLE and pair not in _PAIRS:
            return False
        sign = pair if pair in _PAIRS else character
        self.at += len(sign)
        self.is_behind_control = False
        if sign == "(":
            self.controls.append(bool(self.made) and self.made[-1].text in _CONTROLS)
        elif sign == ")":
            if not self.controls:
                return False
            self.is_behind_control = self.controls.pop()
        self.made.append(_Token("sign", sign))
        return True

    def _line_end(self) -> bool:
        self.at += 1
        before = self.made[-1] if self.made else _END
        if before.kind == "sign" and before.text not in _GOES_ON | _ENDS:
            return False  # gawk goes on behind ``?`` and ``:``, others do not
        if before.text not in {",", "&&", "||"}:
            self.made.append(_Token("sign", "\n"))
        return True


class _Finder:
    """Finds what the tokens open."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.writes: list[str] = []
        self.reads: list[str] = []
        self.commands: list[str] = []

    def token(self, index: int) -> _Token:
        return self.tokens[index] if 0 <= index < len(self.tokens) else _END

    def found(self) -> Opened | None:
        depth = 0
        printing = -1  # the depth of the ``print`` that is open
        for index, token in enumerate(self.tokens):
            text = token.text
            if token.kind == "name":
                if text in {"print", "printf"}:
                    printing = depth
                elif (text == "getline" and not self._getline(index)) or (text == "system" and not self._system(index)):
                    return None
            elif token.kind == "sign":
                depth += (text in {"(", "["}) - (text in {")", "]"})
                if text in _ENDS or depth < printing:
                    printing = -1
                elif text in {">", ">>", "|", "|&"} and not self._redirect(index, is_printing=printing == depth):
                    return None
        return Opened(tuple(self.writes), tuple(self.reads), tuple(self.commands))

    def _redirect(self, index: int, *, is_printing: bool) -> bool:
        text = self.token(index).text
        if text == "|&":
            return False
        if not is_printing:
            # A comparison; or the command in front of a ``getline``, which is then looked at from there.
            return text == ">" or (text == "|" and self.token(index + 1).text == "getline")
        target = self.token(index + 1)
        if target.value is None or self.token(index + 2).text not in _ENDS or self.token(index + 2).kind != "sign":
            return False
        return self._run(target.value) if text == "|" else self._open(target.value, self.writes)

    def _open(self, name: str, into: list[str]) -> bool:
        into.append(name)
        return name != "" and not name.startswith("/inet")

    def _run(self, text: str) -> bool:
        if text not in _TO_ERRORS:
            self.commands.append(text)
        return text != ""

    def _system(self, index: int) -> bool:
        texts = [self.token(index + 1).text, self.token(index + 3).text]
        value = self.token(index + 2).value
        return texts == ["(", ")"] and value is not None and self._run(value)

    def _getline(self, index: int) -> bool:
        if self.token(index - 1).text == "|":
            command, before = self.token(index - 2), self.token(index - 3)
            if command.value is None or before.kind != "sign" or before.text not in {"(", "{", ";", "\n", ""}:
                return False
            if not self._run(command.value):
                return False
        behind = self._variable(index + 1)
        if behind < 0:
            return False
        if self.token(behind).text != "<":
            return self.token(behind).kind == "sign" and self.token(behind).text in _BEHIND_GETLINE
        target, after = self.token(behind + 1), self.token(behind + 2)
        if target.value is None or after.kind != "sign" or after.text not in _ENDS | {")"}:
            return False
        return self._open(target.value, self.reads)

    def _variable(self, index: int) -> int:
        """Give the index behind the variable that a ``getline`` fills, if there is one; -1 where it is not certain."""
        token = self.token(index)
        if token.text == "$":
            follows = self.token(index + 1)
            return index + 2 if follows.kind == "number" or (follows.kind == "name" and not self._calls(index)) else -1
        if token.kind != "name":
            return index if token.kind == "sign" else -1
        if self.token(index + 1).text != "[":
            return index + 1
        depth = 1
        index += 2
        while depth and index < len(self.tokens):
            depth += (self.tokens[index].text == "[") - (self.tokens[index].text == "]")
            index += 1
        return index

    def _calls(self, index: int) -> bool:
        return self.token(index + 2).text in {"(", "["}
