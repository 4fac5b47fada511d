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
    Count,
    For,
    Function,
    Glob,
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
    from collections.abc import Callable, Iterator, Mapping

    from harness_guard.shell.facts import Readings

    Node = Mapping[str, object]
    Command = Simple | Pipe | AndOr | Block | If | For | Count | While | Case | Test | Arith | Function | Odd
    Part = Bare | Quoted | Param | Subst | Arith | Glob | Odd

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
# Division by zero and a negative exponent; with a number behind the operator that is none, nothing fails.
_FAILING = frozenset(("/", "%", "**", "/=", "%="))
_COUNTING = ("Init", "Cond", "Post")
_COMPARISONS = frozenset(("==", "!=", "<=", ">="))
_PARTS = frozenset(("Exp", "Repl", "Length", "Index", "Slice"))
_TRANSFORMS = frozenset(("U", "u", "L", "Q", "E", "A", "K", "a", "k", "P"))
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
    from harness_guard.shell.agreement import agreed

    return agreed(text, script)


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


def _command(node: Node) -> Command:
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
        keys = [_key(_node(node["Index"]))] if "Index" in node else []
        items = None
        if "Array" in node:
            elements = _nodes(_node(node["Array"]).get("Elems"))
            for element in elements:
                _only(element, "Value", "Index")
            if any("Value" not in element for element in elements):
                return (), Odd("an array", tuple(_scripts_in(node)))
            items = tuple(_word(_node(element["Value"])) for element in elements)
            keys += [_key(_node(element["Index"])) for element in elements if "Index" in element]
        if None in keys:
            return (), Odd("a subscript that is arithmetic", tuple(_scripts_in(node)))
        value = _word(_node(node["Value"])) if "Value" in node else None
        name = _text(_node(node.get("Name")).get("Value"))
        known = tuple(key for key in keys if key is not None)
        made.append(Assign(name, value, bool(node.get("Append")), items, known, bool(node.get("Naked"))))
    return tuple(made), None


def _key(node: Node) -> Word | None:
    """Give a subscript that is one word, ``None`` for any other."""
    return _word(node) if node.get("Type") == "Word" else None


def _declaration(node: Node) -> Simple | Odd:
    _only(node, "Variant", "Args")
    args = _nodes(node.get("Args"))
    naked = [_word(_node(item["Value"])) for item in args if "Name" not in item and "Value" in item]
    assigns, odd = _assigns([item for item in args if "Name" in item])
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


def _for(node: Node) -> For | Count:
    _only(node, "Loop", "Do", "Select")
    loop = _node(node.get("Loop"))
    body = _script(node.get("Do"))
    if loop.get("Type") == "CStyleLoop":
        _only(loop, "Init", "Cond", "Post")
        first, condition, step = (_arith(_node(loop[key]), loop) if key in loop else None for key in _COUNTING)
        return Count(first, condition, step, body)
    _only(loop, "Name", "Items")
    words = tuple(_word(item) for item in _nodes(loop.get("Items")))
    has_words = bool(words) or _node(loop.get("InPos", {})).get("Offset", 0) != 0
    name = _text(_node(loop.get("Name")).get("Value"))
    return For(name, words if has_words else None, body, bool(node.get("Select")))


def _while(node: Node) -> While:
    _only(node, "Until", "Cond", "Do")
    return While(_script(node.get("Cond")), _script(node.get("Do")), is_until=bool(node.get("Until")))


def _case(node: Node) -> Case:
    _only(node, "Word", "Items")
    patterns: list[Word] = []
    bodies = []
    for item in _nodes(node.get("Items")):
        _only(item, "Op", "Patterns", "Stmts")
        patterns += [_word(pattern, is_matched=True) for pattern in _nodes(item.get("Patterns"))]
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
            words.append(_word(step, is_matched=True))
        elif kind == "ParenTest" or (kind == "UnaryTest" and op in _UNARY_TESTS):
            todo.append(_node(step.get("X")))
        elif kind == "UnaryTest" and op == "-v" and _literal(_node(step.get("X"))).isidentifier():
            continue
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


