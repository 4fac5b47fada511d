"""docker, podman, docker compose, kubectl and helm: what they tell about containers, clusters and charts.

Sources: docs.docker.com/reference/cli of docker 27, docs.podman.io of podman 5, kubernetes.io/docs/reference/kubectl of
kubectl 1.31, helm.sh/docs/helm of helm 3.16. The engine, the cluster and the plug-ins are those of the user's own
configuration; options that name others are not listed, but for an engine at an address. Whatever starts or enters a
container runs code that was not read.
"""

from __future__ import annotations

from harness_guard.shell.commands.addresses import parse
from harness_guard.shell.commands.model import Call, Options, Row
from harness_guard.shell.commands.verbs import Tool, Verb, ask, rows_by
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LISTING: Final = "a all q quiet f= filter= format= no-trunc"
_INSPECTING: Final = "f= format= s size type="
_ENGINE: Final = "it starts or changes something in the engine: code that was not read"

DOCKER: Final = Tool(
    {
        "ps|container ls|container list|container ps": f"{_LISTING} n= last= l latest s size ns sort= noheading",
        "images|image ls|image list": f"{_LISTING} digests tree sort= noheading n",
        "logs|container logs": "f follow t timestamps n= tail= since= until= details",
        "inspect|container inspect|image inspect|network inspect|volume inspect|node inspect|service inspect|"
        "config inspect|context inspect|plugin inspect|pod inspect|manifest inspect": f"{_INSPECTING} pretty v verbose",
        "top|container top": "",
        "stats|container stats": "a all format= no-stream no-trunc",
        "version|info|system info": Verb("f= format=", "nothing"),
        "port|container port": "a all",
        "diff|container diff": "format=",
        "history|image history": "format= H human no-trunc q quiet",
        "events|system events": "f= filter= format= since= until= no-trunc stream",
        "search": "f= filter= format= limit= no-trunc list-tags",
        "system df": "format= v verbose",
        "network ls|network list|volume ls|volume list|node ls|node ps|service ls|service ps|stack ls|stack ps|"
        "stack services|config ls|secret ls|context ls|context list|plugin ls|pod ls|pod ps|pod list|"
        "machine list|machine ls|system connection list": f"{_LISTING} no-resolve noheading",
        "service logs": "f follow t timestamps n= tail= since= details no-resolve no-trunc raw",
        "context show": Verb(takes="nothing"),
        "image save|save|container export|export": "",
        "buildx ls|buildx version|buildx du|builder ls": "verbose format= no-trunc",
    },
    asks="the container engine",
    leading="D debug l= log-level=",
    help="--help help --version -v",
    warns=_ENGINE,
)
COMPOSE: Final = Tool(
    {
        "ps": "a all filter= format= no-trunc orphans q quiet services status=",
        # Otherwise it prints what the files say that the project names, wherever they lie.
        "config": Verb(
            "format= hash= images no-consistency no-env-resolution no-interpolate no-normalize no-path-resolution "
            "profiles q quiet services variables volumes networks models",
            needs="--services --images --volumes --profiles --networks --models --hash -q --quiet --no-env-resolution",
        ),
        "logs": "f follow index= n= tail= no-color no-log-prefix since= t timestamps until=",
        "images|port|ls|stats|volumes": "a all filter= format= q quiet index= protocol= no-stream no-trunc",
        "top": "",
        "events": "json since= until=",
        "version": "f= format= short",
    },
    asks="the container engine",
    leading="f= file= p= project-name= profile= ansi= progress= all-resources",
    help="--help help --version -v",
    warns=_ENGINE,
)


def _docker(call: Call, _options: Options) -> None:
    args = call.args
    first = args[0].text if args else None
    if first in {"-H", "--host"} and args[1:]:
        address = parse((args[1].text or "").replace("tcp://", "http://", 1))
        if address is None or address.scheme not in {"", "http", "https"} or args[1].is_pattern:
            call.opaque(f"{call.name} is told of an engine that reading cannot tell")
            return
        call.connect(address.place, is_local=address.is_local)
        args = args[2:]
    if args and args[0].text == "compose":
        _compose_files(call, args[1:])
    else:
        ask(call, DOCKER, args)


def _compose(call: Call, _options: Options) -> None:
    _compose_files(call, call.args)


def _compose_files(call: Call, args: tuple[Field, ...]) -> None:
    ask(call, COMPOSE, args)
    for at, field in enumerate(args[:-1]):
        if field.text in {"-f", "--file"}:
            call.read(args[at + 1])


_TABLES: Final = frozenset(("name", "wide"))


def _kubectl_output(call: Call, options: Options) -> None:
    """``-o jsonpath-file=F`` and the like read a file; ``go-template`` and the like hold their text themselves."""
    forms = {(field.text or "").removeprefix("=") for field in options.values("-o", "--output")}
    names = [name for field in options.operands for name in (field.text or "").lower().split(",")]
    if (forms - _TABLES or options.has("--template")) and any(name.startswith("secret") for name in names):
        call.opaque("kubectl gives out secrets")
    for field in options.values("-o", "--output"):
        kind, _, name = (field.text or "").removeprefix("=").partition("=")
        if "file" in kind:
            for file in (*([Field(name)] if name else []), *options.values("--template")):
                call.read(file)


