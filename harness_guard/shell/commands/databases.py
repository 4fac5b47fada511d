"""Command lines of databases: which statements only read.

A statement has to be known whole, to be the only one, to begin with a word that reads, and to hold no word that writes
and no function but those that are known to compute. Sources: sqlite3(1) and sqlite.org/cli of 3.45, psql(1) of 16,
mysql(1) of 8.4, duckdb.org/docs of 1.1, the manual of go-sqlcmd 1.8, redis.io/commands.
"""

from __future__ import annotations

from harness_guard.shell.commands.addresses import is_local, parse
from harness_guard.shell.commands.model import Call, Options, Row, is_known
from harness_guard.shell.names import NameSource
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_READS: Final = frozenset(("select", "with", "explain", "show", "describe", "desc", "values", "summarize"))
_WRITES: Final = frozenset(
    ("insert", "update", "delete", "drop", "create", "alter", "truncate", "grant", "revoke", "copy", "call", "do",
     "execute", "exec", "into", "load", "install", "attach", "detach", "merge", "replace", "set", "reset", "lock",
     "vacuum", "analyze", "reindex", "import", "export", "begin", "commit", "rollback", "prepare", "declare", "handler",
     "outfile", "dumpfile", "pragma", "use", "kill", "shutdown", "notify", "listen", "refresh", "cluster", "checkpoint",
     "openrowset", "openquery", "opendatasource", "bulk", "backup", "restore", "dbcc", "waitfor", "xp_cmdshell",
     "procedure", "for", "overlay", "deny", "disable", "enable", "reconfigure", "writetext", "updatetext", "send",
     "receive", "raiserror", "throw", "revert", "sp_executesql", "fsdir", "zipfile")
)  # fmt: skip
# Words that may stand in front of a parenthesis without being a function, and functions that only compute.
_CALLABLE: Final = frozenset(
    ("in", "and", "or", "not", "as", "on", "from", "where", "select", "values", "exists", "any", "all", "some", "over",
     "filter", "using", "by", "having", "when", "then", "else", "case", "between", "like", "union", "except",
     "intersect", "join", "limit", "offset", "distinct", "is", "returning", "within", "group",
     "count", "sum", "total", "min", "max", "avg", "round", "abs", "ceil", "floor", "lower", "upper", "length", "trim",
     "ltrim", "rtrim", "substr", "substring", "instr", "concat", "coalesce", "ifnull", "nullif", "iif", "if", "cast",
     "date", "time", "datetime", "julianday", "strftime", "now", "current_timestamp", "date_trunc", "date_part",
     "extract", "to_char", "typeof", "hex", "quote", "group_concat", "string_agg", "array_agg", "json_extract",
     "json_each", "json_tree", "json_array_length", "row_number", "rank", "dense_rank", "lag", "lead", "first_value",
     "last_value", "ntile", "version", "sqlite_version", "current_database", "current_schema", "current_user", "user",
     "database", "pg_size_pretty", "pg_database_size", "pg_relation_size", "pg_total_relation_size", "random",
     "greatest", "least", "decimal", "varchar", "numeric", "char", "pragma_table_info", "pragma_table_list",
     "pragma_index_list", "unixepoch", "printf", "format", "json", "json_group_array", "json_group_object",
     "json_object", "json_array", "json_type", "json_valid", "json_build_object", "to_json", "row_to_json",
     "jsonb_pretty", "unicode", "sign", "mod", "power", "sqrt", "char_length", "array_length", "unnest",
     "generate_series", "split_part", "left", "right", "strpos", "position", "age",
     "date_format", "bool_and", "bool_or")
)  # fmt: skip
# Pragmas of SQLite that tell, with a name behind them or none, and those that set something if they are given one.
_PRAGMAS: Final = frozenset(
    ("table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
     "database_list", "collation_list", "function_list", "module_list", "pragma_list", "compile_options", "page_count",
     "freelist_count", "integrity_check", "quick_check", "foreign_key_check")
)  # fmt: skip
_SETTABLE: Final = frozenset(
    ("user_version", "schema_version", "application_id", "encoding", "page_size", "journal_mode", "foreign_keys",
     "synchronous", "cache_size", "auto_vacuum", "busy_timeout")
)  # fmt: skip
_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_@")


