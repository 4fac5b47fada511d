"""Files that are known to hold credentials: what a call that only reads may not show (contract C7.20)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

_CREDENTIALS: Final = (
    "/.ssh/id_", "/.aws/credentials", "/.aws/sso/cache/", "/.gnupg/", "/.netrc", "/_netrc", "/.pgpass",
    "/.docker/config.json", "/.kube/config", "/etc/kubernetes/admin.conf", "/.config/gcloud/", "/.config/gh/hosts.yml",
    "/.config/glab-cli/config.yml", "/.config/containers/auth.json", "/.config/pypoetry/auth.toml", "/.config/hub",
    "/.config/op/", "/.config/rclone/rclone.conf", "/.git-credentials", "/.config/git/credentials", "/.azure/",
    "/.npmrc", "/.yarnrc.yml", "/.pypirc", "/.gem/credentials", "/.cargo/credentials", "/.terraform.d/credentials",
    "/.terraformrc", "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/.vault-token", "/.claude/.credentials.json",
    "/.codex/auth.json", "/.password-store/", "/.my.cnf", "/.mylogin.cnf", "/.databrickscfg", "/.boto", "/.s3cfg",
    "/.config/doctl/config.yaml", "/.oci/config", "/.wrangler/config/", "/.local/share/keyrings/",
    "/Library/Keychains/", "/.mozilla/firefox/", "/.config/google-chrome/", "/.electrum/",
)  # fmt: skip
_SECRET_NAMES: Final = frozenset(
    ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "id_ed25519_sk", "id_ecdsa_sk", ".netrc", ".pgpass", ".npmrc",
     ".pypirc", ".git-credentials", ".vault-token", ".htpasswd", ".credentials", "secring.gpg",
     ".bash_history", ".zsh_history", ".sh_history", ".psql_history", ".mysql_history", ".rediscli_history",
     ".python_history", ".node_repl_history", "fish_history", "environ")
)  # fmt: skip
_SECRET_STEMS: Final = frozenset(
    ("secret", "secrets", "credential", "credentials", "client_secret", "service-account", "serviceaccount")
)
_DATA_ENDINGS: Final = frozenset(("json", "yaml", "yml", "toml", "txt", "ini", "properties", "xml", "cfg", "conf"))
_PUBLIC_ENV: Final = ("example", "sample", "template", "dist", "defaults", "schema", "tpl")
_KEY_ENDINGS: Final = (".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".ppk")
_KEY_NAMES: Final = ("key", "priv", "server")
_HARMLESS_IN: Final = (
    "/.ssh/config", "/.ssh/known_hosts", "/.ssh/authorized_keys", "/.ssh/README", "/.gnupg/gpg.conf",
)  # fmt: skip


def _plain(word: str) -> str:
    """Give the path in a word: behind ``@`` (curl), ``--opt=`` and ``name=@``, and ``COMMIT:`` (git)."""
    if not word.startswith("/"):
        word = word.rpartition("=")[2]
    word = word.rpartition("@")[2] if word.startswith("@") or "@." in word or "@/" in word else word
    before, _, behind = word.partition(":")
    if behind and not behind.startswith("/") and "/" not in before:
        word = behind
    return "/" + word.lstrip("<")


def is_credential(word: str, _cwd: str) -> bool:
    """Tell whether a word names a file that is known to hold a credential, wherever it stands."""
    path = _plain(word).replace("//", "/")
    if path.endswith(".pub") or any(part in path for part in _HARMLESS_IN):
        return False
    name = path.rpartition("/")[2]
    if name == "environ":
        return path.startswith("/proc/")
    return name in _SECRET_NAMES or any(part in path for part in _CREDENTIALS)


def is_secret_file(word: str, cwd: str) -> bool:
    """Tell whether a word names a credential, an environment file (``.env``) or a private key."""
    name = _plain(word).rpartition("/")[2].lower()
    if name == ".env" or name.startswith(".env."):
        return not name.endswith(_PUBLIC_ENV)
    stem, _, ending = name.rpartition(".")
    if stem in _SECRET_STEMS and ending in _DATA_ENDINGS:
        return True
    if name.endswith(".pem"):
        return any(part in name for part in _KEY_NAMES) and "pub" not in name
    is_key = bool(stem) and name.endswith(_KEY_ENDINGS) and "pub" not in name
    return is_key or is_credential(word, cwd)


def first_secret(paths: Iterable[str]) -> str | None:
    """Give the first path that names a credential; ``None`` if none does.

    Args:
        paths: Absolute paths that a file tool would show.
    """
    return next((path for path in paths if is_secret_file(path, "")), None)
