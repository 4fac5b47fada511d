"""Two readers of bash, one tree: the only file that knows the parsers.

shfmt's parser reads the text (its JSON tree comes in as a value). bashlex has to find the same words and redirections
wherever it can read the text; where it cannot, ``bash -n`` and the closed list of node kinds below stand in. A node
kind, or a key of a node, that is not listed makes the text ``Unparsed``. docs/adr/0001-shell-readers.md has the
measurements behind this. The door is ``read``; a text of plain words takes ``read_plain``, without any parser.
"""

from __future__ import annotations

from harness_guard import rawjson
from harness_guard.shell import ansi, plain
from harness_guard.shell.syntax import (
    AndOr,
    Arith,
    Assign,
    Bare,
    Block,
    Case,
    For,
    Function,
    If,
    Odd,
    Param,
    Pipe,
    Quoted,
    Redirect,
    Script,
    Simple,
    Statement,
    Subst,
    Test,
    Unparsed,
    While,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from harness_guard.shell.facts import Readings

    Node = Mapping[str, object]

SECOND_READER_CHARACTERS = 16_384  # bashlex is slow and not linear; a longer text counts as one that it cannot read

_POSITIONS = frozenset(
    (
        "Pos", "End", "ValuePos", "ValueEnd", "Left", "Right", "OpPos", "Position", "Semicolon", "Lparen", "Rparen",
        "Lbrace", "Rbrace", "IfPos", "ThenPos", "FiPos", "WhilePos", "DoPos", "DonePos", "ForPos", "Case", "In",
        "Esac", "InPos", "Time", "Comments", "Last", "Lbrack", "Rbrack", "TestPos", "Type", "Hash", "Text", "Braces",
    )
)  # fmt: skip
_REDIRECTS = frozenset((">", ">>", ">|", "&>", "&>>", "<", "<>", ">&", "<&", "<<", "<<-", "<<<"))
_UNARY_TESTS = frozenset(
    ("!", "-e", "-f", "-d", "-c", "-b", "-p", "-S", "-L", "-h", "-k", "-g", "-u", "-G", "-O", "-N", "-r", "-w", "-x",
     "-s", "-t", "-z", "-n", "-o", "-a")
)  # fmt: skip
_WORD_TESTS = frozenset(("=", "==", "!=", "=~", "<", ">", "-nt", "-ot", "-ef"))
# Division by zero and a negative exponent: bash drops the rest of the line and goes on with the next one.
_FAILING = frozenset(("/", "%", "**", "/=", "%="))
_NUMBER_TESTS = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_BRANCHES = frozenset(("&&", "||"))


class _RefusedError(Exception):
    """The tree holds what the closed list does not."""


def read_plain(text: str) -> Script | None:
    """Read a text of plain words, ``None`` if it is more than that (harness_guard/shell/plain.py)."""
    words = plain.split(text)
    if words is None:
        return None
    made = tuple(Word((Quoted(value),) if is_quoted else (Bare(value),)) for value, is_quoted in words)
    return Script((Statement(Simple((), made)),))


def read(text: str, readings: Readings) -> Script | Unparsed:
    """Read a text as bash would, or say why not.

    Args:
        text: The command text.
        readings: What shfmt and ``bash -n`` said of exactly this text.

    Returns:
        The tree, or ``Unparsed`` if a reader refuses, if two readers disagree, or if a construct is not listed.
    """
    if readings.refusal or not readings.tree:
        return Unparsed("no reader of bash can read it", readings.refusal)
    if not readings.is_bash:
        return Unparsed("bash itself refuses it", readings.refusal)
    try:
        file = _node(rawjson.loads(readings.tree))
        script = _script(file.get("Stmts"))
        _only(file, "Stmts")
    except _RefusedError as refused:
        return Unparsed("it holds a construct that is not modelled", str(refused))
    except (rawjson.JsonError, RecursionError):
        return Unparsed("it is nested too deeply to be read")
    return _agreed(text, script)


# --- shfmt's tree ---------------------------------------------------------------------------------------------------


def _node(value: object) -> Node:
    if not isinstance(value, dict):
        raise _RefusedError("a node that is none")
    return value


def _nodes(value: object) -> list[Node]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _RefusedError("a list that is none")
    return [_node(item) for item in value]


def _only(node: Node, *known: str) -> None:
    for key in node:
        if key not in known and key not in _POSITIONS:
            raise _RefusedError(f"{node.get('Type', 'node')} with {key}")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise _RefusedError("a text that is none")


def _offset(node: Node, key: str) -> int:
    value = _node(node.get(key)).get("Offset", 0)
    return value if isinstance(value, int) else 0


def _script(value: object) -> Script:
    return Script(tuple(_statement(node) for node in _nodes(value)))


def _statement(node: Node) -> Statement:
    _only(node, "Cmd", "Negated", "Background", "Redirs")
    redirects = tuple(_redirect(item) for item in _nodes(node.get("Redirs")))
    inner = node.get("Cmd")
    command = Simple((), ()) if inner is None else _command(_node(inner))
    return Statement(command, redirects, bool(node.get("Background")), bool(node.get("Negated")))


def _command(node: Node) -> Simple | Pipe | AndOr | Block | If | For | While | Case | Test | Arith | Function | Odd:
    make = _COMMANDS.get(_text(node.get("Type")))
    if make is None:
        raise _RefusedError(_text(node.get("Type")))
    return make(node)


def _redirect(node: Node) -> Redirect:
    _only(node, "Op", "N", "Word", "Hdoc")
    op = _text(node.get("Op"))
    if op not in _REDIRECTS:
        raise _RefusedError(f"redirection {op}")
    fd = _text(_node(node["N"]).get("Value")) if "N" in node else ""
    body = _word(_node(node["Hdoc"])) if "Hdoc" in node else None
    return Redirect(op, fd, _word(_node(node.get("Word"))), body, _offset(node, "OpPos"))


def _call(node: Node) -> Simple | Odd:
    _only(node, "Assigns", "Args")
    assigns, odd = _assigns(_nodes(node.get("Assigns")))
    words = tuple(_word(item) for item in _nodes(node.get("Args")))
    return odd or Simple(assigns, words)


def _assigns(nodes: list[Node]) -> tuple[tuple[Assign, ...], Odd | None]:
    made = []
    for node in nodes:
        _only(node, "Name", "Value", "Append", "Array", "Index", "Naked")
        items = _items(node["Array"]) if "Array" in node and "Index" not in node else None
        if items is None and ("Array" in node or "Index" in node):
            return (), Odd("an array", tuple(_scripts_in(node)))
        value = _word(_node(node["Value"])) if "Value" in node else None
        made.append(Assign(_text(_node(node.get("Name")).get("Value")), value, bool(node.get("Append")), items))
    return tuple(made), None


def _items(value: object) -> tuple[Word, ...] | None:
    """Give a plain array's words, ``None`` where one has a subscript, which bash evaluates."""
    array = _node(value)
    _only(array, "Elems")
    elements = _nodes(array.get("Elems"))
    for element in elements:
        _only(element, "Value", "Index")
    if any("Index" in element or "Value" not in element for element in elements):
        return None
    return tuple(_word(_node(element["Value"])) for element in elements)


def _declaration(node: Node) -> Simple | Odd:
    _only(node, "Variant", "Args")
    args = _nodes(node.get("Args"))
    naked = [_word(_node(item["Value"])) for item in args if "Name" not in item and "Value" in item]
    assigns, odd = _assigns([item for item in args if "Name" in item])
    if any(item.items is not None for item in assigns):
        odd = Odd("an array", tuple(_scripts_in(node)))
    return odd or Simple(assigns, tuple(naked), _text(_node(node.get("Variant")).get("Value")))


def _binary(node: Node) -> Pipe | AndOr:
    _only(node, "Op", "X", "Y")
    op = _text(node.get("Op"))
    left, right = _statement(_node(node.get("X"))), _statement(_node(node.get("Y")))
    if op in _BRANCHES:
        return AndOr(op, left, right)
    if op not in {"|", "|&"}:
        raise _RefusedError(f"operator {op}")
    is_flat = isinstance(left.command, Pipe) and not left.redirects and not left.is_negated
    before = left.command.parts if is_flat and isinstance(left.command, Pipe) else (left,)
    return Pipe((*before, right))


def _block(node: Node) -> Block:
    _only(node, "Stmts")
    return Block(_script(node.get("Stmts")), node.get("Type") == "Subshell")


def _if(node: Node) -> If:
    branches = []
    step: Node | None = node
    otherwise = Script(())
    while step is not None:
        _only(step, "Cond", "Then", "Else")
        if "Cond" in step:
            branches.append((_script(step.get("Cond")), _script(step.get("Then"))))
        else:
            otherwise = _script(step.get("Then"))
        step = _node(step["Else"]) if "Else" in step else None
    return If(tuple(branches), otherwise)


def _for(node: Node) -> For | Odd:
    _only(node, "Loop", "Do", "Select")
    loop = _node(node.get("Loop"))
    if node.get("Select") or loop.get("Type") != "WordIter":
        return Odd("a loop that is not modelled", tuple(_scripts_in(node)))
    _only(loop, "Name", "Items")
    words = tuple(_word(item) for item in _nodes(loop.get("Items")))
    has_words = bool(words) or _node(loop.get("InPos", {})).get("Offset", 0) != 0
    return For(_text(_node(loop.get("Name")).get("Value")), words if has_words else None, _script(node.get("Do")))


def _while(node: Node) -> While:
    _only(node, "Until", "Cond", "Do")
    return While(_script(node.get("Cond")), _script(node.get("Do")))


def _case(node: Node) -> Case:
    _only(node, "Word", "Items")
    patterns: list[Word] = []
    bodies = []
    for item in _nodes(node.get("Items")):
        _only(item, "Op", "Patterns", "Stmts")
        patterns += [_word(pattern) for pattern in _nodes(item.get("Patterns"))]
        bodies.append(_script(item.get("Stmts")))
    return Case(_word(_node(node.get("Word"))), tuple(patterns), tuple(bodies))


def _test(node: Node) -> Test | Odd:
    _only(node, "X")
    words: list[Word] = []
    numbers: list[Word] = []
    todo = [_node(node.get("X"))]
    while todo:
        step = todo.pop()
        kind, op = step.get("Type"), step.get("Op")
        if kind == "Word":
            words.append(_word(step))
        elif kind == "ParenTest" or (kind == "UnaryTest" and op in _UNARY_TESTS):
            todo.append(_node(step.get("X")))
        elif kind == "BinaryTest" and (op in _BRANCHES or op in _WORD_TESTS):
            todo += [_node(step.get("X")), _node(step.get("Y"))]
        elif kind == "BinaryTest" and op in _NUMBER_TESTS:
            numbers += [_word(_node(step.get("X"))), _word(_node(step.get("Y")))]
        else:
            return Odd("a test that may evaluate text", tuple(_scripts_in(node)))
    return Test((*words, *numbers), tuple(numbers))


def _function(node: Node) -> Function:
    _only(node, "Name", "Body", "RsrvWord", "Parens", "Names")
    return Function(_text(_node(node.get("Name")).get("Value")), _statement(_node(node.get("Body"))))


def _timed(node: Node) -> Block:
    _only(node, "Stmt", "PosixFormat")
    inner = (_statement(_node(node["Stmt"])),) if node.get("Stmt") is not None else ()
    return Block(Script(inner), is_subshell=False)


def _odd_command(node: Node) -> Odd:
    return Odd(f"a construct that is not modelled: {node.get('Type')}", tuple(_scripts_in(node)))


def _arith_command(node: Node) -> Arith | Odd:
    return _arith(_node(node.get("X")), node)


def _arith(node: Node, whole: Node) -> Arith | Odd:
    names: list[str] = []
    assigned: list[str] = []
    todo = [node]
    while todo:
        step = todo.pop()
        kind = step.get("Type")
        if kind == "Word":
            name = _number_or_name(step)
            if name is None:
                return Odd("arithmetic that may evaluate text", tuple(_scripts_in(whole)))
            names += [name] if name else []
        elif kind in {"BinaryArithm", "UnaryArithm", "ParenArithm", "FlagsArithm"} and kind != "FlagsArithm":
            todo += [_node(step[key]) for key in ("X", "Y") if key in step]
            op = str(step.get("Op", ""))
            if op in _FAILING:
                return Odd("arithmetic that may fail, and then drops the rest of its line", tuple(_scripts_in(whole)))
            if op in {"++", "--"} or (op.endswith("=") and op not in {"==", "!=", "<=", ">="}):
                assigned.append(_number_or_name(_node(step.get("X"))) or "")
        else:
            return Odd("arithmetic that is not modelled", tuple(_scripts_in(whole)))
    return Arith(tuple(names), tuple(assigned))


def _number_or_name(node: Node) -> str | None:
    """Give a variable's name, ``""`` for a number, ``None`` for anything else."""
    parts = _nodes(node.get("Parts")) if node.get("Type") == "Word" else []
    if len(parts) != 1:
        return None
    if parts[0].get("Type") == "ParamExp" and parts[0].get("Short"):
        return str(_node(parts[0].get("Param")).get("Value"))
    text = str(parts[0].get("Value")) if parts[0].get("Type") == "Lit" else "?"
    if text.isascii() and text.isdigit():
        return "" if text == "0" or text[0] != "0" else None  # octal: ``08`` is an error
    return text if text.isascii() and text.isidentifier() else None


_COMMANDS: dict[
    str, Callable[[Node], Simple | Pipe | AndOr | Block | If | For | While | Case | Test | Arith | Function | Odd]
] = {
    "CallExpr": _call,
    "DeclClause": _declaration,
    "BinaryCmd": _binary,
    "Block": _block,
    "Subshell": _block,
    "IfClause": _if,
    "ForClause": _for,
    "WhileClause": _while,
    "CaseClause": _case,
    "TestClause": _test,
    "ArithmCmd": _arith_command,
    "FuncDecl": _function,
    "TimeClause": _timed,
    "CoprocClause": _odd_command,
    "LetClause": _odd_command,
}


def _scripts_in(value: object) -> Iterator[Script]:
    """Find the statements somewhere below a node that is not modelled: the danger rules want to see them."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in {"Stmts", "Do"}:
                yield _script(item)
            elif key == "Stmt":
                yield Script((_statement(_node(item)),))
            else:
                yield from _scripts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _scripts_in(item)


def _word(node: Node) -> Word:
    _only(node, "Parts")
    parts: list[Bare | Quoted | Param | Subst | Arith | Odd] = []
    for item in _nodes(node.get("Parts")):
        parts += _part(item, is_quoted=False)
    return Word(tuple(parts), _offset(node, "Pos"), _offset(node, "End"))


def _part(node: Node, *, is_quoted: bool) -> list[Bare | Quoted | Param | Subst | Arith | Odd]:
    kind = node.get("Type")
    if kind == "Lit":
        _only(node, "Value")
        text = _text(node.get("Value"))
        return [Quoted(_unescape(text)) if is_quoted else Bare(text)]
    if kind == "SglQuoted":
        return [_single(node)]
    if kind == "DblQuoted":
        _only(node, "Parts", "Dollar")
        made: list[Bare | Quoted | Param | Subst | Arith | Odd] = [Quoted("")]
        for item in _nodes(node.get("Parts")):
            made += _part(item, is_quoted=True)
        return [Odd("a translated string")] if node.get("Dollar") else made
    if kind == "ParamExp":
        return [_param(node, is_quoted=is_quoted)]
    if kind in {"CmdSubst", "ProcSubst"}:
        _only(node, "Stmts", "Op", "Backquotes")
        process = _text(node.get("Op")) if kind == "ProcSubst" else ""
        return [Subst(_script(node.get("Stmts")), is_quoted, process)]
    if kind == "ArithmExp":
        return [_arith(_node(node.get("X")), node)]
    if kind == "ExtGlob":
        return [Odd("an extended glob")]
    raise _RefusedError(str(kind))


def _single(node: Node) -> Quoted | Odd:
    _only(node, "Value", "Dollar")
    text = _text(node.get("Value", ""))
    if not node.get("Dollar"):
        return Quoted(text)
    decoded = ansi.decode(text)
    return Odd("an escape that is not modelled") if decoded is None else Quoted(decoded)


def _unescape(text: str) -> str:
    """Take the backslashes out of text inside double quotes (bash manual 3.1.2.3)."""
    if "\\" not in text:
        return text
    made = []
    index = 0
    while index < len(text):
        if text[index] == "\\" and index + 1 < len(text) and text[index + 1] in '$`"\\\n':
            index += 1
            if text[index] != "\n":
                made.append(text[index])
        else:
            made.append(text[index])
        index += 1
    return "".join(made)


def _param(node: Node, *, is_quoted: bool) -> Param | Odd:
    name = _text(_node(node.get("Param")).get("Value"))
    keys = {key for key in node if key not in _POSITIONS and key not in {"Param", "Short", "Dollar", "Rbrace"}}
    inner: list[Word] = []
    op = ""
    if "Exp" in keys:
        exp = _node(node["Exp"])
        op = _text(exp.get("Op"))
        inner += [_word(_node(exp["Word"]))] if "Word" in exp else []
    if "Repl" in keys:
        repl = _node(node["Repl"])
        inner += [_word(_node(repl[key])) for key in ("Orig", "With") if repl.get(key) is not None]
    is_odd = bool(keys - {"Exp", "Repl", "Length", "Index"}) or op == "@"
    if "Index" in keys and not _is_harmless_index(_node(node["Index"])):
        is_odd = True
    if is_odd:
        return Odd("an expansion that may evaluate text", tuple(_scripts_in(node)))
    if "Index" in keys and op not in {"=", ":="} and not str(_index(_node(node["Index"]))).isdigit():
        name = "@"  # an array's elements: none, one or many words, quoted or not
    return Param(name, is_quoted, is_plain=not keys, assigns=op in {"=", ":="}, inner=tuple(inner))


def _is_harmless_index(node: Node) -> bool:
    index = _index(node)
    return index in {"@", "*"} or index.isdigit()


def _index(node: Node) -> str:
    """Give a subscript that is one literal, ``""`` for any other."""
    parts = _nodes(node.get("Parts")) if node.get("Type") == "Word" else []
    return str(parts[0].get("Value")) if len(parts) == 1 and parts[0].get("Type") == "Lit" else ""


# --- the second reader ----------------------------------------------------------------------------------------------


def _agreed(text: str, script: Script) -> Script | Unparsed:
    """Let bashlex read the text too; where it can, it must have found the same words and redirections."""
    if len(text) > SECOND_READER_CHARACTERS or "\\\n" in text or "((" in text:
        # bashlex loses its positions behind a continued line and takes arithmetic for commands: "cannot read".
        return script
    second = _second(text)
    if second is None:
        return script
    if any(kind == "declaration" for kind, _, _ in _spans(script)):
        return script  # shfmt knows ``export`` as a construct, bashlex as a program: their words cannot be compared
    first = sorted(_spans(script))
    if not text.isascii():
        widths = _characters(text)
        first = [(kind, widths.get(start, -1), widths.get(end, -1)) for kind, start, end in first]
    if first == sorted(second):
        return script
    return Unparsed("two readers of bash disagree about it", text[:200])


def _characters(text: str) -> dict[int, int]:
    """Map byte offsets to character offsets."""
    found = {}
    at = 0
    for index, character in enumerate(text):
        found[at] = index
        at += len(character.encode("utf-8", "surrogatepass"))
    found[at] = len(text)
    return found


def _spans(script: Script) -> Iterator[tuple[str, int, int]]:
    todo: list[object] = [script]
    while todo:
        item = todo.pop()
        if isinstance(item, Word):
            yield ("word", item.start, item.end)
            todo += [part.body for part in item.parts if isinstance(part, Subst)]
        elif isinstance(item, Redirect):
            yield ("redirect", item.start, item.target.end)
            todo += [part.body for part in item.target.parts if isinstance(part, Subst)]
        elif isinstance(item, Assign):
            todo += [part.body for part in item.value.parts if isinstance(part, Subst)] if item.value else []
            todo += item.items or ()
        else:
            if isinstance(item, Simple) and item.declares:
                yield ("declaration", 0, 0)
            todo += _children(item)


def _children(item: object) -> Sequence[object]:
    """Give the direct parts of a tree value that hold words, redirections or scripts."""
    match item:
        case Script(statements):
            return list(statements)
        case Statement(command, redirects):
            return [command, *redirects]
        case Simple(assigns, words):
            return [*assigns, *words]
        case Pipe(parts):
            return list(parts)
        case Block(inner) | Function(_, inner):
            return [inner]
        case If(branches, otherwise):
            return [part for pair in branches for part in pair] + [otherwise]
        case For(_, words, body):
            return [*(words or ()), body]
        case AndOr(_, left, right) | While(left, right):
            return [left, right]
        case _:
            return []


def _second(text: str) -> list[tuple[str, int, int]] | None:
    from harness_guard.shell import tables

    try:
        return list(_second_spans(tables.parse(text)))
    except Exception:  # noqa: BLE001  bashlex raises whatever its own faults raise; each means "cannot read"
        return None


def _second_spans(trees: list[object]) -> Iterator[tuple[str, int, int]]:
    todo: list[tuple[object, bool]] = [(tree, False) for tree in trees]
    while todo:
        item, is_loop = todo.pop()
        kind = str(getattr(item, "kind", ""))
        start, end = getattr(item, "pos", (0, 0))
        parts = list(getattr(item, "parts", ()))
        if kind == "word" and not is_loop:
            yield ("word", start, end)
        if kind == "redirect":
            output = getattr(item, "output", None)
            yield ("redirect", *_second_redirect(item, output))
            parts = list(getattr(output, "parts", ()))
        if kind == "for":
            todo.append((parts.pop(1), True))
        if kind == "function":
            parts = [getattr(item, "body", None)]
        if kind == "compound":
            parts = [*getattr(item, "list", ()), *getattr(item, "redirects", ())]
        if kind in {"commandsubstitution", "processsubstitution"}:
            parts = [getattr(item, "command", None)]
        todo += [(part, False) for part in parts]


def _second_redirect(item: object, output: object) -> tuple[int, int]:
    start, end = getattr(item, "pos", (0, 0))
    if isinstance(getattr(item, "input", None), int | str):
        start += len(str(getattr(item, "input", "")))
    if hasattr(output, "pos"):
        end = getattr(output, "pos", (0, 0))[1]
    return start, end
