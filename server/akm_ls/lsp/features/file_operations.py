"""Files and directories that are moved or deleted in the editor's tree."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.uris import path_of
from akm_ls.lsp.workspace_edits import plan_edit
from akm_ls.workspace.renaming import Plan, citers_of, delta_of_moves, move_files, view_of

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds that a move waits for an index that is not complete yet: the editor waits with it."""


async def will_rename(session: Session, params: lsp.RenameFilesParams) -> lsp.WorkspaceEdit | None:
    """The edit that keeps every ref and link right; the editor moves the files itself."""
    pairs = _pairs(params.files)
    if not await _ready(session, [old for old, _ in pairs]):
        return None
    plan = await session.server.protocol.workers.run(move_files, view_of(session.workspace), pairs)
    messages = list(plan.messages())
    moves = plan.extra
    if moves and not session.client.moves_files:
        names = ", ".join(os.path.basename(move.old) for move in moves)
        messages.append(f"{names} belongs to what was moved and stays behind: move it too.")
        moves = ()
    session.tell(messages)
    if not plan.files and not moves:
        return None
    return plan_edit(session, plan, moves=moves)


async def will_delete(session: Session, params: lsp.DeleteFilesParams) -> lsp.WorkspaceEdit | None:
    """Tells what still cites the files. Where the editor can ask first, it is offered to take
    them out of frontmatter lists."""
    paths = [path for file in params.files if (path := path_of(file.uri)) is not None]
    if not await _ready(session, paths):
        return None
    citers = await session.server.protocol.workers.run(citers_of, view_of(session.workspace), paths)
    message = citers.message()
    if message is None:
        return None
    session.tell([message])
    if not citers.files or not (
        session.client.change_annotations and session.client.document_changes
    ):
        return None
    return plan_edit(session, Plan(files=citers.files))


def did_rename(session: Session, params: lsp.RenameFilesParams) -> None:
    """The catalog answers with the new refs from the next message on; the index follows."""
    pairs = _pairs(params.files)
    workspace = session.workspace
    pairs = [pair for pair in pairs if any(map(workspace.bundles.relative, pair))]
    if not pairs:
        return
    session.settle()
    session.spread(workspace.apply(delta_of_moves(view_of(workspace), pairs)))
    _follow(session, [path for pair in pairs for path in pair])


def did_delete(session: Session, params: lsp.DeleteFilesParams) -> None:
    _follow(session, [path for file in params.files if (path := path_of(file.uri)) is not None])


def did_create(session: Session, params: lsp.CreateFilesParams) -> None:
    _follow(session, [path for file in params.files if (path := path_of(file.uri)) is not None])


def _follow(session: Session, paths: Sequence[str]) -> None:
    # The same way as for any changed file, which may be one that says which bundles there are.
    session.watching.changed(paths)
    session.index.read_now(())


def _pairs(files: Sequence[lsp.FileRename]) -> list[tuple[str, str]]:
    found = ((path_of(file.old_uri), path_of(file.new_uri)) for file in files)
    return [(old, new) for old, new in found if old is not None and new is not None]


async def _ready(session: Session, paths: Sequence[str]) -> bool:
    """Whether something of ours is about to change and enough is known to say what it means."""
    bundles = session.workspace.bundles
    if not any(bundles.relative(path) for path in paths):
        return False
    session.settle()
    await session.index.ready()
    if await session.index.complete(PATIENCE):
        session.settle()
        return True
    session.tell(
        ["The bundles are still being indexed: refs and links to what was moved stay as they are."]
    )
    return False
