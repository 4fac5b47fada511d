"""aws, az, gcloud and their like: which words ask the cloud for a description and nothing else.

Sources: the service models of botocore 1.43 (which verbs answer with a stream that is kept as a file), the command tree
of the Google Cloud SDK 2025 (which words are groups), learn.microsoft.com/cli/azure, docs.digitalocean.com, the Heroku
and Fly manuals. These command lines have thousands of verbs: they are told by how their names begin. What gives out a
token, a password, a key or an address that carries one is not among them.
"""

from __future__ import annotations

from harness_guard.shell.commands.addresses import parse
from harness_guard.shell.commands.model import Call, Options, Row, is_known
from harness_guard.shell.commands.verbs import HELP, Tool, Verb, ask, rows_by
from harness_guard.shell.words import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_CLOUD: Final = "the cloud"
_HELP: Final = frozenset(("--help", "-h", "help", "--version", "version"))
_HELP_WORDS: Final = 3  # ``SERVICE VERB help``
_REVEALING: Final = frozenset(
    ("token", "tokens", "credential", "credentials", "password", "passwords", "secret", "secrets", "presigned", "url",
     "urls", "login", "keys", "sas", "connection", "publishing", "random", "federation", "appsettings", "kubeconfig")
)  # fmt: skip

# Answers that are written to the file that one more word names.
_AWS_STREAMS: Final = frozenset(
    ("get-export", "get-sdk", "get-configuration", "get-hosted-configuration-version", "get-latest-configuration",
     "get-introspection-schema", "get-connection-function", "get-function", "get-package-version-asset", "get-profile",
     "get-lineage-event", "get-snapshot-block", "get-glyphs", "get-sprites", "get-static-map", "get-style-descriptor",
     "get-tile", "get-job-output", "get-thing-shadow", "get-position-estimate", "get-resource-position", "get-clip",
     "get-media-for-fragment-list", "get-media", "get-work-unit-results", "get-map-glyphs", "get-map-sprites",
     "get-map-style-descriptor", "get-map-tile", "get-log-object", "describe-input-device-thumbnail", "get-object",
     "get-image-frame", "get-image-set-metadata", "get-read-set", "get-reference", "get-object-torrent",
     "get-code-binding-source", "get-sol-function-package-content", "get-sol-function-package-descriptor",
     "get-sol-network-package-content", "get-sol-network-package-descriptor", "get-raw-message-content")
)  # fmt: skip
_AWS_READS: Final = ("describe-", "list-", "get-", "head-", "batch-get-", "lookup-", "search-")
_AWS_MORE: Final = frozenset(
    ("dynamodb scan", "dynamodb query", "logs filter-log-events", "logs tail", "s3 ls", "configure list",
     "configure list-profiles")
)  # fmt: skip
# These streams have namesakes that are none: ``aws lambda get-function`` answers with a description.
_AWS_NO_STREAMS: Final = frozenset(("lambda get-function", "glue get-function"))
_AWS_SECRETS: Final = frozenset(("secretsmanager list-secrets", "secretsmanager list-secret-version-ids"))
_AWS_LEADING: Final = frozenset(("--profile", "--region", "--output", "--query", "--color"))
_AWS_REFUSED: Final = (
    "--cli-input-json", "--cli-input-yaml", "--ca-bundle", "--with-decryption", "--include-value", "--include-values",
    "--outfile", "--generate-cli-skeleton", "--save-as",
)  # fmt: skip
_S3_OPTIONS: Final = (
    "recursive quiet only-show-errors no-progress exclude= include= profile= region= no-sign-request page-size= "
    "request-payer=? human-readable summarize output="
)


