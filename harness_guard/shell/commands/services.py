"""Command lines of infrastructure, packages of macOS and the machine's own services: what they tell.

Sources: developer.hashicorp.com (terraform 1.9, packer 1.11, vault 1.18), docs.brew.sh of brew 4.4, docs.ansible.com of
ansible-core 2.17, auth0.github.io/auth0-cli, prometheus.io of 2.55, tmux(1) of 3.5, screen(1), crontab(1), at(1),
security(1) of macOS 14, systemd-analyze(1), resolvectl(1). Not listed: what runs plug-ins or programs of the
repository (terraform's plan, validate and show, packer's validate and inspect, ansible-playbook, brew bundle, nearly
all of cdk), and what types keys into a terminal.
"""

from __future__ import annotations

from harness_guard.shell.commands.addresses import parse
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.commands.verbs import HELP, Tool, Verb, ask, rows_by
from harness_guard.shell.names import NameSource
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SOURCES: Final = (".tf", ".tfvars", ".hcl", ".tofu")
_RUNS: Final = "it changes something, or runs plug-ins and programs that were not read"


def _fmt(call: Call, options: Options) -> None:
    """``fmt`` rewrites the sources that it finds, unless it only checks."""
    for field in options.operands:
        call.read(field, is_tree=True)
    if options.has("-check", "-write=false"):
        return
    for field in options.operands or (Field("."),):
        if field.text != "-":
            call.write(field, "file" if (field.text or "").endswith(_SOURCES) else "tree")


_FMT: Final = Verb(
    "-check -diff -recursive -no-color -write=false -write=true -list=false -list=true", "words", act=_fmt
)
_TERRAFORM: Final = Tool(
    {
        "fmt": _FMT,
        "version": Verb("-json", "nothing"),
        "modules": Verb("-json -no-color", "nothing"),
        "workspace show|metadata functions": "-json -no-color",
    },
    takes="words",
    help="-help -version -v --version --help",
    warns=_RUNS,
)
# Where the state lies is said by files of the repository: it may be asked for on this machine.
_STATE: Final = Tool(
    {
        "output|state list": "-json -raw -no-color",
        "providers|state pull|workspace list": Verb("-json -raw -no-color", "nothing"),
    },
    asks="the state's place",
    is_local=True,
    help=HELP,
)
_TOFU: Final = Tool({"fmt": _FMT, "version": "-json"}, takes="words", help="-help -version --version", warns=_RUNS)
_PACKER: Final = Tool(
    {"fmt": _FMT, "version": "", "plugins installed": ""},
    takes="words",
    help="-v -version -help --version",
    warns=_RUNS,
)
_VAULT: Final = Tool(
    {
        "status|version": Verb(takes="nothing"),
        "secrets list|auth list|policy list|policy read|audit list|namespace list|plugin list|kv list|list": "",
    },
    asks="the vault",
    common="-format=json -format=yaml -format=table -detailed",
    is_local=True,  # where VAULT_ADDR does not say another address
    help="-v -version -help --version",
    warns="it changes something, or gives out a secret",
)


def _terraform(call: Call, _options: Options) -> None:
    first = call.args[0].text if call.args else None
    second = call.args[1].text if call.args[1:] else None
    is_state = first in {"output", "providers"} or (first in {"state", "workspace"} and second in {"list", "pull"})
    if is_state and not _is_state_here(call):
        call.opaque("terraform asks where files of the folder say: that place may name a program to be run")
    ask(call, _STATE if is_state else _TERRAFORM, call.args)


def _is_state_here(call: Call) -> bool:
    """Whether no place of the state was set up: its settings (``exec``, ``shared_config_files``) may run a program."""
    if call.cwds is None:
        return False
    return call.believes([NameSource("absent", f"{cwd}/.terraform/terraform.tfstate") for cwd in call.cwds])


