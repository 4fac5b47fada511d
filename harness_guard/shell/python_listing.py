"""What of Python and its standard library neither runs, loads nor opens anything, whatever it is called with.

Source: The Python Standard Library 3.14; the list holds for 3.9 and later.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

BUILTINS: Final = frozenset(
    ("print", "len", "sorted", "range", "sum", "min", "max", "abs", "round", "enumerate", "zip", "map", "filter", "any",
     "all", "reversed", "list", "dict", "set", "tuple", "frozenset", "str", "int", "float", "bool", "bytes",
     "bytearray", "complex", "repr", "ascii", "chr", "ord", "hex", "oct", "bin", "divmod", "pow", "isinstance", "iter",
     "next", "slice", "hash", "format", "input", "callable", "exit", "quit", "True", "False", "None", "Exception",
     "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "SyntaxError", "OSError", "IOError",
     "FileNotFoundError", "StopIteration", "ZeroDivisionError", "RuntimeError", "UnicodeDecodeError", "NameError",
     "SystemExit", "AssertionError", "ArithmeticError", "LookupError", "OverflowError", "NotImplementedError",
     "KeyboardInterrupt", "__name__")
)  # fmt: skip

# Modules written in C that hold nothing but harmless functions.
WHOLE: Final = frozenset(("math", "cmath", "itertools", "binascii", "zlib", "unicodedata", "struct"))
MODULES: Final = {
    "json": "loads load dumps dump JSONDecodeError",
    "re": "compile search match fullmatch split findall finditer sub subn escape error I IGNORECASE M MULTILINE S "
    "DOTALL X VERBOSE A ASCII",
    "sys": "argv stdin stdout stderr exit maxsize version version_info byteorder platform executable getsizeof prefix",
    "os": "getcwd sep linesep getpid cpu_count listdir path name walk",
    "os.path": "join basename dirname exists isfile isdir splitext split abspath normpath relpath getsize getmtime sep "
    "commonprefix commonpath expanduser realpath islink",
    "datetime": "datetime date time timedelta timezone UTC",
    "time": "time sleep strftime gmtime localtime monotonic perf_counter time_ns mktime strptime ctime asctime",
    "collections": "Counter defaultdict OrderedDict deque namedtuple ChainMap",
    "statistics": "mean median mode stdev pstdev variance pvariance fmean harmonic_mean geometric_mean quantiles "
    "median_low median_high multimode",
    "fractions": "Fraction",
    "decimal": "Decimal getcontext ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation printable whitespace hexdigits "
    "octdigits Template capwords",
    "random": "random randint choice choices sample shuffle seed uniform randrange gauss Random getrandbits",
    "secrets": "token_hex token_urlsafe token_bytes choice randbelow",
    "base64": "b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode b16encode b16decode "
    "standard_b64encode standard_b64decode b85encode b85decode a85encode a85decode",
    "hashlib": "md5 sha1 sha224 sha256 sha384 sha512 sha3_256 sha3_512 blake2b blake2s new",
    "hmac": "new compare_digest digest",
    "urllib.parse": "quote unquote quote_plus unquote_plus urlencode urlparse urlsplit urlunparse urlunsplit urljoin "
    "parse_qs parse_qsl",
    "html": "escape unescape",
    "textwrap": "dedent indent wrap fill shorten",
    "pprint": "pprint pformat",
    "csv": "reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE",
    "io": "StringIO BytesIO",
    "ast": "parse literal_eval dump walk unparse FunctionDef AsyncFunctionDef ClassDef Import ImportFrom Call Name "
    "Constant Assign Attribute get_docstring iter_child_nodes",
    "heapq": "heappush heappop heapify nlargest nsmallest merge heappushpop heapreplace",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "functools": "reduce partial cmp_to_key",
    "operator": "itemgetter add sub mul truediv floordiv mod neg eq ne lt le gt ge and_ or_ xor not_ contains",
    "copy": "copy deepcopy",
    "uuid": "uuid4 uuid3 uuid5 UUID NAMESPACE_DNS NAMESPACE_URL",
    "shlex": "split quote join",
    "fnmatch": "fnmatch fnmatchcase filter translate",
    "glob": "glob iglob escape",
    "difflib": "unified_diff ndiff context_diff SequenceMatcher get_close_matches",
    "calendar": "month calendar monthrange isleap leapdays weekday day_name month_name timegm",
    "ipaddress": "ip_address ip_network ip_interface IPv4Address IPv4Network IPv6Address IPv6Network",
    "platform": "python_version python_implementation system machine release python_version_tuple",
    "tomllib": "loads load TOMLDecodeError",
    "pathlib": "Path PurePath PurePosixPath",
    "keyword": "kwlist iskeyword",
    "colorsys": "rgb_to_hsv hsv_to_rgb rgb_to_hls hls_to_rgb",
}

# Methods and attributes that are harmless on everything that a listed function gives, a ``Path`` included.
METHODS: Final = frozenset(
    (  # noqa: SIM905  a list of two hundred quoted words is no easier to read
        # texts and bytes
        "split rsplit splitlines strip lstrip rstrip lower upper title capitalize casefold swapcase join startswith "
        "endswith find rfind index rindex count encode decode format format_map zfill ljust rjust center partition "
        "rpartition isdigit isalpha isalnum isnumeric isdecimal isspace isupper islower istitle isidentifier "
        "isprintable isascii expandtabs translate maketrans removeprefix removesuffix hex fromhex "
        # collections
        "append extend insert pop remove clear sort reverse keys values items get setdefault update add discard union "
        "intersection difference symmetric_difference issubset issuperset popitem fromkeys most_common elements "
        "appendleft popleft rotate extendleft total maxlen isdisjoint "
        # numbers
        "bit_length to_bytes from_bytes as_integer_ratio is_integer real imag conjugate numerator denominator quantize "
        "normalize sqrt limit_denominator prec "
        # matches, dates, digests, parsed addresses
        "group groups groupdict start end span sub subn search match fullmatch findall finditer pattern flags string "
        "lastindex year month day hour minute second microsecond weekday isoweekday isoformat strftime strptime now "
        "utcnow today timestamp fromtimestamp utcfromtimestamp fromisoformat date time days seconds microseconds "
        "total_seconds utc astimezone tzinfo hexdigest digest digest_size block_size name scheme netloc path query "
        "fragment hostname port username password params geturl combine min max ctime toordinal "
        "network_address broadcast_address num_addresses hosts is_private version prefixlen netmask bytes int urn "
        # streams that are open already
        "read readline readlines write writelines flush close seek tell truncate buffer encoding closed isatty "
        "getvalue writerow writerows writeheader fieldnames line_num reconfigure "
        # paths
        "parent parents parts stem suffix suffixes exists is_file is_dir is_symlink is_absolute iterdir glob rglob "
        "walk relative_to is_relative_to with_suffix with_name with_stem joinpath as_posix resolve absolute expanduser "
        "cwd home st_size st_mtime stat "
        # syntax trees and faults
        "body lineno col_offset value id names targets target level args arg func attr keywords module bases "
        "decorator_list returns msg pos colno doc filename reason errno strerror offset text "
        "major minor micro ratio substitute safe_substitute get_matching_blocks get_opcodes hexdigits "
        "shuffle choice randint random sample seed"
    ).split()
)


def is_listed(module: str, name: str) -> bool:
    """Whether an attribute of a module is on the list."""
    if module in WHOLE:
        return not name.startswith("_")
    return name in MODULES.get(module, "").split()