def _let(node: Node) -> Arith | Odd:
    """Read ``let`` as one expression: what a word of it sets is a number for those behind it."""
    _only(node, "Exprs", "Let")
    whole = Arith()
    for item in _nodes(node.get("Exprs")):
        step = Odd("arithmetic that a file's name may stand for") if _may_be_glob(item) else _arith(item, item)
        if isinstance(step, Odd):
            return step
        names = tuple(name for name in step.names if name not in whole.assigned or name in step.expanded)
        whole = Arith(
            whole.names + names, whole.assigned + step.assigned, whole.expanded + step.expanded,
            whole.may_fail or step.may_fail,
        )  # fmt: skip
    return whole


def _may_be_glob(node: Node) -> bool:
    """Whether ``*`` or ``?`` stands in an expression: a word of ``let`` is a pattern of file names too."""
    inner = [_node(node[key]) for key in ("X", "Y") if key in node]
    return not {"*", "?"}.isdisjoint(str(node.get("Op", ""))) or any(map(_may_be_glob, inner))


def _arith(node: Node, whole: Node) -> Arith | Odd:
    names: list[str] = []
    expanded: list[str] = []
    assigned: list[str] = []
    may_fail = False
    set_first, todo = _set_first(node)
    assigned += set_first
    while todo:
        step = todo.pop()
        kind, op = step.get("Type"), str(step.get("Op", ""))
        if kind == "Word":
            name = _number_or_name(step)
            if name is None:
                return Odd("arithmetic that may evaluate text", tuple(_scripts_in(whole)))
            names += [name] if name else []
            expanded += [name] if name and not _literal(step) else []
        elif kind in {"BinaryArithm", "UnaryArithm", "ParenArithm"}:
            todo += [_node(step[key]) for key in ("X", "Y") if key in step]
            if op in _FAILING and not _is_plain_divisor(_literal(_node(step.get("Y")))):
                may_fail = True
            if op in {"++", "--"} or (op.endswith("=") and op not in _COMPARISONS):
                assigned.append(_literal(_node(step.get("X"))))
        else:
            return Odd("arithmetic that is not modelled", tuple(_scripts_in(whole)))
    if not all(name.isidentifier() for name in assigned):
        return Odd("arithmetic that assigns to something else than a variable", tuple(_scripts_in(whole)))
    return Arith(tuple(names), tuple(assigned), tuple(expanded), may_fail)


def _is_plain_divisor(text: str) -> bool:
    return text.isascii() and text.isdigit() and text[0] != "0"


def _set_first(node: Node) -> tuple[list[str], list[Node]]:
    """Split ``name = rest`` at the top: what the name held before is not looked at; gives names and what is left."""
    if node.get("Type") == "BinaryArithm" and node.get("Op") == "=":
        name = _literal(_node(node.get("X")))
        if name.isascii() and name.isidentifier():
            return [name], [_node(node.get("Y"))]
    return [], [node]


def _number_or_name(node: Node) -> str | None:
    """Give a variable's name, ``""`` for a number, ``None`` for anything else."""
    parts = _nodes(node.get("Parts")) if node.get("Type") == "Word" else []
    if len(parts) != 1:
        return None
    if parts[0].get("Type") == "ParamExp":
        keys = set(parts[0]) - _POSITIONS - {"Param", "Short", "Dollar"}
        part = None if keys - {"Length", "Index"} else _param(parts[0], is_quoted=True)
        if not isinstance(part, Param) or part.op not in {"", "length"} or (part.is_many and part.op != "length"):
            return None
        if part.op == "length":
            return "#"  # a number whatever it measures
        return part.name if not part.index else None
    text = _literal(node)
    if text.isascii() and text.isdigit():
        return "" if text == "0" or text[0] != "0" else None  # octal: ``08`` is an error
    return text if text.isascii() and text.isidentifier() else None


def _literal(node: Node) -> str:
    """Give a word that is one literal, ``""`` for any other."""
    parts = _nodes(node.get("Parts")) if node.get("Type") == "Word" else []
    return str(parts[0].get("Value")) if len(parts) == 1 and parts[0].get("Type") == "Lit" else ""