def _aws(call: Call, _options: Options) -> None:
    words = _words(call)
    if words is None:
        return
    while len(words) > 1 and (words[0] in _AWS_LEADING or words[0].partition("=")[0] in _AWS_LEADING):
        words = words[1 if "=" in words[0] else 2 :]
    while words and words[0] in {"--no-cli-pager", "--no-paginate", "--debug", "--no-sign-request"}:
        words = words[1:]
    if (len(words) == 1 and words[0] in _HELP) or (words[-1:] == ["help"] and len(words) <= _HELP_WORDS):
        return
    service, verb = (words[0], words[1]) if len(words) > 1 else ("", "")
    name, rest = f"{service} {verb}", words[2:]
    if name in {"s3 cp", "s3 sync"}:
        ask(call, _S3, tuple(Field(word) for word in words))
    elif verb == "wait" and rest and not rest[0].startswith("-"):
        _aws_options(call, rest[1:])
    elif not _is_aws_reading(service, verb):
        call.opaque(f"aws {name}: it may change something in the cloud, or give out a secret")
    else:
        _aws_options(call, rest)


def _is_aws_reading(service: str, verb: str) -> bool:
    name = f"{service} {verb}"
    if name in _AWS_MORE or name in _AWS_SECRETS or name == "sts get-caller-identity":
        return True
    is_stream = verb in _AWS_STREAMS and name not in _AWS_NO_STREAMS
    is_plain = service.replace("-", "").isalnum() and service not in {"s3", "configure", "sso", "sso-oidc"}
    return is_plain and verb.startswith(_AWS_READS) and not is_stream and _REVEALING.isdisjoint(verb.split("-"))


def _aws_options(call: Call, words: list[str]) -> None:
    """An option may be shortened, and a value may name a file that is sent, or an address that is asked."""
    option = ""
    for word in words:
        if word.startswith("--"):
            option, _, value = word.partition("=")
            if any(refused.startswith(option) for refused in _AWS_REFUSED):
                call.opaque(f"aws: an option that is not modelled: {option}")
                return
        else:
            value = word
        address = parse(value) if option == "--endpoint-url" else None
        if address is not None:
            call.connect(address.place, is_local=address.is_local)
        elif "://" in value and not value.startswith("s3://"):
            call.opaque("aws reads a file, or asks an address, for what it sends")
            return
    call.connect(_CLOUD)


def _s3_copy(call: Call, options: Options) -> None:
    """``aws s3 cp s3://bucket/key FILE``; the other direction sends. A folder's file is called as the key is."""
    ends = _s3_ends(call, options)
    if ends is None:
        return
    name = ends[0].rpartition("/")[2]
    if options.has("--recursive"):
        call.write(Field(ends[1]), "tree")
    elif ends[1] != "-" and not name.strip("."):
        call.opaque("aws s3 writes to a name that reading cannot tell", is_writer=True)
    elif ends[1] != "-":
        call.write(Field(ends[1]), "file")
        call.write(Field(f"{ends[1].rstrip('/') or '/'}/{name}"), "file")


def _s3_sync(call: Call, options: Options) -> None:
    ends = _s3_ends(call, options)
    if ends is not None:
        call.write(Field(ends[1]), "tree")


def _s3_ends(call: Call, options: Options) -> tuple[str, str] | None:
    ends = [field.text or "" for field in options.operands]
    if len(ends) == len(("from", "to")) and ends[0].startswith("s3://") and not ends[1].startswith("s3://"):
        return ends[0], ends[1]
    call.opaque("aws s3 sends, or copies in the cloud")
    return None


_S3: Final = Tool({"s3 cp": Verb(_S3_OPTIONS, act=_s3_copy), "s3 sync": Verb(_S3_OPTIONS, act=_s3_sync)}, asks=_CLOUD)


def _words(call: Call) -> list[str] | None:
    """Give the words of a call that are told to another machine, ``None`` if some is not known."""
    if not all(is_known(field) for field in call.args):
        call.opaque(f"{call.name} is told something that is not known whole")
        return None
    return [field.text or "" for field in call.args]


# Verbs that take a word without an option, which may look like a verb that asks.
_AZ_ODD: Final = frozenset(
    ("config", "find", "rest", "next", "interactive", "feedback", "self-test", "configure", "init", "survey", "upgrade",
     "build", "run", "push", "pack", "up", "create", "delete", "update", "set", "unset", "add", "remove", "start",
     "stop", "restart", "import", "export", "deploy", "invoke", "upload", "download", "purge", "login", "logout",
     "check-acr", "check-health")
)  # fmt: skip
_AZ_REFUSED: Final = (
    "--file", "--destination", "--dest", "--out-", "--output-", "--dir", "--path", "--folder", "--download", "-f",
    "--open", "--show-v",
)  # fmt: skip
_AZ_KEYS: Final = frozenset(("key", "admin-key", "query-key"))  # of a service; those of a key vault are public
_AZ_VERBS: Final = ("list", "show", "exists", "get-instance-view", "get-upgrades", "get-versions", "version")