_SELECTING: Final = "l= selector= field-selector= A all-namespaces=?"
_PRINTING: Final = "o= output= template= show-labels=? no-headers=? sort-by= show-kind=? L= label-columns="
_CLUSTER: Final = "n= namespace= context= cluster= user= request-timeout= v="
_GETTING: Final = f"{_SELECTING} {_PRINTING} w watch=? watch-only=? chunk-size= ignore-not-found=? subresource="
KUBECTL: Final = Tool(
    {
        "get": Verb(
            f"{_GETTING} server-print=? show-managed-fields=? allow-missing-template-keys=?", act=_kubectl_output
        ),
        "describe": f"{_SELECTING} show-events=? chunk-size=",
        "logs": "f follow=? p previous=? c= container= all-containers=? since= since-time= tail= timestamps=? prefix=? "
        "limit-bytes= max-log-requests= ignore-errors=? pod-running-timeout= l= selector= all-pods=?",
        "events": Verb(f"{_PRINTING} A all-namespaces for= types= w watch", act=_kubectl_output),
        "top pod|top pods|top po|top node|top nodes|top no": f"{_SELECTING} containers no-headers sort-by= sum "
        "show-capacity use-protocol-buffers",
        "explain": Verb("recursive=? api-version= o= output=", act=_kubectl_output),
        "api-resources|api-versions": "namespaced=? api-group= verbs= o= output= no-headers cached sort-by= "
        "categories=",
        "version": Verb("client=? short o= output=", "nothing", act=_kubectl_output),
        "cluster-info": Verb(takes="nothing"),
        "config view": Verb("minify flatten o= output=", "nothing", act=_kubectl_output),
        "config get-contexts|config get-clusters|config get-users|config current-context": "o= output= no-headers",
        "auth can-i": "A all-namespaces list no-headers q quiet subresource=",
        "auth whoami": Verb("o= output=", "nothing"),
        "rollout status": f"w watch=? timeout= revision= {_SELECTING}",
        "rollout history": f"revision= o= output= {_SELECTING}",
        "wait": f"for= timeout= all o= output= {_SELECTING}",
        "options|plugin list|completion": "",
    },
    asks="the cluster",
    common=_CLUSTER,
    leading=_CLUSTER,
    help="--help -h help",
    warns="it changes the cluster, enters a container or runs a plug-in",
)


def _helm_reads(call: Call, options: Options) -> None:
    """A chart may be a folder or an archive, and values may be files."""
    for field in options.operands:
        _read_or_fetch(call, field.text or "", is_tree=True)
    for field in options.values("-f", "--values", "--set-file", "--repo"):
        for part in (field.text or "").split(","):
            is_pair = "=" in part and "://" not in part
            _read_or_fetch(call, part.partition("=")[2] if is_pair else part, is_tree=False)
    for field in options.values("--output-dir"):
        call.write(field, "tree")


def _read_or_fetch(call: Call, text: str, *, is_tree: bool) -> None:
    if "://" not in text:
        call.read(Field(text), is_tree=is_tree)
        return
    address = parse(text)
    call.connect(address.place if address else text, is_local=address is None or address.is_local)


def _helm_dry(call: Call, options: Options) -> None:
    """Without ``--dry-run``, or with ``--dry-run=none``, it installs."""
    given = [value for name, value in options.given if name == "--dry-run"]
    if not given or any(value is not None and value.text not in {"client", "server"} for value in given):
        call.opaque("helm changes the cluster")
    _helm_reads(call, options)


_VALUES: Final = "f= values= set= set-string= set-json= set-literal= set-file= version= devel repo="
_RENDERING: Final = (
    f"{_VALUES} no-hooks include-crds skip-crds skip-tests s= show-only= a= api-versions= kube-version= name-template= "
    "g generate-name is-upgrade release-name disable-openapi-validation description="
)
_HELM_LISTING: Final = "o= output= max-col-width= no-descriptions"
HELM: Final = Tool(
    {
        "list|ls": Verb(
            "a all A all-namespaces d date deployed failed f= filter= m= max= no-headers offset= o= output= pending q "
            "quiet r reverse l= selector= short superseded time-format= uninstalled uninstalling",
            "nothing",
        ),
        "status": "o= output= revision= show-desc show-resources",
        "history|hist": "max= o= output=",
        "get all|get values|get manifest|get notes|get hooks|get metadata": "a all o= output= revision= template=",
        "show all|show chart|show values|show readme|show crds|inspect all|inspect chart|inspect values|inspect readme|"
        "inspect crds": Verb("version= devel repo= jsonpath=", act=_helm_reads),
        "search repo|search hub": "devel fail-on-no-result max-col-width= o= output= r regexp version= versions l "
        "list-repo-url",
        "version": Verb("short template= c client", "nothing"),
        "env|plugin list|repo list": Verb(_HELM_LISTING, "nothing"),
        "completion bash|completion zsh|completion fish|completion powershell": _HELM_LISTING,
        "dependency list|dep list|dependency ls|dep ls": Verb(_HELM_LISTING, act=_helm_reads),
        "template": Verb(f"{_RENDERING} output-dir= dry-run=?", act=_helm_reads),
        "lint": Verb(f"{_VALUES} strict quiet with-subcharts kube-version= skip-schema-validation", act=_helm_reads),
        "install|upgrade": Verb(
            f"{_RENDERING} dry-run=? i install reuse-values reset-values hide-secret o= output= create-namespace wait "
            "timeout= atomic",
            act=_helm_dry,
        ),
    },
    asks="the cluster, or the charts' repository",
    common="n= namespace= kube-context= debug",
    leading="n= namespace= kube-context= debug",
    help="--help -h help",
    warns="it changes the cluster, or runs a plug-in",
)


COMMANDS: Final = (
    Row("docker", is_free=True, reads=False, act=_docker),
    Row("podman", is_free=True, reads=False, act=_docker),
    Row("docker-compose", is_free=True, reads=False, act=_compose),
    *rows_by({"kubectl": KUBECTL, "helm": HELM}),
)
