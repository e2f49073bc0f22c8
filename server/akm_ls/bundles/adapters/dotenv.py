"""Environment files and secrets, by name only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition
from akm_ls.bundles.classification import identify

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class Dotenv:
    """``env/`` and ``secrets/`` and nothing else (akm.md §2.2). Only env files are opened."""

    id = "dotenv"

    def probe(self, root: str) -> bool:
        return probes.dotenv(root)

    def wants(self, rel: str) -> bool:
        return self.recognise(rel, None) is not None

    def reads(self, rel: str) -> bool:
        return not layout.below(rel, "secrets")

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        head = rel.partition("/")[0]
        if head == "env" and rel.endswith(".env"):
            type_name = "env"
        elif head == "secrets" and not rel.endswith((".lock", ".sensitive")):
            type_name = "secret"
        else:
            return None
        identity = identify(type_name, rel)
        return None if identity is None else Recognition(identity[0], type_name, identity[1])
