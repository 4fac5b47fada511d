"""Which Python programs are read, what they are found to do, and which are refused."""

from __future__ import annotations

import pytest

from harness_guard.shell.python_names import Searched
from harness_guard.shell.python_script import Script, read_script

READ = [
    ("print(1)", Script()),
    ("import json, sys\nprint(json.load(sys.stdin)['a']['b'])", Script()),
    ("import re\nprint(re.sub('a', lambda m: m.group(0).upper(), 'abc'))", Script()),
    ("print(sorted({'a': 1}.items(), key=lambda item: -item[1])[:3])", Script()),
    ("from collections import Counter\nprint(Counter('abc').most_common(2))", Script()),
    ("import datetime\nprint(datetime.datetime.now().isoformat())", Script()),
    ("from math import pow\nprint(pow(2, 3))", Script()),
    ("from urllib.parse import quote\nprint(quote('a b'))", Script()),
    ("import urllib.parse\nprint(urllib.parse.quote('a b'))", Script()),
    ("import os\nprint(os.path.join('a', 'b'), os.environ.get('X'))", Script(variables=("X",))),
    ("import os\nprint(os.environ['X'], os.getenv('Y', 'z'))", Script(variables=("X", "Y"))),
    ("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(9))", Script()),
    ("try:\n    print(1 / 0)\nexcept ZeroDivisionError as fault:\n    print(fault.args)", Script()),
    ("if __name__ == '__main__':\n    print('{:>4}'.format(3), f'{3:>4}')", Script()),
    ("print(open('a.txt').read())", Script(("a.txt",))),
    ("with open('a.txt', encoding='utf-8') as file:\n    print(len(file.readlines()))", Script(("a.txt",))),
    ("for name in ['a', 'b']:\n    print(open(name).read())", Script(("a", "b"))),
    ("import sys\nprint(open(sys.argv[1]).read())", Script(reads_any=True)),
    ("open('a', 'w').write('x')", Script((), ("a",))),
    ("open('a', mode='a')", Script((), ("a",))),
    ("open('a', 'r+')", Script(("a",), ("a",))),
    ("for name in ('a', 'b'):\n    open(name, 'w')", Script((), ("a", "b"))),
    ("p = 'x'\ns = open(p).read().replace('a', 'b', 1)\nopen(p, 'w').write(s)", Script(("x",), ("x",))),
    ("d = 'a/'\nopen(d + 'b', 'w')", Script((), ("a/b",))),
    ("from pathlib import Path\np = Path('a') / 'b'\np.write_text(p.read_text())", Script(("a/b",), ("a/b",))),
    ("import pathlib\npathlib.Path('a', '/b').write_bytes(b'')", Script((), ("/b",))),
    (
        "from pathlib import Path\nfor p in Path('.').rglob('*.py'):\n    print(p.read_text())",
        Script(found_reads=(Searched((".",), ("*.py",)),)),
    ),
    ("from pathlib import Path\nwith Path('a').open('w') as file:\n    file.write('x')", Script((), ("a",))),
    ("import os\nopen(os.path.join('a', 'b'), 'w')", Script((), ("a/b",))),
    ("print(open(0).read())", Script()),
    ("import datetime\nprint(datetime.date(2024, 1, 2).replace(year=2025))", Script()),
    ("print({'a': 1}.copy())", Script()),
    ("import ast\nast.parse(open('a.py').read())", Script(("a.py",))),
]

