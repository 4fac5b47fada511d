"""Guarded conversations with the real hosts as fixtures: `claude`, `codex`, and `host`, which is each of them in turn."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.guarded import Guarded, provision
from tests.e2e.hosts.claude import Claude
from tests.e2e.hosts.codex import Codex
from tests.e2e.hosts.world import copy_tracked, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.hosts.conversation import Conversation

ROOT = Path(__file__).resolve().parents[2]
DATA_VARIABLE = "HARNESS_GUARD_TEST_DATA"
_DEFAULT_DATA = Path("~/.cache/harness-guard/data")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything below this folder as in need of the hosts' binaries."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("host")


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean copy of this checkout, as a host would install it."""
    return copy_tracked(ROOT, tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="session")
def provisioned(plugin: Path) -> Path:
    """A data folder that has the packages already; kept between runs, so that only the first one fetches them."""
    data = Path(os.environ.get(DATA_VARIABLE) or _DEFAULT_DATA).expanduser().absolute()
    provision(plugin, data)
    return data


@pytest.fixture
def open_guarded(plugin: Path, provisioned: Path, tmp_path: Path) -> Iterator[Callable[..., Guarded]]:
    """Open guarded conversations; afterwards close them and demand that the plugin's own folder is as it was."""
    before = snapshot(plugin)
    opened: list[Guarded] = []

    def open_one(kind: type[Conversation], **options: Any) -> Guarded:
        folder = tmp_path / f"{kind.name}-{len(opened)}"
        opened.append(Guarded.open(kind, folder, plugin=plugin, provisioned=provisioned, **options))
        return opened[-1]

    yield open_one
    for guarded in opened:
        guarded.host.close()
    assert snapshot(plugin) == before


@pytest.fixture
def claude(open_guarded: Callable[..., Guarded]) -> Guarded:
    """A guarded session of Claude Code."""
    return open_guarded(Claude)


@pytest.fixture
def codex(open_guarded: Callable[..., Guarded]) -> Guarded:
    """A guarded session of Codex with a model that calls its tools directly."""
    return open_guarded(Codex)


@pytest.fixture(params=[Claude, Codex], ids=["claude", "codex"])
def host(request: pytest.FixtureRequest, open_guarded: Callable[..., Guarded]) -> Guarded:
    """A guarded session of each host in turn."""
    return open_guarded(request.param)
