"""The one reader of env files: names only.

Values are dropped here, before anything else sees them. A value that goes over several lines must
not leak by one of its lines looking like a name, as the last line of a base64 key does
(``MIIEvQIBADANBg==``), so what may belong to a value is skipped rather than read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from akm_ls.documents.text import LineIndex, Span, decode

SUPPRESSION = "# akm-lint-ok: dangerous-env-key"
"""A line that accepts a dangerous key on the next line that is not blank (lower case)."""

_KEY = re.compile(r"\s*(export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=")
_QUOTED = re.compile(r"\s*([\"'`])")
_ENCODED = re.compile(r"(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{16,}\Z")
_ARMOUR = re.compile(r"-----(BEGIN|END) ")


class EnvKey(NamedTuple):
    """A variable's name at its place. ``line`` is 0-based, ``span`` covers the name alone.

    ``suppressed`` is true behind a line that says `SUPPRESSION`.
    """

    name: str
    span: Span
    line: int
    exported: bool
    suppressed: bool


def read_env_keys(source: str | bytes) -> tuple[EnvKey, ...]:
    """The names an env file sets, in order and with repetitions; never a part of a value."""
    text = decode(source).text if isinstance(source, bytes) else source
    lines = LineIndex(text)
    keys: list[EnvKey] = []
    previous = ""
    quote = ""
    armoured = continued = False
    for number in range(len(lines)):
        span = lines.line_span(number)
        line = span.of(text)
        if quote:
            if _closes(line, quote, 0):
                quote = ""
            continue
        armour = _ARMOUR.findall(line)
        if armoured or continued:
            armoured = armoured and "END" not in armour
            continued = continued and line.endswith("\\")
            continue
        if not line.strip():
            continue
        match = _KEY.match(line)
        if match and not _is_encoded(match.group(2), line[match.end() :]):
            start = span.start + match.start(2)
            keys.append(
                EnvKey(
                    match.group(2),
                    Span(start, span.start + match.end(2)),
                    number,
                    match.group(1) is not None,
                    previous == SUPPRESSION,
                )
            )
            opening = _QUOTED.match(line, match.end())
            if (
                opening
                and not _closes(line, opening.group(1), opening.end())
                and text.rfind(opening.group(1), span.end) >= 0
            ):
                quote = opening.group(1)  # closed on a later line
            continued = not quote and line.endswith("\\")
        armoured = not quote and armour[-1:] == ["BEGIN"]
        previous = line.strip().lower()
    return tuple(keys)


def _closes(line: str, quote: str, start: int) -> bool:
    """Whether ``quote`` stands in ``line`` from ``start`` on without a backslash before it."""
    at = line.find(quote, start)
    while at >= 0:
        if quote == "'" or at == 0 or line[at - 1] != "\\":
            return True
        at = line.find(quote, at + 1)
    return False


def _is_encoded(name: str, value: str) -> bool:
    """Whether this is base64 with its padding rather than a name and an empty value."""
    return value.strip() in ("", "=") and _ENCODED.match(name) is not None