def is_reading(text: str, *, quotes_are_files: bool = False) -> bool:
    """Tell whether a text is one statement that only reads.

    Args:
        text: The statement; a semicolon may end it.
        quotes_are_files: Whether a quoted name may be a file that is read, as in DuckDB.

    Returns:
        False as well for a text that servers take apart in different ways: one with a comment or a backslash.
    """
    if any(mark in text for mark in ("--", "/*", "#", "\\", "$", "`", "\0")) or not text.isascii():
        return False
    bare = _without_quotes(text, quotes_are_files=quotes_are_files)
    if bare is None:
        return False
    bare = bare.strip().removesuffix(";").lower()
    words = _words(bare)
    if ";" in bare or not words or words[0] not in _READS or not _WRITES.isdisjoint(words):
        return False
    return all(name in _CALLABLE for name in _called(bare))


def _without_quotes(text: str, *, quotes_are_files: bool) -> str | None:
    """Put a mark in the place of each quoted text; ``None`` if one does not end or may be more than a text."""
    made: list[str] = []
    at = 0
    while at < len(text):
        if text[at] not in "'\"":
            made.append(text[at])
            at += 1
            continue
        end = text.find(text[at], at + 1)
        if end < 0 or (quotes_are_files and not set("./:*").isdisjoint(text[at:end])):
            return None
        # A quoted name may be a function, and a letter in front of a quote makes another kind of text of it.
        if text[at] == '"' and text[end + 1 :].lstrip().startswith("("):
            return None
        made.append("?")
        at = end + 1
    return "".join(made)


def _words(bare: str) -> list[str]:
    made = [""]
    for character in bare:
        if character in _WORD:
            made[-1] += character
        elif made[-1]:
            made.append("")
    return [word for word in made if word]


def _called(bare: str) -> list[str]:
    """The words in front of an opening parenthesis; ``?`` for a quoted one; nothing for an operator."""
    found = []
    for at, character in enumerate(bare):
        if character == "(":
            before = bare[:at].rstrip()
            end = len(before)
            while end and before[end - 1] in _WORD:
                end -= 1
            name = before[end:]
            if name and before[end - 1 : end] == ".":
                found.append("?")  # a function of somebody's own, whatever its name
            elif name:
                found.append(name)
            elif before[-1:] == "?" or before[-1:] == "]":
                found.append("?")
    return found


def _option_words(call: Call, flags: str, valued: str) -> tuple[list[tuple[str, str]], list[str]] | None:
    """Sort words of which each option has one dash and its value in a word of its own."""
    given: list[tuple[str, str]] = []
    operands: list[str] = []
    if not all(is_known(field) for field in call.args):
        call.opaque(f"{call.name} is told something that is not known whole")
        return None
    words = [field.text or "" for field in call.args]
    at = 0
    while at < len(words):
        name = f"-{words[at].lstrip('-')}"
        if not words[at].startswith("-"):
            operands.append(words[at])
        elif name[1:] in flags.split():
            given.append((name, ""))
        elif name[1:] in valued.split() and at + 1 < len(words):
            at += 1
            given.append((name, words[at]))
        else:
            call.opaque(f"{call.name}: an option that the table does not list: {words[at]}")
            return None
        at += 1
    return given, operands


_SQLITE_FLAGS: Final = (
    "ascii bail batch box column csv echo header noheader html json line list markdown quote readonly safe stats table "
    "tabs nofollow"
)
_DUCKDB_FLAGS: Final = (
    "ascii bail batch box column csv echo header noheader html json jsonlines line list markdown quote readonly safe "
    "table no-stdin"
)
_DOTS: Final = frozenset(
    (".tables", ".schema", ".fullschema", ".databases", ".indexes", ".indices", ".dbinfo", ".show", ".mode", ".headers",
     ".header", ".nullvalue", ".timer", ".bail", ".echo", ".stats", ".changes")
)  # fmt: skip


