"""A program for ``node -e`` that only computes, reads and prints; and what would get hold of more."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness_guard.shell.node_script import Script, read_script

if TYPE_CHECKING:
    from pathlib import Path

LOADS = Script(loads=("./package.json",))
READS = Script(reads=("a.txt",))
PURE = [
    ("1+1", Script()),
    ("process.version", Script()),
    ("console.log(process.env.HOME)", Script(variables=("HOME",))),
    ("require('./package.json').version", LOADS),
    ("require('./package.json').scripts?.test ?? 'none'", LOADS),
    ('require("../x/package.json")["name"]', Script(loads=("../x/package.json",))),
    ("Object.keys(require('./package.json').scripts||{})", LOADS),
    ("Object.keys(require('./package.json').dependencies).join('\\n')", LOADS),
    ("const p=require('./package.json'); console.log(p.version)", LOADS),
    ("const {name, version: v} = require('./package.json'); console.log(name, v)", LOADS),
    ("JSON.parse(require('fs').readFileSync('a.txt','utf8')).x", READS),
    ("const fs=require('fs'); console.log(fs.readFileSync('a.txt','utf8').length)", READS),
    ("const fs = require('node:fs'), path = require('path');\nconsole.log(path.join(fs.readFileSync('a.txt', {encoding: 'utf8'}), 'x'))", READS),
    ("fs.readFileSync('a.txt','utf8').split(/\\r?\\n/).filter(Boolean).map((l, i) => `x`).length", READS),
    ("require('fs').existsSync('a.txt') && require('fs').readdirSync('src', {withFileTypes: true}).length", Script(lists=("a.txt", "src"))),
    ("const d=JSON.parse(require('fs').readFileSync(0,'utf8')); console.log(d.x[0])", Script()),
    ("let s='';process.stdin.on('data',d=>s+=d).on('end',()=>console.log(JSON.parse(s).version))", Script()),
    ("try{require('./package.json');console.log('ok')}catch(e){console.log(e.message)}", LOADS),
    ("for (const [k, v] of Object.entries(require('./package.json').scripts)) console.log(k + ': ' + v)", LOADS),
    ("function f(x) { return x > 1 ? [1] : [2] }; console.log(f(2).concat([3]), {a: 1, 'b': [2]})", Script()),
    ("console.log(new Set([1,2]).size, [...new Map([['a', 1]]).keys()], Math.max(...[1,2]))", Script()),
    ("process.stdout.write(JSON.stringify({a: 1}, null, 2)); process.exit(0)", Script()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PURE)
def test_what_only_computes(text: str, expected: Script) -> None:
    assert read_script(text) == expected


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("text", [text for text, _ in PURE if "../x" not in text])
def test_it_runs_and_writes_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "a.txt").write_text('{"x": 1}')
    (tmp_path / "package.json").write_text(
        '{"name": "n", "version": "1.0.0", "scripts": {"test": "x"}, "dependencies": {}}'
    )
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        ["node", "-e", text],
        cwd=tmp_path,
        input='{"version": 1, "x": [2]}',
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr, sorted(tmp_path.rglob("*"))) == (0, "", before)


REFUSED = [
    # other modules, and node's own names
    "require('child_process').execSync('x')",
    "child_process.execSync('x')",
    "require('./x.js')",
    "require('./.json')",
    "require('package.json')",
    "require('./link/../x.json')",
    "require('./x' + '.json')",
    "require(`./x.js`)",
    "require.main.require('fs')",
    "x.require('./package.json')",
    "module.require('fs')",
    "process.binding('fs')",
    "process.mainModule",
    "process['binding']('fs')",
    "process.env",
    "process.env['HOME']",
    "process.env.HOME = 'x'",
    "Object.entries(process.env)",
    "process.kill(1)",
    "const {env} = process; console.log(env)",
    "globalThis.process",
    "import('fs')",
    "eval('1')",
    "Function('1')()",
    "new Function('1')()",
    "setTimeout('1')",
    "fetch('http://x')",
    # constructors by any way
    "(()=>1).constructor('x')()",
    "(()=>1)['constructor']('x')()",
    "(()=>1)['con'+'structor']('x')()",
    "(()=>1)['\\x63onstructor']",
    "const F = function(){}['constructor']; F('x')()",
    "const {constructor: F} = ()=>1; F('x')()",
    "const {'constructor': F} = ()=>1; F('x')()",
    "const {['constructor']: F} = ()=>1; F('x')()",
    "const {a, ['con' + 'structor']: F} = ()=>1; F('x')()",
    "let of = ()=>1; const F = of['constructor']; F('x')()",
    "const o = {return: ()=>1}; const F = o.return['constructor']; F('x')()",
    "x?.['constructor']",
    "const k = 'constructor'; const F = f[k]; F('x')()",
    "[].__proto__.x = 1",
    "({})['__proto__']",
    "Object.getPrototypeOf(f)",
    "Reflect.get(f, 'constructor')",
    "console.log.call(1)",
    "(function(){ return this })()",
    "(function(){ return arguments })()",
    # the file system, but for reading what is named
    "require('fs').writeFileSync('a','b')",
    "const fs=require('fs'); fs.writeFileSync('a','b')",
    "const w=require('fs').writeFileSync; w('a','b')",
    "const fs=require('fs'); const w=fs.writeFileSync; w('a','b')",
    "const {writeFileSync} = require('fs'); writeFileSync('a','b')",
    "const of=require('fs'); const w=of.writeFileSync; w('a','b')",
    "const x=f(1, p=require('fs')); x.writeFileSync('a')",
    "const a=b=require('fs'); const w=a.writeFileSync; w('a','b')",
    "const fs=require('fs')?.writeFileSync('a','b')",
    "const fs=require('fs')\n['writeFileSync']('a','b')",
    "const a=[require('fs')]; const w=a[0].writeFileSync; w('a','b')",
    "fs?.writeFileSync('a','b')",
    "fs['writeFileSync']('a','b')",
    "fs.promises.writeFile('a','b')",
    "fs.readFileSync('a',{flag:'w'})",
    "fs.readFileSync('a',o)",
    "fs.readFileSync('a',{encoding:'utf8',flag:'w'})",
    "fs.readFileSync(name)",
    "fs.readFileSync('a'+name)",
    "fs.readdirSync('a',{encoding:'utf8'})",
    "f(fs)",
    "f({fs})",
    "f(...fs)",
    # what node itself would call, and streams
    "path.resolve = ()=>'/repo/x.js'; require('./package.json')",
    "[path.resolve] = [()=>'/repo/x.js']",
    "fs.readFileSync = x",
    "process.cwd = ()=>'/'",
    "JSON.parse = x",
    "const s = process.stdin.on('x', f)",
    "f(process.stdin.resume())",
    "process.stdin.on('data', d=>1).connect('/run/x.sock')",
    "process.stdin.pipe(x)",
    "process.stdout.connect(80, 'x')",
    "x['connect'](80)",
    "x.a[0](1)",
    "x?.(1)",
    # what may be read in two ways
    "a / b",
    "f(// x\n)",
    "f(/* x */)",
    "x <!-- y",
    "x --> y",
    "`${x}`",
    "String.raw`x`",
    "f.a`x`",
    "'a",
    "/x",
    "caf\u00e9",
    "\\u0065val('1')",
    "#x",
    "@x",
    "[",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_do_more(text: str) -> None:
    assert read_script(text) is None


def test_a_long_program_is_not_read() -> None:
    assert read_script("1;" * 20_000) is None
