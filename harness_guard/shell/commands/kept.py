"""What programs of the table keep for themselves in the user's home folder: caches, logs, histories, stamps.

No word of a call chooses what stands there, and nothing of a run goes by it, so it is no write of the call (contract
E4.8); ``explain`` names it. A cache that a program keeps in the tree is a write instead (``Call.keep_cache``).

Sources: each program's manual, under its files, its cache or its environment: black ("Where Black keeps its cache"),
``go help cache`` and ``go telemetry``, ``npm help folders``, ``pip help cache``, the Cargo Book ("Cargo Home"), kubectl
(``--cache-dir``), helm (``helm env``), AWS CLI (``cli_history``), gpg(1), wget(1) (``--hsts-file``). The places are
Linux's; macOS has the caches in ``~/Library/Caches``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Program -> paths below the home folder.
AT_HOME: Final = {
    "ansible": ".ansible/tmp .ansible/cp",
    "ansible-galaxy": ".ansible/galaxy_cache",
    "aws": ".aws/cli/cache .aws/cli/history",
    "az": ".azure/commands .azure/telemetry",
    "black": ".cache/black",
    "brew": ".cache/Homebrew",
    "bun": ".bun/install/cache",
    "cargo": ".cargo/registry .cargo/git .cargo/.package-cache .cargo/.global-cache",
    "deno": ".cache/deno",
    "gcloud": ".config/gcloud/logs .config/gcloud/cache",
    "gem": ".cache/gem",
    "gh": ".cache/gh .local/state/gh",
    "go": ".cache/go-build .config/go/telemetry go/pkg/mod/cache",
    "gpg": ".gnupg/trustdb.gpg .gnupg/.#lk",
    "gsutil": ".gsutil/tracker-files",
    "helm": ".cache/helm",
    "kubectl": ".kube/cache",
    "npm": ".npm/_cacache .npm/_logs .npm/_update-notifier-last-checked",
    "pip": ".cache/pip",
    "pip3": ".cache/pip",
    "pipx": ".local/state/pipx/log",
    "podman": ".local/share/containers",
    "pre-commit": ".cache/pre-commit",
    "terraform": ".terraform.d/checkpoint_cache",
    "uv": ".cache/uv",
    "wget": ".wget-hsts",
}  # fmt: skip


def kept_at_home(program: str) -> tuple[str, ...]:
    """Give what a program keeps for itself, as paths below the home folder.

    Args:
        program: Its name, as the table has it.
    """
    return tuple(AT_HOME.get(program, "").split())