def _az(call: Call, _options: Options) -> None:
    words = _words(call)
    if words is None:
        return
    verbs = _before_options(words)
    rest = words[len(verbs) :]
    if (rest[:1] and rest[0] in _HELP and len(rest) == 1 and not _AZ_ODD & set(verbs)) or verbs == ["version"]:
        return
    if verbs in (["storage", "blob", "download"], ["storage", "file", "download"]):
        _az_download(call, rest)
        return
    last = verbs[-1] if verbs else ""
    odd = _AZ_ODD & set(verbs) - ({"build"} if verbs[0:1] == ["pipelines"] else set())
    is_reading = last in _AZ_VERBS or last.startswith(("list-", "show-", "check-"))
    revealed = {part for word in verbs for part in word.split("-")} & _REVEALING - {"secret", "secrets"}
    is_secret = bool(set(verbs) & {"secret", "secrets"}) and (last != "list" or verbs[0] == "staticwebapp")
    is_secret = is_secret or (verbs[:1] != ["keyvault"] and not _AZ_KEYS.isdisjoint(verbs))
    is_secret = is_secret or (verbs[:1] == ["iot"] and "policy" in verbs)
    if not is_reading or revealed or is_secret or odd:
        call.opaque(f"az {' '.join(verbs)}: it may change something in the cloud, write a file or give out a secret")
        return
    for word in rest:
        option = word.partition("=")[0]
        is_short_for = word.startswith("--") and any(refused.startswith(option) for refused in _AZ_REFUSED)
        is_short_for = is_short_for and option != "--output"
        if is_short_for or option.startswith(_AZ_REFUSED):
            call.opaque(f"az: an option that is not modelled: {option}")
            return
        if word.startswith("@") or "=@" in word:
            call.opaque("az reads a file for what it sends")
            return
    call.connect(_CLOUD)


def _az_download(call: Call, words: list[str]) -> None:
    """Keep one blob as the file that ``-f`` names; a further option may be shortened to one that is not known."""
    names = ("-c", "--container-name", "-n", "--name", "-f", "--file", "--account-name", "-s", "--share-name", "-p")
    plain = ("--auth-mode", "--no-progress", "-o", "--output", "--subscription", "--only-show-errors", "--path")
    options = [word for word in words if word.startswith("-")]
    files = [words[at + 1] for at, word in enumerate(words[:-1]) if word in {"-f", "--file"}]
    if not set(options) <= {*names, *plain} or not files or any(word.startswith("@") for word in words):
        call.opaque("az writes a file that reading cannot tell", is_writer=True)
        return
    call.connect(_CLOUD)
    for file in files:
        call.write(Field(file), "file")


def _before_options(words: list[str]) -> list[str]:
    found = []
    for word in words:
        if word.startswith("-"):
            break
        found.append(word)
    return found


