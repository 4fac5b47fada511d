"""The throwaway repository of the demonstration, and the texts that its agent writes."""

from __future__ import annotations

import re

from harness_guard.artifacts.render import CHANGES_HINT, RISKS_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

TASK: Final = "$harness Keep digits in slugs"
SLUG: Final = """\
slug() { printf '%s' "$1" | tr 'A-Z' 'a-z' | tr -cs 'a-z\\n' '-'; }
"""
SLUG_WITH_DIGITS: Final = """\
slug() { printf '%s' "$1" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\\n' '-'; }
"""
CHECK: Final = """\
. src/slug.sh
[ "$(slug 'Big Release')" = big-release ] || { echo 'words are wrong'; exit 1; }
"""
CHECK_OF_DIGITS: Final = (
    CHECK
    + """\
found=$(slug 'Release 21')
[ "$found" = release-21 ] || { echo "slug of 'Release 21' is '$found', not 'release-21'"; exit 1; }
"""
)
CHECK_OF_DIGITS_ALONE: Final = (
    CHECK_OF_DIGITS
    + """\
[ "$(slug '2026')" = 2026 ] || { echo 'a title of digits alone is wrong'; exit 1; }
"""
)
FILES: Final = {"README.md": "Slugs of release titles.\n", "src/slug.sh": SLUG, "tests/check.sh": CHECK}

PLAN: Final = """\
# Plan

## Classification

- Size: Small
- Kind: bug_fix

## Objective

The slug drops digits, so two release titles map to one file name. Keep digits.

## Acceptance Criteria

- AC1: A title with digits keeps them in its slug.

## Scope

- In: the slug and its check.

## Write Boundary

- `src/`
- `tests/`

## Exact Commands

None

## Verification Strategy

```json
{
  "verification_strategy": {
    "kind": "regression_first",
    "required": [
      {"id": "V1", "command": "sh tests/check.sh", "timeout_s": 20}
    ],
    "optional": []
  }
}
```

## Execution Strategy

```json
{
  "execution_strategy": {
    "execution_mode": "native",
    "implementer": "root",
    "parallel_writers": 0,
    "max_helpers": 0,
    "max_delegation_depth": 1
  }
}
```

## Auto Repair

```json
{
  "auto_repair": {
    "enabled": true,
    "max_rounds": 3,
    "repeated_finding_limit": 2,
    "no_progress_limit": 2,
    "same_write_boundary_only": true,
    "verification_must_not_weaken": true,
    "material_delta_requires_approval": true
  }
}
```

## Risks

None

## Approval

Proceed with this Plan? [y/N]
"""
NEAR_MISS: Final = PLAN.replace("## Risks\n\nNone\n\n", "")


_FINDING: Final = """\
{
  "findings": [
    {
      "id": "R1-F1",
      "severity": "important",
      "classification": "IN_PLAN_REPAIR",
      "path": "tests/check.sh",
      "line": 4,
      "message": "A title of digits alone is not checked."
    }
  ]
}"""


def reviewed(template: str, *, asks_for_repair: bool = False) -> str:
    """Write the Reviewer's judgement into a filled-in Review."""
    evidence = "Read the whole diff; V1 is green in the engine's record."
    judged = _written(template, "`<what was read and what shows each judgement>`", evidence)
    if asks_for_repair:
        return _written(judged, "BLOCKED", "REPAIR_REQUIRED", '{\n  "findings": []\n}', _FINDING)
    return _written(judged, "BLOCKED", "PASS")


def recorded(template: str) -> str:
    """Write what was repaired into a filled-in Repair Record."""
    for words in (
        "Changed: `tests/check.sh` checks a title of digits alone (R1-F1).",
        "Verified: the engine ran V1.",
    ):
        name = words.partition(":")[0]
        template, found = re.subn(rf"^{name}: .*$", words, template, flags=re.MULTILINE)
        if found != 1:
            raise RuntimeError(f"the template has no place `{name}`")
    return template


def completed(template: str) -> str:
    """Write what changed into a filled-in Completion."""
    changes = "- `src/slug.sh`: digits are kept.\n- `tests/check.sh`: checks a title with digits."
    return _written(template, CHANGES_HINT, changes, RISKS_HINT, "None")


def _written(text: str, *hints_and_texts: str) -> str:
    for hint, written in zip(hints_and_texts[::2], hints_and_texts[1::2], strict=True):
        if hint not in text:
            raise RuntimeError(f"the template has no place `{hint}`")
        text = text.replace(hint, written)
    return text
