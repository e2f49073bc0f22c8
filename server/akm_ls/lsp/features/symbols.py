"""Symbols: the outline of a document, and assets and headings by what they are called."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.outline import OutlineItem, outline
from akm_ls.lsp.convert import file_start
from akm_ls.search.ranking import BELIEF_CEILING

if TYPE_CHECKING:
    from akm_ls.documents.text import LineIndex
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session
    from akm_ls.search.symbols import Symbol

_ITEM_KIND = {
    "frontmatter": lsp.SymbolKind.Module,
    "key": lsp.SymbolKind.Property,
    "heading": lsp.SymbolKind.String,
    "step": lsp.SymbolKind.Function,
    "parameter": lsp.SymbolKind.Variable,
    "variable": lsp.SymbolKind.Constant,
}
_ASSET_KIND = {
    "agent": lsp.SymbolKind.Interface,
    "command": lsp.SymbolKind.Function,
    "env": lsp.SymbolKind.Namespace,
    "fact": lsp.SymbolKind.Constant,
    "instruction": lsp.SymbolKind.Property,
    "lesson": lsp.SymbolKind.Enum,
    "memory": lsp.SymbolKind.Variable,
    "script": lsp.SymbolKind.Module,
    "secret": lsp.SymbolKind.Field,
    "skill": lsp.SymbolKind.Class,
    "task": lsp.SymbolKind.Constructor,
    "workflow": lsp.SymbolKind.Method,
}
"""Only kinds that every client knows; all other assets are files."""


def document_symbols(
    session: Session, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation] | None:
    """The outline of an open document, as a tree or as a list."""
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    items = outline(opened.document, opened.entry.type if opened.entry else None)
    if session.client.nested_symbols:
        return [_tree(session, opened.document.lines, item) for item in items]
    return [
        lsp.SymbolInformation(
            name=item.name,
            kind=_ITEM_KIND[item.kind],
            location=lsp.Location(
                params.text_document.uri, session.range(opened.document.lines, item.span)
            ),
            container_name=None if parent is None else parent.name,
        )
        for top in items
        for item, parent in top.walk()
    ]


def _tree(session: Session, lines: LineIndex, item: OutlineItem) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        name=item.name,
        kind=_ITEM_KIND[item.kind],
        range=session.range(lines, item.span),
        selection_range=session.range(lines, item.selection),
        detail=item.detail or None,
        children=[_tree(session, lines, child) for child in item.children] or None,
    )


async def workspace_symbols(
    session: Session, params: lsp.WorkspaceSymbolParams
) -> list[lsp.WorkspaceSymbol] | list[lsp.SymbolInformation]:
    """The assets and headings that a query names; ``type:`` and ``bundle:`` narrow it."""
    session.settle()
    symbols = session.workspace.symbols
    found = await session.server.protocol.workers.run(symbols.table().find, params.query)
    found = found or symbols.in_order(params.query)
    if session.client.lazy_symbol_locations:
        return [_lazy(session, symbol) for symbol in found]
    tags = session.client.symbol_tags
    return [
        lsp.SymbolInformation(
            name=symbol.name,
            kind=_kind(symbol),
            tags=belief_tags(symbol.stub, tags),
            container_name=_container(symbol),
            location=lsp.Location(session.uri(symbol.stub.path), _known_range(session, symbol)),
        )
        for symbol in found
    ]


def _lazy(session: Session, symbol: Symbol) -> lsp.WorkspaceSymbol:
    stub = symbol.stub
    return lsp.WorkspaceSymbol(
        name=symbol.name,
        kind=_kind(symbol),
        tags=belief_tags(stub, session.client.symbol_tags),
        container_name=_container(symbol),
        location=lsp.LocationUriOnly(session.uri(stub.path)),
        data={"bundle": stub.bundle, "conceptId": stub.concept_id, "fragment": symbol.fragment},
    )


def resolve_symbol(session: Session, symbol: lsp.WorkspaceSymbol) -> lsp.WorkspaceSymbol:
    """Give a symbol its place: the title of an asset, or the heading."""
    data = symbol.data if isinstance(symbol.data, dict) else {}
    stub = session.workspace.catalog.get(str(data.get("bundle")), str(data.get("conceptId")))
    where = file_start()
    if stub is not None:
        session.settle()
        fragment = data.get("fragment")
        where = session.place_of(stub, fragment if isinstance(fragment, str) else None)
    symbol.location = lsp.Location(symbol.location.uri, where)
    return symbol


def _known_range(session: Session, symbol: Symbol) -> lsp.Range:
    """The place of a symbol without reading its file."""
    line = 0
    if symbol.fragment is not None:
        line = session.workspace.heading_line(symbol.stub, symbol.fragment) or 0
    return lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))


def _kind(symbol: Symbol) -> lsp.SymbolKind:
    if symbol.fragment is not None:
        return lsp.SymbolKind.String
    return asset_kind(symbol.stub.type)


def asset_kind(asset_type: str) -> lsp.SymbolKind:
    return _ASSET_KIND.get(asset_type, lsp.SymbolKind.File)


def _container(symbol: Symbol) -> str:
    """Where the symbol belongs; for an asset in the words that narrow a query to it.

    Some editors compare every word of a query with the name and the container once more.
    """
    stub = symbol.stub
    if symbol.fragment is not None:
        return stub.ref
    words = f"type:{stub.type} bundle:{stub.bundle}"
    return f"{words} {stub.title}" if stub.title else words


def belief_tags(stub: Stub, known: Collection[lsp.SymbolTag]) -> list[lsp.SymbolTag] | None:
    """Struck through: what is no longer believed."""
    if stub.belief_state in BELIEF_CEILING and lsp.SymbolTag.Deprecated in known:
        return [lsp.SymbolTag.Deprecated]
    return None
