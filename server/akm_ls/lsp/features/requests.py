"""The ``akm/…`` requests; each is a ``workspace/executeCommand`` command as well."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from akm_ls.index.store import StoreError
from akm_ls.lsp.features import parameters
from akm_ls.lsp.features.agent_requests import context_pack, find_command, in_library
from akm_ls.lsp.features.author_requests import graph, new_asset
from akm_ls.lsp.features.check_request import check_files
from akm_ls.lsp.features.references import citations_of
from akm_ls.lsp.uris import path_of
from akm_ls.lsp.work import cancellation
from akm_ls.search.request import RequestError, SearchRequest
from akm_ls.search.search import search
from akm_ls.search.show import ShowError, show, show_path
from akm_ls.workspace.for_agents import show_for_agents
from akm_ls.workspace.standards import standards

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

Params = dict[str, Any]
Request = Callable[["Session", Params], Awaitable[Any]]

REQUEST_FAILED = -32803
"""LSP's ``RequestFailed``: the request was understood and cannot be done."""


async def search_assets(session: Session, params: Params) -> Any:
    """``akm/search``."""
    try:
        request = SearchRequest.from_params(params, session.workspace.search_defaults)
    except RequestError as problem:
        raise parameters.invalid(str(problem)) from None
    parameters.known_names(session, params)
    session.settle()
    usable = await session.index.ready()
    workspace = session.workspace
    token = cancellation()

    def run() -> Any:
        if not usable:
            return search(workspace.library_without_index(), request)
        try:
            with workspace.stores.store(workspace.store_path, workspace.bundles) as store:
                library = workspace.library(store)
                return search(library, request, cancelled=lambda: token.cancelled)
        except StoreError:
            return search(workspace.library_without_index(), request)

    result = await session.server.protocol.workers.run(run)
    workspace.usage.found((hit.entry.bundle, hit.entry.concept_id) for hit in result.hits)
    return result.to_json(encoding=session.encoding)


async def show_asset(session: Session, params: Params) -> Any:
    """``akm/show``: by ref, or the asset at a position of a document."""
    ref = parameters.text(params, "ref")
    session.settle()
    await session.index.ready()
    try:
        if ref is not None:
            wanted = ref
            shown = await in_library(session, lambda library: show(library, wanted))
        else:
            shown = _show_at(session, params)
    except ShowError as problem:
        raise JsonRpcException(
            str(problem),
            code=REQUEST_FAILED,
            data={"code": problem.code, "suggestions": list(problem.suggestions)},
        ) from None
    session.note_use("show", shown.entry.bundle, shown.entry.concept_id)
    if params.get("detail") == "agent":
        return show_for_agents(shown, session.encoding)
    return shown.to_json(session.encoding)


def _show_at(session: Session, params: Params) -> Any:
    document, position = params.get("textDocument"), params.get("position")
    uri = document.get("uri") if isinstance(document, dict) else None
    if not isinstance(uri, str):
        raise parameters.invalid("a ref or a textDocument is needed")
    opened = session.document(uri)
    if opened is not None and isinstance(position, dict):
        offset = opened.document.lines.offset(
            parameters.position_number(position, "line"),
            parameters.position_number(position, "character"),
            session.encoding,
        )
        occurrence = opened.document.ref_at(offset)
        if occurrence is not None and occurrence.ref is not None:
            home = opened.bundle.id if opened.bundle else None
            return session.workspace.show(str(occurrence.ref), home)
    path = path_of(uri)
    shown = None
    if path is not None:
        shown = show_path(session.workspace.library(), session.workspace.canonical(path))
    if shown is None:
        raise ShowError("ASSET_NOT_FOUND", "There is no ref here, and this file is no asset.")
    return shown


async def find_citations(session: Session, params: Params) -> Any:
    """``akm/references``: locations of every citation, with its channel."""
    ref = parameters.ref(params)
    session.settle()
    await session.index.ready()
    locations = []
    for citation in await citations_of(session, ref):
        start, end = citation.characters(session.encoding)
        locations.append(
            {
                "uri": session.uri(citation.path),
                "range": {
                    "start": {"line": citation.line, "character": start},
                    "end": {"line": citation.line, "character": end},
                },
                "channel": citation.channel,
                "source": citation.source
                if citation.is_by_asset
                else session.workspace.display_path(citation.path),
                "text": citation.text,
            }
        )
    return locations


async def status(session: Session, _params: Params) -> Any:
    """``akm/status``."""
    session.index.notice()
    return session.workspace.status()


async def reindex(session: Session, params: Params) -> Any:
    """``akm/reindex``: one run over the bundles, or over one of them."""
    bundle = parameters.bundle(session, params)
    full, clean = parameters.flag(params, "full"), parameters.flag(params, "clean")
    session.settle()
    report = await session.index.run(
        full=full,
        clean=clean,
        only=bundle,
        token=params.get("workDoneToken"),
    )
    if not report.cancelled:
        if params.get("reembed") is True:
            session.embedding.reembed(None if bundle is None else str(bundle))
        else:
            session.embedding.asked()
    return {
        "mode": report.mode,
        "bundles": report.bundles,
        "files": report.files,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "entries": report.entries,
        "seconds": round(report.seconds, 3),
        "cancelled": report.cancelled,
        "warnings": list(report.warnings),
    }


async def conventions(session: Session, params: Params) -> Any:
    """``akm/conventions``: the authoring standards for a type, in one bundle or in all."""
    kind = parameters.asset_type(session, params)
    bundle = parameters.bundle(session, params)
    session.settle()
    await session.index.ready()
    found = standards(session.workspace, kind, bundle)
    facts = [standard.to_json() for standard in found]
    return {"facts": facts, "estimatedTokens": sum(fact["estimatedTokens"] for fact in facts)}


# As in `offers`.
REQUESTS: dict[str, Request] = {
    "akm/search": search_assets,
    "akm/show": show_asset,
    "akm/contextPack": context_pack,
    "akm/findCommand": find_command,
    "akm/check": check_files,
    "akm/references": find_citations,
    "akm/graph": graph,
    "akm/conventions": conventions,
    "akm/newAsset": new_asset,
    "akm/status": status,
    "akm/reindex": reindex,
}
