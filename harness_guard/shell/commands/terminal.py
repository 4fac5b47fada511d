"""Programs made for a terminal, in their ways that print and end, and small programs that only print.

Sources: the man pages of man-db 2.11, less 608, util-linux 2.38, moreutils, pv 1.8, sdiff (diffutils),
poppler 22 (pdfinfo, pdftotext), cowsay 3, glibc 2.36 (ldconfig), plocate.

less, more and man without the listed options take keys, among them one that starts a shell: Codex can type into a
terminal unseen. No row for top, which makes a folder for its settings at home. cowsay runs the pictures that ``-f``
names.
"""

from __future__ import annotations

from harness_guard.shell.commands.model import Call, Options, Row, known, refuse_responses
from harness_guard.shell.values import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# No option of these writes, runs or connects.
_PRINTERS: Final = (
    "figlet toilet lolcat uuidgen lsb_release lsipc lslocks lslogins lsns lsmem lsirq lsusb iostat mpstat "
    "last ipcs pathchk dircolors errno isutf8 ts locate plocate whatis apropos tokei duf hexyl "
    "pdfinfo getfacl getfattr lsattr namei chardet"
)

_LISTERS: Final = "eza exa lsd dust"


def _pages(call: Call, _options: Options) -> None:
    """A pager that is asked for its version."""
    if [field.text for field in call.args] not in (["--version"], ["-V"]):
        call.opaque(f"{call.name} takes keys, among them one that starts a shell: cat shows the same")


def _man(call: Call, options: Options) -> None:
    pagers = [known(field) for field in options.values("-P", "--pager")]
    is_told = options.has("-w", "-W", "--where", "--path", "--location", "-k", "--apropos", "-f", "--whatis")
    if pagers != ["cat"] and (pagers or not is_told):
        call.opaque("man starts a pager: -P cat prints the page")
    elif any(not known(field) or "/" in known(field) or known(field)[0] == "." for field in options.operands):
        call.opaque("man with a page that is a file, or not known")


def _sdiff(call: Call, options: Options) -> None:
    for field in options.operands:
        call.read(field, is_tree=True)


def _pdftotext(call: Call, options: Options) -> None:
    """``pdftotext FILE [OUTPUT]``; ``-`` prints; without it the output stands beside the file."""
    for field in options.operands[:1]:
        call.read(field)
    name = known(options.operands[0]) if options.operands else ""
    if not name or any(not field.is_one for field in options.operands):
        call.opaque("pdftotext with a file that is not known", is_writer=True)
    elif options.operands[1:]:
        if known(options.operands[1]) != "-":
            call.write(options.operands[1], "file")
    else:
        stem = name[: -len(".pdf")] if name.lower().endswith(".pdf") else name
        for ending in (".txt", ".html"):
            call.write(Field(f"{stem}{ending}"), "file")


def _ldconfig(call: Call, _options: Options) -> None:
    if [field.text for field in call.args] not in (["-p"], ["--print-cache"], ["-V"], ["--version"]):
        call.opaque("ldconfig rebuilds the loader's cache")


def _setfattr(call: Call, options: Options) -> None:
    for field in options.operands:
        call.write(field, "meta")


def _setfacl(call: Call, options: Options) -> None:
    """With ``-R`` all below is changed too, links followed or not."""
    for field in options.values("-M", "-X", "--modify-file", "--remove-file"):
        call.read(field)
    for field in options.operands:
        call.write(field, "tree" if options.has("-R", "--recursive") else "meta")


COMMANDS: Final = (
    *(Row(name, is_free=True) for name in _PRINTERS.split()),
    *(Row(name, is_free=True, lists="operands") for name in _LISTERS.split()),
    # ``-C`` and ``-S`` change what it tells of.
    Row("lastlog", flags="h", valued="btuR", longs="help before= time= user=", reads=False),
    *(Row(name, is_free=True, reads=False, act=_pages) for name in ("less", "more")),
    Row(
        "man",
        flags="wWkfa",
        valued="sSPmL",
        longs="where path location location-cat apropos whatis all pager= sections= systems= locale= regex wildcard "
        "names-only version help no-hyphenation",
        reads=False,
        act=_man,
    ),
    Row(
        "sdiff",
        flags="iEZbWBaltdHs",
        valued="wI",
        longs="ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space "
        "ignore-blank-lines ignore-matching-lines= strip-trailing-cr text width= left-column suppress-common-lines "
        "expand-tabs tabsize= minimal speed-large-files help version",
        reads=False,
        act=_sdiff,
    ),
    *(Row(name, is_free=True, act=refuse_responses) for name in ("c++filt", "addr2line")),
    Row("lspci", flags="vnkmtDbx", valued="sd", reads=False),
    Row("cowsay", flags="bdgpstwyn", valued="TeW", reads=False),
    Row("cowthink", flags="bdgpstwyn", valued="TeW", reads=False),
    Row(
        "pv", flags="ptebrqfnlW0acTvhV", valued="iLsNwH", longs="progress timer eta bytes rate quiet force help version"
    ),
    Row(
        "pdftotext",
        flags="qhv",
        valued="flrxyWH",
        words="layout raw nopgbrk htmlmeta bbox simple",
        longs="version help",
        reads=False,
        act=_pdftotext,
        is_apart=True,
    ),
    Row("ldconfig", is_free=True, reads=False, act=_ldconfig),
    Row("setfattr", flags="h", valued="nvx", longs="name= value= remove= no-dereference", reads=False, act=_setfattr),
    Row(
        "setfacl",
        flags="bkRdLPn",
        valued="mxMX",
        longs="modify= remove= modify-file= remove-file= remove-all remove-default recursive default mask no-mask "
        "logical physical",
        reads=False,
        act=_setfacl,
    ),
)
