"""An akm bundle's conventions: placement, vocabulary, cross references, provenance.

All of them are hints, each with a code of its own, and only for akm bundles that look like a
stash: see `lint.traits.is_stash`. akm.md §11 gives the numbers.
"""

from __future__ import annotations

from akm_ls.lint.rule import Rule
from akm_ls.lint.rules.conventions import (
    corrections,
    entities,
    orientation,
    placement,
    provenance,
    segments,
    tags,
    xrefs,
)

RULES: tuple[Rule, ...] = (
    *placement.RULES,
    *segments.RULES,
    *tags.RULES,
    *xrefs.RULES,
    *corrections.RULES,
    *provenance.RULES,
    *orientation.RULES,
    *entities.RULES,
)
