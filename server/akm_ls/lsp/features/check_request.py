"""``akm/check``: the findings of files, for an agent in the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from akm_ls.lsp.protocol import INVALID_PARAMS
from akm_ls.lsp.work import cancellation
from akm_ls.search.request import RequestError
from akm_ls.search.show import ShowError
from akm_ls.workspace.check_for_agents import CheckRequest, check_for_agents

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

PATIENCE = 20.0
"""Seconds that an agent waits for the first index: without it, refs are not checked."""


async def check_files(session: Session, params: dict[str, Any]) -> Any:
    """``akm/check``: as ``akm-ls check --format json``; open documents as they stand."""
    token = cancellation()
    try:
        request = CheckRequest.from_params(params)
        session.settle()
        await session.index.ready()
        if session.workspace.complete_catalog is None:
            await session.index.idle(PATIENCE)
        return await check_for_agents(
            session.workspace,
            request,
            encoding=session.encoding,
            cancelled=lambda: token.cancelled,
        )
    except RequestError as problem:
        raise JsonRpcException(str(problem), code=INVALID_PARAMS) from None
    except ShowError as problem:
        raise JsonRpcException(
            str(problem),
            code=lsp.LSPErrorCodes.RequestFailed.value,
            data={"code": problem.code, "suggestions": list(problem.suggestions)},
        ) from None
