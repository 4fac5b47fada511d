"""Rows: destruction of data, infrastructure, clusters and containers.

Sources: the command lines' own documentation.
"""

from __future__ import annotations

from harness_guard.policy.danger.model import Rule
from harness_guard.policy.danger.operands import (
    is_database_end,
    is_dropping,
    is_ending,
    is_root_mount,
    is_zero,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

CLIENTS: Final = (
    "psql mysql mariadb sqlite3 mongosh mongo redis-cli valkey-cli clickhouse-client clickhouse sqlcmd cqlsh duckdb "
    "cockroach sqlplus usql pgcli mycli influx bq snowsql"
)

SERVICES: Final = (
    Rule(
        "danger.database",
        "statement",
        "it would drop or empty data",
        CLIENTS,
        without="-readonly --readonly",
        among="words",
        operand=is_dropping,
    ),
    Rule(
        "danger.database",
        "statement-words",
        "it would drop or empty data",
        "redis-cli valkey-cli",
        path="flushall|flushdb|shutdown|script flush|function flush",
    ),
    Rule("danger.database", "drop-programs", "it would drop a database or its user", "dropdb dropuser"),
    Rule("danger.database", "mysqladmin", "it would drop or stop a database", "mysqladmin", path="drop|shutdown"),
    Rule(
        "danger.database",
        "tasks",
        "it would drop, empty or rebuild a database",
        "rails rake artisan console sequelize sequelize-cli typeorm db-migrate mix bin",
        operand=is_database_end,
    ),
    Rule(
        "danger.database",
        "prisma",
        "it would drop, empty or rebuild a database",
        "prisma",
        path="migrate reset|db push",
    ),
    Rule(
        "danger.database",
        "migrations",
        "it would roll back or empty a database",
        "knex typeorm drush wp manage.py alembic supabase flyway liquibase django-admin sqlx diesel",
        path="migration:revert|sql-drop|sql:drop|db reset|db drop|db clean|flush|reset_db|downgrade base|"
        "clean|drop-all|dropall|database drop|database reset|schema:drop|sqlflush",
    ),
    Rule(
        "danger.database",
        "rollback-all",
        "it would roll back a whole database",
        "knex",
        path="migrate:rollback",
        options=("--all",),
    ),
    Rule(
        "danger.infrastructure",
        "destroy",
        "it would destroy infrastructure",
        "terraform tofu terragrunt pulumi cdk cdktf vagrant sls serverless sst copilot eb amplify",
        path="destroy|stack rm|workspace delete|state rm|remove|run-all destroy|svc delete|app delete|terminate|delete|"
        "force-unlock",
    ),
    Rule(
        "danger.infrastructure",
        "destroy-option",
        "it would destroy infrastructure",
        "terraform tofu terragrunt",
        path="apply",
        options=("-destroy --destroy",),
    ),
    Rule(
        "danger.infrastructure",
        "apply-unasked",
        "it would change infrastructure without asking",
        "terraform tofu terragrunt",
        path="apply|run-all apply",
        options=("-auto-approve --auto-approve",),
    ),
    Rule(
        "danger.infrastructure",
        "cluster",
        "it would destroy cluster resources",
        "kubectl oc helm k3d kind minikube eksctl kops k0s",
        path="delete|drain|destroy|uninstall|del|un|replace --force|config delete-context|"
        "cluster delete|delete cluster",
        without="--dry-run=client --dry-run=server --dry-run",
    ),
    Rule(
        "danger.infrastructure",
        "scale-to-none",
        "it would stop a workload of a cluster",
        "kubectl oc",
        path="scale",
        options=("--replicas=0",),
    ),
    Rule(
        "danger.infrastructure",
        "scale-to-none-apart",
        "it would stop a workload of a cluster",
        "kubectl oc",
        path="scale",
        options=("--replicas",),
        among="values",
        operand=is_zero,
    ),
    Rule(
        "danger.infrastructure",
        "buckets",
        "it would remove what is stored in the cloud",
        "aws",
        path="s3 rm|s3 rb",
        without="--dryrun",
    ),
    Rule(
        "danger.infrastructure",
        "bucket-sync",
        "it would remove what is stored in the cloud",
        "aws gsutil gcloud rclone mc",
        path="s3 sync|rsync|storage rsync|purge|delete|deletefile|rm|rb",
        options=("--delete -d --recursive -r --delete-unmatched-destination-objects --force",),
        without="--dryrun --dry-run",
    ),
    Rule(
        "danger.infrastructure",
        "storage",
        "it would remove what is stored in the cloud",
        "gsutil rclone mc s3cmd s5cmd",
        path="rm|rb|purge|delete|del|deletefile|rmdirs",
        without="--dry-run",
    ),
    Rule(
        "danger.infrastructure",
        "cloud",
        "it would destroy cloud resources",
        "aws gcloud az doctl heroku flyctl fly oci ibmcloud linode-cli hcloud scw vultr-cli exo openstack railway "
        "render netlify vercel wrangler firebase supabase auth0 bq",
        operand=is_ending,
        without="--dry-run --dryrun",
    ),
    Rule(
        "danger.infrastructure",
        "cloud-database",
        "it would empty a database in the cloud",
        "heroku firebase",
        path="pg:reset|firestore:delete|database:remove|apps:destroy",
    ),
    Rule(
        "danger.containers",
        "docker-prune",
        "it would destroy containers' data",
        "docker podman nerdctl",
        path="system prune|system reset|volume rm|volume remove|volume prune|image prune|container prune|network prune|"
        "builder prune|swarm leave|stack rm|service rm|secret rm",
    ),
    Rule(
        "danger.containers",
        "compose",
        "it would destroy containers' data",
        "docker podman nerdctl docker-compose",
        path="compose down|down|compose rm|rm",
        options=("-v --volumes --rmi",),
    ),
    Rule(
        "danger.containers",
        "privileged",
        "it would give a container the machine's rights",
        "docker podman nerdctl",
        path="run|create|container run|exec",
        options=("--privileged",),
    ),
    Rule(
        "danger.containers",
        "mount",
        "it would hand a container the machine's root or engine",
        "docker podman nerdctl",
        path="run|create|container run",
        among="values",
        operand=is_root_mount,
    ),
)
