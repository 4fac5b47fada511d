"""Which prompts activate, which are verbs, which approve, and which texts no tool may send."""

from __future__ import annotations

import pytest

from harness_guard.artifacts.activation import MOST_CHARACTERS, Activation, Verb, is_approval, read_prompt, would_act

SKILL = "/opt/hosts/plug ins/harness/skills/harness/SKILL.md"
PLAIN_SKILL = "/opt/harness/skills/harness/SKILL.md"


def read(prompt: str, skill: str = SKILL) -> Activation | Verb | None:
    return read_prompt(prompt, skill_path=skill, marketplace="acme")


def acts(text: str) -> bool:
    return would_act(text, skill_path=SKILL, marketplace="acme")


ACTIVATING = [
    ("$harness fix it", "fix it"),
    ("$harness", ""),
    ("$harness\n", ""),
    ("$harness   fix it  ", "fix it"),
    ("$harness\tfix it", "fix it"),
    ("$harness:harness fix\nmore\n", "fix\nmore"),
    ("hello\n$harness x", "x"),
    ("hello\n\n$harness x\r\n\r\nmore", "x\n\nmore"),
    ("a\r\n$harness x", "x"),
    ("a\r$harness x", "x"),
    ("a  \n$harness x", "x"),
    ("# Title\n$harness x", "x"),
    ("- a\n\n$harness x", "x"),
    ("```\ncode\n```\n$harness x", "x"),
    ("<pre>\na\n</pre>\n$harness x", "x"),
    ("<code>a</code>\n\n$harness x", "x"),
    ("`<code>` and \\<pre>\n\n$harness x", "x"),
    ("<script>\n\n$harness a\n\n</script>\n\n$harness b", "b"),
    ("$harness `foo\nbar` x", "`foo\nbar` x"),
    ("$harness *x*", "*x*"),
    ("\ue000\n$harness x", "x"),
    ("[@harness](plugin://harness@personal) do", "do"),
    ("[@harness](plugin://harness@acme) do", "do"),
    (f"[$harness:harness](<{SKILL}>) do", "do"),
    (f"[harness]({SKILL.replace(' ', '%20')})", ""),
    ("$harness cancel now", "cancel now"),
    ("$harness Cancel", "Cancel"),
]
INERT = [
    "",
    "y",
    " $harness x",
    "    $harness x",
    "\t$harness x",
    "> $harness x",
    "> a\n$harness x",
    "- $harness x",
    "- a\n$harness x",
    "1. a\n   $harness x",
    "```\n$harness x\n```",
    "```\n$harness x",
    "~~~\n$harness x\n~~~",
    "`a\n$harness x\nb`",
    "*a\n$harness x*",
    "[a\n$harness b](x)",
    "<!--\n$harness x\n-->",
    "<!--\n\n$harness x\n\n-->",
    "foo <!-- a\n$harness x\n -->",
    "<div>\n$harness x\n</div>",
    *(f"<{tag}>\n\n$harness x\n\n</{tag}>" for tag in ("pre", "code", "script", "textarea", "CODE", 'code class="a"')),
    *(f"<{tag}>\n\n$harness x" for tag in ("pre", "code", "script", "textarea")),
    "a <code> b\n\n$harness x",
    "a <code>\n$harness x\n</code>",
    "<code>\n\n```\n</code>\n```\n\n$harness x",
    '<pasted_content id="1">\n$harness x\n</pasted_content>',
    "\\$harness x",
    "use $harness x",
    "say:$harness",
    "$harness.",
    "$harness, please",
    "$harness\u00a0x",
    "$harness\u200b x",
    "$harness:other x",
    "$harness:harness:x",
    "$Harness x",
    "$harnessed x",
    "\ufeff$harness x",
    "$harness\n===",
    "$harness x\n---",
    "# $harness x",
    "[@harness](plugin://harness@other) do",
    "[@Harness](plugin://harness@personal) do",
    "[@harness](plugin://harness@personal), do",
    "[@harness](plugin://harness@personal 'title') do",
    "see [@harness](plugin://harness@personal)",
    "`[@harness](plugin://harness@personal)`",
    "[@harness][p]\n\n[p]: plugin://harness@personal",
    f"[harness]({SKILL}) do",  # a target with a blank is no link in CommonMark
    f"[harness]({SKILL}) do\n\n[harness]: plugin://harness@personal",
    "[harness](/elsewhere/skills/harness/SKILL.md) do",
    "[harness](skills/harness/SKILL.md) do",
    f"![harness](<{SKILL}>) do",
]


@pytest.mark.contract("C3.1", "C3.2")
@pytest.mark.parametrize(("prompt", "task"), ACTIVATING)
def test_an_exact_line_of_ordinary_text_activates(prompt: str, task: str) -> None:
    assert read(prompt) == Activation(task)
    assert acts(prompt)


@pytest.mark.contract("C3.1", "C3.3", "C3.4")
@pytest.mark.parametrize("prompt", INERT)
def test_everything_else_does_not(prompt: str) -> None:
    assert read(prompt) is None


@pytest.mark.contract("C3.2")
def test_a_plain_target_needs_no_angle_brackets() -> None:
    assert read(f"[harness]({PLAIN_SKILL}) do", PLAIN_SKILL) == Activation("do")


