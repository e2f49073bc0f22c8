"""What the client can do, asked in one place."""

from __future__ import annotations

from lsprotocol import types as lsp


class Client:
    """Capabilities of the editor as properties; what a client does not say it cannot."""

    def __init__(self, params: lsp.InitializeParams) -> None:
        capabilities = params.capabilities
        self._workspace = capabilities.workspace or lsp.WorkspaceClientCapabilities()
        self._text = capabilities.text_document or lsp.TextDocumentClientCapabilities()
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
    def definition_links(self) -> bool:
        definition = self._text.definition
        return bool(definition and definition.link_support)

    @property
    def related_information(self) -> bool:
        published = self._text.publish_diagnostics
        return bool(published and published.related_information)

    @property
    def literal_code_actions(self) -> bool:
        action = self._text.code_action
        return bool(action and action.code_action_literal_support)

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