# Words of gcloud that are groups and never the name of a verb. A group that is also a verb somewhere has its own line.
_GROUP_WORDS: Final = (
    "accelerator-types access-context-manager accounts acls actions activationkeys active-directories "
    "address-groups addresses admin-clusters agent-pools ai ai-platform alloydb android anthos anywhere-caches "
    "api-configs api-gateway api-keys apigee apis app app-profiles applications artifacts aspect-types asset "
    "assets associated-projects associations attached attachments attestations attestors audit-logs-provider auth "
    "authorization-code authorization-policies authorized-orgs authorized-views autokey-config automation-runs "
    "automations autoscaling-policies aws azure backend-authentication-configs backend-buckets backend-services "
    "backup-collections backup-dr backup-plan-associations backup-plans backup-policies backup-schedules "
    "backup-vaults backups bare-metal batch batch-operations batches bigtable billing binauthz bindings blocks "
    "bqexports buckets budgets builds categories certificate-manager certificates changes channel-connections "
    "channels client-certs client-tls-policies clients cloud-bindings cloudrun clusters clusterupgrade "
    "cmek-config commitments components composer composite conditions config configs configurations "
    "connection-profiles connections connectivity-tests connectors consent-stores consumer-groups container "
    "content controller conversion-workspaces credentials custom-intercept custom-jobs custom-mirroring "
    "custom-modules custom-target-types dags dashboards data data-catalog data-sources database-migration "
    "databases dataflow dataplane-v2-encryption dataplex dataproc datascans datasets datastore datastream ddl "
    "delivery-pipelines deploy-policies deployment-manager deployments dest-groups details developer-connect "
    "developers dicom-stores disk-types disks dns dns-authorizations dns-bind-permission dns-forwarding dns-keys "
    "domain-mappings domains dry-run edge-cache ekm-config ekm-connections encryption-config endpoint-policies "
    "endpoints entries entry-groups entry-types environments essential-contacts etd event-types eventarc "
    "execution-groups executions external-access-rules external-addresses external-vpn-gateways features "
    "federations feeds fhir-stores fields files filestore findings firebase firestore "
    "firewall-endpoint-associations firewall-endpoints firewall-policies firewall-rules flags fleet "
    "fleetobservability folders forwarding-rules functions gateway-security-policies gateways "
    "git-repository-links glossaries google-channels groups grpc-routes hcx health-checks hl7v2-stores hmac holds "
    "hot-tablets hp-tuning-jobs http-health-checks http-routes https-health-checks hub hubs "
    "iac-validation-reports iam iap identity identity-service image-imports images import-jobs index-endpoints "
    "indexes infra-manager ingress insight-type-config insights insights-configs instance-configs instance-groups "
    "instance-partitions instance-templates instances instant-snapshots intercept-deployment-groups "
    "intercept-deployments intercept-endpoint-group-associations intercept-endpoint-groups interconnects "
    "internal-ranges inventories inventory inventory-reports ios issuance-configs job-runs jobs key-handles "
    "keyrings keys keysets kms kms-configs lakes lb-route-extensions lb-traffic-extensions levels links "
    "lite-operations lite-reservations lite-subscriptions lite-topics locales locations logging logging-servers "
    "logical-views logs looker machine-image-imports machine-images machine-types manage managed managed-folders "
    "managed-identities managed-kafka managed-zones management-dns-zone-bindings management-servers manifests "
    "maps materialized-views memberships memcache memorystore mesh meshes metadata-jobs metastore method-names "
    "migration migration-jobs mirroring-deployment-groups mirroring-deployments "
    "mirroring-endpoint-group-associations mirroring-endpoint-groups mirroring-rules ml ml-engine model-garden "
    "model-monitoring-jobs models monitoring multi-cluster-services muteconfigs namespaces nats netapp "
    "network-attachments network-connectivity network-edge-security-services network-endpoint-groups "
    "network-firewall-policies network-management network-peerings network-policies network-profiles "
    "network-security network-services networks node-groups node-pools node-templates node-types nodes notebooks "
    "notifications nsx oauth-brands oauth-clients objects operations ops-agents org-address-groups org-policies "
    "organizations origins os-config os-inventory os-login os-policy-assignment-reports os-policy-assignments "
    "packages packet-mirrorings patch-deployments patch-jobs peered-dns-domains peerings perimeters "
    "persistent-resources plugins policies policy policy-based-routes policy-bindings policy-orchestrators "
    "policy-tags policycontroller pools posture-deployments posture-operations posture-templates postures "
    "previews principal-access-boundary-policies private-clouds private-connections privateca products "
    "project-configs project-feature-settings project-info project-zonal-metadata projects providers "
    "public-advertised-prefixes public-delegated-prefixes pubsub queued-resources queues quota-rules "
    "rbacrolebindingactuation rbacrolebindings recaptcha recommendations recommender recommender-config "
    "record-sets redis regional-endpoints regions registrations releases remote-locations replication "
    "replications repos repositories reservations resize-requests resource-descriptors resource-manager "
    "resource-policies resources response-policies revisions roles rollouts roots route-tables route-views "
    "routers routes rules runtimes samples saved-queries sbom scc scheduler schedules schemas scopes secrets "
    "security-policies security-profile-groups security-profiles server-ca-certs server-certs server-tls-policies "
    "service-accounts service-attachments service-bindings service-connection-policies service-directory "
    "service-extensions service-lb-policies service-names services sessions settings sha shared-vpc sinks "
    "snapshot-settings snapshots snoozes sole-tenancy source sources spanner speech splits spokes sql ssh-keys "
    "ssl ssl-certificates ssl-certs ssl-policies storage storage-pool-types storage-pools streams sub-blocks "
    "subjects subnets subordinates subscriptions support-access supported-services tables tag-templates tags "
    "target-grpc-proxies target-http-proxies target-https-proxies target-instances target-pools target-projects "
    "target-ssl-proxies target-tcp-proxies target-vpn-gateways targets tasks taxonomies tcp tcp-routes templates "
    "tensorboards terms terraform-versions threat-prevention tiers tls-inspection-policies tls-routes topics "
    "topologies tpu-vm tpus transaction transcoder transfer triggers trust-configs ttls types unmanaged uptime "
    "url-lists url-maps user-workloads-config-maps user-workloads-secrets users values vcenter versions video "
    "views vms vmware volumes vpc-access vpc-flow-logs-configs vpc-peerings vpcsc-config vpn-gateways vpn-tunnels "
    "vulnerabilities vulnerability-reports web workbench worker-pools workflow-templates workflows "
    "workforce-pools workload-identity-pools workstations zones "
)
_GROUPS: Final = frozenset(_GROUP_WORDS.split())
_FIRST_GROUPS: Final = frozenset(("run", "compute"))
_GCLOUD_READS: Final = frozenset(
    ("list", "describe", "get-iam-policy", "read", "lookup", "search", "get-server-config", "get-health", "get-status",
     "get-ancestors", "get-effective-firewalls", "get-serial-port-output", "get-nat-ip-info", "get-named-ports",
     "get-operational-status", "list-instances", "list-errors", "list-revisions", "list-rules", "list-grantable-roles")
)  # fmt: skip
_GCLOUD_OPTIONS: Final = (
    "limit= filter= sort-by= page-size= location= uri region= organization= zone= folder= instance= regexp= global "
    "regions= cluster= service= billing-account= database= view= dataset= environment= parent= delivery-pipeline= "
    "namespace= show-deleted policy= scope= volume= keyring= provider= log-filter= bucket= private-cloud= deployment= "
    "network= freshness= order= hub= domain= source= api= backup= router= membership= release= zones= repository= "
    "format= project= quiet verbosity= account= billing-project= flatten= configuration= config= tags include-tags "
    "show-occurrences only-show-errors platform= managed-by= filter-by-name= start= port= enabled available all h help "
    "r recursive l L long full json q readable-sizes s summarize total c"
)
_GCLOUD_LOCAL: Final = frozenset(("info", "version", "config", "auth", "components", "topic"))
_GCLOUD_FIXED: Final = (
    "info|version|config list|config get|config get-value|config configurations list|config configurations describe|"
    "auth list|components list|topic|projects get-ancestors"
)


