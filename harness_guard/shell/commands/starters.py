"""More programs that start another one: with another priority, a lock, a clock, or as one of their own applets.

Sources: the man pages of util-linux 2.38 (setsid, chrt, taskset, flock, setarch), coreutils 9 (nohup), GNU time 1.9,
moreutils (chronic, ifne), busybox 1.36, and of macOS 14 (arch).

No row: parallel (two programs of that name read their words differently), watch (a key saves what it shows), setsid
without ``--wait`` (it may go on in the background), unshare, chroot, setpriv, systemd-run.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.commands.wrappers import after
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_MACHINES: Final = frozenset(
    ("x86_64", "x86_64h", "i386", "i486", "i586", "i686", "arm64", "arm64e", "aarch64", "arm", "armv7l", "ppc", "ppc64",
     "ppc64le", "riscv64", "s390x", "linux32", "linux64", "uname26", "32", "64")
)  # fmt: skip
# Applets that write nothing whatever their options, as their namesakes.
_APPLETS: Final = frozenset(
    ("cat", "head", "tail", "wc", "nl", "tac", "cut", "tr", "ls", "stat", "grep", "egrep", "fgrep", "du", "df", "echo",
     "true", "false", "pwd", "basename", "dirname", "uname", "whoami", "id", "seq", "sleep", "printenv", "uptime",
     "free", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "sum", "od", "strings", "hexdump", "readlink",
     "realpath", "nproc", "fold", "expand", "unexpand", "rev", "cmp", "comm", "paste", "tty", "groups", "logname")
)  # fmt: skip


def _nohup(call: Call, options: Options) -> None:
    """On a terminal the output goes to a file."""
    if options.operands:
        call.write(Field("nohup.out"), "file")
        call.runs.append(options.operands)


def _setsid(call: Call, options: Options) -> None:
    if options.has("-w", "--wait") and options.operands:
        call.runs.append(options.operands)
    elif options.operands:
        call.opaque("setsid without --wait may go on in the background")


def _time(call: Call, options: Options) -> None:
    for field in options.values("-o", "--output"):
        call.write(field, "file")
    if options.operands:
        call.runs.append(options.operands)


def _flock(call: Call, options: Options) -> None:
    """``flock FILE PROGRAM …``, ``flock FILE -c TEXT``, ``flock NUMBER``; the file is made where there is none."""
    words = options.operands
    if not words:
        call.opaque("flock without a lock")
        return
    text = words[0].text or ""
    if len(words) == 1 and text.isascii() and text.isdigit():
        return
    call.write(words[0], "file")
    if words[1:] and words[1].text in {"-c", "--command"}:
        if len(words) != len(("FILE", "-c", "TEXT")):
            call.opaque("flock -c with words that are not known")
            return
        call.runs.append((Field("sh"), Field("-c"), words[2]))
    elif words[1:]:
        call.runs.append(words[1:])


def _setarch(call: Call, _options: Options) -> None:
    """``setarch [MACHINE] [-R] PROGRAM …``; without a program it starts a shell."""
    words = list(call.args)
    if call.name == "setarch" and words and words[0].text in _MACHINES:
        words.pop(0)
    while words and words[0].text in {"-R", "--addr-no-randomize", "-v", "--verbose", "-3", "-L", "-X", "-Z", "-B"}:
        words.pop(0)
    if words and words[0].start and words[0].start[0] != "-":
        call.runs.append(tuple(words))
    else:
        call.opaque(f"{call.name} in a way that the table does not list")


def _arch(call: Call, _options: Options) -> None:
    """Alone it tells the machine; on macOS ``arch -MACHINE … PROGRAM …`` runs a program."""
    words = list(call.args)
    while words and words[0].text is not None and words[0].text[:1] == "-" and words[0].text[1:] in _MACHINES:
        words.pop(0)
    if words and (not words[0].start or words[0].start[0] == "-"):
        call.opaque("arch with an option that the table does not list")
    elif words:
        call.runs.append(tuple(words))


def _busybox(call: Call, _options: Options) -> None:
    words = call.args
    if not words or [field.text for field in words] in (["--help"], ["--list"], ["--list-full"]):
        return
    if words[0].text in _APPLETS and not words[0].is_pattern:
        call.runs.append(words)
    else:
        call.opaque(f"{call.name} with an applet that the table does not list")


COMMANDS: Final = (
    Row("nohup", longs="help version", reads=False, act=_nohup, is_strict=True),
    Row("setsid", flags="wc", longs="wait ctty help version", reads=False, act=_setsid, is_strict=True),
    Row(
        "time",
        flags="apqvV",
        valued="fo",
        longs="append portability quiet verbose format= output= help version",
        reads=False,
        act=_time,
        is_strict=True,
    ),
    Row(
        "chrt",
        flags="abdfiorvR",
        valued="TPD",
        longs="all-tasks batch deadline fifo idle other rr verbose reset-on-fork sched-runtime= sched-period= "
        "sched-deadline= help version",
        reads=False,
        act=after(1),
        is_strict=True,
    ),
    Row("taskset", flags="c", longs="cpu-list help version", reads=False, act=after(1), is_strict=True),
    Row(
        "flock",
        flags="sxenuoFv",
        valued="wE",
        longs="shared exclusive nonblock nb unlock close no-fork verbose timeout= wait= conflict-exit-code= help "
        "version",
        reads=False,
        act=_flock,
        is_strict=True,
    ),
    *(Row(name, is_free=True, reads=False, act=_setarch) for name in ("setarch", "linux32", "linux64")),
    Row("arch", is_free=True, reads=False, act=_arch),
    *(Row(name, is_free=True, reads=False, act=_busybox) for name in ("busybox", "toybox")),
    Row("chronic", flags="ve", reads=False, act=after(0), is_strict=True),
    Row("ifne", flags="n", reads=False, act=after(0), is_strict=True),
)
