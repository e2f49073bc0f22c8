"""What the client can do, asked in one place."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

_DiagnosticsShown = lsp.DiagnosticClientCapabilities | lsp.PublishDiagnosticsClientCapabilities


class Client:
    """Capabilities of the editor as properties; what a client does not say it cannot."""

    def __init__(self, params: lsp.InitializeParams) -> None:
        capabilities = params.capabilities
        self._workspace = capabilities.workspace or lsp.WorkspaceClientCapabilities()
        self._text = capabilities.text_document or lsp.TextDocumentClientCapabilities()
        self._experimental: object = capabilities.experimental
        self._window = capabilities.window or lsp.WindowClientCapabilities()
        self.name = params.client_info.name if params.client_info else "unknown client"

    @property
    def configuration(self) -> bool:
        return bool(self._workspace.configuration)

    @property
    def configuration_registration(self) -> bool:
        changes = self._workspace.did_change_configuration
        return bool(changes and changes.dynamic_registration)

    @property
    def watches_files(self) -> bool:
        """Whether the client watches files for us when asked to."""
        watched = self._workspace.did_change_watched_files
        return bool(watched and watched.dynamic_registration)

    @property
    def relative_patterns(self) -> bool:
        watched = self._workspace.did_change_watched_files
        return bool(watched and watched.relative_pattern_support)

    @property
    def progress(self) -> bool:
        return bool(self._window.work_done_progress)

    @property
    def markdown_hover(self) -> bool:
        hover = self._text.hover
        formats = (hover and hover.content_format) or ()
        return lsp.MarkupKind.Markdown in formats

    @property
    def markdown_completion(self) -> bool:
        item = self._completion_item
        formats = (item and item.documentation_format) or ()
        return lsp.MarkupKind.Markdown in formats

    @property
    def label_details(self) -> bool:
        item = self._completion_item
        return bool(item and item.label_details_support)

    @property
    def default_edit_range(self) -> bool:
        """Whether one edit range may stand for a whole list of completions."""
        completion = self._text.completion
        defaults = completion and completion.completion_list
        return bool(defaults and "editRange" in (defaults.item_defaults or ()))

    @property
    def completion_defaults(self) -> frozenset[str]:
        """What a list of completions may say once for all its items."""
        completion = self._text.completion
        defaults = completion and completion.completion_list
        return frozenset((defaults and defaults.item_defaults) or ())

    @property
    def snippets(self) -> bool:
        item = self._completion_item
        return bool(item and item.snippet_support)

    @property
    def insert_replace(self) -> bool:
        """Whether an item may have one range for inserting and a longer one for replacing."""
        item = self._completion_item
        return bool(item and item.insert_replace_support)

    @property
    def inserts_as_is(self) -> bool:
        """Whether an item may say that the lines it writes are indented already."""
        item = self._completion_item
        modes = item and item.insert_text_mode_support
        return bool(modes and lsp.InsertTextMode.AsIs in modes.value_set)

    @property
    def commit_characters(self) -> bool:
        item = self._completion_item
        return bool(item and item.commit_characters_support)

    @property
    def deprecated_tag(self) -> bool:
        item = self._completion_item
        supported = item and item.tag_support
        return bool(supported and lsp.CompletionItemTag.Deprecated in supported.value_set)

    @property
    def definition_links(self) -> bool:
        definition = self._text.definition
        return bool(definition and definition.link_support)

    @property
    def related_information(self) -> bool:
        shown = self._diagnostics
        return bool(shown and shown.related_information)

    @property
    def diagnostic_tags(self) -> Sequence[lsp.DiagnosticTag]:
        shown = self._diagnostics
        return shown.tag_support.value_set if shown and shown.tag_support else ()

    @property
    def reads_versions(self) -> bool:
        """Whether the client drops diagnostics of another version than the document has."""
        pushed = self._text.publish_diagnostics
        return bool(pushed and pushed.version_support)

    @property
    def _diagnostics(self) -> _DiagnosticsShown | None:
        """What the client shows of diagnostics, whichever way they come.

        Clients that pull say it for both ways only since 3.18.
        """
        pulled, pushed = self._text.diagnostic, self._text.publish_diagnostics
        if pulled is not None and (pulled.tag_support or pulled.related_information):
            return pulled
        return pushed or pulled

    @property
    def nested_symbols(self) -> bool:
        """Whether the outline of a document may be a tree."""
        symbol = self._text.document_symbol
        return bool(symbol and symbol.hierarchical_document_symbol_support)

    @property
    def lazy_symbol_locations(self) -> bool:
        """Whether the place of a workspace symbol may be told when somebody goes there."""
        symbol = self._workspace.symbol
        support = symbol and symbol.resolve_support
        return bool(support and "location.range" in support.properties)

    @property
    def symbol_tags(self) -> Sequence[lsp.SymbolTag]:
        symbol = self._workspace.symbol
        support = symbol and symbol.tag_support
        return support.value_set if support else ()

    @property
    def fold_limit(self) -> int | None:
        """How many folds of one document the client takes."""
        folding = self._text.folding_range
        return folding.range_limit if folding else None

    @property
    def collapsed_text(self) -> bool:
        """Whether the client shows a text of ours in the place of folded lines."""
        folding = self._text.folding_range
        support = folding and folding.folding_range
        return bool(support and support.collapsed_text)

    @property
    def shows_documents(self) -> bool:
        shown = self._window.show_document
        return bool(shown and shown.support)

    @property
    def refreshes_code_lenses(self) -> bool:
        lens = self._workspace.code_lens
        return bool(lens and lens.refresh_support)

    @property
    def refreshes_inlay_hints(self) -> bool:
        hint = self._workspace.inlay_hint
        return bool(hint and hint.refresh_support)

    @property
    def pulls_diagnostics(self) -> bool:
        """Whether the client asks for diagnostics; then it is never sent any."""
        return self._text.diagnostic is not None

    @property
    def refreshes_diagnostics(self) -> bool:
        diagnostics = self._workspace.diagnostics
        return bool(diagnostics and diagnostics.refresh_support)

    @property
    def related_documents(self) -> bool:
        """Whether an answer about one document may bring those of others along."""
        diagnostic = self._text.diagnostic
        return bool(diagnostic and diagnostic.related_document_support)

    @property
    def literal_code_actions(self) -> bool:
        action = self._text.code_action
        return bool(action and action.code_action_literal_support)

    @property
    def code_action_resolve(self) -> bool:
        """Whether the edit of an action may come when somebody chooses it."""
        action = self._text.code_action
        resolve = action and action.resolve_support
        return bool(action and action.data_support and resolve and "edit" in resolve.properties)

    def has_command(self, command: str) -> bool:
        """Whether the client says that it has a command of its own.

        The convention is rust-analyzer's: ``experimental.commands.commands``.
        """
        said = _entry(_entry(self._experimental, "commands"), "commands")
        return isinstance(said, list | tuple) and command in said

    @property
    def document_changes(self) -> bool:
        edits = self._workspace.workspace_edit
        return bool(edits and edits.document_changes)

    def can_change_files(self, operation: lsp.ResourceOperationKind) -> bool:
        """Whether an edit may create, rename or delete files."""
        edits = self._workspace.workspace_edit
        operations = (edits and edits.resource_operations) or ()
        return self.document_changes and operation in operations

    @property
    def moves_files(self) -> bool:
        """Whether an edit may rename files. A client that says which files operations it knows
        understands the list they stand in, whether it says so or not (LSP 3.17, WorkspaceEdit)."""
        edits = self._workspace.workspace_edit
        operations = (edits and edits.resource_operations) or ()
        return lsp.ResourceOperationKind.Rename in operations

    @property
    def change_annotations(self) -> bool:
        """Whether the client shows what an edit is for, and asks before it makes some."""
        edits = self._workspace.workspace_edit
        return bool(edits and edits.change_annotation_support)

    @property
    def _completion_item(self) -> lsp.ClientCompletionItemOptions | None:
        completion = self._text.completion
        return completion.completion_item if completion else None


def _entry(value: object, key: str) -> object:
    """A value of an object, which pygls hands over as a mapping or as an attribute bag."""
    return value.get(key) if isinstance(value, dict) else getattr(value, key, None)
