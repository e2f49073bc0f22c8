"""The server: which message goes to which feature."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from akm_ls import __version__
from akm_ls.lsp import features, offers
from akm_ls.lsp.protocol import AkmProtocol, new_converter
from akm_ls.lsp.session import Session
from akm_ls.lsp.uris import path_of
from akm_ls.workspace import Settings

logger = logging.getLogger(__name__)


class AkmLanguageServer(LanguageServer):
    """akm-ls for one client. ``settings`` hold until the client sends its own."""

    protocol: AkmProtocol

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(
            "akm-ls",
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            protocol_cls=AkmProtocol,
            converter_factory=new_converter,
        )
        self._settings = settings or Settings()
        self._session: Session | None = None
        _register(self)
        self.protocol.on_exit.append(self._close)

    @property
    def session(self) -> Session:
        """The client's session; not before ``initialize``."""
        assert self._session is not None
        return self._session

    def begin(self, params: lsp.InitializeParams) -> None:
        self._session = Session(self, params, self._settings)
        self.protocol.unread = self._session.unread

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()


def _register(server: AkmLanguageServer) -> None:
    _register_lifecycle(server)
    _register_documents(server)
    _register_features(server)
    _register_structure(server)
    _register_renaming(server)
    _register_annotations(server)
    _register_diagnostics(server)
    _register_requests(server)