def _gcloud(call: Call, _options: Options) -> None:
    words = _words(call)
    if words is None:
        return
    while words and words[0].startswith("-"):
        words = words[1 if "=" in words[0] or words[0] in {"-q", "--quiet"} else 2 :]
    verbs = _before_options(words)
    start = at = 1 if verbs[:1] and verbs[0] in {"alpha", "beta"} else 0
    while at < len(verbs) and (verbs[at] in _GROUPS or (at == start and verbs[at] in _FIRST_GROUPS)):
        at += 1
    is_reading = start < at < len(verbs) and verbs[at] in _GCLOUD_READS
    table = Tool(
        {
            f"{_GCLOUD_FIXED}|{' '.join(verbs[: at + 1])}" if is_reading else _GCLOUD_FIXED: _GCLOUD_OPTIONS,
            "storage ls|storage cat|storage du|storage hash": Verb(_GCLOUD_OPTIONS, act=_read_local),
        },
        asks="" if verbs[:1] and verbs[0] in _GCLOUD_LOCAL else _CLOUD,
        takes="words",
        leading="project= format= quiet verbosity= account= q",
        help=HELP,
        warns="it may change something in the cloud, or give out a secret",
    )
    ask(call, table, call.args)


def _read_local(call: Call, options: Options) -> None:
    for field in options.operands:
        if not (field.text or "").startswith("gs://"):
            call.read(Field((field.text or "").removeprefix("file://")), is_tree=True)


