"""Rows: reading, printing and sending credentials.

Well-known files are looked for in every program's words; environment files (``.env``) and private keys only where a
program prints, copies or sends what is in them: listing, testing or editing them is everyday work.
Sources: the programs' documentation of where they keep credentials and what prints them.
"""

from __future__ import annotations

from harness_guard.policy.credentials import is_credential, is_secret_file
from harness_guard.policy.danger.model import Rule, Softener
from harness_guard.policy.danger.operands import is_revealing_name, is_telling_pattern
from harness_guard.policy.danger.places import (
    is_credential_folder,
    is_home_store,
    is_secret_upload,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Programs that say nothing of a file's content, or use a key without giving it away.
_TELLS_NOTHING: Final = (
    "ls stat test [ wc file du chmod chown touch basename dirname realpath readlink tree git find fd sha256sum md5sum "
    "sha1sum shasum cksum mkdir ssh-add ssh-keygen ssh eza exa lsattr getfacl"
)
_SELECTS: Final = (
    Softener("grep egrep fgrep rg", without="-v --invert-match -f", first=is_telling_pattern),
    Softener("cut", options="-f1 -f=1 --fields=1"),
    Softener("wc"),
    Softener("grep egrep fgrep", options="-q --quiet --silent -c --count"),
)

SECRETS: Final = (
    Rule(
        "danger.secret",
        "credential",
        "it would read credentials",
        "*",
        among="words",
        operand=is_credential,
        spares=f"{_TELLS_NOTHING} echo printf export claude codex gh",
    ),
    Rule(
        "danger.secret",
        "credential-in-git",
        "it would read credentials",
        "git",
        path="cat-file|show|archive",
        operand=is_secret_file,
    ),
    Rule(
        "danger.secret",
        "read",
        "it would read a file of secrets",
        "*",
        among="read",
        operand=is_secret_file,
        spares=f"{_TELLS_NOTHING} grep egrep fgrep rg sed",
    ),
    Rule(
        "danger.secret",
        "grep",
        "it would print from a file of secrets",
        "grep egrep fgrep rg ag ack ripgrep",
        without="-q --quiet --silent -c --count -l --files-with-matches -L",
        among="files",
        operand=is_secret_file,
    ),
    Rule(
        "danger.secret",
        "sed",
        "it would print a file of secrets",
        "sed gsed",
        without="-i --in-place",
        among="files",
        operand=is_secret_file,
    ),
    Rule(
        "danger.secret",
        "print",
        "it would print, pack or send a file of secrets",
        "cat less more most bat head tail tac nl strings xxd od hexdump base64 base32 gzip bzip2 xz zstd zip tar 7z "
        "source . ftp nc ncat socat mail mutt gpg age paste pr fold dotenv type get-content gc open code vim nano",
        operand=is_secret_file,
    ),
    Rule(
        "danger.secret",
        "copy",
        "it would copy or send a file of secrets",
        "cp mv scp sftp rsync ln install rclone",
        among="sources",
        operand=is_secret_file,
    ),
    Rule(
        "danger.secret",
        "find-exec",
        "it would print the files of secrets that it finds",
        "find gfind fd fdfind",
        options=("-exec -execdir -x",),
        among="values",
        operand=is_secret_file,
    ),
    Rule(
        "danger.secret",
        "folder",
        "it would copy or send a folder of credentials",
        "cp mv scp sftp rsync tar zip 7z rclone ln",
        operand=is_credential_folder,
    ),
    Rule(
        "danger.secret",
        "store",
        "it would change where credentials are kept",
        "*",
        among="written",
        operand=is_home_store,
        spares="chmod chown chgrp touch mkdir",
    ),
    Rule(
        "danger.secret",
        "upload",
        "it would send a file of secrets",
        "curl wget http https xh aria2c",
        among="words",
        operand=is_secret_upload,
    ),
    Rule(
        "danger.secret",
        "upload-file",
        "it would send a file of secrets",
        "curl wget",
        options=("-T --upload-file --post-file --body-file",),
        among="words",
        operand=is_secret_file,
    ),
    Rule(
        "danger.secret",
        "environment",
        "it would print the whole environment, secrets too",
        "env printenv",
        without="-i --ignore-environment - -S",
        is_bare=True,
        softened_by=_SELECTS,
    ),
    Rule(
        "danger.secret",
        "environment-shell",
        "it would print the whole environment, secrets too",
        "export declare typeset",
        options=("-p -x",),
        is_bare=True,
        softened_by=_SELECTS,
    ),
    Rule(
        "danger.secret",
        "environment-set",
        "it would print every variable, secrets too",
        "set",
        is_alone=True,
        softened_by=_SELECTS,
    ),
    Rule(
        "danger.secret",
        "environment-name",
        "it would print a secret of the environment",
        "printenv",
        operand=is_revealing_name,
    ),
    Rule(
        "danger.secret",
        "keychain",
        "it would print a password",
        "security",
        path="find-generic-password|find-internet-password",
        options=("-w -g",),
    ),
    Rule(
        "danger.secret", "keychain-dump", "it would print passwords", "security", path="dump-keychain", options=("-d",)
    ),
    Rule(
        "danger.secret",
        "forge-token",
        "it would print a token",
        "gh glab heroku git",
        path="auth token|auth status --show-token|auth:token|credential fill",
    ),
    Rule(
        "danger.secret",
        "forge-token-status",
        "it would print a token",
        "gh",
        path="auth status",
        options=("-t --show-token",),
    ),
    Rule(
        "danger.secret",
        "cloud-token",
        "it would print a token",
        "gcloud",
        path="auth print-access-token|auth print-identity-token|auth application-default print-access-token|"
        "secrets versions access|iam service-accounts keys create",
    ),
    Rule(
        "danger.secret",
        "cloud-secret",
        "it would print credentials",
        "aws",
        path="secretsmanager get-secret-value|secretsmanager batch-get-secret-value|sts get-session-token|"
        "sts assume-role|configure export-credentials|iam create-access-key|ecr get-login-password",
    ),
    Rule(
        "danger.secret",
        "cloud-parameter",
        "it would print a decrypted secret",
        "aws",
        path="ssm get-parameter|ssm get-parameters|ssm get-parameters-by-path",
        options=("--with-decryption",),
    ),
    Rule(
        "danger.secret",
        "azure-secret",
        "it would print a secret",
        "az",
        path="keyvault secret show|keyvault secret download|storage account keys list|ad sp create-for-rbac|"
        "acr credential show|cosmosdb keys list",
    ),
    Rule(
        "danger.secret",
        "cluster-secret",
        "it would print a cluster's secrets",
        "kubectl oc",
        path="get secret|get secrets|get secret/",
        options=("-o --output",),
        without="-o=name -oname --output=name",
    ),
    Rule(
        "danger.secret",
        "vault",
        "it would print secrets",
        "vault op pass bw secret-tool keyring lpass gopass",
        path="read|kv get|token create|item get|show|get|lookup|get password|export|otp",
    ),
    Rule(
        "danger.secret",
        "private-key",
        "it would export private keys",
        "gpg gpg2",
        options=("--export-secret-keys --export-secret-subkeys --export-secret-key",),
    ),
)
