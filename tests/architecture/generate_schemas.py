"""Write the JSON Schemas of state, sealed files and artifact blocks into ``contracts/schemas/``, from the models.

    python3 tests/architecture/generate_schemas.py [--check]

With ``--check`` nothing is written and the status is 1 if a file is missing, differs or is left over.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from harness_guard.artifacts.blocks import BLOCKS, block_model  # noqa: E402  the path has to be set first
from harness_guard.store.schema import StateModel  # noqa: E402  as above
from harness_guard.store.side_schemas import MODELS  # noqa: E402  as above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FOLDER: Final = ROOT / "contracts" / "schemas"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """Give each schema's file name and text."""
    found: dict[str, dict[str, object]] = {"harness.state.v9": StateModel.model_json_schema(by_alias=True)}
    found |= {name: model.model_json_schema(by_alias=True) for name, model in MODELS.items()}
    found |= {f"artifact.{key}": block_model(key).model_json_schema() for key in BLOCKS}
    return {
        f"{name}.schema.json": json.dumps({"$schema": _DIALECT, **schema}, indent=2, sort_keys=True) + "\n"
        for name, schema in found.items()
    }


def stale() -> tuple[str, ...]:
    """Name the files that are missing, differ from the models or are left over."""
    wanted = schemas()
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}
    return tuple(sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name)))


def main(arguments: list[str]) -> int:
    """Write the schemas, or check them with ``--check``."""
    if arguments == ["--check"]:
        for name in stale():
            sys.stderr.write(f"not what the models say: contracts/schemas/{name}\n")
        return 1 if stale() else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale():
        (FOLDER / name).unlink(missing_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
