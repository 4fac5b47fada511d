"""Random shell programs over the bench's world, as a Hypothesis strategy: what agents write, and what trips readers.

A program is a template with slots that are filled in turn. In a template ``<W>`` is a word, ``<P>`` a path of the world, ``<N>`` a
variable, ``<A>`` an array, ``<F>`` a function, ``<I>`` a small number, ``<S>`` a program, ``<Q>`` a program inside single quotes, ``<G>`` a glob for find;
a digit behind the letter names a slot, so that ``<F1>`` is the same twice. The programs are meant to be understood, most of
them: one whose effects are unknown tests nothing.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

NAMES = ("x", "y", "f", "d")
ARRAYS = ("a", "b")
FUNCTIONS = ("go", "f", "put", "touch")
PLACES = (
    "a.txt", "b.txt", "src", "src/x.py", "src/q", "docs", "docs/n.txt", "docs/q", "link-in", "link-in/q", "link-out",
    "link-out/q", "link-file", "link-new", "docs/up", "docs/up/q", "empty", "new", "new/q", "../outside/q", "..", ".",
    "/outside", "/outside/q", "/outside/dir", "/tmp/q", "/repo/src", "~", "~/q", "src/lib", "src/../q", "link-out/../q",
    "./src/", "q", "q", "p", "nope", "nope/q", "a.txt/q", "nope/../q",
)  # fmt: skip
WORDS = (
    "one", "-n", "two words", "", "3", "0", "*.txt", "src/*.py", "?.txt", "d*", "{p,q}", "q{1..3}", "x=y", "a b", "08", "-",
)  # fmt: skip
EXPANSIONS = (
    "$<N>", '"$<N>"', '"${<N>}/q"', "$<N>/q", '"$<N>"', '"$<N>.txt"', '"${<N>:-<P>}"', "${<N>:-<P>}", '"${<N>-<P>}"',
    '"${<N>:+<P>}"', '"${<N>%/*}"', '"${<N>##*/}"', '"${<N>#*/}"', '"${<N>%%.*}"', '"${<N>%q}"', '"${<N>/q/w}"',
    '"${<N>//a/b}"', '"${<N>:<I>}"', '"${<N>:0:<I>}"', '"${<N>::<I>}"', '"${<N>:<I>:-<I>}"', '"${<N>^^}"', '"${#<N>}"', '"${<N>:=<P>}"', '"${<N>: -<I>}"',
    '"${<A>[@]}"', '"${<A>[<I>]}"', "${<A>[@]}", "$<A>", '"${#<A>[@]}"', '"${<A>[*]}"', '"$@"', "$@", '"$*"', "$#", '"$1"',
    '"${m[k]}"', "${m[<I>]}", '"${<A>[@]:<I>}"', '"${<A>[@]: -1}"', '"${@:<I>:1}"', '"${!<N>}"', "${!<N>}", '"${<N>=<P>}"',
    '"${1:-q}"', '"${@:2}"', '"$(pwd)"', "$(pwd)/q", "$(dirname <P>)", '"$(basename <P>)"', "$(echo <P>)",
    "$(cd <P>; pwd)", '"$(dirname "$<N>")"', '"$(basename "$<N>" .txt)"', "$(cat a.txt)", "$(touch <P>)",
    "$(printf %s <P>)", "$((1 + 2))", "q$((<I>))", "q.$(date +%Y)", "src/q$(( <N> + 1 )).x", "`pwd`", "<(echo q)", '"$PWD"', '"${PWD##*/}"', '"${PWD%/*}/q"', "$PWD/q",
    "$OLDPWD/q", '"$HOME"', '$(basename "$PWD")', "${1%/*}", '"${2:-<P>}"', '"${<A>[<N>]}"', "q$<I>",
)  # fmt: skip
WRITERS = (
    "touch <W>", "echo hi > <W>", "echo hi >> <W>", "mkdir -p <W>", "rm -f <W>", "cp a.txt <W>", "cp <W> <W>", "mv <W> <W>",
    "mv b.txt <W>", "tee <W> < a.txt", "ln -s <W> <W>", "ln <W> <W>", "rm -rf <W>", "cat a.txt > <W> 2> <W>", "printf 'x\\n' | tee <W>",
    ": > <W>", "> <W>", "touch -- <W>", "rmdir <W>", "sed -i s/a/b/ <W>", "sort -o <W> a.txt", "cp -r <W> <W>", "touch <W> <W>",
    "echo x &> <W>", "cat <<E > <W>\n$x\nE\n", "cat <<'E' >> <W>\n$(touch q)\nE\n", "exec 3> <W>; echo x >&3; exec 3>&-",
    "{ echo a; } {fd}> <W>", "chmod 600 <W>", "find src -name '*.py' -exec touch <W> \\;", "echo <W> | xargs -I% touch %",
    "xargs touch < <W>", "truncate -s 0 <W>", "mkdir <W> && touch <W>", "dd if=a.txt of=<W>", "find <W> -name q -delete",
    "env q=1 touch <W>", "timeout 2 touch <W>", "command touch <W>", "touch ./<W>", "touch ./<W>", "tee ./<W> <W> < b.txt",
    "find <P> -name <G> -delete", "find <P> -name <G> -exec touch {} +", "find . -name <G> -exec sed -i s/a/b/ {} +",
    "find <P> -name <G> -print0 | xargs -0 touch", "find <P> -name <G> | xargs rm -f", "rm -f <G>", "rm -f *", "touch *.txt",
    "grep -rlZ a <P> | xargs -0 touch", "cat <G> > q", 'for <N> in *.txt; do cp "$<N>" "$<N>.bak"; done',
    'for <N> in *.txt; do mv "$<N>" "${<N>%.txt}.md"; done', 'for <N> in d*; do touch "$<N>/q"; done',
    "find <P> -name <G> -print0 | while IFS= read -r -d '' <N>; do touch \"$<N>.bak\"; done",
    "while IFS= read -r -d '' <N>; do mv \"$<N>\" \"${<N>%.txt}.md\"; done < <(find . -name '*.txt' -print0)",
    "find . \\( -name <G> -o -name q \\) -exec rm -rf {} +", "find <P> -path <G> -prune -o -name <G> -delete",
    "i=0; while [ $i -lt 3 ]; do touch <P>$i; i=$((i + 1)); done", "ls | xargs rm -f", "rm -f $(find src -name <G>)",
    "for <N> in <W> <W>; do touch ./$<N>; done", "cat <<< <W> > <W>", "<F> <W>", "touch <W> <W> <W>", "builtin cd <W>; touch <W>",
)  # fmt: skip
SETTINGS = (
    "<N>=<W>", "<N>=<W>", "<N>=<P>", "<N>=<P>", "<N>+=<W>", "export <N>=<W>", "declare <N>=<W>", "local <N>=<W>", "local <N>",
    "readonly <N>=<W>", "unset <N>", "declare -i <N>=<I>", "<A>=(<W> <W>)", "<A>+=(<W>)", "<A>[<I>]=<W>", "declare -A <A>=([k]=<W>)",
    "set -- <W> <W>", "shift", "shift <I>", "read <N> <<< <W>", "read -r <N> <A> < a.txt", "mapfile -t <A> <<< <W>",
    "printf -v <N> %s <W>", "cd <W>", "cd <P>", "cd <P> && touch <W>", "cd -P <P>", "pushd <P>", "popd", "cd -", "cd", "cd ..",
    "(( <N> = <I> ))", "<N>=$(( <N> + 1 ))", "let <N>=<I>", "(( <N>++ ))", "set -e", "set -u", "set -f", "shopt -s nullglob",
    "shopt -s dotglob", "shopt -s globstar", "<N>=<W> <A>=<W>", "IFS=/", "IFS=,", "IFS=", "alias <F>=touch", "unset -f <F>",
    "declare -g <N>=<W>", "typeset <N>=<W>", "set <W>", "hash -r; <N>=<W>", "<N>=<W> touch <W>", "local -a <A>=(<W>)",
    "<N>=$({ cd <P>; pwd; })", "unset <A>", "<N>=<W>; export <N>", "<N>=(<W>)", "[[ -n <W> ]] && <N>=<W>", "[ -e <W> ] || <N>=<W>",
    "ls > /dev/null 2> <W> && <N>=<W>", "<N>=<W> > <W>", "cd <P> > <W>", "getopts ab <N> <W>", "<N>=$#", "<N>=$?",
    "<N>=$(wc -l < a.txt)", "set --", "<N>=<P> $<N>", "local <N1>=<P> <N>=$<N1>", "<A>=(*.txt)", "set -- *.txt", "set -- d*",
    "return 1 2", "<A>[-1]=<W>", "<N>=<P>\n<N1>=<P>", "dirs -c", "cd <P> <P>", "(( <I> / <I> ))", "<A>[<N>]=<P>", "CDPATH=/outside",
    "declare -A m=([k]=<W> [1]=<P>)", "declare -A m; m[k]=<W>", "m[k]=<P>", "m=([k]=<P>)", "unset m", "<N>=<N1>; <N1>=<P>",
    "printf -v <N> %s/%s <W> <P>", 'read -r <N> <N1> <<< "<P> <P>"', "IFS= read -r <N> <<< <W>", ': "${<N>:=<W>}"',
    ": ${<N>=<P>}", "unset <N>; : ${<N>:=<P>}", "shopt -s nocasematch", "GLOBIGNORE=<W>", "HOME=<P>", "PWD=<P>", "OLDPWD=<P>",
    "CDPATH=<P>", "export x={<P>,<W>}", "declare -a <A>=<W>", "typeset <A>=<W>", "(( <N1> > <N> ))", "let <N>=<I> <N1>=<N>+1",
    "set -C", "shift 2 1", "break 1 2", "exit 1 2", "<N>=`cat a.txt`", "set -o posix", "read <N>", "declare -r <N>=<P>",
)  # fmt: skip
LEAVING = (
    "return", "return 1", "return 0", "break", "continue", "exit", "true", "false", "exit 1", ":", "wait", "break 2",
    "continue 2", "return $?", "<F> <W>", "<F> <W> <W>", "<F>", 'return "$<N>"', "<F> > <W>",
)  # fmt: skip
TESTS = (
    "true",
    "false",
    "[ -d <W> ]",
    "[[ <W> == s* ]]",
    "cd <P>",
    "test -n <W>",
    "<N>=<P>",
    "<F>",
    "! cd <P>",
    "(( <I> ))",
)
COMPOUNDS = (
    "<S>\n<S>", "<S>\n<S>", "( <S>\n)", "{ <S>\n}", "if <T>; then <S>\nelse <S>\nfi", "if <T>; then <S>\nfi", "<T> && { <S>\n}",
    "<T> || { <S>\n}", "! { <S>\n}", "for <N> in <W> <W>; do <S>\ndone", "for <N> in <W>; do <S>\n<S>\ndone", "for <N>; do <S>\ndone",
    "while read <N>; do <S>\ndone <<< <W>", "while read -r <N>; do <S>\ndone <<E\n<P>\nq\nE\n",
    "echo <W> | while read -r <N>; do <S>\ndone", "printf '%s\\n' <W> <P> | while read <N>; do <S>\ndone", "while <T>; do <S>\nbreak\ndone", "until <T>; do <S>\nbreak\ndone",
    "for ((<N1> = 0; <N1> < 2; <N1>++)); do <S>\ndone", "case <W> in s*) <S>\n;; *.txt|q) <S>\n;; esac",
    "case <W> in src*) <S>\n;;& *) <S>\nesac", "{ <S>\n} | { <S>\n}", "<F>() { <S>\n}", "<F1>() { <S>\n<S>\n}\n<F1> <W>",
    "<F1>() { <S>\n}\n<F1> <W> <W>", "function <F1> { <S>\n}\n<S>\n<F1> <W>", "<F1>() ( <S>\n)\n<F1> <W>", "<F1>() { <S>\n} > <W>\n<F1> <W>",
    "eval '<Q>'", "eval '<Q>' > <W>", "trap '<Q>' EXIT", "trap '<Q>' ERR", "bash -c '<Q>' _ <W>", "sh -c '<Q>' _ <W> <W>", "{ <S>\n} &",
    "<S>\nwait", "<N>=$( <S>\n)", "{ <S>\n} > <W>", "{ <S>\n} < <W>", "{ <S>\n} 2> <W>\n<S>", "select <N> in <W>; do <S>\nbreak\ndone",
    "( <S>\n<S>\n)", "time { <S>\n}", "trap '<Q>' EXIT\n<S>", "trap - EXIT; <S>", "trap '<Q>' DEBUG\n<S>",
    "find . -name '*.py' -exec sh -c '<Q>' _ {} \\;", "<F1>() { local <N>=<W>\n<S>\n}\n<F1>\n<S>", "<F1>() { <S>\nreturn\n<S>\n}\n<F1> || <S>",
    "<F1>() { <S>\n}\n<F1> <W> > <W> || <S>", "<N1>=<P>\n<F1>() { local <N1>=<P>\n<S>\n}\n<F1>\ntouch $<N1>", 'eval "<S>"',
    "<N1>=<P>; { <S>\n}; touch $<N1>", '<N1>=<P>\n<S>\ntouch "$<N1>"', "cd <P>\n<S>\ntouch q", "<S>; <S>", "<S> && <S>", "<S> || <S>",
    '<N1>=<P>\n<N1>=<P> > <P>\ntouch -- "$<N1>"', '<F1>() { cd <P>\n<N1>=<P>\n}\n<F1> > <P>\ntouch zz; touch -- "$<N1>"',
    "eval 'cd <P>' > <P>\ntouch zz", "<N1>=<P>\ntrap 'touch -- \"$<N1>\"' EXIT\n<N1>=<P>\n<S>", "trap 'touch zz' EXIT\ncd <P>\n<S>",
    "<N1>=<P>\ntrap 'touch -- \"$<N1>\"' EXIT\n<S>", "cd <P> && <S>\ntouch zz", "cd <P> || <S>\ntouch zz", '<N1>=<P>\n<T> && <N1>=<P>\ntouch -- "$<N1>"',
    '<N1>=<P>\n{ <N1>=<P>\n<S>\n} > <P>\ntouch -- "$<N1>"', '<A1>=(<P> <P>)\n<S>\ntouch -- "${<A1>[1]}"',
    "shopt -s expand_aliases\n<S>\n<S>", "ls | while read <N>; do <S>\ndone", "<S> &\n<S>", "coproc { <S>\n}",
)  # fmt: skip
GLOBS = ("'*.txt'", "'*.py'", "q", "'q*'", "'*'", "'n*.txt'", "*.txt", "'[ab].txt'", "'*/src/*'", "src")
BEGINNINGS = (
    "x=<P> y=<P>", "f=<P>; d=<P>", "a=(<P> <P> <P>); b=(<P>)", "set -- <P> <P>", 'go() { touch ./$1; }\nput() { cd "$1"\n<S>\n}',
)  # fmt: skip
# What shows the state that the shell is left in: its folder, its variables, its functions.
PROBES = (
    "touch zz", "touch zz", 'touch -- "$x"', 'touch -- "$y"', 'touch "./$f"', 'touch "./$1"', 'touch "./${a[1]}"', "go zz",
    'touch "$PWD/zz"', 'touch "$d/zz"', "put <P>; touch zz", "cd -; touch zz", "popd; touch zz", "touch $x.1", "cd ..; touch zz",
)  # fmt: skip
_SLOT = re.compile(r"<([WPNAFISQTG])(\d?)>")
_PLAIN = {"P": PLACES, "N": NAMES, "A": ARRAYS, "F": FUNCTIONS, "I": ("0", "1", "2", "3"), "G": GLOBS}
DEEPEST = 3


def _literal(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from((*PLACES, *PLACES, *WORDS)))
    form = draw(st.integers(0, 9))
    if form == 1 and text:
        return f"'{text}'"
    if form == 2 and text:
        return f'"{text}"'
    if form == 3 and len(text) > 2 and " " not in text and text[0] != "~":
        return f'{text[:2]}"{text[2:]}"'
    if form == 4 and text.isalnum():
        return "\\" + text
    return f"'{text}'" if not text or " " in text else text


def _word(draw: st.DrawFn, depth: int) -> str:
    if draw(st.booleans()):
        return _literal(draw)
    return _filled(draw, draw(st.sampled_from(EXPANSIONS)), depth)


def _program(draw: st.DrawFn, depth: int) -> str:
    kinds = (WRITERS, SETTINGS, SETTINGS, PROBES, LEAVING, *((COMPOUNDS,) * 4 if depth < DEEPEST else ()))
    return _filled(draw, draw(st.sampled_from(draw(st.sampled_from(kinds)))), depth + 1)


def _filled(draw: st.DrawFn, template: str, depth: int) -> str:
    known: dict[str, str] = {}

    def fill(found: re.Match[str]) -> str:
        kind, number = found.groups()
        if number and found[0] in known:
            return known[found[0]]
        if kind in _PLAIN:
            made = draw(st.sampled_from(_PLAIN[kind]))
        elif kind == "W":
            made = _word(draw, depth)
        elif kind == "T":
            made = _filled(draw, draw(st.sampled_from(TESTS)), depth)
        else:
            made = _program(draw, depth)
            made = made.replace("'", "'\\''") if kind == "Q" else made
        known[found[0]] = made
        return made

    return _SLOT.sub(fill, template)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program of a few commands, most of them behind some that make variables and functions known."""
    begin = [_filled(draw, template, DEEPEST) for template in BEGINNINGS if draw(st.integers(0, 3))]
    parts = list(begin)
    for _ in range(draw(st.integers(1, 4))):
        parts.append(_program(draw, 0))
        if draw(st.booleans()):
            parts.append(_filled(draw, draw(st.sampled_from(PROBES)), DEEPEST))
    return "\n".join(parts)
