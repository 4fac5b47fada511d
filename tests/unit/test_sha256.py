"""SHA-256 by whichever module the interpreter has: the same digests as hashlib's."""

from __future__ import annotations

import hashlib
import importlib
import sys

import pytest

from harness_guard import sha256


@pytest.mark.parametrize("data", [b"", b"abc", b"x" * 63, b"x" * 64, b"\0" * 1_000_000])
def test_digests(data: bytes) -> None:
    assert sha256.sha256_digest(data) == hashlib.sha256(data).digest()
    assert sha256.sha256_hex(data) == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("missing", [(), ("_sha2",), ("_sha2", "_sha256")])
def test_every_interpreter_has_one(missing: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    again = importlib.reload(sha256)
    assert again.sha256_hex(b"abc") == hashlib.sha256(b"abc").hexdigest()
    monkeypatch.undo()
    importlib.reload(sha256)