SRC = Searched(("src",), ("*.py",))
ALL = Searched(("src",), ("*",))
PATH = "from pathlib import Path\n"
WALK = "import os\nfor root, dirs, files in os.walk('src'):\n"
PUT = "    for f in files:\n        open(os.path.join(root, f), 'w')"
FOUND = [
    (PATH + "for p in Path('src').glob('*.py'):\n    p.write_text('')", SRC),
    (PATH + "for p in Path('src').glob('**/*.py'):\n    p.open('w')", SRC),
    (PATH + "for p in sorted(Path('src').rglob('*.py'), ):\n    open(p, 'w')", SRC),
    (PATH + "[p.write_text('') for p in Path('src').rglob('*.py')]", SRC),
    (PATH + "a = list(Path('src').rglob('*.py'))\nprint(len(a))\nfor p in a:\n    p.write_bytes(b'')", SRC),
    (PATH + "for p in Path('src').iterdir():\n    p.write_text('')", ALL),
    (
        PATH + "for p in Path('src').glob('*.py'):\n    p.write_text('')\nfor p in Path('b').glob('c'):\n    print(p)",
        Searched(("src", "b"), ("*.py", "c")),
    ),
    ("import glob\nfor f in glob.glob('src/*.py'):\n    open(f, 'a')", SRC),
    ("import glob\nfor f in glob.glob('*.py'):\n    open(f, 'a')", Searched((".",), ("*.py",))),
    (WALK + PUT, ALL),
    (WALK + "    dirs[:] = [d for d in dirs if d != 'x']\n" + PUT, ALL),
    (WALK + PUT.replace("in files", "in sorted(files)"), ALL),
    (WALK + "    if '.git' in dirs:\n        dirs.remove('.git')\n" + PUT, ALL),
    ("import glob\nfor f in glob.glob('./src/*.py'):\n    open(f, 'a')", Searched(("./src",), ("*.py",))),
    (PATH + WALK + "    for f in files:\n        (Path(root) / f).write_text('')", ALL),
    ("import os\nfor f in os.listdir('src'):\n    open(os.path.join('src', f), 'w')", ALL),
    (
        (
            "import os\nfor root, dirs, files in os.walk('src'):\n    for f in os.listdir(root):\n"
            "        open(os.path.join(root, f), 'w')"
        ),
        ALL,
    ),
    (PATH + "import os\nfor f in os.listdir(Path('src')):\n    p = Path('src') / f\n    p.write_text('')", ALL),
]
# What might be another file than one that the search found: no loop, no listing, or one that the program changes.
NOT_FOUND = [
    PATH + "for p in Path('src').glob('../*.py'):\n    p.write_text('')",
    PATH + "for p in Path('src').glob('*/*.py'):\n    p.write_text('')",
    PATH + "for p in Path('src').glob(x):\n    p.write_text('')\nx = 'a'",
    PATH + "for p in Path('src').glob('*'):\n    for q in p.iterdir():\n        q.write_text('')",
    PATH + "for p in Path('src').glob('*'):\n    (p / 'x').write_text('')",
    PATH
    + "import os\nfor p in Path('src').glob('*'):\n    for f in os.listdir(p):\n        open(os.path.join(p, f), 'w')",
    PATH + "a = list(Path('src').glob('*'))\na.append('/x')\nfor p in a:\n    p.write_text('')",
    PATH + "a = list(Path('src').glob('*'))\nb = a\nb.append('/x')\nfor p in a:\n    p.write_text('')",
    PATH + "for p in Path('src').glob('*'):\n    p = Path(input())\n    p.write_text('')",
    PATH + "def f(p):\n    p.write_text('')\nfor p in Path('src').glob('*'):\n    f(p)",
    PATH + "sorted = lambda x: [Path('/x')]\nfor p in sorted(Path('src').glob('*')):\n    p.write_text('')",
    PATH + "len = lambda x: x.append('/x')\na = list(Path('src').glob('*'))\nlen(a)\nfor p in a:\n    open(p, 'w')",
    PATH + "for p, q in zip(Path('src').glob('*'), ['/x']):\n    q.write_text('')",
    "import glob\nfor f in glob.glob('src/**/*.py', recursive=True):\n    open(f, 'a')",
    "import glob\nfor f in glob.glob('src/*/a.py'):\n    open(f, 'a')",
    "import glob\nfor f in glob.glob('../*.py'):\n    open(f, 'a')",
    "import glob\nfor f in glob.glob('*.py', root_dir='/x'):\n    open(f, 'a')",
    WALK + "    files.append('/x')\n" + PUT,
    WALK + "    dirs.append('../x')\n" + PUT,
    WALK + "    dirs[:] = ['../x' for d in dirs]\n" + PUT,
    WALK + "    dirs[:] = [d for d in dirs if not dirs.append('../x')]\n" + PUT,
    WALK + "    dirs[0] = '../x'\n" + PUT,
    WALK + "    root = '/x'\n" + PUT,
    WALK + PUT.replace("in files", "in dirs"),
    WALK.replace("'src'", "'src', followlinks=True") + PUT,
    WALK.replace("'src'", "'src', True, None, True") + PUT,
    WALK.replace("'src'", "input()") + PUT,
    WALK + PUT.replace("root, f", "root, '..', f"),
    WALK + PUT.replace("root, f", "'src', f"),
    WALK + "    open(os.path.join(root, f), 'w')\n    for f in files:\n        print(f)",
    WALK + PUT.replace("open", "yield open"),
    WALK + PUT.replace("open(", "print(open(").replace("'w')", "'w') for x in [1])"),
    WALK + PUT.replace("open(", "g = lambda: open("),
    (
        "import os\nfor root, *g in os.walk('src'):\n    g[0].append('/x')\n    for f in os.listdir(root):\n"
        "        open(os.path.join(root, f), 'w')"
    ),
    "import os\nfor root, (*d,), files in os.walk('src'):\n" + PUT,
    "import os\nhold = [1]\nfor root, hold[0], files in os.walk('src'):\n    hold[0].append('../x')\n" + PUT,
    "import os\nfor root, *x, dirs, files in os.walk('src'):\n    x[0].append('../x')\n" + PUT,
    "import os\nfor f in os.listdir('src'):\n    open(os.path.join('docs', f), 'w')",
    "import os\nfor f in os.listdir():\n    open(os.path.join('docs', f), 'w')",
    (
        "import os\nfor root, dirs, files in os.walk('src'):\n    for a, b, names in os.walk('docs'):\n"
        "        for f in names:\n            open(os.path.join(root, f), 'w')"
    ),
    WALK + "    for f in files:\n        for root, dirs, files in os.walk('docs'):\n"
    "            open(os.path.join(root, f), 'w')",
    "import glob\nfor f in glob.glob('**', recursive=True):\n    open(f, 'a')",
    "import os\nfor f in ['../x']:\n    for root, dirs, files in os.walk('src'):\n        open(os.path.join(root, f), 'w')",
]

