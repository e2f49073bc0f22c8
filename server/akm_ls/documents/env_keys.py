"""The one reader of env files: names only."""

from __future__ import annotations

import re
from typing import NamedTuple

from akm_ls.documents.text import LineIndex, Span, decode

_KEY = re.compile(r"\s*(export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=")
SUPPRESSION = "# akm-lint-ok: dangerous-env-key"


class EnvKey(NamedTuple):
    name: str
    span: Span
    line: int
    exported: bool
    suppressed: bool


def read_env_keys(source: str | bytes) -> tuple[EnvKey, ...]:
    text = decode(source).text if isinstance(source, bytes) else source
    lines = LineIndex(text)
    keys: list[EnvKey] = []
    previous = ""
    for number in range(len(lines)):
        span = lines.line_span(number)
        line = span.of(text)
        if not line.strip():
            continue
        if match := _KEY.match(line):
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
        previous = line.strip().lower()
    return tuple(keys)