_GSUTIL: Final = Tool(
    {
        "ls": Verb("l L b d h a r R e p=", act=_read_local),
        "cat": Verb("h r=", act=_read_local),
        "du": Verb("a c e= h s x= X=", act=_read_local),
        "stat|hash": Verb("l h m c", act=_read_local),
        "version|acl get|cors get|iam get|lifecycle get|logging get|versioning get|label get|ubla get": "l h m c",
    },
    asks=_CLOUD,
    leading="m q D",
    help=HELP,
    warns="it may change or send something",
)
_DOCTL: Final = Tool(
    {
        "|".join(
            f"{group} {verb}"
            for group in (
                "account", "apps", "balance", "compute action", "compute certificate", "compute domain",
                "compute domain records", "compute droplet", "compute firewall", "compute floating-ip", "compute image",
                "compute load-balancer", "compute region", "compute reserved-ip", "compute size", "compute snapshot",
                "compute ssh-key", "compute tag", "compute volume", "databases db",
                "invoice", "kubernetes cluster", "kubernetes cluster node-pool", "projects",
                "registry", "registry repository", "serverless functions", "vpcs", "monitoring alert", "apps logs",
            )
            for verb in ("list", "ls", "get")
        )
        + "|version": "format= no-header o= output= region= tag-name= public image-type= resource= context=",
    },
    asks=_CLOUD,
    leading="context= o= output=",
    help=HELP,
    warns="it may change something in the cloud, or give out a secret",
)  # fmt: skip
_HEROKU: Final = Tool(
    {
        "apps|info|ps|logs|releases|addons|domains|status|version|whoami|pipelines|buildpacks|features|labs|regions|"
        "maintenance|access|orgs|teams|certs|notifications|spaces|stack|drains|webhooks|pg:backups": Verb(
            takes="nothing"
        ),
        "apps:info|releases:info|addons:info|addons:plans|addons:services|domains:info|auth:whoami|pipelines:info|"
        "buildpacks:search|features:info|labs:info|certs:info|pg:info|pg:ps|redis:info|spaces:info": "",
    },
    asks=_CLOUD,
    common="a= app= r= remote= json A all n= num= s= source= d= dyno= t tail team= space= extended p personal "
    "force-colors",
    help=HELP,
    warns="it may change something in the cloud, or give out a secret",
)
_FLY: Final = Tool(
    {
        "status|logs|releases|version|machine list|machines list|apps list|secrets list": Verb(takes="nothing"),
        "regions list|platform regions|platform status|platform vm-sizes|machine status|machines status|volumes list|"
        "volumes show|ips list|certs list|certs show|certs check|scale show|orgs list|orgs show|image show|"
        "services list|checks list": "",
    },
    asks=_CLOUD,
    common="a= app= c= config= j json q quiet n no-tail r= region= i= instance= o= org= machine= s= select=",
    help=HELP,
    warns="it may change something in the cloud, or give out a secret",
)
_TOOLS: Final = {"gsutil": _GSUTIL, "doctl": _DOCTL, "heroku": _HEROKU, "fly": _FLY, "flyctl": _FLY}


COMMANDS: Final = (
    Row("aws", is_free=True, reads=False, act=_aws),
    Row("az", is_free=True, reads=False, act=_az),
    Row("gcloud", is_free=True, reads=False, act=_gcloud),
    *rows_by(_TOOLS),
)
