"""Which Python programs are read, what they are found to do, and which are refused."""

from __future__ import annotations

import pytest

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
    ("import os\nprint(os.path.join('a', 'b'), os.environ.get('X'))", Script()),
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
    ("from pathlib import Path\nfor p in Path('.').rglob('*.py'):\n    print(p.read_text())", Script(reads_any=True)),
    ("from pathlib import Path\nwith Path('a').open('w') as file:\n    file.write('x')", Script((), ("a",))),
    ("import os\nopen(os.path.join('a', 'b'), 'w')", Script((), ("a/b",))),
    ("print(open(0).read())", Script()),
    ("import datetime\nprint(datetime.date(2024, 1, 2).replace(year=2025))", Script()),
    ("print({'a': 1}.copy())", Script()),
    ("import ast\nast.parse(open('a.py').read())", Script(("a.py",))),
]

REFUSED = """
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
from pathlib import Path; [p.write_text('') for p in Path('.').iterdir()]
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