@pytest.mark.contract("C3.2")
@pytest.mark.parametrize("prompt", ["[harness]() do", "[harness](<>) do", "[harness](/skills/harness/SKILL.md)"])
def test_an_unknown_skill_path_matches_no_link(prompt: str) -> None:
    assert read(prompt, "") is None
    assert not would_act(prompt, skill_path="", marketplace="")


@pytest.mark.parametrize("prompt", ["\ud800\n$harness \udfff", "\x00\n$harness \udfff"])
def test_characters_that_no_text_should_hold_are_carried(prompt: str) -> None:
    assert read(prompt) == Activation("\udfff")


@pytest.mark.contract("C3.4")
def test_a_prompt_without_a_free_mark_does_not_activate() -> None:
    everything = "".join([chr(code) for code in range(0xE000, 0xF900)])
    assert read(f"{everything}\n$harness x") is None
    assert read(f"{everything[1:]}\n$harness x") == Activation("x")


def test_the_first_of_several_lines_counts() -> None:
    assert read("> $harness a\n\n$harness b\n$harness c") == Activation("b\n$harness c")


@pytest.mark.contract("C3.8")
@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("$harness cancel", "cancel"),
        ("$harness status", "status"),
        ("$harness:harness cancel", "cancel"),
        ("$harness  cancel \n", "cancel"),
        ("Stop.\n$harness cancel\nplease", "cancel"),
        ("[@harness](plugin://harness@acme) status", "status"),
    ],
)
def test_verbs(prompt: str, name: str) -> None:
    found = read(prompt)
    assert isinstance(found, Verb)
    assert found.name == name
    assert acts(prompt)


@pytest.mark.contract("C3.4")
def test_a_prompt_beyond_the_limit_does_not_activate() -> None:
    start = "$harness x\n"
    assert read(start + "a" * (MOST_CHARACTERS - len(start))) is not None
    assert read(start + "a" * (MOST_CHARACTERS - len(start) + 1)) is None


@pytest.mark.contract("C5.2")
@pytest.mark.parametrize(
    ("prompt", "is_yes"),
    [
        ("y", True),
        ("y\n", True),
        ("y\r\n", True),
        *(
            (text, False)
            for text in ("Y", "yes", " y", "y ", "y\n\n", "y\r", "\ny", "y\r\n\n", "", "y.", "`y`", "y\u200b")
        ),
    ],
)
def test_only_y_with_at_most_one_line_end_approves(prompt: str, is_yes: bool) -> None:
    assert is_approval(prompt) is is_yes


@pytest.mark.contract("C5.13")
@pytest.mark.parametrize(
    "text",
    [
        "y",
        " y \n",
        "\x1by\x00",
        "y\u200b",
        "\ufeffy",
        "  $harness cancel",
        "```\n$harness x\n```",
        "a\n\u200b$harness\tstatus",
        "[@harness](plugin://harness@personal)",
    ],
)
def test_a_tool_may_not_send_what_a_host_could_turn_into_an_act(text: str) -> None:
    assert acts(text)


@pytest.mark.contract("C5.13")
@pytest.mark.parametrize("text", ["", "yes", "run the tests", "the skill $harness", "y y", "check harness"])
def test_a_tool_may_send_other_text(text: str) -> None:
    assert not acts(text)


HOSTILE = {
    "backticks": "`" * 150_000,
    "brackets": "[" * 50_000,
    "quotes": ">" * 150_000,
    "lists": "- " * 90_000,
    "comments": "<!--" * 45_000,
    "cdata": "<![CDATA[" * 20_000,
    "stars": "*a " * 40_000,
    "definitions": "[a]: b\n" * 20_000,
    "activations": "$harness\n" * 15_000,
    "backslashes": "\\" * 150_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_prompts_are_answered(name: str) -> None:
    assert isinstance(read(f"{HOSTILE[name]}\n$harness x"), Activation | None)
    assert acts(f"{HOSTILE[name]}\n$harness x")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("$harness [a](b) c", Activation("[a](b) c")),
        ("[$harness]() x", None),
        ("`\n$harness x\n`", None),
        ("</pre>\n\n$harness x", Activation("x")),
        ("a</code>b\n$harness x", Activation("x")),
        # An inner link ends the outer one's claim (CommonMark 6.3), so the line is ordinary text.
        ("[foo\n[@harness](plugin://harness@acme) x](y)", Activation("x](y)")),
        ("[foo\n$harness x](y)", None),
    ],
)
def test_what_markdown_makes_of_a_line(prompt: str, expected: Activation | None) -> None:
    assert read_prompt(prompt, skill_path="", marketplace="acme") == expected


@pytest.mark.parametrize(("length", "activates"), [(MOST_CHARACTERS, True), (MOST_CHARACTERS + 1, False)])
def test_a_prompt_longer_than_anybody_types_does_not_activate(length: int, *, activates: bool) -> None:
    assert MOST_CHARACTERS == 200_000
    text = "$harness ".ljust(length, "x")
    assert (read_prompt(text, skill_path="", marketplace="") is not None) == activates
