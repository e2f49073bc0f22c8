"""One JSON document on stdout."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping

SCHEMA_VERSION = 1

# JSON escapes what is below U+0020 itself; the rest of what a terminal acts on is up to us.
# Every match is inside a string, where an escape means the same character.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def write_json(document: Mapping[str, object], *, indent: int | None = 2) -> None:
    """Print ``document`` as UTF-8, with a line end; on one line where ``indent`` is ``None``."""
    text = json.dumps(document, ensure_ascii=False, indent=indent, default=_plain)
    if not text.isascii():
        text = _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    data = (text + "\n").encode("utf-8")
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(text + "\n")
        return
    sys.stdout.flush()
    binary.write(data)
    binary.flush()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")
