"""The ``akm/…`` requests; each is a ``workspace/executeCommand`` command as well."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from akm_ls.index.store import Store, StoreError
from akm_ls.lsp.features.agent_requests import context_pack, find_command
from akm_ls.lsp.features.author_requests import graph, new_asset
from akm_ls.lsp.features.references import citations_of
from akm_ls.lsp.protocol import INVALID_PARAMS
from akm_ls.lsp.uris import path_of
from akm_ls.lsp.work import cancellation
from akm_ls.refs import RefError, parse_ref
from akm_ls.search.request import RequestError, SearchRequest
from akm_ls.search.search import search
from akm_ls.search.show import ShowError, show_path
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
        raise JsonRpcException(str(problem), code=INVALID_PARAMS) from None
    session.settle()
    usable = await session.index.ready()
    workspace = session.workspace
    token = cancellation()

    def run() -> Any:
        if not usable:
            return search(workspace.library_without_index(), request)
        try:
            with Store(workspace.store_path, workspace.bundles) as store:
                library = workspace.library(store)
                return search(library, request, cancelled=lambda: token.cancelled)
        except StoreError:
            return search(workspace.library_without_index(), request)

    result = await session.server.protocol.workers.run(run)
    workspace.usage.found((hit.entry.bundle, hit.entry.concept_id) for hit in result.hits)
    return result.to_json(encoding=session.encoding)


async def show_asset(session: Session, params: Params) -> Any:
    """``akm/show``: by ref, or the asset at a position of a document."""
    session.settle()
    await session.index.ready()
    ref = params.get("ref")
    try:
        if isinstance(ref, str):
            shown = session.workspace.show(ref)
        else:
            shown = _show_at(session, params)
    except ShowError as problem:
        raise JsonRpcException(
            str(problem),
            code=REQUEST_FAILED,
            data={"code": problem.code, "suggestions": list(problem.suggestions)},
        ) from None
    session.note_use("show", shown.entry.bundle, shown.entry.concept_id)
    return shown.to_json(session.encoding)


def _show_at(session: Session, params: Params) -> Any:
    document, position = params.get("textDocument"), params.get("position")
    uri = document.get("uri") if isinstance(document, dict) else None
    if not isinstance(uri, str):
        raise JsonRpcException("a ref or a textDocument is needed", code=INVALID_PARAMS)
    opened = session.document(uri)
    if opened is not None and isinstance(position, dict):
        offset = opened.document.lines.offset(
            _number(position, "line"), _number(position, "character"), session.encoding
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


def _number(position: Params, key: str) -> int:
    value = position.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int):
        raise JsonRpcException(f"position.{key} must be a whole number", code=INVALID_PARAMS)
    return value


async def find_citations(session: Session, params: Params) -> Any:
    """``akm/references``: locations of every citation, with its channel."""
    text = params.get("ref")
    if not isinstance(text, str):
        raise JsonRpcException("ref must be a string", code=INVALID_PARAMS)
    try:
        ref = parse_ref(text)
    except RefError as problem:
        raise JsonRpcException(str(problem), code=INVALID_PARAMS) from None
    session.settle()
    await session.index.ready()
    locations = []
    for citation in citations_of(session, ref):
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
    bundle = params.get("bundle")
    if bundle is not None and session.workspace.bundles.get(str(bundle)) is None:
        raise JsonRpcException(f'no bundle is named "{bundle}"', code=INVALID_PARAMS)
    session.settle()
    report = await session.index.run(
        full=params.get("full") is True,
        clean=params.get("clean") is True,
        only=None if bundle is None else str(bundle),
        token=params.get("workDoneToken"),
    )
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
    kind, bundle = params.get("type"), params.get("bundle")
    for name, value in (("type", kind), ("bundle", bundle)):
        if value is not None and not isinstance(value, str):
            raise JsonRpcException(f"{name} must be a string", code=INVALID_PARAMS)
    if bundle is not None and session.workspace.bundles.get(bundle) is None:
        raise JsonRpcException(f'no bundle is named "{bundle}"', code=INVALID_PARAMS)
    session.settle()
    await session.index.ready()
    found = standards(session.workspace, kind, bundle)
    facts = [standard.to_json() for standard in found]
    return {"facts": facts, "estimatedTokens": sum(fact["estimatedTokens"] for fact in facts)}


REQUESTS: dict[str, Request] = {
    "akm/search": search_assets,
    "akm/show": show_asset,
    "akm/contextPack": context_pack,
    "akm/findCommand": find_command,
    "akm/references": find_citations,
    "akm/graph": graph,
    "akm/conventions": conventions,
    "akm/newAsset": new_asset,
    "akm/status": status,
    "akm/reindex": reindex,
}


def command_of(method: str) -> str:
    """``akm/search`` as a command: ``akm.search``."""
    return method.replace("/", ".")