def _sqlite(call: Call, _options: Options) -> None:
    texts = [field.text for field in call.args]
    if texts in (["--version"], ["-version"], ["-help"], ["--help"]):
        return
    is_duck = call.name == "duckdb"
    valued = "separator newline nullvalue cmd" + (" c s" if is_duck else "")
    sorted_words = _option_words(call, _DUCKDB_FLAGS if is_duck else _SQLITE_FLAGS, valued)
    if sorted_words is None:
        return
    given, operands = sorted_words
    said = [value for name, value in given if name in {"-c", "-s"}]
    texts_said = [*operands[1:], *said] or _lines(call.program or "")
    if not texts_said:
        call.opaque(f"{call.name} reads what to do")
        return
    texts_said += [value for name, value in given if name == "-cmd"]
    if not all(_is_reading_text(text, is_duck=is_duck) for text in texts_said):
        call.opaque(f"{call.name} is told more than one statement that only reads")
        return
    name = _plain_name(operands[0], given) if operands and not is_duck else [*operands, ":memory:"][0]
    is_safe = ("-safe", "") in given
    is_left_alone = not (is_safe or is_duck or name in {":memory:", ""}) and _is_left_alone(call, name)
    is_telling = is_safe or all(text.split()[0] in _DOTS for text in texts_said)
    if not (is_left_alone or is_telling) and operands and not _is_new(call, name):
        kept = "" if is_duck else ", which has a log or a journal beside it, or"
        call.opaque(f"{call.name} asks a database{kept} of which a view may run a program or read any file: see -safe")
        return
    names = (".duckdbrc",) if is_duck else (".sqliterc", ".config/sqlite3/sqliterc")
    if not call.believes([NameSource("absent", f"{call.home}/{name}") for name in names]):
        call.opaque(f"{call.name} takes further commands from a file in the home folder")
    elif is_left_alone:
        call.read(Field(name))
    else:
        _database(call, name, given)


_ASKING: Final = ("mode=ro", "immutable=1", "mode=ro&immutable=1", "immutable=1&mode=ro")


def _plain_name(name: str, given: list[tuple[str, str]]) -> str:
    """Give the file's name where a database is named by an address that says that it is only read (sqlite.org/uri)."""
    path, mark, rest = name.removeprefix("file:").partition("?")
    is_plain = name.startswith("file:") and not path.startswith("//") and {"%", "#", ":"}.isdisjoint(path)
    if not (mark and path and is_plain and rest in _ASKING):
        return name
    given.append(("-readonly", ""))
    return path


def _is_left_alone(call: Call, name: str) -> bool:
    """Whether a database is there that asking writes nothing of: it keeps no log, and no journal is to be undone."""
    places = None if ":" in name else call.paths(Field(name))
    if not places:
        return False
    beside = [NameSource("absent", f"{place}{end}") for place, _ in places for end in ("-journal", "-wal")]
    sources = [*(NameSource("database", place) for place, _ in places), *beside]
    call.needs_names += [source for source in sources if source not in call.names]
    is_left = all(call.names.get(source, False) for source in sources)
    call.trusts_places += sources if is_left else []
    return is_left


def _lines(program: str) -> list[str]:
    """Take what is typed apart: lines that are orders to the program, and all the others, which are statements."""
    lines = program.split("\n")
    dots = [line for line in lines if line.startswith(".")]
    rest = "\n".join(line for line in lines if not line.startswith("."))
    return [*dots, rest] if rest.strip() else dots


def _is_new(call: Call, name: str) -> bool:
    """Whether a database holds nothing yet: what another one calls a table may be a view that runs an editor."""
    if name in {":memory:", ""}:
        return True
    places = call.paths(Field(name))
    return places is not None and call.believes([NameSource("absent", place) for place, _ in places])


_SQLITE_BESIDE: Final = ("-wal", "-shm")


def _is_reading_text(text: str, *, is_duck: bool) -> bool:
    words = text.split()
    if words and words[0] in _DOTS:
        return (
            len(words) <= len((".schema", "name")) and "\n" not in text and set(text[1:].lower()) <= _WORD | set(" %")
        )
    if is_duck:
        return is_reading(text, quotes_are_files=True)
    bare = _without_quotes(text, quotes_are_files=False)
    if bare is None or text.count(";") != bare.count(";"):
        return is_reading(text)  # what one of its quotes holds does not part statements
    statements = [statement.strip() for statement in text.split(";")]
    return any(statements) and all(is_reading(one) or _is_pragma(one) for one in statements if one)