REFUSED = """
import os; print(os.environ)
import os; print(os.environ[input()])
import os; print(os.getenv(*['X']))
import os; print(os.environ.items())
import os; e = os.environ
import os; f = os.getenv
import os; os.environ['X'] = 'a'
import os; del os.environ['X']
from os import environ; print(environ)
from os import getenv; print(getenv('X'))
import os; os.system('x')
import os; os.remove('a')
import os; os.open('a', 66)
import subprocess
import os as math; math.system('x')
from os import system
from os import *
from math import *
zlib_x = 1; from zlib import *
__name__ = 'a'; open(__name__, 'w')
from . import x
import socket
import importlib
import builtins
import yaml
__import__('os')
__builtins__
eval('1')
exec('1')
compile('1', '', 'exec')
breakpoint()
help()
globals()
getattr(1, 'x')
setattr(print, 'x', 1)
type('X', (), {})
print.__self__
''.__class__
(lambda: 0).__globals__
(x for x in [1]).gi_frame
e.tb_frame
class X: pass
@print
async def f(): pass
open(1, 'w')
open(3)
open(x, 'w')
open('a', m)
open('a', 'w', opener=print)
open('a', closefd=False)
open(*['a', 'w'])
open('a', **{'mode': 'w'})
f = open
map(open, ['a'])
[open][0]('a', 'w')
(open)('a', mode)
import io; io.open(x, 'w')
import io; io.FileIO('a', 'w')
import sys; sys.path.insert(0, 'x')
import sys; sys.modules
import sys; sys.stdout = 1
import sys; sys._getframe()
import json; x = json
import json; json.codecs.open('a', 'w')
import fnmatch; fnmatch.os.remove('a')
import glob; glob.os.system('x')
import operator; operator.attrgetter('x')
import operator; operator.methodcaller('x')
import string; string.Formatter().get_field('x', [], {})
import json; json = 1
import json; json.loads = 1
import random as json; import json
def f(eval): pass
eval = print
for compile in []: pass
from re import compile
from os.path import join as open
def f(open): pass
from pathlib import Path; Path('a').unlink()
from pathlib import Path; Path('a').rename('b')
from pathlib import Path; Path('a').replace('b')
from pathlib import Path; Path('a').replace(target='b')
from pathlib import Path; Path('a').replace(*['b'])
from pathlib import Path; Path.replace(Path('a'), 'b')
from pathlib import Path; Path('a').touch()
from pathlib import Path; Path('a').chmod(0)
from pathlib import Path; Path('a').copy('b')
from pathlib import Path; Path(x).write_text('x')
from pathlib import Path; Path.write_text(Path('a'), 'x')
from pathlib import Path; f = Path('a').write_text
from pathlib import Path; f = Path
from pathlib import Path; map(Path.write_text, [], [])
from pathlib import Path; Path('a').parent.write_text('x')
f = ''.replace
p = 'a'; p = 'b'; open(p, 'w')
p = 'a'; p += 'b'; open(p, 'w')
p = q = 'a'; open(p, 'w')
(p := 'a'); open(p, 'w')
x = lambda p='a': open(p, 'w')
open('', 'w')
import uuid; uuid.uuid1()
import uuid; uuid.getnode()
import platform; platform.processor()
import typing; typing.get_type_hints(1)
import pickle
import ctypes
import base64; base64.main()
import json.tool
import urllib.request
import urllib
"""