_COMMANDS: dict[str, Callable[[Node], Command]] = {
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
    "LetClause": _let,
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


def _word(node: Node, *, is_matched: bool = False) -> Word:
    _only(node, "Parts")
    parts: list[Part] = []
    for item in _nodes(node.get("Parts")):
        # In a pattern that is matched, and no list of files, an extended glob does nothing more than a plain one.
        if is_matched and item.get("Type") == "ExtGlob" and _is_quiet_glob(item):
            parts.append(Glob())
        else:
            parts += _part(item, is_quoted=False)
    return Word(tuple(parts), _offset(node, "Pos"), _offset(node, "End"))


def _is_quiet_glob(node: Node) -> bool:
    return {"$", "`", "<", ">"}.isdisjoint(_text(_node(node.get("Pattern")).get("Value", "")))


def _part(node: Node, *, is_quoted: bool) -> list[Part]:
    kind = node.get("Type")
    if kind == "Lit":
        _only(node, "Value")
        text = _text(node.get("Value"))
        return [Quoted(_unescape(text)) if is_quoted else Bare(text)]
    if kind == "SglQuoted":
        return [_single(node)]
    if kind == "DblQuoted":
        _only(node, "Parts", "Dollar")
        made: list[Part] = [Quoted("")]
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
    odd = Odd("an expansion that may evaluate text", tuple(_scripts_in(node)))
    index, key = _subscript(_node(node["Index"])) if "Index" in keys else ("", None)
    if index is None:
        return odd
    inner = () if key is None else (key,)
    if node.get("Excl"):
        if keys == {"Excl"} and (name.isidentifier() or name.isdigit()):
            return Param(name, is_quoted, "!")
        is_listing = keys == {"Excl", "Names"} or (keys == {"Excl", "Index"} and index in {"@", "*"})
        return Param(name, is_quoted, "names") if is_listing else odd
    if keys - _PARTS or len(keys - {"Index"}) > 1:
        return odd
    if "Length" in keys:
        return Param(name, is_quoted, "length", inner, index)
    if "Exp" in keys:
        op, words = _operator(_node(node["Exp"]))
        is_odd = not op or (op in {"=", ":="} and index)
        return odd if is_odd else Param(name, is_quoted, op, (*words, *inner), index)
    if "Repl" in keys:
        repl = _node(node["Repl"])
        words = tuple(_word(_node(repl[part])) if repl.get(part) else Word(()) for part in ("Orig", "With"))
        return Param(name, is_quoted, "//" if repl.get("All") else "/", (*words, *inner), index)
    if "Slice" in keys:
        numbers = _bounds(_node(node["Slice"]))
        return odd if numbers is None else Param(name, is_quoted, "slice", (*numbers, *inner), index)
    return Param(name, is_quoted, "", inner, index)


def _operator(exp: Node) -> tuple[str, tuple[Word, ...]]:
    """Give what an expansion does, and with which words; ``""`` for a transformation that is not listed."""
    op = _text(exp.get("Op"))
    if op != "@":
        return op, (_word(_node(exp["Word"])),) if "Word" in exp else ()
    parts = _nodes(_node(exp.get("Word")).get("Parts"))
    letter = str(parts[0].get("Value")) if len(parts) == 1 and parts[0].get("Type") == "Lit" else ""
    return (f"@{letter}" if letter in _TRANSFORMS else ""), ()


def _subscript(node: Node) -> tuple[str | None, Word | None]:
    """Give a subscript as ``Param`` has it and, if it is a word to be expanded, that word."""
    text = _literal(node)
    if text in {"@", "*"} or (text.isascii() and text.isdigit()):
        return text, None
    return ("?", _word(node)) if node.get("Type") == "Word" else (None, None)


def _bounds(node: Node) -> tuple[Word, ...] | None:
    """Give where a part of a value starts and how long it is, as literals or as arithmetic."""
    found: list[Word] = []
    for key in ("Offset", "Length"):
        if key not in node and key == "Offset":
            found.append(Word((Quoted("0"),)))  # ``${x::2}``
        if key not in node:
            continue
        step = _node(node[key])
        is_negative = step.get("Type") == "UnaryArithm" and step.get("Op") == "-"
        digits = _literal(_node(step.get("X")) if is_negative else step)
        if digits.isascii() and digits.isdigit() and (digits[0] != "0" or digits == "0"):
            found.append(Word((Quoted(f"-{digits}" if is_negative else digits),)))
            continue
        computed = _arith(step, step)
        if isinstance(computed, Odd):
            return None
        found.append(Word((computed,)))
    return tuple(found)