def _is_pragma(text: str) -> bool:
    name, opening, rest = text.partition("(")
    words = name.lower().split()
    asked = rest.rstrip().removesuffix(")").strip(" '\"").lower()
    if words[:1] != ["pragma"] or words[2:]:
        return False
    if not opening:
        return words[1:] != [] and words[1] in _PRAGMAS | _SETTABLE
    is_closed = rest.rstrip().endswith(")") and bool(asked) and set(asked) <= _WORD
    return words[1:] != [] and words[1] in _PRAGMAS and is_closed


def _database(call: Call, name: str, given: list[tuple[str, str]]) -> None:
    """Say that the file is read, and written too: SQLite makes one that is missing, and keeps its log beside it.

    Even a database that is opened for reading has its log and its index written where it is kept in that way.
    """
    if name in {":memory:", ""}:
        return
    if ":" in name:
        call.opaque(f"{call.name} is told of a database that is no plain file")
        return
    is_readonly = any(option == "-readonly" for option, _ in given)
    call.read(Field(name))
    if call.name == "duckdb":
        ends: tuple[str, ...] = () if is_readonly else ("", ".wal")
    else:
        ends = _SQLITE_BESIDE if is_readonly else ("", "-journal", *_SQLITE_BESIDE)
    for end in ends:
        call.write(Field(f"{name}{end}"), "file")


def _asks_server(call: Call, host: str) -> None:
    call.connect(host or "the server on this machine", is_local=not host or host.startswith("/") or is_local(host))


def _psql(call: Call, options: Options) -> None:
    texts = options.values("-c", "--command")
    names = (*options.values("-d", "--dbname"), *options.operands[:1])
    hosts = options.values("-h", "--host")
    if options.has("-V", "--version", "-?") and len(options.given) == 1:
        return
    told = (*texts, *names, *hosts, *options.operands, *(value for _, value in options.given if value is not None))
    if not all(is_known(field) for field in told) or options.operands[2:]:
        call.opaque("psql is told something that is not known whole")
        return
    if not options.has("-X", "--no-psqlrc") and not call.believes([NameSource("absent", f"{call.home}/.psqlrc")]):
        call.opaque("psql takes further commands from ~/.psqlrc; `-X` stops it")
        return
    if not (texts or options.has("-l", "--list")) or not all(_is_psql_text(field.text or "") for field in texts):
        call.opaque("psql is told more than one statement that only reads")
        return
    for field in names:
        name = field.text or ""
        address = parse(name.partition("?")[0]) if name.startswith(("postgres://", "postgresql://")) else None
        if address is not None and "?" not in name:
            call.connect(address.place, is_local=address.is_local)
        elif "=" in name or "://" in name:
            call.opaque("psql is told by a text of its own whom to ask")
            return
    if hosts or not any("://" in (field.text or "") for field in names):
        _asks_server(call, (hosts[-1].text or "") if hosts else "")


def _is_psql_text(text: str) -> bool:
    r"""``\d``, ``\dt`` and the like list; with anything behind them but a plain name they may be more."""
    words = text.split()
    if words and words[0] in {
        "\\l",
        "\\d",
        "\\dt",
        "\\dt+",
        "\\d+",
        "\\dn",
        "\\du",
        "\\di",
        "\\dv",
        "\\df",
        "\\conninfo",
    }:
        return len(words) <= len(("\\d", "name")) and all(set(word.lower()) <= _WORD | {"."} for word in words[1:])
    return is_reading(text)


def _mysql(call: Call, options: Options) -> None:
    if options.has("-V", "--version", "-?", "-I") and len(options.given) == 1:
        return
    texts = options.values("-e", "--execute")
    hosts = options.values("-h", "--host")
    if not all(is_known(value) for _, value in options.given if value is not None) or options.operands[1:]:
        call.opaque("mysql is told something that is not known whole")
        return
    if not call.believes([NameSource("absent", f"{call.home}/.my.cnf")]):
        call.opaque("mysql takes further options from ~/.my.cnf")
        return
    # The client looks for its own commands, ``system`` among them, where a line begins.
    if not texts or not all(is_reading(field.text or "") and "\n" not in (field.text or "") for field in texts):
        call.opaque("mysql is told more than one statement that only reads")
        return
    host = (hosts[-1].text or "") if hosts else ""
    if host and not is_local(host) and not options.has("--skip-local-infile"):
        call.opaque("mysql may be told by the server to send a file; `--skip-local-infile` stops it")
        return
    _asks_server(call, host)


