"""The tool caches that a Plan's Scope lists: only in the exact bullet, only by names that are recognised."""

from __future__ import annotations

import pytest

from harness_guard.policy.caches import listed_caches


@pytest.mark.contract("C4.25")
@pytest.mark.parametrize(
    ("scope", "known", "strange"),
    [
        ("- Tool caches: `__pycache__/`, `.mypy_cache/`", ("__pycache__", ".mypy_cache"), ()),
        ("- In: all.\n- Tool caches: `.tox`\n- Tool caches: `.tox/`, `.nox/`", (".tox", ".nox"), ()),
        ("- Tool caches: `__pycache__/`, `src/`", ("__pycache__",), ("src",)),
        ("- Tool caches: `../.tox/`", (), ("../.tox",)),
        ("- Tool caches: none", (), ()),
        ("- In: the tool caches, `__pycache__/` too", (), ()),
        ("Tool caches: `__pycache__/`", (), ()),
        ("> Tool caches: `__pycache__/`", (), ()),
        ("-Tool caches: `__pycache__/`", (), ()),
        ("* Tool caches: `.tox`; Tool caches: `.nox`", (".tox", ".nox"), ()),
        ("", (), ()),
    ],
)
def test_only_the_exact_bullet_lists_caches(scope: str, known: tuple[str, ...], strange: tuple[str, ...]) -> None:
    assert listed_caches(scope) == (known, strange)
