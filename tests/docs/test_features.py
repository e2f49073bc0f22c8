"""docs/features.md and what the server announces say the same."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
from lsprotocol import types as lsp
from pygls.capabilities import ServerCapabilitiesBuilder

from akm_ls.lsp.server import AkmLanguageServer
from akm_ls.workspace import Settings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "features.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`[^|]*` \|[^|]*\|[^|]*) \|$", PAGE, re.MULTILINE)
METHOD = re.compile(
    r"`((?:textDocument|workspace|workspaceSymbol|callHierarchy|codeLens|documentLink|inlayHint"
    r"|completionItem|codeAction)/\w+(?:/\w+)?)`"
)
NOT_SHOWN = frozenset({lsp.INITIALIZE, lsp.INITIALIZED})
SENT = frozenset(
    {
        lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
        lsp.WORKSPACE_CODE_LENS_REFRESH,
        lsp.WORKSPACE_INLAY_HINT_REFRESH,
        lsp.WORKSPACE_DIAGNOSTIC_REFRESH,
    }
)
"""What the server sends."""
BUILT_IN = frozenset({lsp.WORKSPACE_EXECUTE_COMMAND})
"""What pygls answers for us."""


def answered() -> set[str]:
    features = AkmLanguageServer(Settings()).protocol.fm.features
    return {method for method in features if not method.startswith("akm/")} - NOT_SHOWN


def test_every_method_that_is_answered_is_on_the_page_and_no_other() -> None:
    told = set(METHOD.findall(PAGE))
    assert told - SENT - BUILT_IN == answered()
    assert told >= SENT | BUILT_IN


def test_every_method_says_what_is_left_of_it() -> None:
    assert len(ROWS) >= 20
    for row in ROWS:
        assert row.count(" | ") == 2, row


PROVIDERS = {
    "hover_provider": lsp.TEXT_DOCUMENT_HOVER,
    "definition_provider": lsp.TEXT_DOCUMENT_DEFINITION,
    "references_provider": lsp.TEXT_DOCUMENT_REFERENCES,
    "document_link_provider": lsp.TEXT_DOCUMENT_DOCUMENT_LINK,
    "call_hierarchy_provider": lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY,
    "document_highlight_provider": lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
    "document_symbol_provider": lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
    "workspace_symbol_provider": lsp.WORKSPACE_SYMBOL,
    "execute_command_provider": lsp.WORKSPACE_EXECUTE_COMMAND,
    "completion_provider": lsp.TEXT_DOCUMENT_COMPLETION,
    "code_action_provider": lsp.TEXT_DOCUMENT_CODE_ACTION,
    "folding_range_provider": lsp.TEXT_DOCUMENT_FOLDING_RANGE,
    "selection_range_provider": lsp.TEXT_DOCUMENT_SELECTION_RANGE,
    "code_lens_provider": lsp.TEXT_DOCUMENT_CODE_LENS,
    "semantic_tokens_provider": lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
    "inlay_hint_provider": lsp.TEXT_DOCUMENT_INLAY_HINT,
    "diagnostic_provider": lsp.TEXT_DOCUMENT_DIAGNOSTIC,
    "rename_provider": lsp.TEXT_DOCUMENT_RENAME,
}
RESOLVED = {
    "workspace_symbol_provider": lsp.WORKSPACE_SYMBOL_RESOLVE,
    "code_lens_provider": lsp.CODE_LENS_RESOLVE,
    "document_link_provider": lsp.DOCUMENT_LINK_RESOLVE,
    "completion_provider": lsp.COMPLETION_ITEM_RESOLVE,
}


def test_what_is_announced_is_on_the_page() -> None:
    server = AkmLanguageServer(Settings())
    manager = server.protocol.fm
    announced = ServerCapabilitiesBuilder(
        lsp.ClientCapabilities(),
        {*manager.features},
        manager.feature_options,
        list(manager.commands),
        lsp.TextDocumentSyncKind.Incremental,
    ).build()
    names = {
        field.name
        for field in attrs.fields(lsp.ServerCapabilities)
        if field.name.endswith("_provider") and getattr(announced, field.name)
    }
    assert names <= PROVIDERS.keys(), "a provider that this table and the page do not know"
    for name in names:
        assert f"`{PROVIDERS[name]}`" in PAGE
    for name, method in RESOLVED.items():
        assert getattr(announced, name).resolve_provider
        assert f"`{method}`" in PAGE
