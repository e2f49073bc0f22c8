"""Code actions beyond the fixes of findings: each one a change that an author asks for.

One module for each kind; `offers` says what can be done at a place, and `build` makes the change.
"""

from __future__ import annotations

from collections.abc import Iterator

from akm_ls.lint.finding import Fix
from akm_ls.lsp.features.refactorings import create, extract, relations, rewrite
from akm_ls.lsp.features.refactorings.cursor import Cursor, Offer

__all__ = ["KINDS", "Cursor", "Offer", "build", "offers"]

_MODULES = (create, relations, rewrite, extract)
KINDS = tuple(dict.fromkeys(kind for module in _MODULES for kind in module.KINDS))


def offers(cursor: Cursor) -> Iterator[Offer]:
    """What can be done at a cursor; nothing in a bundle that is not writable."""
    if cursor.bundle.writable:
        for module in _MODULES:
            yield from module.offers(cursor)


def build(cursor: Cursor, name: str) -> Fix | None:
    """The change of an offer; ``None`` when it cannot be made (any more)."""
    for offer in offers(cursor):
        if offer.name == name:
            return offer.build()
    return None
