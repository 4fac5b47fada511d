"""The published JSON Schemas: what the models say, and the models say what the parsers take."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import generate_schemas
import pytest
from fake_world import STATE_NAMES, in_state

from harness_guard.artifacts.blocks import BLOCKS, block_model
from harness_guard.artifacts.registry import recognise
from harness_guard.artifacts.values import NearMiss
from harness_guard.errors import StoreError
from harness_guard.kernel.state import state_to_json
from harness_guard.store.side_schemas import check_side

CASES = Path(__file__).resolve().parents[1] / "cases" / "artifacts"
KINDS = tuple(dict.fromkeys(kind for kinds, _ in BLOCKS.values() for kind in kinds))
EXAMPLES = {kind: (CASES / kind / "ok-full.md").read_text() for kind in KINDS}
_BLOCK = re.compile(r"```json\n(.*?)\n```", re.DOTALL)
# Values of every JSON type; none of them is what a member wants, or it is one and then both sides take it.
POOL: tuple[Any, ...] = (None, True, False, 0, 1, 2, -1, 9999, 1.0, "", "x", "PASS", [], ["x"], {}, {"x": 1})


def test_the_published_schemas_are_what_the_models_say() -> None:
    assert generate_schemas.stale() == ()


def test_every_schema_is_named_and_closed() -> None:
    for text in generate_schemas.schemas().values():
        schema = json.loads(text)
        assert schema["additionalProperties"] is False
        assert schema["$schema"].endswith("2020-12/schema")


@pytest.mark.parametrize("name", STATE_NAMES)
def test_a_state_has_exactly_the_members_of_its_schema(name: str) -> None:
    schema = json.loads(generate_schemas.schemas()["harness.state.v9.schema.json"])
    assert set(schema["properties"]) == set(state_to_json(in_state(name)))


def members(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the paths of every member and item."""
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in ((*path, key), *members(item, (*path, key)))]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in members(item, (*path, index))]
    return []


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    if new is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return copy


def model_takes(key: str, value: Any) -> bool:
    from pydantic import ValidationError

    try:
        block_model(key).model_validate_json(json.dumps(value))
    except ValidationError:
        return False
    return True


BLOCKS_OF_EXAMPLES = [
    pytest.param(name, found.span(1), next(iter(json.loads(found[1]))), id=f"{name}-{next(iter(json.loads(found[1])))}")
    for name, text in EXAMPLES.items()
    for found in _BLOCK.finditer(text)
]


@pytest.mark.parametrize(("name", "span", "key"), BLOCKS_OF_EXAMPLES)
def test_models_and_parsers_take_the_same_blocks(name: str, span: tuple[int, int], key: str) -> None:
    text = EXAMPLES[name]
    block = json.loads(text[span[0] : span[1]])
    assert model_takes(key, block)
    for path in members(block):
        for new in (..., *POOL):
            other = changed(block, path, new)
            parsed = recognise(text[: span[0]] + json.dumps(other, indent=2) + text[span[1] :])
            is_taken = not isinstance(parsed, NearMiss) and parsed is not None
            if is_taken:
                assert model_takes(key, other), (path, new)
            elif model_takes(key, other):
                assert path[-1] in WORDS_BEYOND_SCHEMA, (path, new, parsed)
        # A member that nobody knows is refused by both.
        if isinstance(path[-1], str):
            extra = changed(block, (*path[:-1], "surplus"), 1)
            assert not model_takes(key, extra)
            assert isinstance(recognise(text[: span[0]] + json.dumps(extra) + text[span[1] :]), NearMiss)


# What the parser demands beyond a schema: words of a command, names of files, ids of this round, findings that fit the
# verdict, one delta that is material.
WORDS_BEYOND_SCHEMA = frozenset(
    (
        "command",
        "path",
        "evidence",
        "criterion",
        "material",
        "summary",
        "changed_files",
        "finding_ids",
        "findings",
        "id",
        "message",
        "review_round",
    )
)


def test_a_malformed_side_file_is_not_sealed() -> None:
    with pytest.raises(StoreError, match="no such schema"):
        check_side({"schema": "harness.verification-evidence.v1"})
    with pytest.raises(StoreError, match="session_id"):
        check_side({"schema": "harness.review-attestation.v1"})
