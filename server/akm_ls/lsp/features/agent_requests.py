"""The requests that agents live on: ``akm/contextPack`` and ``akm/findCommand``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from akm_ls.index.store import StoreError
from akm_ls.lsp.features import parameters
from akm_ls.lsp.work import cancellation
from akm_ls.search.commands import FindRequest
from akm_ls.search.context_pack import PackError, PackRequest, build_pack
from akm_ls.search.request import RequestError
from akm_ls.search.search import search

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.search.context_pack import ContextPack
    from akm_ls.search.library import Library

T = TypeVar("T")


async def context_pack(session: Session, params: dict[str, Any]) -> Any:
    """``akm/contextPack``: evidence and citations within a budget of tokens."""
    try:
        request = PackRequest.from_params(params)
    except RequestError as problem:
        raise parameters.invalid(str(problem)) from None
    parameters.known_names(session, params)
    token = cancellation()

    def pack(library: Library) -> ContextPack:
        return build_pack(
            library,
            request,
            lambda asked: search(library, asked, cancelled=lambda: token.cancelled),
            encoding=session.encoding,
        )

    try:
        made = await in_library(session, pack)
    except PackError as problem:
        raise JsonRpcException(
            str(problem),
            code=lsp.LSPErrorCodes.RequestFailed.value,
            data={
                "code": problem.code,
                "needed": problem.needed,
                "maxTokens": request.max_tokens,
                "warnings": list(problem.warnings),
                "suggestions": [],
            },
        ) from None
    session.workspace.usage.found(
        (item.entry.bundle, item.entry.concept_id) for item in made.evidence
    )
    return made.to_json()


async def find_command(session: Session, params: dict[str, Any]) -> Any:
    """``akm/findCommand``: commands of the server and of the bundles by what they are for."""
    try:
        request = FindRequest.from_params(params)
    except RequestError as problem:
        raise parameters.invalid(str(problem)) from None
    parameters.bundle(session, params)
    finder = session.workspace.commands
    found = await in_library(session, lambda library: finder.find(library, request))
    session.workspace.usage.found(
        (hit.doc.bundle, hit.doc.key.partition("//")[2])
        for hit in found.hits
        if hit.doc.bundle is not None
    )
    return found.to_json()


async def in_library(session: Session, work: Callable[[Library], T]) -> T:
    """``work`` in a worker thread, with a store of that thread; without one if need be."""
    session.settle()
    usable = await session.index.ready()
    workspace = session.workspace

    def run() -> T:
        if not usable:
            return work(workspace.library_without_index())
        try:
            with workspace.stores.store(workspace.store_path, workspace.bundles) as store:
                return work(workspace.library(store))
        except StoreError:
            return work(workspace.library_without_index())

    return await session.server.protocol.workers.run(run)
