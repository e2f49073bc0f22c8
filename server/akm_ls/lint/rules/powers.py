"""Keys that decide what an agent may do: none of them is written unasked."""

from __future__ import annotations

from akm_ls.bundles.schema.spelling import same_letters

_WHOLE = frozenset(("tools", "hooks", "model", "mcpservers", "mcp"))
_BEGINNINGS = ("allowed", "disallowed", "permission")


def grants(key: str) -> bool:
    """Whether a key, in any spelling, pre-approves or forbids tools, or says what runs.

    A misspelt one has no effect; corrected it may let an agent do what nobody has looked at.
    """
    letters = same_letters(key.partition(".")[0])
    return letters in _WHOLE or letters.startswith(_BEGINNINGS)
