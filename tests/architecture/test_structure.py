"""Structure: who imports whom, what is pure, what the tool path loads; and that each rule can fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

import gates
import pytest

from harness_guard.runtime import manifests

ROOT = Path(__file__).resolve().parents[2]
MODULES = gates.sources(ROOT)

# Rule -> a violation seeded into a tree of one or two modules.
SEEDED = {
    gates.wrong_imports: {
        "sideways": {"harness_guard.policy.x": "def f():\n    from harness_guard.shell.effects import Read\n"},
        "upwards": {"harness_guard.kernel.x": "import harness_guard.dispatch\n"},
        "for types": {
            "harness_guard.artifacts.x": "if TYPE_CHECKING:\n    from harness_guard.kernel.event import Event\n"
        },
        "a leaf": {"harness_guard.errors": "from harness_guard.kernel import event\n"},
        "through the package": {"harness_guard.hosts.x": "from harness_guard import store\n"},
    },
    gates.impurities: {
        "disk": {"harness_guard.policy.x": "import os\n"},
        "clock": {"harness_guard.kernel.x": "def f():\n    from time import time\n"},
        "open": {"harness_guard.hosts.x": "def f():\n    return open('x')\n"},
        "global": {"harness_guard.shell.x": "def f():\n    global seen\n    seen = 1\n"},
    },
    gates.cycles: {
        "two": {"harness_guard.a": "import harness_guard.b\n", "harness_guard.b": "from harness_guard import a\n"},
    },
    gates.broad_handlers: {
        "bare": {"harness_guard.kernel.x": "try:\n    f()\nexcept:\n    pass\n"},
        "exception": {"harness_guard.store.x": "try:\n    f()\nexcept Exception:\n    pass\n"},
    },
    gates.undocumented: {
        "module": {"harness_guard.x": "x = 1\n"},
        "method": {"harness_guard.x": '"""X."""\nclass A:\n    """A."""\n    def f(self): ...\n'},
    },
    gates.notes_to_ourselves: {"later": {"harness_guard.x": "# TO" + "DO: later\n"}},
}


@pytest.mark.parametrize("rule", SEEDED, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule: object) -> None:
    assert callable(rule)
    assert rule(MODULES) == []


@pytest.mark.parametrize(
    ("rule", "tree"),
    [
        pytest.param(rule, tree, id=f"{rule.__name__}-{name}")
        for rule, rows in SEEDED.items()
        for name, tree in rows.items()
    ],
)
def test_the_rule_rejects_a_violation(rule: object, tree: dict[str, str]) -> None:
    assert callable(rule)
    assert rule(tree) != []


def test_the_rules_see_the_whole_package() -> None:
    rooms = {gates.room(module) for module in MODULES if module.count(".") > 1}
    assert rooms == set(gates.ROOMS)
    assert len(MODULES) > 80
    assert all((module.replace(".", "/") + ".py") for module, _ in gates.IMPURE_ALLOWED if module in MODULES)
    assert {module for module, _ in gates.IMPURE_ALLOWED} <= set(MODULES)


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-s", "-z"], capture_output=True, text=True, check=True
    )
    return [row for row in listed.stdout.split("\0") if row]


def test_there_is_no_symbolic_link() -> None:
    rows = tracked()
    assert len(rows) > 100
    assert [row for row in rows if row.startswith("120000")] == []


@pytest.mark.contract("D1.3")
def test_generated_files_are_up_to_date() -> None:
    assert manifests.stale(str(ROOT)) == []


@pytest.mark.contract("D1.3")
def test_a_stale_generated_file_is_named(tmp_path: Path) -> None:
    for name in ("plugin.json", manifests.LOCK, "harness_guard/shell/tables.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    everything = sorted(manifests.render(str(ROOT)))
    assert sorted(manifests.stale(str(tmp_path))) == everything
    (tmp_path / "harness_guard/runtime").mkdir()
    assert manifests.main([], str(tmp_path)) == 0
    assert manifests.stale(str(tmp_path)) == []
    (tmp_path / "hooks/hooks.json").write_text("{}")
    assert manifests.stale(str(tmp_path)) == ["hooks/hooks.json"]
