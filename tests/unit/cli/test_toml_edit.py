"""One switch of a TOML file is set; every other byte stays."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_guard.cli.hosts.toml_edit import with_switch
from harness_guard.errors import ProvisionError

SET = "unified_exec_tty = false"


def edited(text: str) -> str:
    return with_switch(text, "features", "unified_exec_tty", value=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", f"[features]\n{SET}\n", id="empty"),
        pytest.param('model = "x"\n', f'model = "x"\n\n[features]\n{SET}\n', id="no table"),
        pytest.param('model = "x"', f'model = "x"\n\n[features]\n{SET}\n', id="no newline at the end"),
        pytest.param(f"[features]\n{SET}\n", f"[features]\n{SET}\n", id="stands already"),
        pytest.param("features = { unified_exec_tty = false }\n", "features = { unified_exec_tty = false }\n", id="inline, stands"),
        pytest.param("[features] # mine\nhooks = true\n", f"[features] # mine\n{SET}\nhooks = true\n", id="table"),
        pytest.param("[features]", f"[features]\n{SET}\n", id="table at the very end"),
        pytest.param("[ features ]\na = 1\n[x]\n", f"[ features ]\n{SET}\na = 1\n[x]\n", id="blanks in the header"),
        pytest.param(
            "[features]\nunified_exec_tty = true # why\nb=1\n", "[features]\nunified_exec_tty = false # why\nb=1\n", id="other value"
        ),
        pytest.param("features.hooks = true\n[x]\n", f"features.{SET}\nfeatures.hooks = true\n[x]\n", id="dotted"),
        pytest.param("features.unified_exec_tty=true\n", "features.unified_exec_tty=false\n", id="dotted, other value"),
        pytest.param("[x]\r\na = 1\r\n", f"[x]\r\na = 1\r\n\r\n[features]\r\n{SET}\r\n", id="CRLF"),
        pytest.param(
            "[x]\nunified_exec_tty = true\n[features]\nunified_exec_tty = true\n",
            "[x]\nunified_exec_tty = true\n[features]\nunified_exec_tty = false\n",
            id="a namesake in another table",
        ),
        pytest.param(
            'a = """\n[features]\n"""\n', f'a = """\n[features]\n"""\n\n[features]\n{SET}\n', id="a header inside a text"
        ),
        pytest.param("[features.apps]\nb = 1\n", f"[features.apps]\nb = 1\n\n[features]\n{SET}\n", id="a table below it"),
    ],
)  # fmt: skip
def test_the_edit(before: str, after: str) -> None:
    assert edited(before) == after
    assert edited(after) == after


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("features = { hooks = true }\n", "no single line sets"),
        ("features = 1\n", "`features` is no table"),
        ("features = \n", "the file is no TOML"),
    ],
)
def test_what_cannot_be_set_is_refused_with_the_mend(text: str, said: str) -> None:
    with pytest.raises(ProvisionError) as caught:
        edited(text)
    assert said in caught.value.seen
    assert f"write `{SET}` into its table `[features]` by hand" in caught.value.remedy


LINES = st.sampled_from(
    ["", "# note", "a = 1", "[features]", "[x]", "hooks = true", "unified_exec_tty = true", "features.b = 2", "[[y]]", 's = """', '"""']
)  # fmt: skip


@given(st.lists(LINES, max_size=8).map("\n".join))
def test_nothing_else_changes(text: str) -> None:
    """Whatever the file is: it is refused, or it reads as before with the switch set."""
    try:
        after = edited(text)
    except ProvisionError:
        return
    before = tomllib.loads(text)
    expected = {**before, "features": {**before.get("features", {}), "unified_exec_tty": False}}
    assert tomllib.loads(after) == expected
    assert set(text.splitlines()) - {"unified_exec_tty = true"} <= set(after.splitlines())
