"""gh and glab: what they ask a forge for, and the answers that they keep as files.

Sources: cli.github.com/manual of gh 2.62, docs.gitlab.com/cli of glab 1.50. Aliases and extensions never stand for a
verb that is built in. Not listed: ``--web`` (starts a browser), ``--show-token``, and all that sends.
"""

from __future__ import annotations

from harness_guard.shell.commands.addresses import is_local
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.commands.verbs import HELP, Tool, Verb, ask, rows_by
from harness_guard.shell.jq_filter import shows_environment
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_JSON: Final = "json= jq= q= template= t= R= repo="
_METHODS: Final = frozenset(("GET", "HEAD"))
_FIELDS: Final = ("-f", "--raw-field", "-F", "--field")
_NOT_QUERIES: Final = ("mutation", "subscription")
_API: Final = (
    "X= method= f= raw-field= F= field= H= header= hostname= jq= q= template= t= paginate slurp i include cache= "
    "silent verbose p= preview="
)


def _api(call: Call, options: Options) -> None:
    """``gh api PATH``: fields make a POST of it, unless another method is named."""
    from harness_guard.shell.commands.transfer import is_harmless_header

    path = options.operands[0].text or "" if len(options.operands) == 1 else ""
    methods = {field.text or "" for field in options.values("-X", "--method")}
    fields = [field.text or "" for field in options.values(*_FIELDS)]
    is_question = path == "graphql" and not methods - {"POST"} and _is_query(fields)
    is_asking = methods <= _METHODS and (bool(methods) or not fields) and path != "graphql"
    if not path or "://" in path or path.startswith("//") or not (is_question or is_asking):
        call.opaque(f"{call.name} api sends a request that does more than ask, or to another address")
    elif any(field.partition("=")[2].startswith("@") for field in fields):
        call.opaque(f"{call.name} api sends what a file says")
    elif not all(is_harmless_header(field) for field in options.values("-H", "--header")):
        call.opaque(f"{call.name} api sends a header of its own")
    for field in options.values("--hostname"):
        call.connect(field.text or "", is_local=is_local(field.text or ""))


def _is_query(fields: list[str]) -> bool:
    """Whether the fields of a GraphQL call hold one query and no other operation."""
    queries = [text.partition("=")[2].lstrip() for text in fields if text.partition("=")[0] == "query"]
    starts = ("query", "{")
    return len(queries) == 1 and queries[0].startswith(starts) and not any(word in queries[0] for word in _NOT_QUERIES)


def _download(call: Call, options: Options) -> None:
    """The names of what is kept are the forge's, unless ``-O`` tells one."""
    files = options.values("-O", "--output")
    for field in files:
        if field.text != "-":
            call.write(field, "file")
    if not files:
        call.write((options.values("-D", "--dir") or (Field("."),))[-1], "tree")


def _setting(call: Call, options: Options) -> None:
    """A token is a setting too."""
    if any((field.text or "") not in _SETTINGS for field in options.operands):
        call.opaque(f"{call.name} config get of what may be a secret")


_SETTINGS: Final = frozenset(
    ("git_protocol", "editor", "prompt", "prefer_editor_prompt", "pager", "http_unix_socket", "browser",
     "color_labels", "accessible_colors", "accessible_prompter", "spinner", "user", "glamour_style", "check_update",
     "display_hyperlinks", "host", "api_host", "api_protocol")
)  # fmt: skip


def _read_operands(call: Call, options: Options) -> None:
    for field in (*options.operands, *options.values("-b", "--bundle")):
        call.read(field)


