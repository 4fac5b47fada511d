"""Which names are, or may be, those of modules that Python's own library imports, or that pip looks for.

Sources: ``sys.stdlib_module_names`` of the interpreter that runs here, and the libraries of releases before and after.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

SUFFIXES: Final = (".py", ".pyc", ".pyw", ".so", ".pyd", ".dylib", ".dll")
_NEVER_IMPORTED: Final = frozenset(("test", "turtle", "idlelib", "tkinter", "venv", "antigravity", "lib2to3"))
_OWN: Final = frozenset(("__init__", "__main__", "__pycache__"))
_OTHERS: Final = frozenset(
    [
        "imp",
        "asynchat",
        "asyncore",
        "smtpd",
        "distutils",
        "binhex",
        "formatter",
        "parser",
        "symbol",
        "macpath",
        "dummy_threading",
        "compression",
        "annotationlib",
        "tomllib",
        "zoneinfo",
        "graphlib",
        "interpreters",
        "stringio",
        "cstringio",
        "configparser",
        "queue",
        "socketserver",
        "userdict",
        "userlist",
        "userstring",
        "htmlparser",
        "cookie",
        "cookielib",
        "urlparse",
        "urllib2",
        "httplib",
        "sets",
        "sre",
        "md5",
        "sha",
        "new",
        "commands",
        "mimetools",
        "rfc822",
        "popen2",
        "exceptions",
        "copy_reg",
        "thread",
        "repr",
        "robotparser",
        "xmlrpclib",
        "anydbm",
        "dbhash",
        "whichdb",
        "dumbdbm",
        "htmlentitydefs",
        "markupbase",
        "multifile",
        "compiler",
        "user",
        "strop",
        "cgi",
        "cgitb",
        "chunk",
        "crypt",
        "imghdr",
        "mailcap",
        "msilib",
        "nis",
        "nntplib",
        "ossaudiodev",
        "pipes",
        "sndhdr",
        "spwd",
        "sunau",
        "telnetlib",
        "uu",
        "xdrlib",
        "audioop",
        "aifc",
        "pip",
        "keyring",
        "setuptools",
        "pkg_resources",
        "wheel",
        "sitecustomize",
        "usercustomize",
    ]
)
_LIBRARY: Final = frozenset(name.casefold() for name in sys.stdlib_module_names)


def is_library(name: str) -> bool:
    """Tell whether a file or folder of that name may stand in for a module; names with ``_`` in front all may."""
    stem = name.partition(".")[0].casefold()
    if stem in _OWN or stem in _NEVER_IMPORTED:
        return False
    return stem.startswith("_") or stem in _OTHERS or stem in _LIBRARY