_BREW_PLACES: Final = frozenset(
    ("--prefix", "--cellar", "--cache", "--caskroom", "--repository", "--repo", "--config", "--env", "--version", "-v",
     "--taps")
)  # fmt: skip
_BREW: Final = Tool(
    {
        "info|abv|desc|deps|uses|leaves|list|ls|outdated|log|cat|missing|options|formulae|casks|commands|config|doctor|"
        "dr|tap-info|which-formula|tap|services list": "json=? v verbose q quiet formula formulae cask casks installed "
        "all versions multiple pinned full-name greedy greedy-latest greedy-auto-updates tree include-build "
        "include-optional include-test include-requirements skip-recommended recursive 1 l r t n topological union "
        "eval-all analytics direct for-each annotate d debug s name description search name-only oneline "
        "installed-on-request installed-as-dependency i p max-count= category= days=",
        "search": "formula formulae cask casks desc eval-all closed open pull-request v verbose q quiet",
    },
    asks="the index of packages",
    leading="v verbose q quiet d debug",
    help=HELP,
    warns="it installs or changes something, evaluates a file of the folder, or starts a browser",
)


def _brew(call: Call, _options: Options) -> None:
    """A name with a slash is a file of Ruby that is evaluated, or a further tap that is fetched."""
    texts = ["" if field.is_pattern else field.text or "" for field in call.args]
    names = [text for text in texts[1:] if not text.startswith("-")]
    if texts[:1] != ["search"] and any("/" in text or text.endswith((".rb", ".json")) for text in (*names, "")):
        call.opaque("brew evaluates a file, or fetches a tap")
    elif texts[:1] == ["tap"] and names:
        call.opaque("brew fetches a tap")
    elif not (texts and texts[0] in _BREW_PLACES and "" not in texts and len(names) == len(texts) - 1):
        ask(call, _BREW, call.args)


_ANSIBLE: Final = {
    "ansible-config": Tool({"list|view|validate": "format= f="}, takes="words", warns=_RUNS),
    "ansible-galaxy": Tool(
        {"role list|collection list": "format= p= roles-path= collections-path= v"}, takes="words", warns=_RUNS
    ),
    **dict.fromkeys(
        ("ansible", "ansible-playbook", "ansible-inventory", "ansible-doc", "ansible-vault", "ansible-pull",
         "ansible-console", "ansible-test"),
        Tool({}, warns=_RUNS),
    ),
}  # fmt: skip
_AUTH0_GROUPS: Final = (
    "actions apis apps domains email logs orgs roles rules tenants users branding network-acl "
    "token-exchange forms flows"
)
_AUTH0: Final = Tool(
    {
        "|".join(f"{group} {verb}" for group in _AUTH0_GROUPS.split() for verb in ("list", "ls", "show"))
        + "|apis scopes list|logs tail|logs streams list|logs streams show|orgs members list|orgs roles list|"
        "orgs invitations list|orgs invitations show|roles permissions list|users roles list|users roles show|"
        "users blocks list|users search|users search-by-email|universal-login show|email templates show|"
        "email provider show|protection brute-force-protection show|protection breached-password-detection show|"
        "protection suspicious-ip-throttling show|protection suspicious-ip-throttling ips check|"
        "protection bot-detection show|quickstarts list|api get": "json json-compact csv n= number= f= filter= q= "
        "query= s= sort= p= picker=",
    },
    asks="the service",
    common="tenant= no-color no-input debug t=",
    leading="tenant= t= no-color no-input debug",
    help=HELP,
    warns="it may change something there, or give out a secret",
)
_PROMETHEUS: Final = Tool({}, help="--version --help-long --help-man --help -h", warns="it starts a server")


def _promtool_asks(call: Call, options: Options) -> None:
    address = parse(options.operands[0].text or "") if options.operands else None
    if address is None:
        call.opaque("promtool asks a server that reading cannot tell")
    else:
        call.connect(address.place, is_local=address.is_local)


_PROMTOOL: Final = Tool(
    {
        "check config|check rules|check web-config|test rules": "lint= lint-fatal syntax-only agent",
        "query instant|query range|query series|query labels": Verb(
            "o= format= start= end= step= match= time=", "words", act=_promtool_asks
        ),
    },
    warns=_RUNS,
)


