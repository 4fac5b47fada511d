"""Write Boundary entries: what may stand in one, and what names the control plane."""

from __future__ import annotations

import pytest

from harness_guard.errors import ArtifactError
from harness_guard.paths import check_entry, folded, names_control_plane, normal_form, segment_matches


@pytest.mark.contract("C4.18")
@pytest.mark.parametrize(
    "entry",
    [
        "README.md",
        "src/",
        "src/**",
        "**",
        "**/*.py",
        "src/*/test_*.py",
        "a b/c.txt",
        "docs/é.md",
        "docs/日本語.md",
        "[id]/page.tsx",
        "src/{a,b}.py",
        ".github/workflows/ci.yml",
        ".gitignore",
        ".gitattributes",
        "claude/x",
        "x.git/y",
        ".claude.md",
        "...",
        "#notes",
        "a!b",
        "c/d:e",
        "a" * 1_024,
    ],
)
def test_allowed(entry: str) -> None:
    check_entry(entry)


@pytest.mark.contract("C4.17")
@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("//server/share", "is absolute"),
        ("\\\\server\\share", "holds a backslash"),
        ("src\\a.py", "holds a backslash"),
        ("~/x", "starts with a home folder"),
        ("~root/x", "starts with a home folder"),
        ("C:/x", "starts with a drive letter"),
        ("c:x", "starts with a drive letter"),
        ("!src/x", "is negated"),
        ("..", "has the segment `..`"),
        ("src/../x", "has the segment `..`"),
        ("./src", "has the segment `.`"),
        ("src/.", "has the segment `.`"),
        ("src/./x", "has the segment `.`"),
        ("src//x", "has an empty segment"),
        ("src//", "has an empty segment"),
        ("/", "is absolute"),
        ("src/**.py", "has `**` inside a segment"),
        ("src/***", "has `**` inside a segment"),
        ("src/\x00", "holds a control, invisible or unusual blank character"),
        ("src/a\nb", "holds a control, invisible or unusual blank character"),
        ("src/\u202eyp.a", "holds a control, invisible or unusual blank character"),
        ("src/a\u200b", "holds a control, invisible or unusual blank character"),
        ("src/a\xa0b", "holds a control, invisible or unusual blank character"),
        ("src/\ud800", "holds a control, invisible or unusual blank character"),
        (" src", "starts or ends with a blank"),
        ("src ", "starts or ends with a blank"),
        ("a" * 1_025, "is longer than 1024 bytes"),
        ("é" * 513, "is longer than 1024 bytes"),
        (".git", "names the control plane: `.git`"),
        (".git/", "names the control plane: `.git`"),
        (".GIT/config", "names the control plane: `.GIT`"),
        ("vendor/x/.git/hooks/**", "names the control plane: `.git`"),
        (".claude/settings.json", "names the control plane: `.claude`"),
        ("pkg/.Claude/**", "names the control plane: `.Claude`"),
        (".codex/config.toml", "names the control plane: `.codex`"),
        (".agents/", "names the control plane: `.agents`"),
        (".mcp.json", "names the control plane: `.mcp.json`"),
        ("a/.MCP.JSON", "names the control plane: `.MCP.JSON`"),
    ],
)
def test_refused(entry: str, what: str) -> None:
    with pytest.raises(ArtifactError) as caught:
        check_entry(entry)
    assert (caught.value.rule, caught.value.seen) == (
        "artifact.boundary-entry",
        f"write boundary entry `{entry}` {what}",
    )


@pytest.mark.contract("C4.17")
@pytest.mark.parametrize(
    ("name", "is_named"),
    [
        (".git", True),
        (".gIt", True),
        (".claude", True),
        (".codex", True),
        (".agents", True),
        (".mcp.json", True),
        (".g\u200cit", True),
        (".\ufeffclaude", True),
        (".mcp.j\u017fon", True),
        (".github", False),
        ("git", False),
        ("claude", False),
        ("", False),
        ("..", False),
        (".mcp.json5", False),
    ],
)
def test_names_control_plane(name: str, *, is_named: bool) -> None:
    assert names_control_plane(name) is is_named


@pytest.mark.contract("C11.4")
def test_spellings_are_joined() -> None:
    assert normal_form("e\u0301") == "\xe9"
    assert normal_form("plain") == "plain"
    assert folded("E\u0301X") == "\xe9x"
    assert folded("STRASSE") == folded("stra\xdfe")


@pytest.mark.contract("C4.16")
@pytest.mark.parametrize(
    ("wanted", "found", "does_match"),
    [
        ("*", "x", True),
        ("a*", "a", True),
        ("*a", "ba", True),
        ("*a", "ab", False),
        ("a*c", "abbc", True),
        ("a*c", "abb", False),
        ("a*b*c", "axbxbxc", True),
        ("**", "x", True),
        ("a", "A", False),
        ("?", "a", False),
        ("[a]", "a", False),
        ("[a]", "[a]", True),
        ("", "", True),
        ("a", "", False),
        ("*a*a*a*a*b", "a" * 400, False),
    ],
)
def test_segment_matches(wanted: str, found: str, *, does_match: bool) -> None:
    assert segment_matches(wanted, found) is does_match