GH: Final = Tool(
    {
        "pr list|issue list": "a= app= assignee= A= author= B= base= d draft H= head= l= label= L= limit= S= search= "
        f"s= state= mention= m= milestone= {_JSON}",
        "pr view|issue view": f"c comments {_JSON}",
        "pr diff": "color= e= exclude= name-only patch R= repo=",
        "pr checks": f"fail-fast i= interval= required watch {_JSON}",
        "pr status|issue status": f"c conflict-status {_JSON}",
        "repo view": f"b= branch= {_JSON}",
        "repo list": f"archived fork no-archived source l= language= L= limit= topic= visibility= {_JSON}",
        "repo autolink list|repo deploy-key list|repo gitignore list|repo license list": _JSON,
        "release list": f"exclude-drafts exclude-pre-releases L= limit= O= order= {_JSON}",
        "release view": _JSON,
        "release download": Verb(
            "A= archive= clobber skip-existing D= dir= O= output= p= pattern= R= repo=", act=_download
        ),
        "run list": "a all b= branch= c= commit= created= e= event= L= limit= s= status= u= user= w= workflow= "
        + _JSON,
        "run view": f"a= attempt= exit-status j= job= log log-failed v verbose {_JSON}",
        "run watch": "compact exit-status i= interval= R= repo=",
        "run download": Verb("D= dir= n= name= p= pattern= R= repo=", act=_download),
        "workflow list": f"a all L= limit= {_JSON}",
        "workflow view": "r= ref= y yaml R= repo=",
        "gist list": "L= limit= public secret filter= include-content",
        "gist view": "f= filename= files r raw",
        "label list": f"L= limit= order= S= search= sort= {_JSON}",
        "project list|project view|project item-list|project field-list": "closed format= jq= q= template= t= L= "
        "limit= owner=",
        "cache list": f"k= key= L= limit= O= order= r= ref= S= sort= {_JSON}",
        "ruleset list|ruleset view|ruleset check": "o= org= p parents L= limit= b= branch= default R= repo=",
        "secret list|variable list|variable get": f"a= app= e= env= o= org= u user {_JSON}",
        "search issues|search prs|search repos|search code|search commits": "app= archived assignee= author= "
        "author-date= author-email= author-name= closed= commenter= comments= committer= committer-date= "
        "committer-email= committer-name= created= extension= filename= followers= forks= good-first-issues= hash= "
        "help-wanted-issues= include-forks= include-prs interactions= involves= L= label= language= license= limit= "
        "locked match= mentions= merge merged merged-at= milestone= no-assignee no-label no-milestone no-project "
        "number-topics= order= owner= parent= project= reactions= repo= R= size= sort= stars= state= team-mentions= "
        "topic= tree= updated= visibility= base= B= checks= draft head= H= review= review-requested= reviewed-by= "
        "json= jq= q= template= t=",
        "auth status": Verb("a active hostname=", "nothing"),
        "config get": Verb("host=", act=_setting),
        "config list": "host=",
        "alias list|extension list|attestation trusted-root": Verb(takes="nothing"),
        "ssh-key list|gpg-key list": "",
        "extension search": "L= limit= license= order= owner= sort= json= jq= q= template= t=",
        "org list": Verb("L= limit=", "nothing"),
        "codespace list": "L= limit= o= org= u= user= json= jq= q= template= t= R= repo=",
        "status": Verb("e= exclude= o= org=", "nothing"),
        "completion": "s= shell=",
        "api": Verb(_API, act=_api),
        "attestation verify": Verb(
            "o= owner= b= bundle= bundle-from-oci deny-self-hosted-runners format= predicate-type= signer-repo= "
            "signer-workflow= jq= q= template= t= R= repo=",
            act=_read_operands,
        ),
    },
    asks="the forge",
    leading="R= repo=",
    help=HELP,
    warns="it may change something there, run an extension, or write where reading cannot tell",
)
_PAGES: Final = "p= page= P= per-page= F= output= R= repo="
GLAB: Final = Tool(
    {
        "mr list|issue list": "a= assignee= author= A all c closed d draft g= group= l= label= m= milestone= M merged "
        f"r= reviewer= search= s= source-branch= t= target-branch= o= order= sort= {_PAGES}",
        "mr view|issue view": f"c comments s system-logs {_PAGES}",
        "mr diff": "color= r raw R= repo=",
        "mr issues|mr approvers": _PAGES,
        "repo view": f"b= branch= {_PAGES}",
        "repo list|repo search|repo contributors": f"a all m mine member starred o= order= s= search= sort= {_PAGES}",
        "ci list|pipeline list": f"s= status= r= ref= source= sha= u= username= o= orderBy= sort= {_PAGES}",
        "ci status|ci get|ci trace|pipeline status|pipeline get": "b= branch= c compact l live p= pipeline-id= "
        "d with-job-details F= output= R= repo=",
        "release list|release view|label list|milestone list|schedule list|ssh-key list|variable list": _PAGES,
        "auth status": "hostname=",
        "config get": Verb("g global host=", act=_setting),
        "api": Verb(_API, act=_api),
    },
    asks="the forge",
    leading="R= repo=",
    help=f"{HELP} -v",
    warns="it may change something there, or run an alias",
)


def _gh(call: Call, _options: Options) -> None:
    ask(call, GH, call.args)
    takes_filter = any(field.start.startswith(("--jq", "-q")) for field in call.args)
    if takes_filter and any(shows_environment(field.text or "") for field in call.args):
        call.opaque("gh with a filter that shows the environment")


COMMANDS: Final = (
    Row("gh", is_free=True, reads=False, act=_gh),
    *rows_by({"glab": GLAB}),
)