@pytest.mark.contract("E4.5")
@pytest.mark.parametrize(("text", "expected"), READ)
def test_read(text: str, expected: Script) -> None:
    assert read_script(text) == expected


@pytest.mark.contract("E4.5")
@pytest.mark.parametrize("text", REFUSED.strip().split("\n"))
def test_refused(text: str) -> None:
    assert read_script(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "# coding: utf-7\nprint(1)",
        "\n # -*- coding: rot13 -*-\nprint(1)",
        "print(1)\r# x",
        "print(1)\x0c",
        "print(1",
        "match 1:\n    case 1: print(1)",
        "print(" + "(" * 70 + "1" + ")" * 70 + " + 1" * 100 + ")",
        "x = 1\n" * 20_000,
        "def _f(): pass",
        "def f():\n    import os.path as str\nopen(str.join('a', 'b'), 'w')",
        "def f():\n    from os.path import join as max\nopen(max('a', 'b'), 'w')",
        "def f():\n    from pathlib import Path as str\nopen(str('a'), 'w')",
        "\uff45\uff56\uff41\uff4c('1')",
    ],
)
def test_refused_for_its_form(text: str) -> None:
    assert read_script(text) is None


def test_an_encoding_is_named_in_a_comment_alone() -> None:
    assert read_script("print(open('a', encoding='utf-8').read())") == Script(("a",))


@pytest.mark.contract("E4.5")
@pytest.mark.parametrize(("text", "found"), FOUND)
def test_files_that_a_search_finds(text: str, found: Searched) -> None:
    assert read_script(text) == Script(found_writes=(found,))


@pytest.mark.contract("E4.5")
@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_a_search_may_not_have_found(text: str) -> None:
    assert read_script(text) is None


def test_a_search_through_links_is_good_enough_to_read() -> None:
    text = "import glob\nfor f in glob.glob('src/**/*.py', recursive=True):\n    print(open(f).read())"
    assert read_script(text) == Script(found_reads=(Searched(("src",), ("*.py",), follows=True),))