def _register_lifecycle(server: AkmLanguageServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(ls: AkmLanguageServer, params: lsp.InitializeParams) -> None:
        ls.begin(params)

    @server.feature(lsp.INITIALIZED)
    async def initialized(ls: AkmLanguageServer, _params: lsp.InitializedParams) -> None:
        await ls.session.start()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(
        ls: AkmLanguageServer, params: lsp.DidChangeConfigurationParams
    ) -> None:
        if ls.session.client.configuration:
            await ls.session.read_configuration()
        else:
            await ls.session.take_pushed_settings(params.settings)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_folders(
        ls: AkmLanguageServer, _params: lsp.DidChangeWorkspaceFoldersParams
    ) -> None:
        await ls.session.folders_changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(
        ls: AkmLanguageServer, params: lsp.DidChangeWatchedFilesParams
    ) -> None:
        ls.session.watching.events(params.changes)


def _register_documents(server: AkmLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: AkmLanguageServer, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.session.opened(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: AkmLanguageServer, params: lsp.DidChangeTextDocumentParams) -> None:
        ls.session.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(ls: AkmLanguageServer, params: lsp.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path is not None:
            ls.session.watching.changed([path])

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: AkmLanguageServer, params: lsp.DidCloseTextDocumentParams) -> None:
        ls.session.closed(params.text_document.uri)


def _register_features(server: AkmLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, offers.COMPLETION)
    def complete(ls: AkmLanguageServer, params: lsp.CompletionParams) -> lsp.CompletionList | None:
        return features.completion.complete(ls.session, params)

    @server.feature(lsp.COMPLETION_ITEM_RESOLVE)
    def resolve_completion(ls: AkmLanguageServer, item: lsp.CompletionItem) -> lsp.CompletionItem:
        return features.completion.resolve(ls.session, item)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def show_hover(ls: AkmLanguageServer, params: lsp.HoverParams) -> lsp.Hover | None:
        return features.hover.hover(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def go_to_definition(
        ls: AkmLanguageServer, params: lsp.DefinitionParams
    ) -> lsp.Location | list[lsp.LocationLink] | None:
        return features.navigation.definition(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def find_references(
        ls: AkmLanguageServer, params: lsp.ReferenceParams
    ) -> list[lsp.Location] | None:
        return await features.references.find_references(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK, offers.DOCUMENT_LINKS)
    def links(
        ls: AkmLanguageServer, params: lsp.DocumentLinkParams
    ) -> list[lsp.DocumentLink] | None:
        return features.navigation.document_links(ls.session, params)

    @server.feature(lsp.DOCUMENT_LINK_RESOLVE)
    def resolve_link(ls: AkmLanguageServer, link: lsp.DocumentLink) -> lsp.DocumentLink:
        return features.navigation.resolve_link(ls.session, link)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, offers.CODE_ACTIONS)
    def actions(ls: AkmLanguageServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        return features.code_actions.code_actions(ls.session, params)

    @server.feature(lsp.CODE_ACTION_RESOLVE)
    def resolve_action(ls: AkmLanguageServer, action: lsp.CodeAction) -> lsp.CodeAction:
        return features.code_actions.resolve(ls.session, action)


def _register_structure(server: AkmLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbols(
        ls: AkmLanguageServer, params: lsp.DocumentSymbolParams
    ) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation] | None:
        return features.symbols.document_symbols(ls.session, params)

    @server.feature(lsp.WORKSPACE_SYMBOL)
    async def workspace_symbols(
        ls: AkmLanguageServer, params: lsp.WorkspaceSymbolParams
    ) -> list[lsp.WorkspaceSymbol] | list[lsp.SymbolInformation]:
        return await features.symbols.workspace_symbols(ls.session, params)

    @server.feature(lsp.WORKSPACE_SYMBOL_RESOLVE)
    def resolve_symbol(ls: AkmLanguageServer, symbol: lsp.WorkspaceSymbol) -> lsp.WorkspaceSymbol:
        return features.symbols.resolve_symbol(ls.session, symbol)

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding_ranges(
        ls: AkmLanguageServer, params: lsp.FoldingRangeParams
    ) -> list[lsp.FoldingRange] | None:
        return features.structure.folding_ranges(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_SELECTION_RANGE)
    def selection_ranges(
        ls: AkmLanguageServer, params: lsp.SelectionRangeParams
    ) -> list[lsp.SelectionRange] | None:
        return features.structure.selection_ranges(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(
        ls: AkmLanguageServer, params: lsp.DocumentHighlightParams
    ) -> list[lsp.DocumentHighlight] | None:
        return features.structure.highlights(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def prepare_call_hierarchy(
        ls: AkmLanguageServer, params: lsp.CallHierarchyPrepareParams
    ) -> list[lsp.CallHierarchyItem] | None:
        return await features.call_hierarchy.prepare(ls.session, params)

    @server.feature(lsp.CALL_HIERARCHY_INCOMING_CALLS)
    async def incoming_calls(
        ls: AkmLanguageServer, params: lsp.CallHierarchyIncomingCallsParams
    ) -> list[lsp.CallHierarchyIncomingCall] | None:
        return await features.call_hierarchy.incoming(ls.session, params)

    @server.feature(lsp.CALL_HIERARCHY_OUTGOING_CALLS)
    async def outgoing_calls(
        ls: AkmLanguageServer, params: lsp.CallHierarchyOutgoingCallsParams
    ) -> list[lsp.CallHierarchyOutgoingCall] | None:
        return await features.call_hierarchy.outgoing(ls.session, params)


def _register_renaming(server: AkmLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare_rename(
        ls: AkmLanguageServer, params: lsp.PrepareRenameParams
    ) -> lsp.PrepareRenamePlaceholder | None:
        return await features.rename.prepare_rename(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    async def rename_symbol(
        ls: AkmLanguageServer, params: lsp.RenameParams
    ) -> lsp.WorkspaceEdit | None:
        return await features.rename.rename(ls.session, params)

    files = offers.FILE_OPERATIONS

    @server.feature(lsp.WORKSPACE_WILL_RENAME_FILES, files)
    async def will_rename(
        ls: AkmLanguageServer, params: lsp.RenameFilesParams
    ) -> lsp.WorkspaceEdit | None:
        return await features.file_operations.will_rename(ls.session, params)

    @server.feature(lsp.WORKSPACE_DID_RENAME_FILES, files)
    def did_rename(ls: AkmLanguageServer, params: lsp.RenameFilesParams) -> None:
        features.file_operations.did_rename(ls.session, params)

    @server.feature(lsp.WORKSPACE_WILL_DELETE_FILES, files)
    async def will_delete(
        ls: AkmLanguageServer, params: lsp.DeleteFilesParams
    ) -> lsp.WorkspaceEdit | None:
        return await features.file_operations.will_delete(ls.session, params)

    @server.feature(lsp.WORKSPACE_DID_DELETE_FILES, files)
    def did_delete(ls: AkmLanguageServer, params: lsp.DeleteFilesParams) -> None:
        features.file_operations.did_delete(ls.session, params)

    @server.feature(lsp.WORKSPACE_DID_CREATE_FILES, files)
    def did_create(ls: AkmLanguageServer, params: lsp.CreateFilesParams) -> None:
        features.file_operations.did_create(ls.session, params)


def _register_annotations(server: AkmLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def code_lenses(
        ls: AkmLanguageServer, params: lsp.CodeLensParams
    ) -> list[lsp.CodeLens] | None:
        return await features.code_lens.code_lenses(ls.session, params)

    @server.feature(lsp.CODE_LENS_RESOLVE)
    async def resolve_lens(ls: AkmLanguageServer, lens: lsp.CodeLens) -> lsp.CodeLens:
        return await features.code_lens.resolve_lens(ls.session, lens)

    @server.command(offers.SHOW_REFERENCES)
    async def show_references(ls: AkmLanguageServer, *arguments: Any) -> Any:
        return await features.code_lens.show_references(ls.session, arguments)

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hints(ls: AkmLanguageServer, params: lsp.InlayHintParams) -> list[lsp.InlayHint] | None:
        return features.inlay_hints.inlay_hints(ls.session, params)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, offers.SEMANTIC_TOKENS)
    def tokens(ls: AkmLanguageServer, params: lsp.SemanticTokensParams) -> Any:
        return features.semantic_tokens.semantic_tokens(ls.session, params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, offers.SEMANTIC_TOKENS)
    def tokens_within(ls: AkmLanguageServer, params: lsp.SemanticTokensRangeParams) -> Any:
        uri = params.text_document.uri
        return features.semantic_tokens.semantic_tokens(ls.session, uri, params.range)


def _register_diagnostics(server: AkmLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, offers.DIAGNOSTICS)
    async def document_diagnostics(
        ls: AkmLanguageServer, params: lsp.DocumentDiagnosticParams
    ) -> lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport:
        return await features.pull_diagnostics.document_diagnostics(ls.session, params)

    @server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostics(
        ls: AkmLanguageServer, params: lsp.WorkspaceDiagnosticParams
    ) -> lsp.WorkspaceDiagnosticReport:
        return await features.pull_diagnostics.workspace_diagnostics(ls.session, params)


def _register_requests(server: AkmLanguageServer) -> None:
    for method in offers.REQUESTS:
        server.feature(method)(_as_feature(method))
        server.command(offers.command_of(method))(_as_command(method))


def _as_feature(method: str) -> Callable[..., Any]:
    async def handle(ls: AkmLanguageServer, params: dict[str, Any]) -> Any:
        return await features.requests.REQUESTS[method](ls.session, params)

    return handle


def _as_command(method: str) -> Callable[..., Any]:
    async def handle(ls: AkmLanguageServer, *arguments: Any) -> Any:
        params = arguments[0] if arguments and arguments[0] is not None else {}
        if not isinstance(params, dict) or len(arguments) > 1:
            reason = "the command takes one argument: an object of parameters"
            raise features.parameters.invalid(reason)
        return await features.requests.REQUESTS[method](ls.session, params)

    return handle