def _sqlcmd(call: Call, _options: Options) -> None:
    """The newer program: ``sqlcmd query TEXT``, ``sqlcmd config view``."""
    texts = [field.text or "" if is_known(field) else "" for field in call.args]
    if texts[:1] in (["--version"], ["-h"], ["--help"]) or (texts[1:] in (["--help"], ["-h"])):
        return
    if texts[:2] in (["config", "view"], ["config", "get-contexts"], ["config", "current-context"]) and not texts[2:]:
        return
    if texts[:1] != ["query"]:
        call.opaque("sqlcmd in a way that the table does not list")
        return
    statements = []
    rest = texts[1:]
    while rest:
        if rest[0] in {"-d", "--database"} and rest[1:]:
            rest = rest[2:]
            continue
        if rest[0] in {"-q", "--query"} and rest[1:]:
            rest = rest[1:]
        statements.append(rest[0])
        rest = rest[1:]
    # A line that begins with ``!!`` or ``:`` is an order to the client.
    if len(statements) == 1 and is_reading(statements[0]) and "\n" not in statements[0] and "\r" not in statements[0]:
        call.connect("the server that its configuration names", is_local=True)
    else:
        call.opaque("sqlcmd is told more than one statement that only reads")


_REDIS: Final = frozenset(
    ("ping", "get", "mget", "strlen", "exists", "keys", "scan", "type", "ttl", "pttl", "info", "dbsize", "llen",
     "lrange", "lindex", "hget", "hgetall", "hkeys", "hvals", "hlen", "hmget", "hscan", "smembers", "scard",
     "sismember", "sscan", "zrange", "zcard", "zscore", "zrank", "zscan", "xlen", "xrange", "xinfo", "time",
     "lastsave", "role", "randomkey", "memory", "getrange", "bitcount", "zcount", "zrangebyscore")
)  # fmt: skip


def _redis(call: Call, options: Options) -> None:
    words = [field.text or "" if is_known(field) else "" for field in options.operands]
    hosts = options.values("-h")
    if options.has("--version", "-v") and not words:
        return
    is_asking = words and words[0].lower() in _REDIS and "" not in words
    if not is_asking or (words[0].lower() == "memory" and words[1:2] not in (["usage"], ["USAGE"], ["stats"])):
        call.opaque("redis-cli is told more than a command that only reads")
    elif not all(is_known(value) for _, value in options.given if value is not None):
        call.opaque("redis-cli is told something that is not known whole")
    else:
        _asks_server(call, (hosts[-1].text or "") if hosts else "")


_MYSQL: Final = {
    "flags": "NBtHXErsnvACqfVI",
    "valued": "ehuDP",
    "attached": "p",
    "longs": "execute= host= user= password=? database= port= skip-column-names batch table html xml vertical raw "
    "silent no-auto-rehash compress quick force version help default-character-set= column-names ssl-mode= "
    "skip-local-infile",
}

COMMANDS: Final = (
    Row("sqlite3", is_free=True, reads=False, act=_sqlite),
    Row("duckdb", is_free=True, reads=False, act=_sqlite),
    Row(
        "psql",
        flags="lVXabeEnqAHtxz0wW?1",
        valued="cdhpUFPRTv",
        longs="command= dbname= list version no-psqlrc echo-all echo-errors echo-queries echo-hidden no-readline quiet "
        "no-align csv html tuples-only expanded field-separator= record-separator= table-attr= host= port= username= "
        "no-password password help=?",
        reads=False,
        act=_psql,
    ),
    *(
        Row(
            name,
            flags=_MYSQL["flags"],
            valued=_MYSQL["valued"],
            attached=_MYSQL["attached"],
            longs=_MYSQL["longs"],
            reads=False,
            act=_mysql,
        )
        for name in ("mysql", "mariadb")
    ),
    Row("sqlcmd", is_free=True, reads=False, act=_sqlcmd),
    *(
        Row(
            name,
            flags="vc23",
            valued="hpna",
            longs="version help raw no-raw csv json",
            reads=False,
            act=_redis,
            is_strict=True,
        )
        for name in ("redis-cli", "valkey-cli")
    ),
)
