"""Renaming from the text: an asset on a ref of it, a heading, a workflow step, a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from akm_ls.lsp.workspace_edits import plan_edit
from akm_ls.workspace.renaming import RenameRefused, Subject, subject_at, view_of

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.renaming import Source, View

REQUEST_FAILED = -32803
PATIENCE = 10.0
"""Seconds that a rename waits for an index that is not complete yet."""


async def prepare_rename(
    session: Session, params: lsp.PrepareRenameParams
) -> lsp.PrepareRenamePlaceholder | None:
    """What would be renamed here, with the name to start from.

    Of a ref that is the concept id: the new name may be one word or a whole concept id.
    """
    await session.index.ready()
    await session.index.complete(PATIENCE)
    session.settle()
    view = view_of(session.workspace)
    source = _source(session, view, params.text_document.uri)
    subject = _subject(session, view, source, params.position)
    if subject is None or source is None:
        return None
    return lsp.PrepareRenamePlaceholder(
        session.range(source.document.lines, subject.span), subject.name
    )


async def rename(session: Session, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """The edit that renames what stands at a position, and all that names it.

    What cannot be part of it, such as a citation in a read-only bundle, is told in a message.
    """
    await session.index.ready()
    if not await session.index.complete(PATIENCE):
        raise _refusal(
            "The bundles are still being indexed, so not every citation is known yet. Try again "
            "in a moment."
        )
    session.settle()
    view = view_of(session.workspace)
    source = _source(session, view, params.text_document.uri)
    subject = _subject(session, view, source, params.position)
    if subject is None or source is None:
        raise _refusal(
            "Nothing here has a name to change: put the cursor on a ref, a heading, a workflow "
            "step or a tag."
        )
    if subject.stub is not None and not session.client.moves_files:
        raise _refusal(
            f"Renaming {subject.name} means renaming its file, which this editor does not do in an "
            "edit. Rename the file in the editor's file tree, or use an editor that supports it."
        )
    try:
        plan = await session.server.protocol.workers.run(subject.rename, view, params.new_name)
    except RenameRefused as reason:
        raise _refusal(str(reason)) from None
    if plan.is_empty:
        return None
    session.tell(plan.messages())
    return plan_edit(session, plan, moves=plan.moves, asked=source.path)


def _source(session: Session, view: View, uri: str) -> Source | None:
    opened = session.document(uri)
    return None if opened is None else view.source(opened.path)


def _subject(
    session: Session, view: View, source: Source | None, position: lsp.Position
) -> Subject | None:
    if source is None:
        return None
    lines = source.document.lines
    offset = lines.offset(position.line, position.character, session.encoding)
    try:
        return subject_at(view, source, offset)
    except RenameRefused as reason:
        raise _refusal(str(reason)) from None


def _refusal(reason: str) -> JsonRpcException:
    return JsonRpcException(reason, code=REQUEST_FAILED)
