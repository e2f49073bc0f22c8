"""What the server says it can do, in the answer to ``initialize``: known before it is loaded."""

from __future__ import annotations

from lsprotocol import types as lsp

COMPLETION = lsp.CompletionOptions(
    trigger_characters=["/", "#", "[", "(", ".", "@", ":", " ", '"', "'"], resolve_provider=True
)
DOCUMENT_LINKS = lsp.DocumentLinkOptions(resolve_provider=True)
DIAGNOSTICS = lsp.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=True, identifier="akm"
)

FIX_ALL = "source.fixAll.akm"
CODE_ACTIONS = lsp.CodeActionOptions(
    code_action_kinds=[
        lsp.CodeActionKind.QuickFix,
        FIX_ALL,
        lsp.CodeActionKind.Refactor,
        lsp.CodeActionKind.RefactorRewrite,
        lsp.CodeActionKind.RefactorExtract,
    ],
    resolve_provider=True,
)

SEMANTIC_TOKENS = lsp.SemanticTokensLegend(
    token_types=["namespace", "type", "property", "parameter"], token_modifiers=["deprecated"]
)

FILE_OPERATIONS = lsp.FileOperationRegistrationOptions(
    [lsp.FileOperationFilter(lsp.FileOperationPattern("**/*"), "file")]
)
"""Every file and directory: any of them may be cited, or hold what is."""

SHOW_REFERENCES = "akm.showReferences"
"""The command of a lens: a URI, a position there, and locations that the editor should list.

It is the client's to run, because only an editor can show a list. A client that does not know it
sends it here, and `code_lens.show_references` does what a server can.
"""

REQUESTS = (
    "akm/search",
    "akm/show",
    "akm/contextPack",
    "akm/findCommand",
    "akm/check",
    "akm/references",
    "akm/graph",
    "akm/conventions",
    "akm/newAsset",
    "akm/status",
    "akm/reindex",
)
"""Requests of our own; each is a ``workspace/executeCommand`` command as well."""


def command_of(method: str) -> str:
    """``akm/search`` as a command: ``akm.search``."""
    return method.replace("/", ".")
