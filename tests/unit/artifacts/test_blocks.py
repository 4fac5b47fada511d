"""The models of the JSON blocks, from which the published schemas come: as strict as the readers are."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from harness_guard.artifacts.blocks import BLOCKS, block_model

HASH = "sha256:" + "a" * 64
REPAIR = {
    "enabled": True,
    "max_rounds": 3,
    "repeated_finding_limit": 2,
    "no_progress_limit": 2,
    "same_write_boundary_only": True,
    "verification_must_not_weaken": True,
    "material_delta_requires_approval": True,
}
BOUND = {
    "accepted_plan_hash": HASH,
    "accepted_amendment_hash": None,
    "diff_revision": "abc",
    "verification_fingerprint": HASH,
    "review_round": 1,
}


def accepts(key: str, value: Any) -> bool:
    try:
        block_model(key).model_validate({key: value})
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("auto_repair", REPAIR, True),
        ("auto_repair", {**REPAIR, "enabled": False}, True),
        ("auto_repair", {**REPAIR, "same_write_boundary_only": False}, False),
        ("auto_repair", {**REPAIR, "same_write_boundary_only": 1}, False),
        ("auto_repair", {**REPAIR, "verification_must_not_weaken": "true"}, False),
        ("auto_repair", {**REPAIR, "max_rounds": "3"}, False),
        ("auto_repair", {**REPAIR, "more": 1}, False),
        ("review_context", BOUND, True),
        ("review_context", {**BOUND, "review_round": 0}, False),
        ("review_context", {**BOUND, "review_round": 1.0}, False),
        ("acceptance", [{"criterion": "AC1", "evidence": ["V1"]}], True),
        ("acceptance", [], False),
        ("acceptance", [{"criterion": "AC1", "evidence": []}], False),
        ("findings", [], True),
        ("findings", (), False),
    ],
)
def test_what_a_block_may_hold(key: str, value: Any, *, expected: bool) -> None:
    assert accepts(key, value) is expected


@pytest.mark.parametrize("text", ["x", ""])
def test_a_text_has_a_character_at_least(text: str) -> None:
    finding = {
        "id": "R1-F1",
        "severity": "important",
        "classification": "IN_PLAN_REPAIR",
        "path": "src/a.py",
        "line": 1,
        "message": text,
    }
    assert accepts("findings", [finding]) is (text != "")


@pytest.mark.parametrize("key", BLOCKS)
def test_a_block_is_an_object_with_its_one_key(key: str) -> None:
    schema = block_model(key).model_json_schema()
    assert (schema["required"], list(schema["properties"]), schema["additionalProperties"]) == ([key], [key], False)
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        block_model(key).model_validate({key: None, "more": 1})


def test_what_must_be_true_is_said_so_in_the_schema() -> None:
    schema = block_model("auto_repair").model_json_schema()
    [members] = [found["properties"] for found in schema["$defs"].values()]
    assert members["same_write_boundary_only"] == {
        "const": True,
        "title": "Same Write Boundary Only",
        "type": "boolean",
    }
    made = block_model("auto_repair").model_validate({"auto_repair": REPAIR})
    assert made.model_dump() == {"auto_repair": REPAIR}


def test_what_was_read_stays_as_it_is() -> None:
    made = block_model("auto_repair").model_validate({"auto_repair": REPAIR})
    with pytest.raises(ValidationError, match="frozen"):
        made.auto_repair.max_rounds = 4  # type: ignore[attr-defined]
