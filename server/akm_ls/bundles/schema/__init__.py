"""Which frontmatter keys each tool reads, by kind of file: data with a small reader.

The facts are in ``frontmatter.json``; rules, completion and hover ask here.
"""

from __future__ import annotations

from akm_ls.bundles.schema.loading import load_schema
from akm_ls.bundles.schema.model import Definition, Key, Kind, Place, Schema
from akm_ls.bundles.schema.selection import is_skill_path, place_of

__all__ = [
    "Definition",
    "Key",
    "Kind",
    "Place",
    "Schema",
    "is_skill_path",
    "load_schema",
    "place_of",
]
