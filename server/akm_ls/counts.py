"""Numbers of things in messages."""

from __future__ import annotations


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 file``, ``2 files``, ``1,234 entries``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
