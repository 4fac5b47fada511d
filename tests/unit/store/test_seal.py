"""The seal: what the guard wrote opens, everything else is refused, whoever changed which bit."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_guard.canonical import canonical
from harness_guard.errors import StateError
from harness_guard.store.seal import hmac_hex, load_key, seal, verify_seal

if TYPE_CHECKING:
    from pathlib import Path

KEY = bytes(range(32))
VALUE = {"schema": "s.v1", "a": [1, "x"], "z": {"seal": "no"}, "revision": 3}
values = st.dictionaries(
    st.text("abstz", min_size=1, max_size=4).filter(lambda name: name not in ("seal", "schema")),
    st.text(max_size=6) | st.integers(-9, 9) | st.lists(st.booleans(), max_size=2),
    max_size=4,
).map(lambda found: {**found, "schema": "s.v1"})


@given(values, st.binary(min_size=32, max_size=32))
def test_what_was_sealed_opens_as_it_was(value: dict[str, object], key: bytes) -> None:
    assert verify_seal(seal(value, key), key) == canonical(value).encode()


@pytest.mark.contract("C9.3")
@given(values, st.data())
def test_every_flipped_bit_is_refused(value: dict[str, object], data: st.DataObject) -> None:
    stored = bytearray(seal(value, KEY))
    stored[data.draw(st.integers(0, len(stored) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(StateError):
        verify_seal(bytes(stored), KEY)


def test_every_single_flipped_bit_of_one_state_is_refused() -> None:
    stored = seal(VALUE, KEY)
    for at in range(len(stored)):
        for bit in range(8):
            changed = stored[:at] + bytes([stored[at] ^ (1 << bit)]) + stored[at + 1 :]
            with pytest.raises(StateError):
                verify_seal(changed, KEY)


@given(st.binary(max_size=200))
def test_no_bytes_of_others_open(stored: bytes) -> None:
    with pytest.raises(StateError):
        verify_seal(stored, KEY)


@given(st.integers(0, 400))
def test_every_cut_is_refused(length: int) -> None:
    stored = seal(VALUE, KEY)
    if length < len(stored):
        with pytest.raises(StateError):
            verify_seal(stored[:length], KEY)


SEALED = seal(VALUE, KEY)
DIGITS = hmac_hex(KEY, canonical(VALUE).encode())


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"{}",
        canonical(VALUE).encode(),
        SEALED + b"\n",
        b" " + SEALED,
        SEALED.replace(DIGITS.encode(), DIGITS.upper().encode()),
        SEALED.replace(DIGITS.encode(), b""),
        SEALED.replace(DIGITS.encode(), DIGITS.encode()[:-1]),
        SEALED.replace(DIGITS.encode(), b"0" * 64),
        SEALED.replace(b',"seal":', b', "seal":'),
        # A second seal: one of another value in front of the right one, and behind it.
        SEALED.replace(b',"seal":"', b',"seal":"' + b"0" * 64 + b'","seal":"'),
        SEALED.replace(DIGITS.encode() + b'"', DIGITS.encode() + b'","seal":"' + b"0" * 64 + b'"'),
        seal({**VALUE, "revision": 4}, KEY).replace(b'"revision":4', b'"revision":3'),
        seal(VALUE, KEY[::-1]),
    ],
)
def test_forgeries(stored: bytes) -> None:
    with pytest.raises(StateError) as caught:
        verify_seal(stored, KEY)
    assert caught.value.rule == "store.seal"
    assert "$harness cancel" in caught.value.remedy


def test_a_text_that_looks_like_a_seal_inside_a_value_changes_nothing() -> None:
    value = {"schema": "s", "a": ',"seal":"' + "0" * 64 + '"', "b": {"x": 1, "seal": "0" * 64}}
    try:
        opened = verify_seal(seal(value, KEY), KEY)
    except StateError:
        return  # refused is fine, opened as something else is not
    assert json.loads(opened) == value


@pytest.mark.contract("C9.2")
@given(st.binary(max_size=64), st.binary(max_size=300))
def test_it_is_hmac_sha256(key: bytes, text: bytes) -> None:
    assert hmac_hex(key, text) == hmac.new(key, text, hashlib.sha256).hexdigest()


@pytest.mark.contract("C9.2")
def test_the_stored_form_is_canonical_json() -> None:
    assert json.loads(SEALED) == {**VALUE, "seal": DIGITS}
    assert canonical(json.loads(SEALED)).encode() == SEALED


@pytest.mark.contract("C9.2")
@pytest.mark.parametrize(
    ("data", "mode"),
    [(b"", 0o600), (b"x" * 31, 0o600), (b"x" * 33, 0o600), (KEY, 0o640), (KEY, 0o604), (KEY, 0o620), (KEY, 0o666)],
)
def test_a_key_that_is_damaged_or_open(tmp_path: Path, data: bytes, mode: int) -> None:
    (tmp_path / "key").write_bytes(data)
    (tmp_path / "key").chmod(mode)
    with pytest.raises(StateError) as caught:
        load_key(str(tmp_path / "key"))
    assert (caught.value.rule, caught.value.seen) == ("store.key", "the sealing key is damaged or open to other users")


@pytest.mark.parametrize("kind", ["missing", "link", "folder"])
def test_a_key_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "key"
    (tmp_path / "real").write_bytes(KEY)
    (tmp_path / "real").chmod(0o600)
    if kind == "link":
        path.symlink_to(tmp_path / "real")
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(StateError) as caught:
        load_key(str(path))
    assert caught.value.rule == "store.key"


def test_a_good_key(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    os.chmod(tmp_path / "key", 0o600)
    assert load_key(str(tmp_path / "key")) == KEY
