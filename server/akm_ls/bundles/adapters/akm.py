"""akm's own layout: one directory per asset type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import probes
from akm_ls.bundles.adapters.adapter import Recognition
from akm_ls.bundles.classification import classify, identify, is_reserved, split_path
from akm_ls.bundles.sensitive import is_secret

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class Akm:
    """akm's own layout: one directory per asset type (akm.md §3)."""

    id = "akm"

    def probe(self, root: str) -> bool:
        return probes.akm(root)

    def wants(self, rel: str) -> bool:
        path = split_path(rel)
        if path.markdown:
            return not is_reserved(path)
        return self.recognise(rel, None) is not None

    def reads(self, rel: str) -> bool:
        return not is_secret(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        found = classify(rel, document)
        if found is None:
            return None
        identity = identify(found.type, rel)
        return None if identity is None else Recognition(identity[0], found.type, identity[1])
