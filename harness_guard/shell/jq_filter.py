"""What a filter of jq may show beside its input: the environment, in jq itself and in what takes its filters.

Source: the jq 1.7 manual, ``$ENV`` and ``env``.
"""

from __future__ import annotations

import re

# ``env`` as a filter: neither a field, ``.env``, nor a text or a variable of that name.
_ENVIRONMENT = re.compile(r"""\$ENV\b|(?<![.\w$"'])env\b(?!\s*:)""")


def shows_environment(text: str) -> bool:
    """Tell whether a filter may show variables of the environment.

    Args:
        text: The filter, as far as it is known.
    """
    return _ENVIRONMENT.search(text) is not None
