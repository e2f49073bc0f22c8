"""Any directory of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition
from akm_ls.bundles.asset_types import SCRIPT_EXTENSIONS

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

_TEXT = (".md", ".markdown", ".txt", ".text")


class GenericFiles:
    """Every file is an asset: a script, a document, or just a file (akm.md §2.2).

    Files that are neither are known by name and never opened: they may be anything.
    """

    id = "generic-files"

    def probe(self, root: str) -> bool:
        return probes.generic_files(root)

    def wants(self, rel: str) -> bool:
        return True

    def reads(self, rel: str) -> bool:
        return _extension(rel) in (*SCRIPT_EXTENSIONS, *_TEXT) and not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        extension = _extension(rel)
        if extension in _TEXT:
            concept_id = layout.without(rel, rel[-len(extension) :])
            return Recognition(concept_id, "document", concept_id)
        concept_id = layout.without(rel, "")
        type_name = "script" if extension in SCRIPT_EXTENSIONS else "file"
        return Recognition(concept_id, type_name, concept_id)


def _extension(rel: str) -> str:
    name = layout.filename(rel).lower()
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""