_SYSTEMD: Final = {
    "systemd-analyze": Tool(
        {
            "|time|blame|critical-chain|security|calendar|timespan|timestamp|unit-paths|dump|cat-config|unit-files|"
            "syscall-filter|exit-status|capability|condition": "no-pager user system json= iterations= fuzz= "
            "order require",
        },
        takes="words",
        leading="no-pager user system",
        warns="it may change the service manager",
    ),
    "systemd-detect-virt": Tool({"": ""}, leading="q quiet c container v vm r chroot list"),
    "systemd-cgls": Tool({"": ""}, leading="no-pager all l full k unit= u="),
    "systemd-path": Tool({"": ""}, leading="suffix="),
    "resolvectl": Tool(
        {"|status|statistics|query|show-cache|show-server-state": "no-pager legend=? 4 6 i= interface= t= type= p= "
         "protocol= json="},
        asks="the name server",
        warns="it changes how names are resolved",
    ),
}  # fmt: skip
_TMUX: Final = Tool(
    {
        "ls|list-sessions|lsw|list-windows|lsp|list-panes|lsc|list-clients|lsb|list-buffers|has|has-session": "a s F= "
        "t= f=",
        "show|show-options|show-option|showw|show-window-options": "A g H p q s v w t=",
        "info|server-info": "",
    },
    asks="the terminal multiplexer",
    is_local=True,
    help="-V",
    warns="it may type into a terminal, or run a program",
)


def _tmux(call: Call, _options: Options) -> None:
    """A semicolon begins another command, ``#(…)`` in a format runs a program, and ``#{E:…}`` may make one of these."""
    if any(";" in (field.text or ";") or not _is_plain_format(field.text or "") for field in call.args):
        call.opaque("tmux is told more than one command, or to run a program")
    else:
        ask(call, _TMUX, call.args)


def _is_plain_format(text: str) -> bool:
    """Whether each ``#`` begins the name of a variable and nothing that is worked out."""
    for piece in text.split("#")[1:]:
        name, sign, _ = piece.removeprefix("{").partition("}")
        is_name = name.isascii() and name.replace("_", "").isalnum()
        if not (piece[:1].isalpha() or (piece.startswith("{") and sign and is_name)):
            return False
    return True


# ``-w`` and ``-g`` print a password, ``-d`` all of them.
_SECURITY: Final = Tool(
    {
        "find-certificate": "a p Z m c= e=",
        "find-identity": "v p= s=",
        "find-generic-password|find-internet-password": "a= s= c= C= D= G= j= l= r= p= P= d= t=",
        "dump-keychain": "a i r",
        "show-keychain-info|dump-trust-settings|error|help|verify-cert|list-smartcards": "s d L l q v c= p= n= k= r=",
    },
    takes="words",
    help="help -h",
    warns="it may change a keychain, or give out a secret",
)
_TOOLS: Final = {
    "tofu": _TOFU,
    "packer": _PACKER,
    "vault": _VAULT,
    "auth0": _AUTH0,
    "cdk": Tool({}, warns=_RUNS),
    "prometheus": _PROMETHEUS,
    "promtool": _PROMTOOL,
    "security": _SECURITY,
    "screen": Tool({}, help="-v --version", warns="it starts a shell or types into one, and makes a folder of sockets"),
    # Without an option that lists, crontab and at take a job from their input.
    "crontab": Tool({"": Verb(needs="-l")}, leading="l u=", help="", warns="it changes the scheduled jobs"),
    "at": Tool({"": Verb(needs="-l -V")}, leading="l V q=", help="", warns="it schedules a job"),
    "atq": Tool({"": ""}, leading="V q=", help=""),
    **_SYSTEMD,
}


def _ansible(call: Call, _options: Options) -> None:
    """The settings of the folder name a log and a folder for what is made on the way, whatever is asked."""
    if call.cwds is None or not call.believes([NameSource("absent", f"{cwd}/ansible.cfg") for cwd in call.cwds]):
        call.opaque(f"{call.name} where the settings of the folder may have it write a log anywhere")
    ask(call, _ANSIBLE[call.name], call.args)


COMMANDS: Final = (
    *rows_by(_TOOLS),
    *(Row(name, is_free=True, reads=False, act=_ansible) for name in _ANSIBLE),
    Row("terraform", is_free=True, reads=False, act=_terraform),
    Row("brew", is_free=True, reads=False, act=_brew),
    Row("tmux", is_free=True, reads=False, act=_tmux),
)
