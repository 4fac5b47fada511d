"""Rows: rewriting of history, force pushes, lost work and git's hooks.

Sources: the manual pages of git 2.47 (git-push, git-reflog, git-gc, git-reset, git-clean, git-checkout, git-switch,
git-restore, git-stash, git-branch, git-worktree, git-config).
"""

from __future__ import annotations

from harness_guard.policy.danger.model import Rule
from harness_guard.policy.danger.operands import (
    is_anything,
    is_everything,
    is_force_refspec,
    is_hooks_setting,
    is_lasting_worktree,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_READS_CONFIG: Final = "--get --get-all --get-regexp --list -l --unset --unset-all"

HISTORY: Final = (
    # ``--force-with-lease`` alone is none: it refuses to overwrite what was not seen.
    Rule(
        "danger.history",
        "push-force",
        "it would overwrite or delete branches on a remote",
        "git",
        path="push",
        options=("-f --force --mirror -d --delete --prune",),
        without="--dry-run -n",
    ),
    Rule(
        "danger.history",
        "push-refspec",
        "it would overwrite or delete a branch on a remote",
        "git",
        path="push",
        without="--dry-run -n",
        operand=is_force_refspec,
    ),
    Rule("danger.history", "filter", "it would rewrite history", "git", path="filter-branch|filter-repo"),
    Rule("danger.history", "filter-programs", "it would rewrite history", "git-filter-repo git-filter-branch bfg"),
    Rule(
        "danger.history",
        "reflog",
        "it would forget where branches stood",
        "git",
        path="reflog expire|reflog delete|reflog drop",
        without="--dry-run -n",
    ),
    Rule(
        "danger.history",
        "update-ref",
        "it would remove references or change many",
        "git",
        path="update-ref",
        options=("-d --stdin",),
    ),
    Rule(
        "danger.history",
        "gc",
        "it would remove unreachable commits for good",
        "git",
        path="gc",
        options=("--prune=now --prune=all",),
        without="--no-prune",
    ),
    Rule(
        "danger.history",
        "prune",
        "it would remove unreachable commits for good",
        "git",
        path="prune",
        options=("--expire=now --expire=all",),
        without="--dry-run -n",
    ),
    Rule(
        "danger.history",
        "delete-tag",
        "it would delete tags",
        "git",
        path="tag",
        options=("-d --delete",),
        operand=is_anything,
    ),
    Rule(
        "danger.work",
        "reset",
        "it would throw away uncommitted work",
        "git",
        path="reset",
        options=("--hard --merge",),
    ),
    Rule(
        "danger.work",
        "clean",
        "it would remove files that git does not know",
        "git",
        path="clean",
        options=("-f --force",),
        without="-n --dry-run --no-force",
    ),
    Rule(
        "danger.work",
        "branch-force",
        "it would delete an unmerged branch",
        "git",
        path="branch",
        options=("-D",),
    ),
    Rule(
        "danger.work",
        "branch-delete-force",
        "it would delete an unmerged branch",
        "git",
        path="branch",
        options=("-d --delete", "-f --force"),
    ),
    Rule("danger.work", "stash", "it would throw away stashed work", "git", path="stash drop|stash clear"),
    Rule(
        "danger.work",
        "checkout-force",
        "it would throw away uncommitted work",
        "git",
        path="checkout|switch",
        options=("-f --force --discard-changes",),
    ),
    Rule(
        "danger.work",
        "checkout-all",
        "it would throw away all uncommitted work",
        "git",
        path="checkout",
        among="last",
        operand=is_everything,
    ),
    Rule(
        "danger.work",
        "restore-all",
        "it would throw away all uncommitted work",
        "git",
        path="restore",
        without="--staged -S",
        operand=is_everything,
    ),
    Rule(
        "danger.work",
        "restore-all-worktree",
        "it would throw away all uncommitted work",
        "git",
        path="restore",
        options=("-W --worktree",),
        operand=is_everything,
    ),
    Rule(
        "danger.work",
        "worktree-force",
        "it would throw away a worktree with uncommitted work",
        "git",
        path="worktree remove",
        options=("-f --force",),
        operand=is_lasting_worktree,
    ),
    Rule(
        "danger.hooks",
        "hooks-config",
        "it would lead git's hooks elsewhere",
        "git",
        path="config|config set",
        without=_READS_CONFIG,
        among="sources",
        operand=is_hooks_setting,
    ),
    Rule(
        "danger.hooks",
        "hooks-once",
        "it would lead git's hooks elsewhere",
        "git",
        options=("-c --config-env",),
        among="values",
        operand=is_hooks_setting,
    ),
)
