"""Programs that tell about the machine: its logs, services, disks, packages and binaries, on Linux and on macOS.

Sources: the man pages of util-linux 2.38 (dmesg, mount, findmnt, script), procps 4 (sysctl), systemd 252,
binutils 2.40, fzf 0.50, and of macOS 14 for the rest. Most of these also change what they tell about: only the listed
ways of asking are known.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, known, refuse_responses
from harness_guard.shell.commands.verbs import Tool, rows_by
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


_SYSTEMD: Final = (
    "no-pager all -a type=! state=! user system -l full property=! failed -q quiet plain no-legend output=! lines=! -t "
    "legend=! value recursive reverse"
)
_ASKS: Final = {
    "systemctl": Tool(
        {
            "|status|show|cat|list-units|list-unit-files|list-timers|list-sockets|list-jobs|list-dependencies|"
            "is-active|is-enabled|is-failed|is-system-running|get-default|show-environment|--version": _SYSTEMD,
        },
        leading="user system no-pager",
    ),
    "loginctl": Tool(
        {"list-sessions|list-users|list-seats|show-session|show-user|session-status|user-status": _SYSTEMD}
    ),
    "hostnamectl": Tool({"|status": "static pretty transient"}),
    "timedatectl": Tool({"|status|show|list-timezones": "no-pager property=! value"}),
    "launchctl": Tool(
        {
            "blame|dumpstate|error|getenv|help|hostinfo|list|managername|managerpid|manageruid|print|print-cache|"
            "print-disabled|procinfo|resolveport|variant|version": "",
        }
    ),
    "networksetup": Tool({"-get*|-list*|-version|-help|-printcommands": ""}),
    "diskutil": Tool({"list|info|information|listFilesystems": "-plist -all all"}),
    "tmutil": Tool(
        {
            "compare|destinationinfo|isexcluded|latestbackup|listbackups|listlocalsnapshotdates|listlocalsnapshots|"
            "machinedirectory|status|uniquesize|verifychecksums|version": "-m -t -X -a -e -s -d",
        }
    ),
    "hdiutil": Tool({"help|imageinfo|info|isencrypted|plugins|pmap|verify": "-plist -verbose -quiet -debug"}),
    "scutil": Tool({"--dns|--get|--nwi|--proxy": ""}),
    "spctl": Tool({"--assess|--status|-a": "verbose* -v type -t status"}),
    "codesign": Tool(
        {
            "-d|-dv|-dvv|-dvvv|-dvvvv|--display|-v|-vv|-vvv|--verify|-h|--validate-constraint": "-d -v -vv -vvv -vvvv "
            "verbose* deep strict* display verify",
        }
    ),
    "defaults": Tool({"domains|find|help|read|read-type": "-app"}, leading="-currentHost"),
    "pkgutil": Tool(
        {
            "--check-signature|--export-plist|--file-info|--file-info-plist|--files|--group-pkgs|--groups|"
            "--groups-plist|--help|--lsbom|--packages|--payload-files|--pkg-groups|--pkg-info|--pkg-info-plist|--pkgs|"
            "--pkgs=*|--pkgs-plist": "only-files only-dirs verbose regexp",
        }
    ),
    "profiles": Tool({"help|list|show|status|validate|version": "-type"}),
    "mdimport": Tool({"-L|-X|-t": "-d1 -d2 -d3 -d4"}),
    "lipo": Tool({"-archs|-detailed_info|-info|-verify_arch": ""}),
    "plutil": Tool({"/*|./*|-help|-lint|-p|-type": "-s"}),
    "sips": Tool({"-g|--getProperty|--help|--formats|--version": "-g getProperty -1"}),
    "qlmanage": Tool({"-h|-m|-p|-t": "-s -f -c"}),
    "symbols": Tool({"/*|./*|-arch|-help|-lookup|-v|-w|-arch*": "-arch -lookup -w -v"}),
    "pmset": Tool({"-g": ""}),
    "otool": Tool({"-L|-l|-h|-f|-a|-D|-hv|-tV|-tv": "-arch -v"}),
    "textutil": Tool({"-help|--help|-info": ""}),
    "pkg-config": Tool(
        {
            "--cflags|--libs|--exists|--modversion|--version|--list-all|--variable=*|--atleast-version=*|--print-*":
            "cflags libs libs-only-* cflags-only-* static silence-errors print-errors short-errors",
        }
    ),
}  # fmt: skip


def _dscl(call: Call, _options: Options) -> None:
    """``dscl [option] DATASOURCE VERB …``; a node elsewhere is another machine."""
    words = [known(field) for field in call.args]
    while words[:1] and words[0] in {"-plist", "-raw", "-q", "-url"}:
        words.pop(0)
    verb = words[1].removeprefix("-") if words[1:] else ""
    is_local = words[:1] and words[0] in {".", "/Search", "/Local/Default"}
    if not is_local or verb not in {"read", "readall", "list", "search", "diff", "ls", "cat"} or "" in words:
        call.opaque("dscl in a way that the table does not list")


def _mount(call: Call, options: Options) -> None:
    if options.operands:
        call.opaque("mount changes what lies below a folder")


def _sysctl(call: Call, options: Options) -> None:
    if any(field.text is None or field.is_pattern or "=" in field.text for field in options.operands):
        call.opaque("sysctl may set what it names")


def _getent(call: Call, options: Options) -> None:
    """Other databases are asked over the network."""
    if [field.text for field in options.operands[:1]] not in (["passwd"], ["group"], ["services"], ["protocols"]):
        call.opaque("getent asks a database that may lie elsewhere")


def _script(call: Call, options: Options) -> None:
    """BSD: ``script FILE PROGRAM …``; util-linux: ``script -c TEXT FILE``; without either a shell on the terminal."""
    if options.has("-p") and not options.has("-c", "--command"):  # BSD: it plays a recording back
        call.read(options.operands[0] if options.operands else Field("typescript"))
        if options.operands[1:]:
            call.opaque("script -p with a program")
        return
    call.write(options.operands[0] if options.operands else Field("typescript"), "file")
    texts = options.values("-c", "--command")
    call.runs += [(Field("sh"), Field("-c"), text) for text in texts]
    if options.operands[1:]:
        call.runs.append(options.operands[1:])
    elif not texts:
        call.opaque("script starts a shell")


def _caffeinate(call: Call, options: Options) -> None:
    if options.operands:
        call.runs.append(options.operands)


def _xattr(call: Call, options: Options) -> None:
    files = options.operands[1:] if options.has("-p") else options.operands
    for field in files:
        call.read(field, is_tree=options.has("-r"))


_FZF_RUNS: Final = ("execute", "become", "reload", "transform", "preview", "start:", "load:", "rebind")


def _fzf(call: Call, options: Options) -> None:
    binds = [field.text for field in options.values("--bind")]
    if any(text is None or any(word in text for word in _FZF_RUNS) for text in binds):
        call.opaque("fzf runs a program for a key")


COMMANDS: Final = (
    *rows_by(_ASKS),
    *(
        Row(name, is_free=True, reads=False)
        for name in (
            "findmnt",
            "lsmod",
            "pstree",
            "whereis",
            "sw_vers",
            "vm_stat",
            "system_profiler",
            "pwdx",
            "clear",
            "tput",
        )
    ),
    Row("dscl", is_free=True, reads=False, act=_dscl),
    Row(
        "dmesg",
        flags="TtHkuwWxredSPpJ",
        valued="lfFs",
        attached="L",
        longs="human ctime color=? level= facility= kernel userspace follow follow-new decode reltime time-format= "
        "notime raw show-delta nopager json syslog buffer-size= file= since= until= noescape help version",
        files="-F --file",
        reads=False,
    ),
    Row(
        "journalctl",
        flags="aefklmqrxNbn0123456789",
        valued="uoSUgptDFciT",
        longs="unit= user-unit= identifier= output= output-fields= since= until= grep= case-sensitive=? priority= "
        "facility= boot=? lines=? reverse no-pager follow dmesg list-boots catalog no-hostname quiet all merge utc "
        "no-full full no-tail pager-end cursor= after-cursor= show-cursor system user directory= file= field= fields "
        "disk-usage header truncate-newline namespace= version help",
        files="-D -i --directory --file",
        reads=False,
    ),
    # ``-n`` and ``-N`` make a file of settings.
    Row("pmap", flags="xXdqpkV", valued="A", longs="extended device quiet range= show-path help version", reads=False),
    Row("mount", flags="lvhV", valued="t", longs="help version show-labels types=", reads=False, act=_mount),
    Row(
        "sysctl",
        flags="aAXnNebdhVxo",
        longs="all names values deprecated ignore help version",
        reads=False,
        act=_sysctl,
    ),
    Row("getent", reads=False, act=_getent),
    Row(
        "script",
        flags="aqepd",
        valued="c",
        longs="append quiet return command=",
        reads=False,
        act=_script,
        is_strict=True,
    ),
    Row("caffeinate", flags="dimsu", valued="tw", reads=False, act=_caffeinate, is_strict=True),
    Row("xattr", flags="lxprsv", reads=False, act=_xattr),
    Row("say", valued="vrf", longs="voice= rate= input-file=", files="-f --input-file", reads=False),
    Row(
        "fzf",
        flags="eim1x0",
        valued="fqnd",
        longs="filter= query= exact literal extended no-extended ignore-case no-sort multi no-multi reverse height= "
        "layout= border=? border-label= border-label-pos= margin= padding= prompt= header= header-lines= ansi cycle "
        "tac nth= with-nth= delimiter= select-1 exit-0 print-query read0 print0 sync bind= preview-window= "
        "no-tty-default tiebreak= algo= scheme= color= no-color no-bold no-mouse info= inline-info pointer= marker= "
        "tabstop= version help",
        reads=False,
        act=_fzf,
    ),
    Row(
        "readelf",
        act=refuse_responses,
        flags="aehlSgtsdunrVADIcTWC",
        longs="all file-header program-headers segments section-headers sections section-groups section-details "
        "headers syms symbols dyn-syms notes relocs unwind dynamic version-info arch-specific use-dynamic wide version "
        "help demangle=?",
    ),
    Row(
        "objdump",
        act=refuse_responses,
        flags="aphxdDSsrRtTfilCFwz",
        valued="jMmEb",
        longs="archive-headers file-headers section-headers headers private-headers all-headers disassemble=? "
        "disassemble-all source=? full-contents reloc dynamic-reloc syms dynamic-syms section= architecture= "
        "demangle=? no-show-raw-insn wide start-address= stop-address= line-numbers disassembler-options= version help",
    ),
    Row(
        "nm",
        act=refuse_responses,
        flags="AaBCDgjlnopPrSsuvX",
        valued="tf",
        longs="debug-syms demangle=? dynamic extern-only format= numeric-sort no-sort print-size size-sort "
        "undefined-only defined-only print-file-name portability radix= reverse-sort line-numbers version help",
    ),
    Row("size", act=refuse_responses, flags="ABdGoxt", longs="format= radix= totals common version help"),
)
