"""Secrets out of what is kept: commands and texts are journaled with their secrets replaced (contract section 9)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

HIDDEN: Final = "[redacted]"
# Beginnings of well-known tokens: GitHub, GitLab, Slack, OpenAI and Anthropic, AWS, Google, npm, PyPI, Stripe.
_PREFIXES: Final = (
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "sk-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "pypi-",
    "sk_live_",
    "rk_live_",
    "eyJ",
)
_NAMES: Final = ("password", "passwd", "secret", "token", "apikey", "api_key", "api-key", "authorization", "bearer")
_SPLIT: Final = " \t\n\r'\"`=:,;&|<>(){}[]"
_AUTHORITY_END: Final = "/?# \t\r\n'\"`"
_TOKEN_LENGTH: Final = 12  # shorter words that begin like a token are words


def redact(text: str) -> str:
    """Replace what looks like a secret, in time linear in the text.

    A word is hidden if it begins like a well-known token, follows a name such as ``password=`` or ``--token``, or
    stands between ``//`` and ``@`` in an address.
    """
    out: list[str] = []
    word: list[str] = []
    after_name = False
    for char in [*_without_userinfo(text), ""]:
        if char and char not in _SPLIT:
            word.append(char)
            continue
        found = "".join(word)
        word.clear()
        if found:
            out.append(_hide(found, after_name=after_name))
            after_name = _is_name(found)
        if char and char in "\n;&|":
            after_name = False
        out.append(char)
    return "".join(out)


def _without_userinfo(text: str) -> str:
    """Hide what stands between ``://`` and ``@`` in addresses (RFC 3986, userinfo)."""
    first, *others = text.split("://")
    out = [first]
    for rest in others:
        end = next((at for at, char in enumerate(rest) if char in _AUTHORITY_END), len(rest))
        userinfo, at_sign, host = rest[:end].rpartition("@")
        out += ["://", HIDDEN if userinfo else "", at_sign, host, rest[end:]]
    return "".join(out)


def _is_name(word: str) -> bool:
    lower = word.lower().lstrip("-")
    return any(lower.endswith(name) for name in _NAMES)


def _hide(word: str, *, after_name: bool) -> str:
    if after_name and not word.startswith("-") and not _is_name(word):
        return HIDDEN
    if len(word) >= _TOKEN_LENGTH and word.startswith(_PREFIXES):
        return HIDDEN
    return word
